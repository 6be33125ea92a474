//! `json_to_xml` and `xml_to_json`: the convention as tables, both ways.

use std::time::Instant;

use serde_json::{Value as Json, json};
use tollgate_mediation::message::BodyLength;
use tollgate_mediation::run::Stop;
use tollgate_mediation::run::body::Room;

use crate::message::{Sample, response, run_response};

/// Converts a body; returns it as text with its media type.
pub(crate) fn convert(step: &Json, body: &[u8]) -> Result<(String, String), Stop> {
    let is_to_xml = step["policy"] == "json_to_xml";
    let sample = Sample {
        fields: vec![match is_to_xml {
            true => ("content-type", "application/json"),
            false => ("content-type", "text/xml"),
        }],
        request: Vec::new(),
        length: BodyLength::Unknown,
    };
    let made = run_response(
        &response(&json!([step])),
        &sample,
        body,
        &mut Room::default(),
    )?;
    let body = String::from_utf8(made.body.unwrap_or_default()).expect("UTF-8");
    let media_type = made.fields.first().map(|it| it.1.clone());
    Ok((body, media_type.unwrap_or_default()))
}

fn to_xml() -> Json {
    json!({ "policy": "json_to_xml", "other_type": "refuse" })
}

fn to_json() -> Json {
    json!({ "policy": "xml_to_json", "other_type": "refuse" })
}

/// JSON and its XML; the last is what the XML becomes again, if that is not the same.
const TABLE: [(&str, &str, &str); 22] = [
    (r#"{"a":"1"}"#, "<root><a>1</a></root>", ""),
    (r#""text""#, "<root>text</root>", ""),
    (r#"{"a":null}"#, "<root><a/></root>", r#"{"a":""}"#),
    (r#"{"a":""}"#, "<root><a/></root>", ""),
    (r#"{"a":" "}"#, "<root><a> </a></root>", ""),
    (r#"{"a":{},"b":[]}"#, "<root><a/></root>", r#"{"a":""}"#),
    ("{}", "<root/>", r#""""#),
    ("[]", "<root/>", r#""""#),
    ("null", "<root/>", r#""""#),
    (
        r#"{"a":true,"b":false,"c":-1.50e+2}"#,
        "<root><a>true</a><b>false</b><c>-1.50e+2</c></root>",
        r#"{"a":"true","b":"false","c":"-1.50e+2"}"#,
    ),
    (
        r#"{"n":1234567890123456789012345678901234567890.10}"#,
        "<root><n>1234567890123456789012345678901234567890.10</n></root>",
        r#"{"n":"1234567890123456789012345678901234567890.10"}"#,
    ),
    (r#"{"a":["1","2"]}"#, "<root><a>1</a><a>2</a></root>", ""),
    (r#"{"a":["1"]}"#, "<root><a>1</a></root>", r#"{"a":"1"}"#),
    (
        r#"["1","2"]"#,
        "<root><item>1</item><item>2</item></root>",
        r#"{"item":["1","2"]}"#,
    ),
    (
        r#"{"a":[["1","2"],{"b":"3"}]}"#,
        "<root><a><item>1</item><item>2</item></a><a><b>3</b></a></root>",
        r#"{"a":[{"item":["1","2"]},{"b":"3"}]}"#,
    ),
    (
        r##"{"@k":"<&\"'>\t\n\r","#text":"x"}"##,
        "<root k=\"&lt;&amp;&quot;'&gt;&#9;&#10;&#13;\">x</root>",
        "",
    ),
    (
        r##"{"a":{"@k":"1"},"b":{"@k":null,"#text":"x","c":"y"}}"##,
        "<root><a k=\"1\"/><b k=\"\">x<c>y</c></b></root>",
        r##"{"a":{"@k":"1"},"b":{"@k":"","#text":"x","c":"y"}}"##,
    ),
    (r##"{"#text":"x"}"##, "<root>x</root>", r#""x""#),
    (
        r##"{"b":"y","@k":"1"}"##,
        "<root k=\"1\"><b>y</b></root>",
        r##"{"@k":"1","b":"y"}"##,
    ),
    (
        r#"{"@xmlns":"urn:a","@xmlns:p":"urn:b","p:c":{"@p:d":"1","@xml:lang":"de"}}"#,
        "<root xmlns=\"urn:a\" xmlns:p=\"urn:b\"><p:c p:d=\"1\" xml:lang=\"de\"/></root>",
        "",
    ),
    (
        "{\"a\":\"]]> é \u{1F600} \\u0085\"}",
        "<root><a>]]&gt; é \u{1F600} \u{85}</a></root>",
        "{\"a\":\"]]> é \u{1F600} \u{85}\"}",
    ),
    (r#"{"é.-_1":"x"}"#, "<root><é.-_1>x</é.-_1></root>", ""),
];

#[test]
fn the_convention_goes_both_ways() {
    for (json, xml, again) in TABLE {
        let made = convert(&to_xml(), json.as_bytes()).expect(json);
        assert_eq!(
            made,
            (xml.to_owned(), "application/xml; charset=utf-8".to_owned())
        );
        roxmltree::Document::parse(xml).expect(xml);
        let expected = if again.is_empty() { json } else { again };
        let made = convert(&to_json(), xml.as_bytes()).expect(xml);
        assert_eq!(
            made,
            (expected.to_owned(), "application/json".to_owned()),
            "{xml}"
        );
    }
}

#[test]
fn other_xml_becomes_json() {
    let rows = [
        (
            "\u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\n<a>x</a>\n<!-- c -->",
            r#""x""#,
        ),
        (
            "<a>\r\n  <b>1</b>\r\n  <c/>\n  <b>2</b>\n</a>",
            r#"{"b":["1","2"],"c":""}"#,
        ),
        ("<a>x <b>1</b> y</a>", r##"{"#text":"x  y","b":"1"}"##),
        ("<a> <!-- c --> <?pi x?> </a>", r#""   ""#),
        (
            "<a><![CDATA[<&]]>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;</a>",
            r#""<&<&>\"'AB""#,
        ),
        (
            "<a k='1\t2\n3&#10;4' l=\"'\"/>",
            r#"{"@k":"1 2 3\n4","@l":"'"}"#,
        ),
        (
            "<p:a xmlns:p='urn:&amp;'><p:b/></p:a>",
            r#"{"@xmlns:p":"urn:&","p:b":""}"#,
        ),
        ("<a>\r\n</a>", r#""\n""#),
        ("<a>&#13;&#9;</a>", r#""\r\t""#),
    ];
    for (xml, json) in rows {
        let (made, _) = convert(&to_json(), xml.as_bytes()).expect(xml);
        assert_eq!(made, json, "{xml}");
    }
}

#[test]
fn a_step_sets_its_own_names() {
    let step = json!({
        "policy": "xml_to_json",
        "arrays": ["orders/order", "orders/order/line", "x", "orders"],
        "attributes": "", "text": "$",
    });
    let xml = "<r a='1'><orders><order>t<line k='1'/></order></orders><x/><order/></r>";
    let json = r#"{"orders":[{"order":[{"$":"t","line":[""]}]}],"x":[""],"order":""}"#;
    assert_eq!(convert(&step, xml.as_bytes()).expect(xml).0, json);

    let step = json!({
        "policy": "json_to_xml",
        "root": "orders", "item": "order", "attributes": "-", "text": "$",
    });
    let json = r#"[{"-id":7,"$":"t"},{"a":1}]"#;
    let xml = "<orders><order id=\"7\">t</order><order><a>1</a></order></orders>";
    assert_eq!(convert(&step, json.as_bytes()).expect(json).0, xml);
}

#[test]
fn what_xml_cannot_hold_is_refused_by_its_pointer() {
    let rows = [
        (r#"{"a b":1}"#, "\"/a b\" of the body has a name"),
        (r#"{"x":[{"":1}]}"#, "\"/x/0/\" of the body has a name"),
        (r#"{"1":1}"#, "\"/1\" of the body has a name"),
        (r#"{"a:b:c":1}"#, "\"/a:b:c\" of the body has a name"),
        (r#"{"<a":1}"#, "\"/<a\" of the body has a name"),
        (r#"{"@":1}"#, "\"/@\" of the body has a name"),
        (r#"{"@a":[]}"#, "\"/@a\" of the body is an array or object"),
        (
            r##"{"#text":{}}"##,
            "\"/#text\" of the body is an array or object",
        ),
        (r#"{"a":"\u0000"}"#, "\"/a\" of the body has a character"),
        (r#"{"@a":"\uFFFE"}"#, "\"/@a\" of the body has a character"),
        (r#"["x","\uFFFF"]"#, "\"/1\" of the body has a character"),
        (r#"{"p:a":1}"#, "a prefix is not declared"),
        (r#"{"@p:a":1}"#, "a prefix is not declared"),
        (
            r#"{"a":{"@xmlns:p":"u"},"p:a":1}"#,
            "a prefix is not declared",
        ),
        (r#"{"@xmlns:p":""}"#, "a namespace declaration is invalid"),
        (
            r#"{"@xmlns":"a b"}"#,
            "\"/@xmlns\" of the body declares a namespace",
        ),
        (
            r#"{"x":{"@xmlns:p":"urn:%z"}}"#,
            "\"/x/@xmlns:p\" of the body declares a namespace",
        ),
        (r#"{"@xmlns":"1:a"}"#, "declares a namespace"),
        (r##"{"@xmlns":"a#b#c"}"##, "declares a namespace"),
        (r#"{"@xmlns":"urn:é"}"#, "declares a namespace"),
        (
            r#"{"@xmlns:p":"u","@xmlns:q":"u","@p:a":"","@q:a":""}"#,
            "an attribute appears twice",
        ),
    ];
    for (json, reason) in rows {
        let stop = convert(&to_xml(), json.as_bytes()).expect_err(json);
        let Stop::NotWellFormed(detail) = stop else {
            panic!("{json}: {stop}");
        };
        assert!(detail.contains(reason), "{json}: {detail}");
    }
    let (name, empty) = ("n".repeat(1000), "[],".repeat(20_000));
    let long = format!("{{\"{name}\":[{empty}[]]}}");
    assert_eq!(convert(&to_xml(), long.as_bytes()), Err(Stop::TooLong));
}

#[test]
fn malformed_and_forbidden_xml_is_refused() {
    let deep = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
    let rows = [
        (
            "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>".to_owned(),
            "document type",
        ),
        ("<a>&b;</a>".to_owned(), "unknown entity"),
        ("<a>&#0;</a>".to_owned(), "unknown entity"),
        ("<a k='1' k='2'/>".to_owned(), "appears twice"),
        ("<a xmlns:p='1' xmlns:p='2'/>".to_owned(), "appears twice"),
        ("<p:a/>".to_owned(), "prefix is not declared"),
        ("<a><b></a></b>".to_owned(), "end tag"),
        ("<a>".to_owned(), "ends too early"),
        ("<a/><b/>".to_owned(), "outside the root"),
        ("<a>\u{1}</a>".to_owned(), "not allowed"),
        ("<?xml version='1.1'?><a/>".to_owned(), "version"),
        (deep(65), "too deeply"),
        ("{}".to_owned(), "outside the root"),
        (
            "<a>".to_owned() + &"<b/>".repeat(100_000 * 4) + "</a>",
            "more than",
        ),
    ];
    for (xml, reason) in rows {
        let step = json!({ "policy": "xml_to_json", "bytes_max": 10 << 20 });
        let stop = convert(&step, xml.as_bytes()).expect_err(&xml);
        let Stop::NotWellFormed(detail) = stop else {
            panic!("{xml}: {stop}");
        };
        assert!(detail.contains(reason), "{xml}: {detail}");
    }
    assert!(convert(&to_json(), deep(64).as_bytes()).is_ok());
}

#[test]
fn other_encodings_are_other_types() {
    let wide: Vec<u8> = "\u{FEFF}<a/>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let rows: [&[u8]; 4] = [
        b"<?xml version='1.0' encoding='ISO-8859-1'?><a/>",
        b"<?xml version='1.0' encoding='UTF-16'?><a/>",
        b"<\0a\0/\0>\0",
        &wide,
    ];
    for xml in rows {
        let refused = convert(&to_json(), xml);
        assert!(matches!(refused, Err(Stop::WrongType(_))), "{refused:?}");
        let step = json!({ "policy": "xml_to_json" });
        assert_eq!(convert(&step, xml).expect("passes").1, "");
    }
}

#[test]
fn many_names_take_time_in_line_with_their_number() {
    let names = |count: usize| {
        let names = (0..count).map(|index| format!("<n{index}/>"));
        format!("<a>{0}{0}</a>", names.collect::<String>())
    };
    let step = json!({ "policy": "xml_to_json", "bytes_max": 10 << 20 });
    let time = |xml: &str| {
        let start = Instant::now();
        let (json, _) = convert(&step, xml.as_bytes()).expect("JSON");
        assert!(json.contains(r#""n7":["",""]"#));
        start.elapsed()
    };
    let (few, many) = (names(5_000), names(150_000));
    let (few, many) = ((0..3).map(|_| time(&few)).min(), time(&many));
    // Thirty times the names; pairs would take nine hundred times as long.
    assert!(few.is_some_and(|few| many < few * 200), "{few:?} {many:?}");
}
