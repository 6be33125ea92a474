//! Limits as gateways enforce them: windows as instants, rates as intervals, no time zones.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::calendar;
use crate::plan::{Algorithm, Limit, Per, Unit, Window};

/// Bits of a window's id in a counter's word; the other bits count requests.
pub const WINDOW_ID_BITS: u32 = 24;
/// 1970-01-05 was a Monday.
const FIRST_MONDAY_US: i64 = 4 * 86_400 * 1_000_000;
/// Calendar windows begin at a multiple of a quarter of an hour in every zone in use.
const QUARTER_US: i64 = 900 * 1_000_000;

/// One limit, compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedLimit {
    /// Dimension of the limit: which calls share one counter.
    pub per: Per,
    /// Requests per window.
    pub amount: u64,
    /// The window's name; part of the counter's identity.
    pub window: Window,
    /// The zone, if it is part of the counter's identity.
    pub zone: Option<String>,
    /// The local date from which its windows repeat; part of the counter's identity.
    pub anchor: Option<String>,
    /// How it counts.
    pub counting: Counting,
}

/// How a compiled limit counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counting {
    /// Token bucket.
    Gcra {
        /// Nanoseconds in which one call is replenished.
        interval_ns: u64,
        /// Maximum burst, calls.
        burst: u64,
    },
    /// Windows of one length, UTC.
    Every {
        /// Length in microseconds.
        length_us: i64,
        /// Beginning of window zero, Unix microseconds.
        anchor_us: i64,
    },
    /// Windows that begin at these instants (Unix microseconds, ascending).
    At(Vec<i64>),
}

/// The window that contains an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Distinguishes it from nearby windows; below 2^24.
    pub id: u32,
    /// Its end, Unix microseconds.
    pub end_us: i64,
}

impl ServedLimit {
    /// Compiles each of these limits like [`Self::compile`].
    #[must_use]
    pub fn compile_all(limits: &[Limit], now_us: i64) -> Vec<Self> {
        let compiled = limits.iter().map(|limit| Self::compile(limit, now_us));
        compiled.collect()
    }

    /// Compiles a limit; lists of calendar windows begin at `now_us` (Unix microseconds).
    #[must_use]
    pub fn compile(limit: &Limit, now_us: i64) -> Self {
        let served = |zone: &Option<String>, anchor: &Option<String>, counting| Self {
            per: limit.per,
            amount: limit.amount,
            window: limit.window,
            zone: zone.clone(),
            anchor: anchor.clone(),
            counting,
        };
        match &limit.algorithm {
            Algorithm::Gcra { burst } => {
                let interval_ns = limit.window.length_us() * 1_000 / limit.amount.max(1);
                let bucket = Counting::Gcra {
                    interval_ns: interval_ns.max(1),
                    burst: *burst,
                };
                served(&None, &None, bucket)
            }
            Algorithm::Fixed { zone, anchor } => {
                let date = anchor.as_deref().and_then(calendar::parse_date);
                let windows = fixed(limit.window, zone.as_deref(), date, now_us);
                served(zone, anchor, windows)
            }
        }
    }

    /// Returns whether its counter must survive a kill: windows and rates of an hour and longer.
    #[must_use]
    pub const fn is_long(&self) -> bool {
        self.window.length_us() >= Window::HOUR.length_us()
    }

    /// Returns the window that contains `now_us`; `None` for a token bucket, which has none.
    #[must_use]
    pub fn span(&self, now_us: i64) -> Option<Span> {
        match &self.counting {
            Counting::Gcra { .. } => None,
            Counting::Every {
                length_us,
                anchor_us,
            } => {
                let index = (now_us - anchor_us).div_euclid(*length_us);
                let end_us = anchor_us + (index + 1) * length_us;
                Some(Span {
                    id: window_id(index),
                    end_us,
                })
            }
            Counting::At(starts) => Some(listed(starts, now_us, self.window)),
        }
    }

    /// Returns the beginning of the window with this id, Unix microseconds: of all windows that
    /// share the id, the one nearest to `near_us`. `None` for a token bucket.
    #[must_use]
    pub fn start_us(&self, id: u32, near_us: i64) -> Option<i64> {
        const HALF: i64 = 1 << (WINDOW_ID_BITS - 1);
        let (unit_us, anchor_us) = match &self.counting {
            Counting::Gcra { .. } => return None,
            Counting::Every {
                length_us,
                anchor_us,
            } => (*length_us, *anchor_us),
            Counting::At(_) => (QUARTER_US, 0),
        };
        let near = (near_us - anchor_us).div_euclid(unit_us);
        let apart = (i64::from(id) - near + HALF).rem_euclid(2 * HALF) - HALF;
        Some(anchor_us + (near + apart) * unit_us)
    }
}

fn fixed(window: Window, zone: Option<&str>, anchor: Option<Date>, now_us: i64) -> Counting {
    let is_even = !matches!(window.unit(), Unit::Month | Unit::Year);
    if zone.is_none_or(|zone| zone == "UTC") && is_even {
        let length_us = i64::try_from(window.length_us()).expect("1,000 days fit");
        let anchor_us = match anchor {
            // Of the beginnings, the last one before 1970: numbers are never negative.
            Some(day) => -(-calendar::utc_midnight_us(day)).rem_euclid(length_us),
            None if window.unit() == Unit::Week => FIRST_MONDAY_US,
            None => 0,
        };
        return Counting::Every {
            length_us,
            anchor_us,
        };
    }
    Counting::At(calendar::boundaries(
        window,
        zone.unwrap_or("UTC"),
        anchor,
        now_us,
    ))
}

/// Returns the listed window that contains `now_us`; beyond the list, windows of the mean length
/// follow, for a gateway that was cut off for months.
fn listed(starts: &[i64], now_us: i64, window: Window) -> Span {
    let after = starts.partition_point(|&start| start <= now_us);
    let length_us = i64::try_from(window.length_us()).expect("a year fits");
    let (start, end_us) = match (
        after.checked_sub(1).and_then(|at| starts.get(at)),
        starts.get(after),
    ) {
        (Some(&start), Some(&end)) => (start, end),
        (Some(&last), None) => {
            let past = (now_us - last).div_euclid(length_us);
            (last + past * length_us, last + (past + 1) * length_us)
        }
        (None, Some(&first)) => (first - length_us, first),
        (None, None) => (now_us, now_us + length_us),
    };
    Span {
        id: window_id(start.div_euclid(QUARTER_US)),
        end_us,
    }
}

fn window_id(index: i64) -> u32 {
    u32::try_from(index.rem_euclid(1 << WINDOW_ID_BITS)).expect("24 bits")
}

#[cfg(test)]
mod tests;
