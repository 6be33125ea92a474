//! The data plane as a whole: starts the workers and the feed's reader, and stops them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use socket2::Socket;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tollgate_counters::Counters;
use tollgate_model::feed::{Applied, Message};

use crate::feed::Reader;
use crate::listener;
use crate::record::{self, Recorder, Records};
use crate::serve;
use crate::settings::Settings;
use crate::snapshot::Current;
use crate::worker::Worker;

/// Why the data plane did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is taken or cannot be had.
    #[error("the gateway cannot listen on {0}")]
    Listen(SocketAddr, #[source] io::Error),
    /// The system gives no threads, descriptors or random bytes.
    #[error("the gateway's workers cannot be started")]
    Workers(#[source] io::Error),
    /// The feed ended before it had told what is to be served.
    #[error("the gateway was not told what to serve")]
    Feed,
}

/// The address at which calls will be taken, so that others can be told of it before there is
/// anything to serve.
#[derive(Debug)]
pub struct Reserved {
    address: SocketAddr,
    sockets: Vec<Socket>,
}

impl Reserved {
    /// Keeps everybody else off the address. Who connects to it is refused until the plane
    /// [starts](Plane::start).
    ///
    /// # Errors
    /// [`StartError::Listen`].
    pub fn new(settings: &Settings) -> Result<Self, StartError> {
        let sockets = listener::reserve(settings.listen, settings.workers)
            .map_err(|error| StartError::Listen(settings.listen, error))?;
        let address = sockets.first().and_then(|socket| {
            let address = socket.local_addr().ok()?;
            address.as_socket()
        });
        Ok(Self {
            address: address.unwrap_or(settings.listen),
            sockets,
        })
    }

    /// Where calls will be taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The running data plane.
#[derive(Debug)]
pub struct Plane {
    address: SocketAddr,
    current: Arc<Current>,
    stop: watch::Sender<Option<Duration>>,
    records: Vec<Records>,
    workers: Vec<JoinHandle<()>>,
}

impl Plane {
    /// Starts the reader that applies `messages` and acknowledges on `applied`, and once a whole
    /// snapshot is in force the workers: not before then is a connection taken.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(
        settings: Settings,
        Reserved { address, sockets }: Reserved,
        counters: Arc<Counters>,
        (messages, applied): (mpsc::Receiver<Message>, watch::Sender<Applied>),
    ) -> Result<Self, StartError> {
        let current = Arc::<Current>::default();
        let mut acknowledged = applied.subscribe();
        let reader = Reader::new(Arc::clone(&current), counters);
        thread::Builder::new()
            .name("feed".into())
            .spawn(move || reader.follow(messages, &applied))
            .map_err(StartError::Workers)?;
        let in_force = acknowledged.wait_for(|_| current.epoch() > 0).await;
        in_force.map_err(|_| StartError::Feed)?;

        let listeners = sockets.into_iter().map(listener::listen);
        let listeners = listeners.collect::<io::Result<Vec<_>>>();
        let listeners = listeners.map_err(|error| StartError::Listen(address, error))?;
        let mut plane = Self {
            address,
            current,
            stop: watch::Sender::new(None),
            records: Vec::new(),
            workers: Vec::new(),
        };
        let settings = Arc::new(settings);
        for listener in listeners {
            let (recorder, records) = record::ring(settings.records_max);
            plane.records.push(records);
            let worker = plane.spawn_worker(listener, Arc::clone(&settings), recorder);
            plane.workers.push(worker.map_err(StartError::Workers)?);
        }
        Ok(plane)
    }

    /// Where calls are taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The readers' ends of the workers' record rings; once.
    pub fn records(&mut self) -> Vec<Records> {
        std::mem::take(&mut self.records)
    }

    /// Stops accepting, lets the exchanges under way end for at most `grace`, and returns when
    /// every worker has left. Blocks the thread.
    pub fn drain(self, grace: Duration) {
        self.stop.send_replace(Some(grace));
        for worker in self.workers {
            if worker.join().is_err() {
                tracing::error!("a worker of the gateway ended in a panic");
            }
        }
    }

    fn spawn_worker(
        &self,
        listener: std::net::TcpListener,
        settings: Arc<Settings>,
        recorder: Recorder,
    ) -> io::Result<JoinHandle<()>> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let (current, stop) = (Arc::clone(&self.current), self.stop.subscribe());
        let prefix = getrandom::u64().map_err(io::Error::other)?;
        thread::Builder::new().name("worker".into()).spawn(move || {
            runtime.block_on(async move {
                match TcpListener::from_std(listener) {
                    Ok(listener) => {
                        let worker = Worker::new(settings, current, recorder, prefix);
                        serve::run(worker, listener, stop).await;
                    }
                    Err(error) => tracing::error!(%error, "a worker has no listener"),
                }
            });
        })
    }
}
