//! The rest of a path, `{name*}` or `{name+}`, in a published document: `{name}`, with the sign in
//! the extension of its path item (`rest.rs`).

use std::collections::HashSet;

use serde_json::Value as Scalar;

use crate::item;
use crate::lookup::Lookup;
use crate::model::template::{PathTemplate, Rest};
use crate::rest::EXTENSION;
use crate::value::{Members, Value};

/// Maximum length of a chain of references between parameters.
const REFERENCES_MAX: usize = 20;

/// Returns the published paths of different templates, in their order; no two are the same. A rest
/// has its sign only where its path without it would be that of a different template, or its name
/// itself ends with the sign.
pub(super) fn names(templates: &[&PathTemplate]) -> Vec<String> {
    let shapes: HashSet<_> = templates.iter().map(|it| it.shape()).collect();
    // Documents name the parameters of all paths, but the name of a rest can be chosen here.
    let others = templates.iter().filter(|it| it.rest().is_none());
    let mut taken: HashSet<_> = others.map(|it| documented(it)).collect();
    let names = templates.iter().map(|template| {
        let Some(rest) = template.rest() else {
            return documented(template);
        };
        let shape = template.shape();
        let before = shape.rsplit_once('/').map_or("", |(before, _)| before);
        let needs_sign =
            shapes.contains(&format!("{before}/{{}}")) || rest.name.ends_with(rest.length.sign());
        let mut names = names_of_rest(template, rest).skip(usize::from(needs_sign));
        let free = names.find(|name| taken.insert(name.clone()));
        free.expect("the numbers do not end")
    });
    names.collect()
}

/// Returns the path of a template as documents have it.
fn documented(template: &PathTemplate) -> String {
    let documented = template.as_documented();
    documented.unwrap_or_else(|| template.as_str().to_owned())
}

/// Returns paths for a template with a rest, without end: without the sign, with it, and with
/// numbers that make the name one of no other parameter.
fn names_of_rest(template: &PathTemplate, rest: &Rest) -> impl Iterator<Item = String> {
    let documented = documented(template);
    let before = documented.rsplit_once('/');
    let before = before.map_or_else(String::new, |(before, _)| before.to_owned());
    let sign = rest.length.sign();
    let unsigned = rest.name.trim_end_matches(['*', '+']);
    let numbered = (2..).map(move |number| format!("{unsigned}{number}"));
    let numbered = numbered.filter(|name| template.parameters().all(|it| it != name));
    let signed = std::iter::once(rest.name.clone()).chain(numbered);
    let signed = signed.map(move |name| format!("{name}{sign}"));
    let names = std::iter::once(rest.name.clone()).chain(signed);
    names.map(move |name| format!("{before}/{{{name}}}"))
}

/// A document with the parameters that others reference.
pub(super) struct Parameters<'d> {
    root: &'d Members,
    lookup: Lookup<'d>,
}

impl<'d> Parameters<'d> {
    pub(super) fn new(root: &'d Members) -> Self {
        let lookup = Lookup::default();
        Self { root, lookup }
    }

    /// Returns the place and the name of a parameter, or of the one that it references.
    pub(super) fn place_and_name<'v>(&self, parameter: &'v Value) -> Option<(&'v str, &'v str)>
    where
        'd: 'v,
    {
        let mut described = parameter.as_map()?;
        if let Some(reference) = described.value("$ref").and_then(Value::as_text) {
            let target = self.lookup.target(self.root, reference)?;
            let chain = self.lookup.chain(self.root, target, REFERENCES_MAX);
            described = chain.last().copied()?;
        }
        let text = |key| described.value(key).and_then(Value::as_text);
        Some((text("in")?, text("name")?))
    }

    fn name_in_path<'v>(&self, parameter: &'v Value) -> Option<&'v str>
    where
        'd: 'v,
    {
        let (place, name) = self.place_and_name(parameter)?;
        (place == "path").then_some(name)
    }
}

/// Adds what a path item has for the rest of its path: the extension, and the parameter where an
/// operation lacks it. `path` is the path as published. The item must have all its operations.
pub(super) fn describe(item: &mut Members, path: &str, rest: &Rest, parameters: &Parameters<'_>) {
    let last = path.rsplit_once('/').map_or(path, |(_, last)| last);
    let name = last.trim_start_matches('{').trim_end_matches('}');
    let signed = format!("{}{}", rest.name, rest.length.sign());
    let is_unpublished = |value: &Value| {
        let written = parameters.name_in_path(value);
        written.is_some_and(|it| it != name && (it == rest.name || it == signed))
    };
    lists(item).for_each(|list| list.retain(|value| !is_unpublished(value)));
    let has = |members: &Members| match members.value("parameters") {
        Some(Value::List(list)) => list
            .iter()
            .any(|value| parameters.name_in_path(value) == Some(name)),
        _ => false,
    };
    let mut operations = item.0.iter().filter(|(key, _)| item::method(key).is_some());
    let is_described = has(item) || operations.all(|(_, value)| value.as_map().is_some_and(has));
    if !is_described {
        let mut list = match item.take("parameters") {
            Some(Value::List(list)) => list,
            _ => Vec::new(),
        };
        list.push(parameter(name));
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

/// Returns the parameters of a path item and of its operations.
fn lists(item: &mut Members) -> impl Iterator<Item = &mut Vec<Value>> {
    item.0
        .iter_mut()
        .flat_map(|(key, value)| match (&**key, value) {
            ("parameters", Value::List(list)) => vec![list],
            (key, Value::Map(operation)) if item::method(key).is_some() => operation
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
