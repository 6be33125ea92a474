//! What can fail inside the key manager: the store, the gateways, keys, randomness. The protocol's
//! own refusals are in `error.rs`.

use tollgate_model::id::SigningKeyId;
use tollgate_store::StoreError;
use tollgate_tokens::key::NoKey;

use crate::random::NoRandom;

/// Why something of the key manager could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A key could not be made or read.
    #[error(transparent)]
    Key(#[from] NoKey),
    /// The machine gives no random bytes.
    #[error(transparent)]
    Random(#[from] NoRandom),
    /// A key cannot sign yet, because a gateway does not know it.
    #[error("a gateway does not know the signing key {0} yet")]
    Unknown(SigningKeyId),
    /// Keys come and go faster than one can sign.
    #[error("no signing key stayed long enough to sign")]
    NoSigner,
    /// A task that made a key ended before it was done.
    #[error("the task that makes a key has ended early")]
    Task(#[from] tokio::task::JoinError),
}
