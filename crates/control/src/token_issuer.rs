//! What the control plane asks of the key manager, which it does not know: the binary hands it in.

use std::future::Future;
use std::pin::Pin;

use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::Environment;
use tollgate_model::id::{ApplicationId, SigningKeyId};

use crate::error::Problem;

/// What is done later.
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
    /// Makes the next key of an algorithm, which is published now and signs later; whether every
    /// gateway knows it.
    fn next_key(&self, algorithm: Algorithm) -> Done<'_, (SigningKeyId, bool)>;

    /// Deletes a key: its tokens are worth nothing any more, and another one signs; whether every
    /// gateway knows it.
    fn delete_key(&self, id: SigningKeyId) -> Done<'_, bool>;

    /// Makes a token that every gateway takes when this is done.
    fn issue(&self, wanted: ApplicationToken) -> Done<'_, String>;
}
