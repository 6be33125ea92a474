//! The envelope around a message (SOAP 1.1, section 4; SOAP 1.2, part 1, section 5): its namespace
//! gives the version; it is read up to the first child of its body and from there to its end.

use tollgate_xml::{self as xml, Event, Namespace, Reader, Tag, trim};

use crate::version::SoapVersion;

pub(crate) use memory::Memory;

mod memory;
#[cfg(test)]
mod tests;

/// The reason why a document is not an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The document is not XML that is accepted.
    #[error(transparent)]
    Xml(#[from] xml::Error),
    /// The root is not an envelope.
    #[error("the root element is not a SOAP envelope")]
    NotAnEnvelope,
    /// The root is an envelope of an unknown version.
    #[error("the envelope is of an unknown version of SOAP")]
    Version,
    /// The envelope's children are not an optional header and one body.
    #[error("the envelope is not a header, if any, and one body")]
    Structure,
    /// There is text between the elements of the envelope.
    #[error("the envelope has text between its elements")]
    Text,
    /// The body has several children, or children where none are expected.
    #[error("the body has more than one child")]
    Children,
}

/// An envelope, read up to the first child of its body.
#[derive(Debug, Clone, Copy)]
pub struct Opened<'a> {
    /// The version, by the namespace of the envelope.
    pub version: SoapVersion,
    /// The child of the body, the last event read being its start tag; `None` for an empty body,
    /// which has ended.
    pub child: Option<Tag<'a>>,
    /// Whether there is a header, empty or not.
    pub has_header: bool,
}

/// Reads from the beginning to the first child of the body. Header blocks are skipped.
///
/// # Errors
///
/// Fails if the document is not an envelope, or its children are not in the order that both
/// versions require.
pub fn open<'a>(reader: &mut Reader<'a, '_>) -> Result<Opened<'a>, Error> {
    let root = match reader.next()? {
        Event::Start(tag) if tag.local == "Envelope" => tag,
        _ => return Err(Error::NotAnEnvelope),
    };
    let version = match root.namespace {
        Namespace::ENVELOPE_1_1 => SoapVersion::V1_1,
        Namespace::ENVELOPE_1_2 => SoapVersion::V1_2,
        Namespace::NONE => return Err(Error::NotAnEnvelope),
        _ => return Err(Error::Version),
    };
    let is = |tag: Tag<'_>, name| tag.namespace == root.namespace && tag.local == name;
    let mut tag = element(reader)?.ok_or(Error::Structure)?;
    let has_header = is(tag, "Header");
    if has_header {
        reader.skip()?;
        tag = element(reader)?.ok_or(Error::Structure)?;
    }
    if !is(tag, "Body") {
        return Err(Error::Structure);
    }
    reader.refuse_instructions();
    let child = element(reader)?;
    Ok(Opened {
        version,
        child,
        has_header,
    })
}

/// Reads from the end of the body's only child to the end of the document.
///
/// # Errors
///
/// Fails if there is more than one child, or anything after the body.
pub fn close(reader: &mut Reader<'_, '_>, opened: Opened<'_>) -> Result<(), Error> {
    if opened.child.is_some() && element(reader)?.is_some() {
        return Err(Error::Children);
    }
    if element(reader)?.is_some() {
        return Err(Error::Structure);
    }
    match reader.next()? {
        Event::Eof => Ok(()),
        _ => Err(Error::Structure),
    }
}

/// Returns the next child element; `None` at the end of the parent.
pub(crate) fn element<'a>(reader: &mut Reader<'a, '_>) -> Result<Option<Tag<'a>>, Error> {
    loop {
        match reader.next()? {
            Event::Start(tag) => return Ok(Some(tag)),
            Event::End | Event::Eof => return Ok(None),
            Event::Text(text) if trim(text).is_empty() => {}
            Event::Text(_) | Event::Character(_) => return Err(Error::Text),
        }
    }
}
