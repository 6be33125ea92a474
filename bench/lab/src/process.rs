//! The processes of a run: started on their cores, watched, and ended with the run, whatever comes.
//! How one is held depends on where it runs: `here`, or on another machine (`host::line`).

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

/// Lines that wait to be read; more are dropped.
pub(crate) const LINES_MAX: usize = 4_096;
/// How long a process may take to end that has closed its output, or was asked to.
const END: Duration = Duration::from_secs(5);
/// How often it is asked whether it has ended.
const ASK: Duration = Duration::from_millis(10);

/// A process that is ended when this is dropped.
#[derive(Debug)]
pub struct Process {
    name: String,
    lines: Receiver<String>,
    held: Box<dyn Held>,
}

/// A running command, as whoever started it holds it: when this is dropped it is ended, with all
/// that it started.
pub(crate) trait Held: fmt::Debug {
    /// Writes to its standard input and closes it.
    fn tell(&mut self, text: &str) -> anyhow::Result<()>;
    /// How it ended, if it has.
    fn ended(&mut self) -> anyhow::Result<Option<String>>;
    /// Asks it to end, as SIGTERM does.
    fn ask_to_end(&self) -> anyhow::Result<()>;
    /// What it and its children have used so far.
    fn used(&self) -> anyhow::Result<Used>;
}

/// What is started, and on which cores.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Order {
    program: String,
    arguments: Vec<String>,
    /// What is set, and what is taken from what is inherited.
    environment: BTreeMap<String, Option<String>>,
    directory: Option<PathBuf>,
    cores: Vec<u32>,
}

/// What a process and its children have used since they began.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Used {
    user_us: u64,
    system_us: u64,
    /// Both together of the threads of each name.
    threads_us: BTreeMap<String, u64>,
    memory_bytes: u64,
    voluntary: u64,
    involuntary: u64,
}

/// Looks at a process, one after the other.
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
    /// A word of the command is no text.
    pub(crate) fn new(command: &Command, cores: &[u32]) -> anyhow::Result<Self> {
        let text = |word: &std::ffi::OsStr| {
            let text = word.to_str().map(str::to_owned);
            text.with_context(|| format!("{} is no text", word.to_string_lossy()))
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
    /// What was started under this name, with the lines that it writes.
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
    /// It has none, or reads it no more.
    pub fn tell(&mut self, text: &str) -> anyhow::Result<()> {
        let told = self.held.tell(text);
        told.with_context(|| format!("telling {} what to do", self.name))
    }

    /// The next line that it writes; `None` if there is none in that time.
    ///
    /// # Errors
    /// It has ended.
    pub fn line(&mut self, wait: Duration) -> anyhow::Result<Option<String>> {
        match self.lines.recv_timeout(wait) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.until_ended(END)?;
                bail!("{} has ended: {status}", self.name)
            }
        }
    }

    /// The first line for which `found` finds something.
    ///
    /// # Errors
    /// It ends, or does not write such a line in time.
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
                None => bail!("{} did not come up within {wait:?}", self.name),
            }
        }
    }

    /// How it ended, if it has.
    ///
    /// # Errors
    /// Nobody tells.
    pub fn ended(&mut self) -> anyhow::Result<Option<String>> {
        self.held.ended()
    }

    /// Asks it to end, as SIGTERM does.
    ///
    /// # Errors
    /// Nobody can ask it.
    pub fn ask_to_end(&self) -> anyhow::Result<()> {
        self.held.ask_to_end()
    }

    /// Asks it to end and waits until it has, so that what it buffers is written.
    ///
    /// # Errors
    /// It does not end in time; it is killed then.
    pub fn end(mut self, wait: Duration) -> anyhow::Result<()> {
        if self.ended()?.is_none() {
            self.ask_to_end()?;
        }
        self.until_ended(wait).map(drop)
    }

    /// What it and its children have used so far.
    ///
    /// # Errors
    /// Nobody tells.
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
                "{} did not end within {wait:?}",
                self.name
            );
            thread::sleep(ASK);
        }
    }
}

impl Used {
    fn plus(self, other: Self) -> Self {
        let mut threads_us = self.threads_us;
        for (name, used_us) in other.threads_us {
            *threads_us.entry(name).or_default() += used_us;
        }
        Self {
            user_us: self.user_us + other.user_us,
            system_us: self.system_us + other.system_us,
            threads_us,
            memory_bytes: self.memory_bytes + other.memory_bytes,
            voluntary: self.voluntary + other.voluntary,
            involuntary: self.involuntary + other.involuntary,
        }
    }
}

impl Watch {
    /// Begins with what a process has used up to now.
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

    /// Looks again.
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

    /// What was used from the first look to the last, on these cores of a machine that is not the
    /// driver's, if one is named; `after` is a look once the load was over.
    #[must_use]
    pub fn end(self, (machine, cores): (Option<IpAddr>, Vec<u32>), after: &Used) -> ProcessUse {
        let (first, last) = (self.first, self.last);
        let threads = last.threads_us.into_iter().map(|(name, used_us)| {
            let before_us = first.threads_us.get(&name).copied().unwrap_or_default();
            (name, used_us.saturating_sub(before_us))
        });
        ProcessUse {
            machine,
            cores,
            cpu_user_us: last.user_us.saturating_sub(first.user_us),
            cpu_system_us: last.system_us.saturating_sub(first.system_us),
            threads_us: threads.collect(),
            memory_peak_bytes: self.peak_bytes,
            memory_after_bytes: after.memory_bytes,
            switches_voluntary: last.voluntary.saturating_sub(first.voluntary),
            switches_involuntary: last.involuntary.saturating_sub(first.involuntary),
            samples: self.samples,
        }
    }
}
