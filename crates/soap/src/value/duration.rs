//! Durations (XML Schema 1.0, part 2, section 3.2.6): months and seconds, which have only a
//! partial order.

use std::cmp::Ordering;

use super::calendar::days;

#[derive(Debug, Clone, Copy)]
struct Duration<'a> {
    months: i64,
    seconds: i64,
    /// Digits of the fraction of the seconds, without trailing zeros.
    fraction: &'a str,
    is_negative: bool,
}

/// The end of a duration that begins on the first of a month.
#[derive(Debug, Clone, Copy)]
struct End<'a> {
    /// Seconds since 1970-01-01, without the fraction.
    seconds: i64,
    /// Digits of the fraction of the duration's seconds, as in [`Duration`]; to be subtracted if
    /// the duration is negative.
    fraction: &'a str,
    is_negative: bool,
}

/// Larger parts count as this in comparisons, so that sums cannot overflow.
const PART_MAX: i64 = 1_000_000_000;

pub(super) fn is_duration(text: &str) -> bool {
    parse(text).is_some()
}

fn parse(text: &str) -> Option<Duration<'_>> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut rest = text.strip_prefix('P')?;
    let mut duration = Duration {
        months: 0,
        seconds: 0,
        fraction: "",
        is_negative,
    };
    let mut designators: &[u8] = b"YMD";
    let mut is_time = false;
    let mut is_complete = false;
    while !rest.is_empty() {
        if !is_time && let Some(time) = rest.strip_prefix('T') {
            (rest, is_time, is_complete) = (time, true, false);
            designators = b"HMS";
            continue;
        }
        let end = rest.bytes().position(|byte| !byte.is_ascii_digit())?;
        let (digits, tail) = rest.split_at(end);
        if digits.is_empty() {
            return None;
        }
        let number = digits
            .parse()
            .map_or(PART_MAX, |number: i64| number.min(PART_MAX));
        let (fraction, tail) = fraction(tail)?;
        let designator = *tail.as_bytes().first()?;
        let place = designators.iter().position(|&other| other == designator)?;
        designators = &designators[place + 1..];
        match (designator, is_time) {
            (b'S', _) => {
                duration.seconds += number;
                duration.fraction = fraction.unwrap_or("");
            }
            _ if fraction.is_some() => return None,
            (b'Y', _) => duration.months += number * 12,
            (b'M', false) => duration.months += number,
            (b'D', _) => duration.seconds += number * 86_400,
            (b'H', _) => duration.seconds += number * 3_600,
            _ => duration.seconds += number * 60,
        }
        rest = tail.get(1..)?;
        is_complete = true;
    }
    is_complete.then_some(duration)
}

/// Reads a point and digits at the front: returns the digits without trailing zeros, and the rest.
fn fraction(text: &str) -> Option<(Option<&str>, &str)> {
    let Some(rest) = text.strip_prefix('.') else {
        return Some((None, text));
    };
    let end = rest.bytes().position(|byte| !byte.is_ascii_digit())?;
    let (digits, tail) = rest.split_at(end);
    (!digits.is_empty()).then_some((Some(digits.trim_end_matches('0')), tail))
}

/// Compares two durations, which have an order if it is the same from each of four dates (section
/// 3.2.6.2).
pub(super) fn order(a: &str, b: &str) -> Option<Ordering> {
    let (a, b) = (parse(a)?, parse(b)?);
    let mut orders = [(1696, 9), (1697, 2), (1903, 3), (1903, 7)]
        .map(|(year, month)| a.end(year, month).compare(b.end(year, month)))
        .into_iter();
    let first = orders.next()?;
    orders.all(|order| order == first).then_some(first)
}

impl<'a> Duration<'a> {
    /// Returns the end of the duration if it begins on the first of a month.
    fn end(self, year: i64, month: i64) -> End<'a> {
        let sign = if self.is_negative { -1 } else { 1 };
        let months = year * 12 + month - 1 + sign * self.months;
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        End {
            seconds: days(year, month, 1) * 86_400 + sign * self.seconds,
            fraction: self.fraction,
            is_negative: self.is_negative,
        }
    }
}

impl End<'_> {
    fn compare(self, other: Self) -> Ordering {
        let seconds = self.whole_seconds().cmp(&other.whole_seconds());
        seconds.then_with(|| match (self.is_negative, other.is_negative) {
            (false, false) => self.fraction.cmp(other.fraction),
            (true, true) => other.fraction.cmp(self.fraction),
            (false, true) => compare_with_complement(self.fraction, other.fraction),
            (true, false) => compare_with_complement(other.fraction, self.fraction).reverse(),
        })
    }

    /// Returns the seconds, rounded down: a negative fraction is one second less plus its
    /// complement.
    fn whole_seconds(self) -> i64 {
        self.seconds - i64::from(self.is_negative && !self.fraction.is_empty())
    }
}

/// Compares the fractions of a positive and a negative duration in the same second: `x` with
/// `1 - y`, digit by digit.
fn compare_with_complement(positive: &str, negative: &str) -> Ordering {
    let length = positive.len().max(negative.len());
    let digit = |text: &str, at: usize| text.as_bytes().get(at).map_or(0, |digit| digit - b'0');
    // The last digit that is not 0 is complemented to ten, those before it to nine.
    (0..length)
        .map(|at| {
            let complement = match (at + 1).cmp(&negative.len()) {
                Ordering::Less => 9 - digit(negative, at),
                Ordering::Equal => 10 - digit(negative, at),
                Ordering::Greater => 0,
            };
            digit(positive, at).cmp(&complement)
        })
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
