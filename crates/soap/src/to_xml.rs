//! Requests: a JSON tape to the bytes of a SOAP envelope, in one pass, by an index of the plan.
//!
//! [`Program::load`] indexes a plan once: tags are bytes, namespaces have their prefixes, the keys
//! of a type have places. [`Program::write`] then walks the tape (`crate::tape`) in the order of
//! the schema and writes straight into a buffer. What does not fit the contract is told whole: up
//! to [`VIOLATIONS_MAX`] faults, each with its JSON Pointer. There is no document in memory, and in
//! the steady state nothing is allocated: [`Scratch`] is reused.
//!
//! - `index.rs`, `load.rs`: the index and how it is made
//! - `envelope.rs`: what is around the body
//! - `write.rs`: objects to elements; `order.rs`: the order of the schema; `leaf.rs`: text
//! - `wildcard.rs`: what a schema leaves open; `security.rs`: who we are to the back end
//!
//! The convention is the table in the guide.

mod envelope;
mod index;
mod leaf;
mod load;
mod order;
mod security;
#[cfg(test)]
mod tests;
mod wildcard;
mod write;

use std::collections::{HashMap, HashSet};

use crate::plan::ServicePlan;
use crate::tape::{Bounds, NodeId, Tape, View};
use crate::value::{Unusable, Work};
use crate::xml;
use index::{Operation, Type};
use write::Writing;

pub use security::{Moment, UsernameToken};

/// So many faults of one request are told.
pub const VIOLATIONS_MAX: usize = 20;

/// What does not fit the contract.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Violation {
    /// Where, as a JSON Pointer (RFC 6901) into the request; of something missing, where it
    /// should be.
    pub pointer: String,
    /// What, in a sentence without its subject.
    pub sentence: String,
}

/// What a request adds to its body.
#[derive(Debug, Clone, Copy)]
pub struct Parameter<'a> {
    /// The keys that lead to its place; see [`crate::tape::Tape::join`].
    pub path: &'a [String],
    /// Its text, decoded.
    pub text: &'a str,
    /// Whether its place is an array.
    pub is_array: bool,
}

/// A request as REST sends it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The JSON; `None` for a request without a body.
    pub body: Option<&'a [u8]>,
    /// What its path, query and headers say.
    pub parameters: &'a [Parameter<'a>],
    /// When it is, and a random number; only where a [`UsernameToken`] with a digest is configured
    /// do they matter.
    pub moment: Moment,
}

/// What a publisher configures.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// How much is read.
    pub bounds: Bounds,
    /// Header blocks that all requests carry: the name of the part and its JSON. Consumers cannot
    /// send these.
    pub headers: Vec<(Box<str>, Box<str>)>,
    /// Who we are to the back end.
    pub token: Option<UsernameToken>,
}

/// A plan or settings that cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A type that cannot be made ready.
    #[error("the type of {place} cannot be used")]
    Type {
        /// The element or attribute.
        place: Box<str>,
        /// Why.
        source: Unusable,
    },
    /// A plan that refers to what it does not have.
    #[error("the plan refers to a type or namespace that it lacks")]
    Dangling,
    /// A configured header block that is not JSON or does not fit its type.
    #[error("the configured header {part} is wrong: {reason}")]
    Header {
        /// The name of its part.
        part: Box<str>,
        /// What is wrong.
        reason: Box<str>,
    },
}

/// Buffers of the transcoder, reused from request to request.
#[derive(Debug, Default)]
pub struct Scratch {
    tape: Tape,
    /// The values of the keys of each open object, by their places.
    slots: Vec<Option<NodeId>>,
    work: Work,
    /// Namespaces that only this request names.
    namespaces: Vec<String>,
    stack: xml::Stack,
    /// Mixed content, within a root.
    document: String,
}

/// A plan made ready for requests.
#[derive(Debug)]
pub struct Program {
    bounds: Bounds,
    operations: Vec<Operation>,
    types: Vec<Type>,
    globals: Vec<index::Global>,
    /// Global elements by the keys of the convention, and by their names: namespace, local part.
    global_keys: HashMap<Box<str>, usize>,
    global_names: HashMap<Box<str>, HashSet<Box<str>>>,
    names: xml::Names,
    token: Option<UsernameToken>,
}

impl Program {
    /// Makes a plan ready.
    ///
    /// # Errors
    ///
    /// A pattern that does not compile, a plan that is not whole, a configured header that does
    /// not fit its type.
    pub fn load(plan: &ServicePlan, settings: &Settings) -> Result<Self, LoadError> {
        load::load(plan, settings)
    }

    /// Writes the envelope of a request to an operation, by its place in the plan. What is in `out`
    /// stays; after an error, nothing is added.
    ///
    /// # Errors
    ///
    /// All that does not fit, up to a bound; one alone where the text is not JSON.
    ///
    /// # Panics
    ///
    /// If the plan has no such operation.
    pub fn write(
        &self,
        operation: usize,
        request: &Request<'_>,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<(), Vec<Violation>> {
        let start = out.len();
        // Taken out, so that the tape can be read while the rest is written; it goes back below.
        let mut tape = std::mem::take(&mut scratch.tape);
        let result = self.write_with(operation, request, (&mut tape, scratch), out);
        scratch.tape = tape;
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    fn write_with(
        &self,
        operation: usize,
        request: &Request<'_>,
        (tape, scratch): (&mut Tape, &mut Scratch),
        out: &mut Vec<u8>,
    ) -> Result<(), Vec<Violation>> {
        let operation = &self.operations[operation];
        let view = self.read(operation, request, tape)?;
        let mut writing = Writing::new(self, view, scratch, out);
        writing.envelope(operation, request.moment);
        let violations = writing.into_violations();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(violations)
        }
    }

    /// The tape of body and parameters together.
    fn read<'a>(
        &self,
        operation: &Operation,
        request: &Request<'a>,
        tape: &'a mut Tape,
    ) -> Result<View<'a>, Vec<Violation>> {
        let json = match request.body {
            Some(body) => tape.read(body, self.bounds).map_err(|malformed| {
                vec![Violation {
                    pointer: String::new(),
                    sentence: format!("is not JSON as it must be: {malformed}"),
                }]
            })?,
            None => {
                tape.clear();
                ""
            }
        };
        let mut violations = Vec::new();
        let is_object = operation
            .body
            .as_ref()
            .is_none_or(|body| self.is_object(body));
        for parameter in request.parameters {
            let Parameter {
                path,
                text,
                is_array,
            } = *parameter;
            // Where the body is no object, the header blocks are beside it.
            let joined = match path.split_first() {
                Some((first, rest)) if **first == *operation.headers_key && !is_object => {
                    tape.join_beside(json, rest, text, is_array)
                }
                _ => tape.join(json, path, text, is_array),
            };
            if joined.is_err() && violations.len() < VIOLATIONS_MAX {
                let mut pointer = String::new();
                path.iter()
                    .for_each(|key| crate::tape::push_token(&mut pointer, key));
                let sentence = "is given by a parameter and in the body, or twice".to_owned();
                violations.push(Violation { pointer, sentence });
            }
        }
        if is_object {
            tape.root_object();
        }
        if violations.is_empty() {
            Ok(tape.view(json))
        } else {
            Err(violations)
        }
    }

    /// Whether the JSON of an element is an object, so that nothing at all stands for `{}`.
    fn is_object(&self, element: &index::Element) -> bool {
        match &self.types[element.ty] {
            Type::Simple(_) => false,
            Type::Complex(complex) => !complex.is_bare,
        }
    }
}
