//! A version's operations, found by path in a tree of segments (`operations/tree.rs`).
//!
//! Equivalent percent-encodings match alike, in paths and in templates (`tollgate_model::path`).
//! The readings of a path (`route/readings.rs`) are matched in trees of literals decoded as often.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashSet;
use tollgate_counters::{BoundLimit, Counters};
use tollgate_model::api::Method;
use tollgate_model::feed::{ServedAccess, ServedOperation, ServedVersion};
use tollgate_model::id::OperationId;
use tollgate_model::limit::ServedLimit;
use tollgate_model::path::readings::{DECODINGS_MAX, decoded_once};
use tollgate_model::path::{self, Paths, Reading};
use tollgate_model::pattern::{Escapes, Pattern, SegmentKey, segment_keys};

use crate::limits::{Found as FoundLimits, Owner, Rules, own_dimension};
use crate::snapshot::mediation::Mediation;

mod tree;

pub(crate) use tree::Methods;
use tree::{Node, Wanted};

/// Returns the end of the segment that begins at `start`.
pub(crate) fn segment_end(path: &[u8], start: usize) -> usize {
    memchr::memchr(b'/', &path[start..]).map_or(path.len(), |slash| start + slash)
}

/// An operation as served by this gateway, the unit of limits and mediation.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) id: OperationId,
    /// Units that a call of it costs.
    pub(crate) weight: u16,
    /// Its own limits.
    pub(crate) bounds: Vec<BoundLimit>,
    /// Its own limits that are found at the call.
    pub(crate) found: FoundLimits,
    /// The access rules for its callers.
    pub(crate) access: ServedAccess,
    pub(crate) mediation: Arc<Mediation>,
    template: TemplateParts,
}

/// Which bytes of a path are parameters.
#[derive(Debug, Default)]
struct TemplateParts {
    /// A bit for each segment that is a parameter.
    parameters: u64,
    /// Segments that mix literals and parameters.
    mixed: Vec<(usize, Pattern)>,
    /// The segment with which the rest of the path begins.
    rest: Option<usize>,
}

impl Operation {
    /// An operation that costs one unit.
    pub(crate) fn new(
        id: OperationId,
        limits: &[ServedLimit],
        access: &ServedAccess,
        mediation: Arc<Mediation>,
        counters: &Counters,
    ) -> Self {
        let dimension = [own_dimension(id.raw())];
        let rules = Rules::new(limits, Owner::Operation, id.raw());
        let bounds = rules.bound.iter();
        let bounds = bounds.map(|rule| counters.bind_rule(rule, &dimension));
        Self {
            id,
            weight: 1,
            bounds: bounds.collect(),
            found: rules.found,
            access: access.clone(),
            mediation,
            template: TemplateParts::default(),
        }
    }

    /// Sets the units that a call of it costs.
    pub(crate) fn weighing(self, weight: u16) -> Self {
        Self { weight, ..self }
    }

    /// Whether its path ends with a parameter for the rest.
    pub(crate) fn takes_rest(&self) -> bool {
        self.template.rest.is_some()
    }

    /// The ranges of literals in a path segment, given in its matched form.
    pub(crate) fn literals_in(
        &self,
        index: usize,
        segment: &[u8],
        paths: Paths,
    ) -> Vec<Range<usize>> {
        let is_in_rest = self.template.rest.is_some_and(|rest| index >= rest);
        if is_in_rest || self.template.parameters >> index & 1 == 1 {
            return Vec::new();
        }
        let mut mixed = self.template.mixed.iter();
        match mixed.find(|(at, _)| *at == index) {
            Some((_, pattern)) => pattern.literals_in(&paths.key(segment)).unwrap_or_default(),
            None => std::iter::once(0..segment.len()).collect(),
        }
    }

    /// A segment as sent to the back end: with encoded sub-delims decoded where literals match
    /// them, and parameters as the caller sent them.
    pub(crate) fn sent<'s>(&self, index: usize, segment: &'s [u8], paths: Paths) -> Cow<'s, [u8]> {
        let literals = self.literals_in(index, &path::matched(segment), paths);
        path::plain_literals(segment, &literals)
    }
}

impl TemplateParts {
    fn new(keys: Vec<SegmentKey>) -> Self {
        let mut parts = Self::default();
        for (index, key) in keys.into_iter().enumerate() {
            match key {
                SegmentKey::Literal(_) => {}
                SegmentKey::Parameter => parts.parameters |= 1 << index,
                SegmentKey::Mixed(pattern) => parts.mixed.push((index, pattern)),
                SegmentKey::Rest(_) => parts.rest = Some(index),
            }
        }
        parts
    }
}

/// Place of several operations that a decoded path does not distinguish.
const SEVERAL: u32 = u32::MAX;

/// The operations of a version with a tree of path segments.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    list: Vec<Operation>,
    /// By the matched form of literals ([`path::matched`]).
    root: Node,
    /// By the literals decoded once, twice and three times; `None` if that changes nothing.
    decoded: Option<Box<[Node; DECODINGS_MAX]>>,
    ignores_case: bool,
}

/// The result of a look-up by path and method.
#[derive(Debug)]
pub(crate) enum Found<'s> {
    Operation(&'s Operation),
    /// The path exists with these methods only: a bit for each of
    /// [`METHODS`](tollgate_model::api::METHODS).
    OtherMethods(u8),
    Nothing,
}

impl Operations {
    /// Builds the trees of a version's operations, each with its mediation.
    pub(crate) fn new(
        operations: Vec<(&ServedOperation, Arc<Mediation>)>,
        served: &ServedVersion,
        counters: &Counters,
    ) -> Self {
        let reading = served.reading;
        let ignores_case = reading.paths == Paths::IgnoreCase;
        let mut root = Node::default();
        let all: Vec<_> = operations.iter().map(|&(operation, _)| operation).collect();
        let mut left_out = HashSet::new();
        for (place, operation) in all.iter().enumerate() {
            let slot = root.slot(keys(operation, reading.paths), operation.method);
            let Some(other) = *slot else {
                *slot = Some(narrow(place));
                continue;
            };
            let (kept, left) = prevailing(&all, other as usize, place, served);
            left_out.insert(left);
            *slot = Some(narrow(kept));
        }
        let list = operations.into_iter().map(|(operation, mediation)| {
            let (limits, access) = (&operation.limits, &operation.access);
            let served = Operation::new(operation.id, limits, access, mediation, counters);
            Operation {
                template: TemplateParts::new(keys(operation, reading.paths)),
                ..served.weighing(operation.weight)
            }
        });
        let is_same_decoded = |operation: &&ServedOperation| !operation.path.as_str().contains('%');
        let decoded = (ignores_case || !all.iter().all(is_same_decoded)).then(|| {
            let served = all.iter().copied().enumerate();
            let served: Vec<_> = served.filter(|it| !left_out.contains(&it.0)).collect();
            let trees = std::array::from_fn(|at| decoded_tree(&served, at + 1, reading));
            Box::new(trees)
        });
        Self {
            list: list.collect(),
            root,
            decoded,
            ignores_case,
        }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[Operation] {
        &self.list
    }

    /// Finds an operation. `path` is what follows the version, in its matched form: empty, or
    /// beginning with a slash.
    pub(crate) fn find(&self, path: &[u8], method: Option<Method>) -> Found<'_> {
        let path = folded(Cow::Borrowed(path), self.ignores_case, 0);
        match self.root.find(&path, Wanted::of(method)) {
            Ok(place) => Found::Operation(&self.list[place as usize]),
            Err(0) => Found::Nothing,
            Err(allowed) => Found::OtherMethods(allowed),
        }
    }

    /// Returns the operations, by method, of the most literal template that matches a path decoded
    /// `decodings` times; `None` if none matches.
    pub(crate) fn methods(&self, path: &[u8], decodings: usize) -> Option<&Methods> {
        let path = folded(Cow::Borrowed(path), self.ignores_case, decodings);
        self.tree(decodings).methods_of(&path, escapes(decodings))
    }

    /// Whether a call with this method of a path decoded `decodings` times is one of a different
    /// operation.
    pub(crate) fn leads_elsewhere(
        &self,
        operation: &Operation,
        method: Method,
        path: &[u8],
        decodings: usize,
    ) -> bool {
        let path = folded(Cow::Borrowed(path), self.ignores_case, decodings);
        let wanted = Wanted {
            method: Some(method),
            escapes: escapes(decodings),
        };
        let found = self.tree(decodings).find(&path, wanted);
        found.is_ok_and(|place| {
            let found = self.list.get(place as usize);
            found.is_none_or(|found| found.id != operation.id)
        })
    }

    /// The tree of literals decoded `decodings` times.
    fn tree(&self, decodings: usize) -> &Node {
        match (decodings, &self.decoded) {
            (1.., Some(decoded)) => &decoded[decodings - 1],
            _ => &self.root,
        }
    }

    /// Whether its literals stay the same however often they are decoded.
    pub(crate) fn has_plain_literals(&self) -> bool {
        self.decoded.is_none()
    }
}

fn escapes(decodings: usize) -> Escapes {
    match decodings {
        0 => Escapes::Encoded,
        _ => Escapes::Decoded,
    }
}

/// The keys that match the segments of an operation's path.
fn keys(operation: &ServedOperation, paths: Paths) -> Vec<SegmentKey> {
    segment_keys(&operation.path, |literal| paths.key(literal).into_owned())
}

/// The tree of literals decoded as often as a reading of a path.
fn decoded_tree(
    operations: &[(usize, &ServedOperation)],
    decodings: usize,
    reading: Reading,
) -> Node {
    let mut root = Node::default();
    for &(place, operation) in operations {
        let of_literal = |text: &[u8]| {
            let mut text = text.to_vec();
            for _ in 0..decodings {
                text = decoded_once(&text, reading.encoded_slash);
            }
            let ignores_case = reading.paths == Paths::IgnoreCase;
            folded(Cow::Owned(text), ignores_case, decodings).into_owned()
        };
        let keys = segment_keys(&operation.path, of_literal);
        let slot = root.slot(keys, operation.method);
        *slot = Some(slot.map_or(narrow(place), |_| SEVERAL));
    }
    root
}

/// Folds case if the back end ignores it: ASCII only for a path that is not decoded, otherwise all
/// letters. Case may map in one direction only, so it is mapped in both.
fn folded(text: Cow<'_, [u8]>, ignores_case: bool, decodings: usize) -> Cow<'_, [u8]> {
    if !ignores_case {
        return text;
    }
    let characters = std::str::from_utf8(&text).ok().filter(|_| decodings > 0);
    Cow::Owned(characters.map_or_else(
        || text.to_ascii_lowercase(),
        |it| it.to_uppercase().to_lowercase().into_bytes(),
    ))
}

/// Chooses between two operations with the same calls, which earlier releases could store: the one
/// with its path in matched form, else the stricter one. Returns its place and that of the other.
fn prevailing(
    all: &[&ServedOperation],
    first: usize,
    second: usize,
    served: &ServedVersion,
) -> (usize, usize) {
    let weight = |place: usize| {
        let operation = all[place];
        let access = &operation.access;
        (
            operation.path.is_plain(),
            !access.is_anonymous,
            access.scopes.len(),
            operation.limits.len(),
        )
    };
    let (kept, left) = match weight(second) > weight(first) {
        true => (second, first),
        false => (first, second),
    };
    let (version, kept_path, left_path) = (served.id, &all[kept].path, &all[left].path);
    let method = all[kept].method;
    tracing::warn!(
        %version,
        "version {version}: {method} {left_path} is not served, as {kept_path} matches the same \
         calls; remove one of them from the draft and deploy it"
    );
    (kept, left)
}

fn narrow(place: usize) -> u32 {
    u32::try_from(place).expect("operations are bounded")
}
