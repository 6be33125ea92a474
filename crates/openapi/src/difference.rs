//! Compares two documents: which operations came, went or changed, and which changes break callers,
//! by the closed list of [`Rule`].
//!
//! Operations are matched by method and shape of path. Their schemas are compared by meaning,
//! whatever version of OpenAPI describes them, separately for requests and responses. Descriptions
//! are one change of an operation at most; examples, servers and extensions are not compared.
//!
//! | module | contents |
//! |---|---|
//! | `rule` | the closed list |
//! | `page` | the reference page of the list, with the pairs of `examples` |
//! | `change` | a change and its effect on callers |
//! | `document`, `pointer` | a document, its references and its places |
//! | `operations` | operations of both documents |
//! | `operation` | one operation: `parameters`, `bodies`, `responses`, `content`, `security` |
//! | `graph`, `site` | pairs of schemas, each compared once |
//! | `collecting` | from the graph to the changes of operations, within the bound |
//! | `schemas` | a pair: types, keywords, `properties`, `alternatives`, `bounds` |
//! | `schema`, `types` | a schema, merged from all its parts |
//! | `same` | equality of meaning |

use serde::Serialize;

use crate::model::api::Method;
use crate::model::overlaps::Overlaps;
use crate::model::path::Paths;

mod alternatives;
mod bodies;
mod bounds;
mod change;
mod collecting;
mod content;
mod document;
mod examples;
mod graph;
mod operation;
mod operations;
mod page;
mod parameters;
mod pointer;
mod properties;
mod responses;
mod rule;
mod same;
mod schema;
mod schemas;
mod security;
mod site;
mod types;

pub use change::{Change, Which};
pub use document::Document;
pub use page::rules_markdown;
pub use rule::{RULES, Rule};

use change::Verdict;
use collecting::Collecting;
use graph::{Graph, Node};
use operations::{Matched, Operation};

/// Maximum number of changes of a difference.
pub const CHANGES_MAX: usize = 10_000;

/// The difference of two documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Operations of the old document alone.
    pub removed: Vec<LoneOperation>,
    /// Operations of the new document alone.
    pub added: Vec<LoneOperation>,
    /// Operations of both that changed, as the new document names them.
    pub changed: Vec<ChangedOperation>,
    /// Proposals: removed and added operations with the same method and `operationId`.
    pub renames: Vec<Rename>,
    /// Changes outside of operations.
    pub document: Vec<Change>,
    /// Whether changes are missing because a bound was reached: [`CHANGES_MAX`], or one on work.
    pub truncated: bool,
}

/// An operation that one document alone has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoneOperation {
    /// The operation.
    pub operation: NamedOperation,
    /// That it is removed or new.
    pub change: Change,
    /// The operation of the other document that matches its path, or some of its paths, with the
    /// same method. After `GET /pets/mine` is removed, its calls reach `GET /pets/{id}`; if it is
    /// new, it answers calls that the other one answered.
    pub matched_by: Option<NamedOperation>,
}

/// An operation and its changes, breaking ones first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedOperation {
    /// The operation.
    pub operation: NamedOperation,
    /// Its changes. Empty if all are missing because of a bound.
    pub changes: Vec<Change>,
}

/// An operation of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedOperation {
    /// Its method.
    pub method: Method,
    /// Its path as written in the document; one with a rest as a template, `/files/{path*}`.
    pub path: String,
    /// Its `operationId`.
    pub operation_id: Option<String>,
    /// JSON pointer (RFC 6901) to it.
    pub pointer: String,
}

/// An operation that may have got another path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rename {
    /// The operation of the old document.
    pub from: NamedOperation,
    /// The operation of the new document.
    pub to: NamedOperation,
    /// All other changes, breaking ones first.
    pub changes: Vec<Change>,
}

impl Difference {
    /// Whether nothing changed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.removed.is_empty()
            && self.added.is_empty()
            && self.changed.is_empty()
            && self.document.is_empty()
            && !self.truncated
    }

    /// Returns all changes but those of proposed renames.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        let alone = self.removed.iter().chain(&self.added);
        let changed = self.changed.iter().flat_map(|it| &it.changes);
        alone
            .map(|it| &it.change)
            .chain(changed)
            .chain(&self.document)
    }
}

/// Compares two documents.
#[must_use]
pub fn difference(old: &Document, new: &Document) -> Difference {
    let mut graph = Graph::new(old, new);
    let matched = Matched::new(&graph.old, &graph.new, &graph.budget);
    let mut compared = |old, new| Compared::new(&mut graph, old, new);
    let kept: Vec<_> = matched
        .kept
        .iter()
        .map(|(old, new)| compared(old, new))
        .collect();
    let renamed: Vec<_> = matched
        .renamed()
        .into_iter()
        .map(|(old, new)| compared(old, new))
        .collect();
    schemas::compare_all(&mut graph);
    let document = operation::document_changes(&graph);
    let mut collecting = Collecting::new(&graph, CHANGES_MAX);
    let (removed, added) = alone(&mut collecting, &graph, &matched);
    let document = collecting.take(document);
    let (changed, renames) = operations(&mut collecting, &kept, &renamed);
    Difference {
        removed,
        added,
        changed,
        renames,
        document,
        truncated: collecting.is_cut() || graph.is_cut(),
    }
}

/// Two operations and the node of their changes.
struct Compared<'o, 'd> {
    old: &'o Operation<'d>,
    new: &'o Operation<'d>,
    node: Node,
}

impl<'o, 'd> Compared<'o, 'd> {
    fn new(graph: &mut Graph<'d>, old: &'o Operation<'d>, new: &'o Operation<'d>) -> Self {
        let node = operation::compare(graph, old, new);
        Self { old, new, node }
    }
}

/// The operations of the old document alone, and those of the new one.
fn alone(
    collecting: &mut Collecting<'_, '_>,
    graph: &Graph<'_>,
    matched: &Matched<'_>,
) -> (Vec<LoneOperation>, Vec<LoneOperation>) {
    let kept = || matched.kept.iter();
    let after = overlaps(kept().map(|it| &it.1), &matched.added);
    let removed = |it: &Operation<'_>| {
        let matched_by = closest(&after, it, graph);
        let what = match matched_by {
            Some(other) => {
                let (gone, other) = (words(it), words(other));
                format!("{gone} is removed and its path now matches {other}")
            }
            None => format!("{} is removed", words(it)),
        };
        let verdict = Verdict::Breaks(Rule::OperationRemoved);
        let change = Change::new(Which::Old.at(&it.at.pointer), &what, verdict);
        lone(collecting, it, change, matched_by)
    };
    let all_removed = matched.removed.iter().filter_map(removed).collect();
    let before = overlaps(kept().map(|it| &it.0), &matched.removed);
    let added = |it: &Operation<'_>| {
        let matched_by = closest(&before, it, graph);
        let (what, verdict) = match matched_by {
            Some(other) => {
                let (new, other) = (words(it), words(other));
                let what = format!("{new} is new and answers calls that {other} answered");
                (what, Verdict::Unjudged)
            }
            None => (format!("{} is new", words(it)), Verdict::Compatible),
        };
        let change = Change::new(Which::New.at(&it.at.pointer), &what, verdict);
        lone(collecting, it, change, matched_by)
    };
    let all_added = matched.added.iter().filter_map(added).collect();
    (all_removed, all_added)
}

/// Indexes the operations of a document: those that both documents have, and those of this one
/// alone.
fn overlaps<'o, 'd>(
    kept: impl Iterator<Item = &'o Operation<'d>>,
    alone: &'o [Operation<'d>],
) -> Overlaps<&'o Operation<'d>> {
    let mut overlaps = Overlaps::new(Paths::Exact);
    let operations = kept.map(|it| (it, true));
    for (operation, is_kept) in operations.chain(alone.iter().map(|it| (it, false))) {
        overlaps.add(operation.method, &operation.template, is_kept, operation);
    }
    overlaps
}

/// Returns the operation that answers calls of one that the other document alone has; `None` also
/// if a bound on work was reached.
fn closest<'o, 'd>(
    overlaps: &Overlaps<&'o Operation<'d>>,
    operation: &Operation<'_>,
    graph: &Graph<'_>,
) -> Option<&'o Operation<'d>> {
    let (method, path) = (operation.method, &operation.template);
    let has_budget = graph.budget.spend(overlaps.candidates(method, path));
    has_budget.then(|| overlaps.closest(method, path)).flatten()
}

/// Returns an operation that one document alone has; `None` if there is no room for its change.
fn lone(
    collecting: &mut Collecting<'_, '_>,
    operation: &Operation<'_>,
    change: Change,
    matched_by: Option<&Operation<'_>>,
) -> Option<LoneOperation> {
    Some(LoneOperation {
        change: collecting.take([change]).pop()?,
        operation: named(operation),
        matched_by: matched_by.map(named),
    })
}

fn words(operation: &Operation<'_>) -> String {
    format!("{} {}", operation.method, operation.path)
}

/// The changes of operations of both documents: all breaking ones are taken before any other.
fn operations(
    collecting: &mut Collecting<'_, '_>,
    kept: &[Compared<'_, '_>],
    renamed: &[Compared<'_, '_>],
) -> (Vec<ChangedOperation>, Vec<Rename>) {
    let kept_but_changed: Vec<_> = kept
        .iter()
        .filter(|it| collecting.is_changed(it.node))
        .collect();
    let mut changed: Vec<_> = kept_but_changed
        .iter()
        .map(|it| ChangedOperation {
            operation: named(it.new),
            changes: collecting.breaking(it.node),
        })
        .collect();
    let mut renames: Vec<_> = renamed
        .iter()
        .map(|it| Rename {
            from: named(it.old),
            to: named(it.new),
            changes: collecting.breaking(it.node),
        })
        .collect();
    for (operation, it) in changed.iter_mut().zip(kept_but_changed) {
        operation.changes.extend(collecting.others(it.node));
    }
    for (rename, it) in renames.iter_mut().zip(renamed) {
        rename.changes.extend(collecting.others(it.node));
    }
    (changed, renames)
}

fn named(operation: &Operation<'_>) -> NamedOperation {
    NamedOperation {
        method: operation.method,
        path: operation.path.to_string(),
        operation_id: operation.id().map(str::to_owned),
        pointer: operation.at.pointer.to_string(),
    }
}

#[cfg(test)]
mod tests;
