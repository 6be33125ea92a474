//! The elements of a document, those of one name together: read in one pass.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use tollgate_xml::{Event, Names, Reader, Tag, trim};

use super::{malformed, tag_units};
use crate::outcome::Stop;
use crate::work::Work;

/// No namespace matters.
pub(super) static NAMES: LazyLock<Names> = LazyLock::new(|| Names::new([]));

/// Maximum number of elements of a document.
const ELEMENTS_MAX: usize = 400_000;
/// Maximum number of names below an element that are compared one by one; more are hashed.
const FEW: u32 = 8;
/// Memory that is kept of each list between two documents.
const KEPT_MAX: usize = 4096;
/// No item of a list.
const NONE: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Tree {
    elements: Vec<Element>,
    groups: Vec<Group>,
    attributes: Vec<Attribute>,
    pieces: Vec<Piece>,
    /// Texts, and names and values of attributes.
    texts: String,
    /// The open elements.
    open: Vec<u32>,
}

/// An element; what belongs to it are chains in the lists of the tree.
#[derive(Debug)]
struct Element {
    attributes: Range<u32>,
    pieces: Chain,
    groups: Chain,
    /// Number of groups.
    names: u32,
    /// The next element with the same name below the same parent.
    next: u32,
}

/// The elements of one name below a parent.
#[derive(Debug)]
struct Group {
    /// Where the name is in the document.
    name: Range<u32>,
    elements: Chain,
    next: u32,
}

/// A part of an element's text, between two elements.
#[derive(Debug)]
struct Piece {
    text: Range<u32>,
    next: u32,
}

#[derive(Debug)]
struct Attribute {
    name: Range<u32>,
    value: Range<u32>,
}

/// First and last item of a chain.
#[derive(Debug, Clone, Copy)]
struct Chain {
    first: u32,
    last: u32,
}

impl Chain {
    const EMPTY: Self = Self {
        first: NONE,
        last: NONE,
    };

    fn is_empty(self) -> bool {
        self.first == NONE
    }

    /// Appends an item; returns the one before it.
    fn push(&mut self, item: u32) -> Option<usize> {
        let before = std::mem::replace(&mut self.last, item);
        if before == NONE {
            self.first = item;
            return None;
        }
        Some(before as usize)
    }
}

/// Groups of parents with many names.
type Many<'a> = HashMap<(u32, &'a str), u32>;

impl Tree {
    /// Reads a document, with attributes or without.
    pub(super) fn read(
        &mut self,
        reader: &mut Reader<'_, '_>,
        with_attributes: bool,
        work: &Work,
    ) -> Result<(), Stop> {
        self.clear();
        let mut many = Many::new();
        let mut run = 0;
        loop {
            match reader.next().map_err(malformed)? {
                Event::Start(tag) => {
                    self.end_run(run, true);
                    let name = name_of(reader, tag);
                    work.charge(tag_units(reader))?;
                    self.start(reader.text(), name, &mut many)?;
                    if with_attributes {
                        self.read_attributes(reader);
                    }
                    run = self.texts.len();
                }
                Event::Text(text) => self.texts.push_str(text),
                Event::Character(character) => self.texts.push(character),
                Event::End => {
                    self.end_run(run, false);
                    self.open.pop();
                    run = self.texts.len();
                }
                Event::Eof => return Ok(()),
            }
        }
    }

    /// Ends a part of the open element's text. White space beside elements is dropped.
    fn end_run(&mut self, start: usize, is_before_element: bool) {
        let Some(&open) = self.open.last() else {
            return;
        };
        let element = &mut self.elements[open as usize];
        let is_beside = is_before_element || !element.groups.is_empty();
        if is_beside && trim(&self.texts[start..]).is_empty() {
            self.texts.truncate(start);
        }
        if self.texts.len() == start {
            return;
        }
        let piece = self.pieces.len() as u32;
        self.pieces.push(Piece {
            text: start as u32..self.texts.len() as u32,
            next: NONE,
        });
        if let Some(before) = element.pieces.push(piece) {
            self.pieces[before].next = piece;
        }
    }

    /// Opens an element.
    fn start<'a>(
        &mut self,
        document: &'a str,
        name: Range<u32>,
        many: &mut Many<'a>,
    ) -> Result<(), Stop> {
        if self.elements.len() >= ELEMENTS_MAX {
            let reason = format!("the body has more than {ELEMENTS_MAX} elements");
            return Err(Stop::NotWellFormed(reason.into()));
        }
        let element = self.elements.len() as u32;
        let attributes = self.attributes.len() as u32;
        self.elements.push(Element {
            attributes: attributes..attributes,
            pieces: Chain::EMPTY,
            groups: Chain::EMPTY,
            names: 0,
            next: NONE,
        });
        if let Some(&parent) = self.open.last() {
            let group = match self.find_group(parent, document, &name, many) {
                Some(group) => group,
                None => self.add_group(parent, document, name, many),
            };
            if let Some(before) = self.groups[group as usize].elements.push(element) {
                self.elements[before].next = element;
            }
        }
        self.open.push(element);
        Ok(())
    }

    /// Finds the group of a name. The last is compared first: elements mostly repeat in a row.
    fn find_group(
        &self,
        parent: u32,
        document: &str,
        name: &Range<u32>,
        many: &Many<'_>,
    ) -> Option<u32> {
        let element = &self.elements[parent as usize];
        let last = some(element.groups.last)?;
        let sought = slice(document, name);
        let is_it = |&group: &u32| slice(document, &self.groups[group as usize].name) == sought;
        if is_it(&last) {
            return Some(last);
        }
        if element.names > FEW {
            return many.get(&(parent, sought)).copied();
        }
        self.chain(element.groups).find(is_it)
    }

    fn add_group<'a>(
        &mut self,
        parent: u32,
        document: &'a str,
        name: Range<u32>,
        many: &mut Many<'a>,
    ) -> u32 {
        let group = self.groups.len() as u32;
        self.groups.push(Group {
            name,
            elements: Chain::EMPTY,
            next: NONE,
        });
        let element = &mut self.elements[parent as usize];
        element.names += 1;
        let (names, groups) = (element.names, element.groups);
        if let Some(before) = element.groups.push(group) {
            self.groups[before].next = group;
        }
        if names > FEW {
            // The first time, those that were compared one by one.
            let groups = if names == FEW + 1 {
                groups
            } else {
                Chain::EMPTY
            };
            let added: Vec<_> = self.chain(groups).filter(|&it| it != group).collect();
            for it in added.into_iter().chain([group]) {
                let name = slice(document, &self.groups[it as usize].name);
                many.insert((parent, name), it);
            }
        }
        group
    }

    fn chain(&self, groups: Chain) -> impl Iterator<Item = u32> + '_ {
        let next = |group: &u32| some(self.groups[*group as usize].next);
        std::iter::successors(some(groups.first), next)
    }

    /// Reads the attributes of the open element; namespace declarations are attributes.
    fn read_attributes(&mut self, reader: &Reader<'_, '_>) {
        let Some(&open) = self.open.last() else {
            return;
        };
        for (prefix, name) in reader.declarations() {
            self.push_attribute("xmlns", prefix, name);
        }
        let mut buffer = String::new();
        for attribute in reader.attributes() {
            let local = reader.attribute_name(attribute);
            let value = reader.attribute_value(attribute, &mut buffer);
            match reader.attribute_prefix(attribute) {
                "" => self.push_attribute(local, "", value),
                prefix => self.push_attribute(prefix, local, value),
            }
        }
        self.elements[open as usize].attributes.end = self.attributes.len() as u32;
    }

    /// Appends an attribute with a name of two parts; the second may be empty.
    fn push_attribute(&mut self, first: &str, second: &str, value: &str) {
        let start = self.texts.len() as u32;
        self.texts.push_str(first);
        if !second.is_empty() {
            self.texts.push(':');
            self.texts.push_str(second);
        }
        let middle = self.texts.len() as u32;
        self.texts.push_str(value);
        self.attributes.push(Attribute {
            name: start..middle,
            value: middle..self.texts.len() as u32,
        });
    }

    /// Returns the root element.
    pub(super) fn root(&self) -> Option<Node<'_>> {
        self.node(0)
    }

    fn node(&self, index: u32) -> Option<Node<'_>> {
        let element = self.elements.get(index as usize)?;
        Some(Node {
            tree: self,
            element,
        })
    }

    fn clear(&mut self) {
        self.elements.clear();
        self.groups.clear();
        self.attributes.clear();
        self.pieces.clear();
        self.texts.clear();
        self.open.clear();
    }

    /// Frees what a large document has taken.
    pub(super) fn shrink(&mut self) {
        self.clear();
        self.elements.shrink_to(KEPT_MAX);
        self.groups.shrink_to(KEPT_MAX);
        self.attributes.shrink_to(KEPT_MAX);
        self.pieces.shrink_to(KEPT_MAX);
        self.texts.shrink_to(64 * KEPT_MAX);
    }
}

/// An element of a tree.
#[derive(Clone, Copy)]
pub(super) struct Node<'t> {
    tree: &'t Tree,
    element: &'t Element,
}

impl<'t> Node<'t> {
    /// Whether the element has neither attributes nor elements.
    pub(super) fn is_text(self) -> bool {
        self.element.attributes.is_empty() && self.element.groups.is_empty()
    }

    /// Returns names and values of the attributes.
    pub(super) fn attributes(self) -> impl Iterator<Item = (&'t str, &'t str)> {
        let Range { start, end } = self.element.attributes;
        let attributes = self.tree.attributes[start as usize..end as usize].iter();
        let texts = &*self.tree.texts;
        attributes.map(move |it| (slice(texts, &it.name), slice(texts, &it.value)))
    }

    /// Returns the parts of the element's text.
    pub(super) fn pieces(self) -> impl Iterator<Item = &'t str> {
        let tree = self.tree;
        let piece = |index| some(index).map(|it| &tree.pieces[it as usize]);
        let pieces =
            std::iter::successors(piece(self.element.pieces.first), move |it| piece(it.next));
        pieces.map(|it| slice(&tree.texts, &it.text))
    }

    /// Returns the names of the elements below, where they are in the document, in the order of
    /// their first element; each with its elements.
    pub(super) fn groups(self) -> impl Iterator<Item = (&'t Range<u32>, Repeated<'t>)> {
        let tree = self.tree;
        tree.chain(self.element.groups).map(move |index| {
            let group = &tree.groups[index as usize];
            let elements = group.elements;
            (&group.name, Repeated { tree, elements })
        })
    }
}

/// Elements of one name.
pub(super) struct Repeated<'t> {
    tree: &'t Tree,
    elements: Chain,
}

impl<'t> Repeated<'t> {
    /// Whether there is one element.
    pub(super) fn is_one(&self) -> bool {
        self.elements.first == self.elements.last
    }

    /// Returns the elements.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node<'t>> + use<'t> {
        let tree = self.tree;
        std::iter::successors(tree.node(self.elements.first), |it| {
            it.tree.node(it.element.next)
        })
    }
}

fn some(index: u32) -> Option<u32> {
    (index != NONE).then_some(index)
}

/// Returns where the name of the start tag that was read last is in the document.
fn name_of(reader: &Reader<'_, '_>, tag: Tag<'_>) -> Range<u32> {
    let start = reader.offset() + "<".len();
    let colon = usize::from(!tag.prefix.is_empty());
    let end = start + tag.prefix.len() + colon + tag.local.len();
    start as u32..end as u32
}

pub(super) fn slice<'t>(text: &'t str, range: &Range<u32>) -> &'t str {
    &text[range.start as usize..range.end as usize]
}
