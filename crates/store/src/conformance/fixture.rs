//! Fixtures: each call creates one more object, committed, with made-up details.

use std::sync::atomic::{AtomicI64, Ordering};

use tollgate_model::api::{Configuration, Kind, Method, Operation};
use tollgate_model::id::{ApplicationId, Id, PlanId, UserId, VersionId};
use tollgate_model::lifecycle::{Readiness, State, transition};
use tollgate_model::plan::{Algorithm, Limit, Per, PlanTerms, Window};
use tollgate_model::subscription::Status;
use tollgate_model::template::PathTemplate;
use tollgate_model::upstream::Upstream;
use tollgate_model::user::Role;

use crate::api_keys;
use crate::apis::{self, Api, NewApi};
use crate::applications::{self, Application};
use crate::documents::Document;
use crate::feed::{self, Fact};
use crate::lifecycle::{self, Enter};
use crate::part::{Order, Part};
use crate::plans::{self, Plan};
use crate::revisions::{self, NewRevision};
use crate::subscriptions::{self, NewSubscription, Subscription};
use crate::users::{self, User};
use crate::versions::{self, NewVersion};
use crate::{Store, StoreError, Tx};

mod credentials;

pub(crate) use credentials::*;
pub(crate) use tollgate_model::credential::Environment;

/// The time for which facts are read.
pub(crate) const NOW_US: i64 = 1_000;

/// Returns rising ids, each only once.
pub(crate) fn id<K>() -> Id<K> {
    static NEXT: AtomicI64 = AtomicI64::new(1_000);
    Id::from_raw(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Runs one write and commits it.
pub(crate) async fn write<T>(
    store: &Store,
    work: impl AsyncFnOnce(&mut Tx) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut tx = store.write().await?;
    let done = work(&mut tx).await?;
    tx.commit().await?;
    Ok(done)
}

/// Returns the facts since a sequence, in the order of the feed.
pub(crate) async fn facts(store: &Store, since: u64) -> Vec<Fact> {
    let changes = feed::changes_since(store, since, NOW_US).await.unwrap();
    changes.expect("not too far behind").facts
}

pub(crate) async fn user(store: &Store, name: &str) -> User {
    let user = User {
        id: id(),
        name: name.to_owned(),
        one_time: false,
        roles: vec![Role::Administrator, Role::Developer],
        disabled: false,
        created_us: 5,
    };
    let made = write(store, async |tx| {
        users::create(tx, &user, "$argon2id$").await
    });
    made.await.unwrap();
    user
}

pub(crate) fn limit(amount: u64) -> Limit {
    Limit {
        algorithm: Algorithm::Gcra { burst: 3 },
        ..Limit::requests(Per::SUBSCRIPTION, amount, Window::MINUTE)
    }
}

pub(crate) fn new_plan(name: &str) -> Plan {
    Plan {
        id: id(),
        name: name.to_owned(),
        title: "Title".to_owned(),
        description: "Description".to_owned(),
        terms: PlanTerms {
            limits: vec![limit(10)],
            unlimited: false,
            count_failures: true,
        },
        created_us: 6,
        updated_us: 6,
        etag: 1,
    }
}

pub(crate) async fn plan(store: &Store, name: &str) -> Plan {
    let plan = new_plan(name);
    write(store, async |tx| plans::create(tx, &plan).await)
        .await
        .unwrap();
    plan
}

pub(crate) fn configuration(paths: &[&str]) -> Configuration {
    let operations = paths.iter().map(|path| Operation {
        method: Method::Get,
        path: PathTemplate::parse(path).unwrap(),
        summary: Some("One of them".to_owned()),
        limits: Vec::new(),
        weight: 1,
        scopes: Vec::new(),
        anonymous: false,
    });
    Configuration {
        operations: operations.collect(),
        upstream: Some(Upstream::at("http://127.0.0.1:9100/base")),
        ..Configuration::default()
    }
}

/// A new API named like its context, with the version `1.0`, not yet written.
pub(crate) fn new_api(owner: UserId, context: &str) -> NewApi {
    NewApi {
        api: Api {
            id: id(),
            name: context.to_owned(),
            kind: Kind::Rest,
            context: context.to_owned(),
            description: "Description".to_owned(),
            owner,
            created_us: 7,
        },
        version: new_version("1.0"),
        document: Some(Document {
            digest: "5b1d".to_owned(),
            media_type: "application/yaml".to_owned(),
            bytes: b"openapi: 3.1.0".to_vec(),
        }),
        contract: None,
    }
}

pub(crate) fn new_version(name: &str) -> NewVersion {
    NewVersion {
        id: id(),
        name: name.to_owned(),
        draft: configuration(&["/pets", "/pets/{pet}"]),
        created_us: 8,
    }
}

pub(crate) async fn api(store: &Store, owner: UserId, context: &str) -> NewApi {
    let new = new_api(owner, context);
    write(store, async |tx| apis::create(tx, &new).await)
        .await
        .unwrap();
    new
}

/// Writes a revision of a version without deploying it.
pub(crate) async fn revision(store: &Store, version: VersionId, paths: &[&str]) -> NewRevision {
    let new = NewRevision {
        id: id(),
        version,
        configuration: configuration(paths),
        note: "Note".to_owned(),
        created_by: Id::from_raw(1),
        created_us: 9,
    };
    write(store, async |tx| revisions::create(tx, &new).await)
        .await
        .unwrap();
    new
}

/// Creates a published version with this configuration as draft and deployed revision.
pub(crate) async fn version_of(
    store: &Store,
    owner: UserId,
    configuration: &Configuration,
) -> VersionId {
    let context = format!("/c{}", id::<()>().raw());
    let version = api(store, owner, &context).await.version.id;
    let new = NewRevision {
        id: id(),
        version,
        configuration: configuration.clone(),
        note: String::new(),
        created_by: owner,
        created_us: 9,
    };
    let mut step = step(version, State::Created, State::Published);
    step.deploy = Some(new.id);
    let gold = plan(store, &context).await;
    write(store, async |tx| {
        versions::save_draft(tx, version, 1, configuration, 9).await?;
        revisions::create(tx, &new).await?;
        versions::set_plans(tx, version, &[gold.id]).await?;
        lifecycle::enter(tx, &step).await
    })
    .await
    .unwrap();
    version
}

/// Returns the transition between two states that the model allows for a complete version.
pub(crate) fn step(version: VersionId, from: State, to: State) -> Enter<'static> {
    let has = Readiness {
        operations: true,
        upstream: true,
        plans: 1,
    };
    Enter {
        version,
        transition: transition(from, to, has).unwrap(),
        deploy: None,
        deprecation: None,
        by: Id::from_raw(1),
        note: "because",
        at_us: 10,
    }
}

pub(crate) async fn enter(store: &Store, version: VersionId, from: State, to: State) {
    let step = step(version, from, to);
    write(store, async |tx| lifecycle::enter(tx, &step).await)
        .await
        .unwrap();
}

/// Creates a published API at `context` that offers `plans`.
pub(crate) async fn published(
    store: &Store,
    owner: UserId,
    context: &str,
    plans: &[PlanId],
) -> NewApi {
    let new = api(store, owner, context).await;
    let version = new.version.id;
    let revision = revision(store, version, &["/pets"]).await;
    let mut step = step(version, State::Created, State::Published);
    step.deploy = Some(revision.id);
    write(store, async |tx| {
        versions::set_plans(tx, version, plans).await?;
        lifecycle::enter(tx, &step).await
    })
    .await
    .unwrap();
    new
}

fn new_application(owner: UserId, name: &str) -> Application {
    Application {
        id: id(),
        name: name.to_owned(),
        owner,
        description: "Description".to_owned(),
        limits: vec![limit(7)],
        created_us: 11,
        tokens_from_us: 0,
    }
}

pub(crate) async fn application(store: &Store, owner: UserId, name: &str) -> Application {
    let application = new_application(owner, name);
    write(store, async |tx| {
        applications::create(tx, &application).await
    })
    .await
    .unwrap();
    application
}

pub(crate) fn new_subscription(
    application: ApplicationId,
    version: VersionId,
    plan: PlanId,
) -> NewSubscription {
    NewSubscription {
        id: id(),
        application,
        version,
        plan,
        status: Status::Active,
        reason: None,
        created_us: 12,
        scopes: Vec::new(),
    }
}

pub(crate) async fn subscription(
    store: &Store,
    application: ApplicationId,
    version: VersionId,
    plan: PlanId,
) -> Subscription {
    let new = new_subscription(application, version, plan);
    write(store, async |tx| subscriptions::create(tx, &new).await)
        .await
        .unwrap()
}

/// Creates a thousand published APIs of twenty operations under one plan, an application subscribed
/// to each, and ten keys for each application; in one write.
pub(crate) async fn thousand(store: &Store) {
    let owner = user(store, "owner").await.id;
    let plan = plan(store, "gold").await.id;
    let paths: Vec<String> = (0..20).map(|n| format!("/resource-{n}/{{id}}")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut tx = store.write().await.unwrap();
    for n in 0..1_000_u32 {
        let new = new_api(owner, &format!("/api-{n}"));
        let version = new.version.id;
        let revision = NewRevision {
            id: id(),
            version,
            configuration: configuration(&paths),
            note: String::new(),
            created_by: owner,
            created_us: 1,
        };
        let mut step = step(version, State::Created, State::Published);
        step.deploy = Some(revision.id);
        apis::create(&mut tx, &new).await.unwrap();
        versions::set_plans(&mut tx, version, &[plan])
            .await
            .unwrap();
        revisions::create(&mut tx, &revision).await.unwrap();
        lifecycle::enter(&mut tx, &step).await.unwrap();
        let program = new_application(owner, &n.to_string());
        applications::create(&mut tx, &program).await.unwrap();
        let subscription = new_subscription(program.id, version, plan);
        subscriptions::create(&mut tx, &subscription).await.unwrap();
        for k in 0..10_u32 {
            let mut key = new_key(program.id, 0);
            key.digest[..8].copy_from_slice(&u64::from(n * 10 + k).to_be_bytes());
            api_keys::create(&mut tx, &key).await.unwrap();
        }
    }
    tx.commit().await.unwrap();
}

/// A page of a list, oldest first.
pub(crate) fn part<K>(after: Option<Id<K>>, at_most: u32) -> Part<K> {
    Part {
        order: Order::Oldest,
        after: after.map(|id| (id, String::new())),
        at_most,
    }
}
