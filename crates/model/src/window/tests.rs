use super::*;

#[test]
fn a_window_is_read_from_its_text_and_written_in_one_form() {
    for (text, window, canonical) in [
        ("second", Window::SECOND, "second"),
        ("minute", Window::MINUTE, "minute"),
        ("1 minute", Window::MINUTE, "minute"),
        ("1 year", Window::YEAR, "year"),
        ("5 minutes", Window::new(5, Unit::Minute), "5 minutes"),
        ("60 minutes", Window::new(60, Unit::Minute), "60 minutes"),
        (
            "1000 seconds",
            Window::new(1_000, Unit::Second),
            "1000 seconds",
        ),
        ("1000 days", Window::new(1_000, Unit::Day), "1000 days"),
        ("52 weeks", Window::new(52, Unit::Week), "52 weeks"),
        ("12 months", Window::new(12, Unit::Month), "12 months"),
    ] {
        assert_eq!(Window::parse(text), Some(window), "{text}");
        let json = serde_json::to_string(&window).unwrap();
        assert_eq!(json, format!("{canonical:?}"));
        assert_eq!(serde_json::from_str::<Window>(&json).unwrap(), window);
    }
}

#[test]
fn other_texts_are_no_windows() {
    for text in [
        "",
        " ",
        " minute",
        "minute ",
        "Minute",
        "minutes",
        "fortnight",
        "0 minutes",
        "05 minutes",
        "+5 minutes",
        "-5 minutes",
        "5  minutes",
        "5\tminutes",
        "5minutes",
        "5 minute",
        "1 minutes",
        "01 minute",
        "5 minutess",
        "1.5 hours",
        "5 minutes 5 seconds",
        "٥ minutes",
        "1001 seconds",
        "1001 days",
        "9999 minutes",
        "99999999999 days",
        "53 weeks",
        "13 months",
        "2 years",
    ] {
        assert_eq!(Window::parse(text), None, "{text:?}");
        let json = serde_json::to_string(text).unwrap();
        let read: Window = serde_json::from_str(&json).unwrap();
        assert!(!read.is_valid(), "{text:?}");
    }
}

#[test]
fn lengths_are_multiples_of_the_unit() {
    assert_eq!(Window::MINUTE.length_us(), 60_000_000);
    let days = Window::new(1_000, Unit::Day);
    assert_eq!(days.length_us(), 86_400_000 * 1_000_000);
    assert_eq!(
        Window::new(12, Unit::Month).length_us(),
        Window::YEAR.length_us()
    );
}
