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
    let is_counted = std::env::args().any(|word| word == "--counted");
    let back_end = back_end::start()?;
    let world = World::new(back_end)?;
    let plane = world.start()?;
    let address = plane.addresses().http.context("the gateway listens")?;
    let mut caller = Caller::connect(address)?;
    for row in Row::ALL {
        let requests = row.requests(&world);
        let mut requests = requests.iter().cycle();
        for calls in [CALLS_BEFORE, CALLS] {
            for request in requests.by_ref().take(calls) {
                let called = caller.call(request, row.status());
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
