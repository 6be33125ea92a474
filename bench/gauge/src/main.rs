#![doc = include_str!("../README.md")]

mod back_end;
mod caller;
mod rows;
mod world;

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::caller::Caller;
use crate::rows::Row;
use crate::world::World;

/// Calls of a row before those that are counted.
const CALLS_BEFORE: usize = 600;
/// Calls of a row that are counted; xtask/src/gauge.rs divides by it.
const CALLS: usize = 4_000;
/// How long the gateway may take to stop.
const GRACE: Duration = Duration::from_secs(10);

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_counted = words.iter().any(|word| word == "--counted");
    let connections = connections(&words)?;
    let back_end = back_end::start()?;
    let world = World::new(back_end)?;
    let plane = world.start()?;
    let address = plane.addresses().http.context("the gateway listens")?;
    let callers = (0..connections).map(|_| Caller::connect(address));
    let mut callers = callers.collect::<Result<Vec<_>>>()?;
    let mut turns = (0..connections).cycle();
    for row in Row::ALL {
        let requests = row.requests(&world);
        let mut requests = requests.iter().cycle();
        for calls in [CALLS_BEFORE, CALLS] {
            for (request, turn) in requests.by_ref().zip(turns.by_ref()).take(calls) {
                let called = callers[turn].call(request, row.status());
                called.with_context(|| row.name())?;
            }
            if is_counted {
                end_count()?;
            }
        }
    }
    plane.drain(GRACE);
    Ok(())
}

/// The number after `--connections`, or 1.
fn connections(words: &[String]) -> Result<usize> {
    let mut words = words.iter().skip_while(|word| *word != "--connections");
    match (words.next(), words.next()) {
        (None, _) => Ok(1),
        (_, count) => {
            let count = count.and_then(|count| count.parse().ok());
            count.context("--connections is followed by a number")
        }
    }
}

/// Makes callgrind write the counts of all threads and begin new ones.
fn end_count() -> Result<()> {
    let process = std::process::id().to_string();
    let mut control = Command::new("callgrind_control")
        .args(["--dump", &process])
        .spawn()
        .context("callgrind_control did not start")?;
    // callgrind obeys while a thread executes: this one, since the others wait.
    let status = loop {
        if let Some(status) = control.try_wait()? {
            break status;
        }
        std::hint::spin_loop();
    };
    ensure!(status.success(), "callgrind_control failed: {status}");
    Ok(())
}
