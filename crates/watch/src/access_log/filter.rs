//! Which calls get a line.

use std::str::FromStr;

use tollgate_model::record::{AnsweredBy, Record};

/// Ranges of statuses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusRanges(Vec<(u16, u16)>);

impl StatusRanges {
    fn contain(&self, status: u16) -> bool {
        let mut ranges = self.0.iter();
        ranges.any(|(first, last)| (*first..=*last).contains(&status))
    }
}

/// The text is none of statuses and ranges of them, from 100 to 599, with commas between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not statuses and ranges from 100 to 599, such as 404, 500-599")]
pub struct NotStatuses;

impl FromStr for StatusRanges {
    type Err = NotStatuses;

    fn from_str(text: &str) -> Result<Self, NotStatuses> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let status = |text: &str| {
            let text = text.trim();
            let is_number = text.len() == 3 && text.bytes().all(|it| it.is_ascii_digit());
            let status: u16 = text.parse().ok().filter(|_| is_number)?;
            (100..=599).contains(&status).then_some(status)
        };
        let ranges = text.split(',').map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (status(first)?, status(last)?);
            (first <= last).then_some((first, last))
        });
        ranges.collect::<Option<_>>().map(Self).ok_or(NotStatuses)
    }
}

/// The calls that get a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Calls with these statuses; empty to select none by status.
    pub statuses: StatusRanges,
    /// Calls that take at least this long, in microseconds; 0 to select none by time.
    pub slow_us: u64,
    /// One in this number of the rest; 0 for none of them, or all if nothing else selects calls.
    pub one_in: u64,
    /// Whether preflights of web pages may be selected.
    pub has_preflights: bool,
}

impl Default for Filter {
    /// Selects every call but preflights.
    fn default() -> Self {
        Self {
            statuses: StatusRanges::default(),
            slow_us: 0,
            one_in: 0,
            has_preflights: false,
        }
    }
}

impl Filter {
    /// Whether a call gets a line. `rest` counts those that only [`Self::one_in`] selects from.
    pub(super) fn selects(&self, record: &Record, rest: &mut u64) -> bool {
        if !self.has_preflights && record.answered.by() == AnsweredBy::Preflight {
            return false;
        }
        let is_slow = self.slow_us > 0 && u64::from(record.total_us) >= self.slow_us;
        if is_slow || self.statuses.contain(record.status) {
            return true;
        }
        match self.one_in {
            0 => self.slow_us == 0 && self.statuses.0.is_empty(),
            one_in => {
                *rest += 1;
                (*rest - 1).is_multiple_of(one_in)
            }
        }
    }
}
