//! `mediate`: the request as the upstream gets it, and the answer as the caller gets it.
//!
//! Heads are copied in runs; what belongs to one connection stays there (RFC 9110, section 7.6),
//! the credential stays here, and what proxies tell each other is written anew. `cookie.rs` keeps
//! the control plane's session from upstreams.

mod cookie;
pub(crate) mod soap;

use tollgate_http1::client::Client;
use tollgate_http1::compose::{push_field, push_fields, push_length, push_status};
use tollgate_http1::framing::Framing;
use tollgate_http1::head::{Field, Known};
use tollgate_http1::relay::Coding;
use tollgate_http1::socket::Socket;
use tollgate_model::refusal::Refusal;

use crate::admit::Admitted;
use crate::exchange::Exchange;
use crate::refusal::Refused;

/// Writes the upstream's request head to `out`; how its body is framed.
pub(crate) fn request(
    admitted: &Admitted<'_>,
    exchange: &Exchange<'_>,
    bytes_max: u64,
    out: &mut Vec<u8>,
) -> Result<Coding, Refused> {
    let allowed = admitted.allowed();
    let (head, bytes) = (&exchange.server.head, exchange.server.head_bytes());
    if matches!(head.framing, Framing::Length(length) if length > bytes_max) {
        return Err(Refusal::BodyTooLarge.into());
    }
    let (target, version) = (&allowed.target().served, allowed.routed().version());
    let resource = allowed.routed().resource().of_bytes(bytes);
    out.extend_from_slice(allowed.routed().method().word().as_bytes());
    out.push(b' ');
    out.extend_from_slice(target.base_path.as_bytes());
    if !resource.starts_with(b"/") && (version.service.is_none() || target.base_path.is_empty()) {
        out.push(b'/');
    }
    out.extend_from_slice(resource);
    out.extend_from_slice(b" HTTP/1.1\r\n");
    push_field(out, "host", target.authority.as_bytes());
    let credential = head.fields.lines[allowed.caller().credential()].line;
    let mut has_session = false;
    let passes = |field: &Field| {
        if field.is_named_hop || field.line == credential {
            return false;
        }
        match field.known {
            Known::Other | Known::RateLimit => true,
            Known::Cookie => {
                let names_session = cookie::names_session(field.value.of_bytes(bytes));
                has_session |= names_session;
                !names_session
            }
            _ => false,
        }
    };
    push_fields(out, bytes, &head.fields, passes);
    if has_session {
        cookie::push_others(out, bytes, &head.fields);
    }
    push_forwarding(out, exchange);
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
            if head.fields.first(Known::ContentLength).is_some() {
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

/// Who called and as what: written anew, since callers are not trusted with it; what trusted
/// proxies say is kept.
fn push_forwarding(out: &mut Vec<u8>, exchange: &Exchange<'_>) {
    let (head, bytes) = (&exchange.server.head, exchange.server.head_bytes());
    exchange.peer.push_forwarding(head, bytes, out);
    if let Some(host) = head.fields.first(Known::Host) {
        push_field(out, "x-forwarded-host", host.value.of_bytes(bytes));
    }
    push_field(out, "x-request-id", exchange.request.bytes());
}

/// Writes the caller's answer head to `out`; how its body is framed.
pub(crate) fn response<S: Socket>(
    admitted: &Admitted<'_>,
    exchange: &mut Exchange<'_>,
    client: &Client<S>,
    out: &mut Vec<u8>,
) -> Coding {
    let (head, bytes) = (&client.head, client.head_bytes());
    push_status(out, head.status, head.reason.of_bytes(bytes));
    push_passed(out, client);
    push_field(out, "x-request-id", exchange.request.bytes());
    admitted.push_fields(out);
    let coding = match head.framing {
        Framing::Length(length) => {
            push_length(out, length);
            Coding::Plain
        }
        Framing::None => {
            push_announced_length(out, client, exchange.is_head());
            Coding::Plain
        }
        Framing::Chunked | Framing::UntilClose if exchange.takes_chunks() => {
            push_field(out, "transfer-encoding", b"chunked");
            Coding::Chunked {
                trailers: exchange.server.head.takes_trailers,
            }
        }
        Framing::Chunked | Framing::UntilClose => {
            exchange.end_after();
            Coding::Plain
        }
    };
    if !exchange.goes_on() {
        exchange.end_after();
        push_field(out, "connection", b"close");
    }
    out.extend_from_slice(b"\r\n");
    coding
}

/// Writes an interim answer (RFC 9110, section 15.2) as it came.
pub(crate) fn interim<S: Socket>(client: &Client<S>, out: &mut Vec<u8>) {
    push_status(
        out,
        client.head.status,
        client.head.reason.of_bytes(client.head_bytes()),
    );
    push_passed(out, client);
    out.extend_from_slice(b"\r\n");
}

fn push_passed<S: Socket>(out: &mut Vec<u8>, client: &Client<S>) {
    let bytes = client.head_bytes();
    let passes = |field: &Field| {
        matches!(field.known, Known::Other | Known::Cookie)
            && !field.is_named_hop
            && !cookie::sets_session(field, bytes)
    };
    push_fields(out, bytes, &client.head.fields, passes);
}

/// The length of an answer without a body: none for 204, zero for an empty one, and what the
/// upstream announced for `HEAD` and 304 (RFC 9110, section 8.6).
fn push_announced_length<S: Socket>(out: &mut Vec<u8>, client: &Client<S>, is_head: bool) {
    let head = &client.head;
    match head.fields.first(Known::ContentLength) {
        Some(field) if head.status != 204 => {
            let length = field.value.of_bytes(client.head_bytes());
            push_field(out, "content-length", length);
        }
        None if head.status != 204 && head.status != 304 && !is_head => push_length(out, 0),
        _ => {}
    }
}
