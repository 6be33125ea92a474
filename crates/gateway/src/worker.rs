//! A worker: one thread with its own listeners, connections, buffers, pools, timers and record
//! ring. Workers share only the snapshot, the counters' atomics and the table of callers'
//! connections.

pub(crate) mod agents;
pub(crate) mod counted;
pub(crate) mod identities;
pub(crate) mod recent;
pub(crate) mod remembered;
pub(crate) mod turns;
pub(crate) mod warnings;

use std::cell::{Cell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

use tollgate_counters::Counters;
use tollgate_http1::buffer_pool::BufferPool;
use tollgate_http1::deadline::Timer;
use tollgate_soap::dispatch::Memory;

use crate::buffered::Buffered;
use crate::clock::Clock;
use crate::places::{Full, Place, Places};
use crate::pools::Pools;
use crate::record::RecordWriter;
use crate::settings::Settings;
use crate::snapshot::policies::Memory as StepMemory;
use crate::snapshot::soap_to_rest::Transcoding;
use crate::snapshot::{Current, Snapshot};
use crate::status::{Gauge, Unrecorded};
use crate::stored::Caches;
use crate::wire::portal::Origins;
use crate::wire::request_id::RequestId;
use crate::worker::agents::Agents;
use crate::worker::counted::Counted;
use crate::worker::identities::Identities;
use crate::worker::recent::RecentKeys;
use crate::worker::remembered::Memory as RememberedTokens;
use crate::worker::turns::{TOGETHER, Turns};
use crate::worker::warnings::Warnings;

/// What all workers share.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub(crate) current: Arc<Current>,
    pub(crate) places: Arc<Places>,
    pub(crate) buffered: Arc<Buffered>,
    pub(crate) caches: Arc<Caches>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) clock: Arc<Clock>,
}

/// The state shared by the connections of one worker.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) settings: Arc<Settings>,
    pub(crate) buffer_pool: Rc<BufferPool>,
    pub(crate) timer: Timer,
    pub(crate) clock: Arc<Clock>,
    pub(crate) pools: Pools,
    /// The callers' connections of all workers.
    pub(crate) places: Arc<Places>,
    /// The room of all workers for bodies that are read whole.
    pub(crate) buffered: Arc<Buffered>,
    /// The stored responses of all workers.
    pub(crate) caches: Arc<Caches>,
    /// The counters of all limits.
    pub(crate) counters: Arc<Counters>,
    /// The origins of pages that may read responses.
    pub(crate) portal: Origins,
    pub(crate) record_writer: RecordWriter,
    pub(crate) warnings: Warnings,
    /// TLS handshakes of callers that failed.
    pub(crate) failed_handshakes: Counted,
    /// Connections refused for lack of a place.
    pub(crate) refused_connections: Counted,
    /// Requests and connections without a record.
    unrecorded: Cell<Unrecorded>,
    /// Idle connections closed to make room for new ones.
    pub(crate) closed_connections: Counted,
    /// Identity JWTs for upstreams. Never borrowed over an await.
    pub(crate) identities: Identities,
    /// Recently verified API keys. Never borrowed over an await.
    pub(crate) recent_keys: RefCell<RecentKeys>,
    /// Verified signed tokens. Never borrowed over an await.
    pub(crate) remembered: RefCell<RememberedTokens>,
    /// The programs of callers. Never borrowed over an await.
    pub(crate) agents: RefCell<Agents>,
    /// Buffers of the envelope reader, reused for each. Never borrowed over an await.
    pub(crate) envelopes: RefCell<Memory>,
    /// Buffers for transcoding between JSON and SOAP, reused for each message. Never borrowed over
    /// an await.
    pub(crate) transcoding: RefCell<Transcoding>,
    /// Memory of the steps of policies, reused for each message. Never borrowed over an await.
    pub(crate) steps: RefCell<StepMemory>,
    turns: Turns,
    /// The figures for operators.
    gauge: Arc<Gauge>,
    current: Arc<Current>,
    seen: RefCell<(u64, Rc<Snapshot>)>,
    requests: Cell<u64>,
    connections: Cell<usize>,
    exchanges: Cell<usize>,
    is_draining: Cell<bool>,
}

/// Counts a connection while it is open, and keeps its place.
#[derive(Debug)]
pub(crate) struct Present {
    pub(crate) place: Place,
    worker: Rc<Worker>,
}

impl Present {
    pub(crate) fn worker(&self) -> &Rc<Worker> {
        &self.worker
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        let connections = &self.worker.connections;
        connections.set(connections.get() - 1);
    }
}

/// Counts an exchange while it is in progress.
#[derive(Debug)]
pub(crate) struct Busy<'w>(&'w Worker);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.exchanges.set(self.0.exchanges.get() - 1);
    }
}

impl Worker {
    pub(crate) fn new(
        settings: Arc<Settings>,
        shared: Shared,
        record_writer: RecordWriter,
        gauge: Arc<Gauge>,
    ) -> Self {
        let Shared {
            current,
            places,
            buffered,
            caches,
            counters,
            clock,
        } = shared;
        let buffer_pool = Rc::default();
        Self {
            portal: Origins::new(&settings.portal_origins),
            settings,
            places,
            buffered,
            caches,
            counters,
            pools: Pools::new(&buffer_pool),
            buffer_pool,
            timer: Timer::default(),
            clock,
            record_writer,
            gauge,
            turns: Turns::default(),
            warnings: Warnings::default(),
            unrecorded: Cell::default(),
            failed_handshakes: Counted::new("TLS handshakes of callers failed"),
            refused_connections: Counted::new("connections of callers were refused"),
            closed_connections: Counted::new("idle connections of callers gave way to new ones"),
            identities: Identities::default(),
            recent_keys: RefCell::default(),
            remembered: RefCell::default(),
            agents: RefCell::default(),
            envelopes: RefCell::default(),
            steps: RefCell::default(),
            transcoding: RefCell::default(),
            seen: RefCell::new((current.epoch(), Rc::new(current.load()))),
            current,
            requests: Cell::new(0),
            connections: Cell::new(0),
            exchanges: Cell::new(0),
            is_draining: Cell::new(false),
        }
    }

    /// The current snapshot. A request holds it from its first step to its last.
    pub(crate) fn snapshot(&self) -> Rc<Snapshot> {
        let mut seen = self.seen.borrow_mut();
        let epoch = self.current.epoch();
        if seen.0 != epoch {
            *seen = (epoch, Rc::new(self.current.load()));
        }
        Rc::clone(&seen.1)
    }

    pub(crate) fn request_id(&self) -> RequestId {
        let number = self.requests.get() + 1;
        self.requests.set(number);
        RequestId::new(self.record_writer.worker(), number)
    }

    /// Runs about once a second: adjusts the clock, closes unused pools and connections, logs the
    /// number of suppressed warnings, and publishes the figures for operators.
    pub(crate) fn sweep(&self) {
        self.clock.follow();
        self.warnings.tick(self.clock.now_us());
        let counted = [
            &self.failed_handshakes,
            &self.refused_connections,
            &self.closed_connections,
        ];
        for events in counted {
            events.tick(self.clock.now_us());
        }
        // An old snapshot would keep pools that the current one does not use.
        drop(self.snapshot());
        self.pools.sweep();
        let remembered = self.remembered.borrow().len();
        let (connections, exchanges) = (self.connections.get(), self.exchanges.get());
        self.gauge.set(connections, exchanges, remembered);
        self.gauge.set_unrecorded(self.unrecorded.get());
    }

    /// Counts a request or connection of which there is no record.
    pub(crate) fn count_unrecorded(&self, count: impl FnOnce(&mut Unrecorded)) {
        let mut counts = self.unrecorded.get();
        count(&mut counts);
        self.unrecorded.set(counts);
    }

    /// Starts draining: responses now close their connections.
    pub(crate) fn begin_to_drain(&self) {
        self.is_draining.set(true);
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.get()
    }

    /// Waits until another request may begin. It counts as an exchange already.
    pub(crate) async fn turn(&self) {
        if self.exchanges.get() >= TOGETHER {
            let _busy = self.busy();
            self.turns.wait().await;
        }
    }

    /// Gives turns to waiting requests, as long as it is polled.
    pub(crate) async fn give_turns(&self) {
        self.turns.give().await;
    }

    /// Whether exchanges are in progress.
    pub(crate) fn is_busy(&self) -> bool {
        self.exchanges.get() > 0
    }

    /// Counts an exchange while the returned value lives.
    pub(crate) fn busy(&self) -> Busy<'_> {
        self.exchanges.set(self.exchanges.get() + 1);
        Busy(self)
    }

    /// Takes a place for a new connection from `peer`, and counts it.
    pub(crate) fn begin_connection(self: &Rc<Self>, peer: IpAddr) -> Result<Present, Full> {
        let (place, gave_way) = self.places.take(peer)?;
        if let Some(address) = gave_way {
            let peer = peer.to_canonical();
            let last = format!("one of {address}, to one of {peer} (gateway.connections_max)");
            self.closed_connections.count(last);
        }
        self.connections.set(self.connections.get() + 1);
        Ok(Present {
            place,
            worker: Rc::clone(self),
        })
    }
}
