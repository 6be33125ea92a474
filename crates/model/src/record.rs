//! What happened in one call: ids and numbers, of fixed size, so that noting it allocates nothing.

use crate::credential::CredentialId;
use crate::id::{ApiId, ApplicationId, OperationId, RevisionId, SubscriptionId, VersionId};
use crate::refusal::Refusal;

/// The record of one call that reached `route`. The default is a call of which nothing is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct Record {
    /// Unix microseconds when its head had arrived.
    pub at_us: i64,
    /// The request id, as in `X-Request-Id`.
    pub request: u128,
    /// The API, once `route` knew it.
    pub api: Option<ApiId>,
    /// The version, once `route` knew it.
    pub version: Option<VersionId>,
    /// The revision that served it.
    pub revision: Option<RevisionId>,
    /// The operation, once `route` knew it.
    pub operation: Option<OperationId>,
    /// The caller, once `authenticate` knew it; none of an anonymous call.
    pub application: Option<ApplicationId>,
    /// The credential that it used; where it used several, the first.
    pub credential: Option<CredentialId>,
    /// The subscription, once `authorize` knew it.
    pub subscription: Option<SubscriptionId>,
    /// Status sent to the caller; 0 where the caller left before one was sent.
    pub status: u16,
    /// Why it was refused, if it was; or why the gateway cut its answer, whose status was sent.
    pub refusal: Option<Refusal>,
    /// Whether the exchange ended before its last byte.
    pub is_cut: bool,
    /// Whether a SOAP message did not agree with itself or its contract and went on nevertheless:
    /// an action of a call names another operation, or its body has not the very name of its
    /// operation; an answer has something that the contract does not know, or in another namespace.
    pub is_mismatched: bool,
    /// Microseconds from the head's arrival to the last byte.
    pub total_us: u32,
    /// Microseconds from sending the request to the upstream's first byte; 0 without an upstream.
    pub upstream_us: u32,
    /// Body bytes from the caller.
    pub bytes_in: u64,
    /// Body bytes to the caller.
    pub bytes_out: u64,
    /// The caller's address; IPv4 as IPv4-mapped.
    pub address: [u8; 16],
}

/// Calls that were counted although the queue of records had no room for their detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Overflow {
    /// Unix microseconds of the beginning of the calls' minute.
    pub minute_us: i64,
    /// The API, if `route` knew it.
    pub api: Option<ApiId>,
    /// The version, if `route` knew it.
    pub version: Option<VersionId>,
    /// Status sent to the callers.
    pub status: u16,
    /// How many.
    pub calls: u64,
}
