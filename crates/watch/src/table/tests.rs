use super::*;

const MINUTE_US: i64 = 60 * 1_000_000;

/// Counts calls of a name.
fn call(table: &mut Table<&'static str, u64>, name: &'static str, calls: u64) {
    let place = table.place(&name, 0);
    *table.figures_for(Some(place), calls) += calls;
}

fn shown(table: &Table<&'static str, u64>) -> Vec<(&'static str, u64)> {
    let mut shown: Vec<_> = table.shown().map(|(&name, &calls)| (name, calls)).collect();
    shown.sort_unstable();
    shown
}

/// Names of one letter each.
fn names() -> Vec<&'static str> {
    ('a'..='z').map(|it| &*it.to_string().leak()).collect()
}

#[test]
fn the_busiest_names_are_shown_and_the_rest_together() {
    let mut table = Table::new(2);
    for (name, calls) in [("a", 30), ("b", 900), ("c", 90), ("d", 700)] {
        call(&mut table, name, calls);
    }
    assert_eq!(shown(&table), [("a", 30), ("b", 900)]);
    assert_eq!(*table.other(), 790);
    // One that is far busier than a takes its place; c would not be far busier than d.
    assert_eq!(table.rank(["a", "b", "c", "d"].iter(), MINUTE_US), [30]);
    assert_eq!(shown(&table), [("b", 900), ("d", 0)]);
    call(&mut table, "d", 1);
    call(&mut table, "a", 1);
    assert_eq!(shown(&table), [("b", 900), ("d", 1)]);
    assert_eq!(*table.other(), 791, "what was counted there stays");
}

#[test]
fn names_that_are_about_equally_busy_keep_their_places() {
    let mut table = Table::new(1);
    for minute in 1_i64..30 {
        call(&mut table, "a", 50);
        call(&mut table, "b", 50 + minute.unsigned_abs() % 2 * 50);
        let gone = table.rank(["a", "b"].iter(), minute * MINUTE_US);
        assert_eq!(gone, [0; 0]);
    }
    assert_eq!(shown(&table), [("a", 29 * 50)]);
}

#[test]
fn names_that_are_called_seldom_do_not_take_turns() {
    let names = names();
    let mut table = Table::new(5);
    for minute in 0_usize..60 {
        for (place, name) in names.iter().enumerate() {
            // Each has a call in ten minutes.
            call(
                &mut table,
                name,
                u64::from((minute + place).is_multiple_of(10)),
            );
        }
        let now_us = i64::try_from(minute).unwrap() * MINUTE_US;
        assert_eq!(table.rank(names.iter(), now_us), [0; 0], "minute {minute}");
    }
}

#[test]
fn a_name_leaves_ten_minutes_after_it_was_last_served() {
    let mut table = Table::new(2);
    call(&mut table, "a", 3);
    call(&mut table, "b", 4);
    for minute in 1..=10 {
        let gone = table.rank(["b"].iter(), minute * MINUTE_US);
        assert_eq!(gone.len(), usize::from(minute == 10));
    }
    assert_eq!(shown(&table), [("b", 4)]);
    // It begins anew, in the room that is free.
    call(&mut table, "a", 1);
    assert_eq!(shown(&table), [("a", 1), ("b", 4)]);
}

#[test]
fn a_name_leaves_in_time_although_the_clock_was_set_back() {
    let mut table = Table::new(2);
    call(&mut table, "a", 3);
    assert_eq!(table.rank(["a"].iter(), 600 * MINUTE_US), [0; 0]);
    for minute in 0..=10 {
        let gone = table.rank([].iter(), minute * MINUTE_US);
        assert_eq!(gone.len(), usize::from(minute == 10));
    }
}

#[test]
fn many_names_take_the_places_of_others_at_once() {
    let names = names();
    let mut table = Table::new(5);
    for name in &names[..5] {
        call(&mut table, name, 1);
    }
    for name in &names[10..15] {
        call(&mut table, name, 100);
    }
    assert_eq!(table.rank(names.iter(), MINUTE_US), [1; 5]);
    let now: Vec<_> = shown(&table).into_iter().map(|(name, _)| name).collect();
    assert_eq!(now, names[10..15]);
    assert_eq!(*table.other(), 500);
}
