//! Freshness of stored responses (RFC 9111, section 4.2). Heuristics are not used: a response that
//! declares no lifetime is fresh for as long as the rules of its operation state, or not at all.

#[cfg(test)]
mod tests;

use std::time::UNIX_EPOCH;

use crate::directives::{Directives, SECONDS_MAX, seconds};

/// Field values of a response that freshness depends on; `None` without one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dates<'h> {
    /// `Age`; empty, which is no number, with several.
    pub age: Option<&'h [u8]>,
    /// `Date`; `None` with several.
    pub date: Option<&'h [u8]>,
    /// `Expires`; `None` with several.
    pub expires: Option<&'h [u8]>,
}

/// When a response was asked for and when its head arrived, in Unix seconds.
#[derive(Debug, Clone, Copy)]
pub struct Exchanged {
    /// The time of the request.
    pub asked_s: i64,
    /// The time of the response.
    pub arrived_s: i64,
}

/// The age and the lifetime of a response when it arrived, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freshness {
    /// Its age on arrival, including the time of its transfer.
    pub age_s: u32,
    /// The age up to which it is fresh.
    pub lifetime_s: u32,
}

impl Freshness {
    /// Computes the freshness of a response. `ttl_s` is the lifetime that the rules of its
    /// operation state in place of its own. `None` if neither states one.
    #[must_use]
    pub fn new(
        directives: &Directives,
        dates: Dates<'_>,
        at: Exchanged,
        ttl_s: Option<u32>,
    ) -> Option<Self> {
        let lifetime_s = ttl_s.or_else(|| lifetime(directives, dates, at))?;
        let age_s = age(dates, at);
        Some(Self { age_s, lifetime_s })
    }

    /// Returns the age after a number of seconds in the cache, and whether the response is fresh.
    #[must_use]
    pub fn after(self, stored_s: u32) -> (u32, bool) {
        let age_s = self.age_s.saturating_add(stored_s).min(SECONDS_MAX);
        (age_s, age_s < self.lifetime_s)
    }
}

/// Returns the lifetime that a response declares (section 4.2.1).
fn lifetime(directives: &Directives, dates: Dates<'_>, at: Exchanged) -> Option<u32> {
    let declared = directives.s_maxage.or(directives.max_age);
    declared.or_else(|| {
        let expires = dates.expires?;
        // A value that is no date, such as 0, is in the past (section 5.3).
        let Some(expires_s) = unix(expires) else {
            return Some(0);
        };
        let date_s = dates.date.and_then(unix).unwrap_or(at.arrived_s);
        Some(span(date_s, expires_s))
    })
}

/// Returns the age of a response on arrival (section 4.2.3). An `Age` that is no number counts as
/// stale for any lifetime.
#[must_use]
pub fn age(dates: Dates<'_>, at: Exchanged) -> u32 {
    let date_s = dates.date.and_then(unix).unwrap_or(at.arrived_s);
    let apparent_s = span(date_s, at.arrived_s);
    let declared_s = dates
        .age
        .map_or(0, |age| seconds(age).unwrap_or(SECONDS_MAX));
    let corrected_s = declared_s.saturating_add(span(at.asked_s, at.arrived_s));
    apparent_s.max(corrected_s).min(SECONDS_MAX)
}

/// Returns the seconds from one time to a later one; 0 if it is not later.
fn span(from_s: i64, to_s: i64) -> u32 {
    let seconds = to_s.saturating_sub(from_s).clamp(0, SECONDS_MAX.into());
    u32::try_from(seconds).unwrap_or(SECONDS_MAX)
}

/// Parses a date (RFC 9110, section 5.6.7), as Unix seconds.
pub(crate) fn unix(date: &[u8]) -> Option<i64> {
    let date = httpdate::parse_http_date(str::from_utf8(date).ok()?).ok()?;
    i64::try_from(date.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}
