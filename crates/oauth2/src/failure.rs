//! Internal failures of the key manager: the store, the gateways, keys, randomness. The errors of
//! the protocol are in `error.rs`.

use tollgate_model::id::SigningKeyId;
use tollgate_store::StoreError;
use tollgate_tokens::key::NoKey;

use crate::random::NoRandom;

/// Why an operation of the key manager failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A key could not be generated or read.
    #[error(transparent)]
    Key(#[from] NoKey),
    /// The machine provides no random bytes.
    #[error(transparent)]
    Random(#[from] NoRandom),
    /// A key cannot sign yet, because a gateway does not know it.
    #[error("a gateway does not know the signing key {0} yet")]
    Unknown(SigningKeyId),
    /// Keys are replaced faster than one can sign.
    #[error("no signing key stayed long enough to sign")]
    NoSigner,
    /// A task that generates a key ended early.
    #[error("the task that generates a key has ended early")]
    Task(#[from] tokio::task::JoinError),
}
