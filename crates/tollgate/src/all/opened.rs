//! What is opened before the planes start: the store, the figures, the counters, the example.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use tokio::runtime::Handle;
use tollgate_analytics::Usage;
use tollgate_control::seed::{self, FirstPassword};
use tollgate_control::upgrade;
use tollgate_control::{Clock, Control, Parts, random};
use tollgate_counters::Counters;
use tollgate_store::{Store, credentials, settings as kept};

use crate::data::{self, DataDirectory};
use crate::example::{self, Served};
use crate::recorder;
use crate::settings::Settings;

/// The name under which the counters' key is kept among the store's settings.
const COUNTERS_KEY: &str = "counters.key";

/// What both planes need.
pub(super) struct Opened {
    pub(super) control: Control,
    pub(super) usage: Usage,
    pub(super) counters: Arc<Counters>,
    /// The example, where it is on.
    pub(super) example: Option<Served>,
    /// The one-time password, as long as it waits for its use.
    pub(super) first: Option<FirstPassword>,
}

/// Opens everything on a slow thread: the threads that are made on the way (the databases' own,
/// the one that hashes passwords) inherit its priority.
pub(super) async fn on_a_slow_thread(
    settings: &Settings,
    data: &DataDirectory,
) -> anyhow::Result<Opened> {
    let (settings, store, usage) = (settings.clone(), data.store(), data.usage());
    let runtime = Handle::current();
    let open = move || runtime.block_on(open(&settings, store, usage));
    let opened = tokio::task::spawn_blocking(open).await;
    opened.context("opening what is kept")?
}

async fn open(settings: &Settings, store: PathBuf, usage: PathBuf) -> anyhow::Result<Opened> {
    let store = data::open_store(settings, &store).await?;
    if let Some(lost) = store.lost() {
        tracing::warn!("{lost}");
    }
    let usage = match seed::is_sown(&store).await? {
        true => Usage::reopen(&usage).await?,
        false => Usage::open(&usage).await?,
    };
    let now_us = Clock::System.now_us();
    let access_token_days_max = u32::try_from(settings.control.access_token_days_max.number())?;
    let contract_cache_bytes_max = settings.control.contract_cache_bytes_max.number();
    let contract_cache_bytes_max = usize::try_from(contract_cache_bytes_max)?;
    seed::seed(&store, now_us).await?;
    seed::end_endless_tokens(&store, now_us, access_token_days_max).await?;
    upgrade::pass_matrix_semicolons(&store).await?;
    credentials::mark_suspended_owners(&store).await?;
    let counters = Arc::new(Counters::new(counters_key(&store).await?));
    recorder::load_quotas(&usage, &counters).await?;
    let control = Control::new(Parts {
        store,
        usage: usage.clone(),
        hosts: settings.control.public_url.clone(),
        fetch: settings.control.fetch_allowed.clone(),
        trusted_proxies: settings.control.trusted_proxies.clone(),
        hsts: settings.control.hsts,
        access_token_days_max,
        open_catalogue: settings.control.open_catalogue,
        contract_cache_bytes_max,
        bodies_bytes_max: settings.control.bodies_bytes_max.size(),
        applications_per_user_max: settings.control.applications_per_user_max.number(),
        clock: Clock::System,
    });
    Ok(Opened {
        example: prepare_example(settings, &control).await?,
        first: seed::first_password(&control.store).await?,
        control,
        usage,
        counters,
    })
}

async fn prepare_example(settings: &Settings, control: &Control) -> anyhow::Result<Option<Served>> {
    if settings.process.example {
        return example::prepare(control).await;
    }
    example::retire(control).await?;
    Ok(None)
}

/// The key of the counters' ids, made at the first start; a later one writes nothing, so that it
/// needs no room on the disk.
async fn counters_key(store: &Store) -> anyhow::Result<[u8; 16]> {
    let key = match kept::by_name(store, COUNTERS_KEY).await? {
        Some(key) => key,
        None => {
            let fresh = u128::from_be_bytes(random::bytes()?);
            let mut tx = store.write().await?;
            let key = kept::keep(&mut tx, COUNTERS_KEY, &format!("{fresh:032x}")).await?;
            tx.commit().await?;
            key
        }
    };
    let key = u128::from_str_radix(&key, 16).context("the stored key of the counters")?;
    Ok(key.to_be_bytes())
}
