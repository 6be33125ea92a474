//! Answers that are the same for everybody as long as the process runs: made once, plain and
//! compressed, and shared by all who read them, however slowly.

use std::io::{self, Write as _};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::pages::names;

/// A document in JSON. Its entity tags let caches ask whether it has changed (RFC 9110, section
/// 13.1.2); `frame` answers that it has not.
#[derive(Debug)]
pub(crate) struct Constant {
    plain: Form,
    gzip: Form,
}

/// One of the forms of a document, each with a tag of its own (RFC 9110, section 8.8.3.3).
#[derive(Debug)]
struct Form {
    bytes: Bytes,
    tag: HeaderValue,
}

impl Constant {
    /// The document of a value.
    ///
    /// # Errors
    /// The value does not become JSON.
    pub(crate) fn json(value: &impl Serialize) -> io::Result<Self> {
        let plain = serde_json::to_vec(value)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(&plain)?;
        let gzip = gzip.finish()?;
        Ok(Self {
            plain: Form::new(plain),
            gzip: Form::new(gzip),
        })
    }

    /// The document in the form that a request with these headers takes.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        let takes_gzip = names(headers, header::ACCEPT_ENCODING, "gzip");
        let form = if takes_gzip { &self.gzip } else { &self.plain };
        let fields = [
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            ),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (header::VARY, HeaderValue::from_static("Accept-Encoding")),
            (header::ETAG, form.tag.clone()),
        ];
        let mut answer = (fields, Body::from(form.bytes.clone())).into_response();
        if takes_gzip {
            let gzip = HeaderValue::from_static("gzip");
            answer.headers_mut().insert(header::CONTENT_ENCODING, gzip);
        }
        answer
    }
}

impl Form {
    fn new(bytes: Vec<u8>) -> Self {
        let digest = Sha256::digest(&bytes);
        let digits = digest.iter().take(16).map(|byte| format!("{byte:02x}"));
        let tag = format!("\"{}\"", digits.collect::<String>());
        Self {
            bytes: bytes.into(),
            tag: HeaderValue::try_from(tag).expect("hexadecimal digits in quotes"),
        }
    }
}
