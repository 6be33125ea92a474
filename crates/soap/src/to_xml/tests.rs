mod kitchen;

use tollgate_json::tape::Tape;
use tollgate_xml::escape::push_attribute;

use super::*;
use kitchen::kitchen;

const EVERYTHING: usize = 0;
const BARE: usize = 1;
const EMPTY: usize = 2;
const HEADERS: usize = 3;

fn program(settings: &Settings) -> Program {
    Program::load(&kitchen(), settings).unwrap()
}

fn sent(program: &Program, operation: usize, request: &Request<'_>) -> Result<String, Vec<String>> {
    let mut out = Vec::new();
    let written = program.write(operation, request, &mut Scratch::default(), &mut out);
    match written {
        Ok(()) => {
            let xml = String::from_utf8(out).unwrap();
            roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
            Ok(xml)
        }
        Err(violations) => {
            let violations = violations
                .iter()
                .map(|of| format!("{} {}", of.pointer, of.sentence));
            Err(violations.collect())
        }
    }
}

/// Returns the content of the body's element, without prefixes of the shop's namespace; or the
/// violations.
fn content(program: &Program, json: &str) -> String {
    let request = Request {
        body: Some(json.as_bytes()),
        ..Request::default()
    };
    match sent(program, EVERYTHING, &request) {
        Ok(xml) => {
            let start = xml.find("<n1:everything>").unwrap() + "<n1:everything>".len();
            let end = xml.find("</n1:everything>").unwrap();
            xml[start..end].replace("n1:", "")
        }
        Err(violations) => format!("! {}", violations.join("; ")),
    }
}

/// Rows of an id, JSON, and the XML, or `!` and the violations.
fn check(rows: &[(&str, &str, &str)]) {
    let program = program(&Settings::default());
    let mut wrong = Vec::new();
    for (id, json, expected) in rows {
        let found = content(&program, json);
        if found != *expected {
            wrong.push(format!(
                "{id}: {json}\n  expected {expected}\n  found    {found}"
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn scalars_are_written_as_the_table_has_them() {
    check(&[
        ("empty-request", "{}", ""),
        ("string", r#"{"s":"007"}"#, "<s>007</s>"),
        ("string-empty", r#"{"s":""}"#, "<s></s>"),
        (
            "string-markup",
            r#"{"s":"<a>&amp;]]></a>"}"#,
            "<s>&lt;a&gt;&amp;amp;]]&gt;&lt;/a&gt;</s>",
        ),
        (
            "string-return",
            r#"{"s":"a\r\nb\tc"}"#,
            "<s>a&#13;\nb\tc</s>",
        ),
        ("string-unicode", r#"{"s":"\ud83d\ude00é"}"#, "<s>😀é</s>"),
        ("string-not-number", r#"{"s":7}"#, "! /s must be a string"),
        (
            "string-control",
            "{\"s\":\"a\\u0000\"}",
            "! /s has the character U+0000, which XML does not allow",
        ),
        (
            "string-control-token",
            "{\"t\":\"a\\u000b\"}",
            "! /t has the character U+000B, which XML does not allow",
        ),
        (
            "string-nonchar",
            "{\"s\":\"\\uffff\"}",
            "! /s has the character U+FFFF, which XML does not allow",
        ),
        (
            "surrogate-lone",
            r#"{"s":"\ud800"}"#,
            "!  is not valid JSON: half of a surrogate pair, at byte 12",
        ),
        ("token-space", r#"{"t":" a  b\n"}"#, "<t>a b</t>"),
        (
            "int-overflow",
            r#"{"i":2147483648}"#,
            "! /i must be a whole number from -2147483648 to 2147483647",
        ),
        ("int-text", r#"{"i":"12"}"#, "<i>12</i>"),
        (
            "ulong",
            r#"{"ul":18446744073709551615}"#,
            "<ul>18446744073709551615</ul>",
        ),
        (
            "integer-30",
            r#"{"big":123456789012345678901234567890}"#,
            "<big>123456789012345678901234567890</big>",
        ),
        ("decimal-0.10", r#"{"d":0.10}"#, "<d>0.10</d>"),
        (
            "decimal-1e5",
            r#"{"d":1e5}"#,
            "! /d must be a decimal number without an exponent",
        ),
        (
            "decimal-digits",
            r#"{"d2":1.234}"#,
            "! /d2 must have at most 2 digits after the point",
        ),
        ("double-1e5", r#"{"f":1e5}"#, "<f>1e5</f>"),
        ("double-minus-zero", r#"{"f":-0}"#, "<f>-0</f>"),
        ("double-inf", r#"{"f":"-INF"}"#, "<f>-INF</f>"),
        ("boolean", r#"{"b":true}"#, "<b>true</b>"),
        ("boolean-1", r#"{"b":1}"#, "<b>1</b>"),
        (
            "boolean-text",
            r#"{"b":"true"}"#,
            "! /b must be true or false",
        ),
        (
            "date-no-zone",
            r#"{"dt":"2026-01-31T24:00:00"}"#,
            "<dt>2026-01-31T24:00:00</dt>",
        ),
        (
            "date-year",
            r#"{"dt":"12026-01-31T00:00:00Z"}"#,
            "<dt>12026-01-31T00:00:00Z</dt>",
        ),
        (
            "base64-newline",
            r#"{"b64":"Zm9v\nYmFy"}"#,
            "<b64>Zm9vYmFy</b64>",
        ),
        (
            "base64-invalid",
            r#"{"b64":"Zm9"}"#,
            "! /b64 must be base64 with its padding, as a string",
        ),
        ("list", r#"{"l":[1,2]}"#, "<l>1 2</l>"),
        ("union", r#"{"u":1}"#, "<u>1</u>"),
        ("union-text", r#"{"u":"x<"}"#, "<u>x&lt;</u>"),
        ("enum", r#"{"e":"R&D"}"#, "<e>R&amp;D</e>"),
        ("enum-space", r#"{"e":"a b"}"#, "<e>a b</e>"),
        (
            "enum-wrong",
            r#"{"e":"x"}"#,
            r#"! /e must be one of "a b", "R&D""#,
        ),
        ("fixed", r#"{"fixed":"yes"}"#, "<fixed>yes</fixed>"),
        (
            "fixed-wrong",
            r#"{"fixed":"no"}"#,
            r#"! /fixed must be "yes""#,
        ),
    ]);
}

#[test]
fn objects_arrays_and_nulls_are_written_as_the_table_has_them() {
    check(&[
        ("order", r#"{"i":1,"s":"x"}"#, "<s>x</s><i>1</i>"),
        ("unknown", r#"{"nope":1}"#, "! /nope is not known here"),
        (
            "proto",
            r#"{"__proto__":1,"":2}"#,
            "! /__proto__ is not known here; / is not known here",
        ),
        ("not-object", "[]", "!  must be an object"),
        ("null-optional", r#"{"s":null}"#, ""),
        (
            "null-nillable",
            r#"{"nil":null}"#,
            r#"<nil xsi:nil="true"/>"#,
        ),
        (
            "null-required",
            r#"{"required":{"x":null,"y":null,"z":[1]}}"#,
            "! /required/x must not be null",
        ),
        (
            "null-required-nillable",
            r#"{"required":{"x":"","y":null,"z":[1]}}"#,
            r#"<required><x></x><y xsi:nil="true"/><z>1</z></required>"#,
        ),
        (
            "missing",
            r#"{"required":{"y":"1"}}"#,
            "! /required/x is missing; /required/z is missing",
        ),
        ("array-0", r#"{"items":[]}"#, ""),
        ("array-1", r#"{"items":["a"]}"#, "<items>a</items>"),
        (
            "array-n",
            r#"{"items":["a","b"]}"#,
            "<items>a</items><items>b</items>",
        ),
        ("array-null", r#"{"items":null}"#, ""),
        (
            "array-many",
            r#"{"items":["a","b","c","d"]}"#,
            "! /items must have at most 3 items",
        ),
        (
            "array-few",
            r#"{"required":{"x":"","y":"","z":[]}}"#,
            "! /required/z must have at least 1 item",
        ),
        ("array-not", r#"{"items":"a"}"#, "! /items must be an array"),
        (
            "array-of-null",
            r#"{"items":["a",null]}"#,
            "! /items/1 must not be null",
        ),
        (
            "array-of-nil",
            r#"{"nils":[1,null]}"#,
            r#"<nils>1</nils><nils xsi:nil="true"/>"#,
        ),
        (
            "simple-content",
            r#"{"price":{"value":1.50,"currency":"€"}}"#,
            r#"<price currency="€">1.50</price>"#,
        ),
        (
            "attribute-escape",
            r#"{"price":{"currency":"\"<&\n","value":1}}"#,
            r#"<price currency="&quot;&lt;&amp;&#10;">1</price>"#,
        ),
        (
            "attribute-required",
            r#"{"price":{"value":1}}"#,
            "! /price/currency is missing",
        ),
        (
            "attribute-fixed",
            r#"{"price":{"value":1,"currency":"E","version":2}}"#,
            r#"! /price/version must be "1""#,
        ),
        (
            "value-missing",
            r#"{"price":{"currency":"E"}}"#,
            "! /price/value is missing",
        ),
        (
            "value-scalar",
            r#"{"price":1}"#,
            "! /price must be an object",
        ),
        (
            "nil-attributes",
            r#"{"price":{"@nil":true,"currency":"E"}}"#,
            r#"<price currency="E" xsi:nil="true"/>"#,
        ),
        (
            "nil-attributes-null",
            r#"{"price":null}"#,
            "! /price must be an object with \"@nil\" and \"currency\"",
        ),
        (
            "nil-content",
            r#"{"price":{"@nil":true,"currency":"E","value":1}}"#,
            "! /price has content, so it cannot be nil",
        ),
        (
            "same-name",
            r#"{"named":{"name":"e","@name":"a"}}"#,
            r#"<named name="a"><name>e</name></named>"#,
        ),
        (
            "any-attribute",
            r#"{"named":{"{}x":"1","{http://www.w3.org/XML/1998/namespace}lang":"de"}}"#,
            r#"<named x="1" xml:lang="de"></named>"#,
        ),
        (
            "any-attribute-xsi",
            r#"{"named":{"{http://www.w3.org/2001/XMLSchema-instance}type":"x"}}"#,
            "! /named/{http:~1~1www.w3.org~12001~1XMLSchema-instance}type cannot be an attribute",
        ),
        (
            "any-attribute-name",
            r#"{"named":{"{}a b":"1"}}"#,
            "! /named/{}a b cannot be an attribute",
        ),
        (
            "recursion",
            r#"{"node":{"node":[{"node":[]},{"leaf":"x"}]}}"#,
            "<node><node></node><node><leaf>x</leaf></node></node>",
        ),
    ]);
}

#[test]
fn choices_groups_and_repeated_places_are_written_in_order() {
    check(&[
        (
            "choice-none",
            r#"{"choice":{}}"#,
            "! /choice must have one of a, b, c, d",
        ),
        (
            "choice-one",
            r#"{"choice":{"a":"1"}}"#,
            "<choice><a>1</a></choice>",
        ),
        (
            "choice-two",
            r#"{"choice":{"a":"1","b":"2"}}"#,
            "! /choice may have only one of a, b",
        ),
        (
            "choice-sequence",
            r#"{"choice":{"c":"1","b":"2"}}"#,
            "<choice><b>2</b><c>1</c></choice>",
        ),
        (
            "choice-sequence-part",
            r#"{"choice":{"c":"1"}}"#,
            "! /choice/b is missing",
        ),
        (
            "choice-null",
            r#"{"choice":{"a":"1","b":null}}"#,
            "<choice><a>1</a></choice>",
        ),
        (
            "choice-array",
            r#"{"choice":{"d":["1","2"]}}"#,
            "<choice><d>1</d><d>2</d></choice>",
        ),
        (
            "group",
            r#"{"pairs":{"keyAndValue":[{"key":"a","value":"1"},{"key":"b"}]}}"#,
            "<pairs><key>a</key><value>1</value><key>b</key></pairs>",
        ),
        (
            "group-part",
            r#"{"pairs":{"keyAndValue":[{"value":"1"}]}}"#,
            "! /pairs/keyAndValue/0/key is missing",
        ),
        (
            "group-choice",
            r#"{"pairs":{"leftOrRight":[{"right":"a"},{"left":"b"},{"right":"c"}]}}"#,
            "<pairs><right>a</right><left>b</left><right>c</right></pairs>",
        ),
        (
            "group-choice-two",
            r#"{"pairs":{"leftOrRight":[{"left":"a","right":"b"}]}}"#,
            "! /pairs/leftOrRight/0 may have only one of left, right",
        ),
        (
            "group-unknown",
            r#"{"pairs":{"leftOrRight":[{"up":"a"}]}}"#,
            "! /pairs/leftOrRight/0/up is not known here; \
             /pairs/leftOrRight/0 must have one of left, right",
        ),
        (
            "twice-2",
            r#"{"twice":{"p":["1","2"],"m":"x"}}"#,
            "<twice><p>1</p><m>x</m><p>2</p></twice>",
        ),
        (
            "twice-4",
            r#"{"twice":{"m":"x","p":["1","2","3","4"]}}"#,
            "<twice><p>1</p><m>x</m><p>2</p><p>3</p><p>4</p></twice>",
        ),
        (
            "twice-1",
            r#"{"twice":{"p":["1"]}}"#,
            "! /twice/p must have more items",
        ),
        (
            "twice-5",
            r#"{"twice":{"p":["1","2","3","4","5"]}}"#,
            "! /twice/p must have fewer items",
        ),
    ]);
}

#[test]
fn derived_types_and_substitution_groups_include_their_names() {
    check(&[
        (
            "abstract",
            r#"{"shape":{"label":"x"}}"#,
            "! /shape/@type is missing",
        ),
        (
            "derived",
            r#"{"shape":{"@type":"Circle","radius":1}}"#,
            r#"<shape xsi:type="Circle"><radius>1</radius></shape>"#,
        ),
        (
            "derived-3-levels",
            r#"{"shape":{"radius":1,"fill":"red","@type":"Disc","label":"x"}}"#,
            concat!(
                r#"<shape xsi:type="n2:Disc"><label>x</label>"#,
                "<radius>1</radius><fill>red</fill></shape>"
            ),
        ),
        (
            "abstract-nil",
            r#"{"shape":null}"#,
            r#"<shape xsi:type="Circle" xsi:nil="true"/>"#,
        ),
        (
            "derived-unknown",
            r#"{"shape":{"@type":"Square"}}"#,
            r#"! /shape/@type must be one of "Circle", "Disc""#,
        ),
        (
            "derived-abstract",
            r#"{"shape":{"@type":"Shape"}}"#,
            r#"! /shape/@type must be one of "Circle", "Disc""#,
        ),
        (
            "derived-own",
            concat!(
                r#"{"circles":[{"@type":"Circle","radius":1},{"radius":2},"#,
                r#"{"@type":"Disc","radius":3}]}"#
            ),
            concat!(
                "<circles><radius>1</radius></circles><circles><radius>2</radius></circles>",
                r#"<circles xsi:type="n2:Disc"><radius>3</radius></circles>"#
            ),
        ),
        (
            "derived-other-keys",
            r#"{"shape":{"@type":"Circle","radius":1,"fill":"red"}}"#,
            "! /shape/fill is not known here",
        ),
        (
            "type-of-plain",
            r#"{"named":{"@type":"Named"}}"#,
            "<named></named>",
        ),
        (
            "type-of-plain-wrong",
            r#"{"named":{"@type":"Node"}}"#,
            r#"! /named/@type must be "Named""#,
        ),
        ("substitution", r#"{"cat":"Tom"}"#, "<cat>Tom</cat>"),
        (
            "substitution-two",
            r#"{"cat":"Tom","dog":{"radius":1}}"#,
            "!  may have only one of animal, cat, dog",
        ),
        (
            "substitution-abstract",
            r#"{"animal":"x"}"#,
            "! /animal is abstract: only its substitutes are allowed",
        ),
        (
            "substitution-array",
            r#"{"zoo":[{"@element":"dog","radius":1},{"@element":"cat","value":"T"}]}"#,
            "<dog><radius>1</radius></dog><cat>T</cat>",
        ),
        (
            "substitution-array-type",
            r#"{"zoo":[{"@element":"dog","@type":"Disc","radius":1}]}"#,
            r#"<dog xsi:type="n2:Disc"><radius>1</radius></dog>"#,
        ),
        (
            "substitution-array-none",
            r#"{"zoo":[{"radius":1}]}"#,
            r#"! /zoo/0 must have "@element", one of "cat", "dog""#,
        ),
    ]);
}

#[test]
fn open_content_is_xml_in_a_string_or_a_known_element() {
    check(&[
        (
            "any-unknown",
            r#"{"any":["<x:a xmlns:x='urn:x'>1</x:a>"]}"#,
            "<x:a xmlns:x='urn:x'>1</x:a>",
        ),
        ("any-known", r#"{"any":[{"known":5}]}"#, "<known>5</known>"),
        (
            "any-known-checked",
            r#"{"any":[{"known":"x"}]}"#,
            "! /any/0/known must be a whole number from -2147483648 to 2147483647",
        ),
        (
            "any-known-as-xml",
            r#"{"any":["<known xmlns='urn:shop'>x</known>"]}"#,
            "! /any/0 is a known element: give its JSON, in an object under its name",
        ),
        (
            "any-clash",
            r#"{"any":[{"{urn:other}note":5}]}"#,
            "<n3:note>5</n3:note>",
        ),
        (
            "any-prefix",
            r#"{"any":["<n1:a/>"]}"#,
            "! /any/0 must be an element: a prefix is not declared",
        ),
        (
            "any-two",
            r#"{"any":["<a/><b/>"]}"#,
            "! /any/0 must be an element: there is content outside the root element",
        ),
        (
            "any-text",
            r#"{"any":["text"]}"#,
            "! /any/0 must be an element: there is content outside the root element",
        ),
        (
            "any-doctype",
            r#"{"any":["<!DOCTYPE a><a/>"]}"#,
            "! /any/0 must be an element: a document type declaration is not allowed",
        ),
        (
            "any-declaration",
            r#"{"any":["<?xml version='1.0'?><a/>"]}"#,
            "! /any/0 must be an element: it begins with a declaration",
        ),
        (
            "strict-unknown",
            r#"{"strict":["<a/>"]}"#,
            "! /strict/0 must be a known element",
        ),
        (
            "strict-known",
            r#"{"strict":[{"known":5}]}"#,
            "<known>5</known>",
        ),
        (
            "skip-namespace",
            r#"{"skip":["<a/>"]}"#,
            "! /skip/0 is in a namespace that is not allowed here",
        ),
        (
            "skip",
            r#"{"skip":["<o:note xmlns:o='urn:other'>x</o:note>"]}"#,
            "<o:note xmlns:o='urn:other'>x</o:note>",
        ),
        (
            "mixed",
            r#"{"mixed":"a <b>c</b> &amp; d"}"#,
            "<mixed>a <b>c</b> &amp; d</mixed>",
        ),
        (
            "mixed-broken",
            r#"{"mixed":"</mixed>"}"#,
            "! /mixed must be XML: an end tag does not match its start tag",
        ),
        (
            "mixed-breaking-out",
            r#"{"mixed":"</x><x>"}"#,
            "! /mixed must be XML: there is content outside the root element",
        ),
        (
            "mixed-cdata",
            r#"{"mixed":"<![CDATA[<]]>"}"#,
            "<mixed><![CDATA[<]]></mixed>",
        ),
    ]);
}

#[test]
fn names_in_values_get_prefixes_on_the_envelope() {
    let program = program(&Settings::default());
    let json = r#"{"q":"{urn:x&y}a","named":{"{urn:x&y}b":"1"}}"#;
    let request = Request {
        body: Some(json.as_bytes()),
        ..Request::default()
    };
    let xml = sent(&program, EVERYTHING, &request).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let find = |local| {
        document
            .descendants()
            .find(|node| node.has_tag_name(("urn:shop", local)))
    };
    let value = find("q").unwrap();
    let (prefix, local) = value.text().unwrap().split_once(':').unwrap();
    assert_eq!(
        (value.lookup_namespace_uri(Some(prefix)), local),
        (Some("urn:x&y"), "a")
    );
    assert_eq!(
        find("named").unwrap().attribute(("urn:x&y", "b")),
        Some("1")
    );
    assert_eq!(xml.matches("urn:x&amp;y").count(), 1);
}

#[test]
fn an_envelope_has_its_version_and_declares_each_namespace_once() {
    let program = program(&Settings::default());
    let sent = |operation, json: Option<&'static str>| {
        let body = json.map(str::as_bytes);
        sent(
            &program,
            operation,
            &Request {
                body,
                ..Request::default()
            },
        )
    };
    assert_eq!(
        sent(BARE, Some("5")).unwrap(),
        "<soap:Envelope xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:n1=\"urn:shop\">\
         <soap:Body><n1:number>5</n1:number></soap:Body></soap:Envelope>"
    );
    let empty = sent(EMPTY, None).unwrap();
    assert!(
        empty.ends_with("\"><soap:Body></soap:Body></soap:Envelope>"),
        "{empty}"
    );
    assert!(sent(EMPTY, Some("{}")).is_ok());
    assert_eq!(
        sent(EMPTY, Some("{\"a\":1}")).unwrap_err(),
        ["/a is not known here"]
    );
    assert_eq!(
        sent(EMPTY, Some("7")).unwrap_err(),
        [" must be an empty object"]
    );
    assert_eq!(sent(BARE, None).unwrap_err(), [" is missing"]);
    assert_eq!(
        sent(BARE, Some("{}")).unwrap_err(),
        [" must be a whole number from -2147483648 to 2147483647"]
    );
    let everything = sent(EVERYTHING, None).unwrap();
    for prefix in ["n1", "n2", "n3"] {
        assert_eq!(
            everything.matches(&format!("xmlns:{prefix}=")).count(),
            1,
            "{everything}"
        );
    }
    assert!(everything.contains("<n1:everything></n1:everything>"));
}

fn path(text: &str) -> Vec<String> {
    text.split('/')
        .filter(|key| !key.is_empty())
        .map(Into::into)
        .collect()
}

#[test]
fn parameters_enter_by_the_same_rules() {
    let program = program(&Settings::default());
    let with = |operation, json: Option<&str>, parameters: &[(&str, &str)]| {
        let paths: Vec<_> = parameters.iter().map(|(at, _)| path(at)).collect();
        let parameters: Vec<_> = paths
            .iter()
            .zip(parameters)
            .map(|(path, (at, text))| Parameter {
                path,
                text,
                is_array: at.ends_with("items"),
            })
            .collect();
        let request = Request {
            body: json.map(str::as_bytes),
            parameters: &parameters,
            ..Request::default()
        };
        sent(&program, operation, &request)
    };
    let xml = with(
        EVERYTHING,
        None,
        &[
            ("i", "5"),
            ("s", "a&b"),
            ("items", "1"),
            ("items", "2"),
            ("node/leaf", "x"),
        ],
    );
    let xml = xml.unwrap().replace("n1:", "");
    assert!(
        xml.contains(
            "<s>a&amp;b</s><i>5</i><items>1</items><items>2</items><node><leaf>x</leaf></node>"
        ),
        "{xml}"
    );
    assert_eq!(
        with(EVERYTHING, None, &[("i", "")]).unwrap_err(),
        ["/i must be a whole number from -2147483648 to 2147483647"]
    );
    assert_eq!(
        with(EVERYTHING, Some(r#"{"i":1}"#), &[("i", "5")]).unwrap_err(),
        ["/i is given by a parameter and in the body, or twice"]
    );
    let xml = with(BARE, None, &[("", "5"), ("headers/auth/user", "me")]).unwrap();
    assert!(
        xml.contains("<n1:Auth><n1:user>me</n1:user></n1:Auth></soap:Header>"),
        "{xml}"
    );
    assert_eq!(
        with(BARE, Some("5"), &[("headers/auth/level", "x")]).unwrap_err(),
        [
            "/auth/user is missing",
            "/auth/level must be a whole number from -2147483648 to 2147483647"
        ]
    );
}

#[test]
fn header_blocks_come_from_the_request_and_from_the_configuration() {
    let settings = Settings {
        headers: vec![("auth".into(), r#"{"user":"fixed"}"#.into())],
        ..Settings::default()
    };
    let (open, fixed) = (program(&Settings::default()), program(&settings));
    let sent = |program, json: &str| {
        sent(
            program,
            HEADERS,
            &Request {
                body: Some(json.as_bytes()),
                ..Request::default()
            },
        )
    };
    let xml = sent(
        &open,
        r#"{"s":"x","headers":{"session":"7","auth":{"user":"me"}}}"#,
    )
    .unwrap();
    let header = concat!(
        "<soap:Header><n1:Auth><n1:user>me</n1:user></n1:Auth>",
        "<n1:session>7</n1:session></soap:Header>"
    );
    assert!(xml.contains(header), "{xml}");
    assert_eq!(
        sent(&open, r#"{"headers":{"nope":1}}"#).unwrap_err(),
        ["/headers/nope is not known here"]
    );
    let xml = sent(&fixed, r#"{"headers":{"session":"7"}}"#).unwrap();
    let header = concat!(
        "<soap:Header><n1:Auth><n1:user>fixed</n1:user></n1:Auth>",
        "<n1:session>7</n1:session></soap:Header>"
    );
    assert!(xml.contains(header), "{xml}");
    assert_eq!(
        sent(&fixed, r#"{"headers":{"auth":{"user":"me"}}}"#).unwrap_err(),
        ["/headers/auth is not known here"]
    );
    // Nor by the other, unused name.
    assert_eq!(
        sent(&fixed, r#"{"headers":{"":{"user":"me"}}}"#).unwrap_err(),
        ["/headers/ is not known here"]
    );
    let wrong = Settings {
        headers: vec![("auth".into(), "{}".into())],
        ..Settings::default()
    };
    let error = Program::load(&kitchen(), &wrong).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the configured header auth is wrong: /user is missing"
    );
}

/// The digest was computed with Python: `base64(sha1(nonce + created + password))`.
#[test]
fn a_username_token_is_sent_as_text_or_as_a_digest() {
    let moment = Moment {
        unix_seconds: 1_767_225_599,
        nonce: *b"0123456789abcdef",
    };
    let with = |is_digest| {
        let token = UsernameToken {
            name: "a&b".into(),
            password: "p<w".into(),
            is_digest,
        };
        assert!(!format!("{token:?}").contains("p<w"));
        let program = program(&Settings {
            token: Some(token),
            ..Settings::default()
        });
        sent(
            &program,
            EMPTY,
            &Request {
                moment,
                ..Request::default()
            },
        )
        .unwrap()
    };
    let text = with(false);
    assert!(
        text.contains("<wsse:Username>a&amp;b</wsse:Username>"),
        "{text}"
    );
    assert!(
        text.contains("#PasswordText\">p&lt;w</wsse:Password>"),
        "{text}"
    );
    let digest = with(true);
    assert!(
        digest.contains("#PasswordDigest\">y3DClqLGAhSsw6le3XyLW9rGDBY=</wsse:Password>"),
        "{digest}"
    );
    assert!(
        digest.contains("#Base64Binary\">MDEyMzQ1Njc4OWFiY2RlZg==</wsse:Nonce>"),
        "{digest}"
    );
    assert!(
        digest.contains(">2025-12-31T23:59:59Z</wsu:Created>"),
        "{digest}"
    );
}

#[test]
fn all_violations_are_reported_up_to_a_bound() {
    let program = program(&Settings::default());
    let items = vec!["null"; 50].join(",");
    let json = format!(r#"{{"items":[{items}],"x":1}}"#);
    let request = Request {
        body: Some(json.as_bytes()),
        ..Request::default()
    };
    let violations = sent(&program, EVERYTHING, &request).unwrap_err();
    assert_eq!(violations.len(), VIOLATIONS_MAX);
    assert_eq!(
        violations[..2],
        ["/x is not known here", "/items/0 must not be null"]
    );
}

#[test]
fn a_text_is_plain_only_where_xml_has_nothing_to_escape_and_nothing_to_refuse() {
    let mut tape = Tape::default();
    let mut count = 0;
    for (length, at) in (1..70).flat_map(|length| (0..length).map(move |at| (length, at))) {
        for character in ["a", "&", "<", ">", "'", "\u{e9}", "\u{ff21}", "\u{fffe}"] {
            let text = [
                "x".repeat(at),
                character.into(),
                "x".repeat(length - at - 1),
            ]
            .concat();
            for behind in [0, 20] {
                let json = format!("[\"{text}\"{}]", " ".repeat(behind));
                let json = tape.read(json.as_bytes(), Bounds::default()).unwrap();
                let view = tape.view(json);
                let id = view.first(view.root().unwrap()).unwrap();
                assert_eq!(view.text(id), text);
                if view.is_plain(id) {
                    let mut out = Vec::new();
                    push_attribute(&mut out, &text).unwrap();
                    assert_eq!(out, text.as_bytes());
                    count += 1;
                }
            }
        }
    }
    assert!(count > 4000, "{count} texts are plain");
}
