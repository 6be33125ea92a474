//! Plans and their limits, in the words of SLAs: what is counted, per what, how much, in which
//! window.

use serde::{Deserialize, Serialize};

mod condition;
mod dimension;
mod faults;
mod network;
mod on_exceeding;

use crate::defaults::{is_default, is_yes, yes};
use crate::fault::Fault;
pub use crate::window::{Unit, Window};
pub use condition::{ADDRESSES_MAX, Condition, ENTRIES_MAX, ENTRY_BYTES_MAX, NAMES_MAX, Test};
pub use dimension::{Dimension, Per};
pub(crate) use faults::CREDENTIAL_FIELD;
pub use faults::{Owner, PLANS_MAX, is_credential_header, limit_faults};
pub use network::Network;
pub use on_exceeding::OnExceeding;

/// Name of the plan that limits calls without a credential. No subscription uses it.
pub const ANONYMOUS: &str = "anonymous";
/// Maximum number of limits of one plan.
pub const PLAN_LIMITS_MAX: usize = 32;
/// Maximum number of limits of one application, version, operation or upstream.
pub const LIMITS_MAX: usize = 16;
/// Maximum amount of a limit: what a counter's 48 bits hold.
pub const AMOUNT_MAX: u64 = (1 << 48) - 1;
/// Maximum amount of a `concurrent` limit.
pub const CONCURRENT_MAX: u64 = 1_000_000;
/// Maximum burst of a `gcra` limit.
pub const BURST_MAX: u64 = 1_000_000;
/// Maximum overage of a soft limit, percent of its amount.
pub const OVERAGE_PERCENT_MAX: u16 = 1_000;
/// Maximum length of a limit's name, bytes.
pub const NAME_BYTES_MAX: usize = 32;
/// Maximum `weight` of an operation.
pub const WEIGHT_MAX: u16 = 10_000;

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = LimitMetric))]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Calls.
    #[default]
    Requests,
    /// Calls, each as often as its operation's `weight`.
    Units,
    /// Body bytes from callers; `fixed` only.
    BytesIn,
    /// Body bytes to callers; `fixed` only.
    BytesOut,
    /// Body bytes in both directions; `fixed` only.
    Bytes,
    /// Calls at the same time; they have no window.
    Concurrent,
}

impl Metric {
    /// Returns the word of this metric, as in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Units => "units",
            Self::BytesIn => "bytes_in",
            Self::BytesOut => "bytes_out",
            Self::Bytes => "bytes",
            Self::Concurrent => "concurrent",
        }
    }
}

/// How a limit counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = LimitAlgorithm))]
#[serde(rename_all = "snake_case", tag = "type", deny_unknown_fields)]
pub enum Algorithm {
    /// Token bucket (GCRA): refills evenly, allows bursts of `burst` calls.
    Gcra {
        /// Maximum burst, in what the metric counts: 1 to 1,000,000.
        burst: u64,
    },
    /// Calendar-aligned windows, reset at each boundary.
    Fixed {
        /// IANA time zone for windows of a day and longer; default UTC.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        zone: Option<String>,
        /// Local date, such as `2026-01-31`, from which windows of a day and longer repeat in both
        /// directions: each begins at midnight, in months that are too short on their last day.
        /// By default days, months and years are counted from 1970-01-01, weeks from 1970-01-05, a
        /// Monday.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        anchor: Option<String>,
    },
    /// The window that ends now, in steps of a sixteenth; `requests` only.
    Rolling {},
}

/// What a soft limit admits beyond its amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SoftLimit))]
#[serde(deny_unknown_fields)]
pub struct Soft {
    /// Percentage of the amount that is admitted on top of it: 1 to 1,000.
    pub overage_percent: u16,
}

/// One limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Its name in `RateLimit-Policy`: 1 to 32 letters, digits, `-`, `_` and `.`; if absent, a
    /// name is made of what it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it counts.
    #[serde(default, skip_serializing_if = "is_default")]
    pub metric: Metric,
    /// Dimensions of the limit: which calls share one counter. Absent for limits of upstreams, and
    /// for them only.
    #[serde(default, skip_serializing_if = "Per::is_none")]
    pub per: Per,
    /// How much of the metric per window, or at the same time: 1 to 2^48 - 1; `concurrent`
    /// 1 to 1,000,000.
    pub amount: u64,
    /// The window; in answers in its shortest form. Absent for `concurrent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// How it counts; calendar-aligned UTC windows if absent.
    #[serde(default = "fixed")]
    pub algorithm: Algorithm,
    /// What it admits beyond the amount; `fixed` and `rolling` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft: Option<Soft>,
    /// What happens to calls that exceed it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub on_exceeding: OnExceeding,
    /// The calls that it applies to; all if absent.
    #[serde(default, rename = "if", skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    /// Whether it applies to the calls that no `if` of the same list matches, and only to them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub otherwise: bool,
    /// The plans that it applies to, by name; all if absent. For limits of operations only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plans: Option<Vec<String>>,
}

/// Returns the fault of an operation's weight, if any; the field is a JSON Pointer from the
/// operation.
pub(crate) fn weight_fault(weight: u16) -> Option<Fault> {
    let detail = format!("a weight must be 1 to {WEIGHT_MAX}");
    let is_valid = (1..=WEIGHT_MAX).contains(&weight);
    (!is_valid).then(|| Fault::new("/weight", "operation.weight", detail))
}

impl Limit {
    /// Creates a limit of so many requests per window, in calendar-aligned UTC windows.
    #[must_use]
    pub fn requests(per: Per, amount: u64, window: Window) -> Self {
        Self {
            name: None,
            metric: Metric::Requests,
            per,
            amount,
            window: Some(window),
            algorithm: fixed(),
            soft: None,
            on_exceeding: OnExceeding::Reject,
            condition: None,
            otherwise: false,
            plans: None,
        }
    }

    /// Returns the most that it admits: the amount, and the overage of a soft limit, rounded down.
    #[must_use]
    pub fn ceiling(&self) -> u64 {
        let overage = |soft: Soft| {
            let overage = u128::from(self.amount) * u128::from(soft.overage_percent) / 100;
            u64::try_from(overage).unwrap_or(u64::MAX)
        };
        self.amount.saturating_add(self.soft.map_or(0, overage))
    }
}

fn fixed() -> Algorithm {
    Algorithm::Fixed {
        zone: None,
        anchor: None,
    }
}

/// The terms of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PlanTerms {
    /// All limits apply; the strictest wins.
    #[serde(default)]
    pub limits: Vec<Limit>,
    /// Must be true for a plan without limits.
    #[serde(default)]
    pub unlimited: bool,
    /// Whether calls that fail count, as by default. If not, a call that ends with a status of 500
    /// or above, or with a failed upstream, gives back what the plan's limits on requests and units
    /// counted.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub count_failures: bool,
}

impl PlanTerms {
    /// Returns all faults in the terms; fields are JSON Pointers from the terms.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = limit_faults(&self.limits, Owner::Plan);
        if self.limits.is_empty() && !self.unlimited {
            let detail = "a plan needs a limit, or \"unlimited\": true";
            faults.push(Fault::new("/limits", "plan.no_limits", detail));
        }
        if !self.limits.is_empty() && self.unlimited {
            let detail = "a plan with limits cannot be unlimited";
            faults.push(Fault::new(
                "/unlimited",
                "plan.limits_and_unlimited",
                detail,
            ));
        }
        faults
    }
}

#[cfg(test)]
mod tests;
