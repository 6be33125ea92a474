//! The rest of a path, `{name*}` or `{name+}`, in a published document. OpenAPI has no syntax for
//! it: it is published as `{name}`, and the extension [`EXTENSION`] of its path item has the sign.

use std::collections::HashSet;

use serde_json::Value as Scalar;

use super::PublishedOperation;
use crate::lookup::Lookup;
use crate::model::template::{PathTemplate, Rest};
use crate::value::{Members, Value};

/// The extension of a path item with a rest: `*` or `+`.
const EXTENSION: &str = "x-tollgate-rest";
/// Maximum length of a chain of references between parameters.
const REFERENCES_MAX: usize = 20;

/// The names of paths in a published document.
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Reads the paths of all operations of a version.
    pub(super) fn new(operations: &[PublishedOperation<'_>]) -> Self {
        let shapes = operations.iter().map(|operation| operation.path.shape());
        Self(shapes.collect())
    }

    /// Returns the path as it is published. A rest keeps its sign only where the version has a
    /// different operation on the path without it.
    pub(super) fn of(&self, template: &PathTemplate) -> String {
        let Some(rest) = template.rest() else {
            let documented = template.as_documented();
            return documented.unwrap_or_else(|| template.as_str().to_owned());
        };
        let segment = format!("{{{}}}", signed(rest));
        let before = template.as_str().trim_end_matches(&*segment);
        let plain = format!("{before}{{{}}}", rest.name);
        let shape = PathTemplate::parse(&plain).map(|template| template.shape());
        match shape.is_ok_and(|shape| !self.0.contains(&shape)) {
            true => plain,
            false => template.as_str().to_owned(),
        }
    }
}

/// Adds what a path item has for the rest of its path: the extension, and the parameter where an
/// operation lacks it. `path` is the path as published.
pub(super) fn describe(item: &mut Members, path: &str, rest: &Rest, root: &Members) {
    let has_sign = path.ends_with(&format!("{{{}}}", signed(rest)));
    let is_own = |value: &Value| is_parameter(value, &rest.name, root);
    if has_sign {
        lists(item).for_each(|list| list.retain(|value| !is_own(value)));
    }
    let has = |members: &Members| match members.value("parameters") {
        Some(Value::List(list)) => list.iter().any(is_own),
        _ => false,
    };
    let mut operations = item
        .0
        .iter()
        .filter(|(key, _)| crate::item::method(key).is_some());
    let is_described = has(item) || operations.all(|(_, value)| value.as_map().is_some_and(has));
    if !is_described {
        let name = match has_sign {
            true => signed(rest),
            false => rest.name.clone(),
        };
        let mut list = match item.take("parameters") {
            Some(Value::List(list)) => list,
            _ => Vec::new(),
        };
        list.push(parameter(&name));
        item.put("parameters", Value::List(list));
    }
    item.put(EXTENSION, Value::text(rest.length.sign().to_string()));
}

/// Returns a path parameter of which only the name is known.
pub(super) fn parameter(name: &str) -> Value {
    Value::from([
        ("name", Value::text(name)),
        ("in", Value::text("path")),
        ("required", Value::Scalar(Scalar::Bool(true))),
        ("schema", Value::from([("type", Value::text("string"))])),
    ])
}

fn signed(rest: &Rest) -> String {
    format!("{}{}", rest.name, rest.length.sign())
}

/// Whether a parameter, or the one that it references, is in the path and has this name.
fn is_parameter(value: &Value, name: &str, root: &Members) -> bool {
    let Some(members) = value.as_map() else {
        return false;
    };
    let lookup = Lookup::default();
    let chain = lookup.chain(root, members, REFERENCES_MAX);
    let text = |key| chain.last().and_then(|it| it.value(key)?.as_text());
    text("in") == Some("path") && text("name") == Some(name)
}

/// Returns the parameters of a path item and of its operations.
fn lists(item: &mut Members) -> impl Iterator<Item = &mut Vec<Value>> {
    item.0
        .iter_mut()
        .flat_map(|(key, value)| match (&**key, value) {
            ("parameters", Value::List(list)) => vec![list],
            (key, Value::Map(operation)) if crate::item::method(key).is_some() => operation
                .0
                .iter_mut()
                .filter_map(|(key, value)| match value {
                    Value::List(list) if key == "parameters" => Some(list),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        })
}
