//! The back end that everything is measured against: one thread, fixed answers of any size or an
//! echo, and delays that hold up nobody else.
//!
//! | request | answer |
//! |---|---|
//! | any method on `/bytes/N` | N bytes of JSON-like text |
//! | any method on `/echo` | the request's body |
//! | any method on `/soap` | a SOAP envelope with the text of the request's element `text` |
//! | `GET /count` | what was served: `{"requests": …, "received_bytes": …, "answered_bytes": …}` |
//!
//! The first three take `?delay_ms=D`, and are what is counted. `request` reads what is asked,
//! `answer` holds the answers ready, `soap` writes those that are envelopes, `client` is a
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

/// How the back end behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackEnd {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Set where it takes TLS, too.
    pub secure: Option<Secure>,
    /// Where it stops answering now and then.
    pub stall: Option<Stall>,
    /// Delays in microseconds; each counted request waits for the next, besides its own delay, and
    /// after the last comes the first again.
    pub delays_us: Vec<u64>,
}

/// Where and with what TLS is spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secure {
    /// Where it listens for TLS; port 0 takes a free one.
    pub listen: SocketAddr,
    /// A PEM file with its certificate.
    pub certificate: PathBuf,
    /// One with the key.
    pub key: PathBuf,
}

/// The whole server does nothing for a while, again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// From one stall's start to the next, in milliseconds.
    pub every_ms: u64,
    /// How long it lasts, in milliseconds.
    pub lasts_ms: u64,
}

impl BackEnd {
    /// Serves until `stop`, or until standard input closes where `ends_with_input` says so.
    /// `announce` learns where it listens, and where for TLS.
    ///
    /// # Errors
    /// The address cannot be listened on, `announce` fails, or the system does.
    pub fn serve(
        &self,
        stop: &Stop,
        ends_with_input: bool,
        announce: impl FnOnce(SocketAddr, Option<SocketAddr>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        serve::Serving::new(self, stop, ends_with_input)?.run(announce)
    }
}
