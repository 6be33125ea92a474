//! The TLS of a listener: handshakes with a bound on their time. Failed ones are counted, and
//! logged at most once a minute.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::peer::Peer;

/// Maximum time of a handshake.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
/// Time after a log line in which further failures are only counted.
const QUIET: Duration = Duration::from_secs(60);

/// Accepts handshakes; clones share the count of failures.
#[derive(Clone)]
pub(super) struct Tls {
    acceptor: TlsAcceptor,
    failed: Arc<Mutex<Failed>>,
}

/// The failures since the last log line.
#[derive(Debug, Default)]
struct Failed {
    count: u64,
    logged: Option<Instant>,
}

impl Tls {
    pub(super) fn new(config: Arc<ServerConfig>) -> Self {
        Self {
            acceptor: config.into(),
            failed: Arc::default(),
        }
    }

    /// Performs the handshake with a client.
    pub(super) async fn accept<S>(&self, stream: S, peer: Peer) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let handshake = tokio::time::timeout(HANDSHAKE_TIME, self.acceptor.accept(stream));
        let accepted = handshake.await;
        let accepted = accepted.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        accepted.inspect_err(|error| self.count(peer, error))
    }

    fn count(&self, peer: Peer, error: &io::Error) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.count += 1;
        if failed.logged.is_some_and(|logged| logged.elapsed() < QUIET) {
            return;
        }
        let count = std::mem::take(&mut failed.count);
        failed.logged = Some(Instant::now());
        tracing::warn!(
            count,
            "{count} TLS handshakes with the control plane failed; the last: {}: {error}",
            peer.0
        );
    }
}
