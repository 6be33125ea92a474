//! A plan indexed for reading: elements are found by their names, and the text written for them is
//! prepared as bytes.

use tollgate_xml::{Names, Namespace, Tag};

use crate::identity::Identity;
use crate::plan::{Process, TypeId};

use super::Options;
use super::leaf::Leaf;
use super::order::Order;

/// The index of a plan for responses.
#[derive(Debug)]
pub struct Program {
    pub(super) identity: Identity,
    pub(crate) options: Options,
    pub(super) names: Names,
    pub(super) types: Vec<TypeIndex>,
    /// Children of complex types and members of repeated groups; the first is empty.
    pub(super) elements: Vec<ElementsIndex>,
    /// Sorted by their names.
    pub(super) globals: Vec<Global>,
    pub(super) operations: Vec<OperationIndex>,
}

/// The expanded name of an element or type (Namespaces in XML 1.0, section 2.1).
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ExpandedName {
    pub(crate) namespace: Namespace,
    pub(crate) local: Box<str>,
}

/// A global element, as an item of a wildcard.
#[derive(Debug)]
pub(super) struct Global {
    pub(super) name: ExpandedName,
    /// Its key in the item's object.
    pub(super) slot: Slot,
}

/// An operation.
#[derive(Debug)]
pub(crate) struct OperationIndex {
    pub(super) answer: Answer,
    pub(crate) faults: Vec<DeclaredFault>,
}

/// A fault that the contract declares.
#[derive(Debug)]
pub(crate) struct DeclaredFault {
    pub(crate) name: Box<str>,
    pub(crate) element: ExpandedName,
    pub(crate) slot: Slot,
    /// The chosen status, or the one by its name.
    pub(crate) status: Option<u16>,
}

/// The response of an operation.
#[derive(Debug)]
pub(super) enum Answer {
    /// No response.
    None,
    /// An envelope with an empty body.
    Empty,
    /// An element. It is void if its type has no content, in which case there is no JSON.
    Element {
        name: ExpandedName,
        slot: Slot,
        is_void: bool,
        /// Whether it is a wrapper of rpc style, where the name has no meaning (SOAP 1.1, section
        /// 7.1).
        is_rpc: bool,
    },
}

/// An element at a place where it may appear.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(super) ty: TypeId,
    pub(super) nillable: bool,
    pub(super) default: Option<Box<str>>,
    /// `"key":`
    pub(super) key: Box<[u8]>,
    /// `"@element":"key"`
    pub(super) element_member: Box<[u8]>,
}

#[derive(Debug)]
pub(super) enum TypeIndex {
    Simple(Leaf),
    Complex(Box<ComplexIndex>),
}

#[derive(Debug)]
pub(super) struct ComplexIndex {
    pub(super) name: Option<ExpandedName>,
    /// `"@type":"…"`
    pub(super) type_member: Box<[u8]>,
    pub(super) attributes: Vec<AttributeIndex>,
    pub(super) any_attribute: bool,
    /// Whether `xsi:type` may name any type, which is then a member.
    pub(super) takes_any_type: bool,
    pub(super) content: ContentIndex,
    pub(super) derived: Vec<TypeId>,
    pub(super) is_bare: bool,
    pub(super) is_abstract: bool,
    pub(super) is_list: bool,
}

#[derive(Debug)]
pub(super) struct AttributeIndex {
    pub(super) namespace: Namespace,
    pub(super) local: Box<str>,
    pub(super) key: Box<[u8]>,
    pub(super) leaf: Leaf,
    pub(super) is_required: bool,
    pub(super) default: Option<Box<str>>,
}

#[derive(Debug)]
pub(super) enum ContentIndex {
    Text(Leaf),
    /// Index into [`Program::elements`].
    Elements(u32),
    Mixed,
}

/// The children of a complex type, or the members of a repeated group.
#[derive(Debug, Default)]
pub(super) struct ElementsIndex {
    pub(super) fields: Vec<FieldIndex>,
    /// In the order of the fields.
    pub(super) entries: Vec<Entry>,
    /// Indexes of `entries`, sorted by local name, then namespace.
    pub(super) sorted: Vec<u16>,
    pub(super) wildcards: Vec<(u16, WildcardIndex)>,
    pub(super) order: Order,
}

/// A name that a child may have.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) namespace: Namespace,
    pub(super) local: Box<str>,
    pub(super) field: u16,
    /// For a substitution group, the index of the element.
    pub(super) member: u16,
}

#[derive(Debug)]
pub(super) struct FieldIndex {
    /// `"key":`; nothing in a list.
    pub(super) key: Box<[u8]>,
    pub(super) is_array: bool,
    pub(super) kind: FieldIndexKind,
}

#[derive(Debug)]
pub(super) enum FieldIndexKind {
    Element(Slot),
    /// The head first.
    Substitution(Vec<Slot>),
    /// Index into [`Program::elements`].
    Group(u32),
    Any(Process),
}

/// The namespaces that a wildcard allows.
#[derive(Debug, Clone)]
pub(super) struct WildcardIndex {
    pub(super) namespaces: Option<Vec<Namespace>>,
    pub(super) is_except: bool,
}

impl ExpandedName {
    /// Whether it is the name of an element with this tag.
    pub(super) fn is_of(&self, tag: Tag<'_>) -> bool {
        (self.namespace, &*self.local) == (tag.namespace, tag.local)
    }
}

impl WildcardIndex {
    pub(super) fn allows(&self, namespace: Namespace) -> bool {
        let Some(namespaces) = &self.namespaces else {
            return true;
        };
        namespaces.contains(&namespace) != self.is_except
    }
}

impl ElementsIndex {
    /// Makes the only field an array without a key, as there is no object around it.
    pub(super) fn be_list(&mut self) {
        self.fields
            .iter_mut()
            .for_each(|field| field.key = Box::default());
    }

    /// Returns the entry of a name; tries the expected one first.
    pub(super) fn find(&self, expected: u16, namespace: Namespace, local: &str) -> Option<u16> {
        let is = |index: u16| {
            self.entries.get(usize::from(index)).is_some_and(|entry| {
                entry.local.len() == local.len()
                    && entry.namespace == namespace
                    && *entry.local == *local
            })
        };
        // Optional elements are often absent, so it may be one of the next.
        for index in [expected, expected.wrapping_add(1), expected.wrapping_add(2)] {
            if is(index) {
                return Some(index);
            }
        }
        let at = self.sorted.partition_point(|&index| {
            let entry = &self.entries[usize::from(index)];
            (&*entry.local, entry.namespace) < (local, namespace)
        });
        self.sorted.get(at).copied().filter(|&index| is(index))
    }

    /// Returns the entries with a local name, sorted by namespace.
    pub(super) fn named(&self, local: &str) -> impl Iterator<Item = &Entry> + Clone {
        let rest = self.sorted[self.sorted_from(local)..].iter();
        let rest = rest.map(|&index| &self.entries[usize::from(index)]);
        rest.take_while(move |entry| *entry.local == *local)
    }

    /// Returns the first entry with a local name.
    pub(super) fn first_named(&self, local: &str) -> Option<u16> {
        let first = *self.sorted.get(self.sorted_from(local))?;
        let is_it = *self.entries[usize::from(first)].local == *local;
        is_it.then_some(first)
    }

    /// Returns the index in `sorted` of the first entry with a local name, or where it would be.
    fn sorted_from(&self, local: &str) -> usize {
        let local_of = |&index: &u16| &*self.entries[usize::from(index)].local;
        self.sorted.partition_point(|index| local_of(index) < local)
    }

    /// Returns another entry with the same name.
    pub(super) fn find_later(&self, entry: u16) -> Option<u16> {
        let Entry {
            namespace, local, ..
        } = &self.entries[usize::from(entry)];
        (entry + 1..self.entries.len() as u16).find(|&index| {
            let other = &self.entries[usize::from(index)];
            (other.namespace, &other.local) == (*namespace, local)
        })
    }

    /// Returns the field of the first wildcard that allows a namespace.
    pub(super) fn wildcard(&self, namespace: Namespace) -> Option<u16> {
        let mut wildcards = self.wildcards.iter();
        Some(
            wildcards
                .find(|(_, wildcard)| wildcard.allows(namespace))?
                .0,
        )
    }
}

impl Program {
    /// Returns the types that may replace a declared one.
    pub(super) fn derived<'r>(
        &'r self,
        declared: &'r ComplexIndex,
    ) -> impl Iterator<Item = &'r ComplexIndex> {
        let types = declared.derived.iter();
        types.filter_map(|ty| match self.types.get(ty.0 as usize) {
            Some(TypeIndex::Complex(complex)) => Some(&**complex),
            _ => None,
        })
    }

    /// Whether the contract has a global element with this exact name.
    pub(crate) fn is_global(&self, tag: Tag<'_>) -> bool {
        self.global(tag.namespace, tag.local).is_some()
    }

    pub(super) fn global(&self, namespace: Namespace, local: &str) -> Option<&Global> {
        let found = self.globals.binary_search_by(|global| {
            let name = &global.name;
            (name.namespace, &*name.local).cmp(&(namespace, local))
        });
        self.globals.get(found.ok()?)
    }
}
