//! `route`: finds version and operation of a target in the snapshot.
//!
//! `/{context}/{version}/{resource}`, and `/{context}/{resource}` for the default version.
//! Contexts never overlap, so at most one is a prefix of a path. Literals are matched before
//! parameters.

use std::sync::Arc;

use hashbrown::HashMap;
use tollgate_http1::head::{RequestHead, Span};
use tollgate_model::api::{METHODS, Method};
use tollgate_model::feed::{ServedDocument, ServedOperation, ServedVersion};
use tollgate_model::id::OperationId;
use tollgate_model::lifecycle::AtGateway;
use tollgate_model::refusal::Refusal;
use tollgate_model::template::Segment;

use crate::bridge::Bridged;
use crate::record::Note;
use crate::refusal::Refused;
use crate::service::Service;
use crate::snapshot::{Snapshot, Version};

/// The ticket of this room: what is called.
#[derive(Debug)]
pub(crate) struct Routed<'s> {
    version: &'s Version,
    method: Method,
    resource: Span,
    document: Option<&'s ServedDocument>,
    bridged: Option<Bridged<'s>>,
}

impl<'s> Routed<'s> {
    pub(crate) fn version(&self) -> &'s Version {
        self.version
    }

    pub(crate) fn method(&self) -> Method {
        self.method
    }

    /// What is asked for, where that is a document of the version's contract.
    pub(crate) fn document(&self) -> Option<&'s ServedDocument> {
        self.document
    }

    /// The operation of a SOAP back end that is called as REST.
    pub(crate) fn bridged(&self) -> Option<Bridged<'s>> {
        self.bridged
    }

    /// Path and query below the version, as a part of the head's bytes; of a SOAP service only
    /// the query, since its path is one.
    pub(crate) fn resource(&self) -> Span {
        self.resource
    }
}

/// Finds what a request calls: `bytes` are what the head's spans are of.
pub(crate) fn find<'s>(
    snapshot: &'s Snapshot,
    head: &RequestHead,
    bytes: &[u8],
    note: &mut Note,
) -> Result<Routed<'s>, Refused> {
    let target = head.target.of_bytes(bytes);
    let path = target
        .split(|&byte| byte == b'?')
        .next()
        .unwrap_or_default();
    if has_dot_segment(path) {
        return Err(Refused::because(
            Refusal::BadRequest,
            "The path has a dot segment.",
        ));
    }
    let (version, prefix) = snapshot.contexts.find(path).ok_or(Refusal::NoApi)?;
    note.version(&version.served);
    if version.served.state.at_gateway() == AtGateway::Refused {
        return Err(Refusal::Blocked.into());
    }
    let known = Method::from_token(head.method.of_bytes(bytes));
    if let Some(service) = &version.service {
        return find_in_service(
            (version, service),
            (head, target),
            (known, path.len()),
            prefix,
        );
    }
    let bridge = version.bridge.as_deref();
    let known = match known {
        // The gateway makes the answer, so it knows how to leave its body out.
        Some(Method::Head) if bridge.is_some() => Some(Method::Get),
        known => known,
    };
    let found = version.operations.find(&path[prefix..], known);
    match (found, known) {
        (Found::Operation(operation), Some(method)) => {
            note.operation(operation);
            let bridged = bridge.map(|bridge| bridge.find(operation).ok_or(Refusal::Internal));
            let start = head.target.start + u32::try_from(prefix).expect("heads are bounded");
            let resource = Span {
                start,
                end: head.target.end,
            };
            Ok(Routed {
                version,
                method,
                resource,
                document: None,
                bridged: bridged.transpose()?,
            })
        }
        (Found::OtherMethods(allowed), _) => {
            let has_head = bridge.is_some() && allowed & GET != 0;
            Err(Refused::method(allowed | if has_head { HEAD } else { 0 }))
        }
        _ => Err(Refusal::NoOperation.into()),
    }
}

/// A SOAP service has one path: calls are POSTed to it, documents of its contract are got from it.
fn find_in_service<'s>(
    (version, service): (&'s Version, &'s Service),
    (head, target): (&RequestHead, &[u8]),
    (method, path_bytes): (Option<Method>, usize),
    prefix: usize,
) -> Result<Routed<'s>, Refused> {
    if !matches!(&target[prefix..path_bytes], b"" | b"/") {
        return Err(Refusal::NoOperation.into());
    }
    let document = match method {
        Some(Method::Post) => None,
        Some(Method::Get | Method::Head) => {
            let query = target.get(path_bytes + 1..).unwrap_or_default();
            match service.document(query) {
                Some(document) => Some(document),
                None if query.is_empty() => return Err(Refused::method(POST)),
                None => return Err(Refusal::NoOperation.into()),
            }
        }
        _ => return Err(Refused::method(POST)),
    };
    let start = head.target.start + u32::try_from(path_bytes).expect("heads are bounded");
    Ok(Routed {
        version,
        method: method.unwrap_or(Method::Post),
        resource: Span {
            start,
            end: head.target.end,
        },
        document,
        bridged: None,
    })
}

/// The bits of methods among [`METHODS`].
const GET: u8 = 1 << Method::Get as u8;
const HEAD: u8 = 1 << Method::Head as u8;
const POST: u8 = 1 << Method::Post as u8;

/// Whether a back end could take the path as another one than was judged: a segment that is `.` or
/// `..` once it is decoded, also where an encoded slash, a backslash or a path parameter (`..;x`)
/// ends it, or an encoded NUL.
fn has_dot_segment(path: &[u8]) -> bool {
    let begins_with_dot = |at: usize| at > 0 && path[at - 1] == b'/';
    if memchr::memchr2(b'%', b'\\', path).is_none()
        && !memchr::memchr_iter(b'.', path).any(begins_with_dot)
    {
        return false;
    }
    let decoded = decoded(path);
    let mut segments = decoded.split(|byte| matches!(byte, b'/' | b'\\'));
    decoded.contains(&0)
        || segments.any(|segment| {
            let name = segment.split(|&byte| byte == b';').next();
            matches!(name, Some(b"." | b".."))
        })
}

/// The path with its percent-encoded bytes in place; what is no such encoding stays.
fn decoded(path: &[u8]) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let pair = after
            .first()
            .and_then(digit)
            .zip(after.get(1).and_then(digit));
        match pair {
            Some((high, low)) if first == b'%' => {
                decoded.push(u8::try_from(high * 16 + low).expect("two digits make a byte"));
                rest = &after[2..];
            }
            _ => decoded.push(first),
        }
    }
    decoded
}

/// The contexts of a snapshot. Their names and those of versions are kept as bytes: what a caller
/// sends is compared and never needs to be text.
#[derive(Debug, Default, Clone)]
pub(crate) struct Contexts {
    apis: HashMap<Vec<u8>, Versions>,
    segments_max: usize,
}

#[derive(Debug, Default, Clone)]
struct Versions {
    by_name: HashMap<Vec<u8>, Arc<Version>>,
    default: Option<Arc<Version>>,
}

impl Contexts {
    /// Adds a version, or replaces the one of the same context and name.
    pub(crate) fn insert(&mut self, version: &Arc<Version>) {
        let served = &version.served;
        let segments = served.context.split('/').count() - 1;
        self.segments_max = self.segments_max.max(segments);
        let versions = self.apis.entry_ref(served.context.as_bytes()).or_default();
        let name = served.name.clone().into_bytes();
        versions.by_name.insert(name, Arc::clone(version));
        if served.is_default {
            versions.default = Some(Arc::clone(version));
        } else if versions
            .default
            .as_ref()
            .is_some_and(|default| default.served.id == served.id)
        {
            versions.default = None;
        }
    }

    /// Adds a version that was served before, unless another one is the default by now.
    pub(crate) fn insert_back(&mut self, version: &Arc<Version>) {
        let context = version.served.context.as_bytes();
        let default = self.apis.get(context).and_then(|it| it.default.clone());
        self.insert(version);
        if let Some((versions, default)) = self.apis.get_mut(context).zip(default) {
            versions.default = Some(default);
        }
    }

    /// Takes a version out, as it had been inserted, unless another one has its place already.
    pub(crate) fn remove(&mut self, served: &ServedVersion) {
        let Some(versions) = self.apis.get_mut(served.context.as_bytes()) else {
            return;
        };
        let name = served.name.as_bytes();
        let is_it = |version: &Arc<Version>| version.served.id == served.id;
        if versions.by_name.get(name).is_some_and(is_it) {
            versions.by_name.remove(name);
        }
        if versions
            .default
            .as_ref()
            .is_some_and(|default| default.served.id == served.id)
        {
            versions.default = None;
        }
        if versions.by_name.is_empty() {
            self.apis.remove(served.context.as_bytes());
        }
    }

    /// The version of a path and how many of its bytes name it.
    pub(crate) fn find(&self, path: &[u8]) -> Option<(&Version, usize)> {
        let mut end = 0;
        for _ in 0..self.segments_max {
            if path.len() <= end {
                return None;
            }
            end = segment_end(path, end + 1);
            if let Some(versions) = self.apis.get(&path[..end]) {
                return versions.find(path, end);
            }
        }
        None
    }
}

impl Versions {
    fn find(&self, path: &[u8], context_end: usize) -> Option<(&Version, usize)> {
        if context_end < path.len() {
            let end = segment_end(path, context_end + 1);
            if let Some(version) = self.by_name.get(&path[context_end + 1..end]) {
                return Some((version, end));
            }
        }
        self.default
            .as_deref()
            .map(|version| (version, context_end))
    }
}

/// Where the segment ends that begins at `start`.
fn segment_end(path: &[u8], start: usize) -> usize {
    memchr::memchr(b'/', &path[start..]).map_or(path.len(), |slash| start + slash)
}

/// The operations of a version as a tree of path segments.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    root: Node,
}

#[derive(Debug, Default)]
struct Node {
    literals: HashMap<Vec<u8>, Node>,
    parameter: Option<Box<Node>>,
    methods: [Option<OperationId>; METHODS.len()],
}

/// What a path and method lead to.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Operation(OperationId),
    /// The path exists with these methods only: a bit for each of [`METHODS`].
    OtherMethods(u8),
    Nothing,
}

impl Operations {
    pub(crate) fn new(operations: &[ServedOperation]) -> Self {
        let mut root = Node::default();
        for operation in operations {
            let mut node = &mut root;
            for segment in operation.path.segments() {
                node = match segment {
                    Segment::Literal(text) => node.literals.entry_ref(text.as_bytes()).or_default(),
                    Segment::Parameter(_) => node.parameter.get_or_insert_default(),
                };
            }
            node.methods[operation.method as usize] = Some(operation.id);
        }
        Self { root }
    }

    /// `path` is what follows the version: empty, or beginning with a slash.
    fn find(&self, path: &[u8], method: Option<Method>) -> Found {
        let rest = path.strip_prefix(b"/").filter(|rest| !rest.is_empty());
        let mut allowed = 0;
        match self.root.find(rest, method, &mut allowed) {
            Some(operation) => Found::Operation(operation),
            None if allowed != 0 => Found::OtherMethods(allowed),
            None => Found::Nothing,
        }
    }
}

impl Node {
    /// `rest` is what follows the slash before it; `None` at the end of the path.
    fn find(
        &self,
        rest: Option<&[u8]>,
        method: Option<Method>,
        allowed: &mut u8,
    ) -> Option<OperationId> {
        let Some(rest) = rest else {
            for (bit, operation) in self.methods.iter().enumerate() {
                *allowed |= u8::from(operation.is_some()) << bit;
            }
            return self.methods[method? as usize];
        };
        let (segment, after) = rest.split_at(segment_end(rest, 0));
        let after = after.strip_prefix(b"/");
        if let Some(node) = self.literals.get(segment)
            && let Some(operation) = node.find(after, method, allowed)
        {
            return Some(operation);
        }
        let parameter = self.parameter.as_ref().filter(|_| !segment.is_empty())?;
        parameter.find(after, method, allowed)
    }
}

#[cfg(test)]
mod tests;
