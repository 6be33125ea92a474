//! Which rows answer a range: days, hours at its edges, minutes where the cube still has them.

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::{Offset, TimeZone};

use crate::MINUTE_US;
use crate::cube::Level;
use crate::levels::{Marks, floor};
use crate::query::Step;

const HOUR: i64 = Level::Hour.minutes();
const DAY: i64 = Level::Day.minutes();
const WEEK: i64 = 7 * DAY;
/// Minutes from a Monday to the Thursday on which 1970 began.
const MONDAY: i64 = 3 * DAY;

/// Rows of a level, and the steps that they are grouped in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) level: Level,
    /// Minutes since 1970.
    pub(crate) from: i64,
    /// Minutes since 1970, exclusive.
    pub(crate) to: i64,
    pub(crate) grid: Grid,
}

/// How times are grouped in steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grid {
    /// They are not.
    None,
    /// In steps of so many minutes that begin at multiples of them, less the offset.
    Fixed {
        /// Minutes of a step.
        minutes: i64,
        /// Minutes.
        offset: i64,
    },
    /// In one step with this beginning.
    One(i64),
}

impl Grid {
    /// The beginning of the step of a minute.
    pub(crate) fn step(self, minute: i64) -> Option<i64> {
        match self {
            Self::None => None,
            Self::Fixed { minutes, offset } => Some(floor(minute + offset, minutes) - offset),
            Self::One(start) => Some(start),
        }
    }

    /// Whether rows of a level are in one step each.
    fn takes(self, level: Level) -> bool {
        match self {
            Self::None | Self::One(_) => true,
            Self::Fixed { minutes, offset } => {
                minutes % level.minutes() == 0 && offset % level.minutes() == 0
            }
        }
    }
}

/// A range of minutes with a common grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    from: i64,
    to: i64,
    grid: Grid,
}

/// Plans a range of minutes. The first segment may begin before it and the last one end after it,
/// where there are only hours or days.
pub(crate) fn segments(
    range: std::ops::Range<i64>,
    step: Option<Step>,
    zone: &TimeZone,
    marks: &Marks,
) -> Vec<Segment> {
    let from = begin(range.start, marks);
    let to = range.end.max(from);
    let to = match begin(to, marks) {
        begun if begun == to => to,
        begun if begun % DAY == 0 && to < marks.hours_from => begun + DAY,
        begun => begun + HOUR,
    };
    let mut segments = Vec::new();
    for piece in pieces(from..to, step, zone) {
        let inner = |minute: i64| match minute == from || minute == to {
            true => minute,
            false => begin(minute, marks),
        };
        let piece = Piece {
            from: inner(piece.from),
            to: inner(piece.to),
            ..piece
        };
        cut(piece, marks, &mut segments);
    }
    segments
}

/// Returns the beginning of the finest row that has a minute.
fn begin(minute: i64, marks: &Marks) -> i64 {
    if minute < marks.hours_from.min(marks.days_to) {
        floor(minute, DAY)
    } else if minute < marks.minutes_from.min(marks.hours_to) {
        floor(minute, HOUR)
    } else {
        minute
    }
}

/// Cuts a piece into segments of the coarsest level that fits.
fn cut(piece: Piece, marks: &Marks, segments: &mut Vec<Segment>) {
    let Piece { from, to, grid } = piece;
    let mut at = from;
    while at < to {
        let has_minutes = at >= marks.minutes_from;
        let has_hours = at >= marks.hours_from;
        let is_day = at % DAY == 0 && at + DAY <= to.min(marks.days_to);
        let is_hour = at % HOUR == 0 && at + HOUR <= to.min(marks.hours_to);
        let level = if is_day && (grid.takes(Level::Day) || !has_hours) {
            Level::Day
        } else if is_hour && has_hours && (grid.takes(Level::Hour) || !has_minutes) {
            Level::Hour
        } else {
            Level::Minute
        };
        let end = match level {
            Level::Day => end_of_days(at, &piece, marks),
            Level::Hour => end_of_hours(at, &piece, marks),
            Level::Minute => end_of_minutes(at, &piece, marks),
        };
        match segments.last_mut() {
            Some(last) if last.level == level && last.to == at && last.grid == grid => {
                last.to = end;
            }
            _ => segments.push(Segment {
                level,
                from: at,
                to: end,
                grid,
            }),
        }
        at = end;
    }
}

/// The end of the days from `at` on.
fn end_of_days(at: i64, piece: &Piece, marks: &Marks) -> i64 {
    let end = floor(piece.to.min(marks.days_to), DAY);
    match piece.grid.takes(Level::Day) {
        true => end,
        false => end.min(marks.hours_from).max(at + DAY),
    }
}

/// The end of the hours from `at` on, before which no day begins that takes their place.
fn end_of_hours(at: i64, piece: &Piece, marks: &Marks) -> i64 {
    let end = floor(piece.to.min(marks.hours_to), HOUR);
    let end = match piece.grid.takes(Level::Hour) {
        true => end,
        false => end.min(marks.minutes_from).max(at + HOUR),
    };
    let day = floor(at, DAY) + DAY;
    let is_day = piece.grid.takes(Level::Day) && day + DAY <= piece.to.min(marks.days_to);
    if is_day { end.min(day) } else { end }
}

/// The end of the minutes from `at` on, before which no hour begins that takes their place.
fn end_of_minutes(at: i64, piece: &Piece, marks: &Marks) -> i64 {
    let hour = floor(at, HOUR) + HOUR;
    let is_hour = piece.grid.takes(Level::Hour) && hour + HOUR <= piece.to.min(marks.hours_to);
    if is_hour { hour } else { piece.to }
}

/// Divides a range where the grid of its steps changes.
fn pieces(range: std::ops::Range<i64>, step: Option<Step>, zone: &TimeZone) -> Vec<Piece> {
    let Some(step) = step else {
        return vec![Piece {
            from: range.start,
            to: range.end,
            grid: Grid::None,
        }];
    };
    let mut pieces = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let piece = piece_at(at, step, zone);
        let to = piece.to.clamp(at + 1, range.end);
        pieces.push(Piece {
            from: at,
            to,
            grid: piece.grid,
        });
        at = to;
    }
    pieces
}

/// The longest piece that begins at a minute.
fn piece_at(at: i64, step: Step, zone: &TimeZone) -> Piece {
    let time = timestamp(at);
    let offset = minutes_of(zone.to_offset(time));
    let changes = zone.following(time).next();
    // Zones of old times change within a minute.
    let changes = changes.map_or(i64::MAX, |it| minute_after(it.timestamp()).max(at + 1));
    let (minutes, shift) = match step {
        Step::Minute => (Level::Minute.minutes(), offset),
        Step::Hour => (HOUR, offset),
        Step::Day => (DAY, offset),
        Step::Week => (WEEK, offset + MONDAY),
        Step::Month => {
            let (from, to) = month_at(time, zone);
            return Piece {
                from: at,
                to,
                grid: Grid::One(from),
            };
        }
    };
    let grid = Grid::Fixed {
        minutes,
        offset: shift,
    };
    let is_civil = matches!(step, Step::Day | Step::Week);
    let piece = |to, grid| Piece { from: at, to, grid };
    if changes == i64::MAX || !is_civil {
        return piece(changes, grid);
    }
    // The step in which the offset changes is longer or shorter than the others.
    let last = floor(changes - 1 + shift, minutes) - shift;
    if at < last {
        return piece(last, grid);
    }
    let (from, to) = civil_at(time, step, zone);
    piece(to, Grid::One(from))
}

/// The beginning and the end of the day or week of a time.
fn civil_at(time: Timestamp, step: Step, zone: &TimeZone) -> (i64, i64) {
    let date = time.to_zoned(zone.clone()).date();
    let (first, days) = match step {
        Step::Week => {
            let since = date.weekday().since(Weekday::Monday);
            (plus_days(date, -i64::from(since)), 7)
        }
        _ => (date, 1),
    };
    (
        start_of(first, zone),
        start_of(plus_days(first, days), zone),
    )
}

/// The beginning and the end of the month of a time.
fn month_at(time: Timestamp, zone: &TimeZone) -> (i64, i64) {
    let first = time.to_zoned(zone.clone()).date().first_of_month();
    let next = plus_days(first.last_of_month(), 1);
    (start_of(first, zone), start_of(next, zone))
}

fn plus_days(date: Date, days: i64) -> Date {
    let span = jiff::Span::new().days(days);
    date.saturating_add(span)
}

/// The first minute of a day.
fn start_of(date: Date, zone: &TimeZone) -> i64 {
    let start = date.to_zoned(zone.clone());
    start.map_or(i64::MAX, |it| minute_of(it.timestamp()))
}

fn timestamp(minute: i64) -> Timestamp {
    Timestamp::from_microsecond(minute.saturating_mul(MINUTE_US)).unwrap_or_default()
}

fn minute_of(time: Timestamp) -> i64 {
    time.as_microsecond().div_euclid(MINUTE_US)
}

/// The first minute that begins at a time or after it.
fn minute_after(time: Timestamp) -> i64 {
    -(-time.as_microsecond()).div_euclid(MINUTE_US)
}

fn minutes_of(offset: Offset) -> i64 {
    i64::from(offset.seconds()) / 60
}

#[cfg(test)]
mod tests;
