//! The cubes: sums by a few dimensions each, at three levels of time. A question is answered by the
//! first cube that has all the dimensions that it needs.

use std::hash::{Hash, Hasher};

use tollgate_spool::Part;

use crate::dimension::Dimension;

/// A level of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days, UTC.
    Day,
}

impl Level {
    /// Minutes of a row.
    pub(crate) const fn minutes(self) -> i64 {
        match self {
            Self::Minute => 1,
            Self::Hour => 60,
            Self::Day => 24 * 60,
        }
    }

    /// Its number in `usage.db`.
    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Minute => 0,
            Self::Hour => 1,
            Self::Day => 2,
        }
    }
}

/// The source of the calls that are counted: the process itself.
pub(crate) const SOURCE: i64 = 0;

/// Most dimensions of a cube.
pub(crate) const DIMENSIONS_MAX: usize = 5;

/// Values of the dimensions of a cube, in its order; those beyond are 0. Every row of a
/// minute is looked up by one for each cube, so they are hashed and compared as numbers instead of
/// as bytes.
#[derive(Debug, Clone, Copy, Default, Eq, PartialOrd, Ord)]
pub(crate) struct Key(pub(crate) [i64; DIMENSIONS_MAX]);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        let values = self.0.iter().zip(&other.0);
        values.fold(0, |differing, (one, other)| differing | (one ^ other)) == 0
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.iter().for_each(|value| hasher.write_i64(*value));
    }
}

/// Number of cubes.
pub(crate) const COUNT: usize = CUBES.len();

const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;
/// How long days are kept: thirteen months. Hours of most of what a page shows are kept for
/// thirty-five days.
const MONTHS_KEPT: i64 = 400 * DAY;
const HOURS_KEPT: i64 = 35 * DAY;

/// Sums by a few dimensions.
#[derive(Debug)]
pub struct Cube {
    /// Its name.
    pub name: &'static str,
    /// Its dimensions, in the order of its rows. Pages that cannot have a value of the first one
    /// are not read.
    pub dimensions: &'static [Dimension],
    /// The times of which it has percentiles.
    pub percentiles: &'static [Time],
    /// Minutes for which it has rows at each level.
    pub(crate) kept: Kept,
}

/// Minutes for which rows are kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    pub(crate) minutes: i64,
    pub(crate) hours: i64,
    pub(crate) days: i64,
    /// Sketches of hours.
    pub(crate) sketches: i64,
}

/// A time that is taken of each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// From the head's arrival to the last byte.
    Total,
    /// From sending the request to the upstream's first byte.
    Upstream,
    /// From the head's arrival until the request was sent to the upstream, or until the last byte.
    Gateway,
}

/// Number of times.
pub(crate) const TIMES: usize = Time::ALL.len();

impl Time {
    /// Every time.
    pub const ALL: [Self; 3] = [Self::Total, Self::Upstream, Self::Gateway];

    /// The parts of a call that it is made of.
    pub(crate) const fn parts(self) -> &'static [Part] {
        match self {
            Self::Total => &[Part::Times],
            Self::Upstream | Self::Gateway => &[Part::Outcome, Part::Times],
        }
    }
}

const BOTH: &[Time] = &[Time::Total, Time::Upstream];

/// Every cube, those with few rows first.
pub static CUBES: [Cube; 9] = [
    Cube {
        name: "all",
        dimensions: &[Dimension::Environment],
        percentiles: &Time::ALL,
        kept: kept(48 * HOUR, MONTHS_KEPT),
    },
    Cube {
        name: "version",
        dimensions: &[Dimension::Version, Dimension::Environment, Dimension::Api],
        percentiles: &Time::ALL,
        kept: kept(48 * HOUR, MONTHS_KEPT),
    },
    Cube {
        name: "agent",
        dimensions: &[Dimension::Version, Dimension::Agent, Dimension::Api],
        percentiles: &[],
        kept: kept(3 * HOUR, HOURS_KEPT),
    },
    Cube {
        name: "outcome",
        dimensions: &[
            Dimension::Version,
            Dimension::Status,
            Dimension::Refusal,
            Dimension::Api,
        ],
        percentiles: &[],
        kept: kept(48 * HOUR, HOURS_KEPT),
    },
    Cube {
        name: "application",
        dimensions: &[Dimension::Application],
        percentiles: BOTH,
        kept: kept(3 * HOUR, HOURS_KEPT),
    },
    Cube {
        name: "operation",
        dimensions: &[
            Dimension::Version,
            Dimension::Operation,
            Dimension::Cache,
            Dimension::Api,
        ],
        percentiles: BOTH,
        kept: kept(3 * HOUR, HOURS_KEPT),
    },
    Cube {
        name: "pair",
        dimensions: &[
            Dimension::Version,
            Dimension::Application,
            Dimension::Plan,
            Dimension::Api,
        ],
        percentiles: &[],
        kept: kept(3 * HOUR, HOURS_KEPT),
    },
    Cube {
        name: "caller_outcome",
        dimensions: &[
            Dimension::Application,
            Dimension::Version,
            Dimension::Status,
            Dimension::Refusal,
            Dimension::Api,
        ],
        percentiles: &[],
        // Pages draw a day of an application by minutes.
        kept: kept(25 * HOUR, HOURS_KEPT),
    },
    Cube {
        name: "credential",
        dimensions: &[
            Dimension::Application,
            Dimension::CredentialKind,
            Dimension::Credential,
            Dimension::Version,
            Dimension::Api,
        ],
        percentiles: &[],
        // There may be many of them, so soon there are days only.
        kept: kept(3 * HOUR, 2 * DAY),
    },
];

const fn kept(minutes: i64, hours: i64) -> Kept {
    Kept {
        minutes,
        hours,
        days: MONTHS_KEPT,
        sketches: if hours < HOURS_KEPT {
            hours
        } else {
            HOURS_KEPT
        },
    }
}

impl Cube {
    /// Minutes for which it has rows at a level.
    #[must_use]
    pub const fn minutes_kept(&self, level: Level) -> i64 {
        match level {
            Level::Minute => self.kept.minutes,
            Level::Hour => self.kept.hours,
            Level::Day => self.kept.days,
        }
    }

    /// Returns the key of a call.
    pub(crate) fn key(&self, of: impl Fn(Dimension) -> i64) -> Key {
        let mut key = Key::default();
        for (value, dimension) in key.0.iter_mut().zip(self.dimensions) {
            *value = of(*dimension);
        }
        key
    }

    /// Whether calls without a record, of which a few dimensions are known, are counted in it.
    pub(crate) fn has_counted(&self) -> bool {
        matches!(self.name, "all" | "version" | "outcome")
    }
}
