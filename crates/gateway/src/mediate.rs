//! `mediate`: the request as the upstream gets it, and the answer as the caller gets it.
//!
//! It writes by the operation's [mediation](crate::mediation). Heads are copied in runs; what
//! belongs to one connection stays there (RFC 9110, section 7.6), the credential stays here, and
//! what proxies tell each other is written anew.
//!
//! - `identity.rs`: the caller's identity, as fields or a JWT for the upstream
//! - `whole.rs`: messages that are read whole and become others; `soap.rs`: REST callers of a SOAP
//!   back end

mod identity;
mod soap;
pub(crate) mod whole;

use tollgate_http1::compose::push_field;
use tollgate_http1::head::Known;
use tollgate_http1::view::{Line, Response};
use tollgate_model::api::Method;
use tollgate_model::path::MethodOverride;
use tollgate_model::refusal::Refusal;
use tollgate_model::security::Identity;

use crate::admit::Admitted;
use crate::answer_head::AnswerHead;
use crate::connection::BodyLength;
use crate::exchange::Exchange;
use crate::mediation::{Passed, TargetEdit};
use crate::refusal::Refused;
use crate::session_cookie;
use crate::upstream::Chosen;
use crate::worker::Worker;

/// What a request comes of: the admitted call, and the target that it goes to.
type Call<'c> = (&'c Admitted<'c>, Chosen<'c>);

/// Writes the head of the upstream's request to `out`, where its body is the caller's.
pub(crate) fn request(
    call: Call<'_>,
    (exchange, worker): (&Exchange<'_>, &Worker),
    bytes_max: u64,
    out: &mut Vec<u8>,
) -> Result<(), Refused> {
    if matches!(exchange.body_length(), BodyLength::Known(bytes) if bytes > bytes_max) {
        return Err(Refusal::BodyTooLarge.into());
    }
    push_head(call, (exchange, worker), out)
}

/// Writes that head, but for what frames the body.
fn push_head(
    (admitted, chosen): Call<'_>,
    (exchange, worker): (&Exchange<'_>, &Worker),
    out: &mut Vec<u8>,
) -> Result<(), Refused> {
    let (allowed, head) = (admitted.allowed(), exchange.head());
    let (target, edits) = (&chosen.target().served, &admitted.mediation().head);
    let routed = allowed.routed();
    out.extend_from_slice(admitted.method().word().as_bytes());
    out.push(b' ');
    out.extend_from_slice(target.base_path.as_bytes());
    let below = match edits.target {
        TargetEdit::Below | TargetEdit::Query => routed.resource(head),
        TargetEdit::None => b"",
    };
    let needs_slash = edits.target == TargetEdit::Below || target.base_path.is_empty();
    if needs_slash && !below.starts_with(b"/") {
        out.push(b'/');
    }
    let below = allowed.caller().carried().cut_from(below, head.target());
    out.extend_from_slice(&below);
    out.extend_from_slice(b" HTTP/1.1\r\n");
    push_field(out, "host", target.authority.as_bytes());
    out.extend_from_slice(&edits.set);
    let served = &routed.version().served;
    match served.identity {
        Identity::None => {}
        Identity::Headers => identity::push_fields(out, allowed),
        // The answer to a TRACE may show it to the caller, as it may the credential below.
        Identity::Jwt if admitted.method() == Method::Trace => {}
        Identity::Jwt => {
            let kept = (&worker.identities, exchange.began_us());
            let between = (worker.settings.issuer(), target);
            identity::push_jwt(out, allowed, (between, served), kept)?;
        }
    }
    if let Some(presented) = &chosen.upstream().credential
        // Whose answer may show it to the caller (RFC 9110, section 9.3.8).
        && admitted.method() != Method::Trace
    {
        out.extend_from_slice(presented.line());
    }
    push_passed(out, exchange, (admitted, chosen));
    push_forwarding(out, exchange);
    Ok(())
}

/// The field lines that go on. Left out are the caller's credential, the control plane's session, a
/// method beside that of the request line, what the upstream could take for the gateway's
/// credential, and the portal's origin, which the gateway has judged.
fn push_passed(out: &mut Vec<u8>, exchange: &Exchange<'_>, (admitted, chosen): Call<'_>) {
    let lines = exchange.head().lines();
    let passed = admitted.mediation().head.passed;
    let credentials = admitted.allowed().caller().carried().lines(lines);
    let presented = chosen.upstream().credential.as_ref();
    let reading = &admitted.allowed().routed().version().served.reading;
    let mut has_session = false;
    lines.push(out, |line| {
        if line.is_named_hop || credentials.contains(&line.line) || identity::is_named(line) {
            return false;
        }
        if presented.is_some_and(|presented| presented.is_named_as(line)) {
            return false;
        }
        match line.known {
            Known::Other if passed == Passed::Trace => is_trace(line),
            _ if passed == Passed::Trace => false,
            Known::Other | Known::RateLimit => true,
            Known::Origin => !exchange.is_for_portal(),
            Known::MethodOverride => reading.method_override == MethodOverride::Pass,
            Known::Cookie => {
                let names_session = session_cookie::names_session(line.value());
                has_session |= names_session;
                !names_session
            }
            _ => false,
        }
    });
    if has_session {
        session_cookie::push_others(out, lines);
    }
}

/// Whether a field is of the trace (W3C Trace Context).
fn is_trace(line: Line<'_>) -> bool {
    line.is(b"traceparent") || line.is(b"tracestate")
}

/// Who called and as what: written anew, since callers are not trusted with it; what trusted
/// proxies say is kept.
fn push_forwarding(out: &mut Vec<u8>, exchange: &Exchange<'_>) {
    let head = exchange.head();
    exchange.peer().push_forwarding(head, out);
    if let Some(host) = head.lines().first(Known::Host) {
        push_field(out, "x-forwarded-host", host);
    }
    push_field(out, "x-request-id", exchange.id().bytes());
}

/// Writes the caller's answer head to `out`.
pub(crate) fn response(
    admitted: &Admitted<'_>,
    exchange: &mut Exchange<'_>,
    response: Response<'_>,
    out: &mut Vec<u8>,
) {
    let mut head = AnswerHead::passed(out, response, exchange.is_for_portal());
    admitted.push_fields(head.out());
    exchange.end_passed_head(head, response);
}
