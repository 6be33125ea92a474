//! A rival: a gateway by others, configured for the same work as Tollgate. A folder of
//! `bench/rivals` describes how it is installed, started and called, and contains its
//! configuration: this module reads `rival.toml`, and the module `render` fills in the
//! configuration.

use std::collections::BTreeMap;
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use crate::host::Host;
use crate::https::Https;
use crate::identity::{self, Identity, NAME};
use crate::process::Process;

use lookup::Lookup;

mod lookup;
mod render;
#[cfg(test)]
mod tests;

/// Maximum time for a rival to listen: Java on a busy core may well need a minute.
const START: Duration = Duration::from_secs(240);
/// Timeout of a connection attempt.
const CONNECT: Duration = Duration::from_secs(1);

/// A rival gateway, as described by its folder.
#[derive(Debug, Clone)]
pub struct Rival {
    /// The folder's name, such as `nginx-secured`.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Whether it checks keys, limits calls, assigns ids and logs, as Tollgate does.
    pub is_secured: bool,
    /// Why it cannot be started here; `None` if it can.
    pub missing: Option<String>,
    folder: PathBuf,
    installed: PathBuf,
    program: PathBuf,
    described: Described,
}

/// The addresses, keys and files with which a rival is started.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Its listen address.
    pub listen: SocketAddr,
    /// The address that it forwards calls to.
    pub upstream: SocketAddr,
    /// One key for each application.
    pub keys: &'a [String],
    /// Calls per minute and application; `None`: calls are counted against a limit that is never
    /// reached. A plain rival limits nothing.
    pub limit_per_minute: Option<u64>,
    /// A folder of its own, for its configuration and output.
    pub directory: &'a Path,
    /// Its certificate and its trusted authority; only needed if it uses TLS.
    pub identity: Option<&'a Identity>,
}

/// The request sent through a rival; `{value}` is the placeholder of a key, as in
/// [`crate::load::Request`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Path and query.
    pub target: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
}

/// The contents of `rival.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    title: String,
    /// Description in sentences, for the report.
    what: String,
    secured: bool,
    /// Where it uses TLS, if it does: with `callers`, or with `both` callers and back end.
    #[serde(default)]
    https: Https,
    /// How to install it.
    install: String,
    /// What Tollgate, secured, does and this rival does not.
    does_not: Vec<String>,
    /// Program and arguments, with placeholders; it must run in the foreground and exit on SIGTERM.
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// The files of this folder that are filled in and written to the working directory.
    files: Vec<String>,
    /// The file in the working directory with a line for each call; required if `secured`.
    log: Option<String>,
    /// How a log line identifies its call.
    #[serde(default)]
    log_names: LogNames,
    program: Program,
    /// Files that it needs to start.
    #[serde(default)]
    needs: Vec<Need>,
    request: Requested,
}

/// What distinguishes calls in a log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogNames {
    /// The id that the back end receives, too.
    #[default]
    RequestId,
    /// Only the path: the rival cannot log the id that it assigns.
    Path,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    /// An environment variable with its path, if no public package provides it.
    variable: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Need {
    /// May contain placeholders.
    path: String,
    what: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Requested {
    /// Prefix of the path that the back end sees.
    base: String,
    headers: Vec<(String, String)>,
}

/// Reads all folders of `bench/rivals`, in alphabetical order, whether or not their rivals can be
/// started here.
///
/// # Errors
/// Fails if a folder cannot be read_rival or its `rival.toml` is invalid; the error names the file.
pub fn all(bench: &Path) -> anyhow::Result<Vec<Rival>> {
    let bench = std::path::absolute(bench).context("finding the folder bench")?;
    let installed = bench.join(".installed");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // Debian installs servers in folders that may not be in a user's PATH.
    path.extend(["/usr/sbin", "/sbin"].map(PathBuf::from));
    let lookup = Lookup {
        installed: &installed,
        path,
        variable: &|name| std::env::var_os(name).map(PathBuf::from),
    };
    let rivals = bench.join("rivals");
    let entries = fs::read_dir(&rivals).with_context(|| format!("reading {}", rivals.display()))?;
    let mut folders = Vec::new();
    for entry in entries {
        let folder = entry.context("reading the folder of rivals")?.path();
        if folder.join("rival.toml").is_file() {
            folders.push(folder);
        }
    }
    folders.sort();
    folders
        .iter()
        .map(|folder| read_rival(folder, &lookup))
        .collect()
}

/// Reads one folder.
fn read_rival(folder: &Path, lookup: &Lookup<'_>) -> anyhow::Result<Rival> {
    let file = folder.join("rival.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    let described: Described =
        toml::from_str(&text).with_context(|| format!("parsing {}", file.display()))?;
    let is_secured = described.secured;
    ensure!(
        !is_secured || described.log.is_some(),
        "{}: a secured rival needs a `log`",
        file.display()
    );
    ensure!(
        !is_secured || described.https == Https::No,
        "{}: a secured rival is checked over plain HTTP, so it cannot have `https`",
        file.display()
    );
    let name = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut rival = Rival {
        name,
        title: described.title.clone(),
        is_secured,
        missing: None,
        folder: folder.to_owned(),
        installed: lookup.installed.to_owned(),
        program: PathBuf::new(),
        described,
    };
    match rival.find_program(lookup) {
        Ok(program) => rival.program = program,
        Err(why) => rival.missing = Some(why),
    }
    Ok(rival)
}

impl Rival {
    /// Returns its description, in sentences.
    #[must_use]
    pub fn what(&self) -> &str {
        self.described.what.trim()
    }

    /// Returns where it uses TLS.
    #[must_use]
    pub const fn https(&self) -> Https {
        self.described.https
    }

    /// Returns what Tollgate, secured, does and this rival does not.
    #[must_use]
    pub fn does_not(&self) -> &[String] {
        &self.described.does_not
    }

    /// Returns the file in its directory with a line for each call; `None` for plain rivals.
    #[must_use]
    pub fn log(&self, directory: &Path) -> Option<PathBuf> {
        self.described.log.as_ref().map(|log| directory.join(log))
    }

    /// Returns its binaries by name: its program under its own name, the files that it needs as
    /// `<rival>/<file>`.
    #[must_use]
    pub fn binaries(&self) -> BTreeMap<String, PathBuf> {
        let mut binaries = BTreeMap::from([(self.name.clone(), self.program.clone())]);
        let values = self.values(None);
        // Cannot fail if the rival can be started, since the paths were filled in before.
        let filled = |need: &Need| render::line(&need.path, &values).ok();
        for path in self
            .described
            .needs
            .iter()
            .filter_map(filled)
            .map(PathBuf::from)
        {
            if let Some(file) = path.file_name() {
                let name = format!("{}/{}", self.name, file.to_string_lossy());
                binaries.insert(name, path);
            }
        }
        binaries
    }

    /// Returns how a log line identifies its call.
    #[must_use]
    pub const fn log_names(&self) -> LogNames {
        self.described.log_names
    }

    /// Returns the request to send through it so that the back end receives `target`.
    #[must_use]
    pub fn request(&self, target: &str) -> Sent {
        Sent {
            target: format!("{}{target}", self.described.request.base),
            headers: self.described.request.headers.clone(),
        }
    }

    /// Fills in its configuration: returns the command, which runs in the foreground and exits on
    /// SIGTERM, and the files to write to its directory.
    ///
    /// # Errors
    /// Fails if it is not installed, or if a placeholder or a key is invalid.
    pub fn prepare(
        &self,
        place: &Place<'_>,
    ) -> anyhow::Result<(Command, BTreeMap<String, String>)> {
        if let Some(missing) = &self.missing {
            bail!("{} cannot be started: {missing}", self.name);
        }
        for key in place.keys {
            // Keys are written into files of many syntaxes.
            let plain = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
            ensure!(
                !key.is_empty() && key.chars().all(plain),
                "a key may contain only letters, digits, '-', '_' and '.'"
            );
        }
        let values = self.values(Some(place));
        let mut files = BTreeMap::from([("keys".to_owned(), place.keys.join("\n") + "\n")]);
        let identity = place.identity.filter(|_| self.https().has_callers());
        let identity = identity.into_iter().flat_map(Identity::files);
        files.extend(identity.map(|(name, text)| (name.to_owned(), text.to_owned())));
        for name in &self.described.files {
            let template = fs::read_to_string(self.folder.join(name))
                .with_context(|| format!("reading {name} of {}", self.name))?;
            let text = render::file(&template, &values, place.keys)
                .with_context(|| format!("filling in {name} of {}", self.name))?;
            files.insert(name.clone(), text);
        }
        Ok((self.command(place.directory, &values)?, files))
    }

    /// Prepares it, starts it on a host and waits until it listens.
    ///
    /// # Errors
    /// Fails if it cannot be prepared, exits early, or does not listen in time.
    pub fn start(&self, place: &Place<'_>, host: &Host) -> anyhow::Result<Process> {
        let (command, files) = self.prepare(place)?;
        for (name, text) in files {
            host.write(place.directory.join(name), text)?;
        }
        let mut process = host.start(&self.name, &command)?;
        let deadline = Instant::now() + START;
        while let Err(error) = TcpStream::connect_timeout(&place.listen, CONNECT) {
            if let Some(status) = process.ended()? {
                bail!("{} has exited: {status}", self.name);
            }
            if Instant::now() > deadline {
                return Err(error).with_context(|| format!("{} does not listen", self.name));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(process)
    }

    fn command(
        &self,
        directory: &Path,
        values: &BTreeMap<&'static str, String>,
    ) -> anyhow::Result<Command> {
        let fill = |text: &String| {
            render::line(text, values).with_context(|| format!("the command of {}", self.name))
        };
        let words = self
            .described
            .command
            .iter()
            .map(fill)
            .collect::<anyhow::Result<Vec<_>>>()?;
        let (program, arguments) = words.split_first().context("the command is empty")?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory);
        for (name, value) in &self.described.environment {
            command.env(name, fill(value)?);
        }
        Ok(command)
    }

    /// Returns the values of placeholders.
    fn values(&self, place: Option<&Place<'_>>) -> BTreeMap<&'static str, String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let mut values = BTreeMap::from([
            ("PROGRAM", text(&self.program)),
            ("INSTALLED", text(&self.installed)),
            ("FOLDER", text(&self.folder)),
        ]);
        let Some(place) = place else {
            return values;
        };
        let limit = place.limit_per_minute.unwrap_or(render::NEVER_REACHED);
        values.extend([
            ("DIRECTORY", text(place.directory)),
            ("KEYS", text(&place.directory.join("keys"))),
            (
                "CERTIFICATE",
                text(&place.directory.join(identity::CERTIFICATE)),
            ),
            ("PRIVATE_KEY", text(&place.directory.join(identity::KEY))),
            (
                "AUTHORITY",
                text(&place.directory.join(identity::AUTHORITY)),
            ),
            ("UPSTREAM_NAME", NAME.to_owned()),
            ("LISTEN", place.listen.to_string()),
            ("LISTEN_HOST", place.listen.ip().to_string()),
            ("LISTEN_PORT", place.listen.port().to_string()),
            ("UPSTREAM", place.upstream.to_string()),
            ("UPSTREAM_HOST", place.upstream.ip().to_string()),
            ("UPSTREAM_PORT", place.upstream.port().to_string()),
            ("LIMIT", limit.to_string()),
            ("LIMIT_LESS_ONE", limit.saturating_sub(1).to_string()),
        ]);
        values
    }
}
