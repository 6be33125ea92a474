//! JSON documents that are rendered once and shared by all requests.

use axum::body::Bytes;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use tollgate_tokens::jwt::digest;

/// A document with its entity tag; the control plane's frame answers conditional requests with 304.
/// The documents are smaller than a packet, so they are not compressed.
#[derive(Debug)]
pub(crate) struct Made {
    bytes: Bytes,
    tag: HeaderValue,
}

impl Made {
    /// Renders a value.
    pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<Self> {
        let bytes = serde_json::to_vec(value)?;
        let digest = URL_SAFE_NO_PAD.encode(digest(&bytes));
        let tag = HeaderValue::try_from(format!("\"{digest}\""));
        Ok(Self {
            bytes: bytes.into(),
            tag: tag.expect("letters, digits, hyphens and quotes"),
        })
    }

    pub(crate) fn answer(&self) -> impl IntoResponse + use<> {
        let fields = [
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            ),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (header::ETAG, self.tag.clone()),
        ];
        (fields, self.bytes.clone())
    }
}
