//! The processes of a run: started on their cores, watched through `/proc`, ended with the run
//! whatever happens: by the one that started them, or by the kernel if that one dies.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

use crate::kept::{ProcessUse, Sample};

/// `USER_HZ` is 100 on every Linux.
const TICK_US: u64 = 10_000;
const PAGE_BYTES: u64 = 4_096;
/// Lines that wait to be read; more are dropped.
const LINES_MAX: usize = 4_096;
/// How long a process may take to end after it was asked to.
const END: Duration = Duration::from_secs(5);

/// A process that is ended when this is dropped.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    cores: Vec<u32>,
    lines: Receiver<String>,
}

/// What a process and its children have used since they began.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    user_us: u64,
    system_us: u64,
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

impl Process {
    /// Starts a command on these cores, in a process group of its own so that a Ctrl-C is ours to
    /// handle.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(name: &str, command: &Command, cores: &[u32]) -> anyhow::Result<Self> {
        let list = cores
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(",");
        let mut pinned = Command::new("setpriv");
        pinned.args(["--pdeathsig", "TERM", "taskset", "-c", &list]);
        pinned.arg(command.get_program()).args(command.get_args());
        for (key, value) in command.get_envs() {
            match value {
                Some(value) => pinned.env(key, value),
                None => pinned.env_remove(key),
            };
        }
        if let Some(directory) = command.get_current_dir() {
            pinned.current_dir(directory);
        }
        pinned
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = pinned.spawn().with_context(|| format!("starting {name}"))?;
        let output = child.stdout.take().context("a pipe was asked for")?;
        let (sender, lines) = sync_channel(LINES_MAX);
        thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(Result::ok);
            for line in read {
                // The pipe is drained also when nobody reads the lines.
                let _ = sender.try_send(line);
            }
        });
        Ok(Self {
            name: name.to_owned(),
            child,
            cores: cores.to_vec(),
            lines,
        })
    }

    /// The cores that it may run on.
    #[must_use]
    pub fn cores(&self) -> &[u32] {
        &self.cores
    }

    /// Its standard input, once.
    pub fn input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
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
                let status = self.child.wait().context("waiting for its end")?;
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
    /// The kernel does not tell.
    pub fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        self.child.try_wait().context("asking whether it has ended")
    }

    /// Asks it to end and waits until it has, so that what it buffers is written.
    ///
    /// # Errors
    /// It does not end in time; it is killed then.
    pub fn end(mut self, wait: Duration) -> anyhow::Result<()> {
        let deadline = Instant::now() + wait;
        if self.ended()?.is_none() {
            self.ask_to_end();
        }
        while self.ended()?.is_none() {
            ensure!(
                Instant::now() < deadline,
                "{} did not end within {wait:?}",
                self.name
            );
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// What it and its children have used so far.
    #[must_use]
    pub fn used(&self) -> Used {
        let members = family(self.child.id());
        members
            .into_iter()
            .map(used)
            .fold(Used::default(), Used::plus)
    }

    /// Asks it to end, as SIGTERM does.
    pub fn ask_to_end(&self) {
        let id = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(id) = id {
            // It may be gone already.
            let _ = kill_process(id, Signal::TERM);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            // Its id may be another's by now.
            return;
        }
        let members = family(self.child.id());
        self.ask_to_end();
        let deadline = Instant::now() + END;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Children that outlived their parent.
        for member in members {
            let id = i32::try_from(member).ok().and_then(Pid::from_raw);
            if let Some(id) = id {
                let _ = kill_process(id, Signal::KILL);
            }
        }
    }
}

impl Used {
    const fn plus(self, other: Self) -> Self {
        Self {
            user_us: self.user_us + other.user_us,
            system_us: self.system_us + other.system_us,
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
            first: used,
            last: used,
            peak_bytes: used.memory_bytes,
            samples: Vec::new(),
        }
    }

    /// Looks again.
    pub fn look(&mut self, used: Used) {
        self.last = used;
        self.peak_bytes = self.peak_bytes.max(used.memory_bytes);
        let first_us = self.first.user_us + self.first.system_us;
        self.samples.push(Sample {
            at_ms: u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX),
            cpu_us: (used.user_us + used.system_us).saturating_sub(first_us),
            memory_bytes: used.memory_bytes,
        });
    }

    /// What was used from the first look to the last; `after` is a look once the load was over.
    #[must_use]
    pub fn end(self, cores: &[u32], after: Used) -> ProcessUse {
        let (first, last) = (self.first, self.last);
        ProcessUse {
            cores: cores.to_vec(),
            cpu_user_us: last.user_us.saturating_sub(first.user_us),
            cpu_system_us: last.system_us.saturating_sub(first.system_us),
            memory_peak_bytes: self.peak_bytes,
            memory_after_bytes: after.memory_bytes,
            switches_voluntary: last.voluntary.saturating_sub(first.voluntary),
            switches_involuntary: last.involuntary.saturating_sub(first.involuntary),
            samples: self.samples,
        }
    }
}

/// A process and all its descendants: nginx works in a child.
fn family(id: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    for id in ids {
        if let Some(parent) = stat(id).and_then(|fields| fields.get(1)?.parse().ok()) {
            children.entry(parent).or_default().push(id);
        }
    }
    let mut members = vec![id];
    let mut next = 0;
    while let Some(&member) = members.get(next) {
        members.extend(children.get(&member).into_iter().flatten());
        next += 1;
    }
    members
}

/// What one process has used; nothing once it is gone.
fn used(id: u32) -> Used {
    let Some(fields) = stat(id) else {
        return Used::default();
    };
    let number = |place: usize| fields.get(place).and_then(|it| it.parse::<u64>().ok());
    let (voluntary, involuntary) = switches(id);
    Used {
        user_us: number(11).unwrap_or_default() * TICK_US,
        system_us: number(12).unwrap_or_default() * TICK_US,
        memory_bytes: number(21).unwrap_or_default() * PAGE_BYTES,
        voluntary,
        involuntary,
    }
}

/// Fields of `/proc/<id>/stat` from the state on: the command before may hold spaces.
fn stat(id: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let rest = text.rsplit_once(')')?.1;
    Some(rest.split_whitespace().map(str::to_owned).collect())
}

/// Context switches of all its threads.
fn switches(id: u32) -> (u64, u64) {
    let tasks = fs::read_dir(format!("/proc/{id}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let statuses = tasks.filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
    statuses.fold((0, 0), |(voluntary, involuntary), status| {
        let number = |name: &str| {
            let line = status.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.rsplit_once('\t')?.1.trim().parse::<u64>().ok())
        };
        (
            voluntary + number("voluntary_ctxt_switches").unwrap_or_default(),
            involuntary + number("nonvoluntary_ctxt_switches").unwrap_or_default(),
        )
    })
}

/// A loopback port that was free a moment ago.
///
/// # Errors
/// There is none.
pub fn free_port() -> anyhow::Result<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").context("looking for a free port")?;
    Ok(listener.local_addr().context("its address")?.port())
}
