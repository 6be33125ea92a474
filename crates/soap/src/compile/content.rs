//! The elements of a type as JSON properties, and their order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::CompileError;
use super::compiler::Compiler;
use super::expand::{Group, Item, Node, ONCE};
use super::keys::{self, Keys};
use crate::import::name::QName;
use crate::import::schema::{Element, Wildcard};
use crate::plan::{self, Elements, Field, FieldKind, Name, Occurs, Particle, Presence, Process};

/// A property without its final key.
#[derive(Debug)]
struct Draft<'a> {
    /// Its natural name.
    called: String,
    kind: FieldKind,
    documentation: Option<&'a str>,
}

/// The properties of one object.
#[derive(Debug, Default)]
struct Builder<'a> {
    drafts: Vec<Draft<'a>>,
    by_name: BTreeMap<Name, u16>,
}

/// Documentation of elements, by their keys.
pub(super) type Documented<'a> = Vec<(Box<str>, &'a str)>;

impl<'a> Compiler<'a> {
    /// Compiles the elements of a content model.
    pub(super) fn elements(
        &mut self,
        root: Node<'a>,
    ) -> Result<(Elements, Documented<'a>), CompileError> {
        let mut builder = Builder::default();
        let order = self.placed(&mut builder, root)?;
        let mut appearances = BTreeMap::new();
        count(&order, &mut appearances);
        let drafts = builder.drafts;
        let mut keys = Keys::new(drafts.iter().map(|draft| draft.called.as_str()));
        let mut fields = Vec::with_capacity(drafts.len());
        let mut documented = Vec::new();
        for (at, mut draft) in drafts.into_iter().enumerate() {
            let most = u16::try_from(at).ok().and_then(|at| appearances.get(&at));
            let is_any = matches!(draft.kind, FieldKind::Any(_));
            let is_array = is_any || most.is_some_and(|most| *most > 1);
            let json = keys.element(&draft.called);
            if let FieldKind::Substitution { members, .. } = &mut draft.kind {
                let mut own = Keys::default();
                own.element(&json);
                for (key, member) in members {
                    let keys = if is_array { &mut own } else { &mut keys };
                    *key = keys.element(&member.name.local);
                }
            }
            documented.extend(draft.documentation.map(|text| (json.clone(), text)));
            fields.push(Field {
                json,
                kind: draft.kind,
                is_array,
            });
        }
        Ok((Elements { fields, order }, documented))
    }

    fn placed(
        &mut self,
        builder: &mut Builder<'a>,
        node: Node<'a>,
    ) -> Result<Particle, CompileError> {
        let occurs = node.occurs;
        match node.item {
            Item::Element(element, is_global) => {
                let at = self.element_field(builder, element, is_global)?;
                Ok(Particle::Field(at, occurs))
            }
            Item::Any(wildcard) => {
                let kind = FieldKind::Any(self.wildcard(wildcard)?);
                let at = builder.push("any".to_owned(), kind, None)?;
                Ok(Particle::Field(at, occurs))
            }
            Item::Group(group, nodes) if occurs.max == Some(1) => {
                let mut particles = Vec::with_capacity(nodes.len());
                for node in nodes {
                    particles.push(self.placed(builder, node)?);
                }
                let presence = match occurs.min {
                    0 => Presence::Optional,
                    _ => Presence::Required,
                };
                Ok(match group {
                    Group::Sequence => Particle::Sequence(particles, presence),
                    Group::Choice => Particle::Choice(particles, presence),
                    Group::All => Particle::All(particles, presence),
                })
            }
            item @ Item::Group(..) => {
                let called = called(&item);
                let turn = Node { occurs: ONCE, item };
                let (elements, _) = self.elements(turn)?;
                let at = builder.push(called, FieldKind::Group(elements), None)?;
                Ok(Particle::Field(at, occurs))
            }
        }
    }

    fn element_field(
        &mut self,
        builder: &mut Builder<'a>,
        element: &'a Element,
        is_global: bool,
    ) -> Result<u16, CompileError> {
        let head = self.element(element)?;
        if let Some(&known) = builder.by_name.get(&head.name) {
            let same = builder.drafts.get(usize::from(known));
            let ty = same.and_then(|draft| match &draft.kind {
                FieldKind::Element(known) | FieldKind::Substitution { head: known, .. } => {
                    Some(known.ty)
                }
                _ => None,
            });
            if ty != Some(head.ty) {
                let why = format!("`{}` has two types in one content model", element.name);
                self.trouble("schema.inconsistent", element.place, why);
            }
            return Ok(known);
        }
        let members = match is_global {
            true => self.members(&element.name)?,
            false => Vec::new(),
        };
        let name = head.name.clone();
        let kind = if members.is_empty() {
            FieldKind::Element(head)
        } else {
            FieldKind::Substitution { head, members }
        };
        let called = element.name.local.to_string();
        let at = builder.push(called, kind, element.documentation.as_deref())?;
        builder.by_name.insert(name, at);
        Ok(at)
    }

    /// Returns the elements that may replace an element, over any number of steps.
    fn members(&mut self, head: &QName) -> Result<Vec<(Box<str>, plan::Element)>, CompileError> {
        let schema = self.schema;
        let mut seen = BTreeSet::from([head]);
        let mut queue = VecDeque::from([head]);
        let mut members = Vec::new();
        while let Some(name) = queue.pop_front() {
            for member in schema.substitutes.get(name).into_iter().flatten() {
                self.spend(1)?;
                if !seen.insert(member) {
                    continue;
                }
                queue.push_back(member);
                if let Some(element) = schema.elements.exact(member)
                    && !element.is_abstract
                {
                    members.push(("".into(), self.element(element)?));
                }
            }
        }
        Ok(members)
    }

    fn wildcard(&mut self, wildcard: &Wildcard) -> Result<plan::Wildcard, CompileError> {
        self.has_wildcard |= wildcard.process != Process::Skip;
        let namespaces = match &wildcard.namespaces {
            None => None,
            Some(names) => {
                let ids: Result<Vec<_>, _> =
                    names.iter().map(|name| self.namespaces.id(name)).collect();
                Some(ids?)
            }
        };
        Ok(plan::Wildcard {
            namespaces,
            is_except: wildcard.is_except,
            process: wildcard.process,
        })
    }
}

impl<'a> Builder<'a> {
    fn push(
        &mut self,
        called: String,
        kind: FieldKind,
        documentation: Option<&'a str>,
    ) -> Result<u16, CompileError> {
        let at = u16::try_from(self.drafts.len()).map_err(|_| CompileError::TooLarge)?;
        self.drafts.push(Draft {
            called,
            kind,
            documentation,
        });
        Ok(at)
    }
}

/// Returns the natural name of a repeated group, made of the names of its members.
fn called(item: &Item<'_>) -> String {
    match item {
        Item::Element(element, _) => element.name.local.to_string(),
        Item::Any(_) => "any".to_owned(),
        Item::Group(group, nodes) => {
            let members: Vec<String> = nodes.iter().map(|node| called(&node.item)).collect();
            let word = match group {
                Group::Choice => "Or",
                Group::Sequence | Group::All => "And",
            };
            keys::group(&members, word)
        }
    }
}

/// Counts the maximum number of times that each field may appear.
fn count(particle: &Particle, most: &mut BTreeMap<u16, u64>) {
    match particle {
        Particle::Field(at, Occurs { max, .. }) => {
            let more = max.map_or(u64::MAX, u64::from);
            let sum = most.entry(*at).or_default();
            *sum = sum.saturating_add(more);
        }
        Particle::Sequence(particles, _) | Particle::All(particles, _) => {
            particles.iter().for_each(|particle| count(particle, most));
        }
        Particle::Choice(branches, _) => {
            let mut best = BTreeMap::new();
            for branch in branches {
                let mut of_branch = BTreeMap::new();
                count(branch, &mut of_branch);
                for (at, times) in of_branch {
                    let known: &mut u64 = best.entry(at).or_default();
                    *known = times.max(*known);
                }
            }
            for (at, times) in best {
                let sum: &mut u64 = most.entry(at).or_default();
                *sum = sum.saturating_add(times);
            }
        }
    }
}
