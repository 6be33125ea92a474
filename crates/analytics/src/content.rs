//! Figures in memory: the sums of each minute by all dimensions, of the records in the workers'
//! rings; `write` takes them as a batch.

use std::collections::BTreeMap;

use tollgate_model::record::{Overflow, Record};

use crate::MINUTE_US;
use crate::calls::{CallKey, Calls};
use crate::cube::Cube;
use crate::losses::{Loss, LossKey, Reason, Unwritten};
use crate::rows::Rows;

/// Maximum rows, about 150 MB if most have few calls; beyond it, calls are counted by API, version
/// and status.
const MEMORY_ROWS_MAX: usize = 300_000;

/// Figures that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// By minute, since 1970.
    pub(crate) minutes: BTreeMap<i64, Minute>,
    /// Calls that were only counted, by minute. They are in no spool, so they do not wait for the
    /// end of their minute.
    pub(crate) counted: BTreeMap<i64, Calls>,
    pub(crate) losses: Unwritten,
    rows: usize,
}

/// The figures of a minute, by all dimensions: one row is found for a call, and the rows of the
/// cubes are made once the minute is written.
#[derive(Debug)]
pub(crate) struct Minute {
    /// Number of the first call in the spool.
    pub(crate) first: u64,
    pub(crate) calls: Calls,
}

impl Minute {
    fn add(&mut self, record: &Record, is_full: bool) {
        let mut key = CallKey::of(record);
        if is_full && !self.calls.has(&key) {
            key = CallKey::coarse(record);
        }
        self.calls.add(key, record);
    }
}

impl Content {
    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        let counted: usize = self.counted.values().map(Calls::len).sum();
        self.rows + counted
    }

    /// Adds a call with this number in the spool.
    pub(crate) fn add(&mut self, record: &Record, number: u64) {
        let at = record.at_us.div_euclid(MINUTE_US);
        let is_full = self.rows >= MEMORY_ROWS_MAX;
        let minute = self.minutes.entry(at).or_insert_with(|| Minute {
            first: number,
            calls: Calls::default(),
        });
        let before = minute.calls.len();
        minute.add(record, is_full);
        self.rows += minute.calls.len() - before;
        if is_full {
            self.lose(Reason::BacklogFull, at, 1);
        }
    }

    /// Adds calls that were only counted.
    pub(crate) fn add_overflow(&mut self, overflow: &Overflow) {
        let at = overflow.minute_us.div_euclid(MINUTE_US);
        self.counted.entry(at).or_default().add_counted(overflow);
        self.lose(Reason::RingFull, at, overflow.calls);
    }

    /// Adds a loss that was found elsewhere.
    pub(crate) fn add_loss(&mut self, loss: &Loss) {
        let (to_us, calls) = self
            .losses
            .entry(loss.key())
            .or_insert((loss.to_us, Some(0)));
        *to_us = loss.to_us.max(*to_us);
        *calls = calls.zip(loss.calls).map(|(one, other)| one + other);
    }

    /// Adds up all calls, so that sums can be read.
    pub(crate) fn settle(&mut self) {
        self.minutes.values_mut().for_each(|it| it.calls.settle());
    }

    /// Takes what is to be written: everything that does not depend on the minute being over, and
    /// the minutes for which `is_over`.
    pub(crate) fn take(&mut self, is_over: impl Fn(i64) -> bool) -> Self {
        let mut taken = Self {
            counted: std::mem::take(&mut self.counted),
            losses: std::mem::take(&mut self.losses),
            ..Self::default()
        };
        taken.minutes = self.minutes.extract_if(.., |at, _| is_over(*at)).collect();
        taken.settle();
        for content in [&mut *self, &mut taken] {
            content.rows = content.minutes.values().map(|it| it.calls.len()).sum();
        }
        taken
    }

    /// The rows of a cube in the minutes of a range, of calls with a record.
    pub(crate) fn recorded(
        &self,
        cube: &'static Cube,
        minutes: std::ops::Range<i64>,
    ) -> impl Iterator<Item = (i64, Rows)> {
        let minutes = self.minutes.range(minutes);
        minutes.map(move |(at, minute)| (*at, Rows::from_calls(cube, &minute.calls)))
    }

    /// The rows of a cube in the minutes of a range, of calls that were only counted.
    pub(crate) fn counted(
        &self,
        cube: &'static Cube,
        minutes: std::ops::Range<i64>,
    ) -> impl Iterator<Item = (i64, Rows)> {
        let minutes = self.counted.range(minutes);
        let minutes = minutes.filter(|_| cube.has_counted());
        minutes.map(move |(at, calls)| (*at, Rows::from_calls(cube, calls)))
    }

    /// Records the loss of detail of calls in a minute.
    fn lose(&mut self, reason: Reason, minute: i64, calls: u64) {
        let from_us = minute * MINUTE_US;
        let key = LossKey { reason, from_us };
        let (_, lost) = self
            .losses
            .entry(key)
            .or_insert((from_us + MINUTE_US, Some(0)));
        *lost = lost.map(|lost| lost + calls);
    }
}

#[cfg(test)]
mod tests;
