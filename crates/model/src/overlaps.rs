//! Operations that answer calls of another operation, once that is gone: after `GET /pets/mine` is
//! removed, its calls reach `GET /pets/{id}`.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::operation::Method;
use crate::path::Paths;
use crate::pattern::{SegmentKey, overlap, segment_keys};
use crate::template::PathTemplate;

/// How closely a segment matches, the closest first; see [`crate::template`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Literal,
    Mixed(Reverse<usize>),
    Parameter,
    Rest,
}

/// An index of operations by the calls that they have in common with a removed operation.
#[derive(Debug)]
pub struct Overlaps<T> {
    paths: Paths,
    /// By method and number of segments.
    candidates: HashMap<(Method, Segments), Vec<Candidate<T>>>,
}

/// The number of segments of the paths that a template matches; `None` if it ends with a rest.
type Segments = Option<usize>;

#[derive(Debug)]
struct Candidate<T> {
    operation: T,
    template: Template,
    is_kept: bool,
}

#[derive(Debug)]
struct Template {
    keys: Vec<SegmentKey>,
    ranks: Vec<Rank>,
}

impl<T: Copy> Overlaps<T> {
    /// Creates an empty set for a version that compares paths in this way.
    #[must_use]
    pub fn new(paths: Paths) -> Self {
        Self {
            paths,
            candidates: HashMap::new(),
        }
    }

    /// Adds an operation with a method and a path; `is_kept` is whether it was there before the
    /// other one was removed.
    pub fn add(&mut self, method: Method, path: &PathTemplate, is_kept: bool, operation: T) {
        let template = Template::new(path, self.paths);
        let similar = self.candidates.entry((method, template.segments()));
        similar.or_default().push(Candidate {
            operation,
            template,
            is_kept,
        });
    }

    /// Returns how many operations [`Self::closest`] compares.
    #[must_use]
    pub fn candidates(&self, method: Method, path: &PathTemplate) -> usize {
        let removed = Template::new(path, self.paths);
        self.similar(method, &removed).map(Vec::len).sum()
    }

    /// Returns the operation that answers calls of a removed one, the closest if there are several.
    /// A kept one that took precedence over it answered the same calls before.
    #[must_use]
    pub fn closest(&self, method: Method, path: &PathTemplate) -> Option<T> {
        let removed = Template::new(path, self.paths);
        let candidates = self.similar(method, &removed).flatten();
        let answering = candidates.filter(|it| it.answers(&removed));
        let closest = answering.min_by(|one, other| one.template.ranks.cmp(&other.template.ranks));
        closest.map(|it| it.operation)
    }

    /// Returns the operations of a method with paths that may be as long as those of `removed`.
    fn similar(
        &self,
        method: Method,
        removed: &Template,
    ) -> impl Iterator<Item = &Vec<Candidate<T>>> {
        let length = removed.segments();
        let similar = self.candidates.iter().filter(move |((of, segments), _)| {
            *of == method && (length.is_none() || segments.is_none() || *segments == length)
        });
        similar.map(|(_, candidates)| candidates)
    }
}

impl<T> Candidate<T> {
    fn answers(&self, removed: &Template) -> bool {
        let took_precedence = self.is_kept && self.template.ranks < removed.ranks;
        !took_precedence && overlap(&self.template.keys, &removed.keys)
    }
}

impl Template {
    fn new(path: &PathTemplate, paths: Paths) -> Self {
        let keys = segment_keys(path, |literal| paths.key(literal).into_owned());
        let ranks = keys.iter().map(|key| match key {
            SegmentKey::Literal(_) => Rank::Literal,
            SegmentKey::Mixed(pattern) => Rank::Mixed(Reverse(pattern.literal_chars())),
            SegmentKey::Parameter => Rank::Parameter,
            SegmentKey::Rest(_) => Rank::Rest,
        });
        Self {
            ranks: ranks.collect(),
            keys,
        }
    }

    fn segments(&self) -> Segments {
        let is_rest = matches!(self.keys.last(), Some(SegmentKey::Rest(_)));
        (!is_rest).then_some(self.keys.len())
    }
}

#[cfg(test)]
mod tests;
