//! Errors are counted by kind, and never as a success.

use std::collections::BTreeMap;
use std::net::TcpListener;

use tollgate_lab::load::{Outcome, Pace};

use crate::process::{SECOND_US, load, run, users};
use crate::server::{Reply, Server, answer};

/// Returns the outcome of a few requests that are all answered with `reply`.
fn all_answered(reply: &Reply) -> Outcome {
    let replied = reply.clone();
    let server = Server::start(move |_| replied.clone());
    let mut load = load(server.address, "/");
    load.expect.body_bytes = Some(5);
    load.pace = users(2);
    load.requests_max = 6;
    load.measured_us = 60 * SECOND_US;
    if matches!(reply, Reply::Silence) {
        load.timeout_us = SECOND_US / 4;
    }
    let outcome = run(&load);
    assert_eq!(outcome.sent_all, 6);
    assert_eq!(outcome.successes, outcome.latency.count());
    outcome
}

fn errors(of: &[(&str, u64)]) -> BTreeMap<String, u64> {
    of.iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect()
}

#[test]
fn a_complete_and_expected_answer_is_a_success() {
    let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nha\r\n3\r\nllo\r\n0\r\n\r\n";
    let until_closed = "HTTP/1.1 200 OK\r\n\r\nhallo";
    let last = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhallo";
    for reply in [
        answer("hallo"),
        Reply::Send(chunked.to_owned()),
        Reply::SendAndClose(until_closed.to_owned()),
        Reply::SendAndClose(last.to_owned()),
    ] {
        let outcome = all_answered(&reply);
        assert_eq!(
            (outcome.successes, outcome.answered_all),
            (6, 6),
            "{reply:?}: {outcome:?}"
        );
        assert_eq!(outcome.errors, errors(&[]), "{reply:?}");
    }
}

#[test]
fn a_wrong_answer_is_no_success() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    let limited = "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 5\r\n\r\nhallo";
    for (reply, fault, answered) in [
        (answer("hello!"), "size", 6),
        (answer(""), "size", 6),
        (Reply::Send(limited.to_owned()), "status 429", 6),
        (Reply::SendAndClose(format!("{head}hall")), "short", 0),
        (
            Reply::SendAndClose("HTTP/1.1 200 OK\r\nConten".to_owned()),
            "short",
            0,
        ),
        (Reply::SendAndClose(String::new()), "closed", 0),
        (
            Reply::Send(format!("{head}hallo, and more")),
            "malformed",
            0,
        ),
        (Reply::Send("hallo".to_owned()), "malformed", 0),
        (Reply::Silence, "timeout", 0),
    ] {
        let outcome = all_answered(&reply);
        assert_eq!(outcome.errors, errors(&[(fault, 6)]), "{reply:?}");
        assert_eq!(
            (outcome.successes, outcome.answered_all),
            (0, answered),
            "{reply:?}"
        );
    }
}

#[test]
fn good_and_bad_answers_are_counted_separately() {
    let server = Server::start(|number| match number % 3 {
        0 => answer("hallo"),
        1 => Reply::SendAndClose("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nha".to_owned()),
        _ => Reply::Send("HTTP/1.1 503 No\r\nContent-Length: 5\r\n\r\nhallo".to_owned()),
    });
    for pace in [
        users(1),
        Pace::Open {
            per_second: 50.0,
            connections: 1,
        },
    ] {
        let mut load = load(server.address, "/");
        load.pace = pace;
        load.requests_max = 30;
        load.measured_us = 60 * SECOND_US;
        let outcome = run(&load);
        assert_eq!(
            outcome.errors,
            errors(&[("short", 10), ("status 503", 10)]),
            "{pace:?}"
        );
        assert_eq!(
            (outcome.successes, outcome.answered_all),
            (10, 20),
            "{pace:?}"
        );
    }
}

#[test]
fn a_dead_server_is_an_error_and_retries_back_off() {
    let dead = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = dead.local_addr().expect("an address");
    drop(dead);
    let mut load = load(address, "/");
    load.pace = users(10);
    let outcome = run(&load);
    assert_eq!((outcome.successes, outcome.sent_all), (0, 0));
    // Each of ten users retries after 10, 20, 40 … milliseconds: six times in a second.
    let connects = outcome.errors.get("connect").copied().unwrap_or(0);
    assert!((1..=70).contains(&connects), "{:?}", outcome.errors);
}
