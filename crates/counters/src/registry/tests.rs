use tollgate_model::plan::{Algorithm, Dimension, Limit, Metric, Per, Unit, Window};
use tollgate_model::record::{Owner, RefusedBy};

use super::*;
use crate::consumption::Consumption;
use crate::debit::debit;
use crate::judgement::Call;
use crate::limit_place::LimitPlace;
use crate::saved::FORMAT;

mod figures;

const KEY: [u8; 16] = [7; 16];
const FOUND_MAX: usize = 1_000_000;
const DAY_US: i64 = 86_400_000_000;
const NOW_US: i64 = 20_000 * DAY_US;

fn limit(window: Window, amount: u64, zone: Option<&str>) -> ServedLimit {
    let zone = zone.map(str::to_owned);
    let limit = Limit {
        algorithm: Algorithm::Fixed { zone, anchor: None },
        ..Limit::requests(Per::SUBSCRIPTION, amount, window)
    };
    ServedLimit::compile(&limit, NOW_US)
}

fn call(bound: &BoundLimit, now_us: i64) -> Option<u64> {
    let debited = debit(std::iter::once(bound), Call { now_us, weight: 1 }).ok()?;
    debited.standings.first().map(|standing| standing.remaining)
}

impl Counters {
    /// Sweeps every shard.
    pub(crate) fn sweep(&self, now_us: i64) {
        for _ in 0..SHARDS / SWEPT_EACH {
            self.sweep_next(now_us);
        }
    }
}

#[test]
fn a_changed_amount_keeps_the_usage_and_another_window_starts_at_zero() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let bind = |window, amount| counters.bind(&limit(window, amount, None), &[1]);
    let small = bind(Window::DAY, 3);
    assert_eq!(
        [call(&small, NOW_US), call(&small, NOW_US)],
        [Some(2), Some(1)]
    );
    assert_eq!(call(&bind(Window::DAY, 10), NOW_US), Some(7));
    assert_eq!(call(&bind(Window::DAY, 2), NOW_US), None);
    assert_eq!(call(&bind(Window::WEEK, 10), NOW_US), Some(9));
    assert_eq!(counters.count().all, 2);
}

#[test]
fn each_dimension_and_zone_has_its_own_counter_and_utc_is_one_zone() {
    let counters = Counters::new(KEY, FOUND_MAX);
    for (zone, dimension) in [(None, 1), (None, 2), (Some("Asia/Tokyo"), 1)] {
        let bound = counters.bind(&limit(Window::DAY, 2, zone), &[dimension]);
        assert_eq!(call(&bound, NOW_US), Some(1));
    }
    let named = counters.bind(&limit(Window::DAY, 2, Some("UTC")), &[1]);
    assert_eq!(call(&named, NOW_US), Some(0));
    let other_key = Counters::new([8; 16], FOUND_MAX);
    let limit = limit(Window::DAY, 2, None);
    let rule = Rule::new(limit);
    assert_ne!(counters.locate(&rule, &[1]), other_key.locate(&rule, &[1]));
}

fn bucket(window: Window, amount: u64, burst: u64) -> ServedLimit {
    let limit = Limit {
        algorithm: Algorithm::Gcra { burst },
        ..Limit::requests(Per::SUBSCRIPTION, amount, window)
    };
    ServedLimit::compile(&limit, NOW_US)
}

#[test]
fn long_counters_survive_a_kill_whenever_they_are_imported() {
    let first = Counters::new(KEY, FOUND_MAX);
    for zone in [None, Some("America/Sao_Paulo")] {
        for window in [Window::DAY, Window::WEEK, Window::MONTH, Window::YEAR] {
            call(&first.bind(&limit(window, 5, zone), &[9]), NOW_US);
        }
    }
    let (hour, rate) = (limit(Window::HOUR, 5, None), bucket(Window::HOUR, 1, 5));
    for long in [&hour, &rate] {
        call(&first.bind(long, &[9]), NOW_US);
    }
    call(&first.bind(&limit(Window::MINUTE, 5, None), &[9]), NOW_US);
    call(&first.bind(&bucket(Window::MINUTE, 1, 5), &[9]), NOW_US);
    let saved = first.export();
    assert_eq!(saved.len(), 10, "those of a minute are short");
    assert!(saved.iter().all(|saved| saved.end_us > NOW_US));
    assert_eq!(first.export(), [], "nothing has changed since");

    for long in [&limit(Window::MONTH, 5, None), &hour, &rate] {
        let before = Counters::new(KEY, FOUND_MAX);
        before.import(saved.clone());
        assert_eq!(call(&before.bind(long, &[9]), NOW_US), Some(3));
        assert_eq!(before.export().len(), 1, "only changed counters");

        let after = Counters::new(KEY, FOUND_MAX);
        let bound = after.bind(long, &[9]);
        assert_eq!(call(&bound, NOW_US), Some(4));
        assert_eq!(call(&bound, NOW_US), Some(3));
        after.import(saved.clone());
        let left = call(&bound, NOW_US);
        assert_eq!(left, Some(2), "an older checkpoint changes nothing");
        let fresh = Counters::new(KEY, FOUND_MAX);
        let bound = fresh.bind(long, &[9]);
        fresh.import(saved.clone());
        assert_eq!(call(&bound, NOW_US), Some(3), "a newer one counts");
    }
}

#[test]
fn a_stop_exports_the_short_counters_that_still_matter() {
    let shorts = [
        (limit(Window::SECOND, 5, None), 1_000_000),
        (limit(Window::MINUTE, 5, None), 60_000_000),
        (limit(Window::new(5, Unit::Minute), 5, None), 300_000_000),
        (bucket(Window::SECOND, 1, 5), 1_000_000),
        (bucket(Window::MINUTE, 1, 5), 60_000_000),
        (bucket(Window::new(59, Unit::Minute), 59, 5), 60_000_000),
    ];
    let first = Counters::new(KEY, FOUND_MAX);
    for (short, _) in &shorts {
        call(&first.bind(short, &[9]), NOW_US);
        let _never_called = first.bind(short, &[10]);
    }
    assert_eq!(first.export(), []);
    let saved = first.export_short(NOW_US);
    assert_eq!(saved.len(), 6, "{saved:?}");
    assert_eq!(first.export_short(NOW_US + 1_000_000).len(), 4);
    assert_eq!(first.export_short(NOW_US + 60_000_000).len(), 1);
    assert_eq!(first.export_short(NOW_US + 300_000_000), []);
    for (short, ends_in_us) in shorts {
        for is_bound_first in [false, true] {
            let second = Counters::new(KEY, FOUND_MAX);
            let held = is_bound_first.then(|| second.bind(&short, &[9]));
            second.import(saved.clone());
            let bound = held.unwrap_or_else(|| second.bind(&short, &[9]));
            assert_eq!(call(&bound, NOW_US), Some(3), "{short:?}");
            let anew = call(&bound, NOW_US + 2 * ends_in_us);
            assert_eq!(anew, Some(4), "{short:?}");
        }
    }
}

#[test]
fn a_sweep_drops_unbound_counters_after_their_window() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let gcra = Limit {
        algorithm: Algorithm::Gcra { burst: 5 },
        ..Limit::requests(Per::API, 1, Window::SECOND)
    };
    let held = counters.bind(&limit(Window::HOUR, 5, None), &[1]);
    call(&held, NOW_US);
    for served in [
        limit(Window::SECOND, 5, None),
        limit(Window::HOUR, 5, None),
        limit(Window::DAY, 5, None),
        ServedLimit::compile(&gcra, NOW_US),
    ] {
        call(&counters.bind(&served, &[2]), NOW_US);
    }
    drop(counters.bind(&limit(Window::MINUTE, 5, None), &[2]));
    let minutes = limit(Window::new(5, Unit::Minute), 5, None);
    call(&counters.bind(&minutes, &[2]), NOW_US);
    let left_after = |us: i64| {
        counters.sweep(NOW_US + us);
        counters.count().all
    };
    assert_eq!(left_after(0), 6, "the unused one is dropped at once");
    assert_eq!(left_after(62_000_000), 4, "the second's and the bucket");
    assert_eq!(left_after(359_000_000), 4);
    assert_eq!(left_after(360_000_000), 3, "the five minutes'");
    assert_eq!(left_after(3_600_000_000), 3);
    assert_eq!(left_after(3_660_000_000), 2, "the hour's");
    assert_eq!(left_after(DAY_US + 60_000_000), 1, "the day's");
    assert_eq!(call(&held, NOW_US + DAY_US), Some(4), "of another window");
}

#[test]
fn what_was_used_never_counts_in_a_later_window() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let bound = counters.bind(&limit(Window::SECOND, 1, None), &[1]);
    for seconds in [0, 1, 1 << 24, 1 << 30] {
        let now_us = NOW_US + seconds * 1_000_000;
        assert_eq!(call(&bound, now_us), Some(0), "{seconds}");
        assert_eq!(call(&bound, now_us), None, "{seconds}");
    }
}

/// Counters as the release before this format saved them, 2024-10-04 12:30:01 UTC: windows have an
/// id of 24 bits and 40 bits of units. The limits are those of [`before`], in its order, each used
/// once more than the one before it; the first was used twice.
const BEFORE: [(u64, u64, u64, i64); 9] = [
    (
        9_023_289_300_342_335_441,
        18_437_676_401_315_282_946,
        0,
        1_728_045_002_000_000,
    ),
    (
        12_822_009_807_341_650_218,
        13_220_015_439_960_080_387,
        0,
        1_728_045_060_000_000,
    ),
    (
        14_549_762_640_044_902_740,
        527_778_775_472_013_316,
        0,
        1_728_046_800_000_000,
    ),
    (
        125_337_088_515_346_668,
        21_990_232_555_520_005,
        0,
        1_728_086_400_000_000,
    ),
    (
        2_052_170_151_477_265_636,
        3_140_205_208_928_262,
        0,
        1_728_259_200_000_000,
    ),
    (
        9_449_387_800_557_471_252,
        2_110_736_869_888_098_311,
        0,
        1_730_415_600_000_000,
    ),
    (
        9_613_180_163_002_077_460,
        2_111_016_145_841_553_416,
        0,
        1_728_048_600_000_000,
    ),
    (
        7_039_653_627_729_514_476,
        1_728_055_801_234_567_000,
        1,
        1_728_055_801_234_567,
    ),
    (
        9_208_432_313_565_282_744,
        1_728_045_004_567_900_330,
        1,
        1_728_045_004_567_901,
    ),
];

fn before() -> [ServedLimit; 9] {
    [
        limit(Window::SECOND, 90, None),
        limit(Window::MINUTE, 90, None),
        limit(Window::HOUR, 90, None),
        limit(Window::DAY, 90, None),
        limit(Window::WEEK, 90, None),
        limit(Window::MONTH, 90, Some("Europe/Berlin")),
        limit(Window::DAY, 90, Some("Australia/Lord_Howe")),
        bucket(Window::HOUR, 3, 90),
        bucket(Window::SECOND, 3, 90),
    ]
}

#[test]
fn what_was_used_before_windows_had_numbers_stays_used() {
    const AT_US: i64 = 1_728_045_001_234_567;
    let saved = BEFORE.map(|(id, low, high, end_us)| Saved {
        id,
        high,
        low,
        end_us,
        format: 0,
    });
    for is_bound_first in [false, true] {
        let counters = Counters::new(KEY, FOUND_MAX);
        let bind = || before().map(|limit| counters.bind(&limit, &[9]));
        let held = is_bound_first.then(bind);
        counters.import(saved.to_vec());
        let bounds = held.unwrap_or_else(bind);
        for (used, (limit, bound)) in (2..).zip(before().iter().zip(&bounds)) {
            let left = call(bound, AT_US);
            assert_eq!(left, Some(90 - used - 1), "{limit:?} {is_bound_first}");
        }
        // What is saved now has the present format, and stays used after another restart.
        let mut written = counters.export();
        written.extend(counters.export_short(AT_US));
        assert_eq!(written.len(), saved.len());
        assert!(written.iter().all(|it| it.format == FORMAT));
        let ends = |saved: &[Saved]| {
            let mut ends: Vec<_> = saved.iter().map(|it| (it.id, it.end_us)).collect();
            ends.retain(|(id, _)| *id != BEFORE[7].0 && *id != BEFORE[8].0);
            ends.sort_unstable();
            ends
        };
        assert_eq!(ends(&written), ends(&saved));
        let again = Counters::new(KEY, FOUND_MAX);
        again.import(written);
        for (used, limit) in (2..).zip(before()) {
            let left = call(&again.bind(&limit, &[9]), AT_US);
            assert_eq!(left, Some(90 - used - 2), "{limit:?}");
        }
    }
}

#[test]
fn windows_and_anchors_are_part_of_the_identity() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let anchored = |anchor: &str| ServedLimit {
        anchor: Some(anchor.to_owned()),
        ..limit(Window::DAY, 2, None)
    };
    for limit in [
        limit(Window::DAY, 2, None),
        limit(Window::new(2, Unit::Day), 2, None),
        limit(Window::new(24, Unit::Hour), 2, None),
        anchored("2026-01-31"),
        anchored("2026-02-01"),
    ] {
        assert_eq!(call(&counters.bind(&limit, &[1]), NOW_US), Some(1));
    }
}

#[test]
fn binding_and_sweeping_go_on_while_workers_call() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let limit = limit(Window::DAY, 100_000, None);
    let bound = counters.bind(&limit, &[1]);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    call(&bound, NOW_US);
                }
            });
        }
        for _ in 0..200 {
            counters.sweep(NOW_US);
            assert!(counters.export().len() <= 1);
            let again = counters.bind(&limit, &[1]);
            assert!(call(&again, NOW_US).is_some());
        }
    });
    assert_eq!(call(&bound, NOW_US), Some(100_000 - 60_200 - 1));
}

fn found(window: Window, amount: u64) -> Arc<Rule> {
    let limit = Limit::requests(Per::ADDRESS, amount, window);
    Arc::new(Rule::new(ServedLimit::compile(&limit, NOW_US)).found_at_call())
}

#[test]
fn counters_found_at_the_call_are_bounded_and_the_least_used_is_forgotten() {
    let counters = Counters::new(KEY, 1_000);
    let rule = found(Window::MINUTE, 100);
    let heavy = |address: i64| counters.find(&rule, &[address], NOW_US);
    for address in 0..500 {
        for _ in 0..50 {
            call(&heavy(address), NOW_US);
        }
    }
    // One caller with 100,000 addresses.
    for address in 1_000..101_000 {
        call(&counters.find(&rule, &[address], NOW_US), NOW_US);
        assert!(counters.found.load(Ordering::Relaxed) <= 1_000);
    }
    let counted = counters.count();
    assert_eq!((counted.all, counted.found), (1_000, 1_000));
    assert_eq!(counted.forgotten, 99_500);
    let kept = (0..500).filter(|&address| call(&heavy(address), NOW_US) == Some(49));
    assert!(kept.count() >= 450, "those that used half are kept");
    // A minute later all are over.
    counters.sweep(NOW_US + 120_000_000);
    assert_eq!(counters.count().all, 0);
}

#[test]
fn what_is_over_is_forgotten_before_what_is_in_use() {
    let counters = Counters::new(KEY, 100);
    let (second, day) = (found(Window::SECOND, 10), found(Window::DAY, 1_000));
    for address in 0..60 {
        for _ in 0..10 {
            call(&counters.find(&second, &[address], NOW_US), NOW_US);
        }
    }
    let later_us = NOW_US + 120_000_000;
    for address in 0..90 {
        call(&counters.find(&day, &[address], later_us), later_us);
    }
    let counted = counters.count();
    assert!(counted.found <= 100);
    let kept = |address| call(&counters.find(&day, &[address], later_us), later_us);
    let kept = (0..90)
        .filter(|&address| kept(address) == Some(998))
        .count();
    assert!(kept >= 80, "{kept} of 90, though 60 were over");
}

#[test]
fn a_place_that_is_held_is_never_forgotten() {
    let counters = Counters::new(KEY, 10);
    let places = Limit {
        metric: Metric::Concurrent,
        window: None,
        ..Limit::requests(Per::ADDRESS, 2, Window::MINUTE)
    };
    let rule = Rule::new(ServedLimit::compile(&places, NOW_US)).found_at_call();
    let rule = Arc::new(rule);
    let held: Vec<_> = (0..200)
        .map(|address| {
            let bound = counters.find(&rule, &[address], NOW_US);
            assert_eq!(call(&bound, NOW_US), Some(1));
            bound
        })
        .collect();
    for (address, bound) in (0..).zip(&held) {
        assert_eq!(
            call(&counters.find(&rule, &[address], NOW_US), NOW_US),
            Some(0)
        );
        assert_eq!(call(bound, NOW_US), None);
    }
    assert_eq!(counters.export_short(NOW_US), [], "places are never saved");
}

#[test]
fn the_counters_of_a_limit_are_counted_with_those_that_share_them() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let rule = |kind: Owner, owner: i64, index: usize, window: Window| {
        let limit = Limit::requests(Per::ADDRESS, 9, window);
        let place = RefusedBy::new(kind, index);
        let rule = Rule::new(ServedLimit::compile(&limit, NOW_US));
        Arc::new(rule.at(LimitPlace { place, owner }).found_at_call())
    };
    let gold = rule(Owner::Plan, 1, 0, Window::DAY);
    for address in 0..10_000 {
        call(&counters.find(&gold, &[address], NOW_US), NOW_US);
    }
    // Another place in a plan that was changed, or in another plan, has the same counters.
    let [moved, silver] = [(1, 3), (2, 0)].map(|(id, at)| rule(Owner::Plan, id, at, Window::DAY));
    call(&counters.find(&silver, &[20_000], NOW_US), NOW_US);
    let other_terms = rule(Owner::Plan, 1, 0, Window::HOUR);
    let [one, other] = [7, 8].map(|id| rule(Owner::Version, id, 0, Window::DAY));
    for address in 0..3 {
        call(&counters.find(&one, &[-7, address], NOW_US), NOW_US);
    }
    let asked = [&*gold, &*moved, &*silver, &*other_terms, &*one, &*other];
    assert_eq!(counters.count_of(&asked), [10_001, 10_001, 10_001, 0, 3, 0]);
    assert!(counters.count_of(&[]).is_empty());
}

#[test]
fn what_is_used_of_a_limit_is_what_calls_were_charged() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let of = |algorithm, metric| {
        let limit = Limit {
            algorithm,
            metric,
            ..Limit::requests(Per::SUBSCRIPTION, 60, Window::MINUTE)
        };
        counters.bind(&ServedLimit::compile(&limit, NOW_US), &[1])
    };
    let consumption = |used, amount, resets_us| Consumption {
        used,
        amount,
        resets_us,
    };
    let (zone, anchor) = (None, None);
    let fixed = of(Algorithm::Fixed { zone, anchor }, Metric::Requests);
    let bucket = of(Algorithm::Gcra { burst: 5 }, Metric::Requests);
    let rolling = of(Algorithm::Rolling {}, Metric::Requests);
    let places = of(Algorithm::Rolling {}, Metric::Concurrent);
    let minute_us = 60_000_000;
    let unused = [&fixed, &bucket, &rolling, &places].map(|it| it.consumption(NOW_US));
    assert_eq!(
        unused,
        [
            consumption(0, 60, Some(NOW_US + minute_us)),
            consumption(0, 5, None),
            consumption(0, 60, None),
            consumption(0, 60, None),
        ]
    );
    for bound in [&fixed, &bucket, &rolling, &places] {
        call(bound, NOW_US);
        call(bound, NOW_US);
    }
    let used = [&fixed, &bucket, &rolling, &places].map(|it| it.consumption(NOW_US));
    assert_eq!(
        used,
        [
            consumption(2, 60, Some(NOW_US + minute_us)),
            consumption(2, 5, Some(NOW_US + 2_000_000)),
            consumption(2, 60, Some(NOW_US + minute_us * 17 / 16)),
            consumption(2, 60, None),
        ]
    );
    let later = [&fixed, &bucket, &rolling].map(|it| it.consumption(NOW_US + 2 * minute_us));
    assert_eq!(later.map(|it| it.used), [0, 0, 0]);
    assert_eq!(later[1].resets_us, None);
}

#[test]
fn counters_of_addresses_are_not_saved_and_those_of_users_are() {
    let counters = Counters::new(KEY, FOUND_MAX);
    let rule = |per| {
        let limit = Limit::requests(per, 9, Window::DAY);
        Arc::new(Rule::new(ServedLimit::compile(&limit, NOW_US)).found_at_call())
    };
    let pair = Per::ADDRESS.and(Dimension::User);
    let dimensions: [&[i64]; 3] = [&[5], &[5, 6], &[7]];
    for (per, dimensions) in [Per::ADDRESS, pair, Per::USER].into_iter().zip(dimensions) {
        call(&counters.find(&rule(per), dimensions, NOW_US), NOW_US);
    }
    let saved = counters.export();
    assert_eq!(saved.len(), 1);
    let again = Counters::new(KEY, FOUND_MAX);
    again.import(saved);
    let user = again.find(&rule(Per::USER), &[7], NOW_US);
    assert_eq!(call(&user, NOW_US), Some(7));
}

#[test]
fn rolling_windows_survive_a_kill_whole() {
    let limit = Limit {
        algorithm: Algorithm::Rolling {},
        ..Limit::requests(Per::SUBSCRIPTION, 100, Window::new(16, Unit::Hour))
    };
    let limit = ServedLimit::compile(&limit, NOW_US);
    const HOUR_US: i64 = 3_600_000_000;
    let first = Counters::new(KEY, FOUND_MAX);
    let bound = first.bind(&limit, &[9]);
    let mut disk = std::collections::HashMap::new();
    for hour in 0..20 {
        for _ in 0..=hour % 3 {
            call(&bound, NOW_US + hour * HOUR_US);
        }
        disk.extend(first.export().into_iter().map(|saved| (saved.id, saved)));
    }
    assert_eq!(first.export(), [], "nothing has changed since");
    let now_us = NOW_US + 19 * HOUR_US;
    for is_bound_first in [false, true] {
        let second = Counters::new(KEY, FOUND_MAX);
        let held = is_bound_first.then(|| second.bind(&limit, &[9]));
        second.import(disk.values().copied().collect());
        let bound = held.unwrap_or_else(|| second.bind(&limit, &[9]));
        for hour in 0..18 {
            let at_us = now_us + hour * HOUR_US;
            let expected = first.bind(&limit, &[9]);
            let expected = expected
                .judge(Call {
                    now_us: at_us,
                    weight: 1,
                })
                .unwrap();
            let seen = bound
                .judge(Call {
                    now_us: at_us,
                    weight: 1,
                })
                .unwrap();
            assert_eq!(seen.remaining, expected.remaining, "{hour}");
        }
    }
    let short = Limit {
        algorithm: Algorithm::Rolling {},
        ..Limit::requests(Per::SUBSCRIPTION, 100, Window::MINUTE)
    };
    let short = ServedLimit::compile(&short, NOW_US);
    call(&first.bind(&short, &[9]), now_us);
    assert_eq!(first.export(), []);
    assert!(!first.export_short(now_us).is_empty());
}
