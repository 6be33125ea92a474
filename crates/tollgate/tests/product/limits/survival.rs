//! What is counted after a restart and after a kill: rolling windows of an hour and longer, and
//! what users used; not what addresses used, and no calls in progress.

use std::time::Duration;

use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, Builder, Connection, Tollgate, http};

use super::{left_under, received};
use crate::house::{House, builder, get};

/// The plans: their limit, its name, and whether what was used survives.
fn plans() -> [(&'static str, Value, &'static str, bool); 4] {
    let a_day = |per: &str| json!({ "per": per, "amount": 10, "window": "day" });
    let mut rolling = a_day("subscription");
    rolling["algorithm"] = json!({ "type": "rolling" });
    let concurrent = json!({ "metric": "concurrent", "per": "subscription", "amount": 10 });
    [
        ("rolling", rolling, "subscription-rolling-day", true),
        ("user", a_day("user"), "user-day", true),
        ("address", a_day("address"), "address-day", false),
        ("concurrent", concurrent, "subscription-concurrent", false),
    ]
}

/// Uses three calls of each plan before the process is stopped, and returns what each plan has left
/// after it was started again.
async fn left_after(stop: impl AsyncFnOnce(Tollgate) -> Builder) -> Vec<(&'static str, u64)> {
    let builder = builder().set("gateway-drain-grace-ms", "100");
    let house = House::with(&builder, json!([])).await;
    let version = &house.api.version;
    let mut names = vec!["tested"];
    for (plan, limit, ..) in plans() {
        house.admin.plan(plan, json!([limit])).await.unwrap();
        names.push(plan);
    }
    house.admin.attach(version, &names).await.unwrap();
    let mut requests = Vec::new();
    for (plan, _, name, _) in plans() {
        let consumer = house.admin.consumer(plan, version, plan).await.unwrap();
        requests.push((plan, name, get("/pets/1.0/pets", &consumer.key)));
    }
    let mut held = Vec::new();
    for (plan, _, request) in &requests {
        for _ in 0..3 {
            if *plan != "concurrent" {
                house.upstream.behave(Behaviour::text("hello"));
                let answer = http::call(house.tollgate.gateway, request).await.unwrap();
                assert_eq!(answer.status, 200);
                continue;
            }
            house.upstream.behave(Behaviour::Hang);
            house.upstream.forget();
            let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
            connection.send(request).await.unwrap();
            received(&house.upstream, 1).await;
            held.push(connection);
        }
    }
    let tollgate = stop(house.tollgate).await.start().unwrap();
    house.upstream.behave(Behaviour::text("hello"));
    let mut left = Vec::new();
    for (plan, name, request) in requests {
        let answer = http::call(tollgate.gateway, &request).await.unwrap();
        left.push((plan, left_under(&answer, name).unwrap()));
    }
    left
}

fn expected() -> Vec<(&'static str, u64)> {
    let plans = plans().into_iter();
    plans
        .map(|(plan, _, _, survives)| (plan, if survives { 6 } else { 9 }))
        .collect()
}

#[tokio::test]
async fn a_stop_keeps_rolling_days_and_days_of_users() {
    let left = left_after(async |tollgate| tollgate.terminate().unwrap().1).await;
    assert_eq!(left, expected());
}

#[tokio::test]
async fn a_kill_keeps_what_was_used_five_seconds_before() {
    let left = left_after(async |tollgate| {
        tokio::time::sleep(Duration::from_secs(7)).await;
        tollgate.kill().unwrap()
    });
    assert_eq!(left.await, expected());
}
