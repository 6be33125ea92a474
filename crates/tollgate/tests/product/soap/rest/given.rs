//! Responses of services that deviate from their contract or from MIME, and still report success.

use super::*;

const ONE_WAY: &[u8] = include_bytes!("../../../../../soap/tests/cases/one-way.wsdl");
const VOID: &[u8] = include_bytes!("../../../../../soap/tests/cases/void-rpc.wsdl");
const EMPTY: &str = include_str!("../../../../../soap/tests/cases/empty-body.xml");
const MTOM: &[u8] = include_bytes!("../../../../../soap/tests/cases/mtom.wsdl");
const BASE64: &[u8] = include_bytes!("../../../../../soap/tests/cases/mtom-base64.mime");
const LINE_FEEDS: &[u8] = include_bytes!("../../../../../soap/tests/cases/mtom-lf.mime");
const HTML: &str = "Content-Type: text/html\r\n";

async fn of(contract: &[u8]) -> House {
    House::of(&builder(), "kind=soap_to_rest", ("text/xml", contract)).await
}

impl House {
    async fn op(&self, behaviour: Behaviour, body: &str) -> Answer {
        self.upstream.behave(behaviour);
        self.rest(("POST", "/op"), &[JSON], body).await
    }

    async fn be_strict(&self) {
        let strict = json!({ "soap": { "rest": { "answers": { "strict": true } } } });
        self.redeploy(strict).await;
    }

    /// Returns the number of responses that deviated, once all calls have been counted.
    async fn mismatched(&self, calls: u64) -> Value {
        assert_eq!(self.calls(calls).await, [("op".to_owned(), calls)]);
        let usage = "/api/v1/usage?group_by=operation";
        let usage = self.admin.done("GET", usage, None).await.unwrap();
        usage["rows"][0]["mismatched"].clone()
    }
}

#[tokio::test]
async fn a_one_way_call_succeeds_with_any_response_but_a_fault() {
    let house = of(ONE_WAY).await;
    let page = b"<!DOCTYPE html><html><body>OK</body></html>";
    let other = envelope("<opResponse/><more/>");
    let rows = [
        ("rest.one_way.empty_body", ok(EMPTY)),
        ("rest.one_way.html", respond_with("200 OK", HTML, page)),
        (
            "rest.one_way.text",
            respond_with("202 x", "", b"accepted \xff"),
        ),
        ("rest.one_way.other_element", ok(&other)),
        ("rest.one_way.truncated", ok(&other[..60])),
        (
            "rest.one_way.coding",
            respond_with("200 OK", "Content-Encoding: br\r\n", b"x"),
        ),
        (
            "rest.one_way.package",
            respond_with("200 OK", "Content-Type: multipart/related\r\n", b"x"),
        ),
    ];
    for (id, behaviour) in rows.clone() {
        let answer = house.op(behaviour, "{}").await;
        let text = answer.text();
        assert_eq!((answer.status, text.as_str()), (202, ""), "{id}");
        assert!(answer.field("content-type").is_none(), "{id}");
    }
    // rest.one_way.fault: also if it cannot be read.
    let fault = "<s:Fault><faultcode>s:Server</faultcode></s:Fault>";
    let answer = house.op(ok(&envelope(fault)), "{}").await;
    assert_eq!(answer.status, 500, "{}", answer.text());
    let broken = fault.replace("</faultcode>", "<p:x/></faultcode>");
    let answer = house.op(ok(&envelope(&broken)), "{}").await.json();
    assert_eq!(
        answer["detail"],
        "The response is not valid XML: a prefix is not declared."
    );
    let failed = house.op(respond_with("500 x", HTML, page), "{}").await;
    assert_eq!(failed.code(), "upstream.not_understood");
    assert_eq!(house.mismatched(10).await, 6);
    house.be_strict().await;
    let mut details = Vec::new();
    for (_, behaviour) in rows.into_iter().skip(1) {
        let answer = house.op(behaviour, "{}").await.json();
        assert_eq!(answer["code"], "upstream.not_understood");
        details.push(answer["detail"].as_str().unwrap().to_owned());
    }
    assert_eq!(
        details,
        [
            "The response is not valid XML: a document type declaration is not allowed.",
            "The response cannot be read: the bytes do not match the encoding \"UTF-8\".",
            "The response is not that of the operation: its body has `opResponse` in no \
             namespace, and the operation has no response.",
            "The response is truncated.",
            "The response cannot be read: the content coding \"br\" is not supported.",
            "The response cannot be read: the parts are not delimited by the boundary.",
        ]
    );
}

#[tokio::test]
async fn a_void_operation_succeeds_with_an_empty_body() {
    // rest.void.empty_body
    let house = of(VOID).await;
    let call = async || house.op(ok(EMPTY), r#"{"a":1}"#).await;
    let answer = call().await;
    let text = answer.text();
    assert_eq!((answer.status, text.as_str()), (204, ""));
    // rest.void.no_body
    let nothing = async || {
        house
            .op(respond_with("200 OK", "", b""), r#"{"a":1}"#)
            .await
    };
    assert_eq!(nothing().await.status, 204);
    assert_eq!(house.mismatched(2).await, 2);
    house.be_strict().await;
    assert_eq!(nothing().await.json()["detail"], "The response is empty.");
    let detail = "The response does not match its contract: a required element or attribute is \
                  missing.";
    assert_eq!(call().await.json()["detail"], detail);
    // Of a document wrapper; an operation with a response still needs it.
    let house = shop().await;
    house.upstream.behave(ok(EMPTY));
    let answer = house.rest(("DELETE", "/order/7"), &[], "").await;
    assert_eq!(answer.status, 204, "{}", answer.text());
    let detail = "The response is not that of the operation: its body is empty.";
    assert_eq!(house.order().await.json()["detail"], detail);
}

#[tokio::test]
async fn parts_in_base64_and_with_line_feeds_alone_are_read() {
    let house = of(MTOM).await;
    let fields = "Content-Type: multipart/related; boundary=b1; type=\"application/xop+xml\"\r\n";
    for (id, package, data) in [
        ("rest.answer.mtom_base64", BASE64, "AAECAw=="),
        ("rest.answer.mtom_line_feeds", LINE_FEEDS, "YWJj"),
    ] {
        let answer = house
            .op(respond_with("200 OK", fields, package), "{}")
            .await;
        let expected = json!({ "data": data });
        assert_eq!((answer.status, answer.json()), (200, expected), "{id}");
    }
    // rest.answer.mtom_encoding
    let package = String::from_utf8_lossy(BASE64).replace("base64", "x-uuencode");
    let answer = house.op(respond_with("200 OK", fields, package.as_bytes()), "{}");
    assert_eq!(
        answer.await.json()["detail"],
        "The response cannot be read: a part has the transfer encoding \"x-uuencode\", which is \
         not supported."
    );
}
