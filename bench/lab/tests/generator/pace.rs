//! Both kinds of loop, measured against back ends with known delays.

use tollgate_lab::load::Pace;

use crate::process::{BackEnd, SECOND_US, agree, file, in_one_of_five, load, run, users};
use crate::server::{Reply, Server, answer};

#[test]
fn a_closed_loop_obeys_littles_law() {
    let back_end = BackEnd::start(&[]);
    for (delay_ms, think_us) in [(20, 0), (200, 300_000)] {
        in_one_of_five(|| {
            let mut load = load(back_end.address, &format!("/bytes/100?delay_ms={delay_ms}"));
            load.pace = Pace::Closed {
                users: 100,
                think_us,
            };
            load.warm_up_us = SECOND_US / 2;
            load.measured_us = 2 * SECOND_US;
            let outcome = run(&load);
            assert_eq!(outcome.error_count(), 0, "{:?}", outcome.errors);
            let mean_s = outcome.latency.mean_us() / 1e6;
            let users = outcome.per_second() * mean_s;
            agree("users under way", users, outcome.users_mean, 0.03)?;
            let cycle_s = mean_s + think_us as f64 / 1e6;
            agree("users in all", outcome.per_second() * cycle_s, 100.0, 0.03)
        });
    }
}

#[test]
fn users_think_whether_or_not_the_connection_closes() {
    let close = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    for reply in [answer(""), Reply::SendAndClose(close.to_owned())] {
        let server = Server::start(move |_| reply.clone());
        let mut load = load(server.address, "/");
        load.pace = Pace::Closed {
            users: 2,
            think_us: 300_000,
        };
        let outcome = run(&load);
        // At most at 0, 300, 600 and 900 milliseconds.
        assert!((2..=8).contains(&outcome.sent_all), "{outcome:?}");
        assert_eq!(outcome.answered_all, outcome.sent_all);
    }
}

#[test]
fn an_open_loop_keeps_its_rate() {
    let back_end = BackEnd::start(&[]);
    in_one_of_five(|| {
        let mut load = load(back_end.address, "/bytes/100?delay_ms=50");
        load.pace = Pace::Open {
            per_second: 400.0,
            connections: 100,
        };
        load.warm_up_us = SECOND_US / 2;
        load.measured_us = 2 * SECOND_US;
        let outcome = run(&load);
        assert_eq!(outcome.error_count(), 0, "{:?}", outcome.errors);
        let users = outcome.per_second() * outcome.latency.mean_us() / 1e6;
        agree("users under way", users, outcome.users_mean, 0.03)?;
        agree("requests a second", outcome.per_second(), 400.0, 0.03)
    });
}

/// Coordinated omission: a waiting user does not send the requests that would have waited, too.
#[test]
fn an_open_loop_reports_the_stall_that_a_closed_loop_hides() {
    let back_end = BackEnd::start(&["--stall-every-ms", "1200", "--stall-ms", "400"]);
    in_one_of_five(|| {
        let mut load = load(back_end.address, "/bytes/100");
        load.pace = users(2);
        load.measured_us = 3 * SECOND_US;
        let closed = run(&load);
        load.pace = Pace::Open {
            per_second: 300.0,
            connections: 2,
        };
        let open = run(&load);
        assert_eq!((closed.error_count(), open.error_count()), (0, 0));
        let service = open.service.expect("an open loop reports it");
        assert_eq!(service.count(), open.latency.count());
        let p99_ms =
            [&closed.latency, &open.latency, &service].map(|one| one.quantile_us(0.99) / 1000);
        let is_shown = p99_ms[0] < 100 && p99_ms[1] > 300 && p99_ms[2] < 100;
        let is_shown = is_shown && closed.latency.longest_us() > 300_000;
        is_shown
            .then_some(())
            .ok_or_else(|| format!("p99 closed, open, from the send: {p99_ms:?} ms"))
    });
}

/// Each checked percentile lies a tenth into a group of equal delays, so it has their value even if
/// a busy machine delays many responses.
#[test]
fn a_known_distribution_is_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let delays_us: Vec<u64> = (0..10_000)
        // 7919 is coprime to 10,000, so each rank occurs once.
        .map(|number| match number * 7919 % 10_000 {
            0..4500 => 130_000,
            4500..9890 => 300_000,
            9890..9988 => 600_000,
            _ => 1_500_000,
        })
        .collect();
    let text: Vec<String> = delays_us.iter().map(u64::to_string).collect();
    let path = file(folder.path(), "delays", text.join("\n"));
    let path = path.to_str().expect("text");
    in_one_of_five(|| {
        let back_end = BackEnd::start(&["--latency-file", path]);
        let mut load = load(back_end.address, "/bytes/100");
        // Users that think start at different times, which avoids bursts.
        load.pace = Pace::Closed {
            users: 1200,
            think_us: 300_000,
        };
        load.requests_max = 10_000;
        load.measured_us = 60 * SECOND_US;
        let outcome = run(&load);
        assert_eq!((outcome.successes, outcome.error_count()), (10_000, 0));
        let read_us = |share| outcome.latency.quantile_us(share) as f64;
        agree("p50", read_us(0.5), 300_000.0, 0.02)?;
        agree("p99", read_us(0.99), 600_000.0, 0.02)?;
        agree("p99.9", read_us(0.999), 1_500_000.0, 0.02)
    });
}
