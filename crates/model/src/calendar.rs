//! Beginnings of calendar windows: days, weeks, months and years of an IANA time zone, as instants
//! of UTC.
//!
//! Computed when a plan is compiled; gateways know no time zones.

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::window::{INDEX_MAX, Unit, Window};

/// The first day of windows of days, months and years.
const FIRST_DAY: Date = date(1970, 1, 1);
/// The first day of windows of weeks, a Monday.
const FIRST_MONDAY: Date = date(1970, 1, 5);
const DAY_US: i64 = 86_400 * 1_000_000;

/// Returns whether the IANA database has this name.
#[must_use]
pub fn zone_known(zone: &str) -> bool {
    TimeZone::get(zone).is_ok()
}

/// Parses a date in the form `2026-01-31`; `None` for any other text and for days that no month
/// has.
#[must_use]
pub fn parse_date(text: &str) -> Option<Date> {
    let date: Date = text.parse().ok()?;
    (text.len() == "2026-01-31".len() && date.to_string() == text).then_some(date)
}

/// Returns the beginning of a day in UTC, Unix microseconds.
pub(crate) fn utc_midnight_us(day: Date) -> i64 {
    days_between(FIRST_DAY, day) * DAY_US
}

/// Returns how many windows are sent ahead; the control plane sends more long before they run out.
#[must_use]
pub const fn windows_ahead(window: Window) -> usize {
    let units = match window.unit() {
        Unit::Day => 62,
        Unit::Week => 20,
        Unit::Month => 26,
        _ => 4,
    };
    let windows = units / window.count() as usize;
    if windows < 4 { 4 } else { windows }
}

/// Windows that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundaries {
    /// The index of the first one.
    pub first: u32,
    /// Their beginnings, Unix microseconds, ascending.
    pub starts: Vec<i64>,
}

/// Returns the window that contains `from_us` (Unix microseconds, UTC) and those after it;
/// [`windows_ahead`] and one more. They repeat from `anchor`, or from the first days of 1970. An
/// unknown zone counts as UTC: plans with one are rejected on saving.
///
/// Indexes are those of `limit`: an anchor may be in the future, so windows that repeat from one
/// are counted from the window that contains 1970-01-01.
#[must_use]
pub fn boundaries(window: Window, zone: &str, anchor: Option<Date>, from_us: i64) -> Boundaries {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let now = Timestamp::from_microsecond(from_us).unwrap_or(Timestamp::UNIX_EPOCH);
    let grid = Grid::new(window, anchor);
    let zeroth = anchor.map_or(0, |_| grid.number(FIRST_DAY));
    let number = grid.number(zone.to_datetime(now).date()).max(zeroth);
    let starts = (number..)
        .map_while(|number| grid.first_day(number))
        .map_while(|day| day.to_zoned(zone.clone()).ok())
        .map(|start| start.timestamp().as_microsecond());
    Boundaries {
        first: u32::try_from(number - zeroth).unwrap_or(INDEX_MAX),
        starts: starts.take(windows_ahead(window) + 1).collect(),
    }
}

/// The days on which windows begin: window n begins n steps after the origin. Months that are too
/// short for the origin's day begin on their last day; since each window is counted from the
/// origin, the next longer month begins on the origin's day again.
#[derive(Debug, Clone, Copy)]
struct Grid {
    origin: Date,
    step: Step,
}

/// Length of a calendar window.
#[derive(Debug, Clone, Copy)]
enum Step {
    Days(i64),
    Months(i64),
}

impl Grid {
    fn new(window: Window, anchor: Option<Date>) -> Self {
        let count = i64::from(window.count());
        let (origin, step) = match window.unit() {
            Unit::Week => (FIRST_MONDAY, Step::Days(7 * count)),
            Unit::Month => (FIRST_DAY, Step::Months(count)),
            Unit::Year => (FIRST_DAY, Step::Months(12 * count)),
            Unit::Day | Unit::Hour | Unit::Minute | Unit::Second => (FIRST_DAY, Step::Days(count)),
        };
        Self {
            origin: anchor.unwrap_or(origin),
            step,
        }
    }

    /// Returns the first day of a window; `None` outside of the years -9999 to 9999.
    fn first_day(&self, number: i64) -> Option<Date> {
        let span = match self.step {
            Step::Days(days) => Span::new().try_days(number.checked_mul(days)?),
            Step::Months(months) => Span::new().try_months(number.checked_mul(months)?),
        };
        self.origin.checked_add(span.ok()?).ok()
    }

    /// Returns the number of the window that contains a day; negative before the origin.
    fn number(&self, day: Date) -> i64 {
        match self.step {
            Step::Days(step) => days_between(self.origin, day).div_euclid(step),
            Step::Months(step) => {
                let months = |date: Date| 12 * i64::from(date.year()) + i64::from(date.month());
                let number = (months(day) - months(self.origin)).div_euclid(step);
                let is_before = self.first_day(number).is_some_and(|first| day < first);
                number - i64::from(is_before)
            }
        }
    }
}

fn days_between(from: Date, to: Date) -> i64 {
    const HOURS: i64 = 24;
    from.duration_until(to).as_hours() / HOURS
}

#[cfg(test)]
mod tests;
