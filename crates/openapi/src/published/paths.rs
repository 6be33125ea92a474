//! The paths of a published document: what the uploaded document describes of the deployed
//! operations, and the operations that it does not describe with their known properties.

use std::collections::{HashMap, HashSet};

use super::rests::Parameters;
use super::{Published, PublishedOperation, clean, rests, security};
use crate::item;
use crate::model::api::Method;
use crate::model::template::{DocumentPath, PathTemplate, Segment};
use crate::rest;
use crate::value::{Members, Value};

/// An operation by the shape of its path and its method.
type Key = (String, Method);

/// Returns the paths with the deployed operations, in document order. `items` are the path items
/// with their references inlined; `root` has the components.
pub(super) fn paths(items: Vec<(String, Members)>, facts: &Published<'_>, root: &Members) -> Value {
    let parameters = Parameters::new(root);
    let mut finished = Items::default();
    let mut deployed = Deployed::new(&items, facts);
    for (path, item) in items {
        if let Some((template, described)) = deployed.take(&path, item) {
            merge(finished.entry(&template), described, &parameters);
        }
    }
    for operation in facts.operations {
        if deployed.has(operation) {
            let item = finished.entry(operation.path);
            item.put(&field(operation.method), added(operation, facts));
        }
    }
    let templates: Vec<_> = finished
        .items
        .iter()
        .map(|(template, _)| template)
        .collect();
    let names = rests::names(&templates);
    let named = names.into_iter().zip(finished.items);
    let paths = named.map(|(name, (template, mut item))| {
        if let Some(rest) = template.rest() {
            rests::describe(&mut item, &name, rest, &parameters);
        }
        (name, Value::Map(item))
    });
    Value::Map(Members(paths.collect()))
}

/// Path items by their templates, in the order in which they were created.
#[derive(Default)]
struct Items {
    items: Vec<(PathTemplate, Members)>,
    places: HashMap<String, usize>,
}

impl Items {
    /// Returns the path item of a template; creates it if there is none.
    fn entry(&mut self, template: &PathTemplate) -> &mut Members {
        let new = self.items.len();
        let place = *self
            .places
            .entry(template.as_str().to_owned())
            .or_insert(new);
        if place == new {
            self.items.push((template.clone(), Members::default()));
        }
        &mut self.items[place].1
    }
}

/// The deployed operations that are not yet described.
struct Deployed<'f> {
    left: HashMap<Key, &'f PublishedOperation<'f>>,
    /// The operations of the uploaded document, with its paths as they are read now.
    read_now: HashSet<Key>,
    facts: &'f Published<'f>,
}

impl<'f> Deployed<'f> {
    fn new(items: &[(String, Members)], facts: &'f Published<'f>) -> Self {
        let operations = facts.operations.iter();
        let left = operations.map(|it| ((it.path.shape(), it.method), it));
        let read_now = items.iter().filter_map(|(path, item)| {
            let shape = read(path, item)?.shape();
            let methods = methods(item).into_iter();
            Some(methods.map(move |(_, method)| (shape.clone(), method)))
        });
        Self {
            left: left.collect(),
            read_now: read_now.flatten().collect(),
            facts,
        }
    }

    fn has(&self, operation: &PublishedOperation<'_>) -> bool {
        let key = (operation.path.shape(), operation.method);
        self.left.contains_key(&key)
    }

    /// Returns the template of a path item and its published form; `None` if none of its operations
    /// is deployed.
    fn take(&mut self, path: &str, item: Members) -> Option<(PathTemplate, Members)> {
        let (template, fields) = self.template(path, &item)?;
        let shape = template.shape();
        let mut described = Members::default();
        for (key, mut value) in item.0 {
            clean::clean(&mut value);
            match value {
                Value::Map(mut operation) if item::is_operation(&key) => {
                    let methods = fields.iter().filter(|(field, _)| *field == key);
                    let deployed = methods
                        .filter_map(|(_, method)| self.left.remove(&(shape.clone(), *method)));
                    let deployed: Vec<_> = deployed.collect();
                    if deployed.len() > 1 {
                        // No two operations have the same id.
                        operation.take("operationId");
                    }
                    for deployed in deployed {
                        let mut operation = operation.clone();
                        security::require(&mut operation, deployed, self.facts);
                        described.put(&field(deployed.method), Value::Map(operation));
                    }
                }
                value if is_beside(&key) => described.put(&key, value),
                _ => {}
            }
        }
        Some((template, described))
    }

    /// Returns the template with which operations of a path item are deployed, and their fields and
    /// methods: as its path is read now or, unless a different path is read so now, as it was read
    /// before there were rests.
    fn template(
        &self,
        path: &str,
        item: &Members,
    ) -> Option<(PathTemplate, Vec<(String, Method)>)> {
        let literal = DocumentPath::read_literally(path).ok();
        let readings = [(read(path, item), true), (literal, false)];
        readings.into_iter().find_map(|(template, is_now)| {
            let template = template?;
            let shape = template.shape();
            let is_deployed = |(_, method): &(String, Method)| {
                let key = (shape.clone(), *method);
                self.left.contains_key(&key) && (is_now || !self.read_now.contains(&key))
            };
            let fields: Vec<_> = methods(item).into_iter().filter(is_deployed).collect();
            (!fields.is_empty()).then_some((template, fields))
        })
    }
}

/// Reads the path of a path item.
fn read(path: &str, item: &Members) -> Option<PathTemplate> {
    let extension = item.value(rest::EXTENSION).and_then(Value::as_text);
    let read = rest::marked(path, extension).or_else(|| DocumentPath::read(path).ok());
    read.map(|read| read.template)
}

/// Returns the fields of a path item that describe operations, with each of their methods.
fn methods(item: &Members) -> Vec<(String, Method)> {
    let operations = item.0.iter().filter(|(_, value)| value.as_map().is_some());
    let keys = || operations.clone().map(|(key, _)| key);
    let own: HashSet<_> = keys().filter_map(|key| item::method(key)).collect();
    let fields = keys().flat_map(|key| {
        let methods = item::methods(key, |method| own.contains(&method));
        methods.into_iter().map(|method| (key.clone(), method))
    });
    fields.collect()
}

/// Adds what the document describes at a path to what it describes at the same path, written in a
/// different way: `/a b` and `/a%20b`, `/*` and `/**`. Parameters of one are those of both.
fn merge(item: &mut Members, mut described: Members, parameters: &Parameters<'_>) {
    if item.0.is_empty() {
        *item = described;
        return;
    }
    let lists = [item.take("parameters"), described.take("parameters")];
    let mut all: Vec<Value> = Vec::new();
    for value in lists.into_iter().flatten() {
        let Value::List(list) = value else { continue };
        let known = all.iter().filter_map(|it| parameters.place_and_name(it));
        let known: HashSet<_> = known.collect();
        let is_new = |it: &Value| {
            let key = parameters.place_and_name(it);
            key.is_none_or(|(place, name)| !known.contains(&(place, name)))
        };
        let new: Vec<_> = list.iter().filter(|it| is_new(it)).cloned().collect();
        all.extend(new);
    }
    if !all.is_empty() {
        item.put("parameters", Value::List(all));
    }
    for (key, value) in described.0 {
        item.put(&key, value);
    }
}

/// Returns the field of a path item for a method.
fn field(method: Method) -> String {
    method.word().to_ascii_lowercase()
}

/// Whether a field of a path item describes all its operations.
fn is_beside(key: &str) -> bool {
    matches!(key, "summary" | "description" | "parameters")
}

/// Returns an operation that the document does not describe.
fn added(operation: &PublishedOperation<'_>, facts: &Published<'_>) -> Value {
    let segments = operation.path.segments().iter();
    let own = segments.filter(|it| !matches!(it, Segment::Rest(_)));
    let own = own.flat_map(Segment::parameters);
    let parameters: Vec<_> = own.map(rests::parameter).collect();
    let answer = Value::from([("description", Value::text("The response of the API"))]);
    let mut described = Members::default();
    if let Some(summary) = operation.summary {
        described.put("summary", Value::text(summary));
    }
    if !parameters.is_empty() {
        described.put("parameters", Value::List(parameters));
    }
    described.put("responses", Value::from([("default", answer)]));
    security::require(&mut described, operation, facts);
    Value::Map(described)
}
