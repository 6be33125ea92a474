//! A first pass over a document that enforces bounds, which make it safe to build and walk the
//! tree: the tree's builder checks attributes and copies namespaces in quadratic time, and its
//! readers recurse.

use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::limits::{DocumentError, Limits};
use super::notes::offset;

/// Maximum number of attributes of one element, including namespaces.
const ATTRIBUTES_MAX: usize = 512;
/// Maximum bytes of an attribute value.
const VALUE_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of namespaces in scope at once.
const NAMESPACES_MAX: usize = 1_024;

/// Rejects documents that have a document type, or exceed the bounds. Returns the number of
/// elements.
pub(super) fn check(text: &str, limits: &Limits) -> Result<usize, DocumentError> {
    let mut reader = Reader::from_str(text);
    let mut scopes: Vec<usize> = Vec::new();
    let mut in_scope = 0;
    let mut elements = 0;
    loop {
        let event = reader
            .read_event()
            .map_err(|error| malformed(text, &reader, &error))?;
        match event {
            Event::Start(start) => {
                let declared = namespaces(&start)?;
                scopes.push(declared);
                in_scope += declared;
                elements += 1;
                if scopes.len() > limits.depth_max {
                    return Err(DocumentError::Depth(limits.depth_max));
                }
            }
            Event::Empty(start) => {
                elements += 1;
                if in_scope + namespaces(&start)? > NAMESPACES_MAX {
                    return Err(DocumentError::Namespaces(NAMESPACES_MAX));
                }
            }
            Event::End(_) => in_scope -= scopes.pop().unwrap_or_default(),
            Event::DocType(_) => return Err(DocumentError::Doctype),
            Event::Eof => return Ok(elements),
            _ => {}
        }
        if in_scope > NAMESPACES_MAX {
            return Err(DocumentError::Namespaces(NAMESPACES_MAX));
        }
    }
}

/// Returns the tag of a document's root. Nothing behind it is read; a document type declaration
/// before it is skipped.
pub(super) fn root(text: &str) -> Result<BytesStart<'_>, DocumentError> {
    let mut reader = Reader::from_str(text);
    loop {
        let event = reader
            .read_event()
            .map_err(|error| malformed(text, &reader, &error))?;
        match event {
            Event::Start(start) | Event::Empty(start) => return Ok(start),
            Event::Eof => {
                return Err(DocumentError::Malformed {
                    line: line_feeds(text.as_bytes()) + 1,
                    fault: "it has no root".to_owned(),
                });
            }
            _ => {}
        }
    }
}

/// Whether a root has this name, of which it must declare the namespace itself.
pub(super) fn is_named(root: &BytesStart<'_>, namespace: &str, local: &str) -> bool {
    let name = root.name();
    let declaration = match name.prefix() {
        Some(prefix) => format!("xmlns:{}", prefix.into_inner()),
        None => "xmlns".to_owned(),
    };
    let mut attributes = root.attributes();
    let attributes = attributes.with_checks(false).take(ATTRIBUTES_MAX);
    let is_declared = attributes
        .flatten()
        .any(|attribute| attribute.key.0 == declaration && attribute.value == namespace);
    is_declared && name.local_name().into_inner() == local
}

fn malformed(text: &str, reader: &Reader<&[u8]>, error: &quick_xml::Error) -> DocumentError {
    DocumentError::Malformed {
        line: line_at(text, reader.error_position()),
        fault: error.to_string(),
    }
}

fn namespaces(start: &BytesStart<'_>) -> Result<usize, DocumentError> {
    let mut namespaces = 0;
    let mut attributes = start.attributes();
    for (count, attribute) in attributes.with_checks(false).enumerate() {
        if count == ATTRIBUTES_MAX {
            return Err(DocumentError::Attributes(ATTRIBUTES_MAX));
        }
        // The tree's builder reports syntax errors, with their line.
        let Ok(attribute) = attribute else { continue };
        if attribute.value.len() > VALUE_BYTES_MAX {
            return Err(DocumentError::AttributeValue(VALUE_BYTES_MAX));
        }
        namespaces += usize::from(attribute.key.0.starts_with("xmlns"));
    }
    Ok(namespaces)
}

fn line_at(text: &str, position: u64) -> u32 {
    let end = usize::try_from(position).unwrap_or(usize::MAX);
    let before = text.as_bytes().get(..end).unwrap_or(text.as_bytes());
    line_feeds(before) + 1
}

/// Returns the number of line ends in a text.
pub(super) fn line_ends(text: &str) -> u32 {
    line_feeds(text.as_bytes())
}

fn line_feeds(bytes: &[u8]) -> u32 {
    offset(bytes.iter().filter(|byte| **byte == b'\n').count())
}
