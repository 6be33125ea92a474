//! The pull reader.

use quick_xml::errors::SyntaxError;
use quick_xml::events;

use super::attributes::push_value;
use super::characters::{cut_name, referenced};
use super::names::{Names, Namespace};
use super::stack::{Attribute, Stack, find_prefix, slice};
use super::{Bounds, Error, Problem, Text, trim};
use crate::scan::before_markup;

/// What a document says next. Comments are never told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// An element begins; its attributes are in [`Reader::attributes`] until the next event.
    Start(Tag<'a>),
    /// The innermost element ends, also one without content.
    End,
    /// Text within an element, or a part of it: comments, sections and references cut it.
    Text(&'a str),
    /// A character of text that was written as a reference.
    Character(char),
    /// The document has ended, soundly.
    Eof,
}

/// The beginning of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Its namespace.
    pub namespace: Namespace,
    /// Its prefix; empty where there is none.
    pub prefix: &'a str,
    /// Its name.
    pub local: &'a str,
}

/// Pulls events from a document.
pub struct Reader<'a, 's> {
    pub(super) text: &'a str,
    has_section_end: bool,
    is_clean: bool,
    /// Where the next event begins.
    pub(super) end: usize,
    pub(super) names: &'s Names,
    pub(super) stack: &'s mut Stack,
    pub(super) bounds: Bounds,
    /// Of the element that is open.
    pub(super) depth: u32,
    /// Where the last event begins.
    pub(super) offset: usize,
    /// Whether the element that is open has ended with its start tag.
    pub(super) is_empty: bool,
    /// Whether the root has begun.
    pub(super) has_root: bool,
    pub(super) refuses_instructions: bool,
}

impl<'a, 's> Reader<'a, 's> {
    /// Of a document; `stack` may have been used before.
    #[must_use]
    pub fn new(text: &'a Text<'_>, names: &'s Names, stack: &'s mut Stack, bounds: Bounds) -> Self {
        stack.clear();
        Self {
            text: text.as_str(),
            has_section_end: text.has_section_end,
            is_clean: text.is_clean,
            end: 0,
            names,
            stack,
            bounds,
            depth: 0,
            offset: 0,
            is_empty: false,
            has_root: false,
            refuses_instructions: false,
        }
    }

    /// From now on, processing instructions are refused instead of skipped.
    pub const fn refuse_instructions(&mut self) {
        self.refuses_instructions = true;
    }

    /// How many elements are open: after [`Event::Start`] with the one that began, after
    /// [`Event::End`] without the one that ended.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// Where the last event begins, in the text.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Where the last event ends, in the text.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.end
    }

    /// The text that is read.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// Whether the text is known to be without control characters, line ends among them. What
    /// references stand for may be one all the same.
    pub(crate) const fn is_clean(&self) -> bool {
        self.is_clean
    }

    /// The next event.
    ///
    /// # Errors
    ///
    /// The document is malformed, refused or beyond a bound. After an error, nothing more can be
    /// read.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator of results would go on after an error"
    )]
    pub fn next(&mut self) -> Result<Event<'a>, Error> {
        if self.is_empty {
            self.is_empty = false;
            self.depth -= 1;
            return Ok(Event::End);
        }
        self.leave();
        loop {
            self.offset = self.end;
            let event = match &self.text.as_bytes()[self.offset..] {
                [b'<', b'/', ..] => return self.close(),
                [b'<', b'!' | b'?', ..] | [b'<'] => self.seldom()?,
                [] if self.depth > 0 || !self.has_root => {
                    return Err(Problem::Truncated.at(self.offset));
                }
                [] => return Ok(Event::Eof),
                [b'<', ..] => return self.open(),
                [b'&', ..] => self.reference()?,
                rest => {
                    self.end += before_markup(rest);
                    self.text_event()?
                }
            };
            if let Some(event) = event {
                return Ok(event);
            }
        }
    }

    /// Reads the element that has begun last to its end where it holds nothing but one piece of
    /// text, as nearly all do that hold text at all.
    pub(crate) fn whole_text(&mut self) -> Option<&'a str> {
        if self.is_empty {
            self.is_empty = false;
            self.depth -= 1;
            return Some("");
        }
        if self.has_section_end {
            return None;
        }
        let start = self.end;
        let bytes = before_markup(&self.text.as_bytes()[start..]);
        let end = self.plain_end(start + bytes)?;
        self.offset = start + bytes;
        self.leave_element(end);
        Some(&self.text[start..self.offset])
    }

    /// Text, which beside the root may be white space.
    fn text_event(&self) -> Result<Option<Event<'a>>, Error> {
        let text = &self.text[self.offset..self.end];
        if self.depth > 0 {
            self.check_text(text)?;
            return Ok(Some(Event::Text(text)));
        }
        match trim(text) {
            "" => Ok(None),
            _ => Err(self.beside_root()),
        }
    }

    fn reference(&mut self) -> Result<Option<Event<'a>>, Error> {
        let rest = &self.text.as_bytes()[self.offset + 1..];
        let Some(bytes) = memchr::memchr3(b';', b'&', b'<', rest) else {
            return Err(Problem::Truncated.at(self.offset));
        };
        let name = &self.text[self.offset + 1..][..bytes];
        let wrong = Problem::Reference.at(self.offset);
        if rest[bytes] != b';' {
            return Err(wrong);
        }
        if self.depth == 0 {
            return Err(self.beside_root());
        }
        self.end += bytes + "&;".len();
        let character = referenced(name).ok_or(wrong)?;
        Ok(Some(Event::Character(character)))
    }

    /// What a message has few of; `None` for what is never told.
    fn seldom(&mut self) -> Result<Option<Event<'a>>, Error> {
        let mut source = quick_xml::Reader::from_str(&self.text[self.offset..]);
        source.config_mut().check_comments = true;
        let event = source
            .read_event()
            .map_err(|error| self.malformed(&error))?;
        self.end += source.buffer_position() as usize;
        match event {
            events::Event::CData(_) if self.depth > 0 => {
                const BEGIN: usize = "<![CDATA[".len();
                let section = self.offset + BEGIN..self.end - "]]>".len();
                return Ok(Some(Event::Text(&self.text[section])));
            }
            events::Event::CData(_) => return Err(self.beside_root()),
            events::Event::Decl(_) => self.check_declaration()?,
            events::Event::PI(_) => self.check_instruction()?,
            events::Event::DocType(_) => return Err(Problem::Doctype.at(self.offset)),
            events::Event::Eof => return Err(Problem::Truncated.at(self.text.len())),
            // Comments; the others are told where they are read.
            _ => {}
        }
        Ok(None)
    }

    /// Reads on to the end of the element that has begun last; returns where it ends.
    ///
    /// # Errors
    ///
    /// As [`Self::next`].
    pub fn skip(&mut self) -> Result<usize, Error> {
        let depth = self.depth;
        loop {
            if self.next()? == Event::End && self.depth < depth {
                return Ok(self.end);
            }
        }
    }

    /// The attributes of the element that has begun last, without declarations of namespaces.
    #[must_use]
    pub fn attributes(&self) -> &[Attribute] {
        &self.stack.attributes
    }

    /// The local name of an attribute.
    #[must_use]
    pub fn attribute_name(&self, attribute: &Attribute) -> &'a str {
        slice(self.text, &(attribute.local..attribute.name.end))
    }

    /// The prefix of an attribute; empty where it has none.
    #[must_use]
    pub fn attribute_prefix(&self, attribute: &Attribute) -> &'a str {
        let end = attribute.local.saturating_sub(1).max(attribute.name.start);
        slice(self.text, &(attribute.name.start..end))
    }

    /// The value of an attribute; `buffer` keeps it where it is not written as it counts.
    #[must_use]
    pub fn attribute_value<'b>(&self, attribute: &Attribute, buffer: &'b mut String) -> &'b str
    where
        'a: 'b,
    {
        let raw = slice(self.text, &attribute.value);
        if !attribute.is_escaped {
            return raw;
        }
        buffer.clear();
        // The references were checked when the tag was read.
        match push_value(raw, buffer) {
            Ok(()) => buffer,
            Err(_) => raw,
        }
    }

    /// The attribute of a name.
    #[must_use]
    pub fn attribute(&self, namespace: Namespace, local: &str) -> Option<&Attribute> {
        let mut attributes = self.stack.attributes.iter();
        attributes.find(|attribute| {
            attribute.namespace == namespace && self.attribute_name(attribute) == local
        })
    }

    /// What a prefix stands for where the last event is: number and name. Of [`Event::End`], in
    /// the element that ended.
    #[must_use]
    pub fn resolve(&self, prefix: &str) -> Option<(Namespace, &str)> {
        find_prefix(self.text, self.stack, prefix)
    }

    /// The depth of the element that declares a prefix, and the name of the namespace; `None` for
    /// a prefix that nothing declares.
    #[must_use]
    pub fn declaration(&self, prefix: &str) -> Option<(u32, &str)> {
        let mut bindings = self.stack.bindings.iter().rev();
        let binding = bindings.find(|binding| slice(self.text, &binding.prefix) == prefix)?;
        Some((binding.depth, self.stack.name_of(binding, self.text)))
    }

    /// Forgets the namespaces that ended elements have declared.
    fn leave(&mut self) {
        let stack = &mut *self.stack;
        while let Some(last) = stack.bindings.last()
            && last.depth > self.depth
        {
            stack.known.leave_scope(slice(self.text, &last.prefix));
            stack.bindings.pop();
        }
    }

    fn check_text(&self, text: &str) -> Result<(), Error> {
        if self.has_section_end && text.contains("]]>") {
            return Err(Problem::SectionEnd.at(self.offset));
        }
        Ok(())
    }

    fn check_declaration(&self) -> Result<(), Error> {
        let content = &self.text[self.offset..self.end];
        let rest = content
            .strip_prefix("<?xml")
            .unwrap_or(content)
            .trim_start();
        match version(rest) {
            Some("1.0") if self.offset == 0 => Ok(()),
            Some(_) if self.offset == 0 => Err(Problem::Version.at(self.offset)),
            _ => Err(Problem::Declaration.at(self.offset)),
        }
    }

    fn check_instruction(&self) -> Result<(), Error> {
        let content = &self.text[self.offset + "<?".len()..self.end - "?>".len()];
        let name = content
            .split([' ', '\t', '\n', '\r'])
            .next()
            .unwrap_or(content);
        if name.eq_ignore_ascii_case("xml") || !matches!(cut_name(name), Ok(("", _))) {
            return Err(Problem::Markup.at(self.offset));
        }
        if self.refuses_instructions {
            return Err(Problem::Instruction.at(self.offset));
        }
        Ok(())
    }

    pub(super) fn beside_root(&self) -> Error {
        Problem::BesideRoot.at(self.offset)
    }

    /// What quick-xml found; its own texts are for programmers.
    #[cold]
    fn malformed(&self, error: &quick_xml::Error) -> Error {
        let rest = &self.text[self.offset..];
        let problem = match error {
            _ if rest.starts_with("<!D") || rest.starts_with("<!d") => Problem::Doctype,
            quick_xml::Error::Syntax(SyntaxError::InvalidBangMarkup)
                if !"<!--".starts_with(rest)
                    && !"<![CDATA[".starts_with(rest)
                    && !"<!DOCTYPE".starts_with(rest) =>
            {
                Problem::Markup
            }
            quick_xml::Error::Syntax(_) => Problem::Truncated,
            _ => Problem::Markup,
        };
        problem.at(self.offset)
    }
}

/// The version that is claimed by what follows `<?xml `, first of all.
fn version(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix("version")?.trim_start();
    let rest = rest.strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    Some(rest[1..].split_once(quote)?.0)
}
