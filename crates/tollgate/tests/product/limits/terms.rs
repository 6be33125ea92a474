//! Rolling windows, soft limits, and limits that only observe.

use std::time::Duration;

use serde_json::json;
use tollgate_testkit::Connection;

use super::{a_day, left_under, on_each, parameter, statuses};
use crate::house::{House, builder};
use crate::start::counted;

#[tokio::test]
async fn a_rolling_window_admits_its_amount_and_honoured_waits_lead_to_a_200() {
    let limit = json!({
        "per": "subscription", "amount": 5, "window": "4 seconds",
        "algorithm": { "type": "rolling" },
    });
    on_each(json!([limit]), async |workers, house| {
        let request = house.request();
        let answers = house.send_at_once(5, &request).await;
        assert_eq!(statuses(&answers), [(200, 5)].into(), "{workers}");
        for _ in 0..2 {
            let answer = house.call().await;
            if answer.status == 200 {
                continue;
            }
            assert_eq!(answer.code(), "admit.subscription");
            assert_eq!(
                left_under(&answer, "subscription-rolling-4-seconds"),
                Some(0)
            );
            let wait_s = answer.field("retry-after").unwrap().parse().unwrap();
            assert!((1..=5).contains(&wait_s), "{wait_s}");
            tokio::time::sleep(Duration::from_secs(wait_s)).await;
            assert_eq!(house.call().await.status, 200, "{workers}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_rolling_window_never_admits_more_than_its_amount_in_its_length() {
    let limit = json!({
        "per": "subscription", "amount": 40, "window": "2 seconds",
        "algorithm": { "type": "rolling" },
    });
    on_each(json!([limit]), async |workers, house| {
        let load = tollgate_testkit::Load {
            per_second: 200,
            connections: 20,
            fresh_per_second: 10,
            ..tollgate_testkit::Load::of(house.tollgate.gateway, house.request())
        };
        let load = load.start().unwrap();
        load.calls(1_200).await;
        let tally = load.finish().unwrap();
        assert!(tally.count("200") > 40, "{workers}");
        for call in &tally.calls {
            let count = tally.within(call.started, call.started + Duration::from_secs(2), "200");
            assert!(count <= 40, "{workers}: {count}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_soft_limit_admits_its_overage_and_reports_its_amount() {
    let mut soft = a_day(10);
    soft["soft"] = json!({ "overage_percent": 25 });
    let name = ("ratelimit-policy", "subscription-day");
    let house = House::with(&builder(), json!([soft])).await;
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    let mut seen = Vec::new();
    for _ in 0..14 {
        let answer = connection.exchange(&house.request()).await.unwrap();
        assert_eq!(parameter(&answer, name, "q"), Some(10));
        seen.push((
            answer.status,
            left_under(&answer, "subscription-day").unwrap(),
        ));
    }
    let within = (0..10).map(|used| (200, 9 - used));
    let beyond = [(200, 0), (200, 0), (429, 0), (429, 0)];
    assert_eq!(seen, within.chain(beyond).collect::<Vec<_>>());
    let usage = counted(&house.admin, 14).await;
    assert_eq!(usage["rows"][0]["over"], 2);
}

#[tokio::test]
async fn a_limit_that_observes_refuses_nothing_and_is_in_no_field() {
    let mut observed = a_day(2);
    observed["on_exceeding"] = json!("observe");
    let hard = json!({ "per": "application", "amount": 5, "window": "day" });
    let house = House::with(&builder(), json!([observed, hard])).await;
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    for expected in [200, 200, 200, 200, 200, 429] {
        let answer = connection.exchange(&house.request()).await.unwrap();
        assert_eq!(answer.status, expected);
        for field in ["ratelimit", "ratelimit-policy"] {
            let value = answer.field(field).unwrap();
            assert!(
                value.starts_with("\"application-day\";") && !value.contains(','),
                "{value}"
            );
        }
    }
    // The call that the other limit refused is not one that was admitted.
    let usage = counted(&house.admin, 6).await;
    assert_eq!(usage["rows"][0]["over"], 3);
    // Alone it leaves no fields at all.
    house.set_limits(json!([observed])).await;
    let answer = house.call().await;
    let fields = ["ratelimit", "ratelimit-policy"].map(|name| answer.field(name));
    assert_eq!((answer.status, fields), (200, [None, None]));
}
