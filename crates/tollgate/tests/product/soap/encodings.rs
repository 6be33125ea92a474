//! Messages and contracts in encodings other than UTF-8.

use serde_json::json;

use super::rest::{JSON, envelope, respond_with};
use super::{House, V1_1};
use crate::house::builder;

const WSDL: &[u8] = include_bytes!("../../../../soap/tests/cases/gb2312.wsdl");
const REQUEST: &[u8] = include_bytes!("../../../../soap/tests/cases/gb2312-request.xml");

#[tokio::test]
async fn a_contract_and_requests_in_other_encodings_are_read_and_forwarded_unchanged() {
    let house = House::of(&builder(), "kind=soap", ("text/xml", WSDL)).await;
    let plain = |text: &[u8]| {
        let begin = format!("<s:Envelope xmlns:s='{V1_1}'><s:Body><op xmlns='urn:t'><s>");
        [begin.as_bytes(), text, b"</s></op></s:Body></s:Envelope>"].concat()
    };
    let rows = [
        ("proxy.encoding.gb2312", "text/xml", REQUEST.to_vec()),
        (
            "proxy.encoding.gbk",
            "text/xml; charset=GBK",
            REQUEST.to_vec(),
        ),
        (
            "proxy.encoding.shift_jis",
            "text/xml; charset=\"Shift_JIS\"",
            plain(b"\x93\xfa\x96{"),
        ),
        (
            "proxy.encoding.koi8_r",
            "text/xml; charset=koi8-r",
            plain(b"\xc4\xc1"),
        ),
        (
            "proxy.encoding.single_quotes",
            "text/xml; charset='utf-8'",
            plain("\u{4e2d}".as_bytes()),
        ),
    ];
    for (id, media_type, body) in &rows {
        let answer = house.post(&[("Content-Type", media_type)], body).await;
        assert_eq!(answer.status, 200, "{id}: {}", answer.text());
        assert!(answer.body == *body, "{id}: the body is not the same");
    }
    assert_eq!(house.calls(5).await, [("op".to_owned(), 5)]);
    // proxy.encoding.refused: the reason names the encoding.
    let cut = &REQUEST[..REQUEST.len() - 1];
    let begin = format!("<s:Envelope xmlns:s='{V1_1}'><s:Header><x><![CDATA[");
    let behind = "></x></s:Header><s:Body><op xmlns='urn:t'><x>]]></x></s:Header><s:Body><op/>";
    let hidden = [begin.as_bytes(), b"\x83]]", behind.as_bytes()].concat();
    for (media_type, body, reason) in [
        (
            "text/xml; charset=utf-7",
            cut,
            "the encoding \"utf-7\" is not supported",
        ),
        (
            "text/xml; charset=utf-8",
            cut,
            "the bytes do not match the encoding \"UTF-8\"",
        ),
        (
            "text/xml; charset=gbk",
            &hidden,
            "the encoding \"gbk\" hides markup in characters",
        ),
    ] {
        let answer = house.post(&[("Content-Type", media_type)], body).await;
        let text = answer.text();
        assert!(text.contains("<code>mediate.not_well_formed<"), "{text}");
        assert!(
            text.contains(&format!("The body cannot be read: {reason}.")),
            "{text}"
        );
    }
    assert_eq!(house.upstream.requests(), 5);
    // Callers get the contract in UTF-8.
    let contract = house.get("/orders/1.0?wsdl").await.text();
    assert!(
        contract.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"),
        "{contract}"
    );
    assert!(
        contract.contains("<documentation>\u{4e2d}\u{6587}</documentation>"),
        "{contract}"
    );
}

#[tokio::test]
async fn responses_in_other_encodings_become_json_and_a_false_us_ascii_is_counted() {
    let house = House::of(&builder(), "kind=soap_to_rest", ("text/xml", WSDL)).await;
    let call = async |media_type: &str, text: &[u8]| {
        let whole = envelope("<opResponse xmlns=\"urn:t\"><s>@</s></opResponse>");
        let (before, after) = whole.split_once('@').unwrap();
        let body = [before.as_bytes(), text, after.as_bytes()].concat();
        let field = format!("Content-Type: {media_type}\r\n");
        house.upstream.behave(respond_with("200 OK", &field, &body));
        house.rest(("POST", "/op"), &[JSON], r#"{"s":"x"}"#).await
    };
    let rows: [(&str, &str, &[u8], &str); 5] = [
        (
            "rest.answer.gb2312",
            "text/xml;charset=GB2312",
            b"\xd6\xd0",
            "\u{4e2d}",
        ),
        (
            "rest.answer.big5",
            "text/xml;charset=big5",
            b"\xa4\xa4",
            "\u{4e2d}",
        ),
        (
            "rest.answer.windows_874",
            "text/xml; charset=windows-874",
            b"\xa1",
            "\u{e01}",
        ),
        (
            "rest.answer.us_ascii",
            "text/xml; charset=us-ascii",
            b"\xc3\xa4",
            "\u{e4}",
        ),
        (
            "rest.answer.us_ascii_latin",
            "text/xml; charset=us-ascii",
            b"\xe4",
            "\u{e4}",
        ),
    ];
    for (id, media_type, text, expected) in rows {
        let answer = call(media_type, text).await;
        let expected = json!({ "s": expected });
        assert_eq!((answer.status, answer.json()), (200, expected), "{id}");
    }
    // rest.answer.encoding_refused
    let answer = call("text/xml; charset=utf-7", b"x").await.json();
    assert_eq!(
        answer["detail"],
        "The response cannot be read: the encoding \"utf-7\" is not supported."
    );
    assert_eq!(house.calls(6).await, [("op".to_owned(), 6)]);
    let usage = "/api/v1/usage?group_by=operation";
    let usage = house.admin.done("GET", usage, None).await.unwrap();
    assert_eq!(usage["rows"][0]["mismatched"], 2, "{usage}");
    let strict = json!({ "soap": { "rest": { "answers": { "strict": true } } } });
    house.redeploy(strict).await;
    let answer = call("text/xml; charset=us-ascii", b"\xc3\xa4").await.json();
    assert_eq!(answer["code"], "upstream.not_understood");
}
