//! Converts the tree into the imported parts (title, servers, operations, security) and notes on
//! the rest.

use std::collections::HashSet;
use std::ops::Range;

use url::Url;

use crate::model::api::{Kind, Method, Operation};
use crate::model::fault::{Fault, pointer_token};
use crate::model::path::{Paths, Semicolon};
use crate::model::template::PathTemplate;
use crate::model::ties::Ties;
use crate::model::upstream::Target;
use crate::notes::Notes;
use crate::reference;
use crate::security::Requirements;
use crate::source::Source;
use crate::swagger;
use crate::tree::{Map, Node};
use crate::{Imported, Limits};

mod outside;

use outside::Outside;

/// Maximum characters of an operation's summary.
const SUMMARY_CHARS_MAX: usize = 200;
/// Maximum bytes of a server's URL with variables replaced; an upstream's URL is no longer than
/// that.
const URL_BYTES_MAX: usize = 2_048;
/// Maximum number of servers of a document.
const SERVERS_MAX: usize = 100;

/// Returns the imported parts of a document.
///
/// # Errors
/// Returns all faults at once; documents of other versions are not read any further.
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
        notes: Notes::default(),
        security: Requirements::new(root),
        operations: Vec::new(),
        shapes: HashSet::new(),
        ties: Ties::new(Paths::Exact),
        described: 0,
        outside: Outside::default(),
    };
    reader.check_objects();
    reader.faults.extend(reader.security.read_document());
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
    let fault = |field, detail: String| Err(Fault::new(field, "openapi.version", detail));
    if let Some(version) = root.value("swagger") {
        let version = match version {
            Node::Text(text) | Node::Scalar(text) => text,
            _ => "",
        };
        let detail =
            format!("Swagger {version:?} is not supported; use 2.0, or OpenAPI 3.0.x or 3.1.x");
        return fault("/swagger", detail);
    }
    let Some(version) = root.text("openapi") else {
        let detail = "the field openapi is missing; supported versions are 3.0.x and 3.1.x";
        return fault("/openapi", detail.to_owned());
    };
    let mut parts = version.split('.');
    match (parts.next(), parts.next()) {
        (Some("3"), Some("0" | "1")) => Ok(()),
        _ => fault(
            "/openapi",
            format!("OpenAPI {version:?} is not supported; use 3.0.x or 3.1.x"),
        ),
    }
}

struct Reader<'a> {
    root: &'a Map,
    /// The URL of the document.
    place: Option<Url>,
    limits: Limits,
    faults: Vec<Fault>,
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
        self.faults.push(Fault::new(field, "openapi.form", detail));
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

    /// Returns the URLs of all servers, and the first that can be an upstream.
    fn servers(&mut self) -> (Vec<String>, Option<String>) {
        let mut urls = Vec::new();
        let mut upstream = None;
        let list = match self.root.value("servers") {
            None | Some(Node::Nothing) => return (urls, upstream),
            Some(Node::List(list)) => list,
            Some(_) => {
                self.fault("/servers", "servers must be a list");
                return (urls, upstream);
            }
        };
        if list.len() > SERVERS_MAX {
            let detail = format!("a document has at most {SERVERS_MAX} servers");
            self.fault("/servers", detail);
            return (urls, upstream);
        }
        for (index, server) in list.iter().enumerate() {
            let field = format!("/servers/{index}/url");
            let Some(url) = server.as_map().and_then(server_url) else {
                self.fault(&field, "a server must have a url");
                continue;
            };
            let url = self.absolute(url);
            match Target::at(url.as_str()).address_for(Kind::Rest) {
                Ok(_) if upstream.is_none() => upstream = Some(url.clone()),
                Ok(_) => {
                    let detail = format!("{url}: an earlier server is the proposed upstream");
                    self.notes.add(&field, "openapi.server", detail);
                }
                Err(reason) => {
                    let detail = format!("{url:?} is not proposed as the upstream: {reason}");
                    self.notes.add(&field, "openapi.server", detail);
                }
            }
            urls.push(url);
        }
        (urls, upstream)
    }

    /// Resolves a server's URL against the URL of the document.
    fn absolute(&self, url: String) -> String {
        match (&self.place, Url::parse(&url)) {
            (Some(place), Err(url::ParseError::RelativeUrlWithoutBase)) => {
                place.join(&url).map_or(url, String::from)
            }
            _ => url,
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
        self.faults
            .push(Fault::new("/paths", "openapi.operations", detail));
    }

    fn path(&mut self, path: &str, item: &Map, field: &str) {
        let chain = match reference::resolve(self.root, item, field) {
            Ok(chain) => chain,
            Err(fault) => return self.faults.push(fault),
        };
        let fields = chain.iter().flat_map(|item| item.in_order());
        let methods = fields.filter(|(_, node)| node.as_map().is_some());
        let methods: HashSet<_> = methods.filter_map(|(key, _)| method(key)).collect();
        let count = methods.len();
        let template = match PathTemplate::from_document(path) {
            Ok(template) => template,
            Err(error) => {
                self.described += count;
                let detail = format!("{path} is left out: {error}");
                return self.notes.path((field, count), &detail);
            }
        };
        if let Some(earlier) = self.ties.add(&template) {
            let detail = format!(
                "{path} is left out: some paths match both it and {earlier}, equally closely"
            );
            self.described += count;
            return self.notes.path((field, count), &detail);
        }
        let of_path = chain.iter().flat_map(|item| item.in_order());
        let of_path =
            of_path.filter(|(key, node)| method(key).is_none() && !matches!(node, Node::Nothing));
        let operations = self.described + 1..self.described + 1 + count;
        let mut beside = HashSet::new();
        for (key, _) in of_path.filter(|(key, _)| beside.insert(*key)) {
            let at = format!("{field}/{}", pointer_token(key));
            self.beside_operations((key, &operations), &at);
        }
        let mut taken = HashSet::new();
        for (key, node) in chain.iter().flat_map(|item| item.in_order()) {
            if !taken.insert(key) {
                continue;
            }
            let at = || format!("{field}/{}", pointer_token(key));
            match (method(key), node) {
                (_, Node::Nothing) => {}
                (Some(method), Node::Map(operation)) => {
                    self.operation(method, &template, operation, &at());
                }
                (Some(_), _) => self.fault(&at(), "an operation must be an object"),
                (None, _) => {}
            }
        }
    }

    /// Notes the fields of a path item that are not operations.
    fn beside_operations(&mut self, (key, operations): (&str, &Range<usize>), field: &str) {
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
                self.notes.path((field, 0), &detail);
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
            return self.notes.path((field, 1), &detail);
        }
        if let Some(reference) = &from.outside {
            let named = || format!("{method} {path} ({reference})");
            self.outside.add(number, field, named);
        }
        self.faults
            .extend(self.security.read_operation(from, field).err());
        let summary = from.text("summary").or_else(|| from.text("operationId"));
        let summary = summary.map(one_line).filter(|line| !line.is_empty());
        self.operations.push(Operation {
            method,
            path: path.clone(),
            summary,
            limits: Vec::new(),
            weight: 1,
            scopes: Vec::new(),
            anonymous: false,
        });
    }
}

/// Returns the method of a path item's field, which is in lower case (OpenAPI 3.1, Path Item
/// Object).
fn method(key: &str) -> Option<Method> {
    let is_lower = key.bytes().all(|byte| byte.is_ascii_lowercase());
    let method = Method::from_token(key.to_ascii_uppercase().as_bytes());
    method.filter(|_| is_lower)
}

/// Returns a server's URL with each variable replaced by its default (OpenAPI 3.1, Server Variable
/// Object); unchanged if the result would be longer than a URL may be.
fn server_url(server: &Map) -> Option<String> {
    let written = server.text("url")?;
    let variables = server.map("variables");
    let default = |name| match variables?.map(name)?.value("default")? {
        Node::Text(text) | Node::Scalar(text) => Some(text.as_str()),
        _ => None,
    };
    let mut url = String::new();
    let mut rest = written;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, behind) = behind.split_once('}')?;
        url = url + before + default(name).unwrap_or_default();
        rest = behind;
        if url.len() > URL_BYTES_MAX {
            return Some(written.to_owned());
        }
    }
    Some(url + rest)
}

fn one_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    let plain = line.chars().filter(|character| !character.is_control());
    plain.take(SUMMARY_CHARS_MAX).collect()
}
