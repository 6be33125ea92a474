//! `route`: finds version and operation of a target in the snapshot.
//!
//! `/{context}/{version}/{resource}`, and `/{context}/{resource}` for the default version.
//! Contexts never overlap, so at most one is a prefix of a path. Literals are matched before
//! parameters.

use std::ops::Range;

use tollgate_http1::view::Request;
use tollgate_model::api::Method;
use tollgate_model::feed::ServedDocument;
use tollgate_model::lifecycle::AtGateway;
use tollgate_model::refusal::Refusal;

use crate::exchange::Exchange;
use crate::operations::{Found, Operation};
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::service::Service;
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::version::Version;
use crate::worker::Worker;

/// Where clients look for what protects a resource (RFC 9728, section 3.1).
pub(crate) const METADATA: &str = "/.well-known/oauth-protected-resource";

/// The ticket of this room: what is called.
#[derive(Debug)]
pub(crate) struct Routed<'s> {
    version: &'s Version,
    method: Method,
    resource: usize,
    operation: Option<&'s Operation>,
    document: Option<Document<'s>>,
}

/// A public document about a version.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Document<'s> {
    /// A document of a SOAP service's contract.
    Contract(&'s ServedDocument),
    /// What protects the version (RFC 9728).
    ProtectedResource(&'s Version),
}

impl<'s> Routed<'s> {
    pub(crate) fn version(&self) -> &'s Version {
        self.version
    }

    pub(crate) fn method(&self) -> Method {
        self.method
    }

    /// What is asked for, where that is a document.
    pub(crate) fn document(&self) -> Option<Document<'s>> {
        self.document
    }

    /// The operation that the path names; none of a SOAP service, whose messages name theirs.
    pub(crate) fn operation(&self) -> Option<&'s Operation> {
        self.operation
    }

    /// Whether the call may come without a credential and without a subscription.
    pub(crate) fn is_open(&self) -> bool {
        let is_anonymous = |operation: &Operation| operation.access.is_anonymous;
        self.operation.is_some_and(is_anonymous) || self.version.is_open()
    }

    /// Path and query below the version, of the head that was routed; of a SOAP service only the
    /// query, since its path is one.
    pub(crate) fn resource<'h>(&self, head: Request<'h>) -> &'h [u8] {
        &head.target()[self.resource..]
    }
}

/// Finds what a request calls.
pub(crate) fn find<'s>(
    snapshot: &'s Snapshot,
    exchange: &Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<Routed<'s>, Refused> {
    let found = match find_version(snapshot, exchange.head()) {
        Ok(found) => found,
        Err(refused) => {
            let routed = find_metadata(snapshot, exchange.head(), &worker.settings);
            let routed = routed.ok_or(refused)?;
            record.version(&routed.version.served);
            return Ok(routed);
        }
    };
    exchange.is_for(&found.version.served);
    record.version(&found.version.served);
    let routed = find_operation(found, exchange.head())?;
    if let Some(operation) = routed.operation {
        record.operation(operation.id);
    }
    Ok(routed)
}

/// A version, and where in the target the rest of the path begins and ends.
#[derive(Debug)]
struct VersionFound<'s> {
    version: &'s Version,
    rest: Range<usize>,
}

fn find_version<'s>(
    snapshot: &'s Snapshot,
    head: Request<'_>,
) -> Result<VersionFound<'s>, Refused> {
    let target = head.target();
    let path_bytes = memchr::memchr(b'?', target).unwrap_or(target.len());
    let path = &target[..path_bytes];
    if has_dot_segment(path) {
        let detail = "The path has a dot segment or an encoded NUL.";
        return Err(Refused::because(Refusal::BadRequest, detail));
    }
    let (version, prefix) = snapshot.contexts.find(path).ok_or(Refusal::NoApi)?;
    let rest = prefix..path_bytes;
    Ok(VersionFound { version, rest })
}

/// What is asked for where the metadata of a protected resource are (RFC 9728, section 3.1): the
/// path of the resource follows, which begins with that of the gateway's URL.
fn find_metadata<'s>(
    snapshot: &'s Snapshot,
    head: Request<'_>,
    settings: &Settings,
) -> Option<Routed<'s>> {
    let path = head.target().strip_prefix(METADATA.as_bytes())?;
    let path = path.strip_prefix(settings.public_path().as_bytes())?;
    let method = Method::from_token(head.method());
    let method = method.filter(|it| matches!(it, Method::Get | Method::Head))?;
    let (version, end) = snapshot.contexts.find(path)?;
    let is_served = version.served.state.at_gateway() != AtGateway::Refused;
    let is_protected = version.security.oauth2 && is_served && end == path.len();
    is_protected.then_some(Routed {
        version,
        method,
        resource: head.target().len(),
        operation: None,
        document: Some(Document::ProtectedResource(version)),
    })
}

fn find_operation<'s>(
    VersionFound { version, rest }: VersionFound<'s>,
    head: Request<'_>,
) -> Result<Routed<'s>, Refused> {
    if version.served.state.at_gateway() == AtGateway::Refused {
        return Err(Refusal::Blocked.into());
    }
    let (method, path) = (
        Method::from_token(head.method()),
        &head.target()[rest.clone()],
    );
    if let Some(service) = &version.service {
        let (document, method) = find_in_service(service, head.target(), &rest, method)?;
        return Ok(Routed {
            version,
            method,
            resource: rest.end,
            operation: None,
            document: document.map(Document::Contract),
        });
    }
    // Where the gateway makes the answers, it knows how to leave their bodies out.
    let makes_answers = version.soap_to_rest.is_some();
    let method = match method {
        Some(Method::Head) if makes_answers => Some(Method::Get),
        method => method,
    };
    match (version.operations.find(path, method), method) {
        (Found::Operation(operation), Some(method)) => Ok(Routed {
            version,
            method,
            resource: rest.start,
            operation: Some(operation),
            document: None,
        }),
        (Found::OtherMethods(allowed), _) => {
            let has_head = makes_answers && allowed & GET != 0;
            Err(Refused::method(allowed | if has_head { HEAD } else { 0 }))
        }
        _ => Err(Refusal::NoOperation.into()),
    }
}

/// A SOAP service has one path: calls are POSTed to it, documents of its contract are got from it.
fn find_in_service<'s>(
    service: &'s Service,
    target: &[u8],
    rest: &Range<usize>,
    method: Option<Method>,
) -> Result<(Option<&'s ServedDocument>, Method), Refused> {
    if !matches!(&target[rest.clone()], b"" | b"/") {
        return Err(Refusal::NoOperation.into());
    }
    match method {
        Some(Method::Post) => Ok((None, Method::Post)),
        Some(method @ (Method::Get | Method::Head)) => {
            let query = target.get(rest.end + 1..).unwrap_or_default();
            match service.document(query) {
                Some(document) => Ok((Some(document), method)),
                None if query.is_empty() => Err(Refused::method(POST)),
                None => Err(Refusal::NoOperation.into()),
            }
        }
        _ => Err(Refused::method(POST)),
    }
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
pub(crate) fn decoded(path: &[u8]) -> Vec<u8> {
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

#[cfg(test)]
pub(crate) mod tests;
