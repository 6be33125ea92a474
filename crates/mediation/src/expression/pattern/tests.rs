use super::*;

fn pattern(text: &str) -> Pattern {
    Pattern::try_from(text.to_owned()).unwrap()
}

/// Returns whether a pattern matches, and the units of work.
fn search(pattern: &Pattern, text: &str) -> (bool, usize) {
    let scratch = Scratch::default();
    (pattern.is_match(text, &scratch), scratch.spent())
}

/// Returns the same pattern without a table.
fn simulated(pattern: &Pattern) -> Pattern {
    Pattern {
        text: pattern.text.clone(),
        engine: Engine::Simulation(states(&pattern.text).unwrap()),
    }
}

#[test]
fn tables_and_simulations_agree() {
    let patterns = [
        r"\ba",
        r"a\b",
        r"\Ba",
        r"\B",
        r"^\b",
        r"(?i)\bselect\b",
        r"\w+\b$",
        r"a\B|é\b",
        r"\b{start}é",
        r"\b{end-half}$",
        "é",
        "[^a]$",
        r"(?i)k",
        r"(?m)^b\b",
        "",
    ];
    let texts = [
        "",
        "a",
        "é",
        "aé",
        "éa",
        "aéa",
        "a é",
        " a",
        "a ",
        "SELECT",
        "-select-",
        "selecté",
        "éselect ",
        "\u{212a}",
        "a\nb",
        "日a",
        "a日",
        "ab",
    ];
    for text in patterns {
        let pattern = pattern(text);
        assert!(matches!(pattern.engine, Engine::Table(..)), "{text}");
        let simulated = simulated(&pattern);
        for text in texts {
            let (by_table, by_states) = (search(&pattern, text).0, search(&simulated, text).0);
            assert_eq!(by_table, by_states, "{pattern:?} {text:?}");
        }
    }
}

#[test]
fn words_in_ascii_take_a_unit_for_each_byte() {
    let text = "the quick brown fox jumps over the lazy dog";
    for word in ["select", "(select|insert|update|delete|drop|union)", "a"] {
        let (is_match, units) = search(&pattern(&format!(r"(?i)\b{word}\b")), text);
        assert_eq!(
            (is_match, units),
            (false, MATCH_UNITS + text.len()),
            "{word}"
        );
    }
}

#[test]
fn an_empty_match_does_not_split_a_character() {
    for text in [r"(?-u:\B)", r"(?-u:\B)x*", r"(?-u:\B)(?-u:\b{start-half})"] {
        assert!(!search(&pattern(text), "aéa").0, "{text}");
        assert!(search(&pattern(text), "é").0, "{text}");
    }
    assert!(search(&pattern(r"(?-u:\B)"), "aéab").0);
    assert!(!search(&pattern(r"(?-u:\B)é"), "aé").0);
}

fn share_a_table(one: &Pattern, other: &Pattern) -> bool {
    match (&one.engine, &other.engine) {
        (Engine::Table(one, _), Engine::Table(other, _)) => Arc::ptr_eq(one, other),
        _ => false,
    }
}

#[test]
fn a_version_compiles_equal_patterns_once() {
    let texts = ["a+b", "c|d", "a+b"].map(str::to_owned).to_vec();
    let bytes = postcard::to_stdvec(&texts).unwrap();
    let read = || -> Vec<Pattern> {
        compile_each_once(usize::MAX, || postcard::from_bytes(&bytes)).unwrap()
    };
    let (form, other) = (read(), read());
    assert!(share_a_table(&form[0], &form[2]));
    assert!(!share_a_table(&form[0], &form[1]));
    assert!(!share_a_table(&form[0], &other[0]));
    let [one, other] = [0, 1].map(|_| pattern("a+b"));
    assert!(!share_a_table(&one, &other));
}

#[test]
fn the_patterns_of_a_version_have_a_common_bound() {
    let count = |make: &dyn Fn(usize) -> String| {
        compile_each_once(1 << 20, || {
            let mut texts = (0..1_000).map(make);
            texts.position(|text| Pattern::try_from(text).is_err())
        })
    };
    assert_eq!(count(&|_| r"\w{9}".to_owned()), None);
    assert_eq!(count(&|index| format!("a{index}")), Some(64));
    assert!(count(&|index| format!(r"\w{{9}}{index}")).is_some_and(|count| count < 10));
    let stored = compile_each_once(0, || Pattern::try_from("a".to_owned()));
    let sentence = "the regular expressions of the version take more than 0 MiB together";
    assert_eq!(stored.unwrap_err(), sentence);
}
