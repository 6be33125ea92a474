//! Tags. A message says the same names again and again: a name that was read before, and
//! still means the same, is compared and not read.

use std::ops::Range;

use quick_xml::parser::{ElementParser, Parser as _};

use super::attributes::{Attributes, slice};
use super::characters::{cut_name, is_space};
use super::names::Namespace;
use super::reader::{Event, Reader, Tag};
use super::{Error, Problem};

/// So many names are remembered.
const NAMES_KNOWN: usize = 32;
const SCOPES: usize = 8;

/// The name of a start tag that was read. Its place is in the text.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    start: u32,
    /// 0 of none.
    bytes: u32,
    /// Without the colon.
    prefix_bytes: u32,
    namespace: Namespace,
    /// The declarations that gave the namespace; see [`KnownNames::scopes`].
    scope: u32,
}

/// Names of start tags that one document has had.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    names: [Known; NAMES_KNOWN],
    /// Another number whenever the prefixes of this last letter may mean something else.
    scopes: [u32; SCOPES],
}

impl KnownNames {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Notes that a declaration of a prefix begins or ends.
    pub(super) fn leave_scope(&mut self, prefix: &str) {
        self.scopes[Self::scope_place(prefix)] += 1;
    }

    fn scope(&self, prefix: &str) -> u32 {
        self.scopes[Self::scope_place(prefix)]
    }

    fn scope_place(prefix: &str) -> usize {
        let last = prefix.as_bytes().last();
        last.map_or(0, |&last| usize::from(last) % SCOPES)
    }

    /// Where a name is remembered: here, or beside it with the last bit changed.
    fn place(name: &[u8]) -> usize {
        let (Some(&middle), Some(&last)) = (name.get(name.len() / 2), name.last()) else {
            return 0;
        };
        let mixed = u32::from_le_bytes([last, middle, name.len() as u8, 0]);
        (mixed.wrapping_mul(0x9E37_79B1) >> 27) as usize % NAMES_KNOWN
    }

    fn find(&self, text: &str, name: &[u8]) -> Option<Known> {
        let place = Self::place(name);
        let is_same = |known: &&Known| {
            let (start, bytes) = (known.start as usize, known.bytes as usize);
            bytes == name.len()
                && bytes > 0
                && text.as_bytes().get(start..start + bytes) == Some(name)
        };
        let places = [&self.names[place], &self.names[place ^ 1]];
        places.into_iter().find(is_same).copied()
    }

    fn remember(&mut self, name: &[u8], known: Known) {
        let place = Self::place(name);
        self.names[place ^ 1] = std::mem::replace(&mut self.names[place], known);
    }
}

impl<'a> Reader<'a, '_> {
    /// Reads a start tag.
    pub(super) fn open(&mut self) -> Result<Event<'a>, Error> {
        let rest = &self.text.as_bytes()[self.offset..];
        let last = ElementParser::default().feed(rest);
        let last = last.ok_or(Problem::Truncated.at(self.offset))?;
        self.end = self.offset + last + 1;
        self.is_empty = rest[last - 1] == b'/';
        if self.depth == 0 && self.has_root {
            return Err(self.beside_root());
        }
        self.has_root = true;
        self.depth += 1;
        if self.depth > self.bounds.depth_max {
            return Err(Problem::Depth.at(self.offset));
        }
        let start = self.offset + 1;
        let end = self.offset + last - usize::from(self.is_empty);
        let tag = &self.text[start..end];
        let name_bytes = tag.bytes().position(is_space).unwrap_or(tag.len());
        let (name, name_end) = (&tag[..name_bytes], start + name_bytes);
        let known = self.stack.known.find(self.text, name.as_bytes());
        let prefix_bytes = match known {
            Some(known) => known.prefix_bytes as usize,
            None => self.check_name(start, name)?,
        };
        if name_end < end {
            self.read_attributes(name_end..end)?;
        } else {
            self.stack.attributes.clear();
        }
        let (prefix, local) = match prefix_bytes {
            0 => ("", name),
            _ => (&name[..prefix_bytes], &name[prefix_bytes + 1..]),
        };
        let namespace = match known {
            Some(known) if known.scope == self.stack.known.scope(prefix) => known.namespace,
            _ => self.remember(start, (prefix, name))?,
        };
        if !self.is_empty {
            self.stack.opened.push(start as u32..name_end as u32);
        }
        Ok(Event::Start(Tag {
            namespace,
            prefix,
            local,
        }))
    }

    /// Reads an end tag, which must be that of the element that is open.
    pub(super) fn close(&mut self) -> Result<Event<'a>, Error> {
        let rest = &self.text[self.offset + "</".len()..];
        let bytes = memchr::memchr(b'>', rest.as_bytes());
        let bytes = bytes.ok_or(Problem::Truncated.at(self.offset))?;
        let opened = self.stack.opened.pop();
        let opened = opened.map(|range| slice(self.text, &range));
        let name = rest[..bytes].trim_end_matches([' ', '\t', '\n', '\r']);
        if opened != Some(name) {
            return Err(Problem::EndTag.at(self.offset));
        }
        self.end = self.offset + "</>".len() + bytes;
        self.depth -= 1;
        Ok(Event::End)
    }

    /// Checks a name; tells how long its prefix is.
    fn check_name(&self, start: usize, name: &str) -> Result<usize, Error> {
        if name.len() > self.bounds.name_bytes_max {
            return Err(Problem::NameLength.at(start));
        }
        let (prefix, _) = cut_name(name).map_err(|problem| problem.at(start))?;
        Ok(prefix.len())
    }

    /// Finds the namespace of a name, and remembers it.
    fn remember(&mut self, start: usize, (prefix, name): (&str, &str)) -> Result<Namespace, Error> {
        let namespace = self.resolve(prefix).ok_or(Problem::Prefix.at(start))?.0;
        let known = Known {
            start: start as u32,
            bytes: name.len() as u32,
            prefix_bytes: prefix.len() as u32,
            namespace,
            scope: self.stack.known.scope(prefix),
        };
        self.stack.known.remember(name.as_bytes(), known);
        Ok(namespace)
    }

    fn read_attributes(&mut self, range: Range<usize>) -> Result<(), Error> {
        let mut attributes = Attributes {
            text: self.text,
            names: self.names,
            stack: self.stack,
            bounds: self.bounds,
            depth: self.depth,
        };
        attributes.read(range)
    }
}
