//! Expands named groups in content models and removes empty groups.

use super::CompileError;
use super::compiler::Compiler;
use crate::import::schema::{Element, Particle, Term, Wildcard};
use crate::import::table::Found;
use crate::plan::Occurs;

/// Maximum depth of a content model, including the groups that it refers to.
const DEPTH_MAX: usize = 192;

/// Exactly once.
pub(super) const ONCE: Occurs = Occurs {
    min: 1,
    max: Some(1),
};

/// A term with the number of times that it may appear.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) occurs: Occurs,
    pub(super) item: Item<'a>,
}

/// A term.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// An element, and whether it is a global one, which others may replace.
    Element(&'a Element, bool),
    Any(&'a Wildcard),
    /// At least two members; a choice has no empty branch, but may be optional.
    Group(Group, Vec<Node<'a>>),
}

/// The kind of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Sequence,
    Choice,
    All,
}

impl<'a> Compiler<'a> {
    /// Expands a particle; returns `None` if it is always empty.
    pub(super) fn expanded(
        &mut self,
        particle: &'a Particle,
        depth: usize,
    ) -> Result<Option<Node<'a>>, CompileError> {
        self.spend(1)?;
        if particle.occurs.max == Some(0) {
            return Ok(None);
        }
        if depth == DEPTH_MAX {
            let why = "a group contains itself, or groups are nested too deep";
            self.trouble("schema.circle", particle.place, why.to_owned());
            return Ok(None);
        }
        let item = match &particle.term {
            Term::Local(element) => Item::Element(element, false),
            Term::Any(wildcard) => Item::Any(wildcard),
            Term::Global(name) => match self.global(name, particle.place) {
                Some(element) => Item::Element(element, true),
                None => {
                    let why = format!("the element `{name}` is not defined");
                    self.trouble("schema.unknown_element", particle.place, why);
                    return Ok(None);
                }
            },
            Term::Group(_) => return self.named_group(particle, depth),
            Term::Sequence(members) => {
                return self.group(particle, Group::Sequence, members, depth);
            }
            Term::Choice(members) => return self.group(particle, Group::Choice, members, depth),
            Term::All(members) => return self.group(particle, Group::All, members, depth),
        };
        let occurs = particle.occurs;
        Ok(Some(Node { occurs, item }))
    }

    fn named_group(
        &mut self,
        particle: &'a Particle,
        depth: usize,
    ) -> Result<Option<Node<'a>>, CompileError> {
        let Term::Group(name) = &particle.term else {
            return Ok(None);
        };
        let group = match self.schema.groups.find(name) {
            Some(Found::Exact(group)) => group,
            Some(Found::Loose(found, group)) if name.namespace.is_empty() => {
                self.note_loose_name(particle.place, name, found);
                group
            }
            _ => {
                let why = format!("the group `{name}` is not defined");
                self.trouble("schema.unknown_group", particle.place, why);
                return Ok(None);
            }
        };
        self.note_fault("schema.declaration", group.fault.as_deref());
        let node = self.expanded(&group.content, depth + 1)?;
        Ok(node.map(|node| times(particle.occurs, node)))
    }

    fn group(
        &mut self,
        particle: &'a Particle,
        group: Group,
        members: &'a [Particle],
        depth: usize,
    ) -> Result<Option<Node<'a>>, CompileError> {
        let mut nodes: Vec<Node<'a>> = Vec::with_capacity(members.len());
        let mut occurs = particle.occurs;
        for member in members {
            match self.expanded(member, depth + 1)? {
                // An empty branch makes the choice optional.
                None if group == Group::Choice => occurs.min = 0,
                None => {}
                // A nested group of the same kind is merged into this one.
                Some(Node {
                    occurs: ONCE,
                    item: Item::Group(inner, inner_nodes),
                }) if inner == group => nodes.extend(inner_nodes),
                Some(node) => nodes.push(node),
            }
        }
        let Some(only) = nodes.pop() else {
            return Ok(None);
        };
        if nodes.is_empty() {
            return Ok(Some(times(occurs, only)));
        }
        nodes.push(only);
        let item = Item::Group(group, nodes);
        Ok(Some(Node { occurs, item }))
    }
}

/// Replaces a group of one member by the member, multiplying their occurrences.
fn times(outer: Occurs, node: Node<'_>) -> Node<'_> {
    let inner = node.occurs;
    // A range cannot express "absent or at least twice": either two or more members are required,
    // or none, and neither is stricter than this.
    let min = outer.min.saturating_mul(inner.min);
    let max = outer
        .max
        .zip(inner.max)
        .map(|(outer, inner)| outer.saturating_mul(inner));
    Node {
        occurs: Occurs { min, max },
        item: node.item,
    }
}
