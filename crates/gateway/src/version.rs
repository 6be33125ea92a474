//! A version as the snapshot holds it: what is served, with its look-up tables.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tollgate_counters::Bound;
use tollgate_model::credential::Environment;
use tollgate_model::feed::{ServedTarget, ServedUpstream, ServedVersion};

use crate::bridge::Bridge;
use crate::operations::Operations;
use crate::pools::{Place, Places};
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
    pub(crate) production: Option<Upstream>,
    pub(crate) sandbox: Option<Upstream>,
}

impl Version {
    /// Where calls of this environment go.
    pub(crate) fn upstream(&self, environment: Environment) -> Option<&Upstream> {
        match environment {
            Environment::Production => self.production.as_ref(),
            Environment::Sandbox => self.sandbox.as_ref(),
        }
    }

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
pub(crate) struct Upstream {
    pub(crate) served: ServedUpstream,
    /// In the order of those served.
    pub(crate) targets: Vec<Target>,
}

/// Where the calls of an upstream may go.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) served: ServedTarget,
    /// The address, where the host is one and no name.
    pub(crate) address: Option<SocketAddr>,
    /// Of its pool: the same for the same host and port, over all snapshots.
    pub(crate) place: Arc<Place>,
}

impl Upstream {
    pub(crate) fn new(served: &ServedUpstream, places: &mut Places) -> Self {
        let targets = served.targets.iter();
        let targets = targets.map(|target| Target::new(target, places));
        Self {
            targets: targets.collect(),
            served: served.clone(),
        }
    }
}

impl Target {
    fn new(served: &ServedTarget, places: &mut Places) -> Self {
        let address = served.host.parse::<IpAddr>().ok();
        Self {
            address: address.map(|address| SocketAddr::new(address, served.port)),
            place: places.find(&served.host, served.port),
            served: served.clone(),
        }
    }
}
