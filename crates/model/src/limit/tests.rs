use super::*;

const DAY_US: i64 = 86_400_000_000;
const NOW_US: i64 = 20_000 * DAY_US + 12_345;

fn compile(window: &str, zone: Option<&str>, anchor: Option<&str>, now_us: i64) -> ServedLimit {
    let limit = Limit {
        algorithm: Algorithm::Fixed {
            zone: zone.map(str::to_owned),
            anchor: anchor.map(str::to_owned),
        },
        ..Limit::requests(Per::SUBSCRIPTION, 10, Window::parse(window).unwrap())
    };
    ServedLimit::compile(&limit, now_us)
}

#[test]
fn the_source_of_a_compiled_limit_compiles_to_the_same() {
    for text in [
        r#"{"per":"subscription","amount":10,"window":"day"}"#,
        r#"{"per":"api","amount":10,"window":"month","name":"own","on_exceeding":"observe",
            "algorithm":{"type":"fixed","zone":"Europe/Paris","anchor":"2026-01-15"}}"#,
        r#"{"per":"user","amount":9,"window":"hour","algorithm":{"type":"gcra","burst":3}}"#,
        r#"{"per":"user","amount":3,"window":"hour","algorithm":{"type":"rolling"},
            "soft":{"overage_percent":50}}"#,
        r#"{"per":"user","amount":250,"window":"2 hours","soft":{"overage_percent":33}}"#,
        r#"{"per":"subscription","metric":"concurrent","amount":4}"#,
        r#"{"per":"address","amount":4,"window":"minute","if":{"addresses":["10.0.0.0/8"]}}"#,
        r#"{"per":"address","amount":4,"window":"minute","otherwise":true}"#,
        r#"{"per":"operation","amount":4,"window":"day","plans":["b","a"]}"#,
        r#"{"amount":4,"window":"day","metric":"bytes_out"}"#,
    ] {
        let limit: Limit = serde_json::from_str(text).unwrap();
        let compiled = ServedLimit::compile(&limit, NOW_US);
        let source = compiled.source();
        assert_eq!(ServedLimit::compile(&source, NOW_US), compiled, "{text}");
        if limit.amount >= 100 {
            assert_eq!(source.soft, limit.soft);
        }
    }
}

#[test]
fn even_windows_of_utc_are_counted_and_others_listed() {
    for (window, zone, anchor, is_listed) in [
        ("5 minutes", None, None, false),
        ("day", Some("UTC"), None, false),
        ("2 weeks", None, Some("2026-01-15"), false),
        ("month", None, None, true),
        ("year", None, Some("2026-01-15"), true),
        ("day", Some("Asia/Tokyo"), None, true),
    ] {
        let counting = compile(window, zone, anchor, NOW_US).counting;
        let found = matches!(counting, Counting::At { .. });
        assert_eq!(found, is_listed, "{window} {zone:?} {anchor:?}");
    }
}

#[test]
fn windows_are_numbered_from_1970() {
    // Day 20,000 is 2024-10-04, a Friday.
    for (window, zone, anchor, index, start_day, end_day) in [
        ("day", None, None, 20_000, 20_000, 20_001),
        ("week", None, None, 2_856, 19_996, 20_003),
        ("2 weeks", None, None, 1_428, 19_996, 20_010),
        ("1000 days", None, None, 20, 20_000, 21_000),
        ("month", None, None, 657, 19_997, 20_028),
        ("3 months", None, None, 219, 19_997, 20_089),
        ("year", None, None, 54, 19_723, 20_089),
        // 20,001 is 0 days after a whole number of threes; window 0 is that of 1970-01-01.
        ("3 days", None, Some("2024-10-05"), 6_666, 19_998, 20_001),
        ("3 days", None, Some("2024-10-04"), 6_667, 20_000, 20_003),
        ("3 days", None, Some("2060-01-01"), 6_667, 19_999, 20_002),
        ("month", None, Some("2060-01-31"), 657, 19_996, 20_027),
        ("month", None, Some("2024-10-05"), 657, 19_971, 20_001),
    ] {
        let served = compile(window, zone, anchor, NOW_US);
        let expected = Span {
            index,
            start_us: start_day * DAY_US,
            end_us: end_day * DAY_US,
        };
        assert_eq!(served.span(NOW_US), Some(expected), "{window} {anchor:?}");
    }
    let seconds = compile("second", None, None, NOW_US);
    let index = |us| seconds.span(us).unwrap().index;
    assert_eq!(index(NOW_US), 1_728_000_000);
    assert_eq!([index(-1), index(i64::MAX / 2)], [0, INDEX_MAX]);
}

#[test]
fn a_listed_window_keeps_its_number_when_the_list_is_renewed() {
    for (window, zone, anchor) in [
        ("day", "Asia/Kolkata", None),
        ("2 days", "Asia/Kolkata", Some("2030-02-28")),
        ("month", "UTC", Some("2024-01-31")),
    ] {
        let first = compile(window, Some(zone), anchor, NOW_US);
        let probe = NOW_US + 40 * DAY_US;
        for days in [1, 3, 40] {
            let later = compile(window, Some(zone), anchor, NOW_US + days * DAY_US);
            assert_eq!(first.span(probe), later.span(probe), "{window} {days}");
        }
    }
}

#[test]
fn windows_continue_before_and_after_a_list() {
    let served = compile("month", None, None, NOW_US);
    let of_now = served.span(NOW_US).unwrap();
    let far_us = NOW_US + 2_000 * DAY_US;
    let far = served.span(far_us).unwrap();
    assert!(far.start_us <= far_us && far_us < far.end_us);
    assert_eq!(far.index, of_now.index + 65);
    let before = served.span(of_now.start_us - 1).unwrap();
    assert_eq!(
        (before.index, before.end_us),
        (of_now.index - 1, of_now.start_us)
    );
}

#[test]
fn a_window_is_found_by_its_number() {
    for (window, zone, anchor) in [
        ("second", None, None),
        ("5 hours", None, None),
        ("week", None, None),
        ("3 days", None, Some("2060-01-01")),
        ("month", None, Some("2024-01-31")),
        ("day", Some("Asia/Kathmandu"), None),
        ("year", Some("America/New_York"), None),
    ] {
        let served = compile(window, zone, anchor, NOW_US);
        let mut at_us = NOW_US;
        for _ in 0..80 {
            let span = served.span(at_us).unwrap();
            assert_eq!(served.numbered(span.index), Some(span), "{window}");
            assert_eq!(served.span(span.start_us), Some(span), "{window}");
            assert_eq!(served.span(span.end_us - 1), Some(span), "{window}");
            let next = served.span(span.end_us).unwrap();
            assert_eq!((next.index, next.start_us), (span.index + 1, span.end_us));
            at_us = span.end_us;
        }
        assert!(served.numbered(INDEX_MAX).is_some());
        assert!(served.numbered(0).is_some());
    }
    let gcra = Limit {
        algorithm: Algorithm::Gcra { burst: 1 },
        ..Limit::requests(Per::API, 10, Window::SECOND)
    };
    assert_eq!(ServedLimit::compile(&gcra, NOW_US).numbered(1), None);
}
