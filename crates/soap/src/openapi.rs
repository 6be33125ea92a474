//! The OpenAPI 3.1 document of a service's resources.
//!
//! Describes to consumers how to call the resources, in the same convention as both transcoders:
//! responses that `to_json` writes for answers that fit their contract validate against it, and
//! every request that it allows is accepted by `to_xml`. The same input gives the same document,
//! byte for byte.

mod budget;
mod counts;
mod generators;
mod names;
mod object;
mod schemas;
mod strings;
#[cfg(test)]
mod tests;
mod types;

use serde_json::{Map, Value, json};
use tollgate_model::resource::{Parameter, Place, Resource};
use tollgate_model::security::{Require, Scheme, Security};

use crate::compile::Documentation;
use crate::convention::{TYPE, headers_key, in_header};
use crate::plan::{Element, Header, Message, Operation, ServicePlan, Type};
use crate::to_json::fault::status_of;
use budget::Budget;
use schemas::Schemas;

/// The parts of the document that are not in the contract.
#[derive(Debug, Clone, Copy)]
pub struct Info<'a> {
    /// Name of the API.
    pub title: &'a str,
    /// Its version.
    pub version: &'a str,
    /// The URL of the server; `None` to leave it out.
    pub server: Option<&'a str>,
    /// The security schemes of callers; `None` to leave them out.
    pub security: Option<&'a Security>,
    /// The parts with header blocks from the publisher's configuration, which callers cannot send.
    pub fixed: &'a [&'a str],
    /// Statuses of faults that the publisher chose, by the names of the faults.
    pub fault_statuses: &'a [(Box<str>, u16)],
    /// The numbers that are strings; requests may send strings in any case.
    pub strings: Strings,
}

/// Kinds of numbers that are strings in responses (see [`crate::to_json::Options`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Strings {
    /// Integers of types beyond 2^53.
    pub longs: bool,
    /// Decimals.
    pub decimals: bool,
}

/// The document would have more than about 200,000 objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the contract is too large for an OpenAPI document")]
pub struct TooLarge;

/// Writes the document of the resources that are enabled.
///
/// # Errors
///
/// Fails if it would be too large: types derived from a type are listed wherever it is used, so a
/// small contract can have a document of gigabytes.
pub fn document(
    plan: &ServicePlan,
    resources: &[Resource],
    documentation: &Documentation,
    info: &Info<'_>,
) -> Result<Value, TooLarge> {
    let plan = &*strings::with(plan, info.strings);
    let budget = Budget::new();
    let mut writer = Writer {
        plan,
        documentation,
        info,
        schemas: Schemas::new(plan, documentation, &budget),
    };
    let mut paths = Map::new();
    for resource in resources.iter().filter(|resource| resource.enabled) {
        let operation = plan
            .operations
            .iter()
            .find(|of| *of.name == resource.operation);
        let Some(operation) = operation else { continue };
        let described = writer.operation(operation, resource);
        let path = paths
            .entry(resource.path.as_str())
            .or_insert_with(|| json!({}));
        path[resource.method.word().to_ascii_lowercase()] = described;
    }
    let mut schemas = writer.schemas.finish();
    if budget.is_exceeded() {
        return Err(TooLarge);
    }
    schemas.insert("Problem".into(), problem());
    let mut document = json!({
        "openapi": "3.1.0",
        "info": { "title": info.title, "version": info.version },
        "paths": paths,
        "components": { "schemas": schemas },
    });
    if let Some(server) = info.server {
        document["servers"] = json!([{ "url": server }]);
    }
    if let Some(security) = info.security {
        secure(&mut document, security);
    }
    Ok(document)
}

/// Adds the security schemes.
fn secure(document: &mut Value, security: &Security) {
    let mut names = Vec::new();
    for scheme in security.schemes() {
        let (name, scheme) = match scheme {
            Scheme::ApiKey { header, .. } => (
                "key",
                json!({ "type": "apiKey", "in": "header", "name": header }),
            ),
            Scheme::OAuth2 => ("oauth2", json!({ "type": "http", "scheme": "bearer" })),
            Scheme::Basic => ("basic", json!({ "type": "http", "scheme": "basic" })),
        };
        document["components"]["securitySchemes"][name] = scheme;
        names.push(name);
    }
    let together = |names: &[&str]| -> Value {
        let each = names.iter().map(|name| ((*name).to_owned(), json!([])));
        each.collect::<Map<_, _>>().into()
    };
    document["security"] = match security.require {
        Require::Any => names.chunks(1).map(together).collect(),
        Require::All => json!([together(&names)]),
    };
}

/// Returns the schema of problems: RFC 9457 with our extensions, for refusals of the gateway and
/// faults of the service.
fn problem() -> Value {
    let text = json!({ "type": "string" });
    let error = json!({
        "type": "object",
        "properties": {
            "pointer": { "type": "string", "description": "A JSON Pointer into the request." },
            "detail": text,
            "in": { "type": "string", "enum": ["path", "query", "header"] },
            "name": text,
        },
        "required": ["pointer", "detail"],
    });
    json!({
        "type": "object",
        "properties": {
            "type": text,
            "title": text,
            "status": { "type": "integer" },
            "detail": text,
            "code": text,
            "request_id": text,
            "errors": { "type": "array", "items": error },
            "fault": fault(&json!({})),
        },
        "required": ["type", "title", "status"],
    })
}

/// Returns the schema of a service's fault in a problem, with the schema of its detail.
fn fault(detail: &Value) -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "description": "The fault of the service, if it returned one.",
        "properties": {
            "code": text,
            "subcode": text,
            "actor": text,
            "role": text,
            "name": text,
            "detail": detail,
            "any": { "type": "array", "items": {} },
        },
    })
}

struct Writer<'a> {
    plan: &'a ServicePlan,
    documentation: &'a Documentation,
    info: &'a Info<'a>,
    schemas: Schemas<'a>,
}

impl Writer<'_> {
    fn operation(&mut self, operation: &Operation, resource: &Resource) -> Value {
        let mut described = json!({ "operationId": operation.name });
        if let Some(text) = self.documentation.operations.get(&operation.name) {
            described["description"] = json!(text);
        }
        let parameters = resource.parameters.iter();
        let parameters: Vec<_> = parameters.map(|of| self.parameter(operation, of)).collect();
        if !parameters.is_empty() {
            described["parameters"] = json!(parameters);
        }
        if resource.method.has_body() {
            let (schema, required) = self.body(operation, resource);
            described["requestBody"] = json!({
                "required": required,
                "content": { "application/json": { "schema": schema } },
            });
        }
        described["responses"] = self.responses(operation);
        described["x-soap"] = json!({
            "action": operation.action,
            "version": operation.version,
            "request": self.name(Some(&operation.request)),
            "response": self.name(operation.response.as_ref()),
        });
        described
    }

    /// Returns `{namespace}local` of the body of a message.
    fn name(&self, message: Option<&Message>) -> Value {
        let Some(body) = message.and_then(|message| message.body.as_ref()) else {
            return Value::Null;
        };
        let namespace = self.plan.namespaces.get(usize::from(body.name.namespace.0));
        let namespace = namespace.map_or("", |uri| uri);
        json!(format!("{{{namespace}}}{}", body.name.local))
    }

    fn parameter(&mut self, operation: &Operation, parameter: &Parameter) -> Value {
        let place = match parameter.place {
            Place::Path => "path",
            Place::Query => "query",
            Place::Header => "header",
        };
        let schema = self
            .target(operation, parameter)
            .unwrap_or_else(|| json!({}));
        json!({
            "name": parameter.name,
            "in": place,
            "required": parameter.required || parameter.place == Place::Path,
            "schema": schema,
        })
    }

    /// Returns the schema of the value that a parameter sets.
    fn target(&mut self, operation: &Operation, parameter: &Parameter) -> Option<Value> {
        let path = &parameter.path[..];
        let (element, rest) = match in_header(headers_key(self.plan, operation), path) {
            Some((part, rest)) => {
                let mut headers = operation.request.headers.iter();
                (&headers.find(|header| *header.part == *part)?.element, rest)
            }
            None => (operation.request.body.as_ref()?, path),
        };
        self.schemas.at(element, rest)
    }

    /// Returns the schema of a request's body, and whether a body is required.
    fn body(&mut self, operation: &Operation, resource: &Resource) -> (Value, bool) {
        let key = headers_key(self.plan, operation);
        let given = resource.parameters.iter().map(|of| &of.path[..]);
        let (of_blocks, given): (Vec<_>, Vec<_>) =
            given.partition(|path| in_header(key, path).is_some());
        let headers = operation.request.headers.iter();
        let headers = headers.filter(|header| !self.info.fixed.contains(&&*header.part));
        let headers: Vec<_> = headers.collect();
        let body = operation.request.body.as_ref();
        let ty = body.and_then(|body| self.plan.types.get(body.ty.0 as usize));
        let mut schema = match (body, ty) {
            (Some(body), Some(Type::Complex(complex))) if !complex.is_bare() => {
                if headers.is_empty() && given.iter().all(|path| path.is_empty()) {
                    self.schemas.of_element(body)
                } else {
                    self.schemas.object(complex, &given)
                }
            }
            (Some(body), _) => return (self.schemas.of_element(body), true),
            (None, _) => json!({ "type": "object", "additionalProperties": false }),
        };
        if !headers.is_empty() {
            let mut blocks = Map::new();
            for header in headers {
                let below = of_blocks.iter().filter_map(|path| in_header(key, path));
                let below = below.filter(|(part, _)| *part == &*header.part);
                let below: Vec<_> = below.map(|(_, rest)| rest).collect();
                if let Some(block) = self.block(header, &below) {
                    blocks.insert((*header.part).into(), block);
                }
            }
            if !blocks.is_empty() {
                schema["properties"][key] = json!({
                    "type": "object",
                    "properties": blocks,
                    "additionalProperties": false,
                });
            }
        }
        (schema, true)
    }

    /// Returns the schema of a header block in the body; `None` if parameters set all of it, by
    /// these paths below it.
    fn block(&mut self, header: &Header, below: &[&[String]]) -> Option<Value> {
        if below.iter().any(|rest| rest.is_empty()) {
            return None;
        }
        let schema = self.schemas.part(&header.element, below);
        let mut properties = schema["properties"].as_object().into_iter().flatten();
        let is_left = below.is_empty() || properties.any(|(key, _)| key != TYPE);
        is_left.then_some(schema)
    }

    fn responses(&mut self, operation: &Operation) -> Value {
        let mut responses = Map::new();
        let body = operation
            .response
            .as_ref()
            .map(|message| message.body.as_ref());
        let (status, response) = match body {
            None => (
                "202",
                json!({ "description": "Accepted; the operation has no response." }),
            ),
            Some(None) => ("204", json!({ "description": "Done." })),
            Some(Some(body)) if self.is_void(body) => ("204", json!({ "description": "Done." })),
            Some(Some(body)) => {
                let schema = self.schemas.of_element(body);
                let content = json!({ "application/json": { "schema": schema } });
                (
                    "200",
                    json!({ "description": "The response.", "content": content }),
                )
            }
        };
        responses.insert(status.into(), response);
        for fault in &operation.faults {
            let status = status_of(fault, self.info.fault_statuses);
            let Some(status) = status.map(|status| status.to_string()) else {
                continue;
            };
            // Faults with the same status are distinguished by their names.
            let detail = self.schemas.of_element(&fault.element);
            let names = match responses.get(&status) {
                Some(response) => format!("{}, {}", text(&response["description"]), fault.name),
                None => fault.name.to_string(),
            };
            let mut schema = json!({ "$ref": "#/components/schemas/Problem" });
            if names == *fault.name {
                let typed = json!({ "properties": { "fault": self::fault(&detail) } });
                schema = json!({ "allOf": [schema, typed] });
            }
            responses.insert(status, self.answer(&names, &schema));
        }
        let other = json!({ "$ref": "#/components/schemas/Problem" });
        responses.insert("default".into(), self.answer("Any other problem.", &other));
        Value::Object(responses)
    }

    fn answer(&self, description: &str, schema: &Value) -> Value {
        let content = json!({ "application/problem+json": { "schema": schema } });
        json!({ "description": description, "content": content })
    }

    /// Whether a response holds nothing visible in JSON.
    fn is_void(&self, element: &Element) -> bool {
        match self.plan.types.get(element.ty.0 as usize) {
            Some(Type::Complex(complex)) => complex.is_void(),
            _ => false,
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
