//! Converts schemas of Swagger 2.0 to OpenAPI 3.0.

use serde_json::Value as Scalar;

use super::allowance::Allowance;
use crate::model::fault::Fault;
use crate::value::{Members, Value};

/// Fields of a parameter, header or items that describe its value.
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

/// The places of components in 2.0 and 3.0.
const MOVED: [(&str, &str); 3] = [
    ("#/definitions/", "#/components/schemas/"),
    ("#/parameters/", "#/components/parameters/"),
    ("#/responses/", "#/components/responses/"),
];

/// Moves the description of a parameter's or header's value into a schema.
///
/// # Errors
/// Fails if the allowance is spent.
pub(super) fn take(from: &mut Members, allowance: &Allowance) -> Result<Value, Fault> {
    allowance.add_member("schema")?;
    let mut schema = Members::default();
    for key in OF_VALUE {
        if let Some(value) = from.take(key) {
            schema.put(key, value);
        }
    }
    schema.0.shrink_to_fit();
    let mut schema = Value::Map(schema);
    convert(&mut schema, allowance)?;
    Ok(schema)
}

/// Converts a schema, including nested ones.
///
/// # Errors
/// Fails if the allowance is spent.
pub(super) fn convert(schema: &mut Value, allowance: &Allowance) -> Result<(), Fault> {
    let Value::Map(members) = schema else {
        return Ok(());
    };
    members.take("collectionFormat");
    if let Some(reference) = moved(members) {
        // Fields beside a reference are ignored.
        *members = Members(vec![("$ref".to_owned(), Value::text(reference))]);
        return Ok(());
    }
    let is_nullable = members.take("x-nullable");
    convert_type(members, allowance)?;
    if is_nullable == Some(Value::Scalar(Scalar::Bool(true))) {
        members.put("nullable", Value::Scalar(Scalar::Bool(true)));
    }
    if let Some(name) = members.value("discriminator").and_then(Value::as_text) {
        let discriminator = Value::from([("propertyName", Value::text(name))]);
        members.put("discriminator", discriminator);
    }
    if matches!(members.value("required"), Some(Value::Scalar(_))) {
        // From a parameter, or misplaced: a schema lists the properties that its objects require.
        members.take("required");
    }
    for (key, value) in &mut members.0 {
        match (key.as_str(), value) {
            ("items" | "additionalProperties" | "not", value) => convert(value, allowance)?,
            ("allOf" | "anyOf" | "oneOf", Value::List(list)) => {
                list.iter_mut().try_for_each(|it| convert(it, allowance))?;
            }
            ("properties", Value::Map(properties)) => {
                let mut schemas = properties.0.iter_mut();
                schemas.try_for_each(|(_, it)| convert(it, allowance))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// In 3.0 a file is binary text, and null is not a type.
fn convert_type(members: &mut Members, allowance: &Allowance) -> Result<(), Fault> {
    let boolean = || Value::Scalar(Scalar::Bool(true));
    match members.value("type") {
        Some(Value::Scalar(Scalar::String(name))) if name == "file" => {
            members.put("type", Value::text("string"));
            members.put("format", Value::text("binary"));
        }
        Some(Value::List(types)) => {
            let is_null = |it: &Value| it.as_text() == Some("null");
            let has_null = types.iter().any(is_null);
            for _ in types {
                allowance.add_member("type")?;
            }
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
    Ok(())
}

/// Returns the target in 3.0, if the object is a reference.
pub(super) fn moved(members: &Members) -> Option<String> {
    let reference = members.value("$ref")?.as_text()?;
    let places = MOVED.iter();
    let mut moved =
        places.filter_map(|(from, to)| Some(format!("{to}{}", reference.strip_prefix(from)?)));
    Some(moved.next().unwrap_or_else(|| reference.to_owned()))
}
