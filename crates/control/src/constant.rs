//! Documents that are the same for every caller who may read them: generated once, compressed once
//! per content coding that a client accepts, and shared between responses.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tollgate_openapi::{Index, PublishedDocument};

use crate::cache::{Cache, Weight};
use crate::contracts::digest;
use crate::error::Problem;
use crate::headers::names;

/// Characters of an entity tag.
const TAG_DIGITS: usize = 32;

/// Maximum number of documents that are generated or compressed at a time: each takes a thread and
/// tens of megabytes.
const MADE_MAX: usize = 2;
/// Maximum memory of cached documents, including their compressed forms and indexes.
const KEPT_BYTES_MAX: usize = 64 << 20;

/// Only the caller's own cache may keep a document, and revalidates it for each use.
const PRIVATE: &str = "private, no-cache";

/// Brotli quality, out of 11. Compresses 12 MiB in well under a second, and better than gzip.
const BROTLI_QUALITY: i32 = 5;

/// A permit to generate a document.
pub(crate) type Turn = OwnedSemaphorePermit;

/// A cache of versions' documents and of parts of them, keyed by their tags.
#[derive(Debug)]
pub(crate) struct Documents {
    kept: Mutex<Cache<Tag, Constant>>,
    turns: Arc<Semaphore>,
    /// Separate from `turns`, so that a small part does not wait for a large document.
    compressions: Arc<Semaphore>,
}

impl Documents {
    /// Creates an empty cache.
    pub(crate) fn new() -> Self {
        Self {
            kept: Mutex::new(Cache::new(KEPT_BYTES_MAX)),
            turns: Arc::new(Semaphore::new(MADE_MAX)),
            compressions: Arc::new(Semaphore::new(MADE_MAX)),
        }
    }

    /// Responds with 304 if the caller has the document, otherwise with the cached document or the
    /// one that `make` returns.
    pub(crate) async fn answer(
        &self,
        tag: &Tag,
        headers: &HeaderMap,
        make: impl Future<Output = Result<Arc<Constant>, Problem>>,
    ) -> Result<Response, Problem> {
        if tag.is_known(headers) {
            return Ok(tag.unchanged(headers));
        }
        let kept = self.kept().get(tag);
        let made = match kept {
            Some(kept) => kept,
            None => make.await?,
        };
        if !made.is_ready(headers) {
            self.compress(tag, &made, headers).await?;
        }
        made.answer(headers)
            .map_err(|error| Problem::internal(&error))
    }

    /// Returns the cached document, or generates and caches it, at most `MADE_MAX` at a time:
    /// `make` holds its turn until the work has ended, even if the client disconnects.
    pub(crate) async fn kept_or_made<F>(
        &self,
        tag: &Tag,
        make: impl FnOnce(Turn) -> F,
    ) -> Result<Arc<Constant>, Problem>
    where
        F: Future<Output = Result<Constant, Problem>>,
    {
        if let Some(kept) = self.kept().get(tag) {
            return Ok(kept);
        }
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|error| Problem::internal(&error))?;
        // Another request may have generated it meanwhile.
        if let Some(kept) = self.kept().get(tag) {
            return Ok(kept);
        }
        let made = Arc::new(make(turn).await?);
        self.kept().insert(tag.clone(), &made);
        Ok(made)
    }

    /// Compresses a document for a request with these headers, and caches it with that form.
    async fn compress(
        &self,
        tag: &Tag,
        made: &Arc<Constant>,
        headers: &HeaderMap,
    ) -> Result<(), Problem> {
        let turn = Arc::clone(&self.compressions).acquire_owned().await;
        let (compressed, coding) = (Arc::clone(made), Coding::taken(headers));
        let compressing = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            compressed.form(coding).map(drop)
        });
        let done = compressing
            .await
            .map_err(|error| Problem::internal(&error))?;
        done.map_err(|error| Problem::internal(&error))?;
        // Counts the new form in the size of the cache.
        self.kept().insert(tag.clone(), made);
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Cache<Tag, Constant>> {
        // Each change is complete, so the cache is consistent after a panic in another thread.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A content coding (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Brotli,
    Gzip,
}

impl Coding {
    /// The best coding that a request accepts, if any.
    fn taken(headers: &HeaderMap) -> Option<Self> {
        let mut codings = [Self::Brotli, Self::Gzip].into_iter();
        codings.find(|coding| names(headers, header::ACCEPT_ENCODING, coding.name()))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    fn compressed(self, plain: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Brotli => {
                let parameters = BrotliEncoderParams {
                    quality: BROTLI_QUALITY,
                    size_hint: plain.len(),
                    ..BrotliEncoderParams::default()
                };
                let mut compressed = Vec::new();
                brotli::BrotliCompress(&mut &*plain, &mut compressed, &parameters)?;
                Ok(compressed)
            }
            Self::Gzip => {
                let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
                gzip.write_all(plain)?;
                gzip.finish()
            }
        }
    }
}

/// A document with its entity tags, by which clients revalidate it (RFC 9110, section 13.1.2);
/// `frame` sends the 304.
#[derive(Debug)]
pub(crate) struct Constant {
    media_type: &'static str,
    cache_control: &'static str,
    tag: Tag,
    plain: Bytes,
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
    index: Option<Index>,
}

/// The version of a document. Its entity tag differs by form (RFC 9110, section 8.8.3.3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Tag(String);

impl Tag {
    /// Creates the tag of a document that depends only on these parts.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self(digest(parts)[..TAG_DIGITS].to_owned())
    }

    /// Returns the tag of a part of the document with this tag.
    pub(crate) fn part(&self, name: &str) -> Self {
        Self::of([self.0.as_bytes(), name.as_bytes()])
    }

    /// Whether `If-None-Match` lists this version of the document.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(header::IF_NONE_MATCH).iter();
        let values = values.filter_map(|value| value.to_str().ok());
        let mut known = values.flat_map(|value| value.split(',')).map(str::trim);
        let tag = self.entity(Coding::taken(headers));
        known.any(|it| it.trim_start_matches("W/") == tag)
    }

    /// The 304 response, with the header fields of the 200 response (RFC 9110, section 15.4.5).
    fn unchanged(&self, headers: &HeaderMap) -> Response {
        let fields = [
            (header::CACHE_CONTROL, HeaderValue::from_static(PRIVATE)),
            (header::VARY, HeaderValue::from_static("Accept-Encoding")),
            (
                header::ETAG,
                header_value(self.entity(Coding::taken(headers))),
            ),
        ];
        (StatusCode::NOT_MODIFIED, fields).into_response()
    }

    fn entity(&self, coding: Option<Coding>) -> String {
        let Self(digits) = self;
        match coding {
            Some(coding) => format!("\"{digits}-{}\"", coding.name()),
            None => format!("\"{digits}\""),
        }
    }
}

impl Constant {
    /// Creates a document that is the same for all callers.
    pub(crate) fn new(media_type: &'static str, tag: Tag, plain: impl Into<Bytes>) -> Self {
        Self {
            media_type,
            cache_control: "no-cache",
            tag,
            plain: plain.into(),
            brotli: OnceLock::new(),
            gzip: OnceLock::new(),
            index: None,
        }
    }

    /// Marks the document as readable only by authorized callers.
    pub(crate) fn private(self) -> Self {
        Self {
            cache_control: PRIVATE,
            ..self
        }
    }

    /// Creates an OpenAPI document with an index, to serve its operations separately.
    pub(crate) fn indexed(tag: Tag, document: PublishedDocument) -> Self {
        Self {
            index: Some(document.index),
            ..Self::new("application/json", tag, document.text)
        }
    }

    /// The index and the text of an OpenAPI document; `None` for other documents.
    pub(crate) fn parts(&self) -> Option<(&Index, &[u8])> {
        self.index.as_ref().map(|index| (index, &*self.plain))
    }

    /// Responds with the document in the best coding that these headers accept.
    ///
    /// # Errors
    /// Fails if compression fails.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> io::Result<Response> {
        let coding = Coding::taken(headers);
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
            (header::ETAG, header_value(self.tag.entity(coding))),
        ];
        let body = Body::from(self.form(coding)?.clone());
        let mut answer = (fields, body).into_response();
        if let Some(coding) = coding {
            let name = HeaderValue::from_static(coding.name());
            answer.headers_mut().insert(header::CONTENT_ENCODING, name);
        }
        Ok(answer)
    }

    /// Whether the form for a request with these headers is compressed already.
    fn is_ready(&self, headers: &HeaderMap) -> bool {
        match Coding::taken(headers) {
            Some(coding) => self.compressed(coding).get().is_some(),
            None => true,
        }
    }

    /// Returns the document in one coding, compressing it at the first call.
    fn form(&self, coding: Option<Coding>) -> io::Result<&Bytes> {
        let Some(coding) = coding else {
            return Ok(&self.plain);
        };
        let form = self.compressed(coding);
        if let Some(made) = form.get() {
            return Ok(made);
        }
        let made = coding.compressed(&self.plain)?;
        Ok(form.get_or_init(|| made.into()))
    }

    const fn compressed(&self, coding: Coding) -> &OnceLock<Bytes> {
        match coding {
            Coding::Brotli => &self.brotli,
            Coding::Gzip => &self.gzip,
        }
    }
}

impl Weight for Constant {
    fn bytes(&self) -> usize {
        let forms = [&self.brotli, &self.gzip]
            .into_iter()
            .filter_map(OnceLock::get);
        let index = self.index.as_ref().map_or(0, Index::bytes);
        self.plain.len() + forms.map(Bytes::len).sum::<usize>() + index
    }
}

fn header_value(tag: String) -> HeaderValue {
    HeaderValue::try_from(tag).expect("hexadecimal digits in quotes")
}
