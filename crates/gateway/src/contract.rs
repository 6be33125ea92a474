//! The documents of a SOAP service's contract, as the snapshot has them: with this gateway's
//! addresses, for everybody who may know the service's path.

use tollgate_model::feed::ServedDocument;

use crate::answer_head::AnswerHead;
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;

/// Answers with a document, or says that the caller's copy is the same (RFC 9110, section 13.1.2).
pub(crate) async fn give(
    document: &ServedDocument,
    exchange: &mut Exchange<'_>,
    out: &mut Vec<u8>,
    record: &mut RecordBuilder,
) -> Result<(), Failure> {
    let is_known = knows(exchange, &document.etag);
    let status = if is_known { 304 } else { 200 };
    record.status(status);
    exchange.begin_body();
    let mut head = AnswerHead::own(out, status);
    if !is_known {
        head.field("content-type", b"text/xml; charset=utf-8");
        head.length(document.text.len() as u64);
    }
    head.field("etag", document.etag.as_bytes());
    head.field("cache-control", b"no-cache");
    exchange.end_head(head);
    let body = if is_known || exchange.is_head() {
        &[]
    } else {
        document.text.as_bytes()
    };
    exchange.give(out, body, record).await;
    Ok(())
}

/// Whether `If-None-Match` names this entity tag, or any.
fn knows(exchange: &Exchange<'_>, etag: &str) -> bool {
    let lines = exchange.head().lines();
    lines.named(b"if-none-match").any(|value| {
        let mut tags = value.split(|&byte| byte == b',');
        tags.any(|tag| {
            let tag = tag.trim_ascii();
            let tag = tag.strip_prefix(b"W/").unwrap_or(tag);
            tag == b"*" || tag == etag.as_bytes()
        })
    })
}
