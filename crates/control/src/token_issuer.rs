//! What the control plane asks of the key manager, which it does not know: the binary hands it in.

use std::future::Future;
use std::pin::Pin;

use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::Environment;
use tollgate_model::id::{ApplicationId, SigningKeyId};

use crate::error::Problem;

/// A boxed future, so that the trait can be an object.
pub type Done<'a, T> = Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>;

/// A token that an application has without a client.
#[derive(Debug, Clone)]
pub struct ApplicationToken {
    /// Who has it.
    pub application: ApplicationId,
    /// Which upstream it reaches.
    pub environment: Environment,
    /// What it is good for.
    pub scopes: Vec<String>,
    /// Context and name of the only version that it is for.
    pub version: (String, String),
    /// Seconds until it ends.
    pub lifetime_s: u32,
}

/// Makes tokens and the keys that sign them.
pub trait TokenIssuer: Send + Sync {
    /// Where clients get tokens (RFC 6749, section 3.2).
    fn token_url(&self) -> String;

    /// Creates and publishes the next key of an algorithm, to sign later. Returns its id and
    /// whether every gateway has applied the change.
    fn next_key(&self, algorithm: Algorithm) -> Done<'_, (SigningKeyId, bool)>;

    /// Deletes a key, which invalidates its tokens; another key signs from now on. Returns whether
    /// every gateway has applied the change.
    fn delete_key(&self, id: SigningKeyId) -> Done<'_, bool>;

    /// Issues a token that every gateway accepts once this returns.
    fn issue(&self, wanted: ApplicationToken) -> Done<'_, String>;
}
