//! A host, as it serves the run that reached it: one question after the other from standard input.
//! In the end it ends what it started and removes what it wrote.

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
use super::link::{Ask, SILENCE_MAX, Said};
use crate::process::Held as _;
use crate::process::here::{self, Here};

/// How often it is looked whether a signal came.
const LOOK: Duration = Duration::from_millis(100);

/// Serves until standard input closes, nothing comes from it for [`SILENCE_MAX`], or a signal asks
/// for the end.
///
/// # Errors
/// What comes in is no question.
pub fn serve() -> anyhow::Result<()> {
    let stop = Arc::<AtomicBool>::default();
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("taking signals")?;
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
        let ask = serde_json::from_str(&line);
        let ask = ask.context("standard input holds no question: a run starts this by itself")?;
        say(&match serving.answer(ask) {
            Ok(value) => Said::Done(value),
            Err(error) => Said::Failed(format!("{error:#}")),
        })?;
        silent_since = Instant::now();
    }
    Ok(())
}

#[derive(Default)]
struct Serving {
    // Ended before the hand's folder goes.
    processes: BTreeMap<u64, Here>,
    hand: Hand,
}

impl Serving {
    fn answer(&mut self, ask: Ask) -> anyhow::Result<Value> {
        Ok(match ask {
            Ask::Nothing => Value::Null,
            Ask::Run(errand) => self.hand.run(errand)?,
            Ask::Start { process, order } => {
                let (held, lines) = here::start(&order)?;
                self.processes.insert(process, held);
                json!(hand_on(process, lines))
            }
            Ask::Tell { process, text } => json!(self.process(process)?.tell(&text)?),
            Ask::Ended(process) => json!(self.process(process)?.ended()?),
            Ask::Terminate(process) => json!(self.process(process)?.ask_to_end()?),
            Ask::Used(process) => json!(self.process(process)?.used()?),
            Ask::Drop(process) => json!(drop(self.processes.remove(&process))),
        })
    }

    fn process(&mut self, number: u64) -> anyhow::Result<&mut Here> {
        let process = self.processes.get_mut(&number);
        process.with_context(|| format!("there is no process {number}"))
    }
}

/// Says what a process writes, as it does.
fn hand_on(process: u64, lines: Receiver<String>) {
    thread::spawn(move || {
        let said = lines.iter().map(|line| Said::Wrote { process, line });
        for said in said.chain([Said::Closed(process)]) {
            // Nobody hears it where the run is gone.
            let _ = say(&said);
        }
    });
}

fn say(said: &Said) -> anyhow::Result<()> {
    let text = serde_json::to_string(said)? + "\n";
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
