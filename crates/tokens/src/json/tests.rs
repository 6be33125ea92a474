use super::*;

fn read(text: &str) -> Result<Object<'_>, Malformed> {
    Object::parse(text.as_bytes())
}

fn refusal(text: &str) -> Malformed {
    read(text).err().unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn members_are_kept_as_written() {
    let object = read(r#" {"a":"x","n":-1.50E+3,"l":[1,{"b":[]}],"o":{"c":null},"t":true} "#);
    let object = object.unwrap();
    assert_eq!(object.member("a").and_then(Value::text), Some("x"));
    assert_eq!(object.member("n"), Some(&Value::Number("-1.50E+3")));
    assert_eq!(object.member("l"), Some(&Value::List(r#"[1,{"b":[]}]"#)));
    assert_eq!(object.member("o"), Some(&Value::Object(r#"{"c":null}"#)));
    assert_eq!(
        object.member("b"),
        None,
        "members of nested objects are not included"
    );
    assert_eq!(
        elements(r#"[1,{"b":[]}]"#),
        [Value::Number("1"), Value::Object(r#"{"b":[]}"#)]
    );
}

#[test]
fn escapes_are_resolved() {
    let object = read(r#"{"\u0061\n":"\"\\\/\b\f\r\tü\ud83d\ude00\u00FC"}"#).unwrap();
    let value = object.member("a\n").and_then(Value::text);
    assert_eq!(value, Some("\"\\/\u{8}\u{c}\r\tü😀ü"));
}

#[test]
fn a_duplicate_member_is_refused_at_any_depth_and_in_any_encoding() {
    for text in [
        r#"{"a":1,"b":2,"a":1}"#,
        r#"{"a":1,"\u0061":1}"#,
        r#"{"x":{"a":1,"a":1}}"#,
        r#"{"x":[0,[{"a":{},"b":0,"a":[]}]]}"#,
    ] {
        assert_eq!(refusal(text), Malformed::Duplicate("a".into()), "{text}");
    }
    // The same name in sibling or nested objects is not a duplicate.
    assert!(read(r#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}"#).is_ok());
}

#[test]
fn too_deep_nesting_is_refused() {
    let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(15)).is_ok());
    assert_eq!(refusal(&nested(16)), Malformed::Depth);
    assert_eq!(refusal(&nested(8_000)), Malformed::Depth);
}

#[test]
fn anything_but_a_json_object_is_refused() {
    for text in ["", "[]", "\"a\"", "1", "null", "\u{feff}{}"] {
        assert_eq!(refusal(text), Malformed::NotAnObject, "{text}");
    }
    for text in [
        "{",
        "{}x",
        "{}{}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":-}",
        "{\"a\":NaN}",
        "{\"a\":Infinity}",
        "{\"a\":tru}",
        "{\"a\":[1,]}",
        "{\"a\":[1 2]}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\udc00\"}",
        "{\"a\":\"\\ud800\\u0061\"}",
        "{\"a\":\"x",
        "{\"a\":\"\\",
        "{\"a\":\"\\u+123\"}",
        "{\"a\":1}\u{a0}",
        "{\"a\":0x1}",
        "{/**/}",
    ] {
        assert!(matches!(refusal(text), Malformed::Syntax(_)), "{text}");
    }
    let latin = b"{\"a\":\"\xfc\"}";
    assert_eq!(Object::parse(latin).err(), Some(Malformed::Encoding));
}
