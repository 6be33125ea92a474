//! The generator: one thread that sends requests and measures the responses. [`run`] runs one
//! [`Load`]; the command `tollgate-lab load` does so in a process of its own.
//!
//! `checks` rejects impossible or forbidden loads; `message` prepares the request; `drive` is the
//! event loop over all `connection`s, each with a stream and an `answer` parser; `agenda`
//! schedules; `tally` counts.
//!
//! A connection is kept after a complete response, even one with the wrong status or size; after
//! any other error it is closed and reopened, after a pause that grows with each failure. If the
//! load renews connections, each is closed after one response, as by a client with a single
//! request: the generator sends `close_notify` and closes its socket, which no server treats as an
//! error.

use std::net::IpAddr;

use crate::load::{Event, Load, Outcome};
pub use crate::readiness::Stop;
pub(crate) use checks::is_of_this_machine;

mod agenda;
mod answer;
mod checks;
mod connection;
mod drive;
mod message;
mod processor;
mod tally;

/// Runs a load. Reports events other than the outcome while it runs; ends early after a `stop`.
/// Rejects hosts other than this machine, unless they are in `owned`.
///
/// # Errors
/// Fails if the load is rejected, with a message about what to change, or on a system error. Failed
/// requests are not errors: they are counted.
pub fn run(
    load: &Load,
    owned: &[IpAddr],
    stop: Option<&Stop>,
    report: &mut dyn FnMut(Event) -> anyhow::Result<()>,
) -> anyhow::Result<Outcome> {
    checks::check(load, owned)?;
    drive::Drive::new(load, stop)?.run(report)
}
