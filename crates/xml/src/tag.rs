//! Start tags and end tags.

use tollgate_scan::before_name_end;

use crate::attributes::{Attributes, tag_bytes};
use crate::characters::cut_name;
use crate::known_names::Known;
use crate::names::Namespace;
use crate::reader::{Event, Reader, Tag};
use crate::stack::{find_namespace, slice};
use crate::{Error, Problem};

impl<'a> Reader<'a, '_> {
    /// Reads a start tag. One without an end is always reported as truncated: with more bytes it
    /// could be another tag.
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
            _ => self.remember(start, prefix, name)?,
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

    /// Reads an end tag, which must match the open element.
    pub(super) fn close(&mut self) -> Result<Event<'a>, Error> {
        let end = match self.plain_end(self.offset) {
            Some(end) => end,
            None => self.any_end()?,
        };
        self.leave_element(end);
        Ok(Event::End)
    }

    /// Returns the end of the open element, if its end tag is at `at` and written in the usual way:
    /// without white space.
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

    /// Closes the open element, with an end tag that ends at `end`.
    pub(super) fn leave_element(&mut self, end: usize) {
        self.stack.opened.pop();
        self.end = end;
        self.depth -= 1;
    }

    /// Checks a name; returns the length of its prefix.
    fn check_name(&self, start: usize, name: &str) -> Result<usize, Error> {
        if name.len() > self.bounds.name_bytes_max {
            return Err(Problem::NameLength.at(start));
        }
        let (prefix, _) = cut_name(name).map_err(|problem| problem.at(start))?;
        Ok(prefix.len())
    }

    /// Resolves the namespace of a name, and caches it.
    fn remember(&mut self, start: usize, prefix: &str, name: &str) -> Result<Namespace, Error> {
        let namespace =
            find_namespace(self.text, self.stack, prefix).ok_or(Problem::Prefix.at(start))?;
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

    /// Reads the attributes after the name of a tag; returns the end of the tag.
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
