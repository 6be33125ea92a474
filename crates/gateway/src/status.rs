//! The status of the running plane for operators: workers publish once a second what they know
//! anyway, so that no call pays for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tollgate_counters::{Counted, Counters};
use tollgate_model::feed::{Sequence, ServedVersion};
use tollgate_model::id::{OperationId, RevisionId, VersionId};
use tollgate_model::security::Scheme;

use crate::buffered::Buffered;
use crate::snapshot::Current;
use crate::stored::Caches;

/// The figures of one worker as of its last sweep.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    connections: AtomicUsize,
    exchanges: AtomicUsize,
    remembered_tokens: AtomicUsize,
    unrecorded: [AtomicU64; REASONS],
}

impl Gauge {
    pub(crate) fn set(&self, connections: usize, exchanges: usize, remembered_tokens: usize) {
        self.connections.store(connections, Ordering::Relaxed);
        self.exchanges.store(exchanges, Ordering::Relaxed);
        self.remembered_tokens
            .store(remembered_tokens, Ordering::Relaxed);
    }

    pub(crate) fn set_unrecorded(&self, counts: Unrecorded) {
        let reasons = counts.by_reason();
        for (kept, (_, count)) in self.unrecorded.iter().zip(reasons) {
            kept.store(count, Ordering::Relaxed);
        }
    }
}

/// Numbers of requests and connections that ended before `route`, so that there is no record of
/// them, since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Unrecorded {
    /// Requests without a valid head, or with one that took too long.
    pub(crate) malformed: u64,
    /// Health checks at `gateway.health_path`.
    pub(crate) health: u64,
    /// Requests for the key set of identity JWTs.
    pub(crate) keys: u64,
    /// Redirects to HTTPS.
    pub(crate) redirects: u64,
    /// Connections that were refused for lack of a place.
    pub(crate) connections: u64,
    /// TLS handshakes that failed.
    pub(crate) handshakes: u64,
}

/// Number of reasons why there is no record.
const REASONS: usize = 6;

impl Unrecorded {
    /// Each number with its word in metrics.
    fn by_reason(self) -> [(&'static str, u64); REASONS] {
        [
            ("malformed", self.malformed),
            ("health", self.health),
            ("keys", self.keys),
            ("redirect", self.redirects),
            ("connection", self.connections),
            ("handshake", self.handshakes),
        ]
    }
}

/// The status of the plane at one time; the counts of workers are up to a second old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The sequence of the current snapshot.
    pub sequence: Sequence,
    /// When a change of the configuration was last applied, Unix microseconds.
    pub applied_us: i64,
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
    /// Bytes of stored responses.
    pub cache_bytes: u64,
    /// Bytes held by bodies that are read whole.
    pub buffered_bytes: u64,
}

/// A served version and its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedVersion {
    /// Its id.
    pub id: VersionId,
    /// The API's name.
    pub api: String,
    /// Its own name.
    pub name: String,
}

/// The names of a served version, for the lines of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallNames {
    /// The API's name.
    pub api: String,
    /// The version's name.
    pub version: String,
    /// Each operation: of REST its method and path below the version, such as `GET /pets/{pet}`; of
    /// a SOAP service its name, and `unknown` for all others.
    pub operations: Vec<(OperationId, String)>,
    /// The revision that they are from.
    pub revision: RevisionId,
}

impl CallNames {
    fn of_version(served: &ServedVersion) -> Self {
        let rest = served.operations.iter();
        let rest = rest.map(|it| (it.id, format!("{} {}", it.method, it.path)));
        let soap = served.soap.iter().flat_map(|soap| {
            let named = soap.operations.iter().map(|it| (it.id, it.name.clone()));
            named.chain([(soap.unknown, "unknown".to_owned())])
        });
        Self {
            api: served.api_name.clone(),
            version: served.name.clone(),
            operations: rest.chain(soap).collect(),
            revision: served.revision,
        }
    }
}

/// Observes the plane, and outlives it.
#[derive(Debug, Clone)]
pub struct Observer {
    pub(crate) current: Arc<Current>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) caches: Arc<Caches>,
    pub(crate) buffered: Arc<Buffered>,
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
            applied_us: self.current.applied_us(),
            versions: snapshot.contexts.versions(),
            workers: self.gauges.len(),
            connections: sum(|gauge| &gauge.connections),
            exchanges: sum(|gauge| &gauge.exchanges),
            remembered_tokens: sum(|gauge| &gauge.remembered_tokens),
            counters: self.counters.count(),
            cache_bytes: self.caches.store.bytes(),
            buffered_bytes: self.buffered.bytes(),
        }
    }

    /// Returns the numbers of requests and connections without a record, each with its word.
    #[must_use]
    pub fn unrecorded(&self) -> [(&'static str, u64); REASONS] {
        let mut counts = Unrecorded::default().by_reason();
        for gauge in &self.gauges {
            for ((_, count), kept) in counts.iter_mut().zip(&gauge.unrecorded) {
                *count += kept.load(Ordering::Relaxed);
            }
        }
        counts
    }

    /// Returns the served versions, in no order.
    #[must_use]
    pub fn versions(&self) -> Vec<NamedVersion> {
        let snapshot = self.current.load();
        let named = snapshot.contexts.all().map(|version| NamedVersion {
            id: version.served.id,
            api: version.served.api_name.clone(),
            name: version.served.name.clone(),
        });
        named.collect()
    }

    /// Returns the sequence of the current snapshot.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        self.current.load().sequence
    }

    /// Returns the query parameters that API keys may be in, of all served versions.
    #[must_use]
    pub fn key_parameters(&self) -> Vec<String> {
        let snapshot = self.current.load();
        let versions = snapshot.contexts.all();
        let schemes = versions.flat_map(|it| &it.served.security.schemes);
        let parameters = schemes.filter_map(|scheme| match scheme {
            Scheme::ApiKey { query, .. } => query.clone(),
            Scheme::OAuth2 | Scheme::Basic => None,
        });
        parameters.collect()
    }

    /// Returns the names of a version; `None` if it is not served.
    #[must_use]
    pub fn call_names(&self, version: VersionId) -> Option<CallNames> {
        let snapshot = self.current.load();
        let version = snapshot.contexts.version(version)?;
        Some(CallNames::of_version(&version.served))
    }
}
