//! Credentials, OAuth2 clients, tokens and keys that sign tokens, as sent to gateways: digests and
//! public keys only.

use serde::{Deserialize, Serialize};

use crate::algorithm::Algorithm;
use crate::credential::{Allowed, CredentialId, Digest, Environment};
use crate::id::{ApplicationId, ClientId, SigningKeyId, TokenId};

/// A credential as sent to gateways: digests only. Revoked ones are not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedCredential {
    /// An API key or a user of HTTP Basic.
    pub id: CredentialId,
    /// SHA-256 of the whole key, or of the user's name, a colon and the password.
    pub digest: Digest,
    /// The digest before the password was rotated, and until when (Unix microseconds) it is
    /// accepted too.
    pub previous: Option<(Digest, i64)>,
    /// The owner.
    pub application: ApplicationId,
    /// The upstream that it reaches.
    pub environment: Environment,
    /// Start of its validity, Unix microseconds.
    pub not_before_us: Option<i64>,
    /// Expiry, Unix microseconds.
    pub expires_us: Option<i64>,
    /// Where it may be used from.
    pub allowed: Allowed,
}

/// An OAuth2 client as sent to gateways: the owner of the tokens that name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedClient {
    /// The client.
    pub id: ClientId,
    /// The owner.
    pub application: ApplicationId,
    /// The upstream that it reaches.
    pub environment: Environment,
    /// The scopes that its tokens may have.
    pub scopes: Vec<String>,
    /// Unix microseconds: tokens that were issued before are not valid.
    pub tokens_from_us: i64,
    /// Start of its validity, Unix microseconds.
    pub not_before_us: Option<i64>,
    /// Expiry, Unix microseconds.
    pub expires_us: Option<i64>,
    /// Where its tokens may be used from.
    pub allowed: Allowed,
}

/// An opaque token as sent to gateways.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedToken {
    /// The token.
    pub id: TokenId,
    /// SHA-256 of the whole token.
    pub digest: Digest,
    /// The client or application that obtained it.
    pub subject: TokenSubject,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// The URL of the only version that it is valid for; `None`: every subscribed version.
    pub resource: Option<String>,
    /// Time of issue, Unix microseconds.
    pub issued_us: i64,
    /// Expiry, Unix microseconds.
    pub expires_us: i64,
}

/// The client or application that obtained a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TokenSubject {
    /// An OAuth2 client.
    Client(ClientId),
    /// An application itself, to try an API.
    Application(ApplicationId, Environment),
}

/// A revoked token, sent until its expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevokedToken {
    /// The token.
    pub id: TokenId,
    /// Expiry, Unix microseconds; after that this may be dropped.
    pub expires_us: i64,
}

/// A key that signs tokens, as sent to gateways: its public half.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSigningKey {
    /// The key.
    pub id: SigningKeyId,
    /// The `kid` in the headers of tokens (RFC 7515, section 4.1.4).
    pub name: String,
    /// The only algorithm the key is used with.
    pub algorithm: Algorithm,
    /// The public key, as encoded by the crate `tokens`.
    pub public: Vec<u8>,
}
