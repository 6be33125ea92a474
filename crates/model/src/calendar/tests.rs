use jiff::ToSpan;
use proptest::prelude::*;

use super::*;

/// Returns the beginnings of the windows around and after an instant, in UTC.
fn starts(window: &str, zone: &str, anchor: Option<&str>, from: &str) -> Vec<String> {
    let from: Timestamp = from.parse().unwrap();
    let anchor = anchor.map(|text| parse_date(text).unwrap());
    let window = Window::parse(window).unwrap();
    let starts = boundaries(window, zone, anchor, from.as_microsecond()).starts;
    let text = |us: &i64| Timestamp::from_microsecond(*us).unwrap().to_string();
    starts.iter().map(text).collect()
}

#[test]
fn l13_days_follow_the_zone_over_both_changes_of_its_clock() {
    let rows = [
        (
            "Europe/Berlin",
            "2026-03-28T12:00:00Z",
            ["2026-03-27T23", "2026-03-28T23", "2026-03-29T22"],
        ),
        (
            "Europe/Berlin",
            "2026-10-24T22:30:00Z",
            ["2026-10-24T22", "2026-10-25T23", "2026-10-26T23"],
        ),
        (
            "America/New_York",
            "2026-03-07T12:00:00Z",
            ["2026-03-07T05", "2026-03-08T05", "2026-03-09T04"],
        ),
        (
            "America/New_York",
            "2026-11-01T05:30:00Z",
            ["2026-11-01T04", "2026-11-02T05", "2026-11-03T05"],
        ),
        // Half an hour: from UTC+11 to UTC+10:30 and back.
        (
            "Australia/Lord_Howe",
            "2026-04-04T14:00:00Z",
            ["2026-04-04T13:00", "2026-04-05T13:30", "2026-04-06T13:30"],
        ),
        (
            "Australia/Lord_Howe",
            "2026-10-03T13:30:00Z",
            ["2026-10-03T13:30", "2026-10-04T13:00", "2026-10-05T13:00"],
        ),
        // The clock goes from midnight to 1:00, and from midnight back to 23:00.
        (
            "Asia/Beirut",
            "2026-03-28T22:00:00Z",
            ["2026-03-28T22:00", "2026-03-29T21:00", "2026-03-30T21:00"],
        ),
        (
            "Asia/Beirut",
            "2026-10-24T20:59:59Z",
            ["2026-10-23T21:00", "2026-10-24T22:00", "2026-10-25T22:00"],
        ),
    ];
    for (zone, from, expected) in rows {
        for (window, anchor) in [("day", None), ("1 day", Some("2026-07-15"))] {
            let found = starts(window, zone, anchor, from);
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.starts_with(expected), "{zone} {from}: {found}");
            }
        }
    }
}

#[test]
fn l13_windows_repeat_from_the_first_days_of_1970_or_from_their_anchor() {
    let rows = [
        (
            "week",
            None,
            "2026-11-22T23:59:59Z",
            ["2026-11-16", "2026-11-23", "2026-11-30"],
        ),
        (
            "2 weeks",
            None,
            "1970-01-18T23:59:59Z",
            ["1970-01-05", "1970-01-19", "1970-02-02"],
        ),
        (
            "2 weeks",
            Some("2026-11-18"),
            "2026-11-17T00:00:00Z",
            ["2026-11-04", "2026-11-18", "2026-12-02"],
        ),
        (
            "5 days",
            None,
            "1970-01-12T00:00:00Z",
            ["1970-01-11", "1970-01-16", "1970-01-21"],
        ),
        (
            "5 days",
            Some("2030-01-01"),
            "2029-12-31T00:00:00Z",
            ["2029-12-27", "2030-01-01", "2030-01-06"],
        ),
        (
            "month",
            None,
            "2028-01-31T00:00:00Z",
            ["2028-01-01", "2028-02-01", "2028-03-01"],
        ),
        (
            "3 months",
            None,
            "2026-06-30T00:00:00Z",
            ["2026-04-01", "2026-07-01", "2026-10-01"],
        ),
        (
            "5 months",
            None,
            "1970-07-01T00:00:00Z",
            ["1970-06-01", "1970-11-01", "1971-04-01"],
        ),
        (
            "month",
            Some("2025-12-28"),
            "2026-02-27T23:00:00Z",
            ["2026-01-28", "2026-02-28", "2026-03-28"],
        ),
        (
            "month",
            Some("2025-12-29"),
            "2026-02-28T00:00:00Z",
            ["2026-02-28", "2026-03-29", "2026-04-29"],
        ),
        (
            "month",
            Some("2025-12-30"),
            "2028-02-28T23:00:00Z",
            ["2028-01-30", "2028-02-29", "2028-03-30"],
        ),
        (
            "month",
            Some("2025-12-31"),
            "2026-02-01T00:00:00Z",
            ["2026-01-31", "2026-02-28", "2026-03-31"],
        ),
        (
            "month",
            Some("2025-12-31"),
            "2026-04-30T00:00:00Z",
            ["2026-04-30", "2026-05-31", "2026-06-30"],
        ),
        (
            "2 months",
            Some("2026-08-31"),
            "2026-02-27T00:00:00Z",
            ["2025-12-31", "2026-02-28", "2026-04-30"],
        ),
        (
            "year",
            None,
            "2026-07-01T00:00:00Z",
            ["2026-01-01", "2027-01-01", "2028-01-01"],
        ),
        (
            "year",
            Some("2024-02-29"),
            "2027-02-28T00:00:00Z",
            ["2027-02-28", "2028-02-29", "2029-02-28"],
        ),
        (
            "year",
            Some("2025-02-28"),
            "2028-02-28T00:00:00Z",
            ["2028-02-28", "2029-02-28", "2030-02-28"],
        ),
    ];
    for (window, anchor, from, expected) in rows {
        let found = starts(window, "UTC", anchor, from);
        for (found, expected) in found.iter().zip(expected) {
            let expected = format!("{expected}T00:00:00Z");
            assert_eq!(*found, expected, "{window} {anchor:?} {from}");
        }
    }
}

#[test]
fn only_dates_in_one_form_are_anchors() {
    assert_eq!(parse_date("2024-02-29"), Some(date(2024, 2, 29)));
    for text in [
        "",
        "2026-02-30",
        "2026-02-29",
        "2026-2-01",
        "20260201",
        " 2026-02-01",
        "2026-13-01",
        "2026-02-01T00:00",
        "2026-02-01Z",
        "-002026-02-01",
        "+2026-02-01",
        "2026-W05-1",
        "today",
    ] {
        assert_eq!(parse_date(text), None, "{text:?}");
    }
}

const ZONES: [&str; 6] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Havana",
    "Asia/Kathmandu",
];

fn windows() -> impl Strategy<Value = Window> {
    const UNITS: [Unit; 4] = [Unit::Day, Unit::Week, Unit::Month, Unit::Year];
    prop::sample::select(&UNITS[..]).prop_flat_map(|unit| {
        (1..=unit.count_max()).prop_map(move |count| Window::new(count, unit))
    })
}

/// The beginning of window `number` by definition: the origin plus so many windows.
fn defined(window: Window, zone: &TimeZone, origin: Date, number: i64) -> i64 {
    let units = number * i64::from(window.count());
    let span = match window.unit() {
        Unit::Week => units.weeks(),
        Unit::Month => units.months(),
        Unit::Year => units.years(),
        _ => units.days(),
    };
    let day = origin.checked_add(span).unwrap();
    let start = day.to_zoned(zone.clone()).unwrap();
    start.timestamp().as_microsecond()
}

proptest! {
    #[test]
    fn windows_begin_as_defined(
        window in windows(),
        zone in prop::sample::select(&ZONES[..]),
        anchor in prop::option::of((1970..2060_i16, 1..=12_i8, 1..=31_i8)),
        from_s in 0..3_000_000_000_i64,
    ) {
        let anchor = anchor.map(|(year, month, day)| {
            let first = date(year, month, 1);
            first.with().day(day.min(first.days_in_month())).build().unwrap()
        });
        let from_us = from_s * 1_000_000;
        let found = boundaries(window, zone, anchor, from_us);
        let is_week = window.unit() == Unit::Week;
        let origin = anchor.unwrap_or(date(1970, 1, if is_week { 5 } else { 1 }));
        let zone = TimeZone::get(zone).unwrap();
        let start = |number| defined(window, &zone, origin, number);
        // A century of windows around the origin.
        let century = 3_200_000_000_000_000 / i64::try_from(window.length_us()).unwrap() + 2;
        let (mut number, mut after) = (-century, century);
        while number + 1 < after {
            let middle = i64::midpoint(number, after);
            if start(middle) <= from_us { number = middle } else { after = middle }
        }
        let expected: Vec<i64> = (number..).take(found.starts.len()).map(start).collect();
        prop_assert_eq!(found.starts, expected);
        // An anchor shifts the count so that 1970-01-01 is in window 0.
        let in_first = |number| defined(window, &TimeZone::UTC, origin, number) <= 0;
        let zeroth = anchor.map_or(0, |_| (-century..century).rfind(|&it| in_first(it)).unwrap());
        prop_assert_eq!(i64::from(found.first), number - zeroth);
    }
}
