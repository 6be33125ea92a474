//! A published document cut into units that are sent apart: an operation with exactly the
//! components that its references reach.
//!
//! A unit is what has at most three names above it: `/components/schemas/Pet`,
//! `/paths/~1pets/get`, `/info/title`. The index knows where each is in the document's text and
//! which others it refers to, so that a part is made by copying bytes: nothing is parsed again.
//! The index is small beside the text unless a document is nothing but tiny units.

use std::collections::HashMap;
use std::ops::Range;

use super::heads::{METHODS, OperationHead, heads};
use super::references::{self, Reference};
use crate::model::fault::{Fault, pointer_token};
use crate::reference::unescaped;
use crate::value::{Members, Value};

/// Names from the root to a unit, at most.
const DEPTH: usize = 3;

/// What a part has of the whole, besides its operation.
const SHARED: [&str; 6] = [
    "/openapi",
    "/info/title",
    "/info/version",
    "/jsonSchemaDialect",
    "/servers",
    "/security",
];
/// What describes the whole.
const OVERVIEW: [&str; 5] = ["/openapi", "/info", "/servers", "/tags", "/externalDocs"];

/// Where the units of a document are in its text, and its operations.
#[derive(Debug)]
pub struct Index {
    operations: Vec<OperationHead>,
    faults: Vec<Fault>,
    /// The path item of each operation.
    items: Vec<usize>,
    shared: Vec<usize>,
    overview: Vec<usize>,
    /// In the order of the text.
    units: Vec<Unit>,
    /// What has units, each with those that it has: a unit itself has one.
    places: Vec<Range<usize>>,
    /// Places that units refer to.
    references: Vec<usize>,
    /// Names above units, where they are in the text.
    above: Vec<Vec<Range<usize>>>,
}

/// A value of the document. Ranges are of bytes of the text, in quotes where they are names.
#[derive(Debug)]
struct Unit {
    above: usize,
    name: Range<usize>,
    value: Range<usize>,
    references: Range<usize>,
}

impl Index {
    /// The operations of the document in its order, webhooks last.
    #[must_use]
    pub fn operations(&self) -> &[OperationHead] {
        &self.operations
    }

    /// What of the webhooks could not be read.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The fields of the document that describe it as a whole, in JSON; `text` is the document.
    #[must_use]
    pub fn overview(&self, text: &[u8]) -> Vec<u8> {
        let units = self.overview.iter().flat_map(|&it| self.places[it].clone());
        self.written(text, units)
    }

    /// An OpenAPI document of the one operation with this id, in JSON; `text` is the whole. Fields
    /// of its path item that describe all operations are in it too. `None` if there is none.
    #[must_use]
    pub fn operation(&self, text: &[u8], id: &str) -> Option<Vec<u8>> {
        let at = self.operations.iter().position(|it| it.id == id)?;
        let method = self.operations[at].method.to_ascii_lowercase();
        let own = self.places[self.items[at]].clone().filter(|&unit| {
            let name = &text[self.units[unit].name.clone()];
            let name = name[1..name.len() - 1].as_ref();
            name == method.as_bytes() || !METHODS.iter().any(|it| it.as_bytes() == name)
        });
        let mut reached = Reached::new(self);
        own.for_each(|unit| reached.add_unit(unit));
        self.shared.iter().for_each(|&it| reached.add_place(it));
        reached.follow();
        let units = reached.units.iter().enumerate();
        let units = units.filter_map(|(unit, is_reached)| is_reached.then_some(unit));
        Some(self.written(text, units))
    }

    /// Memory that the index takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let heads = self.operations.iter().map(|head| {
            let tags = head.tags.iter().map(|tag| tag.len() + size_of::<String>());
            let texts = [&head.operation_id, &head.summary].into_iter().flatten();
            let texts = texts.map(String::len).sum::<usize>() + tags.sum::<usize>();
            size_of::<OperationHead>() + head.id.len() + head.path.len() + texts
        });
        let above = self
            .above
            .iter()
            .map(|it| size_of_val(&**it) + size_of::<Vec<Range<usize>>>());
        heads.sum::<usize>()
            + above.sum::<usize>()
            + size_of_val(&*self.units)
            + size_of_val(&*self.places)
            + size_of_val(&*self.references)
    }

    /// An object of these units, which are in the order of the text, each below its names.
    fn written(&self, text: &[u8], units: impl Iterator<Item = usize>) -> Vec<u8> {
        let mut written = vec![b'{'];
        let mut open: &[Range<usize>] = &[];
        let mut is_first = true;
        for unit in units {
            let unit = &self.units[unit];
            let above = &*self.above[unit.above];
            let same = open
                .iter()
                .zip(above)
                .take_while(|(one, other)| one == other)
                .count();
            written.extend(open[same..].iter().map(|_| b'}'));
            is_first &= same == open.len();
            for name in &above[same..] {
                separate(&mut written, &mut is_first);
                written.extend_from_slice(&text[name.clone()]);
                written.extend_from_slice(b":{");
                is_first = true;
            }
            separate(&mut written, &mut is_first);
            written.extend_from_slice(&text[unit.name.clone()]);
            written.push(b':');
            written.extend_from_slice(&text[unit.value.clone()]);
            open = above;
        }
        written.extend(open.iter().map(|_| b'}'));
        written.push(b'}');
        written
    }
}

fn separate(written: &mut Vec<u8>, is_first: &mut bool) {
    if !std::mem::take(is_first) {
        written.push(b',');
    }
}

/// Units that were reached, by references too. Each place is followed once, so cycles end, and
/// many references to one large object cost no more than one.
struct Reached<'i> {
    index: &'i Index,
    units: Vec<bool>,
    places: Vec<bool>,
    open: Vec<usize>,
}

impl<'i> Reached<'i> {
    fn new(index: &'i Index) -> Self {
        Self {
            index,
            units: vec![false; index.units.len()],
            places: vec![false; index.places.len()],
            open: Vec::new(),
        }
    }

    fn add_unit(&mut self, unit: usize) {
        if !std::mem::replace(&mut self.units[unit], true) {
            let references = self.index.units[unit].references.clone();
            self.open
                .extend_from_slice(&self.index.references[references]);
        }
    }

    fn add_place(&mut self, place: usize) {
        if !std::mem::replace(&mut self.places[place], true) {
            let units = self.index.places[place].clone();
            units.for_each(|unit| self.add_unit(unit));
        }
    }

    fn follow(&mut self) {
        while let Some(place) = self.open.pop() {
            self.add_place(place);
        }
    }
}

/// Writes a document in JSON, and notes where its units are.
#[derive(Default)]
struct Writer<'d> {
    text: Vec<u8>,
    units: Vec<Unit>,
    places: Vec<Range<usize>>,
    above: Vec<Vec<Range<usize>>>,
    /// Places by their JSON pointers, and whether each is a unit.
    pointers: HashMap<String, (usize, bool)>,
    /// Units with what they refer to.
    found: Vec<(usize, Reference<'d>)>,
}

impl<'d> Writer<'d> {
    /// Writes an object that has units; `above` is its JSON pointer, and its names in the text.
    fn object(
        &mut self,
        members: &'d Members,
        (pointer, above): (&str, &[Range<usize>]),
    ) -> Result<(), serde_json::Error> {
        self.text.push(b'{');
        let here = self.above.len();
        self.above.push(above.to_vec());
        for (at, (name, value)) in members.0.iter().enumerate() {
            if at > 0 {
                self.text.push(b',');
            }
            let start = self.text.len();
            serde_json::to_writer(&mut self.text, name)?;
            let written = start..self.text.len();
            self.text.push(b':');
            let pointer = format!("{pointer}/{}", pointer_token(name));
            let first = self.units.len();
            let is_unit = match value {
                Value::Map(below) if above.len() + 1 < DEPTH => {
                    self.object(below, (&pointer, &[above, &[written]].concat()))?;
                    false
                }
                _ => {
                    self.find_references(name, value, &pointer);
                    let start = self.text.len();
                    serde_json::to_writer(&mut self.text, value)?;
                    self.units.push(Unit {
                        above: here,
                        name: written,
                        value: start..self.text.len(),
                        references: 0..0,
                    });
                    true
                }
            };
            self.pointers.insert(pointer, (self.places.len(), is_unit));
            self.places.push(first..self.units.len());
        }
        self.text.push(b'}');
        Ok(())
    }

    /// Notes what the next unit refers to. Components have names of all kinds; other units are
    /// fields.
    fn find_references(&mut self, name: &str, value: &'d Value, pointer: &str) {
        let mut found = Vec::new();
        match pointer.starts_with("/components/") {
            true => references::of_object(value, &mut found),
            false => references::of_field(name, value, &mut found),
        }
        let unit = self.units.len();
        self.found.extend(found.into_iter().map(|it| (unit, it)));
    }

    /// The places that units refer to, which each unit has a range of from now on.
    fn references(&mut self) -> Vec<usize> {
        let mut references = Vec::new();
        for of_unit in self.found.chunk_by(|one, other| one.0 == other.0) {
            let start = references.len();
            let places = of_unit
                .iter()
                .filter_map(|(_, it)| place(&self.pointers, *it));
            let mut places: Vec<_> = places.collect();
            places.sort_unstable();
            places.dedup();
            references.append(&mut places);
            self.units[of_unit[0].0].references = start..references.len();
        }
        references
    }
}

/// The place that a reference leads to: a unit, also where it leads further into it; or all units
/// of an object that has several.
fn place(pointers: &HashMap<String, (usize, bool)>, reference: Reference<'_>) -> Option<usize> {
    let fragment = match reference {
        Reference::Fragment(fragment) => fragment.strip_prefix("#/")?,
        Reference::Schema(name) => {
            let pointer = format!("/components/schemas/{}", pointer_token(name));
            return pointers.get(&pointer).map(|&(place, _)| place);
        }
        Reference::SecurityScheme(name) => {
            let pointer = format!("/components/securitySchemes/{}", pointer_token(name));
            return pointers.get(&pointer).map(|&(place, _)| place);
        }
    };
    let mut pointer = String::new();
    let mut found = None;
    for token in fragment.split('/').take(DEPTH) {
        let name = unescaped(token);
        pointer = format!("{pointer}/{}", pointer_token(&name));
        let &(place, is_unit) = pointers.get(&pointer)?;
        found = Some(place);
        if is_unit {
            break;
        }
    }
    found
}

/// The document in JSON, with its index.
pub(super) fn written(document: &Members) -> Result<(String, Index), serde_json::Error> {
    let mut writer = Writer::default();
    writer.object(document, ("", &[]))?;
    let (operations, faults) = heads(document);
    let items = operations.iter().map(|head| {
        let part = if head.webhook { "webhooks" } else { "paths" };
        let pointer = format!("/{part}/{}", pointer_token(&head.path));
        writer.pointers[&pointer].0
    });
    let items = items.collect();
    let places = |pointers: &[&str]| {
        let places = pointers.iter().filter_map(|it| writer.pointers.get(*it));
        places.map(|&(place, _)| place).collect()
    };
    let shared = places(&SHARED);
    let mut overview: Vec<_> = places(&OVERVIEW);
    overview.sort_unstable_by_key(|&place: &usize| writer.places[place].start);
    let references = writer.references();
    let index = Index {
        operations,
        faults,
        items,
        shared,
        overview,
        units: writer.units,
        places: writer.places,
        references,
        above: writer.above,
    };
    Ok((
        String::from_utf8(writer.text).expect("JSON is UTF-8"),
        index,
    ))
}

#[cfg(test)]
mod tests;
