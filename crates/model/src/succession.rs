//! The operations of a version when a new document replaces them: the settings that they keep, and
//! the operations that receive the calls of removed ones.
//!
//! Two operations answer the same calls if they have the same method and paths of the same shape.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::operation::{Method, Operation};
use crate::path::Paths;
use crate::pattern::{SegmentKey, segment_keys};
use crate::template::PathTemplate;

/// An operation that moves to another path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// Its method, which stays.
    pub method: Method,
    /// The previous path.
    pub from: PathTemplate,
    /// The new path.
    pub to: PathTemplate,
}

/// The previous operations of a version, by the calls that they answer.
#[derive(Debug)]
pub struct Previous<'o> {
    paths: Paths,
    by_calls: HashMap<(Method, String), &'o Operation>,
}

impl<'o> Previous<'o> {
    /// Indexes the operations of a version that compares paths in this way.
    #[must_use]
    pub fn new(operations: &'o [Operation], paths: Paths) -> Self {
        let by_calls = operations.iter();
        let by_calls = by_calls.map(|it| ((it.method, it.path.matched_shape(paths)), it));
        Self {
            paths,
            by_calls: by_calls.collect(),
        }
    }

    /// Returns the operation that answered the calls of this method and path.
    #[must_use]
    pub fn by_calls(&self, method: Method, path: &PathTemplate) -> Option<&'o Operation> {
        let calls = (method, path.matched_shape(self.paths));
        self.by_calls.get(&calls).copied()
    }

    /// Gives each operation the limits, scopes and anonymous access of the previous one that
    /// answered the same calls, or that was renamed to it. Others are unchanged.
    pub fn keep_settings(&self, operations: &mut [Operation], renames: &[Rename]) {
        let renamed = renames.iter().filter_map(|it| {
            let calls = (it.method, it.to.matched_shape(self.paths));
            Some((calls, self.by_calls(it.method, &it.from)?))
        });
        let renamed: HashMap<_, _> = renamed.collect();
        for operation in operations {
            let calls = (operation.method, operation.path.matched_shape(self.paths));
            let previous = self.by_calls.get(&calls).or_else(|| renamed.get(&calls));
            if let Some(previous) = previous {
                operation.limits.clone_from(&previous.limits);
                operation.scopes.clone_from(&previous.scopes);
                operation.anonymous = previous.anonymous;
            }
        }
    }
}

/// The operations that receive the calls of removed ones.
#[derive(Debug)]
pub struct Successors<'o> {
    paths: Paths,
    now: Vec<Candidate<'o>>,
}

#[derive(Debug)]
struct Candidate<'o> {
    operation: &'o Operation,
    keys: Vec<SegmentKey>,
    is_new: bool,
}

impl<'o> Successors<'o> {
    /// Indexes the present operations of a version.
    #[must_use]
    pub fn new(previous: &Previous<'_>, operations: &'o [Operation]) -> Self {
        let paths = previous.paths;
        let now = operations.iter().map(|operation| Candidate {
            operation,
            keys: keys(&operation.path, paths),
            is_new: previous
                .by_calls(operation.method, &operation.path)
                .is_none(),
        });
        Self {
            paths,
            now: now.collect(),
        }
    }

    /// Returns the operation that receives calls of a removed one, the closest match if there are
    /// several. One that took precedence before receives none that it did not have.
    #[must_use]
    pub fn of(&self, removed: &Operation) -> Option<&'o Operation> {
        let keys = keys(&removed.path, self.paths);
        let matching = self.now.iter().filter(|it| {
            it.operation.method == removed.method
                && it.keys.len() == keys.len()
                && it
                    .keys
                    .iter()
                    .zip(&keys)
                    .all(|(one, other)| one.overlaps(other))
                && (it.is_new || precedence(&keys, &it.keys) == Ordering::Less)
        });
        let closest = matching.min_by(|one, other| precedence(&one.keys, &other.keys));
        closest.map(|it| it.operation)
    }
}

fn keys(path: &PathTemplate, paths: Paths) -> Vec<SegmentKey> {
    segment_keys(path, |literal| paths.key(literal).into_owned())
}

/// Orders templates that match a path by how closely they do, the closest first; see
/// [`crate::template`].
fn precedence(one: &[SegmentKey], other: &[SegmentKey]) -> Ordering {
    let differing = one.iter().zip(other).find(|(one, other)| one != other);
    differing.map_or(Ordering::Equal, |(one, other)| {
        closeness(other).cmp(&closeness(one))
    })
}

/// Returns a number that is higher for a key that takes precedence.
fn closeness(key: &SegmentKey) -> usize {
    match key {
        SegmentKey::Literal(_) => usize::MAX,
        SegmentKey::Mixed(pattern) => pattern.literal_chars(),
        SegmentKey::Parameter => 0,
    }
}

#[cfg(test)]
mod tests;
