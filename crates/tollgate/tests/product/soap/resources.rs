//! The life of a SOAP service as REST, from its import to edited resources and a new contract.

use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, http, upstream};

use super::{House, ORDERS, PUBLIC, V1_2, WSDL, archive, archive_with, message};
use crate::house::builder;

/// The service as REST next to the one that is forwarded.
struct Rest {
    house: House,
    version: String,
    key: String,
    /// The response to the import.
    imported: Value,
}

impl Rest {
    async fn new() -> Self {
        Self::of(House::new().await).await
    }

    async fn of(house: House) -> Self {
        let path = "/api/v1/apis/import/wsdl?context=%2Frest&name=Rest&kind=soap_to_rest";
        let archive = archive();
        let sent = house
            .admin
            .send_bytes("POST", path, "application/zip", &archive);
        let answer = sent.await.unwrap();
        assert_eq!(answer.status, 201, "{}", answer.text());
        let imported = answer.json();
        let version = imported["version"]["id"].as_str().unwrap().to_owned();
        let url = format!("{}/back", house.upstream.url());
        house.admin.upstream(&version, &url).await.unwrap();
        house.admin.attach(&version, &["tested"]).await.unwrap();
        house.admin.lifecycle(&version, "published").await.unwrap();
        let consumer = house
            .admin
            .consumer("app", &version, "tested")
            .await
            .unwrap();
        Self {
            house,
            version,
            key: consumer.key,
            imported,
        }
    }

    fn path(&self, part: &str) -> String {
        format!("/api/v1/versions/{}/{part}", self.version)
    }

    /// Changes the resources of the draft.
    async fn edit(&self, edit: impl Fn(&mut Value)) {
        let draft = self.path("draft");
        let mut now = self.house.admin.done("GET", &draft, None).await.unwrap();
        let mut resources = now["soap"]["rest"]["resources"].take();
        edit(&mut resources);
        let change = json!({ "soap": { "rest": { "resources": resources } } });
        self.house
            .admin
            .done("PATCH", &draft, Some(&change))
            .await
            .unwrap();
    }

    async fn deploy(&self) {
        let revision = self.house.admin.revision(&self.version).await.unwrap();
        self.house
            .admin
            .deploy(&self.version, revision)
            .await
            .unwrap();
    }

    /// Calls with the consumer's key, while the back end responds with this body.
    async fn get(&self, target: &str, body: &str) -> http::Answer {
        let body = message(V1_2, "", body);
        let fields = "Content-Type: application/soap+xml\r\n";
        let answer = upstream::answer(body.as_bytes(), fields);
        self.house.upstream.behave(Behaviour::Answer(answer));
        let fields = [("apikey", self.key.as_str())];
        let request = http::request("GET", target, &fields, b"");
        self.house.send(&request).await
    }
}

#[tokio::test]
async fn edited_resources_are_called_described_and_moved_to_a_new_contract() {
    let rest = Rest::new().await;
    let reported: Vec<_> = rest.imported["report"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            json!([
                it["operation"],
                it["resource"]["method"],
                it["resource"]["path"]
            ])
        })
        .collect();
    assert_eq!(
        json!(reported),
        json!([
            ["getOrder", "GET", "/order/{id}"],
            ["placeOrder", "POST", "/placeOrder"]
        ])
    );
    let answered = "<o:getOrderResponse><o:id>7</o:id></o:getOrderResponse>";
    let first = rest.get("/rest/1.0/order/7", answered).await;
    assert_eq!(
        (first.status, first.json()),
        (200, json!({ "id": "7" })),
        "{}",
        first.text()
    );

    rest.edit(|of| of[0]["path"] = json!("/orders/{id}")).await;
    rest.deploy().await;
    let edited = rest.get("/rest/1.0/orders/7", answered).await;
    assert_eq!(edited.status, 200, "{}", edited.text());
    assert_eq!(rest.get("/rest/1.0/order/7", answered).await.status, 404);
    let document = rest
        .house
        .admin
        .done("GET", &rest.path("document"), None)
        .await
        .unwrap();
    assert_eq!(
        document["servers"],
        json!([{ "url": format!("{PUBLIC}/rest/1.0") }])
    );
    assert!(
        document["paths"]["/orders/{id}"]["get"].is_object(),
        "{document}"
    );

    // rest.reimport.edited_paths
    let renamed = ORDERS.replacen("name=\"id\" type", "name=\"number\" type", 1);
    let (path, archive) = (rest.path("contract"), archive_with(WSDL, &renamed));
    let sent = rest
        .house
        .admin
        .send_bytes("PUT", &path, "application/zip", &archive);
    let answer = sent.await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    let changes = answer.json()["changes"].take();
    assert_eq!(changes.as_array().unwrap().len(), 1, "{changes}");
    let change = &changes[0];
    assert_eq!(
        (&change["operation"], &change["change"]),
        (&json!("getOrder"), &json!("changed"))
    );
    assert_eq!(change["before"]["path"], "/orders/{id}");
    assert_eq!(change["now"]["path"], "/orders/{number}");
    rest.deploy().await;
    let last = rest.get("/rest/1.0/orders/8", answered).await;
    assert_eq!(last.status, 200, "{}", last.text());
    let received = rest.house.upstream.received().concat();
    let sent = String::from_utf8_lossy(&received);
    assert!(sent.contains("number>8</"), "{sent}");

    // All three served calls are of one operation, whatever their paths.
    let calls = rest.house.calls(4).await;
    assert!(calls.contains(&("getOrder".to_owned(), 3)), "{calls:?}");
}

#[tokio::test]
async fn a_resource_that_contradicts_the_contract_is_refused_when_saved() {
    refuses_resources_that_contradict_the_contract(Rest::new().await).await;
}

#[tokio::test]
async fn drafts_are_validated_against_contracts_too_large_to_be_cached() {
    let builder = builder().set("control-contract-cache-bytes-max", "0");
    let house = House::with(&builder.set("gateway-public-url", PUBLIC)).await;
    refuses_resources_that_contradict_the_contract(Rest::of(house).await).await;
}

async fn refuses_resources_that_contradict_the_contract(rest: Rest) {
    let draft = rest.path("draft");
    let resource = |path: &str, parameters: Value| {
        let mut resource = json!({ "operation": "getOrder", "method": "GET", "path": path });
        resource["parameters"] = parameters;
        resource
    };
    let id = json!({ "place": "path", "name": "id", "path": ["id"] });
    let nope = json!({ "place": "query", "name": "nope", "path": ["nope"] });
    let rows = [
        (
            resource("/order", json!([])),
            "/soap/rest/resources/0/method",
        ),
        (
            resource("/order/{x}", json!([id])),
            "/soap/rest/resources/0/parameters/0/name",
        ),
        (
            resource("/order/{id}", json!([id, nope])),
            "/soap/rest/resources/0/parameters/1/path",
        ),
        (resource("order", json!([])), "/soap/rest/resources/0/path"),
    ];
    for (resource, field) in rows {
        let change = json!({ "soap": { "rest": { "resources": [resource] } } });
        let answer = rest
            .house
            .admin
            .send("PATCH", &draft, Some(&change))
            .await
            .unwrap();
        assert_eq!(answer.status, 422, "{change}: {}", answer.text());
        assert_eq!(answer.json()["errors"][0]["field"], field, "{change}");
    }
}
