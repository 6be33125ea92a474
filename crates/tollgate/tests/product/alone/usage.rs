//! The main job, step 6: every call is counted.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;
use tollgate_testkit::{Control, Load, http};

use crate::house::{House, get};

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the calls by the values of these groups, joined by spaces.
async fn calls(admin: &Control, group_by: &str) -> BTreeMap<String, u64> {
    let path = format!("/api/v1/usage?group_by={group_by}");
    let usage = admin.done("GET", &path, None).await.unwrap();
    let mut calls = BTreeMap::new();
    for row in usage["rows"].as_array().unwrap() {
        let group = group_by.split(',').map(|name| match &row[name] {
            Value::String(text) => text.clone(),
            Value::Object(noun) => noun["id"].as_str().unwrap().to_owned(),
            other => other.to_string(),
        });
        let group = group.collect::<Vec<_>>().join(" ");
        *calls.entry(group).or_default() += row["calls"].as_u64().unwrap();
    }
    calls
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn usage_equals_the_callers_own_count_exactly() {
    let house = House::new().await;
    let running = Load::of(house.tollgate.gateway, house.request())
        .start()
        .unwrap();
    for target in ["/pets/1.0/pets/1", "/pets/1.0/none", "/pets/1.0/pets"] {
        // Long enough for usage to be written meanwhile, and for each target to be called.
        tokio::time::sleep(Duration::from_secs(1)).await;
        running.calls(500).await;
        running.aim(&get(target, &house.consumer.key));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    running.calls(500).await;
    running.aim(&http::request("GET", "/pets/1.0/pets", &[], b""));
    running.calls(500).await;
    let tally = running.finish().unwrap();
    let own: BTreeMap<String, u64> = tally
        .counts()
        .into_iter()
        .map(|(label, calls)| (label.to_owned(), calls))
        .collect();
    assert_eq!(own.keys().collect::<Vec<_>>(), ["200", "401", "404"]);

    // A worker records a call just after its response was sent.
    let begun = Instant::now();
    let mut counted = calls(&house.admin, "status").await;
    while counted != own && begun.elapsed() < PATIENCE {
        counted = calls(&house.admin, "status").await;
    }
    assert_eq!(counted, own);
    let all: u64 = own.values().sum();
    let by = |groups| calls(&house.admin, groups);
    assert_eq!(
        by("api").await,
        BTreeMap::from([(house.api.api.clone(), all)])
    );
    assert_eq!(
        by("version").await,
        BTreeMap::from([(house.api.version.clone(), all)])
    );
    assert_eq!(by("minute").await.values().sum::<u64>(), all);
    assert_eq!(by("operation").await.len(), 3);
    let known = all - own["401"] - own["404"];
    let by_application = by("application,status").await;
    assert_eq!(
        by_application[&format!("{} 200", house.consumer.application)],
        known
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn usage_survives_a_clean_restart_completely() {
    let house = House::new().await;
    for _ in 0..17 {
        assert_eq!(house.call().await.status, 200);
    }
    let (status, builder) = house.tollgate.terminate().unwrap();
    assert!(status.success());
    let tollgate = builder.start().unwrap();
    let admin = house.admin.at(tollgate.control);
    assert_eq!(
        calls(&admin, "status").await,
        BTreeMap::from([("200".into(), 17)])
    );
    let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
    assert_eq!(usage["losses"].as_array().unwrap().len(), 0);
}
