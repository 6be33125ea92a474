//! Parts of OpenAPI documents that policies need, cached by the documents' digests: otherwise each
//! change that is sent to gateways would parse the documents of its versions again.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use tokio::task::{JoinError, spawn_blocking};
use tollgate_openapi::Limits;
use tollgate_store::documents::Document;

use crate::cache::{Cache, Weight};

/// Maximum memory of the cached examples.
const EXAMPLES_BYTES_MAX: usize = 32 << 20;
/// Maximum memory of the cached names.
const HEADERS_BYTES_MAX: usize = 4 << 20;
/// Estimated memory of a parsed document per byte of its text.
const BYTES_PER_BYTE: usize = 8;

static EXAMPLES: LazyLock<Parsed<tollgate_openapi::Examples>> =
    LazyLock::new(|| Parsed::new(EXAMPLES_BYTES_MAX));
static HEADERS: LazyLock<Parsed<Vec<String>>> = LazyLock::new(|| Parsed::new(HEADERS_BYTES_MAX));

/// A part of a document, and its memory in bytes.
#[derive(Debug)]
struct Part<V> {
    value: Arc<V>,
    bytes: usize,
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
    /// takes a while. `parse` returns the part and its bytes; `None` for a document that cannot be
    /// parsed.
    async fn find_or_parse(
        &self,
        document: Document,
        parse: impl FnOnce(&[u8]) -> Option<(V, usize)> + Send + 'static,
    ) -> Result<Option<Arc<V>>, JoinError> {
        let found = self.with_cache(|cache| cache.get(&document.digest));
        if let Some(found) = found {
            return Ok(Some(Arc::clone(&found.value)));
        }
        let Document { digest, bytes, .. } = document;
        let Some((value, bytes)) = spawn_blocking(move || parse(&bytes)).await? else {
            return Ok(None);
        };
        let value = Arc::new(value);
        let part = Part {
            value: Arc::clone(&value),
            bytes,
        };
        self.with_cache(|cache| cache.insert(digest, &Arc::new(part)));
        Ok(Some(value))
    }

    fn with_cache<R>(&self, run: impl FnOnce(&mut Cache<String, Part<V>>) -> R) -> R {
        // Each change is complete, so the cache is consistent after a panic in another thread.
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns the examples of a document; `None` if it cannot be parsed.
pub(super) async fn examples(
    document: Document,
) -> Result<Option<Arc<tollgate_openapi::Examples>>, JoinError> {
    let parse = |bytes: &[u8]| {
        let examples = tollgate_openapi::examples(bytes, Limits::default()).ok()?;
        Some((examples, bytes.len().saturating_mul(BYTES_PER_BYTE)))
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
        let bytes = sizes.sum();
        Some((headers, bytes))
    };
    HEADERS.find_or_parse(document, parse).await
}

#[cfg(test)]
mod tests;
