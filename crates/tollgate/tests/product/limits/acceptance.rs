//! The acceptance rows of limits, each with 1, 2 and 4 workers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tollgate_testkit::load::Load;
use tollgate_testkit::{Connection, http};

use super::{WORKERS, a_day, left_under, on, on_each, parameter, statuses};
use crate::house::get;

/// Four limits of a call: the narrowest of this amount, the others of 6.
fn four(amount: u64) -> Value {
    json!([
        a_day(amount),
        { "per": ["subscription", "operation"], "amount": 6, "window": "day" },
        { "per": "application", "amount": 6, "window": "day" },
        { "per": "api", "amount": 6, "window": "day" },
    ])
}

#[tokio::test]
async fn l10_a_limit_that_is_used_up_charges_none_of_the_three_others() {
    for workers in WORKERS {
        let house = on(workers, four(5)).await;
        let request = house.request();
        let answers = house.send_at_once(40, &request).await;
        assert_eq!(
            statuses(&answers),
            [(200, 5), (429, 35)].into(),
            "{workers}"
        );
        // Each of the others has one call left, whichever is strict.
        house.set_limits(four(100)).await;
        let answers = house.send_at_once(20, &request).await;
        assert_eq!(
            statuses(&answers),
            [(200, 1), (429, 19)].into(),
            "{workers}"
        );
        assert_eq!(house.upstream.requests(), 6);
    }
}

/// Operations that cost 1, 5 and 50 units.
fn weighted() -> Value {
    json!({ "operations": [
        { "method": "GET", "path": "/pets" },
        { "method": "POST", "path": "/pets", "weight": 5 },
        { "method": "GET", "path": "/pets/{pet}", "weight": 50 },
    ] })
}

#[tokio::test]
async fn l11_calls_of_1_5_and_50_units_come_to_the_limit_less_50_at_least() {
    const LIMIT: u64 = 1_000;
    for workers in WORKERS {
        let limit = json!({
            "metric": "units", "per": "subscription", "amount": LIMIT, "window": "day",
        });
        let house = on(workers, json!([limit])).await;
        house.redeploy(weighted()).await;
        let call = |(method, target): (&str, &str)| {
            http::request(method, target, &[("apikey", &house.consumer.key)], b"")
        };
        let kinds = [
            (50, call(("GET", "/pets/1.0/pets/rex"))),
            (1, call(("GET", "/pets/1.0/pets"))),
            (5, call(("POST", "/pets/1.0/pets"))),
        ];
        let mut callers = JoinSet::new();
        for caller in 0..12 {
            let (gateway, kinds) = (house.tollgate.gateway, kinds.clone());
            callers.spawn(async move {
                let mut connection = Connection::open(gateway).await.unwrap();
                let mut admitted = 0;
                for turn in 0..12 {
                    let (units, request) = &kinds[(caller + turn) % kinds.len()];
                    let answer = connection.exchange(request).await.unwrap();
                    match answer.status {
                        200 => admitted += units,
                        status => assert_eq!(status, 429, "{}", answer.text()),
                    }
                }
                admitted
            });
        }
        let sum: u64 = callers.join_all().await.into_iter().sum();
        assert!((LIMIT - 50..=LIMIT).contains(&sum), "{workers}: {sum}");
    }
}

#[tokio::test]
async fn l12_a_bucket_admits_its_burst_and_its_rate_in_any_second() {
    const BURST: u64 = 20;
    const PER_SECOND: u64 = 100;
    const SECOND: Duration = Duration::from_secs(1);
    let limit = json!({
        "per": "subscription", "amount": PER_SECOND, "window": "second",
        "algorithm": { "type": "gcra", "burst": BURST },
    });
    on_each(json!([limit]), async |workers, house| {
        let load = Load {
            per_second: 800,
            connections: 40,
            fresh_per_second: 10,
            ..Load::of(house.tollgate.gateway, house.request())
        };
        let load = load.start().unwrap();
        load.calls(2_400).await;
        let tally = load.finish().unwrap();
        let is_admitted = |label: usize| tally.labels[label] == "200";
        let admitted: Vec<_> = tally
            .calls
            .iter()
            .filter(|it| is_admitted(it.label))
            .collect();
        assert!(
            u64::try_from(admitted.len()).unwrap() > BURST + PER_SECOND,
            "{workers}"
        );
        // A call was admitted between its start and its end. One is added for rounding.
        for first in &admitted {
            let to = first.started + SECOND;
            let count = tally.within(first.started, to, "200");
            assert!(count <= BURST + PER_SECOND + 1, "{workers}: {count}");
        }
        assert_eq!(
            tally.counts().keys().copied().collect::<Vec<_>>(),
            ["200", "429"]
        );
    })
    .await;
}

#[tokio::test]
async fn l17_a_plan_that_is_lowered_and_raised_under_load_acts_at_once_and_keeps_what_was_used() {
    on_each(json!([a_day(1_000_000)]), async |workers, house| {
        let load = Load {
            per_second: 400,
            connections: 20,
            fresh_per_second: 20,
            ..Load::of(house.tollgate.gateway, house.request())
        };
        let load = load.start().unwrap();
        load.calls(200).await;
        house.set_limits(json!([a_day(100)])).await;
        let lowered = Instant::now();
        load.calls(200).await;
        let raising = Instant::now();
        house.set_limits(json!([a_day(500_000)])).await;
        let raised = Instant::now();
        load.calls(200).await;
        let tally = load.finish().unwrap();
        let end = Instant::now();
        assert_eq!(tally.within(lowered, raising, "200"), 0, "{workers}");
        assert!(tally.within(lowered, raising, "429") > 100, "{workers}");
        assert_eq!(tally.within(raised, end, "429"), 0, "{workers}");
        assert!(tally.within(raised, end, "200") > 100, "{workers}");
        let used = house.upstream.requests();
        let left = left_under(&house.call().await, "subscription-day");
        assert_eq!(left, Some(500_000 - used - 1), "{workers}");
    })
    .await;
}

#[tokio::test]
async fn l18_the_remaining_amount_falls_and_a_retry_after_that_is_honoured_leads_to_a_200() {
    let limit = json!({ "per": "subscription", "amount": 60, "window": "5 seconds" });
    let name = ("ratelimit", "subscription-5-seconds");
    on_each(json!([limit]), async |workers, house| {
        let others = Load {
            per_second: 20,
            connections: 4,
            fresh_per_second: 4,
            ..Load::of(house.tollgate.gateway, house.request())
        };
        let others = others.start().unwrap();
        let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
        // The window in which the calls of this connection began.
        let mut before: Option<(u64, u64)> = None;
        let refused = loop {
            let answer = connection.exchange(&house.request()).await.unwrap();
            let present = ["r", "t"].map(|key| parameter(&answer, name, key).unwrap());
            let [left, reset_s] = present;
            if let Some((left_before, reset_s_before)) = before {
                let is_next = reset_s > reset_s_before;
                assert!(
                    left < left_before || is_next || answer.status == 429,
                    "{workers}"
                );
            }
            before = Some((left, reset_s));
            match answer.status {
                200 => assert_eq!(answer.field("retry-after"), None),
                _ => break answer,
            }
        };
        others.finish().unwrap();
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (429, "admit.subscription")
        );
        let answer = connection.exchange(&house.request()).await.unwrap();
        if answer.status == 429 {
            let wait_s: u64 = answer.field("retry-after").unwrap().parse().unwrap();
            assert!((1..=5).contains(&wait_s), "{wait_s}");
            tokio::time::sleep(Duration::from_secs(wait_s)).await;
        }
        let answer = connection.exchange(&house.request()).await.unwrap();
        assert_eq!(answer.status, 200, "{workers}: {}", answer.text());
    })
    .await;
}

#[tokio::test]
async fn l20_addresses_beyond_the_maximum_are_forgotten_and_counted() {
    const MOST: u64 = 10_000;
    for (workers, addresses) in WORKERS.into_iter().zip([20_000_u32, 20_000, 100_000]) {
        let builder = crate::house::builder()
            .set("gateway-workers", workers)
            .set("gateway-trusted-proxies", "127.0.0.1")
            .set("gateway-counters-max", &MOST.to_string());
        let limit = json!({ "per": "address", "amount": 3, "window": "day" });
        let house = crate::house::House::with(&builder, json!([limit])).await;
        let mock = json!({ "policy": "respond", "status": 200 });
        house
            .redeploy(json!({ "policies": { "request": [mock] } }))
            .await;
        let mut callers = JoinSet::new();
        for caller in 0..8 {
            let (gateway, key) = (house.tollgate.gateway, house.consumer.key.clone());
            callers.spawn(async move {
                let mut connection = Connection::open(gateway).await.unwrap();
                for address in (caller..addresses).step_by(8) {
                    let address = std::net::Ipv4Addr::from(0x0a00_0000 + address).to_string();
                    let fields = [("apikey", key.as_str()), ("X-Forwarded-For", &address)];
                    let request = http::request("GET", "/pets/1.0/pets", &fields, b"");
                    let answer = connection.exchange(&request).await.unwrap();
                    assert_eq!(answer.status, 200, "{}", answer.text());
                }
            });
        }
        callers.join_all().await;
        let status = house
            .admin
            .done("GET", "/api/v1/status", None)
            .await
            .unwrap();
        let count = |name: &str| status["gateways"][0][name].as_u64().unwrap();
        let (found, forgotten) = (count("counters_found"), count("counters_forgotten"));
        // Workers that look for room at the same moment may each add one.
        assert!(
            (MOST - 10..=MOST + 4).contains(&found),
            "{workers}: {status}"
        );
        assert_eq!(
            found + forgotten,
            u64::from(addresses),
            "{workers}: {status}"
        );
        // The gateway goes on, and counts the next address.
        let key = ("apikey", house.consumer.key.as_str());
        let fields = [key, ("X-Forwarded-For", "192.0.2.1")];
        let request = http::request("GET", "/pets/1.0/pets", &fields, b"");
        let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
        for expected in [200, 200, 200, 429] {
            let answer = connection.exchange(&request).await.unwrap();
            assert_eq!(answer.status, expected, "{workers}");
        }
        let plain = get("/pets/1.0/pets", &house.consumer.key);
        assert_eq!(connection.exchange(&plain).await.unwrap().status, 200);
    }
}
