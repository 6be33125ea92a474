//! The protocol with a remote host: JSON, one object per line, over the standard streams of its
//! `tollgate-lab host`.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::IpAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::hand::Errand;
use crate::process::{Held, LINES_MAX, Order, Used};

/// Maximum time for a reply: a process may be slow to exit, and a file may be large.
const WAIT: Duration = Duration::from_secs(60);
/// A host that receives nothing for this long considers the run gone, and exits.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(180);
/// Interval of checks whether a host's command has exited.
const LOOK: Duration = Duration::from_millis(10);

/// A request to a host; the caller assigns the numbers of processes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// A keep-alive.
    Nothing,
    /// Runs an errand; the reply is its result.
    Run(Errand),
    Start {
        process: u64,
        order: Order,
    },
    Tell {
        process: u64,
        text: String,
    },
    /// The exit status of a process; null while it runs.
    Ended(u64),
    /// Asks a process to exit.
    Terminate(u64),
    /// The resources that a process has used.
    Used(u64),
    /// Kills a process and its children.
    Drop(u64),
}

/// A reply of a host: one to each request, in order, and the output of processes in between.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    Done(Value),
    Failed(String),
    /// A line of output of a process.
    Wrote {
        process: u64,
        line: String,
    },
    /// The end of a process's output.
    Closed(u64),
}

/// Receivers of the lines of each process.
type Outputs = Mutex<BTreeMap<u64, SyncSender<String>>>;

/// The connection to a remote host, which ends its processes when its input closes, and thus when
/// this is dropped.
#[derive(Debug)]
pub(super) struct Link {
    address: IpAddr,
    channel: Mutex<Channel>,
    outputs: Arc<Outputs>,
    processes: AtomicU64,
}

#[derive(Debug)]
struct Channel {
    command: Child,
    /// `None` after a missing reply, since the next reply could be that one.
    requests: Option<SyncSender<String>>,
    replies: Receiver<Result<Value, String>>,
}

/// A remote process.
#[derive(Debug)]
pub(super) struct There {
    link: Arc<Link>,
    process: u64,
}

impl Link {
    /// Connects to a host with these words followed by the lab's command, and keeps the connection
    /// alive.
    ///
    /// # Errors
    /// Fails if the command cannot be started.
    pub(super) fn new(address: IpAddr, words: &[String]) -> anyhow::Result<Arc<Self>> {
        let (program, arguments) = words.split_first().context("`reach` is empty")?;
        let lab = std::env::current_exe().context("finding the lab itself")?;
        let mut command = Command::new(program)
            .args(arguments)
            .arg(lab)
            .arg("host")
            // Ctrl-C is handled by this process.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("reaching {address} with {program}"))?;
        let input = command.stdin.take().context("no pipe for standard input")?;
        let output = command
            .stdout
            .take()
            .context("no pipe for standard output")?;
        let (requests, requested) = sync_channel(1);
        thread::spawn(move || write_requests(input, &requested));
        let (answered, replies) = sync_channel(1);
        let outputs = Arc::<Outputs>::default();
        let senders = Arc::clone(&outputs);
        thread::spawn(move || read_replies(output, &answered, &senders));
        let link = Arc::new(Self {
            address,
            channel: Mutex::new(Channel {
                command,
                requests: Some(requests),
                replies,
            }),
            outputs,
            processes: AtomicU64::new(0),
        });
        let weak = Arc::downgrade(&link);
        thread::spawn(move || {
            loop {
                thread::sleep(SILENCE_MAX / 9);
                let Some(link) = weak.upgrade() else { return };
                // The next request fails if the host is gone.
                let _ = link.send::<()>(&Request::Nothing);
            }
        });
        Ok(link)
    }

    pub(super) const fn address(&self) -> IpAddr {
        self.address
    }

    pub(super) fn run(&self, errand: Errand) -> anyhow::Result<Value> {
        self.send(&Request::Run(errand))
    }

    fn send<T: DeserializeOwned>(&self, request: &Request) -> anyhow::Result<T> {
        let text = serde_json::to_string(request)? + "\n";
        let mut channel = self.channel.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = channel.send(text);
        if answer.is_err() {
            channel.requests = None;
        }
        match answer.with_context(|| format!("sending a request to {}", self.address))? {
            Ok(value) => Ok(serde_json::from_value(value)?),
            Err(why) => bail!("{}: {why}", self.address),
        }
    }
}

impl Channel {
    fn send(&mut self, text: String) -> anyhow::Result<Result<Value, String>> {
        const GONE: &str = "it is gone, or was never reached";
        let requests = self.requests.as_ref().context(GONE)?;
        requests.send(text).ok().context(GONE)?;
        match self.replies.recv_timeout(WAIT) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => bail!("it does not respond"),
            Err(RecvTimeoutError::Disconnected) => bail!(GONE),
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // Closing its input ends it; it may have processes to wait for.
        let wait = if self.requests.take().is_some() {
            WAIT
        } else {
            Duration::ZERO
        };
        let deadline = Instant::now() + wait;
        while Instant::now() < deadline && matches!(self.command.try_wait(), Ok(None)) {
            thread::sleep(LOOK);
        }
        let _ = self.command.kill();
        let _ = self.command.wait();
    }
}

/// Writes requests to a host until the channel or the pipe closes.
fn write_requests(mut input: ChildStdin, requested: &Receiver<String>) {
    for request in requested {
        if input.write_all(request.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads a host's replies until its output closes, and distributes them.
fn read_replies(
    output: ChildStdout,
    replies: &SyncSender<Result<Value, String>>,
    outputs: &Outputs,
) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let reply = serde_json::from_str(&line);
        let mut outputs = outputs.lock().unwrap_or_else(PoisonError::into_inner);
        match reply {
            Ok(Reply::Done(value)) => drop(replies.try_send(Ok(value))),
            Ok(Reply::Failed(why)) => drop(replies.try_send(Err(why))),
            Ok(Reply::Wrote { process, line }) => {
                if let Some(output) = outputs.get(&process) {
                    // Lines that are not read are dropped.
                    let _ = output.try_send(line);
                }
            }
            Ok(Reply::Closed(process)) => drop(outputs.remove(&process)),
            Err(_) => drop(replies.try_send(Err(format!("unexpected reply {line:?}")))),
        }
    }
    outputs
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
}

/// Starts a command on the host; returns the lines of its standard output, too.
///
/// # Errors
/// Fails if the command cannot be started.
pub(super) fn start(link: &Arc<Link>, order: Order) -> anyhow::Result<(There, Receiver<String>)> {
    let process = link.processes.fetch_add(1, Ordering::Relaxed);
    let (output, lines) = sync_channel(LINES_MAX);
    let mut outputs = link.outputs.lock().unwrap_or_else(PoisonError::into_inner);
    outputs.insert(process, output);
    drop(outputs);
    link.send::<()>(&Request::Start { process, order })?;
    let link = Arc::clone(link);
    Ok((There { link, process }, lines))
}

impl Held for There {
    fn write_input(&mut self, text: &str) -> anyhow::Result<()> {
        self.link.send(&Request::Tell {
            process: self.process,
            text: text.to_owned(),
        })
    }

    fn ended(&mut self) -> anyhow::Result<Option<String>> {
        self.link.send(&Request::Ended(self.process))
    }

    fn terminate(&self) -> anyhow::Result<()> {
        self.link.send(&Request::Terminate(self.process))
    }

    fn used(&self) -> anyhow::Result<Used> {
        self.link.send(&Request::Used(self.process))
    }
}

impl Drop for There {
    fn drop(&mut self) {
        // If the host is gone, so is the process.
        let _ = self.link.send::<()>(&Request::Drop(self.process));
    }
}
