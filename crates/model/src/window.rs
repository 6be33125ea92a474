//! Windows of limits: the periods over which calls are counted.

use serde::{Deserialize, Serialize};

/// Length of a limit's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// One second.
    Second,
    /// One minute.
    Minute,
    /// One hour.
    Hour,
    /// One calendar day.
    Day,
    /// One calendar week, beginning on Monday.
    Week,
    /// One calendar month.
    Month,
    /// One calendar year.
    Year,
}

impl Window {
    /// Returns the word of this window.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Second => "second",
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// Returns its length in microseconds; months and years have their mean length.
    #[must_use]
    pub const fn length_us(self) -> u64 {
        let seconds = match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day => 86_400,
            Self::Week => 604_800,
            Self::Month => 2_629_746,
            Self::Year => 31_556_952,
        };
        seconds * 1_000_000
    }

    /// Returns whether the calendar of a time zone decides where it begins.
    #[must_use]
    pub const fn is_calendar(self) -> bool {
        matches!(self, Self::Day | Self::Week | Self::Month | Self::Year)
    }
}
