//! The faults of windows, algorithms and overages.

use crate::calendar;
use crate::fault::Fault;
use crate::plan::{
    AMOUNT_MAX, Algorithm, BURST_MAX, Limit, Metric, OVERAGE_PERCENT_MAX, OnExceeding, Window,
    fixed,
};
use crate::window;

/// Maximum length of a rolling window, microseconds.
const ROLLING_US_MAX: u64 = 366 * Window::DAY.length_us();

pub(super) fn window_fault(limit: &Limit) -> Option<Fault> {
    let detail = match (limit.window, &limit.algorithm) {
        (Some(_), _) if limit.metric == Metric::Concurrent => {
            "\"concurrent\" counts calls at the same time, without a window"
        }
        (None, _) if limit.metric == Metric::Concurrent => return None,
        (None, _) => "missing: every metric but \"concurrent\" has a window, such as \"minute\"",
        (Some(window), _) if !window.is_valid() => window::FORMS,
        (Some(window), Algorithm::Rolling {}) if window.length_us() > ROLLING_US_MAX => {
            "a rolling window has at most 366 days"
        }
        _ => return None,
    };
    Some(Fault::new("/window", "limit.window", detail))
}

pub(super) fn algorithm_faults(limit: &Limit) -> Vec<Fault> {
    let metric_fault = |detail| vec![Fault::new("/algorithm", "limit.metric", detail)];
    match (&limit.algorithm, limit.metric) {
        (algorithm, Metric::Concurrent) if *algorithm != fixed() => {
            metric_fault("\"concurrent\" counts calls at the same time: leave the algorithm out")
        }
        (
            Algorithm::Gcra { .. } | Algorithm::Rolling {},
            Metric::BytesIn | Metric::BytesOut | Metric::Bytes,
        ) => metric_fault("bytes are counted by \"fixed\" only"),
        (Algorithm::Rolling {}, Metric::Units) => {
            metric_fault("\"rolling\" counts \"requests\" only")
        }
        (Algorithm::Gcra { burst }, _) if !(1..=BURST_MAX).contains(burst) => {
            let detail = format!("a burst must be 1 to {BURST_MAX}");
            vec![Fault::new("/algorithm/burst", "limit.burst", detail)]
        }
        (Algorithm::Gcra { .. } | Algorithm::Rolling {}, _) => Vec::new(),
        (Algorithm::Fixed { zone, anchor }, _) => {
            let zone = zone_fault(limit.window, zone.as_deref()).into_iter();
            let anchor = anchor_fault(limit.window, anchor.as_deref());
            zone.chain(anchor).collect()
        }
    }
}

pub(super) fn soft_fault(limit: &Limit) -> Option<Fault> {
    let soft = limit.soft?;
    let detail = match (limit.metric, &limit.algorithm, limit.on_exceeding) {
        (Metric::Concurrent, ..) => "\"concurrent\" has no overage".to_owned(),
        (_, Algorithm::Gcra { .. }, _) => "a \"gcra\" limit has a burst, not an overage".to_owned(),
        (.., OnExceeding::Observe) => {
            "a limit that only observes refuses nothing, so it cannot be soft".to_owned()
        }
        _ if !(1..=OVERAGE_PERCENT_MAX).contains(&soft.overage_percent) => {
            let detail = format!("an overage must be 1 to {OVERAGE_PERCENT_MAX} percent");
            return Some(Fault::new("/soft/overage_percent", "limit.soft", detail));
        }
        _ if limit.amount <= AMOUNT_MAX && limit.ceiling() > AMOUNT_MAX => {
            format!("amount and overage together must be at most {AMOUNT_MAX}")
        }
        _ => return None,
    };
    Some(Fault::new("/soft", "limit.soft", detail))
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
