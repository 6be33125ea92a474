//! From the model of a contract to the plan of one of its ports.
//!
//! Types are compiled from a queue when something refers to them, to keep recursion and long chains
//! of types off the stack. A construct that is not understood makes its type faulty, and the
//! operations that reach the type can only be proxied; each is noted with its place.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use crate::compile::causes::Causes;
pub use crate::compile::port::Ports;
use crate::import::{Imported, Note};
use crate::plan::{ServicePlan, TypeId};

mod attachment;
mod attributes;
mod built_in;
mod causes;
mod compiler;
mod content;
mod expand;
mod keys;
mod messages;
mod operations;
mod overload;
mod port;
mod queue;
mod simple;
mod types;
mod written;

/// The port to compile. The default is the preferred one: of the first service that has an
/// operation at a SOAP port, a port that requires neither WS-Addressing nor a policy that the
/// gateway does not meet, if there is one; of these the SOAP 1.2 port, else the SOAP 1.1 port.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The local name of a service.
    pub service: Option<String>,
    /// The name of a port.
    pub port: Option<String>,
}

/// A compiled port.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The plan of the port.
    pub plan: ServicePlan,
    /// The local name of the service.
    pub service: String,
    /// The name of the port.
    pub port: String,
    /// The address of the port; `None` if the contract has none.
    pub address: Option<String>,
    /// The document and the line of the port.
    pub place: (String, u32),
    /// The ports that are served with it.
    pub ports: Ports,
    /// The documentation of its operations and types.
    pub documentation: Documentation,
    /// The parts of the contract that are not taken over as written.
    pub warnings: Vec<Note>,
}

/// The documentation in a contract.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Documentation {
    /// Texts of operations, by their names in the plan.
    pub operations: BTreeMap<Box<str>, Box<str>>,
    /// Texts of types.
    pub types: BTreeMap<TypeId, Box<str>>,
    /// Texts of the elements of types, by their JSON keys.
    pub fields: BTreeMap<TypeId, BTreeMap<Box<str>, Box<str>>>,
}

/// The reason why a contract has no plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompileError {
    /// The contract has no port for SOAP over HTTP.
    #[error("the contract has no port that is SOAP over HTTP{0}")]
    NoPort(Causes),
    /// The contract has no such service.
    #[error("the contract has no service `{0}`{1}")]
    UnknownService(String, Causes),
    /// The contract has no such port.
    #[error("the contract has no port `{0}` that is SOAP over HTTP{1}")]
    UnknownPort(String, Causes),
    /// The plan is larger than the bound.
    #[error("the compiled types of the contract exceed the size limit")]
    TooLarge,
}

impl CompileError {
    /// A stable code word.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoPort(_) => "wsdl.no_port",
            Self::UnknownService(..) => "wsdl.unknown_service",
            Self::UnknownPort(..) => "wsdl.unknown_port",
            Self::TooLarge => "wsdl.budget",
        }
    }
}

/// Compiles the chosen port of a contract.
///
/// # Errors
/// Fails if no plan can be made at all.
pub fn compile(imported: &Imported, choice: &Choice) -> Result<Compiled, CompileError> {
    let port = port::choose(imported, choice)?;
    let mut compiler = compiler::Compiler::new(imported);
    let operations = compiler.operations(&port)?;
    let globals = compiler.globals()?;
    compiler.name_types();
    let (operations, documented) = compiler.without_faulty(&port, operations);
    let warnings = compiler.notes.to_notes(&imported.sources);
    Ok(Compiled {
        service: port.service.to_owned(),
        port: port.port.name.clone(),
        address: port.port.address.clone(),
        place: (
            imported.sources.uri(port.port.place).to_owned(),
            imported.sources.line(port.port.place),
        ),
        ports: Ports::beside(&port, imported),
        documentation: Documentation {
            operations: documented,
            types: compiler.documented_types,
            fields: compiler.documented_fields,
        },
        plan: ServicePlan {
            namespaces: compiler.namespaces.into_names(),
            types: compiler.types,
            globals,
            operations,
        },
        warnings,
    })
}

#[cfg(test)]
mod tests;
