use tollgate_model::plan::{Algorithm, Limit, Per, Unit};

use super::*;
use crate::debit::debit;

const KEY: [u8; 16] = [7; 16];
const DAY_US: i64 = 86_400_000_000;
const NOW_US: i64 = 20_000 * DAY_US;

fn limit(window: Window, amount: u64, zone: Option<&str>) -> ServedLimit {
    let zone = zone.map(str::to_owned);
    let limit = Limit {
        per: Per::Subscription,
        amount,
        window,
        algorithm: Algorithm::Fixed { zone, anchor: None },
    };
    ServedLimit::compile(&limit, NOW_US)
}

fn call(bound: &BoundLimit, now_us: i64) -> Option<u64> {
    let standing = debit(std::iter::once(bound), now_us).ok()?;
    standing.map(|standing| standing.remaining)
}

#[test]
fn a_changed_amount_keeps_the_usage_and_another_window_starts_at_zero() {
    let counters = Counters::new(KEY);
    let bind = |window, amount| counters.bind(&limit(window, amount, None), 1);
    let small = bind(Window::DAY, 3);
    assert_eq!(
        [call(&small, NOW_US), call(&small, NOW_US)],
        [Some(2), Some(1)]
    );
    assert_eq!(call(&bind(Window::DAY, 10), NOW_US), Some(7));
    assert_eq!(call(&bind(Window::DAY, 2), NOW_US), None);
    assert_eq!(call(&bind(Window::WEEK, 10), NOW_US), Some(9));
    assert_eq!(counters.count(), 2);
}

#[test]
fn each_dimension_and_zone_has_its_own_counter_and_utc_is_one_zone() {
    let counters = Counters::new(KEY);
    for (zone, dimension) in [(None, 1), (None, 2), (Some("Asia/Tokyo"), 1)] {
        let bound = counters.bind(&limit(Window::DAY, 2, zone), dimension);
        assert_eq!(call(&bound, NOW_US), Some(1));
    }
    let named = counters.bind(&limit(Window::DAY, 2, Some("UTC")), 1);
    assert_eq!(call(&named, NOW_US), Some(0));
    let other_key = Counters::new([8; 16]);
    let limit = limit(Window::DAY, 2, None);
    assert_ne!(counters.id(&limit, 1), other_key.id(&limit, 1));
}

fn bucket(window: Window, amount: u64, burst: u64) -> ServedLimit {
    let limit = Limit {
        per: Per::Subscription,
        amount,
        window,
        algorithm: Algorithm::Gcra { burst },
    };
    ServedLimit::compile(&limit, NOW_US)
}

#[test]
fn long_counters_survive_a_kill_whenever_they_are_imported() {
    let first = Counters::new(KEY);
    for zone in [None, Some("America/Sao_Paulo")] {
        for window in [Window::DAY, Window::WEEK, Window::MONTH, Window::YEAR] {
            call(&first.bind(&limit(window, 5, zone), 9), NOW_US);
        }
    }
    let (hour, rate) = (limit(Window::HOUR, 5, None), bucket(Window::HOUR, 1, 5));
    for long in [&hour, &rate] {
        call(&first.bind(long, 9), NOW_US);
    }
    call(&first.bind(&limit(Window::MINUTE, 5, None), 9), NOW_US);
    call(&first.bind(&bucket(Window::MINUTE, 1, 5), 9), NOW_US);
    let saved = first.export();
    assert_eq!(saved.len(), 10, "those of a minute are short");
    assert!(saved.iter().all(|saved| saved.end_us > NOW_US));
    assert_eq!(first.export(), [], "nothing has changed since");

    for long in [&limit(Window::MONTH, 5, None), &hour, &rate] {
        let before = Counters::new(KEY);
        before.import(saved.clone());
        assert_eq!(call(&before.bind(long, 9), NOW_US), Some(3));
        assert_eq!(before.export().len(), 1, "only changed counters");

        let after = Counters::new(KEY);
        let bound = after.bind(long, 9);
        assert_eq!(call(&bound, NOW_US), Some(4));
        assert_eq!(call(&bound, NOW_US), Some(3));
        after.import(saved.clone());
        let left = call(&bound, NOW_US);
        assert_eq!(left, Some(2), "an older checkpoint changes nothing");
        let fresh = Counters::new(KEY);
        let bound = fresh.bind(long, 9);
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
    let first = Counters::new(KEY);
    for (short, _) in &shorts {
        call(&first.bind(short, 9), NOW_US);
        let _never_called = first.bind(short, 10);
    }
    assert_eq!(first.export(), []);
    let saved = first.export_short(NOW_US);
    assert_eq!(saved.len(), 6, "{saved:?}");
    assert_eq!(first.export_short(NOW_US + 1_000_000).len(), 4);
    assert_eq!(first.export_short(NOW_US + 60_000_000).len(), 1);
    assert_eq!(first.export_short(NOW_US + 300_000_000), []);
    for (short, ends_in_us) in shorts {
        for is_bound_first in [false, true] {
            let second = Counters::new(KEY);
            let held = is_bound_first.then(|| second.bind(&short, 9));
            second.import(saved.clone());
            let bound = held.unwrap_or_else(|| second.bind(&short, 9));
            assert_eq!(call(&bound, NOW_US), Some(3), "{short:?}");
            let anew = call(&bound, NOW_US + 2 * ends_in_us);
            assert_eq!(anew, Some(4), "{short:?}");
        }
    }
}

#[test]
fn a_sweep_drops_unbound_counters_after_their_window() {
    let counters = Counters::new(KEY);
    let gcra = Limit {
        per: Per::Api,
        amount: 1,
        window: Window::SECOND,
        algorithm: Algorithm::Gcra { burst: 5 },
    };
    let held = counters.bind(&limit(Window::HOUR, 5, None), 1);
    call(&held, NOW_US);
    for served in [
        limit(Window::SECOND, 5, None),
        limit(Window::HOUR, 5, None),
        limit(Window::DAY, 5, None),
        ServedLimit::compile(&gcra, NOW_US),
    ] {
        call(&counters.bind(&served, 2), NOW_US);
    }
    drop(counters.bind(&limit(Window::MINUTE, 5, None), 2));
    let minutes = limit(Window::new(5, Unit::Minute), 5, None);
    call(&counters.bind(&minutes, 2), NOW_US);
    let left_after = |us: i64| {
        counters.sweep(NOW_US + us);
        counters.count()
    };
    assert_eq!(left_after(0), 6, "the unused one is dropped at once");
    assert_eq!(left_after(62_000_000), 4, "the second's and the bucket");
    assert_eq!(left_after(359_000_000), 4);
    assert_eq!(left_after(360_000_000), 3, "the five minutes'");
    assert_eq!(left_after(3_600_000_000), 3);
    assert_eq!(left_after(3_660_000_000), 2, "the hour's");
    assert_eq!(left_after(DAY_US + 60_000_000), 1, "the day's");
    assert_eq!(
        held.judge(NOW_US).unwrap().remaining,
        4,
        "emptied, still held"
    );
}

#[test]
fn a_swept_counter_is_empty_when_its_window_id_is_reused() {
    let counters = Counters::new(KEY);
    let bound = counters.bind(&limit(Window::SECOND, 1, None), 1);
    assert_eq!(call(&bound, NOW_US), Some(0));
    counters.sweep(NOW_US + DAY_US);
    let round = NOW_US + (1 << 24) * 1_000_000;
    assert_eq!(call(&bound, round - 5_000_000), Some(0));
    assert_eq!(call(&bound, round), Some(0));
}

#[test]
fn binding_and_sweeping_go_on_while_workers_call() {
    let counters = Counters::new(KEY);
    let limit = limit(Window::DAY, 100_000, None);
    let bound = counters.bind(&limit, 1);
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
            let again = counters.bind(&limit, 1);
            assert!(call(&again, NOW_US).is_some());
        }
    });
    assert_eq!(call(&bound, NOW_US), Some(100_000 - 60_200 - 1));
}
