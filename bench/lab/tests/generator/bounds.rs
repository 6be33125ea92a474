//! Bounds of a load: its time and count, signals, the machine; and requests that the back end
//! rejects.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use tollgate_lab::load::{Event, Load, Pace};

use crate::process::{BackEnd, Generator, SECOND_US, lab, load, run, users};
use crate::server::{Server, answer};

#[test]
fn a_load_reports_its_seconds_and_ends_with_its_time() {
    let back_end = BackEnd::start(&[]);
    let mut load = load(back_end.address, "/bytes/10?delay_ms=10");
    load.warm_up_us = SECOND_US / 10;
    load.measured_us = 2 * SECOND_US;
    let mut command = lab();
    command.arg("load");
    let mut generator = Generator::start(command, &load);
    let (mut events, mut seconds, mut outcome) = (Vec::new(), Vec::new(), None);
    while let Some(event) = generator.event() {
        events.push(serde_json::to_value(&event).expect("JSON")["event"].clone());
        match event {
            Event::Second { successes, .. } => seconds.push(successes),
            Event::Outcome(last) => outcome = Some(last),
            _ => {}
        }
    }
    assert_eq!(
        events,
        ["measuring", "second", "second", "measured", "outcome"]
    );
    let outcome = outcome.expect("it is reported");
    assert_eq!(outcome.measured_us, load.measured_us);
    assert_eq!(seconds.iter().sum::<u64>(), outcome.successes);
}

#[test]
fn a_signal_ends_a_load_early_with_its_outcome() {
    let back_end = BackEnd::start(&[]);
    let mut load = load(back_end.address, "/bytes/10?delay_ms=10");
    load.pace = users(5);
    load.measured_us = 600 * SECOND_US;
    let mut command = lab();
    command.arg("load");
    let mut generator = Generator::start(command, &load);
    while !matches!(generator.event(), Some(Event::Second { .. })) {}
    let id = i32::try_from(generator.id())
        .ok()
        .and_then(Pid::from_raw)
        .expect("an id");
    kill_process(id, Signal::TERM).expect("it is there");
    let outcome = generator.outcome();
    assert!(
        (SECOND_US..60 * SECOND_US).contains(&outcome.measured_us),
        "{outcome:?}"
    );
    assert!(
        outcome.successes > 0 && outcome.error_count() == 0,
        "{outcome:?}"
    );
    assert_eq!(outcome.answered_all, outcome.sent_all);
    assert_eq!(back_end.count().0, outcome.sent_all);
}

#[test]
fn connections_leave_from_each_address_in_turn() {
    let server = Server::start(|_| answer("ok"));
    let mut load = load(server.address, "/");
    load.source_addresses = (2..5).map(|last| Ipv4Addr::new(127, 0, 0, last)).collect();
    load.pace = users(6);
    load.requests_max = 600;
    load.measured_us = 60 * SECOND_US;
    assert_eq!(run(&load).successes, 600);
    let from: BTreeSet<_> = server
        .received()
        .iter()
        .map(|received| received.from)
        .collect();
    let from: Vec<String> = from.iter().map(|from| from.ip().to_string()).collect();
    let each_twice = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
        .map(|ip| [ip, ip])
        .concat();
    assert_eq!(from, each_twice);
}

/// Returns why a load is rejected.
fn refusal(command: Command, load: &Load) -> String {
    let mut generator = Generator::start(command, load);
    assert_eq!(generator.event(), None);
    generator.complaint()
}

#[test]
fn an_impossible_load_is_rejected_with_what_to_change() {
    let back_end = BackEnd::start(&[]);
    let mut small = Command::new("sh");
    small.args([
        "-c",
        "ulimit -n 64; exec \"$0\" load",
        env!("CARGO_BIN_EXE_tollgate-lab"),
    ]);
    let mut many = load(back_end.address, "/bytes/10");
    many.pace = users(100);
    let complaint = refusal(small, &many);
    assert!(complaint.contains("ulimit -n 132"), "{complaint}");

    let mut open = lab();
    open.arg("load");
    many.pace = Pace::Open {
        per_second: 1.0,
        connections: 200_000,
    };
    let complaint = refusal(open, &many);
    assert!(
        complaint.contains("open files") || complaint.contains("source addresses"),
        "{complaint}"
    );

    let mut foreign = lab();
    foreign.arg("load");
    let complaint = refusal(foreign, &load(([203, 0, 113, 1], 80).into(), "/"));
    assert!(
        complaint.contains("--i-own-this-host 203.0.113.1"),
        "{complaint}"
    );
    assert_eq!(back_end.count().0, 0);
}

#[test]
fn the_back_end_accepts_all_framings_of_requests() {
    let back_end = BackEnd::start(&[]);
    let chunked = "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let delayed = "GET /bytes/2?delay_ms=20 HTTP/1.1\r\n\r\n";
    let last = "POST /echo HTTP/1.1\r\nConnection: close\r\nContent-Length: 3\r\n\r\nxyz";
    let answers = back_end.exchange([chunked, delayed, last].concat().as_bytes());
    let answers = String::from_utf8(answers).expect("text");
    let bodies: Vec<&str> = answers.split("HTTP/1.1 200 OK\r\n").skip(1).collect();
    let bodies: Vec<_> = bodies
        .iter()
        .filter_map(|one| one.split_once("\r\n\r\n"))
        .collect();
    assert_eq!(
        bodies.iter().map(|(_, body)| *body).collect::<Vec<_>>(),
        ["abc", "12", "xyz"]
    );
    assert_eq!(back_end.count(), (3, 6, 8));
}

#[test]
fn the_back_end_rejects_requests_that_are_too_large() {
    let back_end = BackEnd::start(&[]);
    let body = "POST /echo HTTP/1.1\r\nContent-Length: 16777217\r\n\r\n".to_owned();
    let head = format!(
        "GET /bytes/1 HTTP/1.1\r\nA: {}\r\n\r\n",
        "x".repeat(100_000)
    );
    for request in [body, head, "nonsense\r\n\r\n".to_owned()] {
        let answer = back_end.exchange(request.as_bytes());
        assert!(
            answer.starts_with(b"HTTP/1.1 400 "),
            "{}",
            String::from_utf8_lossy(&answer)
        );
    }
    assert_eq!(back_end.count().0, 0);
}
