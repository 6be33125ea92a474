//! Sums of calls by the values of all dimensions.
//!
//! A minute has a row for each different call, in memory. Most of what recording costs is to bring
//! a row into the processor's cache: so calls are kept in the order of their arrival, and added up
//! row by row, many at once.

use hashbrown::HashMap;
use tollgate_model::record::{Answered, Flags, Overflow, Record};
use tollgate_model::refusal::Refusal;

use crate::cube::{TIMES, Time};
use crate::dimension::Dimension;
use crate::measures::{Measured, Measures};
use crate::sketch::Sketch;

/// Calls that are kept before they are added up: 3 MB.
const CALLS_MAX: usize = 1 << 16;
/// Calls of a row of which the times are kept before they are counted.
const TIMES_MAX: usize = 128;
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
        if self.recent.len() == TIMES_MAX {
            for time in Time::ALL {
                let mut sketch = std::mem::take(&mut self.sketches[time as usize]);
                self.merge_recent(time, &mut sketch);
                self.sketches[time as usize] = sketch;
            }
            self.recent.clear();
        }
        self.recent.push(buckets);
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

/// What is measured of a call that is not added up yet.
#[derive(Debug, Clone, Copy)]
struct Recent {
    /// The place of its row.
    row: u32,
    total_us: u32,
    before_us: u32,
    upstream_us: u32,
    bytes_in: u64,
    bytes_out: u64,
    mediate_us: u16,
    upstream_status: u16,
    status: u16,
    refusal: Option<Refusal>,
    answered: Answered,
    flags: Flags,
}

impl Recent {
    const fn new(row: u32, record: &Record) -> Self {
        Self {
            row,
            total_us: record.total_us,
            before_us: record.before_us,
            upstream_us: record.upstream_us,
            bytes_in: record.bytes_in,
            bytes_out: record.bytes_out,
            mediate_us: record.mediate_us,
            upstream_status: record.upstream_status,
            status: record.status,
            refusal: record.refusal,
            answered: record.answered,
            flags: record.flags,
        }
    }

    /// The record, without what the key of its row has.
    fn record(&self) -> Record {
        Record {
            total_us: self.total_us,
            before_us: self.before_us,
            upstream_us: self.upstream_us,
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out,
            mediate_us: self.mediate_us,
            upstream_status: self.upstream_status,
            status: self.status,
            refusal: self.refusal,
            answered: self.answered,
            flags: self.flags,
            ..Record::default()
        }
    }
}

/// The sums of calls by the values of all dimensions.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    rows: HashMap<CallKey, u32>,
    sums: Vec<Sums>,
    /// Calls that are not in the sums yet, in the order of their arrival.
    recent: Vec<Recent>,
}

impl Calls {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.sums.len()
    }

    pub(crate) fn has(&self, key: &CallKey) -> bool {
        self.rows.contains_key(key)
    }

    /// Adds a call to the row of a key.
    pub(crate) fn add(&mut self, key: CallKey, record: &Record) {
        let row = self.row(key);
        self.recent.push(Recent::new(row, record));
        if self.recent.len() == CALLS_MAX {
            self.settle();
        }
    }

    /// Adds calls that were only counted.
    pub(crate) fn add_counted(&mut self, overflow: &Overflow) {
        let row = self.row(CallKey::coarse(&Record {
            api: overflow.api,
            version: overflow.version,
            status: overflow.status,
            ..Record::default()
        }));
        let measures = Measures::of_counted(overflow.status, overflow.calls);
        self.sums[row as usize].measures.add(&measures);
    }

    fn row(&mut self, key: CallKey) -> u32 {
        let next = self.sums.len() as u32;
        let row = *self.rows.entry(key).or_insert(next);
        if row == next {
            self.sums.push(Sums::default());
        }
        row
    }

    /// Adds up what is not in the sums yet, row by row: each is brought into the cache once.
    pub(crate) fn settle(&mut self) {
        let order = self.recent.iter().enumerate();
        let order = order.map(|(at, call)| u64::from(call.row) << 32 | at as u64);
        let mut order: Vec<_> = order.collect();
        order.sort_unstable();
        for at in order {
            let call = &self.recent[at as u32 as usize];
            let record = call.record();
            self.sums[call.row as usize].add_call(&Measured::new(&record), &Time::ALL);
        }
        self.recent.clear();
    }

    /// Adds everything up, and frees the memory that is kept for more calls.
    pub(crate) fn compact(&mut self) {
        self.settle();
        self.recent = Vec::new();
        self.sums.shrink_to_fit();
    }

    /// The rows, once everything is in the sums.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&CallKey, &Sums)> {
        debug_assert!(
            self.recent.is_empty(),
            "calls are settled before they are read"
        );
        self.rows
            .iter()
            .map(|(key, row)| (key, &self.sums[*row as usize]))
    }
}

#[cfg(test)]
mod tests;
