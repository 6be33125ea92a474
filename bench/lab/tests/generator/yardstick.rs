//! Compares the generator with `wrk` and `h2load`: the measured rates, and the processor time used.
//! `make bench-check` runs this; the results are meaningless on a busy machine.

use std::fmt;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use tollgate_lab::load::Outcome;

use crate::process::{BackEnd, Generator, SECOND_US, load, users};

const ROUNDS: usize = 5;
const SECONDS: u64 = 3;
const USERS: u32 = 100;
/// Minimum of our generator, in requests per second of processor time.
const PER_CPU_SECOND_MIN: f64 = 90_000.0;

/// The measurements of a generator in one round.
#[derive(Clone, Copy)]
struct Measured {
    /// Responses per second.
    rate: f64,
    /// Requests per second of processor time, over the whole life of the process.
    per_cpu_second: f64,
}

/// Runs a generator and parses its output.
type Measure = fn(&BackEnd, &str) -> Measured;

const OURS: (&str, Measure) = ("tollgate-lab", ours);
const OTHERS: [(&str, Measure); 2] = [("wrk", wrk), ("h2load", h2load)];

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>9.0} /s {:>9.0} /CPU s",
            self.rate, self.per_cpu_second
        )
    }
}

#[test]
#[ignore = "needs a quiet machine: make bench-check"]
fn the_generator_agrees_with_wrk_and_h2load() {
    // The back end's delay determines the rate, regardless of the generator's cost. With a shorter
    // delay the bursts of responses would matter, too, and each generator has its own.
    let all = rounds("/bytes/102?delay_ms=20");
    let ours = median(&all[0].1);
    for (name, others) in &all[1..] {
        let ratio = ours.rate / median(others).rate;
        println!("throughput_ratio_{name}={ratio:.4}");
        assert!(
            (0.95..1.05).contains(&ratio),
            "{ratio} of {name}'s throughput"
        );
    }
}

#[test]
#[ignore = "needs a quiet machine: make bench-check"]
fn the_generator_is_cheap() {
    let all = rounds("/bytes/102");
    let ours = median(&all[0].1).per_cpu_second;
    println!("requests_per_cpu_second={ours:.0}");
    assert!(
        ours >= PER_CPU_SECOND_MIN,
        "{ours} requests per second of processor time"
    );
}

/// Runs interleaved rounds of all three generators against one back end.
#[expect(
    clippy::print_stdout,
    reason = "the figures are the purpose of this test"
)]
fn rounds(target: &str) -> Vec<(&'static str, Vec<Measured>)> {
    let cores = available_parallelism().expect("a number").get();
    assert!(cores >= 2, "generator and back end need a core each");
    let back_end = BackEnd::pinned();
    let mut all: Vec<_> = [OURS, OTHERS[0], OTHERS[1]]
        .map(|(name, _)| (name, Vec::new()))
        .into();
    for round in 1..=ROUNDS {
        for (number, (name, measure)) in [OURS, OTHERS[0], OTHERS[1]].into_iter().enumerate() {
            let measured = measure(&back_end, target);
            let load = fs::read_to_string("/proc/loadavg").expect("the load");
            let load = load.split(' ').next().unwrap_or_default();
            println!("{target} round {round} {name:<12} {measured}  load {load}");
            all[number].1.push(measured);
        }
    }
    all
}

fn ours(back_end: &BackEnd, target: &str) -> Measured {
    let mut load = load(back_end.address, target);
    load.pace = users(USERS);
    load.warm_up_us = SECOND_US / 2;
    load.measured_us = SECONDS * SECOND_US;
    load.requests_max = u64::MAX;
    let before = children_cpu_s();
    let outcome: Outcome =
        Generator::start(pinned(env!("CARGO_BIN_EXE_tollgate-lab"), &["load"]), &load).outcome();
    assert_eq!(outcome.error_count(), 0, "{:?}", outcome.errors);
    let per_cpu_second = outcome.sent_all as f64 / (children_cpu_s() - before);
    Measured {
        rate: outcome.per_second(),
        per_cpu_second,
    }
}

fn wrk(back_end: &BackEnd, target: &str) -> Measured {
    let (duration, users) = (format!("-d{SECONDS}s"), format!("-c{USERS}"));
    other(
        "wrk",
        &["-t1", &users, &duration, &url(back_end, target)],
        |output| {
            let of = |end: &str| output.lines().find(|line| line.contains(end));
            let all = of(" requests in ")?.split_ascii_whitespace().next()?;
            let rate = of("Requests/sec:")?.split_ascii_whitespace().nth(1)?;
            Some((all.parse().ok()?, rate.parse().ok()?))
        },
    )
}

fn h2load(back_end: &BackEnd, target: &str) -> Measured {
    let (duration, users) = (format!("-D{SECONDS}"), format!("-c{USERS}"));
    other(
        "h2load",
        &["--h1", "-t1", &users, &duration, &url(back_end, target)],
        |output| {
            let of = |start: &str| output.lines().find_map(|line| line.strip_prefix(start));
            let words = of("requests: ")?.split(", ");
            let all = words
                .filter_map(|word| word.strip_suffix(" succeeded"))
                .next()?;
            let rate = of("finished in ")?
                .split(", ")
                .nth(1)?
                .strip_suffix(" req/s")?;
            Some((all.parse().ok()?, rate.parse().ok()?))
        },
    )
}

/// Runs another generator; `read` parses the number of requests and the rate from its output.
fn other(program: &str, arguments: &[&str], read: impl Fn(&str) -> Option<(f64, f64)>) -> Measured {
    let before = children_cpu_s();
    let output = pinned(program, arguments).stderr(Stdio::inherit()).output();
    let output = output.expect("taskset is installed (package util-linux)");
    assert!(
        output.status.success(),
        "{program} fails: is it installed? (make deps)"
    );
    let output = String::from_utf8(output.stdout).expect("text");
    let (all, rate) =
        read(&output).unwrap_or_else(|| panic!("unexpected output of {program}: {output}"));
    Measured {
        rate,
        per_cpu_second: all / (children_cpu_s() - before),
    }
}

/// Returns a command pinned to the second core.
fn pinned(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "1", program]).args(arguments);
    command
}

fn url(back_end: &BackEnd, target: &str) -> String {
    format!("http://{}{target}", back_end.address)
}

/// Returns the processor time of all children that have exited, in seconds.
fn children_cpu_s() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_ascii_whitespace();
    // cutime and cstime, in hundredths: the 16th and 17th fields of proc_pid_stat(5).
    let ticks = fields
        .skip(13)
        .take(2)
        .map(|ticks| ticks.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / 100.0
}

/// Returns the median rate and the median cost, independently.
fn median(of: &[Measured]) -> Measured {
    let middle = |value: fn(&Measured) -> f64| {
        let mut values: Vec<f64> = of.iter().map(value).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Measured {
        rate: middle(|one| one.rate),
        per_cpu_second: middle(|one| one.per_cpu_second),
    }
}
