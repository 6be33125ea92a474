use tollgate_json::tape::{Bounds, Tape};

use super::*;
use crate::plan::{Facets as Plain, Kind};

fn simple(kind: Kind) -> Simple {
    let white_space = match kind {
        Kind::String => WhiteSpace::Preserve,
        _ => WhiteSpace::Collapse,
    };
    Simple {
        kind,
        white_space,
        facets: None,
    }
}

fn with(kind: Kind, facets: Plain) -> Rule {
    Rule::load(&Simple {
        facets: Some(Box::new(facets)),
        ..simple(kind)
    })
    .unwrap()
}

fn rule(kind: Kind) -> Rule {
    Rule::load(&simple(kind)).unwrap()
}

/// Returns the text of a JSON value; one that begins with `=` is a parameter.
fn lexical(rule: &Rule, json: &str) -> Result<String, Wrong> {
    let mut tape = Tape::default();
    let text = match json.strip_prefix('=') {
        Some(word) => {
            tape.join("", &[], word, false).unwrap();
            ""
        }
        None => tape.read(json.as_bytes(), Bounds::default()).expect(json),
    };
    let view = tape.view(text);
    let mut work = Work::default();
    let lexical = rule.lexical(view, view.root().unwrap(), &mut work)?;
    Ok(work.text(lexical).to_owned())
}

fn integer(min: i128, max: i128) -> Kind {
    Kind::Integer {
        min: Some(min),
        max: Some(max),
    }
}

const ANY_INTEGER: Kind = Kind::Integer {
    min: None,
    max: None,
};

/// Rows of kind, JSON, text; `!` if the value is rejected.
#[test]
fn scalars_become_the_text_of_their_type() {
    let unsigned_long = || integer(0, u64::MAX.into());
    let rows: Vec<(Kind, &str, &str)> = vec![
        (Kind::String, r#""007""#, "007"),
        (Kind::String, r#"" a\t\nb ""#, " a\t\nb "),
        (Kind::String, "7", "!"),
        (Kind::String, "true", "!"),
        (Kind::String, "null", "!"),
        (Kind::String, "[]", "!"),
        (Kind::String, "{}", "!"),
        (Kind::String, "=7", "7"),
        (Kind::Boolean, "true", "true"),
        (Kind::Boolean, "false", "false"),
        (Kind::Boolean, "1", "1"),
        (Kind::Boolean, "0", "0"),
        (Kind::Boolean, "2", "!"),
        (Kind::Boolean, "\"true\"", "!"),
        (Kind::Boolean, "=true", "true"),
        (Kind::Boolean, "=TRUE", "!"),
        (
            unsigned_long(),
            "18446744073709551615",
            "18446744073709551615",
        ),
        (unsigned_long(), "18446744073709551616", "!"),
        (
            unsigned_long(),
            "\"18446744073709551615\"",
            "18446744073709551615",
        ),
        (unsigned_long(), "-0", "-0"),
        (unsigned_long(), "-1", "!"),
        (integer(-128, 127), "-128", "-128"),
        (integer(-128, 127), "128", "!"),
        (
            integer(-128, 127),
            "\"00000000000000000000000000000000000000000000127\"",
            "00000000000000000000000000000000000000000000127",
        ),
        (
            integer(-128, 127),
            "-340282366920938463463374607431768211456",
            "!",
        ),
        (
            ANY_INTEGER,
            "123456789012345678901234567890",
            "123456789012345678901234567890",
        ),
        (ANY_INTEGER, "\"+1\"", "+1"),
        (ANY_INTEGER, "1.0", "!"),
        (ANY_INTEGER, "1e5", "!"),
        (ANY_INTEGER, "\"\"", "!"),
        (ANY_INTEGER, "\"-\"", "!"),
        (ANY_INTEGER, "\" 5\\n\"", "5"),
        (ANY_INTEGER, "\"٣\"", "!"),
        (ANY_INTEGER, "=", "!"),
        (ANY_INTEGER, "=42", "42"),
        (Kind::Decimal, "0.10", "0.10"),
        (Kind::Decimal, "1e5", "!"),
        (Kind::Decimal, "\"1E5\"", "!"),
        (Kind::Decimal, "\".5\"", ".5"),
        (Kind::Decimal, "\"5.\"", "5."),
        (Kind::Decimal, "\".\"", "!"),
        (Kind::Decimal, "\"1.2.3\"", "!"),
        (
            Kind::Decimal,
            "123456789012345678901234567890.123456789",
            "123456789012345678901234567890.123456789",
        ),
        (Kind::Double, "1e5", "1e5"),
        (Kind::Double, "-0", "-0"),
        (Kind::Double, "1E400", "1E400"),
        (Kind::Double, "\"INF\"", "INF"),
        (Kind::Double, "\"-INF\"", "-INF"),
        (Kind::Double, "\"NaN\"", "NaN"),
        (Kind::Double, "\"+INF\"", "!"),
        (Kind::Double, "\"Infinity\"", "!"),
        (Kind::Double, "\"1e1.5\"", "!"),
        (Kind::Float, "\"inf\"", "!"),
        (Kind::QName, "\"{urn:a}b\"", "{urn:a}b"),
        (Kind::QName, "\"b\"", "b"),
        (Kind::QName, "\"p:b\"", "!"),
        (Kind::QName, "\"{urn:a}1\"", "!"),
        (Kind::QName, "\"{urn:a\"", "!"),
    ];
    for (kind, json, expected) in rows {
        let found = lexical(&rule(kind.clone()), json);
        assert_eq!(found.as_deref().unwrap_or("!"), expected, "{kind:?} {json}");
    }
}

/// The examples of XML Schema part 2 and what its grammar excludes.
#[test]
fn dates_and_durations_hold_to_the_grammar() {
    let rows: [(Kind, &[&str], &[&str]); 9] = [
        (
            Kind::DateTime,
            &[
                "2002-10-10T12:00:00-05:00",
                "2002-10-10T12:00:00Z",
                "2002-10-10T12:00:00",
                "12345-01-01T00:00:00",
                "-0045-01-01T00:00:00.000",
                "2026-02-28T24:00:00",
                "2000-02-29T23:59:59.123456789012",
                "2002-01-01T00:00:00+14:00",
                "2002-01-01T00:00:00-00:00",
            ],
            &[
                "2002-10-10",
                "2002-10-10T12:00",
                "2002-10-10 12:00:00",
                "2002-10-10T12:00:60",
                "2002-10-10T24:00:01",
                "2002-10-10T24:00:00.1",
                "2002-10-10T25:00:00",
                "1900-02-29T00:00:00",
                "2001-13-01T00:00:00",
                "2001-00-01T00:00:00",
                "2001-01-32T00:00:00",
                "02002-01-01T00:00:00",
                "202-01-01T00:00:00",
                "0000-01-01T00:00:00",
                "+2002-01-01T00:00:00",
                "2002-01-01T00:00:00+14:01",
                "2002-01-01T00:00:00+15:00",
                "2002-01-01T00:00:00.",
                "2002-01-01T00:00:00z",
                "2002-01-01T00:00:00+1:00",
                "2002-01-01t00:00:00",
                "",
            ],
        ),
        (
            Kind::Date,
            &[
                "2002-10-10",
                "2002-10-10+13:00",
                "2002-10-10Z",
                "10000-01-01",
                "2004-02-29",
            ],
            &[
                "2002-10-10T00:00:00",
                "2003-02-29",
                "2002-4-01",
                "20021010",
                "2002-10-10+24:00",
            ],
        ),
        (
            Kind::Time,
            &["13:20:00-05:00", "24:00:00", "00:00:00.5", "13:20:00Z"],
            &[
                "13:20",
                "5:20:00",
                "13:20.5:00",
                "13:65:00",
                "24:00:01",
                "13:20:00+",
            ],
        ),
        (
            Kind::YearMonth,
            &["2001-10", "2001-10+02:00", "12001-10Z"],
            &["2001", "2001-13", "2001-1", "01-10", "2001-10-01"],
        ),
        (
            Kind::Year,
            &["2001", "2001+02:00", "2001Z", "-2001", "20000"],
            &["01", "2001-12", "0000"],
        ),
        (
            Kind::MonthDay,
            &["--05-01", "--11-01Z", "--02-29", "--11-15+05:00"],
            &["-11-01-", "--11-1", "--1-1", "--02-30", "--13-01", "11-01"],
        ),
        (
            Kind::Day,
            &["---01", "---31Z", "---15+02:00"],
            &["--30-", "---35", "---5", "15", "---00"],
        ),
        (
            Kind::Month,
            &["--05", "--12Z", "--10-05:00"],
            &["-5-", "--13", "--1", "05", "--05--"],
        ),
        (
            Kind::Duration,
            &[
                "P1Y2M3DT10H30M",
                "-P120D",
                "P1347Y",
                "P1347M",
                "P1Y2MT2H",
                "P0Y1347M",
                "PT0.5S",
                "PT1004199059S",
                "PT130S",
                "P0Y1347M0D",
                "P20M",
            ],
            &[
                "P-1347M", "P1Y2MT", "P-20M", "P20MT", "P1YM5D", "P15.5Y", "P1D2H", "1Y2M",
                "P2M1Y", "P", "PT", "-", "PT15.S", "PT.5S", "P1S", "PT1D", "+P1D", "PT1S1M",
            ],
        ),
    ];
    for (kind, valid, invalid) in rows {
        let rule = rule(kind.clone());
        for text in valid {
            assert_eq!(
                lexical(&rule, &format!("{text:?}")).as_deref(),
                Ok(*text),
                "{kind:?}"
            );
        }
        for text in invalid {
            assert_eq!(
                lexical(&rule, &format!("{text:?}")),
                Err(Wrong::Text),
                "{kind:?} {text}"
            );
        }
        assert_eq!(lexical(&rule, "2001"), Err(Wrong::Type), "{kind:?}");
    }
}

#[test]
fn binary_is_whole_octets_and_loses_its_white_space() {
    let rows = [
        (Kind::Base64, "", Some("")),
        (Kind::Base64, "Zg==", Some("Zg==")),
        (Kind::Base64, "Zm8=", Some("Zm8=")),
        (Kind::Base64, "Zm9v\\nYmFy ", Some("Zm9vYmFy")),
        (Kind::Base64, "Z g = =", Some("Zg==")),
        (Kind::Base64, "+/+/", Some("+/+/")),
        (Kind::Base64, "Zg=", None),
        (Kind::Base64, "Zg", None),
        (Kind::Base64, "Zh==", None),
        (Kind::Base64, "Zm9=", None),
        (Kind::Base64, "Z===", None),
        (Kind::Base64, "=Zg=", None),
        (Kind::Base64, "Zm-_", None),
        (Kind::Base64, "Zm9vé", None),
        (Kind::Hex, "", Some("")),
        (Kind::Hex, "0FB7", Some("0FB7")),
        (Kind::Hex, "0fb7", Some("0fb7")),
        (Kind::Hex, "0FB", None),
        (Kind::Hex, "0G", None),
    ];
    for (kind, text, expected) in rows {
        let found = lexical(&rule(kind), &format!("\"{text}\""));
        assert_eq!(found.ok().as_deref(), expected, "{text}");
    }
}

#[test]
fn facets_hold() {
    use super::Facet::*;
    let text = |text: &str| Some(Box::<str>::from(text));
    let list = |item| Kind::List(Box::new(simple(item)));
    let min = |bound| Plain {
        min_inclusive: text(bound),
        ..Plain::default()
    };
    let below = |bound| Plain {
        max_exclusive: text(bound),
        ..Plain::default()
    };
    let lengths = |min, max| Plain {
        length_min: min,
        length_max: max,
        ..Plain::default()
    };
    let values = |values: &[&str]| Plain {
        enumeration: values.iter().map(|&value| value.into()).collect(),
        ..Plain::default()
    };
    let digits = |total_digits, fraction_digits| Plain {
        total_digits,
        fraction_digits,
        ..Plain::default()
    };
    let pattern = Plain {
        patterns: vec![r"^(?:[A-Z]{2}\d+)$".into()],
        ..Plain::default()
    };
    let rows: Vec<(Kind, Plain, &str, Option<Facet>)> = vec![
        (Kind::String, lengths(Some(2), Some(3)), "\"é😀\"", None),
        (
            Kind::String,
            lengths(Some(2), Some(3)),
            "\"é\"",
            Some(LengthMin),
        ),
        (
            Kind::String,
            lengths(Some(2), Some(3)),
            "\"éééé\"",
            Some(LengthMax),
        ),
        (Kind::Base64, lengths(None, Some(3)), "\"Zm9v\"", None),
        (
            Kind::Base64,
            lengths(None, Some(2)),
            "\"Zm9v\"",
            Some(LengthMax),
        ),
        (Kind::Hex, lengths(Some(2), None), "\"0F\"", Some(LengthMin)),
        (
            list(Kind::String),
            lengths(None, Some(1)),
            "[\"a\",\"b\"]",
            Some(LengthMax),
        ),
        (
            list(Kind::String),
            lengths(Some(1), None),
            "[]",
            Some(LengthMin),
        ),
        (Kind::String, pattern.clone(), "\"AB12\"", None),
        (Kind::String, pattern.clone(), "\"xAB12\"", Some(Pattern)),
        (Kind::String, pattern, "\"AB12\\n\"", Some(Pattern)),
        (Kind::String, values(&["a b", "R&D"]), "\"R&D\"", None),
        (
            Kind::String,
            values(&["a b", "R&D"]),
            "\"a  b\"",
            Some(Enumeration),
        ),
        (Kind::Decimal, values(&["1.50"]), "1.5", None),
        (Kind::Decimal, values(&["1.50"]), "1.51", Some(Enumeration)),
        (Kind::Double, values(&["1e2"]), "100", None),
        (Kind::Hex, values(&["0fB7"]), "\"0FB7\"", None),
        (
            Kind::DateTime,
            values(&["2000-01-01T12:00:00Z"]),
            "\"2000-01-01T13:00:00+01:00\"",
            None,
        ),
        (
            Kind::QName,
            values(&["{urn:a}b"]),
            "\"{urn:b}b\"",
            Some(Enumeration),
        ),
        (Kind::Decimal, min("-0.50"), "-0.5", None),
        (
            Kind::Decimal,
            min("-0.50"),
            "-0.500000000000000000000000000001",
            Some(MinInclusive),
        ),
        (
            ANY_INTEGER,
            min("100000000000000000000"),
            "99999999999999999999",
            Some(MinInclusive),
        ),
        (
            Kind::Decimal,
            below("10"),
            "9.999999999999999999999999999999",
            None,
        ),
        (Kind::Decimal, below("10"), "10.000", Some(MaxExclusive)),
        (Kind::Double, below("0"), "\"NaN\"", Some(MaxExclusive)),
        (
            Kind::Date,
            min("2000-01-01"),
            "\"1999-12-31\"",
            Some(MinInclusive),
        ),
        (Kind::Date, min("2000-01-01"), "\"10000-01-01\"", None),
        // Neither before nor after, since its zone is unknown.
        (
            Kind::DateTime,
            min("2000-01-01T12:00:00Z"),
            "\"2000-01-01T13:00:00\"",
            Some(MinInclusive),
        ),
        (
            Kind::DateTime,
            min("2000-01-01T12:00:00Z"),
            "\"2000-01-02T13:00:00\"",
            None,
        ),
        (Kind::Duration, min("P30D"), "\"P1M\"", Some(MinInclusive)),
        (Kind::Duration, min("P30D"), "\"P31D\"", None),
        (Kind::Duration, min("-PT0.5S"), "\"-PT0.25S\"", None),
        (
            Kind::Duration,
            min("PT0.1S"),
            "\"-PT0.9S\"",
            Some(MinInclusive),
        ),
        (Kind::Decimal, digits(Some(5), Some(2)), "123.45", None),
        (
            Kind::Decimal,
            digits(Some(5), Some(2)),
            "\"0123.450\"",
            None,
        ),
        (
            Kind::Decimal,
            digits(Some(5), Some(2)),
            "1234.56",
            Some(TotalDigits),
        ),
        (
            Kind::Decimal,
            digits(Some(5), Some(2)),
            "1.234",
            Some(FractionDigits),
        ),
    ];
    for (kind, facets, json, expected) in rows {
        let found = lexical(&with(kind, facets.clone()), json);
        assert_eq!(found.err(), expected.map(Wrong::Facet), "{facets:?} {json}");
    }
}

#[test]
fn white_space_is_processed_by_the_rule_of_the_type() {
    let space = |white_space| {
        Rule::load(&Simple {
            white_space,
            ..simple(Kind::String)
        })
        .unwrap()
    };
    let json = r#"" a\t\r\n b  ""#;
    assert_eq!(
        lexical(&space(WhiteSpace::Preserve), json).unwrap(),
        " a\t\r\n b  "
    );
    assert_eq!(
        lexical(&space(WhiteSpace::Replace), json).unwrap(),
        " a    b  "
    );
    assert_eq!(lexical(&space(WhiteSpace::Collapse), json).unwrap(), "a b");
    assert_eq!(
        lexical(&space(WhiteSpace::Collapse), "\"   \"").unwrap(),
        ""
    );
    assert_eq!(
        lexical(&space(WhiteSpace::Collapse), "\"\u{a0}a\"").unwrap(),
        "\u{a0}a"
    );
}

#[test]
fn a_list_is_its_items_and_a_union_its_first_member_that_fits() {
    let list = rule(Kind::List(Box::new(simple(ANY_INTEGER))));
    assert_eq!(lexical(&list, "[1, \"2\", 3]").unwrap(), "1 2 3");
    assert_eq!(lexical(&list, "[]").unwrap(), "");
    assert_eq!(lexical(&list, "=1 2").unwrap(), "1 2");
    assert_eq!(lexical(&list, "[1.5]"), Err(Wrong::Text));
    assert_eq!(lexical(&list, "\"1 2\""), Err(Wrong::Type));
    let token = Simple {
        white_space: WhiteSpace::Collapse,
        ..simple(Kind::String)
    };
    let tokens = rule(Kind::List(Box::new(token)));
    assert_eq!(lexical(&tokens, r#"["a", " b\n", "c"]"#).unwrap(), "a b c");
    assert_eq!(lexical(&tokens, r#"[" a ", " b "]"#).unwrap(), "a b");
    assert_eq!(lexical(&tokens, r#"["a b"]"#), Err(Wrong::Item));
    assert_eq!(lexical(&tokens, r#"[""]"#), Err(Wrong::Item));

    let union = rule(Kind::Union(vec![
        simple(ANY_INTEGER),
        simple(Kind::Date),
        simple(Kind::String),
    ]));
    assert_eq!(lexical(&union, "12").unwrap(), "12");
    assert_eq!(lexical(&union, "\"  x\"").unwrap(), "  x");
    assert_eq!(lexical(&union, "true"), Err(Wrong::Type));
    assert_eq!(
        union.sentence(Wrong::Type),
        "must be a whole number, or a date such as \"2026-01-31\", as a string, or a string"
    );
}

#[test]
fn a_fixed_value_is_the_only_one() {
    let fixed = rule(Kind::Decimal).fixed_to(Some("1.0"));
    assert_eq!(lexical(&fixed, "1.00").unwrap(), "1.00");
    assert_eq!(lexical(&fixed, "2"), Err(Wrong::Fixed));
    assert_eq!(fixed.sentence(Wrong::Fixed), "must be \"1.0\"");
}

#[test]
fn a_pattern_that_is_too_large_and_a_bound_that_is_none_are_refused_at_load() {
    let load = |facets| {
        Rule::load(&Simple {
            facets: Some(Box::new(facets)),
            ..simple(Kind::Decimal)
        })
    };
    let pattern = Plain {
        patterns: vec!["(?:a{1000}){1000}".into()],
        ..Plain::default()
    };
    assert!(matches!(load(pattern), Err(Unusable::Pattern { .. })));
    let bound = Plain {
        min_inclusive: Some("one".into()),
        ..Plain::default()
    };
    assert!(matches!(load(bound), Err(Unusable::Bound(_))));
}

#[test]
fn a_pattern_of_fixed_length_matches_like_its_expression() {
    let patterns = [
        r"^(?:[A-Z]{2}\-[0-9]{4})$",
        r"^(?:[a-cx\-\]]b)$",
        r"^(?:A\.{2}[0-9]{10}z)$",
        r"^(?:)$",
    ];
    let texts = [
        "AB-1234",
        "AB-123",
        "AB-12345",
        "AB_1234",
        "ab-1234",
        "AB-123\u{664}",
        "",
        "ab",
        "-b",
        "]b",
        "db",
        "A..0123456789z",
        "A.x0123456789z",
        "A..0123456789z\n",
    ];
    for pattern in patterns {
        let fixed = fixed::Fixed::parse(pattern).expect(pattern);
        let regex = regex::Regex::new(pattern).unwrap();
        for text in texts {
            assert_eq!(
                fixed.is_match(text),
                regex.is_match(text),
                "{pattern} {text}"
            );
        }
    }
    let others = [
        "a",
        r"^(?:a|b)$",
        r"^(?:a?)$",
        r"^(?:\d)$",
        r"^(?:[^a])$",
        r"^(?:[a&&b])$",
        r"^(?:a{1,2})$",
        r"^(?:a{2}+)$",
        r"^(?:[z-a])$",
        r"^(?:[[a]])$",
        r"^(?:.)$",
        r"^(?:\pL)$",
        r"^(?:(?:a))$",
        r"^(?:a{70})$",
        r"^(?:a)(?:b)$",
        "^(?:\u{e9})$",
        r"^(?:[\n])$",
        r"^(?:[])$",
    ];
    for pattern in others {
        assert!(fixed::Fixed::parse(pattern).is_none(), "{pattern}");
    }
}
