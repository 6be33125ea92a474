//! Assertions: tokens that a client signs to prove that it is itself, `private_key_jwt` (RFC 7523,
//! sections 2.2 and 3).

use tollgate_model::id::ClientId;
use tollgate_tokens::jwk::{self, Jwk};
use tollgate_tokens::jwt::{self, Expected, Invalid, Kind, Unverified};
use tollgate_tokens::key::Verifier;

use super::replay::{Full, Replay};
use crate::error::{Code, Refused};
use crate::form::Form;

/// The only value of `client_assertion_type` (RFC 7523, section 2.2).
const TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// How far away `exp` may be: an hour is what Authlib writes unless it is told.
const LIFETIME_US_MAX: i64 = 3_600 * 1_000_000;
/// How far the client's clock may be from ours.
const LEEWAY_US: i64 = 30 * 1_000_000;

/// The keys of a client that is not there: one that is printed in RFC 7517, appendix A.1.
pub(crate) const NOBODYS_KEYS: &str = r#"{"keys":[{"kty":"EC","crv":"P-256",
    "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
    "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}"#;

/// What assertions are for, and which ones were there before.
pub(crate) struct Assertions {
    /// Values of `aud`: the issuer, and the URL of the token endpoint (RFC 7523, section 3).
    pub(crate) audiences: Vec<String>,
    pub(crate) replay: Replay,
}

/// An assertion that says what it must, and is not proven yet.
pub(crate) struct Assertion<'a> {
    token: &'a str,
    /// Who it says that it is.
    pub(crate) client: String,
    kid: Option<String>,
    jti: String,
    expires_us: i64,
}

/// The assertion of a form, if it has one.
pub(super) fn read(form: &Form) -> Result<Option<&str>, Refused> {
    let (kind, token) = (
        form.parameter("client_assertion_type"),
        form.parameter("client_assertion"),
    );
    match (kind, token) {
        (None, None) => Ok(None),
        (Some(TYPE), Some(token)) => Ok(Some(token)),
        (Some(_), Some(_)) => {
            let sentence = "client_assertion_type must be \
                urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
            Err(Refused::because(Code::InvalidClient, sentence))
        }
        _ => {
            let sentence = "client_assertion and client_assertion_type come together";
            Err(Refused::request(sentence))
        }
    }
}

impl<'a> Assertion<'a> {
    /// Judges what an assertion says. None of it depends on what is known of clients, so that the
    /// answer may tell what is wrong.
    pub(crate) fn read(
        token: &'a str,
        assertions: &Assertions,
        now_us: i64,
    ) -> Result<Self, Refused> {
        let mut space = Vec::new();
        let unverified = Unverified::parse(token.as_bytes(), &mut space).map_err(refused)?;
        let claims = unverified.claims();
        let assertion = Self {
            token,
            client: claims.issuer().unwrap_or_default().to_owned(),
            kid: unverified.header().kid().map(str::to_owned),
            jti: claims.token_id().unwrap_or_default().to_owned(),
            expires_us: claims.expires_us().unwrap_or_default(),
        };
        let expected = expected(&assertion.client, assertions, now_us);
        unverified.check(&expected).map_err(refused)?;
        if assertion.jti.is_empty() {
            return Err(refused(Invalid::Missing("jti")));
        }
        Ok(assertion)
    }

    /// Whether one of the keys signed it. A key of another name than the token's is passed over.
    pub(crate) fn is_signed(&self, jwks: &str, assertions: &Assertions, now_us: i64) -> bool {
        let keys = jwk::usable(jwks.as_bytes()).unwrap_or_default();
        let is_named = |key: &&Jwk| {
            let both = key.kid.as_ref().zip(self.kid.as_ref());
            both.is_none_or(|(key, token)| key == token)
        };
        let expected = expected(&self.client, assertions, now_us);
        let verifies = |key: &Jwk| {
            let mut space = Vec::new();
            let token = Unverified::parse(self.token.as_bytes(), &mut space).ok();
            let checked = token.and_then(|token| token.check(&expected).ok());
            let verifier = Verifier::new(&key.key).ok();
            let both = checked.zip(verifier);
            both.is_some_and(|(token, verifier)| token.verify(&verifier).is_ok())
        };
        keys.iter().filter(is_named).any(verifies)
    }
}

impl Assertions {
    /// Takes an assertion that is proven, unless it was there before.
    pub(super) fn once(
        &self,
        client: ClientId,
        assertion: &Assertion<'_>,
        now_us: i64,
    ) -> Result<(), Refused> {
        let id = jwt::digest(assertion.jti.as_bytes());
        let until_us = assertion.expires_us.saturating_add(LEEWAY_US);
        match self.replay.first_time(client, (id, until_us), now_us) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let sentence = "the assertion was used before: each needs a jti of its own";
                Err(Refused::because(Code::InvalidClient, sentence))
            }
            Err(Full) => {
                let sentence = "too many assertions came lately; try again later";
                Err(Refused::because(Code::TemporarilyUnavailable, sentence))
            }
        }
    }
}

fn expected<'e>(client: &'e str, assertions: &'e Assertions, now_us: i64) -> Expected<'e> {
    Expected {
        kind: Kind::ClientAssertion,
        issuer: client,
        audiences: &assertions.audiences,
        now_us,
        leeway_us: LEEWAY_US,
        lifetime_us_max: Some(LIFETIME_US_MAX),
    }
}

fn refused(invalid: Invalid) -> Refused {
    let sentence = format!("the assertion is refused: {invalid}");
    Refused::because(Code::InvalidClient, sentence)
}
