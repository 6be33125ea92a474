//! What this gateway serves, indexed for reading: a request holds one from its first step to its
//! last, a change makes a new one that shares all that did not change.
//!
//! `feed` makes them; `route`, `authenticate` and `authorize` read them.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use tollgate_counters::Bound;
use tollgate_model::credential::Digest;
use tollgate_model::feed::{Sequence, ServedKey, ServedUpstream, ServedVersion};
use tollgate_model::id::{ApplicationId, SubscriptionId, VersionId};
use tollgate_model::subscription;

use crate::bridge::Bridge;
use crate::plane::Settings;
use crate::route::{Contexts, Operations};
use crate::service::Service;
use crate::sharded::Sharded;

/// All that is served as of one sequence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) sequence: Sequence,
    pub(crate) contexts: Arc<Contexts>,
    pub(crate) keys: Sharded<Digest, ServedKey>,
    pub(crate) subscriptions: Sharded<(ApplicationId, VersionId), Arc<Subscription>>,
}

/// A version with its look-up tables.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) served: ServedVersion,
    pub(crate) operations: Operations,
    /// The SOAP service that it stands for; boxed, since most have none.
    pub(crate) service: Option<Box<Service>>,
    /// The same, where callers reach it as REST.
    pub(crate) bridge: Option<Arc<Bridge>>,
    /// The version's own limits.
    pub(crate) bounds: Vec<Bound>,
    pub(crate) production: Option<Target>,
    pub(crate) sandbox: Option<Target>,
}

impl Version {
    /// Bytes of a request body at most: the gateway's own bound, or less where the version says.
    pub(crate) fn body_bytes_max(&self, settings: &Settings) -> u64 {
        self.served
            .body_bytes_max
            .unwrap_or(u64::MAX)
            .min(settings.body_bytes_max)
    }
}

/// An upstream with what a worker needs to find its connections.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) served: ServedUpstream,
    /// The address, where the host is one and no name.
    pub(crate) address: Option<SocketAddr>,
    /// Which of a worker's pools: the same for the same host and port, over all snapshots.
    pub(crate) pool: usize,
}

impl Target {
    pub(crate) fn new(served: ServedUpstream, pool: usize) -> Self {
        let address = served.host.parse::<IpAddr>().ok();
        let address = address.map(|address| SocketAddr::new(address, served.port));
        Self {
            served,
            address,
            pool,
        }
    }
}

/// A subscription with its counters.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) id: SubscriptionId,
    pub(crate) status: subscription::Status,
    /// The limits of its plan, then its application's own: found in one look-up.
    pub(crate) bounds: Vec<Bound>,
}

/// The present snapshot, shared by the feed's reader and the workers.
#[derive(Debug, Default)]
pub(crate) struct Current {
    snapshot: ArcSwap<Snapshot>,
    epoch: AtomicU64,
}

impl Current {
    /// Every request whose head is read after this sees `snapshot`.
    pub(crate) fn replace(&self, snapshot: Snapshot) {
        self.snapshot.store(Arc::new(snapshot));
        self.epoch.fetch_add(1, Ordering::Release);
    }

    /// Changes whenever the snapshot does; zero before the first.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// A copy for one worker, whose requests then count their holds without touching what the
    /// workers share; it has the tables in common with the original.
    pub(crate) fn load(&self) -> Snapshot {
        Snapshot::clone(&self.snapshot.load())
    }
}
