use std::sync::atomic::AtomicI64;

use tollgate_model::api::{Configuration, Kind as ApiKind};
use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::feed::CacheSelector;
use tollgate_model::id::{Id, Kind, PlanId, UserId, VersionId};
use tollgate_model::lifecycle::{Readiness, State, transition};
use tollgate_model::plan::{Limit, PlanTerms};
use tollgate_model::subscription::Status;
use tollgate_model::upstream::Upstream;
use tollgate_model::user::Role;
use tollgate_store::apis::{Api, NewApi};
use tollgate_store::applications::{Application, ApplicationChange};
use tollgate_store::cache_purges::{self, NewPurge};
use tollgate_store::credentials::{self, Terms};
use tollgate_store::lifecycle::Enter;
use tollgate_store::plans::{Plan, PlanChange};
use tollgate_store::revisions::NewRevision;
use tollgate_store::subscriptions::NewSubscription;
use tollgate_store::users::User;
use tollgate_store::versions::NewVersion;
use tollgate_store::{Tx, default_version, subscriptions, users, versions};
use tollgate_store::{api_keys, apis, applications, lifecycle, plans, revisions};

use super::mirror::{Follows, Mirror};
use super::*;
use crate::state::Ids;

const NOW_US: i64 = 1_790_000_000_000_000;
const DAY_US: i64 = 86_400_000_000;

/// A store with one user, a clock that tests set, and a feed.
struct House {
    _folder: tempfile::TempDir,
    store: Store,
    clock: Arc<AtomicI64>,
    ids: Ids,
    owner: UserId,
    feed: Feed,
}

fn gateway() -> GatewayUrl {
    GatewayUrl::Local("http://localhost:8080".to_owned())
}

impl House {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("tollgate.db"))
            .await
            .unwrap();
        let clock = Arc::new(AtomicI64::new(NOW_US));
        let feed = Feed::new(store.clone(), Clock::Set(Arc::clone(&clock)), gateway(), 0);
        let ids = Ids::default();
        let owner = User {
            id: ids.next(NOW_US, 0),
            name: "owner".into(),
            one_time: false,
            roles: vec![Role::Administrator],
            disabled: false,
            created_us: NOW_US,
        };
        let mut tx = store.write().await.unwrap();
        users::create(&mut tx, &owner, "phc").await.unwrap();
        tx.commit().await.unwrap();
        Self {
            _folder: folder,
            store,
            clock,
            ids,
            owner: owner.id,
            feed,
        }
    }

    fn id<K: Kind>(&self) -> Id<K> {
        self.ids.next(NOW_US, 0)
    }

    fn plan(&self, limits: &str) -> Plan {
        let id: PlanId = self.id();
        Plan {
            id,
            name: id.to_string(),
            title: String::new(),
            description: String::new(),
            terms: terms(limits),
            created_us: NOW_US,
            updated_us: NOW_US,
            etag: 1,
        }
    }

    async fn make_plan(&self, limits: &str) -> Plan {
        let plan = self.plan(limits);
        let mut tx = self.store.write().await.unwrap();
        plans::create(&mut tx, &plan).await.unwrap();
        tx.commit().await.unwrap();
        assert!(self.feed.catch_up().await.is_everywhere);
        plan
    }

    fn application(&self) -> Application {
        let id = self.id();
        Application {
            id,
            name: format!("{id:?}"),
            owner: self.owner,
            description: String::new(),
            limits: Vec::new(),
            created_us: NOW_US,
            tokens_from_us: 0,
        }
    }

    /// Stores an API with a published version that offers `plan`.
    async fn publish(&self, plan: PlanId) -> NewApi {
        self.publish_api(self.api(), plan).await
    }

    /// Like [`publish`](Self::publish), for this API.
    async fn publish_api(&self, new: NewApi, plan: PlanId) -> NewApi {
        let version = new.version.id;
        let revision = NewRevision {
            id: self.id(),
            version,
            configuration: new.version.draft.clone(),
            note: String::new(),
            created_by: self.owner,
            created_us: NOW_US,
        };
        let mut tx = self.store.write().await.unwrap();
        apis::create(&mut tx, &new).await.unwrap();
        versions::set_plans(&mut tx, version, &[plan])
            .await
            .unwrap();
        revisions::create(&mut tx, &revision).await.unwrap();
        let has = Readiness {
            operations: true,
            upstream: true,
            plans: 1,
        };
        let enter = Enter {
            version,
            transition: transition(State::Created, State::Published, has).unwrap(),
            deploy: Some(revision.id),
            deprecation: None,
            by: self.owner,
            note: "",
            at_us: NOW_US,
        };
        lifecycle::enter(&mut tx, &enter).await.unwrap();
        tx.commit().await.unwrap();
        assert!(self.feed.catch_up().await.is_everywhere);
        new
    }

    fn api(&self) -> NewApi {
        let api: tollgate_model::id::ApiId = self.id();
        let draft = Configuration {
            operations: serde_json::from_str(r#"[{"method":"GET","path":"/a/{b}"}]"#).unwrap(),
            upstream: Some(Upstream::at("http://127.0.0.1:9")),
            ..Configuration::default()
        };
        NewApi {
            api: Api {
                id: api,
                name: api.to_string(),
                kind: ApiKind::Rest,
                context: format!("/{api}"),
                description: String::new(),
                owner: self.owner,
                created_us: NOW_US,
            },
            version: NewVersion {
                id: self.id(),
                name: "1.0".into(),
                draft,
                created_us: NOW_US,
            },
            document: None,
            contract: None,
        }
    }

    /// Purges the responses of a version with a tag.
    async fn purge(&self, tx: &mut Tx, version: VersionId) {
        let selector = CacheSelector {
            tags: vec!["tag".to_owned()],
            ..CacheSelector::default()
        };
        let purge = NewPurge {
            version,
            selector: &selector,
            by: self.owner,
            at_us: NOW_US,
        };
        cache_purges::create(tx, purge).await.unwrap();
    }

    fn follow(&self) -> Follows {
        Follows::new(&self.feed)
    }

    async fn whole(&self) -> Mirror {
        let whole = feed::whole(&self.store, NOW_US).await.unwrap();
        let mut mirror = Mirror::default();
        let sources = Sources {
            store: &self.store,
            contracts: &Contracts::new(gateway(), 0),
        };
        let now_us = self.clock.load(Ordering::Relaxed);
        mirror.apply(Message::Whole(Change {
            after: 0,
            sequence: whole.sequence,
            events: events::from_facts(whole.facts, sources, now_us).await,
        }));
        mirror
    }
}

fn terms(limits: &str) -> PlanTerms {
    let limits: Vec<Limit> = serde_json::from_str(limits).unwrap();
    PlanTerms {
        unlimited: limits.is_empty(),
        limits,
        count_failures: true,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_committed_before_catch_up_are_applied_after_it() {
    let house = House::new().await;
    let before = house.make_plan("[]").await;
    let one = house.follow();
    one.until(|mirror| mirror.plans.contains_key(&before.id.raw()))
        .await;
    let other = house.follow();
    for _ in 0..20 {
        let plan = house.make_plan("[]").await;
        for follows in [&one, &other] {
            assert!(follows.now().plans.contains_key(&plan.id.raw()));
        }
    }
    assert_eq!(one.now(), house.whole().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_writers_lose_no_change_and_all_followers_end_with_the_full_state() {
    let house = Arc::new(House::new().await);
    let early = house.follow();
    let writers = (0..8).map(|seed| {
        let house = Arc::clone(&house);
        tokio::spawn(async move { write_at_random(&house, seed).await })
    });
    let writers: Vec<_> = writers.collect();
    tokio::time::sleep(Duration::from_millis(150)).await;
    let late = house.follow();
    for writer in writers {
        writer.await.unwrap();
    }
    assert!(house.feed.catch_up().await.is_everywhere);
    let whole = house.whole().await;
    assert!(whole.versions.len() >= 8 && whole.subscriptions.len() >= 8);
    assert!(whole.credentials.len() >= 8 && whole.plans.len() >= 8);
    assert_eq!(whole.purged.len(), 8);
    let late = late.until(|mirror| mirror.sequence == whole.sequence).await;
    assert_eq!(early.now(), whole);
    assert_eq!(late, whole);
}

/// Creates an API, a plan, an application, a subscription and a key, changes them in an order that
/// depends on the seed, and leaves some of each.
async fn write_at_random(house: &House, seed: u64) {
    let plan = house
        .make_plan(r#"[{"per":"subscription","amount":5,"window":"day"}]"#)
        .await;
    let new = house.publish(plan.id).await;
    let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut etag = 1;
    for step in 0..25 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut tx = house.store.write().await.unwrap();
        match random % 5 {
            0 => {
                let change = PlanChange {
                    name: plan.name.clone(),
                    title: String::new(),
                    description: String::new(),
                    terms: terms(&format!(
                        r#"[{{"per":"subscription","amount":{},"window":"day"}}]"#,
                        step + 1
                    )),
                };
                etag = plans::update(&mut tx, plan.id, etag, &change, NOW_US)
                    .await
                    .unwrap();
            }
            1 => default_version::set(&mut tx, new.api.id, Some(new.version.id))
                .await
                .unwrap(),
            2 => {
                let application = house.application();
                applications::create(&mut tx, &application).await.unwrap();
                applications::delete(&mut tx, application.id).await.unwrap();
            }
            3 => house.purge(&mut tx, new.version.id).await,
            _ => subscribe(house, &mut tx, (&new, plan.id), step).await,
        }
        tx.commit().await.unwrap();
        assert!(house.feed.catch_up().await.is_everywhere);
    }
    let mut tx = house.store.write().await.unwrap();
    subscribe(house, &mut tx, (&new, plan.id), 1).await;
    tx.commit().await.unwrap();
    assert!(house.feed.catch_up().await.is_everywhere);
}

/// Creates an application with a key and a subscription, and ends both in every third step.
async fn subscribe(house: &House, tx: &mut Tx, (new, plan): (&NewApi, PlanId), step: u64) {
    let application = house.application();
    applications::create(tx, &application).await.unwrap();
    let id: tollgate_model::id::ApiKeyId = house.id();
    let mut digest = [0; 32];
    digest[..8].copy_from_slice(&id.raw().to_be_bytes());
    let key = api_keys::ApiKey {
        id,
        terms: Terms {
            application: application.id,
            name: "key".into(),
            environment: Environment::Production,
            not_before_us: None,
            expires_us: None,
            allowed: Allowed::default(),
            created_by: house.owner,
            created_us: NOW_US,
            revoked_us: None,
            suspended_us: None,
            last_used_us: None,
            try_it: false,
        },
        digest,
        hint: "abcd".into(),
        rotated: None,
    };
    api_keys::create(tx, &key).await.unwrap();
    let subscription = NewSubscription {
        id: house.id(),
        application: application.id,
        version: new.version.id,
        plan,
        status: Status::Active,
        reason: None,
        created_us: NOW_US,
        scopes: Vec::new(),
    };
    subscriptions::create(tx, &subscription).await.unwrap();
    let change = ApplicationChange {
        name: application.name.clone(),
        description: String::new(),
        limits: Vec::new(),
    };
    applications::update(tx, application.id, &change)
        .await
        .unwrap();
    if step.is_multiple_of(3) {
        subscriptions::set_status(tx, subscription.id, Status::Blocked, None)
            .await
            .unwrap();
        subscriptions::end(tx, subscription.id, NOW_US)
            .await
            .unwrap();
        credentials::revoke(tx, id, NOW_US).await.unwrap();
    }
}

#[tokio::test]
async fn versions_are_sent_again_when_their_context_or_default_changes() {
    let house = House::new().await;
    let plan = house.make_plan("[]").await;
    let new = house.publish(plan.id).await;
    let follows = house.follow();
    let id = new.version.id.raw();
    let mirror = follows
        .until(|mirror| mirror.versions.contains_key(&id))
        .await;
    assert!(mirror.versions[&id].is_default);
    let change = apis::ApiChange {
        name: new.api.name.clone(),
        context: "/elsewhere".into(),
        description: String::new(),
        owner: new.api.owner,
    };
    let second = NewVersion {
        id: house.id(),
        name: "2.0".into(),
        draft: Configuration::default(),
        created_us: NOW_US,
    };
    let mut tx = house.store.write().await.unwrap();
    apis::update(&mut tx, new.api.id, &change).await.unwrap();
    versions::create(&mut tx, new.api.id, &second, None)
        .await
        .unwrap();
    default_version::set(&mut tx, new.api.id, Some(second.id))
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert!(house.feed.catch_up().await.is_everywhere);
    let served = follows.now().versions[&id].clone();
    assert_eq!(served.context, "/elsewhere");
    assert!(!served.is_default);
}

#[tokio::test]
async fn a_gateway_that_does_not_apply_a_change_within_a_second_is_reported_to_the_writer() {
    let house = House::new().await;
    let (mut messages, applied) = house.feed.follow();
    assert!(matches!(messages.recv().await, Some(Message::Whole(_))));
    let plan = house.plan("[]");
    let mut tx = house.store.write().await.unwrap();
    plans::create(&mut tx, &plan).await.unwrap();
    tx.commit().await.unwrap();
    let before = Instant::now();
    assert!(!house.feed.catch_up().await.is_everywhere);
    let waited = before.elapsed();
    assert!(waited >= Duration::from_millis(990), "{waited:?}");
    drop((messages, applied));
    // `make_plan` asserts that all gateways have applied it: a disconnected one does not count.
    house.make_plan("[]").await;
}

#[tokio::test]
async fn a_gateway_with_a_full_queue_gets_the_full_state_again() {
    let house = House::new().await;
    let (mut messages, applied) = house.feed.follow();
    assert!(matches!(messages.recv().await, Some(Message::Whole(_))));
    // Pretends to be up to date, so that no writer waits for this gateway, which does not read.
    let up_to_date = Applied {
        sequence: Sequence::MAX,
        refused: Vec::new(),
    };
    applied.send(up_to_date).unwrap();
    for _ in 0..=MESSAGES_MAX {
        house.make_plan("[]").await;
    }
    let mut mirror = Mirror::default();
    let mut wholes = 0;
    while mirror.plans.len() <= MESSAGES_MAX {
        let message = tokio::time::timeout(Duration::from_secs(10), messages.recv()).await;
        let message = message.unwrap().unwrap();
        wholes += u32::from(matches!(message, Message::Whole(_)));
        mirror.apply(message);
    }
    assert_eq!(wholes, 1);
    assert_eq!(mirror, house.whole().await);
}

#[tokio::test]
async fn a_heartbeat_is_sent_each_second_with_changes_that_no_writer_has_sent() {
    let house = House::new().await;
    let (mut messages, _applied) = house.feed.follow();
    assert!(matches!(messages.recv().await, Some(Message::Whole(_))));
    let plan = house.plan("[]");
    let mut tx = house.store.write().await.unwrap();
    plans::create(&mut tx, &plan).await.unwrap();
    tx.commit().await.unwrap();
    let mut beats = 0;
    let mut is_sent = false;
    while beats < 2 {
        let message = tokio::time::timeout(Duration::from_secs(5), messages.recv()).await;
        match message.unwrap().unwrap() {
            Message::Heartbeat(_) => beats += 1,
            Message::Change(change) => is_sent |= change.events.len() == 1,
            Message::Whole(_) => panic!("the full state is sent only once"),
        }
    }
    assert!(is_sent);
}

#[tokio::test]
async fn calendar_windows_are_renewed_on_the_next_day() {
    let house = House::new().await;
    let zoned = r#"[{"per":"subscription","amount":5,"window":"day",
        "algorithm":{"type":"fixed","zone":"Europe/Rome"}}]"#;
    let listing = house.make_plan(zoned).await;
    let even = house
        .make_plan(r#"[{"per":"subscription","amount":5,"window":"minute"}]"#)
        .await;
    let mut api = house.api();
    let upstream = api.version.draft.upstream.as_mut().unwrap();
    upstream.limits = serde_json::from_str(r#"[{"amount":5,"window":"month"}]"#).unwrap();
    let api = house.publish_api(api, even.id).await;
    let follows = house.follow();
    let first = follows.until(|mirror| mirror.plans.len() == 2).await;
    house.clock.store(NOW_US + DAY_US * 31, Ordering::Relaxed);
    let limits = |mirror: &Mirror| {
        let version = &mirror.versions[&api.version.id.raw()];
        let upstream = version.upstream.as_ref().unwrap();
        let plan = &mirror.plans[&listing.id.raw()];
        [plan.limits.clone(), upstream.limits.clone()]
    };
    let later = follows
        .until(|mirror| {
            let (now, before) = (limits(mirror), limits(&first));
            now[0] != before[0] && now[1] != before[1]
        })
        .await;
    assert_eq!(limits(&later), limits(&house.whole().await));
    assert_eq!(later.plans[&even.id.raw()], first.plans[&even.id.raw()]);
}

#[tokio::test]
async fn calls_are_served_while_a_gateway_with_the_full_state_is_connected() {
    let house = House::new().await;
    house.make_plan("[]").await;
    assert!(!house.feed.is_served());
    let (mut messages, applied) = house.feed.follow();
    let Some(Message::Whole(whole)) = messages.recv().await else {
        panic!("the full state is sent first");
    };
    assert!(!house.feed.is_served());
    let reached = Applied {
        sequence: whole.sequence,
        refused: Vec::new(),
    };
    applied.send(reached).unwrap();
    assert!(house.feed.is_served());
    // A gateway that has missed messages still serves its last state.
    applied.send(Applied::default()).unwrap();
    assert!(house.feed.is_served());
    drop((messages, applied));
    assert!(!house.feed.is_served());
}
