//! Sums of calls by the values of all dimensions.
//!
//! A minute has a row for each different call, in memory. Most of what recording costs is to bring
//! a row into the processor's cache: so rows are small, and times are counted many at once.

use hashbrown::HashMap;
use tollgate_model::record::{Overflow, Record};

use crate::cube::{TIMES, Time};
use crate::dimension::Dimension;
use crate::measures::{Measured, Measures};
use crate::sketch::Sketch;

/// Calls of which the times are kept before they are counted.
const RECENT_MAX: usize = 128;
/// Stands for the bucket of a time that a call does not have.
const NO_TIME: u16 = u16::MAX;

/// The sums of the calls of a key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    pub(crate) measures: Measures,
    sketches: [Sketch; TIMES],
    /// The buckets of times that are not in the sketches yet.
    recent: Vec<[u16; TIMES]>,
}

impl Sums {
    /// Adds a call, with the times of which there are percentiles.
    pub(crate) fn add_call(&mut self, call: &Measured<'_>, times: &[Time]) {
        self.measures.add(&Measures::from_call(call));
        if times.is_empty() {
            return;
        }
        let mut buckets = [NO_TIME; TIMES];
        for &time in times {
            let us = match time {
                Time::Total => Some(call.record.total_us),
                Time::Upstream => call.upstream_us,
                Time::Gateway => Some(call.gateway_us),
            };
            buckets[time as usize] = us.map_or(NO_TIME, Sketch::bucket);
        }
        if self.recent.len() == RECENT_MAX {
            for time in Time::ALL {
                let mut sketch = std::mem::take(&mut self.sketches[time as usize]);
                self.merge_recent(time, &mut sketch);
                self.sketches[time as usize] = sketch;
            }
            self.recent.clear();
        }
        self.recent.push(buckets);
    }

    /// Adds others.
    pub(crate) fn add(&mut self, other: &Self) {
        self.measures.add(&other.measures);
        for time in Time::ALL {
            other.merge_into(time, &mut self.sketches[time as usize]);
        }
    }

    /// Adds a time of all calls to a sketch.
    pub(crate) fn merge_into(&self, time: Time, sketch: &mut Sketch) {
        sketch.merge(&self.sketches[time as usize]);
        self.merge_recent(time, sketch);
    }

    fn merge_recent(&self, time: Time, sketch: &mut Sketch) {
        let buckets = self.recent.iter().map(|buckets| buckets[time as usize]);
        let mut buckets: Vec<_> = buckets.filter(|it| *it != NO_TIME).collect();
        // A sketch takes them faster in this order.
        buckets.sort_unstable();
        for same in buckets.chunk_by(|one, other| one == other) {
            sketch.merge_bucket(same[0].into(), same.len() as u64);
        }
    }
}

/// The values of all dimensions of a call. Small ones share a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct CallKey {
    ids: [i64; IDS],
    small: u64,
}

/// Number of dimensions that have ids.
const IDS: usize = 6;

/// Where a [`CallKey`] has a value.
enum Place {
    Id(usize),
    Bits { from: u32, count: u32 },
}

impl Place {
    const fn of(dimension: Dimension) -> Self {
        let (from, count) = match dimension {
            Dimension::Api => return Self::Id(0),
            Dimension::Version => return Self::Id(1),
            Dimension::Operation => return Self::Id(2),
            Dimension::Application => return Self::Id(3),
            Dimension::Plan => return Self::Id(4),
            Dimension::Credential => return Self::Id(5),
            Dimension::Status => (0, 16),
            Dimension::Agent => (16, 16),
            Dimension::Refusal => (32, 8),
            Dimension::Cache => (40, 8),
            Dimension::CredentialKind => (48, 8),
            Dimension::Environment => (56, 1),
        };
        Self::Bits { from, count }
    }
}

impl CallKey {
    pub(crate) fn of(record: &Record) -> Self {
        Self::with(&Dimension::ALL, |dimension| dimension.of(record))
    }

    /// The key of a call with less detail.
    pub(crate) fn coarse(record: &Record) -> Self {
        let dimensions = [Dimension::Api, Dimension::Version, Dimension::Status];
        Self::with(&dimensions, |dimension| dimension.of(record))
    }

    fn with(dimensions: &[Dimension], of: impl Fn(Dimension) -> i64) -> Self {
        let mut key = Self::default();
        for &dimension in dimensions {
            match Place::of(dimension) {
                Place::Id(at) => key.ids[at] = of(dimension),
                Place::Bits { from, .. } => key.small |= of(dimension).cast_unsigned() << from,
            }
        }
        key
    }

    pub(crate) fn value(&self, dimension: Dimension) -> i64 {
        match Place::of(dimension) {
            Place::Id(at) => self.ids[at],
            Place::Bits { from, count } => (self.small >> from & ((1 << count) - 1)).cast_signed(),
        }
    }
}

/// The sums of calls by the values of all dimensions.
pub(crate) type Calls = HashMap<CallKey, Sums>;

/// Adds a call; returns the number of rows that it made.
pub(crate) fn add_call(calls: &mut Calls, record: &Record) -> usize {
    let before = calls.len();
    let sums = calls.entry(CallKey::of(record)).or_default();
    sums.add_call(&Measured::new(record), &Time::ALL);
    calls.len() - before
}

/// Adds calls that were only counted.
pub(crate) fn add_counted(calls: &mut Calls, overflow: &Overflow) {
    let key = CallKey::coarse(&Record {
        api: overflow.api,
        version: overflow.version,
        status: overflow.status,
        ..Record::default()
    });
    let measures = Measures::of_counted(overflow.status, overflow.calls);
    calls.entry(key).or_default().measures.add(&measures);
}

#[cfg(test)]
mod tests;
