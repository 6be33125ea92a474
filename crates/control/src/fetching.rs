//! Fetches documents that are imported by URL. They count among the bodies in memory (`bodies.rs`),
//! as if the caller had sent them.

use std::sync::Arc;
use std::time::Duration;

use tollgate_fetch::{FetchError, Fetched, Fetcher, Limits};

use crate::bodies::{Bodies, NoRoom, Reading};
use crate::error::{Chain, Problem};
use crate::json::DOCUMENT_BYTES_MAX;

/// A fetcher of documents for signed-in callers.
pub(crate) struct DocumentFetcher {
    fetcher: Fetcher,
    limits: Limits,
    bodies: Arc<Bodies>,
}

impl DocumentFetcher {
    /// `time` is the limit for each document, with all its redirects.
    pub(crate) fn new(fetcher: Fetcher, time: Duration, bodies: Arc<Bodies>) -> Self {
        let limits = Limits {
            bytes_max: DOCUMENT_BYTES_MAX,
            time,
            ..Limits::default()
        };
        Self {
            fetcher,
            limits,
            bodies,
        }
    }

    /// Fetches a document, which counts until the [`Reading`] is dropped.
    ///
    /// # Errors
    /// Fails if the document cannot be fetched; with [`FetchError::NoRoom`] if it was dropped to
    /// free memory.
    pub(crate) async fn get(&self, url: &str) -> Result<(Fetched, Reading), FetchError> {
        let reading = self.bodies.begin();
        reading.mark_known();
        let take = |bytes| reading.take(bytes).is_ok();
        let got = tokio::select! {
            got = self.fetcher.get(url, self.limits, &take) => got,
            () = reading.dropped() => Err(FetchError::NoRoom(url.to_owned())),
        };
        reading.complete();
        Ok((got?, reading))
    }

    /// Counts bytes of an archive's documents, until the [`Reading`] is dropped, like those of
    /// fetched ones.
    ///
    /// # Errors
    /// Fails if too many bytes are in memory.
    pub(crate) fn count(&self, bytes: usize) -> Result<Reading, NoRoom> {
        let reading = self.bodies.begin();
        reading.mark_known();
        reading.take(bytes)?;
        reading.complete();
        Ok(reading)
    }
}

/// Returns the problem for a document that could not be fetched from the URL at `field`.
pub(crate) fn not_fetched(field: &str, error: &FetchError) -> Problem {
    match error {
        FetchError::NoRoom(_) => Problem::no_room(),
        error => Problem::at(field, "fetch.failed", cause(error)),
    }
}

/// Describes why a document could not be fetched, and the remedy if there is one.
pub(crate) fn cause(error: &FetchError) -> String {
    let cause = Chain(error);
    match error {
        FetchError::Refused(_) => format!(
            "{cause}: it is not public, or is denied; operators can allow hosts and networks with \
             control.fetch_allowed"
        ),
        _ => cause.to_string(),
    }
}

#[cfg(test)]
mod tests;
