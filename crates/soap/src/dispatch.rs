//! Finds the operation that a request calls from its first bytes, for messages that are passed on
//! unchanged.
//!
//! The name of the body's child decides (SOAP 1.1, section 7; WSDL 1.1, section 3.5): the exact
//! name, or else the local name if only one operation has it, as lax back ends read it. An action
//! (`SOAPAction`, the media type's parameter, `wsa:Action`) distinguishes operations with the same
//! body, and names the operation if the body does not. A back end may follow any of them, so all
//! operations that name and actions refer to are reported.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use tollgate_model::media_type::MediaType;
use tollgate_xml::{
    Bounds, DecodeError, Error, Event, Names, Namespace, Problem, Reader, Stack, decode_prefix,
};

use crate::identity::Identity;
use crate::media_type::{self, action_of_field, action_of_media, may_be_soap};
use crate::version::SoapVersion;

pub use memory::Memory;
use naming::Naming;
use opening::Body;
use part::Content;

mod media;
mod memory;
mod naming;
mod opening;
mod part;
#[cfg(test)]
mod tests;

/// The namespaces of WS-Addressing with an `Action` that back ends follow.
const ADDRESSING: [&str; 2] = [
    "http://www.w3.org/2005/08/addressing",
    "http://schemas.xmlsoap.org/ws/2004/08/addressing",
];
const ENCRYPTION: &str = "http://www.w3.org/2001/04/xmlenc#";
/// Sizes of the first attempts: most messages name their operation within these bytes; others are
/// read again with more bytes.
const WINDOWS: [usize; 2] = [1024, 8 * 1024];

/// An operation that can be called.
#[derive(Debug, Clone, Copy)]
pub struct Callable<'a> {
    /// Namespace and local name of the body's child; `None` for an empty body.
    pub body: Option<(&'a str, &'a str)>,
    /// Its `soapAction`; empty if it has none.
    pub action: &'a str,
}

/// The fields of a request's head that describe its body.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head<'a> {
    /// `Content-Type`
    pub content_type: Option<&'a [u8]>,
    /// `Content-Encoding`
    pub content_encoding: Option<&'a [u8]>,
    /// `SOAPAction`
    pub soap_action: Option<&'a [u8]>,
    /// Whether one of them appears twice: a back end may use the other one.
    pub is_ambiguous: bool,
}

/// The part of the body received so far.
#[derive(Debug, Clone, Copy)]
pub struct Prefix<'a> {
    /// Its first bytes.
    pub bytes: &'a [u8],
    /// Whether the body is complete.
    pub is_whole: bool,
    /// Maximum size of a compressed body when decompressed.
    pub bytes_max: usize,
}

/// The result of reading the first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// More bytes are needed to find the operation.
    NeedsMore,
    /// The request calls an operation.
    Called {
        /// The version of the envelope.
        version: SoapVersion,
        /// The operations that it refers to.
        call: Call,
    },
}

/// The operations of a call: indexes into the operations of [`Dispatch::new`], and `None` for one
/// that the contract does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The operation by the body's exact name, else the only one with its local name, else the one
    /// of the action.
    pub operation: Option<usize>,
    /// Other operations that name and actions refer to, each once: a back end may follow any of
    /// them. Empty if they agree.
    pub others: Vec<Option<usize>>,
    /// Whether an action names another operation, or the body does not have this one's exact name.
    pub is_mismatched: bool,
}

/// The reason why the operation cannot be determined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The body is neither XML nor a package with XML in it.
    #[error("the type of the body is not supported")]
    Type,
    /// The body or its root part is in an unknown content coding or transfer encoding.
    #[error("the coding \"{0}\" is not supported")]
    UnknownCoding(Box<str>),
    /// The body or its root part is not in its declared coding.
    #[error("the body does not match its coding")]
    Coding,
    /// The envelope is malformed.
    #[error("the SOAP envelope is malformed")]
    Malformed(Problem),
    /// The envelope is not text in a supported encoding.
    #[error("the SOAP envelope is not readable text")]
    Encoding(#[source] DecodeError),
    /// The request names its type or operation twice, with different values, or in a way that
    /// readers understand differently.
    #[error("the request names its type or operation in different ways")]
    Ambiguous,
    /// The package has no root part, or readers would find different ones.
    #[error("the package has no root part, or can be read in different ways")]
    Package,
    /// The XML is well-formed, but not SOAP.
    #[error("the body is not a SOAP envelope")]
    NoEnvelope,
}

impl From<Error> for Unreadable {
    fn from(error: Error) -> Self {
        Self::Malformed(error.problem)
    }
}

impl From<DecodeError> for Unreadable {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::Xml(error) => error.into(),
            error => Self::Encoding(error),
        }
    }
}

/// Local name and namespace of the body's child, both empty for an empty body, with its operation.
type Named = (Box<str>, Namespace, usize);

/// The operations of a service, indexed by name and action.
#[derive(Debug)]
pub struct Dispatch {
    identity: Identity,
    names: Names,
    /// Sorted by name.
    bodies: Vec<Named>,
    /// Sorted by action.
    actions: Vec<(Box<str>, usize)>,
    /// The action of each operation.
    action_of: Vec<Box<str>>,
}

impl Dispatch {
    /// Indexes these operations.
    pub fn new<'a>(operations: impl Iterator<Item = Callable<'a>> + Clone) -> Self {
        let namespaces = operations.clone().filter_map(|it| it.body).map(|it| it.0);
        let fixed = ADDRESSING.into_iter().chain([ENCRYPTION]);
        let names = Names::new(fixed.chain(namespaces));
        let mut dispatch = Self {
            identity: Identity::default(),
            bodies: Vec::new(),
            actions: Vec::new(),
            action_of: Vec::new(),
            names,
        };
        for (index, operation) in operations.enumerate() {
            let (namespace, local) = operation.body.unwrap_or_default();
            let namespace = dispatch.names.find(namespace);
            dispatch.bodies.push((local.into(), namespace, index));
            if !operation.action.is_empty() {
                dispatch.actions.push((operation.action.into(), index));
            }
            dispatch.action_of.push(operation.action.into());
        }
        dispatch.bodies.sort();
        dispatch.actions.sort();
        dispatch
    }

    /// Finds the operation that a request calls. `memory` is kept from request to request, whatever
    /// they call.
    ///
    /// # Errors
    /// Fails if the operation cannot be determined.
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
        let media = head.content_type.map(media::media_type).transpose()?;
        let content = part::content(head, media, prefix)?;
        let Some(content) = content else {
            return Ok(Found::NeedsMore);
        };
        let Some(read) = self.read_opening(&mut memory.stack, &content)? else {
            return Ok(Found::NeedsMore);
        };
        let actions = [
            head.soap_action.and_then(action_of_field),
            media.and_then(action_of_media),
            read.addressed.filter(|it| !it.is_empty()).map(Cow::Owned),
        ];
        let actions = actions.each_ref().map(Option::as_deref);
        let found = Found::Called {
            version: read.version,
            call: Naming::new(self, &read.body, actions).call(),
        };
        // The bytes come from neither a package nor a coding.
        let is_body = content.bytes.as_ptr() == prefix.bytes.as_ptr();
        if let Some(bytes) = read.bytes.filter(|_| is_body) {
            memory.keep(&self.identity, head, &prefix.bytes[..bytes], found.clone());
        }
        Ok(found)
    }

    /// Returns the operations for a body with a child of this name.
    fn body_named(&self, namespace: Namespace, local: &str) -> Body {
        let by_local = |named: &Named| (*named.0).cmp(local);
        let by_name = |named: &Named| by_local(named).then(named.1.cmp(&namespace));
        let exact = equal(&self.bodies, by_name);
        if !exact.is_empty() && namespace != Namespace::OTHER {
            return Body::Exact(exact);
        }
        let local = equal(&self.bodies, by_local);
        if local.is_empty() {
            return Body::Unknown;
        }
        Body::Local(local)
    }

    /// Returns the operations for a body without a child.
    fn empty_body(&self) -> Body {
        match self.body_named(Namespace::NONE, "") {
            Body::Unknown => Body::Nameless,
            empty => empty,
        }
    }

    fn is_action(&self, operation: usize, action: &str) -> bool {
        *self.action_of[operation] == *action
    }

    /// Returns the operations with an action.
    fn by_action(&self, action: &str) -> impl Iterator<Item = usize> {
        let places = equal(&self.actions, |(known, _)| (**known).cmp(action));
        self.actions[places].iter().map(|it| it.1)
    }
}

/// Returns the range of entries that compare as equal in a sorted table.
fn equal<T>(sorted: &[T], order: impl Fn(&T) -> Ordering) -> Range<usize> {
    let start = sorted.partition_point(|it| order(it).is_lt());
    let same = sorted[start..].partition_point(|it| order(it).is_eq());
    start..start + same
}

/// Returns the version that a client uses: by its media type, else by its envelope, else 1.1 if it
/// sends `SOAPAction`; `None` if the request is not SOAP.
#[must_use]
pub fn spoken(head: &Head<'_>, prefix: Prefix<'_>) -> Option<SoapVersion> {
    let media = head.content_type.and_then(MediaType::parse);
    if let Some(version) = media.and_then(|media| media_type::version(&media)) {
        return Some(version);
    }
    if media.is_none_or(|media| may_be_soap(&media))
        && let Ok(Some(content)) = part::content(head, media, prefix)
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
