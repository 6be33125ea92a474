//! The operations of a version when a new document replaces them: the settings that they keep, and
//! the operations that may receive the calls of removed ones.
//!
//! Two operations answer the same calls if they have the same method and paths of the same shape.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::operation::{Method, Operation};
use crate::overlaps::Overlaps;
use crate::path::Paths;
use crate::template::{DocumentPath, PathTemplate, Reading};

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
    operations: &'o [Operation],
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
            operations,
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

    /// Returns the previous operations of documents from before rests, such as `/*` for one star,
    /// that `present` has with the rest of the path. Of several that become one, only the one with
    /// the strictest access is returned, the first of equal ones.
    #[must_use]
    pub fn reread(&self, present: &[Operation]) -> Vec<Rename> {
        let present = present.iter().map(|it| (it.method, it.path.as_str()));
        let present: HashSet<_> = present.collect();
        let mut previous: Vec<_> = self.operations.iter().collect();
        previous.sort_by_key(|it| (it.anonymous, Reverse(it.scopes.len())));
        let mut seen = HashSet::new();
        let reread = previous.into_iter().filter_map(|it| {
            let documented = it.path.as_documented();
            let written = documented.as_deref().unwrap_or(it.path.as_str());
            let read = DocumentPath::read(written).ok()?;
            let is_reread = read.reading == Some(Reading::Rest)
                && it.path.rest().is_none()
                && present.contains(&(it.method, read.template.as_str()))
                && seen.insert((it.method, read.template.clone()));
            is_reread.then(|| Rename {
                method: it.method,
                from: it.path.clone(),
                to: read.template,
            })
        });
        reread.collect()
    }

    /// Gives each operation the limits, weight, scopes and anonymous access of the previous one
    /// that answered the same calls, or that was renamed to it. Others are unchanged.
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
                operation.weight = previous.weight;
                operation.scopes.clone_from(&previous.scopes);
                operation.anonymous = previous.anonymous;
            }
        }
    }

    /// Returns the operations among `present` that may receive calls of removed ones.
    #[must_use]
    pub fn successors<'n>(&self, present: &'n [Operation]) -> Overlaps<&'n Operation> {
        let mut successors = Overlaps::new(self.paths);
        for operation in present {
            let is_kept = self.by_calls(operation.method, &operation.path).is_some();
            successors.add(operation.method, &operation.path, is_kept, operation);
        }
        successors
    }
}

#[cfg(test)]
mod tests;
