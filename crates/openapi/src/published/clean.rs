//! Removes the provider's own parts from a document: extensions, servers, security, and every URL
//! that is not a page for a browser.
//!
//! The meaning of a member depends on its place: `x-trace` is an extension in a schema, but a name
//! in its `properties`; in an example it is data.

use crate::value::{Members, Value};

/// The meaning of an object's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Are {
    /// Fields defined by the specification or a schema.
    Fields,
    /// Names of objects with such fields.
    Names,
    /// Data of an example.
    Data,
}

/// Cleans a document, except for its paths.
pub(super) fn clean_root(root: &mut Members) {
    root.take("paths");
    fields(root);
}

/// Cleans a value with members that are fields.
pub(super) fn clean(value: &mut Value) {
    below(value, Are::Fields);
}

fn below(value: &mut Value, are: Are) {
    match value {
        Value::Scalar(_) => {}
        Value::List(list) => {
            list.retain(|value| are == Are::Data || !refers_elsewhere(value));
            for value in list {
                below(value, are);
            }
        }
        Value::Map(_) if are == Are::Data => {}
        Value::Map(members) if are == Are::Names => {
            for (_, value) in &mut members.0 {
                below(value, Are::Fields);
            }
        }
        Value::Map(members) => fields(members),
    }
}

fn fields(members: &mut Members) {
    if refers(members) {
        // Other documents are not published with this one.
        members.0.clear();
    }
    members.0.retain(|(name, value)| is_kept(name, value));
    for (name, value) in &mut members.0 {
        if name == "callbacks"
            && let Value::Map(callbacks) = value
        {
            callbacks.0.iter_mut().for_each(|(_, it)| callback(it));
        }
        if name == "mapping"
            && let Value::Map(mapping) = value
        {
            mapping
                .0
                .retain(|(_, it)| it.as_text().is_some_and(is_of_document));
        }
        below(value, kind(name, value));
    }
}

fn is_kept(name: &str, value: &Value) -> bool {
    match name {
        "servers" | "server" | "security" | "securitySchemes" | "externalValue" => false,
        "externalDocs" | "contact" | "license" => {
            let url = value.as_map().and_then(|it| it.value("url"));
            url.is_none_or(is_page)
        }
        "termsOfService" => is_page(value),
        "operationRef" | "$dynamicRef" => value.as_text().is_some_and(|it| it.starts_with('#')),
        "$id" => false,
        "$schema" | "jsonSchemaDialect" => value.as_text().is_some_and(is_dialect),
        name => !name.starts_with("x-"),
    }
}

/// Whether the URL is a well-known JSON Schema dialect.
fn is_dialect(url: &str) -> bool {
    let known = [
        "https://json-schema.org/",
        "http://json-schema.org/",
        "https://spec.openapis.org/",
    ];
    known.iter().any(|known| url.starts_with(known))
}

/// Whether a URL is suitable as a link for people.
fn is_page(url: &Value) -> bool {
    let is_http = |url: &str| url.starts_with("https://") || url.starts_with("http://");
    url.as_text().is_some_and(is_http)
}

/// Whether a discriminator maps to a schema of this document: a reference, or a component's name.
fn is_of_document(schema: &str) -> bool {
    schema.starts_with('#') || !schema.contains(['/', ':', '#'])
}

/// Keeps only the requests of a callback to an address from the caller.
fn callback(value: &mut Value) {
    if let Value::Map(requests) = value {
        requests
            .0
            .retain(|(url, _)| url.starts_with('{') || url == "$ref");
    }
}

/// Returns the meaning of the members of a field's value.
pub(super) fn kind(name: &str, value: &Value) -> Are {
    match name {
        "example" | "default" | "enum" | "const" | "value" | "required" | "mapping" => Are::Data,
        // A list of values in a schema, but of named objects elsewhere.
        "examples" if matches!(value, Value::List(_)) => Are::Data,
        "examples" | "properties" | "patternProperties" | "dependentSchemas" | "$defs"
        | "definitions" | "headers" | "schemas" | "responses" | "parameters" | "requestBodies"
        | "links" | "callbacks" | "pathItems" | "paths" | "webhooks" | "content" | "encoding" => {
            match value {
                Value::List(_) => Are::Fields,
                _ => Are::Names,
            }
        }
        _ => Are::Fields,
    }
}

fn refers_elsewhere(value: &Value) -> bool {
    value.as_map().is_some_and(refers)
}

/// Whether an object is a reference to another document.
fn refers(members: &Members) -> bool {
    // The name may occur twice, and readers differ in which one they use.
    let mut references = members.0.iter().filter(|(name, _)| name == "$ref");
    references.any(|(_, it)| it.as_text().is_some_and(|it| !it.starts_with('#')))
}
