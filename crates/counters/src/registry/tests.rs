use tollgate_model::plan::{Algorithm, Limit, Per};

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
        algorithm: Algorithm::Fixed { zone },
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
    let small = bind(Window::Day, 3);
    assert_eq!(
        [call(&small, NOW_US), call(&small, NOW_US)],
        [Some(2), Some(1)]
    );
    assert_eq!(call(&bind(Window::Day, 10), NOW_US), Some(7));
    assert_eq!(call(&bind(Window::Day, 2), NOW_US), None);
    assert_eq!(call(&bind(Window::Week, 10), NOW_US), Some(9));
    assert_eq!(counters.count(), 2);
}

#[test]
fn each_dimension_and_zone_has_its_own_counter_and_utc_is_one_zone() {
    let counters = Counters::new(KEY);
    for (zone, dimension) in [(None, 1), (None, 2), (Some("Asia/Tokyo"), 1)] {
        let bound = counters.bind(&limit(Window::Day, 2, zone), dimension);
        assert_eq!(call(&bound, NOW_US), Some(1));
    }
    let named = counters.bind(&limit(Window::Day, 2, Some("UTC")), 1);
    assert_eq!(call(&named, NOW_US), Some(0));
    let other_key = Counters::new([8; 16]);
    let limit = limit(Window::Day, 2, None);
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
        for window in [Window::Day, Window::Week, Window::Month, Window::Year] {
            call(&first.bind(&limit(window, 5, zone), 9), NOW_US);
        }
    }
    let (hour, rate) = (limit(Window::Hour, 5, None), bucket(Window::Hour, 1, 5));
    for long in [&hour, &rate] {
        call(&first.bind(long, 9), NOW_US);
    }
    call(&first.bind(&limit(Window::Minute, 5, None), 9), NOW_US);
    call(&first.bind(&bucket(Window::Minute, 1, 5), 9), NOW_US);
    let saved = first.export();
    assert_eq!(saved.len(), 10, "those of a minute are short");
    assert!(saved.iter().all(|saved| saved.end_us > NOW_US));
    assert_eq!(first.export(), [], "nothing has changed since");

    for long in [&limit(Window::Month, 5, None), &hour, &rate] {
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
        (limit(Window::Second, 5, None), 1_000_000),
        (limit(Window::Minute, 5, None), 60_000_000),
        (bucket(Window::Second, 1, 5), 1_000_000),
        (bucket(Window::Minute, 1, 5), 60_000_000),
    ];
    let first = Counters::new(KEY);
    for (short, _) in &shorts {
        call(&first.bind(short, 9), NOW_US);
        let _never_called = first.bind(short, 10);
    }
    assert_eq!(first.export(), []);
    let saved = first.export_short(NOW_US);
    assert_eq!(saved.len(), 4, "{saved:?}");
    assert_eq!(first.export_short(NOW_US + 1_000_000).len(), 2);
    assert_eq!(first.export_short(NOW_US + 60_000_000), []);
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
        window: Window::Second,
        algorithm: Algorithm::Gcra { burst: 5 },
    };
    let held = counters.bind(&limit(Window::Hour, 5, None), 1);
    call(&held, NOW_US);
    for served in [
        limit(Window::Second, 5, None),
        limit(Window::Hour, 5, None),
        limit(Window::Day, 5, None),
        ServedLimit::compile(&gcra, NOW_US),
    ] {
        call(&counters.bind(&served, 2), NOW_US);
    }
    drop(counters.bind(&limit(Window::Minute, 5, None), 2));
    let left_after = |us: i64| {
        counters.sweep(NOW_US + us);
        counters.count()
    };
    assert_eq!(left_after(0), 5, "the unused one is dropped at once");
    assert_eq!(left_after(62_000_000), 3, "the second's and the bucket");
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
    let bound = counters.bind(&limit(Window::Second, 1, None), 1);
    assert_eq!(call(&bound, NOW_US), Some(0));
    counters.sweep(NOW_US + DAY_US);
    let round = NOW_US + (1 << 24) * 1_000_000;
    assert_eq!(call(&bound, round - 5_000_000), Some(0));
    assert_eq!(call(&bound, round), Some(0));
}

#[test]
fn binding_and_sweeping_go_on_while_workers_call() {
    let counters = Counters::new(KEY);
    let limit = limit(Window::Day, 100_000, None);
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
