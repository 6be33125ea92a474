//! Responses: XML events to JSON bytes in one pass, by an index of the plan.
//!
//! [`Program::load`] indexes a plan once; [`Program::answer`] reads an envelope with it and writes
//! the JSON of the body, or of the fault (`fault.rs`), directly into a buffer. There is no document
//! in memory. The state of open elements is in a [`Scratch`], which is reused: no allocations in
//! the steady state.
//!
//! - `program.rs`, `load.rs`, `order.rs`: the index
//! - `run.rs`: elements to members, by a stack of frames (`frames.rs`)
//! - `value.rs`, `attributes.rs`, `leaf.rs`: the value of an element
//! - `lenient.rs`, `departures.rs`: names that differ from those of the contract
//! - `fragment.rs`: XML that is kept as XML
//!
//! The convention is the table in the guide. Responses are not validated: a name in another
//! namespace is read as the only name that it can be, unknown content is omitted, a value that does
//! not match its type becomes a string, and all of this is counted ([`Mismatches`]) or, on request,
//! rejected.

mod attributes;
mod departures;
pub(crate) mod fault;
mod fragment;
mod frames;
mod leaf;
mod lenient;
mod load;
mod order;
pub(crate) mod program;
pub(crate) mod run;
#[cfg(test)]
mod tests;
mod value;

use tollgate_xml::{self as xml, Bounds, Reader, Stack, Text};

use crate::envelope::{self, Opened};
use crate::multipart::Parts;
use crate::version::SoapVersion;

pub use lenient::{Ambiguous, OtherElement};
pub use program::Program;

use frames::Work;
use program::{Answer, OperationIndex};
use run::Run;

/// The options of a publisher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether a response that does not match its contract is an error.
    pub is_strict: bool,
    /// Whether integers of types beyond 2^53 are strings.
    pub long_as_string: bool,
    /// Whether decimals are strings.
    pub decimal_as_string: bool,
    /// Whether absent attributes with a default are written.
    pub writes_attribute_defaults: bool,
    /// Whether text that looks like a stack trace is kept in an undeclared fault.
    pub keeps_stack_traces: bool,
    /// The statuses of declared faults, by their names.
    pub fault_statuses: Vec<(Box<str>, u16)>,
    /// Maximum number of children of an element.
    pub children_max: u32,
    /// Bounds on the XML.
    pub bounds: Bounds,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            is_strict: false,
            long_as_string: false,
            decimal_as_string: false,
            writes_attribute_defaults: false,
            keeps_stack_traces: false,
            fault_statuses: Vec::new(),
            children_max: 100_000,
            bounds: Bounds::default(),
        }
    }
}

/// The result of reading a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// JSON was written.
    Json,
    /// The operation has no response content, so nothing was written.
    Empty,
    /// The response is a fault; a problem (RFC 9457) was written for this status.
    Fault {
        /// The HTTP status.
        status: u16,
    },
}

/// The reason why a response cannot be passed on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is not an envelope.
    #[error(transparent)]
    Envelope(#[from] envelope::Error),
    /// The body is empty, but the operation has a response.
    #[error("its body is empty")]
    NoElement,
    /// The body holds another element than that of the operation's response.
    #[error(transparent)]
    OtherElement(Box<OtherElement>),
    /// The fault cannot be passed on.
    #[error("its fault cannot be read: {0}")]
    Fault(Box<Error>),
    /// It does not match the contract, and strict checking is on.
    #[error("the response does not match its contract: {0}")]
    Mismatch(Mismatch),
    /// A name in another namespace than the contract's could be any of several.
    #[error(transparent)]
    Ambiguous(Box<Ambiguous>),
    /// [`Options::children_max`]
    #[error("an element has too many children")]
    Children,
    /// The response refers to a missing part.
    #[error("the response refers to a missing part")]
    Part,
    /// The plan has no such operation, or has a dangling reference.
    #[error("the contract does not have the operation")]
    Plan,
}

impl From<xml::Error> for Error {
    fn from(error: xml::Error) -> Self {
        Self::Envelope(error.into())
    }
}

/// A part of a response that its contract does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what}, at byte {offset}")]
pub struct Mismatch {
    /// The kind of mismatch.
    pub what: What,
    /// Its byte offset, counted in the decoded text.
    pub offset: usize,
}

/// A kind of mismatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum What {
    /// A name in another namespace than the contract's, or another name of an rpc wrapper, that was
    /// read as the only name that it can be.
    #[error("a name in another namespace")]
    Name,
    /// An element that the type does not have, or too many of them.
    #[error("an unknown element")]
    Element,
    /// An attribute that the type does not have.
    #[error("an unknown attribute")]
    Attribute,
    /// An attribute that the type allows, but that the publisher's form of mixed content drops.
    #[error("an attribute that the form of its content drops")]
    Dropped,
    /// Characters beyond US-ASCII, which the response declares as its encoding.
    #[error("a character beyond the declared US-ASCII")]
    Ascii,
    /// Text between elements.
    #[error("text between elements")]
    Text,
    /// Text that is not a value of its type.
    #[error("a value that is not of its type")]
    Value,
    /// `xsi:type` that is not a derived type, or none where the type is abstract.
    #[error("an unknown type")]
    Type,
    /// A required element or attribute is absent.
    #[error("a required element or attribute is missing")]
    Missing,
}

/// The mismatches of a response that was passed on nevertheless.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mismatches {
    /// Their number.
    pub count: u32,
    /// The first one.
    pub first: Option<Mismatch>,
}

/// Buffers reused from response to response.
#[derive(Debug, Default)]
pub struct Scratch {
    stack: Stack,
    envelopes: envelope::Memory,
    /// The last media type of a response in UTF-8.
    pub(crate) type_in_utf8: Vec<u8>,
    work: Work,
}

impl Scratch {
    /// Returns the mismatches of the last response.
    #[must_use]
    pub const fn mismatches(&self) -> Mismatches {
        self.work.mismatches
    }
}

impl Program {
    /// Writes the response of an operation, given by its index in the plan. Appends to `out`; after
    /// an error, nothing is added.
    ///
    /// # Errors
    ///
    /// Fails if the response cannot be passed on.
    pub fn answer(
        &self,
        operation: usize,
        text: &Text<'_>,
        parts: &dyn Parts,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<Outcome, Error> {
        let index = self.operations.get(operation).ok_or(Error::Plan)?;
        let start = out.len();
        scratch.work.clear();
        let mut run = Run {
            program: self,
            reader: Reader::new(text, &self.names, &mut scratch.stack, self.options.bounds),
            work: &mut scratch.work,
            out,
            parts,
        };
        if text.is_beyond_ascii() {
            run.mismatch(What::Ascii)?;
        }
        let outcome = scratch
            .envelopes
            .open(&self.identity, operation, &mut run.reader)
            .map_err(Error::from)
            .and_then(|opened| run.envelope(opened, index));
        if outcome.is_err() {
            out.truncate(start);
        }
        outcome
    }

    /// Whether an operation has no response.
    pub(crate) fn is_one_way(&self, operation: usize) -> bool {
        let index = self.operations.get(operation);
        index.is_some_and(|it| matches!(it.answer, Answer::None))
    }

    /// Whether the response of an operation holds nothing.
    pub(crate) fn returns_nothing(&self, operation: usize) -> bool {
        let index = self.operations.get(operation);
        index.is_some_and(|it| {
            matches!(
                it.answer,
                Answer::Empty | Answer::Element { is_void: true, .. }
            )
        })
    }
}

impl<'r> Run<'r, '_, '_> {
    /// Writes the content of an envelope that has been opened.
    fn envelope(
        &mut self,
        opened: Opened<'_>,
        operation: &'r OperationIndex,
    ) -> Result<Outcome, Error> {
        let outcome = match (opened.child, &operation.answer) {
            (Some(tag), _) if fault::is_fault(tag, opened.version) => {
                self.fault(opened.version, operation)?
            }
            (None, Answer::None | Answer::Empty) => Outcome::Empty,
            (None, Answer::Element { is_void: true, .. }) => {
                self.mismatch(What::Missing)?;
                Outcome::Empty
            }
            (None, Answer::Element { .. }) => return Err(Error::NoElement),
            (
                Some(tag),
                Answer::Element {
                    name,
                    slot,
                    is_void,
                    is_rpc,
                },
            ) if name.is_of(tag) || self.is_answer_by_local_name(tag, name, *is_rpc)? => {
                let start = self.out.len();
                self.element(slot)?;
                if *is_void {
                    self.out.truncate(start);
                    Outcome::Empty
                } else {
                    Outcome::Json
                }
            }
            (Some(tag), _) if fault::may_be_fault(tag) => {
                self.mismatch(What::Name)?;
                self.fault(opened.version, operation)?
            }
            (Some(tag), answer) => return Err(self.other_element(tag, answer)),
        };
        match envelope::close(&mut self.reader, opened) {
            Ok(()) => Ok(outcome),
            Err(error) if matches!(outcome, Outcome::Fault { .. }) => {
                Err(Error::Fault(Box::new(error.into())))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Writes the problem of the fault that was opened last.
    fn fault(
        &mut self,
        version: SoapVersion,
        operation: &'r OperationIndex,
    ) -> Result<Outcome, Error> {
        let written = fault::push_problem(self, version, operation);
        let status = written.map_err(|error| Error::Fault(Box::new(error)))?;
        Ok(Outcome::Fault { status })
    }
}
