//! The status of the running plane for operators: workers publish once a second what they know
//! anyway, so that no call pays for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tollgate_counters::{Counted, Counters};
use tollgate_model::feed::Sequence;

use crate::snapshot::Current;

/// The figures of one worker as of its last sweep.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    connections: AtomicUsize,
    exchanges: AtomicUsize,
    remembered_tokens: AtomicUsize,
}

impl Gauge {
    pub(crate) fn set(&self, connections: usize, exchanges: usize, remembered_tokens: usize) {
        self.connections.store(connections, Ordering::Relaxed);
        self.exchanges.store(exchanges, Ordering::Relaxed);
        self.remembered_tokens
            .store(remembered_tokens, Ordering::Relaxed);
    }
}

/// The status of the plane at one time; the counts of workers are up to a second old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The sequence of the current snapshot.
    pub sequence: Sequence,
    /// Served versions, including blocked ones.
    pub versions: usize,
    /// Workers.
    pub workers: usize,
    /// Connections of callers.
    pub connections: usize,
    /// Calls in progress.
    pub exchanges: usize,
    /// Signed tokens remembered by workers; one remembered by several counts several times.
    pub remembered_tokens: usize,
    /// The counters of limits.
    pub counters: Counted,
}

/// Observes the plane, and outlives it.
#[derive(Debug, Clone)]
pub struct Observer {
    pub(crate) current: Arc<Current>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) gauges: Vec<Arc<Gauge>>,
}

impl Observer {
    /// Returns the current status.
    #[must_use]
    pub fn status(&self) -> Status {
        let snapshot = self.current.load();
        let sum = |of: fn(&Gauge) -> &AtomicUsize| {
            let counts = self.gauges.iter();
            counts.map(|it| of(it).load(Ordering::Relaxed)).sum()
        };
        Status {
            sequence: snapshot.sequence,
            versions: snapshot.contexts.versions(),
            workers: self.gauges.len(),
            connections: sum(|gauge| &gauge.connections),
            exchanges: sum(|gauge| &gauge.exchanges),
            remembered_tokens: sum(|gauge| &gauge.remembered_tokens),
            counters: self.counters.count(),
        }
    }
}
