//! Requests of callers, and their results.

use tollgate_testkit::Connection;

use super::*;

#[tokio::test]
async fn path_query_and_head_become_an_envelope_and_its_answer_json() {
    let house = shop().await;
    let answer = "<o:id>7</o:id><o:total>01.50</o:total><o:line>a &amp; b</o:line>";
    house.upstream.behave(ok(&order(answer)));
    // rest.get: a whole call without a body, and the fields that must not be forwarded.
    let path = "/order/7%2F%C3%A4%3C?expand=a+%26&expand=&limit=3";
    // rest.header.part: a part of the message is a block of the header, by a field of the head.
    let fields = [
        ("X-Soap-session-token", "t&1"),
        ("Cookie", "a=b"),
        ("Authorization", "Basic eDp5"),
        ("X-Mine", "1"),
        (
            "traceparent",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ),
        ("Accept", "text/html, */*;q=0.1"),
    ];
    let got = house.rest(("GET", path), &fields, "").await;
    assert_eq!(got.status, 200, "{}", got.text());
    assert_eq!(got.text(), r#"{"id":"7","total":1.50,"line":["a & b"]}"#);
    assert_eq!(got.field("content-type"), Some("application/json"));
    assert!(got.field("x-request-id").is_some());
    let (head, body) = house.request_seen();
    assert!(head.starts_with("post /back/orders http/1.1\r\n"), "{head}");
    for line in [
        "content-type: text/xml; charset=utf-8",
        "soapaction: \"urn:shop:getorder\"",
        "accept: text/xml, multipart/related",
        &format!("content-length: {}", body.len()),
        &format!("x-request-id: {}", got.field("x-request-id").unwrap()),
        "x-forwarded-proto: http",
        "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ] {
        assert!(head.split("\r\n").any(|it| it == line), "{line} in {head}");
    }
    for absent in [
        "apikey",
        "cookie",
        "authorization",
        "x-mine",
        "x-soap",
        "chunked",
    ] {
        assert!(!head.contains(absent), "{absent} in {head}");
    }
    for part in [
        "orderId>7/\u{e4}&lt;</",
        "expand>a &amp;</",
        "expand></",
        "limit>3</",
        "token>t&amp;1</",
    ] {
        assert!(body.contains(part), "{part} in {body}");
    }
    assert!(!body.contains(&house.consumer.key));
}

#[tokio::test]
async fn paths_and_queries_may_contain_any_text() {
    let house = shop().await;
    house.upstream.behave(ok(&order("<o:id>7</o:id>")));
    // id, path and query, the values at the back end: of `orderId`, then each `expand`
    let rows: [(&str, &str, &[&str]); 13] = [
        ("rest.get.path_slash", "/order/a%2Fb%3Fc", &["a/b?c"]),
        ("rest.get.path_plus", "/order/a+b%20c", &["a+b c"]),
        (
            "rest.get.path_markup",
            "/order/%3C%26%5D%5D%3E",
            &["&lt;&amp;]]&gt;"],
        ),
        (
            "rest.get.path_not_ascii",
            "/order/%C3%A4%F0%9F%98%80",
            &["\u{e4}\u{1f600}"],
        ),
        (
            "rest.get.query_plus",
            "/order/7?expand=a+b%2Bc",
            &["7", "a b+c"],
        ),
        (
            "rest.get.query_equals",
            "/order/7?expand=a=b;c",
            &["7", "a=b;c"],
        ),
        (
            "rest.get.query_markup",
            "/order/7?expand=%3Ca%3E%26",
            &["7", "&lt;a&gt;&amp;"],
        ),
        (
            "rest.get.query_return",
            "/order/7?expand=a%0D%0Ab",
            &["7", "a&#13;\nb"],
        ),
        ("rest.get.query_key", "/order/7?%65xpand=a", &["7", "a"]),
        (
            "rest.get.query_repeated",
            "/order/7?expand=b&expand=a&expand=b",
            &["7", "b", "a", "b"],
        ),
        (
            "rest.get.query_empty",
            "/order/7?expand=&expand=a&expand=",
            &["7", "", "a", ""],
        ),
        ("rest.get.query_no_value", "/order/7?expand", &["7", ""]),
        (
            "rest.get.query_no_pairs",
            "/order/7?&&expand=a&",
            &["7", "a"],
        ),
    ];
    for (id, path, values) in rows {
        house.upstream.forget();
        let answer = house.rest(("GET", path), &[], "").await;
        assert_eq!(answer.status, 200, "{id}: {}", answer.text());
        let (_, body) = house.request_seen();
        let elements = body.split("<n1:").filter_map(|it| it.split_once('>'));
        let found = elements.filter(|(name, _)| ["orderId", "expand"].contains(name));
        let found = found.filter_map(|(_, text)| Some(text.split_once('<')?.0));
        let found: Vec<_> = found.collect();
        assert_eq!(found, values, "{id}: {body}");
    }
}

#[tokio::test]
async fn a_body_becomes_an_envelope_in_every_transfer_form() {
    let house = shop().await;
    let answer = envelope("<o:placeOrderResponse><o:id>8</o:id></o:placeOrderResponse>");
    house.upstream.behave(ok(&answer));
    let body = r#"{"customer":"\u00e4 ]]>","line":[{"sku":"a","quantity":"2"}]}"#;
    let typed = (
        "Content-Type",
        "application/vnd.shop+json; Charset=\"UTF-8\"",
    );
    let got = house.rest(("POST", "/placeOrder"), &[typed], body).await;
    assert_eq!((got.status, got.text().as_str()), (200, r#"{"id":"8"}"#));
    let (_, sent) = house.request_seen();
    assert!(sent.contains("customer>\u{e4} ]]&gt;</"), "{sent}");
    // rest.request.chunked, on a connection that stays open
    let key = ("apikey", house.consumer.key.as_str());
    let fields = [key, JSON, ("Transfer-Encoding", "chunked")];
    let head = http::request("POST", "/orders/1.0/placeOrder", &fields, b"");
    let head = String::from_utf8(head)
        .unwrap()
        .replace("Content-Length: 0\r\n", "");
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection.send(head.as_bytes()).await.unwrap();
    for piece in body.as_bytes().chunks(9) {
        let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        connection.send(&chunk).await.unwrap();
        tokio::task::yield_now().await;
    }
    connection.send(b"0\r\n\r\n").await.unwrap();
    let got = connection.answer(false).await.unwrap();
    assert_eq!((got.status, got.text().as_str()), (200, r#"{"id":"8"}"#));
    // rest.request.expect
    let fields = [key, JSON, ("Expect", "100-continue")];
    let waiting = http::request("POST", "/orders/1.0/placeOrder", &fields, body.as_bytes());
    let (head, body) = waiting.split_at(waiting.len() - body.len());
    connection.send(head).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    connection.send(body).await.unwrap();
    let got = connection.answer(false).await.unwrap();
    assert_eq!((got.status, got.text().as_str()), (200, r#"{"id":"8"}"#));
    assert_eq!(house.upstream.requests(), 3);
}

/// An invalid call: id, method and path, fields, body, status, code and locations.
type Row = (
    &'static str,
    (&'static str, &'static str),
    &'static [(&'static str, &'static str)],
    &'static str,
    (u16, &'static str),
    &'static [&'static str],
);

const PLACE: (&str, &str) = ("POST", "/placeOrder");
const INVALID: (u16, &str) = (400, "mediate.invalid_request");
const WRONG_TYPE: (u16, &str) = (415, "mediate.wrong_type");
const WHOLE: &str = r#"{"customer":"a","line":[{"sku":"a","quantity":1}]}"#;

const ROWS: &[Row] = &[
    ("rest.type.missing", PLACE, &[], WHOLE, WRONG_TYPE, &[]),
    (
        "rest.type.xml",
        PLACE,
        &[("Content-Type", "text/xml")],
        WHOLE,
        WRONG_TYPE,
        &[],
    ),
    (
        "rest.type.charset",
        PLACE,
        &[("Content-Type", "application/json;charset=utf-16")],
        WHOLE,
        WRONG_TYPE,
        &[],
    ),
    (
        "rest.type.coding",
        PLACE,
        &[JSON, ("Content-Encoding", "gzip")],
        WHOLE,
        WRONG_TYPE,
        &[],
    ),
    (
        "rest.accept.xml",
        ("GET", "/order/7"),
        &[("Accept", "text/xml")],
        "",
        (406, "mediate.not_acceptable"),
        &[],
    ),
    (
        "rest.accept.zero",
        PLACE,
        &[JSON, ("Accept", "application/json;q=0, */*")],
        WHOLE,
        (406, "mediate.not_acceptable"),
        &[],
    ),
    (
        "rest.body.none",
        PLACE,
        &[],
        "",
        INVALID,
        &["/customer", "/line"],
    ),
    (
        "rest.body.not_json",
        PLACE,
        &[JSON],
        "{\"customer\":",
        INVALID,
        &[""],
    ),
    ("rest.body.null", PLACE, &[JSON], "null", INVALID, &[""]),
    (
        "rest.body.duplicate_key",
        PLACE,
        &[JSON],
        r#"{"customer":"a","customer":"b"}"#,
        INVALID,
        &[""],
    ),
    (
        "rest.body.places",
        PLACE,
        &[JSON],
        r#"{"line":[{"sku":1,"quantity":0},{"sku":"a","quantity":1,"x":2}],"y~/":1}"#,
        INVALID,
        &[
            "/line/0/quantity",
            "/line/0/sku",
            "/line/1/x",
            "/y~0~1",
            "/customer",
        ],
    ),
    (
        "rest.body.control_character",
        PLACE,
        &[JSON],
        r#"{"customer":"\u0001","line":[{"sku":"a","quantity":1}]}"#,
        INVALID,
        &["/customer"],
    ),
    (
        "rest.body.surrogate",
        PLACE,
        &[JSON],
        r#"{"customer":"\ud800","line":[{"sku":"a","quantity":1}]}"#,
        INVALID,
        &[""],
    ),
    (
        "rest.body.unknown_property",
        PLACE,
        &[JSON],
        r#"{"customer":"a","line":[{"sku":"a","quantity":1}],"__proto__":{},"":0}"#,
        INVALID,
        &["/__proto__", "/"],
    ),
    (
        "rest.body.overflow",
        PLACE,
        &[JSON],
        r#"{"customer":"a","line":[{"sku":"a","quantity":0}]}"#,
        INVALID,
        &["/line/0/quantity"],
    ),
    (
        "rest.body.where_none_is",
        ("DELETE", "/order/7"),
        &[JSON],
        "{}",
        INVALID,
        &[""],
    ),
    (
        "rest.query.unknown",
        ("GET", "/order/7?Expand=a"),
        &[],
        "",
        INVALID,
        &["/Expand"],
    ),
    (
        "rest.query.wsdl",
        ("GET", "/order/7?wsdl"),
        &[],
        "",
        INVALID,
        &["/wsdl"],
    ),
    (
        "rest.query.wrong_type",
        ("GET", "/order/7?limit=1.5&expand=%ff"),
        &[],
        "",
        INVALID,
        &["/expand", "/limit"],
    ),
    (
        "rest.query.empty_number",
        ("GET", "/order/7?limit="),
        &[],
        "",
        INVALID,
        &["/limit"],
    ),
    (
        "rest.query.twice",
        ("GET", "/order/7?limit=1&limit=2"),
        &[],
        "",
        INVALID,
        &["/limit"],
    ),
    (
        "rest.query.null_character",
        ("GET", "/order/7?expand=a%00b"),
        &[],
        "",
        INVALID,
        &["/expand/0"],
    ),
    (
        "rest.header.twice",
        ("GET", "/order/7"),
        &[("X-Soap-session-token", "a"), ("x-soap-session-token", "b")],
        "",
        INVALID,
        &["/headers/session/token"],
    ),
    (
        "rest.method.other",
        ("PUT", "/order/7"),
        &[JSON],
        "{}",
        (405, "route.no_operation"),
        &[],
    ),
    (
        "rest.path.other",
        ("GET", "/orders/7"),
        &[],
        "",
        (404, "route.no_operation"),
        &[],
    ),
    (
        "rest.wsdl",
        ("GET", "?wsdl"),
        &[],
        "",
        (404, "route.no_operation"),
        &[],
    ),
];

#[tokio::test]
async fn an_invalid_call_is_refused_with_its_locations_and_not_forwarded() {
    let house = shop().await;
    for &(id, call, fields, body, (status, code), places) in ROWS {
        let answer = house.rest(call, fields, body).await;
        let text = answer.text();
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, code),
            "{id}: {text}"
        );
        let media_type = answer.field("content-type");
        assert_eq!(media_type, Some("application/problem+json"), "{id}");
        let mut named: Vec<_> = errors(&answer).into_iter().map(|(at, _)| at).collect();
        named.sort();
        let mut places = places.to_vec();
        places.sort_unstable();
        assert_eq!(named, places, "{id}: {text}");
    }
    // rest.body.deep, rest.body.wide: refused before the stack or memory is exhausted.
    let deep = format!("{{\"customer\":{}", "[{\"a\":".repeat(2_500));
    let closed = format!(
        "{{\"customer\":{}{}}}",
        "[".repeat(5_000),
        "]".repeat(5_000)
    );
    let wide = format!("{{\"customer\":[{}1]}}", "1,".repeat(150_000));
    for body in [deep, closed, wide] {
        let refused = house.rest(PLACE, &[JSON], &body).await;
        assert_eq!((refused.status, refused.code().as_str()), INVALID);
        assert_eq!(errors(&refused).len(), 1, "{}", refused.text());
    }
    let refused = house.rest(("GET", "/order/7?limit=x"), &[], "").await;
    let error = &refused.json()["errors"][0];
    assert_eq!(
        (&error["in"], &error["name"]),
        (&json!("query"), &json!("limit"))
    );
    let refused = house.rest(("PUT", "/order/7"), &[], "").await;
    assert_eq!(refused.field("allow"), Some("GET, HEAD, DELETE"));
    assert_eq!(house.upstream.requests(), 0);
}

#[tokio::test]
async fn json_in_utf8_is_accepted_by_either_name() {
    let house = shop().await;
    // rest.type.utf8: with and without the hyphen of the name.
    house
        .upstream
        .behave(ok(&envelope("<o:placeOrderResponse/>")));
    for charset in ["utf-8", "UTF8", "\"utf8\""] {
        let media_type = format!("application/json; charset={charset}");
        let fields = [("Content-Type", media_type.as_str())];
        let answer = house.rest(PLACE, &fields, WHOLE).await;
        assert_eq!(answer.status / 100, 2, "{charset}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_or_stalls_is_refused() {
    let house = {
        let builder = builder().set("gateway-body-idle-timeout-ms", "300");
        let query = "kind=soap_to_rest&port=Shop11";
        House::of(&builder, query, ("text/xml", SHOP.as_bytes())).await
    };
    house.redeploy(json!({ "body_bytes_max": 100 })).await;
    let large = format!(r#"{{"customer":"{}"}}"#, "x".repeat(100));
    let refused = house.rest(PLACE, &[JSON], &large).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (413, "mediate.body_too_large")
    );
    // rest.body.chunks_too_large
    let key = ("apikey", house.consumer.key.as_str());
    let fields = [key, JSON, ("Transfer-Encoding", "chunked")];
    let head = http::request("POST", "/orders/1.0/placeOrder", &fields, b"");
    let head = String::from_utf8(head)
        .unwrap()
        .replace("Content-Length: 0\r\n", "");
    let chunks = format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
    let refused = house.send(format!("{head}{chunks}").as_bytes()).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (413, "mediate.body_too_large")
    );
    // rest.body.stops
    let request = http::request(
        "POST",
        "/orders/1.0/placeOrder",
        &[key, JSON],
        WHOLE.as_bytes(),
    );
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection
        .send(&request[..request.len() - 5])
        .await
        .unwrap();
    let refused = connection.answer(false).await.unwrap();
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (408, "listener.body_time")
    );
    assert_eq!(house.upstream.requests(), 0);
}
