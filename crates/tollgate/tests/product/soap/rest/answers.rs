//! Responses of the back end, and the resulting responses to callers.

use std::io::Write as _;

use tollgate_testkit::Connection;

use super::*;

const FAULT: &str = "<s:Fault><faultcode>s:Client</faultcode><faultstring>no order 7</faultstring>\
    <detail><o:orderNotFound><o:id>7</o:id></o:orderNotFound></detail></s:Fault>";
const TEXT: &str = "Content-Type: text/xml\r\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut zipped = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    zipped.write_all(text.as_bytes()).unwrap();
    zipped.finish().unwrap()
}

fn utf16(text: &str) -> Vec<u8> {
    let marked = format!("\u{feff}{text}");
    marked.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|it| u8::try_from(it).unwrap()).collect()
}

fn package() -> (String, Vec<u8>) {
    let include =
        "<i:Include xmlns:i=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:p%40x\"/>";
    let root = order(&format!("<o:id>7</o:id><o:picture>{include}</o:picture>"));
    let package = [
        b"--b1\r\nContent-Type: application/xop+xml; charset=UTF-8; type=\"text/xml\"\r\n\
          Content-ID: <root@x>\r\n\r\n",
        root.as_bytes(),
        b"\r\n--b1\r\nContent-ID: <p@x>\r\n\r\nfo\0\r\n--b1--\r\n",
    ];
    let fields = "Content-Type: multipart/related; boundary=b1; type=\"application/xop+xml\"; \
                  start=\"<root@x>\"; start-info=\"text/xml\"\r\n";
    (fields.to_owned(), package.concat())
}

/// A response that is accepted: id, behaviour of the back end, status and JSON.
fn sound() -> Vec<(&'static str, Behaviour, u16, Value)> {
    let seven = json!({ "id": "7", "line": [] });
    let umlaut = json!({ "id": "\u{e4}", "line": [] });
    let problem = json!({
        "type": "urn:tollgate:soap-fault:orderNotFound", "title": "no order 7", "status": 404,
        "fault": { "code": "Client", "name": "OrderNotFound", "detail": { "id": 7 } },
    });
    let of = |status: u16, code: &str| {
        json!({
            "type": "urn:tollgate:soap-fault", "title": "x", "status": status,
            "fault": { "code": code },
        })
    };
    let detailed = |title: &str, name: Option<&str>, any: &[&str]| {
        let mut problem = of(500, "Server");
        problem["title"] = json!(title);
        problem["fault"]["any"] = json!(any);
        if let Some(name) = name {
            problem["type"] = json!(format!("urn:tollgate:soap-fault:{name}"));
            problem["status"] = json!(404);
            problem["fault"]["name"] = json!("OrderNotFound");
            problem["fault"]["detail"] = json!({ "id": 7 });
        }
        problem
    };
    let with = |detail: &str| {
        let text = "<faultcode>s:Server</faultcode><faultstring>x</faultstring>";
        envelope(&format!(
            "<s:Fault>{text}<detail>{detail}</detail></s:Fault>"
        ))
    };
    let bare = |code: &str| {
        let text = "<faultstring>x</faultstring>";
        envelope(&format!(
            "<s:Fault><faultcode>{code}</faultcode>{text}</s:Fault>"
        ))
    };
    let fault = envelope(FAULT);
    let fields = "Content-Type: text/xml; charset=ISO-8859-1\r\n";
    let chunked = order("<o:id>7</o:id>");
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{chunked}\r\n0\r\n\r\n",
        chunked.len()
    );
    let (package_fields, package) = package();
    let picture = json!({ "id": "7", "line": [], "picture": "Zm8A" });
    vec![
        (
            "rest.fault.500",
            respond_with("500 x", TEXT, fault.as_bytes()),
            404,
            problem.clone(),
        ),
        ("rest.fault.in_200", ok(&fault), 404, problem.clone()),
        (
            "rest.fault.in_403",
            respond_with("403 x", TEXT, fault.as_bytes()),
            404,
            problem,
        ),
        (
            "rest.fault.no_detail",
            ok(&bare("s:Server")),
            500,
            of(500, "Server"),
        ),
        (
            "rest.fault.empty_detail",
            ok(&with("")),
            500,
            of(500, "Server"),
        ),
        (
            "rest.fault.undeclared_detail",
            ok(&with("<w:why xmlns:w=\"urn:w\" at=\"1\">late</w:why>")),
            500,
            detailed(
                "x",
                None,
                &["<w:why xmlns:w=\"urn:w\" at=\"1\">late</w:why>"],
            ),
        ),
        (
            "rest.fault.several_details",
            ok(&with(
                "<a xmlns=\"\">1</a><o:orderNotFound><o:id>7</o:id></o:orderNotFound>\
                 <b xmlns=\"\"/>",
            )),
            404,
            detailed(
                "x",
                Some("orderNotFound"),
                &["<a xmlns=\"\">1</a>", "<b xmlns=\"\"/>"],
            ),
        ),
        (
            "rest.fault.several_undeclared",
            ok(&with("<a xmlns=\"\">1</a><b xmlns=\"\">2</b>")),
            500,
            detailed("x", None, &["<a xmlns=\"\">1</a>", "<b xmlns=\"\">2</b>"]),
        ),
        (
            "rest.fault.client",
            ok(&bare("s:Client.Data")),
            400,
            of(400, "Client.Data"),
        ),
        (
            "rest.fault.must_understand",
            respond_with("500 x", TEXT, bare("s:MustUnderstand").as_bytes()),
            502,
            of(502, "MustUnderstand"),
        ),
        (
            "rest.fault.version_mismatch",
            respond_with("500 x", TEXT, bare("s:VersionMismatch").as_bytes()),
            502,
            of(502, "VersionMismatch"),
        ),
        (
            "rest.answer.gzip",
            respond_with(
                "200 OK",
                "Content-Encoding: gzip\r\n",
                &gzip(&order("<o:id>7</o:id>")),
            ),
            200,
            seven.clone(),
        ),
        (
            "rest.answer.utf16",
            respond_with("200 OK", TEXT, &utf16(&order("<o:id>\u{e4}</o:id>"))),
            200,
            umlaut.clone(),
        ),
        (
            "rest.answer.latin_1",
            respond_with("200 OK", fields, &latin(&order("<o:id>\u{e4}</o:id>"))),
            200,
            umlaut,
        ),
        (
            "rest.answer.chunked",
            Behaviour::Answer(chunked.into_bytes().into()),
            200,
            seven.clone(),
        ),
        (
            "rest.answer.until_close",
            Behaviour::BreakOff(
                format!("HTTP/1.1 200 OK\r\n\r\n{}", order("<o:id>7</o:id>"))
                    .into_bytes()
                    .into(),
            ),
            200,
            seven.clone(),
        ),
        (
            "rest.answer.mtom",
            respond_with("200 OK", &package_fields, &package),
            200,
            picture,
        ),
        (
            "rest.answer.interim",
            Behaviour::Answer(
                format!(
                    "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\n\
                     Content-Length: {}\r\n\r\n{}",
                    order("<o:id>7</o:id>").len(),
                    order("<o:id>7</o:id>")
                )
                .into_bytes()
                .into(),
            ),
            200,
            seven.clone(),
        ),
        (
            "rest.answer.other_namespace",
            ok(&order("<id>7</id>")),
            200,
            seven.clone(),
        ),
        (
            "rest.answer.unknown_element",
            ok(&order("<o:id>7</o:id><o:new>1</o:new>")),
            200,
            seven,
        ),
    ]
}

#[tokio::test]
async fn a_response_becomes_json_and_a_fault_a_problem_in_every_encoding() {
    let house = shop().await;
    for (id, behaviour, status, json) in sound() {
        house.upstream.behave(behaviour);
        let answer = house.order().await;
        assert_eq!(answer.status, status, "{id}: {}", answer.text());
        assert_eq!(answer.json(), json, "{id}");
        let media_type = match status {
            200 => "application/json",
            _ => "application/problem+json",
        };
        assert_eq!(answer.field("content-type"), Some(media_type), "{id}");
        assert!(answer.field("x-request-id").is_some(), "{id}");
        assert!(answer.field("link").is_none(), "{id}");
        let length = answer.body.len().to_string();
        assert_eq!(
            answer.field("content-length"),
            Some(length.as_str()),
            "{id}"
        );
    }
}

#[tokio::test]
async fn an_invalid_response_is_the_back_ends_fault() {
    let house = shop().await;
    house
        .redeploy(json!({ "soap": { "rest": { "answers": { "bytes_max": 2_000 } } } }))
        .await;
    let page = "<!DOCTYPE html><html><body>It works</body></html>";
    let html = "Content-Type: text/html\r\n";
    let not_understood = (502, "upstream.not_understood");
    let (denied, too_large) = ((502, "upstream.denied"), (502, "upstream.too_large"));
    let whole = order("<o:id>7</o:id>");
    let cut = &whole[..whole.len() - 20];
    let other = envelope("<o:placeOrderResponse><o:id>8</o:id></o:placeOrderResponse>");
    let large = order(&format!("<o:id>{}</o:id>", "x".repeat(2_000)));
    let zipped = gzip(&large);
    let missing = package().1;
    let missing = String::from_utf8_lossy(&missing).replace("<p@x>", "<q@x>");
    let unknown = envelope("<s:Fault><faultcode>s:Server</faultcode></s:Fault>");
    let broken = format!("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{whole}");
    let rows = [
        (
            "rest.not_soap.html",
            respond_with("200 OK", html, page.as_bytes()),
            not_understood,
        ),
        (
            "rest.not_soap.html_500",
            respond_with("500 x", html, page.as_bytes()),
            not_understood,
        ),
        (
            "rest.not_soap.html_404",
            respond_with("404 x", html, page.as_bytes()),
            not_understood,
        ),
        (
            "rest.not_soap.empty",
            respond_with("200 OK", TEXT, b""),
            not_understood,
        ),
        (
            "rest.not_soap.empty_202",
            respond_with("202 x", "", b""),
            not_understood,
        ),
        (
            "rest.not_soap.empty_500",
            respond_with("500 x", TEXT, b""),
            not_understood,
        ),
        (
            "rest.not_soap.redirect",
            respond_with("302 x", "Location: /\r\n", b""),
            not_understood,
        ),
        (
            "rest.not_soap.json",
            respond_with("200 OK", "", b"{}"),
            not_understood,
        ),
        ("rest.answer.truncated", ok(cut), not_understood),
        (
            "rest.answer.in_500",
            respond_with("500 x", TEXT, whole.as_bytes()),
            not_understood,
        ),
        ("rest.answer.other_operation", ok(&other), not_understood),
        (
            "rest.answer.not_gzip",
            respond_with("200 OK", "Content-Encoding: gzip\r\n", b"x"),
            not_understood,
        ),
        (
            "rest.answer.coding",
            respond_with("200 OK", "Content-Encoding: br\r\n", b"x"),
            not_understood,
        ),
        (
            "rest.answer.mtom_without_part",
            respond_with("200 OK", &package().0, missing.as_bytes()),
            not_understood,
        ),
        ("rest.answer.too_large", ok(&large), too_large),
        (
            "rest.answer.too_large_gzip",
            respond_with("200 OK", "Content-Encoding: gzip\r\n", &zipped),
            too_large,
        ),
        (
            "rest.status.401",
            respond_with("401 x", "WWW-Authenticate: Basic\r\n", b""),
            denied,
        ),
        (
            "rest.status.401_fault",
            respond_with("401 x", TEXT, unknown.as_bytes()),
            denied,
        ),
        (
            "rest.status.403",
            respond_with("403 x", html, page.as_bytes()),
            denied,
        ),
        (
            "rest.status.504",
            respond_with("504 x", html, page.as_bytes()),
            (504, "upstream.timeout"),
        ),
        (
            "rest.broken",
            Behaviour::BreakOff(broken.into_bytes().into()),
            (502, "upstream.broken"),
        ),
    ];
    for (id, behaviour, expected) in rows {
        house.upstream.behave(behaviour);
        let answer = house.order().await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            expected,
            "{id}: {}",
            answer.text()
        );
        assert!(answer.field("www-authenticate").is_none(), "{id}");
    }
    // rest.broken.line_end
    for head in [
        "HTTP/1.1 200 OK\nContent-Type: text/xml\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/xml\nContent-Length: 0\r\n\r\n",
    ] {
        let behaviour = Behaviour::Answer(head.as_bytes().into());
        house.upstream.behave(behaviour);
        let answer = house.order().await.json();
        assert_eq!(
            (answer["code"].as_str(), answer["detail"].as_str()),
            (
                Some("upstream.broken"),
                Some("The head of the response is malformed: a line does not end with CRLF.")
            ),
        );
    }
    for (id, line) in [("rest.status.503", "503 x"), ("rest.status.429", "429 x")] {
        house
            .upstream
            .behave(respond_with(line, "Retry-After: 17\r\n", page.as_bytes()));
        let answer = house.order().await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (503, "upstream.unavailable"),
            "{id}"
        );
        assert_eq!(answer.field("retry-after"), Some("17"), "{id}");
    }
    // rest.answer.strict
    let strict = json!({ "soap": { "rest": { "answers": { "strict": true } } } });
    house.redeploy(strict).await;
    house
        .upstream
        .behave(ok(&order("<o:id>7</o:id><o:new>1</o:new>")));
    assert_eq!(house.order().await.code(), "upstream.not_understood");
}

#[tokio::test]
async fn a_response_that_is_not_understood_includes_the_cause() {
    // rest.not_understood.cause
    let house = shop().await;
    let rows = [
        (order("<p:id>7</p:id>"), "a prefix is not declared"),
        (
            format!("<!DOCTYPE a>{}", &order("")[21..]),
            "a document type declaration is not allowed",
        ),
        (
            order("<o:id>7</o:id>").replacen("1.0", "1.1", 1),
            "the version of XML is not 1.0",
        ),
        (
            envelope("<o:getOrderResponse><o:id>7</o:id></o:getOrderResponse><o:more/>"),
            "the body has more than one child",
        ),
        (
            order("<o:id>&secret;</o:id>"),
            "a reference to an unknown entity or a forbidden character",
        ),
    ];
    for (body, cause) in rows {
        for (line, begin) in [("200 OK", "The response"), ("500 x", "The back end failed")] {
            house
                .upstream
                .behave(respond_with(line, TEXT, body.as_bytes()));
            let answer = house.order().await;
            assert_eq!(answer.code(), "upstream.not_understood", "{cause}");
            let detail = answer.json()["detail"].as_str().unwrap().to_owned();
            let is_told = detail.starts_with(begin) && detail.contains(cause);
            assert!(is_told && !detail.contains("secret"), "{detail}");
        }
    }
}

/// Returns a contract of rpc style with one operation, `add`.
fn rpc() -> String {
    let side = "<s:body use='literal' namespace='urn:sum'/>";
    format!(
        "<definitions targetNamespace='urn:sum' xmlns='http://schemas.xmlsoap.org/wsdl/' \
         xmlns:t='urn:sum' xmlns:x='http://www.w3.org/2001/XMLSchema' \
         xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/'>\
         <message name='in'><part name='a' type='x:int'/></message>\
         <message name='out'><part name='result' type='x:int'/></message>\
         <portType name='P'><operation name='add'><input message='t:in'/>\
         <output message='t:out'/></operation></portType>\
         <binding name='B' type='t:P'>\
         <s:binding style='rpc' transport='http://schemas.xmlsoap.org/soap/http'/>\
         <operation name='add'><s:operation soapAction=''/><input>{side}</input>\
         <output>{side}</output></operation></binding>\
         <service name='S'><port name='P' binding='t:B'>\
         <s:address location='http://back.internal:8001/sum'/></port></service></definitions>"
    )
}

#[tokio::test]
async fn an_rpc_response_is_read_with_deviating_names_and_counted() {
    // rest.answer.rpc
    let document = rpc();
    let contract = ("text/xml", document.as_bytes());
    let house = House::of(&builder(), "kind=soap_to_rest", contract).await;
    let rows = [
        "<r:addResponse xmlns:r='urn:sum'><result>42</result></r:addResponse>",
        "<r:addResponse xmlns:r='urn:sum'><r:result>42</r:result></r:addResponse>",
        "<r:addResponse xmlns:r='urn:other'><result>42</result></r:addResponse>",
        "<addResponse><result>42</result></addResponse>",
    ];
    let add = || house.rest(("POST", "/add"), &[JSON], r#"{"a":1}"#);
    for body in rows {
        house.upstream.behave(ok(&envelope(body)));
        let answer = add().await;
        let text = answer.text();
        assert_eq!((answer.status, text.as_str()), (200, r#"{"result":42}"#));
    }
    // The usage of the operation includes the number of its deviating responses.
    assert_eq!(house.calls(4).await, [("add".to_owned(), 4)]);
    let usage = "/api/v1/usage?group_by=operation";
    let usage = house.admin.done("GET", usage, None).await.unwrap();
    assert_eq!(usage["rows"][0]["mismatched"], 3, "{usage}");
    let strict = json!({ "soap": { "rest": { "answers": { "strict": true } } } });
    house.redeploy(strict).await;
    for body in &rows[1..] {
        house.upstream.behave(ok(&envelope(body)));
        assert_eq!(add().await.code(), "upstream.not_understood", "{body}");
    }
}

#[tokio::test]
async fn an_operation_without_output_returns_no_content() {
    let house = shop().await;
    // rest.void
    let void = envelope("<o:cancelOrderResponse/>");
    house.upstream.behave(ok(&void));
    let answer = house.rest(("DELETE", "/order/7"), &[], "").await;
    assert_eq!(
        (answer.status, answer.body.len()),
        (204, 0),
        "{}",
        answer.text()
    );
    assert!(answer.field("content-length").is_none() && answer.field("content-type").is_none());
    // rest.action.absent: the contract's binding declares none.
    let (head, _) = house.request_seen();
    assert!(head.contains("soapaction: \"\"\r\n"), "{head}");
    house.upstream.forget();
    // rest.one_way
    let empty = envelope("");
    let rows = [
        respond_with("202 Accepted", "", b""),
        respond_with("200 OK", "", b""),
        Behaviour::Answer(b"HTTP/1.1 204 No Content\r\n\r\n"[..].into()),
        ok(&empty),
    ];
    let note = || house.rest(("POST", "/noteEvent"), &[JSON], r#"{"text":"x"}"#);
    for behaviour in rows {
        house.upstream.behave(behaviour);
        let answer = note().await;
        assert_eq!(
            (answer.status, answer.body.len()),
            (202, 0),
            "{}",
            answer.text()
        );
        assert_eq!(answer.field("content-length"), Some("0"));
        // rest.action.no_binding: the contract's binding has no element for it.
        let (head, _) = house.request_seen();
        assert!(head.contains("soapaction: \"\"\r\n"), "{head}");
        house.upstream.forget();
    }
    house
        .upstream
        .behave(respond_with("500 x", TEXT, envelope(FAULT).as_bytes()));
    assert_eq!(note().await.status, 400);
    house.upstream.behave(respond_with("500 x", "", b""));
    assert_eq!(note().await.code(), "upstream.not_understood");
}

#[tokio::test]
async fn head_answers_as_get_without_a_body_and_the_connection_goes_on() {
    // rest.head
    let house = shop().await;
    house.upstream.behave(ok(&order("<o:id>7</o:id>")));
    let key = ("apikey", house.consumer.key.as_str());
    let request = |method| http::request(method, "/orders/1.0/order/7", &[key], b"");
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection.send(&request("HEAD")).await.unwrap();
    let head = connection.answer(true).await.unwrap();
    let got = connection.exchange(&request("GET")).await.unwrap();
    assert_eq!((head.status, got.status), (200, 200));
    assert_eq!(head.field("content-length"), got.field("content-length"));
    assert_eq!(got.text(), r#"{"id":"7","line":[]}"#);
    assert_eq!(house.upstream.requests(), 2);
}
