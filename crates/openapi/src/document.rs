//! Converts the tree into the imported parts (title, servers, operations, security) and notes on
//! the rest.

use std::collections::HashSet;
use std::ops::Range;

use url::Url;

use crate::item;
use crate::model::api::{Method, Operation};
use crate::model::fault::{Fault, pointer_token};
use crate::model::path::{Paths, Semicolon};
use crate::model::template::{DocumentPath, PathTemplate, Reading, RestLength};
use crate::model::ties::Ties;
use crate::notes::Notes;
use crate::published;
use crate::reference;
use crate::rest;
use crate::security::Requirements;
use crate::source::Source;
use crate::swagger;
use crate::tree::{Map, Node};
use crate::{Imported, Limits};

mod outside;
mod servers;

use outside::Outside;

/// Maximum characters of an operation's summary.
const SUMMARY_CHARS_MAX: usize = 200;
/// Maximum number of faults that are reported.
const FAULTS_MAX: usize = 50;
/// Maximum memory of the fields that path items inherit from those that they refer to, in the unit
/// of `Value::memory`.
const INHERITED_BYTES_MAX: usize = 12 << 20;

/// Returns the imported parts of a document.
///
/// # Errors
/// Returns up to [`FAULTS_MAX`] faults at once; documents of other versions are not read any
/// further.
pub(crate) fn imported(
    source: &Source,
    place: Option<&str>,
    limits: Limits,
) -> Result<Imported, Vec<Fault>> {
    let root = &source.root;
    check_version(root).map_err(|fault| vec![fault])?;
    let mut reader = Reader {
        root,
        place: place.and_then(|url| Url::parse(url).ok()),
        limits,
        faults: Vec::new(),
        inherited_left: Some(INHERITED_BYTES_MAX),
        notes: Notes::default(),
        security: Requirements::new(root),
        operations: Vec::new(),
        shapes: HashSet::new(),
        ties: Ties::new(Paths::Exact),
        described: 0,
        outside: Outside::default(),
    };
    reader.check_objects();
    let faults = reader.security.read_document();
    faults.into_iter().for_each(|fault| reader.report(fault));
    let title = reader.required_info("title");
    let version = reader.required_info("version");
    let description = root.map("info").and_then(|info| info.text("description"));
    let (servers, upstream) = reader.servers();
    reader.paths();
    if reader.operations.is_empty() {
        let detail = "the document has no operation that can be called";
        reader.notes.add("/paths", "openapi.no_operation", detail);
    }
    reader.outside.note(&mut reader.notes);
    if source.parameters.has_matrix {
        let detail = "a parameter has the style matrix: semicolons in paths are passed on to the \
                      back end (semicolon: pass)";
        reader.notes.add("/paths", "openapi.matrix", detail);
    }
    if !reader.faults.is_empty() {
        return Err(reader.faults);
    }
    let security = reader.security.finish(&mut reader.notes);
    Ok(Imported {
        format: source.format,
        title,
        version,
        described: reader.described,
        description: description.map(str::to_owned),
        servers,
        upstream,
        semicolon: match source.parameters.has_matrix {
            true => Semicolon::Pass,
            false => Semicolon::Check,
        },
        operations: reader.operations,
        headers: source.parameters.headers.iter().cloned().collect(),
        security,
        notes: reader.notes.finish(root),
    })
}

/// Whether the document is Swagger 2.0. In YAML, the version is often written without quotes.
pub(crate) fn is_swagger(root: &Map) -> bool {
    match root.value("swagger") {
        Some(Node::Text(version)) => version == swagger::VERSION,
        Some(Node::Scalar(version)) => version.parse() == Ok(2.0),
        _ => false,
    }
}

fn check_version(root: &Map) -> Result<(), Fault> {
    let fault = |field: &str, detail: String| Err(Fault::new(field, "openapi.version", detail));
    // The second is the field of Swagger 1.x.
    for field in ["swagger", "swaggerVersion"] {
        let Some(version) = root.value(field) else {
            continue;
        };
        let version = match version {
            Node::Text(text) | Node::Scalar(text) => text,
            _ => "",
        };
        let detail =
            format!("Swagger {version:?} is not supported; use 2.0, or OpenAPI 3.0.x or 3.1.x");
        return fault(&format!("/{field}"), detail);
    }
    let Some(version) = root.text("openapi") else {
        let detail = "neither openapi nor swagger is a field of the document; supported are \
                      OpenAPI 3.0.x and 3.1.x, and Swagger 2.0";
        return fault("/openapi", detail.to_owned());
    };
    let mut parts = version.split('.');
    match (parts.next(), parts.next()) {
        (Some("3"), Some("0" | "1")) => Ok(()),
        _ => fault(
            "/openapi",
            format!("OpenAPI {version:?} is not supported; use 3.0.x or 3.1.x, or Swagger 2.0"),
        ),
    }
}

struct Reader<'a> {
    root: &'a Map,
    /// The URL of the document.
    place: Option<Url>,
    limits: Limits,
    faults: Vec<Fault>,
    /// Memory of inherited fields that may still be added; `None` once there was not enough.
    inherited_left: Option<usize>,
    notes: Notes,
    security: Requirements<'a>,
    operations: Vec<Operation>,
    shapes: HashSet<(Method, String)>,
    ties: Ties,
    /// Number of operations so far, including those that are left out.
    described: usize,
    outside: Outside,
}

impl Reader<'_> {
    fn fault(&mut self, field: &str, detail: impl Into<String>) {
        self.report(Fault::new(field, "openapi.form", detail));
    }

    fn report(&mut self, fault: Fault) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(fault);
        }
    }

    fn check_objects(&mut self) {
        for key in ["info", "paths", "components", "webhooks"] {
            match self.root.value(key) {
                None | Some(Node::Nothing | Node::Map(_)) => {}
                Some(_) => self.fault(&format!("/{key}"), format!("{key} must be an object")),
            }
        }
    }

    fn required_info(&mut self, key: &str) -> String {
        let info = self.root.map("info");
        match info.and_then(|info| info.text(key)).map(str::trim) {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => {
                let field = format!("/info/{key}");
                self.fault(&field, format!("info.{key} is required"));
                String::new()
            }
        }
    }

    fn paths(&mut self) {
        let Some(paths) = self.root.map("paths") else {
            return;
        };
        if paths.len() > self.limits.operations_max {
            return self.too_many();
        }
        for (path, item) in paths.in_order() {
            let field = format!("/paths/{}", pointer_token(path));
            if path.starts_with("x-") {
                self.notes.aside.extensions.add(|| field);
            } else if let Node::Map(item) = item {
                self.path(path, item, &field);
            } else if !matches!(item, Node::Nothing) {
                self.fault(&field, "a path item must be an object");
            }
            if self.operations.len() > self.limits.operations_max {
                return self.too_many();
            }
        }
    }

    fn too_many(&mut self) {
        let most = self.limits.operations_max;
        let detail = format!("a document has at most {most} paths and {most} operations");
        self.report(Fault::new("/paths", "openapi.operations", detail));
    }

    fn path(&mut self, path: &str, item: &Map, field: &str) {
        let chain = match reference::resolve(self.root, item, field) {
            Ok(chain) => chain,
            Err(fault) => return self.report(fault),
        };
        let Some(left) = self.inherited_left else {
            return;
        };
        let inherited = chain[1..].iter().map(|item| item.weight()).sum();
        self.inherited_left = left.checked_sub(inherited);
        if self.inherited_left.is_none() {
            return self.report(published::too_large());
        }
        let fields = || {
            let fields = chain.iter().flat_map(|item| item.in_order());
            fields.filter(|(_, node)| node.as_map().is_some())
        };
        let own: HashSet<_> = fields().filter_map(|(key, _)| item::method(key)).collect();
        let methods = |key: &str| item::methods(key, |method| own.contains(&method));
        let described: HashSet<_> = fields().flat_map(|(key, _)| methods(key)).collect();
        let count = described.len();
        let extension = chain.iter().find_map(|item| item.value(rest::EXTENSION));
        let marked = rest::marked(path, extension.and_then(Node::as_text));
        let is_marked = marked.is_some();
        let template = match marked.map_or_else(|| DocumentPath::read(path), Ok) {
            Ok(path) => {
                self.note_reading(&path, field);
                path.template
            }
            Err(error) => {
                self.described += count;
                let detail = format!("{path} is left out: {error}");
                return self.notes.path(field, count, &detail);
            }
        };
        if let Some(earlier) = self.ties.add(&template) {
            let detail = format!(
                "{path} is left out: some paths match both it and {earlier}, equally closely"
            );
            self.described += count;
            return self.notes.path(field, count, &detail);
        }
        let operations = self.described + 1..self.described + 1 + count;
        let mut beside = HashSet::new();
        let of_path = chain.iter().flat_map(|item| item.in_order());
        for (key, node) in of_path {
            let is_read = item::is_operation(key) || is_marked && key == rest::EXTENSION;
            if !is_read && !matches!(node, Node::Nothing) && beside.insert(key) {
                let at = format!("{field}/{}", pointer_token(key));
                self.beside_operations(key, &operations, &at);
            }
        }
        let mut taken = HashSet::new();
        for (key, node) in chain.iter().flat_map(|item| item.in_order()) {
            if !taken.insert(key) {
                continue;
            }
            let at = || format!("{field}/{}", pointer_token(key));
            match node {
                Node::Map(operation) => {
                    for method in methods(key) {
                        self.operation(method, &template, operation, &at());
                    }
                }
                Node::Nothing => {}
                _ if item::is_operation(key) => self.fault(&at(), "an operation must be an object"),
                _ => {}
            }
        }
    }

    /// Notes how a sign in a path was read.
    fn note_reading(&mut self, path: &DocumentPath, field: &str) {
        let template = &path.template;
        let detail = match path.reading {
            None => return,
            Some(Reading::Rest) => format!(
                "read as {template}: it matches {} further segments",
                match template.rest().map(|rest| rest.length) {
                    Some(RestLength::NotEmpty) => "one or more",
                    _ => "none, one or more",
                }
            ),
            Some(Reading::Star) => format!(
                "{template}: the star matches only itself; the rest of a path is the whole last \
                 segment, such as /*"
            ),
            Some(Reading::Name) => format!(
                "{template}: a parameter matches one segment or a part of one, and no pattern is \
                 checked; the rest of a path is the whole last segment, such as {{name+}}"
            ),
        };
        self.notes.reading(field, &detail);
    }

    /// Notes the fields of a path item that are not operations.
    fn beside_operations(&mut self, key: &str, operations: &Range<usize>, field: &str) {
        let aside = &mut self.notes.aside;
        match key {
            "$ref" | "summary" | "description" => {}
            "parameters" => aside.content.add_to(operations, || field.to_owned()),
            "servers" => aside.servers.add_to(operations, || field.to_owned()),
            key if key.starts_with("x-") => {
                aside.extensions.add_to(operations, || field.to_owned());
            }
            key => {
                let detail = format!("{key:?} is not a supported method");
                self.notes.path(field, 0, &detail);
            }
        }
    }

    fn operation(&mut self, method: Method, path: &PathTemplate, from: &Map, field: &str) {
        self.described += 1;
        let number = self.described;
        for (key, node) in from.in_order() {
            let aside = match (key, node) {
                (_, Node::Nothing) | ("summary" | "operationId" | "security", _) => continue,
                ("callbacks", _) => &mut self.notes.aside.callbacks,
                ("servers", _) => &mut self.notes.aside.servers,
                ("deprecated", _) => &mut self.notes.aside.deprecated,
                (key, _) if key.starts_with("x-") => &mut self.notes.aside.extensions,
                _ => &mut self.notes.aside.content,
            };
            aside.add_to(&(number..number + 1), || {
                format!("{field}/{}", pointer_token(key))
            });
        }
        if !self
            .shapes
            .insert((method, path.matched_shape(Paths::Exact)))
        {
            let detail = format!("{method} {path} answers the same calls as an earlier operation");
            return self.notes.path(field, 1, &detail);
        }
        if let Some(reference) = &from.outside {
            let named = || format!("{method} {path} ({reference})");
            self.outside.add(number, field, named);
        }
        if let Err(fault) = self.security.read_operation(from, field) {
            self.report(fault);
        }
        let described = from.text("summary").or_else(|| from.text("operationId"));
        self.operations.push(Operation {
            method,
            path: path.clone(),
            summary: described.map(one_line).filter(|line| !line.is_empty()),
            limits: Vec::new(),
            weight: 1,
            scopes: Vec::new(),
            anonymous: false,
        });
    }
}

fn one_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    let plain = line.chars().filter(|character| !character.is_control());
    plain.take(SUMMARY_CHARS_MAX).collect()
}
