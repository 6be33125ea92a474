//! Calls in progress: which callers wait for one, for how long, and what they get.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tollgate_testkit::http::Connection;
use tollgate_testkit::{Behaviour, upstream};

use super::status;
use crate::house::{House, builder, get};

/// Time limit on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// A wait that no test reaches.
const LONG_MS: u32 = 60_000;
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
async fn each_time_the_wait_ends_as_many_more_go_as_are_on_their_way() {
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600, "wait_ms": 3_000 })).await;
    let late = upstream::answer(b"late", "");
    house
        .upstream
        .behave(Behaviour::Late(Duration::from_millis(8_500), late));
    let begun = Instant::now();
    let mut calls = JoinSet::new();
    for _ in 0..40 {
        calls.spawn(house.start("/pets"));
    }
    house.await_requests(2).await;
    assert!(begun.elapsed() >= Duration::from_secs(3));
    // Those that wait get the first response; the others are still on their way.
    for _ in 0..32 {
        let answer = calls.join_next().await.unwrap();
        assert_eq!(answer.unwrap().unwrap().text(), "late");
    }
    // One, two and four; eight on a busy machine.
    let sent = house.upstream.requests();
    assert!((4..=8).contains(&sent), "{sent}");
    assert_eq!(house.get("/pets", &[]).await.text(), "late");
    assert_eq!(house.upstream.requests(), sent);
}

#[tokio::test]
async fn callers_wait_for_half_of_their_time_at_most_or_not_at_all() {
    let builder = builder().set("gateway-exchange-timeout-ms", "6000");
    let house = House::with(&builder, json!([])).await;
    house
        .cache(json!({ "ttl_s": 600, "wait_ms": LONG_MS }))
        .await;
    house.upstream.behave(Behaviour::Hang);
    let begun = Instant::now();
    let leader = house.start("/pets");
    house.await_requests(1).await;
    let waiting = house.start("/pets");
    house.await_requests(2).await;
    assert!(begun.elapsed() >= Duration::from_secs(3));
    for call in [leader, waiting] {
        assert_eq!(call.await.unwrap().status, 504);
    }
    // Callers that wait get a response that one of them has stored.
    house.cache(json!({ "ttl_s": 600, "wait_ms": 0 })).await;
    let late = upstream::answer(b"late", "");
    house
        .upstream
        .behave(Behaviour::Late(Duration::from_secs(3), late));
    let calls: Vec<_> = (0..5).map(|_| house.start("/pets")).collect();
    house.await_requests(5).await;
    assert!(calls.iter().all(|call| !call.is_finished()));
    for call in calls {
        assert_eq!(call.await.unwrap().text(), "late");
    }
    assert_eq!(house.get("/pets", &[]).await.text(), "late");
    assert_eq!(house.upstream.requests(), 5);
}

#[tokio::test]
async fn a_leader_that_does_not_read_delays_nobody() {
    const BYTES: usize = 8_000_000;
    let builder = builder().set("gateway-cache-bytes-max", "134217728");
    let house = House::with(&builder, json!([])).await;
    house
        .cache(json!({ "ttl_s": 600, "wait_ms": LONG_MS, "entry_bytes_max": 10_000_000 }))
        .await;
    let body = "x".repeat(BYTES);
    let length = upstream::answer(body.as_bytes(), "");
    let chunked =
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{BYTES:x}\r\n{body}");
    let chunked = [chunked.as_bytes(), b"\r\n0\r\n\r\n"].concat().into();
    for (target, answer) in [("/pets/1", length), ("/pets/2", chunked)] {
        house.upstream.forget();
        house.upstream.behave(Behaviour::Answer(answer));
        // The response is larger than the buffers of its connection.
        let mut leader = Connection::open(house.tollgate.gateway).await.unwrap();
        let request = get(&format!("/pets/1.0{target}"), &house.consumer.key);
        leader.send(&request).await.unwrap();
        house.await_requests(1).await;
        let mut others = JoinSet::new();
        for _ in 0..5 {
            others.spawn(house.start(target));
        }
        while let Some(answer) = others.join_next().await {
            assert_eq!(answer.unwrap().unwrap().body.len(), BYTES);
        }
        let answer = leader.answer(false).await.unwrap();
        assert!(answer.text() == body, "{}", answer.body.len());
        assert_eq!(house.upstream.requests(), 1);
    }
}

#[tokio::test]
async fn a_response_that_is_too_long_reaches_a_caller_that_does_not_read() {
    const BYTES: usize = 8_000_000;
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "wait_ms": LONG_MS, "entry_bytes_max": 2_000_000 }))
        .await;
    let body = "0123456789".repeat(BYTES / 10);
    let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{BYTES:x}\r\n");
    let answer = [head.as_bytes(), body.as_bytes(), b"\r\n0\r\n\r\n"].concat();
    house.upstream.behave(Behaviour::Answer(answer.into()));
    let mut leader = Connection::open(house.tollgate.gateway).await.unwrap();
    leader.send(&house.request()).await.unwrap();
    house.await_requests(1).await;
    for _ in 0..2 {
        assert!(house.get("/pets", &[]).await.text() == body);
    }
    assert!(leader.answer(false).await.unwrap().text() == body);
    assert_eq!(house.upstream.requests(), 3);
}

#[tokio::test]
async fn a_body_is_stored_although_its_caller_leaves() {
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "wait_ms": LONG_MS }))
        .await;
    let slow = upstream::answer(&[b'x'; 10_000], "");
    let slow = Behaviour::Pieces(Duration::from_millis(300), 1_000, slow);
    house.upstream.behave(slow);
    let mut leader = Connection::open(house.tollgate.gateway).await.unwrap();
    leader.send(&house.request()).await.unwrap();
    house.await_requests(1).await;
    leader.until(b"x").await.unwrap();
    drop(leader);
    assert_eq!(house.get("/pets", &[]).await.body.len(), 10_000);
    assert_eq!(house.upstream.requests(), 1);
}

#[tokio::test]
async fn callers_do_not_wait_for_a_response_that_must_be_confirmed_each_time() {
    let house = House::new().await;
    house.cache(json!({ "wait_ms": LONG_MS })).await;
    let fields = "Cache-Control: no-cache\r\nETag: \"v1\"\r\n";
    house.answers(fields, "first");
    assert_eq!(house.get("/pets", &[]).await.text(), "first");
    house.upstream.behave(Behaviour::Hang);
    house.upstream.forget();
    let _calls: Vec<_> = (0..5).map(|_| house.start("/pets")).collect();
    house.await_requests(5).await;
}

#[tokio::test]
async fn nobody_gets_what_was_purged_while_a_call_failed() {
    let house = House::new().await;
    house
        .cache(json!({ "stale_if_error_s": 600, "wait_ms": LONG_MS }))
        .await;
    house.answers("Cache-Control: max-age=1\r\nAge: 1\r\n", "old");
    assert_eq!(house.get("/pets", &[]).await.text(), "old");
    let down = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
    let down = Behaviour::Late(Duration::from_secs(3), down.as_slice().into());
    house.upstream.behave(down);
    house.upstream.forget();
    let failing = house.start("/pets");
    house.await_requests(1).await;
    let purge = format!("/api/v1/versions/{}/cache/purge", house.api.version);
    let all = json!({});
    let purged = house.admin.done("POST", &purge, Some(&all));
    purged.await.unwrap();
    house.answers("", "new");
    assert_eq!(house.get("/pets", &[]).await.text(), "new");
    assert_eq!(failing.await.unwrap().status, 503);
}

#[tokio::test]
async fn a_caller_that_leaves_while_it_waits_is_noticed() {
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "wait_ms": LONG_MS }))
        .await;
    house.upstream.behave(Behaviour::Hang);
    let leader = house.start("/pets");
    house.await_requests(1).await;
    let mut waiting = Connection::open(house.tollgate.gateway).await.unwrap();
    waiting.send(&house.request()).await.unwrap();
    waiting.finish().await.unwrap();
    let ended = timeout(PATIENCE, waiting.until(b"never sent")).await;
    assert!(ended.expect("the gateway closes").is_err());
    assert!(!leader.is_finished());
    assert_eq!(house.upstream.requests(), 1);
}

#[tokio::test]
async fn a_head_that_is_not_storable_frees_the_flight_at_once() {
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "wait_ms": LONG_MS, "entry_bytes_max": 1_000 }))
        .await;
    let rows = [
        "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n",
        "Content-Length: 1001\r\n\r\nhello",
        "Cache-Control: no-store\r\nTransfer-Encoding: chunked\r\n\r\n",
    ];
    for (row, fields) in rows.into_iter().enumerate() {
        // A response begins so, and has no end.
        let begin = format!("HTTP/1.1 200 OK\r\n{fields}").into_bytes();
        let late = Behaviour::Late(Duration::from_millis(300), begin.into());
        house.upstream.behave(late);
        house.upstream.forget();
        let target = format!("/pets/{row}");
        let mut leader = Connection::open(house.tollgate.gateway).await.unwrap();
        let request = get(&format!("/pets/1.0{target}"), &house.consumer.key);
        leader.send(&request).await.unwrap();
        house.await_requests(1).await;
        house.answers("", "alone");
        assert_eq!(house.get(&target, &[]).await.text(), "alone", "{fields}");
    }
}

#[tokio::test]
async fn a_key_that_is_not_storable_is_remembered_so_nobody_waits() {
    const LATE: Duration = Duration::from_millis(800);
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "wait_ms": LONG_MS }))
        .await;
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
