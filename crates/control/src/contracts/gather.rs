//! Collects the documents of a contract from a request with a document, an archive or a URL.
//! References to the web are fetched, references within an archive are resolved there.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use axum::extract::Request;
use axum::http::{HeaderMap, header};
use serde::Deserialize;
use tollgate_fetch::{FetchError, Fetched};
use tollgate_model::fault::Fault;
use tollgate_soap::import::{DocumentError, DocumentKind, Documents, Limits, normal_path};
use tollgate_soap::media_type::MediaType;
use tollgate_store::contracts::{ContractDocument, NewContract};

use super::archive;
use super::turns::{Charge, Turns};
use crate::bodies::Reading;
use crate::error::{Chain, Problem};
use crate::fetching::{DocumentFetcher, cause, not_fetched};
use crate::json::{BodyMax, URL_BYTES_MAX, parse, read};

/// Maximum number of imports at a time. They do not share the turns of deployed contracts, since
/// they may wait for the servers that they fetch from.
const IMPORTS_MAX: usize = 2;
pub(crate) static IMPORTS: Turns = Turns::new(IMPORTS_MAX);
/// Time limit for collecting all documents, including fetching.
const GATHER_TIME: Duration = Duration::from_secs(60);
/// Name of a single document in the request body.
const ALONE: &str = "contract.wsdl";

/// The URL of a contract to import.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContractUrl {
    /// `http` or `https` URL of its WSDL.
    #[schema(example = "https://example.com/orders?wsdl")]
    url: String,
}

/// The documents of a contract.
pub(crate) struct Gathered {
    pub(crate) set: Documents,
    /// Location of the main document.
    pub(crate) main: String,
    /// Requested and actual locations of documents.
    aliases: Vec<(String, String)>,
    /// Locations of missing documents, each with the reason.
    pub(crate) failures: Vec<(String, String)>,
    /// The charge for the documents as long as they are in memory.
    charge: Charge<'static>,
    /// Counts the fetched documents among the bodies in memory.
    fetched: Vec<Reading>,
}

impl Gathered {
    fn new() -> Self {
        Self {
            set: Documents::new(Limits::default()),
            main: String::new(),
            aliases: Vec::new(),
            failures: Vec::new(),
            charge: None,
            fetched: Vec::new(),
        }
    }

    fn add(
        &mut self,
        requested: &str,
        (fetched, held): (&Fetched, Reading),
    ) -> Result<(), DocumentError> {
        self.fetched.push(held);
        let media = fetched.content_type.as_deref();
        let media = media.and_then(|media| MediaType::parse(media.as_bytes()));
        let charset = media.and_then(|media| media.charset());
        self.set
            .add_fetched(requested, &fetched.url, charset.as_deref(), &fetched.bytes)?;
        self.aliases
            .push((requested.to_owned(), fetched.url.clone()));
        Ok(())
    }

    /// Returns the reasons why missing documents that the main document needs could not be read, as
    /// the end of a sentence; at most three.
    pub(crate) fn reasons(&self) -> String {
        const NAMED_MAX: usize = 3;
        let missing = self.set.missing(&self.main);
        let missing: HashSet<&str> = missing.iter().map(|it| it.uri.as_str()).collect();
        let failures = self.failures.iter();
        let of_missing = failures.filter(|(uri, _)| missing.contains(uri.as_str()));
        let reasons = of_missing.map(|(uri, why)| format!("; {uri}: {why}"));
        reasons.take(NAMED_MAX).collect()
    }

    /// Returns the documents to store: all that are referenced from the main document, each under
    /// all its requested locations.
    pub(crate) fn contract(&self) -> NewContract {
        let mut documents = Vec::new();
        for document in self.set.reached(&self.main) {
            let row = |requested: &str| ContractDocument {
                requested: requested.to_owned(),
                location: document.uri.clone(),
                bytes: document.text.clone().into_bytes(),
            };
            documents.push(row(&document.uri));
            let same = |found: &str| {
                let found = self.set.find(found);
                found.is_some_and(|found| found.uri == document.uri)
            };
            let aliases = self.aliases.iter();
            let aliases = aliases.filter(|(requested, found)| requested != found && same(found));
            documents.extend(aliases.map(|(requested, _)| row(requested)));
        }
        let parts = documents
            .iter()
            .flat_map(|it| [it.requested.as_bytes(), it.location.as_bytes(), &it.bytes]);
        NewContract {
            digest: super::digest(parts),
            documents,
        }
    }
}

/// Collects the documents of the contract in a request's body: a document, an archive or a URL.
/// `main` is the path of the main document in an archive.
///
/// # Errors
/// Fails if the contract cannot be read. Missing documents are not errors; the report lists them.
pub(crate) async fn gather(
    fetcher: &DocumentFetcher,
    mut request: Request,
    main: Option<String>,
) -> Result<Gathered, Problem> {
    let form = form(request.headers());
    if matches!(form, Form::Url) {
        request.extensions_mut().insert(BodyMax(URL_BYTES_MAX));
    }
    let bytes = read(request).await?;
    let known = match form {
        Form::Url => 0,
        Form::Document => bytes.len(),
        Form::Archive => {
            let archive = bytes.clone();
            blocking(move || archive::bytes(&archive)).await??
        }
    };
    let mut charge = IMPORTS.charge(known).await;
    let gathering = async {
        let gathered = match form {
            Form::Url => from_url(fetcher, &parse::<ContractUrl>(&bytes)?.url).await?,
            Form::Archive => blocking(move || from_archive(&bytes, main)).await??,
            Form::Document => blocking(move || from_document(&bytes)).await??,
        };
        complete(fetcher, gathered).await
    };
    let gathered = tokio::time::timeout(GATHER_TIME, gathering).await;
    let mut gathered = gathered.unwrap_or_else(|_| {
        let detail = format!(
            "reading the contract's documents took longer than {} s",
            GATHER_TIME.as_secs()
        );
        Err(Problem::at("", "fetch.failed", detail))
    })?;
    let held = gathered.set.bytes();
    if held > known {
        // Waiting for more while holding a charge could deadlock with other imports.
        drop(charge);
        charge = IMPORTS.charge(held).await;
    }
    gathered.charge = charge;
    Ok(gathered)
}

#[derive(Clone, Copy)]
enum Form {
    Url,
    Archive,
    Document,
}

fn form(headers: &HeaderMap) -> Form {
    let media = headers.get(header::CONTENT_TYPE);
    let media = media.and_then(|media| MediaType::parse(media.as_bytes()));
    let is = |essence: &str| media.is_some_and(|media| media.is(essence));
    if is("application/json") {
        Form::Url
    } else if is("application/zip") || is("application/x-zip-compressed") {
        Form::Archive
    } else {
        Form::Document
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Problem::internal(&error))
}

async fn from_url(fetcher: &DocumentFetcher, url: &str) -> Result<Gathered, Problem> {
    let fetched = fetcher.get(url).await;
    let (fetched, held) = fetched.map_err(|error| not_fetched("/url", &error))?;
    let url = url.to_owned();
    let gathered = blocking(move || {
        let mut gathered = Gathered::new();
        let added = gathered.add(&url, (&fetched, held));
        added.map_err(|error| unfit(&fetched.url, &error))?;
        gathered.main = fetched.url;
        Ok::<_, Fault>(gathered)
    });
    Ok(gathered.await??)
}

fn from_document(bytes: &[u8]) -> Result<Gathered, Fault> {
    let mut gathered = Gathered::new();
    let added = gathered.set.add(ALONE, bytes);
    added.map_err(|error| unfit(ALONE, &error))?;
    ALONE.clone_into(&mut gathered.main);
    Ok(gathered)
}

/// Reads those files of an archive that the contract reaches; no others, and no copies of built-in
/// schemas.
fn from_archive(bytes: &[u8], main: Option<String>) -> Result<Gathered, Fault> {
    let mut files = BTreeMap::new();
    for (name, bytes) in archive::files(bytes)? {
        if files.insert(normal_path(&name), bytes).is_some() {
            let detail = format!("the archive has several entries at the path of {name:?}");
            return Err(archive::repeated(detail));
        }
    }
    let mut gathered = Gathered::new();
    gathered.main = match main {
        Some(main) => main,
        None => beginning(&files)?,
    };
    let mut next = vec![normal_path(&gathered.main)];
    while let Some(name) = next.pop() {
        let Some(bytes) = files.remove(&name) else {
            continue;
        };
        match gathered.set.add(&name, &bytes) {
            Ok(()) => next.extend(gathered.set.wanted_by(&name)),
            Err(error @ (DocumentError::Root(_) | DocumentError::Wsdl2)) => {
                gathered.failures.push((name, error.to_string()));
            }
            Err(error) => return Err(unfit(&name, &error)),
        }
    }
    if gathered.set.find(&gathered.main).is_none() {
        let detail = format!("the archive has no WSDL {:?}", gathered.main);
        return Err(Fault::new("", "wsdl.main", detail));
    }
    Ok(gathered)
}

/// Finds the main document of an archive: the only WSDL that no other one imports, or the only one
/// of these with a service. Files that are not WSDL are not read, and what is malformed only
/// matters if no other is found.
fn beginning(files: &BTreeMap<String, Vec<u8>>) -> Result<String, Fault> {
    let mut set = Documents::new(Limits::default());
    let mut malformed = None;
    for (name, bytes) in files {
        let added = match Documents::is_contract(bytes) {
            Ok(true) => set.add(name, bytes),
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = added {
            malformed.get_or_insert_with(|| unfit(name, &error));
        }
    }
    let (mut roots, unread): (Vec<_>, Vec<_>) = set.mains().into_iter().partition(|uri| {
        let document = set.find(uri);
        document.is_some_and(|it| it.kind != DocumentKind::Unread)
    });
    let has_service = |uri: &str| {
        let read = tollgate_soap::import::read(&set, uri);
        read.is_ok_and(|read| !read.report.services.is_empty())
    };
    if roots.len() > 1 || !unread.is_empty() || malformed.is_some() {
        roots.retain(|uri| has_service(uri));
    }
    // The main document may be the unread one if no readable one has a service.
    if let (true, Some(unread)) = (roots.is_empty(), unread.first()) {
        return Err(unfit(unread, &DocumentError::Doctype));
    }
    match roots[..] {
        [root] => Ok(root.to_owned()),
        [] => {
            let detail = "found no main WSDL in the archive; name it with the parameter main";
            Err(malformed.unwrap_or_else(|| Fault::new("", "wsdl.main", detail)))
        }
        _ => {
            let names = roots.iter().take(10).copied().collect::<Vec<_>>();
            let detail = format!(
                "the archive has several WSDLs ({}); name the main one with the parameter main",
                names.join(", ")
            );
            Err(Fault::new("", "wsdl.main", detail))
        }
    }
}

/// Fetches missing documents with URLs, until none is missing or could be fetched.
async fn complete(fetcher: &DocumentFetcher, mut gathered: Gathered) -> Result<Gathered, Problem> {
    let mut tried = HashSet::new();
    loop {
        let (back, missing) = blocking(move || {
            let missing = gathered.set.missing(&gathered.main);
            (gathered, missing)
        })
        .await?;
        gathered = back;
        let is_web = |uri: &str| uri.starts_with("http://") || uri.starts_with("https://");
        let next = missing.into_iter().map(|missing| missing.uri);
        let next: Vec<_> = next
            .filter(|uri| is_web(uri) && tried.insert(uri.clone()))
            .collect();
        if next.is_empty() {
            return Ok(gathered);
        }
        for uri in next {
            let (fetched, held) = match fetcher.get(&uri).await {
                Ok(fetched) => fetched,
                Err(error @ FetchError::NoRoom(_)) => return Err(not_fetched("", &error)),
                Err(error) => {
                    gathered.failures.push((uri, cause(&error)));
                    continue;
                }
            };
            let added = blocking(move || match gathered.add(&uri, (&fetched, held)) {
                Ok(()) => Ok(gathered),
                Err(error) if is_no_part(&error) => {
                    gathered.failures.push((uri, Chain(&error).to_string()));
                    Ok(gathered)
                }
                Err(error) => Err(unfit(&fetched.url, &error)),
            });
            gathered = added.await??;
        }
    }
}

/// Whether a fetched document is not part of a contract at all, such as the page of a server that
/// asks for a login. It is missing, like one that cannot be fetched.
fn is_no_part(error: &DocumentError) -> bool {
    matches!(
        error,
        DocumentError::Root(_) | DocumentError::Wsdl2 | DocumentError::Malformed { .. }
    )
}

fn unfit(uri: &str, error: &DocumentError) -> Fault {
    Fault::new("", error.code(), format!("{uri}: {error}"))
}

#[cfg(test)]
mod tests;
