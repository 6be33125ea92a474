//! The authentication of clients (RFC 6749, section 2.3). A request uses exactly one method, the
//! one that its client was registered with.
//!
//! Responses reveal nothing about a client that is unknown or may not be used now, also not by
//! their timing: the same work is done with credentials that nobody can have.

use std::borrow::Cow;

use axum::http::{HeaderMap, header};
use tollgate_model::id::{ClientId, Id};
use tollgate_store::applications::{self, Application};
use tollgate_store::clients::{Authentication, Client};
use tollgate_store::credentials::{self, Secret, Terms};
use tollgate_store::{Store, StoreError};
use tollgate_tokens::basic::Basic;
use tollgate_tokens::generated;

use crate::error::{Code, Refused};
use crate::form::{Form, decoded};

pub(crate) mod assertion;
pub(crate) mod replay;

use assertion::{Assertion, Assertions};

/// Compared in place of an absent secret: no text has this digest.
const NO_DIGEST: [u8; 32] = [0; 32];

/// The authentication methods, as named in the metadata (RFC 8414, section 2).
pub(crate) const METHODS: [&str; 3] = [
    "client_secret_basic",
    "client_secret_post",
    "private_key_jwt",
];

/// A credential in a request. `{:?}` cannot print it.
pub(crate) enum Presented {
    /// An id and a secret in `Authorization: Basic`, or in the body.
    Secret { client: String, secret: String },
    /// An assertion: a token that the client signed (RFC 7523, section 2.2).
    Assertion(String),
}

impl Presented {
    /// Reads the credential; fails unless there is exactly one.
    pub(crate) fn read(headers: &HeaderMap, form: &Form) -> Result<Self, Refused> {
        let named = form.parameter("client_id");
        let in_head = in_head(headers)?;
        let in_body = form.parameter("client_secret");
        let assertion = assertion::from_form(form)?;
        let presented = match (in_head, in_body, assertion) {
            (Some((client, secret)), None, None) => {
                if named.is_some_and(|named| named != client) {
                    return Err(two_clients());
                }
                Self::Secret { client, secret }
            }
            (None, Some(secret), None) => {
                let client = form.required("client_id")?.to_owned();
                let secret = secret.to_owned();
                Self::Secret { client, secret }
            }
            (None, None, Some(token)) => Self::Assertion(token.to_owned()),
            (None, None, None) => {
                let sentence = "the client does not authenticate: send its id and secret, or an \
                    assertion";
                return Err(Refused::because(Code::InvalidClient, sentence));
            }
            _ => {
                let sentence = "a client must authenticate by one method, and the request has two";
                return Err(Refused::request(sentence));
            }
        };
        Ok(presented)
    }

    /// Returns the id that the client claims; empty if it cannot be read.
    pub(crate) fn claimed(&self) -> Cow<'_, str> {
        match self {
            Self::Secret { client, .. } => client.into(),
            Self::Assertion(token) => assertion::claimed(token).into(),
        }
    }
}

pub(crate) fn two_clients() -> Refused {
    Refused::request("client_id does not name the client that authenticates")
}

/// Reads client and secret from `Authorization: Basic`; each half is encoded as in a form (RFC
/// 6749, section 2.3.1).
fn in_head(headers: &HeaderMap) -> Result<Option<(String, String)>, Refused> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(Refused::request(
            "Authorization must not be sent more than once",
        ));
    }
    let value = value.as_bytes();
    let space = value.iter().position(|byte| *byte == b' ');
    let (scheme, rest) = value.split_at(space.unwrap_or(value.len()));
    if !scheme.eq_ignore_ascii_case(b"basic") {
        let sentence = "clients must use the scheme Basic in Authorization";
        return Err(Refused::because(Code::InvalidClient, sentence));
    }
    let malformed = || {
        let sentence = "the credentials in Authorization cannot be read";
        Refused::because(Code::InvalidClient, sentence)
    };
    let basic = Basic::parse(rest.trim_ascii()).ok_or_else(malformed)?;
    let client = decoded(basic.user().as_bytes()).ok_or_else(malformed)?;
    let secret = decoded(basic.password().as_bytes()).ok_or_else(malformed)?;
    Ok(Some((client, secret)))
}

/// The context in which a client is authenticated.
pub(crate) struct Desk<'a> {
    pub(crate) store: &'a Store,
    pub(crate) assertions: &'a Assertions,
    /// `client_id` of the body.
    pub(crate) named: Option<&'a str>,
    pub(crate) now_us: i64,
}

impl Desk<'_> {
    /// Returns the authenticated client and its application.
    pub(crate) async fn authenticate(
        &self,
        presented: &Presented,
    ) -> Result<(Client, Application), Refused> {
        let proven = match presented {
            Presented::Secret { client, secret } => {
                let (client, kept) = self.client_with_secret(client).await?;
                let is_proven = fits(&kept, secret, self.now_us);
                client.filter(|_| is_proven)
            }
            Presented::Assertion(token) => {
                let assertion = Assertion::read(token, self.assertions, self.now_us)?;
                if self.named.is_some_and(|named| named != assertion.client) {
                    return Err(two_clients());
                }
                let (client, jwks) = self.client_with_keys(&assertion.client).await?;
                let is_proven = assertion.is_signed(&jwks, self.assertions, self.now_us);
                let client = client.filter(|_| is_proven);
                if let Some(client) = &client {
                    let assertions = self.assertions;
                    assertions
                        .once(self.store, client.id, &assertion, self.now_us)
                        .await?;
                }
                client
            }
        };
        let client = proven.ok_or(Code::InvalidClient)?;
        let application = applications::by_id(self.store, client.terms.application).await?;
        Ok((client, application))
    }

    async fn client_with_secret(&self, id: &str) -> Result<(Option<Client>, Secret), Refused> {
        let client = self.live_client(id).await?;
        let secret = client.as_ref().map(|client| &client.authentication);
        if let Some(Authentication::Secret(secret)) = secret {
            let secret = secret.clone();
            return Ok((client, secret));
        }
        let nobodys = Secret {
            digest: NO_DIGEST,
            hint: String::new(),
            previous: None,
        };
        Ok((None, nobodys))
    }

    async fn client_with_keys(&self, id: &str) -> Result<(Option<Client>, String), Refused> {
        let client = self.live_client(id).await?;
        let keys = client.as_ref().map(|client| &client.authentication);
        if let Some(Authentication::PrivateKeyJwt { jwks }) = keys {
            let jwks = jwks.clone();
            return Ok((client, jwks));
        }
        Ok((None, assertion::NOBODYS_KEYS.to_owned()))
    }

    /// Returns the client with this id if it may be used now. An invalid id causes a look-up too.
    async fn live_client(&self, id: &str) -> Result<Option<Client>, Refused> {
        let id: ClientId = id.parse().unwrap_or(Id::from_raw(1));
        live(self.store, id, self.now_us).await.map_err(Into::into)
    }
}

/// Returns a client if it may be used now.
pub(crate) async fn live(
    store: &Store,
    id: ClientId,
    now_us: i64,
) -> Result<Option<Client>, StoreError> {
    match credentials::by_id(store, id).await {
        Ok(client) => Ok(Some(client).filter(|client| is_live(&client.terms, now_us))),
        Err(StoreError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_live(terms: &Terms, now_us: i64) -> bool {
    terms.revoked_us.is_none()
        && terms.suspended_us.is_none()
        && terms.not_before_us.is_none_or(|from| from <= now_us)
        && terms.expires_us.is_none_or(|until| now_us < until)
}

/// Returns whether this is the secret, or the previous one while that is accepted. Both are
/// compared, in constant time.
fn fits(kept: &Secret, presented: &str, now_us: i64) -> bool {
    let (previous, until_us) = kept.previous.unwrap_or((NO_DIGEST, i64::MIN));
    let is_current = generated::matches(&kept.digest, presented);
    let is_previous = generated::matches(&previous, presented);
    is_current | (is_previous & (now_us < until_us))
}

#[cfg(test)]
mod tests;
