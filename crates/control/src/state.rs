//! What every handler may reach: [`Control`], and what it is made of.
//!
//! The clock is a field so that tests can set it; ids have one source.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

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
use crate::gateways::{Asked, Conditions, GatewayPlaces, GatewayStatuses};
use crate::hosts::Hosts;
use crate::passwords::Passwords;
use crate::random::{self, NoRandom};
use crate::token_issuer::TokenIssuer;
use crate::writing::Writing;

/// The control plane: cheap to clone, shared by all requests.
#[derive(Clone)]
pub struct Control(Arc<Inner>);

/// What [`Control`] is made of.
pub struct Inner {
    /// The truth.
    pub store: Store,
    /// The figures.
    pub usage: Usage,
    /// Tells gateways what changed.
    pub feed: Feed,
    /// Under which names one may ask.
    pub hosts: Hosts,
    /// Reverse proxies whose `X-Forwarded-For` is believed.
    pub(crate) trusted_proxies: Networks,
    /// Whether browsers that came by HTTPS are told to come by nothing else.
    pub(crate) hsts: bool,
    /// Days after which an access token ends at the latest.
    pub(crate) access_token_days_max: u32,
    /// Whether the catalogue is shown without signing in.
    pub(crate) open_catalogue: bool,
    /// Contracts of SOAP services.
    pub(crate) contracts: Arc<Contracts>,
    /// Documents of versions in the catalogue.
    pub(crate) documents: Documents,
    /// The way out for documents.
    pub(crate) fetcher: DocumentFetcher,
    /// The bodies that are in memory.
    pub(crate) bodies: Arc<Bodies>,
    /// Maximum number of applications per user.
    pub(crate) applications_per_user_max: u64,
    /// When the process began, Unix microseconds.
    pub(crate) started_us: i64,
    /// How the gateways are.
    pub(crate) gateway_statuses: GatewayStatuses,
    /// Sentences that operators should read although all works.
    pub(crate) conditions: Conditions,
    /// Where callers reach the gateways.
    pub(crate) gateways: GatewayPlaces,
    /// The port to which plain requests are sent on, over HTTPS.
    pub(crate) redirect_port: Option<u16>,
    /// Which addresses upstreams may have.
    pub(crate) upstream_rules: UpstreamRules,
    /// What makes tokens.
    token_issuer: Option<Arc<dyn TokenIssuer>>,
    /// Failed sign-ins.
    pub(crate) attempts: Arc<Attempts>,
    /// Where passwords are hashed.
    pub(crate) passwords: Passwords,
    /// Whether the store takes writes.
    pub(crate) writing: Writing,
    /// Where one reads the time.
    pub clock: Clock,
    /// Where new ids come from.
    ids: Ids,
}

/// What the control plane needs from the process that runs it.
pub struct Parts {
    /// The truth.
    pub store: Store,
    /// The figures.
    pub usage: Usage,
    /// Tells gateways what changed, of the same store.
    pub feed: Feed,
    /// How the gateways are.
    pub gateway_statuses: GatewayStatuses,
    /// Where callers reach the gateways.
    pub gateways: GatewayPlaces,
    /// Which addresses upstreams may have.
    pub upstream_rules: UpstreamRules,
    /// What makes tokens, where tokens are issued.
    pub token_issuer: Option<Arc<dyn TokenIssuer>>,
    /// Failed OAuth2 clients, which are counted beside failed sign-ins.
    pub client_attempts: ClientAttempts,
    /// Sentences that operators should read although all works.
    pub conditions: Conditions,
    /// Under which names one may ask.
    pub hosts: Hosts,
    /// The port to which plain requests are sent on, over HTTPS.
    pub redirect_port: Option<u16>,
    /// What may be fetched although it is not public.
    pub fetch: HostList,
    /// Reverse proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Networks,
    /// Whether browsers that came by HTTPS are told to come by nothing else (RFC 6797).
    pub hsts: bool,
    /// Days after which an access token ends at the latest.
    pub access_token_days_max: u32,
    /// Whether the catalogue is shown without signing in.
    pub open_catalogue: bool,
    /// Bytes of all bodies that are being read at a time.
    pub bodies_bytes_max: usize,
    /// Maximum number of applications per user.
    pub applications_per_user_max: u64,
    /// Where one reads the time.
    pub clock: Clock,
}

impl Control {
    /// A control plane of these parts.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts {
            store,
            usage,
            feed,
            gateway_statuses,
            gateways,
            upstream_rules,
            token_issuer,
            client_attempts,
            conditions,
            hosts,
            redirect_port,
            fetch,
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
            fetcher: DocumentFetcher::new(Fetcher::new(fetch), Arc::clone(&bodies)),
            bodies,
            applications_per_user_max,
            store,
            usage,
            hosts,
            trusted_proxies,
            hsts,
            access_token_days_max,
            open_catalogue,
            started_us: clock.now_us(),
            gateway_statuses,
            conditions,
            gateways,
            redirect_port,
            upstream_rules,
            token_issuer,
            attempts: client_attempts.shared(),
            passwords: Passwords::default(),
            writing: Writing::default(),
            clock,
            ids: Ids::default(),
        }))
    }

    /// Where callers who reach the control plane so reach the version of a name at a context.
    pub(crate) fn address(&self, asked: &Asked, (context, name): (&str, &str)) -> String {
        match self.gateways.url(asked) {
            Some(gateway) => format!("{gateway}{context}/{name}"),
            None => self.contracts.address((context, name)),
        }
    }

    /// Now, in Unix microseconds.
    #[must_use]
    pub fn now_us(&self) -> i64 {
        self.clock.now_us()
    }

    /// A new id, larger than all that this process made before.
    ///
    /// # Errors
    /// [`NoRandom`].
    pub fn id<K: Kind>(&self) -> Result<Id<K>, NoRandom> {
        let random = u32::from_be_bytes(random::bytes()?);
        Ok(self.ids.next(self.clock.now_us(), random))
    }

    /// What makes tokens.
    pub(crate) fn token_issuer(&self) -> Result<&dyn TokenIssuer, Problem> {
        let token_issuer = self.token_issuer.as_ref().ok_or_else(|| {
            let detail = "no access tokens are issued here: control.public_url and \
                gateway.public_url, or HTTPS on both planes, say under which names";
            Problem::conflict("tokens.off", detail)
        })?;
        Ok(&**token_issuer)
    }

    /// Where clients get access tokens, where something issues them.
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

/// Makes ids that rise within the process, also when the clock stands still or is set back.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    last: AtomicI64,
}

impl Ids {
    /// The next id at `now_us` (Unix microseconds) with 22 bits of `random`.
    pub(crate) fn next<K: Kind>(&self, now_us: i64, random: u32) -> Id<K> {
        let now_ms = u64::try_from(now_us / 1_000).unwrap_or_default();
        let wanted = Id::<K>::new(now_ms, random).raw();
        let later = |last: i64| wanted.max(last.saturating_add(1));
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
