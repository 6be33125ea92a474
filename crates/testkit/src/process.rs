//! Starts the real binary on free ports with its own data; stops it, kills it, starts it again.

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
use crate::output::CapturedOutput;
use crate::secrets;

/// Time limit of a start in a test, with Argon2 and migrations on a busy machine.
const START_TIME: Duration = Duration::from_secs(30);
/// Time limit of the exit after SIGTERM.
const LEAVE_TIME: Duration = Duration::from_secs(40);
/// Runs a command with a time limit.
const COMPLETION: &str = "exec timeout 30 \"$0\" \"$@\"";
/// Runs the process, ignoring SIGXFSZ for [`Tollgate::file_bytes_max`].
const SERVICE: &str = "trap '' XFSZ; exec \"$0\" \"$@\"";

/// A process to start: its program, settings and data.
#[derive(Debug, Clone)]
pub struct Builder {
    program: PathBuf,
    flags: Vec<String>,
    data: Arc<TempDir>,
    disk: Option<Disk>,
}

impl Builder {
    /// The program at this path with its own data, free ports, two workers, and no example.
    ///
    /// # Errors
    /// Fails if no temporary directory can be created.
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

    /// Adds a setting, given by its flag without the leading hyphens; the last one wins.
    #[must_use]
    pub fn set(self, setting: &str, value: &str) -> Self {
        self.flag(&format!("--{setting}={value}"))
    }

    /// Enables HTTPS on both planes, with certificates for this machine created by the program.
    ///
    /// # Errors
    /// Fails if it creates none.
    pub fn secured(self) -> anyhow::Result<Self> {
        let made = self.command(&["certificates"])?;
        ensure!(made.status.success(), "{made:?}");
        Ok(self
            .set("control-https-listen", "127.0.0.1:0")
            .set("gateway-https-listen", "127.0.0.1:0"))
    }

    /// Adds a flag.
    #[must_use]
    pub fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    /// Puts the data on this disk, a new one at each start.
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

    /// Runs a command of the program on the same data to completion; stopped after 30 s.
    ///
    /// # Errors
    /// Fails if the program cannot be run.
    pub fn command(&self, words: &[&str]) -> anyhow::Result<Output> {
        Ok(self.prepared(COMPLETION, words).output()?)
    }

    /// Starts the process and waits until it reports that it is ready.
    ///
    /// # Errors
    /// Fails with its output if it ended instead, or was not ready in 30 s.
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

    /// Starts the process without waiting until it is ready; its addresses are unknown.
    ///
    /// # Errors
    /// Fails if the program cannot be run.
    pub fn launch(&self) -> anyhow::Result<Tollgate> {
        Ok(self.spawn()?.0)
    }

    /// Starts the process; also returns the lines of its standard output.
    fn spawn(&self) -> anyhow::Result<(Tollgate, Receiver<String>)> {
        let mut child = self
            .prepared(SERVICE, &["run"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let output = CapturedOutput::default();
        let lines = output.listen(child.stdout.take().context("stdout")?);
        let _ = output.listen(child.stderr.take().context("stderr")?);
        let tollgate = Tollgate {
            builder: self.clone(),
            child,
            output,
            control: SocketAddr::from(([0, 0, 0, 0], 0)),
            gateway: SocketAddr::from(([0, 0, 0, 0], 0)),
            https: Https::default(),
            metrics: None,
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

/// The HTTPS addresses of a process.
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
    output: CapturedOutput,
    /// The address of the control plane.
    pub control: SocketAddr,
    /// The address of the gateway.
    pub gateway: SocketAddr,
    /// The first administrator's name and one-time password, if not used yet.
    pub password: Option<(String, String)>,
    /// The HTTPS addresses.
    pub https: Https,
    /// The address of the listener of metrics, if there is one.
    pub metrics: Option<SocketAddr>,
    /// The printed calls of the example, if enabled.
    pub curls: Vec<String>,
    /// The printed token request for it, if tokens are issued.
    pub token_curl: Option<String>,
}

impl Tollgate {
    /// The process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The builder that started it.
    #[must_use]
    pub fn builder(&self) -> &Builder {
        &self.builder
    }

    /// Everything printed and logged so far.
    #[must_use]
    pub fn said(&self) -> String {
        self.output.text()
    }

    /// The places where secrets sent through the control plane are left in clear: in the output, or
    /// in a file of the data directory that should not contain any.
    #[must_use]
    pub fn secrets_left(&self) -> Vec<String> {
        secrets::left(&self.builder.data(), &self.said())
    }

    /// Resident memory, in KiB.
    ///
    /// # Errors
    /// Fails if the process has ended.
    pub fn memory_kib(&self) -> anyhow::Result<u64> {
        self.status_kib("VmRSS:")
    }

    /// Returns its memory without the pages of files, which an unoptimized binary has many of.
    ///
    /// # Errors
    ///
    /// Fails if the process no longer runs.
    pub fn anonymous_memory_kib(&self) -> anyhow::Result<u64> {
        self.status_kib("RssAnon:")
    }

    /// Returns a number of the process's status (proc_pid_status(5)).
    fn status_kib(&self, name: &'static str) -> anyhow::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.context(name)?.trim().trim_end_matches(" kB");
        Ok(kib.parse()?)
    }

    /// Limits the size of files: writes fail as on a full disk (with another error number). `None`
    /// removes the limit.
    ///
    /// # Errors
    /// Fails if the process has ended.
    pub fn file_bytes_max(&self, most: Option<u64>) -> anyhow::Result<()> {
        let limit = Rlimit {
            current: most,
            maximum: None,
        };
        prlimit(Some(self.process()?), Resource::Fsize, limit)?;
        Ok(())
    }

    /// Limits the number of descriptors; open ones stay open. `None` restores the system's limit.
    ///
    /// # Errors
    /// Fails if the process has ended.
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

    /// Fills its disk.
    ///
    /// # Errors
    /// Fails if it has none, or the process has ended.
    pub fn fill_disk(&self) -> anyhow::Result<()> {
        let disk = self.builder.disk.context("a disk of its own")?;
        disk.fill(&self.data())
    }

    /// Removes what [`Tollgate::fill_disk`] has written.
    ///
    /// # Errors
    /// Fails if it was not filled, or the process has ended.
    pub fn empty_disk(&self) -> anyhow::Result<()> {
        Disk::make_room(&self.data())
    }

    /// Kills the process with SIGKILL; the returned builder keeps the data.
    ///
    /// # Errors
    /// Fails if the process cannot be killed.
    pub fn kill(mut self) -> anyhow::Result<Builder> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(self.builder.clone())
    }

    /// Sends SIGTERM, and waits until the process has ended.
    ///
    /// # Errors
    /// Fails if it did not end in 40 s.
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

    /// Sends SIGTERM, without waiting.
    ///
    /// # Errors
    /// Fails if the process has ended.
    pub fn signal(&self) -> anyhow::Result<()> {
        Ok(kill_process(self.process()?, Signal::TERM)?)
    }

    fn process(&self) -> anyhow::Result<Pid> {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        pid.context("a process id")
    }

    /// Parses one line of the start.
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
        } else if let Some(url) = line.strip_prefix("metrics: http://") {
            let address = url.trim().strip_suffix("/metrics");
            self.metrics = Some(address.context("a URL")?.parse()?);
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
            self.output.show();
        } else {
            let left = self.secrets_left();
            assert!(left.is_empty(), "secrets are left behind: {left:?}");
        }
    }
}
