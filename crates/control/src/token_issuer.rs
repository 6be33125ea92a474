//! The interface to the key manager, which is in another crate: the binary connects them.

use std::future::Future;
use std::pin::Pin;

use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::Environment;
use tollgate_model::id::{ApplicationId, SigningKeyId};

use crate::error::Problem;

/// A boxed future, so that the trait can be an object.
pub type Done<'a, T> = Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>;

/// A token of an application, issued without a client.
#[derive(Debug, Clone)]
pub struct ApplicationToken {
    /// The application.
    pub application: ApplicationId,
    /// The environment, which determines the upstream.
    pub environment: Environment,
    /// The scopes.
    pub scopes: Vec<String>,
    /// Context and name of the only version that accepts the token.
    pub version: (String, String),
    /// Lifetime in seconds.
    pub lifetime_s: u32,
}

/// A proof for gateways that calls of an application are trials of a version.
#[derive(Debug, Clone)]
pub struct TrialProof {
    /// The application.
    pub application: ApplicationId,
    /// Context and name of the version.
    pub version: (String, String),
    /// Lifetime in seconds.
    pub lifetime_s: u32,
}

/// An issuer of tokens and of the keys that sign them.
pub trait TokenIssuer: Send + Sync {
    /// Returns the token endpoint for clients (RFC 6749, section 3.2).
    fn token_url(&self) -> String;

    /// Creates and publishes the next key of an algorithm, to sign later. Returns its id and
    /// whether every gateway has applied the change.
    fn next_key(&self, algorithm: Algorithm) -> Done<'_, (SigningKeyId, bool)>;

    /// Deletes a key, which invalidates its tokens; another key signs from now on. Returns whether
    /// every gateway has applied the change.
    fn delete_key(&self, id: SigningKeyId) -> Done<'_, bool>;

    /// Issues a token that every gateway accepts once this returns.
    fn issue(&self, token: ApplicationToken) -> Done<'_, String>;

    /// Issues a proof that every gateway accepts once this returns.
    fn prove_trial(&self, proof: TrialProof) -> Done<'_, String>;
}
