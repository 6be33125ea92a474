//! Contracts with a hole: types that contradict themselves, documents that are missing. What does
//! not need them works.

use serde_json::{Value, json};
use tollgate_testkit::{Control, http};

use super::rest::{envelope, ok};
use super::{House, V1_1, XML, message};
use crate::house::builder;
use crate::start::sql;

const CONTRACT: &str = include_str!("holes.wsdl");
const PLAIN: &str = "<t:plain xmlns:t=\"urn:t\"><t:a>7</t:a></t:plain>";
const BESIDE: &str = "`attribute` is beside `complexContent`, not inside it";
const IN_ELEMENT: &str = "`sequence` in `element` is not part of XML Schema 1.0";

async fn house(kind: &str, contract: &str) -> House {
    let query = format!("kind={kind}");
    House::of(&builder(), &query, ("text/xml", contract.as_bytes())).await
}

/// Calls the resource of an operation.
async fn rest(house: &House, operation: &str, json: &str) -> (u16, String) {
    let fields = [
        ("Content-Type", "application/json"),
        ("apikey", &*house.consumer.key),
    ];
    let target = format!("/orders/1.0/{operation}");
    let call = http::request("POST", &target, &fields, json.as_bytes());
    let answer = house.send(&call).await;
    (answer.status, answer.text())
}

/// Returns the notes of an import with this code: lines and sentences.
fn notes(imported: &Value, code: &str) -> Vec<(u64, String)> {
    let notes = imported["report"]["notes"].as_array().unwrap().iter();
    let notes = notes.filter(|note| note["code"] == code);
    let notes = notes.map(|note| {
        let detail = note["detail"].as_str().unwrap().to_owned();
        (note["line"].as_u64().unwrap(), detail)
    });
    notes.collect()
}

#[tokio::test]
async fn operations_of_a_type_that_contradicts_itself_have_no_resource_and_the_others_do() {
    // rest.contradiction
    let house = house("soap_to_rest", CONTRACT).await;
    let resources = house.imported["report"]["resources"].as_array().unwrap();
    let resources = resources.iter().map(|row| {
        let path = row["resource"]["path"].as_str().unwrap_or_default();
        let why = row["proxy_only"].as_str().unwrap_or_default();
        (path, why.rsplit(": ").next().unwrap_or_default())
    });
    let expected = [("", BESIDE), ("", IN_ELEMENT), ("/plain", "")];
    assert_eq!(resources.collect::<Vec<_>>(), expected);
    let faults = notes(&house.imported, "schema.complex_type");
    assert_eq!(faults, [(8, BESIDE.to_owned())]);
    let faults = notes(&house.imported, "schema.declaration");
    assert_eq!(faults, [(13, IN_ELEMENT.to_owned())]);
    let proxied = notes(&house.imported, "wsdl.proxy_only");
    let lines: Vec<_> = proxied.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [32, 29], "{proxied:?}");

    house.upstream.behave(ok(&envelope(PLAIN)));
    let answer = rest(&house, "plain", r#"{"a":1}"#).await;
    assert_eq!(answer, (200, r#"{"a":7}"#.to_owned()));

    // rest.contradiction.resource
    let path = format!("/api/v1/versions/{}/draft", house.api.version);
    let draft = house.admin.done("GET", &path, None).await.unwrap();
    let mut rest = draft["soap"]["rest"]["resources"].clone();
    let resource = json!({ "operation": "mark", "method": "POST", "path": "/mark" });
    rest.as_array_mut().unwrap().push(resource);
    let change = json!({ "soap": { "rest": { "resources": rest } } });
    let refused = house.admin.send("PATCH", &path, Some(&change)).await;
    let refused = refused.unwrap();
    assert_eq!(refused.status, 422, "{}", refused.text());
    let error = &refused.json()["errors"][0];
    assert_eq!(error["field"], "/soap/rest/resources/1/operation");
    assert!(error["detail"].as_str().unwrap().ends_with(BESIDE));
}

#[tokio::test]
async fn operations_of_a_type_that_contradicts_itself_are_proxied() {
    // proxy.contradiction
    let house = house("soap", CONTRACT).await;
    house.upstream.forget();
    let sent = message(V1_1, "", "<t:mark xmlns:t=\"urn:t\" f=\"1\"/>");
    assert_eq!(house.post(&[XML], sent.as_bytes()).await.status, 200);
    let received = house.upstream.received().concat();
    assert!(String::from_utf8(received).unwrap().ends_with(&sent));
    assert_eq!(house.calls(1).await, [("mark".to_owned(), 1)]);
}

#[tokio::test]
async fn a_resource_that_an_earlier_release_deployed_is_served_as_before() {
    // rest.contradiction.deployed
    let attribute = "<xs:attribute name=\"f\" type=\"xs:string\"/>\n    </xs:complexType>";
    let sound = CONTRACT.replace(attribute, "</xs:complexType>");
    assert_ne!(sound, CONTRACT);
    let house = house("soap_to_rest", &sound).await;
    let (_, builder) = house.tollgate.terminate().unwrap();
    let data = builder.data().join("tollgate.db");
    sql(
        &data,
        "update contract_documents set bytes = cast(replace(cast(bytes as text),
            '</xs:complexContent>',
            '</xs:complexContent><xs:attribute name=\"f\"/>') as blob)",
    )
    .await;
    let tollgate = builder.start().unwrap();
    let house = House {
        admin: house.admin.at(tollgate.control),
        tollgate,
        ..house
    };
    house.upstream.behave(ok(&envelope(PLAIN)));
    let answer = rest(&house, "mark", "{}").await;
    assert_eq!(answer, (200, r#"{"a":7}"#.to_owned()));
    let path = format!("/api/v1/versions/{}/contract", house.api.version);
    let report = house.admin.done("GET", &path, None).await.unwrap();
    let rows = report["resources"].as_array().unwrap();
    let why = rows[0]["proxy_only"].as_str().unwrap_or_default();
    assert!(why.ends_with(BESIDE), "{report}");
}

#[tokio::test]
async fn a_contract_without_the_document_of_its_port_is_refused_by_the_name_of_that_document() {
    // proxy.missing_import
    let contract = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:b="urn:b"
        xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" targetNamespace="urn:t">
        <import namespace="urn:b" location="binding.wsdl"/>
        <service name="S"><port name="P" binding="b:B">
            <soap:address location="http://x.example/"/></port></service></definitions>"#;
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let path = "/api/v1/apis/import/wsdl?context=%2Forders";
    let sent = admin.send_bytes("POST", path, "text/xml", contract.as_bytes());
    let refused = sent.await.unwrap();
    assert_eq!(refused.status, 422, "{}", refused.text());
    let error = refused.json()["errors"][0].clone();
    assert_eq!(error["code"], "wsdl.no_port");
    let detail = "the contract has no port that is SOAP over HTTP: the port `P` names the binding \
        `{urn:b}B`, which is not defined, and cannot be published (contract.wsdl, line 4); the \
        document binding.wsdl is missing (contract.wsdl, line 3)";
    assert_eq!(error["detail"], detail);
}
