//! What is not a plain number of requests: units, bytes, places, soft limits, and those that only
//! observe.

use tollgate_model::plan::{Metric, OnExceeding, Soft};

use super::*;
use crate::owed::End;
use crate::rule::Rule;

const END: End = End {
    now_us: NOW_US,
    bytes_in: 0,
    bytes_out: 0,
    has_failed: false,
};

fn of(metric: Metric, amount: u64) -> Limit {
    let window = (metric != Metric::Concurrent).then_some(Window::MINUTE);
    Limit {
        metric,
        window,
        ..fixed(Per::SUBSCRIPTION, amount, Window::MINUTE)
    }
}

fn one(limit: Limit) -> [BoundLimit; 1] {
    let counters = Counters::new(KEY, FOUND_MAX);
    let bounds = bind(&counters, &[limit], NOW_US);
    bounds.try_into().unwrap()
}

const fn costing(weight: u16) -> Call {
    Call {
        now_us: NOW_US,
        weight,
    }
}

fn left(bounds: &[BoundLimit], call: Call) -> Result<u64, Wait> {
    match debit(bounds.iter(), call) {
        Ok(debited) => Ok(debited.standings[0].remaining),
        Err(exceeded) => Err(exceeded.wait),
    }
}

/// L11 of the acceptance rows: weights 1, 5, 50 mixed.
#[test]
fn l11_weights_never_exceed_the_limit_and_reach_it_but_for_the_largest() {
    for workers in [1, 2, 4] {
        for limit in [
            of(Metric::Units, 10_000),
            Limit {
                algorithm: Algorithm::Gcra { burst: 10_000 },
                ..of(Metric::Units, 1)
            },
        ] {
            let bounds = one(limit);
            let used = AtomicU64::new(0);
            thread::scope(|scope| {
                for worker in 0..workers {
                    let (bounds, used) = (&bounds, &used);
                    scope.spawn(move || {
                        let mut refused = 0;
                        for turn in worker.. {
                            let weight = [1, 5, 50][turn % 3];
                            match debit(bounds.iter(), costing(weight)) {
                                Ok(_) => {
                                    used.fetch_add(weight.into(), Ordering::Relaxed);
                                    refused = 0;
                                }
                                Err(_) if refused > 3 => break,
                                Err(_) => refused += 1,
                            }
                        }
                    });
                }
            });
            let used = used.load(Ordering::Relaxed);
            assert!((9_950..=10_000).contains(&used), "{used} by {workers}");
        }
    }
}

#[test]
fn an_operation_dearer_than_its_limit_is_never_admitted() {
    let window = one(of(Metric::Units, 40));
    let bucket = one(Limit {
        algorithm: Algorithm::Gcra { burst: 40 },
        ..of(Metric::Units, 1_000)
    });
    for bounds in [window, bucket] {
        assert_eq!(left(&bounds, costing(41)), Err(Wait::Never));
        assert_eq!(left(&bounds, costing(40)), Ok(0));
        assert!(matches!(left(&bounds, costing(40)), Err(Wait::After(1..))));
    }
}

#[test]
fn bytes_are_charged_at_the_end_and_all_calls_in_flight_pass() {
    for (metric, charged) in [
        (Metric::BytesIn, 30),
        (Metric::BytesOut, 500),
        (Metric::Bytes, 530),
    ] {
        let bounds = one(of(metric, 600));
        let begin = || {
            let mut owed = Owed::default();
            let debited = debit(bounds.iter(), at(NOW_US)).unwrap();
            debited.note(bounds.iter(), at(NOW_US), &mut owed);
            owed
        };
        let mut in_flight: Vec<Owed> = (0..3).map(|_| begin()).collect();
        let end = End {
            bytes_in: 30,
            bytes_out: 500,
            ..END
        };
        in_flight[0].settle(end);
        assert_eq!(left(&bounds, at(NOW_US)), Ok(600 - charged));
        in_flight[1].settle(end);
        in_flight[2].settle(end);
        let expected = match 600_u64.checked_sub(3 * charged) {
            Some(left) => Ok(left),
            None => Err(Wait::After(30 * SECOND_US + 30 * SECOND_US)),
        };
        assert_eq!(left(&bounds, at(NOW_US)), expected, "{metric:?}");
        // Settled once.
        in_flight[2].settle(end);
        assert_eq!(left(&bounds, at(NOW_US)), expected);
        assert_eq!(left(&bounds, at(NOW_US + 60 * SECOND_US)), Ok(600));
    }
}

#[test]
fn bytes_belong_to_the_window_in_which_the_call_ends() {
    let bounds = one(of(Metric::BytesOut, 100));
    let mut owed = Owed::default();
    let debited = debit(bounds.iter(), at(NOW_US)).unwrap();
    debited.note(bounds.iter(), at(NOW_US), &mut owed);
    let later_us = NOW_US + 60 * SECOND_US;
    owed.settle(End {
        now_us: later_us,
        bytes_out: 1 << 60,
        ..END
    });
    assert!(left(&bounds, at(later_us)).is_err());
    assert_eq!(left(&bounds, at(later_us + 60 * SECOND_US)), Ok(100));
}

/// Calls that hold places, in generated interleavings on several workers.
#[test]
fn places_are_never_more_than_the_amount_and_end_at_zero() {
    for workers in [1_u64, 2, 4] {
        let bounds = one(of(Metric::Concurrent, 7));
        let most = AtomicU64::new(0);
        let held = AtomicU64::new(0);
        thread::scope(|scope| {
            for worker in 0..workers {
                let (bounds, most, held) = (&bounds, &most, &held);
                scope.spawn(move || {
                    let mut open: Vec<Owed> = Vec::new();
                    let mut state = worker + 1;
                    for _ in 0..100_000 / workers {
                        state = state
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1);
                        if state >> 63 == 0 {
                            let Ok(debited) = debit(bounds.iter(), at(NOW_US)) else {
                                continue;
                            };
                            let count = held.fetch_add(1, Ordering::SeqCst) + 1;
                            most.fetch_max(count, Ordering::SeqCst);
                            let mut owed = Owed::default();
                            debited.note(bounds.iter(), at(NOW_US), &mut owed);
                            open.push(owed);
                        } else if let Some(mut owed) = open.pop() {
                            held.fetch_sub(1, Ordering::SeqCst);
                            owed.settle(END);
                        }
                    }
                    for mut owed in open {
                        held.fetch_sub(1, Ordering::SeqCst);
                        owed.settle(END);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 7);
        assert_eq!(left(&bounds, at(NOW_US)), Ok(6), "none is held");
    }
}

#[test]
fn a_call_refused_by_another_limit_takes_no_place() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let limits = [of(Metric::Concurrent, 2), of(Metric::Requests, 1)];
    let bounds = bind(&counters, &limits, NOW_US);
    let mut owed = Owed::default();
    let debited = debit(bounds.iter(), at(NOW_US)).unwrap();
    debited.note(bounds.iter(), at(NOW_US), &mut owed);
    for _ in 0..5 {
        assert_eq!(debit(bounds.iter(), at(NOW_US)).unwrap_err().place, 1);
    }
    assert_eq!(left(&bounds[..1], at(NOW_US)), Ok(0));
    assert_eq!(left(&bounds[..1], at(NOW_US)), Err(Wait::Release));
}

#[test]
fn a_soft_limit_admits_its_overage_and_reports_it() {
    for algorithm in [of(Metric::Requests, 1).algorithm, Algorithm::Rolling {}] {
        let bounds = one(Limit {
            soft: Some(Soft {
                overage_percent: 50,
            }),
            algorithm,
            ..of(Metric::Requests, 4)
        });
        let call = || {
            let debited = debit(bounds.iter(), at(NOW_US)).ok()?;
            Some((debited.standings[0].remaining, debited.is_over))
        };
        let seen: Vec<_> = (0..7).map(|_| call()).collect();
        let within = [3, 2, 1, 0].map(|left| Some((left, false)));
        assert_eq!(seen[..4], within);
        assert_eq!(seen[4..], [Some((0, true)), Some((0, true)), None]);
    }
}

#[test]
fn a_limit_that_observes_refuses_nobody_and_is_not_shown() {
    for observed in [
        of(Metric::Requests, 1),
        of(Metric::Concurrent, 1),
        gcra(Per::SUBSCRIPTION, 1, Window::MINUTE, 1),
    ] {
        let observed = Limit {
            on_exceeding: OnExceeding::Observe,
            ..observed
        };
        let limits = [observed, fixed(Per::API, 3, Window::DAY)];
        let counters = Counters::new(KEY, FOUND_MAX);
        let bounds: Vec<_> = limits
            .iter()
            .map(|limit| counters.bind(&ServedLimit::compile(limit, NOW_US), &[DIMENSION]))
            .collect();
        let now_us = NOW_US;
        let seen: Vec<_> = (0..4).map(|_| debit(bounds.iter(), at(now_us))).collect();
        let over: Vec<_> = seen
            .iter()
            .map(|it| it.as_ref().ok().map(|it| it.is_over))
            .collect();
        assert_eq!(over, [Some(false), Some(true), Some(true), None]);
        for debited in seen.iter().flatten() {
            assert_eq!(debited.standings.len(), 1);
            assert_eq!(debited.standings[0].place, 1);
            // What was not taken is not put back.
            debited.put_back(bounds.iter(), at(now_us));
        }
        assert!(!debit(bounds.iter(), at(now_us)).unwrap().is_over);
    }
}

#[test]
fn failures_give_back_what_they_were_charged_to_its_own_window() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let bucket = gcra(Per::APPLICATION, 10, Window::SECOND, 50);
    let limits = [of(Metric::Units, 100), of(Metric::Requests, 10), bucket];
    let plain = fixed(Per::API, 10, Window::MINUTE);
    let rules = limits.map(|limit| {
        let rule = Rule::new(ServedLimit::compile(&limit, NOW_US)).giving_back();
        counters.bind_rule(&std::sync::Arc::new(rule), &[DIMENSION])
    });
    let own = counters.bind(&ServedLimit::compile(&plain, NOW_US), &[DIMENSION]);
    let bounds: Vec<_> = rules.into_iter().chain([own]).collect();
    let call = costing(30);
    let begin = || {
        let mut owed = Owed::default();
        debit(bounds.iter(), call)
            .unwrap()
            .note(bounds.iter(), call, &mut owed);
        owed
    };
    let used = |now_us| {
        bounds
            .iter()
            .map(|it| remaining(it, now_us))
            .collect::<Vec<_>>()
    };
    let failed = End {
        has_failed: true,
        ..END
    };
    begin().settle(END);
    let after_one = used(NOW_US);
    assert_eq!(after_one, [70, 9, 49, 9]);
    let (mut one, mut two) = (begin(), begin());
    one.settle(failed);
    assert_eq!(used(NOW_US), [40, 8, 48, 7], "not the version's own");
    // The next window owes nothing to a call of this one.
    let later_us = NOW_US + 60 * SECOND_US;
    debit(
        bounds.iter(),
        Call {
            now_us: later_us,
            weight: 1,
        },
    )
    .unwrap();
    two.settle(failed);
    assert_eq!(used(later_us), [99, 9, 49, 9]);
}

#[test]
fn policies_have_the_unit_of_what_they_count() {
    let named = Limit {
        name: Some("fair".into()),
        ..of(Metric::Bytes, 9)
    };
    let rows = [
        (
            of(Metric::Units, 5),
            "\"subscription-units-minute\";q=5;qu=\"units\";w=60",
        ),
        (
            of(Metric::BytesIn, 5),
            "\"subscription-bytes-in-minute\";q=5;qu=\"content-bytes\";w=60",
        ),
        (named, "\"fair\";q=9;qu=\"content-bytes\";w=60"),
        (
            of(Metric::Concurrent, 5),
            "\"subscription-concurrent\";q=5;qu=\"concurrent-requests\"",
        ),
    ];
    for (limit, policy) in rows {
        assert_eq!(one(limit)[0].rule().policy(), policy);
    }
}
