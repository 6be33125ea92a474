//! What a generator is asked to do, and what it answers. The generator is a process of its own, so
//! that it can be pinned and its processor time told apart: it reads one [`Load`] as JSON from its
//! standard input and writes [`Event`]s, one JSON object a line, to its standard output.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::histogram::Histogram;

/// An answer that takes longer is an error.
pub(crate) const TIMEOUT_US: u64 = 60_000_000;
/// No generator here sends faster.
pub(crate) const PER_SECOND_MAX: u32 = 1_000_000;

/// What to send, where, how often and for how long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Where the server listens.
    pub address: SocketAddr,
    /// Set where it speaks TLS.
    pub tls: Option<Tls>,
    /// Whether each request has a connection of its own, opened when the answer before it has come.
    /// Its latency then counts from there.
    #[serde(default)]
    pub renews: bool,
    /// What is sent.
    pub request: Request,
    /// A file of values, one a line. Each request takes the next, in the file's order and over all
    /// connections, for each `{value}` in its target and header fields; after the last comes the
    /// first again.
    pub values: Option<PathBuf>,
    /// What makes an answer a success.
    pub expect: Expect,
    /// When requests are sent.
    pub pace: Pace,
    /// Local addresses that connections leave from in turn, where the ports of one run out.
    pub source_addresses: Vec<Ipv4Addr>,
    /// How long to send before what comes back is measured.
    pub warm_up_us: u64,
    /// How long to measure.
    pub measured_us: u64,
    /// An answer that takes longer is an error, and its connection is closed.
    pub timeout_us: u64,
    /// After so many requests, those of the warm-up included, the load ends early.
    pub requests_max: u64,
}

/// Whom to trust and whom to expect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The name that the server's certificate must have.
    pub server_name: String,
    /// A PEM file with the certificate that must have signed it.
    pub trusted: PathBuf,
    /// Whether connections resume the session of an earlier one, by tickets of TLS 1.3.
    #[serde(default)]
    pub resumes: bool,
}

/// One HTTP/1.1 request, kept alive. `Host` and `Content-Length` are added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Such as `GET`.
    pub method: String,
    /// Path and query; `{value}` stands for the next value.
    pub target: String,
    /// Names and values; `{value}` stands for the next value.
    pub headers: Vec<(String, String)>,
    /// A file whose bytes are the body.
    pub body: Option<PathBuf>,
}

/// What makes an answer a success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Its status.
    pub status: u16,
    /// Bytes of its body, where they are known.
    pub body_bytes: Option<u64>,
}

/// When requests are sent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pace {
    /// Users with a connection each, who send again when they have their answer.
    Closed {
        /// How many.
        users: u32,
        /// How long each waits between answer and next request, in microseconds.
        think_us: u64,
    },
    /// A schedule of starts, whatever the answers take; latency counts from the scheduled start.
    Open {
        /// Requests a second.
        per_second: f64,
        /// Connections; a request that finds all busy waits, and its waiting counts.
        connections: u32,
    },
}

impl Pace {
    /// How many connections it takes.
    #[must_use]
    pub const fn connections(self) -> u32 {
        match self {
            Self::Closed { users, .. } => users,
            Self::Open { connections, .. } => connections,
        }
    }
}

/// A line of the generator's standard output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// The warm-up is over.
    Measuring,
    /// A second of the measured time has passed.
    Second {
        /// Successes in it.
        successes: u64,
        /// Errors in it.
        errors: u64,
    },
    /// The measured time is over; requests under way are awaited.
    Measured,
    /// All is over: the last line.
    Outcome(Box<Outcome>),
}

/// What came of a load. Unless said otherwise, of the measured time alone: a request belongs to it
/// whose answer was whole in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// How long was measured, in microseconds.
    pub measured_us: u64,
    /// Answers as expected.
    pub successes: u64,
    /// What else happened, and how often: `connect`, `closed`, `timeout`, `malformed`, `short`,
    /// `size`, `status 429`.
    pub errors: BTreeMap<String, u64>,
    /// From the request's first byte (open loop: from its scheduled start) to the answer's last, of
    /// successes.
    pub latency: Histogram,
    /// Open loop only: the same from the request's first byte, which hides what waiting costs.
    pub service: Option<Histogram>,
    /// Requests under way, averaged over the measured time; in an open loop those too that are due
    /// and wait for a connection.
    pub users_mean: f64,
    /// Bytes of answers.
    pub received_bytes: u64,
    /// Bytes of requests.
    pub sent_bytes: u64,
    /// Processor time of the generator, in microseconds.
    pub cpu_user_us: u64,
    /// The same inside the kernel.
    pub cpu_system_us: u64,
    /// Requests sent from the start to the end, warm-up included, that were answered in any way.
    pub answered_all: u64,
    /// Requests sent from the start to the end, warm-up included.
    pub sent_all: u64,
    /// Connections opened with a full handshake of TLS; runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub handshakes_full: u64,
    /// Those that resumed a session.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub handshakes_resumed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A rate of which less was answered in time was not reached.
const REACHED_SHARE: f64 = 0.98;

impl Outcome {
    /// All errors together.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Successes a second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.successes as f64 / (self.measured_us.max(1) as f64 / 1e6)
    }

    /// Whether so many requests a second were answered, of those that were due at that rate.
    #[must_use]
    pub fn has_reached(&self, per_second: f64) -> bool {
        let due = per_second * self.measured_us as f64 / 1e6;
        // At the ends of the measured time one may lie to either side.
        (self.successes + 1) as f64 >= REACHED_SHARE * due
    }
}
