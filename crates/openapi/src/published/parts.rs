//! Splits a published document into units, so that an operation can be served with exactly the
//! components it references.
//!
//! A unit is a value at most three levels deep: `/components/schemas/Pet`, `/paths/~1pets/get`,
//! `/info/title`. The index records the byte range of each unit in the document's text, and the
//! units it references. A part is copied from the text; nothing is parsed again. The index has a
//! few hundred bytes per unit, of which there are at most [`UNITS_MAX`].

use std::collections::HashMap;
use std::ops::Range;

use super::heads::{METHODS, OperationHead, heads};
use super::references::{self, Reference};
use crate::model::fault::{Fault, pointer_token};
use crate::reference::unescaped;
use crate::value::{Members, Value};

/// Maximum depth of a unit.
const DEPTH: usize = 3;
/// Maximum number of units. An object with too many members to fit is one unit.
const UNITS_MAX: usize = 200_000;

/// Fields of the document that every part repeats.
const SHARED: [&str; 6] = [
    "/openapi",
    "/info/title",
    "/info/version",
    "/jsonSchemaDialect",
    "/servers",
    "/security",
];
/// Fields of the document that describe the API as a whole.
const OVERVIEW: [&str; 5] = ["/openapi", "/info", "/servers", "/tags", "/externalDocs"];

/// The operations of a document, and the byte ranges of its units.
#[derive(Debug)]
pub struct Index {
    operations: Vec<OperationHead>,
    faults: Vec<Fault>,
    /// The path item of each operation.
    items: Vec<usize>,
    shared: Vec<usize>,
    overview: Vec<usize>,
    /// All units, in document order.
    units: Vec<Unit>,
    /// Values that can be referenced, as ranges of units: a unit itself is a range of one.
    places: Vec<Range<usize>>,
    /// Indexes of the places that units reference, grouped by unit.
    references: Vec<usize>,
    /// The names of the objects that contain units, as byte ranges of the text.
    above: Vec<Vec<Range<usize>>>,
}

/// A value of the document. Byte ranges of names include the quotes.
#[derive(Debug)]
struct Unit {
    above: usize,
    name: Range<usize>,
    value: Range<usize>,
    references: Range<usize>,
}

impl Index {
    /// The operations in document order, then the webhooks.
    #[must_use]
    pub fn operations(&self) -> &[OperationHead] {
        &self.operations
    }

    /// Webhooks that are not valid OpenAPI.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns the general fields of the document as JSON; `text` is the whole document.
    #[must_use]
    pub fn overview(&self, text: &[u8]) -> Vec<u8> {
        let units = self.overview.iter().flat_map(|&it| self.places[it].clone());
        self.written(text, units)
    }

    /// Returns an OpenAPI document of one operation as JSON, including the common fields of its
    /// path item; `text` is the whole document. `None` if no operation has this id.
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

    /// Approximate memory of the index, in bytes.
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

    /// Writes an object with these units, which must be in document order.
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

/// The units reachable from an operation. Each place is visited once, so cycles end and many
/// references to one large object cost no more than one.
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

/// Writes a document as JSON and records its units.
#[derive(Default)]
struct Writer<'d> {
    text: Vec<u8>,
    units: Vec<Unit>,
    places: Vec<Range<usize>>,
    above: Vec<Vec<Range<usize>>>,
    /// Places by JSON pointer; the flag is set for units.
    pointers: HashMap<String, (usize, bool)>,
    /// Units and their references.
    found: Vec<(usize, Reference<'d>)>,
}

impl<'d> Writer<'d> {
    /// Writes an object that contains units, given its JSON pointer and the ranges of its names.
    fn object(
        &mut self,
        members: &'d Members,
        pointer: &str,
        above: &[Range<usize>],
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
                Value::Map(below) if above.len() + 1 < DEPTH && self.has_room(below) => {
                    self.object(below, &pointer, &[above, &[written]].concat())?;
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

    fn has_room(&self, members: &Members) -> bool {
        self.units.len() + members.0.len() <= UNITS_MAX
    }

    /// Collects the references of the next unit. Components can have any name; other units are
    /// fields, whose names have a meaning.
    fn find_references(&mut self, name: &str, value: &'d Value, pointer: &str) {
        let mut found = Vec::new();
        match pointer.starts_with("/components/") {
            true => references::of_object(value, &mut found),
            false => references::of_field(name, value, &mut found),
        }
        let unit = self.units.len();
        self.found.extend(found.into_iter().map(|it| (unit, it)));
    }

    /// Resolves all references and assigns each unit its range of them.
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

/// Resolves a reference to a unit, which may contain the actual target, or to an object of several
/// units.
fn place(pointers: &HashMap<String, (usize, bool)>, reference: Reference<'_>) -> Option<usize> {
    let component = |kind: &str, name: &str| ["components", kind, name].map(pointer_token).to_vec();
    let tokens = match reference {
        Reference::Fragment(fragment) => {
            let tokens = fragment.strip_prefix("#/")?.split('/').take(DEPTH);
            tokens.map(|it| pointer_token(&unescaped(it))).collect()
        }
        Reference::Schema(name) => component("schemas", name),
        Reference::SecurityScheme(name) => component("securitySchemes", name),
    };
    let mut pointer = String::new();
    let mut found = None;
    for token in tokens {
        pointer = format!("{pointer}/{token}");
        let &(place, is_unit) = pointers.get(&pointer)?;
        found = Some(place);
        if is_unit {
            break;
        }
    }
    found
}

/// Writes the document as JSON and returns it with its index.
pub(super) fn written(document: &Members) -> Result<(String, Index), serde_json::Error> {
    let mut writer = Writer::default();
    writer.object(document, "", &[])?;
    let (operations, faults) = heads(document);
    let item = |head: &OperationHead| {
        let part = if head.webhook { "webhooks" } else { "paths" };
        let pointer = format!("/{part}/{}", pointer_token(&head.path));
        // A document of too many units has all its paths in one.
        let all = || &writer.pointers[&format!("/{part}")];
        writer.pointers.get(&pointer).unwrap_or_else(all).0
    };
    let items = operations.iter().map(item).collect();
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
