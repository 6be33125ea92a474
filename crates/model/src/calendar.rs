//! Beginnings of calendar windows: days, weeks, months and years of an IANA time zone, as instants
//! of UTC.
//!
//! Computed when a plan is compiled; gateways know no time zones.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use crate::window::Window;

/// Returns whether the IANA database has this name.
#[must_use]
pub fn zone_known(zone: &str) -> bool {
    TimeZone::get(zone).is_ok()
}

/// Returns how many windows are sent ahead; the control plane sends more long before they run out.
#[must_use]
pub const fn windows_ahead(window: Window) -> usize {
    match window {
        Window::Day => 62,
        Window::Week => 20,
        Window::Month => 26,
        _ => 4,
    }
}

/// Returns the beginnings of the window that contains `from_us` (Unix microseconds, UTC) and of
/// those after it, ascending; [`windows_ahead`] and one more. An unknown zone counts as UTC: plans
/// with one are rejected on saving.
#[must_use]
pub fn boundaries(window: Window, zone: &str, from_us: i64) -> Vec<i64> {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let now = Timestamp::from_microsecond(from_us).unwrap_or(Timestamp::UNIX_EPOCH);
    let first = first_day(window, zone.to_datetime(now).date());
    let span = match window {
        Window::Week => 1.week(),
        Window::Month => 1.month(),
        Window::Year => 1.year(),
        Window::Day | Window::Hour | Window::Minute | Window::Second => 1.day(),
    };
    let days = std::iter::successors(Some(first), |day| day.checked_add(span).ok());
    days.take(windows_ahead(window) + 1)
        .filter_map(|day| day.to_zoned(zone.clone()).ok())
        .map(|start| start.timestamp().as_microsecond())
        .collect()
}

fn first_day(window: Window, today: Date) -> Date {
    match window {
        Window::Week => {
            let past_monday = i64::from(today.weekday().since(Weekday::Monday));
            today.checked_sub(past_monday.days()).unwrap_or(today)
        }
        Window::Month => today.first_of_month(),
        Window::Year => today.first_of_year(),
        Window::Day | Window::Hour | Window::Minute | Window::Second => today,
    }
}

#[cfg(test)]
mod tests;
