//! Both kinds of loop, measured against back ends that are known to wait.

use tollgate_lab::histogram::Histogram;
use tollgate_lab::load::Pace;

use crate::process::{BackEnd, SECOND_US, file, load, run, users};

fn differs_by(left: f64, right: f64) -> f64 {
    (left - right).abs() / right
}

#[test]
fn a_closed_loop_obeys_littles_law() {
    let back_end = BackEnd::start(&[]);
    for think_us in [0, 30_000] {
        let mut load = load(back_end.address, "/bytes/100?delay_ms=20");
        load.pace = Pace::Closed {
            users: 20,
            think_us,
        };
        load.warm_up_us = SECOND_US / 2;
        load.measured_us = 2 * SECOND_US;
        let outcome = run(&load);
        assert_eq!(outcome.error_count(), 0, "{:?}", outcome.errors);
        let mean_s = outcome.latency.mean_us() / 1e6;
        let users = outcome.per_second() * mean_s;
        assert!(
            differs_by(users, outcome.users_mean) < 0.03,
            "{users} {}",
            outcome.users_mean
        );
        if think_us == 0 {
            assert!(
                differs_by(users, 20.0) < 0.03,
                "{users} users are under way all the time"
            );
        } else {
            let thinking = outcome.per_second() * (mean_s + think_us as f64 / 1e6);
            assert!(
                (12.0..20.6).contains(&thinking),
                "{thinking} users are or think"
            );
        }
    }
}

#[test]
fn an_open_loop_keeps_its_rate() {
    let back_end = BackEnd::start(&[]);
    let mut load = load(back_end.address, "/bytes/100?delay_ms=50");
    load.pace = Pace::Open {
        per_second: 400.0,
        connections: 50,
    };
    load.warm_up_us = SECOND_US / 2;
    load.measured_us = 2 * SECOND_US;
    let outcome = run(&load);
    assert_eq!(outcome.error_count(), 0, "{:?}", outcome.errors);
    assert!(
        differs_by(outcome.per_second(), 400.0) < 0.05,
        "{}",
        outcome.per_second()
    );
    let users = outcome.per_second() * outcome.latency.mean_us() / 1e6;
    assert!(
        differs_by(users, outcome.users_mean) < 0.10,
        "{users} {}",
        outcome.users_mean
    );
}

/// Coordinated omission: a user who waits does not send what would have waited too.
#[test]
fn an_open_loop_reports_the_stall_that_a_closed_loop_hides() {
    let back_end = BackEnd::start(&["--stall-every-ms", "1200", "--stall-ms", "400"]);
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
    let p99_ms = |latency: &Histogram| latency.quantile_us(0.99) / 1000;
    assert!(closed.latency.longest_us() > 300_000, "there was a stall");
    assert!(
        p99_ms(&closed.latency) < 100,
        "hidden: {} ms",
        p99_ms(&closed.latency)
    );
    assert!(
        p99_ms(&open.latency) > 300,
        "reported: {} ms",
        p99_ms(&open.latency)
    );
    let service = open.service.expect("an open loop tells it");
    assert!(
        p99_ms(&service) < p99_ms(&open.latency),
        "counted from the start alone"
    );
    assert_eq!(service.count(), open.latency.count());
}

#[test]
fn a_known_distribution_is_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    // Of a thousand, 960 take the first, 35 the second, 5 the third.
    let delays_us: Vec<u64> = (0..1000)
        .map(|number| match number * 7 % 1000 {
            0..960 => 250_000,
            960..995 => 500_000,
            _ => 900_000,
        })
        .collect();
    let text: Vec<String> = delays_us.iter().map(u64::to_string).collect();
    let path = file(folder.path(), "delays", text.join("\n"));
    let path = path.to_str().expect("text");
    let back_end = BackEnd::start(&["--latency-file", path]);
    let mut load = load(back_end.address, "/bytes/100");
    load.pace = users(300);
    load.requests_max = 4000;
    load.measured_us = 60 * SECOND_US;
    let outcome = run(&load);
    assert_eq!((outcome.successes, outcome.error_count()), (4000, 0));
    // What the back end waited in fact: on a busy machine it may wake up late.
    let waited: Histogram = serde_json::from_str(&back_end.fetch("/waited")).expect("a histogram");
    assert_eq!(waited.count(), 4000);
    for (share, delay_us) in [(0.5, 250_000), (0.99, 500_000), (0.999, 900_000)] {
        let (read, known) = (
            outcome.latency.quantile_us(share),
            waited.quantile_us(share),
        );
        assert!(
            known >= delay_us * 999 / 1000,
            "p{share}: it waited only {known} us"
        );
        let differs = differs_by(read as f64, known as f64);
        assert!(differs < 0.02, "p{share}: {read} us are read of {known} us");
    }
}
