#![doc = include_str!("../README.md")]

use model::api::{OPERATIONS_MAX, Operation};
use model::fault::Fault;
use model::path::Semicolon;
use model::security::Security;
use serde::Serialize;
use tollgate_model as model;

mod difference;
mod document;
mod examples;
mod item;
mod lookup;
mod notes;
mod published;
mod reference;
mod rest;
mod security;
mod source;
mod swagger;
mod tree;
mod value;

pub use difference::{
    CHANGES_MAX, Change, ChangedOperation, Difference, Document, LoneOperation, NamedOperation,
    RULES, Rename, Rule, Which, difference, rules_markdown,
};
pub use examples::{Example, Examples, examples};
pub use published::{
    Index, OperationHead, Published, PublishedDocument, PublishedOperation, published,
};
pub use source::Format;

/// Bounds on a document.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum bytes of a document.
    pub bytes_max: usize,
    /// Maximum depth of nested objects and lists.
    pub depth_max: usize,
    /// Maximum number of operations of a document, and of its paths.
    pub operations_max: usize,
    /// Maximum estimated memory of a document that is read whole, to be published, compared or
    /// searched for examples.
    pub memory_max: usize,
}

impl Default for Limits {
    /// 16 MiB, 100 levels, [`OPERATIONS_MAX`] operations. The memory is that of any such document.
    fn default() -> Self {
        Self {
            bytes_max: 16 * 1024 * 1024,
            depth_max: 100,
            operations_max: OPERATIONS_MAX,
            memory_max: usize::MAX,
        }
    }
}

/// The imported parts of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Whether the document is JSON or YAML.
    pub format: Format,
    /// `info.title`.
    pub title: String,
    /// `info.version`: the document's, as written.
    pub version: String,
    /// `info.description`.
    pub description: Option<String>,
    /// The URLs of all servers, with variables replaced by their defaults; relative only if the URL
    /// of the document is unknown.
    pub servers: Vec<String>,
    /// The URL of the first server that can be an upstream.
    pub upstream: Option<String>,
    /// The handling of semicolons in paths: passed on if a parameter has the style `matrix`.
    pub semicolon: Semicolon,
    /// Number of operations in the document, including those that are left out.
    pub described: usize,
    /// The operations, in the order of the document; no two answer the same calls.
    pub operations: Vec<Operation>,
    /// The names of all header parameters, sorted.
    pub headers: Vec<String>,
    /// The security that the document describes; the operations above do not follow it. `None` if
    /// it neither requires a supported scheme nor opens an operation.
    pub security: Option<Proposed>,
    /// Parts that were not taken over: missing operations first, then those that affect most
    /// operations.
    pub notes: Vec<Note>,
}

/// The security that a document describes. It is valid in a configuration of its operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// The security of the version; `None` if the document requires no supported scheme and only
    /// opens operations.
    pub security: Option<Security>,
    /// The access of each of [`Imported::operations`], in their order.
    pub operations: Vec<Access>,
}

/// The access to an operation that a document describes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// The scopes that an access token must have, all of them.
    pub scopes: Vec<String>,
    /// Whether calls are allowed without a credential.
    pub anonymous: bool,
}

/// A part of a document that has no effect here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// JSON Pointer (RFC 6901) to it, or to its first occurrence.
    pub field: String,
    /// Stable code word, such as `openapi.webhooks`.
    pub code: &'static str,
    /// One sentence.
    pub detail: String,
    /// Number of operations that it affects; 0 if it affects the document as a whole.
    pub operations: usize,
}

/// Reads an OpenAPI document.
///
/// # Errors
/// Returns the faults that make it unreadable. Syntax faults have line and column in their
/// sentence, faults of content a JSON pointer in `field`. Codes: `openapi.too_large`,
/// `openapi.encoding`,
/// `openapi.xml`, `openapi.syntax`, `openapi.duplicate_key`, `openapi.depth`, `openapi.budget`,
/// `openapi.version`, `openapi.form`, `openapi.operations`, `openapi.reference`,
/// `openapi.recursive`.
pub fn read(bytes: &[u8], limits: Limits) -> Result<Imported, Vec<Fault>> {
    read_at(bytes, None, limits)
}

/// Like [`read`], for a document found at `place`, if known: the URL of a server may be relative to
/// it (OpenAPI 3.1.1, section 4.8.5).
///
/// # Errors
/// Fails like [`read`].
pub fn read_at(bytes: &[u8], place: Option<&str>, limits: Limits) -> Result<Imported, Vec<Fault>> {
    let only = |fault| vec![fault];
    let mut source = source::read(bytes, limits).map_err(only)?;
    if !document::is_swagger(&source.root) {
        return document::imported(&source, place, limits);
    }
    swagger::check_memory(source.memory).map_err(only)?;
    swagger::convert_root(&mut source.root);
    let mut imported = document::imported(&source, place, limits)?;
    // The conversion has the memory to itself, and the number of paths is bounded by now.
    drop(source);
    check_conversion(bytes, limits).map_err(only)?;
    imported.notes.push(Note {
        field: "/swagger".to_owned(),
        code: "openapi.swagger",
        detail: "Swagger 2.0 is converted to OpenAPI 3.0 for callers; the document is kept as \
                 uploaded"
            .to_owned(),
        operations: 0,
    });
    Ok(imported)
}

/// Checks that a Swagger 2.0 document can be converted for callers.
fn check_conversion(bytes: &[u8], limits: Limits) -> Result<(), Fault> {
    let converted = swagger::converted(source::whole(bytes, limits)?)?;
    published::check_items(&converted)
}

#[cfg(test)]
mod tests;
