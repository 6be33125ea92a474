//! The processes of a run: started on their cores, observed, and ended with the run in any case.
//! How a process is held depends on where it runs: `here`, or on a remote machine (`host::link`).

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::kept::{ProcessUse, Sample};

pub(crate) mod here;

/// Maximum number of unread lines; more are dropped.
pub(crate) const LINES_MAX: usize = 4_096;
/// Maximum time for a process to exit after it closed its output or received SIGTERM.
const END: Duration = Duration::from_secs(5);
/// Interval of checks whether it has exited.
const ASK: Duration = Duration::from_millis(10);

/// A process that is terminated when this is dropped.
#[derive(Debug)]
pub struct Process {
    name: String,
    lines: Receiver<String>,
    held: Box<dyn Held>,
}

/// The handle of a running command; dropping it ends the command with all its descendants.
pub(crate) trait Held: fmt::Debug {
    /// Writes to its standard input and closes it.
    fn write_input(&mut self, text: &str) -> anyhow::Result<()>;
    /// Returns its exit status, if it has exited.
    fn ended(&mut self) -> anyhow::Result<Option<String>>;
    /// Sends SIGTERM.
    fn terminate(&self) -> anyhow::Result<()>;
    /// Returns the resources used so far by it and its descendants.
    fn used(&self) -> anyhow::Result<Used>;
}

/// A command to start, and its cores.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Order {
    program: String,
    arguments: Vec<String>,
    /// Variables to set, or to remove from the inherited ones.
    environment: BTreeMap<String, Option<String>>,
    directory: Option<PathBuf>,
    cores: Vec<u32>,
}

/// Resources used by a process and its descendants since they started.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Used {
    user_us: u64,
    system_us: u64,
    /// User and system time by thread name.
    threads_us: BTreeMap<String, u64>,
    /// User time by thread name.
    threads_user_us: BTreeMap<String, u64>,
    memory_bytes: u64,
    voluntary: u64,
    involuntary: u64,
}

/// Samples the resources of a process.
#[derive(Debug)]
pub struct Watch {
    began: Instant,
    first: Used,
    last: Used,
    peak_bytes: u64,
    samples: Vec<Sample>,
}

impl Order {
    /// # Errors
    /// Fails if an argument is not valid UTF-8.
    pub(crate) fn new(command: &Command, cores: &[u32]) -> anyhow::Result<Self> {
        let text = |word: &std::ffi::OsStr| {
            let text = word.to_str().map(str::to_owned);
            text.with_context(|| format!("{} is not valid UTF-8", word.to_string_lossy()))
        };
        let mut environment = BTreeMap::new();
        for (name, value) in command.get_envs() {
            environment.insert(text(name)?, value.map(text).transpose()?);
        }
        Ok(Self {
            program: text(command.get_program())?,
            arguments: command.get_args().map(text).collect::<Result<_, _>>()?,
            environment,
            directory: command.get_current_dir().map(Into::into),
            cores: cores.to_vec(),
        })
    }
}

impl Process {
    /// Wraps a started command under a name, with its lines of output.
    pub(crate) fn new(name: &str, lines: Receiver<String>, held: Box<dyn Held>) -> Self {
        Self {
            name: name.to_owned(),
            lines,
            held,
        }
    }

    /// Writes to its standard input and closes it.
    ///
    /// # Errors
    /// Fails if its standard input is closed.
    pub fn write_input(&mut self, text: &str) -> anyhow::Result<()> {
        let written = self.held.write_input(text);
        written.with_context(|| format!("writing to the standard input of {}", self.name))
    }

    /// Returns its next line; `None` if there is none within `wait`.
    ///
    /// # Errors
    /// Fails if the process has exited.
    pub fn line(&mut self, wait: Duration) -> anyhow::Result<Option<String>> {
        match self.lines.recv_timeout(wait) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.until_ended(END)?;
                bail!("{} has exited: {status}", self.name)
            }
        }
    }

    /// Returns the result of `found` for the first line that has one.
    ///
    /// # Errors
    /// Fails if the process exits, or if there is no such line in time.
    pub fn until<T>(
        &mut self,
        wait: Duration,
        mut found: impl FnMut(&str) -> Option<T>,
    ) -> anyhow::Result<T> {
        let deadline = Instant::now() + wait;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.line(left)? {
                Some(line) => {
                    if let Some(found) = found(&line) {
                        return Ok(found);
                    }
                }
                None => bail!("{} did not start within {wait:?}", self.name),
            }
        }
    }

    /// Returns its exit status, if it has exited.
    ///
    /// # Errors
    /// Fails if the status cannot be read.
    pub fn ended(&mut self) -> anyhow::Result<Option<String>> {
        self.held.ended()
    }

    /// Sends SIGTERM.
    ///
    /// # Errors
    /// Fails if the process cannot be reached.
    pub fn terminate(&self) -> anyhow::Result<()> {
        self.held.terminate()
    }

    /// Sends SIGTERM and waits until the process has exited, so that it can flush its buffers.
    ///
    /// # Errors
    /// Fails if it does not exit in time; it is then killed.
    pub fn end(mut self, wait: Duration) -> anyhow::Result<()> {
        if self.ended()?.is_none() {
            self.terminate()?;
        }
        self.until_ended(wait).map(drop)
    }

    /// Returns the resources used so far by it and its descendants.
    ///
    /// # Errors
    /// Fails if they cannot be read.
    pub fn used(&self) -> anyhow::Result<Used> {
        self.held.used()
    }

    fn until_ended(&mut self, wait: Duration) -> anyhow::Result<String> {
        let deadline = Instant::now() + wait;
        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            ensure!(
                Instant::now() < deadline,
                "{} did not exit within {wait:?}",
                self.name
            );
            thread::sleep(ASK);
        }
    }
}

impl Used {
    fn plus(self, other: Self) -> Self {
        Self {
            user_us: self.user_us + other.user_us,
            system_us: self.system_us + other.system_us,
            threads_us: sum(self.threads_us, other.threads_us),
            threads_user_us: sum(self.threads_user_us, other.threads_user_us),
            memory_bytes: self.memory_bytes + other.memory_bytes,
            voluntary: self.voluntary + other.voluntary,
            involuntary: self.involuntary + other.involuntary,
        }
    }
}

impl Watch {
    /// Starts with the resources used so far.
    #[must_use]
    pub fn begin(used: Used) -> Self {
        Self {
            began: Instant::now(),
            peak_bytes: used.memory_bytes,
            first: used.clone(),
            last: used,
            samples: Vec::new(),
        }
    }

    /// Takes a sample.
    pub fn look(&mut self, used: Used) {
        self.peak_bytes = self.peak_bytes.max(used.memory_bytes);
        let first_us = self.first.user_us + self.first.system_us;
        self.samples.push(Sample {
            at_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            cpu_us: (used.user_us + used.system_us).saturating_sub(first_us),
            memory_bytes: used.memory_bytes,
        });
        self.last = used;
    }

    /// Returns the resources used between the first and the last sample, with the cores and the
    /// machine, if not the driver's; `after` is a sample after the end of the load.
    #[must_use]
    pub fn end(self, machine: Option<IpAddr>, cores: Vec<u32>, after: &Used) -> ProcessUse {
        let (first, last) = (self.first, self.last);
        ProcessUse {
            machine,
            cores,
            cpu_user_us: last.user_us.saturating_sub(first.user_us),
            cpu_system_us: last.system_us.saturating_sub(first.system_us),
            threads_us: since(last.threads_us, &first.threads_us),
            threads_user_us: since(last.threads_user_us, &first.threads_user_us),
            memory_peak_bytes: self.peak_bytes,
            memory_after_bytes: after.memory_bytes,
            switches_voluntary: last.voluntary.saturating_sub(first.voluntary),
            switches_involuntary: last.involuntary.saturating_sub(first.involuntary),
            samples: self.samples,
        }
    }
}

/// Adds the times of threads with the same name.
fn sum(mut times_us: BTreeMap<String, u64>, more: BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    for (name, used_us) in more {
        *times_us.entry(name).or_default() += used_us;
    }
    times_us
}

/// Returns the increase of each time.
fn since(mut last: BTreeMap<String, u64>, first: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    for (name, used_us) in &mut last {
        *used_us = used_us.saturating_sub(first.get(name).copied().unwrap_or_default());
    }
    last
}

#[cfg(test)]
mod tests;
