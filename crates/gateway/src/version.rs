//! A version as the snapshot holds it: what is served, with its look-up tables.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tollgate_counters::Bound;
use tollgate_model::feed::{ServedUpstream, ServedVersion};

use crate::bridge::Bridge;
use crate::operations::Operations;
use crate::service::Service;
use crate::settings::Settings;

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
