//! A process on this machine: a child that the kernel terminates if its parent dies, and the
//! figures in `/proc` about it and its descendants.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Instant;

use anyhow::Context as _;
use rustix::process::{Pid, Signal, kill_process};

use super::{ASK, END, Held, LINES_MAX, Order, Used};

/// `USER_HZ` is 100 on every Linux.
const TICK_US: u64 = 10_000;
const PAGE_BYTES: u64 = 4_096;
/// Prefix of Tollgate's settings; those in the tests' environment must not be inherited.
const SETTINGS: &str = "TOLLGATE_";

/// A child of this process.
#[derive(Debug)]
pub(crate) struct Here(Child);

/// Starts a command on its cores, in a process group of its own, so that Ctrl-C is handled by this
/// process; returns the lines of its standard output, too.
///
/// # Errors
/// Fails if the command cannot be started.
/// It cannot be started.
pub(crate) fn start(order: &Order) -> anyhow::Result<(Here, Receiver<String>)> {
    let cores: Vec<String> = order.cores.iter().map(u32::to_string).collect();
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM", "taskset", "-c", &cores.join(",")]);
    command.arg(&order.program).args(&order.arguments);
    let inherited = std::env::vars_os().map(|(name, _)| name);
    for name in inherited.filter(|name| name.to_string_lossy().starts_with(SETTINGS)) {
        command.env_remove(name);
    }
    for (key, value) in &order.environment {
        match value {
            Some(value) => command.env(key, value),
            None => command.env_remove(key),
        };
    }
    if let Some(directory) = &order.directory {
        command.current_dir(directory);
    }
    command
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let starting = || format!("starting {}", order.program);
    let mut child = command.spawn().with_context(starting)?;
    let output = child.stdout.take().context("no pipe for standard output")?;
    let (sender, lines) = sync_channel(LINES_MAX);
    thread::spawn(move || {
        let read = BufReader::new(output).lines().map_while(Result::ok);
        for line in read {
            // Drains the pipe even if nobody reads the lines.
            let _ = sender.try_send(line);
        }
    });
    Ok((Here(child), lines))
}

fn send(signal: Signal, id: u32) {
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    if let Some(id) = id {
        // It may have exited already.
        let _ = kill_process(id, signal);
    }
}

impl Held for Here {
    fn write_input(&mut self, text: &str) -> anyhow::Result<()> {
        let mut input = self.0.stdin.take().context("its input is closed")?;
        Ok(input.write_all(text.as_bytes())?)
    }

    fn ended(&mut self) -> anyhow::Result<Option<String>> {
        let status = self.0.try_wait().context("reading its exit status")?;
        Ok(status.map(|status| status.to_string()))
    }

    fn terminate(&self) -> anyhow::Result<()> {
        send(Signal::TERM, self.0.id());
        Ok(())
    }

    fn used(&self) -> anyhow::Result<Used> {
        let members = family(self.0.id()).into_iter();
        Ok(members.map(used).fold(Used::default(), Used::plus))
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        if !matches!(self.0.try_wait(), Ok(None)) {
            // Its id may belong to another process by now.
            return;
        }
        let members = family(self.0.id());
        send(Signal::TERM, self.0.id());
        let deadline = Instant::now() + END;
        while Instant::now() < deadline && matches!(self.0.try_wait(), Ok(None)) {
            thread::sleep(ASK);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
        // Kills children that outlived their parent.
        for member in members {
            send(Signal::KILL, member);
        }
    }
}

/// Returns a process and all its descendants: nginx serves in a child.
fn family(id: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    for id in ids {
        if let Some(stat) = Stat::read(&PathBuf::from(format!("/proc/{id}/stat"))) {
            let parent = u32::try_from(stat.number(1)).unwrap_or_default();
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

/// Returns the resources of one process; zero if it has exited.
fn used(id: u32) -> Used {
    let Some(stat) = Stat::read(&PathBuf::from(format!("/proc/{id}/stat"))) else {
        return Used::default();
    };
    let threads = fs::read_dir(format!("/proc/{id}/task"));
    let threads = threads.into_iter().flatten().flatten();
    let threads = threads.filter_map(|thread| thread_used(&thread.path()));
    let process = Used {
        user_us: stat.number(11) * TICK_US,
        system_us: stat.number(12) * TICK_US,
        memory_bytes: stat.number(21) * PAGE_BYTES,
        ..Used::default()
    };
    threads.fold(process, Used::plus)
}

/// Returns a thread's processor time by name, and its context switches; `None` if it has exited.
/// The kernel measures the sum of user and system time, but divides it by the mode in which its
/// timer interrupts found the thread: at 250 Hz, one second gives 250 samples.
fn thread_used(folder: &Path) -> Option<Used> {
    let stat = Stat::read(&folder.join("stat"))?;
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let number = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.rsplit_once('\t')?.1.trim().parse::<u64>().ok())
    };
    let [user_us, system_us] = [11, 12].map(|place| stat.number(place) * TICK_US);
    Some(Used {
        threads_us: BTreeMap::from([(stat.name.clone(), user_us + system_us)]),
        threads_user_us: BTreeMap::from([(stat.name, user_us)]),
        voluntary: number("voluntary_ctxt_switches").unwrap_or_default(),
        involuntary: number("nonvoluntary_ctxt_switches").unwrap_or_default(),
        ..Used::default()
    })
}

/// The parsed `/proc/…/stat` of a process or a thread.
struct Stat {
    name: String,
    /// The fields from the state on.
    fields: Vec<String>,
}

impl Stat {
    fn read(path: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(path).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        // The name may contain spaces and parentheses.
        let (before, rest) = text.rsplit_once(')')?;
        Some(Self {
            name: before.split_once('(')?.1.to_owned(),
            fields: rest.split_whitespace().map(str::to_owned).collect(),
        })
    }

    fn number(&self, place: usize) -> u64 {
        let field = self.fields.get(place);
        field.and_then(|it| it.parse().ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
