//! Operations of one document that answer calls of an operation that the other document alone has:
//! after `GET /pets/mine` is gone, its calls reach `GET /pets/{id}`.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::document::Budget;
use super::operations::Operation;
use crate::model::api::Method;
use crate::model::path::Paths;
use crate::model::pattern::{SegmentKey, segment_keys};

/// How closely a segment matches, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Literal,
    Mixed(Reverse<usize>),
    Parameter,
}

/// An operation that may answer calls of others.
#[derive(Debug)]
struct Candidate<'o, 'd> {
    operation: &'o Operation<'d>,
    keys: Vec<SegmentKey>,
    ranks: Vec<Rank>,
    /// Whether both documents have it.
    is_kept: bool,
}

impl<'o, 'd> Candidate<'o, 'd> {
    fn new(operation: &'o Operation<'d>, is_kept: bool) -> Self {
        let keys = segment_keys(&operation.template, |it| Paths::Exact.key(it).into_owned());
        let ranks = keys.iter().map(|key| match key {
            SegmentKey::Literal(_) => Rank::Literal,
            SegmentKey::Mixed(pattern) => Rank::Mixed(Reverse(pattern.literal_chars())),
            SegmentKey::Parameter => Rank::Parameter,
        });
        Self {
            operation,
            ranks: ranks.collect(),
            keys,
            is_kept,
        }
    }

    /// Whether it answers calls of another operation. A closer one that both documents have
    /// answers them in both.
    fn answers(&self, other: &Self) -> bool {
        let is_closer_in_both = self.is_kept && self.ranks < other.ranks;
        let mut keys = self.keys.iter().zip(&other.keys);
        !is_closer_in_both && keys.all(|(one, other)| one.overlaps(other))
    }
}

/// The operations of a document, by what a path and a method can have in common with them.
#[derive(Debug, Default)]
pub(super) struct Overlaps<'o, 'd>(HashMap<(Method, usize), Vec<Candidate<'o, 'd>>>);

impl<'o, 'd> Overlaps<'o, 'd> {
    /// Creates it from the operations that both documents have and those of this one alone.
    pub(super) fn new(
        kept: impl Iterator<Item = &'o Operation<'d>>,
        alone: &'o [Operation<'d>],
    ) -> Self {
        let kept = kept.map(|it| Candidate::new(it, true));
        let alone = alone.iter().map(|it| Candidate::new(it, false));
        let mut overlaps = Self::default();
        for candidate in kept.chain(alone) {
            let key = (candidate.operation.method, candidate.keys.len());
            overlaps.0.entry(key).or_default().push(candidate);
        }
        overlaps
    }

    /// Returns the closest operation that answers calls of an operation of the other document.
    pub(super) fn closest(
        &self,
        operation: &Operation<'_>,
        budget: &Budget,
    ) -> Option<&'o Operation<'d>> {
        let wanted = Candidate::new(operation, false);
        let candidates = self.0.get(&(operation.method, wanted.keys.len()))?;
        if !budget.spend(candidates.len()) {
            return None;
        }
        let answering = candidates.iter().filter(|it| it.answers(&wanted));
        let closest = answering.min_by(|one, other| one.ranks.cmp(&other.ranks))?;
        Some(closest.operation)
    }
}
