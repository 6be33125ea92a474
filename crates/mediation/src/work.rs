//! The work that steps do on one message, counted in units instead of time: the same message takes
//! the same units on every machine, in gateways and in a dry run.
//!
//! Everything that grows with a message counts: conditions, expressions, patterns, templates, the
//! paths of edits and masks, XML and compression. In each step, reading JSON or text once is free,
//! up to the length of the body that arrived.
//!
//! `benches/work.rs` set the weights, on 2026-11-29 with two busy cores: a unit of a template takes
//! 1.6 ns there (2.5 ns on slow cores), and no other unit more than three times that.

use std::cell::Cell;

use tollgate_json::tape::{NodeId, View};

use crate::outcome::Stop;

/// Units of a message, besides those for its body: about 50 ms.
const UNITS: usize = 20_000_000;
/// Units for each byte of the body as it arrived, without its content coding.
const UNITS_PER_BODY_BYTE: usize = 8;

/// Bytes that are compared, searched or copied with one unit.
pub(crate) const BYTES_PER_UNIT: usize = 16;
/// Bytes that are escaped with one unit.
pub(crate) const ESCAPED_BYTES_PER_UNIT: usize = 2;
/// Bytes of a body that are read with one unit, and units for two of its values and names.
const READ_BYTES_PER_UNIT: usize = 10;
const UNITS_OF_TWO_NODES: usize = 3;
/// Units for a name of an object that another is compared with.
pub(crate) const NAME_UNITS: usize = 2;
/// Units for a field line that is visited.
const LINE_UNITS: usize = 4;
/// Steps of a binary search with one unit.
const STEPS_PER_UNIT: usize = 2;

/// The units that the steps of one message have spent, and those that they may spend.
#[derive(Debug)]
pub(crate) struct Work {
    spent: Cell<usize>,
    units_max: Cell<usize>,
    /// Bytes of the body as it arrived.
    body_bytes: Cell<usize>,
    /// The place in its list of the last step that began.
    step: Cell<usize>,
}

/// A reading of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading {
    pub(crate) bytes: usize,
    /// Number of values and names.
    pub(crate) nodes: usize,
    /// Whether it is the first of its step.
    pub(crate) is_first: bool,
}

/// The work of a message while its memory is used for others: see
/// [`Scratch::resume`](crate::scope::Scratch::resume).
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    spent: usize,
    units_max: usize,
    body_bytes: usize,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            spent: Cell::new(0),
            units_max: Cell::new(UNITS),
            body_bytes: Cell::new(0),
            step: Cell::new(0),
        }
    }
}

impl Work {
    /// Notes which step of its list begins.
    pub(crate) fn begin_step(&self, place: usize) {
        self.step.set(place);
    }

    /// The place in its list of the last step that began.
    pub(crate) fn step(&self) -> usize {
        self.step.get()
    }

    /// Starts to count for another message.
    pub(crate) fn reset(&self) {
        self.spent.set(0);
        self.units_max.set(UNITS);
        self.body_bytes.set(0);
    }

    /// Resumes counting for the same message, now that its body is here.
    pub(crate) fn resume(&self, spent: usize, body_bytes: usize) {
        self.spent.set(spent);
        self.body_bytes.set(body_bytes);
        let of_body = body_bytes.saturating_mul(UNITS_PER_BODY_BYTE);
        self.units_max.set(UNITS.saturating_add(of_body));
    }

    /// Returns the work so far.
    pub(crate) fn budget(&self) -> Budget {
        Budget {
            spent: self.spent.get(),
            units_max: self.units_max.get(),
            body_bytes: self.body_bytes.get(),
        }
    }

    /// Resumes counting from the work so far.
    pub(crate) fn restore(&self, budget: Budget) {
        self.spent.set(budget.spent);
        self.units_max.set(budget.units_max);
        self.body_bytes.set(budget.body_bytes);
    }

    /// Returns the units that are spent; more than the maximum once it is exceeded.
    pub(crate) fn spent(&self) -> usize {
        self.spent.get()
    }

    /// Spends units; returns whether the maximum still holds.
    #[inline]
    pub(crate) fn spend(&self, units: usize) -> bool {
        let spent = self.spent.get().saturating_add(units);
        self.spent.set(spent);
        spent <= self.units_max.get()
    }

    /// Spends the units for reading, comparing or copying bytes.
    #[inline]
    pub(crate) fn spend_bytes(&self, bytes: usize) -> bool {
        self.spend(bytes / BYTES_PER_UNIT)
    }

    /// Spends the units for visiting field lines, and for reading bytes of them.
    pub(crate) fn spend_lines(&self, lines: usize, bytes: usize) -> bool {
        self.spend(lines * LINE_UNITS + bytes / BYTES_PER_UNIT)
    }

    /// Whether more than the maximum is spent: whatever was made since then is incomplete.
    #[inline]
    pub(crate) fn is_exceeded(&self) -> bool {
        self.spent.get() > self.units_max.get()
    }

    /// Spends units.
    ///
    /// # Errors
    /// Fails if the maximum is exceeded.
    pub(crate) fn charge(&self, units: usize) -> Result<(), Stop> {
        self.spend(units);
        self.check()
    }

    /// Spends the units for reading a body. The first reading of a step is free, up to the length
    /// of the body that arrived.
    ///
    /// # Errors
    /// Fails if the maximum is exceeded.
    pub(crate) fn charge_reading(&self, reading: Reading) -> Result<(), Stop> {
        let Reading { bytes, nodes, .. } = reading;
        let free = match reading.is_first {
            true => self.body_bytes.get(),
            false => 0,
        };
        let charged = bytes.saturating_sub(free);
        let nodes = nodes * charged / bytes.max(1);
        self.charge(charged / READ_BYTES_PER_UNIT + nodes * UNITS_OF_TWO_NODES / 2)
    }

    /// Checks that the maximum still holds.
    ///
    /// # Errors
    /// Fails if it is exceeded.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        match self.is_exceeded() {
            true => Err(Stop::TooMuchWork(None)),
            false => Ok(()),
        }
    }

    /// Returns the key with a name in an object, and spends the units for the keys that the name is
    /// compared with; `None` once the maximum is exceeded.
    #[inline]
    pub(crate) fn find_key(&self, view: View<'_>, object: NodeId, name: &str) -> Option<NodeId> {
        let search = view.find_counting(object, name);
        let has_work = self.spend(search.keys * NAME_UNITS + search.bytes / BYTES_PER_UNIT);
        search.found.filter(|_| has_work)
    }
}

/// Returns the maximum number of steps of a binary search.
pub(crate) fn search_steps(of: usize) -> usize {
    of.checked_ilog2().map_or(0, |log| log as usize + 1)
}

/// Returns the units of a binary search.
pub(crate) fn search_units(of: usize) -> usize {
    search_steps(of) / STEPS_PER_UNIT
}
