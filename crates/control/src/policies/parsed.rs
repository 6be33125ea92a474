//! Parts of OpenAPI documents that policies need, cached by the documents' digests: otherwise each
//! change that is sent to gateways would parse the documents of its versions again.
//!
//! Examples for a draft are read as `importing.rs` admits them, up to a bound. Those of a version
//! that gateways serve have none, since an earlier release may have accepted more; the feed reads
//! one document at a time.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use tokio::task::{JoinError, spawn_blocking};
use tollgate_openapi::{Examples, Limits};
use tollgate_store::documents::Document;

use crate::cache::{Cache, Weight};
use crate::error::Problem;
use crate::importing::{Admission, Reservation};

/// Maximum estimated memory of the examples of a draft's document.
const EXAMPLES_MEMORY_MAX: usize = 64 << 20;
/// Memory to read them, with the document.
const READING_MEMORY: usize = 96 << 20;
/// Maximum memory of the cached examples.
const EXAMPLES_BYTES_MAX: usize = 32 << 20;
/// Maximum memory of the cached names.
const HEADERS_BYTES_MAX: usize = 4 << 20;

static EXAMPLES: LazyLock<Parsed<Examples>> = LazyLock::new(|| Parsed::new(EXAMPLES_BYTES_MAX));
static HEADERS: LazyLock<Parsed<Arc<Vec<String>>>> =
    LazyLock::new(|| Parsed::new(HEADERS_BYTES_MAX));

/// A part of a document.
#[derive(Debug, Default)]
pub(super) struct Part<V> {
    pub(super) value: V,
    /// Its memory.
    bytes: usize,
    /// Counts it among the imports if it is too large for the cache.
    reservation: Option<Reservation>,
}

impl<V> Weight for Part<V> {
    fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The same part of several documents, by their digests.
#[derive(Debug)]
struct Parsed<V>(Mutex<Cache<String, Part<V>>>);

impl<V: Send + Sync + 'static> Parsed<V> {
    fn new(bytes_max: usize) -> Self {
        Self(Mutex::new(Cache::new(bytes_max)))
    }

    /// Returns the cached part, or parses the document on a blocking thread, since a large one
    /// takes a while. `parse` returns the part; `None` for a document that cannot be parsed.
    async fn find_or_parse(
        &self,
        document: Document,
        parse: impl FnOnce(&[u8]) -> Option<Part<V>> + Send + 'static,
    ) -> Result<Option<Arc<Part<V>>>, JoinError> {
        if let Some(found) = self.find(&document.digest) {
            return Ok(Some(found));
        }
        let Document { digest, bytes, .. } = document;
        let parsed = spawn_blocking(move || parse(&bytes)).await?;
        Ok(parsed.map(|part| self.insert(digest, part)))
    }

    fn find(&self, digest: &String) -> Option<Arc<Part<V>>> {
        self.with_cache(|cache| cache.get(digest))
    }

    fn insert(&self, digest: String, part: Part<V>) -> Arc<Part<V>> {
        let part = Arc::new(part);
        self.with_cache(|cache| cache.insert(digest, &part));
        part
    }

    fn with_cache<R>(&self, run: impl FnOnce(&mut Cache<String, Part<V>>) -> R) -> R {
        // Each change is complete, so the cache is consistent after a panic in another thread.
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Part<Examples> {
    pub(super) fn new(examples: Examples) -> Self {
        Self {
            bytes: examples.memory(),
            value: examples,
            reservation: None,
        }
    }

    /// Rejects examples of a draft that take too much memory.
    fn check(self: Arc<Self>) -> Result<Arc<Self>, Problem> {
        match self.bytes > EXAMPLES_MEMORY_MAX {
            true => Err(too_large()),
            false => Ok(self),
        }
    }
}

/// Returns the examples of a draft's document; `None` if it cannot be parsed.
///
/// # Errors
/// 422 `policy.example` if they take too much memory; 503 `documents.full` if too many documents
/// are read.
pub(super) async fn examples(
    admission: &mut Admission<'_>,
    document: Document,
) -> Result<Option<Arc<Part<Examples>>>, Problem> {
    let Document { digest, bytes, .. } = document;
    if let Some(found) = EXAMPLES.find(&digest) {
        return found.check().map(Some);
    }
    let reservation = admission.reserve(READING_MEMORY).await?;
    // Another request may have read them meanwhile.
    if let Some(found) = EXAMPLES.find(&digest) {
        return found.check().map(Some);
    }
    let limits = Limits {
        memory_max: EXAMPLES_MEMORY_MAX,
        ..Limits::default()
    };
    let parsing = admission.run(reservation, move || {
        let examples = tollgate_openapi::examples(&bytes, limits);
        examples.map(Part::new)
    });
    let (parsed, reservation) = parsing.await?;
    let mut part = match parsed {
        Ok(part) => part,
        Err(fault) if fault.code == "openapi.budget" => return Err(too_large()),
        Err(_) => return Ok(None),
    };
    if part.bytes > EXAMPLES_BYTES_MAX {
        part.reservation = Some(reservation.shrink(part.bytes));
    }
    EXAMPLES.insert(digest, part).check().map(Some)
}

fn too_large() -> Problem {
    let detail = format!(
        "the examples for steps mock cannot be read: the OpenAPI document takes more than {} MiB \
         of memory; remove these steps, or parts of the document",
        EXAMPLES_MEMORY_MAX >> 20
    );
    Problem::at("/policies", "policy.example", detail)
}

/// Returns the examples of a document that gateways serve; `None` if it cannot be parsed.
pub(super) async fn served_examples(
    document: Document,
) -> Result<Option<Arc<Part<Examples>>>, JoinError> {
    let parse = |bytes: &[u8]| {
        let examples = tollgate_openapi::examples(bytes, Limits::default());
        examples.ok().map(Part::new)
    };
    EXAMPLES.find_or_parse(document, parse).await
}

/// Returns the names of the header parameters of a document, sorted; `None` if it cannot be parsed.
pub(super) async fn header_names(
    document: Document,
) -> Result<Option<Arc<Vec<String>>>, JoinError> {
    let parse = |bytes: &[u8]| {
        let headers = tollgate_openapi::read(bytes, Limits::default())
            .ok()?
            .headers;
        let sizes = headers.iter().map(|name| name.len() + size_of::<String>());
        Some(Part {
            bytes: sizes.sum(),
            value: Arc::new(headers),
            reservation: None,
        })
    };
    let found = HEADERS.find_or_parse(document, parse).await?;
    Ok(found.map(|part| Arc::clone(&part.value)))
}

#[cfg(test)]
mod tests;
