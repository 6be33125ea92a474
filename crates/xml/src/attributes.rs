//! The attributes of a start tag, and the namespaces it declares.

use quick_xml::parser::{ElementParser, Parser as _};
use tollgate_scan::plain_in_value;

use crate::characters::{ascii_name_bytes, cut_name, is_ascii_name_start, is_space, referenced};
use crate::stack::{Attribute, Binding, Stack, find_first_binding, prefix_mark, slice};
use crate::{Bounds, Error, Names, Namespace, Problem};

/// Maximum number of attributes that are compared pairwise; more are sorted.
const FEW: usize = 8;

/// Appends the normalised value of an attribute (XML 1.0, section 3.3.3).
pub(super) fn push_value(raw: &str, value: &mut String) -> Result<(), Problem> {
    let mut rest = raw;
    while let Some(at) = rest.find(['&', '\t', '\n']) {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(reference) = rest.strip_prefix('&') {
            let end = reference.find(';').ok_or(Problem::Reference)?;
            value.push(referenced(&reference[..end]).ok_or(Problem::Reference)?);
            rest = &reference[end + 1..];
        } else {
            value.push(' ');
            rest = &rest[1..];
        }
    }
    value.push_str(rest);
    Ok(())
}

/// Reads the attributes of a tag into a stack.
pub(super) struct Attributes<'a, 's> {
    pub(super) text: &'a str,
    pub(super) names: &'s Names,
    pub(super) stack: &'s mut Stack,
    pub(super) bounds: Bounds,
    /// The depth of the tag's element.
    pub(super) depth: u32,
    /// The start of the tag.
    pub(super) tag: usize,
    /// The position of the tag's `>` or `/>`, once it had to be found.
    pub(super) content_end: Option<usize>,
}

impl Attributes<'_, '_> {
    /// Reads the attributes from `start`, the end of the tag's name; returns the position of the
    /// tag's `>` or `/>`.
    pub(super) fn read(&mut self, start: usize) -> Result<usize, Error> {
        self.stack.attributes.clear();
        let bytes = self.text.as_bytes();
        let (mut at, mut count) = (start, 0);
        let end = loop {
            let before = at;
            while bytes.get(at).is_some_and(|&byte| is_space(byte)) {
                at += 1;
            }
            if let [b'>', ..] | [b'/', b'>', ..] = &bytes[at..] {
                break at;
            }
            count += 1;
            if count > self.bounds.attributes_max {
                return Err(Problem::Attributes.at(at));
            }
            if before == at {
                return Err(Problem::Attribute.at(at));
            }
            at = self.read_one(at)?;
        };
        if !self.stack.attributes.is_empty() {
            self.resolve(start)?;
        }
        Ok(end)
    }

    /// Reads the attribute at an offset; returns its end.
    fn read_one(&mut self, at: usize) -> Result<usize, Error> {
        let attribute = match self.read_plain(at) {
            Some(attribute) => attribute,
            None => self.read_any(at)?,
        };
        let end = attribute.value.end as usize + 1;
        let has_prefix = attribute.local > attribute.name.start;
        let local = slice(self.text, &(attribute.local..attribute.name.end));
        if has_prefix && self.text[at..].starts_with("xmlns:") {
            self.declare(attribute.local, attribute)?;
        } else if !has_prefix && local == "xmlns" {
            self.declare(attribute.name.end, attribute)?;
        } else {
            self.stack.attributes.push(attribute);
        }
        Ok(end)
    }

    /// Reads an attribute that is written in the usual way: an ASCII name, `=`, and a value without
    /// special characters.
    fn read_plain(&self, at: usize) -> Option<Attribute> {
        let bytes = self.text.as_bytes();
        let mut local = at;
        let mut end = at + ascii_name_bytes(&bytes[at..]);
        if bytes.get(end) == Some(&b':') {
            local = end + 1;
            end = local + ascii_name_bytes(&bytes[local..]);
        }
        let &[b'=', quote @ (b'"' | b'\''), ..] = bytes.get(end..)? else {
            return None;
        };
        let is_name = is_ascii_name_start(bytes[at]) && is_ascii_name_start(bytes[local]);
        if !is_name || end - at > self.bounds.name_bytes_max {
            return None;
        }
        let value = end + 2;
        let value_end = value + plain_in_value(&bytes[value..], quote);
        if bytes.get(value_end) != Some(&quote) {
            return None;
        }
        Some(Attribute {
            namespace: Namespace::NONE,
            first_binding: 0,
            name: at as u32..end as u32,
            local: local as u32,
            value: value as u32..value_end as u32,
            is_escaped: false,
        })
    }

    fn read_any(&mut self, at: usize) -> Result<Attribute, Error> {
        let bytes = &self.text.as_bytes()[..self.content_end()?];
        let skip_space = |mut at: usize| {
            while bytes.get(at).is_some_and(|&byte| is_space(byte)) {
                at += 1;
            }
            at
        };
        let malformed = Problem::Attribute.at(at);
        let equals = at + memchr::memchr(b'=', &bytes[at..]).ok_or(malformed)?;
        let name = crate::trim(&self.text[at..equals]);
        if name.len() > self.bounds.name_bytes_max {
            return Err(Problem::NameLength.at(at));
        }
        let (_, local) = cut_name(name).map_err(|problem| problem.at(at))?;
        let opening = skip_space(equals + 1);
        let quote = *bytes.get(opening).ok_or(malformed)?;
        if !matches!(quote, b'"' | b'\'') {
            return Err(malformed);
        }
        let value = opening + 1;
        let end = value + memchr::memchr(quote, &bytes[value..]).ok_or(malformed)?;
        let raw = &bytes[value..end];
        if memchr::memchr(b'<', raw).is_some() {
            return Err(malformed);
        }
        let attribute = Attribute {
            namespace: Namespace::NONE,
            first_binding: 0,
            name: at as u32..(at + name.len()) as u32,
            local: (at + name.len() - local.len()) as u32,
            value: value as u32..end as u32,
            is_escaped: memchr::memchr3(b'&', b'\t', b'\n', raw).is_some(),
        };
        if attribute.is_escaped {
            check_references(&self.text[value..end]).map_err(|problem| problem.at(value))?;
        }
        Ok(attribute)
    }

    /// Returns the position of the tag's `>` or `/>`. Searched for once: a tag may have many
    /// attributes that need it.
    fn content_end(&mut self) -> Result<usize, Error> {
        if let Some(end) = self.content_end {
            return Ok(end);
        }
        let bytes = tag_bytes(self.text, self.tag).ok_or(Problem::Truncated.at(self.tag))?;
        let last = self.tag + bytes - 1;
        let end = last - usize::from(self.text.as_bytes()[last - 1] == b'/');
        self.content_end = Some(end);
        Ok(end)
    }

    /// Records a declaration; `prefix` is the start of its prefix, which ends with the attribute's
    /// name.
    fn declare(&mut self, prefix: u32, attribute: Attribute) -> Result<(), Error> {
        let offset = attribute.name.start as usize;
        let (mut name, is_rewritten) = (attribute.value, attribute.is_escaped);
        if is_rewritten {
            let start = self.stack.rewritten.len() as u32;
            push_value(slice(self.text, &name), &mut self.stack.rewritten)
                .map_err(|problem| problem.at(offset))?;
            name = start..self.stack.rewritten.len() as u32;
        }
        let from = if is_rewritten {
            &self.stack.rewritten
        } else {
            self.text
        };
        let name_text = slice(from, &name);
        let namespace = self.names.find(name_text);
        let prefix = prefix..attribute.name.end;
        let prefix_text = slice(self.text, &prefix);
        let is_wrong = match prefix_text {
            "" => namespace == Namespace::XML,
            "xml" => namespace != Namespace::XML,
            "xmlns" => true,
            _ => matches!(namespace, Namespace::NONE | Namespace::XML),
        };
        let of_element = self.stack.bindings.iter().rev();
        let of_element = of_element.take_while(|binding| binding.depth == self.depth);
        let mark = prefix_mark(prefix_text);
        let mut declared = of_element.filter(|binding| binding.mark == mark);
        if declared.any(|binding| slice(self.text, &binding.prefix) == prefix_text) {
            return Err(Problem::DuplicateAttribute.at(offset));
        }
        if is_wrong || name_text == "http://www.w3.org/2000/xmlns/" {
            return Err(Problem::NamespaceDeclaration.at(offset));
        }
        if self.stack.bindings.len() >= self.bounds.namespaces_max {
            return Err(Problem::Namespaces.at(offset));
        }
        let first_binding = self.stack.first_binding(namespace, name_text, self.text);
        self.stack.known.leave_scope(prefix_text);
        self.stack.bindings.push(Binding {
            prefix,
            mark,
            namespace,
            first_binding,
            name,
            is_rewritten,
            depth: self.depth,
        });
        Ok(())
    }

    /// Resolves the namespaces of the attributes and checks for duplicates.
    fn resolve(&mut self, offset: usize) -> Result<(), Error> {
        for index in 0..self.stack.attributes.len() {
            let attribute = &self.stack.attributes[index];
            if attribute.local == attribute.name.start {
                continue;
            }
            let prefix = slice(self.text, &(attribute.name.start..attribute.local - 1));
            let found = find_first_binding(self.text, self.stack, prefix);
            let (namespace, first_binding) = found.ok_or(Problem::Prefix.at(offset))?;
            let attribute = &mut self.stack.attributes[index];
            attribute.namespace = namespace;
            attribute.first_binding = first_binding;
        }
        if self.stack.attributes.len() == 1 {
            return Ok(());
        }
        let mut order = std::mem::take(&mut self.stack.order);
        order.clear();
        order.extend(0..self.stack.attributes.len() as u16);
        let (text, stack) = (self.text, &*self.stack);
        let key = |index: u16| {
            let attribute = &stack.attributes[usize::from(index)];
            let local = slice(text, &(attribute.local..attribute.name.end));
            (attribute.namespace, attribute.first_binding, local)
        };
        let is_duplicate = if order.len() <= FEW {
            order
                .iter()
                .any(|&last| (0..last).any(|one| key(one) == key(last)))
        } else {
            order.sort_unstable_by(|&one, &other| key(one).cmp(&key(other)));
            order.windows(2).any(|two| key(two[0]) == key(two[1]))
        };
        self.stack.order = order;
        if is_duplicate {
            return Err(Problem::DuplicateAttribute.at(offset));
        }
        Ok(())
    }
}

fn check_references(raw: &str) -> Result<(), Problem> {
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        let reference = &rest[at + 1..];
        let end = reference.find(';').ok_or(Problem::Reference)?;
        referenced(&reference[..end]).ok_or(Problem::Reference)?;
        rest = &reference[end + 1..];
    }
    Ok(())
}

/// Returns the length of the tag that begins at an offset, judging by quotes and `>` only.
pub(super) fn tag_bytes(text: &str, start: usize) -> Option<usize> {
    let last = ElementParser::default().feed(&text.as_bytes()[start..])?;
    Some(last + 1)
}
