//! `mediate`: the request as the upstream gets it, and the answer as the caller gets it.
//!
//! It writes by the operation's [mediation](crate::mediation). Heads are copied in runs; what
//! belongs to one connection stays there (RFC 9110, section 7.6), the credential stays here, and
//! what proxies tell each other is written anew.
//!
//! - `whole.rs`: messages that are read whole and become others; `soap.rs`: REST callers of a SOAP
//!   back end

mod soap;
pub(crate) mod whole;

use tollgate_http1::compose::{push_field, push_length};
use tollgate_http1::framing::Framing;
use tollgate_http1::head::Known;
use tollgate_http1::relay::Coding;
use tollgate_http1::view::{Line, Lines, Response};
use tollgate_model::refusal::Refusal;

use crate::admit::Admitted;
use crate::answer_head::AnswerHead;
use crate::authenticate::Caller;
use crate::exchange::Exchange;
use crate::mediation::{Passed, TargetEdit};
use crate::refusal::Refused;
use crate::session_cookie;
use crate::upstream::Chosen;

/// What a request comes of: the admitted call, and the target that it goes to.
type Call<'c> = (&'c Admitted<'c>, Chosen<'c>);

/// Writes the head of the upstream's request to `out`, where its body is the caller's; how that is
/// framed.
pub(crate) fn request(
    call: Call<'_>,
    exchange: &Exchange<'_>,
    bytes_max: u64,
    out: &mut Vec<u8>,
) -> Result<Coding, Refused> {
    let head = exchange.head();
    if matches!(head.framing, Framing::Length(length) if length > bytes_max) {
        return Err(Refusal::BodyTooLarge.into());
    }
    push_head(call, exchange, out);
    let coding = match head.framing {
        Framing::Chunked => {
            push_field(out, "transfer-encoding", b"chunked");
            Coding::Chunked { trailers: false }
        }
        Framing::Length(length) => {
            push_length(out, length);
            Coding::Plain
        }
        Framing::None | Framing::UntilClose => {
            // A body of no bytes is still one, where the method expects it.
            if head.lines().first(Known::ContentLength).is_some() {
                push_length(out, 0);
            }
            Coding::Plain
        }
    };
    if head.takes_trailers {
        push_field(out, "te", b"trailers");
        // TE is for the next hop alone, and must say so (RFC 9110, section 10.1.4).
        push_field(out, "connection", b"te");
    }
    out.extend_from_slice(b"\r\n");
    Ok(coding)
}

/// Writes the head of the upstream's request to `out`, but for what frames its body.
fn push_head((admitted, chosen): Call<'_>, exchange: &Exchange<'_>, out: &mut Vec<u8>) {
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
    out.extend_from_slice(below);
    out.extend_from_slice(b" HTTP/1.1\r\n");
    push_field(out, "host", target.authority.as_bytes());
    out.extend_from_slice(&edits.set);
    push_passed(out, head.lines(), (allowed.caller(), edits.passed));
    push_forwarding(out, exchange);
}

/// The field lines that go on: the caller's credential does not, nor the control plane's session.
fn push_passed(out: &mut Vec<u8>, lines: Lines<'_>, (caller, passed): (&Caller, Passed)) {
    let credential = caller.carried().line(lines);
    let mut has_session = false;
    lines.push(out, |line| {
        if line.is_named_hop || line.line == credential {
            return false;
        }
        match line.known {
            Known::Other if passed == Passed::Trace => is_trace(line),
            _ if passed == Passed::Trace => false,
            Known::Other | Known::RateLimit => true,
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

/// Writes the caller's answer head to `out`; how its body is framed.
pub(crate) fn response(
    admitted: &Admitted<'_>,
    exchange: &mut Exchange<'_>,
    response: Response<'_>,
    out: &mut Vec<u8>,
) -> Coding {
    let mut head = AnswerHead::passed(out, response);
    admitted.push_fields(head.out());
    let coding = match response.framing {
        Framing::Length(length) => {
            head.length(length);
            Coding::Plain
        }
        Framing::None => {
            push_announced_length(&mut head, response, exchange.is_head());
            Coding::Plain
        }
        Framing::Chunked | Framing::UntilClose if exchange.takes_chunks() => {
            head.field("transfer-encoding", b"chunked");
            Coding::Chunked {
                trailers: exchange.takes_trailers(),
            }
        }
        Framing::Chunked | Framing::UntilClose => {
            exchange.end_after();
            Coding::Plain
        }
    };
    exchange.end_head(head);
    coding
}

/// The length of an answer without a body: none for 204, zero for an empty one, and what the
/// upstream announced for `HEAD` and 304 (RFC 9110, section 8.6).
fn push_announced_length(head: &mut AnswerHead<'_>, response: Response<'_>, is_head: bool) {
    match response.lines().first(Known::ContentLength) {
        Some(length) if response.status != 204 => head.field("content-length", length),
        None if !matches!(response.status, 204 | 304) && !is_head => head.length(0),
        _ => {}
    }
}
