//! Tags. A message says the same names again and again: a name that was read before, and
//! still means the same, is compared and not read.

use quick_xml::parser::{ElementParser, Parser as _};

use super::attributes::{Attributes, find_namespace, slice};
use super::characters::cut_name;
use super::names::Namespace;
use super::reader::{Event, Reader, Tag};
use super::{Error, Problem};
use crate::scan::before_name_end;

/// So many names are remembered.
const NAMES_KNOWN: usize = 64;
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
#[derive(Debug)]
pub(super) struct KnownNames {
    names: [Known; NAMES_KNOWN],
    /// Another number whenever the prefixes of this last letter may mean something else.
    scopes: [u32; SCOPES],
}

impl Default for KnownNames {
    fn default() -> Self {
        Self {
            names: [Known::default(); NAMES_KNOWN],
            scopes: [0; SCOPES],
        }
    }
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
        (mixed.wrapping_mul(0x9E37_79B1) >> 26) as usize % NAMES_KNOWN
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
    /// Reads a start tag. One without an end is told as that, whatever else is wrong with it: with
    /// more bytes it could be another tag.
    pub(super) fn open(&mut self) -> Result<Event<'a>, Error> {
        self.start_tag()
            .map_err(|error| match tag_bytes(self.text, self.offset) {
                Some(_) => error,
                None => Problem::Truncated.at(self.offset),
            })
    }

    fn start_tag(&mut self) -> Result<Event<'a>, Error> {
        if self.depth == 0 && self.has_root {
            return Err(self.beside_root());
        }
        self.has_root = true;
        self.depth += 1;
        if self.depth > self.bounds.depth_max {
            return Err(Problem::Depth.at(self.offset));
        }
        let start = self.offset + 1;
        let rest = &self.text[start..];
        let name = &rest[..before_name_end(rest.as_bytes())];
        let name_end = start + name.len();
        let known = self.stack.known.find(self.text, name.as_bytes());
        let prefix_bytes = match known {
            Some(known) => known.prefix_bytes as usize,
            None => self.check_name(start, name)?,
        };
        self.end = match &rest.as_bytes()[name.len()..] {
            [b'>', ..] => {
                self.stack.attributes.clear();
                name_end + 1
            }
            [b'/', b'>', ..] => {
                self.stack.attributes.clear();
                self.is_empty = true;
                name_end + 2
            }
            [b'/', ..] => return Err(Problem::Name.at(start)),
            _ => self.read_attributes(name_end)?,
        };
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
        let end = match self.plain_end(self.offset) {
            Some(end) => end,
            None => self.any_end()?,
        };
        self.leave_element(end);
        Ok(Event::End)
    }

    /// Where the element that is open ends, if its end tag is at a place and written as nearly
    /// all are: without white space.
    pub(super) fn plain_end(&self, at: usize) -> Option<usize> {
        let opened = self.stack.opened.last()?;
        let name = slice(self.text, opened).as_bytes();
        let rest = self.text.as_bytes()[at..].strip_prefix(b"</")?;
        let is_plain = rest.get(name.len()) == Some(&b'>') && rest.starts_with(name);
        is_plain.then_some(at + name.len() + "</>".len())
    }

    fn any_end(&self) -> Result<usize, Error> {
        let rest = &self.text[self.offset + "</".len()..];
        let bytes = memchr::memchr(b'>', rest.as_bytes());
        let bytes = bytes.ok_or(Problem::Truncated.at(self.offset))?;
        let opened = self.stack.opened.last();
        let opened = opened.map(|range| slice(self.text, range));
        let name = rest[..bytes].trim_end_matches([' ', '\t', '\n', '\r']);
        if opened != Some(name) {
            return Err(Problem::EndTag.at(self.offset));
        }
        Ok(self.offset + "</>".len() + bytes)
    }

    /// The element that is open has ended, with an end tag that ends at a place.
    pub(super) fn leave_element(&mut self, end: usize) {
        self.stack.opened.pop();
        self.end = end;
        self.depth -= 1;
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
        let namespace = find_namespace(self.text, self.stack, prefix);
        let namespace = namespace.ok_or(Problem::Prefix.at(start))?;
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

    /// Reads the attributes behind the name of a tag; returns where the tag ends.
    fn read_attributes(&mut self, start: usize) -> Result<usize, Error> {
        let mut attributes = Attributes {
            text: self.text,
            names: self.names,
            stack: self.stack,
            bounds: self.bounds,
            depth: self.depth,
            tag: self.offset,
            content_end: None,
        };
        let end = attributes.read(start)?;
        self.is_empty = self.text.as_bytes()[end] == b'/';
        Ok(end + 1 + usize::from(self.is_empty))
    }
}

/// The bytes of the tag that begins at a place, as far as quotes and `>` tell.
pub(super) fn tag_bytes(text: &str, start: usize) -> Option<usize> {
    let last = ElementParser::default().feed(&text.as_bytes()[start..])?;
    Some(last + 1)
}
