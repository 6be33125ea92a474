//! A back end with a query in its address: from the contract's address to the calls that it gets.

use serde_json::{Value, json};
use tollgate_testkit::{Control, http};

use super::House;
use super::rest::{envelope, ok};
use crate::house::builder;

const CONTRACT: &str = include_str!("../../../../soap/tests/cases/upstream-query.wsdl");
const ADDRESS: &str = "https://127.0.0.1:7223/incident.do?SOAP";
const CALL: &[u8] = br#"<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>
    <op xmlns="urn:t"/></e:Body></e:Envelope>"#;

/// Publishes the contract as an API of this kind, with a back end at this path and query.
async fn house(kind: &str, target: &str) -> House {
    let query = format!("kind={kind}");
    let house = House::of(&builder(), &query, ("text/xml", CONTRACT.as_bytes())).await;
    assert_eq!(house.imported["proposed_upstream"], ADDRESS, "{kind}");
    assert_eq!(house.imported["report"]["notes"], json!([]), "{kind}");
    let url = format!("{}{target}", house.upstream.url());
    house.redeploy(json!({ "upstream": { "url": url } })).await;
    house.upstream.forget();
    house
}

/// Returns the targets of the requests that the back end got.
fn targets(house: &House) -> Vec<String> {
    let requests = house
        .upstream
        .received()
        .into_iter()
        .filter(|it| !it.is_empty());
    let targets = requests.map(|request| {
        let text = String::from_utf8(request).unwrap();
        text.split(' ').nth(1).unwrap().to_owned()
    });
    targets.collect()
}

#[tokio::test]
async fn the_query_of_the_back_end_precedes_the_callers() {
    let house = house("soap", "/incident.do?SOAP&sap-client=100").await;
    let own = "/incident.do?SOAP&sap-client=100";
    let rows = [
        ("proxy.own_query", "", own.to_owned()),
        (
            "proxy.own_query.with_caller",
            "?a=%41&b",
            format!("{own}&a=%41&b"),
        ),
        (
            "proxy.own_query.same_name",
            "?SOAP=2&sap%2Dclient=200&a=1;SAP-Client=3&c",
            format!("{own}&a=1&c"),
        ),
    ];
    let fields = [
        ("Content-Type", "text/xml"),
        ("apikey", &*house.consumer.key),
    ];
    for (id, query, expected) in rows {
        house.upstream.forget();
        let target = format!("/orders/1.0{query}");
        let call = http::request("POST", &target, &fields, CALL);
        assert_eq!(house.send(&call).await.status, 200, "{id}");
        assert_eq!(targets(&house), [expected], "{id}");
    }
    let message = json!({ "request": { "method": "POST", "path": "/?SOAP=2&a=1", "headers": [
        { "name": "content-type", "value": "text/xml" }] } });
    let path = format!("/api/v1/versions/{}/mediate", house.api.version);
    let shown = house
        .admin
        .done("POST", &path, Some(&message))
        .await
        .unwrap();
    assert_eq!(shown["request"]["sent"]["path"], "?SOAP&sap-client=100&a=1");
}

#[tokio::test]
async fn rest_callers_add_nothing_to_the_query_of_the_back_end() {
    // rest.own_query
    let house = house("soap_to_rest", "/x/?services=x").await;
    house
        .upstream
        .behave(ok(&envelope("<t:opResponse xmlns:t=\"urn:t\"/>")));
    let fields = [
        ("Content-Type", "application/json"),
        ("apikey", &*house.consumer.key),
    ];
    let call = http::request("POST", "/orders/1.0/op", &fields, b"{}");
    let answer = house.send(&call).await;
    assert_eq!(answer.status, 204, "{}", answer.text());
    assert_eq!(targets(&house), ["/x/?services=x"]);
}

#[tokio::test]
async fn an_address_that_cannot_be_the_upstream_is_noted() {
    // proxy.own_query.not_proposed
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let path = "/api/v1/apis/import/wsdl?dry_run=true";
    let import = async |address: &str| -> Value {
        let contract = CONTRACT.replace(ADDRESS, address);
        let answer = admin.send_bytes("POST", path, "text/xml", contract.as_bytes());
        let answer = answer.await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    let preview = import("http://host:81/do?a=1 2").await;
    assert_eq!(preview["proposed_upstream"], Value::Null);
    let notes = json!([{
        "code": "wsdl.address",
        "document": "contract.wsdl",
        "line": 8,
        "detail": "the address \"http://host:81/do?a=1 2\" of the port `Po` is not proposed as the \
                   upstream: an upstream's URL has no fragment or unencoded character",
        "times": 1,
    }]);
    assert_eq!(preview["report"]["notes"], notes);
}

#[tokio::test]
async fn the_back_end_of_a_rest_api_has_no_query() {
    let house = crate::house::House::new().await;
    let path = format!("/api/v1/versions/{}/draft", house.api.version);
    let change = json!({ "upstream": { "url": "http://127.0.0.1:9/a?b=1" } });
    let refused = house
        .admin
        .send("PATCH", &path, Some(&change))
        .await
        .unwrap();
    assert_eq!(refused.status, 422, "{}", refused.text());
    let errors = json!([{
        "field": "/upstream/url",
        "code": "upstream.url",
        "detail": "an upstream's URL has no query, fragment or unencoded character",
    }]);
    assert_eq!(refused.json()["errors"], errors);
}
