//! XML that is kept as XML: elements and mixed content that become a JSON string.
//!
//! The text is copied from the message; declarations are added for namespaces that its names use
//! and that were declared outside, which makes it self-contained.

use std::ops::Range;

use tollgate_xml::{Error, Event, Namespace, Reader, Tag};

use tollgate_json::push_escaped;

/// A declaration that a fragment lacks: its offset, prefix and name. Offsets are into the message
/// and into [`Fragments::names`].
#[derive(Debug)]
struct Lack {
    at: usize,
    prefix: Range<usize>,
    name: Range<usize>,
}

/// The characters that the name of a namespace must escape in an attribute.
const SPECIAL: [char; 3] = ['&', '<', '\''];

/// Buffers reused from fragment to fragment.
#[derive(Debug, Default)]
pub(super) struct Fragments {
    lacks: Vec<Lack>,
    names: String,
    value: String,
}

impl Fragments {
    /// Writes the element that was opened last, and reads to its end.
    pub(super) fn push_element(
        &mut self,
        tag: Tag<'_>,
        reader: &mut Reader<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.clear();
        let (start, depth) = (reader.offset(), reader.depth());
        let at = start + name_end(tag);
        self.note(tag, at, depth, reader);
        loop {
            match reader.next()? {
                Event::Start(tag) => self.note(tag, at, depth, reader),
                Event::End if reader.depth() < depth => break,
                _ => {}
            }
        }
        self.write(start..reader.end(), reader.text(), out);
        Ok(())
    }

    /// Writes the content of the element that was opened last, and reads to its end.
    pub(super) fn push_content(
        &mut self,
        reader: &mut Reader<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.clear();
        let (start, depth) = (reader.end(), reader.depth());
        let mut at = start;
        loop {
            match reader.next()? {
                Event::Start(tag) => {
                    if reader.depth() == depth + 1 {
                        at = reader.offset() + name_end(tag);
                    }
                    self.note(tag, at, depth + 1, reader);
                }
                // For `<a/>`, the end is at the start of the content.
                Event::End if reader.depth() < depth => break,
                _ => {}
            }
        }
        self.write(start..reader.offset().max(start), reader.text(), out);
        Ok(())
    }

    fn clear(&mut self) {
        self.lacks.clear();
        self.names.clear();
    }

    /// Records the namespaces of a tag that were declared outside of the elements of a depth.
    fn note(&mut self, tag: Tag<'_>, at: usize, depth: u32, reader: &Reader<'_, '_>) {
        self.note_prefix(tag.prefix, at, depth, reader);
        for attribute in reader.attributes() {
            let prefix = reader.attribute_prefix(attribute);
            if !prefix.is_empty() {
                self.note_prefix(prefix, at, depth, reader);
            }
            if attribute.namespace == Namespace::INSTANCE
                && reader.attribute_name(attribute) == "type"
            {
                let mut value = std::mem::take(&mut self.value);
                let name = reader.attribute_value(attribute, &mut value);
                let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
                self.note_prefix(prefix, at, depth, reader);
                self.value = value;
            }
        }
    }

    fn note_prefix(&mut self, prefix: &str, at: usize, depth: u32, reader: &Reader<'_, '_>) {
        let Some((declared_at, name)) = reader.declaration(prefix) else {
            return;
        };
        let is_noted = |lack: &&Lack| lack.at == at && self.text_of(&lack.prefix) == prefix;
        if declared_at >= depth || self.lacks.iter().rev().any(|lack| is_noted(&lack)) {
            return;
        }
        let lack = Lack {
            at,
            prefix: self.keep(prefix),
            name: self.keep(name),
        };
        self.lacks.push(lack);
    }

    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.names.len();
        self.names.push_str(text);
        start..self.names.len()
    }

    fn text_of(&self, kept: &Range<usize>) -> &str {
        &self.names[kept.clone()]
    }

    /// Writes this range of the message, with the declarations that it lacks.
    fn write(&self, range: Range<usize>, text: &str, out: &mut Vec<u8>) {
        out.push(b'"');
        let mut from = range.start;
        for lack in &self.lacks {
            push_escaped(out, &text[from..lack.at]);
            from = lack.at;
            let prefix = self.text_of(&lack.prefix);
            out.extend_from_slice(b" xmlns");
            if !prefix.is_empty() {
                out.push(b':');
                push_escaped(out, prefix);
            }
            out.extend_from_slice(b"='");
            for piece in self.text_of(&lack.name).split_inclusive(SPECIAL) {
                let plain = piece.trim_end_matches(SPECIAL);
                push_escaped(out, plain);
                out.extend_from_slice(match &piece[plain.len()..] {
                    "&" => b"&amp;",
                    "<" => b"&lt;",
                    "'" => b"&apos;",
                    _ => b"",
                });
            }
            out.push(b'\'');
        }
        push_escaped(out, &text[from..range.end]);
        out.push(b'"');
    }
}

/// Returns the length of a tag up to the end of its name.
fn name_end(tag: Tag<'_>) -> usize {
    let prefix = if tag.prefix.is_empty() {
        0
    } else {
        tag.prefix.len() + 1
    };
    1 + prefix + tag.local.len()
}
