//! Which operation a request calls, from its first bytes: what a proxy must know of a message that
//! it passes on untouched.
//!
//! The name of the body's child decides (SOAP 1.1, section 7; WSDL 1.1, section 3.5). An action
//! (`SOAPAction`, the media type's parameter, `wsa:Action`) is a hint for an empty or encrypted
//! body; where it names another operation, a back end may follow it, so that one is told too.

use std::borrow::Cow;
use std::ops::Range;

use crate::identity::Identity;
use crate::media_type::{MediaType, action_of_field, action_of_media};
use crate::part::{self, Content};
use crate::version::SoapVersion;
use crate::xml::{Bounds, Error, Event, Names, Namespace, Problem, Reader, Stack, decode_prefix};

pub use memory::Memory;
use opening::Body;

mod memory;
mod opening;
#[cfg(test)]
mod tests;

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
    identity: Identity,
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

impl Dispatch {
    /// Of these operations.
    pub fn new<'a>(operations: impl Iterator<Item = Callable<'a>> + Clone) -> Self {
        let namespaces = operations.clone().filter_map(|it| it.body).map(|it| it.0);
        let fixed = ADDRESSING.into_iter().chain([ENCRYPTION]);
        let names = Names::new(fixed.chain(namespaces));
        let mut dispatch = Self {
            identity: Identity::default(),
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

    /// The operation that a request calls. `memory` is kept from request to request, whatever they
    /// call.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub fn find(
        &self,
        memory: &mut Memory,
        head: &Head<'_>,
        prefix: Prefix<'_>,
    ) -> Result<Found, Unreadable> {
        if head.is_ambiguous {
            return Err(Unreadable::Ambiguous);
        }
        if let Some(found) = memory.recall(&self.identity, head, prefix.bytes) {
            return Ok(found);
        }
        let media = head.content_type.and_then(MediaType::parse);
        if media.is_some_and(|media| !media.may_be_soap()) {
            return Err(Unreadable::Type);
        }
        let content = part::content(media, head.content_encoding, prefix)?;
        let Some(content) = content else {
            return Ok(Found::NeedsMore);
        };
        let Some(read) = self.read(&mut memory.stack, &content)? else {
            return Ok(Found::NeedsMore);
        };
        let said = [
            head.soap_action.and_then(action_of_field),
            media.and_then(action_of_media),
            read.addressed.map(Cow::Owned),
        ];
        let said = said.each_ref().map(Option::as_deref);
        let (operation, others) = self.judge(&read.body, said);
        let found = Found::Called {
            version: read.version,
            operation,
            others,
        };
        // Neither out of a package nor out of a coding.
        let is_body = content.bytes.as_ptr() == prefix.bytes.as_ptr();
        if let Some(bytes) = read.bytes.filter(|_| is_body) {
            memory.keep(&self.identity, head, &prefix.bytes[..bytes], found);
        }
        Ok(found)
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
