//! A host, as it serves the run that reached it: one question after the other from standard input,
//! until that closes; then it ends what it started and removes what it wrote.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Write as _};
use std::sync::mpsc::Receiver;
use std::thread;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::hand::Hand;
use super::line::{Ask, Said};
use crate::process::Held as _;
use crate::process::here::{self, Here};

/// Serves until standard input closes.
///
/// # Errors
/// There can be no folder, or what comes in is no question.
pub fn serve() -> anyhow::Result<()> {
    let mut serving = Serving {
        hand: Hand::new()?,
        processes: BTreeMap::new(),
    };
    for line in io::stdin().lock().lines() {
        let line = line.context("reading what is asked")?;
        let ask = serde_json::from_str(&line);
        let ask = ask.context("standard input holds no question: a run starts this by itself")?;
        say(&match serving.answer(ask) {
            Ok(value) => Said::Done(value),
            Err(error) => Said::Failed(format!("{error:#}")),
        })?;
    }
    Ok(())
}

struct Serving {
    // Ended before the hand's folder goes.
    processes: BTreeMap<u64, Here>,
    hand: Hand,
}

impl Serving {
    fn answer(&mut self, ask: Ask) -> anyhow::Result<Value> {
        Ok(match ask {
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
