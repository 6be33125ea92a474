//! The subset of JSON Schema that the documents use, for validating instances.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

/// Returns why a value does not match a schema of the document; `None` if it does.
pub(crate) fn misfit(document: &Value, schema: &Value, value: &Value) -> Option<String> {
    let rules = schema.as_object().expect("a schema");
    rules
        .iter()
        .find(|(keyword, rule)| !holds(document, rules, (keyword, rule), value))
        .map(|(keyword, rule)| {
            let deeper = deeper(document, (keyword, rule), value).unwrap_or_default();
            format!("{keyword}: {rule}\n  against {value}\n{deeper}")
        })
}

/// Returns the cause of a mismatch, if it is at a single place.
fn deeper(document: &Value, (keyword, rule): (&str, &Value), value: &Value) -> Option<String> {
    match keyword {
        "$ref" => misfit(document, target(document, rule), value),
        "items" => items(value)
            .iter()
            .find_map(|item| misfit(document, rule, item)),
        "properties" => members(rule)
            .iter()
            .find_map(|(key, schema)| misfit(document, schema, value.get(key)?)),
        _ => None,
    }
}

fn target<'a>(document: &'a Value, reference: &Value) -> &'a Value {
    let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
    let pointer = pointer.expect("a local reference");
    document.pointer(pointer).expect("a component")
}

fn holds(
    document: &Value,
    rules: &Map<String, Value>,
    (keyword, rule): (&str, &Value),
    value: &Value,
) -> bool {
    let fits = |schema: &Value, value: &Value| misfit(document, schema, value).is_none();
    let has = |key: &Value| value.get(key.as_str().expect("a key")).is_some();
    match keyword {
        "$ref" => fits(target(document, rule), value),
        "allOf" => items(rule).iter().all(|schema| fits(schema, value)),
        "anyOf" => items(rule).iter().any(|schema| fits(schema, value)),
        "oneOf" => {
            let fitting = items(rule).iter().filter(|schema| fits(schema, value));
            fitting.count() == 1
        }
        "not" => !fits(rule, value),
        "const" => is_same(rule, value),
        "enum" => items(rule).iter().any(|one| is_same(one, value)),
        "type" => is_of(rule.as_str().expect("a type"), value),
        "items" => items(value).iter().all(|item| fits(rule, item)),
        "properties" => members(rule)
            .iter()
            .all(|(key, schema)| value.get(key).is_none_or(|member| fits(schema, member))),
        "required" => !value.is_object() || items(rule).iter().all(has),
        "patternProperties" => members(value)
            .iter()
            .all(|(key, member)| !key.starts_with('{') || fits(&rule["^\\{"], member)),
        "additionalProperties" => members(value).keys().all(|key| {
            let is_named = rules
                .get("properties")
                .is_some_and(|of| of.get(key).is_some());
            is_named || (rules.contains_key("patternProperties") && key.starts_with('{'))
        }),
        "minProperties" => members(value).len() as u64 >= count(rule),
        "maxProperties" => members(value).len() as u64 <= count(rule),
        "minItems" => items(value).len() as u64 >= count(rule),
        "maxItems" => items(value).len() as u64 <= count(rule),
        "minLength" => value
            .as_str()
            .is_none_or(|text| text.chars().count() as u64 >= count(rule)),
        "maxLength" => value
            .as_str()
            .is_none_or(|text| text.chars().count() as u64 <= count(rule)),
        "minimum" => value.as_f64().is_none_or(|number| number >= bound(rule)),
        "maximum" => value.as_f64().is_none_or(|number| number <= bound(rule)),
        "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > bound(rule)),
        "exclusiveMaximum" => value.as_f64().is_none_or(|number| number < bound(rule)),
        "pattern" => value
            .as_str()
            .is_none_or(|text| is_match(rule.as_str().expect("a pattern"), text)),
        "description" | "examples" | "format" | "contentEncoding" | "contentMediaType"
        | "discriminator" | "readOnly" => true,
        other => panic!("the validator does not know {other}"),
    }
}

/// Whether a pattern matches a text; each pattern is compiled once.
fn is_match(pattern: &str, text: &str) -> bool {
    thread_local! {
        static PATTERNS: RefCell<HashMap<String, Regex>> = RefCell::default();
    }
    PATTERNS.with_borrow_mut(|patterns| {
        let compiled = patterns
            .entry(pattern.to_owned())
            .or_insert_with(|| Regex::new(pattern).expect("a pattern"));
        compiled.is_match(text)
    })
}

fn is_of(ty: &str, value: &Value) -> bool {
    match ty {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the validator does not know the type {other}"),
    }
}

/// Whether two values are equal; numbers are equal whether they are written as `1` or as `1.0`.
fn is_same(one: &Value, other: &Value) -> bool {
    one == other
        || one
            .as_f64()
            .is_some_and(|number| other.as_f64() == Some(number))
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn members(value: &Value) -> &Map<String, Value> {
    static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    value.as_object().unwrap_or(&NONE)
}

fn count(rule: &Value) -> u64 {
    rule.as_u64().expect("a count")
}

fn bound(rule: &Value) -> f64 {
    rule.as_f64().expect("a bound")
}
