//! Dates and times (XML Schema 1.0, part 2, sections 3.2.7 to 3.2.14), of any year.

use std::cmp::Ordering;

/// The calendar types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Calendar {
    DateTime,
    Date,
    Time,
    YearMonth,
    Year,
    MonthDay,
    Day,
    Month,
}

/// A value, with the fields that its type does not have filled in by section 3.2.7.3.
#[derive(Debug, Clone, Copy)]
struct Moment<'a> {
    /// Seconds since 1970-01-01T00:00:00, in UTC if there is a zone; a very long year counts as
    /// 10^9.
    seconds: i64,
    /// Digits of the fraction, without trailing zeros.
    fraction: &'a str,
    has_zone: bool,
}

const DAY_SECONDS: i64 = 86_400;
/// Maximum difference in seconds between a value without a zone and one with.
const ZONE_SECONDS_MAX: i64 = 14 * 3_600;
const YEAR_MAX: i64 = 1_000_000_000;

impl Calendar {
    pub(super) fn has(self, text: &str) -> bool {
        self.parse(text).is_some()
    }

    /// Compares two values; `None` if only one has a zone and they are too close to each other.
    pub(super) fn order(self, a: &str, b: &str) -> Option<Ordering> {
        let (a, b) = (self.parse(a)?, self.parse(b)?);
        let direct = |shift: i64| {
            (a.seconds.cmp(&(b.seconds + shift))).then_with(|| a.fraction.cmp(b.fraction))
        };
        if a.has_zone == b.has_zone {
            return Some(direct(0));
        }
        let (early, late) = (direct(-ZONE_SECONDS_MAX), direct(ZONE_SECONDS_MAX));
        (early == late && early != Ordering::Equal).then_some(early)
    }

    fn parse(self, text: &str) -> Option<Moment<'_>> {
        let mut cursor = Cursor { text };
        // A leap year, so that `--02-29` is valid.
        let (mut year, mut month, mut day) = (1972, 12, 31);
        let has_year = matches!(
            self,
            Self::DateTime | Self::Date | Self::YearMonth | Self::Year
        );
        if has_year {
            year = cursor.year()?;
            (month, day) = (1, 1);
        } else if self != Self::Time {
            cursor.skip("--")?;
            (month, day) = (1, 1);
        }
        match self {
            Self::DateTime | Self::Date => {
                month = cursor.after("-")?;
                day = cursor.after("-")?;
            }
            Self::YearMonth => month = cursor.after("-")?,
            Self::MonthDay => {
                month = cursor.two()?;
                day = cursor.after("-")?;
            }
            Self::Day => day = cursor.after("-")?,
            Self::Month => month = cursor.two()?,
            Self::Time | Self::Year => {}
        }
        if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
            return None;
        }
        let mut seconds = days(year, month, day) * DAY_SECONDS;
        let mut fraction = "";
        if matches!(self, Self::DateTime | Self::Time) {
            if self == Self::DateTime {
                cursor.skip("T")?;
            }
            let time;
            (time, fraction) = cursor.time()?;
            // 24:00:00 is the start of the next day, or of the same day for a type without a date.
            let is_end_of_day = self == Self::Time && time == DAY_SECONDS;
            seconds += if is_end_of_day { 0 } else { time };
        }
        let zone = cursor.zone()?;
        Some(Moment {
            seconds: seconds - zone.unwrap_or(0),
            fraction,
            has_zone: zone.is_some(),
        })
    }
}

/// The remaining text.
struct Cursor<'a> {
    text: &'a str,
}

impl<'a> Cursor<'a> {
    fn skip(&mut self, text: &str) -> Option<()> {
        self.text = self.text.strip_prefix(text)?;
        Some(())
    }

    fn digits(&mut self) -> &'a str {
        let end = self.text.bytes().position(|byte| !byte.is_ascii_digit());
        let (digits, rest) = self.text.split_at(end.unwrap_or(self.text.len()));
        self.text = rest;
        digits
    }

    /// Reads four digits or more, without a needless zero; XML Schema 1.0 has no year 0.
    fn year(&mut self) -> Option<i64> {
        let is_negative = self.skip("-").is_some();
        let digits = self.digits();
        let is_padded = digits.len() > 4 && digits.starts_with('0');
        if digits.len() < 4 || is_padded || digits == "0000" {
            return None;
        }
        let year = digits
            .parse()
            .map_or(YEAR_MAX, |year: i64| year.min(YEAR_MAX));
        Some(if is_negative { -year } else { year })
    }

    fn two(&mut self) -> Option<i64> {
        let (digits, rest) = self.text.split_at_checked(2)?;
        self.text = rest;
        match *digits.as_bytes() {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
                Some(i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
            }
            _ => None,
        }
    }

    fn after(&mut self, text: &str) -> Option<i64> {
        self.skip(text)?;
        self.two()
    }

    /// Reads a time: seconds of the day and the digits of the fraction.
    fn time(&mut self) -> Option<(i64, &'a str)> {
        let (hour, minute, second) = (self.two()?, self.after(":")?, self.after(":")?);
        let mut fraction = "";
        if self.skip(".").is_some() {
            fraction = self.digits();
            if fraction.is_empty() {
                return None;
            }
            fraction = fraction.trim_end_matches('0');
        }
        let is_midnight = minute == 0 && second == 0 && fraction.is_empty();
        let is_hour = hour < 24 || (hour == 24 && is_midnight);
        if !is_hour || minute > 59 || second > 59 {
            return None;
        }
        Some((hour * 3_600 + minute * 60 + second, fraction))
    }

    /// Reads the rest: seconds east of UTC, or nothing. `None` if it is malformed.
    #[expect(
        clippy::option_option,
        reason = "a zone may be absent, malformed or present"
    )]
    fn zone(&mut self) -> Option<Option<i64>> {
        match self.text {
            "" => return Some(None),
            "Z" => return Some(Some(0)),
            _ => {}
        }
        let sign = if self.skip("+").is_some() { 1 } else { -1 };
        if sign < 0 {
            self.skip("-")?;
        }
        let (hours, minutes) = (self.two()?, self.after(":")?);
        let seconds = hours * 3_600 + minutes * 60;
        let is_zone = minutes < 60 && seconds <= ZONE_SECONDS_MAX && self.text.is_empty();
        is_zone.then_some(Some(sign * seconds))
    }
}

fn days_in(year: i64, month: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days since 1970-01-01 in the proleptic Gregorian calendar (Howard Hinnant,
/// `days_from_civil`).
pub(super) fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}
