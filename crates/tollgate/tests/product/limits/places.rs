//! Limits on calls at the same time: a place is held from admission to the last byte, and given
//! back however a call ends.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Behaviour, Connection, upstream};

use super::{PATIENCE, WORKERS, left_under, on, received, statuses};
use crate::house::House;

const PLACES: usize = 20;
const NAME: &str = "subscription-concurrent";

fn places() -> Value {
    json!({ "metric": "concurrent", "per": "subscription", "amount": PLACES })
}

/// Takes all places with calls that the upstream does not answer. Those of earlier calls may be
/// given back a moment after their callers have gone.
async fn take_all(house: &House) -> Vec<Connection> {
    house.upstream.behave(Behaviour::Hang);
    house.upstream.forget();
    let begun = Instant::now();
    let mut taken = Vec::new();
    while taken.len() < PLACES {
        assert!(begun.elapsed() < PATIENCE, "{} places", taken.len());
        let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
        connection.send(&house.request()).await.unwrap();
        let count = u64::try_from(taken.len() + 1).unwrap();
        tokio::select! {
            answer = connection.answer(false) => {
                assert_eq!(answer.unwrap().status, 429);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            () = received(&house.upstream, count) => taken.push(connection),
        }
    }
    taken
}

/// Takes all places, and asserts that one more call is refused.
async fn take_all_and_no_more(house: &House) -> Vec<Connection> {
    let taken = take_all(house).await;
    let refused = house.call().await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (429, "admit.subscription")
    );
    assert_eq!(refused.field("retry-after"), Some("1"));
    assert_eq!(
        refused.field("ratelimit"),
        Some(&*format!("\"{NAME}\";r=0"))
    );
    let policy = format!("\"{NAME}\";q={PLACES};qu=\"concurrent-requests\"");
    assert_eq!(refused.field("ratelimit-policy"), Some(&*policy));
    taken
}

#[tokio::test]
async fn l19_of_20_places_each_is_given_back_by_a_caller_that_leaves() {
    for workers in WORKERS {
        let house = on(workers, json!([places()])).await;
        for _ in 0..3 {
            drop(take_all_and_no_more(&house).await);
        }
    }
}

#[tokio::test]
async fn places_are_given_back_however_calls_end() {
    let house = on("2", json!([places()])).await;
    let upstream = json!({ "upstream": { "first_byte_timeout_ms": 1_000 } });
    house.redeploy(upstream).await;
    let request = house.request();
    let cut = upstream::answer(&[b'a'; 100], "");
    let late = Duration::from_millis(300);
    // What the upstream does, and the status; none if the response is cut.
    let rows = [
        (
            Behaviour::Late(late, upstream::answer(b"late", "")),
            Some(200),
        ),
        (Behaviour::Pieces(late / 10, 20, cut.clone()), Some(200)),
        (
            Behaviour::Late(
                2 * late,
                b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"[..].into(),
            ),
            Some(404),
        ),
        (Behaviour::Hang, Some(504)),
        (Behaviour::Reset, Some(502)),
        (Behaviour::BreakOff(cut[..90].into()), None),
    ];
    for (behaviour, status) in rows {
        house.upstream.behave(behaviour.clone());
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..PLACES {
            let (gateway, request) = (house.tollgate.gateway, request.clone());
            calls.spawn(async move {
                let mut connection = Connection::open(gateway).await.unwrap();
                connection.exchange(&request).await
            });
        }
        for outcome in calls.join_all().await {
            let seen = outcome.ok().map(|answer| answer.status);
            assert_eq!(seen, status, "{behaviour:?}");
        }
        house
            .redeploy(json!({ "upstream": { "first_byte_timeout_ms": 60_000 } }))
            .await;
        drop(take_all_and_no_more(&house).await);
        house
            .redeploy(json!({ "upstream": { "first_byte_timeout_ms": 1_000 } }))
            .await;
    }
}

#[tokio::test]
async fn a_call_that_another_limit_refuses_takes_no_place() {
    let one = json!({ "per": "application", "amount": 1, "window": "day" });
    for workers in WORKERS {
        let house = on(workers, json!([places(), one])).await;
        let request = house.request();
        let answers = house.send_at_once(60, &request).await;
        assert_eq!(
            statuses(&answers),
            [(200, 1), (429, 59)].into(),
            "{workers}"
        );
        house.set_limits(json!([places()])).await;
        drop(take_all_and_no_more(&house).await);
    }
}

#[tokio::test]
async fn what_is_left_is_the_places_that_are_free() {
    let house = on("2", json!([places()])).await;
    let left = async || -> Answer { house.call().await };
    assert_eq!(left_under(&left().await, NAME), Some(19));
    let mut taken = take_all(&house).await;
    taken.truncate(5);
    house.upstream.behave(Behaviour::text("hello"));
    let begun = Instant::now();
    loop {
        let answer = left().await;
        if left_under(&answer, NAME) == Some(14) {
            assert_eq!(
                answer.field("ratelimit"),
                Some(&*format!("\"{NAME}\";r=14"))
            );
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{answer:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
