//! Limits as gateways enforce them: windows as instants, rates as intervals, no time zones.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::calendar::{self, Boundaries};
use crate::plan::{Algorithm, Condition, Limit, Metric, OnExceeding, Per, Soft, Unit, Window};
pub use crate::window::INDEX_MAX;

/// 1970-01-05 was a Monday.
const FIRST_MONDAY_US: i64 = 4 * 86_400 * 1_000_000;

/// One limit, compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedLimit {
    /// Its name, if it has one of its own.
    pub name: Option<String>,
    /// What it counts.
    pub metric: Metric,
    /// Dimensions of the limit: which calls share one counter.
    pub per: Per,
    /// How much of the metric per window, or at the same time.
    pub amount: u64,
    /// The most that it admits: the amount, or more if it is soft.
    pub ceiling: u64,
    /// Whether calls that exceed it are admitted all the same.
    pub observes: bool,
    /// The calls that it applies to.
    pub applies: Applies,
    /// The plans that it applies to, by name, sorted; `None` for all.
    pub plans: Option<Vec<String>>,
    /// The window's name, part of the counter's identity; `None` for [`Counting::Places`].
    pub window: Option<Window>,
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
    /// Token bucket that earns the limit's amount back evenly in the length of its window.
    Gcra {
        /// The length, nanoseconds.
        length_ns: u64,
        /// Maximum burst, in what the metric counts.
        burst: u64,
    },
    /// Windows of one length, UTC.
    Every {
        /// Length in microseconds.
        length_us: i64,
        /// Beginning of window zero, Unix microseconds.
        anchor_us: i64,
    },
    /// Windows of different lengths.
    At {
        /// The index of the first window.
        first: u32,
        /// The beginnings of the windows, Unix microseconds, ascending.
        starts: Vec<i64>,
    },
    /// The window of this length that ends now.
    Rolling {
        /// Length in microseconds.
        length_us: i64,
    },
    /// Calls at the same time.
    Places,
}

/// The calls that a limit applies to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Applies {
    /// All.
    Always,
    /// Those that match, in canonical form.
    If(Condition),
    /// Those that no condition of the same list matches.
    Otherwise,
}

/// One window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its index, at most [`INDEX_MAX`]. Windows are counted from 1970-01-01, weeks from
    /// 1970-01-05; with an anchor, from the window that contains 1970-01-01. Windows of a second
    /// reach the maximum in 2106.
    pub index: u32,
    /// Its beginning, Unix microseconds.
    pub start_us: i64,
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
        let window = limit.window.unwrap_or(Window::MINUTE);
        let (zone, anchor, counting) = match &limit.algorithm {
            _ if limit.metric == Metric::Concurrent => (None, None, Counting::Places),
            Algorithm::Gcra { burst } => {
                let bucket = Counting::Gcra {
                    length_ns: window.length_us() * 1_000,
                    burst: *burst,
                };
                (None, None, bucket)
            }
            Algorithm::Rolling {} => {
                let length_us = length_us(window);
                (None, None, Counting::Rolling { length_us })
            }
            Algorithm::Fixed { zone, anchor } => {
                let date = anchor.as_deref().and_then(calendar::parse_date);
                let windows = fixed(window, zone.as_deref(), date, now_us);
                (zone.clone(), anchor.clone(), windows)
            }
        };
        Self {
            name: limit.name.clone(),
            metric: limit.metric,
            per: limit.per,
            amount: limit.amount,
            ceiling: limit.ceiling(),
            observes: limit.on_exceeding == OnExceeding::Observe,
            applies: match &limit.condition {
                Some(condition) => Applies::If(condition.canonical()),
                None if limit.otherwise => Applies::Otherwise,
                None => Applies::Always,
            },
            plans: limit.plans.clone().map(|mut plans| {
                plans.sort_unstable();
                plans
            }),
            window: (limit.metric != Metric::Concurrent).then_some(window),
            zone,
            anchor,
            counting,
        }
    }

    /// Returns the limit that it was compiled from, with its defaults: compiled again, it is the
    /// same.
    #[must_use]
    pub fn source(&self) -> Limit {
        let algorithm = match self.counting {
            Counting::Gcra { burst, .. } => Algorithm::Gcra { burst },
            Counting::Rolling { .. } => Algorithm::Rolling {},
            Counting::Every { .. } | Counting::At { .. } | Counting::Places => Algorithm::Fixed {
                zone: self.zone.clone(),
                anchor: self.anchor.clone(),
            },
        };
        Limit {
            name: self.name.clone(),
            metric: self.metric,
            per: self.per,
            amount: self.amount,
            window: self.window,
            algorithm,
            soft: self.soft(),
            on_exceeding: match self.observes {
                true => OnExceeding::Observe,
                false => OnExceeding::Reject,
            },
            condition: match &self.applies {
                Applies::If(condition) => Some(condition.clone()),
                Applies::Always | Applies::Otherwise => None,
            },
            otherwise: self.applies == Applies::Otherwise,
            plans: self.plans.clone(),
        }
    }

    /// The smallest overage with its ceiling: that of its source, unless the amount is below 100.
    fn soft(&self) -> Option<Soft> {
        let overage = u128::from(self.ceiling.saturating_sub(self.amount)) * 100;
        let percent = overage.div_ceil(u128::from(self.amount.max(1)));
        let overage_percent = u16::try_from(percent).unwrap_or(u16::MAX);
        (overage_percent > 0).then_some(Soft { overage_percent })
    }

    /// Returns whether its counter must survive a kill: windows and rates of an hour and longer.
    #[must_use]
    pub const fn is_long(&self) -> bool {
        match self.window {
            Some(window) => window.length_us() >= Window::HOUR.length_us(),
            None => false,
        }
    }

    /// Returns the window that contains `now_us`; `None` for what has no windows with an index.
    #[must_use]
    pub fn span(&self, now_us: i64) -> Option<Span> {
        match &self.counting {
            Counting::Gcra { .. } | Counting::Rolling { .. } | Counting::Places => None,
            Counting::Every {
                length_us,
                anchor_us,
            } => {
                let number = (now_us - anchor_us).div_euclid(*length_us);
                let start_us = anchor_us + number * length_us;
                Some(Span {
                    index: index(number),
                    start_us,
                    end_us: start_us + length_us,
                })
            }
            Counting::At { first, starts } => {
                let place = place(starts, now_us, self.mean_us());
                Some(self.listed(*first, starts, place))
            }
        }
    }

    /// Returns the window with this index; `None` for what has no windows with an index.
    #[must_use]
    pub fn numbered(&self, index: u32) -> Option<Span> {
        match &self.counting {
            Counting::Gcra { .. } | Counting::Rolling { .. } | Counting::Places => None,
            Counting::Every {
                length_us,
                anchor_us,
            } => {
                let start_us = length_us.saturating_mul(index.into());
                let start_us = start_us.saturating_add(*anchor_us);
                Some(Span {
                    index,
                    start_us,
                    end_us: start_us.saturating_add(*length_us),
                })
            }
            Counting::At { first, starts } => {
                let place = i64::from(index) - i64::from(*first);
                Some(self.listed(*first, starts, place))
            }
        }
    }

    /// Returns the window at a place of the list; before and after the list, windows have their
    /// mean length, for a gateway that was cut off for months.
    fn listed(&self, first: u32, starts: &[i64], place: i64) -> Span {
        let start = |place: i64| starts.get(usize::try_from(place).ok()?).copied();
        let (start_us, end_us) = match (start(place), start(place + 1)) {
            (Some(start_us), Some(end_us)) => (start_us, end_us),
            (None, Some(end_us)) => (end_us - self.mean_us(), end_us),
            (start_us, None) => {
                let (last, last_us) = last(starts);
                let past_us = (place - last).saturating_mul(self.mean_us());
                let start_us = start_us.unwrap_or(last_us.saturating_add(past_us));
                (start_us, start_us.saturating_add(self.mean_us()))
            }
        };
        Span {
            index: index(i64::from(first) + place),
            start_us,
            end_us,
        }
    }

    fn mean_us(&self) -> i64 {
        length_us(self.window.unwrap_or(Window::DAY))
    }
}

fn length_us(window: Window) -> i64 {
    i64::try_from(window.length_us()).expect("1,000 days fit")
}

fn index(number: i64) -> u32 {
    let number = number.clamp(0, INDEX_MAX.into());
    u32::try_from(number).expect("32 bits")
}

/// Returns the place of the window that contains `now_us` in a list; -1 before its first.
fn place(starts: &[i64], now_us: i64, mean_us: i64) -> i64 {
    let after = starts.partition_point(|&start| start <= now_us);
    if 0 < after && after < starts.len() {
        return i64::try_from(after - 1).expect("lists are short");
    }
    if after == 0 && !starts.is_empty() {
        return -1;
    }
    let (last, last_us) = last(starts);
    last + now_us.saturating_sub(last_us).div_euclid(mean_us)
}

/// Returns the place and the beginning of the last window of a list.
fn last(starts: &[i64]) -> (i64, i64) {
    let place = i64::try_from(starts.len()).expect("lists are short") - 1;
    (place, starts.last().copied().unwrap_or_default())
}

fn fixed(window: Window, zone: Option<&str>, anchor: Option<Date>, now_us: i64) -> Counting {
    let is_even = !matches!(window.unit(), Unit::Month | Unit::Year);
    if zone.is_none_or(|zone| zone == "UTC") && is_even {
        let length_us = length_us(window);
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
    let zone = zone.unwrap_or("UTC");
    let Boundaries { first, starts } = calendar::boundaries(window, zone, anchor, now_us);
    Counting::At { first, starts }
}

#[cfg(test)]
mod tests;
