//! Contracts with schemas that have a DOCTYPE: copies of built-in ones, and others.

use serde_json::json;
use tollgate_testkit::http;

use super::rest::{envelope, ok};
use super::{House, PUBLIC, XML, zipped};
use crate::house::builder;

const CONTRACT: &str = include_str!("../../../../soap/tests/cases/doctype.wsdl");
const COPY: &str = include_str!("../../../../soap/tests/cases/xmldsig-core-schema.xsd");
const ANSWER: &str = "<opResponse xmlns=\"urn:t\"/>";

async fn house(kind: &str, contract: &str, files: &[(&str, &str)]) -> House {
    let mut all = vec![("main.wsdl", contract)];
    all.extend_from_slice(files);
    let builder = builder().set("gateway-public-url", PUBLIC);
    let query = format!("kind={kind}");
    let house = House::of(&builder, &query, ("application/zip", &zipped(&all))).await;
    house.upstream.behave(ok(&envelope(ANSWER)));
    house
}

#[tokio::test]
async fn a_copy_of_a_built_in_schema_may_have_a_doctype() {
    let files = [
        ("xmldsig-core-schema.xsd", COPY),
        ("unused.xsd", "<!DOCTYPE schema><schema"),
    ];
    let house = house("soap_to_rest", CONTRACT, &files).await;
    let report = &house.imported["report"];
    assert_eq!(report["notes"], json!([]));
    assert_eq!(report["documents"].as_array().unwrap().len(), 1);
    let method = |of: &str| json!({ "Algorithm": format!("urn:{of}") });
    let call = json!({ "a": 1, "Signature": {
        "SignedInfo": {
            "CanonicalizationMethod": method("c"), "SignatureMethod": method("s"),
            "Reference": [{ "DigestMethod": method("d"), "DigestValue": "AA==" }],
        },
        "SignatureValue": { "value": "AQ==" },
    } });
    let fields = [
        ("Content-Type", "application/json"),
        ("apikey", &*house.consumer.key),
    ];
    let body = call.to_string();
    let call = http::request("POST", "/orders/1.0/op", &fields, body.as_bytes());
    let answer = house.send(&call).await;
    assert_eq!(answer.status, 204, "{}", answer.text());
    let sent = String::from_utf8(house.upstream.received().concat()).unwrap();
    assert!(sent.contains("SignatureValue>AQ=="), "{sent}");
}

#[tokio::test]
async fn callers_get_a_built_in_schema_without_the_doctype_of_its_copy() {
    let house = house("soap", CONTRACT, &[("xmldsig-core-schema.xsd", COPY)]).await;
    // At once, and from the contract as stored.
    for context in ["orders", "signed"] {
        let api = format!("/api/v1/apis/{}", house.api.api);
        let change = json!({ "context": format!("/{context}") });
        house
            .admin
            .done("PATCH", &api, Some(&change))
            .await
            .unwrap();
        let at = format!("{PUBLIC}/{context}/1.0?xsd=1");
        let wsdl = house.get(&format!("/{context}/1.0?wsdl")).await.text();
        assert!(wsdl.contains(&format!("schemaLocation=\"{at}\"")), "{wsdl}");
        let schema = house.get(&format!("/{context}/1.0?xsd=1")).await.text();
        assert!(!schema.contains("DOCTYPE"), "{schema}");
        assert!(schema.contains("name=\"X509IssuerSerial\""), "{schema}");
        let target = format!("/{context}/1.0?xsd=2");
        assert_eq!(house.get(&target).await.status, 404, "{context}");
    }
}

#[tokio::test]
async fn another_schema_with_a_doctype_leaves_a_proxy() {
    let contract = CONTRACT.replace(
        "<xs:element name=\"op\">",
        "<xs:include schemaLocation=\"own.xsd\"/><xs:element name=\"op\">",
    );
    let own = "<!DOCTYPE schema [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\
        <schema xmlns=\"http://www.w3.org/2001/XMLSchema\" targetNamespace=\"urn:t\">&a;</schema>";
    let house = house("soap", &contract, &[("own.xsd", own)]).await;
    let report = &house.imported["report"];
    let why = "own.xsd has a DOCTYPE and is not read";
    let notes = [
        ("wsdl.doctype", why.to_owned()),
        (
            "wsdl.proxy_only",
            format!("`op` can only be proxied: {why}"),
        ),
    ];
    let line = |needle: &str| {
        let before = contract.split(needle).next().unwrap();
        before.lines().count()
    };
    let lines = [line("own.xsd"), line("<operation name=\"op\"><soap")];
    let expected = notes.iter().zip(lines).map(|((code, detail), line)| {
        json!({ "code": code, "document": "main.wsdl", "line": line, "detail": detail,
            "times": 1 })
    });
    assert_eq!(report["notes"], expected.collect::<serde_json::Value>());
    let wsdl = house.get("/orders/1.0?wsdl").await;
    assert_eq!(wsdl.status, 200, "{}", wsdl.text());
    assert_eq!(house.get("/orders/1.0?xsd=2").await.status, 404);
    let path = format!("/api/v1/versions/{}/contract", house.api.version);
    let stored = house.admin.done("GET", &path, None).await.unwrap();
    assert_eq!(stored["notes"][0], report["notes"][0]);
    let call = envelope("<op xmlns=\"urn:t\"><a>1</a></op>");
    let answer = house.post(&[XML], call.as_bytes()).await;
    assert_eq!((answer.status, answer.text()), (200, envelope(ANSWER)));
    let calls = [("-".to_owned(), 2), ("op".to_owned(), 1)];
    assert_eq!(house.calls(3).await, calls);
    // As REST it has no resource.
    let query = "kind=soap_to_rest&context=%2Fother&name=Other";
    let path = format!("/api/v1/apis/import/wsdl?version=1.0&{query}");
    let archive = zipped(&[("main.wsdl", &*contract), ("own.xsd", own)]);
    let sent = house
        .admin
        .send_bytes("POST", &path, "application/zip", &archive);
    let rest = sent.await.unwrap();
    assert_eq!(rest.status, 201, "{}", rest.text());
    let resources = &rest.json()["report"]["resources"];
    assert_eq!(resources[0]["proxy_only"], why, "{resources}");
    assert_eq!(resources[0]["resource"], json!(null), "{resources}");
}
