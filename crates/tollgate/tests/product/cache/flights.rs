//! Calls in progress: which callers wait for one, for how long, and what they get.
//!
//! A test of what happens at once has several tries: one that a busy machine does not delay is
//! enough.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use tollgate_testkit::{Behaviour, http, upstream};

use super::status;
use crate::house::{House, get};

/// The time for which a flight holds a caller, a little less.
const FLIGHT: Duration = Duration::from_millis(950);
const TRIES: usize = 5;

#[tokio::test]
async fn while_one_caller_waits_for_a_new_response_others_get_the_stale_one() {
    let house = House::new().await;
    house
        .cache(json!({ "stale_while_revalidate_s": 600, "show_status": true }))
        .await;
    house.answers("Cache-Control: max-age=1\r\nAge: 7\r\n", "old");
    assert_eq!(house.get("/pets", &[]).await.text(), "old");
    let new = upstream::answer(b"new", "Cache-Control: max-age=600\r\n");
    house
        .upstream
        .behave(Behaviour::Late(Duration::from_secs(3), new));
    house.upstream.forget();

    let leader = house.start("/pets");
    house.await_requests(1).await;
    let mut others = JoinSet::new();
    for _ in 0..50 {
        others.spawn(house.start("/pets"));
    }
    while let Some(answer) = others.join_next().await {
        let answer = answer.unwrap().unwrap();
        assert_eq!(answer.text(), "old");
        assert!(
            status(&answer).starts_with("tollgate; hit; ttl=-"),
            "{answer:?}"
        );
        assert!(!leader.is_finished());
    }
    let answer = leader.await.unwrap();
    assert_eq!(answer.text(), "new");
    assert_eq!(status(&answer), "tollgate; fwd=stale; stored");
    assert_eq!(house.get("/pets", &[]).await.text(), "new");
    assert_eq!(house.upstream.requests(), 1);
}

#[tokio::test]
async fn a_flight_holds_nobody_for_longer_than_a_second() {
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600 })).await;
    let late = upstream::answer(b"late", "");
    house
        .upstream
        .behave(Behaviour::Late(Duration::from_secs(6), late));
    let leader = house.start("/pets");
    house.await_requests(1).await;
    let begun = Instant::now();
    let mut calls = vec![house.start("/pets")];
    house.await_requests(2).await;
    assert!(begun.elapsed() > FLIGHT, "{:?}", begun.elapsed());
    // Those that come later do not wait at all.
    calls.extend((0..5).map(|_| house.start("/pets")));
    house.await_requests(7).await;
    assert!(!leader.is_finished());
    for call in [leader].into_iter().chain(calls) {
        assert_eq!(call.await.unwrap().text(), "late");
    }
    // What the leader got is stored.
    assert_eq!(house.get("/pets", &[]).await.text(), "late");
    assert_eq!(house.upstream.requests(), 7);
}

/// Returns for how long a caller waits for a leader, when a response begins so that has no end.
async fn wait_behind(house: &House, target: &str, begin: &str) -> Duration {
    let begin = begin.as_bytes().into();
    let late = Behaviour::Late(Duration::from_millis(300), begin);
    house.upstream.behave(late);
    house.upstream.forget();
    let mut leader = http::Connection::open(house.tollgate.gateway)
        .await
        .unwrap();
    let request = get(&format!("/pets/1.0{target}"), &house.consumer.key);
    leader.send(&request).await.unwrap();
    house.await_requests(1).await;
    house.answers("", "alone");
    let begun = Instant::now();
    assert_eq!(house.get(target, &[]).await.text(), "alone");
    begun.elapsed()
}

#[tokio::test]
async fn a_head_that_is_not_storable_frees_the_flight_at_once() {
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "entry_bytes_max": 1_000 }))
        .await;
    let rows = [
        "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n",
        "Content-Length: 1001\r\n\r\nhello",
        "Cache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n",
    ];
    for (row, fields) in rows.into_iter().enumerate() {
        let begin = format!("HTTP/1.1 200 OK\r\n{fields}");
        let mut waits = Vec::new();
        while waits.iter().all(|wait| *wait > FLIGHT) {
            assert!(waits.len() < TRIES, "{fields}: {waits:?}");
            let target = format!("/pets/{row}-{}", waits.len());
            waits.push(wait_behind(&house, &target, &begin).await);
        }
    }
}

#[tokio::test]
async fn a_key_that_is_not_storable_is_remembered_so_nobody_waits() {
    const LATE: Duration = Duration::from_millis(800);
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600 })).await;
    let fields = "Cache-Control: no-store\r\n";
    for attempt in 0..TRIES {
        let target = format!("/pets/{attempt}");
        house.answers(fields, "first");
        assert_eq!(house.get(&target, &[]).await.text(), "first");
        house.upstream.forget();
        let late = upstream::answer(b"next", fields);
        house.upstream.behave(Behaviour::Late(LATE, late));
        let begun = Instant::now();
        let calls: Vec<_> = (0..20).map(|_| house.start(&target)).collect();
        house.await_requests(20).await;
        let sent = begun.elapsed();
        for call in calls {
            assert_eq!(call.await.unwrap().text(), "next");
        }
        if sent < LATE {
            return;
        }
    }
    panic!("callers wait for a response that is not stored");
}
