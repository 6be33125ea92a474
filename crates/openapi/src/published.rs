//! The document of a version as its callers read it: the uploaded document, adapted to the
//! deployment.
//!
//! Only the descriptions of deployed operations are kept. Servers, security and extensions of the
//! provider are removed (`published/clean.rs`) and replaced by the gateway's address and the
//! security of the version (`published/security.rs`). Operations that the document does not
//! describe are added with their known properties (`published/paths.rs`).

use std::collections::HashSet;

use crate::Limits;
use crate::item;
use crate::lookup::Lookup;
use crate::model::api::Method;
use crate::model::fault::Fault;
use crate::model::security::Security;
use crate::model::template::PathTemplate;
use crate::source;
use crate::swagger;
use crate::value::{Members, Value};

mod clean;
mod heads;
mod parts;
mod paths;
mod references;
mod rests;
mod security;

pub use heads::OperationHead;
pub use parts::Index;

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
    document.put("paths", paths::paths(items, facts, &root));
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

#[cfg(test)]
mod tests;
