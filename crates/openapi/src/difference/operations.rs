//! The operations of a document that `read` imports, and their counterparts in the other document.

use std::collections::{HashMap, HashSet};

use super::document::{Budget, Side};
use super::pointer::At;
use crate::item;
use crate::model::api::Method;
use crate::model::path::Paths;
use crate::model::template::PathTemplate;
use crate::model::ties::Ties;

/// Path items that reference each other.
const ITEMS_MAX: usize = 20;
/// Bytes of an `operationId`; a longer one is none.
const ID_BYTES_MAX: usize = 1_000;

/// An operation with what its path item has for all operations.
#[derive(Debug)]
pub(super) struct Operation<'d> {
    pub(super) method: Method,
    pub(super) template: PathTemplate,
    /// The path as written.
    pub(super) path: &'d str,
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
        let places = before.iter().flatten().enumerate();
        let places: HashMap<_, _> = places.map(|(place, it)| (it.key(), place)).collect();
        for operation in operations(new, budget) {
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
    for (path, of_path) in paths.members() {
        let Ok(template) = PathTemplate::from_document(path) else {
            continue;
        };
        if ties.add(&template).is_some() {
            continue;
        }
        let items = items(side, of_path);
        if !budget.spend(items.iter().map(At::weight).sum()) {
            break;
        }
        let shared = items.iter().find_map(|item| item.member("parameters"));
        let fields = || {
            let fields = items.iter().flat_map(At::members);
            fields.filter(|(_, at)| at.map().is_some())
        };
        let own: HashSet<_> = fields().filter_map(|(key, _)| item::method(key)).collect();
        let mut taken = HashSet::new();
        for (key, at) in fields() {
            for method in item::methods(key, |method| own.contains(&method)) {
                let operation = Operation {
                    method,
                    template: template.clone(),
                    path,
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
