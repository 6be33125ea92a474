use tollgate_json::tape::{Bounds, Tape};

use super::function::{FUNCTIONS, OPERATORS};
use super::reference::{SAMPLE, reference};
use super::{Expression, Fault};
use crate::name::{Available, NAMES, Source};
use crate::sample::Sample;
use crate::scope::{Scratch, WithLocal};
use crate::value::{TooLong, Value};

const ALL: Available<'_> = Available {
    response: true,
    body: true,
    error: true,
    locals: &["line"],
};

/// Returns the value of an expression as JSON; `-` if it has none.
fn evaluate(text: &str, json: &str) -> String {
    let expression =
        Expression::parse(text, &ALL).unwrap_or_else(|fault| panic!("{text}: {fault}"));
    let mut tape = Tape::default();
    let json = tape.read(json.as_bytes(), Bounds::default()).unwrap();
    let view = tape.view(json);
    let scope = Sample { view: &view };
    let scratch = Scratch::default();
    match expression.evaluate(&scope, &scratch) {
        Value::Absent => "-".to_owned(),
        value => {
            let mut out = Vec::new();
            scratch.write_json(value, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        }
    }
}

fn fault(text: &str, available: &Available<'_>) -> Fault {
    Expression::parse(text, available).expect_err(text)
}

#[test]
fn the_examples_of_the_page_have_the_values_it_shows() {
    let names = NAMES.iter().map(|it| it.example);
    let operators = OPERATORS.iter().map(|it| it.example);
    let functions = FUNCTIONS.iter().map(|it| it.example);
    for (example, value) in names.chain(operators).chain(functions) {
        assert_eq!(evaluate(example, SAMPLE), value, "{example}");
    }
    for name in NAMES {
        assert!(
            std::ptr::eq(name.source.declared().unwrap(), name),
            "{}",
            name.path
        );
        assert!(reference().contains(&format!("` | {} | ", name.meaning)));
    }
}

#[test]
fn values_are_those_of_cel() {
    for (text, value) in [
        ("1 + 2 * 3 - 8 / 2 % 3", "6"),
        ("-7 / 2", "-3"),
        ("-7 % 3", "-1"),
        ("9223372036854775807 + 1", "-"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("-(-9223372036854775808)", "-"),
        ("-9223372036854775808 / -1", "-"),
        ("-9223372036854775808 % -1", "-"),
        ("1 / 0", "-"),
        ("1 % 0", "-"),
        ("1.0 / 0.0", "null"),
        ("1 + 1.0", "-"),
        ("1 == 1.0", "true"),
        ("1 < 1.5", "true"),
        ("\"a\" < 1", "-"),
        ("\"a\" == 1", "false"),
        ("null == null", "true"),
        ("null == 1", "false"),
        ("null + null", "-"),
        ("!null", "-"),
        ("!!1", "1"),
        ("--body.note", "\"salt & pepper\""),
        ("0x1F == 31", "true"),
        (".5 + 1e1", "10.5"),
        (r#"r"\d" + '\x41\u00e9\101\n'"#, "\"\\\\dA\u{e9}A\\n\""),
        ("[1, 2] + [3]", "[1,2,3]"),
        ("[1, [2.0]] == [1.0, [2]]", "true"),
        ("[1, 1 / 0]", "-"),
        ("[][0]", "-"),
        ("[1, 2][1.0]", "2"),
        ("[1, 2][-1]", "-"),
        ("2 in [1, 2]", "true"),
        ("2 in [1, 2, 1 / 0]", "-"),
        ("\"note\" in body", "true"),
        ("body.items[1] in body.items", "-"),
        ("body.total in [27.97]", "true"),
        ("body == body", "-"),
        ("body == 1", "false"),
        ("[body, 1] == [body, 2]", "false"),
        ("true || 1 / 0 == 1", "true"),
        ("1 / 0 == 1 || true", "true"),
        ("1 / 0 == 1 || false", "-"),
        ("1 / 0 == 1 && false", "false"),
        ("1 && true", "-"),
        ("1 / 0 == 1 ? 1 : 2", "-"),
        ("true ? 1 : 1 / 0", "1"),
        ("body.gift", "null"),
        ("body.gift == null", "true"),
        ("body.none == null", "-"),
        ("body.none.orValue(null) == null", "true"),
        ("body.gift.orValue(1)", "null"),
        ("body.items[9].sku.orValue(\"x\")", "\"x\""),
        ("has(body.gift)", "true"),
        ("has(body.gift.a)", "-"),
        ("has(body.a.b)", "-"),
        ("has(request.headers[\"X-None\"])", "false"),
        ("has(request.headers.ACCEPT)", "true"),
        ("body.items[0]", r#"{"sku":"A1","price":12.50,"count":2}"#),
        ("body.items[0].price + 0.0", "12.5"),
        (
            "size(\"\u{e9}\u{1F600}\") + [1].size() + size(body.items[0])",
            "6",
        ),
        ("\"a\u{e9}\".upperAscii()", "\"A\u{e9}\""),
        ("\"abc\".matches(\"^b\")", "false"),
        ("\"abc\".matches(\"b\")", "true"),
        ("1.matches(\"1\")", "-"),
        ("int(\"+5\") + int(2.9) + int(\"x\").orValue(1)", "8"),
        ("int(1e19)", "-"),
        ("double(\"1e3\")", "1000"),
        ("bool(\"yes\")", "-"),
        ("string(1.0) + string(true) + string(-3)", "\"1true-3\""),
        ("base64(1)", "-"),
        ("urlEncode(\"a/\u{e9}~\")", "\"a%2F%C3%A9~\""),
    ] {
        let text = text.replace("1.matches", "(1).matches");
        assert_eq!(evaluate(&text, SAMPLE), value, "{text}");
    }
}

#[test]
fn a_message_without_a_json_body_has_no_part_of_one() {
    for (text, value) in [
        ("has(body)", "false"),
        ("has(body.a)", "false"),
        ("has(body.a.b)", "false"),
        ("has(body[\"a\"])", "false"),
        ("has(body.a[0].b)", "false"),
        ("!has(body.a)", "true"),
        ("has(body.a) && body.a > 1", "false"),
        ("has(caller.claims.a.b)", "-"),
        ("body.a == 1", "-"),
        ("body.a.orValue(1)", "1"),
    ] {
        assert_eq!(evaluate(text, "{}"), value, "{text}");
    }
}

#[test]
fn numbers_of_a_body_keep_their_digits() {
    let digits = "1234567890123456789012345678901234567890";
    let json = format!(r#"{{"body": {{"n": {digits}, "d": 1.50e+2, "z": -0}}}}"#);
    assert_eq!(evaluate("body.n", &json), digits);
    assert_eq!(
        evaluate("[body.n, string(body.d)]", &json),
        format!("[{digits},\"1.50e+2\"]")
    );
    assert_eq!(
        evaluate("body.n > 1e39 && body.d == 150.0 && body.z == 0", &json),
        "true"
    );
    assert_eq!(evaluate("body.n + 1", &json), "-");
}

#[test]
fn faults_name_the_place_and_the_reason() {
    let long = format!("\"{}\"", "a".repeat(1100));
    let deep = format!("{}1{}", "(".repeat(70), ")".repeat(70));
    let chain = vec!["1"; 70].join("+");
    for (text, offset, sentence) in [
        ("", 0, "the expression ends too early"),
        ("1 +", 3, "the expression ends too early"),
        ("(1", 2, "`)` is missing"),
        ("1 2", 2, "unexpected number"),
        ("1 = 2", 2, "unexpected character `=`"),
        ("{}", 0, "unexpected character `{`"),
        ("1 }}", 2, "the expression ends too early"),
        ("'a", 0, "a text without its closing quote"),
        (r"'\q'", 1, "unknown escape in a text"),
        (r"'\ud800'", 1, "unknown escape in a text"),
        ("b'a'", 0, "literals of bytes are not supported"),
        ("1u", 0, "unsigned integers such as `1u` are not supported"),
        ("12ab", 0, "`12ab` is not a number of 64 bits"),
        (
            "99999999999999999999",
            0,
            "`99999999999999999999` is not a number of 64 bits",
        ),
        ("9223372036854775808", 0, "an integer has at most 64 bits"),
        ("!-1", 1, "unexpected `-`"),
        (
            "1 + requst.method",
            4,
            "unknown name `requst`: did you mean `request`?",
        ),
        (
            "request.metod",
            0,
            "unknown name `request.metod`: did you mean `request.method`?",
        ),
        ("lin", 0, "unknown name `lin`: did you mean `line`?"),
        ("request.cookies", 0, "unknown name `request.cookies`"),
        (
            "caller",
            0,
            "`caller` is not a value: name one of its members",
        ),
        (
            "request.headers",
            0,
            "`request.headers` needs a literal name: `request.headers[\"x\"]`",
        ),
        (
            "request.query[api.name]",
            0,
            "`request.query` needs a literal name: `request.query[\"x\"]`",
        ),
        (
            "sze(body)",
            0,
            "unknown function `sze`: did you mean `size`?",
        ),
        (
            "body.map(x, x)",
            5,
            "`map` is a macro, which expressions do not have",
        ),
        ("size()", 0, "write `size(x)` or `x.size()`"),
        ("startsWith(body, 1)", 0, "write `x.startsWith(y)`"),
        ("body.a.has()", 7, "write `has(x)`"),
        (
            "has(1 + 1)",
            4,
            "write `has(a.b)`: it takes a name or a member",
        ),
        (
            "body.a.matches(body.b)",
            15,
            "`matches` takes a literal text only",
        ),
        (
            "body.a.matches('(?=a)')",
            15,
            "not a regular expression: look-around, including \
            look-ahead and look-behind, is not supported",
        ),
        (
            "body.a.matches('(\\\\w{900}){900}')",
            15,
            "the regular expression is too large",
        ),
        (long.as_str(), 0, "an expression has at most 1024 bytes"),
        (deep.as_str(), 64, "an expression is nested at most 64 deep"),
        (chain.as_str(), 0, "an expression is nested at most 64 deep"),
    ] {
        let fault = fault(text, &ALL);
        assert_eq!(
            (fault.offset, fault.sentence.as_str()),
            (offset, sentence),
            "{text}"
        );
    }
}

#[test]
fn names_of_other_steps_are_refused() {
    for (text, sentence) in [
        (
            "response.status",
            "`response` is only known in steps for responses",
        ),
        ("error.code", "`error` is only known in steps for errors"),
        ("body.a", "`body` is not available here"),
        ("line", "unknown name `line`"),
    ] {
        assert_eq!(fault(text, &Available::default()).sentence, sentence);
    }
}

#[test]
fn chains_of_conditions_are_not_nested() {
    let chain = vec!["true"; 100].join("&&");
    assert_eq!(evaluate(&chain, "{}"), "true");
}

#[test]
fn an_expression_lists_each_name_once() {
    let text =
        r#"request.headers["X-A"] == request.headers.x_a || body.a == body.b && path.x == """#;
    let expression = Expression::parse(text, &ALL).unwrap();
    let reads: Vec<_> = expression.reads().iter().map(ToString::to_string).collect();
    let names = [
        r#"request.headers["x-a"]"#,
        r#"request.headers["x_a"]"#,
        "body",
        r#"path["x"]"#,
    ];
    assert_eq!(reads, names);
}

#[test]
fn a_stored_expression_is_the_same() {
    let text = r#"body.a.matches("^a+$") ? [1, -2.5, null] : has(path.x)"#;
    let expression = Expression::parse(text, &ALL).unwrap();
    let bytes = postcard::to_stdvec(&expression).unwrap();
    assert_eq!(
        postcard::from_bytes::<Expression>(&bytes).unwrap(),
        expression
    );
    assert!(bytes.len() < 80, "{}", bytes.len());
}

#[test]
fn local_names_are_those_of_the_step() {
    let scratch = Scratch::default();
    let tape = Tape::default();
    let view = tape.view("");
    let outer = Sample { view: &view };
    let scope = WithLocal {
        outer: &outer,
        key: "line",
        value: Value::Int(4),
    };
    let expression = Expression::parse("line * 2", &ALL).unwrap();
    assert!(matches!(
        expression.evaluate(&scope, &scratch),
        Value::Int(8)
    ));
    assert_eq!(expression.reads()[0].source, Source::Local);
}

#[test]
fn a_list_of_lists_does_not_grow_with_each_variable() {
    let scratch = Scratch::default();
    let tape = Tape::default();
    let view = tape.view("");
    let outer = Sample { view: &view };
    let expression = Expression::parse("[line, line]", &ALL).unwrap();
    let equality = Expression::parse("line == line", &ALL).unwrap();
    let mut value = Value::Int(1);
    for _ in 0..64 {
        let key = "line";
        let scope = WithLocal {
            outer: &outer,
            key,
            value,
        };
        value = expression.evaluate(&scope, &scratch);
        let _ = equality.evaluate(&scope, &scratch);
    }
    assert!(matches!(value, Value::Absent));
}

#[test]
fn a_value_that_is_written_is_bounded() {
    let json = format!(r#"{{"body": ["{}"]}}"#, "x".repeat(1 << 20));
    let text = format!("[{}]", vec!["body"; 100].join(","));
    let expression = Expression::parse(&text, &ALL).unwrap();
    let mut tape = Tape::default();
    let json = tape.read(json.as_bytes(), Bounds::default()).unwrap();
    let view = tape.view(json);
    let (scope, scratch) = (Sample { view: &view }, Scratch::default());
    let mut out = b"<".to_vec();
    let value = expression.evaluate(&scope, &scratch);
    assert_eq!(scratch.write_json(value, &mut out), Err(TooLong));
    assert_eq!(out, b"<");
}

#[test]
fn made_texts_are_bounded_together() {
    let text = "x".repeat(3 << 20);
    let json = format!(r#"{{"body": "{text}"}}"#);
    assert_eq!(evaluate("size(body + body)", &json), (6 << 20).to_string());
    assert_eq!(
        evaluate("size(body + body) + size(body + body)", &json),
        "-"
    );
    let mut scratch = Scratch::default();
    for _ in 0..3 {
        scratch.reset();
        assert!(matches!(scratch.decode(b"a%62+", true), Value::Text("ab ")));
    }
}
