//! Documents of a contract that are fetched: the one that a request names, and those that others
//! refer to. Nothing is reserved while they are fetched.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tollgate_fetch::{FetchError, Fetched};
use tollgate_model::fault::Fault;
use tollgate_soap::import::DocumentError;

use super::{Gathered, unfit};
use crate::bodies::Reading;
use crate::error::{Chain, Problem};
use crate::fetching::{DocumentFetcher, cause, not_fetched};
use crate::importing::Admission;

/// Time limit for fetching all documents of a contract.
const FETCHES_TIME: Duration = Duration::from_secs(60);

/// Fetches the documents of one contract.
pub(super) struct Fetches<'f> {
    fetcher: &'f DocumentFetcher,
    time_left: Duration,
}

impl<'f> Fetches<'f> {
    pub(super) const fn new(fetcher: &'f DocumentFetcher) -> Self {
        Self {
            fetcher,
            time_left: FETCHES_TIME,
        }
    }

    /// Fetches a document.
    ///
    /// # Errors
    /// 422 `fetch.failed` if fetching takes too long for all documents together.
    async fn get(&mut self, url: &str) -> Result<Result<(Fetched, Reading), FetchError>, Problem> {
        let started = Instant::now();
        let got = timeout(self.time_left, self.fetcher.get(url)).await;
        self.time_left = self.time_left.saturating_sub(started.elapsed());
        got.map_err(|_| {
            let detail = format!(
                "fetching the contract's documents took longer than {} s",
                FETCHES_TIME.as_secs()
            );
            Problem::at("", "fetch.failed", detail)
        })
    }
}

/// Fetches the document at a URL.
pub(super) async fn from_url(
    fetches: &mut Fetches<'_>,
    admission: &mut Admission<'_>,
    url: String,
) -> Result<Gathered, Problem> {
    let got = fetches.get(&url).await?;
    let (fetched, held) = got.map_err(|error| not_fetched("/url", &error))?;
    let mut gathered = Gathered::new();
    let memory = gathered.memory(fetched.bytes.len());
    let reservation = admission.reserve(memory).await?;
    let adding = admission.run(reservation, move || {
        let added = gathered.add(&url, &fetched, held);
        added.map_err(|error| unfit(&fetched.url, &error))?;
        gathered.main = fetched.url;
        Ok::<_, Fault>(gathered)
    });
    Ok(adding.await?.0?)
}

/// Fetches missing documents with URLs, until none is missing or could be fetched.
pub(super) async fn complete(
    fetches: &mut Fetches<'_>,
    admission: &mut Admission<'_>,
    mut gathered: Gathered,
) -> Result<Gathered, Problem> {
    let mut tried = HashSet::new();
    loop {
        let finding = tokio::task::spawn_blocking(move || {
            let missing = gathered.set.missing(&gathered.main);
            (gathered, missing)
        });
        let found = finding.await.map_err(|error| Problem::internal(&error))?;
        gathered = found.0;
        let is_web = |uri: &str| uri.starts_with("http://") || uri.starts_with("https://");
        let uris = found.1.into_iter().map(|missing| missing.uri);
        let next: Vec<_> = uris
            .filter(|uri| is_web(uri) && tried.insert(uri.clone()))
            .collect();
        if next.is_empty() {
            return Ok(gathered);
        }
        for uri in next {
            match fetches.get(&uri).await? {
                Ok((fetched, held)) => {
                    gathered = with_fetched(admission, gathered, uri, fetched, held).await?;
                }
                Err(error @ FetchError::NoRoom(_)) => return Err(not_fetched("", &error)),
                Err(error) => gathered.failures.push((uri, cause(&error))),
            }
        }
    }
}

/// Adds a fetched document, or the reason why it is not part of a contract.
async fn with_fetched(
    admission: &mut Admission<'_>,
    mut gathered: Gathered,
    uri: String,
    fetched: Fetched,
    held: Reading,
) -> Result<Gathered, Problem> {
    let memory = gathered.memory(fetched.bytes.len());
    let reservation = admission.reserve(memory).await?;
    let adding = admission.run(reservation, move || {
        match gathered.add(&uri, &fetched, held) {
            Ok(()) => Ok(gathered),
            Err(error) if is_no_part(&error) => {
                gathered.failures.push((uri, Chain(&error).to_string()));
                Ok(gathered)
            }
            Err(error) => Err(unfit(&fetched.url, &error)),
        }
    });
    Ok(adding.await?.0?)
}

/// Whether a fetched document is not part of a contract at all, such as the page of a server that
/// asks for a login. It is missing, like one that cannot be fetched.
fn is_no_part(error: &DocumentError) -> bool {
    matches!(
        error,
        DocumentError::Root(_) | DocumentError::Wsdl2 | DocumentError::Malformed { .. }
    )
}
