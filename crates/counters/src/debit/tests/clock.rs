//! The instants of the calendar, and clocks that are set.

use tollgate_model::plan::Metric;

use super::*;
use crate::owed::End;

const DAY_US: i64 = 86_400 * SECOND_US;
const HOUR_US: i64 = 3_600 * SECOND_US;
const AMOUNT: u64 = 4;
/// How far the clock is set back.
const BACK_US: i64 = 300 * SECOND_US;

/// Calls on several workers until each of them was refused; returns how many were admitted.
fn admitted_by(workers: usize, bounds: &[BoundLimit], now_us: i64) -> u64 {
    let admitted = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while debit(bounds.iter(), at(now_us)).is_ok() {
                    admitted.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    admitted.into_inner()
}

/// L13 of the acceptance rows: resets over both changes of a zone's clock, and at ends of months of
/// 28 to 31 days.
#[test]
fn l13_quotas_are_reset_at_the_instants_of_their_calendar() {
    let day = |number: i64| number * DAY_US;
    // The window, the zone, the anchor, and where two windows begin and the second one ends.
    let rows = [
        // 2026-03-29 has 23 hours, 2026-10-25 has 25.
        (
            "day",
            Some("Europe/Berlin"),
            None,
            [
                day(20_541) - HOUR_US,
                day(20_542) - 2 * HOUR_US,
                day(20_543) - 2 * HOUR_US,
            ],
        ),
        (
            "day",
            Some("Europe/Berlin"),
            None,
            [
                day(20_751) - 2 * HOUR_US,
                day(20_752) - HOUR_US,
                day(20_753) - HOUR_US,
            ],
        ),
        // From 2026-01-31 and 2026-02-28 to 2026-03-31.
        (
            "month",
            None,
            Some("2025-12-31"),
            [day(20_484), day(20_512), day(20_543)],
        ),
        // From 2028-01-30 and 2028-02-29 to 2028-03-30.
        (
            "month",
            None,
            Some("2027-12-30"),
            [day(21_213), day(21_243), day(21_273)],
        ),
        // From 2026-03-31 and 2026-04-30 to 2026-05-31.
        (
            "month",
            None,
            Some("2025-12-31"),
            [day(20_543), day(20_573), day(20_604)],
        ),
        // From 2026-03-01 to 2026-04-01 and 2026-05-01, over the change of the clock.
        (
            "month",
            Some("Europe/Berlin"),
            None,
            [
                day(20_513) - HOUR_US,
                day(20_544) - 2 * HOUR_US,
                day(20_574) - 2 * HOUR_US,
            ],
        ),
    ];
    for workers in [1, 2, 4] {
        for (window, zone, anchor, instants) in rows {
            let limit = Limit {
                algorithm: Algorithm::Fixed {
                    zone: zone.map(str::to_owned),
                    anchor: anchor.map(str::to_owned),
                },
                ..fixed(Per::SUBSCRIPTION, AMOUNT, Window::parse(window).unwrap())
            };
            let counters = Counters::new(KEY, FOUND_MAX);
            let bounds = bind(&counters, &[limit], instants[0]);
            for pair in instants.windows(2) {
                let row = format!("{window} {zone:?} {anchor:?} {pair:?}");
                for (now_us, expected) in [(pair[0], AMOUNT), (pair[1] - 1, 0)] {
                    let admitted = admitted_by(workers, &bounds, now_us);
                    assert_eq!(admitted, expected, "{row} on {workers}");
                }
                let exceeded = debit(bounds.iter(), at(pair[1] - 1)).unwrap_err();
                assert_eq!(exceeded.wait, Wait::After(1), "{row}");
            }
        }
    }
}

fn rolling(window: Window) -> Limit {
    Limit {
        algorithm: Algorithm::Rolling {},
        ..fixed(Per::SUBSCRIPTION, AMOUNT, window)
    }
}

/// The clock shows noon, is set back by five minutes, then forward to the next noon, and back.
#[test]
fn a_clock_that_is_set_is_followed_or_ignored_and_never_blocks() {
    let window = |window| fixed(Per::SUBSCRIPTION, AMOUNT, window);
    let units = Limit {
        metric: Metric::Units,
        ..window(Window::DAY)
    };
    // How many calls are admitted five minutes before, a day later, and at the first noon again.
    let rows = [
        (window(Window::MINUTE), [4, 4, 4]),
        (window(Window::HOUR), [4, 4, 4]),
        (window(Window::DAY), [0, 4, 4]),
        (units, [0, 4, 4]),
        (window(Window::MONTH), [0, 0, 0]),
        (
            gcra(Per::SUBSCRIPTION, AMOUNT, Window::MINUTE, AMOUNT),
            [0, 4, 0],
        ),
        (
            gcra(Per::SUBSCRIPTION, AMOUNT, Window::DAY, AMOUNT),
            [0, 4, 0],
        ),
        (rolling(Window::MINUTE), [4, 4, 4]),
        // It reaches back up to a sixteenth further than a day.
        (rolling(Window::DAY), [0, 0, 4]),
    ];
    for (limit, expected) in rows {
        let counters = Counters::new(KEY, FOUND_MAX);
        let length_us = i64::try_from(limit.window.unwrap().length_us()).unwrap();
        let bounds = bind(&counters, std::slice::from_ref(&limit), NOW_US);
        let mut admitted = Vec::new();
        for now_us in [NOW_US, NOW_US - BACK_US, NOW_US + DAY_US, NOW_US] {
            admitted.push(admitted_by(1, &bounds, now_us));
            let Err(Exceeded {
                wait: Wait::After(wait_us),
                ..
            }) = debit(bounds.iter(), at(now_us))
            else {
                panic!("admitted: {limit:?}");
            };
            // A rolling window reaches up to a sixteenth further, and the clock five minutes back.
            let wait_us_max = length_us + length_us / 16 + BACK_US;
            assert!((1..=wait_us_max).contains(&wait_us), "{limit:?}");
        }
        assert_eq!(admitted[0], AMOUNT, "{limit:?}");
        assert_eq!(admitted[1..], expected, "{limit:?}");
    }
}

#[test]
fn places_do_not_depend_on_the_clock() {
    let limit = Limit {
        metric: Metric::Concurrent,
        window: None,
        ..fixed(Per::SUBSCRIPTION, AMOUNT, Window::DAY)
    };
    let counters = Counters::new(KEY, FOUND_MAX);
    let bounds = bind(&counters, &[limit], NOW_US);
    let mut held = Vec::new();
    for _ in 0..AMOUNT {
        let mut owed = Owed::default();
        let debited = debit(bounds.iter(), at(NOW_US)).unwrap();
        debited.note(bounds.iter(), at(NOW_US), &mut owed);
        held.push(owed);
    }
    for now_us in [NOW_US - BACK_US, NOW_US + DAY_US] {
        assert_eq!(admitted_by(1, &bounds, now_us), 0);
    }
    for mut owed in held {
        owed.settle(End {
            now_us: NOW_US - BACK_US,
            bytes_in: 0,
            bytes_out: 0,
            has_failed: false,
        });
    }
    assert_eq!(admitted_by(1, &bounds, NOW_US), AMOUNT);
}
