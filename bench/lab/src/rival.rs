//! A rival: a gateway that others make, set up to do what ours does. A folder of `bench/rivals`
//! says how it is installed, started and called, and holds its configuration: `rival.toml` is read
//! here, and the module `render` fills the configuration in.

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

/// How long a rival may take to listen: a minute is not rare for Java on a busy core.
const START: Duration = Duration::from_secs(240);
/// How long it may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(1);

/// A gateway beside ours, as its folder describes it.
#[derive(Debug, Clone)]
pub struct Rival {
    /// The folder's name, such as `nginx-secured`.
    pub name: String,
    /// For people.
    pub title: String,
    /// Whether it looks at keys, limits, gives ids and logs, as ours does.
    pub is_secured: bool,
    /// Why it cannot be started here; `None` where it can.
    pub missing: Option<String>,
    folder: PathBuf,
    installed: PathBuf,
    program: PathBuf,
    described: Described,
}

/// Where a rival is started, and with what.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where calls go.
    pub upstream: SocketAddr,
    /// One for each application.
    pub keys: &'a [String],
    /// How many calls of each application may pass in a minute; `None`: each call is counted, and
    /// so many may pass that none is refused. A plain rival limits nothing.
    pub limit_per_minute: Option<u64>,
    /// A folder of its own, for its configuration and what it writes.
    pub directory: &'a Path,
    /// What it shows where it speaks TLS, and whom it trusts; who speaks none needs none.
    pub identity: Option<&'a Identity>,
}

/// What is sent through a rival; `{value}` stands for a key, as in [`crate::load::Request`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Path and query.
    pub target: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
}

/// `rival.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    title: String,
    /// What it is, in sentences for the report.
    what: String,
    secured: bool,
    /// Where it speaks TLS, if it does: with `callers`, or with `both` them and the back end.
    #[serde(default)]
    https: Https,
    /// How it is installed.
    install: String,
    /// What ours does, secured, and this one does not.
    does_not: Vec<String>,
    /// Program and arguments, with placeholders; it stays in the foreground and ends with SIGTERM.
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// The files of this folder that are filled in and written to the work directory.
    files: Vec<String>,
    /// The file in the work directory that holds a line for each call; required if `secured`.
    log: Option<String>,
    /// How a line of it names its call.
    #[serde(default)]
    log_names: LogNames,
    program: Program,
    /// Files without which it does not start.
    #[serde(default)]
    needs: Vec<Need>,
    request: Requested,
}

/// What a line of a log tells one call from another by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogNames {
    /// The id that the back end sees, too.
    #[default]
    RequestId,
    /// Its path alone: the rival cannot log the id that it gives.
    Path,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    /// An environment variable that holds its path, where no public package brings it.
    variable: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Need {
    /// With placeholders.
    path: String,
    what: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Requested {
    /// Put before the path that the back end sees.
    base: String,
    headers: Vec<(String, String)>,
}

/// All folders of `bench/rivals`, by name, whether their rivals can be started here or not.
///
/// # Errors
/// A folder cannot be read or its `rival.toml` is wrong; names the file.
pub fn all(bench: &Path) -> anyhow::Result<Vec<Rival>> {
    let bench = std::path::absolute(bench).context("the folder of the benches")?;
    let installed = bench.join(".installed");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // Debian keeps servers where a user's PATH may not look.
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
    folders.iter().map(|folder| read(folder, &lookup)).collect()
}

/// Reads one folder.
fn read(folder: &Path, lookup: &Lookup<'_>) -> anyhow::Result<Rival> {
    let file = folder.join("rival.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    let described: Described =
        toml::from_str(&text).with_context(|| format!("understanding {}", file.display()))?;
    let is_secured = described.secured;
    ensure!(
        !is_secured || described.log.is_some(),
        "{}: a secured rival needs a `log`",
        file.display()
    );
    ensure!(
        !is_secured || described.https == Https::No,
        "{}: a secured rival is checked over plain HTTP, so it can have no `https`",
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
    match rival.find(lookup) {
        Ok(program) => rival.program = program,
        Err(why) => rival.missing = Some(why),
    }
    Ok(rival)
}

impl Rival {
    /// What it is, in sentences.
    #[must_use]
    pub fn what(&self) -> &str {
        self.described.what.trim()
    }

    /// Where it speaks TLS.
    #[must_use]
    pub const fn https(&self) -> Https {
        self.described.https
    }

    /// What ours does, secured, and this one does not.
    #[must_use]
    pub fn does_not(&self) -> &[String] {
        &self.described.does_not
    }

    /// The file in its directory that holds a line for each call; plain ones have none.
    #[must_use]
    pub fn log(&self, directory: &Path) -> Option<PathBuf> {
        self.described.log.as_ref().map(|log| directory.join(log))
    }

    /// The files that it is made of, by name: its program under its own, what it needs beside that
    /// as `<rival>/<file>`.
    #[must_use]
    pub fn binaries(&self) -> BTreeMap<String, PathBuf> {
        let mut binaries = BTreeMap::from([(self.name.clone(), self.program.clone())]);
        let values = self.values(None);
        // The paths of a rival that can be started were filled in before.
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

    /// How a line of its log names its call.
    #[must_use]
    pub const fn log_names(&self) -> LogNames {
        self.described.log_names
    }

    /// What to send through it so that the back end sees `target`.
    #[must_use]
    pub fn request(&self, target: &str) -> Sent {
        Sent {
            target: format!("{}{target}", self.described.request.base),
            headers: self.described.request.headers.clone(),
        }
    }

    /// Fills its configuration in: the command, which starts it in the foreground and which SIGTERM
    /// ends, and the files of its directory that it reads.
    ///
    /// # Errors
    /// It is not installed, or a placeholder or a key cannot be used.
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
                "a key may hold letters, digits, '-', '_' and '.' only"
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
    /// It cannot be prepared, ends at once, or does not listen in time.
    pub fn start(&self, place: &Place<'_>, host: &Host) -> anyhow::Result<Process> {
        let (command, files) = self.prepare(place)?;
        for (name, text) in files {
            host.write(place.directory.join(name), text)?;
        }
        let mut process = host.start(&self.name, &command)?;
        let deadline = Instant::now() + START;
        while let Err(error) = TcpStream::connect_timeout(&place.listen, CONNECT) {
            if let Some(status) = process.ended()? {
                bail!("{} has ended: {status}", self.name);
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
        let (program, arguments) = words.split_first().context("an empty command")?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory);
        for (name, value) in &self.described.environment {
            command.env(name, fill(value)?);
        }
        Ok(command)
    }

    /// What placeholders stand for.
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
