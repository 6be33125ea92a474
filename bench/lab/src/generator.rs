//! The generator: one thread that sends requests and measures what comes back. [`run`] does one
//! [`Load`]; the command `tollgate-lab load` is that as a process of its own.
//!
//! `checks` refuses what cannot or must not be done; `message` holds the request ready; `drive` is
//! the event loop, over the `connection`s, each of which has a stream and reads its
//! `answer`; `agenda` knows what is due; `tally` counts.
//!
//! A connection is kept after a whole answer, also one of the wrong status or size; after any other
//! error it is closed and opened again, after a pause that grows with each failure. Where the load
//! renews them, a connection is closed after each answer, as by a client that has one question: the
//! generator says so in TLS and closes its socket, which no server takes for a fault.

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

/// Does a load. Reports events other than the outcome while it goes on; ends early after a `stop`.
/// Hosts that are not this machine are refused, unless they are in `owned`.
///
/// # Errors
/// The load is refused, with a sentence that says what to change, or the system failed. What goes
/// wrong with requests is no such error: it is counted.
pub fn run(
    load: &Load,
    owned: &[IpAddr],
    stop: Option<&Stop>,
    report: &mut dyn FnMut(Event) -> anyhow::Result<()>,
) -> anyhow::Result<Outcome> {
    checks::check(load, owned)?;
    drive::Drive::new(load, stop)?.run(report)
}
