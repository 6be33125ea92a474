//! Requests arrive as configured.

use std::collections::BTreeMap;

use tollgate_lab::load::Pace;

use crate::process::{BackEnd, SECOND_US, file, load, run, users};
use crate::server::{Server, answer};

#[test]
fn values_are_used_in_turn() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys: Vec<String> = (0..7).map(|number| format!("key-{number}")).collect();
    let paces = [
        users(1),
        users(3),
        Pace::Open {
            per_second: 1000.0,
            connections: 3,
        },
    ];
    for (pace, is_ordered) in paces.into_iter().zip([true, false, false]) {
        let server = Server::start(|_| answer("ok"));
        let mut load = load(server.address, "/things?key={value}");
        load.request.headers = vec![("Authorization".to_owned(), "Bearer {value}".to_owned())];
        load.values = Some(file(folder.path(), "keys", keys.join("\n")));
        load.pace = pace;
        load.requests_max = 70;
        load.measured_us = 60 * SECOND_US;
        assert_eq!(run(&load).successes, 70);
        let values: Vec<String> = server
            .received()
            .iter()
            .map(|received| value(&received.head))
            .collect();
        let in_turn: Vec<String> = keys.iter().cycle().take(70).cloned().collect();
        if is_ordered {
            assert_eq!(values, in_turn);
        }
        assert_eq!(how_often(&values), how_often(&in_turn), "{pace:?}");
    }
}

/// Returns the value in a head, which must be the same in both places.
fn value(head: &str) -> String {
    let (line, fields) = head.split_once("\r\n").expect("lines");
    let target = line.strip_prefix("GET /things?key=").expect("the target");
    let value = target.strip_suffix(" HTTP/1.1").expect("the version");
    assert!(
        fields.contains(&format!("\r\nAuthorization: Bearer {value}\r\n")),
        "{head}"
    );
    value.to_owned()
}

fn how_often(values: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value.as_str()).or_default() += 1;
    }
    counts
}

#[test]
fn bodies_arrive_byte_for_byte() {
    let folder = tempfile::tempdir().expect("a folder");
    // More than a socket accepts at once, and every byte value.
    for length in [1, 5_000, 3_000_000] {
        let body: Vec<u8> = (0..length)
            .map(|at: u32| (at % 251) as u8 ^ (at >> 8) as u8)
            .collect();
        let server = Server::start(|_| answer("ok"));
        let mut load = load(server.address, "/things");
        load.request.method = "POST".to_owned();
        load.request.body = Some(file(folder.path(), "body", &body));
        load.pace = users(3);
        load.requests_max = 9;
        load.measured_us = 60 * SECOND_US;
        let outcome = run(&load);
        assert_eq!(
            (outcome.successes, outcome.sent_all),
            (9, 9),
            "{:?}",
            outcome.errors
        );
        let received = server.received();
        assert_eq!(received.len(), 9);
        assert!(
            received.iter().all(|received| received.body == body),
            "a body of {length} changed"
        );
        let heads = received
            .iter()
            .map(|received| received.head.len() as u64)
            .sum::<u64>();
        assert_eq!(outcome.sent_bytes, heads + 9 * u64::from(length));
    }
}

#[test]
fn counts_agree_with_the_back_end() {
    let back_end = BackEnd::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let mut load = load(back_end.address, "/echo?delay_ms=1");
    load.request.method = "POST".to_owned();
    load.request.body = Some(file(folder.path(), "body", [b'x'; 1000]));
    load.expect.body_bytes = Some(1000);
    load.pace = users(8);
    // Requests of the warm-up and those in flight at the end are in both counts.
    load.warm_up_us = SECOND_US / 5;
    load.measured_us = SECOND_US / 2;
    let outcome = run(&load);
    assert_eq!(outcome.errors, BTreeMap::new());
    assert!(
        outcome.sent_all > outcome.successes && outcome.successes > 0,
        "{outcome:?}"
    );
    assert_eq!(outcome.answered_all, outcome.sent_all);
    let all = outcome.sent_all;
    assert_eq!(back_end.count(), (all, 1000 * all, 1000 * all));
}

#[test]
fn a_head_request_is_answered_without_a_body() {
    let back_end = BackEnd::start(&[]);
    let mut load = load(back_end.address, "/bytes/5000");
    load.request.method = "HEAD".to_owned();
    load.expect.body_bytes = Some(0);
    load.requests_max = 10;
    let outcome = run(&load);
    assert_eq!((outcome.successes, outcome.error_count()), (10, 0));
}
