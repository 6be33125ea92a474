//! The host's side of the protocol: handles requests from standard input one after another. On exit
//! it ends its processes and removes its files.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::hand::Hand;
use super::link::{Reply, Request, SILENCE_MAX};
use crate::process::Held as _;
use crate::process::here::{self, Here};

/// Interval of checks for a signal.
const LOOK: Duration = Duration::from_millis(100);

/// Serves until standard input closes, is silent for [`SILENCE_MAX`], or a signal arrives.
///
/// # Errors
/// Fails on invalid input.
pub fn serve() -> anyhow::Result<()> {
    let stop = Arc::<AtomicBool>::default();
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("registering signal handlers")?;
    }
    let (sender, lines) = sync_channel(1);
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let mut serving = Serving::default();
    let mut silent_since = Instant::now();
    while !stop.load(Ordering::Relaxed) && silent_since.elapsed() < SILENCE_MAX {
        let line = match lines.recv_timeout(LOOK) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let request = serde_json::from_str(&line);
        let request =
            request.context("invalid request on standard input: runs start this command")?;
        send_reply(&match serving.answer(request) {
            Ok(value) => Reply::Done(value),
            Err(error) => Reply::Failed(format!("{error:#}")),
        })?;
        silent_since = Instant::now();
    }
    Ok(())
}

#[derive(Default)]
struct Serving {
    // Declared first, so processes end before the hand's folder is removed.
    processes: BTreeMap<u64, Here>,
    hand: Hand,
}

impl Serving {
    fn answer(&mut self, request: Request) -> anyhow::Result<Value> {
        Ok(match request {
            Request::Nothing => Value::Null,
            Request::Run(errand) => self.hand.run(errand)?,
            Request::Start { process, order } => {
                let (held, lines) = here::start(&order)?;
                self.processes.insert(process, held);
                json!(forward_lines(process, lines))
            }
            Request::Tell { process, text } => json!(self.process(process)?.write_input(&text)?),
            Request::Ended(process) => json!(self.process(process)?.ended()?),
            Request::Terminate(process) => json!(self.process(process)?.terminate()?),
            Request::Used(process) => json!(self.process(process)?.used()?),
            Request::Drop(process) => json!(drop(self.processes.remove(&process))),
        })
    }

    fn process(&mut self, number: u64) -> anyhow::Result<&mut Here> {
        let process = self.processes.get_mut(&number);
        process.with_context(|| format!("no process has number {number}"))
    }
}

/// Forwards the output of a process.
fn forward_lines(process: u64, lines: Receiver<String>) {
    thread::spawn(move || {
        let replies = lines.iter().map(|line| Reply::Wrote { process, line });
        for reply in replies.chain([Reply::Closed(process)]) {
            // Fails if the run is gone.
            let _ = send_reply(&reply);
        }
    });
}

fn send_reply(reply: &Reply) -> anyhow::Result<()> {
    let text = serde_json::to_string(reply)? + "\n";
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
