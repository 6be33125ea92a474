//! What gateways know of credentials, of OAuth2 clients and their tokens, and of the keys that sign
//! tokens: digests and public keys only.

use serde::{Deserialize, Serialize};

use crate::algorithm::Algorithm;
use crate::credential::{Allowed, CredentialId, Digest, Environment};
use crate::id::{ApplicationId, ClientId, SigningKeyId, TokenId};

/// A credential as gateways know it: by digests only. Revoked ones are not served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedCredential {
    /// An API key or a user of HTTP Basic.
    pub id: CredentialId,
    /// SHA-256 of the whole key, or of the user's name, a colon and the password.
    pub digest: Digest,
    /// What `digest` was before the password was rotated, and until when (Unix microseconds) that
    /// is taken too.
    pub previous: Option<(Digest, i64)>,
    /// The owner.
    pub application: ApplicationId,
    /// Which upstream it may reach.
    pub environment: Environment,
    /// Unix microseconds before which it is refused.
    pub not_before_us: Option<i64>,
    /// Unix microseconds from which it is refused.
    pub expires_us: Option<i64>,
    /// From where it may be used.
    pub allowed: Allowed,
}

/// An OAuth2 client as gateways know it: whose tokens those are that name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedClient {
    /// The client.
    pub id: ClientId,
    /// The owner.
    pub application: ApplicationId,
    /// Which upstream it may reach.
    pub environment: Environment,
    /// The scopes that its tokens may have.
    pub scopes: Vec<String>,
    /// Unix microseconds: tokens that were issued before are worth nothing.
    pub tokens_from_us: i64,
    /// Unix microseconds before which it is refused.
    pub not_before_us: Option<i64>,
    /// Unix microseconds from which it is refused.
    pub expires_us: Option<i64>,
    /// From where its tokens may be used.
    pub allowed: Allowed,
}

/// An opaque token as gateways know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedToken {
    /// The token.
    pub id: TokenId,
    /// SHA-256 of the whole token.
    pub digest: Digest,
    /// Who has obtained it.
    pub subject: TokenSubject,
    /// The scopes that it has.
    pub scopes: Vec<String>,
    /// The URL of the only version that it is for; `None`: each that is subscribed to.
    pub resource: Option<String>,
    /// Unix microseconds when it was issued.
    pub issued_us: i64,
    /// Unix microseconds from which it is refused.
    pub expires_us: i64,
}

/// Who has obtained a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TokenSubject {
    /// An OAuth2 client.
    Client(ClientId),
    /// An application itself, to try an API.
    Application(ApplicationId, Environment),
}

/// A token that was revoked, as long as it would be taken otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevokedToken {
    /// The token.
    pub id: TokenId,
    /// Unix microseconds when it expires, and this may be forgotten.
    pub expires_us: i64,
}

/// A key that tokens are signed with, as gateways know it: its public half.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSigningKey {
    /// The key.
    pub id: SigningKeyId,
    /// Names it in the heads of tokens (`kid`; RFC 7515, section 4.1.4).
    pub name: String,
    /// The only algorithm that it is for.
    pub algorithm: Algorithm,
    /// The public key, as the crate `tokens` writes it.
    pub public: Vec<u8>,
}
