//! `json_to_xml` and `xml_to_json`: lxml reads what the first writes, and reads XML as the second
//! does.

use serde_json::{Value, json};

use crate::house::House;
use crate::peers::peers;

impl House {
    /// Sends a body; returns what goes up, or the code of the refusal.
    async fn converted(&self, media_type: &str, body: &str) -> Result<String, String> {
        let length = body.len();
        let fields = format!("Content-Type: {media_type}\r\nContent-Length: {length}\r\n");
        let answer = self
            .asked(&self.raw("POST", &fields, body.as_bytes()))
            .await;
        match answer.status {
            200 => Ok(self.went_up().1),
            _ => Err(answer.code()),
        }
    }

    async fn to_xml(&self, json: &str) -> Result<String, String> {
        self.converted("application/json", json).await
    }

    async fn to_json(&self, xml: &str) -> Result<Value, String> {
        let json = self.converted("application/xml", xml).await?;
        Ok(serde_json::from_str(&json).unwrap())
    }
}

/// A version that converts JSON to XML and XML to JSON.
async fn converting() -> House {
    let is = |media_type: &str| format!("request.headers[\"content-type\"] == \"{media_type}\"");
    let (json, xml) = (is("application/json"), is("application/xml"));
    let house = House::new().await;
    house
        .with_operations(
            json!({ "operations": [{ "operations": ["POST /pets"], "request": [
            { "policy": "let", "name": "is_json", "value": json },
            { "policy": "let", "name": "is_xml", "value": xml },
            { "if": "var.is_json", "policy": "json_to_xml" },
            { "if": "var.is_xml", "policy": "xml_to_json" },
        ] }] }),
        )
        .await
}

/// JSON, and what it is once it was XML; that is the same if it is null.
fn hostile_json() -> Vec<(Value, Value)> {
    let same = |json: Value| (json, Value::Null);
    vec![
        same(json!({ "a": "<b/>&amp;<![CDATA[x]]><!-- c --><?pi?>" })),
        same(json!({ "a": "]]>", "b": "--", "c": "%x;", "d": "&#0;" })),
        same(json!({ "@k": "\"'<>&\t\n\r ]]>", "#text": "\t\n\r x \r\n" })),
        same(json!({ "a": " ", "b": "\r", "c": "\n\n" })),
        same(json!({ "@xmlns": "http://a.example/?a=b&c=%3C'#d", "a": "b" })),
        same(
            json!({ "@xmlns:p": "urn:a", "@p:k": "1", "p:b": { "@xmlns:q": "urn:b", "q:c": "d" } }),
        ),
        same(json!({ "@xmlns": "urn:a", "b": { "@xmlns": "", "c": "d" } })),
        same(json!({ "@xml:lang": "de", "@xml:space": "preserve", "a": "b" })),
        same(json!({ "é": "x", "_": "y", "a.b-c": "z", "\u{4e2d}\u{6587}": "w" })),
        same(json!({ "a": "\u{1F600}\u{85}\u{2028}\u{FEFF}\u{E000}\u{FFFD}\u{10FFFF}" })),
        same(json!({ "xmlfoo": "1", "XML": "2" })),
        same(json!({ "a": ["1", "2", { "b": ["3", "4"] }], "c": "5" })),
        same(json!({ "#text": "x", "a": "y", "@k": "z" })),
        (
            json!(["1", ["2", "3"]]),
            json!({ "item": ["1", { "item": ["2", "3"] }] }),
        ),
        (
            json!({ "a": null, "b": true, "c": -1.5, "d": [], "e": {} }),
            json!({ "a": "", "b": "true", "c": "-1.5", "e": "" }),
        ),
        (json!("<&>"), json!("<&>")),
        (json!({}), json!("")),
    ]
}

/// JSON that XML cannot hold.
const NO_XML: [&str; 15] = [
    r#"{"a b":1}"#,
    r#"{"a><b":1}"#,
    r#"{"a/":1}"#,
    r#"{"a=\"\"":1}"#,
    r#"{"-a":1}"#,
    r#"{"a\u00d7":1}"#,
    r#"{":a":1}"#,
    r#"{"a:":1}"#,
    r#"{"p:a":1}"#,
    r#"{"@xmlns:xml":"urn:a"}"#,
    r#"{"@xmlns:p":"http://www.w3.org/2000/xmlns/"}"#,
    r#"{"@xmlns":"urn:\"<&>"}"#,
    r#"{"a":"\u0001"}"#,
    r#"{"a":"\u001f"}"#,
    r#"{"@a":"\ufffe"}"#,
];

#[tokio::test]
async fn lxml_reads_the_xml_that_json_becomes() {
    let Some(peers) = peers() else { return };
    let house = converting().await;
    let (rows, mut documents) = (hostile_json(), Vec::new());
    for (json, _) in &rows {
        documents.push(house.to_xml(&json.to_string()).await.unwrap());
    }
    let texts: Vec<_> = documents.iter().map(String::as_str).collect();
    let read = peers.xml_as_json(&texts).unwrap();
    for (((json, again), xml), read) in rows.iter().zip(&documents).zip(read) {
        let expected = if again.is_null() { json } else { again };
        assert_eq!(read, json!({ "root": "root", "json": expected }), "{xml}");
        assert_eq!(house.to_json(xml).await.as_ref(), Ok(expected), "{xml}");
    }
    for json in NO_XML {
        let refused = house.to_xml(json).await;
        assert_eq!(refused, Err("mediate.not_well_formed".to_owned()), "{json}");
    }
}

/// XML that both readers accept.
const XML: [&str; 22] = [
    "<?xml version=\"1.0\" encoding='utf-8' standalone=\"yes\" ?>\r\n<a>x</a>\n",
    "<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>",
    "<a>x<![CDATA[]]>y</a>",
    "<a>&lt;&gt;&amp;&apos;&quot;&#x1F600;&#10;&#13;</a>",
    "<a k='&lt;&#9;&#xA;&#13; \t\r\n&quot;' l=\"'\"/>",
    "<a><!-- c --><b>1<!-- c -->2</b><?pi x?><b/></a>",
    "<!-- c --><?pi?><a/><!-- c --><?pi?>",
    "<a>x <b>1</b> y <b>2</b>\n</a>",
    "<a>\n  <b>1</b>\n  <c>2</c>\n  <b>3</b>\n</a>",
    "<a> \t\r\n </a>",
    "<a\n k = '1'\n></a\n>",
    "<p:a xmlns:p='urn:p' p:k='1' k='2'><p:b/><b/></p:a>",
    "<a xmlns='urn:a'><b xmlns='urn:b'><c/></b><d/></a>",
    "<a xmlns='urn:a'><b xmlns=''><c/></b></a>",
    "<a xmlns:p='urn:1'><p:b/><c xmlns:p='urn:2'><p:b/></c></a>",
    "<a xml:lang='de' xml:space='preserve'> <b/> </a>",
    "<a xmlns:p='urn:&amp;&#x27;'/>",
    "<é k='ü'>ß</é>",
    "<a.b-c_d>1</a.b-c_d>",
    "<a>\u{85}\u{2028}\u{FEFF}\u{10FFFF}</a>",
    "<a>]]</a>",
    "<a k='>'/>",
];

/// XML that neither reader accepts.
const NOT_XML: [&str; 28] = [
    " ",
    "x",
    "<a>",
    "<a/><b/>",
    "<a/>x",
    "<a></b>",
    "<a><b></a></b>",
    "<a k=1/>",
    "<a k='1' k='2'/>",
    "<a k='1'l='2'/>",
    "<a k='<'/>",
    "<a>]]></a>",
    "<a>&b;</a>",
    "<a>&</a>",
    "<a>&#0;</a>",
    "<a>&#xD800;</a>",
    "<a>&#x110000;</a>",
    "<a>\u{1}</a>",
    "<a>\u{FFFE}</a>",
    "<a><!-- -- --></a>",
    "<a><![CDATA[x]]</a>",
    "<a><?xml version='1.0'?></a>",
    " <?xml version='1.0'?><a/>",
    "<1/>",
    "< a/>",
    "<p:a/>",
    "<a xmlns:p='1' xmlns:q='1' p:k='' q:k=''/>",
    "<a xmlns:p=''/>",
];

/// XML that only policies refuse: a document type, which may define entities, and versions other
/// than 1.0.
const NOT_TAKEN: [&str; 4] = [
    "<!DOCTYPE a><a/>",
    "<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a/>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    "<?xml version='1.1'?><a/>",
];

#[tokio::test]
async fn lxml_and_policies_read_the_same_xml() {
    let Some(peers) = peers() else { return };
    let house = converting().await;
    let all: Vec<_> = [&XML[..], &NOT_XML, &NOT_TAKEN].concat();
    let read = peers.xml_as_json(&all).unwrap();
    let mut read = all.into_iter().zip(read);
    for (xml, read) in read.by_ref().take(XML.len()) {
        assert_eq!(
            house.to_json(xml).await.as_ref(),
            Ok(&read["json"]),
            "{xml}: {read}"
        );
    }
    for (index, (xml, read)) in read.enumerate() {
        let is_refused_by_lxml = read["error"].is_string();
        assert_eq!(is_refused_by_lxml, index < NOT_XML.len(), "{xml}: {read}");
        let refused = house.to_json(xml).await;
        assert_eq!(refused, Err("mediate.not_well_formed".to_owned()), "{xml}");
    }
}
