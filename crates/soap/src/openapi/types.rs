//! JSON Schemas of simple types.

use serde_json::{Number, Value, json};

use crate::pattern::names;
use crate::plan::{Facets, Kind, Simple};

pub(super) fn simple(simple: &Simple) -> Value {
    let mut schema = match &simple.kind {
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Integer { min, max } => {
            let mut schema = json!({ "type": "integer" });
            match (min, max) {
                (Some(-0x8000_0000), Some(0x7FFF_FFFF)) => schema["format"] = json!("int32"),
                (Some(min), Some(max)) if (*min, *max) == (i64::MIN.into(), i64::MAX.into()) => {
                    schema["format"] = json!("int64");
                }
                _ => {}
            }
            limit(
                &mut schema,
                "minimum",
                min.map(|min| min.to_string()).as_deref(),
            );
            limit(
                &mut schema,
                "maximum",
                max.map(|max| max.to_string()).as_deref(),
            );
            schema
        }
        Kind::Decimal => json!({ "type": "number" }),
        Kind::Float | Kind::Double => json!({
            "anyOf": [{ "type": "number" }, { "type": "string", "enum": ["INF", "-INF", "NaN"] }],
        }),
        Kind::Base64 => json!({ "type": "string", "contentEncoding": "base64" }),
        Kind::Hex => json!({ "type": "string", "contentEncoding": "base16" }),
        Kind::List(item) => json!({ "type": "array", "items": word(self::simple(item)) }),
        Kind::Union(members) => {
            let members: Vec<_> = members.iter().map(self::simple).collect();
            json!({ "anyOf": members })
        }
        kind => match lexical(kind) {
            Some((pattern, example)) => {
                json!({ "type": "string", "pattern": pattern, "examples": [example] })
            }
            None => json!({ "type": "string" }),
        },
    };
    if let Some(facets) = &simple.facets {
        restrict(&simple.kind, facets, &mut schema);
    }
    schema
}

/// Returns the schema of an item of a list: text with spaces would be two items.
fn word(mut schema: Value) -> Value {
    let is_restricted = schema.get("pattern").or_else(|| schema.get("enum"));
    if schema["type"] == "string" && is_restricted.is_none() {
        schema["pattern"] = json!(r"^[^ \t\r\n]+$");
    }
    schema
}

/// Returns a pattern and an example for the values of a type that is a string in JSON. The formats
/// of JSON Schema differ: a `date-time` of RFC 3339 has a zone and a year of four digits.
fn lexical(kind: &Kind) -> Option<(String, &'static str)> {
    const DATE: &str = "-?[0-9]{4,}-[0-9]{2}-[0-9]{2}";
    const TIME: &str = "[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?";
    const DURATION: &str = "^-?P([0-9]+Y)?([0-9]+M)?([0-9]+D)?\
        (T([0-9]+H)?([0-9]+M)?([0-9]+([.][0-9]+)?S)?)?$";
    let zoned = |text: &str| format!("^{text}(Z|[+-][0-9]{{2}}:[0-9]{{2}})?$");
    Some(match kind {
        Kind::DateTime => (zoned(&format!("{DATE}T{TIME}")), "2026-01-31T12:00:00Z"),
        Kind::Date => (zoned(DATE), "2026-01-31"),
        Kind::Time => (zoned(TIME), "12:00:00"),
        Kind::YearMonth => (zoned("-?[0-9]{4,}-[0-9]{2}"), "2026-01"),
        Kind::Year => (zoned("-?[0-9]{4,}"), "2026"),
        Kind::MonthDay => (zoned("--[0-9]{2}-[0-9]{2}"), "--01-31"),
        Kind::Day => (zoned("---[0-9]{2}"), "---31"),
        Kind::Month => (zoned("--[0-9]{2}"), "--01"),
        Kind::Duration => (DURATION.to_owned(), "P1DT12H"),
        Kind::QName => ("^([{][^{}]*[}])?[^\\s{}:]+$".to_owned(), "{urn:x}name"),
        _ => return None,
    })
}

/// Adds the only allowed value.
pub(super) fn fix(simple: &Simple, fixed: &str, schema: &mut Value) {
    if let Some(value) = value(&simple.kind, fixed) {
        schema["const"] = value;
    }
}

/// Converts a value as written in the schema, if JSON has exactly one text for it.
fn value(kind: &Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Boolean => Some(json!(matches!(text, "true" | "1"))),
        Kind::Integer { .. } | Kind::Decimal => number(text).map(Value::Number),
        Kind::Float | Kind::Double | Kind::List(_) | Kind::Union(_) => None,
        _ => Some(json!(text)),
    }
}

fn number(text: &str) -> Option<Number> {
    let text = text.trim_start_matches('+');
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(whole.into());
    }
    // Beyond 64 bits a float would be a different bound.
    text.contains('.')
        .then(|| text.parse().ok().and_then(Number::from_f64))
        .flatten()
}

fn limit(schema: &mut Value, key: &str, bound: Option<&str>) {
    if let Some(number) = bound.and_then(number) {
        schema[key] = Value::Number(number);
    }
}

fn restrict(kind: &Kind, facets: &Facets, schema: &mut Value) {
    match kind {
        Kind::Integer { .. } | Kind::Decimal => {
            limit(schema, "minimum", facets.min_inclusive.as_deref());
            limit(schema, "maximum", facets.max_inclusive.as_deref());
            limit(schema, "exclusiveMinimum", facets.min_exclusive.as_deref());
            limit(schema, "exclusiveMaximum", facets.max_exclusive.as_deref());
        }
        Kind::List(_) => lengths(schema, facets, ["minItems", "maxItems"]),
        Kind::String => lengths(schema, facets, ["minLength", "maxLength"]),
        // Lengths of binary types count octets; base64 has four characters for each three begun.
        Kind::Hex | Kind::Base64 => {
            let characters = |octets: u64| match kind {
                Kind::Hex => octets.saturating_mul(2),
                _ => octets.div_ceil(3).saturating_mul(4),
            };
            let facets = Facets {
                length_min: facets.length_min.map(characters),
                length_max: facets.length_max.map(characters),
                ..Facets::default()
            };
            lengths(schema, &facets, ["minLength", "maxLength"]);
        }
        _ => {}
    }
    let values = facets.enumeration.iter().map(|text| value(kind, text));
    if let Some(values) = values
        .collect::<Option<Vec<_>>>()
        .filter(|values| !values.is_empty())
    {
        schema["enum"] = json!(values);
    }
    let is_text = !matches!(
        kind,
        Kind::Boolean
            | Kind::Integer { .. }
            | Kind::Decimal
            | Kind::Float
            | Kind::Double
            | Kind::List(_)
    );
    if is_text {
        patterns(facets, schema);
    }
}

/// Adds the patterns: one for each step of derivation, all of which must match.
fn patterns(facets: &Facets, schema: &mut Value) {
    let of_kind = schema["pattern"].as_str().map(str::to_owned);
    let own = facets.patterns.iter().filter_map(|pattern| ecma(pattern));
    let all: Vec<String> = of_kind.into_iter().chain(own).collect();
    match &all[..] {
        [] => {}
        [one] => schema["pattern"] = json!(one),
        several => {
            let all: Vec<_> = several.iter().map(|of| json!({ "pattern": of })).collect();
            schema["allOf"] = json!(all);
            if let Some(schema) = schema.as_object_mut() {
                schema.remove("pattern");
            }
        }
    }
}

fn lengths(schema: &mut Value, facets: &Facets, [min, max]: [&str; 2]) {
    if let Some(length) = facets.length_min {
        schema[min] = json!(length);
    }
    if let Some(length) = facets.length_max {
        schema[max] = json!(length);
    }
}

/// Converts a pattern of the crate `regex` to ECMA-262, as used by JSON Schema, if it has no flags,
/// no nested sets and no anchors of its own. Needless escapes are invalid in such patterns.
fn ecma(pattern: &str) -> Option<String> {
    if let Some(known) = names::of_pattern(pattern).and_then(|known| known.ecma) {
        return Some(known.to_owned());
    }
    let foreign = [
        "(?i", "(?s", "(?x", "(?m", "(?u", "(?-", "(?P", "&&", "--", "~~", "\\A", "\\z", "\\x{",
        "\\u{", "\\U", "\\p", "\\P",
    ];
    if foreign.iter().any(|foreign| pattern.contains(foreign)) {
        return None;
    }
    let (mut out, mut is_in_class) = (String::with_capacity(pattern.len()), false);
    let mut rest = pattern.chars();
    while let Some(next) = rest.next() {
        match next {
            '\\' => {
                let escaped = rest.next()?;
                let is_special = "^$\\.*+?()[]{}|/".contains(escaped)
                    || (is_in_class && escaped == '-')
                    || escaped.is_ascii_alphabetic();
                out.extend(Some('\\').filter(|_| is_special));
                out.push(escaped);
                continue;
            }
            '[' if is_in_class => return None,
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            _ => {}
        }
        out.push(next);
    }
    Some(out)
}
