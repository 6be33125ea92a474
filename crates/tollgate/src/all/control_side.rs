//! The control side of the process: store, usage, key manager, control plane, recorder and example.
//! It is opened first; gateways start with the resulting [`Link`], and then it serves.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tollgate_analytics::Usage;
use tollgate_control::feed::Feed;
use tollgate_control::seed::{self, FirstPassword};
use tollgate_control::{
    ClientAttempts, Clock, Conditions, Control, ObservedGateways, Parts, ReadAccessLog,
};
use tollgate_control::{random, upgrade};
use tollgate_counters::Counters;
use tollgate_oauth2::AuthorizationServer;
use tollgate_spool::Spool;
use tollgate_store::{Store, credentials, settings as kept};
use tollgate_watch::AccessLog;

use super::key_manager;
use super::link::{Link, Reported, Shared};
use super::listeners::{ControlSockets, own_authority};
use super::watched::{ControlRequests, WatchedControl};
use crate::access_log;
use crate::certificates::Certificates;
use crate::data::{self, DataDirectory};
use crate::example::{self, Lines, Served};
use crate::recorder;
use crate::recorder::credential_uses::{self, CredentialUses};
use crate::settings::Settings;

/// Name of the counters' key among the store's settings.
const COUNTERS_KEY: &str = "counters.key";

/// The opened control side, before it serves.
pub(super) struct Opened {
    control: Control,
    usage: Usage,
    spool: Arc<Spool>,
    key_manager: AuthorizationServer,
    /// Counts its requests, if metrics are served.
    requests: Option<Arc<ControlRequests>>,
    /// The example, if enabled.
    example: Option<Served>,
    /// The first administrator's one-time password, until it is used.
    first: Option<FirstPassword>,
}

/// The running control side.
pub(super) struct ControlSide {
    control: Control,
    usage: Usage,
    uses: Arc<CredentialUses>,
    spool: Arc<Spool>,
    /// Its figures, until they are served.
    pub(super) watched: Option<WatchedControl>,
    pub(super) first: Option<FirstPassword>,
    /// The lines to paste, if the example is enabled.
    pub(super) lines: Option<Lines>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
    recording: JoinHandle<()>,
    /// Tasks that are aborted when the process stops.
    background: Vec<JoinHandle<()>>,
}

/// Opens everything on a slow thread, so that threads started on the way (the databases' own, the
/// one that hashes passwords) inherit its priority.
///
/// # Errors
/// Fails if a part cannot be opened; each error is one sentence.
pub(super) async fn open(
    settings: &Settings,
    data: &DataDirectory,
    shared: Shared,
    certificates: Vec<Arc<Certificates>>,
) -> anyhow::Result<(Opened, Link)> {
    let (settings, store, usage) = (settings.clone(), data.store(), data.usage());
    let spool = data.spool();
    let runtime = Handle::current();
    let opening = move || {
        runtime.block_on(async {
            let spool = Arc::new(Spool::open(spool_settings(&settings, spool))?);
            let opened = open_databases(&settings, &store, &usage, Arc::clone(&spool)).await;
            let (store, usage) = opened?;
            let databases = Databases {
                store,
                usage,
                spool,
            };
            open_inner(&settings, databases, shared, certificates).await
        })
    };
    let opened = tokio::task::spawn_blocking(opening).await;
    opened.context("opening the databases")?
}

/// What outlives a restart.
struct Databases {
    store: Store,
    usage: Usage,
    spool: Arc<Spool>,
}

async fn open_inner(
    settings: &Settings,
    databases: Databases,
    shared: Shared,
    certificates: Vec<Arc<Certificates>>,
) -> anyhow::Result<(Opened, Link)> {
    let Databases {
        store,
        usage,
        spool,
    } = databases;
    let counters_max = settings.gateway.counters_max.size();
    let counters = Arc::new(Counters::new(counters_key(&store).await?, counters_max));
    recorder::load_quotas(&usage, &counters).await?;
    let link = Link {
        feed: open_feed(settings, &store, &shared),
        records: Vec::new(),
        reported: Reported {
            counters,
            uses: Arc::default(),
        },
        observed: ObservedGateways::default(),
        shared,
    };
    let attempts = ClientAttempts::new(Clock::System);
    let names = link.shared.names.as_ref();
    let watching = link.shared.watch.as_ref();
    let requests = watching.map(|_| ControlRequests::new()).transpose()?;
    let watch = watching.zip(requests.clone());
    let (key_manager, token_issuer) =
        key_manager::open(settings, &store, &link.feed, attempts.clone(), names).await?;
    let control = Control::new(Parts {
        store,
        usage: usage.clone(),
        feed: link.feed.clone(),
        observed_gateways: link.observed.clone(),
        gateways: link.shared.gateways.clone(),
        upstream_rules: link.shared.upstream_rules.clone(),
        token_issuer,
        client_attempts: attempts,
        conditions: faults(certificates),
        watch: watch.map(|(watching, requests)| watching.listener(requests)),
        access_log: link.shared.access_log.clone().map(access_log_condition),
        hosts: settings.control.public_url.clone(),
        redirect_port: link.shared.redirects.control,
        fetch: settings.control.fetch_allowed.clone(),
        fetch_timeout: settings.control.fetch_timeout_ms.milliseconds(),
        trusted_proxies: settings.control.trusted_proxies.clone(),
        hsts: settings.control.hsts,
        access_token_days_max: access_token_days_max(settings)?,
        open_catalogue: settings.control.open_catalogue,
        bodies_bytes_max: settings.control.bodies_bytes_max.size(),
        applications_per_user_max: settings.control.applications_per_user_max.number(),
        clock: Clock::System,
    });
    let opened = Opened {
        spool,
        example: prepare_example(settings, &control).await?,
        first: seed::first_password(&control.store).await?,
        control,
        usage,
        key_manager,
        requests,
    };
    Ok((opened, link))
}

/// Opens the feed of the store's changes.
fn open_feed(settings: &Settings, store: &Store, shared: &Shared) -> Feed {
    let contract_cache_bytes_max = settings.control.contract_cache_bytes_max.size();
    let gateway_url = shared.gateway_url.clone();
    Feed::new(
        store.clone(),
        Clock::System,
        gateway_url,
        contract_cache_bytes_max,
    )
}

/// Opens the files of store and usage, and applies the changes that each start makes to them.
async fn open_databases(
    settings: &Settings,
    store: &Path,
    usage: &Path,
    spool: Arc<Spool>,
) -> anyhow::Result<(Store, Usage)> {
    let store = data::open_store(settings, store).await?;
    if let Some(lost) = store.lost() {
        tracing::warn!("{lost}");
    }
    let usage = match seed::is_sown(&store).await? {
        true => Usage::reopen(usage, spool).await?,
        false => Usage::open(usage, spool).await?,
    };
    let now_us = Clock::System.now_us();
    let days_max = access_token_days_max(settings)?;
    seed::seed(&store, now_us).await?;
    seed::end_endless_tokens(&store, now_us, days_max).await?;
    upgrade::pass_matrix_semicolons(&store).await?;
    credentials::mark_suspended_owners(&store).await?;
    Ok((store, usage))
}

fn spool_settings(settings: &Settings, folder: PathBuf) -> tollgate_spool::Settings {
    const DAY_S: u64 = 86_400;
    const SEGMENT_BYTES: u64 = 64 << 20;
    let Settings { spool, .. } = settings;
    tollgate_spool::Settings {
        folder,
        bytes_max: spool.bytes_max.number(),
        kept: Duration::from_secs(spool.days.number() * DAY_S),
        free_bytes_min: spool.free_bytes_min.number(),
        segment_bytes: SEGMENT_BYTES,
    }
}

fn access_token_days_max(settings: &Settings) -> anyhow::Result<u32> {
    Ok(u32::try_from(
        settings.control.access_token_days_max.number(),
    )?)
}

impl Opened {
    /// Serves, and writes the data that gateways report.
    ///
    /// # Errors
    /// Fails if a socket cannot listen.
    pub(super) fn serve(
        self,
        settings: &Settings,
        sockets: ControlSockets,
        link: Link,
    ) -> anyhow::Result<ControlSide> {
        let Self {
            control,
            usage,
            spool,
            key_manager,
            requests,
            example,
            first,
        } = self;
        let Link {
            records,
            reported: Reported { counters, uses },
            shared,
            ..
        } = link;
        let lines = example.as_ref().map(|example| {
            let authority = own_authority(settings);
            let issuer = shared.names.as_ref().map(key_manager::Names::issuer);
            Lines::new(example, shared.places.gateway, issuer, authority.as_deref())
        });
        let stop = watch::Sender::new(false);
        let listeners = sockets.listen()?;
        let more = key_manager::routes(key_manager.clone());
        let stopped = until(stop.subscribe());
        let serve = tollgate_control::serve(listeners, control.clone(), more, stopped);
        let quotas = recorder::checkpoints(counters);
        let recording = usage.clone().run(records, quotas, until(stop.subscribe()));
        let watched = requests.map(|requests| WatchedControl {
            control: control.clone(),
            key_manager: key_manager.clone(),
            spool: Arc::clone(&spool),
            requests,
        });
        let rotating = key_manager::rotate_periodically(key_manager, control.clone());
        let writing = credential_uses::write_periodically(control.store.clone(), Arc::clone(&uses));
        let mut background = vec![tokio::spawn(rotating), tokio::spawn(writing)];
        background.extend(example.map(Served::answer));
        Ok(ControlSide {
            serving: tokio::spawn(serve),
            recording: tokio::spawn(recording),
            control,
            usage,
            uses,
            spool,
            watched,
            first,
            lines,
            stop,
            background,
        })
    }
}

impl ControlSide {
    /// Lets the control plane's requests finish, then writes usage, quotas and last uses.
    ///
    /// # Errors
    /// Fails if usage and quotas cannot be written; the remaining steps are still carried out.
    pub(super) async fn shut_down(self) -> anyhow::Result<()> {
        self.stop.send_replace(true);
        self.serving.await.context("the control plane")?;
        self.background.iter().for_each(JoinHandle::abort);
        self.recording.await.context("the recorder")?;
        let spool = self.spool;
        let closed = tokio::task::spawn_blocking(move || spool.close());
        closed.await.context("the spool")?;
        credential_uses::write_last(&self.control.store, &self.uses).await;
        self.control.store.clone().close().await;
        let is_written = self.usage.condition().failing_since_us.is_none();
        anyhow::ensure!(is_written, "the last usage and quotas could not be written");
        Ok(())
    }
}

/// Returns the source of the access log's condition.
fn access_log_condition(log: AccessLog) -> ReadAccessLog {
    Box::new(move || access_log::condition(&log))
}

/// Returns the source of certificate faults, evaluated at each call.
fn faults(folders: Vec<Arc<Certificates>>) -> Conditions {
    Box::new(move || {
        let now_us = Clock::System.now_us();
        folders.iter().flat_map(|it| it.faults(now_us)).collect()
    })
}

async fn until(mut stop: watch::Receiver<bool>) {
    // An error means that the sender was dropped, which counts as a stop.
    let _ = stop.wait_for(|is_stopped| *is_stopped).await;
}

async fn prepare_example(settings: &Settings, control: &Control) -> anyhow::Result<Option<Served>> {
    if settings.process.example {
        return example::prepare(control).await;
    }
    example::retire(control).await?;
    Ok(None)
}

/// Returns the key of the counters' ids, created at the first start. Later starts write nothing,
/// so they need no disk space.
async fn counters_key(store: &Store) -> anyhow::Result<[u8; 16]> {
    let key = match kept::by_name(store, COUNTERS_KEY).await? {
        Some(key) => key,
        None => {
            let fresh = u128::from_be_bytes(random::bytes()?);
            #[expect(clippy::disallowed_methods, reason = "the first start creates the key")]
            let mut tx = store.write().await?;
            let key = kept::keep(&mut tx, COUNTERS_KEY, &format!("{fresh:032x}")).await?;
            tx.commit().await?;
            key
        }
    };
    let key = u128::from_str_radix(&key, 16).context("the stored key of the counters")?;
    Ok(key.to_be_bytes())
}
