//! A client that OpenAPI Generator made of the document of a service as REST, unmodified: what it
//! reads through the gateway is what a SOAP client reads of the server itself.

use serde_json::{Value, json};

use super::rest_peers::Shop;
use crate::peers::shop;

/// The calls of openapi/client.py, and what each must have read at some places. Where zeep can
/// make the same call, it has read the same values at all places.
fn expected() -> Vec<(&'static str, Vec<(&'static str, Value)>)> {
    let problem = |status: u16, title: &str| {
        vec![
            ("/status", json!(status)),
            ("/problem/status", json!(status)),
            ("/problem/title", json!(title)),
        ]
    };
    let with = |mut places: Vec<_>, more: Vec<_>| {
        places.extend(more);
        places
    };
    vec![
        (
            "path",
            vec![
                ("/class", json!("Order")),
                ("/delivered", json!("2026-02-06")),
                ("/lines/line/0/part/0/product/class", json!("Gadget")),
            ],
        ),
        (
            "nil",
            vec![("/class", json!("Order")), ("/delivered", Value::Null)],
        ),
        (
            "query",
            vec![("/order/1/class", json!("Order")), ("/found", json!(12))],
        ),
        (
            "derived",
            vec![("/class", json!("Textbook")), ("/level", json!(2))],
        ),
        (
            "recursion",
            vec![(
                "/category/0/category/0/shelf/0/holds/title",
                json!("Level 0"),
            )],
        ),
        (
            "substitution",
            vec![
                ("/item/0/@element", json!("book")),
                ("/item/1/level", json!(2)),
                ("/item/2/volts", json!(230)),
            ],
        ),
        ("scalar", vec![("", json!(10))]),
        ("void", vec![("", Value::Null)]),
        ("one_way", vec![("", Value::Null)]),
        (
            "nested",
            vec![("/orderId", json!(1001)), ("/total/value", json!(12.3))],
        ),
        (
            "echoed",
            vec![
                ("/0/string", json!(" <&\"> ")),
                ("/0/numbers", json!([1, 2])),
            ],
        ),
        (
            "choices",
            vec![
                ("/drawing/circleOrSquareOrText/0/text", json!("t")),
                ("/drawing/circleOrSquareOrText/1/square/side", json!(2.0)),
                ("/way/left", json!(1)),
            ],
        ),
        (
            "fault.declared",
            with(
                problem(404, "no order 61"),
                vec![
                    ("/problem/fault/name", json!("orderNotFound")),
                    ("/problem/fault/detail/class", json!("OrderNotFound")),
                    ("/problem/fault/detail/orderId", json!(61)),
                ],
            ),
        ),
        (
            "fault.simple",
            with(
                problem(409, "this order was made before"),
                vec![("/problem/fault/detail", json!("DUPLICATE"))],
            ),
        ),
        (
            "fault.typed",
            with(
                problem(422, "the order is not valid"),
                vec![("/problem/fault/detail/problem/0/place", json!("lines"))],
            ),
        ),
        ("fault.undeclared", problem(500, "the shelf fell over")),
        (
            "refused",
            with(
                problem(400, "The request does not fit the API's contract."),
                vec![
                    ("/problem/errors/0/pointer", json!("/customer")),
                    ("/problem/errors/0/in", json!("query")),
                ],
            ),
        ),
    ]
}

#[tokio::test]
async fn a_generated_client_reads_what_the_server_said() {
    // rest.client.generated: each of `expected` is a row.
    let Some(of) = Shop::new().await else { return };
    let path = format!("/api/v1/versions/{}/document", of.cxf.api.version);
    let document = of.gate.admin.done("GET", &path, None).await.unwrap();
    let wsdl = format!("{}/shop?wsdl", shop(&of.peers).url);
    let (peers, key) = (of.peers.clone(), of.cxf.key.clone());
    let called = tokio::task::spawn_blocking(move || peers.generated(&document, &key, &wsdl));
    let called = called.await.unwrap().unwrap();
    let mut wrong = Vec::new();
    for (name, places) in expected() {
        let call = &called[name];
        let mut places = places.iter();
        let is_read = places.all(|(place, value)| call["read"].pointer(place) == Some(value));
        if !is_read || call["differs"] != Value::Null {
            wrong.push(format!("rest.client.generated.{name}: {call}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(called.as_object().unwrap().len(), expected().len());
}
