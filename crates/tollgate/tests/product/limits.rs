//! Limits as seen by callers: exact counts, header fields, immediate changes.

mod acceptance;
mod bytes;
mod failures;
mod fields;
mod found;
mod messages;
mod places;
mod survival;
mod terms;
mod units;
mod upstreams;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tollgate_testkit::{Answer, Connection, Upstream, http};

use crate::house::{House, builder, get};
use crate::start::counted;

/// Numbers of workers that limits are tried with.
const WORKERS: [&str; 3] = ["1", "2", "4"];
/// Time limit of what a busy machine has to do.
const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a house under these limits with this number of workers.
async fn on(workers: &str, limits: Value) -> House {
    House::with(&builder().set("gateway-workers", workers), limits).await
}

/// Starts a house under these limits for each number of workers, and runs `test` on all of them
/// concurrently.
async fn on_each(limits: Value, test: impl AsyncFn(&'static str, House)) {
    let [one, two, four] = WORKERS;
    let houses = (
        on(one, limits.clone()).await,
        on(two, limits.clone()).await,
        on(four, limits).await,
    );
    tokio::join!(
        test(one, houses.0),
        test(two, houses.1),
        test(four, houses.2)
    );
}

/// A limit of so many requests of a subscription per day.
fn a_day(amount: u64) -> Value {
    json!({ "per": "subscription", "amount": amount, "window": "day" })
}

impl House {
    /// Replaces the terms of the consumer's plan.
    async fn set_terms(&self, mut terms: Value) {
        terms["name"] = json!("tested");
        let changed = self.admin.replace("/api/v1/plans/tested", &terms);
        changed.await.unwrap();
    }

    /// Replaces the limits of the consumer's plan.
    async fn set_limits(&self, limits: Value) {
        self.set_terms(json!({ "limits": limits })).await;
    }

    /// Sends a request this many times at once, each on a connection of its own.
    async fn send_at_once(&self, count: usize, request: &[u8]) -> Vec<Answer> {
        let mut calls = JoinSet::new();
        for _ in 0..count {
            let (gateway, request) = (self.tollgate.gateway, request.to_vec());
            calls.spawn(async move { http::call(gateway, &request).await.unwrap() });
        }
        calls.join_all().await
    }
}

/// Counts answers by their status.
fn statuses(answers: &[Answer]) -> BTreeMap<u16, usize> {
    let mut statuses = BTreeMap::new();
    for answer in answers {
        *statuses.entry(answer.status).or_default() += 1;
    }
    statuses
}

/// Returns a parameter of the member with this name in a field of an answer.
fn parameter(answer: &Answer, (field, name): (&str, &str), key: &str) -> Option<u64> {
    let members = answer.field(field)?.split(", ");
    let quoted = format!("\"{name}\";");
    let member = members.filter_map(|it| it.strip_prefix(&quoted)).next()?;
    let mut parameters = member.split(';').filter_map(|it| it.split_once('='));
    let (_, value) = parameters.find(|(name, _)| *name == key)?;
    value.parse().ok()
}

/// Returns what an answer reports as left under the limit with this name.
fn left_under(answer: &Answer, name: &str) -> Option<u64> {
    parameter(answer, ("ratelimit", name), "r")
}

/// Waits until an upstream has received this many requests.
async fn received(upstream: &Upstream, count: u64) {
    let begun = Instant::now();
    while upstream.requests() < count {
        assert!(begun.elapsed() < PATIENCE, "no request {count}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_limit_of_ten_means_ten_over_all_workers_and_returns_retry_after() {
    let limits = json!([{ "per": "subscription", "amount": 10, "window": "day" }]);
    let house = House::with(&builder(), limits).await;
    let mut calls = Vec::new();
    for _ in 0..40 {
        let (gateway, request) = (house.tollgate.gateway, house.request());
        calls.push(tokio::spawn(async move {
            http::call(gateway, &request).await.unwrap()
        }));
    }
    let mut statuses = BTreeMap::<u16, u32>::new();
    let mut refused = None;
    for call in calls {
        let answer = call.await.unwrap();
        *statuses.entry(answer.status).or_default() += 1;
        if answer.status == 429 {
            refused = Some(answer);
        } else {
            assert!(answer.field("ratelimit").is_some());
        }
    }
    assert_eq!(statuses, BTreeMap::from([(200, 10), (429, 30)]));
    assert_eq!(house.upstream.requests(), 10);

    let refused = refused.unwrap();
    assert_eq!(refused.code(), "admit.subscription");
    let seconds: u32 = refused.field("retry-after").unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&seconds));
    assert!(refused.field("ratelimit").unwrap().contains("r=0"));
    assert!(refused.field("ratelimit-policy").unwrap().contains("q=10"));
}

/// Returns the status and the remaining amount in the `RateLimit` field.
fn left(answer: &Answer) -> (u16, u32) {
    let header = answer.field("ratelimit").unwrap();
    let rest = header.split("r=").nth(1).unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (answer.status, digits.parse().unwrap())
}

#[tokio::test]
async fn the_remaining_amount_falls_on_one_connection_and_a_raised_plan_acts_at_once() {
    let limits = json!([{ "per": "subscription", "amount": 3, "window": "day" }]);
    let house = House::with(&builder(), limits).await;
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    let mut remaining = Vec::new();
    for _ in 0..4 {
        remaining.push(left(&connection.exchange(&house.request()).await.unwrap()));
    }
    assert_eq!(remaining, [(200, 2), (200, 1), (200, 0), (429, 0)]);

    let listed = house
        .admin
        .send("GET", "/api/v1/plans", None)
        .await
        .unwrap()
        .json();
    let plans = listed["items"].as_array().unwrap();
    let plan = plans.iter().find(|plan| plan["name"] == "tested").unwrap();
    let id = plan["id"].as_str().unwrap();
    let change = json!({ "name": "tested", "limits": [
        { "per": "subscription", "amount": 5, "window": "day" },
    ] });
    house
        .admin
        .replace(&format!("/api/v1/plans/{id}"), &change)
        .await
        .unwrap();
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(connection.exchange(&house.request()).await.unwrap().status);
    }
    assert_eq!(statuses, [200, 200, 429]);
}

#[tokio::test]
async fn a_new_subscription_continues_with_the_remaining_amount_of_the_old_one() {
    let limits = json!([
        { "per": "subscription", "amount": 3, "window": "day" },
        { "per": "subscription", "amount": 1, "window": "day",
            "algorithm": { "type": "gcra", "burst": 9 } },
    ]);
    let house = House::with(&builder(), limits).await;
    let mut subscription = house.consumer.subscription.clone();
    for expected in [(200, 2), (200, 1), (200, 0), (429, 0)] {
        assert_eq!(left(&house.call().await), expected);
        let path = format!("/api/v1/subscriptions/{subscription}");
        house.admin.done("DELETE", &path, None).await.unwrap();
        let answer = house.call().await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (403, "authorize.not_subscribed")
        );
        subscription = house
            .admin
            .subscribe(&house.consumer.application, &house.api.version, "tested")
            .await
            .unwrap();
    }
    assert_eq!(house.upstream.requests(), 3);
}

/// The operations of the tested API, one of them limited to this number of calls a day.
fn operations(amount: u32) -> Value {
    let limits = json!([{ "per": "operation", "amount": amount, "window": "day" }]);
    json!({ "operations": [
        { "method": "GET", "path": "/pets" },
        { "method": "GET", "path": "/pets/{pet}", "limits": limits },
    ] })
}

#[tokio::test]
async fn a_limit_of_an_operation_applies_to_all_its_callers_and_to_no_other_operation() {
    let house = House::new().await;
    let (admin, version) = (&house.admin, &house.api.version);
    let other = admin.consumer("till", version, "tested").await.unwrap();
    house.redeploy(operations(3)).await;
    let call = async |target: &str, key: &str| {
        let answer = http::call(house.tollgate.gateway, &get(target, key)).await;
        answer.unwrap()
    };
    let (one, two) = (&house.consumer.key, &other.key);
    assert_eq!(left(&call("/pets/1.0/pets/rex", one).await), (200, 2));
    assert_eq!(left(&call("/pets/1.0/pets/tom", two).await), (200, 1));
    // Another revision with a higher limit continues the count, by the default version too.
    house.redeploy(operations(4)).await;
    assert_eq!(left(&call("/pets/pets/rex", one).await), (200, 1));
    assert_eq!(left(&call("/pets/1.0/pets/rex", two).await), (200, 0));
    for key in [one, two] {
        let refused = call("/pets/1.0/pets/rex", key).await;
        assert_eq!(left(&refused), (429, 0));
        assert_eq!(refused.code(), "admit.operation");
        assert!(refused.field("retry-after").is_some());
        assert!(refused.field("ratelimit-policy").unwrap().contains("q=4"));
        let all = call("/pets/1.0/pets", key).await;
        assert_eq!((all.status, all.field("ratelimit")), (200, None));
    }
    assert_eq!(house.upstream.requests(), 6);

    counted(admin, 8).await;
    let path = "/api/v1/usage?group_by=operation,status";
    let usage = admin.done("GET", path, None).await.unwrap();
    let rows = usage["rows"].as_array().unwrap().iter();
    let calls = rows.map(|row| (row["status"].as_u64(), row["calls"].as_u64()));
    let mut calls: Vec<_> = calls.collect();
    calls.sort_unstable();
    let expected = [(200, 2), (200, 4), (429, 2)];
    assert_eq!(
        calls,
        expected.map(|(status, calls)| (Some(status), Some(calls)))
    );
}

#[tokio::test]
async fn an_operation_accepts_no_limit_of_another_kind() {
    let house = House::new().await;
    let path = format!("/api/v1/versions/{}/draft", house.api.version);
    for limit in [
        json!({ "per": "subscription", "amount": 3, "window": "day" }),
        json!({ "per": "operation", "amount": 0, "window": "day" }),
    ] {
        let mut change = operations(1);
        change["operations"][1]["limits"] = json!([limit]);
        let answer = house.admin.send("PATCH", &path, Some(&change));
        let answer = answer.await.unwrap();
        assert_eq!(answer.status, 422, "{}", answer.text());
        let field = answer.json()["errors"][0]["field"].to_string();
        assert!(field.starts_with("\"/operations/1/limits/0/"), "{field}");
    }
}
