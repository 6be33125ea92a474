//! Public documents of a version: those of a SOAP service's contract, with this gateway's
//! addresses, and the OAuth2 protected resource metadata (RFC 9728).

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::json;
use tollgate_model::feed::{ASKED_GATEWAY, ServedDocument};

use crate::exchange::Exchange;
use crate::reply::{Body, Reply};
use crate::route::Document;
use crate::snapshot::version::Version;

/// Responds with a document, or with 304 if the client's copy is current (RFC 9110, section
/// 13.1.2).
pub(crate) fn reply<'d>(document: Document<'d>, exchange: &Exchange<'_>) -> Reply<'d> {
    let (media_type, (text, etag)) = match document {
        Document::Contract(document) => (
            "text/xml; charset=utf-8",
            with_requested_url(document, exchange),
        ),
        Document::ProtectedResource(version) => ("application/json", metadata(version, exchange)),
    };
    let is_current = has_current_copy(exchange, &etag);
    let status = if is_current { 304 } else { 200 };
    let mut reply = Reply::own(status, exchange.worker().buffer_pool.scratch());
    reply.push_field("etag", etag.as_bytes());
    reply.push_field("cache-control", b"no-cache");
    if is_current {
        return reply;
    }
    reply.push_field("content-type", media_type.as_bytes());
    reply.with_body(Body::Bytes(match text {
        Cow::Borrowed(text) => text.as_bytes().into(),
        Cow::Owned(text) => text.into_bytes().into(),
    }))
}

/// The protected resource metadata of a version (RFC 9728, section 2) and its entity tag.
fn metadata<'d>(version: &Version, exchange: &Exchange<'_>) -> (Cow<'d, str>, Cow<'d, str>) {
    let (served, settings) = (&version.served, &exchange.worker().settings);
    let tokens = settings.tokens.as_ref();
    let issuers = tokens.iter().map(|tokens| &tokens.issuer);
    let resource = match tokens {
        Some(tokens) => tokens.resource(served),
        None => {
            let gateway = exchange.public_url();
            format!("{gateway}{}/{}", served.context, served.name)
        }
    };
    let mut metadata = json!({
        "resource": resource,
        "authorization_servers": issuers.collect::<Vec<_>>(),
        "scopes_supported": served.security.scopes,
        "bearer_methods_supported": ["header"],
    });
    // Section 3.2: members without values are omitted.
    if let Some(members) = metadata.as_object_mut() {
        members.retain(|_, value| value.as_array().is_none_or(|list| !list.is_empty()));
    }
    let text = metadata.to_string();
    let etag = format!("\"{:016x}\"", hash(&text));
    (Cow::Owned(text), Cow::Owned(etag))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A document and its entity tag, with the gateway URL of the request inserted.
fn with_requested_url<'d>(
    document: &'d ServedDocument,
    exchange: &Exchange<'_>,
) -> (Cow<'d, str>, Cow<'d, str>) {
    if !document.text.contains(ASKED_GATEWAY) {
        return (Cow::Borrowed(&document.text), Cow::Borrowed(&document.etag));
    }
    let url = exchange.peer().requested_url(exchange.head());
    let etag = document.etag.trim_end_matches('"');
    let etag = format!("{etag}-{:016x}\"", hash(&url));
    let text = document.text.replace(ASKED_GATEWAY, &url);
    (Cow::Owned(text), Cow::Owned(etag))
}

/// Whether `If-None-Match` contains this entity tag or `*`.
fn has_current_copy(exchange: &Exchange<'_>, etag: &str) -> bool {
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
