//! `route`: finds the version and operation of a target in the snapshot.
//!
//! `/{context}/{version}/{resource}`, and `/{context}/{resource}` for the default version.
//! Contexts never overlap, so at most one is a prefix of a path. Literals are matched before
//! parameters (`operations/tree.rs`). Equivalent percent-encodings match alike
//! (`tollgate_model::path`), and a path in which the back end could find another operation is
//! refused (`route/readings.rs`).

mod readings;

use std::borrow::Cow;

use tollgate_http1::head::Known;
use tollgate_http1::view::Request;
use tollgate_model::api::Method;
use tollgate_model::feed::ServedDocument;
use tollgate_model::lifecycle::AtGateway;
use tollgate_model::path::{self, MethodOverride, Paths};
use tollgate_model::refusal::Refusal;

use crate::exchange::Exchange;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use crate::snapshot::operations::{Found, Operation};
use crate::snapshot::service::Service;
use crate::snapshot::version::Version;

use readings::Lead;

/// The well-known path of protected resource metadata (RFC 9728, section 3.1).
pub(crate) const METADATA: &str = "/.well-known/oauth-protected-resource";

/// The ticket of this room: the version and operation being called.
#[derive(Debug)]
pub(crate) struct Routed<'s> {
    version: &'s Version,
    method: Method,
    below: Below,
    operation: Option<&'s Operation>,
    document: Option<Document<'s>>,
}

// It is returned to the walk, so it should be cheap to move.
const _: () = assert!(size_of::<Routed<'_>>() <= 128);

/// Path and query below the version.
#[derive(Debug)]
enum Below {
    /// The target from this offset on.
    Sent(usize),
    /// A target with encodings replaced by equivalent ones.
    Rewritten(Vec<u8>),
}

/// A public document about a version.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Document<'s> {
    /// A document of a SOAP service's contract.
    Contract(&'s ServedDocument),
    /// Protected resource metadata of the version (RFC 9728).
    ProtectedResource(&'s Version),
}

impl<'s> Routed<'s> {
    pub(crate) fn version(&self) -> &'s Version {
        self.version
    }

    pub(crate) fn method(&self) -> Method {
        self.method
    }

    /// The requested document, if the request is for one.
    pub(crate) fn document(&self) -> Option<Document<'s>> {
        self.document
    }

    /// The operation named by the path; `None` for a SOAP service, where messages name theirs.
    pub(crate) fn operation(&self) -> Option<&'s Operation> {
        self.operation
    }

    /// Whether steps of policies may respond in place of the upstream.
    pub(crate) fn may_respond(&self) -> bool {
        let steps = match self.operation {
            Some(operation) => operation.mediation.steps.as_ref(),
            None => self.version.steps.as_ref(),
        };
        steps.is_some_and(|steps| steps.program.responds())
    }

    /// Whether the call needs neither a credential nor a subscription.
    pub(crate) fn is_open(&self) -> bool {
        let is_anonymous = |operation: &Operation| operation.access.is_anonymous;
        self.operation.is_some_and(is_anonymous) || self.version.is_open()
    }

    /// Path and query below the version in the routed head; for a SOAP service only the query,
    /// since it has one path.
    pub(crate) fn resource<'h>(&'h self, head: Request<'h>) -> &'h [u8] {
        match &self.below {
            Below::Sent(start) => &head.target()[*start..],
            Below::Rewritten(target) => target,
        }
    }
}

/// Finds the version and operation of a request.
pub(crate) fn find<'s>(
    snapshot: &'s Snapshot,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Routed<'s>, Refused> {
    let head = exchange.head();
    let path = SentPath::read(head)?;
    let Some((version, start)) = snapshot.contexts.find(&path.normalized) else {
        let routed =
            find_metadata(snapshot, head, &exchange.worker().settings).ok_or(Refusal::NoApi)?;
        exchange.is_for(routed.version);
        record.version(&routed.version.served);
        return Ok(routed);
    };
    exchange.is_for(version);
    record.version(&version.served);
    // A preflight is about the other methods of its path, even if OPTIONS is one of them.
    let is_preflight = exchange.sharing().is_some() && exchange.is_preflight();
    let method = Method::from_token(head.method());
    record.method(method);
    let method = method.filter(|_| !is_preflight);
    let routed = find_operation(version, start, &path, head, method)?;
    if let Some(operation) = routed.operation {
        record.operation(operation.id);
    }
    Ok(routed)
}

/// The path of a request.
#[derive(Debug)]
struct SentPath<'h> {
    /// The offset of its end in the target.
    end: usize,
    /// With encoded unreserved characters decoded.
    normalized: Cow<'h, [u8]>,
    /// Whether it has a percent-encoding or a semicolon, so that it can be read in several ways.
    is_special: bool,
}

impl<'h> SentPath<'h> {
    fn read(head: Request<'h>) -> Result<Self, Refused> {
        let target = head.target();
        let end = memchr::memchr(b'?', target).unwrap_or(target.len());
        let sent = &target[..end];
        let is_special = memchr::memchr2(b'%', b';', sent).is_some();
        let begins_with_dot = |at: usize| at > 0 && sent[at - 1] == b'/';
        if !is_special && !memchr::memchr_iter(b'.', sent).any(begins_with_dot) {
            let normalized = Cow::Borrowed(sent);
            return Ok(Self {
                end,
                normalized,
                is_special,
            });
        }
        let normalized = path::normalized(sent).ok_or_else(|| {
            let detail = "A % in the path is not followed by two hex digits.";
            Refused::because(Refusal::BadRequest, detail)
        })?;
        if has_dot_segment(&normalized) {
            let detail = "The path has a dot segment or an encoded NUL.";
            return Err(Refused::because(Refusal::BadRequest, detail));
        }
        Ok(Self {
            end,
            normalized,
            is_special,
        })
    }
}

/// Finds the version of a protected resource metadata request (RFC 9728, section 3.1): the
/// well-known path is followed by the path of the resource, which begins with that of the gateway's
/// URL.
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
        below: Below::Sent(head.target().len()),
        operation: None,
        document: Some(Document::ProtectedResource(version)),
    })
}

/// Finds the operation of a path, of which `start` is the offset below the version.
fn find_operation<'s>(
    version: &'s Version,
    start: usize,
    path: &SentPath<'_>,
    head: Request<'_>,
    method: Option<Method>,
) -> Result<Routed<'s>, Refused> {
    if version.served.state.at_gateway() == AtGateway::Refused {
        return Err(Refusal::Blocked.into());
    }
    check_method(head, version)?;
    let (target, below) = (head.target(), &path.normalized[start..]);
    if let Some(service) = &version.service {
        let query = target.get(path.end + 1..).unwrap_or_default();
        let (document, method) = find_in_service(service, below, query, method)?;
        return Ok(Routed {
            version,
            method,
            below: Below::Sent(path.end),
            operation: None,
            document: document.map(Document::Contract),
        });
    }
    // For responses that the gateway makes, it can leave out the bodies.
    let makes_answers = version.soap_to_rest.is_some();
    let method = match method {
        Some(Method::Head) if makes_answers => Some(Method::Get),
        method => method,
    };
    let matched = match path.is_special {
        true => path::matched(below),
        false => Cow::Borrowed(below),
    };
    match (version.operations.find(&matched, method), method) {
        (Found::Operation(operation), Some(method)) => {
            // The rest of a path may be read in several ways without any special character.
            if (path.is_special || operation.takes_rest()) && !makes_answers {
                readings::check(Lead {
                    version,
                    operation,
                    method,
                    path: &matched,
                    is_default: start == version.served.context.len(),
                })?;
            }
            let paths = version.served.reading.paths;
            Ok(Routed {
                version,
                method,
                below: sent_below(path, start, operation, paths, &target[path.end..]),
                operation: Some(operation),
                document: None,
            })
        }
        (Found::OtherMethods(allowed), _) => {
            let has_head = makes_answers && allowed & GET != 0;
            Err(Refused::method(allowed | if has_head { HEAD } else { 0 }))
        }
        _ => Err(Refusal::NoOperation.into()),
    }
}

/// Path and query below the version as sent to the back end: as received, but with encoded
/// unreserved characters decoded, and in literals sub-delims too.
fn sent_below(
    path: &SentPath<'_>,
    start: usize,
    operation: &Operation,
    paths: Paths,
    query: &[u8],
) -> Below {
    let below = &path.normalized[start..];
    let segments = below.split(|&byte| byte == b'/').enumerate();
    let segments = segments.map(|(index, segment)| {
        match index.checked_sub(1).filter(|_| path.is_special) {
            Some(index) => operation.sent(index, segment, paths),
            // A path begins with a slash, so its first segment comes after that.
            None => Cow::Borrowed(segment),
        }
    });
    let is_as_sent = matches!(path.normalized, Cow::Borrowed(_))
        && (!path.is_special || segments.clone().all(|it| matches!(it, Cow::Borrowed(_))));
    if is_as_sent {
        return Below::Sent(start);
    }
    let mut target = Vec::with_capacity(below.len() + query.len());
    for (index, segment) in segments.enumerate() {
        if index > 0 {
            target.push(b'/');
        }
        target.extend_from_slice(&segment);
    }
    target.extend_from_slice(query);
    Below::Rewritten(target)
}

/// Rejects a call with a method override that differs from the request line, if the back end may
/// honor it.
fn check_method(head: Request<'_>, version: &Version) -> Result<(), Refused> {
    if !head.has_method_override || version.served.reading.method_override == MethodOverride::Pass {
        return Ok(());
    }
    let mut overrides = head
        .lines()
        .iter()
        .filter(|line| line.known == Known::MethodOverride);
    let names_another =
        |value: &[u8]| !value.is_empty() && !value.eq_ignore_ascii_case(head.method());
    match overrides.any(|line| names_another(line.value())) {
        true => {
            let detail = "A field names another method than the request line.";
            Err(Refused::because(Refusal::Ambiguous, detail))
        }
        false => Ok(()),
    }
}

/// Finds a document of a SOAP service. It has one path: calls are POSTed to it, documents of its
/// contract are fetched with GET.
fn find_in_service<'s>(
    service: &'s Service,
    below: &[u8],
    query: &[u8],
    method: Option<Method>,
) -> Result<(Option<&'s ServedDocument>, Method), Refused> {
    if !matches!(below, b"" | b"/") {
        return Err(Refusal::NoOperation.into());
    }
    match method {
        Some(Method::Post) => Ok((None, Method::Post)),
        Some(method @ (Method::Get | Method::Head)) => match service.document(query) {
            Some(document) => Ok((Some(document), method)),
            None if query.is_empty() => Err(Refused::method(POST)),
            None => Err(Refusal::NoOperation.into()),
        },
        _ => Err(Refused::method(POST)),
    }
}

/// The bits of methods among [`METHODS`].
const GET: u8 = 1 << Method::Get as u8;
const HEAD: u8 = 1 << Method::Head as u8;
const POST: u8 = 1 << Method::Post as u8;

/// Whether a decoded segment is `.` or `..`, also when ended by an encoded slash, an encoded
/// backslash or a path parameter (`..;x`); or the path has an encoded NUL.
fn has_dot_segment(path: &[u8]) -> bool {
    let decoded = path::decoded(path);
    let mut segments = decoded.split(|byte| matches!(byte, b'/' | b'\\'));
    decoded.contains(&0)
        || segments.any(|segment| {
            let name = segment.split(|&byte| byte == b';').next();
            matches!(name, Some(b"." | b".."))
        })
}

#[cfg(test)]
pub(crate) mod tests;
