//! Documents of a contract that are fetched: the one that a request names, and those that others
//! refer to. Nothing is reserved while they are fetched, except for an archive.

use std::collections::HashSet;

use tollgate_fetch::{FetchError, Fetched};
use tollgate_model::fault::Fault;
use tollgate_soap::import::DocumentError;

use super::{Gathered, memory, unfit};
use crate::bodies::Reading;
use crate::error::{Chain, Problem};
use crate::fetching::{DocumentFetcher, cause, not_fetched};
use crate::importing::Importing;

/// Fetches the document at a URL.
pub(super) async fn from_url(
    fetcher: &DocumentFetcher,
    importing: &Importing,
    url: String,
) -> Result<Gathered, Problem> {
    let got = fetcher.get(&url).await;
    let (fetched, held) = got.map_err(|error| not_fetched("/url", &error))?;
    let reservation = importing.reserve(memory(fetched.bytes.len())).await?;
    let adding = importing.run(reservation, move || {
        let mut gathered = Gathered::new();
        let added = gathered.add(&url, (&fetched, held));
        added.map_err(|error| unfit(&fetched.url, &error))?;
        gathered.main = fetched.url;
        Ok::<_, Fault>(gathered)
    });
    Ok(adding.await?.0?)
}

/// Fetches missing documents with URLs, until none is missing or could be fetched.
pub(super) async fn complete(
    fetcher: &DocumentFetcher,
    importing: &Importing,
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
            match fetcher.get(&uri).await {
                Ok((fetched, held)) => {
                    gathered = with_fetched(importing, gathered, uri, fetched, held).await?;
                }
                Err(error @ FetchError::NoRoom(_)) => return Err(not_fetched("", &error)),
                Err(error) => gathered.failures.push((uri, cause(&error))),
            }
        }
    }
}

/// Adds a fetched document, or the reason why it is not part of a contract.
async fn with_fetched(
    importing: &Importing,
    mut gathered: Gathered,
    uri: String,
    fetched: Fetched,
    held: Reading,
) -> Result<Gathered, Problem> {
    let is_kept = gathered.reservation.is_some();
    let reservation = gathered.reserve(importing, fetched.bytes.len()).await?;
    let adding = importing.run(reservation, move || {
        match gathered.add(&uri, (&fetched, held)) {
            Ok(()) => Ok(gathered),
            Err(error) if is_no_part(&error) => {
                gathered.failures.push((uri, Chain(&error).to_string()));
                Ok(gathered)
            }
            Err(error) => Err(unfit(&fetched.url, &error)),
        }
    });
    let (added, reservation) = adding.await?;
    let mut completed = added?;
    completed.reservation = is_kept.then_some(reservation);
    Ok(completed)
}

/// Whether a fetched document is not part of a contract at all, such as the page of a server that
/// asks for a login. It is missing, like one that cannot be fetched.
fn is_no_part(error: &DocumentError) -> bool {
    matches!(
        error,
        DocumentError::Root(_) | DocumentError::Wsdl2 | DocumentError::Malformed { .. }
    )
}
