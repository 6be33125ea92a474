//! `mediate`: the request as sent to the upstream, and the response as sent to the caller.
//!
//! Applies the operation's [mediation](crate::snapshot::mediation). Heads are copied in runs;
//! hop-by-hop fields (RFC 9110, section 7.6) and the caller's credential are not forwarded, and the
//! fields by which proxies identify themselves are replaced.
//!
//! - `cached.rs`: requests for responses that may be stored
//! - `identity.rs`: the caller's identity, as fields or a JWT for the upstream
//! - `transform.rs`: messages that are read whole and transformed; `soap.rs`: REST callers of a
//!   SOAP back end

mod cached;
mod identity;
mod soap;
mod transform;

use tollgate_http1::compose::push_field;
use tollgate_http1::head::Known;
use tollgate_mediation::apply::push_target;
use tollgate_mediation::forwarding::{Fields, Forwarded, RequestField, RequestRules};
use tollgate_model::api::Method;
use tollgate_model::media_type::MediaType;
use tollgate_model::refusal::Refusal;
use tollgate_model::security::Identity;
use tollgate_soap::media_type::may_be_soap;

use crate::admit::Admitted;
use crate::choose::Chosen;
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::reply::Reply;
use crate::snapshot::credential::Presented;
use crate::snapshot::mediation::{Passed, TargetEdit};
use crate::steps::Shape;
use crate::stored::{Protection, protects};
use crate::upstream::RequestBody;
use crate::wire::connection::BodyLength;
use crate::wire::field_class::field_class;
use crate::wire::session_cookie;

/// The status of faults in SOAP 1.1 (section 6.2), and of the receiver's in SOAP 1.2.
const FAULT_STATUS: u16 = 500;

pub(crate) use cached::{push_keyed_fields, push_keyed_target};

/// Builds the upstream's request: writes the head to `out`, without the framing fields, and returns
/// the body: that of the steps, if they have read it. It is read whole if a transform changes it,
/// which depends on the request's head.
pub(crate) async fn request(
    chosen: &Chosen<'_, '_>,
    exchange: &mut Exchange<'_>,
    out: &mut Vec<u8>,
) -> Result<RequestBody, Failure> {
    let version = chosen.admitted().allowed().routed().version();
    let bytes_max = version.body_bytes_max(&exchange.worker().settings);
    if !chosen.admitted().mediation().transforms.is_empty() {
        // Boxed: few calls get here, and every connection would pay for the space.
        return Box::pin(transform::request(chosen, bytes_max, exchange, out)).await;
    }
    if chosen.cached().is_some() && protects(Protection::Body) {
        push_head(chosen, exchange, out)?;
        return Ok(RequestBody::None);
    }
    if let Some(own) = chosen.shape().and_then(Shape::take_body) {
        push_head(chosen, exchange, out)?;
        return Ok(RequestBody::Own(own));
    }
    if matches!(exchange.body_length(), BodyLength::Known(bytes) if bytes > bytes_max) {
        return Err(Refusal::BodyTooLarge.into());
    }
    push_head(chosen, exchange, out)?;
    Ok(RequestBody::Passed { bytes_max })
}

/// Turns the upstream's response into the caller's. Its body is read whole if a transform changes
/// it, which depends on its head.
pub(crate) async fn answer(
    admitted: &Admitted<'_>,
    reply: &mut Reply<'_>,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let transforms = &admitted.mediation().transforms;
    let is_service = admitted.allowed().routed().version().service.is_some();
    if is_service && transforms.is_empty() && is_fault(reply) {
        record.soap_fault();
    }
    if !transforms.is_empty() {
        let answer = transform::answer(transforms, reply, exchange, record);
        Box::pin(answer).await?;
        if reply.is_shared && reply.status() == 200 {
            // The rules of the operation state that it only reads.
            reply.remove_fields(|name| name.eq_ignore_ascii_case(b"cache-control"));
        }
    }
    Ok(())
}

/// Whether a response of a SOAP service is a fault, by its head alone: not an error page of a
/// server in front of the service.
fn is_fault(reply: &Reply<'_>) -> bool {
    let media_type = reply.field(b"content-type").and_then(MediaType::parse);
    reply.status() == FAULT_STATUS && media_type.is_some_and(|it| may_be_soap(&it))
}

/// Writes the head of the upstream's request, without the framing fields.
fn push_head(
    chosen: &Chosen<'_, '_>,
    exchange: &Exchange<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Refused> {
    let (target, edits) = (&chosen.target().served, &chosen.admitted().mediation().head);
    out.extend_from_slice(chosen.method().word().as_bytes());
    out.push(b' ');
    out.extend_from_slice(target.base_path.as_bytes());
    match chosen.cached() {
        Some(cached) if edits.target == TargetEdit::Below && protects(Protection::Parameters) => {
            out.extend_from_slice(cached.keyed.target());
        }
        _ => push_below(chosen, exchange, out),
    }
    out.extend_from_slice(b" HTTP/1.1\r\n");
    push_field(out, "host", target.authority.as_bytes());
    out.extend_from_slice(&edits.set);
    match chosen.cached() {
        Some(cached) => cached::push_fields(chosen, cached, exchange, out),
        None => push_fields(chosen, exchange, out)?,
    }
    Ok(())
}

/// Appends what follows the base path of the upstream.
fn push_below(chosen: &Chosen<'_, '_>, exchange: &Exchange<'_>, out: &mut Vec<u8>) {
    let (allowed, head) = (chosen.admitted().allowed(), exchange.head());
    let edit = chosen.admitted().mediation().head.target;
    let below = match edit {
        TargetEdit::Below | TargetEdit::Query => allowed.routed().resource(head),
        TargetEdit::None => b"",
    };
    let has_path = !chosen.target().served.base_path.is_empty();
    let needs_slash = edit == TargetEdit::Below || !has_path;
    let path = chosen.shape().and_then(|shape| shape.edits.path());
    if needs_slash && !path.unwrap_or(below).starts_with(b"/") {
        out.push(b'/');
    }
    let below = allowed.caller().carried().cut_from(below, head.target());
    match (&chosen.target().query, chosen.shape()) {
        // Steps do not change the target of a SOAP service, and only such a service has a query.
        (Some(own), _) => own.push_target(out, &below),
        (None, None) => out.extend_from_slice(&below),
        (None, Some(shape)) => push_target(out, &shape.edits, &below),
    }
}

/// Appends the field lines of a request after those of the upstream's configuration.
fn push_fields(
    chosen: &Chosen<'_, '_>,
    exchange: &Exchange<'_>,
    out: &mut Vec<u8>,
) -> Result<(), Refused> {
    let admitted = chosen.admitted();
    let (allowed, edits) = (admitted.allowed(), &admitted.mediation().head);
    match allowed.routed().version().served.identity {
        Identity::None => {}
        Identity::Headers => identity::push_fields(out, allowed),
        // A response to TRACE could show it to the caller, as it could the credential below.
        Identity::Jwt if admitted.method() == Method::Trace => {}
        Identity::Jwt => identity::push_jwt(out, allowed, &chosen.target().served, exchange)?,
    }
    if let Some(presented) = &chosen.upstream().credential
        // The response could show it to the caller (RFC 9110, section 9.3.8).
        && admitted.method() != Method::Trace
    {
        out.extend_from_slice(presented.line());
    }
    push_passed(out, exchange, chosen);
    if let Some(shape) = chosen.shape() {
        let lines = exchange.head().lines();
        shape.push_fields(out, lines, edits.passed, chosen.method());
    }
    push_forwarding(out, exchange);
    Ok(())
}

/// Appends the forwarded field lines.
fn push_passed(out: &mut Vec<u8>, exchange: &Exchange<'_>, chosen: &Chosen<'_, '_>) {
    let (admitted, lines) = (chosen.admitted(), exchange.head().lines());
    let credentials = admitted.allowed().caller().carried().lines(lines);
    let reading = &admitted.allowed().routed().version().served.reading;
    let rules = RequestRules {
        fields: match admitted.mediation().head.passed {
            Passed::All => Fields::All,
            Passed::Trace => Fields::Trace,
        },
        decides_cors: exchange.decides_cors(),
        overrides: reading.method_override,
        presented: chosen.upstream().credential.as_ref().map(Presented::name),
    };
    let mut has_session = false;
    lines.push(out, |line| {
        if let Some(shape) = chosen.shape()
            && shape.hides_field(line.name(), chosen.method())
        {
            return false;
        }
        let forwarded = rules.judge(RequestField {
            name: line.name(),
            class: field_class(line.known),
            is_named_hop: line.is_named_hop,
            is_credential: credentials.contains(&line.line),
            has_session: line.known == Known::Cookie && session_cookie::names_session(line.value()),
        });
        has_session |= forwarded == Forwarded::WithoutSession;
        forwarded == Forwarded::Whole
    });
    if has_session {
        session_cookie::push_others(out, lines);
    }
}

/// Replaces the forwarding fields, since callers are not trusted with them; those of trusted
/// proxies are kept.
fn push_forwarding(out: &mut Vec<u8>, exchange: &Exchange<'_>) {
    let head = exchange.head();
    exchange.peer().push_forwarding(head, out);
    if let Some(host) = head.lines().first(Known::Host) {
        push_field(out, "x-forwarded-host", host);
    }
    push_field(out, "x-request-id", exchange.id().bytes());
}
