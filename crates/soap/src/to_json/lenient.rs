//! Names that differ from those of the contract: a local name in another namespace, or in none.
//!
//! Back ends qualify names that their schema does not, or the reverse, and use the namespace of
//! another release. An exact name always takes precedence, for elements and for wildcards. If the
//! contract has no such name at this place, the local name is looked up: if only one name matches,
//! the element is read as that one and counted ([`What::Name`]). If several match, or an element
//! that was read this way turns out to be in the place of another, the result is
//! [`Error::Ambiguous`]: omitting one of them would look as if the back end had not sent it.

use std::fmt;

use tollgate_xml::{Namespace, Tag, trim};

use super::attributes::is_of_soap;
use super::departures::bounded;
use super::frames::{Frame, NONE};
use super::program::{Answer, ComplexIndex, ElementsIndex, Entry, ExpandedName};
use super::run::Run;
use super::{Error, What};

/// Maximum number of namespaces in an error message.
const NAMESPACES_LISTED_MAX: usize = 4;

/// A name in a namespace that its contract does not have there, and the names that it could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguous {
    local: Box<str>,
    found: Box<str>,
    known: Vec<Box<str>>,
}

impl std::error::Error for Ambiguous {}

impl fmt::Display for Ambiguous {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (local, found) = (&self.local, Shown(&self.found));
        write!(
            formatter,
            "`{local}` cannot be matched: the response has it in {found}, the contract in "
        )?;
        for (place, known) in self.known.iter().take(NAMESPACES_LISTED_MAX).enumerate() {
            let before = if place > 0 { " and in " } else { "" };
            write!(formatter, "{before}{}", Shown(known))?;
        }
        Ok(())
    }
}

/// An element in the place of the response, and the element of the response, if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherElement {
    found: (Box<str>, Box<str>),
    expected: Option<(Box<str>, Box<str>)>,
}

impl std::error::Error for OtherElement {}

impl fmt::Display for OtherElement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (namespace, local) = &self.found;
        write!(formatter, "its body has `{local}` in {}", Shown(namespace))?;
        match &self.expected {
            Some((namespace, local)) => {
                write!(formatter, " in place of `{local}` in {}", Shown(namespace))
            }
            None => formatter.write_str(", and the operation has no response"),
        }
    }
}

/// A namespace, formatted for people.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => formatter.write_str("no namespace"),
            name => write!(formatter, "{name:?}"),
        }
    }
}

impl<'r> Run<'r, '_, '_> {
    /// Returns the child that was opened last under the only name that it can have, if no element
    /// and no wildcard matches its own; `None` if it has no such name either.
    #[cold]
    pub(super) fn child_by_local_name<'t>(
        &mut self,
        tag: Tag<'t>,
    ) -> Result<Option<Tag<'t>>, Error> {
        let frames = &self.work.frames;
        let Some(own) = frames.iter().rposition(|frame| !frame.is_group) else {
            return Err(Error::Plan);
        };
        // An element also has the names in its groups.
        let index = &self.program.elements[frames[own].elements as usize];
        let Some(entry) = index.first_named(tag.local) else {
            return Ok(None);
        };
        let mut others: Vec<Namespace> = index
            .named(tag.local)
            .map(|entry| entry.namespace)
            .filter(|&namespace| namespace != tag.namespace)
            .collect();
        others.dedup();
        let is_known = index
            .named(tag.local)
            .any(|it| it.namespace == tag.namespace);
        let other = |namespace| Tag { namespace, ..tag };
        match others.as_slice() {
            &[only] if !is_known && self.is_free(other(only)) => {
                self.mismatch(What::Name)?;
                if !self.is_repeated(index, other(only)) {
                    let found = self.reader.resolve(tag.prefix).map_or("", |it| it.1);
                    let departures = &mut self.work.departures;
                    departures.push(own, entry, false, found);
                }
                Ok(Some(other(only)))
            }
            several if several.iter().any(|&it| self.is_free(other(it))) => {
                let found = self.reader.resolve(tag.prefix).map_or("", |it| it.1);
                Err(self.ambiguous(tag.local, found, several))
            }
            // The place is taken: by an element with the exact name, or one that was read as such.
            _ => match self.work.departures.find(own, entry, false) {
                None => Ok(None),
                Some(found) => Err(self.ambiguous(tag.local, found, &names_of(index, tag.local))),
            },
        }
    }

    /// Whether an element with this name has a place other than a wildcard.
    fn is_free(&self, tag: Tag<'_>) -> bool {
        let Some(frame) = self.work.frames.last() else {
            return false;
        };
        let index = &self.program.elements[frame.elements as usize];
        match self.find_field(frame, index, tag) {
            Some(found) => found.entry != NONE,
            None => frame.is_group && self.is_known_outside(tag),
        }
    }

    fn is_repeated(&self, index: &ElementsIndex, tag: Tag<'_>) -> bool {
        let mut entries = index.named(tag.local);
        entries
            .any(|it| it.namespace == tag.namespace && index.fields[usize::from(it.field)].is_array)
    }

    fn ambiguous(&self, local: &str, found: &str, known: &[Namespace]) -> Error {
        let known = known.iter().map(|&it| bounded(self.program.names.name(it)));
        Error::Ambiguous(Box::new(Ambiguous {
            local: bounded(local),
            found: bounded(found),
            known: known.collect(),
        }))
    }

    /// Records a child that a wildcard takes and that shares its local name with a sibling element.
    pub(super) fn note_taken(&mut self, index: &ElementsIndex, tag: Tag<'_>) {
        let mut entries = index.named(tag.local);
        let Some(entry) = index.first_named(tag.local) else {
            return;
        };
        if entries.all(|it| it.namespace == tag.namespace) {
            return;
        }
        let found = self.reader.resolve(tag.prefix).map_or("", |it| it.1);
        let place = self.work.frames.len() - 1;
        let departures = &mut self.work.departures;
        departures.push(place, entry, true, found);
    }

    /// Handles a missing required element in a frame that has just been closed. If a wildcard has
    /// taken an element with its local name, the two cannot be distinguished.
    #[cold]
    pub(super) fn missing(&mut self, frame: &Frame, index: &ElementsIndex) -> Result<(), Error> {
        let place = self.work.frames.len();
        for (entry, found) in self.work.departures.taken(place) {
            let local = &*index.entries[usize::from(entry)].local;
            let is_absent = |it: &Entry| !self.work.has_seen(frame, it.field);
            if index.named(local).any(is_absent) {
                return Err(self.ambiguous(local, found, &names_of(index, local)));
            }
        }
        self.mismatch(What::Missing)
    }

    /// Returns the type that `xsi:type` names by its local name alone.
    #[cold]
    pub(super) fn type_by_local_name(
        &mut self,
        declared: &'r ComplexIndex,
    ) -> Result<Option<&'r ComplexIndex>, Error> {
        let Some(attribute) = self.reader.attribute(Namespace::INSTANCE, "type") else {
            return Ok(None);
        };
        let name = self.reader.attribute_value(attribute, &mut self.work.value);
        let name = trim(name).to_owned();
        let (prefix, local) = name.split_once(':').unwrap_or(("", &name));
        let types = [declared].into_iter().chain(self.program.derived(declared));
        let named: Vec<(Namespace, &ComplexIndex)> = types
            .filter_map(|ty| {
                let name = ty.name.as_ref()?;
                (*name.local == *local).then_some((name.namespace, ty))
            })
            .collect();
        match named.as_slice() {
            [] => Ok(None),
            &[(_, only)] => {
                self.mismatch(What::Name)?;
                Ok(Some(only))
            }
            several => {
                let found = self.reader.resolve(prefix).map_or("", |it| it.1);
                let namespaces: Vec<Namespace> = several.iter().map(|it| it.0).collect();
                Err(self.ambiguous(local, found, &namespaces))
            }
        }
    }

    /// Returns the place, among the attributes of a type, of the only one that an attribute can be;
    /// `None` if there is no such one.
    #[cold]
    pub(super) fn attribute_by_local_name(
        &mut self,
        ty: &ComplexIndex,
        index: usize,
    ) -> Result<Option<usize>, Error> {
        let attribute = &self.reader.attributes()[index];
        if attribute.namespace == Namespace::XML || is_of_soap(attribute.namespace) {
            return Ok(None);
        }
        let local = self.reader.attribute_name(attribute);
        let known = ty.attributes.iter().enumerate();
        let absent = known.filter(|(_, it)| {
            *it.local == *local && self.reader.attribute(it.namespace, local).is_none()
        });
        let absent: Vec<usize> = absent.map(|(place, _)| place).collect();
        let is_known = |namespace: Namespace| {
            let mut known = ty.attributes.iter();
            known.any(|it| (it.namespace, &*it.local) == (namespace, local))
        };
        let is_alone = || {
            let all = self.reader.attributes().iter();
            let named = all.filter(|it| self.reader.attribute_name(it) == local);
            named.filter(|it| !is_known(it.namespace)).count() == 1
        };
        match absent.as_slice() {
            [] => Ok(None),
            &[place] if !ty.any_attribute && is_alone() => {
                self.mismatch(What::Name)?;
                Ok(Some(place))
            }
            &[place] if ty.any_attribute && !ty.attributes[place].is_required => Ok(None),
            several => {
                let prefix = self.reader.attribute_prefix(attribute);
                let found = match prefix {
                    "" => "",
                    _ => self.reader.resolve(prefix).map_or("", |it| it.1),
                };
                let several = several.iter().map(|&place| ty.attributes[place].namespace);
                let several: Vec<Namespace> = several.collect();
                Err(self.ambiguous(local, found, &several))
            }
        }
    }

    /// The error for a child of a body that is not the response.
    #[cold]
    pub(super) fn other_element(&self, tag: Tag<'_>, answer: &Answer) -> Error {
        let found = self.reader.resolve(tag.prefix).map_or("", |it| it.1);
        let expected = match answer {
            Answer::None | Answer::Empty => None,
            Answer::Element { name, .. } => {
                let namespace = self.program.names.name(name.namespace);
                Some((bounded(namespace), name.local.clone()))
            }
        };
        Error::OtherElement(Box::new(OtherElement {
            found: (bounded(found), bounded(tag.local)),
            expected,
        }))
    }

    /// Whether the child of a body can only be the response, despite its different name.
    #[cold]
    pub(super) fn is_answer_by_local_name(
        &mut self,
        tag: Tag<'_>,
        name: &ExpandedName,
        is_rpc: bool,
    ) -> Result<bool, Error> {
        let answers = self.program.operations.iter();
        let mut others = answers.filter_map(|operation| match &operation.answer {
            Answer::Element { name, .. } => Some(name),
            Answer::None | Answer::Empty => None,
        });
        let is_answer = if *name.local == *tag.local {
            !others.any(|other| other.is_of(tag))
        } else {
            is_rpc && tag.local != "Fault" && !others.any(|other| *other.local == *tag.local)
        };
        if !is_answer || super::fault::may_be_fault(tag) {
            return Ok(false);
        }
        self.mismatch(What::Name)?;
        Ok(true)
    }
}

/// Returns the namespaces of a local name.
fn names_of(index: &ElementsIndex, local: &str) -> Vec<Namespace> {
    let mut names: Vec<Namespace> = index.named(local).map(|entry| entry.namespace).collect();
    names.dedup();
    names
}
