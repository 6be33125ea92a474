//! The documents of a SOAP service's contract, as the snapshot has them: with this gateway's
//! addresses, for everybody who may know the service's path.

use tollgate_http1::compose::{push_field, push_length, push_status};
use tollgate_http1::head::Known;
use tollgate_model::feed::ServedDocument;

use crate::exchange::{Exchange, Failure};
use crate::record::Note;

/// Answers with a document, or says that the caller's copy is the same (RFC 9110, section 13.1.2).
pub(crate) async fn give(
    document: &ServedDocument,
    exchange: &mut Exchange<'_>,
    out: &mut Vec<u8>,
    note: &mut Note,
) -> Result<(), Failure> {
    let is_known = knows(exchange, &document.etag);
    let status = if is_known { 304 } else { 200 };
    note.status(status);
    exchange.server.begin_body();
    if is_known {
        push_status(out, status, b"Not Modified");
    } else {
        push_status(out, status, b"OK");
        push_field(out, "content-type", b"text/xml; charset=utf-8");
        push_length(out, document.text.len() as u64);
    }
    push_field(out, "etag", document.etag.as_bytes());
    push_field(out, "cache-control", b"no-cache");
    push_field(out, "x-request-id", exchange.request.bytes());
    if !exchange.goes_on() {
        exchange.end_after();
        push_field(out, "connection", b"close");
    }
    out.extend_from_slice(b"\r\n");
    let body = if is_known || exchange.is_head() {
        &[]
    } else {
        document.text.as_bytes()
    };
    exchange.give(out, body, note).await;
    Ok(())
}

/// Whether `If-None-Match` names this entity tag, or any.
fn knows(exchange: &Exchange<'_>, etag: &str) -> bool {
    let (head, bytes) = (&exchange.server.head, exchange.server.head_bytes());
    let fields = head.fields.lines.iter();
    let mut fields = fields.filter(|field| {
        field.known == Known::Other
            && field
                .name
                .of_bytes(bytes)
                .eq_ignore_ascii_case(b"if-none-match")
    });
    fields.any(|field| {
        let mut tags = field.value.of_bytes(bytes).split(|&byte| byte == b',');
        tags.any(|tag| {
            let tag = tag.trim_ascii();
            let tag = tag.strip_prefix(b"W/").unwrap_or(tag);
            tag == b"*" || tag == etag.as_bytes()
        })
    })
}
