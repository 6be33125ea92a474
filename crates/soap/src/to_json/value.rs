//! The value of one element: nil, its actual type, its attributes, its text.

use tollgate_json::push_clean;
use tollgate_xml::{Event, Namespace, Tag, trim};

use crate::plan::Process;

use super::frames::{Frame, Item};
use super::leaf::Leaf;
use super::program::{ComplexIndex, ContentIndex, Slot, TypeIndex};
use super::run::Run;
use super::{Error, What};

/// The text of an element.
enum Found<'a> {
    /// Unchanged from the message.
    Here(&'a str),
    /// Joined in the buffer.
    Joined,
    /// The bytes of another part, already written as JSON.
    Written,
}

impl<'r, 'a> Run<'r, 'a, '_> {
    /// Begins the value of the element that was opened last. Afterwards it has ended, or a frame is
    /// open for it. `name` is the member with its element's name.
    pub(super) fn begin(
        &mut self,
        slot: &'r Slot,
        name: Option<&'r [u8]>,
        item: Item,
    ) -> Result<(), Error> {
        let program = self.program;
        let declared = match program.types.get(slot.ty.0 as usize) {
            Some(TypeIndex::Complex(declared)) => declared,
            Some(TypeIndex::Simple(leaf)) => {
                let is_nil = self.is_nil(slot)?;
                self.dropped_attributes(false)?;
                return self.begin_bare(name, is_nil, item, |run| match is_nil {
                    true => run.nil(name.is_some()),
                    false => run.leaf(leaf, slot),
                });
            }
            None => return Err(Error::Plan),
        };
        let actual = self.actual(declared)?;
        if self.is_nil(slot)? {
            return self.begin_nil(declared, actual, name, item);
        }
        if declared.is_bare {
            self.dropped_attributes(declared.any_attribute)?;
            return self.begin_bare(name, false, item, |run| run.text(actual, slot));
        }
        if !actual.is_list {
            self.out.push(b'{');
        }
        let mut has_member = self.members(declared, actual, name)?;
        match actual.content {
            ContentIndex::Elements(elements) => {
                let words = program.elements[elements as usize].order.words();
                let item = Item {
                    wraps: item.wraps + u8::from(!actual.is_list),
                    ..item
                };
                let frame = Frame {
                    has_member,
                    ..Frame::new(elements, item)
                };
                self.work.push(frame, words);
                return Ok(());
            }
            ContentIndex::Text(_) | ContentIndex::Mixed => {
                self.separate(&mut has_member);
                self.out.extend_from_slice(b"\"value\":");
                self.text(actual, slot)?;
            }
        }
        self.out.push(b'}');
        self.work.finish(item, self.out);
        Ok(())
    }

    /// Begins an item of a wildcard: a known element as its own JSON under its key, another one as
    /// its XML.
    pub(super) fn begin_any(
        &mut self,
        tag: Tag<'_>,
        process: Process,
        item: Item,
    ) -> Result<(), Error> {
        let known = match process {
            Process::Skip => None,
            Process::Strict | Process::Lax => self.program.global(tag.namespace, tag.local),
        };
        if let Some(global) = known {
            self.out.push(b'{');
            self.out.extend_from_slice(&global.slot.key);
            let wraps = item.wraps + 1;
            return self.begin(&global.slot, None, Item { wraps, ..item });
        }
        if process == Process::Strict {
            self.mismatch(What::Element)?;
        }
        let fragments = &mut self.work.fragments;
        fragments.push_element(tag, &mut self.reader, self.out)?;
        self.work.finish(item, self.out);
        Ok(())
    }

    /// Writes a value that is not an object, unless it needs the name of its element.
    fn begin_bare(
        &mut self,
        name: Option<&[u8]>,
        is_nil: bool,
        item: Item,
        value: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(name) = name {
            self.out.push(b'{');
            self.out.extend_from_slice(name);
            self.out.push(b',');
            if !is_nil {
                self.out.extend_from_slice(b"\"value\":");
            }
        }
        value(self)?;
        if name.is_some() {
            self.out.push(b'}');
        }
        self.work.finish(item, self.out);
        Ok(())
    }

    /// Whether the element that was opened last is nil. One that is not nillable counts as nil too,
    /// but as a mismatch.
    fn is_nil(&mut self, slot: &Slot) -> Result<bool, Error> {
        if self.reader.attributes().is_empty() {
            return Ok(false);
        }
        let Some(attribute) = self.reader.attribute(Namespace::INSTANCE, "nil") else {
            return Ok(false);
        };
        let value = self.reader.attribute_value(attribute, &mut self.work.value);
        let is_nil = matches!(trim(value), "true" | "1");
        if is_nil && !slot.nillable {
            self.mismatch(What::Value)?;
        }
        Ok(is_nil)
    }

    fn nil(&mut self, is_object: bool) -> Result<(), Error> {
        let nil: &[u8] = if is_object { b"\"@nil\":true" } else { b"null" };
        self.out.extend_from_slice(nil);
        self.reader.skip()?;
        Ok(())
    }

    fn begin_nil(
        &mut self,
        declared: &ComplexIndex,
        actual: &ComplexIndex,
        name: Option<&[u8]>,
        item: Item,
    ) -> Result<(), Error> {
        let start = self.out.len();
        let mut has_member = name.is_some();
        self.out.push(b'{');
        self.out.extend_from_slice(name.unwrap_or_default());
        self.attributes(actual, &mut has_member)?;
        if has_member {
            if !declared.derived.is_empty() {
                self.out.push(b',');
                self.out.extend_from_slice(&actual.type_member);
            }
            self.out.push(b',');
            self.nil(true)?;
            self.out.push(b'}');
        } else {
            self.out.truncate(start);
            self.nil(false)?;
        }
        self.work.finish(item, self.out);
        Ok(())
    }

    /// Returns the type in `xsi:type`, if the declared type has derived ones.
    fn actual(&mut self, declared: &'r ComplexIndex) -> Result<&'r ComplexIndex, Error> {
        if declared.derived.is_empty() {
            return Ok(declared);
        }
        let found = match self.reader.attribute(Namespace::INSTANCE, "type") {
            None if declared.is_abstract => None,
            None => return Ok(declared),
            Some(attribute) => {
                let name = self.reader.attribute_value(attribute, &mut self.work.value);
                let name = trim(name);
                let (prefix, local) = name.split_once(':').unwrap_or(("", name));
                let namespace = self.reader.resolve(prefix).map(|(namespace, _)| namespace);
                let is_named = |complex: &&'r ComplexIndex| {
                    let name = complex.name.as_ref();
                    name.is_some_and(|name| {
                        Some(name.namespace) == namespace && *name.local == *local
                    })
                };
                let mut types = [declared].into_iter().chain(self.program.derived(declared));
                match types.find(is_named) {
                    Some(actual) => Some(actual),
                    None => self.type_by_local_name(declared)?,
                }
            }
        };
        match found {
            Some(actual) => Ok(actual),
            None => {
                self.mismatch(What::Type)?;
                Ok(declared)
            }
        }
    }

    /// Writes the first members of an object; returns whether there were any.
    fn members(
        &mut self,
        declared: &ComplexIndex,
        actual: &ComplexIndex,
        name: Option<&[u8]>,
    ) -> Result<bool, Error> {
        let mut has_member = false;
        if let Some(name) = name {
            self.separate(&mut has_member);
            self.out.extend_from_slice(name);
        }
        if !declared.derived.is_empty() {
            self.separate(&mut has_member);
            self.out.extend_from_slice(&actual.type_member);
        }
        self.attributes(actual, &mut has_member)?;
        Ok(has_member)
    }

    pub(super) fn separate(&mut self, has_member: &mut bool) {
        if std::mem::replace(has_member, true) {
            self.out.push(b',');
        }
    }

    /// Writes the text or the mixed content of an element, and reads to its end.
    fn text(&mut self, ty: &'r ComplexIndex, slot: &Slot) -> Result<(), Error> {
        match &ty.content {
            ContentIndex::Text(leaf) => self.leaf(leaf, slot),
            ContentIndex::Mixed => {
                let fragments = &mut self.work.fragments;
                fragments.push_content(&mut self.reader, self.out)?;
                Ok(())
            }
            ContentIndex::Elements(_) => Err(Error::Plan),
        }
    }

    /// Writes the text of an element of a simple type, and reads to its end.
    fn leaf(&mut self, leaf: &Leaf, slot: &Slot) -> Result<(), Error> {
        if let Some(text) = self.reader.whole_text() {
            if self.reader.is_clean() && leaf.keeps_text() && !text.is_empty() {
                push_clean(self.out, text);
                return Ok(());
            }
            return self.write_text(leaf, slot, text);
        }
        // Moved out while it is read, because the content is written through `self`.
        let mut buffer = std::mem::take(&mut self.work.text);
        let found = self.read_text(leaf, &mut buffer);
        let result = found.and_then(|found| match found {
            Found::Here(text) => self.write_text(leaf, slot, text),
            Found::Joined => self.write_text(leaf, slot, &buffer),
            Found::Written => Ok(()),
        });
        self.work.text = buffer;
        result
    }

    fn write_text(&mut self, leaf: &Leaf, slot: &Slot, text: &str) -> Result<(), Error> {
        let text = match &slot.default {
            Some(default) if text.is_empty() => default,
            _ => text,
        };
        if !leaf.may_be_empty() && trim(text).is_empty() {
            self.out.extend_from_slice(b"null");
            return self.mismatch(What::Value);
        }
        if !leaf.write(text, &self.reader, &mut self.work.rules, self.out) {
            return self.mismatch(What::Value);
        }
        Ok(())
    }

    fn read_text(&mut self, leaf: &Leaf, buffer: &mut String) -> Result<Found<'a>, Error> {
        let mut found = Found::Here("");
        loop {
            match self.reader.next()? {
                Event::Text(text) => match found {
                    Found::Here("") => found = Found::Here(text),
                    Found::Here(first) => {
                        join(buffer, first);
                        buffer.push_str(text);
                        found = Found::Joined;
                    }
                    Found::Joined => buffer.push_str(text),
                    Found::Written => self.beside_include(text)?,
                },
                Event::Character(character) => {
                    if let Found::Here(first) = found {
                        join(buffer, first);
                        found = Found::Joined;
                    }
                    match found {
                        Found::Written => self.mismatch(What::Text)?,
                        _ => buffer.push(character),
                    }
                }
                Event::Start(tag) if tag.local == "Include" && leaf.is_base64() => {
                    if tag.namespace != Namespace::XOP {
                        self.mismatch(What::Name)?;
                    }
                    match found {
                        Found::Here(text) => self.include(text)?,
                        Found::Joined => self.include(buffer)?,
                        Found::Written => self.mismatch(What::Element)?,
                    }
                    found = Found::Written;
                    self.end_of_include()?;
                }
                Event::Start(_) => {
                    self.mismatch(What::Element)?;
                    self.reader.skip()?;
                }
                Event::End => return Ok(found),
                Event::Eof => return Err(Error::Plan),
            }
        }
    }

    /// Writes the part that an `xop:Include` refers to (XOP, section 2.1), in place of the text
    /// `before` it, which should be empty.
    fn include(&mut self, before: &str) -> Result<(), Error> {
        self.beside_include(before)?;
        let reference = self
            .reader
            .attribute(Namespace::NONE, "href")
            .ok_or(Error::Part)?;
        let href = self.reader.attribute_value(reference, &mut self.work.value);
        let id = trim(href).strip_prefix("cid:").ok_or(Error::Part)?;
        let bytes = crate::multipart::find_part(self.parts, id).ok_or(Error::Part)?;
        self.out.push(b'"');
        crate::multipart::push_base64(bytes, self.out);
        self.out.push(b'"');
        Ok(())
    }

    /// Reads to the end of an `xop:Include`, which should be empty.
    fn end_of_include(&mut self) -> Result<(), Error> {
        loop {
            match self.reader.next()? {
                Event::Text(text) => self.beside_include(text)?,
                Event::Character(_) => self.mismatch(What::Text)?,
                Event::Start(_) => {
                    self.mismatch(What::Element)?;
                    self.reader.skip()?;
                }
                Event::End => return Ok(()),
                Event::Eof => return Err(Error::Plan),
            }
        }
    }

    /// Counts text that is lost beside an `xop:Include`.
    fn beside_include(&mut self, text: &str) -> Result<(), Error> {
        match trim(text).is_empty() {
            true => Ok(()),
            false => self.mismatch(What::Text),
        }
    }
}

fn join(buffer: &mut String, first: &str) {
    buffer.clear();
    buffer.push_str(first);
}
