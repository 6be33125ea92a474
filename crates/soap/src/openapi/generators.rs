//! Workarounds for client generators. In a Python class, a member named like a type hides that type
//! from the members beside it; a component named like a type replaces it.

use serde_json::{Map, Value, json};

/// Names that break clients of OpenAPI Generator (`python`, 7.17 and 7.25) as the name of a
/// component.
pub(super) const RESERVED: [&str; 32] = [
    "ByteArray",
    "DateTime",
    "List",
    "Optional",
    "Set",
    "StrictBool",
    "StrictFloat",
    "StrictInt",
    "StrictStr",
    "URI",
    "UUID",
    "array",
    "binary",
    "bool",
    "boolean",
    "bytes",
    "date",
    "datetime",
    "decimal",
    "double",
    "file",
    "float",
    "int",
    "integer",
    "list",
    "long",
    "null",
    "number",
    "optional",
    "set",
    "str",
    "string",
];

/// The types of Python that generated members annotate: `Annotated[str, …]`.
const ANNOTATED: [&str; 3] = ["str", "int", "float"];

/// The facets of text and numbers.
const FACETS: [&str; 8] = [
    "pattern",
    "allOf",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

/// Moves the facets of an object's properties into a `not` of a `not`, which generators ignore, if
/// one of the properties would hide the type that they annotate.
pub(super) fn spare(properties: &mut Map<String, Value>) {
    let hides = |key: &String| {
        let key = key.trim_start_matches('@');
        ANNOTATED.iter().any(|ty| ty.eq_ignore_ascii_case(key))
    };
    if properties.keys().any(hides) {
        properties.values_mut().for_each(hide_facets);
    }
}

fn hide_facets(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    schema.get_mut("items").into_iter().for_each(hide_facets);
    let members = schema.get_mut("anyOf").and_then(Value::as_array_mut);
    members.into_iter().flatten().for_each(hide_facets);
    let ty = schema.get("type").and_then(Value::as_str);
    if !matches!(ty, Some("string" | "integer" | "number")) {
        return;
    }
    let facets = FACETS.iter();
    let facets = facets.filter_map(|&facet| Some((facet.to_owned(), schema.remove(facet)?)));
    let facets: Map<_, _> = facets.collect();
    if !facets.is_empty() {
        schema.insert("not".into(), json!({ "not": facets }));
    }
}
