//! Collects the documents of a contract from a request with a document, an archive or a URL.
//! References to the web are fetched, references within an archive are resolved there. Documents
//! are parsed as `importing.rs` admits them. `gather/web.rs` fetches documents.

use std::collections::{BTreeMap, HashSet};

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use serde::Deserialize;
use tollgate_fetch::Fetched;
use tollgate_model::fault::Fault;
use tollgate_model::media_type::MediaType;
use tollgate_soap::import::{DocumentError, DocumentKind, Documents, Limits, normal_path};
use tollgate_store::contracts::{ContractDocument, NewContract};

mod web;

use web::{Fetches, complete, from_url};

use super::archive;
use crate::bodies::Reading;
use crate::error::Problem;
use crate::fetching::DocumentFetcher;
use crate::importing::{Admission, BYTES_MAX};
use crate::json::{BodyMax, URL_BYTES_MAX, parse, read};

/// Memory to parse and compile a document, per byte of its text.
const MEMORY_PER_BYTE: usize = 128;
/// Memory to import the smallest contract.
const MEMORY_MIN: usize = 8 << 20;
/// Memory to read the directory of an archive.
const DIRECTORY_MEMORY: usize = 64 << 20;
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
    /// Counts the documents of an archive, and fetched ones, among the bodies in memory.
    pub(crate) held: Vec<Reading>,
}

impl Gathered {
    fn new() -> Self {
        Self {
            set: Documents::new(Limits::default()),
            main: String::new(),
            aliases: Vec::new(),
            failures: Vec::new(),
            held: Vec::new(),
        }
    }

    fn add(
        &mut self,
        requested: &str,
        fetched: &Fetched,
        held: Reading,
    ) -> Result<(), DocumentError> {
        self.held.push(held);
        let charset = fetched
            .content_type
            .as_deref()
            .and_then(|media| MediaType::parse(media.as_bytes()))
            .and_then(|media| media.charset());
        self.set
            .add_fetched(requested, &fetched.url, charset.as_deref(), &fetched.bytes)?;
        self.aliases
            .push((requested.to_owned(), fetched.url.clone()));
        Ok(())
    }

    /// Returns the memory to parse and compile all documents, and `more` bytes.
    pub(super) fn memory(&self, more: usize) -> usize {
        memory(self.set.bytes() + more)
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
/// Fails if the contract cannot be read; with 503 `documents.full` if it waits too long for memory.
/// Missing documents are not errors; the report lists them.
pub(crate) async fn gather(
    fetcher: &DocumentFetcher,
    admission: &mut Admission<'_>,
    mut request: Request,
    main: Option<String>,
) -> Result<Gathered, Problem> {
    let form = form(request.headers());
    if matches!(form, Form::Url) {
        request.extensions_mut().insert(BodyMax(URL_BYTES_MAX));
    }
    let bytes = read(request).await?;
    let mut fetches = Fetches::new(fetcher);
    let gathered = match form {
        Form::Url => {
            let url = parse::<ContractUrl>(&bytes)?.url;
            from_url(&mut fetches, admission, url).await?
        }
        Form::Archive => inflated(fetcher, admission, bytes, main).await?,
        Form::Document => {
            let reservation = admission.reserve(memory(bytes.len())).await?;
            let reading = admission.run(reservation, move || from_document(&bytes));
            reading.await?.0?
        }
    };
    complete(&mut fetches, admission, gathered).await
}

/// Returns the memory to parse and compile documents of so many bytes.
fn memory(bytes: usize) -> usize {
    bytes
        .saturating_mul(MEMORY_PER_BYTE)
        .clamp(MEMORY_MIN, BYTES_MAX)
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

/// Reads an archive. Its documents count among the bodies in memory from then on: their memory is
/// reserved only while they are parsed.
async fn inflated(
    fetcher: &DocumentFetcher,
    admission: &mut Admission<'_>,
    archive: Bytes,
    main: Option<String>,
) -> Result<Gathered, Problem> {
    let directory = archive.clone();
    let of_directory = admission.reserve(DIRECTORY_MEMORY).await?;
    let sizing = admission.run(of_directory, move || archive::bytes(&directory));
    let bytes = sizing.await?.0?;
    let of_files = admission.reserve(memory(bytes)).await?;
    let reading = admission.run(of_files, move || from_archive(&archive, main));
    let (read, _reservation) = reading.await?;
    let mut gathered = read?;
    let held = fetcher.count(gathered.set.bytes());
    gathered.held.push(held.map_err(|_| Problem::no_room())?);
    Ok(gathered)
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

fn unfit(uri: &str, error: &DocumentError) -> Fault {
    Fault::new("", error.code(), format!("{uri}: {error}"))
}

#[cfg(test)]
mod tests;
