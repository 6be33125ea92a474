//! What is said with a host that is elsewhere: JSON, an object a line, over the standard streams of
//! its `tollgate-lab host`.

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

/// How long an answer may take: a process may be slow to end, and a large file to write.
const WAIT: Duration = Duration::from_secs(60);
/// A host that is asked nothing for so long takes the run as gone, and ends.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(180);
/// How often it is looked whether a host has ended.
const LOOK: Duration = Duration::from_millis(10);

/// What a host is asked; processes have numbers that the asker chooses.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ask {
    /// Whether it is there.
    Nothing,
    /// What the errand answers.
    Run(Errand),
    Start {
        process: u64,
        order: Order,
    },
    Tell {
        process: u64,
        text: String,
    },
    /// How it ended; null while it runs.
    Ended(u64),
    /// Asks it to end.
    Terminate(u64),
    /// What it has used.
    Used(u64),
    /// Ends it and what it started, however it takes it.
    Drop(u64),
}

/// What a host says: an answer to each question, in order, and what processes write meanwhile.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Said {
    Done(Value),
    Failed(String),
    /// A line of a process.
    Wrote {
        process: u64,
        line: String,
    },
    /// A process writes no more.
    Closed(u64),
}

/// Where the lines of each process go.
type Outputs = Mutex<BTreeMap<u64, SyncSender<String>>>;

/// The way to a host that is elsewhere. It ends what runs there when its input closes, and so with
/// this.
#[derive(Debug)]
pub(super) struct Link {
    address: IpAddr,
    asking: Mutex<Asking>,
    outputs: Arc<Outputs>,
    processes: AtomicU64,
}

#[derive(Debug)]
struct Asking {
    reaching: Child,
    /// None once an answer stayed out, since the next answer could be that one.
    questions: Option<SyncSender<String>>,
    answers: Receiver<Result<Value, String>>,
}

/// A process there.
#[derive(Debug)]
pub(super) struct There {
    link: Arc<Link>,
    process: u64,
}

impl Link {
    /// Reaches a host with these words and the lab's command, and keeps saying that it is needed.
    ///
    /// # Errors
    /// The command cannot be started.
    pub(super) fn new(address: IpAddr, words: &[String]) -> anyhow::Result<Arc<Self>> {
        let (program, arguments) = words.split_first().context("no words reach nothing")?;
        let lab = std::env::current_exe().context("finding the lab itself")?;
        let mut reaching = Command::new(program)
            .args(arguments)
            .arg(lab)
            .arg("host")
            // A Ctrl-C is ours to handle.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("reaching {address} with {program}"))?;
        let input = reaching.stdin.take().context("a pipe was asked for")?;
        let output = reaching.stdout.take().context("a pipe was asked for")?;
        let (questions, asked) = sync_channel(1);
        thread::spawn(move || write(input, &asked));
        let (answered, answers) = sync_channel(1);
        let outputs = Arc::<Outputs>::default();
        let told = Arc::clone(&outputs);
        thread::spawn(move || hear(output, &answered, &told));
        let link = Arc::new(Self {
            address,
            asking: Mutex::new(Asking {
                reaching,
                questions: Some(questions),
                answers,
            }),
            outputs,
            processes: AtomicU64::new(0),
        });
        let kept = Arc::downgrade(&link);
        thread::spawn(move || {
            loop {
                thread::sleep(SILENCE_MAX / 9);
                let Some(link) = kept.upgrade() else { return };
                // Whoever asks next learns that it is gone.
                let _ = link.ask::<()>(&Ask::Nothing);
            }
        });
        Ok(link)
    }

    pub(super) const fn address(&self) -> IpAddr {
        self.address
    }

    pub(super) fn run(&self, errand: Errand) -> anyhow::Result<Value> {
        self.ask(&Ask::Run(errand))
    }

    fn ask<T: DeserializeOwned>(&self, ask: &Ask) -> anyhow::Result<T> {
        let text = serde_json::to_string(ask)? + "\n";
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = asking.ask(text);
        if answer.is_err() {
            asking.questions = None;
        }
        match answer.with_context(|| format!("asking {}", self.address))? {
            Ok(value) => Ok(serde_json::from_value(value)?),
            Err(why) => bail!("{}: {why}", self.address),
        }
    }
}

impl Asking {
    fn ask(&mut self, text: String) -> anyhow::Result<Result<Value, String>> {
        const GONE: &str = "it is gone, or was never reached";
        let questions = self.questions.as_ref().context(GONE)?;
        questions.send(text).ok().context(GONE)?;
        match self.answers.recv_timeout(WAIT) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => bail!("it does not answer"),
            Err(RecvTimeoutError::Disconnected) => bail!(GONE),
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        // Its input closes, which it takes as the end; it may have processes to wait for.
        let wait = if self.questions.take().is_some() {
            WAIT
        } else {
            Duration::ZERO
        };
        let deadline = Instant::now() + wait;
        while Instant::now() < deadline && matches!(self.reaching.try_wait(), Ok(None)) {
            thread::sleep(LOOK);
        }
        let _ = self.reaching.kill();
        let _ = self.reaching.wait();
    }
}

/// Writes what a host is asked until nobody asks or it takes no more.
fn write(mut input: ChildStdin, asked: &Receiver<String>) {
    for question in asked {
        if input.write_all(question.as_bytes()).is_err() {
            return;
        }
    }
}

/// Hands on what a host says until it says no more.
fn hear(output: ChildStdout, answers: &SyncSender<Result<Value, String>>, outputs: &Outputs) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let said = serde_json::from_str(&line);
        let mut outputs = outputs.lock().unwrap_or_else(PoisonError::into_inner);
        match said {
            Ok(Said::Done(value)) => drop(answers.try_send(Ok(value))),
            Ok(Said::Failed(why)) => drop(answers.try_send(Err(why))),
            Ok(Said::Wrote { process, line }) => {
                if let Some(output) = outputs.get(&process) {
                    // Who does not read its lines misses them.
                    let _ = output.try_send(line);
                }
            }
            Ok(Said::Closed(process)) => drop(outputs.remove(&process)),
            Err(_) => drop(answers.try_send(Err(format!("it says {line:?}")))),
        }
    }
    outputs
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
}

/// Starts a command there; with the lines of its standard output.
///
/// # Errors
/// It cannot be started.
pub(super) fn start(link: &Arc<Link>, order: Order) -> anyhow::Result<(There, Receiver<String>)> {
    let process = link.processes.fetch_add(1, Ordering::Relaxed);
    let (output, lines) = sync_channel(LINES_MAX);
    let mut outputs = link.outputs.lock().unwrap_or_else(PoisonError::into_inner);
    outputs.insert(process, output);
    drop(outputs);
    link.ask::<()>(&Ask::Start { process, order })?;
    let link = Arc::clone(link);
    Ok((There { link, process }, lines))
}

impl Held for There {
    fn tell(&mut self, text: &str) -> anyhow::Result<()> {
        self.link.ask(&Ask::Tell {
            process: self.process,
            text: text.to_owned(),
        })
    }

    fn ended(&mut self) -> anyhow::Result<Option<String>> {
        self.link.ask(&Ask::Ended(self.process))
    }

    fn ask_to_end(&self) -> anyhow::Result<()> {
        self.link.ask(&Ask::Terminate(self.process))
    }

    fn used(&self) -> anyhow::Result<Used> {
        self.link.ask(&Ask::Used(self.process))
    }
}

impl Drop for There {
    fn drop(&mut self) {
        // Where the host is gone, so is the process.
        let _ = self.link.ask::<()>(&Ask::Drop(self.process));
    }
}
