//! Files that cannot be written stop no call, and `GET /usage/health` accounts for each of them.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::Connection as _;
use tollgate_testkit::{Control, Load};

use crate::attack::old_data::database;
use crate::house::{House, builder};
use crate::start::counted;

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The health of usage, once `is_so`. Asserts at each look that no call is between the accounts.
async fn health(admin: &Control, is_so: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let path = "/api/v1/usage/health";
        let health = admin.done("GET", path, None).await.unwrap();
        let calls = |name: &str| health["single_calls"][name].as_u64().unwrap();
        let known = calls("stored") + calls("waiting") + calls("lost");
        assert_eq!(calls("taken"), known, "{health}");
        if is_so(&health) {
            return health;
        }
        assert!(begun.elapsed() < PATIENCE, "{health}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn call(house: &House, times: usize) {
    for _ in 0..times {
        assert_eq!(house.call().await.status, 200);
    }
}

fn is_failing(health: &Value) -> bool {
    health["single_calls"]["is_failing"] == true && health["failing_since"].is_string()
}

fn is_whole(health: &Value) -> bool {
    health["single_calls"]["waiting"] == 0 && health.get("failing_since").is_none()
}

#[tokio::test]
async fn a_disk_that_takes_no_more_stops_no_call_and_loses_none() {
    let house = House::new().await;
    let admin = &house.admin;
    call(&house, 30).await;
    health(admin, |it| {
        is_whole(it) && it["single_calls"]["stored"] == 30
    })
    .await;
    house.tollgate.file_bytes_max(Some(1)).unwrap();
    call(&house, 40).await;
    let is_taken = |it: &Value| it["single_calls"]["taken"] == 70;
    let full = health(admin, |it| is_failing(it) && is_taken(it)).await;
    assert_eq!(full["losses"], json!([]), "they are kept: {full}");
    house.tollgate.file_bytes_max(None).unwrap();
    let whole = health(admin, is_whole).await;
    assert_eq!(whole["single_calls"]["stored"], 70, "{whole}");
    counted(admin, 70).await;
}

#[tokio::test]
async fn a_database_that_somebody_holds_stops_no_call_and_loses_none() {
    let house = House::new().await;
    let data = house.tollgate.builder().data();
    let mut foreign = database(&data.join("usage.db")).await;
    let locked = foreign.begin_with("begin immediate").await.unwrap();
    call(&house, 20).await;
    let held = health(&house.admin, |it| it["failing_since"].is_string()).await;
    assert_eq!(held["single_calls"]["lost"], 0, "{held}");
    counted(&house.admin, 20).await;
    locked.rollback().await.unwrap();
    health(&house.admin, is_whole).await;
    let usage = counted(&house.admin, 20).await;
    assert_eq!(usage["losses"], json!([]), "{usage}");
}

#[tokio::test]
async fn a_spool_that_is_removed_is_a_stated_loss_of_single_calls_and_goes_on() {
    let house = House::new().await;
    let admin = &house.admin;
    call(&house, 10).await;
    health(admin, |it| {
        is_whole(it) && it["single_calls"]["stored"] == 10
    })
    .await;
    let spool = house.tollgate.builder().data().join("spool");
    fs::remove_dir_all(spool).unwrap();
    call(&house, 10).await;
    let removed = health(admin, |it| is_whole(it) && it["losses"] != json!([])).await;
    assert_eq!(removed["losses"][0]["reason"], "spool_damaged", "{removed}");
    let usage = counted(admin, 20).await;
    assert_eq!(usage["total"]["calls"], 20, "{usage}");
    call(&house, 5).await;
    let is_written = |it: &Value| it["single_calls"]["bytes"].as_u64() > Some(64);
    health(admin, |it| is_whole(it) && is_written(it)).await;
}

#[tokio::test]
async fn calls_that_found_a_full_ring_are_counted_without_detail() {
    let builder = builder().set("gateway-records-max", "64");
    let house = House::with(&builder, json!([])).await;
    let load = Load::of(house.tollgate.gateway, house.request());
    let running = load.start().unwrap();
    let is_full = |it: &Value| it["losses"] != json!([]);
    health(&house.admin, is_full).await;
    let tally = running.finish().unwrap();
    let all = tally.calls.len() as u64;
    assert!(
        tally.labels.iter().all(|it| it == "200"),
        "{:?}",
        tally.labels
    );
    counted(&house.admin, all).await;
    let end = health(&house.admin, is_whole).await;
    let losses = end["losses"].as_array().unwrap();
    assert!(losses.iter().all(|it| it["reason"] == "ring_full"), "{end}");
    let lost: u64 = losses.iter().map(|it| it["calls"].as_u64().unwrap()).sum();
    let stored = end["single_calls"]["stored"].as_u64().unwrap();
    assert_eq!(stored + lost, all, "{end}");
}

#[tokio::test]
async fn a_database_that_is_damaged_while_it_is_used_stops_no_call() {
    let house = House::new().await;
    call(&house, 10).await;
    counted(&house.admin, 10).await;
    let path = house.tollgate.builder().data().join("usage.db");
    let length = fs::metadata(&path).unwrap().len();
    let garbled = OpenOptions::new().write(true).open(&path).unwrap();
    let garbage = vec![0x5a; length.try_into().unwrap()];
    garbled.write_all_at(&garbage, 0).unwrap();
    call(&house, 20).await;
    let path = "/api/v1/usage/health";
    let damaged = house.admin.send("GET", path, None).await.unwrap();
    assert_eq!(
        (damaged.status, &damaged.json()["code"]),
        (503, &json!("usage.damaged"))
    );
    call(&house, 20).await;
    let (_, builder) = house.tollgate.terminate().unwrap();
    let tollgate = builder.start().unwrap();
    let admin = house.admin.at(tollgate.control);
    let usage = counted(&admin, 50).await;
    assert_eq!(usage["losses"][0]["reason"], "damaged", "{usage}");
    assert_eq!(usage["losses"][0].get("calls"), None, "{usage}");
}

#[tokio::test]
async fn only_administrators_see_what_became_of_single_calls() {
    let house = House::new().await;
    call(&house, 3).await;
    let path = "/api/v1/usage/health";
    for role in ["publisher", "developer"] {
        let user = json!({ "name": role, "roles": [role] });
        let made = house.admin.done("POST", "/api/v1/users", Some(&user)).await;
        let made = made.unwrap();
        let one_time = made["one_time_password"].as_str().unwrap();
        let stranger = Control::stranger(house.tollgate.control);
        let user = stranger.settle_in(role, one_time).await.unwrap();
        let health = user.done("GET", path, None).await.unwrap();
        assert!(health["complete_until"].is_string(), "{health}");
        assert_eq!(health["losses"], json!([]));
        assert_eq!(health.get("single_calls"), None, "{health}");
    }
    let stranger = Control::stranger(house.tollgate.control);
    assert_eq!(stranger.send("GET", path, None).await.unwrap().status, 401);
}
