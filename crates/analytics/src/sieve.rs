//! Which calls of a block pass a filter. A block has few different routes, callers and outcomes:
//! each is looked at once.

use std::hash::Hash;

use hashbrown::HashMap;
use tollgate_model::record::Record;
use tollgate_spool::{Block, Column, Damage, Part};

use crate::accepted::Accepted;

/// The parts of which a block has few values.
pub(crate) const COLUMNS: [Part; 3] = [Part::Route, Part::Caller, Part::Outcome];

/// The columns of a block, with which of their values pass.
pub(crate) struct Sieve {
    columns: [Option<Judged>; COLUMNS.len()],
    /// Whether one of several values is required.
    has_sight: bool,
}

struct Judged {
    column: Column,
    /// Of each value, whether it has all that is required of it, and any of those of which one is.
    passes: Vec<[bool; 2]>,
}

impl Sieve {
    /// Reads the parts that are needed of a block.
    ///
    /// # Errors
    /// [`Damage`] if they are not readable.
    pub(crate) fn new(
        block: &Block,
        accepted: &Accepted,
        is_needed: impl Fn(Part) -> bool,
    ) -> Result<Self, Damage> {
        let mut columns = [const { None }; COLUMNS.len()];
        for (place, part) in columns.iter_mut().zip(COLUMNS) {
            if is_needed(part) {
                let column = block.column(part)?;
                let values = column.values.iter();
                let passes = values.map(|it| accepted.judge(part, it)).collect();
                *place = Some(Judged { column, passes });
            }
        }
        Ok(Self {
            columns,
            has_sight: accepted.has_sight(),
        })
    }

    /// Whether the columns show that no call passes.
    pub(crate) fn is_closed(&self) -> bool {
        let mut judged = self.columns.iter().flatten();
        judged.any(|it| !it.passes.iter().any(|[passes, _]| *passes))
    }

    /// Makes one value of those of a part that pass alike and have the same key: a query that has
    /// no use for their difference counts their calls together.
    pub(crate) fn merge<K: Eq + Hash>(&mut self, part: Part, key: impl Fn(&Record) -> K) {
        let mut columns = self.columns.iter_mut().zip(COLUMNS);
        let Some((Some(judged), _)) = columns.find(|(_, it)| *it == part) else {
            return;
        };
        let mut first = HashMap::new();
        let values = judged.column.values.iter().zip(&judged.passes);
        let same: Vec<u16> = (0..)
            .zip(values)
            .map(|(place, (value, passes))| *first.entry((key(value), *passes)).or_insert(place))
            .collect();
        for place in &mut judged.column.places {
            *place = same[usize::from(*place)];
        }
    }

    /// The places of the values of a call, as one number of 48 bits; `None` if they do not pass.
    pub(crate) fn values(&self, call: usize) -> Option<u64> {
        let (mut values, mut is_seen) = (0, !self.has_sight);
        for judged in self.columns.iter().flatten() {
            let place = judged.column.places[call];
            let [passes, is_in_sight] = judged.passes[usize::from(place)];
            if !passes {
                return None;
            }
            is_seen |= is_in_sight;
            values = values << 16 | u64::from(place);
        }
        is_seen.then_some(values)
    }

    /// What the columns have of a call.
    pub(crate) fn record(&self, call: usize) -> Record {
        let [route, caller, outcome] = self.columns.each_ref().map(|judged| {
            let value = judged.as_ref().map(|it| {
                let place = it.column.places[call];
                it.column.values[usize::from(place)]
            });
            value.unwrap_or_default()
        });
        Record {
            api: route.api,
            version: route.version,
            operation: route.operation,
            application: caller.application,
            plan: caller.plan,
            credential: caller.credential,
            credential_kind: caller.credential_kind,
            ..outcome
        }
    }
}
