//! Adds up the calls of blocks. A block has few different routes, callers and outcomes: each is
//! looked at once, and calls with the same of all three are counted together.

use hashbrown::HashMap;
use tollgate_model::record::Record;
use tollgate_spool::{Block, Call, Damage, Part};

use crate::MINUTE_US;
use crate::accepted::Accepted;
use crate::calls::Sums;
use crate::dimension::Values;
use crate::groups::Groups;
use crate::measures::{Measured, Measures};
use crate::plan::Segment as Steps;
use crate::query::Query;
use crate::sieve::{COLUMNS, Sieve};

/// How blocks are read for a query.
pub(super) struct Reading<'q> {
    query: &'q Query,
    /// The steps of the query.
    steps: &'q [Steps],
    accepted: Accepted,
    /// The other parts that are needed of each call.
    parts: Vec<Part>,
}

/// What is read of a block.
struct Opened {
    sieve: Sieve,
    /// The minute of each call, if it matters.
    minutes: Option<Vec<i64>>,
    /// The calls with the other parts; empty if those are not needed.
    calls: Vec<Call>,
}

/// Calls of a block that have the same values, in the same step.
struct Kind {
    step: Option<i64>,
    /// What they have in common.
    record: Record,
    calls: u64,
    /// The sums of those of which other parts are read.
    sums: Sums,
}

impl<'q> Reading<'q> {
    pub(super) fn new(query: &'q Query, steps: &'q [Steps]) -> Self {
        let parts = query.parts();
        Self {
            query,
            steps,
            accepted: Accepted::new(&query.filter),
            parts: parts
                .into_iter()
                .filter(|it| !COLUMNS.contains(it))
                .collect(),
        }
    }

    /// Adds the calls of a block.
    ///
    /// # Errors
    /// [`Damage`] if they are not readable; none is added then.
    pub(super) fn add(&self, block: &Block, found: &mut Groups) -> Result<(), Damage> {
        let opened = self.open(block)?;
        for kind in self.kinds(block.head().calls as usize, &opened) {
            found.add(kind.step, |it| it.of(&kind.record), &kind.sums);
        }
        Ok(())
    }

    fn open(&self, block: &Block) -> Result<Opened, Damage> {
        let is_needed = |part| self.query.parts().contains(&part);
        let mut sieve = Sieve::new(block, &self.accepted, is_needed)?;
        self.merge(&mut sieve);
        let minute = |at_us: i64| at_us.div_euclid(MINUTE_US);
        let (head, wanted) = (block.head(), self.query.minutes());
        let is_within =
            wanted.contains(&minute(head.from_us)) && wanted.contains(&minute(head.to_us));
        let minutes = match is_within && self.query.step.is_none() {
            true => None,
            false => Some(block.arrivals()?.into_iter().map(minute).collect()),
        };
        let mut calls = Vec::new();
        if !self.parts.is_empty() {
            block.read_parts(&self.parts, &mut calls)?;
        }
        Ok(Opened {
            sieve,
            minutes,
            calls,
        })
    }

    /// The values of a call that it is grouped by; 0 for other dimensions.
    fn values(&self, record: &Record) -> Values<i64> {
        let mut values = Values::default();
        for &dimension in &self.query.group_by {
            values[dimension as usize] = dimension.of(record);
        }
        values
    }

    /// Merges the values that make no difference to the query.
    fn merge(&self, sieve: &mut Sieve) {
        sieve.merge(Part::Route, |it| self.values(it));
        sieve.merge(Part::Caller, |it| self.values(it));
        // With the times of a call, its outcome decides on what they are counted as.
        if self.parts.is_empty() {
            let measures = |record: &Record| Measures::from_call(&Measured::new(record));
            sieve.merge(Part::Outcome, |it| (self.values(it), measures(it).values()));
        }
    }

    /// The calls of a block that pass, by what they have in common.
    fn kinds(&self, count: usize, opened: &Opened) -> Vec<Kind> {
        let wanted = self.query.minutes();
        let (mut kinds, mut places) = (Vec::<Kind>::new(), HashMap::<u64, usize>::new());
        // Calls that follow each other are often of the same minute.
        let (mut minute, mut step, mut steps) = (i64::MIN, 0, Vec::<Option<i64>>::new());
        for call in 0..count {
            if let Some(minutes) = &opened.minutes {
                if !wanted.contains(&minutes[call]) {
                    continue;
                }
                if minutes[call] != minute {
                    minute = minutes[call];
                    let of_minute = self.step(minute);
                    let known = steps.iter().position(|it| *it == of_minute);
                    step = known.unwrap_or(steps.len());
                    if known.is_none() {
                        steps.push(of_minute);
                    }
                }
            }
            let Some(values) = opened.sieve.values(call) else {
                continue;
            };
            // Places have 16 bits, and a block has fewer steps than calls.
            let place = *places.entry(values << 16 | step as u64).or_insert_with(|| {
                kinds.push(Kind {
                    step: steps.get(step).copied().flatten(),
                    record: opened.sieve.record(call),
                    calls: 0,
                    sums: Sums::default(),
                });
                kinds.len() - 1
            });
            kinds[place].add(opened.calls.get(call), self.query);
        }
        kinds.iter_mut().for_each(Kind::finish);
        kinds
    }

    fn step(&self, minute: i64) -> Option<i64> {
        let mut steps = self.steps.iter();
        let steps = steps.find(|it| (it.from..it.to).contains(&minute))?;
        steps.grid.step(minute)
    }
}

impl Kind {
    /// Adds a call, with the other parts of it if they are read.
    fn add(&mut self, call: Option<&Call>, query: &Query) {
        self.calls += 1;
        if let Some(Call { record, .. }) = call {
            let record = Record {
                total_us: record.total_us,
                before_us: record.before_us,
                upstream_us: record.upstream_us,
                mediate_us: record.mediate_us,
                bytes_in: record.bytes_in,
                bytes_out: record.bytes_out,
                ..self.record
            };
            self.sums
                .add_call(&Measured::new(&record), &query.percentiles);
        }
    }

    /// Sums up calls of which nothing else was read.
    fn finish(&mut self) {
        if self.sums.measures.calls == 0 {
            let one = Measures::from_call(&Measured::new(&self.record));
            self.sums.measures = one.times(self.calls);
        }
    }
}
