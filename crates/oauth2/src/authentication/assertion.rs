//! Assertions: tokens signed by a client to authenticate itself, `private_key_jwt` (RFC 7523,
//! sections 2.2 and 3).

use std::sync::LazyLock;

use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::Digest;
use tollgate_model::id::ClientId;
use tollgate_store::{Store, StoreError, assertions};
use tollgate_tokens::jwk::{self, Jwk};
use tollgate_tokens::jwt::{self, Expected, Invalid, Kind, Unverified};
use tollgate_tokens::key::{PublicKey, Verifier};

use super::replay::{Full, Replay};
use crate::error::{Code, Refused};
use crate::form::Form;

/// The only value of `client_assertion_type` (RFC 7523, section 2.2).
const TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// Maximum time until `exp`: an hour is the default of Authlib.
const LIFETIME_US_MAX: i64 = 3_600 * 1_000_000;
/// Tolerated difference between the client's clock and ours.
const LEEWAY_US: i64 = 30 * 1_000_000;

macro_rules! nobodys_rsa_key {
    ($algorithm:literal) => {
        concat!(
            r#"{"kty":"RSA","e":"AQAB","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx"#,
            "4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9",
            "yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6",
            "qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniI",
            "qbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw\",\"alg\":\"",
            $algorithm,
            "\"}"
        )
    };
}

/// Number of keys that an assertion is verified with: without a `kid`, the keys before and after a
/// change.
const TRIES: usize = 2;

/// Keys used for an unknown client, one for each algorithm. RFC 7517, appendix A, and RFC 8037,
/// appendix A, print them with their private halves.
pub(crate) const NOBODYS_KEYS: &str = concat!(
    r#"{"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","#,
    r#""y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"},"#,
    r#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},"#,
    nobodys_rsa_key!("RS256"),
    ",",
    nobodys_rsa_key!("PS256"),
    "]}"
);

static NOBODYS: LazyLock<Vec<Jwk>> =
    LazyLock::new(|| jwk::usable(NOBODYS_KEYS.as_bytes()).expect("a key set"));

/// Accepted audiences, and assertions used before.
pub(crate) struct Assertions {
    /// Values of `aud`: the issuer, and the URL of the token endpoint (RFC 7523, section 3).
    pub(crate) audiences: Vec<String>,
    pub(crate) replay: Replay,
}

/// An assertion with acceptable claims, not verified yet.
pub(crate) struct Assertion<'a> {
    token: &'a str,
    /// The claimed id of the client.
    pub(crate) client: String,
    algorithm: Algorithm,
    kid: Option<String>,
    jti: String,
    expires_us: i64,
}

/// Returns the assertion in a form, if any.
pub(super) fn from_form(form: &Form) -> Result<Option<&str>, Refused> {
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
            let sentence = "client_assertion and client_assertion_type must be sent together";
            Err(Refused::request(sentence))
        }
    }
}

/// Returns the id of the client that an assertion claims to be from; empty if it cannot be read.
pub(super) fn claimed(token: &str) -> String {
    let mut space = Vec::new();
    let unverified = Unverified::parse(token.as_bytes(), &mut space).ok();
    let issuer = unverified
        .as_ref()
        .and_then(|token| token.claims().issuer());
    issuer.unwrap_or_default().to_owned()
}

impl<'a> Assertion<'a> {
    /// Checks the claims of an assertion. The checks do not depend on registered clients, so the
    /// response may name the fault.
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
            algorithm: unverified.header().algorithm(),
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

    /// Returns whether one of a client's keys signed it. Keys with another `kid` than the token's
    /// are skipped. The time reveals nothing about the client: for each missing key a public one is
    /// tried.
    pub(crate) fn is_signed(&self, jwks: &str, assertions: &Assertions, now_us: i64) -> bool {
        let keys = jwk::usable(jwks.as_bytes()).unwrap_or_default();
        let is_meant = |key: &&Jwk| {
            let both = key.kid.as_ref().zip(self.kid.as_ref());
            key.key.algorithm() == self.algorithm && both.is_none_or(|(key, token)| key == token)
        };
        let nobodys = NOBODYS.iter().filter(is_meant).cycle();
        let own = keys.iter().filter(is_meant).map(|key| (key, true));
        let tried = own.chain(nobodys.map(|key| (key, false))).take(TRIES);
        let expected = expected(&self.client, assertions, now_us);
        // Tries all of them, even after a match.
        tried.fold(false, |is_signed, (key, is_own)| {
            let verifies = self.verifies(&key.key, &expected);
            is_signed | (verifies & is_own)
        })
    }

    fn verifies(&self, key: &PublicKey, expected: &Expected<'_>) -> bool {
        let mut space = Vec::new();
        let token = Unverified::parse(self.token.as_bytes(), &mut space).ok();
        let checked = token.and_then(|token| token.check(expected).ok());
        let both = checked.zip(Verifier::new(key).ok());
        both.is_some_and(|(token, verifier)| token.verify(&verifier).is_ok())
    }
}

impl Assertions {
    /// Accepts a verified assertion unless it was used before, also before a restart.
    pub(super) async fn once(
        &self,
        store: &Store,
        client: ClientId,
        assertion: &Assertion<'_>,
        now_us: i64,
    ) -> Result<(), Refused> {
        let id = jwt::digest(assertion.jti.as_bytes());
        let until_us = assertion.expires_us.saturating_add(LEEWAY_US);
        let is_first = match self.replay.first_time(client, id, until_us, now_us) {
            Ok(false) => false,
            Ok(true) => {
                let kept = keep(store, client, &id, until_us).await;
                kept.inspect_err(|_| self.replay.forget(client, &id))?
            }
            Err(Full) => {
                let sentence = "too many assertions were used recently; try again later";
                return Err(Refused::because(Code::TemporarilyUnavailable, sentence));
            }
        };
        if is_first {
            return Ok(());
        }
        let sentence = "the assertion was used before: each needs a jti of its own";
        Err(Refused::because(Code::InvalidClient, sentence))
    }
}

/// Stores an assertion, so that it is not valid again after a restart; returns false if it was
/// stored before.
async fn keep(
    store: &Store,
    client: ClientId,
    id: &Digest,
    until_us: i64,
) -> Result<bool, StoreError> {
    let mut tx = store.write().await?;
    let is_first = assertions::keep(&mut tx, client, id, until_us).await?;
    tx.commit().await?;
    Ok(is_first)
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
    let sentence = format!("the assertion is not valid: {invalid}");
    Refused::because(Code::InvalidClient, sentence)
}
