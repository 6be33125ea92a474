//! The operations of a published document, and their counterparts in the other document.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::document::{Budget, Side};
use super::pointer::At;
use crate::item;
use crate::model::api::Method;
use crate::model::path::Paths;
use crate::model::template::{DocumentPath, PathTemplate};
use crate::model::ties::Ties;
use crate::rest;

/// Path items that reference each other.
const ITEMS_MAX: usize = 20;
/// Bytes of an `operationId`; a longer one is none.
const ID_BYTES_MAX: usize = 1_000;

/// An operation with what its path item has for all operations.
#[derive(Debug)]
pub(super) struct Operation<'d> {
    pub(super) method: Method,
    pub(super) template: PathTemplate,
    /// The path as the document has it.
    written: &'d str,
    /// The path as written or, where only the extension would distinguish a rest from a segment, as
    /// a template.
    pub(super) path: Cow<'d, str>,
    pub(super) at: At<'d>,
    /// The parameters of the path item.
    pub(super) shared: Option<At<'d>>,
}

/// Two operations with the same key are the same operation.
type Key = (Method, String);

impl<'d> Operation<'d> {
    fn key(&self) -> Key {
        (self.method, self.template.matched_shape(Paths::Exact))
    }

    /// Returns the key of its path read as the rest of a path, if it was imported before there were
    /// rests: `/*` as a star, `{proxy+}` as one segment. The rest matches all calls of it.
    fn key_of_rest(&self) -> Option<Key> {
        let read = PathTemplate::from_document(self.written).ok()?;
        let is_rest = read.rest().is_some() && self.template.rest().is_none();
        is_rest.then(|| (self.method, read.matched_shape(Paths::Exact)))
    }

    /// Returns the position of a parameter in the path.
    pub(super) fn position(&self, parameter: &str) -> Option<usize> {
        let parts = self.written.split('{').skip(1);
        let mut names = parts.map(|part| part.split('}').next().unwrap_or_default());
        names.position(|name| name == parameter || name.strip_suffix(['*', '+']) == Some(parameter))
    }

    pub(super) fn id(&self) -> Option<&'d str> {
        let id = self.at.text("operationId");
        id.filter(|id| (1..=ID_BYTES_MAX).contains(&id.len()))
    }
}

/// Operations of both documents, by whether the other has them.
#[derive(Debug, Default)]
pub(super) struct Matched<'d> {
    pub(super) removed: Vec<Operation<'d>>,
    pub(super) kept: Vec<(Operation<'d>, Operation<'d>)>,
    pub(super) added: Vec<Operation<'d>>,
}

impl<'d> Matched<'d> {
    /// Matches operations by method and shape of path, in the order of the new document.
    pub(super) fn new(old: &Side<'d>, new: &Side<'d>, budget: &Budget) -> Self {
        let mut matched = Self::default();
        let mut before: Vec<_> = operations(old, budget).into_iter().map(Some).collect();
        let after = operations(new, budget);
        let kept: HashSet<_> = after.iter().map(Operation::key).collect();
        let mut places = HashMap::new();
        for (place, operation) in before.iter().flatten().enumerate() {
            places.insert(operation.key(), place);
        }
        for (place, operation) in before.iter().flatten().enumerate() {
            let key = operation.key_of_rest();
            if let Some(key) = key.filter(|_| !kept.contains(&operation.key())) {
                places.entry(key).or_insert(place);
            }
        }
        for operation in after {
            let place = places.get(&operation.key());
            match place.and_then(|&place| before[place].take()) {
                Some(counterpart) => matched.kept.push((counterpart, operation)),
                None => matched.added.push(operation),
            }
        }
        matched.removed = before.into_iter().flatten().collect();
        matched
    }

    /// Returns the removed and added operations that have the same method and `operationId`.
    pub(super) fn renamed(&self) -> Vec<(&Operation<'d>, &Operation<'d>)> {
        let key = |it: &Operation<'d>| it.id().map(|id| (it.method, id));
        let mut added: HashMap<_, _> = self
            .added
            .iter()
            .filter_map(|it| Some((key(it)?, it)))
            .collect();
        let removed = self.removed.iter();
        let renamed = removed.filter_map(|old| Some((old, added.remove(&key(old)?)?)));
        renamed.collect()
    }
}

/// Reads the operations of a document; of those that answer the same calls, the first.
fn operations<'d>(side: &Side<'d>, budget: &Budget) -> Vec<Operation<'d>> {
    let mut ties = Ties::new(Paths::Exact);
    let mut shapes = HashSet::new();
    let mut operations = Vec::new();
    let Some(paths) = side.root().member("paths") else {
        return operations;
    };
    for (written, of_path) in paths.members() {
        let items = items(side, of_path);
        let Some(template) = template(written, &items) else {
            continue;
        };
        if ties.add(&template).is_some() {
            continue;
        }
        if !budget.spend(items.iter().map(At::weight).sum()) {
            break;
        }
        let shared = items.iter().find_map(|item| item.member("parameters"));
        let fields = || {
            let fields = items.iter().flat_map(At::members);
            fields.filter(|(_, at)| at.map().is_some())
        };
        let own: HashSet<_> = fields().filter_map(|(key, _)| item::method(key)).collect();
        let path = shown(written, &template);
        let mut taken = HashSet::new();
        for (key, at) in fields() {
            for method in item::methods(key, |method| own.contains(&method)) {
                let operation = Operation {
                    method,
                    template: template.clone(),
                    written,
                    path: path.clone(),
                    at: at.clone(),
                    shared: shared.clone(),
                };
                if taken.insert(method) && shapes.insert(operation.key()) {
                    operations.push(operation);
                }
            }
        }
    }
    operations
}

/// Reads the path of a published document: its last parameter is a rest only with the extension.
fn template(written: &str, items: &[At<'_>]) -> Option<PathTemplate> {
    let extension = items.iter().find_map(|item| item.member(rest::EXTENSION));
    let extension = extension.and_then(|it| it.value.as_text());
    match rest::marked(written, extension) {
        Some(marked) => Some(marked.template),
        None => DocumentPath::read_literally(written).ok(),
    }
}

/// Returns a path as people read it: the template if the path has a rest, or a name with a sign.
fn shown<'d>(written: &'d str, template: &PathTemplate) -> Cow<'d, str> {
    match template.rest().is_some() || template.as_documented().is_some() {
        true => Cow::Owned(template.as_str().to_owned()),
        false => Cow::Borrowed(written),
    }
}

/// A path item and those that it references, nearest first.
fn items<'d>(side: &Side<'d>, item: At<'d>) -> Vec<At<'d>> {
    let mut items = vec![item];
    while let Some(reference) = items.last().and_then(|it| it.text("$ref")) {
        match side.target(reference) {
            Some(target) if items.len() < ITEMS_MAX => items.push(target),
            _ => break,
        }
    }
    items
}
