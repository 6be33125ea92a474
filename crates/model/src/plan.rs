//! Plans and their limits, in the words of SLAs: what is counted, per what, how much, in which
//! window.

use serde::{Deserialize, Serialize};

use crate::calendar;
use crate::fault::Fault;
use crate::window;
pub use crate::window::{Unit, Window};

/// Name of the plan that limits calls without a credential. No subscription uses it.
pub const ANONYMOUS: &str = "anonymous";
/// Maximum number of limits of one plan, application or version.
pub const LIMITS_MAX: usize = 16;
/// Maximum amount of a limit: what a counter's 48 bits hold.
pub const AMOUNT_MAX: u64 = (1 << 48) - 1;
/// Maximum burst of a `gcra` limit.
pub const BURST_MAX: u64 = 1_000_000;

/// Dimension of the limit: which calls share one counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Per {
    /// Each subscription has its own counter.
    Subscription,
    /// Each application has its own counter, across all its calls.
    Application,
    /// All callers of the API's version share one.
    Api,
    /// All callers of one operation share one.
    Operation,
}

impl Per {
    /// Returns the word of this dimension, as in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Subscription => "subscription",
            Self::Application => "application",
            Self::Api => "api",
            Self::Operation => "operation",
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
        /// Maximum burst, calls: 1 to 1,000,000.
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
}

/// One limit on the number of requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Dimension of the limit: which calls share one counter.
    pub per: Per,
    /// Requests per window: 1 to 2^48 - 1.
    pub amount: u64,
    /// The window; in answers in its shortest form.
    pub window: Window,
    /// How it counts; calendar-aligned UTC windows if absent.
    #[serde(default = "fixed")]
    pub algorithm: Algorithm,
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
}

impl PlanTerms {
    /// Returns all faults in the terms; fields are JSON Pointers from the terms.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = limit_faults(&self.limits);
        for (index, limit) in self.limits.iter().enumerate() {
            if limit.per == Per::Operation {
                let detail = "a limit per operation belongs to the operation, not to a plan";
                let field = format!("/limits/{index}/per");
                faults.push(Fault::new(field, "limit.per", detail));
            }
        }
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

/// Returns all faults in the limits that an application or a version has of its own, apart from any
/// plan; fields begin with `/limits`. All of them must count `per` their owner.
#[must_use]
pub fn own_limit_faults(limits: &[Limit], per: Per) -> Vec<Fault> {
    let mut faults = limit_faults(limits);
    let owner = match per {
        Per::Subscription => "a subscription",
        Per::Application => "an application",
        Per::Api => "a version",
        Per::Operation => "an operation",
    };
    for (index, limit) in limits.iter().enumerate() {
        if limit.per != per {
            let word = per.word();
            let detail =
                format!("{owner}'s own limit must be per {word:?}; others belong to plans");
            let field = format!("/limits/{index}/per");
            faults.push(Fault::new(field, "limit.per", detail));
        }
    }
    faults
}

/// Returns all faults in a list of limits; fields begin with `/limits`.
fn limit_faults(limits: &[Limit]) -> Vec<Fault> {
    let mut faults = Vec::new();
    if limits.len() > LIMITS_MAX {
        let detail = format!("at most {LIMITS_MAX} limits");
        faults.push(Fault::new("/limits", "limit.too_many", detail));
    }
    for (index, limit) in limits.iter().enumerate() {
        let prefix = format!("/limits/{index}");
        let own = faults_of_one(limit).into_iter();
        faults.extend(own.map(|fault| fault.under(&prefix)));
        let is_same = |other: &Limit| {
            other.per == limit.per
                && other.window == limit.window
                && std::mem::discriminant(&other.algorithm)
                    == std::mem::discriminant(&limit.algorithm)
        };
        if limit.window.is_valid() && limits[..index].iter().any(is_same) {
            let detail = "another limit counts the same thing in the same window";
            faults.push(Fault::new(prefix, "limit.repeated", detail));
        }
    }
    faults
}

/// Returns the faults of a limit on its own; fields are JSON Pointers from the limit.
fn faults_of_one(limit: &Limit) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !(1..=AMOUNT_MAX).contains(&limit.amount) {
        let detail = format!("an amount must be 1 to {AMOUNT_MAX}");
        faults.push(Fault::new("/amount", "limit.amount", detail));
    }
    if !limit.window.is_valid() {
        faults.push(Fault::new("/window", "limit.window", window::FORMS));
    }
    match &limit.algorithm {
        Algorithm::Gcra { burst } if !(1..=BURST_MAX).contains(burst) => {
            let detail = format!("a burst must be 1 to {BURST_MAX}");
            faults.push(Fault::new("/algorithm/burst", "limit.burst", detail));
        }
        Algorithm::Gcra { .. } => {}
        Algorithm::Fixed { zone, anchor } => {
            faults.extend(zone_fault(limit.window, zone.as_deref()));
            faults.extend(anchor_fault(limit.window, anchor.as_deref()));
        }
    }
    faults
}

/// Returns the fault of a zone; windows that are not valid have none of their own.
fn zone_fault(window: Window, zone: Option<&str>) -> Option<Fault> {
    let zone = zone?;
    let (code, detail) = if window.is_valid() && !window.is_calendar() {
        let detail = format!("{zone:?} has no meaning for a window below a day");
        ("limit.zone_unused", detail)
    } else if !calendar::zone_known(zone) {
        let detail = format!("{zone:?} is not a time zone of the IANA database");
        ("limit.zone_unknown", detail)
    } else {
        return None;
    };
    Some(Fault::new("/algorithm/zone", code, detail))
}

/// Returns the fault of an anchor; windows that are not valid have none of their own.
fn anchor_fault(window: Window, anchor: Option<&str>) -> Option<Fault> {
    let anchor = anchor?;
    let detail = if window.is_valid() && !window.is_calendar() {
        format!("{anchor:?} has no meaning for a window below a day")
    } else if calendar::parse_date(anchor).is_none() {
        format!("{anchor:?} is not a date such as \"2026-01-31\"")
    } else {
        return None;
    };
    Some(Fault::new("/algorithm/anchor", "limit.anchor", detail))
}

#[cfg(test)]
mod tests;
