//! The record of one call: ids and numbers, of fixed size, so recording allocates nothing.

use crate::credential::CredentialId;
use crate::id::{ApiId, ApplicationId, OperationId, RevisionId, SubscriptionId, VersionId};
use crate::refusal::Refusal;

/// The record of one call that reached `route`. The default is a call without any details.
#[derive(Debug, Clone, Copy, Default)]
pub struct Record {
    /// Arrival time of its head, Unix microseconds.
    pub at_us: i64,
    /// The request id, as in `X-Request-Id`.
    pub request: u128,
    /// The API, once `route` found it.
    pub api: Option<ApiId>,
    /// The version, once `route` found it.
    pub version: Option<VersionId>,
    /// The revision that served it.
    pub revision: Option<RevisionId>,
    /// The operation, once `route` found it.
    pub operation: Option<OperationId>,
    /// The caller, once `authenticate` identified it; `None` for an anonymous call.
    pub application: Option<ApplicationId>,
    /// The credential that it used; if it used several, the first.
    pub credential: Option<CredentialId>,
    /// The subscription, once `authorize` found it.
    pub subscription: Option<SubscriptionId>,
    /// Status sent to the caller; 0 if the caller disconnected before one was sent.
    pub status: u16,
    /// Why it was refused, if it was; or why the gateway cut its response after sending the status.
    pub refusal: Option<Refusal>,
    /// Where its response came from.
    pub answered_by: AnsweredBy,
    /// What the cache of responses did.
    pub cache: CacheUse,
    /// Whether the exchange ended before its last byte.
    pub is_cut: bool,
    /// Whether a SOAP message that does not match itself or its contract was passed on
    /// nevertheless: the action of a call names another operation, or its body is not exactly named
    /// like its operation; a response has an element that the contract does not know, or in another
    /// namespace. Or a location was left out of a response, since it might lead out of the version.
    pub is_mismatched: bool,
    /// Whether it was admitted although it exceeded a limit: the amount of a soft one, or one that
    /// only observes.
    pub is_over: bool,
    /// Microseconds from the head's arrival to the last byte.
    pub total_us: u32,
    /// Microseconds from sending the request to the upstream's first byte; 0 without an upstream.
    pub upstream_us: u32,
    /// Microseconds spent running steps of policies, in both directions, at most 65,535; 0 without
    /// steps.
    pub mediate_us: u16,
    /// Body bytes from the caller.
    pub bytes_in: u64,
    /// Body bytes to the caller.
    pub bytes_out: u64,
    /// The caller's address; IPv4 as IPv4-mapped.
    pub address: [u8; 16],
}

/// Where a response came from. The values are below 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum AnsweredBy {
    /// The gateway itself: refusals, in whatever form, and documents. Also if the exchange ended
    /// before a response began.
    #[default]
    Gateway,
    /// The upstream, whether steps or transforms changed its response or not, and whether it was
    /// stored or not: see [`CacheUse`].
    Upstream,
    /// A step `respond`.
    Policy,
    /// A step `mock`.
    Mock,
    /// The gateway, to a preflight that it allowed.
    Preflight,
}

/// What the cache of responses did for a call. The values are below 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum CacheUse {
    /// Nothing: the operation has none, or the call did not get that far.
    #[default]
    None,
    /// It had no response for the call.
    Miss,
    /// It sent a fresh response.
    Hit,
    /// It sent a response after its expiry.
    Stale,
    /// It sent a response after its expiry, which the upstream confirmed.
    Revalidated,
    /// The call went by it.
    Bypass,
}

impl CacheUse {
    /// Every value.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::Miss,
        Self::Hit,
        Self::Stale,
        Self::Revalidated,
        Self::Bypass,
    ];

    /// Returns the word of this value, as in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Miss => "miss",
            Self::Hit => "hit",
            Self::Stale => "stale",
            Self::Revalidated => "revalidated",
            Self::Bypass => "bypass",
        }
    }
}

/// Calls that were only counted, because the queue of records had no room for their details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Overflow {
    /// Beginning of the calls' minute, Unix microseconds.
    pub minute_us: i64,
    /// The API, if `route` found it.
    pub api: Option<ApiId>,
    /// The version, if `route` found it.
    pub version: Option<VersionId>,
    /// Status sent to the callers.
    pub status: u16,
    /// Number of calls.
    pub calls: u64,
}

#[cfg(test)]
mod tests;
