//! The example: an API `Echo` at `/echo`, published under two plans, with an application that is
//! subscribed to it and a key, so that a first call works a second after the first start.
//!
//! It is made once, through the store's own functions, and belongs to the first administrator, who
//! may change or delete it: it is not made again. Each start makes a fresh key and a fresh OAuth2
//! client and revokes those before (`credentials.rs`). `--no-example` revokes them and blocks the
//! version; the next start with the example undoes that. `make.rs` makes it, `backend.rs` is the
//! back end inside the process, `lines.rs` what people paste.

#![expect(
    clippy::disallowed_methods,
    reason = "the example is made at a start, before anybody calls"
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
use tollgate_store::lifecycle::{self, Enter};
use tollgate_store::revisions::{self, NewRevision};
use tollgate_store::versions::{self, Version};
use tollgate_store::{StoreError, Tx, applications, settings};

pub mod backend;
mod credentials;
mod lines;
mod make;

use credentials::Fresh;
pub use lines::Lines;

/// The names under which the example's ids are kept among the store's settings.
const VERSION: &str = "example.version";
const APPLICATION: &str = "example.application";
const UPSTREAM: &str = "example.upstream";
/// There while the version is blocked by `--no-example`, and not by a person.
const BLOCKED: &str = "example.blocked";

const CONTEXT: &str = "/echo";
const VERSION_NAME: &str = "1.0";

/// The example as far as it was made and still exists.
struct Example {
    version: Version,
    application: ApplicationId,
    owner: UserId,
    /// Where the back end listened at the last start.
    upstream: String,
}

/// Makes the example where it never was, or brings it back; a key for it. `None` where people
/// deleted it or took it from the gateways, or where something of theirs has its name.
///
/// # Errors
/// The store or a socket fails.
pub async fn prepare(control: &Control) -> anyhow::Result<Option<Served>> {
    let known = load(control).await?;
    let port = known.as_ref().and_then(|example| {
        let target = Target::at(&*example.upstream);
        target.address().ok().map(|address| address.port)
    });
    let listener = backend::listen(port)
        .await
        .context("the example's back end")?;
    let upstream = format!("http://{}", listener.local_addr()?);
    let example = match known {
        Some(example) => bring_back(control, example, upstream).await?,
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
    let Fresh { key, client } = credentials::fresh(control, &example).await?;
    Ok(Some(Served {
        listener,
        key,
        client,
    }))
}

/// The example, ready to be called once its back end serves.
pub struct Served {
    /// Where the back end listens; for [`backend::serve`].
    pub listener: TcpListener,
    /// The fresh key.
    pub key: String,
    /// The fresh OAuth2 client: its id and its secret.
    pub client: (ClientId, String),
}

impl Served {
    /// Answers calls of the example, for ever.
    #[must_use]
    pub fn answer(self) -> JoinHandle<()> {
        tokio::spawn(async {
            if let Err(error) = backend::serve(self.listener).await {
                tracing::error!(%error, "the example's back end stopped");
            }
        })
    }
}

/// Takes the example off: its key is revoked, its version blocked.
///
/// # Errors
/// The store fails.
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

/// The example, if it was made and not deleted since.
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
    (version, by): (VersionId, UserId),
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

/// Points the example at this start's back end, where it still points at the last one's, lets it
/// take tokens, where it is as an earlier release made it, and opens its version again where
/// `--no-example` had blocked it.
async fn bring_back(
    control: &Control,
    example: Example,
    upstream: String,
) -> anyhow::Result<Example> {
    let id = example.version.id;
    let mut deployed = None;
    if let Some(revision) = example.version.deployed {
        let (_, configuration) = revisions::by_id(&control.store, revision).await?;
        let is_old = upstream != example.upstream || is_of_a_key_alone(&configuration);
        deployed = Some(configuration).filter(|it| is_old && points_at(it, &example.upstream));
    }
    let draft = versions::draft(&control.store, id).await?;
    let was_blocked = settings::by_name(&control.store, BLOCKED).await?.is_some();
    let mut tx = control.store.write().await?;
    if let Some(mut configuration) = deployed {
        bring_up_to_date(&mut configuration, &upstream);
        let by = (id, example.owner);
        let revision = freeze(control, &mut tx, by, configuration).await?;
        revisions::deploy(&mut tx, id, revision, control.now_us()).await?;
    }
    let is_old = upstream != example.upstream || is_of_a_key_alone(&draft.configuration);
    if is_old && points_at(&draft.configuration, &example.upstream) {
        let mut configuration = draft.configuration;
        bring_up_to_date(&mut configuration, &upstream);
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
    load(control).await?.context("the example is gone")
}

/// Whether the example is as an earlier release made it, which took a key alone.
fn is_of_a_key_alone(configuration: &Configuration) -> bool {
    configuration.security.is_none() && configuration.key_header.is_none()
}

fn bring_up_to_date(configuration: &mut Configuration, upstream: &str) {
    configuration.upstream = Some(Upstream::at(upstream));
    if is_of_a_key_alone(configuration) {
        configuration.security = Some(security());
    }
}

fn points_at(configuration: &Configuration, url: &str) -> bool {
    let upstream = configuration.upstream.as_ref();
    upstream.is_some_and(|upstream| upstream.targets.iter().any(|target| target.url == url))
}

/// The example takes a key or a token.
fn security() -> Security {
    Security {
        api_key: Some(security::ApiKey::default()),
        oauth2: Some(security::OAuth2::default()),
        ..Security::default()
    }
}

/// Blocks or opens the version.
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
        by: example.owner,
        note: "the example was switched",
        at_us: control.now_us(),
    };
    Ok(lifecycle::enter(tx, &enter).await?)
}
