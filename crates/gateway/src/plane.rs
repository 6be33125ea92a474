//! The data plane as a whole: starts and stops the workers and the feed's reader.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustls::ServerConfig;
use socket2::Socket;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::{mpsc, watch};
use tollgate_counters::Counters;
use tollgate_model::feed::{Applied, Message};

use crate::buffered::Buffered;
use crate::feed::Reader;
use crate::listener::{self, Listener};
use crate::places::Places;
use crate::record::{self, RecordWriter, Records};
use crate::serve;
use crate::settings::Settings;
use crate::status::{Gauge, Observer};
use crate::stored::Caches;
use crate::worker::{Shared, Worker};

/// Why the data plane did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is in use or unavailable.
    #[error("the gateway cannot listen on {0}")]
    Listen(SocketAddr, #[source] io::Error),
    /// The system has no threads, descriptors or random bytes left.
    #[error("the gateway's workers cannot be started")]
    Workers(#[source] io::Error),
    /// The feed ended before the first full snapshot.
    #[error("the gateway received no configuration to serve")]
    Feed,
}

/// The listening addresses, by scheme.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// HTTP, if enabled.
    pub http: Option<SocketAddr>,
    /// HTTPS, if enabled.
    pub https: Option<SocketAddr>,
}

impl Addresses {
    /// Iterates over the enabled addresses.
    pub fn iter(self) -> impl Iterator<Item = SocketAddr> {
        self.http.into_iter().chain(self.https)
    }
}

/// Addresses reserved for the gateway, so that others can learn them before there is anything to
/// serve.
#[derive(Debug)]
pub struct Reserved {
    http: Option<Ports>,
    https: Option<Ports>,
}

/// The sockets of one address, one per worker.
#[derive(Debug)]
struct Ports {
    address: SocketAddr,
    sockets: Vec<Socket>,
}

impl Ports {
    fn reserve(address: SocketAddr, workers: usize) -> Result<Self, StartError> {
        let sockets = listener::reserve(address, workers)
            .map_err(|error| StartError::Listen(address, error))?;
        let local = sockets.first().and_then(|socket| {
            let address = socket.local_addr().ok()?;
            address.as_socket()
        });
        Ok(Self {
            address: local.unwrap_or(address),
            sockets,
        })
    }

    /// Starts listening; connections wait for the workers.
    fn listen(self) -> Result<Vec<std::net::TcpListener>, StartError> {
        let listeners = self.sockets.into_iter().map(listener::listen);
        let listeners = listeners.collect::<io::Result<Vec<_>>>();
        listeners.map_err(|error| StartError::Listen(self.address, error))
    }
}

impl Reserved {
    /// Binds the addresses, which keeps other processes off. Connections are refused until the
    /// plane [starts](Plane::start).
    ///
    /// # Errors
    /// [`StartError::Listen`].
    pub fn new(settings: &Settings) -> Result<Self, StartError> {
        let reserve = |address: Option<SocketAddr>| {
            let reserved = address.map(|address| Ports::reserve(address, settings.workers));
            reserved.transpose()
        };
        Ok(Self {
            http: reserve(settings.http)?,
            https: reserve(settings.https.as_ref().map(|https| https.address))?,
        })
    }

    /// The addresses that calls will be accepted on.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        let address = |ports: &Option<Ports>| ports.as_ref().map(|ports| ports.address);
        Addresses {
            http: address(&self.http),
            https: address(&self.https),
        }
    }
}

/// The running data plane.
#[derive(Debug)]
pub struct Plane {
    addresses: Addresses,
    shared: Shared,
    stop: watch::Sender<Option<Duration>>,
    records: Vec<Records>,
    gauges: Vec<Arc<Gauge>>,
    workers: Vec<JoinHandle<()>>,
}

impl Plane {
    /// Starts the reader that applies `messages` and acknowledges on `applied`, and the workers
    /// once a full snapshot is in force: no connection is accepted before.
    ///
    /// # Errors
    /// [`StartError`].
    pub async fn start(
        settings: Settings,
        reserved: Reserved,
        counters: Arc<Counters>,
        messages: mpsc::Receiver<Message>,
        applied: watch::Sender<Applied>,
    ) -> Result<Self, StartError> {
        let shared = Shared {
            current: Arc::default(),
            places: Places::new(settings.places(), settings.trusted_proxies.clone()),
            buffered: Buffered::new(settings.buffered_bytes_max),
            caches: Caches::new(settings.cache_bytes_max),
            counters,
            clock: Arc::default(),
        };
        let mut acknowledged = applied.subscribe();
        let reader = Reader::new(
            Arc::clone(&shared.current),
            Arc::clone(&shared.counters),
            Arc::clone(&shared.caches),
            settings.public_path(),
        );
        thread::Builder::new()
            .name("feed".into())
            .spawn(move || reader.follow(messages, &applied))
            .map_err(StartError::Workers)?;
        let in_force = acknowledged.wait_for(|_| shared.current.epoch() > 0).await;
        in_force.map_err(|_| StartError::Feed)?;

        let mut plane = Self {
            addresses: reserved.addresses(),
            shared,
            stop: watch::Sender::new(None),
            records: Vec::new(),
            gauges: Vec::new(),
            workers: Vec::new(),
        };
        let settings = Arc::new(settings);
        for listeners in listeners_by_worker(reserved, &settings)? {
            let number =
                getrandom::u64().map_err(|error| StartError::Workers(io::Error::other(error)))?;
            let (writer, records) = record::ring(settings.records_max, settings.texts, number);
            plane.records.push(records);
            let gauge = Arc::<Gauge>::default();
            plane.gauges.push(Arc::clone(&gauge));
            let worker = plane.spawn_worker(listeners, Arc::clone(&settings), writer, gauge);
            plane.workers.push(worker.map_err(StartError::Workers)?);
        }
        Ok(plane)
    }

    /// The addresses that calls are accepted on.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// Returns an observer of the plane's status.
    #[must_use]
    pub fn observer(&self) -> Observer {
        Observer {
            current: Arc::clone(&self.shared.current),
            counters: Arc::clone(&self.shared.counters),
            caches: Arc::clone(&self.shared.caches),
            buffered: Arc::clone(&self.shared.buffered),
            gauges: self.gauges.clone(),
        }
    }

    /// Takes the reading ends of the workers' record rings; empty on a second call.
    pub fn records(&mut self) -> Vec<Records> {
        std::mem::take(&mut self.records)
    }

    /// Stops accepting, gives current exchanges at most `grace` to finish, and returns when every
    /// worker has ended. Blocks the thread.
    pub fn drain(self, grace: Duration) {
        self.stop.send_replace(Some(grace));
        for worker in self.workers {
            if worker.join().is_err() {
                tracing::error!("a gateway worker panicked");
            }
        }
    }

    fn spawn_worker(
        &self,
        listeners: Vec<Waiting>,
        settings: Arc<Settings>,
        record_writer: RecordWriter,
        gauge: Arc<Gauge>,
    ) -> io::Result<JoinHandle<()>> {
        let shared = self.shared.clone();
        let stop = self.stop.subscribe();
        let (built, is_built) = sync_channel(1);
        let worker = thread::Builder::new()
            .name("worker".into())
            .spawn(move || {
                // It can only be built on its thread.
                let runtime = Builder::new_current_thread()
                    .enable_all()
                    .build_local(LocalOptions::default());
                let (runtime, result) = match runtime {
                    Ok(runtime) => (Some(runtime), Ok(())),
                    Err(error) => (None, Err(error)),
                };
                // The plane waits for it.
                let _ = built.send(result);
                let Some(runtime) = runtime else {
                    return;
                };
                runtime.block_on(async move {
                    let listeners = listeners.into_iter().map(Waiting::into_listener);
                    match listeners.collect::<io::Result<Vec<_>>>() {
                        Ok(listeners) => {
                            let worker = Worker::new(settings, shared, record_writer, gauge);
                            serve::run(worker, listeners, stop).await;
                        }
                        Err(error) => tracing::error!(%error, "a worker has no listener"),
                    }
                });
            })?;
        is_built.recv().map_err(io::Error::other)??;
        Ok(worker)
    }
}

/// A listener not yet on a runtime.
#[derive(Debug)]
struct Waiting {
    tcp: std::net::TcpListener,
    address: SocketAddr,
    tls: Option<Arc<ServerConfig>>,
}

impl Waiting {
    fn into_listener(self) -> io::Result<Listener> {
        let tcp = TcpListener::from_std(self.tcp)?;
        Ok(Listener::new(tcp, self.address, self.tls))
    }
}

/// Distributes the listeners to the workers.
fn listeners_by_worker(
    reserved: Reserved,
    settings: &Settings,
) -> Result<Vec<Vec<Waiting>>, StartError> {
    let mut workers: Vec<Vec<Waiting>> = Vec::new();
    workers.resize_with(settings.workers, Vec::new);
    let tls = settings.https.as_ref().map(|https| &https.tls);
    for (ports, tls) in [(reserved.http, None), (reserved.https, tls)] {
        let Some(ports) = ports else {
            continue;
        };
        let address = ports.address;
        for (worker, tcp) in workers.iter_mut().zip(ports.listen()?) {
            let tls = tls.cloned();
            worker.push(Waiting { tcp, address, tls });
        }
    }
    Ok(workers)
}
