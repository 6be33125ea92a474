//! The parts of a test's control plane.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tollgate_analytics::Usage;
use tollgate_fetch::{HostList, Networks, UpstreamRules};
use tollgate_spool::Spool;
use tollgate_store::Store;

use super::{APPLICATIONS_PER_USER_MAX, NOW_US};
use crate::client_attempts::ClientAttempts;
use crate::clock::Clock;
use crate::contracts::GatewayUrl;
use crate::feed::Feed;
use crate::gateways::{GatewayPlaces, ObservedGateways};
use crate::hosts::Hosts;
use crate::seed;
use crate::state::Parts;

/// Small, so that tests fill it quickly.
pub(crate) const CONTRACT_CACHE_BYTES_MAX: usize = 1 << 20;
/// Maximum bytes of all bodies that are being read at a time.
const BODIES_BYTES_MAX: usize = 64 << 20;
/// The gateway's URL.
const GATEWAY: &str = "http://localhost:8080";

/// Returns a feed for gateways that callers reach at this URL.
pub(crate) fn feed(store: &Store, clock: &Clock, gateway: GatewayUrl) -> Feed {
    Feed::new(
        store.clone(),
        clock.clone(),
        gateway,
        CONTRACT_CACHE_BYTES_MAX,
    )
}

/// Returns the parts of a new installation in a folder.
pub(super) async fn parts(folder: &Path, clock: Clock) -> Parts {
    let store = Store::open(&folder.join("tollgate.db")).await.unwrap();
    // Earlier than the clock, so that objects created by tests are listed after the seeds.
    seed::seed(&store, NOW_US - 1_000_000).await.unwrap();
    let spool = Spool::open(tollgate_spool::Settings {
        folder: folder.join("spool"),
        bytes_max: 1 << 30,
        kept: Duration::from_secs(7 * 86_400),
        free_bytes_min: 0,
        segment_bytes: 64 << 20,
    });
    let spool = Arc::new(spool.unwrap());
    let usage = Usage::open(&folder.join("usage.db"), spool).await.unwrap();
    Parts {
        feed: feed(&store, &clock, GatewayUrl::Local(GATEWAY.to_owned())),
        observed_gateways: ObservedGateways::default(),
        gateways: GatewayPlaces::default(),
        upstream_rules: UpstreamRules::default(),
        token_issuer: None,
        client_attempts: ClientAttempts::new(clock.clone()),
        conditions: Box::new(Vec::new),
        watch: None,
        access_log: None,
        store,
        usage,
        hosts: Hosts::default(),
        redirect_port: None,
        fetch: HostList::default(),
        fetch_timeout: Duration::from_secs(15),
        trusted_proxies: Networks::default(),
        hsts: false,
        access_token_days_max: 365,
        open_catalogue: false,
        bodies_bytes_max: BODIES_BYTES_MAX,
        applications_per_user_max: APPLICATIONS_PER_USER_MAX,
        clock,
    }
}
