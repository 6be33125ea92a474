//! Many calls at once: what callers share, and what they never do.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use tollgate_testkit::load::Load;
use tollgate_testkit::{Behaviour, http, upstream};

use crate::house::{House, builder};

/// Connections of each application.
const CONNECTIONS: usize = 16;
/// Calls on each connection: 10,000 of two applications.
const CALLS: usize = 313;
const TARGETS: usize = 50;

/// A call, and the lines that its response must contain.
struct Call {
    request: Vec<u8>,
    lines: Vec<String>,
}

/// Makes calls one after another on one connection.
async fn make_all(gateway: std::net::SocketAddr, calls: Vec<Call>) {
    let mut connection = http::Connection::open(gateway).await.unwrap();
    for Call { request, lines } in calls {
        let answer = connection.exchange(&request).await.unwrap();
        let text = answer.text();
        assert_eq!(answer.status, 200, "{text}");
        for line in lines {
            assert!(text.contains(&format!("{line}\r\n")), "no {line} in {text}");
        }
    }
}

/// Returns a mix of calls of an application, which names itself in a field that is not keyed.
fn mixed((key, name): (&str, &str), own_line: &str, connection: usize) -> Vec<Call> {
    let calls = (0..CALLS).map(|index| {
        // Each connection has its own order of targets.
        let number = (index * (2 * connection + 1) + connection) % TARGETS;
        let target = match number % 2 {
            0 => format!("/pets/{number}"),
            _ => format!("/pets?n={number}"),
        };
        let (method, target) = match index % 64 {
            63 => ("POST", "/pets".to_owned()),
            _ => ("GET", target),
        };
        let accept = ["text/plain", "text/html"][index / 3 % 2];
        let fields = [("apikey", key), ("x-own", name), ("accept", accept)];
        Call {
            request: http::request(method, &format!("/pets/1.0{target}"), &fields, b""),
            lines: vec![
                format!("{method} {target} HTTP/1.1"),
                format!("accept: {accept}"),
                format!("x-own: {name}"),
                own_line.to_owned(),
            ],
        }
    });
    calls.collect()
}

#[tokio::test]
async fn no_caller_gets_the_response_to_another_application() {
    let house = House::new().await;
    let other = house.other().await;
    house.upstream.behave(Behaviour::Mirror);
    // Expiry, stale responses and changes of targets are part of the mix.
    let cache = json!({ "ttl_s": 1, "stale_while_revalidate_s": 600, "pass": ["x-own"] });
    for identity in ["none", "headers"] {
        let change = json!({ "identity": identity, "policies": { "cache": cache } });
        house.redeploy(change).await;
        house.upstream.forget();
        let mut connections = JoinSet::new();
        for (consumer, name) in [(&house.consumer, "one"), (&other, "two")] {
            let own_line = match identity {
                "headers" => format!("x-tollgate-application: {}", consumer.application),
                _ => format!("x-own: {name}"),
            };
            for connection in 0..CONNECTIONS {
                let calls = mixed((&consumer.key, name), &own_line, connection);
                connections.spawn(make_all(house.tollgate.gateway, calls));
            }
        }
        connections.join_all().await;
        let all = (2 * CONNECTIONS * CALLS) as u64;
        let sent = house.upstream.requests();
        assert!(sent < all * 9 / 10, "{sent} of {all} calls go up");
    }
}

#[tokio::test]
async fn a_thousand_callers_of_a_cold_key_make_one_call() {
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "wait_ms": 60_000 }))
        .await;
    let late = upstream::answer(b"late", "");
    house
        .upstream
        .behave(Behaviour::Late(Duration::from_millis(100), late));
    let mut calls = JoinSet::new();
    for _ in 0..1_000 {
        calls.spawn(house.start("/pets"));
    }
    while let Some(answer) = calls.join_next().await {
        let answer = answer.unwrap().unwrap();
        assert_eq!((answer.status, answer.text()), (200, "late".to_owned()));
    }
    assert_eq!(house.upstream.requests(), 1);
}

#[tokio::test]
async fn a_full_cache_stays_within_its_bound_and_still_hits() {
    const MIB: u64 = 1024 * 1024;
    const ALL: usize = 5_000;
    let builder = builder().set("gateway-cache-bytes-max", &(4 * MIB).to_string());
    let house = House::with(&builder, json!([])).await;
    house.upstream.behave(Behaviour::Mirror);
    // Goes up and comes back without being part of the key.
    let filler = "f".repeat(4 * 1024);
    let gateway = house.tollgate.gateway;
    let run = async |targets: std::ops::Range<usize>| {
        let mut connections = JoinSet::new();
        for connection in 0..CONNECTIONS {
            let own = targets.clone().skip(connection).step_by(CONNECTIONS);
            let calls = own.map(|number| {
                let target = format!("/pets/{number}");
                let key = house.consumer.key.as_str();
                let fields = [("apikey", key), ("x-fill", &filler)];
                Call {
                    request: http::request("GET", &format!("/pets/1.0{target}"), &fields, b""),
                    lines: vec![
                        format!("GET {target} HTTP/1.1"),
                        format!("x-fill: {filler}"),
                    ],
                }
            });
            connections.spawn(make_all(gateway, calls.collect()));
        }
        connections.join_all().await;
    };
    // The same calls without a cache: what they take of memory remains.
    run(0..ALL).await;
    house
        .cache(json!({ "ttl_s": 600, "pass": ["x-fill"] }))
        .await;
    let before = house.tollgate.anonymous_memory_kib().unwrap();
    run(0..ALL).await;
    assert_eq!(house.upstream.requests(), ALL as u64);
    let after = house.tollgate.anonymous_memory_kib().unwrap();
    let grown = after.saturating_sub(before) * 1024;
    // All responses are more than 20 MiB.
    assert!(grown < 10 * MIB, "grown by {grown} bytes");
    // Each response that is new is stored.
    house.upstream.forget();
    for _ in 0..4 {
        run(ALL..ALL + 50).await;
    }
    let sent = house.upstream.requests();
    assert!(sent < 100, "{sent} of 200 calls go up");
}

#[tokio::test]
async fn no_call_after_a_purge_gets_what_was_stored_before() {
    let house = House::new().await;
    house.cache(json!({ "ttl_s": 600 })).await;
    house.answers("", "0");
    let load = Load {
        per_second: 400,
        connections: 16,
        fresh_per_second: 10,
        label: Some(|answer| answer.text()),
        ..Load::of(house.tollgate.gateway, house.request())
    };
    let running = load.start().unwrap();
    running.calls(50).await;
    let path = format!("/api/v1/versions/{}/cache/purge", house.api.version);
    let mut purged = vec![Instant::now()];
    for round in 1..=5 {
        house.answers("", &round.to_string());
        // Without the gateways within a second, it is answered by 503.
        house
            .admin
            .done("POST", &path, Some(&json!({})))
            .await
            .unwrap();
        purged.push(Instant::now());
        running.calls(50).await;
    }
    let tally = running.finish().unwrap();
    let end = Instant::now();
    for (round, purged) in purged.iter().enumerate() {
        for older in 0..round {
            let count = tally.within(*purged, end, &older.to_string());
            assert_eq!(count, 0, "{older} after purge {round}");
        }
        assert!(
            tally.within(*purged, end, &round.to_string()) > 0,
            "{round}"
        );
    }
    assert_eq!(tally.labels.len(), purged.len(), "{:?}", tally.labels);
}
