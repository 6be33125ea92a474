//! Limits of an upstream: over all callers, spent only by calls that reach it.

use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, Connection, upstream};

use super::{WORKERS, a_day, left_under, on, received, statuses};
use crate::house::{House, builder};
use crate::start::counted;

/// Deploys an upstream with these limits.
async fn limit_upstream(house: &House, limits: Value) {
    house
        .redeploy(json!({ "upstream": { "limits": limits } }))
        .await;
    house.upstream.forget();
}

#[tokio::test]
async fn an_upstream_gets_what_its_limit_admits_and_the_caller_is_not_charged_for_the_rest() {
    for workers in WORKERS {
        let limits = json!([
            a_day(100),
            { "metric": "concurrent", "per": "application", "amount": 50 },
        ]);
        let house = on(workers, limits).await;
        limit_upstream(&house, json!([{ "amount": 7, "window": "day" }])).await;
        let other = house.admin.consumer("till", &house.api.version, "tested");
        let other = crate::house::get("/pets/1.0/pets", &other.await.unwrap().key);
        let own = house.request();
        let (one, two) = tokio::join!(house.send_at_once(20, &own), house.send_at_once(20, &other));
        let answers: Vec<_> = one.into_iter().chain(two).collect();
        assert_eq!(
            statuses(&answers),
            [(200, 7), (503, 33)].into(),
            "{workers}"
        );
        assert_eq!(house.upstream.requests(), 7);
        for refused in answers.iter().filter(|it| it.status == 503) {
            assert_eq!(refused.code(), "admit.upstream");
            let wait_s: u32 = refused.field("retry-after").unwrap().parse().unwrap();
            assert!((1..=86_400).contains(&wait_s));
            // What the upstream admits is not the caller's business.
            for field in ["ratelimit", "ratelimit-policy"] {
                let value = refused.field(field).unwrap();
                assert!(value.contains("subscription-day"), "{value}");
                assert!(!value.contains("q=7;"), "{value}");
            }
        }
        // Only what was answered was charged, and all places are free.
        limit_upstream(&house, json!([])).await;
        let lefts = [
            house.call().await,
            tollgate_testkit::http::call(house.tollgate.gateway, &other)
                .await
                .unwrap(),
        ];
        let left = lefts.map(|it| left_under(&it, "subscription-day").unwrap());
        assert_eq!(left.iter().sum::<u64>(), 200 - 7 - 2, "{workers}");
        house.upstream.behave(Behaviour::Late(
            std::time::Duration::from_secs(1),
            upstream::answer(b"late", ""),
        ));
        house.upstream.forget();
        let (answers, ()) =
            tokio::join!(house.send_at_once(50, &own), received(&house.upstream, 50));
        assert_eq!(statuses(&answers), [(200, 50)].into(), "{workers}");
    }
}

#[tokio::test]
async fn calls_that_the_upstream_does_not_get_are_not_counted_as_over() {
    let mut observed = a_day(1);
    observed["on_exceeding"] = json!("observe");
    let house = House::with(&builder(), json!([observed])).await;
    limit_upstream(&house, json!([{ "amount": 3, "window": "day" }])).await;
    let mut statuses = Vec::new();
    for _ in 0..5 {
        statuses.push(house.call().await.status);
    }
    assert_eq!(statuses, [200, 200, 200, 503, 503]);
    let usage = counted(&house.admin, 5).await;
    assert_eq!(usage["rows"][0]["over"], 2);
}

#[tokio::test]
async fn an_upstream_gets_only_so_many_calls_at_once() {
    let house = House::new().await;
    limit_upstream(&house, json!([{ "metric": "concurrent", "amount": 2 }])).await;
    house.upstream.behave(Behaviour::Hang);
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
        connection.send(&house.request()).await.unwrap();
        held.push(connection);
    }
    received(&house.upstream, 2).await;
    let refused = house.call().await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (503, "admit.upstream")
    );
    assert_eq!(refused.field("retry-after"), Some("1"));
    drop(held);
    house.upstream.behave(Behaviour::text("hello"));
    let begun = std::time::Instant::now();
    while house.call().await.status != 200 {
        assert!(begun.elapsed() < super::PATIENCE, "no place becomes free");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn responses_from_the_cache_and_of_steps_spend_nothing() {
    let house = House::with(&builder(), json!([a_day(100)])).await;
    house
        .redeploy(json!({
            "upstream": { "limits": [{ "amount": 2, "window": "day" }] },
            "policies": {
                "cache": { "ttl_s": 600 },
                "operations": [{ "operations": ["POST /pets"], "request": [
                    { "policy": "respond", "status": 202 },
                ] }],
            },
        }))
        .await;
    house.upstream.forget();
    let key = [("apikey", house.consumer.key.as_str())];
    let request = |method, target: &str| {
        let target = format!("/pets/1.0{target}");
        tollgate_testkit::http::request(method, &target, &key, b"")
    };
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    // The call, its status, and what the caller has left.
    let rows = [
        ("POST", "/pets", 202, Some(99)),
        ("GET", "/pets", 200, Some(98)),
        ("GET", "/pets", 200, Some(97)),
        ("POST", "/pets", 202, Some(96)),
        ("GET", "/pets", 200, Some(95)),
        ("GET", "/pets/rex", 200, Some(94)),
        ("GET", "/pets/tom", 503, None),
        ("GET", "/pets/rex", 200, Some(93)),
        ("GET", "/pets/tom", 503, None),
        ("POST", "/pets", 202, Some(92)),
    ];
    for (index, (method, target, status, left)) in rows.into_iter().enumerate() {
        let answer = connection.exchange(&request(method, target)).await.unwrap();
        assert_eq!(answer.status, status, "{index}: {}", answer.text());
        if status == 503 {
            assert_eq!(answer.code(), "admit.upstream");
        } else {
            assert_eq!(left_under(&answer, "subscription-day"), left, "{index}");
        }
    }
    assert_eq!(house.upstream.requests(), 2);
}

#[tokio::test]
async fn a_stale_response_answers_for_an_upstream_that_is_used_up() {
    for (stale_s, expected) in [(600, (200, "kept")), (0, (503, ""))] {
        let house = House::new().await;
        house
            .redeploy(json!({
                "upstream": { "limits": [{ "amount": 1, "window": "day" }] },
                "policies": { "cache": { "show_status": true, "stale_if_error_s": stale_s } },
            }))
            .await;
        let fields = "Cache-Control: max-age=1\r\nAge: 1\r\n";
        let answer = upstream::answer(b"kept", fields);
        house.upstream.behave(Behaviour::Answer(answer));
        assert_eq!(house.call().await.text(), "kept");
        let (status, body) = expected;
        for _ in 0..2 {
            let answer = house.call().await;
            assert_eq!(answer.status, status, "{stale_s}: {}", answer.text());
            match status {
                200 => assert_eq!(answer.text(), body),
                _ => assert_eq!(answer.code(), "admit.upstream"),
            }
        }
    }
}

#[tokio::test]
async fn a_refusal_shows_what_is_left_once_its_charge_went_back() {
    let house = House::with(&builder(), json!([a_day(100)])).await;
    limit_upstream(&house, json!([{ "amount": 1, "window": "day" }])).await;
    let left = left_under(&house.call().await, "subscription-day");
    assert_eq!(left, Some(99));
    let refused = house.call().await;
    assert_eq!(refused.code(), "admit.upstream");
    assert_eq!(left_under(&refused, "subscription-day"), left);
}
