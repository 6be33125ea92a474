//! The example: an API `Echo` at `/echo`, published under two plans, with a subscribed application
//! and a key, so that a first call works right after the first start.
//!
//! It is created once, through the store's own functions, and belongs to the first administrator,
//! who may change or delete it: it is not created again. Its key and its OAuth2 client are kept
//! over restarts (`credentials.rs`). `--no-example` revokes them and blocks the version; the next
//! start with the example unblocks it and creates new ones. `make.rs` creates the example,
//! `backend.rs` is the back end inside the process, `lines.rs` formats the commands to paste.

#![expect(
    clippy::disallowed_methods,
    reason = "the example is created at a start, before any call"
)]

use std::str::FromStr;

use anyhow::Context as _;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tollgate_control::Control;
use tollgate_model::api::Configuration;
use tollgate_model::id::{ApplicationId, ClientId, RevisionId, UserId, VersionId};
use tollgate_model::lifecycle::{AtGateway, Readiness, State, transition};
use tollgate_model::security::{self, Security};
use tollgate_model::upstream::{Target, Upstream};
use tollgate_store::lifecycle::{self, Deploy, Enter};
use tollgate_store::revisions::{self, NewRevision};
use tollgate_store::versions::{self, Version};
use tollgate_store::{StoreError, Tx, applications, settings};

pub mod backend;
mod credentials;
mod lines;
mod make;

use credentials::Printed;
pub use lines::Lines;

/// Names of the example's ids among the store's settings.
const VERSION: &str = "example.version";
const APPLICATION: &str = "example.application";
const UPSTREAM: &str = "example.upstream";
/// Set while the version is blocked by `--no-example`, not by a user.
const BLOCKED: &str = "example.blocked";

const CONTEXT: &str = "/echo";
const VERSION_NAME: &str = "1.0";

/// The existing example.
struct Example {
    version: Version,
    application: ApplicationId,
    owner: UserId,
    /// The URL of the back end at the last start.
    upstream: String,
}

/// Creates the example if it never existed, or restores it, with its credentials. Returns `None` if
/// it was deleted or taken offline by a user, or if its name is already in use.
///
/// # Errors
/// Fails if a database read or write or a socket fails.
pub async fn prepare(control: &Control) -> anyhow::Result<Option<Served>> {
    let known = load(control).await?;
    let port = known.as_ref().and_then(|example| {
        let target = Target::at(&*example.upstream);
        target.address().ok().map(|address| address.port)
    });
    let listener = backend::listen(port)
        .await
        .context("starting the example's back end")?;
    let upstream = format!("http://{}", listener.local_addr()?);
    let example = match known {
        Some(example) => restore(control, example, upstream).await?,
        None => match make::make(control, upstream).await? {
            Some(example) => example,
            None => return Ok(None),
        },
    };
    if !matches!(
        example.version.state.at_gateway(),
        AtGateway::Open | AtGateway::Served
    ) {
        return Ok(None);
    }
    let Printed { key, client } = credentials::prepare(control, &example).await?;
    Ok(Some(Served {
        listener,
        key,
        client,
    }))
}

/// The example, ready for calls once its back end serves.
pub struct Served {
    /// The listener of the back end, for [`backend::serve`].
    pub listener: TcpListener,
    /// Its key.
    pub key: String,
    /// The id and secret of its OAuth2 client.
    pub client: (ClientId, String),
}

impl Served {
    /// Serves calls of the example, forever.
    #[must_use]
    pub fn answer(self) -> JoinHandle<()> {
        tokio::spawn(async {
            if let Err(error) = backend::serve(self.listener).await {
                tracing::error!(%error, "the example's back end stopped");
            }
        })
    }
}

/// Disables the example: revokes its key and blocks its version.
///
/// # Errors
/// Fails if a database read or write fails.
pub async fn retire(control: &Control) -> anyhow::Result<()> {
    let Some(example) = load(control).await? else {
        return Ok(());
    };
    let has_any = credentials::are_kept(control).await?;
    if !has_any && example.version.state != State::Published {
        return Ok(());
    }
    let mut tx = control.store.write().await?;
    credentials::revoke(control, &mut tx).await?;
    if example.version.state == State::Published {
        enter(control, &mut tx, &example, State::Blocked).await?;
        settings::put(&mut tx, BLOCKED, "true").await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Loads the example, if it was created and not deleted since.
async fn load(control: &Control) -> anyhow::Result<Option<Example>> {
    let version = kept::<VersionId>(control, VERSION).await?;
    let application = kept::<ApplicationId>(control, APPLICATION).await?;
    let upstream = settings::by_name(&control.store, UPSTREAM).await?;
    let (Some(version), Some(application), Some(upstream)) = (version, application, upstream)
    else {
        return Ok(None);
    };
    let there = async {
        Ok(Example {
            version: versions::by_id(&control.store, version).await?,
            owner: applications::by_id(&control.store, application)
                .await?
                .owner,
            application,
            upstream,
        })
    };
    match there.await {
        Ok(example) => Ok(Some(example)),
        Err(StoreError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn kept<T: FromStr>(control: &Control, name: &str) -> anyhow::Result<Option<T>> {
    let text = settings::by_name(&control.store, name).await?;
    Ok(text.and_then(|text| text.parse().ok()))
}

async fn freeze(
    control: &Control,
    tx: &mut Tx,
    version: VersionId,
    by: UserId,
    configuration: Configuration,
) -> anyhow::Result<RevisionId> {
    let new = NewRevision {
        id: control.id()?,
        version,
        configuration,
        note: "the example's back end".to_owned(),
        created_by: by,
        created_us: control.now_us(),
    };
    revisions::create(tx, &new).await?;
    Ok(new.id)
}

/// Updates the example's upstream to this start's back end, unless it was changed; enables tokens
/// if an earlier release created it without them; unblocks the version if `--no-example` had
/// blocked it.
async fn restore(control: &Control, example: Example, upstream: String) -> anyhow::Result<Example> {
    let id = example.version.id;
    let mut deployed = None;
    if let Some(revision) = example.version.deployed {
        let (_, configuration) = revisions::by_id(&control.store, revision).await?;
        let is_old = upstream != example.upstream || accepts_only_a_key(&configuration);
        deployed = Some(configuration).filter(|it| is_old && points_at(it, &example.upstream));
    }
    let draft = versions::draft(&control.store, id).await?;
    let was_blocked = settings::by_name(&control.store, BLOCKED).await?.is_some();
    let mut tx = control.store.write().await?;
    if let Some(mut configuration) = deployed {
        update(&mut configuration, &upstream);
        let revision = freeze(control, &mut tx, id, example.owner, configuration).await?;
        let deploy = Deploy {
            version: id,
            revision,
            by: example.owner,
            note: "the example's back end",
            at_us: control.now_us(),
        };
        lifecycle::deploy(&mut tx, &deploy).await?;
    }
    let is_old = upstream != example.upstream || accepts_only_a_key(&draft.configuration);
    if is_old && points_at(&draft.configuration, &example.upstream) {
        let mut configuration = draft.configuration;
        update(&mut configuration, &upstream);
        let now_us = control.now_us();
        versions::save_draft(&mut tx, id, draft.etag, &configuration, now_us).await?;
    }
    if was_blocked {
        if example.version.state == State::Blocked {
            enter(control, &mut tx, &example, State::Published).await?;
        }
        settings::delete(&mut tx, BLOCKED).await?;
    }
    settings::put(&mut tx, UPSTREAM, &upstream).await?;
    tx.commit().await?;
    load(control).await?.context("the example was deleted")
}

/// Returns whether the configuration is from an earlier release, which accepted only a key.
fn accepts_only_a_key(configuration: &Configuration) -> bool {
    configuration.security.is_none() && configuration.key_header.is_none()
}

fn update(configuration: &mut Configuration, upstream: &str) {
    configuration.upstream = Some(Upstream::at(upstream));
    if accepts_only_a_key(configuration) {
        configuration.security = Some(security());
    }
}

fn points_at(configuration: &Configuration, url: &str) -> bool {
    let upstream = configuration.upstream.as_ref();
    upstream.is_some_and(|upstream| upstream.targets.iter().any(|target| target.url == url))
}

/// The example accepts a key or a token.
fn security() -> Security {
    Security {
        api_key: Some(security::ApiKey::default()),
        oauth2: Some(security::OAuth2::default()),
        ..Security::default()
    }
}

/// Blocks or publishes the version.
async fn enter(control: &Control, tx: &mut Tx, example: &Example, to: State) -> anyhow::Result<()> {
    let version = example.version.id;
    let has = Readiness {
        operations: true,
        upstream: true,
        plans: versions::plans(&control.store, version).await?.len(),
    };
    let enter = Enter {
        version,
        transition: transition(example.version.state, to, has)?,
        deploy: None,
        deprecation: None,
        by: example.owner,
        note: "the example was switched",
        at_us: control.now_us(),
    };
    Ok(lifecycle::enter(tx, &enter).await?)
}
