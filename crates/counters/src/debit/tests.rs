use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::thread;

use proptest::prelude::*;
use tollgate_model::limit::ServedLimit;
use tollgate_model::plan::{Algorithm, Limit, Per, Unit, Window};

use super::*;
use crate::registry::Counters;
use crate::saved::Saved;

mod clock;
mod kinds;

const KEY: [u8; 16] = [7; 16];
const FOUND_MAX: usize = 1_000_000;
const SECOND_US: i64 = 1_000_000;
/// A Thursday noon in 2024, UTC.
const NOW_US: i64 = 19_900 * 86_400 * SECOND_US + 43_200 * SECOND_US;
const DIMENSION: i64 = 42;

fn fixed(per: Per, amount: u64, window: Window) -> Limit {
    Limit {
        algorithm: Algorithm::Fixed {
            zone: None,
            anchor: None,
        },
        ..Limit::requests(per, amount, window)
    }
}

fn gcra(per: Per, amount: u64, window: Window, burst: u64) -> Limit {
    Limit {
        algorithm: Algorithm::Gcra { burst },
        ..fixed(per, amount, window)
    }
}

fn bind(counters: &Counters, limits: &[Limit], now_us: i64) -> Vec<BoundLimit> {
    let bind = |limit| counters.bind(&ServedLimit::compile(limit, now_us), &[DIMENSION]);
    limits.iter().map(bind).collect()
}

const fn at(now_us: i64) -> Call {
    Call { now_us, weight: 1 }
}

fn remaining(bound: &BoundLimit, now_us: i64) -> u64 {
    bound
        .judge(at(now_us))
        .map_or(0, |admission| admission.remaining + 1)
}

#[test]
fn a_call_without_limits_is_admitted_without_a_standing() {
    let debited = debit(std::iter::empty(), at(NOW_US)).unwrap();
    assert!(debited.standings.is_empty());
}

#[test]
fn a_refused_call_charges_none_of_the_other_limits() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let bounds = bind(
        &counters,
        &[
            gcra(Per::SUBSCRIPTION, 100, Window::MINUTE, 20),
            fixed(Per::SUBSCRIPTION, 100, Window::DAY),
            fixed(Per::APPLICATION, 2, Window::MINUTE),
            fixed(Per::API, 100, Window::HOUR),
        ],
        NOW_US,
    );
    for _ in 0..2 {
        debit(bounds.iter(), at(NOW_US)).unwrap();
    }
    let before: Vec<u64> = bounds
        .iter()
        .map(|bound| remaining(bound, NOW_US))
        .collect();
    assert_eq!(before, [18, 98, 0, 98]);
    for _ in 0..1_000 {
        let exceeded = debit(bounds.iter(), at(NOW_US)).unwrap_err();
        assert_eq!(
            bounds[exceeded.place as usize].rule().name(),
            "application-minute"
        );
    }
    let after: Vec<u64> = bounds
        .iter()
        .map(|bound| remaining(bound, NOW_US))
        .collect();
    assert_eq!(before, after);
}

#[test]
fn a_call_under_thousands_of_limits_charges_all_of_them_or_none() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let limit = ServedLimit::compile(&fixed(Per::OPERATION, 2, Window::DAY), NOW_US);
    let mut bounds: Vec<BoundLimit> = (0..20_000)
        .map(|operation| counters.bind(&limit, &[operation]))
        .collect();
    let one = fixed(Per::OPERATION, 1, Window::HOUR);
    bounds.extend(bind(&counters, &[one], NOW_US));
    debit(bounds.iter(), at(NOW_US)).unwrap();
    let exceeded = debit(bounds.iter(), at(NOW_US)).unwrap_err();
    assert_eq!(
        bounds[exceeded.place as usize].rule().name(),
        "operation-hour"
    );
    let (last, rest) = bounds.split_last().unwrap();
    assert_eq!(remaining(last, NOW_US), 0);
    assert!(rest.iter().all(|bound| remaining(bound, NOW_US) == 1));
}

#[test]
fn the_longest_wait_is_reported_and_suffices() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let bounds = bind(
        &counters,
        &[
            fixed(Per::SUBSCRIPTION, 1, Window::SECOND),
            fixed(Per::APPLICATION, 1, Window::HOUR),
            gcra(Per::SUBSCRIPTION, 60, Window::MINUTE, 1),
        ],
        NOW_US,
    );
    debit(bounds.iter(), at(NOW_US + 1)).unwrap();
    let exceeded = debit(bounds.iter(), at(NOW_US + 1)).unwrap_err();
    let policy = bounds[exceeded.place as usize].rule().policy();
    assert_eq!(policy, "\"application-hour\";q=1;w=3600");
    let wait_us = 3_600 * SECOND_US - 1;
    assert_eq!(exceeded.wait, Wait::After(wait_us));
    let debited = debit(bounds.iter(), at(NOW_US + 1 + wait_us)).unwrap();
    assert_eq!(debited.standings[0].remaining, 0);
}

#[test]
fn policies_are_named_after_their_limits() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let bounds = bind(
        &counters,
        &[
            fixed(Per::SUBSCRIPTION, 100, Window::MINUTE),
            gcra(Per::API, 10, Window::SECOND, 20),
            fixed(Per::API, 7, Window::new(5, Unit::Minute)),
        ],
        NOW_US,
    );
    assert_eq!(bounds[2].rule().policy(), "\"api-5-minutes\";q=7;w=300");
    assert_eq!(
        bounds[0].rule().policy(),
        "\"subscription-minute\";q=100;w=60"
    );
    assert_eq!(bounds[1].rule().policy(), "\"api-burst-second\";q=10;w=1");
    assert_eq!(bounds[1].rule().name(), "api-burst-second");
}

/// Charges one call; returns the end of the charged window, if it was admitted.
fn end_of_admitted(bounds: &[BoundLimit], now_us: i64) -> Option<i64> {
    let debited = debit(bounds.iter(), at(now_us)).ok()?;
    Some(now_us + debited.standings[0].reset_us)
}

/// Runs four workers that make 100,000 calls each; counts the admitted calls by the result of
/// `call`.
fn together(call: impl Fn() -> Option<i64> + Sync) -> HashMap<i64, u64> {
    let mut counts: HashMap<i64, u64> = HashMap::new();
    thread::scope(|scope| {
        let worker = || (0..100_000).filter_map(|_| call()).collect::<Vec<_>>();
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(worker)).collect();
        for admitted in workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
        {
            *counts.entry(admitted).or_default() += 1;
        }
    });
    counts
}

#[test]
fn workers_together_admit_exactly_the_limit_of_each_window() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let limits = [fixed(Per::SUBSCRIPTION, 1_000, Window::SECOND)];
    let bounds = bind(&counters, &limits, NOW_US);
    for window in 0..5 {
        let now_us = NOW_US + window * SECOND_US;
        let windows = together(|| end_of_admitted(&bounds, now_us));
        assert_eq!(windows, HashMap::from([(now_us + SECOND_US, 1_000)]));
    }
}

#[test]
fn workers_that_cross_boundaries_at_different_moments_never_admit_more() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let limits = [fixed(Per::SUBSCRIPTION, 7_000, Window::SECOND)];
    let bounds = bind(&counters, &limits, NOW_US);
    // Each 10,000th call begins a window while other workers are still before it. They disagree
    // about its end, so a few of the 7,000 may be lost, but there must never be one too many.
    let ticks = AtomicI64::new(0);
    let windows = together(|| {
        let now_us = NOW_US + ticks.fetch_add(1, Ordering::Relaxed) * SECOND_US / 10_000;
        end_of_admitted(&bounds, now_us)
    });
    assert_eq!(windows.len(), 40);
    assert!(windows.values().all(|&count| count <= 7_000), "{windows:?}");
    assert!(windows.values().sum::<u64>() > 40 * 6_900, "{windows:?}");
}

#[test]
fn a_bucket_shared_by_workers_admits_its_burst_and_its_rate() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let bounds = bind(
        &counters,
        &[gcra(Per::API, 100, Window::SECOND, 20)],
        NOW_US,
    );
    // At a microsecond a call, 400,000 calls take 0.4 s, in which 39 are earned back.
    let clock = AtomicI64::new(NOW_US);
    let admitted = together(|| {
        let now_us = clock.fetch_add(1, Ordering::Relaxed);
        end_of_admitted(&bounds, now_us)
    });
    assert_eq!(admitted.values().sum::<u64>(), 20 + 39);
}

#[test]
fn workers_under_many_limits_lose_and_mint_nothing() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let limits = [
        fixed(Per::SUBSCRIPTION, 100_000, Window::HOUR),
        gcra(Per::SUBSCRIPTION, 1, Window::HOUR, 50_000),
        fixed(Per::APPLICATION, 5_000, Window::DAY),
        fixed(Per::API, 60_000, Window::HOUR),
    ];
    let bounds = bind(&counters, &limits, NOW_US);
    let clock = AtomicI64::new(NOW_US);
    // Half of the calls pass the small limit, the other half are refused by it and return their
    // charges.
    let admitted = AtomicU64::new(0);
    thread::scope(|scope| {
        for worker in 0..4 {
            let (bounds, clock, admitted) = (&bounds, &clock, &admitted);
            scope.spawn(move || {
                for _ in 0..20_000 {
                    let now_us = clock.fetch_add(1, Ordering::Relaxed);
                    let all = bounds.iter().enumerate();
                    let mine = all.filter(|(place, _)| worker % 2 == 0 || *place != 2);
                    if debit(mine.map(|(_, bound)| bound), at(now_us)).is_ok() {
                        admitted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let now_us = clock.load(Ordering::Relaxed);
    let admitted = admitted.load(Ordering::Relaxed);
    assert_eq!(
        admitted, 45_000,
        "40,000 without the small limit and its 5,000"
    );
    assert_eq!(remaining(&bounds[0], now_us), 100_000 - admitted);
    assert_eq!(remaining(&bounds[1], now_us), 50_000 - admitted);
    assert_eq!(remaining(&bounds[2], now_us), 0);
    assert_eq!(remaining(&bounds[3], now_us), 60_000 - admitted);
}

fn length_ns(limit: &Limit) -> u64 {
    limit.window.map_or(0, Window::length_us) * 1_000
}

/// A limit's counter according to the sequential model.
#[derive(Debug, Clone, Copy, Default)]
struct Modelled {
    window_end_us: i64,
    used: u64,
    /// Nanoseconds until the bucket is full, as of `at_us`.
    debt_ns: u64,
    at_us: i64,
}

impl Modelled {
    /// Judges a call by definition: the remaining calls and the reset, or the wait.
    fn judge(&mut self, limit: &Limit, now_us: i64) -> Result<(u64, i64), i64> {
        let Algorithm::Gcra { burst } = limit.algorithm else {
            let span = ServedLimit::compile(limit, now_us).span(now_us).unwrap();
            if self.window_end_us != span.end_us {
                (self.window_end_us, self.used) = (span.end_us, 0);
            }
            let left_us = span.end_us - now_us;
            return (self.used < limit.amount)
                .then(|| (limit.amount - self.used - 1, left_us))
                .ok_or(left_us);
        };
        let interval_ns = length_ns(limit).div_ceil(limit.amount);
        let passed_ns = u64::try_from(now_us - self.at_us).unwrap() * 1_000;
        self.debt_ns = self.debt_ns.saturating_sub(passed_ns);
        self.at_us = now_us;
        let room_ns = (burst * interval_ns).checked_sub(self.debt_ns + interval_ns);
        let up = |ns: u64| i64::try_from(ns.div_ceil(1_000)).unwrap();
        match room_ns {
            Some(room_ns) => Ok((room_ns / interval_ns, up(self.debt_ns + interval_ns))),
            None => Err(up(self.debt_ns + interval_ns - burst * interval_ns)),
        }
    }

    fn charge(&mut self, limit: &Limit) {
        self.used += 1;
        if matches!(limit.algorithm, Algorithm::Gcra { .. }) {
            self.debt_ns += length_ns(limit).div_ceil(limit.amount);
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// One call under the limits in this bit set.
    Call(u8),
    Pass(i64),
    Sweep,
    /// Changes the amount of the limit at this place; windows only.
    Change(usize, u64),
    /// The process stops cleanly and starts again.
    Restart,
    /// The process is killed right after an export, without the export of a stop.
    Kill,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let pass = prop_oneof![
        0..20_000_i64,
        0..3 * SECOND_US,
        0..200 * SECOND_US,
        0..3 * 86_400 * SECOND_US,
        Just(40 * 86_400 * SECOND_US),
    ];
    let step = prop_oneof![
        12 => any::<u8>().prop_map(Step::Call),
        4 => pass.prop_map(Step::Pass),
        1 => Just(Step::Sweep),
        1 => (any::<usize>(), 1..30_u64).prop_map(|(place, amount)| Step::Change(place, amount)),
        1 => Just(Step::Restart),
        1 => Just(Step::Kill),
    ];
    prop::collection::vec(step, 1..200)
}

/// Up to eight limits with different dimensions or windows.
fn limits() -> impl Strategy<Value = Vec<Limit>> {
    let mut all = vec![
        gcra(Per::SUBSCRIPTION, 100, Window::SECOND, 5),
        gcra(Per::APPLICATION, 7, Window::MINUTE, 3),
        fixed(Per::SUBSCRIPTION, 3, Window::SECOND),
        fixed(Per::SUBSCRIPTION, 10, Window::MINUTE),
        fixed(Per::API, 20, Window::HOUR),
        fixed(Per::SUBSCRIPTION, 25, Window::DAY),
        fixed(Per::APPLICATION, 40, Window::MONTH),
        fixed(Per::SUBSCRIPTION, 15, Window::WEEK),
        fixed(Per::API, 6, Window::new(5, Unit::Minute)),
        fixed(Per::API, 30, Window::new(2, Unit::Month)),
    ];
    all[9].algorithm = Algorithm::Fixed {
        zone: None,
        anchor: Some("2023-12-31".into()),
    };
    all[5].algorithm = Algorithm::Fixed {
        zone: Some("Australia/Lord_Howe".into()),
        anchor: None,
    };
    prop::sample::subsequence(all, 1..=8)
}

proptest! {
    #[test]
    fn counters_match_the_definition(limits in limits(), steps in steps()) {
        let mut limits = limits;
        let mut now_us = NOW_US;
        let mut counters = Counters::new(KEY, FOUND_MAX);
        let mut bounds = bind(&counters, &limits, now_us);
        let mut model = vec![Modelled { at_us: now_us, ..Modelled::default() }; limits.len()];
        let mut disk: HashMap<u64, Saved> = HashMap::new();
        for step in steps {
            match step {
                Step::Pass(us) => {
                    now_us += us;
                    // Like the control plane does before its lists of windows run out.
                    bounds = bind(&counters, &limits, now_us);
                }
                Step::Sweep => counters.sweep(now_us),
                Step::Change(place, amount) => {
                    let place = place % limits.len();
                    if matches!(limits[place].algorithm, Algorithm::Fixed { .. }) {
                        limits[place].amount = amount;
                        bounds = bind(&counters, &limits, now_us);
                    }
                }
                Step::Restart => {
                    disk.extend(counters.export().into_iter().map(|saved| (saved.id, saved)));
                    let short = counters.export_short(now_us);
                    counters = Counters::new(KEY, FOUND_MAX);
                    counters.import(disk.values().copied().chain(short).collect());
                    bounds = bind(&counters, &limits, now_us);
                }
                Step::Kill => {
                    disk.extend(counters.export().into_iter().map(|saved| (saved.id, saved)));
                    counters = Counters::new(KEY, FOUND_MAX);
                    counters.import(disk.values().copied().collect());
                    bounds = bind(&counters, &limits, now_us);
                    for (limit, model) in limits.iter().zip(&mut model) {
                        if !ServedLimit::compile(limit, now_us).is_long() {
                            *model = Modelled { at_us: now_us, ..Modelled::default() };
                        }
                    }
                }
                Step::Call(chosen) => {
                    let chosen: Vec<usize> =
                        (0..limits.len()).filter(|place| chosen & (1 << place) != 0).collect();
                    let seen = debit(chosen.iter().map(|&place| &bounds[place]), at(now_us));
                    let judged: Vec<_> = chosen
                        .iter()
                        .map(|&place| model[place].judge(&limits[place], now_us))
                        .collect();
                    let wait_us = judged.iter().filter_map(|judged| judged.err()).max();
                    match (seen, wait_us) {
                        (Err(exceeded), Some(wait_us)) => {
                            prop_assert_eq!(exceeded.wait, Wait::After(wait_us));
                        }
                        (Ok(debited), None) => {
                            let strictest = judged.into_iter().flatten().min_by_key(|it| it.0);
                            let standing = debited.standings.first();
                            let standing = standing.map(|it| (it.remaining, it.reset_us));
                            prop_assert_eq!(standing, strictest);
                            for &place in &chosen {
                                model[place].charge(&limits[place]);
                            }
                        }
                        (seen, expected) => {
                            prop_assert!(false, "{seen:?} instead of wait {expected:?}");
                        }
                    }
                }
            }
        }
    }
}
