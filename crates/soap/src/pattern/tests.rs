use super::{PatternError, compiled, translate};

#[test]
fn a_pattern_means_the_same_in_both_syntaxes() {
    let rows: &[(&str, &[&str], &[&str])] = &[
        (
            r"\d{3}-\d{2}",
            &["123-45"],
            &["123-456", "x123-45", "123-45\n"],
        ),
        ("a^b$", &["a^b$"], &["ab", "a"]),
        ("[a-z-[aeiou]]+", &["xyz"], &["xaz", ""]),
        ("[^a-z-[0-9]]", &["A", "-"], &["b", "5"]),
        (r"[\i-[:]][\c-[:]]*", &["a1-é", "_x"], &["1a", "a:b", ""]),
        (r"\w+", &["é9$"], &["a b", "a,b"]),
        (r"[\w.]+", &["a.b"], &["a,b"]),
        ("[+-]?.", &["+x", "-x", "x"], &["\n"]),
        ("(a|b){2,}", &["abab"], &["a", "abc"]),
        (r"\p{IsBasicLatin}*", &["abc"], &["é"]),
        (r"[\P{Lu}]", &["a"], &["A"]),
        (r"[\p{Lu}\-&&~~]", &["A", "-", "&", "~"], &["a"]),
        ("", &[""], &["a"]),
        ("a|", &["a", ""], &["b"]),
        ("#x [#]", &["#x #"], &["#x"]),
        (
            r"https?://.+\.example\.org/?",
            &["https://a.example.org/"],
            &["https://a.exampleXorg"],
        ),
    ];
    for (pattern, yes, no) in rows {
        let translated = translate(&[pattern]).unwrap();
        let regex = compiled(&translated).unwrap();
        for text in *yes {
            assert!(
                regex.is_match(text),
                "{pattern} as {translated} must match {text:?}"
            );
        }
        for text in *no {
            assert!(
                !regex.is_match(text),
                "{pattern} as {translated} must not match {text:?}"
            );
        }
    }
    let either = compiled(&translate(&["a", "b|c"]).unwrap()).unwrap();
    assert!(["a", "b", "c"].iter().all(|text| either.is_match(text)));
    assert!(!either.is_match("ac"));
}

#[test]
fn a_pattern_that_has_no_counterpart_is_refused_with_a_reason() {
    for pattern in [
        "(", ")", "[", "[]", "a]", "*", "a**", "{2}", "a{x}", r"\q", r"\p{Lx}", "x\\",
    ] {
        assert!(translate(&[pattern]).is_err(), "{pattern}");
    }
    let block = PatternError::Block("Runic".to_owned());
    assert_eq!(translate(&[r"\p{IsRunic}"]), Err(block));
    assert!(matches!(
        translate(&["(a{1000}){1000}"]),
        Err(PatternError::Refused(_))
    ));
    assert_eq!(
        translate(&["(".repeat(100).as_str()]),
        Err(PatternError::Depth)
    );
}
