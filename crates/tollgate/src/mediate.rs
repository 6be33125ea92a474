//! `tollgate mediate`: tries the policies of a version on a call and prints the effect of each step,
//! with a server or from files.
//!
//! - `client.rs`: the request to the server; `print.rs`: the response as text

mod client;
mod print;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};
use tollgate_control::{DraftFiles, mediate_files};
use tollgate_model::api::Kind;

use crate::settings::Written;
use crate::settings::sources::Flag;
use client::Server;

/// Address of the control plane unless `--url` is given.
const URL_DEFAULT: &str = "http://127.0.0.1:9000";
/// Maximum bytes of a file, except OpenAPI documents.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// Maximum bytes of an OpenAPI document.
const DOCUMENT_BYTES_MAX: u64 = 16 << 20;

/// The arguments of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    source: Source,
    /// File with the call: the body of `POST /versions/{id}/mediate`.
    message: PathBuf,
    /// File with policies to try instead of those of the version.
    policies: Option<PathBuf>,
}

/// The version with the policies to try.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// A version of a server.
    Server {
        version: String,
        url: String,
        /// File with the authorities trusted for the server's certificate.
        ca: Option<PathBuf>,
        deployed: bool,
    },
    /// A file with the draft of a version.
    Draft {
        file: PathBuf,
        kind: Kind,
        /// File with its OpenAPI document, for steps `mock`.
        document: Option<PathBuf>,
    },
}

impl Wanted {
    /// Reads the words after `mediate` and its options; `None` if words are missing.
    ///
    /// # Errors
    /// Returns an option that the command does not have, or that lacks its value.
    pub fn read(words: &[&str], flags: &[Flag]) -> Result<Option<Self>, String> {
        let mut options = Options::default();
        for flag in flags {
            options.take(flag).ok_or_else(|| flag.name.clone())?;
        }
        let source = match (words, options.draft) {
            ([_], Some(file)) if options.is_of_file => Source::Draft {
                file: file.into(),
                kind: options.kind.unwrap_or(Kind::Rest),
                document: options.document.map(PathBuf::from),
            },
            ([version, _], None) if options.is_of_server => Source::Server {
                version: (*version).to_owned(),
                url: options.url.unwrap_or_else(|| URL_DEFAULT.to_owned()),
                ca: options.ca.map(PathBuf::from),
                deployed: options.deployed,
            },
            _ => return Ok(None),
        };
        let message = words.last().copied().unwrap_or_default();
        Ok(Some(Self {
            source,
            message: message.into(),
            policies: options.policies.map(PathBuf::from),
        }))
    }
}

/// The options of the command.
struct Options {
    draft: Option<String>,
    kind: Option<Kind>,
    document: Option<String>,
    policies: Option<String>,
    url: Option<String>,
    ca: Option<String>,
    deployed: bool,
    /// Whether all options fit a draft from a file.
    is_of_file: bool,
    /// Whether all options fit a version of a server.
    is_of_server: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            draft: None,
            kind: None,
            document: None,
            policies: None,
            url: None,
            ca: None,
            deployed: false,
            is_of_file: true,
            is_of_server: true,
        }
    }
}

impl Options {
    /// Takes an option; `None` if it is unknown or its value is missing or invalid.
    fn take(&mut self, flag: &Flag) -> Option<()> {
        let value = flag.value.clone();
        match &*flag.name {
            "--draft" => self.draft = Some(value?),
            "--policies" => self.policies = Some(value?),
            "--kind" => self.kind = Some(kind(&value?)?),
            "--document" => self.document = Some(value?),
            "--url" => self.url = Some(value?),
            "--ca" => self.ca = Some(value?),
            "--deployed" if value.is_none() => self.deployed = true,
            _ => return None,
        }
        self.is_of_file &= !matches!(&*flag.name, "--url" | "--ca" | "--deployed");
        self.is_of_server &= !matches!(&*flag.name, "--kind" | "--document");
        Some(())
    }
}

fn kind(word: &str) -> Option<Kind> {
    let kinds = [Kind::Rest, Kind::Soap, Kind::SoapToRest];
    kinds.into_iter().find(|kind| kind.word() == word)
}

/// Whether an option of the command takes no value.
#[must_use]
pub fn is_switch(flag: &str) -> bool {
    flag == "--deployed"
}

/// Tries the policies, and prints the effect of each step.
///
/// # Errors
/// Fails if a file cannot be read, the server does not respond, the policies or the call have
/// faults, or the call is refused.
pub fn carry_out(wanted: &Wanted, written: &Written) -> anyhow::Result<()> {
    let message = read(&written.directory.join(&wanted.message), FILE_BYTES_MAX)?;
    let mut message: Map<String, Value> =
        serde_json::from_slice(&message).context("the message is no JSON object")?;
    if let Some(policies) = &wanted.policies {
        let policies = read(&written.directory.join(policies), FILE_BYTES_MAX)?;
        let policies: Value =
            serde_json::from_slice(&policies).context("the policies are no JSON")?;
        message.insert("policies".to_owned(), policies);
    }
    let answer = match &wanted.source {
        Source::Server {
            version,
            url,
            ca,
            deployed,
        } => {
            if *deployed {
                message.insert("of".to_owned(), json!("deployed"));
            }
            let server = Server {
                url,
                ca: ca.as_ref().map(|it| written.directory.join(it)),
                token: token(written)?,
            };
            let path = format!("/api/v1/versions/{version}/mediate");
            server.post(&path, &serde_json::to_vec(&message)?)?
        }
        Source::Draft {
            file,
            kind,
            document,
        } => {
            let draft = read(&written.directory.join(file), FILE_BYTES_MAX)?;
            let document = document.as_ref().map(|it| written.directory.join(it));
            let document = document.map(|it| read(&it, DOCUMENT_BYTES_MAX));
            let document = document.transpose()?;
            let files = DraftFiles {
                draft: &draft,
                kind: *kind,
                document: document.as_deref(),
            };
            mediate_draft(files, &message)?
        }
    };
    let text = print::mediated(&answer);
    writeln!(std::io::stdout(), "{}", text.trim_end())?;
    match print::refusal(&answer) {
        None => Ok(()),
        Some(refusal) => bail!(refusal),
    }
}

/// Tries the policies of a draft without a server.
fn mediate_draft(files: DraftFiles<'_>, message: &Map<String, Value>) -> anyhow::Result<Value> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let now_s = i64::try_from(now.as_secs())?;
    let message = serde_json::to_vec(message)?;
    match mediate_files(files, &message, now_s) {
        Ok(answer) => Ok(answer),
        Err(problem) => bail!(print::problem(&serde_json::from_slice(
            &problem.render("")
        )?)),
    }
}

/// Returns the access token of the environment.
fn token(written: &Written) -> anyhow::Result<&str> {
    let mut variables = written.environment.iter();
    let token = variables.find(|(name, _)| name == "TOLLGATE_TOKEN");
    let token = token.context(
        "set TOLLGATE_TOKEN to an access token of yours: the portal creates one under Account",
    )?;
    Ok(&token.1)
}

/// Reads a file of at most `bytes_max` bytes.
fn read(path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    use std::io::Read as _;
    let reading = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path)?;
        file.take(bytes_max + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = reading().with_context(|| format!("cannot read {}", path.display()))?;
    if bytes.len() as u64 > bytes_max {
        bail!("{} has more than {} MiB", path.display(), bytes_max >> 20);
    }
    Ok(bytes)
}
