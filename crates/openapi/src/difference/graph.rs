//! The graph of a comparison: a node for each pair of schemas and each operation, with its own
//! changes and the pairs below it.
//!
//! A pair that is used twice is compared once, so shared schemas are cheap and circles end. The
//! changes of an operation are those of all nodes that it reaches.

use std::collections::{HashMap, VecDeque};

use super::change::{Change, Label, Place, Usage, Verdict};
use super::document::{Budget, Document, Side};
use super::pointer::{At, Pointer};
use super::same;
use crate::value::Value;

/// Changes of all nodes together.
const STORED_MAX: usize = 100_000;
/// Pairs of schemas that are compared.
const PAIRS_MAX: usize = 500_000;
/// Values that are visited: more than any document of the maximum size has, unless its schemas
/// share large ones.
const VALUES_MAX: usize = 5_000_000;

/// Keywords that lead to other schemas.
const REFERENCES: [&str; 2] = ["$ref", "$dynamicRef"];

/// A node of the graph.
pub(super) type Node = usize;

/// Two schemas, each merged from several, and how they are used.
#[derive(Debug)]
pub(super) struct Pair<'d> {
    pub(super) old: Vec<At<'d>>,
    pub(super) new: Vec<At<'d>>,
    pub(super) usage: Usage,
    pub(super) label: Label,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    old: Vec<usize>,
    new: Vec<usize>,
    usage: Usage,
}

/// The contents of a node.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Its own changes.
    pub(super) changes: Vec<Change>,
    /// The nodes below it, in the order of the document.
    pub(super) below: Vec<Node>,
    /// Whether a description changed.
    pub(super) has_texts: bool,
}

/// Both documents and the nodes of their difference.
#[derive(Debug)]
pub(super) struct Graph<'d> {
    pub(super) old: Side<'d>,
    pub(super) new: Side<'d>,
    pub(super) budget: Budget,
    nodes: Vec<Found>,
    operations: HashMap<Node, Pointer<'d>>,
    /// By pair, its node; none if both are equal.
    known: HashMap<Key, Option<Node>>,
    open: VecDeque<(Node, Pair<'d>)>,
    stored: usize,
    is_cut: bool,
}

impl<'d> Graph<'d> {
    pub(super) fn new(old: &'d Document, new: &'d Document) -> Self {
        Self {
            old: Side::new(old),
            new: Side::new(new),
            budget: Budget::new(VALUES_MAX),
            nodes: Vec::new(),
            operations: HashMap::new(),
            known: HashMap::new(),
            open: VecDeque::new(),
            stored: 0,
            is_cut: false,
        }
    }

    /// Whether a bound was reached, so that changes are missing.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut || self.budget.is_spent()
    }

    /// Notes that changes are missing.
    pub(super) const fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Creates the node of an operation.
    pub(super) fn add_operation(&mut self, pointer: Pointer<'d>) -> Node {
        let node = self.add_node();
        self.operations.insert(node, pointer);
        node
    }

    /// Returns where the operation of a node is in the new document.
    pub(super) fn operation_pointer(&self, node: Node) -> Option<&Pointer<'d>> {
        self.operations.get(&node)
    }

    fn add_node(&mut self) -> Node {
        self.nodes.push(Found::default());
        self.nodes.len() - 1
    }

    /// Adds a pair of schemas below a node, to be compared later.
    pub(super) fn add_pair(&mut self, above: Node, mut pair: Pair<'d>) {
        if !self.budget.spend(1) {
            return;
        }
        let are_references = self.follow(&mut pair);
        if !are_references && self.is_plainly_equal(&pair.old, &pair.new) {
            return;
        }
        let addresses = |parts: &[At<'d>]| parts.iter().map(At::address).collect();
        let key = Key {
            old: addresses(&pair.old),
            new: addresses(&pair.new),
            usage: pair.usage,
        };
        let node = match self.known.get(&key) {
            Some(node) => *node,
            None if self.known.len() >= PAIRS_MAX => {
                self.is_cut = true;
                return;
            }
            None => {
                let node = (!self.is_plainly_equal(&pair.old, &pair.new)).then(|| self.add_node());
                self.known.insert(key, node);
                self.open.extend(node.map(|node| (node, pair)));
                node
            }
        };
        self.nodes[above].below.extend(node);
    }

    /// Follows references where both schemas are one, and takes the component's name as the label.
    /// A reference on one side alone is resolved with its schema, so that changes point to where
    /// the reference is. Returns whether both were references.
    fn follow(&self, pair: &mut Pair<'d>) -> bool {
        let ([old], [new]) = (&mut *pair.old, &mut *pair.new) else {
            return false;
        };
        let (Some(_), Some(reference)) = (old.text("$ref"), new.text("$ref")) else {
            return false;
        };
        if let Some((_, name)) = reference.rsplit_once('/') {
            pair.label = Label::component(&crate::reference::unescaped(name));
        }
        *old = self.old.followed(old.clone());
        *new = self.new.followed(new.clone());
        true
    }

    /// Returns the next pair to be compared.
    pub(super) fn next_pair(&mut self) -> Option<(Node, Pair<'d>)> {
        if self.budget.is_spent() {
            return None;
        }
        self.open.pop_front()
    }

    /// Adds a change to a node.
    pub(super) fn report(&mut self, node: Node, at: Place<'_, 'd>, what: &str, verdict: Verdict) {
        if self.stored >= STORED_MAX {
            self.is_cut = true;
            return;
        }
        self.stored += 1;
        self.nodes[node]
            .changes
            .push(Change::new(at, what, verdict));
    }

    /// Notes that a description changed.
    pub(super) fn report_texts(&mut self, node: Node) {
        self.nodes[node].has_texts = true;
    }

    /// Whether a value of the old document means the same as one of the new.
    pub(super) fn same(&self, old: &At<'d>, new: &At<'d>) -> bool {
        same::same(&self.old, &self.new, old, new, &self.budget)
    }

    /// Returns the number of nodes.
    pub(super) const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns, for each node, whether it reaches a node that satisfies the predicate.
    pub(super) fn reaching(&self, is_meant: impl Fn(&Found) -> bool) -> Vec<bool> {
        let mut above = vec![Vec::new(); self.nodes.len()];
        let mut open = Vec::new();
        for (node, found) in self.nodes.iter().enumerate() {
            for &below in &found.below {
                above[below].push(node);
            }
            if is_meant(found) {
                open.push(node);
            }
        }
        let mut reaching = vec![false; self.nodes.len()];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reaching[node], true) {
                open.extend(&above[node]);
            }
        }
        reaching
    }

    pub(super) fn found(&self, node: Node) -> &Found {
        &self.nodes[node]
    }

    /// Whether two schemas are equal and reference nothing.
    pub(super) fn is_plainly_equal(&self, old: &[At<'_>], new: &[At<'_>]) -> bool {
        let is_flat = |value: &Value| match value {
            Value::Map(members) => members.0.iter().all(|(key, value)| match value {
                Value::Scalar(_) => !REFERENCES.contains(&&**key),
                Value::List(list) => list.iter().all(|it| matches!(it, Value::Scalar(_))),
                Value::Map(_) => false,
            }),
            _ => true,
        };
        match (old, new) {
            ([], []) => true,
            ([old], [new]) => {
                self.budget.spend(old.weight() + 1) && is_flat(old.value) && old.value == new.value
            }
            _ => false,
        }
    }
}
