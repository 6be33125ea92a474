//! The rows of the convention and its edge cases: a type of the answer, an answer, its JSON.

use serde_json::Value;
use tollgate_xml::decode;

use super::super::*;
use crate::testing::compiled_schema;

/// A response and its JSON. `types` are further declarations of the schema; `content` is the
/// content of the type of `response`.
struct Row {
    id: &'static str,
    types: &'static str,
    content: &'static str,
    /// Attributes of `response`, a bar, its content.
    answer: &'static str,
    json: &'static str,
    mismatches: u32,
}

const fn row(
    id: &'static str,
    content: &'static str,
    answer: &'static str,
    json: &'static str,
) -> Row {
    Row {
        id,
        types: "",
        content,
        answer,
        json,
        mismatches: 0,
    }
}

impl Row {
    const fn with(self, types: &'static str) -> Self {
        Self { types, ..self }
    }

    const fn misses(self, mismatches: u32) -> Self {
        Self { mismatches, ..self }
    }
}

fn transcode(row: &Row, options: Options) -> (Outcome, String, Mismatches) {
    let schema = format!(
        "{}<xs:element name='request'><xs:complexType/></xs:element>\
         <xs:element name='response'><xs:complexType>{}</xs:complexType></xs:element>",
        row.types, row.content
    );
    let plan = compiled_schema(&schema).plan;
    let (attributes, answer) = row.answer.split_once('|').unwrap_or(("", row.answer));
    let envelope = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' \
         xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:t='urn:t'><e:Body>\
         <t:response xmlns='urn:t' {attributes}>{answer}</t:response></e:Body></e:Envelope>"
    );
    let program = Program::load(&plan, options);
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let text = decode(envelope.as_bytes(), None, Bounds::default()).unwrap();
    let outcome = program.answer(0, &text, &(), &mut scratch, &mut out);
    let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", row.id));
    (
        outcome,
        String::from_utf8(out).unwrap(),
        scratch.mismatches(),
    )
}

fn check(rows: &[Row]) {
    for row in rows {
        let (outcome, json, mismatches) = transcode(row, Options::default());
        assert_eq!(json, row.json, "{}", row.id);
        assert_eq!(
            mismatches.count, row.mismatches,
            "{}: {:?}",
            row.id, mismatches.first
        );
        let is_json = serde_json::from_str::<Value>(&json).is_ok();
        assert_eq!(
            outcome,
            if is_json {
                Outcome::Json
            } else {
                Outcome::Empty
            },
            "{}",
            row.id
        );
    }
}

#[test]
fn elements_attributes_and_arrays() {
    const TWO: &str = "<xs:sequence><xs:element name='a' type='xs:string' minOccurs='0'/>\
        <xs:element name='b' type='xs:int' minOccurs='0' maxOccurs='unbounded'/></xs:sequence>";
    const NAMED: &str = "<xs:sequence><xs:element name='n' type='xs:string'/></xs:sequence>\
        <xs:attribute name='n' type='xs:int'/><xs:attribute name='m' type='xs:boolean'/>";
    const ITEM: &str = "<xs:complexType name='Item'><xs:sequence>\
        <xs:element name='b' type='xs:int' minOccurs='0' maxOccurs='2'/></xs:sequence>\
        </xs:complexType>";
    const ITEMS: &str = "<xs:sequence><xs:element name='i' type='t:Item' minOccurs='0'/>\
        <xs:element name='j' type='t:Item' minOccurs='0' maxOccurs='9' nillable='true'/>\
        </xs:sequence>";
    check(&[
        row("absent", TWO, "", r#"{"b":[]}"#),
        row("array-0-empty-element", TWO, "<a/>", r#"{"a":"","b":[]}"#),
        row("array-1", TWO, "<b>1</b>", r#"{"b":[1]}"#),
        row(
            "array-n",
            TWO,
            "<a> x </a><b>1</b><b>2</b>",
            r#"{"a":" x ","b":[1,2]}"#,
        ),
        row(
            "array-interleaved",
            TWO,
            "<b>1</b><a>x</a><b>2</b>",
            r#"{"b":[1,2],"a":"x"}"#,
        ),
        row(
            "array-nested",
            ITEMS,
            "<i/><j><b>1</b></j><j/>",
            r#"{"i":{"b":[]},"j":[{"b":[1]},{"b":[]}]}"#,
        )
        .with(ITEM),
        row(
            "array-of-nil",
            ITEMS,
            "<j xsi:nil='true'/><j/><j xsi:nil=' 1 '> </j>",
            r#"{"j":[null,{"b":[]},null]}"#,
        )
        .with(ITEM),
        row(
            "attribute-and-element-of-one-name",
            NAMED,
            "n='1' m='0'|<n>x</n>",
            r#"{"@n":1,"m":false,"n":"x"}"#,
        ),
        row("attribute-absent", NAMED, "<n>x</n>", r#"{"n":"x"}"#),
        row(
            "attribute-of-another-namespace",
            NAMED,
            "t:n='1' e:encodingStyle='x'|<n/>",
            r#"{"@n":1,"n":""}"#,
        )
        .misses(1),
        row(
            "text-split",
            TWO,
            "<a>a<!-- -->b<![CDATA[<c>]]>&amp;&#100;\u{e4}</a>",
            r#"{"a":"ab<c>&dä","b":[]}"#,
        ),
        row(
            "text-escapes",
            TWO,
            "<a>\"\\\n\t&#13;/</a>",
            r#"{"a":"\"\\\n\t\r/","b":[]}"#,
        ),
        row(
            "unknown-element",
            TWO,
            "<x><a/></x><a>1</a><x xmlns='urn:x'/>",
            r#"{"a":"1","b":[]}"#,
        )
        .misses(2),
        row(
            "prefixes",
            TWO,
            "<q:a xmlns:q='urn:t'>x</q:a><t:b>1</t:b>",
            r#"{"a":"x","b":[1]}"#,
        ),
        row("void", "", "", ""),
    ]);
}

#[test]
fn nil_and_empty() {
    const MANY: &str = "<xs:sequence>\
        <xs:element name='s' type='xs:string' nillable='true' minOccurs='0'/>\
        <xs:element name='n' type='xs:int' nillable='true' minOccurs='0'/>\
        <xs:element name='d' type='xs:int' default='7' minOccurs='0'/>\
        <xs:element name='e' type='t:E' nillable='true' minOccurs='0'/>\
        <xs:element name='l' type='t:L' minOccurs='0'/>\
        <xs:element name='t' type='xs:date' minOccurs='0'/>\
        <xs:element name='x' type='xs:base64Binary' minOccurs='0'/>\
        </xs:sequence>";
    const TYPES: &str = "<xs:complexType name='E'><xs:attribute name='k' type='xs:int'/>\
        </xs:complexType>\
        <xs:simpleType name='L'><xs:list itemType='xs:int'/></xs:simpleType>";
    let row = |id, answer, json| row(id, MANY, answer, json).with(TYPES);
    check(&[
        row("nil-string", "<s xsi:nil='true'/>", r#"{"s":null}"#),
        row("nil-false", "<s xsi:nil='false'/>", r#"{"s":""}"#),
        row("nil-number", "<n xsi:nil='1'></n>", r#"{"n":null}"#),
        row(
            "nil-with-attributes",
            "<e k='1' xsi:nil='true'/>",
            r#"{"e":{"k":1,"@nil":true}}"#,
        ),
        row(
            "nil-without-attributes",
            "<e xsi:nil='true'/>",
            r#"{"e":null}"#,
        ),
        row("empty-string", "<s/>", r#"{"s":""}"#),
        row("empty-number", "<n></n>", r#"{"n":null}"#).misses(1),
        row("empty-number-with-default", "<d/>", r#"{"d":7}"#),
        row("empty-complex", "<e/>", r#"{"e":{}}"#),
        row("empty-list", "<l/>", r#"{"l":[]}"#),
        row("empty-date", "<t/>", r#"{"t":null}"#).misses(1),
        row("empty-base64", "<x/>", r#"{"x":""}"#),
    ]);
}

#[test]
fn simple_types() {
    fn one(id: &'static str, ty: &'static str, text: &'static str, json: &'static str) -> Row {
        let content = format!("<xs:sequence><xs:element name='v' type='{ty}'/></xs:sequence>");
        let answer = format!("<v>{text}</v>");
        let json = format!("{{\"v\":{json}}}");
        // A test may leak the contents of its table.
        row(id, content.leak(), answer.leak(), json.leak()).with(
            "<xs:simpleType name='L'><xs:list itemType='xs:int'/></xs:simpleType>\
             <xs:simpleType name='Words'><xs:list itemType='xs:NCName'/></xs:simpleType>\
             <xs:simpleType name='Small'><xs:restriction base='xs:int'>\
             <xs:enumeration value='1'/><xs:enumeration value='2'/></xs:restriction>\
             </xs:simpleType>\
             <xs:simpleType name='U'><xs:union memberTypes='t:Small xs:boolean xs:byte \
             xs:string'/></xs:simpleType>\
             <xs:simpleType name='Share'><xs:restriction base='xs:token'>\
             <xs:pattern value='[0-9]+ %'/></xs:restriction></xs:simpleType>\
             <xs:simpleType name='Part'><xs:union memberTypes='xs:positiveInteger t:Share xs:date \
             xs:boolean t:L xs:base64Binary'/></xs:simpleType>\
             <xs:simpleType name='Enum'><xs:restriction base='xs:string'>\
             <xs:enumeration value='a &amp; b'/></xs:restriction></xs:simpleType>",
        )
    }
    check(&[
        one("string-kept", "xs:string", " a\n b ", r#"" a\n b ""#),
        one("string-never-guessed", "xs:string", "007", r#""007""#),
        one(
            "string-markup",
            "xs:string",
            "&lt;a&gt;]]&gt;",
            r#""<a>]]>""#,
        ),
        one(
            "normalized",
            "xs:normalizedString",
            " a\n\tb ",
            r#"" a  b ""#,
        ),
        one("token", "xs:token", " a\n  b ", r#""a b""#),
        one("any-uri", "xs:anyURI", " urn:x ", r#""urn:x""#),
        one(
            "enum-with-space-and-ampersand",
            "t:Enum",
            "a &amp; b",
            r#""a & b""#,
        ),
        one("boolean-1", "xs:boolean", " 1 ", "true"),
        one("boolean-wrong", "xs:boolean", "yes", r#""yes""#).misses(1),
        one("integer-plus", "xs:int", "+1", "1"),
        one("integer-zeros", "xs:int", "-007", "-7"),
        one("integer-zero", "xs:int", "000", "0"),
        one(
            "integer-unsigned-long",
            "xs:unsignedLong",
            "18446744073709551615",
            "18446744073709551615",
        ),
        one(
            "integer-30-digits",
            "xs:integer",
            "123456789012345678901234567890",
            "123456789012345678901234567890",
        ),
        one("integer-wrong", "xs:int", "1.0", r#""1.0""#).misses(1),
        one("integer-sign-alone", "xs:int", "-", r#""-""#).misses(1),
        one("decimal-0.10", "xs:decimal", "0.10", "0.10"),
        one("decimal-.5", "xs:decimal", "+.5", "0.5"),
        one("decimal-5.", "xs:decimal", "-05.", "-5"),
        one("decimal-exponent", "xs:decimal", "1e5", r#""1e5""#).misses(1),
        one("decimal-point-alone", "xs:decimal", ".", r#"".""#).misses(1),
        one("double-exponent", "xs:double", "1e5", "1e5"),
        one("double-bare", "xs:double", "-.5E+05", "-0.5E+05"),
        one("double-inf", "xs:double", "-INF", r#""-INF""#),
        one("float-nan", "xs:float", " NaN", r#""NaN""#),
        one("double-minus-zero", "xs:double", "-0", "-0"),
        one("double-wrong", "xs:double", "1e", r#""1e""#).misses(1),
        one(
            "date-without-zone",
            "xs:date",
            " 2026-02-03 ",
            r#""2026-02-03""#,
        ),
        one(
            "year-beyond-9999",
            "xs:dateTime",
            "12026-01-01T24:00:00",
            r#""12026-01-01T24:00:00""#,
        ),
        one("duration", "xs:duration", "-P1DT0.5S", r#""-P1DT0.5S""#),
        one(
            "base64-with-newlines",
            "xs:base64Binary",
            "\nZm9v\n YmFy\n",
            r#""Zm9vYmFy""#,
        ),
        one("base64-wrong", "xs:base64Binary", "Zm9", r#""Zm9""#).misses(1),
        one("hex", "xs:hexBinary", " 0aFF ", r#""0aFF""#),
        one("qname-prefix", "xs:QName", " t:a ", r#""{urn:t}a""#),
        one("qname-default", "xs:QName", "a", r#""{urn:t}a""#),
        one("qname-unbound", "xs:QName", "x:a", r#""x:a""#).misses(1),
        one("list", "t:L", " 1 +2\n3 ", "[1,2,3]"),
        one("list-wrong-item", "t:L", "1 x", r#""1 x""#).misses(1),
        one("list-of-names", "t:Words", "a b", r#"["a","b"]"#),
        one("union-enumeration", "t:U", "2", "2"),
        one("union-boolean", "t:U", "true", "true"),
        one("union-byte", "t:U", "-5", "-5"),
        one("union-beyond-byte", "t:U", "500", r#""500""#),
        one("union-bound", "t:Part", " 12 ", "12"),
        one("union-beyond-bound", "t:Part", "0", "false"),
        one("union-pattern", "t:Part", " 5\n % ", r#""5 %""#),
        one("union-date", "t:Part", "2026-02-28", r#""2026-02-28""#),
        one("union-list", "t:Part", "0 0", "[0,0]"),
        one("union-no-date", "t:Part", "2026-02-30", r#""2026-02-30""#).misses(1),
        one("union-base64", "t:Part", "Zm 9v", r#""Zm9v""#),
    ]);
}

#[test]
fn simple_content_and_attributes_without_names() {
    const PRICE: &str = "<xs:complexType name='Price'><xs:simpleContent>\
        <xs:extension base='xs:decimal'><xs:attribute name='currency' type='xs:string'/>\
        </xs:extension></xs:simpleContent></xs:complexType>\
        <xs:complexType name='Bare'><xs:simpleContent><xs:extension base='xs:decimal'/>\
        </xs:simpleContent></xs:complexType>";
    const BOTH: &str = "<xs:sequence><xs:element name='p' type='t:Price' minOccurs='0' \
        maxOccurs='9' nillable='true'/><xs:element name='q' type='t:Bare' minOccurs='0'/>\
        </xs:sequence>";
    const OPEN: &str = "<xs:anyAttribute processContents='lax'/>";
    check(&[
        row(
            "simple-content",
            BOTH,
            "<p currency='EUR'>01.50</p><p>2</p><q>3</q>",
            r#"{"p":[{"currency":"EUR","value":1.50},{"value":2}],"q":3}"#,
        )
        .with(PRICE),
        row(
            "simple-content-nil",
            BOTH,
            "<p currency='EUR' xsi:nil='true'/><p xsi:nil='true'/>",
            r#"{"p":[{"currency":"EUR","@nil":true},null]}"#,
        )
        .with(PRICE),
        row(
            "any-attribute",
            OPEN,
            "a='&lt;' t:b='2' xml:lang='de'|",
            r#"{"{}a":"<","{urn:t}b":"2","{http://www.w3.org/XML/1998/namespace}lang":"de"}"#,
        ),
    ]);
}

#[test]
fn choices_and_groups() {
    const CHOICE: &str = "<xs:choice><xs:element name='a' type='xs:int'/>\
        <xs:sequence><xs:element name='b' type='xs:int'/>\
        <xs:element name='c' type='xs:int' minOccurs='0' maxOccurs='9'/></xs:sequence>\
        </xs:choice>";
    const REPEATED: &str = "<xs:choice minOccurs='0' maxOccurs='unbounded'>\
        <xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:string'/></xs:choice>";
    const SEQUENCES: &str = "<xs:sequence><xs:sequence minOccurs='0' maxOccurs='unbounded'>\
        <xs:element name='key' type='xs:string'/>\
        <xs:element name='value' type='xs:int' minOccurs='0'/></xs:sequence>\
        <xs:element name='z' type='xs:int' minOccurs='0'/></xs:sequence>";
    const ALL: &str = "<xs:all><xs:element name='a' type='xs:int'/>\
        <xs:element name='b' type='xs:int' minOccurs='0'/></xs:all>";
    const GROUP: &str = "<xs:group name='G'><xs:sequence><xs:element name='g' type='xs:int'/>\
        </xs:sequence></xs:group>\
        <xs:attributeGroup name='AG'><xs:attribute name='h' type='xs:int'/></xs:attributeGroup>";
    const OF_GROUP: &str = "<xs:sequence><xs:group ref='t:G' minOccurs='0' maxOccurs='3'/>\
        </xs:sequence><xs:attributeGroup ref='t:AG'/>";
    check(&[
        row("choice-first", CHOICE, "<a>1</a>", r#"{"a":1}"#),
        row("choice-second", CHOICE, "<b>1</b>", r#"{"b":1,"c":[]}"#),
        row(
            "choice-second-with-array",
            CHOICE,
            "<b>1</b><c>2</c>",
            r#"{"b":1,"c":[2]}"#,
        ),
        row(
            "choice-repeated",
            REPEATED,
            "<b>x</b><a>1</a><a>2</a>",
            r#"{"aOrB":[{"b":"x"},{"a":1},{"a":2}]}"#,
        ),
        row("choice-repeated-none", REPEATED, "", r#"{"aOrB":[]}"#),
        row(
            "sequence-repeated",
            SEQUENCES,
            "<key>a</key><value>1</value><key>b</key><key>c</key><value>2</value><z>1</z>",
            r#"{"keyAndValue":[{"key":"a","value":1},{"key":"b"},{"key":"c","value":2}],"z":1}"#,
        ),
        row(
            "all-in-any-order",
            ALL,
            "<b>1</b><a>2</a>",
            r#"{"b":1,"a":2}"#,
        ),
        row(
            "group-of-one",
            OF_GROUP,
            "h='1'|<g>1</g><g>2</g>",
            r#"{"h":1,"g":[1,2]}"#,
        )
        .with(GROUP),
    ]);
}

#[test]
fn derived_types_and_substitution() {
    const SHAPES: &str = "<xs:complexType name='Shape' abstract='true'><xs:sequence>\
        <xs:element name='id' type='xs:int'/></xs:sequence></xs:complexType>\
        <xs:complexType name='Circle'><xs:complexContent><xs:extension base='t:Shape'>\
        <xs:sequence><xs:element name='r' type='xs:double'/></xs:sequence></xs:extension>\
        </xs:complexContent></xs:complexType>\
        <xs:complexType name='Ring'><xs:complexContent><xs:extension base='t:Circle'>\
        <xs:sequence><xs:element name='hole' type='xs:double' minOccurs='0' maxOccurs='9'/>\
        </xs:sequence><xs:attribute name='k' type='xs:int'/></xs:extension>\
        </xs:complexContent></xs:complexType>";
    const SHAPE: &str = "<xs:sequence><xs:element name='s' type='t:Shape' minOccurs='0' \
        maxOccurs='9'/><xs:element name='c' type='t:Circle' minOccurs='0' nillable='true'/>\
        </xs:sequence>";
    const HEADS: &str = "<xs:element name='head' type='xs:string'/>\
        <xs:element name='one' substitutionGroup='t:head'/>\
        <xs:element name='two' type='xs:token' substitutionGroup='t:one'/>\
        <xs:complexType name='Base'><xs:sequence><xs:element name='x' type='xs:int'/>\
        </xs:sequence></xs:complexType>\
        <xs:element name='abstract' type='t:Base' abstract='true'/>\
        <xs:element name='real' type='t:Base' substitutionGroup='t:abstract'/>";
    const ONE_HEAD: &str = "<xs:sequence><xs:element ref='t:head'/></xs:sequence>";
    const HEADS_MANY: &str = "<xs:sequence><xs:element ref='t:head' minOccurs='0' maxOccurs='9'/>\
        <xs:element ref='t:abstract' minOccurs='0' maxOccurs='9'/></xs:sequence>";
    const RECURSIVE: &str = "<xs:complexType name='Node'><xs:sequence>\
        <xs:element name='n' type='xs:int'/><xs:element name='child' type='t:Node' minOccurs='0' \
        maxOccurs='unbounded'/></xs:sequence></xs:complexType>";
    const NODE: &str = "<xs:sequence><xs:element name='root' type='t:Node'/></xs:sequence>";
    check(&[
        row(
            "xsi-type-three-levels",
            SHAPE,
            "<s xsi:type='t:Circle'><id>1</id><r>2</r></s>\
             <s xmlns:q='urn:t' xsi:type=' q:Ring' k='3'><id>1</id><r>2</r><hole>1</hole></s>",
            concat!(
                r#"{"s":[{"@type":"Circle","id":1,"r":2},"#,
                r#"{"@type":"Ring","k":3,"id":1,"r":2,"hole":[1]}]}"#
            ),
        )
        .with(SHAPES),
        row(
            "declared-type-says-its-name-too",
            SHAPE,
            "<c><id>1</id><r>2</r></c>",
            r#"{"c":{"@type":"Circle","id":1,"r":2},"s":[]}"#,
        )
        .with(SHAPES),
        row(
            "nil-of-a-type-with-derived-ones",
            SHAPE,
            "<c xsi:nil='true'/>",
            r#"{"c":null,"s":[]}"#,
        )
        .with(SHAPES),
        row(
            "abstract-without-type",
            SHAPE,
            "<s><id>1</id></s>",
            r#"{"s":[{"@type":"Shape","id":1}]}"#,
        )
        .with(SHAPES)
        .misses(1),
        row(
            "unknown-type",
            SHAPE,
            "<c xsi:type='t:Square'><id>1</id><r>2</r></c>",
            r#"{"c":{"@type":"Circle","id":1,"r":2},"s":[]}"#,
        )
        .with(SHAPES)
        .misses(1),
        row(
            "substitution-head",
            ONE_HEAD,
            "<head>x</head>",
            r#"{"head":"x"}"#,
        )
        .with(HEADS),
        row(
            "substitution-member",
            ONE_HEAD,
            "<two> x </two>",
            r#"{"two":"x"}"#,
        )
        .with(HEADS),
        row(
            "substitution-repeated",
            HEADS_MANY,
            "<head>x</head><two>y</two><one>z</one><real><x>1</x></real>",
            concat!(
                r#"{"head":[{"@element":"head","value":"x"},"#,
                r#"{"@element":"two","value":"y"},{"@element":"one","value":"z"}],"#,
                r#""abstract":[{"@element":"real","x":1}]}"#
            ),
        )
        .with(HEADS),
        row(
            "recursion",
            NODE,
            "<root><n>1</n><child><n>2</n></child><child><n>3</n><child><n>4</n></child></child>\
             </root>",
            r#"{"root":{"n":1,"child":[{"n":2,"child":[]},{"n":3,"child":[{"n":4,"child":[]}]}]}}"#,
        )
        .with(RECURSIVE),
    ]);
}

#[test]
fn wildcards_and_mixed_content() {
    const KNOWN: &str = "<xs:element name='known' type='xs:int'/>\
        <xs:complexType name='Text' mixed='true'><xs:sequence><xs:element name='b' \
        type='xs:string' minOccurs='0' maxOccurs='9'/></xs:sequence></xs:complexType>";
    const LAX: &str = "<xs:sequence><xs:element name='a' type='xs:int' minOccurs='0'/>\
        <xs:any processContents='lax' minOccurs='0' maxOccurs='unbounded'/></xs:sequence>";
    const SKIP: &str = "<xs:sequence><xs:any processContents='skip' minOccurs='0'/></xs:sequence>";
    const OTHER: &str = "<xs:sequence><xs:any namespace='##other' processContents='strict' \
        minOccurs='0' maxOccurs='9'/></xs:sequence>";
    const MIXED: &str = "<xs:sequence><xs:element name='m' type='t:Text'/>\
        <xs:element name='any' type='xs:anyType' minOccurs='0'/></xs:sequence>";
    check(&[
        row(
            "any-lax",
            LAX,
            "<a>1</a><known>2</known><x y='&lt;'>&amp;</x>",
            r#"{"a":1,"any":[{"known":2},"<x xmlns='urn:t' y='&lt;'>&amp;</x>"]}"#,
        )
        .with(KNOWN),
        row(
            "any-namespaces-declared-outside",
            LAX,
            "<q:x xmlns:q='urn:q'><t:y/><t:z xsi:type='t:T'/></q:x>",
            "{\"any\":[\"<q:x xmlns:t='urn:t' \
             xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xmlns:q='urn:q'><t:y/>\
             <t:z xsi:type='t:T'/></q:x>\"]}",
        )
        .with(KNOWN),
        row(
            "any-skip",
            SKIP,
            "<known>2</known>",
            r#"{"any":["<known xmlns='urn:t'>2</known>"]}"#,
        )
        .with(KNOWN),
        row(
            "any-other-strict",
            OTHER,
            "<x xmlns='urn:x'/><known>1</known>",
            r#"{"any":["<x xmlns='urn:x'/>"]}"#,
        )
        .with(KNOWN)
        .misses(2),
        row(
            "mixed",
            MIXED,
            "<m>a <b>c</b>&amp;<b/></m>",
            r#"{"m":"a <b xmlns='urn:t'>c</b>&amp;<b xmlns='urn:t'/>"}"#,
        )
        .with(KNOWN),
        row("mixed-empty", MIXED, "<m/>", r#"{"m":""}"#).with(KNOWN),
        row(
            "any-type",
            MIXED,
            "<m></m><any xsi:type='xs:int'>5</any>",
            r#"{"m":"","any":"5"}"#,
        )
        .with(KNOWN),
    ]);
}

// rest.option.strings_and_defaults
#[test]
fn options_change_numbers_and_defaults() {
    const CONTENT: &str = "<xs:sequence><xs:element name='l' type='xs:long'/>\
        <xs:element name='i' type='xs:int'/><xs:element name='d' type='xs:decimal'/></xs:sequence>\
        <xs:attribute name='a' type='xs:int' default='5'/>";
    let options = Options {
        long_as_string: true,
        decimal_as_string: true,
        writes_attribute_defaults: true,
        ..Options::default()
    };
    let row = row("options", CONTENT, "<l>+01</l><i>2</i><d>.5</d>", "");
    let (_, json, mismatches) = transcode(&row, options);
    assert_eq!(json, r#"{"a":5,"l":"1","i":2,"d":"0.5"}"#);
    assert_eq!(mismatches.count, 0);
}
