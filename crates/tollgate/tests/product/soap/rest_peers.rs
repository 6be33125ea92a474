//! A SOAP service of Apache CXF, called as REST: by a client that only knows its OpenAPI document,
//! and with the values and forms that the design lists as edge cases. The server rejects and never
//! sends messages that violate its schemas.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Peer, Peers, http};

use super::peers::{Gate, Published};
use crate::peers::{peers, shop};

/// The setup of each test: a gate, and the shop of CXF behind it as REST.
pub(super) struct Shop {
    pub(super) peers: Peers,
    pub(super) gate: Gate,
    pub(super) cxf: Published,
}

impl Shop {
    /// Returns `None` if the peers are not built.
    pub(super) async fn new() -> Option<Self> {
        let peers = peers()?;
        let gate = Gate::new().await;
        let cxf = as_rest(&gate, &shop(&peers), ("ShopSoap12", "cxf")).await;
        Some(Self { peers, gate, cxf })
    }

    /// Makes the calls of rows; returns those with an unexpected result.
    async fn wrong(&self, published: &Published, rows: &[Row]) -> Vec<String> {
        let mut wrong = Vec::new();
        for (id, place, body, status, pieces) in rows {
            let answer = call(&self.gate, published, *place, body).await;
            let text = answer.text();
            let is_right = answer.status == *status
                && pieces.iter().all(|piece| text.contains(piece))
                && (!pieces.is_empty() || text.is_empty());
            if !is_right {
                wrong.push(format!("rest.peer.{id}: {} {text}", answer.status));
            }
        }
        wrong
    }
}

/// Publishes the shop of a server as REST by one of its ports, as `name`.
async fn as_rest(gate: &Gate, peer: &Peer, (port, name): (&str, &str)) -> Published {
    let query = format!("kind=soap_to_rest&port={port}");
    let place = ("shop", "Shop");
    gate.publish_as((&query, name), peer, place).await
}

/// Faults that calls generated from the document may cause.
const FAULTS: &[(&str, u64)] = &[
    ("getOrder", 404),
    ("deleteOrder", 404),
    ("updateOrder", 404),
    ("updateOrder", 422),
    ("createOrder", 422),
    ("addSale", 500),
    ("closeTill", 500),
];

#[tokio::test]
async fn the_document_of_its_resources_is_sufficient_for_a_caller() {
    // rest.peer.document: random calls of each operation, each response validated by the document.
    let Some(peers) = peers() else { return };
    let gate = Gate::new().await;
    // id, location at the server, further import parameters, operations
    let rows = [
        ("soap12", ("shop", "Shop"), "kind=soap_to_rest", 21),
        (
            "soap11",
            ("shop", "Shop"),
            "kind=soap_to_rest&port=ShopSoap11",
            21,
        ),
        ("rpc", ("till", "Till"), "kind=soap_to_rest", 3),
    ];
    for (id, place, query, operations) in rows {
        let published = gate.publish_as((query, id), &shop(&peers), place).await;
        let path = format!("/api/v1/versions/{}/document", published.api.version);
        let document = gate.admin.done("GET", &path, None).await.unwrap();
        // Excluded: calls that take the server minutes, or values that only the server has.
        let known = json!({
            "orderId": [1, 60, 61], "bytes": [397, 5_000], "depth": [0, 3], "sku": ["GD-0006"],
            "tillId": [1, 100],
        });
        let body = json!({
            "document": document, "headers": { "apikey": published.key }, "tries": 12, "seed": 1,
            "known": known,
        });
        let peers = peers.clone();
        let driven = tokio::task::spawn_blocking(move || peers.rest(&body).unwrap());
        let driven = driven.await.unwrap();
        assert_eq!(driven["error"], Value::Null, "{id}");
        check(id, driven["calls"].as_array().unwrap(), operations);
    }
}

/// Asserts that every response matches the document, every operation responds, and no request that
/// matches the document is refused.
fn check(id: &str, calls: &[Value], operations: usize) {
    let mut answered = BTreeMap::<&str, BTreeSet<u64>>::new();
    for call in calls {
        assert_eq!(call["misfit"], Value::Null, "{id}: {call}");
        let operation = call["operation"].as_str().unwrap();
        let status = call["status"].as_u64().unwrap();
        // The document describes each field of a header block, but not that one requires another.
        let text = call["answer"].as_str().unwrap();
        let is_half = text.contains("\"/headers/session/token\",\"detail\":\"is missing\"");
        let is_expected = status < 300 || FAULTS.contains(&(operation, status)) || is_half;
        assert!(is_expected, "{id}: {call}");
        answered.entry(operation).or_default().insert(status);
    }
    assert_eq!(answered.len(), operations, "{id}: {answered:?}");
    for (operation, statuses) in &answered {
        let best = statuses.first().unwrap();
        assert!(*best < 300, "{id}, {operation}: {statuses:?}");
    }
}

/// Calls a resource with a key.
async fn call(
    gate: &Gate,
    published: &Published,
    (method, target): (&str, &str),
    body: &str,
) -> Answer {
    let target = format!("{}{target}", published.path);
    let mut fields = vec![("apikey", published.key.as_str())];
    if !body.is_empty() {
        fields.push(("content-type", "application/json"));
    }
    let request = http::request(method, &target, &fields, body.as_bytes());
    http::call(gate.tollgate.gateway, &request).await.unwrap()
}

/// A value that the service returns: id, its key, the value sent and the value returned, or `!` and
/// the reported error.
type Echo = (&'static str, &'static str, &'static str, &'static str);

const VALUES: &[Echo] = &[
    (
        "string.markup",
        "string",
        r#""]]> & <b>""#,
        r#""]]> & <b>""#,
    ),
    ("string.space", "string", r#"" a\n b ""#, r#"" a\n b ""#),
    ("string.empty", "string", r#""""#, r#""""#),
    ("string.zeros", "string", r#""007""#, r#""007""#),
    ("string.astral", "string", r#""\ud83d\ude00""#, r#""😀""#),
    ("string.control", "string", r#""\u0000""#, "!U+0000"),
    ("string.surrogate", "string", r#""\ud800""#, "!surrogate"),
    ("token.space", "token", r#""  a  b ""#, r#""a b""#),
    ("boolean", "boolean", "true", "true"),
    ("boolean.digit", "boolean", "0", "false"),
    ("byte.least", "byte", "-128", "-128"),
    ("int.overflow", "int", "2147483648", "!whole number"),
    ("int.text", "int", r#""12""#, "12"),
    (
        "long.most",
        "long",
        "9223372036854775807",
        "9223372036854775807",
    ),
    (
        "unsigned_long.most",
        "unsignedLong",
        "18446744073709551615",
        "18446744073709551615",
    ),
    (
        "integer.30_digits",
        "integer",
        "123456789012345678901234567890",
        "123456789012345678901234567890",
    ),
    ("decimal.digits", "decimal", "0.10", "0.10"),
    ("decimal.exponent", "decimal", "1e5", "!decimal"),
    ("double.exponent", "double", "1e5", "100000.0"),
    ("double.infinite", "double", r#""-INF""#, r#""-INF""#),
    ("double.minus_zero", "double", "-0", "-0.0"),
    ("float.not_a_number", "float", r#""NaN""#, r#""NaN""#),
    ("date.no_zone", "date", r#""2026-02-28""#, r#""2026-02-28""#),
    ("date.far", "date", r#""12026-02-28""#, r#""12026-02-28""#),
    ("date.none", "date", r#""2026-02-30""#, "!date"),
    (
        "date_time.fraction",
        "dateTime",
        r#""2026-02-28T23:59:59.5""#,
        r#""2026-02-28T23:59:59.5""#,
    ),
    ("duration", "duration", r#""P1DT2H""#, r#""P1DT2H""#),
    ("month", "gYearMonth", r#""2026-01""#, r#""2026-01""#),
    ("base64", "base64", r#""AAEC/w==""#, r#""AAEC/w==""#),
    ("base64.lines", "base64", r#""AAEC\n/w==""#, r#""AAEC/w==""#),
    ("base64.wrong", "base64", r#""AAE""#, "!base64"),
    ("hex", "hex", r#""00ff""#, r#""00FF""#),
    ("qname", "qname", r#""{urn:x}a""#, r#""{urn:x}a""#),
    ("enum.wrong", "currency", r#""GBP""#, "!EUR"),
    ("union.text", "quantity", r#""half""#, r#""half""#),
    ("union.number", "quantity", "7", "7"),
    ("list", "numbers", "[1,2,3]", "[1,2,3]"),
    ("list.empty", "numbers", "[]", "[]"),
    ("nil", "nothing", "null", "null"),
    (
        "nil.in_array",
        "nothings",
        r#"["a",null,"b"]"#,
        r#"["a",null,"b"]"#,
    ),
    ("array.missing_is_empty", "nothings", "[]", "[]"),
    ("null.optional", "int", "null", "!!int"),
    ("fixed", "constant", r#""1.0""#, r#""1.0""#),
    ("fixed.wrong", "constant", r#""2""#, "!1.0"),
    ("unknown_key", "__proto__", "1", "!not known"),
];

const SHAPES: &[Echo] = &[
    (
        "choice.repeated",
        "drawing",
        r#"{"circleOrSquareOrText":[{"circle":{"radius":1.5}},{"text":"t"},{"square":{"side":2,"colour":"red"}},{"circle":{"radius":2}}]}"#,
        r#"{"circleOrSquareOrText":[{"circle":{"radius":1.5}},{"text":"t"},{"square":{"colour":"red","side":2.0}},{"circle":{"radius":2.0}}]}"#,
    ),
    (
        "sequence.repeated",
        "pairs",
        r#"{"keyAndValue":[{"key":"a","value":"1"},{"value":"2","key":"b"}]}"#,
        r#"{"keyAndValue":[{"key":"a","value":"1"},{"key":"b","value":"2"}]}"#,
    ),
    (
        "all",
        "box",
        r#"{"height":2,"width":1}"#,
        r#"{"width":1,"height":2}"#,
    ),
    (
        "choice.sequence",
        "way",
        r#"{"down":2,"up":1}"#,
        r#"{"up":1,"down":2}"#,
    ),
    ("choice.none", "way", "{}", "!one of"),
    ("choice.two", "way", r#"{"left":1,"right":2}"#, "!only one"),
    (
        "simple_content",
        "price",
        r#"{"value":1.00,"currency":"USD"}"#,
        r#"{"currency":"USD","value":1.00}"#,
    ),
    ("attribute.missing", "price", r#"{"value":1}"#, "!missing"),
    ("nil.of_an_object", "remark", "null", "null"),
    (
        "nil.with_attributes",
        "remark",
        r#"{"@nil":true,"author":"me"}"#,
        r#"{"author":"me","@nil":true}"#,
    ),
    (
        "any.known",
        "extra",
        r#"{"label":"l","any":[{"gadget":{"sku":"GD-0001","name":"g","stock":1,"volts":5}}]}"#,
        r#""any":[{"gadget":{"sku":"GD-0001","name":"g","stock":1,"volts":5}}]"#,
    ),
    (
        "any.unknown",
        "extra",
        r#"{"label":"l","any":["<x xmlns='urn:x' a='1'>t<y/></x>"]}"#,
        "urn:x",
    ),
];

#[tokio::test]
async fn values_and_forms_come_back_unchanged() {
    // rest.peer.values: each row below.
    let Some(Shop { gate, cxf, .. }) = &Shop::new().await else {
        return;
    };
    let mut wrong = Vec::new();
    let values = VALUES
        .iter()
        .map(|row| ("/echoValues", "{\"values\":[{", "}]}", row));
    let shapes = SHAPES
        .iter()
        .map(|row| ("/echoShapes", "{\"shapes\":{", "}}", row));
    for (path, before, after, (id, key, sent, back)) in values.chain(shapes) {
        let body = format!("{before}\"{key}\":{sent}{after}");
        let answer = call(gate, cxf, ("POST", path), &body).await;
        let text = answer.text();
        let is_right = match (back.strip_prefix("!!"), back.strip_prefix('!')) {
            (Some(absent), _) => answer.status == 200 && !text.contains(&format!("\"{absent}\"")),
            (None, Some(error)) => answer.status == 400 && text.contains(error),
            (None, None) => answer.status == 200 && text.contains(back),
        };
        if !is_right {
            wrong.push(format!(
                "rest.peer.{id}: {body}\n  {} {text}",
                answer.status
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A call and its result: id, method and target, body, status, parts of the response.
type Row = (
    &'static str,
    (&'static str, &'static str),
    &'static str,
    u16,
    &'static [&'static str],
);

const ROWS: &[Row] = &[
    (
        "fault.declared",
        ("GET", "/order/61"),
        "",
        404,
        &[r#""name":"orderNotFound""#, r#""detail":{"orderId":61}"#],
    ),
    (
        "fault.undeclared",
        ("GET", "/order/500"),
        "",
        500,
        &["the shelf fell over"],
    ),
    (
        "fault.several_details",
        ("GET", "/order/501"),
        "",
        500,
        &["the shelf is full", "urn:shop:trouble"],
    ),
    (
        "fault.of_the_caller",
        ("GET", "/order/502"),
        "",
        400,
        &["nobody may see order 502", "NotYours"],
    ),
    ("void", ("DELETE", "/order/6"), "", 204, &[]),
    ("void.nothing_sent", ("POST", "/ping"), "{}", 204, &[]),
    (
        "one_way",
        ("POST", "/notifyShipped"),
        r#"{"orderId":51,"shipped":"2026-01-01T00:00:00Z"}"#,
        202,
        &[],
    ),
    (
        "mtom",
        ("GET", "/document?name=a-4&attached=true"),
        "",
        200,
        &[r#""content":"AAcOFQ==""#],
    ),
    (
        "bare.scalar",
        ("GET", "/stock?stockOf=BK-0001"),
        "",
        200,
        &["10"],
    ),
    (
        "mixed",
        ("GET", "/notice/3"),
        "",
        200,
        &["Notice 3: closed on <"],
    ),
    (
        "substitution",
        ("GET", "/items?limit=2"),
        "",
        200,
        &[r#""@element":"#],
    ),
    (
        "query.repeated",
        ("GET", "/orders?status=open&status=in+transit&limit=1"),
        "",
        200,
        &[r#""order":[{"#],
    ),
    (
        "query.wrong",
        ("GET", "/orders?limit=many"),
        "",
        400,
        &["whole number"],
    ),
    ("path.wrong", ("GET", "/order/0"), "", 400, &["orderId"]),
    ("head", ("HEAD", "/order/1"), "", 200, &[]),
    (
        "recursion",
        ("POST", "/echoCategories"),
        r#"{"category":{"title":"a","id":1,"category":[{"title":"b","id":2}],"shelf":[{"place":"p","holds":{"title":"c","id":3}}]}}"#,
        200,
        &[r#""holds":{"id":3,"title":"c","category":[],"shelf":[]}"#],
    ),
];

#[tokio::test]
async fn results_of_operations_come_back_in_their_rest_form() {
    // rest.peer.operations: each row below.
    let Some(shop) = Shop::new().await else {
        return;
    };
    let wrong = shop.wrong(&shop.cxf, ROWS).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An order in REST: more than one type of item, a part in a line, a choice.
const NEW_ORDER: &str = r#"{"order": {
    "reference": "X-1",
    "customer": { "number": "C9", "name": "Ann & Bob",
        "address": [{ "line": ["1 Way"], "postcode": "00123", "city": "Graz" }] },
    "lines": { "line": [{
        "number": 1, "quantity": "half", "price": { "currency": "EUR", "value": 12.30 },
        "product": { "@type": "Textbook", "sku": "TB-0002", "name": "T <2>", "stock": 3,
            "author": ["A"], "subject": "Maths" },
        "part": [{
            "number": 2, "quantity": 7, "price": { "currency": "EUR", "value": 0.10 },
            "product": { "@type": "Gadget", "sku": "GD-0001", "name": "g", "stock": 0,
                "volts": null }
        }]
    }] },
    "voucher": { "pin": "0042", "value": "V-1" },
    "note": ["a", "", "c\n d"]
}}"#;

/// Calls that npm's soap answers like CXF: methods and targets, bodies.
const ALIKE: &[(&str, (&str, &str), &str)] = &[
    ("order", ("GET", "/order/5"), ""),
    ("order.nil", ("GET", "/order/12"), ""),
    (
        "query.repeated",
        (
            "GET",
            "/orders?status=in+transit&status=delivered&placedFrom=2026-01-20&limit=2",
        ),
        "",
    ),
    ("query.none", ("GET", "/orders"), ""),
    ("polymorphic", ("GET", "/item/TB-0002"), ""),
    ("recursion", ("GET", "/categories?depth=3"), ""),
    ("report", ("GET", "/report?bytes=5000"), ""),
    ("binary", ("GET", "/document?name=a-40"), ""),
    ("nested", ("POST", "/createOrder"), NEW_ORDER),
    (
        "stored",
        ("POST", "/storeDocument"),
        r#"{"document":{"name":"d","content":"AAcOFQ=="}}"#,
    ),
];

const NPM_ROWS: &[Row] = &[
    (
        "npm.fault.declared",
        ("GET", "/order/61"),
        "",
        404,
        &[r#""name":"orderNotFound""#, r#""detail":{"orderId":61}"#],
    ),
    (
        "npm.fault.of_a_simple_type",
        ("POST", "/createOrder"),
        r#"{"order":{"reference":"DUPLICATE","customer":{"number":"1","name":"n"},"lines":{},"transfer":"t"}}"#,
        409,
        &[r#""name":"duplicateOrder""#, r#""detail":"DUPLICATE""#],
    ),
    (
        "npm.fault.undeclared",
        ("GET", "/order/500"),
        "",
        500,
        &["the shelf fell over"],
    ),
    ("npm.void", ("DELETE", "/order/6"), "", 204, &[]),
    ("npm.void.nothing_sent", ("POST", "/ping"), "{}", 204, &[]),
    (
        "npm.one_way",
        ("POST", "/notifyShipped"),
        r#"{"orderId":52,"shipped":"2026-01-01T00:00:00Z"}"#,
        202,
        &[],
    ),
    // In the envelope of one version, with the children of the other.
    (
        "npm.fault.mixed",
        ("GET", "/notice/3"),
        "",
        500,
        &[
            r#""code":"Server","subcode":"InternalServerError""#,
            "TypeError",
        ],
    ),
    ("npm.head", ("HEAD", "/order/1"), "", 200, &[]),
];

/// Returns JSON with numbers compared by value, however they are written.
fn plain(json: Value) -> Value {
    match json {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Object(members) => {
            let members = members.into_iter();
            members.map(|(key, value)| (key, plain(value))).collect()
        }
        other => other,
    }
}

#[tokio::test]
async fn a_server_of_npm_works_as_a_back_end_like_one_of_cxf() {
    // rest.peer.npm: each row below.
    let Some(shop) = Shop::new().await else {
        return;
    };
    let server = shop.peers.node_soap().unwrap();
    let npm = as_rest(&shop.gate, &server, ("ShopSoap11", "npm")).await;
    let mut wrong = shop.wrong(&npm, NPM_ROWS).await;
    for (id, place, body) in ALIKE {
        let of_cxf = call(&shop.gate, &shop.cxf, *place, body).await;
        let of_npm = call(&shop.gate, &npm, *place, body).await;
        let is_same = plain(of_npm.json()) == plain(of_cxf.json());
        if of_npm.status != 200 || !is_same {
            let (of_npm, of_cxf) = (of_npm.text(), of_cxf.text());
            wrong.push(format!("rest.peer.npm.{id}: {of_npm}\nand not {of_cxf}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const NPM_RPC_ROWS: &[Row] = &[
    (
        "npm.rpc",
        ("POST", "/openTill"),
        r#"{"cashier":"Ada","change":{"value":1,"currency":"EUR"}}"#,
        200,
        &[r#"{"tillId":3}"#],
    ),
    (
        "npm.rpc.void",
        ("POST", "/closeTill"),
        r#"{"tillId":1}"#,
        204,
        &[],
    ),
    (
        "npm.rpc.fault",
        ("POST", "/closeTill"),
        r#"{"tillId":100}"#,
        500,
        &[r#""name":"tillClosed""#, r#""detail":100"#],
    ),
];

#[tokio::test]
async fn a_server_of_npm_that_qualifies_the_parts_of_rpc_is_read() {
    // rest.peer.npm.rpc: each row above.
    let Some(shop) = Shop::new().await else {
        return;
    };
    let server = shop.peers.node_soap().unwrap();
    let place = ("till", "Till");
    let query = ("kind=soap_to_rest", "rpc");
    let till = shop.gate.publish_as(query, &server, place).await;
    let wrong = shop.wrong(&till, NPM_RPC_ROWS).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
