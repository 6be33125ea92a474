//! Windows of limits: the periods over which calls are counted, such as `minute` or `5 minutes`.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Maximum index of a window: counters store one more in 32 bits.
pub const INDEX_MAX: u32 = u32::MAX - 1;

/// The detail of the fault `limit.window`.
pub(crate) const FORMS: &str = "a window is a unit such as \"minute\", or a number and a unit \
    such as \"5 minutes\": at most 1000 seconds, minutes, hours or days, 52 weeks, 12 months, \
    or one year";

/// Unit of a window's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
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

impl Unit {
    /// All units, shortest first.
    pub const ALL: [Self; 7] = [
        Self::Second,
        Self::Minute,
        Self::Hour,
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Year,
    ];

    /// Returns the word of this unit, in the singular.
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

    /// Returns the maximum number of these units in one window.
    #[must_use]
    pub const fn count_max(self) -> u16 {
        match self {
            Self::Second | Self::Minute | Self::Hour | Self::Day => 1_000,
            Self::Week => 52,
            Self::Month => 12,
            Self::Year => 1,
        }
    }

    const fn seconds(self) -> u64 {
        match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day => 86_400,
            Self::Week => 604_800,
            Self::Month => 2_629_746,
            Self::Year => 31_556_952,
        }
    }
}

/// Length of a limit's window: a number of units. In JSON a string, see [`Window::parse`].
///
/// A text that is none becomes a window that is not [valid](Self::is_valid), so that its fault is
/// reported together with all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Window {
    unit: Unit,
    count: u16,
}

impl Window {
    /// One second.
    pub const SECOND: Self = Self::new(1, Unit::Second);
    /// One minute.
    pub const MINUTE: Self = Self::new(1, Unit::Minute);
    /// One hour.
    pub const HOUR: Self = Self::new(1, Unit::Hour);
    /// One calendar day.
    pub const DAY: Self = Self::new(1, Unit::Day);
    /// One calendar week.
    pub const WEEK: Self = Self::new(1, Unit::Week);
    /// One calendar month.
    pub const MONTH: Self = Self::new(1, Unit::Month);
    /// One calendar year.
    pub const YEAR: Self = Self::new(1, Unit::Year);

    /// Creates a window of `count` units.
    #[must_use]
    pub const fn new(count: u16, unit: Unit) -> Self {
        Self { unit, count }
    }

    /// Parses a unit, or a number and a unit: `minute`, `5 minutes`. Numbers have no leading zero,
    /// and units are in the plural unless the number is 1. `None` for any other text and for
    /// numbers above [`Unit::count_max`].
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (count, unit) = match text.split_once(' ') {
            None => (1, text),
            Some(("1", unit)) => (1, unit),
            Some((count, units)) => (parse_plural(count)?, units.strip_suffix('s')?),
        };
        let unit = Unit::ALL.into_iter().find(|it| it.word() == unit)?;
        Some(Self::new(count, unit)).filter(|window| window.is_valid())
    }

    /// Returns whether the number of units is at least 1 and at most [`Unit::count_max`].
    #[must_use]
    pub const fn is_valid(self) -> bool {
        1 <= self.count && self.count <= self.unit.count_max()
    }

    /// Returns the unit.
    #[must_use]
    pub const fn unit(self) -> Unit {
        self.unit
    }

    /// Returns the number of units; 1 at least.
    #[must_use]
    pub const fn count(self) -> u16 {
        if self.count == 0 { 1 } else { self.count }
    }

    /// Returns the canonical text: the unit alone for one of it.
    #[must_use]
    pub fn text(self) -> Cow<'static, str> {
        match self.count {
            1 => Cow::Borrowed(self.unit.word()),
            count => Cow::Owned(format!("{count} {}s", self.unit.word())),
        }
    }

    /// Returns its length in microseconds; months and years have their mean length.
    #[must_use]
    pub const fn length_us(self) -> u64 {
        self.unit.seconds() * self.count() as u64 * 1_000_000
    }

    /// Returns whether the calendar of a time zone decides where it begins.
    #[must_use]
    pub const fn is_calendar(self) -> bool {
        !matches!(self.unit, Unit::Second | Unit::Minute | Unit::Hour)
    }
}

/// Parses a number of at least 2 in at most four digits.
fn parse_plural(text: &str) -> Option<u16> {
    let is_plain = text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let count = text.parse().ok().filter(|&count| count >= 2)?;
    (is_plain && !text.starts_with('0')).then_some(count)
}

impl fmt::Display for Window {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text())
    }
}

impl Serialize for Window {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text())
    }
}

impl<'de> Deserialize<'de> for Window {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(Text)
    }
}

struct Text;

impl de::Visitor<'_> for Text {
    type Value = Window;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Window, E> {
        const INVALID: Window = Window::new(0, Unit::Second);
        Ok(Window::parse(text).unwrap_or(INVALID))
    }
}

#[cfg(test)]
mod tests;
