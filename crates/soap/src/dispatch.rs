//! Which operation a request calls, from its first bytes: what a proxy must know of a message that
//! it passes on untouched.
//!
//! The name of the body's child decides (SOAP 1.1, section 7; WSDL 1.1, section 3.5). An action
//! (`SOAPAction`, the media type's parameter, `wsa:Action`) is a hint for an empty or encrypted
//! body; where it names another operation, a back end may follow it, so that one is told too.

use std::borrow::Cow;
use std::ops::Range;

use crate::media_type::{MediaType, action_of_field, action_of_media};
use crate::part::{self, Content};
use crate::version::SoapVersion;
use crate::xml::{Bounds, Error, Event, Names, Namespace, Problem, Reader, Stack, decode_prefix};

/// The namespaces of WS-Addressing whose `Action` back ends follow.
const ADDRESSING: [&str; 2] = [
    "http://www.w3.org/2005/08/addressing",
    "http://schemas.xmlsoap.org/ws/2004/08/addressing",
];
const ENCRYPTION: &str = "http://www.w3.org/2001/04/xmlenc#";
/// Most messages name their operation within so many bytes; the others are read again, further.
const WINDOWS: [usize; 2] = [1024, 8 * 1024];

/// An operation that can be called.
#[derive(Debug, Clone, Copy)]
pub struct Callable<'a> {
    /// Namespace and local name of the body's child; `None` for an empty body.
    pub body: Option<(&'a str, &'a str)>,
    /// Its `soapAction`; empty where there is none.
    pub action: &'a str,
}

/// What the head of a request says of its body.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head<'a> {
    /// `Content-Type`
    pub content_type: Option<&'a [u8]>,
    /// `Content-Encoding`
    pub content_encoding: Option<&'a [u8]>,
    /// `SOAPAction`
    pub soap_action: Option<&'a [u8]>,
    /// Whether one of them is there twice: a back end may follow the other one.
    pub is_ambiguous: bool,
}

/// The body as far as it has come.
#[derive(Debug, Clone, Copy)]
pub struct Prefix<'a> {
    /// Its first bytes.
    pub bytes: &'a [u8],
    /// Whether that is all of it.
    pub is_whole: bool,
    /// What a compressed one may become at most.
    pub bytes_max: usize,
}

/// What the first bytes tell. Operations are indexes of what [`Dispatch::new`] was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The operation is named further on.
    NeedsMore,
    /// What is called.
    Called {
        /// The version of the envelope.
        version: SoapVersion,
        /// The operation; `None` for one that the contract does not have.
        operation: Option<usize>,
        /// Operations that the actions name where the body names another one.
        others: [Option<usize>; 3],
    },
}

/// Why an operation cannot be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Neither XML nor a package with XML in it, or in a coding that is not known.
    #[error("the body is not of a type that SOAP has")]
    Type,
    /// Not a sound envelope.
    #[error("the body is not a sound SOAP envelope")]
    Malformed(Problem),
    /// It says twice, and not the same, what it is or calls.
    #[error("the request says twice what it is or calls")]
    Ambiguous,
    /// Sound XML, or a sound package, but not SOAP.
    #[error("the body is not a SOAP envelope")]
    NoEnvelope,
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::Malformed(error.problem)
    }
}

/// The operations of a service, to be found by what calls them.
#[derive(Debug)]
pub struct Dispatch {
    names: Names,
    /// Sorted by name.
    bodies: Vec<(Namespace, Box<str>, usize)>,
    /// Sorted by action.
    actions: Vec<(Box<str>, usize)>,
    /// What an empty body calls.
    empty: Vec<usize>,
    /// The action of each operation.
    action_of: Vec<Box<str>>,
}

/// What was read of an envelope.
struct Read {
    version: SoapVersion,
    body: Body,
    addressed: Option<String>,
}

enum Body {
    /// No child, or an encrypted one.
    Nameless,
    /// Places in [`Dispatch::bodies`]: mostly one, none for an unknown name.
    Named(Range<usize>),
}

impl Dispatch {
    /// Of these operations.
    pub fn new<'a>(operations: impl Iterator<Item = Callable<'a>> + Clone) -> Self {
        let namespaces = operations.clone().filter_map(|it| it.body).map(|it| it.0);
        let fixed = ADDRESSING.into_iter().chain([ENCRYPTION]);
        let names = Names::new(fixed.chain(namespaces));
        let mut dispatch = Self {
            bodies: Vec::new(),
            actions: Vec::new(),
            empty: Vec::new(),
            action_of: Vec::new(),
            names,
        };
        for (index, operation) in operations.enumerate() {
            match operation.body {
                Some((namespace, local)) => {
                    let namespace = dispatch.names.find(namespace);
                    dispatch.bodies.push((namespace, local.into(), index));
                }
                None => dispatch.empty.push(index),
            }
            if !operation.action.is_empty() {
                dispatch.actions.push((operation.action.into(), index));
            }
            dispatch.action_of.push(operation.action.into());
        }
        dispatch.bodies.sort();
        dispatch.actions.sort();
        dispatch
    }

    /// The operation that a request calls. `stack` is reused from request to request.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub fn find(
        &self,
        stack: &mut Stack,
        head: &Head<'_>,
        prefix: Prefix<'_>,
    ) -> Result<Found, Unreadable> {
        if head.is_ambiguous {
            return Err(Unreadable::Ambiguous);
        }
        let media = head.content_type.and_then(MediaType::parse);
        if media.is_some_and(|media| !media.may_be_soap()) {
            return Err(Unreadable::Type);
        }
        let content = part::content(media, head.content_encoding, prefix)?;
        let Some(content) = content else {
            return Ok(Found::NeedsMore);
        };
        let Some(read) = self.read(stack, &content)? else {
            return Ok(Found::NeedsMore);
        };
        let said = [
            head.soap_action.and_then(action_of_field),
            media.and_then(action_of_media),
            read.addressed.map(Cow::Owned),
        ];
        let said = said.each_ref().map(Option::as_deref);
        let (operation, others) = self.judge(&read.body, said);
        Ok(Found::Called {
            version: read.version,
            operation,
            others,
        })
    }

    /// Reads the envelope up to the body's first child; `None` where it has not come yet.
    fn read(&self, stack: &mut Stack, content: &Content<'_>) -> Result<Option<Read>, Unreadable> {
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
        let (mut addressed, mut has_header) = (None, false);
        loop {
            let Some(tag) = child(&mut reader)? else {
                return Err(Unreadable::NoEnvelope);
            };
            match (tag.namespace == envelope, tag.local) {
                (true, "Header") if !has_header => {
                    addressed = self.addressed(&mut reader)?;
                    has_header = true;
                }
                (true, "Body") => break,
                _ => return Err(Unreadable::NoEnvelope),
            }
        }
        let body = match child(&mut reader)? {
            Some(tag) if tag.namespace == self.names.find(ENCRYPTION) => Body::Nameless,
            Some(tag) => Body::Named(self.named(tag.namespace, tag.local)),
            None => Body::Nameless,
        };
        let version = match envelope {
            Namespace::ENVELOPE_1_2 => SoapVersion::V1_2,
            _ => SoapVersion::V1_1,
        };
        Ok(Read {
            version,
            body,
            addressed,
        })
    }

    /// Reads the header to its end; the action that WS-Addressing gives.
    fn addressed(&self, reader: &mut Reader<'_, '_>) -> Result<Option<String>, Unreadable> {
        let mut addressed: Option<String> = None;
        while let Some(tag) = child(reader)? {
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
            if addressed.as_ref().is_some_and(|before| *before != text) {
                return Err(Unreadable::Ambiguous);
            }
            addressed = Some(text.to_owned());
        }
        Ok(addressed)
    }

    /// Where the operations are that a name may call.
    fn named(&self, namespace: Namespace, local: &str) -> Range<usize> {
        if namespace == Namespace::OTHER {
            return 0..0;
        }
        let key = (namespace, local);
        let start = self
            .bodies
            .partition_point(|(ns, name, _)| (*ns, &**name) < key);
        let rest = self.bodies[start..].iter();
        let same = rest.take_while(|(ns, name, _)| (*ns, &**name) == key);
        start..start + same.count()
    }

    /// The first operation of an action.
    fn acted(&self, action: &str) -> Option<usize> {
        let start = self.actions.partition_point(|(known, _)| **known < *action);
        let (known, index) = self.actions.get(start)?;
        (**known == *action).then_some(*index)
    }

    /// The operation, and those that the actions name besides.
    fn judge(&self, body: &Body, said: [Option<&str>; 3]) -> (Option<usize>, [Option<usize>; 3]) {
        let is_said = |index: usize| {
            let action = &*self.action_of[index];
            said.iter().flatten().any(|said| *said == action)
        };
        let operation = match body {
            Body::Nameless => {
                let acted = said.iter().flatten().find_map(|action| self.acted(action));
                acted.or_else(|| self.empty.first().copied())
            }
            Body::Named(places) => {
                let mut named = self.bodies[places.clone()].iter().map(|it| it.2);
                let first = named.clone().next();
                named.find(|&index| is_said(index)).or(first)
            }
        };
        let other = |action: Option<&str>| {
            let action = action?;
            let is_same = operation.is_some_and(|index| *self.action_of[index] == *action);
            self.acted(action).filter(|_| !is_same)
        };
        let [first, second, third] = said.map(other);
        let others = [
            first,
            second.filter(|_| second != first),
            third.filter(|_| third != first && third != second),
        ];
        (operation, others)
    }
}

/// The next child of the element that is open; `None` at its end. Text between children is no
/// SOAP.
fn child<'a>(reader: &mut Reader<'a, '_>) -> Result<Option<crate::xml::Tag<'a>>, Error> {
    loop {
        match reader.next()? {
            Event::Start(tag) => return Ok(Some(tag)),
            Event::End | Event::Eof => return Ok(None),
            Event::Text(text) if crate::xml::trim(text).is_empty() => {}
            Event::Text(_) | Event::Character(_) => {
                return Err(Problem::BesideRoot.at(reader.offset()));
            }
        }
    }
}

const fn is_envelope(namespace: Namespace) -> bool {
    matches!(namespace, Namespace::ENVELOPE_1_1 | Namespace::ENVELOPE_1_2)
}

/// The version that a caller speaks: by its media type, else by its envelope, else 1.1 for who
/// sends the field `SOAPAction`; `None` for who does not speak SOAP.
#[must_use]
pub fn spoken(head: &Head<'_>, prefix: Prefix<'_>) -> Option<SoapVersion> {
    let media = head.content_type.and_then(MediaType::parse);
    if let Some(version) = media.and_then(|media| media.version()) {
        return Some(version);
    }
    if media.is_none_or(|media| media.may_be_soap())
        && let Ok(Some(content)) = part::content(media, head.content_encoding, prefix)
        && let Some(version) = of_envelope(&content)
    {
        return Some(version);
    }
    head.soap_action.map(|_| SoapVersion::V1_1)
}

fn of_envelope(content: &Content<'_>) -> Option<SoapVersion> {
    let bounds = Bounds::default();
    let bytes = content.bytes.as_ref();
    let bytes = &bytes[..bytes.len().min(WINDOWS[1])];
    let text = decode_prefix(bytes, content.charset.as_deref(), bounds).ok()?;
    let (names, mut stack) = (Names::new([]), Stack::default());
    match Reader::new(&text, &names, &mut stack, bounds).next() {
        Ok(Event::Start(tag)) if tag.namespace == Namespace::ENVELOPE_1_1 => {
            Some(SoapVersion::V1_1)
        }
        Ok(Event::Start(tag)) if tag.namespace == Namespace::ENVELOPE_1_2 => {
            Some(SoapVersion::V1_2)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
