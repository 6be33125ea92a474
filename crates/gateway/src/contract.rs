//! The documents of a SOAP service's contract, as the snapshot has them: with this gateway's
//! addresses, for everybody who may know the service's path.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tollgate_model::feed::{ASKED_GATEWAY, ServedDocument};

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
    let (text, etag) = as_asked(document, exchange);
    let is_known = knows(exchange, &etag);
    let status = if is_known { 304 } else { 200 };
    record.status(status);
    exchange.begin_body();
    let mut head = AnswerHead::own(out, status);
    if !is_known {
        head.field("content-type", b"text/xml; charset=utf-8");
        head.length(text.len() as u64);
    }
    head.field("etag", etag.as_bytes());
    head.field("cache-control", b"no-cache");
    exchange.end_head(head);
    let body = if is_known || exchange.is_head() {
        &[]
    } else {
        text.as_bytes()
    };
    exchange.give(out, body, record).await;
    Ok(())
}

/// A document and its entity tag, with the URL by which this gateway was asked where the document
/// names it.
fn as_asked<'d>(
    document: &'d ServedDocument,
    exchange: &Exchange<'_>,
) -> (Cow<'d, str>, Cow<'d, str>) {
    if !document.text.contains(ASKED_GATEWAY) {
        return (Cow::Borrowed(&document.text), Cow::Borrowed(&document.etag));
    }
    let url = exchange.peer().asked_url(exchange.head());
    let mut hasher = DefaultHasher::new();
    url.hash(&mut hasher);
    let etag = document.etag.trim_end_matches('"');
    let etag = format!("{etag}-{:016x}\"", hasher.finish());
    let text = document.text.replace(ASKED_GATEWAY, &url);
    (Cow::Owned(text), Cow::Owned(etag))
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
