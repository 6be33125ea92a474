//! The contract with the gateway's address, and the report of its import.

use serde_json::json;
use tollgate_testkit::http;

use super::{COMMON, House, ORDERS, PUBLIC, WSDL, archive};

#[tokio::test]
async fn an_import_reports_what_it_supports() {
    let house = House::new().await;
    let made = &house.imported;
    assert_eq!(made["api"]["kind"], "soap");
    assert_eq!(
        (made["service"].as_str(), made["operations"].as_u64()),
        (Some("OrderService"), Some(2))
    );
    assert_eq!(made["port"], "Orders12");
    assert_eq!(
        made["proposed_upstream"],
        "http://back.internal:8001/orders12"
    );
    let report = &made["report"];
    let uris: Vec<_> = report["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        uris,
        [
            "contract/orders.wsdl",
            "contract/sub/orders.xsd",
            "contract/common.xsd"
        ]
    );
    let ports = report["services"][0]["ports"].as_array().unwrap();
    let ports: Vec<_> = ports
        .iter()
        .map(|it| json!([it["name"], it["soap"], it["published"]]))
        .collect();
    let expected = [
        json!(["Orders11", "1.1", false]),
        json!(["Orders12", "1.2", true]),
    ];
    assert_eq!(ports, expected);
    let left_out = json!([{
        "code": "wsdl.port_left_out",
        "document": "contract/orders.wsdl",
        "line": 29,
        "detail": "the port `Orders11` of the service `OrderService` is at another address than \
                   `Orders12`, which is published: callers get a WSDL without it",
        "times": 1,
    }]);
    assert_eq!(report["notes"], left_out);
    let path = format!("/api/v1/versions/{}/contract", house.api.version);
    assert_eq!(&house.admin.done("GET", &path, None).await.unwrap(), report);
}

#[tokio::test]
async fn the_contract_is_served_with_every_address_at_the_gateway() {
    // The other port is another back end: clients that used the first one would reach this one.
    let house = House::new().await;
    let at = format!("{PUBLIC}/orders/1.0");
    let (before, rest) = WSDL.split_once("\n    <port name=\"Orders11\"").unwrap();
    let (_, after) = rest.split_once("</port>").unwrap();
    let expected = format!("{before}{after}")
        .replace("http://back.internal:8001/orders12", &at)
        .replace("sub/orders.xsd", &format!("{at}?xsd=1"));
    let declared = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let nested = ORDERS.replace("../common.xsd", &format!("{at}?xsd=2"));
    let rows = [
        ("proxy.wsdl.main", "/orders/1.0?wsdl", expected.clone()),
        ("proxy.wsdl.any_case", "/orders/1.0/?WSDL", expected.clone()),
        (
            "proxy.wsdl.default_version",
            "/orders?wsdl",
            expected.clone(),
        ),
        (
            "proxy.wsdl.nested_schema",
            "/orders/1.0?xsd=1",
            format!("{declared}{nested}"),
        ),
        (
            "proxy.wsdl.schema_of_a_schema",
            "/orders/1.0?xsd=2",
            format!("{declared}{COMMON}"),
        ),
    ];
    for (id, target, text) in rows {
        let answer = house.get(target).await;
        assert_eq!((answer.status, answer.text()), (200, text), "{id}");
        assert_eq!(
            answer.field("content-type"),
            Some("text/xml; charset=utf-8"),
            "{id}"
        );
        let etag = answer.field("etag").unwrap().to_owned();
        let head = house.send(&http::request("HEAD", target, &[], b"")).await;
        let length = answer.body.len().to_string();
        assert_eq!(
            (head.status, head.field("content-length")),
            (200, Some(length.as_str())),
            "{id}"
        );
        let known = [("If-None-Match", etag.as_str())];
        let same = house.send(&http::request("GET", target, &known, b"")).await;
        assert_eq!((same.status, same.body.len()), (304, 0), "{id}");
    }
    // proxy.wsdl.balancer: a load balancer in front of the gateway does not change it either.
    let fields = [
        ("X-Forwarded-Host", "other.example"),
        ("X-Forwarded-Proto", "http"),
        ("Forwarded", "host=other.example;proto=http"),
    ];
    let request = http::request("GET", "/orders/1.0?wsdl", &fields, b"");
    let request = String::from_utf8(request).unwrap();
    let request = request.replace("Host: 127.0.0.1\r\n", "Host: other.example:81\r\n");
    let behind = house.send(request.as_bytes()).await;
    assert_eq!((behind.status, behind.text()), (200, expected.clone()));

    let none = [
        ("proxy.wsdl.unknown", "GET", "/orders/1.0?xsd=3", 404),
        ("proxy.wsdl.below", "GET", "/orders/1.0/x?wsdl", 404),
        ("proxy.wsdl.no_query", "GET", "/orders/1.0", 405),
        ("proxy.wsdl.method", "PUT", "/orders/1.0?wsdl", 405),
    ];
    for (id, method, target, status) in none {
        let answer = house.send(&http::request(method, target, &[], b"")).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (status, "route.no_operation"),
            "{id}"
        );
    }

    // proxy.wsdl.moved: another context changes the address, at once.
    let api = format!("/api/v1/apis/{}", house.api.api);
    let change = json!({ "context": "/sales" });
    house
        .admin
        .done("PATCH", &api, Some(&change))
        .await
        .unwrap();
    let moved = house.get("/sales/1.0?wsdl").await;
    assert_eq!(moved.text(), expected.replace("/orders/1.0", "/sales/1.0"));
}

#[tokio::test]
async fn a_contract_is_replaced_in_the_draft_and_settings_of_operations_stay() {
    let house = House::new().await;
    let limits = json!([{ "per": "operation", "amount": 7, "window": "day" }]);
    let draft = format!("/api/v1/versions/{}/draft", house.api.version);
    let change = json!({ "soap": { "fault_status": "http", "operations": [
        { "name": "getOrder", "limits": limits }, { "name": "placeOrder" },
    ] } });
    let before = house
        .admin
        .done("PATCH", &draft, Some(&change))
        .await
        .unwrap();
    let path = format!("/api/v1/versions/{}/contract", house.api.version);
    let renamed = WSDL.replace(
        "operation name=\"placeOrder\"",
        "operation name=\"orderIt\"",
    );
    let sent = house
        .admin
        .send_bytes("PUT", &path, "text/xml", renamed.as_bytes());
    let answer = sent.await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    let made = answer.json();
    assert_eq!(
        (&made["added"], &made["removed"]),
        (&json!(["orderIt"]), &json!(["placeOrder"]))
    );
    let soap = &made["draft"]["soap"];
    assert_eq!(soap["operations"][0]["limits"][0]["amount"], 7);
    assert_eq!(soap["fault_status"], "http");
    assert_ne!(soap["contract"], before["soap"]["contract"]);
    // Its schemas were not sent: that is reported, not dropped.
    let notes = made["report"]["notes"].as_array().unwrap();
    assert!(
        notes.iter().any(|note| note["code"] == "wsdl.missing"),
        "{notes:?}"
    );
    // Callers get the deployed contract, with its own schemas, until the new one is deployed.
    assert_eq!(house.get("/orders/1.0?xsd=2").await.status, 200);
    let back = house
        .admin
        .send_bytes("PUT", &path, "application/zip", &archive())
        .await
        .unwrap();
    assert_eq!(back.json()["removed"], json!(["orderIt"]));
}

#[tokio::test]
async fn an_invalid_contract_is_refused_with_its_reason() {
    let house = House::new().await;
    let laughs =
        "<!DOCTYPE d [<!ENTITY a \"a\">]><definitions xmlns=\"http://schemas.xmlsoap.org/wsdl/\"/>";
    let rows = [
        ("text/xml", laughs, "wsdl.doctype"),
        ("text/xml", "<a", "wsdl.malformed"),
        ("text/xml", "<a/>", "wsdl.root"),
        ("text/xml", COMMON, "wsdl.root"),
        (
            "text/xml",
            "<definitions xmlns=\"http://schemas.xmlsoap.org/wsdl/\"/>",
            "wsdl.no_port",
        ),
        ("application/zip", "PK", "archive.malformed"),
        (
            "application/json",
            "{\"url\":\"file:///etc/passwd\"}",
            "fetch.failed",
        ),
        (
            "application/json",
            "{\"url\":\"http://127.0.0.1:1/x\"}",
            "fetch.failed",
        ),
        (
            "application/json",
            "{\"url\":\"http://169.254.169.254/latest\"}",
            "fetch.failed",
        ),
    ];
    let path = "/api/v1/apis/import/wsdl?context=%2Fother";
    for (media_type, body, code) in rows {
        let answer = house
            .admin
            .send_bytes("POST", path, media_type, body.as_bytes())
            .await
            .unwrap();
        assert_eq!(answer.status, 422, "{body}: {}", answer.text());
        assert_eq!(
            answer.json()["errors"][0]["code"],
            code,
            "{body}: {}",
            answer.text()
        );
    }
}
