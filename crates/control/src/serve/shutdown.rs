//! Shutdown of the listener: connections learn that it has begun, and it waits until those with a
//! request in progress have ended. Neighbour: `serve.rs` bounds the wait.

use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown, Watcher};
use tokio::sync::watch;

/// The shutdown of all connections.
#[derive(Default)]
pub(super) struct Shutdown {
    graceful: GracefulShutdown,
    has_begun: watch::Sender<bool>,
}

impl Shutdown {
    /// Returns the watch of one connection.
    pub(super) fn watch(&self) -> ShutdownWatch {
        ShutdownWatch {
            watcher: self.graceful.watcher(),
            has_begun: self.has_begun.subscribe(),
        }
    }

    /// Begins the shutdown, and waits until all watched connections have ended.
    pub(super) async fn drain(self) {
        self.has_begun.send_replace(true);
        self.graceful.shutdown().await;
    }
}

/// A connection's watch for the shutdown, which waits until the watch is dropped.
pub(super) struct ShutdownWatch {
    watcher: Watcher,
    has_begun: watch::Receiver<bool>,
}

impl ShutdownWatch {
    /// Waits until the shutdown begins, for a connection without a request in progress.
    pub(super) async fn begun(&mut self) {
        // An error means that the listener is gone.
        let _ = self.has_begun.wait_for(|has_begun| *has_begun).await;
    }

    /// Drives a connection to its end; once the shutdown begins, to the end of the request in
    /// progress.
    pub(super) async fn drained<C: GracefulConnection>(
        self,
        connection: C,
    ) -> Result<(), C::Error> {
        self.watcher.watch(connection).await
    }
}
