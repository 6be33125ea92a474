//! Documents that are the same for all who may read them: made once, plain and compressed, and
//! shared by their readers, however slow.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::sync::Semaphore;

use crate::cache::{Cache, Weight};
use crate::contracts::digest;
use crate::error::Problem;
use crate::headers::names;

/// Characters of an entity tag.
const TAG_DIGITS: usize = 32;

/// Documents that are made at a time: each takes a thread and tens of megabytes while it lasts.
const MADE_MAX: usize = 2;
/// Memory of the documents that are kept for the next reader.
const KEPT_BYTES_MAX: usize = 32 << 20;

/// Documents of versions, by their tags.
#[derive(Debug)]
pub(crate) struct Documents {
    kept: Mutex<Cache<Tag, Constant>>,
    turns: Semaphore,
}

impl Documents {
    /// No documents yet.
    pub(crate) fn new() -> Self {
        Self {
            kept: Mutex::new(Cache::new(KEPT_BYTES_MAX)),
            turns: Semaphore::const_new(MADE_MAX),
        }
    }

    /// Answers a request for a document: with 304 if the caller has it, otherwise with the one that
    /// is kept, otherwise with what `make` makes.
    pub(crate) async fn answer(
        &self,
        (tag, media_type): (Tag, &'static str),
        headers: &HeaderMap,
        make: impl Future<Output = Result<String, Problem>>,
    ) -> Result<Response, Problem> {
        if tag.is_known(headers) {
            return Ok(tag.unchanged(headers));
        }
        if let Some(kept) = self.kept().get(&tag) {
            return Ok(kept.answer(headers));
        }
        let _turn = self.turns.acquire().await;
        // Another reader may have had it made meanwhile.
        if let Some(kept) = self.kept().get(&tag) {
            return Ok(kept.answer(headers));
        }
        let text = make.await?.into_bytes();
        let key = tag.clone();
        let making = move || Constant::new(media_type, tag, text).map(Constant::private);
        let making = tokio::task::spawn_blocking(making).await;
        let made = making.map_err(|error| Problem::internal(&error))?;
        let made = Arc::new(made.map_err(|error| Problem::internal(&error))?);
        self.kept().insert(key, &made);
        Ok(made.answer(headers))
    }

    fn kept(&self) -> MutexGuard<'_, Cache<Tag, Constant>> {
        // Each change is whole, so a panic elsewhere leaves the table right.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A document with its entity tags, by which caches ask whether it has changed (RFC 9110, section
/// 13.1.2); `frame` answers that it has not.
#[derive(Debug)]
pub(crate) struct Constant {
    media_type: &'static str,
    cache_control: &'static str,
    tag: Tag,
    plain: Bytes,
    gzip: Bytes,
}

/// The version of a document. Its entity tag differs by form (RFC 9110, section 8.8.3.3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Tag(String);

impl Tag {
    /// The tag of what depends on these parts alone.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self(digest(parts)[..TAG_DIGITS].to_owned())
    }

    /// Whether a request with these headers has the document already.
    pub(crate) fn is_known(&self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(header::IF_NONE_MATCH).iter();
        let values = values.filter_map(|value| value.to_str().ok());
        let mut known = values.flat_map(|value| value.split(',')).map(str::trim);
        let tag = self.entity(takes_gzip(headers));
        known.any(|it| it == "*" || it.trim_start_matches("W/") == tag)
    }

    /// The answer to a request that has the document already.
    pub(crate) fn unchanged(&self, headers: &HeaderMap) -> Response {
        let tag = header_value(self.entity(takes_gzip(headers)));
        (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response()
    }

    fn entity(&self, is_gzip: bool) -> String {
        let Self(digits) = self;
        match is_gzip {
            true => format!("\"{digits}-gzip\""),
            false => format!("\"{digits}\""),
        }
    }
}

impl Constant {
    /// A document for everybody.
    ///
    /// # Errors
    /// Compression failed.
    pub(crate) fn new(media_type: &'static str, tag: Tag, plain: Vec<u8>) -> io::Result<Self> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&plain)?;
        Ok(Self {
            media_type,
            cache_control: "no-cache",
            tag,
            plain: plain.into(),
            gzip: gzip.finish()?.into(),
        })
    }

    /// The document, for callers who may see it alone.
    pub(crate) fn private(self) -> Self {
        Self {
            cache_control: "private, no-cache",
            ..self
        }
    }

    /// The document in the form that a request with these headers takes.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        let takes_gzip = takes_gzip(headers);
        let body = if takes_gzip { &self.gzip } else { &self.plain };
        let fields = [
            (
                header::CONTENT_TYPE,
                HeaderValue::from_static(self.media_type),
            ),
            (
                header::CACHE_CONTROL,
                HeaderValue::from_static(self.cache_control),
            ),
            (header::VARY, HeaderValue::from_static("Accept-Encoding")),
            (header::ETAG, header_value(self.tag.entity(takes_gzip))),
        ];
        let mut answer = (fields, Body::from(body.clone())).into_response();
        if takes_gzip {
            let gzip = HeaderValue::from_static("gzip");
            answer.headers_mut().insert(header::CONTENT_ENCODING, gzip);
        }
        answer
    }
}

impl Weight for Constant {
    fn bytes(&self) -> usize {
        self.plain.len() + self.gzip.len()
    }
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    names(headers, header::ACCEPT_ENCODING, "gzip")
}

fn header_value(tag: String) -> HeaderValue {
    HeaderValue::try_from(tag).expect("hexadecimal digits in quotes")
}
