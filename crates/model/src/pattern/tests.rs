use proptest::prelude::*;

use super::*;

/// A pattern written with `*` for its parameters.
fn pattern(text: &str) -> Pattern {
    Pattern::new(text.split('*').map(|it| it.as_bytes().to_vec()).collect())
}

#[test]
fn each_parameter_takes_at_least_one_byte() {
    let rows = [
        ("*.json", "a.json", true),
        ("*.json", ".json", false),
        ("*.json", "a.json.json", true),
        ("*.json", "a.jso", false),
        ("*:cancel", "p:cancel", true),
        ("Orders(*)", "Orders(7)", true),
        ("Orders(*)", "Orders()", false),
        ("*...*", "main...topic", true),
        ("*...*", "...", false),
        ("*...*", "main...", false),
        ("*-*-*", "a--b-c", true),
        ("*-*-*", "---", false),
        ("*-*-*", "-----", true),
        ("a*a", "aa", false),
        ("a*a", "aba", true),
        ("aa*a", "aa", false),
    ];
    for (text, segment, matches) in rows {
        let pattern = pattern(text);
        let found = pattern.matches(segment.as_bytes(), Escapes::Encoded);
        assert_eq!(found, matches, "{text}: {segment}");
    }
}

#[test]
fn a_literal_does_not_begin_inside_a_percent_encoding() {
    for (text, segment, encoded) in [
        ("*9F", "x%C3%9F", false),
        ("*F", "x%C3%9F", false),
        ("*9F", "x9F", true),
        ("*9*F", "%C3%9F9%9FF", true),
        ("*9*F", "%C3%9FF", false),
        ("*%9F", "%C3%9F", true),
    ] {
        let pattern = pattern(text);
        let found = |escapes| pattern.matches(segment.as_bytes(), escapes);
        assert_eq!(found(Escapes::Encoded), encoded, "{text}: {segment}");
        assert!(found(Escapes::Decoded), "{text}: {segment}");
    }
}

#[test]
fn its_literals_are_found_where_they_are() {
    let found = pattern("v*...*.x").literals_in(b"vmain...a...b.x");
    assert_eq!(found, Some(vec![0..1, 5..8, 13..15]));
    assert_eq!(pattern("*.x").literals_in(b".x"), None);
    assert_eq!(pattern("%C3%9F*.x").literal_chars(), 4);
}

#[test]
fn patterns_overlap_where_their_ends_fit() {
    let rows = [
        ("*.json", "*.yaml", false),
        ("a*", "*b", true),
        ("a*", "ab*", true),
        ("a*", "b*", false),
        ("*-*", "*.*", true),
        ("a*.json", "*.json", true),
    ];
    for (one, other, overlaps) in rows {
        assert_eq!(pattern(one).overlaps(&pattern(other)), overlaps);
        assert_eq!(pattern(other).overlaps(&pattern(one)), overlaps);
    }
}

/// Matches by trying all lengths of all parameters.
fn tried(literals: &[&str], segment: &str) -> bool {
    let Some(rest) = segment.strip_prefix(literals[0]) else {
        return false;
    };
    match &literals[1..] {
        [] => rest.is_empty(),
        more => (1..=rest.len()).any(|taken| tried(more, &rest[taken..])),
    }
}

proptest! {
    #[test]
    fn it_matches_what_any_choice_of_lengths_matches(
        text in "[ab]{0,2}(\\*[ab]{1,2}){0,3}\\*[ab]{0,2}",
        segment in "[ab]{0,9}",
    ) {
        let literals: Vec<_> = text.split('*').collect();
        let found = pattern(&text).matches(segment.as_bytes(), Escapes::Encoded);
        prop_assert_eq!(found, tried(&literals, &segment));
    }

    #[test]
    fn patterns_that_match_the_same_text_overlap(
        one in "[ab]{0,2}\\*([ab]{1}\\*){0,2}[ab]{0,2}",
        other in "[ab]{0,2}\\*([ab]{1}\\*){0,2}[ab]{0,2}",
        segment in "[ab]{1,9}",
    ) {
        let (one, other) = (pattern(&one), pattern(&other));
        let matches = |it: &Pattern| it.matches(segment.as_bytes(), Escapes::Encoded);
        if matches(&one) && matches(&other) {
            prop_assert!(one.overlaps(&other));
        }
    }
}
