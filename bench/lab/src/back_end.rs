//! The back end behind every measured gateway: one thread, fixed responses of any size or an echo,
//! and delays that hold up no other request.
//!
//! | request | answer |
//! |---|---|
//! | any method on `/bytes/N` | N bytes of JSON-like text |
//! | any method on `/echo` | the request's body |
//! | any method on `/soap` | a SOAP envelope with the text of the request's element `text` |
//! | `GET /count` | what was served: `{"requests": …, "received_bytes": …, "answered_bytes": …}` |
//!
//! The first three accept `?delay_ms=D`, and only they are counted. `request` parses requests,
//! `answer` keeps prepared responses, `soap` writes the envelopes, `client` is a connection,
//! `serve` the event loop, and `count` the totals.
//! connection, `serve` the event loop, and `count` what came of it.

use std::net::SocketAddr;
use std::path::PathBuf;

pub use crate::readiness::Stop;

mod answer;
mod client;
mod count;
mod request;
mod serve;
mod soap;

/// Configuration of the back end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackEnd {
    /// Listen address; port 0 picks a free port.
    pub listen: SocketAddr,
    /// TLS listener, if any.
    pub secure: Option<Secure>,
    /// Periodic stalls, if any.
    pub stall: Option<Stall>,
    /// Delays in microseconds, used in turn and cyclically by the counted requests, in addition to
    /// each request's own delay.
    pub delays_us: Vec<u64>,
}

/// The TLS listener's address and certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secure {
    /// Listen address for TLS; port 0 picks a free port.
    pub listen: SocketAddr,
    /// A PEM file with its certificate.
    pub certificate: PathBuf,
    /// A PEM file with its private key.
    pub key: PathBuf,
}

/// A pause of the whole server, repeated at a fixed interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// From one stall's start to the next, in milliseconds.
    pub every_ms: u64,
    /// How long it lasts, in milliseconds.
    pub lasts_ms: u64,
}

impl BackEnd {
    /// Serves until `stop`, or until standard input closes if `ends_with_input` is set. Passes the
    /// plain and the TLS listen address to `announce`.
    ///
    /// # Errors
    /// Fails if an address cannot be bound, if `announce` fails, or on a system error.
    pub fn serve(
        &self,
        stop: &Stop,
        ends_with_input: bool,
        announce: impl FnOnce(SocketAddr, Option<SocketAddr>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        serve::Serving::new(self, stop, ends_with_input)?.run(announce)
    }
}
