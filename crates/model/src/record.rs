//! The record of one call: ids and numbers, of fixed size, so recording allocates nothing.

mod parts;

use crate::agent::Agent;
use crate::credential::{CredentialId, CredentialKind};
use crate::id::{ApiId, ApplicationId, OperationId, PlanId, RevisionId, VersionId};
use crate::operation::Method;
use crate::refusal::Refusal;

pub use parts::{Answered, Flags, Owner, RefusedBy, ShortTime};

/// The record of one call that reached `route`. The default is a call without any details.
///
/// It is at most 144 bytes: every call copies it into the ring of its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Record {
    /// Arrival time of its head, Unix microseconds.
    pub at_us: i64,
    /// Its number among the requests of its worker; see [`request_id`].
    pub number: u64,
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
    /// The plan of its subscription, or the plan `anonymous`, once `authorize` found it.
    pub plan: Option<PlanId>,
    /// The raw id of the credential that it used, 0 for none; see [`Record::credential`].
    pub credential: i64,
    /// Body bytes from the caller.
    pub bytes_in: u64,
    /// Body bytes to the caller.
    pub bytes_out: u64,
    /// The caller's address; IPv4 as IPv4-mapped.
    pub address: [u8; 16],
    /// Microseconds from the head's arrival to the last byte.
    pub total_us: u32,
    /// Microseconds from the head's arrival until the request was sent to the upstream; 0 without
    /// an upstream.
    pub before_us: u32,
    /// Microseconds from sending the request to the upstream's first byte; 0 without an upstream.
    pub upstream_us: u32,
    /// Microseconds spent running steps of policies, in both directions, at most 65,535; 0 without
    /// steps.
    pub mediate_us: u16,
    /// Status sent to the caller; 0 if the caller disconnected before one was sent.
    pub status: u16,
    /// Status of the upstream's response; 0 without one.
    pub upstream_status: u16,
    /// The program that called.
    pub agent: Agent,
    /// The limit or the step of a policy that refused it, if one did.
    pub refused_by: Option<RefusedBy>,
    /// How long `authenticate` took; known of some calls only.
    pub authenticate: ShortTime,
    /// How long `admit` took; known of the same calls.
    pub admit: ShortTime,
    /// Why it was refused, if it was; or why the gateway cut its response after sending the status.
    pub refusal: Option<Refusal>,
    /// The kind of the credential.
    pub credential_kind: Option<CredentialKind>,
    /// Where its response came from, and what the cache did.
    pub answered: Answered,
    /// Whether it was cut, and other marks.
    pub flags: Flags,
    /// Its method, if operations can have that, once `route` found the version.
    pub method: Option<Method>,
}

impl Record {
    /// Returns the credential that the call used; if it used several, the first.
    #[must_use]
    pub fn credential(&self) -> Option<CredentialId> {
        let kind = self.credential_kind?;
        Some(CredentialId::from_parts(kind, self.credential))
    }

    /// Sets the credential.
    pub fn set_credential(&mut self, credential: CredentialId) {
        let (kind, raw) = credential.parts();
        (self.credential_kind, self.credential) = (Some(kind), raw);
    }
}

/// Returns the id of a request, as in `X-Request-Id`: the number of its worker, which is random,
/// and its own number in that worker, mixed so that neighbours look unrelated. No two are equal.
#[must_use]
pub fn request_id(worker: u64, number: u64) -> u128 {
    u128::from(worker) << 64 | u128::from(mixed(number))
}

/// Returns the number of the worker and that of the request in it: the inverse of [`request_id`].
#[must_use]
pub const fn request_parts(id: u128) -> (u64, u64) {
    ((id >> 64) as u64, unmixed(id as u64))
}

/// The factors of [`mixed`], odd and so invertible.
const FACTORS: [u64; 3] = [
    0x9e37_79b9_7f4a_7c15,
    0xbf58_476d_1ce4_e5b9,
    0x94d0_49bb_1331_11eb,
];

/// A bijection of 64 bits (Steele, Lea, Flood: SplitMix64).
const fn mixed(count: u64) -> u64 {
    let one = count.wrapping_mul(FACTORS[0]);
    let two = (one ^ (one >> 30)).wrapping_mul(FACTORS[1]);
    let three = (two ^ (two >> 27)).wrapping_mul(FACTORS[2]);
    three ^ (three >> 31)
}

/// The inverse of [`mixed`].
const fn unmixed(number: u64) -> u64 {
    let two = unshifted(number, 31).wrapping_mul(inverse(FACTORS[2]));
    let one = unshifted(two, 27).wrapping_mul(inverse(FACTORS[1]));
    unshifted(one, 30).wrapping_mul(inverse(FACTORS[0]))
}

/// The inverse of `number ^ (number >> by)`, for shifts of at least 22.
const fn unshifted(number: u64, by: u32) -> u64 {
    number ^ (number >> by) ^ (number >> (2 * by))
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration: each step doubles the bits that
/// are right, of which the number itself has three.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut right = 3;
    while right < u64::BITS {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        right *= 2;
    }
    inverse
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

impl AnsweredBy {
    /// Every value.
    pub const ALL: [Self; 5] = [
        Self::Gateway,
        Self::Upstream,
        Self::Policy,
        Self::Mock,
        Self::Preflight,
    ];

    /// Returns the word of this value, as in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Upstream => "upstream",
            Self::Policy => "policy",
            Self::Mock => "mock",
            Self::Preflight => "preflight",
        }
    }
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
