use super::*;

fn read(json: &str) -> Result<(), Problem> {
    let mut tape = Tape::default();
    let read = tape.read(json.as_bytes(), Bounds::default());
    read.map(|_| ()).map_err(|malformed| malformed.problem)
}

/// Converts the tape back to JSON.
fn written(view: View<'_>, id: NodeId) -> String {
    match view.kind(id) {
        Kind::Null => "null".into(),
        Kind::True => "true".into(),
        Kind::False => "false".into(),
        Kind::Number => view.text(id).into(),
        Kind::Text | Kind::Word | Kind::Key => serde_json::to_string(view.text(id)).unwrap(),
        Kind::Array => {
            let items = view.children(id).map(|item| written(view, item));
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        }
        Kind::Object => {
            let members = view
                .children(id)
                .map(|key| format!("{}:{}", written(view, key), written(view, view.value(key))));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}

#[test]
fn valid_json_is_read_like_by_serde_json() {
    let texts = [
        "null",
        " true ",
        "\tfalse\r\n",
        "0",
        "-0",
        "1",
        "-12.50e+3",
        "1E400",
        "\"\"",
        "[]",
        "{}",
        r#""a\"\\\/\b\f\n\r\tz""#,
        r#""\u0041\u00e9\uD83D\ude00""#,
        r#""\u0000""#,
        "\"é😀\u{7f}\"",
        "[1, [2, {\"a\": []}], \"x\"]",
        r#"{"":1,"__proto__":{"a":{}},"é":null}"#,
        "{\"a\":1,\"ab\":2,\"b\":3,\"ba\":4,\"aa\":5}",
        "[12345678901234567890123456789]",
        "\"exactly8\"",
        "\"exactly15chars\\n\"",
        "{\"k\\u0065y\":\"v\"}",
    ];
    let mut tape = Tape::default();
    for text in texts {
        let json = tape.read(text.as_bytes(), Bounds::default()).expect(text);
        let view = tape.view(json);
        let written = written(view, view.root().unwrap());
        let unspaced: String = text.split([' ', '\t', '\r', '\n']).collect();
        let expected: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        if !text.contains("E400") && !text.contains("123456789") {
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&written).unwrap(),
                expected
            );
        }
        if !text.contains(['"']) {
            assert_eq!(written, unspaced);
        }
    }
}

#[test]
fn invalid_json_is_refused() {
    use Problem::*;
    let rows = [
        ("", Truncated),
        (" ", Truncated),
        ("{", Truncated),
        ("[1", Truncated),
        ("\"a", Truncated),
        ("\"\\", Truncated),
        ("\"\\u12", Truncated),
        ("tru", Truncated),
        ("{\"a\"", Truncated),
        ("{\"a\":", Truncated),
        ("{\"a\":1", Truncated),
        ("[1,", Truncated),
        ("[1,]", Unexpected),
        ("{,}", Unexpected),
        ("{\"a\":1,}", Unexpected),
        ("{a:1}", Unexpected),
        ("{'a':1}", Unexpected),
        ("[1 2]", Unexpected),
        ("{\"a\" 1}", Unexpected),
        ("nul1", Unexpected),
        ("NaN", Unexpected),
        ("+1", Unexpected),
        (".5", Unexpected),
        ("\u{FEFF}1", Unexpected),
        ("//\n1", Unexpected),
        ("\u{b}1", Unexpected),
        ("\u{a0}1", Unexpected),
        ("1 2", Trailing),
        ("{} x", Trailing),
        ("01", Number),
        ("-", Number),
        ("-01", Number),
        ("1.", Number),
        ("1e", Number),
        ("1e+", Number),
        ("1.e1", Number),
        ("0x10", Trailing),
        ("\"\\x\"", Escape),
        ("\"\\u12G4\"", Escape),
        ("\"\\u+123\"", Escape),
        ("\"\\ud800\"", Surrogate),
        ("\"\\udc00\"", Surrogate),
        ("\"\\ud800\\u0041\"", Surrogate),
        ("\"\\ud800x\"", Surrogate),
        ("\"\\ud800\\ud800\"", Surrogate),
        ("\"a\nb\"", Control),
        ("\"eight123\u{1f}\"", Control),
        ("\"\\n\u{0}\"", Control),
        (r#"{"a":1,"a":2}"#, DuplicateKey),
        (r#"{"a":1,"\u0061":2}"#, DuplicateKey),
        (r#"{"":1,"":2}"#, DuplicateKey),
        (r#"[{"ab":{"x":1,"x":1}}]"#, DuplicateKey),
    ];
    for (text, problem) in rows {
        assert_eq!(read(text), Err(problem), "{text:?}");
    }
    for bytes in [
        &b"\"\xff\""[..],
        b"\"\xed\xa0\x80\"",
        b"\"\xc0\xaf\"",
        b"\xff\xfe1\0",
    ] {
        let error = Tape::default().read(bytes, Bounds::default()).unwrap_err();
        assert_eq!(error.problem, Encoding, "{bytes:?}");
    }
}

#[test]
fn many_keys_are_compared_too() {
    let object = |keys: &[u32]| {
        let members: Vec<_> = keys.iter().map(|key| format!("\"k{key}\":{key}")).collect();
        format!("{{{}}}", members.join(","))
    };
    let mut keys: Vec<u32> = (0..500).collect();
    assert_eq!(read(&object(&keys)), Ok(()));
    for twice in [0, 20, 33, 250, 499] {
        keys.push(twice);
        assert_eq!(read(&object(&keys)), Err(Problem::DuplicateKey), "{twice}");
        keys.pop();
    }
}

#[test]
fn bounds_hold() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(read(&nested(64)), Ok(()));
    assert_eq!(read(&nested(65)), Err(Problem::TooDeep));
    assert_eq!(read(&"{\"a\":".repeat(5_000)), Err(Problem::TooDeep));
    let items = |count: usize| format!("[{}1]", "1,".repeat(count - 1));
    assert_eq!(read(&items(100_000)), Ok(()));
    assert_eq!(read(&items(100_001)), Err(Problem::TooManyItems));
    let bounds = Bounds {
        bytes_max: 4,
        ..Bounds::default()
    };
    assert!(Tape::default().read(b"1234", bounds).is_ok());
    let error = Tape::default().read(b"12345", bounds).unwrap_err();
    assert_eq!(error.problem, Problem::TooLong);
}

#[test]
fn a_fault_has_its_offset() {
    let error = Tape::default()
        .read(b"{\"a\": tru}", Bounds::default())
        .unwrap_err();
    assert_eq!(error.to_string(), "an unexpected character, at byte 6");
}

#[test]
fn a_node_is_found_by_a_pointer() {
    let mut tape = Tape::default();
    let json = tape
        .read(br#"{"a/b":[1,{"c~d":null}],"":2}"#, Bounds::default())
        .unwrap();
    let view = tape.view(json);
    let key = view.first(view.root().unwrap()).unwrap();
    let object = view.children(view.value(key)).nth(1).unwrap();
    let inner = view.first(object).unwrap();
    assert_eq!(view.pointer(view.root().unwrap()), "");
    assert_eq!(view.pointer(key), "/a~1b");
    assert_eq!(view.pointer(view.value(inner)), "/a~1b/1/c~0d");
    assert_eq!(view.pointer(view.next(key).unwrap()), "/");
}

#[test]
fn parameters_are_joined_to_the_body() {
    let mut tape = Tape::default();
    let json = tape
        .read(br#"{"order":{"note":"x"}}"#, Bounds::default())
        .unwrap();
    let path = |text: &str| text.split('/').map(Into::into).collect::<Vec<String>>();
    assert_eq!(tape.join(json, &path("order/id"), "07", false), Ok(()));
    assert_eq!(tape.join(json, &path("tags"), "a", true), Ok(()));
    assert_eq!(tape.join(json, &path("tags"), "b", true), Ok(()));
    assert_eq!(tape.join(json, &path("other/deep"), "", false), Ok(()));
    assert_eq!(
        tape.join(json, &path("order/note"), "y", false),
        Err(GivenTwice)
    );
    assert_eq!(
        tape.join(json, &path("order/note/deep"), "y", false),
        Ok(())
    );
    let view = tape.view(json);
    assert_eq!(
        written(view, view.root().unwrap()),
        r#"{"order":{"note":"x","id":"07"},"tags":["a","b"],"other":{"deep":""}}"#
    );

    tape.clear();
    assert_eq!(tape.join("", &[], "5", false), Ok(()));
    let view = tape.view("");
    assert_eq!(
        (
            view.kind(view.root().unwrap()),
            view.text(view.root().unwrap())
        ),
        (Kind::Word, "5")
    );
}

/// Compares the place of each value below a node with what `serde_json` reads there.
fn assert_spans(view: View<'_>, id: NodeId, expected: &serde_json::Value) {
    let span = view.span(id);
    let rest = &view.json[span.start..];
    assert!(!rest.starts_with([' ', '\t', '\n', '\r']), "{rest}");
    let mut values = serde_json::Deserializer::from_str(rest).into_iter();
    assert_eq!(values.next().unwrap().ok().as_ref(), Some(expected));
    assert_eq!(span.len(), values.byte_offset(), "{rest}");
    assert_eq!(view.raw(id), &rest[..span.len()]);
    for (index, child) in view.children(id).enumerate() {
        if view.kind(id) == Kind::Object {
            let name = view.text(child);
            assert_spans(view, child, &name.into());
            assert_spans(view, view.value(child), &expected[name]);
        } else {
            assert_spans(view, child, &expected[index]);
        }
    }
}

#[test]
fn a_span_is_what_serde_json_slices() {
    let rows = [
        " null ",
        "true",
        "\tfalse\n",
        "-1.50e+2 ",
        r#""""#,
        r#" "a\"b" "#,
        "[]",
        " [ ] ",
        "{ }",
        r#"[1 , [ ], {"a" : [ {"b": {}} ] }, "x", "\u0041" ,"", null,true, false ]"#,
        r#"{"a":{"b":[1,2,[3]]}, "\u0062" : "\\" ,"c\n":{"\u00e9":"\ud83d\ude00","":[]}, "d": ""}"#,
        r#"[["\n","\t"],{"\n":"\n","\t":["\n"]}]"#,
    ];
    let mut tape = Tape::default();
    for text in rows {
        let json = tape.read(text.as_bytes(), Bounds::default()).expect(text);
        let view = tape.view(json);
        let expected = serde_json::from_str(text).unwrap();
        assert_spans(view, view.root().unwrap(), &expected);
    }
}

#[test]
fn what_is_joined_has_no_span_and_an_empty_object_takes_parameters() {
    let mut tape = Tape::default();
    let json = tape
        .read(br#"{"a":{},"b":"\n"}"#, Bounds::default())
        .unwrap();
    let path = ["a".to_owned(), "c".to_owned()];
    assert_eq!(tape.join(json, &path, "\n1", true), Ok(()));
    assert_eq!(tape.join(json, &path, "2", true), Ok(()));
    let view = tape.view(json);
    let root = view.root().unwrap();
    assert_eq!(written(view, root), r#"{"a":{"c":["\n1","2"]},"b":"\n"}"#);
    let joined = view.first(view.value(view.first(root).unwrap())).unwrap();
    assert_eq!((view.raw(joined), view.raw(view.value(joined))), ("", ""));
}
