//! The document of a version as its callers read it: the uploaded document, adapted to the
//! deployment.
//!
//! Only the descriptions of deployed operations are kept. Servers, security and extensions of the
//! provider are removed (`published/clean.rs`) and replaced by the gateway's address and the
//! security of the version (`published/security.rs`). Operations that the document does not
//! describe are added with their known properties.

use std::collections::{HashMap, HashSet};

use crate::Limits;
use crate::item;
use crate::lookup::Lookup;
use crate::model::api::Method;
use crate::model::fault::Fault;
use crate::model::security::Security;
use crate::model::template::{DocumentPath, PathTemplate, Segment};
use crate::source;
use crate::swagger;
use crate::value::{Members, Value};

mod clean;
mod heads;
mod parts;
mod references;
mod rests;
mod security;

pub use heads::OperationHead;
pub use parts::Index;
use rests::Names;

/// Maximum length of a chain of references between path items.
const REFERENCES_MAX: usize = 20;

/// The properties of a version.
#[derive(Debug, Clone, Copy)]
pub struct Published<'p> {
    /// The API's name.
    pub title: &'p str,
    /// The version's name.
    pub version: &'p str,
    /// Its description, used if the document has none.
    pub description: &'p str,
    /// Its URL at the gateway.
    pub server: &'p str,
    /// Its security.
    pub security: &'p Security,
    /// The URL of the token endpoint, if there is an issuer.
    pub token_url: Option<&'p str>,
    /// The deployed operations.
    pub operations: &'p [PublishedOperation<'p>],
}

/// A deployed operation.
#[derive(Debug, Clone, Copy)]
pub struct PublishedOperation<'p> {
    /// Its method.
    pub method: Method,
    /// Its path below the version.
    pub path: &'p PathTemplate,
    /// Its summary, one line.
    pub summary: Option<&'p str>,
    /// The scopes that a token must have, all of them.
    pub scopes: &'p [String],
    /// Whether it needs no credential.
    pub anonymous: bool,
}

/// A published document.
#[derive(Debug)]
pub struct PublishedDocument {
    /// The document in JSON.
    pub text: String,
    /// Its operations, and their byte ranges in the text.
    pub index: Index,
}

/// Generates the document that callers read from `uploaded`, an OpenAPI 3.0 or 3.1 document, if
/// there is one.
///
/// # Errors
/// Those of [`read`](crate::read) for unreadable documents; `openapi.budget` if it takes more than
/// `memory_max`, or inlining path items would make the document too large.
pub fn published(
    uploaded: Option<&[u8]>,
    facts: &Published<'_>,
    limits: Limits,
) -> Result<PublishedDocument, Fault> {
    let mut root = match uploaded {
        Some(bytes) => whole(bytes, limits)?,
        None => Members::default(),
    };
    let items = items(&root)?;
    clean::clean_root(&mut root);
    let mut document = Members::default();
    let version = root.take("openapi");
    document.put("openapi", version.unwrap_or_else(|| Value::text("3.1.0")));
    document.put("info", info(root.take("info"), facts));
    let server = Value::from([("url", Value::text(facts.server))]);
    document.put("servers", Value::List(vec![server]));
    document.put("security", security::required(facts, &[]));
    document.put("paths", paths(items, facts, &root));
    let mut components = match root.take("components") {
        Some(Value::Map(components)) => components,
        _ => Members::default(),
    };
    components.put("securitySchemes", security::schemes(facts));
    document.0.append(&mut root.0);
    document.put("components", Value::Map(components));
    let written = parts::written(&document);
    let (text, index) =
        written.map_err(|error| Fault::new("", "openapi.form", error.to_string()))?;
    Ok(PublishedDocument { text, index })
}

/// Reads the uploaded document, converted to OpenAPI 3.
fn whole(bytes: &[u8], limits: Limits) -> Result<Members, Fault> {
    let root = source::whole(bytes, limits)?;
    match swagger::is_swagger(&root) {
        true => swagger::converted(root),
        false => Ok(root),
    }
}

fn info(uploaded: Option<Value>, facts: &Published<'_>) -> Value {
    let mut info = match uploaded {
        Some(Value::Map(info)) => info,
        _ => Members::default(),
    };
    info.put("title", Value::text(facts.title));
    info.put("version", Value::text(facts.version));
    if info.value("description").is_none() && !facts.description.is_empty() {
        info.put("description", Value::text(facts.description));
    }
    Value::Map(info)
}

/// Returns the path items with their references inlined.
fn items(root: &Members) -> Result<Vec<(String, Members)>, Fault> {
    check_items(root)?;
    let lookup = Lookup::default();
    let items = path_items(root).map(|(path, item)| {
        let inherited = inherited(&lookup, root, item);
        (path.clone(), joined(item, inherited))
    });
    Ok(items.collect())
}

/// Checks that references between path items, once they are inlined, and operations with any
/// method, once for each, add no more bytes than a document may have.
pub(crate) fn check_items(root: &Members) -> Result<(), Fault> {
    let lookup = Lookup::default();
    let mut left = Limits::default().bytes_max;
    for (_, of_path) in path_items(root) {
        let inherited = inherited(&lookup, root, of_path);
        let bytes: usize = inherited.iter().map(|(_, it)| it.bytes()).sum();
        let fields = of_path.0.iter().chain(inherited);
        let of_any = fields.filter(|(key, _)| key == item::ANY);
        let repeated: usize = of_any
            .map(|(_, it)| it.bytes() * item::ANY_METHODS.len())
            .sum();
        left = left.checked_sub(bytes + repeated).ok_or_else(too_large)?;
    }
    Ok(())
}

/// Returns the fault for a document that becomes too large once its path items are inlined.
pub(crate) fn too_large() -> Fault {
    let detail = "inlining path items that many paths reference makes the document too large";
    Fault::new("/paths", "openapi.budget", detail)
}

fn path_items(root: &Members) -> impl Iterator<Item = (&String, &Members)> {
    let paths = root.value("paths").and_then(Value::as_map);
    let paths = paths.into_iter().flat_map(|paths| &paths.0);
    paths.filter_map(|(path, item)| Some((path, item.as_map()?)))
}

/// Returns the fields that a path item has from those that it refers to; nearer ones win.
fn inherited<'r>(
    lookup: &Lookup<'r>,
    root: &'r Members,
    item: &'r Members,
) -> Vec<&'r (String, Value)> {
    let chain = lookup.chain(root, item, REFERENCES_MAX + 1);
    if chain.len() == 1 {
        return Vec::new();
    }
    let mut known: HashSet<_> = item.0.iter().map(|(key, _)| key).collect();
    let fields = chain[1..].iter().flat_map(|target| &target.0);
    fields.filter(|(key, _)| known.insert(key)).collect()
}

/// Returns a path item with the fields of those that it refers to.
fn joined(item: &Members, inherited: Vec<&(String, Value)>) -> Members {
    let mut whole = item.clone();
    whole.0.extend(inherited.into_iter().cloned());
    whole.take("$ref");
    whole
}

/// Returns the paths with the deployed operations, in document order. `root` has the components.
fn paths(items: Vec<(String, Members)>, facts: &Published<'_>, root: &Members) -> Value {
    let mut left: HashMap<_, _> = HashMap::new();
    for operation in facts.operations {
        left.insert((operation.path.shape(), operation.method), operation);
    }
    let names = Names::new(facts.operations);
    let mut paths = Members::default();
    for (path, of_path) in items {
        let own: HashSet<_> = of_path
            .0
            .iter()
            .filter_map(|(key, _)| item::method(key))
            .collect();
        let methods = |key: &str| item::methods(key, |method| own.contains(&method));
        let described: Vec<_> = of_path.0.iter().flat_map(|(key, _)| methods(key)).collect();
        let Some(template) = deployed_template(&path, &described, &left) else {
            continue;
        };
        let shape = template.shape();
        let mut described = Members::default();
        for (key, mut value) in of_path.0 {
            clean::clean(&mut value);
            let deployed = methods(&key).into_iter();
            let deployed = deployed.filter_map(|it| left.remove(&(shape.clone(), it)));
            match value {
                Value::Map(operation) if item::is_operation(&key) => {
                    for deployed in deployed {
                        let mut operation = operation.clone();
                        security::require(&mut operation, deployed, facts);
                        described.put(&field(deployed.method), Value::Map(operation));
                    }
                }
                value if is_beside(&key) => described.put(&key, value),
                _ => {}
            }
        }
        let name = names.of(&template);
        if let Some(rest) = template.rest() {
            rests::describe(&mut described, &name, rest, root);
        }
        // Characters that a path cannot contain are encoded: this is the path that callers send.
        match paths.0.iter_mut().find(|(path, _)| *path == name) {
            // The document may spell a path in two ways: `/a b` and `/a%20b`.
            Some((_, Value::Map(known))) => known.0.append(&mut described.0),
            _ => paths.put(&name, Value::Map(described)),
        }
    }
    for operation in facts.operations {
        if left.contains_key(&(operation.path.shape(), operation.method)) {
            add(&mut paths, operation, &names, facts);
        }
    }
    Value::Map(paths)
}

/// Returns the template of a document's path with which one of its operations is deployed: as it is
/// read now, or as it was read before there were rests. `None` if none is deployed.
fn deployed_template(
    path: &str,
    methods: &[Method],
    deployed: &HashMap<(String, Method), &PublishedOperation<'_>>,
) -> Option<PathTemplate> {
    let read = [
        PathTemplate::from_document(path),
        DocumentPath::read_literally(path),
    ];
    read.into_iter().flatten().find(|template| {
        let shape = template.shape();
        let mut methods = methods.iter();
        methods.any(|&method| deployed.contains_key(&(shape.clone(), method)))
    })
}

/// Returns the field of a path item for a method.
fn field(method: Method) -> String {
    method.word().to_ascii_lowercase()
}

/// Whether a field of a path item describes all its operations.
fn is_beside(key: &str) -> bool {
    matches!(key, "summary" | "description" | "parameters")
}

/// Adds an operation that the document does not describe.
fn add(
    paths: &mut Members,
    operation: &PublishedOperation<'_>,
    names: &Names,
    facts: &Published<'_>,
) {
    let template = operation.path;
    let own = template
        .segments()
        .iter()
        .filter(|it| !matches!(it, Segment::Rest(_)));
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
    let name = names.of(template);
    let mut item = match paths.take(&name) {
        Some(Value::Map(item)) => item,
        _ => Members::default(),
    };
    item.put(&field(operation.method), Value::Map(described));
    if let Some(rest) = template.rest() {
        rests::describe(&mut item, &name, rest, &Members::default());
    }
    paths.put(&name, Value::Map(item));
}

#[cfg(test)]
mod tests;
