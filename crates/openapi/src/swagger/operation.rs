//! Converts operations of Swagger 2.0 to OpenAPI 3.0: parameters, request bodies and responses.

use std::cell::Cell;

use serde_json::Value as Scalar;

use super::{schema, texts};
use crate::model::api::Method;
use crate::value::{Members, Value};

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";
const JSON: &str = "application/json";

/// Maximum number of values that conversion may copy: shared parameters for each operation, schemas
/// for each media type.
const COPIES_MAX: usize = 2_000_000;

/// The number of copies that may still be made.
#[derive(Debug)]
pub(super) struct Room(Cell<Option<usize>>);

impl Room {
    pub(super) fn new() -> Self {
        Self(Cell::new(Some(COPIES_MAX)))
    }

    /// Whether a copy was omitted because of the bound.
    pub(super) fn is_spent(&self) -> bool {
        self.0.get().is_none()
    }

    fn copy(&self, value: &Value) -> Value {
        let left = self.0.get().and_then(|left| left.checked_sub(size(value)));
        self.0.set(left);
        match left {
            Some(_) => value.clone(),
            None => Value::Scalar(Scalar::Null),
        }
    }

    fn copy_members(&self, members: &Members) -> Members {
        let copies = members
            .0
            .iter()
            .map(|(key, value)| (key.clone(), self.copy(value)));
        Members(copies.collect())
    }
}

/// Returns the number of values in a value, including itself.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Scalar(_) => 0,
        Value::List(list) => list.iter().map(size).sum(),
        Value::Map(members) => members.0.iter().map(|(_, it)| size(it)).sum(),
    }
}

/// Properties shared by operations without their own.
#[derive(Debug)]
pub(super) struct Defaults<'d> {
    pub(super) room: Room,
    pub(super) consumes: Vec<String>,
    pub(super) produces: Vec<String>,
    /// The document's parameters, by name.
    pub(super) parameters: &'d Members,
}

/// Parameters of an operation by their place in 3.0.
#[derive(Debug, Default)]
struct Parameters {
    plain: Vec<Value>,
    body: Option<Members>,
    form: Vec<Members>,
}

impl Defaults<'_> {
    /// Converts a path item.
    pub(super) fn convert_item(&self, item: &mut Members) {
        if let Some(reference) = schema::moved(item) {
            item.put("$ref", Value::text(reference));
        }
        let shared = self.parameters_of(item.take("parameters"));
        for (key, value) in &mut item.0 {
            let method = Method::from_token(key.to_ascii_uppercase().as_bytes());
            if let (Some(_), Value::Map(operation)) = (method, value) {
                self.convert_operation(operation, &shared);
            }
        }
        if !shared.plain.is_empty() {
            item.put("parameters", Value::List(shared.plain));
        }
    }

    fn convert_operation(&self, operation: &mut Members, shared: &Parameters) {
        let own = |list: Vec<String>, default: &[String]| match list.is_empty() {
            true => default.to_vec(),
            false => list,
        };
        let consumes = own(texts(operation.take("consumes")), &self.consumes);
        let produces = own(texts(operation.take("produces")), &self.produces);
        operation.take("schemes");
        let mut parameters = self.parameters_of(operation.take("parameters"));
        if parameters.body.is_none() && parameters.form.is_empty() {
            let copy = |it: &Members| self.room.copy_members(it);
            parameters.body = shared.body.as_ref().map(copy);
            parameters.form = shared.form.iter().map(copy).collect();
        }
        if !parameters.plain.is_empty() {
            operation.put("parameters", Value::List(parameters.plain));
        }
        if let Some(body) = parameters.body {
            operation.put("requestBody", self.request_body(body, &consumes));
        } else if !parameters.form.is_empty() {
            operation.put("requestBody", self.form_body(parameters.form, &consumes));
        }
        if let Some(Value::Map(responses)) = operation.take("responses") {
            let responses = self.convert_responses(responses, &produces);
            operation.put("responses", Value::Map(responses));
        }
    }

    /// Converts responses that operations refer to.
    pub(super) fn responses(&self, responses: Members) -> Members {
        self.convert_responses(responses, &self.produces)
    }

    /// Returns the document's parameters, except for those that become request bodies in 3.0.
    pub(super) fn shared_parameters(&self) -> Members {
        let named = self.parameters.0.iter().filter_map(|(name, value)| {
            let parameter = value.as_map()?;
            let is_plain = !matches!(place(parameter), "body" | "formData");
            is_plain.then(|| {
                (
                    name.clone(),
                    convert_parameter(self.room.copy_members(parameter)),
                )
            })
        });
        Members(named.collect())
    }

    fn parameters_of(&self, list: Option<Value>) -> Parameters {
        let mut parameters = Parameters::default();
        let Some(Value::List(list)) = list else {
            return parameters;
        };
        for value in list {
            let Value::Map(parameter) = value else {
                parameters.plain.push(value);
                continue;
            };
            let meant = self.shared(&parameter).unwrap_or(&parameter);
            match (place(meant), schema::moved(&parameter)) {
                ("body", _) => parameters.body = Some(self.room.copy_members(meant)),
                ("formData", _) => parameters.form.push(self.room.copy_members(meant)),
                (_, Some(reference)) => {
                    let reference = Value::from([("$ref", Value::text(reference))]);
                    parameters.plain.push(reference);
                }
                (_, None) => parameters.plain.push(convert_parameter(parameter)),
            }
        }
        parameters
    }

    /// Resolves a reference to one of the document's parameters.
    fn shared(&self, parameter: &Members) -> Option<&Members> {
        let reference = parameter.value("$ref")?.as_text()?;
        let name = reference.strip_prefix("#/parameters/")?;
        let name = name.replace("~1", "/").replace("~0", "~");
        self.parameters.value(&name)?.as_map()
    }
}

fn place(parameter: &Members) -> &str {
    let place = parameter.value("in").and_then(Value::as_text);
    place.unwrap_or_default()
}

/// Converts a parameter of the path, the query or a header.
fn convert_parameter(mut parameter: Members) -> Value {
    let format = parameter.take("collectionFormat");
    let format = format.as_ref().and_then(Value::as_text).unwrap_or("csv");
    let is_array = parameter.value("type").and_then(Value::as_text) == Some("array");
    let is_query = place(&parameter) == "query";
    let schema = schema::take(&mut parameter);
    if is_array && is_query {
        let (style, explode) = style(format);
        parameter.put("style", Value::text(style));
        parameter.put("explode", Value::Scalar(Scalar::Bool(explode)));
    }
    parameter.put("schema", schema);
    Value::Map(parameter)
}

/// Returns the style of an array (OpenAPI 2.0, Parameter Object, `collectionFormat`). 3.0 has none
/// for tabs: they become spaces.
fn style(collection_format: &str) -> (&'static str, bool) {
    match collection_format {
        "multi" => ("form", true),
        "ssv" | "tsv" => ("spaceDelimited", false),
        "pipes" => ("pipeDelimited", false),
        _ => ("form", false),
    }
}

impl Defaults<'_> {
    fn request_body(&self, mut parameter: Members, consumes: &[String]) -> Value {
        let mut schema = parameter.take("schema");
        if let Some(schema) = &mut schema {
            schema::convert(schema);
        }
        let schema = schema.unwrap_or_else(|| Value::Map(Members::default()));
        let types = match consumes {
            [] => vec![JSON.to_owned()],
            consumes => consumes.to_vec(),
        };
        let content = types.into_iter();
        let content = content.map(|it| (it, Value::from([("schema", self.room.copy(&schema))])));
        let mut body = Members::default();
        for key in ["description", "required"] {
            if let Some(value) = parameter.take(key) {
                body.put(key, value);
            }
        }
        body.put("content", Value::Map(Members(content.collect())));
        Value::Map(body)
    }

    /// Converts the fields of a form to a request body.
    fn form_body(&self, fields: Vec<Members>, consumes: &[String]) -> Value {
        let is_file =
            |field: &Members| field.value("type").and_then(Value::as_text) == Some("file");
        let has_file = fields.iter().any(is_file);
        let mut types: Vec<_> = consumes
            .iter()
            .filter(|it| *it == MULTIPART || *it == FORM && !has_file)
            .cloned()
            .collect();
        if types.is_empty() {
            types.push(if has_file { MULTIPART } else { FORM }.to_owned());
        }
        let (mut properties, mut required) = (Members::default(), Vec::new());
        let mut encoding = Members::default();
        for mut field in fields {
            let Some(name) = field
                .take("name")
                .and_then(|it| Some(it.as_text()?.to_owned()))
            else {
                continue;
            };
            if field.take("required") == Some(Value::Scalar(Scalar::Bool(true))) {
                required.push(Value::text(&name));
            }
            let format = field.take("collectionFormat");
            if field.value("type").and_then(Value::as_text) == Some("array") {
                let (style, explode) =
                    style(format.as_ref().and_then(Value::as_text).unwrap_or("csv"));
                let explode = Value::Scalar(Scalar::Bool(explode));
                let written = Value::from([("style", Value::text(style)), ("explode", explode)]);
                encoding.put(&name, written);
            }
            let mut schema = schema::take(&mut field);
            if let (Value::Map(schema), Some(text)) = (&mut schema, field.take("description")) {
                schema.put("description", text);
            }
            properties.put(&name, schema);
        }
        let mut schema = Members::default();
        schema.put("type", Value::text("object"));
        schema.put("properties", Value::Map(properties));
        let is_required = !required.is_empty();
        if is_required {
            schema.put("required", Value::List(required));
        }
        let has_encoding = !encoding.0.is_empty();
        let (schema, encoding) = (Value::Map(schema), Value::Map(encoding));
        let content = types.into_iter().map(|media_type| {
            let mut media = Members::default();
            media.put("schema", self.room.copy(&schema));
            // A multipart form has a part for each value anyway.
            if media_type == FORM && has_encoding {
                media.put("encoding", self.room.copy(&encoding));
            }
            (media_type, Value::Map(media))
        });
        Value::from([
            ("content", Value::Map(Members(content.collect()))),
            ("required", Value::Scalar(Scalar::Bool(is_required))),
        ])
    }

    fn convert_responses(&self, mut responses: Members, produces: &[String]) -> Members {
        for (name, value) in &mut responses.0 {
            if let (false, Value::Map(response)) = (name.starts_with("x-"), value) {
                self.convert_response(response, produces);
            }
        }
        responses
    }

    fn convert_response(&self, response: &mut Members, produces: &[String]) {
        if let Some(reference) = schema::moved(response) {
            *response = Members(vec![("$ref".to_owned(), Value::text(reference))]);
            return;
        }
        if response.value("description").is_none() {
            response.put("description", Value::text(""));
        }
        let schema = response.take("schema").map(|mut it| {
            schema::convert(&mut it);
            it
        });
        let examples = match response.take("examples") {
            Some(Value::Map(examples)) => examples,
            _ => Members::default(),
        };
        let is_file = schema
            .as_ref()
            .and_then(Value::as_map)
            .is_some_and(|it| it.value("format").and_then(Value::as_text) == Some("binary"));
        let mut types: Vec<_> = match (produces, &schema) {
            ([], Some(_)) if is_file => vec!["application/octet-stream".to_owned()],
            ([], Some(_)) => vec![JSON.to_owned()],
            (_, None) => Vec::new(),
            (produces, Some(_)) => produces.to_vec(),
        };
        for (media_type, _) in &examples.0 {
            if !types.contains(media_type) {
                types.push(media_type.clone());
            }
        }
        let content = types.into_iter().map(|media_type| {
            let mut media = Members::default();
            if let Some(schema) = &schema {
                media.put("schema", self.room.copy(schema));
            }
            if let Some(example) = examples.value(&media_type) {
                media.put("example", self.room.copy(example));
            }
            (media_type, Value::Map(media))
        });
        let content: Vec<_> = content.collect();
        if !content.is_empty() {
            response.put("content", Value::Map(Members(content)));
        }
        if let Some(Value::Map(headers)) = response
            .0
            .iter_mut()
            .find_map(|(key, value)| (key == "headers").then_some(value))
        {
            for (_, header) in &mut headers.0 {
                if let Value::Map(header) = header {
                    header.take("collectionFormat");
                    let schema = schema::take(header);
                    header.put("schema", schema);
                }
            }
        }
    }
}
