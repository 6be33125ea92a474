//! Schemas of Swagger 2.0 as those of OpenAPI 3.0.

use serde_json::Value as Scalar;

use crate::value::{Members, Value};

/// Fields of a parameter, of a header or of items that describe its value.
const OF_VALUE: [&str; 19] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "x-nullable",
    "readOnly",
    "example",
];

/// Where the components of 3.0 are.
const MOVED: [(&str, &str); 3] = [
    ("#/definitions/", "#/components/schemas/"),
    ("#/parameters/", "#/components/parameters/"),
    ("#/responses/", "#/components/responses/"),
];

/// Takes what describes the value of a parameter or a header out of it, as a schema.
pub(super) fn take(from: &mut Members) -> Value {
    let mut schema = Members::default();
    for key in OF_VALUE {
        if let Some(value) = from.take(key) {
            schema.put(key, value);
        }
    }
    let mut schema = Value::Map(schema);
    convert(&mut schema);
    schema
}

/// Converts a schema with all that are in it.
pub(super) fn convert(schema: &mut Value) {
    let Value::Map(members) = schema else {
        return;
    };
    members.take("collectionFormat");
    if let Some(reference) = moved(members) {
        // Nothing beside a reference counts.
        *members = Members(vec![("$ref".to_owned(), Value::text(reference))]);
        return;
    }
    let is_nullable = members.take("x-nullable");
    convert_type(members);
    if is_nullable == Some(Value::Scalar(Scalar::Bool(true))) {
        members.put("nullable", Value::Scalar(Scalar::Bool(true)));
    }
    if let Some(name) = members.value("discriminator").and_then(Value::as_text) {
        let discriminator = Value::from([("propertyName", Value::text(name))]);
        members.put("discriminator", discriminator);
    }
    if matches!(members.value("required"), Some(Value::Scalar(_))) {
        // Of a parameter, or misplaced: a schema lists what its objects need.
        members.take("required");
    }
    for (key, value) in &mut members.0 {
        match (key.as_str(), value) {
            ("items" | "additionalProperties" | "not", value) => convert(value),
            ("allOf" | "anyOf" | "oneOf", Value::List(list)) => list.iter_mut().for_each(convert),
            ("properties", Value::Map(properties)) => {
                properties.0.iter_mut().for_each(|(_, it)| convert(it));
            }
            _ => {}
        }
    }
}

/// A file is binary text in 3.0, and null no type.
fn convert_type(members: &mut Members) {
    let boolean = || Value::Scalar(Scalar::Bool(true));
    match members.value("type") {
        Some(Value::Scalar(Scalar::String(name))) if name == "file" => {
            members.put("type", Value::text("string"));
            members.put("format", Value::text("binary"));
        }
        Some(Value::List(types)) => {
            let is_null = |it: &Value| it.as_text() == Some("null");
            let has_null = types.iter().any(is_null);
            let others: Vec<_> = types.iter().filter(|it| !is_null(it)).cloned().collect();
            members.take("type");
            match <[Value; 1]>::try_from(others) {
                Ok([only]) => members.put("type", only),
                Err(several) if several.is_empty() => {}
                Err(several) => {
                    let any = several.into_iter().map(|it| Value::from([("type", it)]));
                    members.put("anyOf", Value::List(any.collect()));
                }
            }
            if has_null {
                members.put("nullable", boolean());
            }
        }
        _ => {}
    }
}

/// Where a reference leads in 3.0, if the object is one.
pub(super) fn moved(members: &Members) -> Option<String> {
    let reference = members.value("$ref")?.as_text()?;
    let places = MOVED.iter();
    let mut moved =
        places.filter_map(|(from, to)| Some(format!("{to}{}", reference.strip_prefix(from)?)));
    Some(moved.next().unwrap_or_else(|| reference.to_owned()))
}
