//! Schemas in the form in which they are compared: references resolved, `allOf` merged, spellings
//! of OpenAPI 3.0 and 3.1 unified (OpenAPI 3.0.4, Schema Object; JSON Schema 2020-12).
//!
//! `nullable: true`, the type `null` and an alternative that is null are one flag. A schema without
//! a type that has properties is an object, one with items a list, and an enumeration has the types
//! of its values. Keywords that are not understood are kept for an exact comparison.

use std::collections::{HashMap, HashSet};

use super::bounds::Bounds;
use super::document::{BYTES_OF_VALUE, Budget, Side};
use super::pointer::{At, Pointer};
use super::same::written;
use super::types::{Types, has_null_value, is_null, is_null_schema, pure_type, types_of};
use crate::value::{Members, Value};

/// Schemas that one schema may be merged from.
const PARTS_MAX: usize = 500;

/// Parts that are searched as fast as one value is read.
const PARTS_OF_VALUE: usize = 16;
/// Keywords that are compared, but not judged.
const UNJUDGED: [&str; 19] = [
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "unevaluatedItems",
    "discriminator",
    "xml",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
];
/// A format that does not constrain values (OpenAPI 3.0.4, Data Types).
const HINT: &str = "password";

/// The properties that an object may have beside those that are described.
#[derive(Debug, Clone, Default)]
pub(super) enum Additional<'d> {
    #[default]
    Open,
    Closed,
    /// They match all of these schemas.
    Schemas(Vec<At<'d>>),
}

/// A schema, merged from all its parts.
#[derive(Debug, Default)]
pub(super) struct Schema<'d> {
    /// `None` if every type is allowed. Null is not among them.
    pub(super) types: Option<Types>,
    pub(super) is_nullable: bool,
    pub(super) format: Option<&'d str>,
    /// The values of an enumeration, as JSON, without null.
    pub(super) enumeration: Option<Vec<String>>,
    pub(super) bounds: Bounds<'d>,
    pub(super) properties: Vec<(&'d str, Vec<At<'d>>)>,
    pub(super) required: Vec<&'d str>,
    pub(super) additional: Additional<'d>,
    pub(super) items: Vec<At<'d>>,
    /// Alternatives of `oneOf` and `anyOf`, without null.
    pub(super) groups: Vec<Vec<At<'d>>>,
    /// Alternatives that are types alone, which `types` has too.
    pub(super) plain_group: Vec<At<'d>>,
    pub(super) default: Option<&'d Value>,
    /// Keywords that are not judged.
    pub(super) others: Vec<(&'d str, At<'d>)>,
    /// References that lead nowhere.
    pub(super) unresolved: Vec<&'d str>,
    /// Whether parts are missing, because it has too many.
    pub(super) is_cut: bool,
    /// Title and description of the first part.
    pub(super) texts: [Option<&'d str>; 2],
}

impl Schema<'_> {
    /// Whether it allows every value.
    pub(super) fn is_anything(&self) -> bool {
        self.is_bare() && self.groups.is_empty()
    }

    /// Whether nothing is known but the alternatives.
    pub(super) fn is_bare(&self) -> bool {
        self.types.is_none() && self.has_no_keywords()
    }

    /// Whether it allows every value of its types.
    pub(super) fn is_bare_type(&self) -> bool {
        self.groups.is_empty() && self.format.is_none() && self.has_no_keywords()
    }

    fn has_no_keywords(&self) -> bool {
        self.enumeration.is_none()
            && self.bounds == Bounds::default()
            && self.properties.is_empty()
            && self.required.is_empty()
            && self.items.is_empty()
            && self.others.is_empty()
            && self.unresolved.is_empty()
            && matches!(self.additional, Additional::Open)
    }
}

/// Merges schemas that all hold.
pub(super) fn merged<'d>(side: &Side<'d>, parts: &[At<'d>], budget: &Budget) -> Schema<'d> {
    let mut merging = Merging {
        side,
        schema: Schema::default(),
        open: parts.iter().rev().map(|it| (it.clone(), true)).collect(),
        seen: Vec::new(),
        allows_null: false,
        forbids_null: false,
    };
    while let Some((at, is_voiced)) = merging.open.pop() {
        if merging.seen.contains(&at.address()) {
            continue;
        }
        if merging.seen.len() >= PARTS_MAX || !budget.spend(1) {
            merging.schema.is_cut = true;
            break;
        }
        budget.spend(merging.seen.len() / PARTS_OF_VALUE);
        merging.seen.push(at.address());
        match at.value {
            Value::Map(members) => {
                let data = ["enum", "const", "default"].map(|key| members.value(key));
                let bytes: usize = data.into_iter().flatten().map(Value::bytes).sum();
                budget.spend(at.weight() + bytes / BYTES_OF_VALUE);
                merging.part(&at, members, is_voiced);
            }
            Value::Scalar(serde_json::Value::Bool(false)) => {
                merging.restrict(Types::NONE);
                merging.forbids_null = true;
            }
            _ => {}
        }
    }
    merging.finished()
}

struct Merging<'s, 'd> {
    side: &'s Side<'d>,
    schema: Schema<'d>,
    /// Parts, and whether they decide if null is allowed.
    open: Vec<(At<'d>, bool)>,
    seen: Vec<usize>,
    allows_null: bool,
    forbids_null: bool,
}

impl<'d> Merging<'_, 'd> {
    fn part(&mut self, at: &At<'d>, members: &'d Members, is_voiced: bool) {
        let types = members.value("type").map(types_of);
        let allows_null = at.is("nullable")
            || types.is_some_and(|(_, has_null)| has_null)
            || types.is_none() && has_null_value(members);
        self.allows_null |= is_voiced && allows_null;
        self.forbids_null |= is_voiced && types.is_some() && !allows_null;
        if let Some((types, _)) = types {
            self.restrict(types);
        }
        if self.seen.len() == 1 {
            self.schema.texts = [at.text("title"), at.text("description")];
        }
        let are_voiced = is_voiced && !allows_null;
        for (key, value) in &members.0 {
            match key.as_str() {
                "$ref" | "$dynamicRef" => self.reference(value, are_voiced),
                "allOf" => {
                    let parts: Vec<_> = at.below(key, value).items().collect();
                    let parts = parts.into_iter().rev();
                    self.open.extend(parts.map(|it| (it, are_voiced)));
                }
                "oneOf" | "anyOf" => self.group(&at.below(key, value), are_voiced),
                "enum" => self.enumerate(value),
                "const" => self.enumerate(&Value::List(vec![value.clone()])),
                "properties" => self.properties(&at.below(key, value)),
                "items" => self.schema.items.push(at.below(key, value)),
                "additionalProperties" | "unevaluatedProperties" => {
                    self.additional(at.below(key, value));
                }
                _ => self.other(at, key, value),
            }
        }
    }

    fn other(&mut self, at: &At<'d>, key: &'d str, value: &'d Value) {
        let schema = &mut self.schema;
        match key {
            "required" => {
                let names = match value {
                    Value::List(names) => names.as_slice(),
                    _ => &[],
                };
                schema
                    .required
                    .extend(names.iter().filter_map(Value::as_text));
            }
            "format" => {
                let format = value.as_text().filter(|it| *it != HINT);
                schema.format = schema.format.or(format);
            }
            "contentEncoding" if value.as_text() == Some("base64") => {
                schema.format = schema.format.or(Some("byte"));
            }
            "contentMediaType" if is_binary(at, value) => {
                schema.format = schema.format.or(Some("binary"));
            }
            "default" => schema.default = schema.default.or(Some(value)),
            key if UNJUDGED.contains(&key) => schema.others.push((key, at.below(key, value))),
            key => {
                schema.bounds.add(at, key, value);
            }
        }
    }

    fn restrict(&mut self, types: Types) {
        let known = self.schema.types.map_or(u8::MAX, |it| it.0);
        self.schema.types = Some(Types(known & types.0));
    }

    fn reference(&mut self, value: &'d Value, is_voiced: bool) {
        let Some(reference) = value.as_text() else {
            return;
        };
        match self.side.target(reference) {
            Some(target) => self.open.push((target, is_voiced)),
            None => self.schema.unresolved.push(reference),
        }
    }

    fn properties(&mut self, at: &At<'d>) {
        let known = self.schema.properties.iter().enumerate();
        let known: HashMap<_, _> = known.map(|(place, (name, _))| (*name, place)).collect();
        for (name, property) in at.members() {
            match known.get(name) {
                Some(&place) => self.schema.properties[place].1.push(property),
                None => self.schema.properties.push((name, vec![property])),
            }
        }
    }

    fn additional(&mut self, at: At<'d>) {
        let additional = &mut self.schema.additional;
        match (at.value, &mut *additional) {
            (Value::Scalar(serde_json::Value::Bool(false)), _) => *additional = Additional::Closed,
            (Value::Map(_), Additional::Schemas(schemas)) => schemas.push(at),
            (Value::Map(members), Additional::Open) if !members.0.is_empty() => {
                *additional = Additional::Schemas(vec![at]);
            }
            _ => {}
        }
    }

    fn enumerate(&mut self, values: &Value) {
        let Value::List(values) = values else { return };
        let values = values.iter().filter(|it| !is_null(it)).map(written);
        let mut values: Vec<_> = values.collect();
        if let Some(known) = &self.schema.enumeration {
            let known: HashSet<_> = known.iter().collect();
            values.retain(|it| known.contains(it));
        }
        self.schema.enumeration = Some(values);
    }

    /// Adds alternatives. A single one holds, and alternatives that are types are one set of types.
    fn group(&mut self, at: &At<'d>, is_voiced: bool) {
        let alternatives = at.items().map(|it| self.side.followed(it));
        let (nulls, mut others): (Vec<_>, Vec<_>) =
            alternatives.partition(|it| it.map().is_some_and(is_null_schema));
        self.allows_null |= is_voiced && !nulls.is_empty();
        let are_voiced = is_voiced && nulls.is_empty();
        let types: Option<Vec<_>> = others.iter().map(pure_type).collect();
        match (types, others.len()) {
            (_, 0) if nulls.is_empty() => {}
            (_, 1) => self.open.extend(others.pop().map(|it| (it, are_voiced))),
            (Some(types), _) => {
                let bits = types.into_iter().fold(0, |bits, it| bits | it.0);
                self.restrict(Types(bits));
                self.forbids_null |= are_voiced;
                self.schema.plain_group = others;
            }
            (None, _) => self.schema.groups.push(others),
        }
    }

    fn finished(self) -> Schema<'d> {
        let mut schema = self.schema;
        let is_silent = !self.allows_null && !self.forbids_null;
        if schema.types.is_none() {
            schema.types = inferred(&schema);
        }
        let is_anything = schema.types.is_none() && schema.groups.is_empty();
        schema.is_nullable = !self.forbids_null && (self.allows_null || is_silent && is_anything);
        if schema
            .types
            .is_some_and(|types| Types::INTEGER.contains(types))
        {
            schema.bounds.of_integers();
        }
        schema
    }
}

/// Whether a media type is what OpenAPI 3.0 has a format for.
fn is_binary(at: &At<'_>, media_type: &Value) -> bool {
    at.text("contentEncoding").is_none() && media_type.as_text() == Some("application/octet-stream")
}

/// The types of a schema that has none.
fn inferred(schema: &Schema<'_>) -> Option<Types> {
    if let Some(values) = &schema.enumeration {
        let bits = values.iter().map(|value| match value.as_bytes() {
            [b'"', ..] => 4,
            [b't' | b'f', ..] => 8,
            [b'[', ..] => 16,
            [b'{', ..] => 32,
            text if text.contains(&b'.') => 1 | 2,
            _ => 1,
        });
        return Some(Types(bits.fold(0, |all, it| all | it)));
    }
    let is_object = !schema.properties.is_empty()
        || !schema.required.is_empty()
        || !matches!(schema.additional, Additional::Open);
    match (is_object, schema.items.is_empty()) {
        (true, _) => Some(Types::OBJECT),
        (false, false) => Some(Types::ARRAY),
        (false, true) => None,
    }
}

/// The pointer of merged schemas: that of the first.
pub(super) fn pointer_of<'d>(parts: &[At<'d>], otherwise: &Pointer<'d>) -> Pointer<'d> {
    let first = parts.first().map(|it| it.pointer.clone());
    first.unwrap_or_else(|| otherwise.clone())
}
