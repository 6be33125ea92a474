//! The example: an API `Echo` at `/echo`, published under two plans, with an application that is
//! subscribed to it and a key, so that a first call works a second after the first start.
//!
//! It is made once, through the store's own functions, and belongs to the first administrator,
//! who may change or delete it: it is not made again. Each start makes a fresh key and revokes
//! the one before, because only digests of keys are kept and the start prints a whole one.
//! `--no-example` revokes the key and blocks the version; the next start with the example undoes
//! that. `make.rs` makes it, `backend.rs` is the back end inside the process.

use std::net::SocketAddr;
use std::path::Path;
use std::str::FromStr;

use anyhow::Context as _;
use tokio::net::TcpListener;
use tollgate_control::{Control, random};
use tollgate_gateway::Addresses;
use tollgate_model::api::Configuration;
use tollgate_model::credential::Environment;
use tollgate_model::id::{ApiKeyId, ApplicationId, RevisionId, UserId, VersionId};
use tollgate_model::lifecycle::{AtGateway, Readiness, State, transition};
use tollgate_model::upstream::{Target, Upstream};
use tollgate_store::lifecycle::{self, Enter};
use tollgate_store::revisions::{self, NewRevision};
use tollgate_store::versions::{self, Version};
use tollgate_store::{StoreError, Tx, api_keys, applications, settings};
use tollgate_tokens::api_key;

pub mod backend;
mod make;

/// The names under which the example's ids are kept among the store's settings.
const VERSION: &str = "example.version";
const APPLICATION: &str = "example.application";
const KEY: &str = "example.key";
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
    let key = fresh_key(control, &example).await?;
    Ok(Some(Served { listener, key }))
}

/// The example, ready to be called once its back end serves.
pub struct Served {
    /// Where the back end listens; for [`backend::serve`].
    pub listener: TcpListener,
    /// The fresh key.
    pub key: String,
}

/// The calls of the example to paste into a shell: one for each address of the gateway. TLS is
/// checked by `authority`, a file, where one is given.
#[must_use]
pub fn curls(key: &str, gateway: Addresses, authority: Option<&Path>) -> Vec<String> {
    let call = format!("-H 'apikey: {key}'");
    let url = |scheme, address: SocketAddr| {
        // Nobody reaches all addresses by the one that stands for them.
        let place = match address.ip().is_unspecified() {
            true => format!("localhost:{}", address.port()),
            false => address.to_string(),
        };
        format!("{scheme}://{place}{CONTEXT}/{VERSION_NAME}/hello")
    };
    let http = gateway
        .http
        .map(|at| format!("curl {call} {}", url("http", at)));
    let https = gateway.https.map(|at| {
        let checked = authority.map(|authority| {
            let authority = authority.display().to_string().replace('\'', "'\\''");
            format!("--cacert '{authority}' ")
        });
        let checked = checked.unwrap_or_default();
        format!("curl {checked}{call} {}", url("https", at))
    });
    http.into_iter().chain(https).collect()
}

/// Takes the example off: its key is revoked, its version blocked.
///
/// # Errors
/// The store fails.
pub async fn retire(control: &Control) -> anyhow::Result<()> {
    let Some(example) = load(control).await? else {
        return Ok(());
    };
    let has_key = kept::<ApiKeyId>(control, KEY).await?.is_some();
    if !has_key && example.version.state != State::Published {
        return Ok(());
    }
    let mut tx = control.store.write().await?;
    revoke_key(control, &mut tx).await?;
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

/// Points the example at this start's back end, where it still points at the last one's, and
/// opens its version again where `--no-example` had blocked it.
async fn bring_back(
    control: &Control,
    example: Example,
    upstream: String,
) -> anyhow::Result<Example> {
    let id = example.version.id;
    let mut deployed = None;
    if let Some(revision) = example.version.deployed
        && upstream != example.upstream
    {
        let (_, configuration) = revisions::by_id(&control.store, revision).await?;
        deployed = Some(configuration).filter(|it| points_at(it, &example.upstream));
    }
    let draft = versions::draft(&control.store, id).await?;
    let was_blocked = settings::by_name(&control.store, BLOCKED).await?.is_some();
    let mut tx = control.store.write().await?;
    if let Some(mut configuration) = deployed {
        configuration.upstream = Some(Upstream::at(&*upstream));
        let by = (id, example.owner);
        let revision = freeze(control, &mut tx, by, configuration).await?;
        revisions::deploy(&mut tx, id, revision, control.now_us()).await?;
    }
    if upstream != example.upstream && points_at(&draft.configuration, &example.upstream) {
        let mut configuration = draft.configuration;
        configuration.upstream = Some(Upstream::at(&*upstream));
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

fn points_at(configuration: &Configuration, url: &str) -> bool {
    let upstream = configuration.upstream.as_ref();
    upstream.is_some_and(|upstream| upstream.targets.iter().any(|target| target.url == url))
}

/// Blocks or opens the version.
async fn enter(control: &Control, tx: &mut Tx, example: &Example, to: State) -> anyhow::Result<()> {
    let version = example.version.id;
    let has = Readiness {
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

/// A new key of the example's application, in place of the last start's.
async fn fresh_key(control: &Control, example: &Example) -> anyhow::Result<String> {
    let id = control.id()?;
    let made = api_key::make(Environment::Production, id, random::bytes()?);
    let mut tx = control.store.write().await?;
    let suspended_us = revoke_key(control, &mut tx).await?;
    let key = api_keys::ApiKey {
        id,
        application: example.application,
        name: "example, until the next start".to_owned(),
        environment: Environment::Production,
        digest: made.digest,
        hint: made.hint,
        not_before_us: None,
        expires_us: None,
        created_by: example.owner,
        created_us: control.now_us(),
        revoked_us: None,
        suspended_us,
        last_used_us: None,
    };
    api_keys::create(&mut tx, &key).await?;
    settings::put(&mut tx, KEY, &id.to_string()).await?;
    tx.commit().await?;
    Ok(made.text)
}

/// Revokes the key of the last start; when it was suspended, if it was: a start resumes no key.
async fn revoke_key(control: &Control, tx: &mut Tx) -> anyhow::Result<Option<i64>> {
    let Some(id) = kept::<ApiKeyId>(control, KEY).await? else {
        return Ok(None);
    };
    settings::delete(tx, KEY).await?;
    // One that its owner deleted or revoked is worth nothing already.
    match api_keys::by_id(&control.store, id).await {
        Ok(key) if key.revoked_us.is_none() => {
            api_keys::revoke(tx, key.id, control.now_us()).await?;
            Ok(key.suspended_us)
        }
        _ => Ok(None),
    }
}
