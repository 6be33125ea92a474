//! Lists the operations of a published document. Their ids derive from method and path, so links to
//! an operation survive new revisions. Ids that collide are numbered in document order.

use std::collections::HashMap;

use super::{Fault, REFERENCES_MAX, Value};
use crate::OPERATIONS_MAX;
use crate::lookup::Lookup;
use crate::model::fault::pointer_token;
use crate::value::Members;

/// The methods of a path item, in the order of OpenAPI's Path Item Object.
pub(super) const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// Maximum length of an id in UTF-16 code units, before it is made unique.
const ID_UNITS_MAX: usize = 160;
/// Maximum length of a summary, an `operationId` or a tag in characters; the rest is cut off. Path
/// items can be referenced by thousands of paths, so their texts are copied as often.
const TEXT_CHARACTERS_MAX: usize = 300;
/// Maximum number of tags of an operation.
const TAGS_MAX: usize = 20;
/// Maximum number of faults that are listed.
const FAULTS_MAX: usize = 100;

/// An operation or a webhook of a published document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationHead {
    /// Unique in the document; derived from method and path.
    pub id: String,
    /// Its method, such as `GET`.
    pub method: String,
    /// Its path, or the name of the webhook.
    pub path: String,
    /// Its `operationId`.
    pub operation_id: Option<String>,
    /// Its summary, in Markdown.
    pub summary: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// Whether it is a webhook: a request that the API sends.
    pub webhook: bool,
}

/// Lists operations in document order, then webhooks, at most [`OPERATIONS_MAX`] of each, and the
/// faults of the webhooks.
pub(super) fn heads(document: &Members) -> (Vec<OperationHead>, Vec<Fault>) {
    let lookup = Lookup::default();
    let mut heads = Vec::new();
    let mut faults = Vec::new();
    for part in ["paths", "webhooks"] {
        let items = document.value(part).and_then(Value::as_map);
        let items = items.into_iter().flat_map(|items| &items.0);
        let mut taken = 0;
        for (path, item) in items.filter(|(path, _)| !path.starts_with("x-")) {
            let field = format!("/{part}/{}", pointer_token(path));
            let found = operations(&lookup, document, item, &field, &mut faults);
            let found = found.into_iter().take(OPERATIONS_MAX - taken);
            let before = heads.len();
            heads.extend(found.map(|(method, it)| head(part, method, path, it)));
            taken += heads.len() - before;
        }
    }
    let mut ids = HashMap::new();
    for head in &mut heads {
        head.id = unique(&head.id, &mut ids);
    }
    faults.truncate(FAULTS_MAX);
    (heads, faults)
}

/// The operations of a path item, including those it references, in the order of [`METHODS`].
fn operations<'d>(
    lookup: &Lookup<'d>,
    document: &'d Members,
    item: &'d Value,
    field: &str,
    faults: &mut Vec<Fault>,
) -> Vec<(&'static str, &'d Members)> {
    let mut fault = |field: &str, detail: &str| {
        if faults.len() < FAULTS_MAX {
            faults.push(Fault::new(field, "openapi.form", detail));
        }
    };
    let Some(item) = item.as_map() else {
        fault(field, "this is not a path item");
        return Vec::new();
    };
    let chain = lookup.chain(document, item, REFERENCES_MAX + 1);
    if chain.last().is_some_and(|it| it.value("$ref").is_some()) {
        fault(
            field,
            "its reference leads to no path item in this document",
        );
    }
    let mut found = Vec::new();
    for method in METHODS {
        match chain.iter().find_map(|item| item.value(method)) {
            Some(Value::Map(operation)) => found.push((method, operation)),
            Some(_) => fault(&format!("{field}/{method}"), "this is not an operation"),
            None => {}
        }
    }
    found
}

fn head(part: &str, method: &str, path: &str, operation: &Members) -> OperationHead {
    let text = |name| operation.value(name).and_then(Value::as_text).map(cut);
    let tags = match operation.value("tags") {
        Some(Value::List(tags)) => tags.as_slice(),
        _ => &[],
    };
    let tags = tags.iter().filter_map(Value::as_text).map(cut);
    OperationHead {
        id: id(method, path),
        method: method.to_ascii_uppercase(),
        path: path.to_owned(),
        operation_id: text("operationId"),
        summary: text("summary"),
        tags: tags.take(TAGS_MAX).collect(),
        deprecated: operation.value("deprecated") == Some(&Value::Scalar(true.into())),
        webhook: part == "webhooks",
    }
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARACTERS_MAX).collect()
}

/// `GET /pets/{pet}` as `get-pets-pet`.
fn id(method: &str, path: &str) -> String {
    let mut dashed = String::with_capacity(path.len());
    for character in path.chars() {
        match character.is_alphanumeric() || matches!(character, '_' | '.') {
            true => dashed.push(character),
            false if dashed.ends_with('-') => {}
            false => dashed.push('-'),
        }
    }
    let dashed = dashed.trim_matches(['-', '.']);
    let whole = match dashed {
        "" => method.to_owned(),
        dashed => format!("{method}-{dashed}"),
    };
    let mut units = 0;
    let short = whole.chars().take_while(|character| {
        units += character.len_utf16();
        units <= ID_UNITS_MAX
    });
    short.collect()
}

/// Appends a number to the id if another operation has it.
fn unique(id: &str, taken: &mut HashMap<String, usize>) -> String {
    let mut unique = id.to_owned();
    loop {
        let before = taken.entry(unique.clone()).or_default();
        *before += 1;
        if *before == 1 {
            return unique;
        }
        unique = format!("{unique}-{before}");
    }
}
