//! Requests: a JSON tape to the bytes of a SOAP envelope, in one pass, by an index of the plan.
//!
//! [`Program::load`] indexes a plan once: tags become bytes, namespaces get prefixes, the keys of a
//! type get places. [`Program::write`] then walks the tape (`tollgate_json`) in the order of the
//! schema and writes directly into a buffer. All violations of the contract are reported at once,
//! up to [`VIOLATIONS_MAX`], each with its JSON Pointer. There is no document in memory, and no
//! allocation in the steady state: [`Scratch`] is reused.
//!
//! - `index.rs`, `load.rs`: the index and its construction
//! - `envelope.rs`: the envelope around the body
//! - `write.rs`: objects to elements; `order.rs`: the order of the schema; `leaf.rs`: text
//! - `wildcard.rs`: open content; `security.rs`: our credentials for the back end
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

use tollgate_json::tape::{Bounds, NodeId, Tape, View};
use tollgate_xml as xml;

use crate::plan::ServicePlan;
use crate::value::{Unusable, Work};
use index::{Operation, Type};
use write::Writing;

pub use security::{Moment, UsernameToken};

/// Maximum number of violations reported for one request.
pub const VIOLATIONS_MAX: usize = 20;

/// A violation of the contract.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Violation {
    /// A JSON Pointer (RFC 6901) into the request; for a missing value, the place where it belongs.
    pub pointer: String,
    /// The problem, as a sentence without its subject.
    pub sentence: String,
}

/// A parameter that is added to a request's body.
#[derive(Debug, Clone, Copy)]
pub struct Parameter<'a> {
    /// The keys on the path to its place; see [`tollgate_json::tape::Tape::join`].
    pub path: &'a [String],
    /// The decoded text.
    pub text: &'a str,
    /// Whether the place is an array.
    pub is_array: bool,
}

/// A REST request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'a> {
    /// The JSON; `None` for a request without a body.
    pub body: Option<&'a [u8]>,
    /// The parameters from its path, query and headers.
    pub parameters: &'a [Parameter<'a>],
    /// The current time and a random number, used only if a [`UsernameToken`] with a digest is
    /// configured.
    pub moment: Moment,
}

/// The configuration of a publisher.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Bounds on the body.
    pub bounds: Bounds,
    /// Header blocks of all requests: the name of the part and its JSON. Consumers cannot send
    /// these.
    pub headers: Vec<(Box<str>, Box<str>)>,
    /// Our credentials for the back end.
    pub token: Option<UsernameToken>,
}

/// The reason why a plan or its settings cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A type cannot be prepared.
    #[error("the type of {place} cannot be used")]
    Type {
        /// The element or attribute.
        place: Box<str>,
        /// The reason.
        source: Unusable,
    },
    /// The plan has a dangling reference.
    #[error("the plan refers to a missing type or namespace")]
    Dangling,
    /// A configured header block is not JSON or does not match its type.
    #[error("the configured header {part} is wrong: {reason}")]
    Header {
        /// The name of its part.
        part: Box<str>,
        /// The reason.
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
    /// Namespaces that are used by this request only.
    namespaces: Vec<String>,
    stack: xml::Stack,
    /// Mixed content, wrapped in a root.
    document: String,
}

/// A plan prepared for requests.
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
    /// Prepares a plan.
    ///
    /// # Errors
    ///
    /// Fails if a pattern does not compile, the plan is incomplete, or a configured header does not
    /// match its type.
    pub fn load(plan: &ServicePlan, settings: &Settings) -> Result<Self, LoadError> {
        load::load(plan, settings)
    }

    /// Writes the envelope of a request to an operation, given by its index in the plan. Appends to
    /// `out`; after an error, nothing is added.
    ///
    /// # Errors
    ///
    /// Returns all violations, up to a bound; a single one if the text is not JSON.
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
        // Moved out, so that the tape can be read while the rest is written; moved back below.
        let mut tape = std::mem::take(&mut scratch.tape);
        let result = self.write_with(operation, request, &mut tape, scratch, out);
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
        tape: &mut Tape,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<(), Vec<Violation>> {
        let operation = &self.operations[operation];
        let view = self.read_request(operation, request, tape)?;
        let mut writing = Writing::new(self, view, scratch, out);
        writing.envelope(operation, request.moment);
        let violations = writing.into_violations();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(violations)
        }
    }

    /// Reads the tape of body and parameters together.
    fn read_request<'a>(
        &self,
        operation: &Operation,
        request: &Request<'a>,
        tape: &'a mut Tape,
    ) -> Result<View<'a>, Vec<Violation>> {
        let json = match request.body {
            Some(body) => tape.read(body, self.bounds).map_err(|malformed| {
                vec![Violation {
                    pointer: String::new(),
                    sentence: format!("is not valid JSON: {malformed}"),
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
            // If the body is not an object, the header blocks are beside it.
            let joined = match path.split_first() {
                Some((first, rest)) if **first == *operation.headers_key && !is_object => {
                    tape.join_beside(json, rest, text, is_array)
                }
                _ => tape.join(json, path, text, is_array),
            };
            if joined.is_err() && violations.len() < VIOLATIONS_MAX {
                let mut pointer = String::new();
                path.iter()
                    .for_each(|key| tollgate_json::tape::push_token(&mut pointer, key));
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

    /// Whether the JSON of an element is an object, so that an absent body means `{}`.
    fn is_object(&self, element: &index::Element) -> bool {
        match &self.types[element.ty] {
            Type::Simple(_) => false,
            Type::Complex(complex) => !complex.is_bare,
        }
    }
}
