//! From the graph to the changes of operations, within the bound of a difference.

use super::change::Change;
use super::graph::{Found, Graph, Node};
use super::operation;

/// Nodes that are visited in collecting the changes of operations.
const VISITS_MAX: usize = 100_000_000;

/// Collects changes until the bound is reached.
pub(super) struct Collecting<'g, 'd> {
    graph: &'g Graph<'d>,
    /// Nodes that reach changes that break callers, other changes, and changed descriptions.
    breaking: Vec<bool>,
    others: Vec<bool>,
    texts: Vec<bool>,
    /// By node, the number of the collection that visited it last.
    visited: Vec<usize>,
    collections: usize,
    visits_left: usize,
    left: usize,
    is_cut: bool,
}

impl<'g, 'd> Collecting<'g, 'd> {
    pub(super) fn new(graph: &'g Graph<'d>, changes_max: usize) -> Self {
        let has = |found: &Found, are_breaking: bool| {
            let mut changes = found.changes.iter();
            changes.any(|it| it.breaking.is_some() == are_breaking)
        };
        Self {
            breaking: graph.reaching(|found| has(found, true)),
            others: graph.reaching(|found| has(found, false)),
            texts: graph.reaching(|found| found.has_texts),
            visited: vec![0; graph.len()],
            collections: 0,
            visits_left: VISITS_MAX,
            left: changes_max,
            is_cut: false,
            graph,
        }
    }

    /// Whether changes are missing.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn is_changed(&self, node: Node) -> bool {
        self.breaking[node] || self.others[node] || self.texts[node]
    }

    /// Takes as many of the changes as there is room for.
    pub(super) fn take(&mut self, changes: impl IntoIterator<Item = Change>) -> Vec<Change> {
        let mut taken = Vec::new();
        for change in changes {
            if self.left == 0 {
                self.is_cut = true;
                break;
            }
            self.left -= 1;
            taken.push(change);
        }
        taken
    }

    /// Returns the changes of an operation that break callers.
    pub(super) fn breaking(&mut self, node: Node) -> Vec<Change> {
        self.reached(node, true)
    }

    /// Returns the other changes of an operation.
    pub(super) fn others(&mut self, node: Node) -> Vec<Change> {
        let mut others = self.reached(node, false);
        let texts = self.texts[node].then(|| operation::description_change(self.graph, node));
        others.append(&mut self.take(texts));
        others
    }

    /// Visits the nodes that reach such changes, in the order of the document.
    fn reached(&mut self, node: Node, are_breaking: bool) -> Vec<Change> {
        self.collections += 1;
        let mut reached = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let leads = match are_breaking {
                true => self.breaking[node],
                false => self.others[node],
            };
            if !leads || self.visited[node] == self.collections {
                continue;
            }
            if self.left == 0 || self.visits_left == 0 {
                self.is_cut = true;
                break;
            }
            self.visits_left -= 1;
            self.visited[node] = self.collections;
            let found = self.graph.found(node);
            let changes = found.changes.iter();
            let meant = changes.filter(|it| it.breaking.is_some() == are_breaking);
            reached.append(&mut self.take(meant.cloned()));
            open.extend(found.below.iter().rev());
        }
        reached
    }
}
