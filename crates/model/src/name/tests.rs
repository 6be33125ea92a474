use super::*;
use crate::api::name_fault;

#[test]
fn names_that_differ_in_case_or_invisible_characters_are_equal() {
    for (one, other) in [
        ("dana", "DANA"),
        ("dana", "da\u{200b}na"),
        ("dana", "\u{202e}dana"),
        ("straße", "STRASSE"),
        ("Σίσυφος", "σίσυφοσ"),
        ("kelvin", "\u{212a}elvin"),
        ("zoë", "ZOË"),
        ("admin", "\u{ff41}dmin"),
        ("ADMIN", "\u{ff41}\u{ff24}\u{ff2d}\u{ff29}\u{ff2e}"),
        ("fiona", "\u{fb01}ona"),
        ("dana 2", "DANA \u{2461}"),
        ("boss", "bo\u{17f}\u{17f}"),
        ("zoe\u{308}", "ZO\u{cb}"),
    ] {
        assert_eq!(folded(one), folded(other), "{one:?} and {other:?}");
    }
    for (one, other) in [("dana", "danа"), ("dana", "da na"), ("dana", "danna")] {
        assert_ne!(folded(one), folded(other), "{one:?} and {other:?}");
    }
}

#[test]
fn a_normalized_name_has_plain_letters_and_keeps_its_case() {
    for (typed, normal) in [
        ("Dana", "Dana"),
        ("\u{ff24}ana", "Dana"),
        ("\u{fb01}ona \u{2461}", "fiona 2"),
        ("Zoe\u{308}", "Zo\u{eb}"),
        ("stra\u{df}e", "stra\u{df}e"),
    ] {
        assert_eq!(normalized(typed), normal, "{typed:?}");
    }
}

#[test]
fn a_name_has_no_invisible_characters() {
    for good in [
        "Dana",
        "Ünal 2",
        "東京 API",
        "Shop (till) – 1",
        "שלום",
        "a\u{301}",
    ] {
        assert_eq!(name_fault(good), None, "{good:?}");
    }
    for character in [
        '\u{0}',
        '\u{7f}',
        '\u{85}',
        '\u{a0}',
        '\u{ad}',
        '\u{61c}',
        '\u{115f}',
        '\u{180e}',
        '\u{200b}',
        '\u{200d}',
        '\u{200f}',
        '\u{2028}',
        '\u{2029}',
        '\u{202a}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{2069}',
        '\u{2800}',
        '\u{3000}',
        '\u{3164}',
        '\u{fe0f}',
        '\u{feff}',
        '\u{fff9}',
        '\u{1d173}',
        '\u{e0001}',
        '\u{e0041}',
        '\u{e01ef}',
    ] {
        let fault = name_fault(&format!("pay{character}roll"));
        let code = fault.map(|fault| fault.code);
        assert_eq!(code.as_deref(), Some("name.form"), "{character:?}");
    }
}
