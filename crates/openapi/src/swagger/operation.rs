//! Converts operations of Swagger 2.0 to OpenAPI 3.0: parameters, request bodies and responses.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::Value as Scalar;

use super::allowance::Allowance;
use super::{schema, texts};
use crate::item;
use crate::lookup::Lookup;
use crate::model::fault::Fault;
use crate::value::{Members, Value};

const FORM: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";
const JSON: &str = "application/json";

/// Properties shared by operations without their own.
#[derive(Debug)]
pub(super) struct Defaults<'d> {
    pub(super) allowance: &'d Allowance,
    pub(super) consumes: Vec<String>,
    pub(super) produces: Vec<String>,
    /// The document's parameters.
    pub(super) parameters: &'d Members,
    pub(super) lookup: Lookup<'d>,
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
    ///
    /// # Errors
    /// Fails if the allowance is spent, like all methods.
    pub(super) fn convert_item(&self, item: &mut Members) -> Result<(), Fault> {
        if let Some(reference) = schema::moved(item) {
            item.put("$ref", Value::text(reference));
        }
        let shared = self.parameters_of(item.take("parameters"))?;
        for (key, value) in &mut item.0 {
            if let (true, Value::Map(operation)) = (item::is_operation(key), value) {
                self.convert_operation(operation, &shared)?;
            }
        }
        if !shared.plain.is_empty() {
            item.put("parameters", Value::List(shared.plain));
        }
        Ok(())
    }

    fn convert_operation(&self, operation: &mut Members, shared: &Parameters) -> Result<(), Fault> {
        let consumes = own(operation.take("consumes"), &self.consumes);
        let produces = own(operation.take("produces"), &self.produces);
        operation.take("schemes");
        let mut parameters = self.parameters_of(operation.take("parameters"))?;
        if parameters.body.is_none() && parameters.form.is_empty() {
            let copy = |it: &Members| self.allowance.copy_members(it);
            parameters.body = shared.body.as_ref().map(copy).transpose()?;
            parameters.form = shared.form.iter().map(copy).collect::<Result<_, _>>()?;
        }
        if !parameters.plain.is_empty() {
            operation.put("parameters", Value::List(parameters.plain));
        }
        if let Some(body) = parameters.body {
            operation.put("requestBody", self.request_body(body, &consumes)?);
        } else if !parameters.form.is_empty() {
            operation.put("requestBody", self.form_body(parameters.form, &consumes)?);
        }
        if let Some(Value::Map(responses)) = operation.take("responses") {
            let responses = self.convert_responses(responses, &produces)?;
            operation.put("responses", Value::Map(responses));
        }
        Ok(())
    }

    /// Converts responses that operations refer to.
    pub(super) fn responses(&self, responses: Members) -> Result<Members, Fault> {
        self.convert_responses(responses, &self.produces)
    }

    /// Returns the document's parameters, except for those that become request bodies in 3.0.
    pub(super) fn shared_parameters(&self) -> Result<Members, Fault> {
        let named = self.parameters.0.iter().filter_map(|(name, value)| {
            let parameter = value.as_map()?;
            let is_plain = !matches!(place(parameter), "body" | "formData");
            is_plain.then_some((name, parameter))
        });
        let converted = named.map(|(name, parameter)| {
            self.allowance.add_member(name)?;
            let parameter = self.allowance.copy_members(parameter)?;
            Ok((name.clone(), self.convert_parameter(parameter)?))
        });
        converted.collect::<Result<_, _>>().map(Members)
    }

    fn parameters_of(&self, list: Option<Value>) -> Result<Parameters, Fault> {
        let mut parameters = Parameters::default();
        let Some(Value::List(list)) = list else {
            return Ok(parameters);
        };
        for value in list {
            let Value::Map(parameter) = value else {
                parameters.plain.push(value);
                continue;
            };
            let meant = self.shared(&parameter).unwrap_or(&parameter);
            match (place(meant), schema::moved(&parameter)) {
                ("body", _) => parameters.body = Some(self.allowance.copy_members(meant)?),
                ("formData", _) => parameters.form.push(self.allowance.copy_members(meant)?),
                (_, Some(reference)) => {
                    let reference = Value::from([("$ref", Value::text(reference))]);
                    parameters.plain.push(reference);
                }
                (_, None) => parameters.plain.push(self.convert_parameter(parameter)?),
            }
        }
        Ok(parameters)
    }

    /// Resolves a reference to one of the document's parameters.
    fn shared(&self, parameter: &Members) -> Option<&Members> {
        let reference = parameter.value("$ref")?.as_text()?;
        let name = reference.strip_prefix("#/parameters/")?;
        let name = name.replace("~1", "/").replace("~0", "~");
        self.lookup.member(self.parameters, &name)?.as_map()
    }
}

/// Returns the media types of an operation, or those of the document if it has none.
fn own(list: Option<Value>, default: &[String]) -> Cow<'_, [String]> {
    match texts(list) {
        list if list.is_empty() => Cow::Borrowed(default),
        list => Cow::Owned(list),
    }
}

fn place(parameter: &Members) -> &str {
    let place = parameter.value("in").and_then(Value::as_text);
    place.unwrap_or_default()
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
    /// Converts a parameter of the path, the query or a header.
    fn convert_parameter(&self, mut parameter: Members) -> Result<Value, Fault> {
        let format = parameter.take("collectionFormat");
        let format = format.as_ref().and_then(Value::as_text).unwrap_or("csv");
        let is_array = parameter.value("type").and_then(Value::as_text) == Some("array");
        let is_query = place(&parameter) == "query";
        let schema = schema::take(&mut parameter, self.allowance)?;
        if is_array && is_query {
            let (style, explode) = style(format);
            self.allowance.add_member("style")?;
            self.allowance.add_member("explode")?;
            parameter.put("style", Value::text(style));
            parameter.put("explode", Value::Scalar(Scalar::Bool(explode)));
        }
        parameter.put("schema", schema);
        parameter.0.shrink_to_fit();
        Ok(Value::Map(parameter))
    }

    fn request_body(&self, mut parameter: Members, consumes: &[String]) -> Result<Value, Fault> {
        self.allowance.add_members()?;
        let mut schema = parameter.take("schema");
        if let Some(schema) = &mut schema {
            schema::convert(schema, self.allowance)?;
        }
        let schema = schema.unwrap_or_else(|| Value::Map(Members::default()));
        let json = [JSON.to_owned()];
        let types = match consumes {
            [] => &json,
            consumes => consumes,
        };
        let content = types.iter().map(|media_type| {
            self.allowance.add_member(media_type)?;
            self.allowance.add_member("schema")?;
            let media = Value::from([("schema", self.allowance.copy(&schema)?)]);
            Ok((media_type.clone(), media))
        });
        let content = content.collect::<Result<_, Fault>>()?;
        let mut body = Members::default();
        for key in ["description", "required"] {
            if let Some(value) = parameter.take(key) {
                body.put(key, value);
            }
        }
        body.put("content", Value::Map(Members(content)));
        Ok(Value::Map(body))
    }

    /// Converts the fields of a form to a request body.
    fn form_body(&self, fields: Vec<Members>, consumes: &[String]) -> Result<Value, Fault> {
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
        let (mut properties, mut required) = (Vec::new(), Vec::new());
        let mut encoding = Vec::new();
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
                self.allowance.add_members()?;
                let (style, explode) =
                    style(format.as_ref().and_then(Value::as_text).unwrap_or("csv"));
                let explode = Value::Scalar(Scalar::Bool(explode));
                let written = Value::from([("style", Value::text(style)), ("explode", explode)]);
                encoding.push((name.clone(), written));
            }
            let mut schema = schema::take(&mut field, self.allowance)?;
            if let (Value::Map(schema), Some(text)) = (&mut schema, field.take("description")) {
                schema.put("description", text);
            }
            properties.push((name, schema));
        }
        let mut schema = Members::default();
        schema.put("type", Value::text("object"));
        schema.put("properties", Value::Map(Members::from_last(properties)));
        let is_required = !required.is_empty();
        if is_required {
            schema.put("required", Value::List(required));
        }
        let has_encoding = !encoding.is_empty();
        let encoding = Value::Map(Members::from_last(encoding));
        let schema = Value::Map(schema);
        let content = types.into_iter().map(|media_type| {
            self.allowance.add_members()?;
            let mut media = Members::default();
            media.put("schema", self.allowance.copy(&schema)?);
            // A multipart form has a part for each value anyway.
            if media_type == FORM && has_encoding {
                media.put("encoding", self.allowance.copy(&encoding)?);
            }
            Ok((media_type, Value::Map(media)))
        });
        let content = content.collect::<Result<_, Fault>>()?;
        Ok(Value::from([
            ("content", Value::Map(Members(content))),
            ("required", Value::Scalar(Scalar::Bool(is_required))),
        ]))
    }

    fn convert_responses(
        &self,
        mut responses: Members,
        produces: &[String],
    ) -> Result<Members, Fault> {
        for (name, value) in &mut responses.0 {
            if let (false, Value::Map(response)) = (name.starts_with("x-"), value) {
                self.convert_response(response, produces)?;
            }
        }
        Ok(responses)
    }

    fn convert_response(&self, response: &mut Members, produces: &[String]) -> Result<(), Fault> {
        if let Some(reference) = schema::moved(response) {
            *response = Members(vec![("$ref".to_owned(), Value::text(reference))]);
            return Ok(());
        }
        if response.value("description").is_none() {
            self.allowance.add_member("description")?;
            response.put("description", Value::text(""));
        }
        let mut schema = response.take("schema");
        if let Some(schema) = &mut schema {
            schema::convert(schema, self.allowance)?;
        }
        let examples = match response.take("examples") {
            Some(Value::Map(examples)) => examples,
            _ => Members::default(),
        };
        let content = self.response_content(schema.as_ref(), &examples, produces)?;
        if !content.0.is_empty() {
            response.put("content", Value::Map(content));
        }
        response.0.shrink_to_fit();
        if let Some(Value::Map(headers)) = response
            .0
            .iter_mut()
            .find_map(|(key, value)| (key == "headers").then_some(value))
        {
            for (_, header) in &mut headers.0 {
                if let Value::Map(header) = header {
                    header.take("collectionFormat");
                    let schema = schema::take(header, self.allowance)?;
                    header.put("schema", schema);
                    header.0.shrink_to_fit();
                }
            }
        }
        Ok(())
    }

    /// Returns the content of a response by media type: those of its examples, too.
    fn response_content(
        &self,
        schema: Option<&Value>,
        examples: &Members,
        produces: &[String],
    ) -> Result<Members, Fault> {
        let is_file = schema
            .and_then(Value::as_map)
            .is_some_and(|it| it.value("format").and_then(Value::as_text) == Some("binary"));
        let mut types: Vec<&str> = match (produces, schema) {
            ([], Some(_)) if is_file => vec!["application/octet-stream"],
            ([], Some(_)) => vec![JSON],
            (_, None) => Vec::new(),
            (produces, Some(_)) => produces.iter().map(String::as_str).collect(),
        };
        let known: HashSet<_> = types.iter().copied().collect();
        let of_examples = examples.0.iter().map(|(media_type, _)| &**media_type);
        types.extend(of_examples.filter(|it| !known.contains(it)));
        let examples: HashMap<_, _> = examples.0.iter().map(|(name, it)| (&**name, it)).collect();
        let content = types.into_iter().map(|media_type| {
            self.allowance.add_member(media_type)?;
            let fields = [
                ("schema", schema),
                ("example", examples.get(media_type).copied()),
            ];
            let mut media = Vec::new();
            for (name, value) in fields {
                if let Some(value) = value {
                    self.allowance.add_member(name)?;
                    media.push((name.to_owned(), self.allowance.copy(value)?));
                }
            }
            media.shrink_to_fit();
            Ok((media_type.to_owned(), Value::Map(Members(media))))
        });
        content.collect::<Result<_, Fault>>().map(Members)
    }
}
