//! The input and the output of a generator. The generator is a separate process, so it can be
//! pinned and its processor time measured separately: it reads one [`Load`] as JSON from its
//! standard input and writes [`Event`]s, one JSON object per line, to its standard output.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::histogram::Histogram;

/// A response that takes longer is an error.
pub(crate) const TIMEOUT_US: u64 = 60_000_000;
/// Maximum rate of a generator.
pub(crate) const PER_SECOND_MAX: u32 = 1_000_000;
/// The placeholder of a caller's address in header fields.
pub(crate) const ADDRESS: &str = "{address}";

/// Returns the address of the caller with a value's index: each has its own of `10.0.0.0/8`, up to
/// 16 million of them.
pub(crate) const fn caller_address(index: usize) -> Ipv4Addr {
    const NETWORK: u32 = 10 << 24;
    Ipv4Addr::from_bits(NETWORK | (index % (1 << 24)) as u32)
}

/// What to send, where, at what pace and for how long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Address of the server.
    pub address: SocketAddr,
    /// TLS configuration, if the server uses TLS.
    pub tls: Option<Tls>,
    /// Whether each request has a connection of its own, opened when the previous response is
    /// complete. Its latency then includes the connection attempt.
    #[serde(default)]
    pub renews: bool,
    /// The request to send.
    pub request: Request,
    /// A file of values, one per line. Each request uses the next one, in the file's order and over
    /// all connections, for each `{value}` in its target and header fields; after the last the
    /// first is used again. For each `{address}` it uses the address of that value's caller.
    pub values: Option<PathBuf>,
    /// The expected response.
    pub expect: Expect,
    /// When requests are sent.
    pub pace: Pace,
    /// Source addresses of connections, used in turn, if the ports of one are too few.
    pub source_addresses: Vec<Ipv4Addr>,
    /// Duration of the warm-up.
    pub warm_up_us: u64,
    /// Duration of the measurement.
    pub measured_us: u64,
    /// A response that takes longer is an error, and its connection is closed.
    pub timeout_us: u64,
    /// The load ends early after this many requests, including those of the warm-up.
    pub requests_max: u64,
}

/// TLS configuration of the generator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The expected name in the server's certificate.
    pub server_name: String,
    /// A PEM file with the certificate of the issuer.
    pub trusted: PathBuf,
    /// Whether connections resume the session of an earlier one, by tickets of TLS 1.3.
    #[serde(default)]
    pub resumes: bool,
}

/// One HTTP/1.1 request on kept connections. `Host` and `Content-Length` are added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The method, such as `GET`.
    pub method: String,
    /// Path and query; `{value}` is the placeholder of the next value.
    pub target: String,
    /// Names and values; `{value}` is the placeholder of the next value.
    pub headers: Vec<(String, String)>,
    /// A file with the body.
    pub body: Option<PathBuf>,
}

/// The expected response; any other is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Its status.
    pub status: u16,
    /// Size of its body in bytes, if known.
    pub body_bytes: Option<u64>,
}

/// When requests are sent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Pace {
    /// Users with one connection each, who wait for the response before the next request.
    Closed {
        /// Number of users.
        users: u32,
        /// Time that each waits between response and next request, in microseconds.
        think_us: u64,
    },
    /// A fixed schedule, regardless of response times; latency counts from the scheduled start.
    Open {
        /// Requests per second.
        per_second: f64,
        /// Number of connections; if all are busy, a request waits, and the wait counts.
        connections: u32,
    },
}

impl Pace {
    /// Returns the number of connections.
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
    /// A second of the measured time is over.
    Second {
        /// Successes in it.
        successes: u64,
        /// Errors in it.
        errors: u64,
    },
    /// The measured time is over; outstanding responses are awaited.
    Measured,
    /// The load is over: the last line.
    Outcome(Box<Outcome>),
}

/// The outcome of a load. Unless noted otherwise it covers only the measured time; a request counts
/// if its response was complete within it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Duration of the measured time, in microseconds.
    pub measured_us: u64,
    /// Number of expected responses.
    pub successes: u64,
    /// Number of errors by kind: `connect`, `closed`, `timeout`, `malformed`, `short`, `size`,
    /// `status 429`.
    pub errors: BTreeMap<String, u64>,
    /// Latency of successes, from the request's first byte (open loop: from its scheduled start) to
    /// the response's last byte.
    pub latency: Histogram,
    /// Open loop only: latency from the request's first byte, which hides queueing.
    pub service: Option<Histogram>,
    /// Requests in flight, averaged over the measured time; in an open loop including those that
    /// are due and wait for a connection.
    pub users_mean: f64,
    /// Received bytes of responses.
    pub received_bytes: u64,
    /// Sent bytes of requests.
    pub sent_bytes: u64,
    /// User time of the generator, in microseconds.
    pub cpu_user_us: u64,
    /// System time of the generator, in microseconds.
    pub cpu_system_us: u64,
    /// Requests sent over the whole load, including the warm-up, that received any complete
    /// response.
    pub answered_all: u64,
    /// Requests sent over the whole load, including the warm-up.
    pub sent_all: u64,
    /// Connections opened with a full TLS handshake; runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub handshakes_full: u64,
    /// Connections opened with a resumed session.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub handshakes_resumed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A rate is reached if at least this share of the due requests succeeded.
const REACHED_SHARE: f64 = 0.98;

impl Outcome {
    /// Returns the total number of errors.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Returns successes per second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.successes as f64 / (self.measured_us.max(1) as f64 / 1e6)
    }

    /// Whether enough of the requests due at this rate succeeded.
    #[must_use]
    pub fn has_reached(&self, per_second: f64) -> bool {
        let due = per_second * self.measured_us as f64 / 1e6;
        // One request at either end may fall outside the measured time.
        (self.successes + 1) as f64 >= REACHED_SHARE * due
    }
}
