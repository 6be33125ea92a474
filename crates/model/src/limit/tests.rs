use super::*;

const DAY_US: i64 = 86_400_000_000;

fn limit(window: Window, algorithm: Algorithm) -> Limit {
    Limit {
        per: Per::Subscription,
        amount: 10,
        window,
        algorithm,
    }
}

#[test]
fn even_windows_of_utc_are_counted_and_others_listed() {
    let compile = |window, zone: Option<&str>| {
        let algorithm = Algorithm::Fixed {
            zone: zone.map(str::to_owned),
            anchor: None,
        };
        ServedLimit::compile(&limit(window, algorithm), 20_000 * DAY_US + 5)
    };
    let day = compile(Window::DAY, None);
    let span = day.span(20_000 * DAY_US + 5).unwrap();
    assert_eq!(
        span,
        Span {
            id: 20_000,
            end_us: 20_001 * DAY_US
        }
    );
    let monday = compile(Window::WEEK, None).span(FIRST_MONDAY_US).unwrap();
    assert_eq!(monday.end_us, FIRST_MONDAY_US + 7 * DAY_US);
    assert!(matches!(
        compile(Window::MONTH, None).counting,
        Counting::At(_)
    ));
    assert!(matches!(
        compile(Window::DAY, Some("Asia/Tokyo")).counting,
        Counting::At(_)
    ));
}

#[test]
fn a_listed_window_keeps_its_id_when_the_list_is_renewed() {
    let algorithm = Algorithm::Fixed {
        zone: Some("Asia/Kolkata".into()),
        anchor: None,
    };
    let now = 20_000 * DAY_US;
    let first = ServedLimit::compile(&limit(Window::DAY, algorithm.clone()), now);
    let later = ServedLimit::compile(&limit(Window::DAY, algorithm), now + 3 * DAY_US);
    let probe = now + 4 * DAY_US;
    assert_eq!(first.span(probe), later.span(probe));
    assert_ne!(
        first.span(probe).unwrap().id,
        first.span(probe + DAY_US).unwrap().id
    );
}

#[test]
fn windows_continue_after_the_end_of_a_list() {
    let listed = limit(
        Window::MONTH,
        Algorithm::Fixed {
            zone: None,
            anchor: None,
        },
    );
    let served = ServedLimit::compile(&listed, 20_000 * DAY_US);
    let far = 22_000 * DAY_US;
    let span = served.span(far).unwrap();
    assert!(span.end_us > far && span.end_us <= far + 31 * DAY_US);
}

#[test]
fn the_beginning_of_a_window_is_found_by_its_id() {
    let zoned = |zone: &str| Algorithm::Fixed {
        zone: Some(zone.to_owned()),
        anchor: None,
    };
    let utc = || Algorithm::Fixed {
        zone: None,
        anchor: None,
    };
    let now = 20_000 * DAY_US + 12_345;
    for (window, algorithm) in [
        (Window::SECOND, utc()),
        (Window::HOUR, utc()),
        (Window::WEEK, utc()),
        (Window::MONTH, utc()),
        (Window::DAY, zoned("Asia/Kathmandu")),
        (Window::YEAR, zoned("America/New_York")),
    ] {
        let served = ServedLimit::compile(&limit(window, algorithm), now);
        let span = served.span(now).unwrap();
        for near in [now, now - DAY_US, now + 20 * DAY_US] {
            let start = served.start_us(span.id, near).unwrap();
            assert!(start <= now, "{window:?}");
            assert_eq!(served.span(start), Some(span), "{window:?}");
            assert_ne!(served.span(start - 1), Some(span), "{window:?}");
        }
    }
    let bucket = ServedLimit::compile(&limit(Window::SECOND, Algorithm::Gcra { burst: 1 }), now);
    assert_eq!(bucket.start_us(1, now), None);
}
