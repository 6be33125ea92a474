//! Limits on bytes: charged when a call ends, however it ends. Every call in progress at the
//! crossing passes, the next one is refused.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, Connection, http, upstream};

use super::{PATIENCE, WORKERS, left_under, on, on_each, parameter, received, statuses};
use crate::house::{House, builder};

/// The limit in most tests.
const LIMIT: u64 = 10_000;
const NAME: &str = "subscription-bytes-out-day";

fn bytes(metric: &str) -> Value {
    json!([{ "metric": metric, "per": "subscription", "amount": LIMIT, "window": "day" }])
}

/// Returns a response with a body of this length.
fn sized(length: usize) -> std::sync::Arc<[u8]> {
    upstream::answer(&vec![b'a'; length], "")
}

/// Waits until a call is refused, because one that ended before has been charged. These calls have
/// few bytes of their own, in both directions.
async fn refused_at_last(house: &House) {
    house.upstream.behave(Behaviour::text("a"));
    let begun = Instant::now();
    while house.call().await.status != 429 {
        assert!(begun.elapsed() < PATIENCE, "never refused");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn l19_the_call_that_crosses_the_amount_passes_and_the_next_one_does_not() {
    for workers in WORKERS {
        let house = on(workers, bytes("bytes_out")).await;
        house.upstream.behave(Behaviour::Answer(sized(4_000)));
        let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
        let mut left = Vec::new();
        for _ in 0..3 {
            let answer = connection.exchange(&house.request()).await.unwrap();
            assert_eq!((answer.status, answer.body.len()), (200, 4_000));
            left.push(left_under(&answer, NAME).unwrap());
        }
        assert_eq!(left, [10_000, 6_000, 2_000], "{workers}");
        let refused = connection.exchange(&house.request()).await.unwrap();
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (429, "admit.subscription")
        );
        assert_eq!(left_under(&refused, NAME), Some(0));
        assert_eq!(
            parameter(&refused, ("ratelimit-policy", NAME), "q"),
            Some(LIMIT)
        );
        let policy = refused.field("ratelimit-policy").unwrap();
        assert!(policy.contains("qu=\"content-bytes\""), "{policy}");
        assert!(refused.field("retry-after").is_some());
    }
}

#[tokio::test]
async fn l19_all_calls_in_progress_at_the_crossing_pass() {
    on_each(bytes("bytes_out"), async |workers, house| {
        let late = Behaviour::Late(Duration::from_secs(1), sized(4_000));
        house.upstream.behave(late);
        let request = house.request();
        let calls = house.send_at_once(12, &request);
        let (answers, ()) = tokio::join!(calls, received(&house.upstream, 12));
        assert_eq!(statuses(&answers), [(200, 12)].into(), "{workers}");
        refused_at_last(&house).await;
    })
    .await;
}

#[tokio::test]
async fn bytes_of_requests_and_of_both_directions_are_charged() {
    // The metric, and the lengths of the request's and of the response's body.
    let rows = [
        ("bytes_in", 6_000, 2, [10_000, 4_000]),
        ("bytes_out", 6_000, 2, [10_000, 9_998]),
        ("bytes", 6_000, 2, [10_000, 3_998]),
    ];
    for (metric, request, response, expected) in rows {
        let house = House::with(&builder(), bytes(metric)).await;
        house.upstream.behave(Behaviour::Answer(sized(response)));
        let key = [("apikey", house.consumer.key.as_str())];
        let request = http::request("POST", "/pets/1.0/pets", &key, &vec![b'b'; request]);
        let name = format!("subscription-{}-day", metric.replace('_', "-"));
        let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
        let mut left = Vec::new();
        for _ in 0..2 {
            let answer = connection.exchange(&request).await.unwrap();
            assert_eq!(answer.status, 200, "{}", answer.text());
            left.push(left_under(&answer, &name).unwrap());
        }
        assert_eq!(left, expected, "{metric}");
    }
}

/// Begins a long download and reads this much of it.
async fn begin_download(house: &House, length: usize) -> Connection {
    let pieces = Behaviour::Pieces(Duration::from_millis(20), 4_096, sized(40 << 20));
    house.upstream.behave(pieces);
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection.send(&house.request()).await.unwrap();
    connection.until(&vec![b'a'; length]).await.unwrap();
    connection
}

#[tokio::test]
async fn what_a_caller_got_before_it_left_is_charged() {
    let house = House::with(&builder(), bytes("bytes_out")).await;
    drop(begin_download(&house, 20_000).await);
    refused_at_last(&house).await;
}

/// Begins a long upload; returns once the upstream has received this much of it.
async fn begin_upload(house: &House, length: usize) -> Connection {
    let fields = [
        ("apikey", house.consumer.key.as_str()),
        ("Content-Length", "9000000"),
    ];
    let head = http::request("GET", "/pets/1.0/pets", &fields, b"");
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection.send(&head).await.unwrap();
    connection.send(&vec![b'b'; length]).await.unwrap();
    let begun = Instant::now();
    while house.upstream.received().concat().len() < length {
        assert!(begun.elapsed() < PATIENCE, "nothing arrives");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    connection
}

#[tokio::test]
async fn what_a_caller_sent_before_it_left_is_charged() {
    let house = House::with(&builder(), bytes("bytes_in")).await;
    drop(begin_upload(&house, 20_000).await);
    refused_at_last(&house).await;
}

#[tokio::test]
async fn what_an_upstream_sent_before_it_broke_off_is_charged() {
    let house = House::with(&builder(), bytes("bytes_out")).await;
    let half = &sized(40_000)[..20_000];
    house.upstream.behave(Behaviour::BreakOff(half.into()));
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    assert!(connection.exchange(&house.request()).await.is_err());
    refused_at_last(&house).await;
}

/// Stops the process with calls in progress, starts it again, and returns the status of a call.
async fn status_after_a_stop(house: House) -> u16 {
    house.upstream.behave(Behaviour::text("a"));
    let request = house.request();
    let (_, builder) = house.tollgate.terminate().unwrap();
    let tollgate = builder.start().unwrap();
    http::call(tollgate.gateway, &request).await.unwrap().status
}

#[tokio::test]
async fn what_was_sent_of_calls_that_a_drain_cut_is_charged() {
    for metric in ["bytes_out", "bytes_in", "bytes"] {
        let builder = builder().set("gateway-drain-grace-ms", "100");
        let house = House::with(&builder, bytes(metric)).await;
        let connection = match metric {
            "bytes_in" => begin_upload(&house, 20_000).await,
            _ => begin_download(&house, 20_000).await,
        };
        assert_eq!(status_after_a_stop(house).await, 429, "{metric}");
        drop(connection);
    }
}
