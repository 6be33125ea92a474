//! [`Control`], which every handler can reach, and its parts.
//!
//! The clock is a field so that tests can set it; ids have one source.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tollgate_analytics::Usage;
use tollgate_fetch::{Fetcher, HostList, Networks, UpstreamRules};
use tollgate_model::id::{Id, Kind};
use tollgate_store::Store;

use crate::attempts::Attempts;
use crate::bodies::Bodies;
use crate::client_attempts::ClientAttempts;
use crate::clock::Clock;
use crate::constant::Documents;
use crate::contracts::Contracts;
use crate::error::Problem;
use crate::feed::Feed;
use crate::fetching::DocumentFetcher;
use crate::gateways::{Asked, Conditions, GatewayPlaces, ObservedGateways};
use crate::hosts::Hosts;
use crate::importing::Importing;
use crate::passwords::Passwords;
use crate::random::{self, NoRandom};
use crate::token_issuer::TokenIssuer;
use crate::watch::{ReadAccessLog, WatchListener};
use crate::writing::Writing;

/// The control plane: cheap to clone, shared by all requests.
#[derive(Clone)]
pub struct Control(Arc<Inner>);

/// The fields of [`Control`].
pub struct Inner {
    /// The database of the configuration.
    pub store: Store,
    /// The database of usage.
    pub usage: Usage,
    /// The feed that sends changes to gateways.
    pub feed: Feed,
    /// The accepted host names.
    pub hosts: Hosts,
    /// Reverse proxies that are trusted to set `X-Forwarded-For`.
    pub(crate) trusted_proxies: Networks,
    /// Whether browsers that came over HTTPS are instructed to use nothing else.
    pub(crate) hsts: bool,
    /// Maximum lifetime of an access token in days.
    pub(crate) access_token_days_max: u32,
    /// Whether the catalogue can be read without signing in.
    pub(crate) open_catalogue: bool,
    /// Contracts of SOAP services.
    pub(crate) contracts: Arc<Contracts>,
    /// Documents of versions in the catalogue.
    pub(crate) documents: Documents,
    /// The fetcher of remote documents.
    pub(crate) fetcher: DocumentFetcher,
    /// The imports that are parsed.
    pub(crate) importing: Importing,
    /// The request bodies in memory.
    pub(crate) bodies: Arc<Bodies>,
    /// Whether the process stops, which ends streams of events.
    pub(crate) stopping: watch::Sender<bool>,
    /// Maximum number of applications per user.
    pub(crate) applications_per_user_max: u64,
    /// Start of the process, Unix microseconds.
    pub(crate) started_us: i64,
    /// The running gateways.
    pub(crate) observed_gateways: ObservedGateways,
    /// Conditions that need an operator's attention although everything works, one sentence each.
    pub(crate) conditions: Conditions,
    /// Where callers reach the gateways.
    pub(crate) gateways: GatewayPlaces,
    /// The HTTPS port that plain requests are redirected to.
    pub(crate) redirect_port: Option<u16>,
    /// The addresses that upstreams may have.
    pub(crate) upstream_rules: UpstreamRules,
    /// The listener of metrics, if there is one.
    pub(crate) watch: Option<WatchListener>,
    /// Reads the condition of the access log, if there is one.
    pub(crate) access_log: Option<ReadAccessLog>,
    /// The issuer of access tokens.
    token_issuer: Option<Arc<dyn TokenIssuer>>,
    /// Failed sign-ins.
    pub(crate) attempts: Arc<Attempts>,
    /// The password hashing thread.
    pub(crate) passwords: Passwords,
    /// Whether the store accepts writes.
    pub(crate) writing: Writing,
    /// The source of time.
    pub clock: Clock,
    /// The source of new ids.
    ids: Ids,
}

/// What the control plane needs from the process that runs it.
pub struct Parts {
    /// The database of the configuration.
    pub store: Store,
    /// The database of usage.
    pub usage: Usage,
    /// The feed that sends changes of this store to gateways.
    pub feed: Feed,
    /// The running gateways.
    pub observed_gateways: ObservedGateways,
    /// Where callers reach the gateways.
    pub gateways: GatewayPlaces,
    /// The addresses that upstreams may have.
    pub upstream_rules: UpstreamRules,
    /// The issuer of access tokens, if any are issued.
    pub token_issuer: Option<Arc<dyn TokenIssuer>>,
    /// Failed OAuth2 clients, counted beside failed sign-ins.
    pub client_attempts: ClientAttempts,
    /// Conditions that need an operator's attention although everything works, one sentence each.
    pub conditions: Conditions,
    /// The listener of metrics, if there is one.
    pub watch: Option<WatchListener>,
    /// Reads the condition of the access log, if there is one.
    pub access_log: Option<ReadAccessLog>,
    /// The accepted host names.
    pub hosts: Hosts,
    /// The HTTPS port that plain requests are redirected to.
    pub redirect_port: Option<u16>,
    /// Hosts that documents may be fetched from although they are not public.
    pub fetch: HostList,
    /// Maximum time to fetch a document.
    pub fetch_timeout: Duration,
    /// Reverse proxies that are trusted to set `X-Forwarded-For`.
    pub trusted_proxies: Networks,
    /// Whether browsers that came over HTTPS are instructed to use nothing else (RFC 6797).
    pub hsts: bool,
    /// Maximum lifetime of an access token in days.
    pub access_token_days_max: u32,
    /// Whether the catalogue can be read without signing in.
    pub open_catalogue: bool,
    /// Maximum bytes of all bodies that are being read at a time.
    pub bodies_bytes_max: usize,
    /// Maximum number of applications per user.
    pub applications_per_user_max: u64,
    /// The source of time.
    pub clock: Clock,
}

impl Control {
    /// Creates a control plane from its parts.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts {
            store,
            usage,
            feed,
            observed_gateways,
            gateways,
            upstream_rules,
            token_issuer,
            client_attempts,
            conditions,
            watch,
            access_log,
            hosts,
            redirect_port,
            fetch,
            fetch_timeout,
            trusted_proxies,
            hsts,
            access_token_days_max,
            open_catalogue,
            bodies_bytes_max,
            applications_per_user_max,
            clock,
        } = parts;
        let bodies = Arc::new(Bodies::new(bodies_bytes_max));
        Self(Arc::new(Inner {
            contracts: feed.contracts(),
            feed,
            documents: Documents::new(),
            fetcher: DocumentFetcher::new(Fetcher::new(fetch), fetch_timeout, Arc::clone(&bodies)),
            importing: Importing::default(),
            bodies,
            stopping: watch::Sender::new(false),
            applications_per_user_max,
            store,
            usage,
            hosts,
            trusted_proxies,
            hsts,
            access_token_days_max,
            open_catalogue,
            started_us: clock.now_us(),
            observed_gateways,
            conditions,
            gateways,
            redirect_port,
            upstream_rules,
            watch,
            access_log,
            token_issuer,
            attempts: client_attempts.shared(),
            passwords: Passwords::default(),
            writing: Writing::default(),
            clock,
            ids: Ids::default(),
        }))
    }

    /// Returns the URL of the version at a path of the gateway. Its host may depend on how the
    /// client reached the control plane (`asked`).
    pub(crate) fn address(&self, asked: &Asked, path: &str) -> String {
        match self.gateways.url(asked) {
            Some(gateway) => format!("{gateway}{path}"),
            None => self.contracts.address(path),
        }
    }

    /// Returns the current time in Unix microseconds.
    #[must_use]
    pub fn now_us(&self) -> i64 {
        self.clock.now_us()
    }

    /// Returns a new id, larger than all that this process has created before.
    ///
    /// # Errors
    /// [`NoRandom`] if the system returns no random bytes.
    pub fn id<K: Kind>(&self) -> Result<Id<K>, NoRandom> {
        let random = u32::from_be_bytes(random::bytes()?);
        Ok(self.ids.next(self.clock.now_us(), random))
    }

    /// Returns the issuer of access tokens, or 409 `tokens.off` if there is none.
    pub(crate) fn token_issuer(&self) -> Result<&dyn TokenIssuer, Problem> {
        let token_issuer = self.token_issuer.as_ref().ok_or_else(|| {
            let detail = "this installation issues no access tokens: set control.public_url and \
                gateway.public_url, or https_listen on both planes";
            Problem::conflict("tokens.off", detail)
        })?;
        Ok(&**token_issuer)
    }

    /// Returns the token endpoint for clients, if access tokens are issued.
    pub(crate) fn token_url(&self) -> Option<String> {
        self.token_issuer.as_ref().map(|issuer| issuer.token_url())
    }
}

impl Deref for Control {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// A source of ids that increase within the process, even if the clock stops or is set back.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    last: AtomicI64,
}

impl Ids {
    /// Returns the next id at `now_us` (Unix microseconds) with 22 bits of `random`.
    pub(crate) fn next<K: Kind>(&self, now_us: i64, random: u32) -> Id<K> {
        let now_ms = u64::try_from(now_us / 1_000).unwrap_or_default();
        let candidate = Id::<K>::new(now_ms, random).raw();
        let later = |last: i64| candidate.max(last.saturating_add(1));
        let before = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
                Some(later(last))
            });
        Id::from_raw(later(before.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests;
