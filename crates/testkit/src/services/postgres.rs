//! A PostgreSQL server that tests share.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, ensure};
use rustix::process::geteuid;

use super::{Prepared, Recipe, Service, free_port};
use crate::missing;

/// The folder in which Debian installs each version of PostgreSQL.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Creates the data and runs the server: programs, data, port. The data do not outlive the run.
const SERVER: &str = r#"
"$1/initdb" --pgdata "$2" --username=tollgate --auth=trust --no-sync --encoding=UTF8 --locale=C &&
  exec "$1/postgres" -D "$2" -c port="$3" -c listen_addresses=127.0.0.1 -c fsync=off \
    -c unix_socket_directories=
"#;
/// The user that runs the server if the tests run as root: PostgreSQL refuses to.
const UNPRIVILEGED: &str = "nobody";

/// The run's PostgreSQL server; no password. [`database`](Self::database) creates an empty database
/// for a test.
#[derive(Debug)]
pub struct Postgres {
    /// `127.0.0.1:port`.
    address: String,
    programs: PathBuf,
}

impl Postgres {
    /// Returns the server of this run; `None`, with a line on the reason, if PostgreSQL is missing.
    ///
    /// # Errors
    /// Fails if it does not start, or is missing although `TOLLGATE_REQUIRE_SERVICES` is 1.
    pub fn find() -> anyhow::Result<Option<Self>> {
        let Some(programs) = programs() else {
            missing::report("tests with PostgreSQL", "postgresql")?;
            return Ok(None);
        };
        let service = Service::shared(&Recipe {
            name: "postgres",
            ready: "database system is ready to accept connections",
            prepare: &|folder| prepare(&programs, folder),
        })?;
        Ok(Some(Self {
            address: service.address,
            programs,
        }))
    }

    /// Creates an empty database and returns its URL, with the user but no password.
    ///
    /// # Errors
    /// Fails if the server does not create it.
    pub fn database(&self) -> anyhow::Result<String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{count}", std::process::id());
        self.query(&self.url("postgres"), &format!("CREATE DATABASE {name}"))?;
        Ok(self.url(&name))
    }

    /// The server's `host:port`.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the URL of a database; `postgres` always exists.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        format!("postgres://tollgate@{}/{database}", self.address)
    }

    /// Runs a statement in the database at this URL; returns its rows, unaligned and without heads.
    ///
    /// # Errors
    /// Fails if the statement does.
    pub fn query(&self, url: &str, statement: &str) -> anyhow::Result<String> {
        let output = Command::new(self.programs.join("psql"))
            .args(["--no-psqlrc", "--no-align", "--tuples-only", "--quiet"])
            .args(["--set", "ON_ERROR_STOP=1", "--command", statement])
            .arg(url)
            .output()?;
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{statement}: {errors}");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }
}

/// Returns the folder of the programs of the newest installed version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir(VERSIONS).ok()?;
    let programs = versions.filter_map(|version| Some(version.ok()?.path().join("bin")));
    let version = |programs: &PathBuf| -> Option<u32> {
        programs.parent()?.file_name()?.to_str()?.parse().ok()
    };
    programs
        .filter(|programs| programs.join("initdb").exists())
        .max_by_key(version)
}

fn prepare(programs: &Path, folder: &Path) -> anyhow::Result<Prepared> {
    let data = folder.join("data");
    fs::create_dir(&data)?;
    let mut command = match geteuid().is_root() {
        true => unprivileged(&data)?,
        false => Vec::new(),
    };
    let port = free_port()?;
    command.extend(["sh", "-c", SERVER, "sh"].map(OsString::from));
    command.extend([programs.into(), data.into(), port.to_string().into()]);
    Ok(Prepared {
        command,
        address: Some(format!("127.0.0.1:{port}")),
    })
}

/// Gives a folder to the unprivileged user; returns the words that run a command as that user.
fn unprivileged(folder: &Path) -> anyhow::Result<Vec<OsString>> {
    let users = fs::read_to_string("/etc/passwd")?;
    let mut users = users.lines().map(|line| line.split(':'));
    let user = users.find_map(|mut fields| (fields.next() == Some(UNPRIVILEGED)).then_some(fields));
    // The name is read; the next field is the password.
    let mut ids = user.context(UNPRIVILEGED)?.skip(1);
    let mut id = || ids.next().context("passwd(5)");
    let (uid, gid) = (id()?, id()?);
    chown(folder, Some(uid.parse()?), Some(gid.parse()?))?;
    let words = [
        "setpriv".to_owned(),
        format!("--reuid={uid}"),
        format!("--regid={gid}"),
        "--clear-groups".to_owned(),
    ];
    Ok(words.map(OsString::from).into())
}
