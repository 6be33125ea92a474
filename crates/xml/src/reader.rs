//! The pull reader.

use quick_xml::errors::SyntaxError;
use quick_xml::events;
use tollgate_scan::before_markup;

use crate::attributes::push_value;
use crate::characters::{cut_name, referenced};
use crate::names::{Names, Namespace};
use crate::stack::{Attribute, Stack, find_prefix, slice};
use crate::{Bounds, Error, Problem, Text, trim};

/// The next part of a document. Comments are not reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// An element begins; its attributes are in [`Reader::attributes`] until the next event.
    Start(Tag<'a>),
    /// The innermost element ends, including one without content.
    End,
    /// Text within an element, or a part of it: comments, sections and references split it.
    Text(&'a str),
    /// A character of text that was written as a reference.
    Character(char),
    /// The document has ended and is well-formed.
    Eof,
}

/// The start tag of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Its namespace.
    pub namespace: Namespace,
    /// Its prefix; empty if there is none.
    pub prefix: &'a str,
    /// Its local name.
    pub local: &'a str,
}

/// Pulls events from a document.
pub struct Reader<'a, 's> {
    pub(super) text: &'a str,
    has_section_end: bool,
    is_clean: bool,
    /// The start of the next event.
    pub(super) end: usize,
    pub(super) names: &'s Names,
    pub(super) stack: &'s mut Stack,
    pub(super) bounds: Bounds,
    /// The depth of the open element.
    pub(super) depth: u32,
    /// The start of the last event.
    pub(super) offset: usize,
    /// Whether the open element has ended with its start tag.
    pub(super) is_empty: bool,
    /// Whether the root has begun.
    pub(super) has_root: bool,
    pub(super) refuses_instructions: bool,
}

impl<'a, 's> Reader<'a, 's> {
    /// Reads a document; `stack` may have been used before.
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

    /// Rejects processing instructions from now on, instead of skipping them.
    pub const fn refuse_instructions(&mut self) {
        self.refuses_instructions = true;
    }

    /// Returns the number of open elements: including the one that [`Event::Start`] has opened,
    /// without the one that [`Event::End`] has closed.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns the start of the last event in the text.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the end of the last event in the text.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.end
    }

    /// Returns the text of the document.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// Whether the text is known to contain no control characters, including line ends. References
    /// may still represent one.
    pub const fn is_clean(&self) -> bool {
        self.is_clean
    }

    /// Reads the next event.
    ///
    /// # Errors
    ///
    /// Fails if the document is malformed, forbidden or exceeds a bound. After an error, nothing
    /// more can be read.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator of results would continue after an error"
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
                [b'<', b'!' | b'?', ..] | [b'<'] => self.rare_markup()?,
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

    /// Reads the element that was opened last to its end, if it holds nothing but one piece of
    /// text, as nearly all elements with text do.
    pub fn whole_text(&mut self) -> Option<&'a str> {
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

    /// Returns text; outside the root only white space is allowed.
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

    /// Reads rare markup: CDATA, comments, instructions; returns `None` if it is ignored.
    fn rare_markup(&mut self) -> Result<Option<Event<'a>>, Error> {
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
            // Comments; all others are handled elsewhere.
            _ => {}
        }
        Ok(None)
    }

    /// Skips to the end of the element that was opened last; returns its offset.
    ///
    /// # Errors
    ///
    /// Fails like [`Self::next`].
    pub fn skip(&mut self) -> Result<usize, Error> {
        let depth = self.depth;
        loop {
            if self.next()? == Event::End && self.depth < depth {
                return Ok(self.end);
            }
        }
    }

    /// Returns the attributes of the element that was opened last, without namespace declarations.
    #[must_use]
    pub fn attributes(&self) -> &[Attribute] {
        &self.stack.attributes
    }

    /// Returns the namespace declarations of the element that was opened last, in their order:
    /// prefixes, empty for the default namespace, and names.
    pub fn declarations(&self) -> impl Iterator<Item = (&'a str, &str)> {
        let bindings = &self.stack.bindings;
        let first = bindings.partition_point(|binding| binding.depth < self.depth);
        bindings[first..].iter().map(|binding| {
            let prefix = slice(self.text, &binding.prefix);
            (prefix, self.stack.name_of(binding, self.text))
        })
    }

    /// Returns the local name of an attribute.
    #[must_use]
    pub fn attribute_name(&self, attribute: &Attribute) -> &'a str {
        slice(self.text, &(attribute.local..attribute.name.end))
    }

    /// Returns the prefix of an attribute; empty if it has none.
    #[must_use]
    pub fn attribute_prefix(&self, attribute: &Attribute) -> &'a str {
        let end = attribute.local.saturating_sub(1).max(attribute.name.start);
        slice(self.text, &(attribute.name.start..end))
    }

    /// Returns the value of an attribute; `buffer` holds it if normalisation changes it.
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

    /// Returns the attribute with a name.
    #[must_use]
    pub fn attribute(&self, namespace: Namespace, local: &str) -> Option<&Attribute> {
        let mut attributes = self.stack.attributes.iter();
        attributes.find(|attribute| {
            attribute.namespace == namespace && self.attribute_name(attribute) == local
        })
    }

    /// Resolves a prefix at the last event to number and name of its namespace; at [`Event::End`],
    /// within the element that ended.
    #[must_use]
    pub fn resolve(&self, prefix: &str) -> Option<(Namespace, &str)> {
        find_prefix(self.text, self.stack, prefix)
    }

    /// Returns the depth of the element that declares a prefix, and the name of the namespace;
    /// `None` for an undeclared prefix.
    #[must_use]
    pub fn declaration(&self, prefix: &str) -> Option<(u32, &str)> {
        let mut bindings = self.stack.bindings.iter().rev();
        let binding = bindings.find(|binding| slice(self.text, &binding.prefix) == prefix)?;
        Some((binding.depth, self.stack.name_of(binding, self.text)))
    }

    /// Removes the namespaces that ended elements have declared.
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

    /// Maps an error of quick-xml, with texts made for programmers, to a problem.
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

/// Returns the version that the text after `<?xml ` declares first.
fn version(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix("version")?.trim_start();
    let rest = rest.strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    Some(rest[1..].split_once(quote)?.0)
}
