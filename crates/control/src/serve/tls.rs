//! The TLS of a listener: handshakes with a bound on their time. Those that come to nothing are
//! counted, and told at most once a minute.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::peer::Peer;

/// How long a handshake may take.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
/// How long after a line further failures are only counted.
const QUIET: Duration = Duration::from_secs(60);

/// Answers handshakes; clones count together.
#[derive(Clone)]
pub(super) struct Tls {
    acceptor: TlsAcceptor,
    failed: Arc<Mutex<Failed>>,
}

/// What failed since it was told last.
#[derive(Debug, Default)]
struct Failed {
    count: u64,
    told: Option<Instant>,
}

impl Tls {
    pub(super) fn new(config: Arc<ServerConfig>) -> Self {
        Self {
            acceptor: config.into(),
            failed: Arc::default(),
        }
    }

    /// Answers the handshake of a caller.
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
        if failed.told.is_some_and(|told| told.elapsed() < QUIET) {
            return;
        }
        let count = std::mem::take(&mut failed.count);
        failed.told = Some(Instant::now());
        tracing::warn!(
            count,
            "{count} TLS handshakes with the control plane failed; the last: {}: {error}",
            peer.0
        );
    }
}
