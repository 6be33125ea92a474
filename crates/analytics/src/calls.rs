//! Sums of calls by the values of all dimensions.

use hashbrown::HashMap;
use tollgate_model::record::{Overflow, Record};

use crate::cube::{TIMES, Time};
use crate::dimension::{Dimension, Values};
use crate::measures::{Measured, Measures};
use crate::sketch::Sketch;

/// The sums of the calls of a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) measures: Measures,
    pub(crate) sketches: [Sketch; TIMES],
}

impl Sums {
    /// Adds a call, with the times of which there are percentiles.
    pub(crate) fn add_call(&mut self, call: &Measured<'_>, times: &[Time]) {
        self.measures.add(&Measures::from_call(call));
        self.add_times(times, call);
    }

    /// Adds others.
    pub(crate) fn add(&mut self, other: &Self) {
        self.measures.add(&other.measures);
        for (sketch, more) in self.sketches.iter_mut().zip(&other.sketches) {
            sketch.merge(more);
        }
    }
}

/// The sums of calls by the values of all dimensions.
pub(crate) type Calls = HashMap<Values<i64>, Sums>;

/// Adds a call; returns the number of rows that it made.
pub(crate) fn add_call(calls: &mut Calls, record: &Record) -> usize {
    let before = calls.len();
    let values = Dimension::ALL.map(|dimension| dimension.of(record));
    let sums = calls.entry(values).or_default();
    sums.add_call(&Measured::new(record), &Time::ALL);
    calls.len() - before
}

/// Adds calls that were only counted.
pub(crate) fn add_counted(calls: &mut Calls, overflow: &Overflow) {
    let mut values = Values::default();
    values[Dimension::Api as usize] = overflow.api.map_or(0, |it| it.raw());
    values[Dimension::Version as usize] = overflow.version.map_or(0, |it| it.raw());
    values[Dimension::Status as usize] = overflow.status.into();
    let measures = Measures::of_counted(overflow.status, overflow.calls);
    calls.entry(values).or_default().measures.add(&measures);
}

impl Sums {
    fn add_times(&mut self, times: &[Time], call: &Measured<'_>) {
        for time in times {
            let us = match time {
                Time::Total => Some(call.record.total_us),
                Time::Upstream => call.upstream_us,
                Time::Gateway => Some(call.gateway_us),
            };
            if let Some(us) = us {
                self.sketches[*time as usize].add(us);
            }
        }
    }
}

/// The values of a call with less detail.
pub(crate) fn coarse(record: &Record) -> Values<i64> {
    let mut values = Values::default();
    for dimension in [Dimension::Api, Dimension::Version, Dimension::Status] {
        values[dimension as usize] = dimension.of(record);
    }
    values
}
