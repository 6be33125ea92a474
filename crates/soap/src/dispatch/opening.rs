//! The beginning of an envelope, up to the body's first child.

use std::ops::Range;

use tollgate_xml::{
    Bounds, Error, Event, Namespace, Problem, Reader, Stack, Tag, decode_prefix, trim,
};

use super::part::Content;
use super::{ADDRESSING, Dispatch, ENCRYPTION, Unreadable, WINDOWS};
use crate::version::SoapVersion;

/// The result of reading an envelope.
pub(super) struct Read {
    pub(super) version: SoapVersion,
    pub(super) body: Body,
    pub(super) addressed: Option<String>,
    /// Length of the bytes that determine the result, if they are read without decoding and contain
    /// no header block.
    pub(super) bytes: Option<usize>,
}

/// The operations of the body, by its child.
pub(super) enum Body {
    /// Places in [`Dispatch::bodies`] with the exact name: usually one.
    Exact(Range<usize>),
    /// Places with the local name in other namespaces.
    Local(Range<usize>),
    /// A name that no operation has.
    Unknown,
    /// The child is encrypted, or there is none and no operation has an empty body.
    Nameless,
}

/// The contents of the header that matter.
#[derive(Default)]
struct Header {
    has_blocks: bool,
    /// The action of WS-Addressing.
    action: Option<String>,
}

impl Dispatch {
    /// Reads the envelope up to the body's first child; returns `None` if it has not arrived yet.
    pub(super) fn read_opening(
        &self,
        stack: &mut Stack,
        content: &Content<'_>,
    ) -> Result<Option<Read>, Unreadable> {
        let bytes = content.bytes.as_ref();
        let windows = WINDOWS.into_iter().filter(|&window| window < bytes.len());
        for window in windows.chain([bytes.len()]) {
            let charset = content.charset.as_deref();
            match self.read_window(stack, &bytes[..window], charset) {
                Err(Unreadable::Malformed(Problem::Truncated)) => {}
                other => return other.map(Some),
            }
        }
        if content.is_whole {
            return Err(Unreadable::Malformed(Problem::Truncated));
        }
        Ok(None)
    }

    fn read_window(
        &self,
        stack: &mut Stack,
        bytes: &[u8],
        charset: Option<&str>,
    ) -> Result<Read, Unreadable> {
        let bounds = Bounds::default();
        let text = decode_prefix(bytes, charset, bounds)?;
        let mut reader = Reader::new(&text, &self.names, stack, bounds);
        let envelope = match reader.next()? {
            Event::Start(tag) if tag.local == "Envelope" && is_envelope(tag.namespace) => {
                tag.namespace
            }
            _ => return Err(Unreadable::NoEnvelope),
        };
        let mut header = None;
        loop {
            let Some(tag) = child(&mut reader)? else {
                return Err(Unreadable::NoEnvelope);
            };
            match (tag.namespace == envelope, tag.local) {
                (true, "Header") if header.is_none() => {
                    header = Some(self.header(&mut reader)?);
                }
                (true, "Body") => break,
                _ => return Err(Unreadable::NoEnvelope),
            }
        }
        let body = match child(&mut reader)? {
            Some(tag) if tag.namespace == self.names.find(ENCRYPTION) => Body::Nameless,
            Some(tag) => self.body_named(tag.namespace, tag.local),
            None => self.empty_body(),
        };
        let version = match envelope {
            Namespace::ENVELOPE_1_2 => SoapVersion::V1_2,
            _ => SoapVersion::V1_1,
        };
        let header = header.unwrap_or_default();
        let is_plain = !header.has_blocks && text.lies_in(bytes);
        Ok(Read {
            version,
            body,
            addressed: header.action,
            bytes: is_plain.then_some(reader.end()),
        })
    }

    /// Reads the header to its end.
    fn header(&self, reader: &mut Reader<'_, '_>) -> Result<Header, Unreadable> {
        let mut header = Header::default();
        while let Some(tag) = child(reader)? {
            header.has_blocks = true;
            let is_action = tag.local == "Action"
                && ADDRESSING
                    .iter()
                    .any(|name| self.names.find(name) == tag.namespace);
            if !is_action {
                reader.skip()?;
                continue;
            }
            let depth = reader.depth();
            let mut text = String::new();
            loop {
                match reader.next()? {
                    Event::Text(piece) => text += piece,
                    Event::Character(character) => text.push(character),
                    Event::End if reader.depth() < depth => break,
                    _ => {}
                }
            }
            let text = text.trim();
            if header.action.as_ref().is_some_and(|before| *before != text) {
                return Err(Unreadable::Ambiguous);
            }
            header.action = Some(text.to_owned());
        }
        Ok(header)
    }
}

/// Returns the next child of the open element; `None` at its end. Text between children is not
/// valid SOAP.
fn child<'a>(reader: &mut Reader<'a, '_>) -> Result<Option<Tag<'a>>, Error> {
    loop {
        match reader.next()? {
            Event::Start(tag) => return Ok(Some(tag)),
            Event::End | Event::Eof => return Ok(None),
            Event::Text(text) if trim(text).is_empty() => {}
            Event::Text(_) | Event::Character(_) => {
                return Err(Problem::BesideRoot.at(reader.offset()));
            }
        }
    }
}

const fn is_envelope(namespace: Namespace) -> bool {
    matches!(namespace, Namespace::ENVELOPE_1_1 | Namespace::ENVELOPE_1_2)
}
