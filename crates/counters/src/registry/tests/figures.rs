//! Measures counters found at the call: their memory, the time to find and charge one, and the
//! longest pause while others sweep, export and make room. For a release build, run alone.

use std::hint::black_box;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use allocation_counter::measure;

use super::*;

const MILLION: usize = 1_000_000;
/// A factor without a common divisor with the numbers of addresses: visits all, in no order.
const STRIDE: i64 = 611_953;

/// Creates the counters of so many addresses, each charged once.
fn filled(rule: &Arc<Rule>, addresses: usize) -> Counters {
    let counters = Counters::new(KEY, MILLION);
    for address in 0..i64::try_from(addresses).unwrap() {
        call(&counters.find(rule, &[address], NOW_US), NOW_US);
    }
    counters
}

fn resident_bytes() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages = pages.split(' ').nth(1).unwrap();
    pages.parse::<usize>().unwrap() * 4_096
}

/// Processor time of this thread, and the time that it was ready but waited for a processor.
fn thread_times() -> [Duration; 2] {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let mut words = text.split(' ');
    [(); 2].map(|()| Duration::from_nanos(words.next().unwrap().parse().unwrap()))
}

/// Nanoseconds of processor time of a `work` on each of so many threads, started together: the best
/// of several rounds over numbers up to `count`.
fn best_ns(threads: usize, count: i64, work: impl Fn(i64) + Sync) -> f64 {
    const CALLS: i64 = 400_000;
    let round = |thread: usize| {
        let first = i64::try_from(thread).unwrap() * CALLS;
        let [began, _] = thread_times();
        for number in first..first + CALLS {
            work(number.wrapping_mul(STRIDE).rem_euclid(count));
        }
        (thread_times()[0] - began).as_nanos() as f64 / CALLS as f64
    };
    let rounds = (0..9).map(|_| {
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads)
                .map(|thread| scope.spawn(move || round(thread)))
                .collect();
            let each = running.into_iter().map(|thread| thread.join().unwrap());
            each.sum::<f64>() / threads as f64
        })
    });
    rounds.fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "a measurement for a release build: memory of a million counters"]
fn memory_of_a_million_counters() {
    let rule = found(Window::MINUTE, 1_000);
    let resident = resident_bytes();
    let mut counters = None;
    let allocated = measure(|| counters = Some(filled(&rule, MILLION)));
    println!(
        "{} B each as allocated, {} B resident",
        allocated.bytes_current / i64::try_from(MILLION).unwrap(),
        (resident_bytes() - resident) / MILLION,
    );
    let counters = counters.unwrap();
    assert_eq!(counters.count().found, MILLION);
    assert!(allocated.bytes_current < 110 * i64::try_from(MILLION).unwrap());
    let later_us = NOW_US + 200_000_000;
    for (what, now_us) in [("nothing", NOW_US), ("a million", later_us)] {
        let began = Instant::now();
        counters.sweep(now_us);
        println!("{:.1?} to sweep {what}", began.elapsed());
    }
}

#[test]
#[ignore = "a measurement for a release build: time of a call's limits"]
fn time_to_find_and_charge() {
    for addresses in [10_000, 100_000, MILLION] {
        let rule = found(Window::MINUTE, 1_000_000_000);
        let counters = filled(&rule, addresses);
        let count = i64::try_from(addresses).unwrap();
        for threads in [1, 2] {
            let find = best_ns(threads, count, |address| {
                black_box(counters.find(&rule, &[address], NOW_US));
            });
            let both = best_ns(threads, count, |address| {
                black_box(call(&counters.find(&rule, &[address], NOW_US), NOW_US));
            });
            println!("{addresses} addresses, {threads} threads: find {find:.0} ns, both {both:.0}");
        }
    }
    let places = Limit {
        metric: Metric::Concurrent,
        window: None,
        ..Limit::requests(Per::API, 1_000_000, Window::MINUTE)
    };
    let rolling = Limit {
        algorithm: Algorithm::Rolling {},
        ..Limit::requests(Per::API, 1_000_000_000, Window::MINUTE)
    };
    let plain = Limit::requests(Per::API, 1_000_000_000, Window::MINUTE);
    for (what, limit) in [("plain", plain), ("rolling", rolling), ("places", places)] {
        let counters = Counters::new(KEY, MILLION);
        let bound = counters.bind(&ServedLimit::compile(&limit, NOW_US), &[1]);
        for threads in [1, 2] {
            let charge = best_ns(threads, 1_000, |number| {
                let call = Call {
                    now_us: NOW_US + number,
                    weight: 1,
                };
                let debited = debit(std::iter::once(&bound), call).unwrap();
                debited.put_back(std::iter::once(&bound), call);
            });
            println!("one {what}, {threads} threads: {charge:.0} ns to charge and put back");
        }
    }
}

/// Sets the niceness of this thread.
fn set_niceness(niceness: u8) {
    let thread = std::fs::read_link("/proc/thread-self").unwrap();
    let id = thread.file_name().unwrap().to_str().unwrap().to_owned();
    let mut renice = Command::new("renice");
    let output = renice.args(["-n", &niceness.to_string(), "-p", &id]);
    assert!(output.output().unwrap().status.success());
}

/// Exports again and again, at the priority of a process's slow threads; returns how often.
fn export_while(runs: impl Fn() -> bool, counters: &Counters) -> u32 {
    set_niceness(5);
    let exports = (0..).take_while(|_| {
        black_box(counters.export());
        runs()
    });
    u32::try_from(exports.count()).unwrap()
}

/// Creates counters beyond the maximum, and sweeps, as a second worker; returns how many.
fn insert_while(runs: impl Fn() -> bool, (counters, rule): (&Counters, &Arc<Rule>)) -> u32 {
    let inserted = (1_000_000..).take_while(|&address| {
        call(&counters.find(rule, &[address], NOW_US), NOW_US);
        if address % 1_000 == 0 {
            counters.sweep_next(NOW_US);
        }
        runs()
    });
    u32::try_from(inserted.count()).unwrap()
}

/// Finds counters for some time; returns the pauses above 100 us, the longest first: without and
/// with the time that this thread waited for a processor.
fn pauses_of_finds(length: Duration, find: impl Fn(i64)) -> Vec<(Duration, Duration)> {
    let mut pauses = Vec::new();
    let began = Instant::now();
    let [_, mut waited] = thread_times();
    for number in 0_i64.. {
        let address = number.wrapping_mul(STRIDE).rem_euclid(1_000_000);
        let before = Instant::now();
        find(address);
        let pause = before.elapsed();
        if pause > Duration::from_micros(100) {
            let before = std::mem::replace(&mut waited, thread_times()[1]);
            pauses.push((pause.saturating_sub(waited - before), pause));
        }
        if began.elapsed() > length {
            break;
        }
    }
    pauses.sort_unstable_by(|one, other| other.cmp(one));
    pauses
}

#[test]
#[ignore = "a measurement for a release build: the longest pause of a call, for 40 s"]
fn longest_pause_of_a_find() {
    let rule = found(Window::MINUTE, 1_000_000_000);
    let counters = filled(&rule, MILLION);
    for is_exporting in [false, true] {
        let is_over = AtomicBool::new(false);
        let runs = || !is_over.load(Ordering::Relaxed);
        std::thread::scope(|scope| {
            let counters = &counters;
            let exporter = is_exporting.then(|| scope.spawn(move || export_while(runs, counters)));
            let inserter = scope.spawn(|| insert_while(runs, (counters, &rule)));
            let pauses = pauses_of_finds(Duration::from_secs(20), |address| {
                call(&counters.find(&rule, &[address], NOW_US), NOW_US);
            });
            is_over.store(true, Ordering::Relaxed);
            println!(
                "{:?} exports, {} inserted; {} pauses above 100 us, without and with the wait for \
                 a processor: {:.1?}",
                exporter.map(|it| it.join().unwrap()),
                inserter.join().unwrap(),
                pauses.len(),
                &pauses[..pauses.len().min(6)],
            );
        });
    }
}
