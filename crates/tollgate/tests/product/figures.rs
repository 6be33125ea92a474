//! Start-up time with a thousand APIs, and memory of an idle process.
//!
//! The published figures apply to a release build; the bounds here are for a test build on a busy
//! machine. `--nocapture` prints the measured values.

use std::time::{Duration, Instant};

use serde_json::json;
use tollgate_model::api::Configuration;
use tollgate_model::id::Id;
use tollgate_model::lifecycle::{Readiness, State, transition};
use tollgate_store::apis::{self, Api, NewApi};
use tollgate_store::lifecycle::{self, Enter};
use tollgate_store::revisions::{self, NewRevision};
use tollgate_store::versions::{self, NewVersion};
use tollgate_store::{Store, plans, users};
use tollgate_testkit::{Builder, http};

use crate::house::{House, builder, get};

const APIS: u32 = 1_000;
const FIRST_CALL_TIME: Duration = Duration::from_secs(5);
const IDLE_KIB: u64 = 32 * 1_024;

#[expect(clippy::print_stderr, reason = "prints the measured value")]
fn show(what: &str) {
    eprintln!("{what}");
}

/// Ten operations and an upstream.
fn configuration() -> Configuration {
    let operation = |number| json!({ "method": "GET", "path": format!("/things{number}/{{id}}") });
    let operations: Vec<_> = (0..10).map(operation).collect();
    let upstream = json!({ "url": "http://127.0.0.1:9" });
    serde_json::from_value(json!({ "operations": operations, "upstream": upstream })).unwrap()
}

/// Writes published APIs `/api-0/1.0` and so on directly to the store.
async fn publish_many(builder: &Builder) {
    let store = Store::open(&builder.data().join("tollgate.db"))
        .await
        .unwrap();
    let owner = users::by_name(&store, "administrator")
        .await
        .unwrap()
        .unwrap()
        .id;
    let plan = plans::by_name(&store, "gold").await.unwrap().unwrap();
    let created_us = jiff::Timestamp::now().as_microsecond();
    let now_ms = u64::try_from(created_us / 1_000).unwrap();
    let has = Readiness {
        operations: true,
        upstream: true,
        plans: 1,
    };
    #[expect(clippy::disallowed_methods, reason = "a test writes what it needs")]
    let mut tx = store.write().await.unwrap();
    for number in 0..APIS {
        let api = Api {
            id: Id::new(now_ms, number),
            name: format!("API {number}"),
            kind: tollgate_model::api::Kind::Rest,
            context: format!("/api-{number}"),
            description: String::new(),
            owner,
            created_us,
        };
        let version = NewVersion {
            id: Id::new(now_ms, number),
            name: "1.0".into(),
            draft: configuration(),
            created_us,
        };
        let (version_id, document) = (version.id, None);
        let new = NewApi {
            api,
            version,
            document,
            contract: None,
        };
        apis::create(&mut tx, &new).await.unwrap();
        versions::set_plans(&mut tx, version_id, &[plan.id])
            .await
            .unwrap();
        let revision = NewRevision {
            id: Id::new(now_ms, number),
            version: version_id,
            configuration: configuration(),
            note: String::new(),
            created_by: owner,
            created_us,
        };
        revisions::create(&mut tx, &revision).await.unwrap();
        let enter = Enter {
            version: version_id,
            transition: transition(State::Created, State::Published, has).unwrap(),
            deploy: Some(revision.id),
            deprecation: None,
            by: owner,
            note: "",
            at_us: created_us,
        };
        lifecycle::enter(&mut tx, &enter).await.unwrap();
    }
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_thousand_apis_are_served_soon_after_the_start() {
    let house = House::new().await;
    let request = house.request();
    let (status, builder) = house.tollgate.terminate().unwrap();
    assert!(status.success());
    publish_many(&builder).await;

    let begun = Instant::now();
    let tollgate = builder.start().unwrap();
    let answer = http::call(tollgate.gateway, &request).await.unwrap();
    let took = begun.elapsed();
    assert_eq!(answer.status, 200, "{}", answer.text());
    let memory = tollgate.memory_kib().unwrap();
    show(&format!(
        "{APIS} APIs: first call after {took:?}, {memory} KiB"
    ));
    assert!(took < FIRST_CALL_TIME, "{took:?}");

    // They are served: the consumer lacks a subscription, the path is found.
    for number in [0, APIS / 2, APIS - 1] {
        let target = format!("/api-{number}/1.0/things9/7");
        let request = get(&target, &house.consumer.key);
        let answer = http::call(tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.code(), "authorize.not_subscribed", "{target}");
    }
}

#[tokio::test]
async fn an_idle_process_is_small() {
    let tollgate = builder().start().unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let memory = tollgate.anonymous_memory_kib().unwrap();
    show(&format!("idle: {memory} KiB"));
    assert!(memory < IDLE_KIB, "{memory} KiB");
}
