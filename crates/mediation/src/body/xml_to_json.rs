//! `xml_to_json`: an XML 1.0 document in UTF-8 as JSON, the inverse of `json_to_xml`.
//!
//! The content of the root element is the value; its name is dropped. All values are texts, and an
//! element without content is `""`. Elements that repeat are one array, also if others are between
//! them. Comments, instructions, and white space between elements are dropped.

mod tree;
mod write;

use serde::{Deserialize, Serialize};
use tollgate_xml::{Bounds, DecodeError, Event, Reader, Stack, declared_encoding, decode};

use crate::edits::Changed;
use crate::outcome::Stop;
use crate::value::BYTES_MAX;
use crate::work::Work;
use tree::{NAMES, Tree};
use write::Writer;

/// Maximum depth of elements, that of arrays and objects in JSON.
const DEPTH_MAX: u32 = 64;
/// Maximum number of attributes of an element that `json_to_xml` writes.
const ATTRIBUTES_MAX: usize = 60_000;
/// Bytes of a document that are read with one unit, and units for an element and an attribute.
const BYTES_PER_UNIT: usize = 4;
const ELEMENT_UNITS: usize = 24;
const ATTRIBUTE_UNITS: usize = 24;

/// The convention by which XML becomes JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct XmlToJson {
    /// Names from below the root to elements that are always arrays; at most 64 paths.
    pub(crate) arrays: Box<[Box<[Box<str>]>]>,
    /// Beginning of the names of attributes; if empty, they are left out.
    pub(crate) attributes: Box<str>,
    /// Name of the member for the text beside attributes or elements.
    pub(crate) text: Box<str>,
}

/// Memory for documents, reused.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    stack: Stack,
    tree: Tree,
}

impl Memory {
    /// Frees what a large document has taken.
    pub(crate) fn shrink(&mut self) {
        self.tree.shrink();
    }
}

impl XmlToJson {
    /// Converts a body.
    ///
    /// # Errors
    /// Fails if the document is malformed, exceeds a bound, or is not in UTF-8, if the JSON would
    /// have more than 10 MiB, or if the work is exceeded.
    pub(crate) fn run(
        &self,
        body: &[u8],
        out: &mut Vec<u8>,
        work: &Work,
        memory: &mut Memory,
    ) -> Result<Option<Changed>, Stop> {
        if !is_utf8(body) {
            return Err(Stop::WrongType("Send XML in UTF-8."));
        }
        let bounds = Bounds {
            depth_max: DEPTH_MAX,
            ..Bounds::default()
        };
        work.charge(body.len() / BYTES_PER_UNIT)?;
        let text = decode(body, Some("utf-8"), bounds).map_err(malformed)?;
        let Memory { stack, tree } = memory;
        let mut reader = Reader::new(&text, &NAMES, stack, bounds);
        tree.read(&mut reader, !self.attributes.is_empty(), work)?;
        Writer::new(self, tree, text.as_str(), out).write()?;
        Ok(Some(Changed {
            media_type: Some("application/json"),
            coding: None,
        }))
    }
}

/// Whether a document is UTF-8 by its first bytes and its declaration.
fn is_utf8(body: &[u8]) -> bool {
    let is_wide = matches!(
        body,
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, ..] | [_, 0, ..]
    );
    let unmarked = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let declared = declared_encoding(unmarked);
    let is_ascii_or_utf8 = |name: &[u8]| {
        [&b"utf-8"[..], b"us-ascii"]
            .iter()
            .any(|it| name.eq_ignore_ascii_case(it))
    };
    !is_wide && declared.is_none_or(is_ascii_or_utf8)
}

fn malformed(error: impl Into<DecodeError>) -> Stop {
    Stop::NotWellFormed(format!("the body is not valid XML: {}", error.into()).into())
}

/// Returns the units for the start tag that a reader has read.
fn tag_units(reader: &Reader<'_, '_>) -> usize {
    let attributes = reader.attributes().len() + reader.declarations().count();
    ELEMENT_UNITS + attributes * ATTRIBUTE_UNITS
}

/// Checks the namespaces of a document that `json_to_xml` has written. Once the work is exceeded,
/// the rest is not checked.
pub(super) fn check(document: &[u8], work: &Work, memory: &mut Memory) -> Result<(), DecodeError> {
    let bounds = Bounds {
        // Twice, since the document may be longer before it is refused.
        bytes_max: 2 * BYTES_MAX,
        attributes_max: ATTRIBUTES_MAX,
        ..Bounds::default()
    };
    work.spend(document.len() / BYTES_PER_UNIT);
    let text = decode(document, Some("utf-8"), bounds)?;
    let mut reader = Reader::new(&text, &NAMES, &mut memory.stack, bounds);
    while !work.is_exceeded() {
        match reader.next()? {
            Event::Start(_) => work.spend(tag_units(&reader)),
            Event::Eof => break,
            _ => true,
        };
    }
    Ok(())
}
