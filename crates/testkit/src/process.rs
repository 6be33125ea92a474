//! Starts the real binary on free ports and its own data; stops it, kills it, starts it again.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow, bail, ensure};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};
use tempfile::TempDir;

use crate::disk::Disk;
use crate::said::Said;
use crate::secrets;

/// Time that a start may take in a test, with Argon2 and migrations on a busy machine.
const START_TIME: Duration = Duration::from_secs(30);
/// Time that leaving after SIGTERM may take.
const LEAVE_TIME: Duration = Duration::from_secs(40);
/// Runs a command that must end by itself.
const COMPLETION: &str = "exec timeout 30 \"$0\" \"$@\"";
/// Runs the process, deaf to SIGXFSZ for [`Tollgate::file_bytes_max`].
const SERVICE: &str = "trap '' XFSZ; exec \"$0\" \"$@\"";

/// A process to be started: its program, settings and data.
#[derive(Debug, Clone)]
pub struct Builder {
    program: PathBuf,
    flags: Vec<String>,
    data: Arc<TempDir>,
    disk: Option<Disk>,
}

impl Builder {
    /// The program at this path with data of its own, free ports, two workers, no example.
    ///
    /// # Errors
    /// No temporary directory can be made.
    pub fn new(program: impl AsRef<Path>) -> anyhow::Result<Self> {
        let data = Arc::new(TempDir::new()?);
        let builder = Self {
            program: program.as_ref().to_owned(),
            flags: Vec::new(),
            data,
            disk: None,
        };
        Ok(builder
            .set("control-listen", "127.0.0.1:0")
            .set("gateway-listen", "127.0.0.1:0")
            .set("gateway-workers", "2")
            .flag("--no-example"))
    }

    /// With this setting, by its flag without hyphens in front; the last one wins.
    #[must_use]
    pub fn set(self, setting: &str, value: &str) -> Self {
        self.flag(&format!("--{setting}={value}"))
    }

    /// With HTTPS at both planes too, by certificates for this machine that the program makes.
    ///
    /// # Errors
    /// It makes none.
    pub fn secured(self) -> anyhow::Result<Self> {
        let made = self.command(&["certificates"])?;
        ensure!(made.status.success(), "{made:?}");
        Ok(self
            .set("control-https-listen", "127.0.0.1:0")
            .set("gateway-https-listen", "127.0.0.1:0"))
    }

    /// With this flag.
    #[must_use]
    pub fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    /// With its data on this disk, a new one at each start.
    #[must_use]
    pub fn on(mut self, disk: Disk) -> Self {
        self.disk = Some(disk);
        self
    }

    /// The data directory.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.data.path().join("data")
    }

    /// A command line of the program on the same data, to completion; stopped after 30 s.
    ///
    /// # Errors
    /// The program cannot be run.
    pub fn command(&self, words: &[&str]) -> anyhow::Result<Output> {
        Ok(self.prepared(COMPLETION, words).output()?)
    }

    /// Starts the process and waits until it says that it is ready.
    ///
    /// # Errors
    /// It ended instead, or was not ready in 30 s; with what it said.
    pub fn start(&self) -> anyhow::Result<Tollgate> {
        let begun = Instant::now();
        let (mut tollgate, lines) = self.spawn()?;
        loop {
            let left = START_TIME.saturating_sub(begun.elapsed());
            match lines.recv_timeout(left) {
                Ok(line) if line.starts_with("ready") => return Ok(tollgate),
                Ok(line) => tollgate.read(&line)?,
                Err(RecvTimeoutError::Timeout) => bail!("not ready: {}", tollgate.said()),
                Err(RecvTimeoutError::Disconnected) => {
                    let status = tollgate.child.wait()?;
                    bail!("ended with {status}: {}", tollgate.said());
                }
            }
        }
    }

    /// Starts the process without waiting until it is ready; its addresses are not known.
    ///
    /// # Errors
    /// The program cannot be run.
    pub fn launch(&self) -> anyhow::Result<Tollgate> {
        Ok(self.spawn()?.0)
    }

    /// A process that begins to start, and the lines of its standard output.
    fn spawn(&self) -> anyhow::Result<(Tollgate, Receiver<String>)> {
        let mut child = self
            .prepared(SERVICE, &["run"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let said = Said::default();
        let lines = said.listen(child.stdout.take().context("stdout")?);
        let _ = said.listen(child.stderr.take().context("stderr")?);
        let tollgate = Tollgate {
            builder: self.clone(),
            child,
            said,
            control: SocketAddr::from(([0, 0, 0, 0], 0)),
            gateway: SocketAddr::from(([0, 0, 0, 0], 0)),
            https: Https::default(),
            password: None,
            curls: Vec::new(),
            token_curl: None,
        };
        Ok((tollgate, lines))
    }

    fn prepared(&self, script: &str, words: &[&str]) -> Command {
        let mut command = match &self.disk {
            Some(disk) => disk.mounted_at(&self.data(), "sh"),
            None => Command::new("sh"),
        };
        command.args(["-c", script]).arg(&self.program);
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"TOLLGATE_") {
                command.env_remove(name);
            }
        }
        let data = format!("--data={}", self.data().display());
        command
            .args(words)
            .arg(data)
            .args(&self.flags)
            .current_dir(self.data.path())
            .stdin(Stdio::null());
        command
    }
}

/// Where a process takes HTTPS, if anywhere.
#[derive(Debug, Clone, Copy, Default)]
pub struct Https {
    /// The control plane.
    pub control: Option<SocketAddr>,
    /// The gateway.
    pub gateway: Option<SocketAddr>,
}

/// A running process; killed when dropped.
#[derive(Debug)]
pub struct Tollgate {
    builder: Builder,
    child: Child,
    said: Said,
    /// Where the control plane listens.
    pub control: SocketAddr,
    /// Where the gateway listens.
    pub gateway: SocketAddr,
    /// The first administrator's name and one-time password, while it was not used.
    pub password: Option<(String, String)>,
    /// Where HTTPS is taken.
    pub https: Https,
    /// The printed calls of the example, where it is on.
    pub curls: Vec<String>,
    /// The printed request of a token for it, where tokens are issued.
    pub token_curl: Option<String>,
}

impl Tollgate {
    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How it was started.
    #[must_use]
    pub fn builder(&self) -> &Builder {
        &self.builder
    }

    /// Everything that it printed and logged so far.
    #[must_use]
    pub fn said(&self) -> String {
        self.said.text()
    }

    /// Where secrets that went over the control plane are left in clear: in what was printed and
    /// logged, or in a file of the data directory that is not there to hold one.
    #[must_use]
    pub fn secrets_left(&self) -> Vec<String> {
        secrets::left(&self.builder.data(), &self.said())
    }

    /// Resident memory, in KiB.
    ///
    /// # Errors
    /// The process is gone.
    pub fn memory_kib(&self) -> anyhow::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.context("VmRSS")?.trim().trim_end_matches(" kB");
        Ok(kib.parse()?)
    }

    /// Lets no file grow beyond so many bytes: writes fail as they do on a full disk (with another
    /// error number). `None` makes room again.
    ///
    /// # Errors
    /// The process is gone.
    pub fn file_bytes_max(&self, most: Option<u64>) -> anyhow::Result<()> {
        let limit = Rlimit {
            current: most,
            maximum: None,
        };
        prlimit(Some(self.process()?), Resource::Fsize, limit)?;
        Ok(())
    }

    /// Lets the process open so many descriptors; those that are open stay. `None` gives back what
    /// the system allows.
    ///
    /// # Errors
    /// The process is gone.
    pub fn descriptors_max(&self, most: Option<u64>) -> anyhow::Result<()> {
        // The process inherited the hard limit of this one; `None` in its place would raise it.
        let maximum = getrlimit(Resource::Nofile).maximum;
        let limit = Rlimit {
            current: most.or(maximum),
            maximum,
        };
        prlimit(Some(self.process()?), Resource::Nofile, limit)?;
        Ok(())
    }

    /// The data directory as the process sees it, on its own disk or not.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        let data = self.builder.data();
        let data = data.strip_prefix("/").unwrap_or(&data);
        PathBuf::from(format!("/proc/{}/root", self.pid())).join(data)
    }

    /// Fills the disk that it was given.
    ///
    /// # Errors
    /// It has none, or the process is gone.
    pub fn fill_disk(&self) -> anyhow::Result<()> {
        let disk = self.builder.disk.context("a disk of its own")?;
        disk.fill(&self.data())
    }

    /// Takes away what [`Tollgate::fill_disk`] has put there.
    ///
    /// # Errors
    /// It was not filled, or the process is gone.
    pub fn empty_disk(&self) -> anyhow::Result<()> {
        Disk::make_room(&self.data())
    }

    /// kill -9; the data stays for the builder that is returned.
    ///
    /// # Errors
    /// The process cannot be killed.
    pub fn kill(mut self) -> anyhow::Result<Builder> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(self.builder.clone())
    }

    /// SIGTERM, and waits until it has left.
    ///
    /// # Errors
    /// It did not leave in 40 s.
    pub fn terminate(mut self) -> anyhow::Result<(ExitStatus, Builder)> {
        self.signal()?;
        let begun = Instant::now();
        while begun.elapsed() < LEAVE_TIME {
            if let Some(status) = self.child.try_wait()? {
                return Ok((status, self.builder.clone()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("it did not leave: {}", self.said())
    }

    /// SIGTERM, without waiting.
    ///
    /// # Errors
    /// The process is gone.
    pub fn signal(&self) -> anyhow::Result<()> {
        Ok(kill_process(self.process()?, Signal::TERM)?)
    }

    fn process(&self) -> anyhow::Result<Pid> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        pid.context("a process id")
    }

    /// Takes in one line of the start.
    fn read(&mut self, line: &str) -> anyhow::Result<()> {
        let place = |http: &mut SocketAddr, https: &mut Option<SocketAddr>, url: &str| {
            match url.trim().split_once("://").context("a URL")? {
                ("https", address) => *https = Some(address.parse()?),
                (_, address) => *http = address.parse()?,
            }
            anyhow::Ok(())
        };
        if let Some(url) = line.strip_prefix("control plane: ") {
            place(&mut self.control, &mut self.https.control, url)?;
            secrets::serves(self.control, &self.builder.data());
        } else if let Some(url) = line.strip_prefix("gateway: ") {
            place(&mut self.gateway, &mut self.https.gateway, url)?;
            secrets::serves(self.gateway, &self.builder.data());
        } else if line.starts_with("curl ") && line.ends_with("/oauth2/token") {
            self.token_curl = Some(line.to_owned());
        } else if line.starts_with("curl ") {
            self.curls.push(line.to_owned());
        } else if let Some(rest) = line.strip_prefix("first sign-in: user ") {
            let (name, rest) = rest
                .split_once(", one-time password ")
                .ok_or_else(|| anyhow!("{line:?}"))?;
            secrets::printed(rest.trim());
            self.password = Some((name.to_owned(), rest.trim().to_owned()));
        }
        Ok(())
    }
}

impl Drop for Tollgate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            self.said.show();
        } else {
            let left = self.secrets_left();
            assert!(left.is_empty(), "secrets are left behind: {left:?}");
        }
    }
}
