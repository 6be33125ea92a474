//! The faults of limits, all of them at once.

use crate::calendar;
use crate::fault::Fault;
use crate::plan::{
    AMOUNT_MAX, Algorithm, BURST_MAX, CONCURRENT_MAX, Dimension, LIMITS_MAX, Limit, Metric,
    PLAN_LIMITS_MAX, Window,
};
use crate::window;

/// What limits belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A plan: limits on any dimension.
    Plan,
    /// An application, by itself and others.
    Application,
    /// A version, by itself and others.
    Version,
    /// An operation, by itself and others.
    Operation,
    /// An upstream: limits on no dimension.
    Upstream,
}

impl Owner {
    /// The dimension that its limits must have.
    const fn dimension(self) -> Option<Dimension> {
        match self {
            Self::Application => Some(Dimension::Application),
            Self::Version => Some(Dimension::Api),
            Self::Operation => Some(Dimension::Operation),
            Self::Plan | Self::Upstream => None,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Plan => "a plan",
            Self::Application => "an application",
            Self::Version => "a version",
            Self::Operation => "an operation",
            Self::Upstream => "an upstream",
        }
    }
}

/// Returns all faults in a list of limits; fields begin with `/limits`.
pub(super) fn of_list(limits: &[Limit], owner: Owner) -> Vec<Fault> {
    let mut faults = Vec::new();
    let limits_max = match owner {
        Owner::Plan => PLAN_LIMITS_MAX,
        _ => LIMITS_MAX,
    };
    if limits.len() > limits_max {
        let detail = format!("at most {limits_max} limits");
        faults.push(Fault::new("/limits", "limit.too_many", detail));
    }
    for (index, limit) in limits.iter().enumerate() {
        let prefix = format!("/limits/{index}");
        let own = of_one(limit, owner).into_iter();
        faults.extend(own.map(|fault| fault.under(&prefix)));
        if limits[..index].iter().any(|other| is_same(limit, other)) {
            let detail = "another limit counts the same thing in the same window";
            faults.push(Fault::new(prefix, "limit.repeated", detail));
        }
    }
    faults
}

/// Whether two limits have the same counters.
fn is_same(limit: &Limit, other: &Limit) -> bool {
    let is_valid = limit.window.is_none_or(Window::is_valid) && limit.per.is_valid();
    is_valid
        && other.metric == limit.metric
        && other.per == limit.per
        && other.window == limit.window
        && std::mem::discriminant(&other.algorithm) == std::mem::discriminant(&limit.algorithm)
        && other.condition.as_ref().map(super::Condition::canonical)
            == limit.condition.as_ref().map(super::Condition::canonical)
        && other.otherwise == limit.otherwise
}

/// Returns the faults of a limit on its own; fields are JSON Pointers from the limit.
fn of_one(limit: &Limit, owner: Owner) -> Vec<Fault> {
    let mut faults = Vec::new();
    faults.extend(per_fault(limit, owner));
    let amount_max = match limit.metric {
        Metric::Concurrent => CONCURRENT_MAX,
        _ => AMOUNT_MAX,
    };
    if !(1..=amount_max).contains(&limit.amount) {
        let detail = format!("an amount must be 1 to {amount_max}");
        faults.push(Fault::new("/amount", "limit.amount", detail));
    }
    if !limit.window.is_some_and(Window::is_valid) && limit.metric != Metric::Concurrent {
        faults.push(Fault::new("/window", "limit.window", window::FORMS));
    }
    match &limit.algorithm {
        Algorithm::Gcra { burst } if !(1..=BURST_MAX).contains(burst) => {
            let detail = format!("a burst must be 1 to {BURST_MAX}");
            faults.push(Fault::new("/algorithm/burst", "limit.burst", detail));
        }
        Algorithm::Gcra { .. } | Algorithm::Rolling {} => {}
        Algorithm::Fixed { zone, anchor } => {
            faults.extend(zone_fault(limit.window, zone.as_deref()));
            faults.extend(anchor_fault(limit.window, anchor.as_deref()));
        }
    }
    faults
}

fn per_fault(limit: &Limit, owner: Owner) -> Option<Fault> {
    let detail = match owner.dimension() {
        Some(own) if !limit.per.has(own) => {
            let (owner, word) = (owner.words(), own.word());
            format!("{owner}'s own limit must be per {word:?}; others belong to plans")
        }
        _ => return None,
    };
    Some(Fault::new("/per", "limit.per", detail))
}

/// Returns the fault of a zone; windows that are not valid have none of their own.
fn zone_fault(window: Option<Window>, zone: Option<&str>) -> Option<Fault> {
    let zone = zone?;
    let (code, detail) = if window.is_some_and(is_below_a_day) {
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
fn anchor_fault(window: Option<Window>, anchor: Option<&str>) -> Option<Fault> {
    let anchor = anchor?;
    let detail = if window.is_some_and(is_below_a_day) {
        format!("{anchor:?} has no meaning for a window below a day")
    } else if calendar::parse_date(anchor).is_none() {
        format!("{anchor:?} is not a date such as \"2026-01-31\"")
    } else {
        return None;
    };
    Some(Fault::new("/algorithm/anchor", "limit.anchor", detail))
}

fn is_below_a_day(window: Window) -> bool {
    window.is_valid() && !window.is_calendar()
}
