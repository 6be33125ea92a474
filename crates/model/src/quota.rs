//! What is used of limits, as gateways report it.

use crate::credential::Environment;
use crate::id::{ApplicationId, OperationId, PlanId, VersionId};
use crate::limit::ServedLimit;
use crate::record::RefusedBy;

/// What limits are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The limits of a subscription: those of its plan and of its application.
    Subscription(ApplicationId, VersionId),
    /// The limits of a version, of its operations and its upstreams.
    Version(VersionId),
}

/// A limit that a gateway enforces, and what is used of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    /// What it belongs to.
    pub owner: QuotaOwner,
    /// The kind of that, and the index of the limit there.
    pub place: RefusedBy,
    /// Its name in the `RateLimit` fields.
    pub name: String,
    /// The limit.
    pub limit: ServedLimit,
    /// What is used of it.
    pub consumption: QuotaUse,
}

/// What a limit belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuotaOwner {
    /// The application: its own limits, and those of its subscriptions.
    pub application: Option<ApplicationId>,
    /// The version: its own limits, and those of its subscriptions, operations and upstreams.
    pub version: Option<VersionId>,
    /// The operation.
    pub operation: Option<OperationId>,
    /// The plan of the subscription, or the plan `anonymous`.
    pub plan: Option<PlanId>,
    /// The environment of the upstream.
    pub environment: Option<Environment>,
}

/// What is used of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaUse {
    /// It has one counter.
    Counter {
        /// What is used, in what the metric counts.
        used: u64,
        /// What can be used: the limit's amount, or the burst of a token bucket.
        amount: u64,
        /// When nothing of it is used any more, unless calls go on, Unix microseconds; `None` for
        /// calls at the same time, and where nothing is used of a bucket or a rolling window.
        resets_us: Option<i64>,
    },
    /// It has a counter for each of those that it counts apart, such as users and addresses.
    Counters(usize),
}
