use tollgate_json::tape::{Bounds, Tape};

use super::{Place, Rendered, Template};
use crate::name::Available;
use crate::sample::Sample;
use crate::scope::Scratch;

const AVAILABLE: Available<'_> = Available {
    response: false,
    body: true,
    error: false,
    locals: &[],
};

const BODY: &str = r#"{"body": {
    "id": 12.50, "big": 1e+5, "none": null, "list": [1, {"a": "\"<"}],
    "text": "a\"b\\c\n<d>&'e/ f?\u0001", "nonchar": "\ufffe"
}}"#;

fn render(template: &str, place: Place) -> (Rendered, String) {
    let template = Template::parse(template, place, &AVAILABLE).unwrap();
    let mut tape = Tape::default();
    let json = tape.read(BODY.as_bytes(), Bounds::default()).unwrap();
    let view = tape.view(json);
    let scope = Sample { view: &view };
    let mut out = b"<".to_vec();
    let rendered = template.render(&scope, &Scratch::default(), &mut out);
    assert_eq!(out.remove(0), b'<');
    (rendered, String::from_utf8(out).unwrap())
}

#[test]
fn holes_are_escaped_for_their_place() {
    for (place, template, text) in [
        (
            Place::Plain,
            "{{ body.id }}-{{ 1 + 1 }}-{{true}}",
            "12.50-2-true",
        ),
        (
            Place::Plain,
            "a }} b {{ \"{{\" }} {c} {{'}}'}}",
            "a }} b {{ {c} }}",
        ),
        (Place::Plain, "{{ body.list }}", r#"[1,{"a":"\"<"}]"#),
        (
            Place::Json,
            "{\"a\": {{ body.text }}}",
            r#"{"a": "a\"b\\c\n<d>&'e/ f?\u0001"}"#,
        ),
        (
            Place::Json,
            "\"\\\"{{ body.text }}\"",
            r#""\"a\"b\\c\n<d>&'e/ f?\u0001""#,
        ),
        (
            Place::JavaScript,
            "let a = {{ body.text }}, b = '{{ body.text }}', c = {{ body.list }};",
            concat!(
                r#"let a = "a\u0022b\u005Cc\n\u003Cd\u003E\u0026\u0027e\u002F f\u003F\u0001", "#,
                r#"b = 'a\u0022b\u005Cc\u000A\u003Cd\u003E\u0026\u0027e\u002F f\u003F\u0001', "#,
                r#"c = [1,{"a":"\u0022\u003C"}];"#,
            ),
        ),
        (
            Place::Json,
            "[{{ body.id }},\"{{ body.id }}\",{{ body.list }}]",
            r#"[12.50,"12.50",[1,{"a":"\"<"}]]"#,
        ),
        (
            Place::Json,
            "\"{{ body.list }}\"",
            r#""[1,{\"a\":\"\\\"<\"}]""#,
        ),
        (Place::JsonString, "\"{{ body.id }}\\", r#"\"12.50\\"#),
        (
            Place::Xml,
            "<a b='{{ body.text }}{{ body.nonchar }}'/>",
            "<a b='a&quot;b\\c&#10;&lt;d&gt;&amp;&#39;e/ f?\u{FFFD}\u{FFFD}'/>",
        ),
        (
            Place::Path,
            "/v2/{{ body.text }}/{{ body.big }}",
            "/v2/a%22b%5Cc%0A%3Cd%3E%26%27e%2F%20f%3F%01/1e%2B5",
        ),
        (Place::QueryValue, "a&{{ '=' }}", "a%26%3D"),
        (Place::Header, "\u{e9} {{ 'a\tb' }}", "\u{e9} a\tb"),
    ] {
        assert_eq!(
            render(template, place),
            (Rendered::Complete, text.to_owned()),
            "{template}"
        );
    }
}

#[test]
fn holes_without_a_value_are_reported() {
    for (place, rendered, text) in [
        (Place::Plain, Rendered::Incomplete, "a"),
        (Place::Json, Rendered::Incomplete, "anull"),
        (Place::JsonString, Rendered::Incomplete, "a"),
        (Place::Xml, Rendered::Incomplete, "a"),
        (Place::Path, Rendered::Null, ""),
        (Place::QueryValue, Rendered::Null, ""),
        (Place::Header, Rendered::Null, ""),
    ] {
        for hole in ["a{{ body.none }}", "a{{ body.missing.b }}"] {
            assert_eq!(
                render(hole, place),
                (rendered, text.to_owned()),
                "{place:?}"
            );
        }
    }
}

#[test]
fn a_header_with_a_line_end_is_not_written() {
    for value in [r"'a\r\nb'", r"'\0'", r"'\x7F'", "body.text"] {
        let value = value.replace(r"\0", r"\000");
        let template = format!("a{{{{ {value} }}}}b");
        assert_eq!(
            render(&template, Place::Header),
            (Rendered::Unfit, String::new())
        );
    }
}

#[test]
fn the_output_is_bounded() {
    let template = format!("{}{{{{ 1 }}}}", "x".repeat(10 << 20));
    assert_eq!(
        render(&template, Place::Plain),
        (Rendered::TooLong, String::new())
    );
}

#[test]
fn faults_have_offsets_in_the_template() {
    for (place, text, offset, sentence) in [
        (Place::Plain, "ab{{ 1", 4, "a hole without its closing `}}`"),
        (Place::Plain, "ab{{ nam }}", 5, "unknown name `nam`"),
        (Place::Plain, "{{}}", 2, "the expression ends too early"),
        (Place::Plain, "{{ 1 } }}", 5, "unexpected character `}`"),
        (
            Place::Header,
            "ab\r\n",
            2,
            "a header cannot contain line ends or other control characters",
        ),
    ] {
        let fault = Template::parse(text, place, &AVAILABLE).expect_err(text);
        assert_eq!(
            (fault.offset, fault.sentence.as_str()),
            (offset, sentence),
            "{text}"
        );
    }
}

#[test]
fn a_template_of_one_hole_is_its_expression() {
    let parse = |text| Template::parse(text, Place::JsonString, &AVAILABLE).unwrap();
    assert!(parse("{{ body.id }}").only_hole().is_some());
    assert!(parse(" {{ body.id }}").only_hole().is_none());
    assert_eq!(parse("{{ body.id }}{{ now }}a").expressions().count(), 2);
    let template = parse("\"{{ body.id }}");
    let bytes = postcard::to_stdvec(&template).unwrap();
    assert_eq!(postcard::from_bytes::<Template>(&bytes).unwrap(), template);
}

#[test]
fn values_in_javascript_neither_end_their_string_nor_call_anything() {
    for (template, text) in [
        (
            "// don't {{ \"\\nalert(1)\" }}",
            "// don't \\u000Aalert\\u00281\\u0029",
        ),
        ("// don't\n {{ \"x\" }}", "// don't\n \"x\""),
        (
            "r = /'/; a = {{ \"alert(1)\" }}",
            "r = /'/; a = alert\\u00281\\u0029",
        ),
        (
            "/* {{ \"*/ alert(1)\" }} */",
            "/* \"\\u002A\\u002F alert\\u00281\\u0029\" */",
        ),
        (
            "`${ {{ \"a\" }} } {{ \"${b}`\" }}`",
            "`${ a } \\u0024\\u007Bb\\u007D\\u0060`",
        ),
        ("'\\'{{ \"'\" }}'", "'\\'\\u0027'"),
        ("a = {{ \"\\u2028ü€\" }}", "a = \"\\u2028ü€\""),
        ("a = {{ null }}, b = '{{ null }}'", "a = null, b = ''"),
    ] {
        assert_eq!(render(template, Place::JavaScript).1, text, "{template}");
    }
}
