use serde_json::{Value, json};
use tollgate_model::resource::Resource;
use tollgate_model::secret::Secret;
use tollgate_model::user::Role;

use crate::feed::mirror::Follows;
use crate::harness::{Answer, CONTRACT_CACHE_BYTES_MAX, House, Person, feed};

const WSDL: &str = include_str!("tests/orders.wsdl");

/// A house with a publisher and a SOAP service as REST at `/orders/1.0`.
struct Given {
    house: House,
    ann: Person,
    version: String,
    /// The body of the import's response.
    imported: Value,
}

impl Given {
    async fn new() -> Self {
        Self::with("kind=soap_to_rest").await
    }

    async fn with(query: &str) -> Self {
        let gateway = crate::GatewayUrl::Said("https://api.example.com".to_owned());
        let configured = House::configured(|parts| {
            parts.feed = feed(&parts.store, &parts.clock, gateway);
        });
        let house = configured.await;
        let ann = house.person("ann", &[Role::Publisher]).await;
        let path = format!("/api/v1/apis/import/wsdl?context=%2Forders&{query}");
        let import = house.call("POST", &path).body("text/xml", WSDL).by(&ann);
        let imported = import.await.expect(201);
        Self {
            version: imported.text("/version/id").to_owned(),
            imported: imported.body,
            house,
            ann,
        }
    }

    fn path(&self, part: &str) -> String {
        format!("/api/v1/versions/{}/{part}", self.version)
    }

    async fn get(&self, part: &str) -> Answer {
        self.house.get(&self.path(part)).by(&self.ann).await
    }

    async fn patch(&self, rest: Value) -> Answer {
        let body = json!({ "soap": { "rest": rest } });
        let path = self.path("draft");
        self.house.patch(&path, body).by(&self.ann).await
    }

    async fn resources(&self) -> Vec<Resource> {
        let draft = self.get("draft").await.expect(200);
        let resources = draft.body["soap"]["rest"]["resources"].clone();
        serde_json::from_value(resources).unwrap()
    }

    /// Freezes the draft and deploys it.
    async fn deploy(&self) -> Answer {
        let made = self.house.post(&self.path("revisions"), json!({}));
        let made = made.by(&self.ann).await.expect(201);
        let body = json!({ "revision": made.body["number"] });
        let put = self.house.put(&self.path("deployment"), body);
        put.by(&self.ann).await
    }

    async fn publish(&self) {
        let upstream = json!({ "upstream": { "url": "http://127.0.0.1:9" } });
        let path = self.path("draft");
        self.house
            .patch(&path, upstream)
            .by(&self.ann)
            .await
            .expect(200);
        let plans = self.house.put(&self.path("plans"), json!(["gold"]));
        plans.by(&self.ann).await.expect(200);
        let to = json!({ "to": "published" });
        let moved = self.house.post(&self.path("lifecycle"), to);
        moved.by(&self.ann).await.expect(200);
    }

    async fn reimport(&self, wsdl: &str) -> Answer {
        let put = self.house.call("PUT", &self.path("contract"));
        put.body("text/xml", wsdl).by(&self.ann).await
    }
}

fn shown(resources: &[Resource]) -> Vec<String> {
    let shown = resources
        .iter()
        .map(|it| format!("{} {}", it.method, it.path));
    shown.collect()
}

/// Returns the fields and codes of a response's faults.
fn faults(answer: &Answer) -> Value {
    assert_eq!(answer.problem().0, 422, "{answer:?}");
    let faults = answer.body["errors"].as_array().unwrap().iter();
    faults.map(|it| json!([it["field"], it["code"]])).collect()
}

#[tokio::test]
async fn an_import_proposes_resources_or_reports_why_an_operation_has_none() {
    let given = Given::new().await;
    assert_eq!(given.imported["api"]["kind"], "soap_to_rest");
    assert_eq!(
        shown(&given.resources().await),
        [
            "GET /order/{orderId}",
            "GET /orders",
            "POST /placeOrder",
            "POST /gr%C3%B6%C3%9Fe.holen",
        ]
    );
    let report = &given.imported["report"];
    let reported = report["resources"].as_array().unwrap();
    assert_eq!(reported.len(), 5);
    assert_eq!(reported[0]["resource"]["path"], "/order/{orderId}");
    assert_eq!(reported[4]["operation"], "oldStyle");
    assert!(reported[4]["proxy_only"].is_string() && reported[4]["resource"].is_null());
    let later = given.get("contract").await.expect(200);
    assert_eq!(later.body["resources"], report["resources"]);

    let rpc = Given::with("kind=soap_to_rest&style=rpc").await;
    assert_eq!(shown(&rpc.resources().await)[0], "POST /getOrder");
    let proxied = Given::with("kind=soap").await;
    assert_eq!(proxied.imported["report"]["resources"], Value::Null);
    let path = "/api/v1/apis/import/wsdl?context=%2Fx&style=rpc";
    let wrong = given.house.call("POST", path).body("text/xml", WSDL);
    let wrong = wrong.by(&given.ann).await;
    assert_eq!(wrong.body["errors"][0]["code"], "wsdl.style", "{wrong:?}");
}

#[tokio::test]
async fn a_deployed_service_reaches_gateways_with_plan_resources_and_names() {
    let given = Given::new().await;
    let upstream = json!({ "upstream": { "url": "http://127.0.0.1:9" } });
    let upstream = given.house.patch(&given.path("draft"), upstream);
    upstream.by(&given.ann).await.expect(200);
    let follows = Follows::new(&given.house.control.feed);
    let secret = json!({ "name": "us", "password": "s3cr3t" });
    let rest = json!({ "back_end": {
        "headers": { "session": { "token": "t" } }, "username_token": secret,
    } });
    // A parameter cannot set a field that the configuration sets.
    let refused = given.patch(rest.clone()).await;
    let field = "/soap/rest/resources/0/parameters/2/path";
    assert_eq!(faults(&refused), json!([[field, "resource.contract"]]));
    let mut rest = rest;
    let mut resources = given.resources().await;
    resources[0].parameters.pop();
    resources[1].enabled = false;
    rest["resources"] = json!(resources);
    given.patch(rest).await.expect(200);
    given.publish().await;
    let mirror = follows.until(|mirror| mirror.versions.len() == 1).await;
    let served = mirror.versions.into_values().next().unwrap();
    let soap = served.soap.unwrap();
    let rest = soap.rest.unwrap();
    let called: Vec<_> = served
        .operations
        .iter()
        .map(|it| it.path.as_str())
        .collect();
    assert_eq!(
        called,
        ["/order/{orderId}", "/placeOrder", "/gr%C3%B6%C3%9Fe.holen"]
    );
    // Usage and limits identify it by its SOAP operation.
    assert_eq!(served.operations[0].id, soap.operations[0].id);
    assert_eq!(rest.resources[1].operation, 2);
    assert_eq!(
        rest.headers,
        [("session".to_owned(), r#"{"token":"t"}"#.to_owned())]
    );
    assert_eq!(
        rest.username_token.unwrap().password,
        Secret("s3cr3t".to_owned())
    );
    let plan = tollgate_soap::plan::ServicePlan::from_bytes(&rest.plan).unwrap();
    assert_eq!(&*plan.operations[2].name, "placeOrder");
}

#[tokio::test]
async fn faults_of_resources_have_pointers() {
    let given = Given::new().await;
    let resources = json!(given.resources().await);
    let at = |pointer: &str, value: Value| {
        let mut rest = json!({ "resources": resources });
        let (way, key) = pointer.rsplit_once('/').unwrap();
        let target = rest.pointer_mut(way).unwrap();
        match key.parse::<usize>() {
            Ok(index) => target[index] = value,
            Err(_) => target[key] = value,
        }
        rest
    };
    let parameter =
        |name: &str, path: Value| json!([{ "place": "header", "name": name, "path": path }]);
    let rows = [
        (
            at("/resources/1/path", json!("/order/{x}")),
            vec![
                ("/resources/1/path", "resource.path"),
                ("/resources/1", "operation.repeated"),
            ],
        ),
        (
            at("/resources/1/path", json!("orders")),
            vec![("/resources/1/path", "body.invalid")],
        ),
        (
            at("/resources/1/method", json!("HEAD")),
            vec![("/resources/1/method", "resource.method")],
        ),
        (
            at("/resources/1/operation", json!("getOrder")),
            vec![("/resources/1/operation", "resource.repeated")],
        ),
        (
            at("/resources/1/operation", json!("nope")),
            vec![("/resources/1/operation", "soap.no_operation")],
        ),
        (
            at("/resources/1/operation", json!("oldStyle")),
            vec![
                ("/resources/1/operation", "resource.contract"),
                ("/resources/1/parameters/0/path", "resource.contract"),
            ],
        ),
        (
            at("/resources/0/parameters", json!([])),
            vec![("/resources/0/path", "resource.path")],
        ),
        (
            at("/resources/2/method", json!("GET")),
            vec![("/resources/2/method", "resource.contract"); 2],
        ),
        (
            at("/resources/0/parameters/1/path", json!(["nope"])),
            vec![("/resources/0/parameters/1/path", "resource.contract")],
        ),
        (
            at("/resources/0/parameters/1/is_array", json!(true)),
            vec![("/resources/0/parameters/1/is_array", "resource.contract")],
        ),
        (
            at("/resources/1/parameters", parameter("Host", json!(["tag"]))),
            vec![("/resources/1/parameters/0/name", "resource.parameter")],
        ),
        (
            at("/resources/1/parameters", parameter("a b", json!(["tag"]))),
            vec![("/resources/1/parameters/0/name", "resource.parameter")],
        ),
        (
            at(
                "/resources/1/parameters",
                parameter("ApiKey", json!(["tag"])),
            ),
            vec![("/resources/1/parameters/0/name", "resource.parameter")],
        ),
        (
            json!({ "answers": { "fault_statuses": { "OrderNotFound": 200 } } }),
            vec![("/answers/fault_statuses/OrderNotFound", "soap.fault_status")],
        ),
        (
            json!({ "answers": { "fault_statuses": { "Nope": 404 } } }),
            vec![("/answers/fault_statuses/Nope", "soap.fault_status")],
        ),
        (
            json!({ "back_end": { "headers": { "nope": 1 } } }),
            vec![("/back_end/headers/nope", "soap.header")],
        ),
        (
            json!({ "back_end": { "basic": { "name": "a:b", "password": "***" } } }),
            vec![
                ("/back_end/basic/name", "soap.user"),
                ("/back_end/basic/password", "soap.password"),
            ],
        ),
    ];
    for (rest, expected) in rows {
        let refused = given.patch(rest.clone()).await;
        let expected = expected.iter().map(|(field, code)| {
            let field = format!("/soap/rest{field}");
            json!([field, code])
        });
        let expected: Vec<_> = expected.collect();
        assert_eq!(faults(&refused), json!(expected), "{rest}");
    }
    // Nothing was saved.
    assert_eq!(json!(given.resources().await), resources);
    given.deploy().await.expect(200);
}

#[tokio::test]
async fn another_contract_is_compared_with_the_deployed_one() {
    let given = Given::new().await;
    given.publish().await;
    let same = given.get("difference").await.expect(200);
    assert_eq!(same.body.get("contract"), None);
    let another = WSDL.replace(
        "name=\"amount\" type=\"x:decimal\"",
        "name=\"amount\" type=\"x:string\"",
    );
    given.reimport(&another).await.expect(200);
    let found = given.get("difference").await.expect(200);
    assert_eq!(found.text("/changes/0/pointer"), "/soap/contract");
    assert_eq!(found.text("/contract/outcome"), "compared");
    let changed = json!({
        "operation": "searchOrders", "reasons": ["its response has changed"],
    });
    let operations = found.body["contract"]["operations"].as_array().unwrap();
    assert!(operations.contains(&changed), "{operations:?}");
    // Callers read an OpenAPI document of the resources.
    assert_eq!(found.text("/document/outcome"), "compared");
    let difference = &found.body["document"]["difference"];
    assert_ne!(difference["breaking"], 0, "{difference}");
}

#[tokio::test]
async fn contracts_too_large_for_a_document_are_served_and_not_compared() {
    let derived = (0..1_500).map(|n| {
        format!(
            "<x:complexType name='D{n}'><x:complexContent><x:extension base='o:Order'/>\
             </x:complexContent></x:complexType>"
        )
    });
    let derived: String = derived.collect();
    let elements = (0..400).map(|n| format!("<x:element name='e{n}' type='o:Order'/>"));
    let elements: String = elements.collect();
    let start = "<x:element name=\"placeOrder\"><x:complexType><x:sequence>";
    let large = WSDL.replace(start, &format!("{start}{elements}"));
    let large = large.replace("</x:schema>", &format!("{derived}</x:schema>"));
    let given = Given::new().await;
    let replaced = given.reimport(&large).await.expect(200);
    let changes = replaced.body["changes"].as_array().unwrap();
    let reason = json!(["its contract is too large to be compared"]);
    assert_eq!(changes.len(), 5, "{changes:?}");
    let compared = changes.iter().filter(|it| it["reasons"] != reason);
    assert_eq!(compared.count(), 0, "{changes:?}");
    let same = given.reimport(&large).await.expect(200);
    assert_eq!(same.body["changes"], json!([]));
    given.publish().await;
    let document = given.get("document").await;
    assert_eq!(document.problem().1, "soap.contract");
    assert_eq!(
        document.text("/detail"),
        "the contract is too large for an OpenAPI document"
    );
}

#[tokio::test]
async fn a_service_without_an_enabled_resource_is_not_published() {
    let given = Given::new().await;
    let mut resources = given.resources().await;
    for resource in &mut resources {
        resource.enabled = false;
    }
    let rest = json!({ "resources": resources });
    given.patch(rest).await.expect(200);
    let to = json!({ "to": "published" });
    let moved = given.house.post(&given.path("lifecycle"), to);
    let moved = moved.by(&given.ann).await;
    assert_eq!(moved.problem(), (409, "lifecycle.missing"));
    assert_eq!(moved.text("/errors/0/code"), "lifecycle.no_operation");
    resources[0].enabled = true;
    let rest = json!({ "resources": resources });
    given.patch(rest).await.expect(200);
    given.publish().await;
    resources[0].enabled = false;
    let rest = json!({ "resources": resources });
    given.patch(rest).await.expect(200);
    let refused = json!([["/soap/rest/resources", "deployment.no_operation"]]);
    assert_eq!(faults(&given.deploy().await), refused);
}

#[tokio::test]
async fn edited_resources_survive_another_contract_and_changes_are_reported() {
    let given = Given::new().await;
    let mut resources = given.resources().await;
    resources[0].path = serde_json::from_value(json!("/orders/{orderId}")).unwrap();
    resources[2].enabled = false;
    given
        .patch(json!({ "resources": resources }))
        .await
        .expect(200);
    let another = WSDL
        .replace("name=\"orderId\"", "name=\"orderNumber\"")
        .replace(
            "name=\"amount\" type=\"x:decimal\"",
            "name=\"amount\" type=\"x:string\"",
        )
        .replace(
            "operation name=\"größe.holen\"",
            "operation name=\"cancelAll\"",
        );
    let made = given.reimport(&another).await.expect(200);
    let changes = made.body["changes"].as_array().unwrap();
    let reported: Vec<_> = changes
        .iter()
        .map(|it| {
            json!([
                it["operation"],
                it["change"],
                it["before"]["path"],
                it["now"]["path"]
            ])
        })
        .collect();
    assert_eq!(
        json!(reported),
        json!([
            [
                "getOrder",
                "changed",
                "/orders/{orderId}",
                "/orders/{orderNumber}"
            ],
            ["searchOrders", "changed", "/orders", "/orders"],
            ["placeOrder", "changed", "/placeOrder", "/placeOrder"],
            ["cancelAll", "added", Value::Null, "/all"],
            [
                "größe.holen",
                "removed",
                "/gr%C3%B6%C3%9Fe.holen",
                Value::Null
            ],
        ])
    );
    assert_eq!(changes[1]["reasons"], json!(["its response has changed"]));
    let kept = given.resources().await;
    assert_eq!(json!(kept), made.body["draft"]["soap"]["rest"]["resources"]);
    assert!(!kept[2].enabled && kept[0].enabled);
    given.deploy().await.expect(200);
    // The same contract again changes nothing.
    let same = given.reimport(&another).await.expect(200);
    assert_eq!(same.body["changes"], json!([]), "{same:?}");
    assert_eq!(json!(given.resources().await), json!(kept));
}

#[tokio::test]
async fn the_document_describes_the_deployed_revision_or_on_request_the_draft() {
    let given = Given::new().await;
    let draft = given.get("document").await.expect(200);
    assert_eq!(draft.header("content-type"), Some("application/json"));
    assert_eq!(draft.body["openapi"], "3.1.0");
    assert_eq!(
        draft.body["info"],
        json!({ "title": "OrderService", "version": "1.0" })
    );
    let server = json!([{ "url": "https://api.example.com/orders/1.0" }]);
    assert_eq!(draft.body["servers"], server);
    let scheme = &draft.body["components"]["securitySchemes"]["key"];
    assert_eq!(scheme["name"], "apikey");
    let get = &draft.body["paths"]["/order/{orderId}"]["get"];
    assert_eq!(get["description"], "One order.");
    assert!(get["responses"]["404"].is_object(), "{get}");
    given.deploy().await.expect(200);
    let mut resources = given.resources().await;
    resources.truncate(1);
    given
        .patch(json!({ "resources": resources }))
        .await
        .expect(200);
    assert_eq!(given.get("document").await.body, draft.body);
    assert_eq!(given.get("document?of=deployed").await.body, draft.body);
    let edited = given.get("document?of=draft").await.expect(200);
    assert_eq!(edited.body["paths"].as_object().unwrap().len(), 1);

    let proxied = Given::with("kind=soap").await;
    let wsdl = proxied.get("document").await.expect(200);
    assert_eq!(wsdl.header("content-type"), Some("text/xml; charset=utf-8"));
    let expected = WSDL.replace("http://back.internal:8001", "https://api.example.com");
    let expected = expected.replace(".com/orders\"", ".com/orders/1.0\"");
    assert_eq!(wsdl.body, Value::from(expected));
}

#[tokio::test]
async fn passwords_are_never_shown_and_kept_until_replaced() {
    let given = Given::new().await;
    let basic = |password: &str| {
        let basic = json!({ "name": "us", "password": password });
        json!({ "back_end": { "basic": basic } })
    };
    let mut answers = vec![given.patch(basic("s3cr3t")).await.expect(200)];
    let etag = answers[0].header("etag").unwrap().to_owned();
    let whole = answers[0].body.clone();
    let put = given.house.put(&given.path("draft"), whole);
    answers.push(
        put.header("if-match", &etag)
            .by(&given.ann)
            .await
            .expect(200),
    );
    answers.push(given.patch(basic("***")).await.expect(200));
    answers.push(
        given
            .patch(json!({ "answers": { "strict": true } }))
            .await
            .expect(200),
    );
    answers.push(given.get("draft").await.expect(200));
    answers.push(given.deploy().await.expect(200));
    answers.push(given.get("revisions/1").await.expect(200));
    answers.push(given.reimport(WSDL).await.expect(200));
    let refused = json!({ "back_end": { "basic": { "password": 1, "name": "s3cr3t" } } });
    given.patch(refused).await.expect(422);
    for answer in answers {
        let text = answer.body.to_string();
        assert!(!text.contains("s3cr3t"), "{text}");
    }
    let store = &given.house.control.store;
    let version = given.version.parse().unwrap();
    let draft = tollgate_store::versions::draft(store, version)
        .await
        .unwrap();
    let back_end = draft.configuration.soap.unwrap().rest.unwrap().back_end;
    assert_eq!(back_end.basic.unwrap().password.0, "s3cr3t");
}

#[tokio::test]
async fn others_read_the_deployed_document_and_not_the_draft() {
    let given = Given::new().await;
    given.publish().await;
    let deployed = given.get("document").await.expect(200);
    let mut resources = given.resources().await;
    resources[0].enabled = false;
    given
        .patch(json!({ "resources": resources }))
        .await
        .expect(200);
    let bob = given.house.person("bob", &[Role::Publisher]).await;
    let get = async |part: &str| given.house.get(&given.path(part)).by(&bob).await;
    for part in ["document", "document?of=deployed"] {
        assert_eq!(get(part).await.expect(200).body, deployed.body);
    }
    let draft = given.get("document?of=draft").await.expect(200);
    assert_ne!(draft.body, deployed.body);
    for part in ["document?of=draft", "contract"] {
        assert_eq!(get(part).await.problem(), (403, "api.not_owner"));
    }
}

#[tokio::test]
async fn a_password_is_not_sent_to_a_changed_address() {
    let given = Given::new().await;
    let path = given.path("draft");
    let patch = async |body: Value| given.house.patch(&path, body).by(&given.ann).await;
    let upstream = |url: &str| json!({ "upstream": { "url": url } });
    let basic = json!({ "name": "us", "password": "s3cr3t" });
    let back_end = json!({ "soap": { "rest": { "back_end": { "basic": basic } } } });
    patch(upstream("http://a:81")).await.expect(200);
    patch(back_end.clone()).await.expect(200);
    let refused = (422, "soap.password_address");
    let evil = upstream("http://evil:81");
    let sandbox = json!({ "sandbox_upstream": { "url": "http://evil:81" } });
    let mut masked = evil.clone();
    masked["soap"] = json!({ "rest": { "back_end": { "basic": { "password": "***" } } } });
    for body in [&evil, &sandbox, &masked] {
        let answer = patch(body.clone()).await;
        assert_eq!(answer.problem(), refused, "{body}");
        let field = "/soap/rest/back_end/basic/password";
        assert_eq!(answer.text("/errors/0/field"), field);
    }
    // The whole draft as shown.
    let shown = given.get("draft").await;
    let etag = shown.header("etag").unwrap().to_owned();
    let mut whole = shown.body.clone();
    whole["upstream"]["url"] = json!("http://evil:81");
    let put = given.house.put(&path, whole).header("if-match", &etag);
    assert_eq!(put.by(&given.ann).await.problem(), refused);
    // An invalid URL is reported first.
    let wrong = patch(upstream("ftp://evil")).await;
    assert_eq!(wrong.problem(), (422, "upstream.url"));
    // Another contract keeps the password and the address.
    given.reimport(WSDL).await.expect(200);
    assert_eq!(patch(evil.clone()).await.problem(), refused);
    // A copy of the version.
    let api = given.imported["api"]["id"].as_str().unwrap();
    let versions = format!("/api/v1/apis/{api}/versions");
    let copy = given
        .house
        .post(&versions, json!({ "name": "2.0", "from": "1.0" }));
    let copy = copy.by(&given.ann).await.expect(201);
    let copied = format!("/api/v1/versions/{}/draft", copy.text("/id"));
    let turned = given.house.patch(&copied, evil.clone());
    assert_eq!(turned.by(&given.ann).await.problem(), refused);
    // A new owner cannot use the password either.
    let bob = given.house.person("bob", &[Role::Publisher]).await;
    let owner = json!({ "owner": bob.id });
    let hand_over = given.house.patch(&format!("/api/v1/apis/{api}"), owner);
    hand_over.by(&given.ann).await.expect(200);
    let patch = async |body: Value| given.house.patch(&path, body).by(&bob).await;
    assert_eq!(patch(evil.clone()).await.problem(), refused);
    // Removing the upstream first does not help.
    patch(json!({ "upstream": null })).await.expect(200);
    assert_eq!(patch(evil.clone()).await.problem(), refused);
    assert_eq!(patch(upstream("http://a:81")).await.problem(), refused);
    // After removing its service, a draft has no password left.
    let mut bare = evil.clone();
    bare["soap"] = Value::Null;
    patch(bare).await.expect(200);
    let mut masked = back_end.clone();
    masked["soap"]["rest"]["back_end"]["basic"]["password"] = json!("***");
    patch(masked).await.expect(422);
    let put = given.house.call("PUT", &given.path("contract"));
    let made = put.body("text/xml", WSDL).by(&bob).await.expect(200);
    assert_eq!(made.body["draft"]["soap"]["rest"]["back_end"], json!({}));
    // With the password in the request, any address is allowed.
    let mut given_again = upstream("http://b:82");
    given_again["soap"] = back_end["soap"].clone();
    patch(given_again).await.expect(200);
}

#[tokio::test]
async fn the_shape_of_the_json_is_the_publishers_choice_over_contracts_too() {
    let given = Given::new().await;
    let wsdl = WSDL.replace(
        "<x:element name=\"amount\" type=\"x:decimal\"/>\n      </x:sequence>",
        "<x:element name=\"amount\" type=\"x:decimal\"/>\n      </x:sequence>\
         <x:attribute name=\"kind\" type=\"x:string\"/>",
    );
    given.reimport(&wsdl).await.expect(200);
    let properties = |document: &Answer| {
        let order = &document.body["components"]["schemas"]["Order"];
        let mut keys: Vec<_> = order["properties"].as_object().unwrap().keys().collect();
        keys.retain(|key| key.ends_with("kind"));
        json!(keys)
    };
    let document = given.get("document?of=draft").await.expect(200);
    assert_eq!(properties(&document), json!(["kind"]));
    let shape = json!({ "shape": { "marks_attributes": true } });
    given.patch(shape).await.expect(200);
    let document = given.get("document?of=draft").await.expect(200);
    assert_eq!(properties(&document), json!(["@kind"]));
    let same = given.reimport(&wsdl).await.expect(200);
    assert_eq!(same.body["changes"], json!([]));
    given.deploy().await.expect(200);
}

/// Returns the WSDL padded with `bytes` in a comment, which `number` makes unique.
fn padded(number: usize, bytes: usize) -> String {
    let end = WSDL.rfind("</").unwrap();
    format!(
        "{}<!-- {number}{} -->{}",
        &WSDL[..end],
        "x".repeat(bytes),
        &WSDL[end..]
    )
}

#[tokio::test]
async fn the_contract_cache_is_bounded_and_cleared_with_its_api() {
    let given = Given::new().await;
    let contracts = &given.house.control.contracts;
    let mut apis = Vec::new();
    for number in 0..8 {
        let path = format!("/api/v1/apis/import/wsdl?context=%2Fbig{number}&name=Big{number}");
        let import = given.house.call("POST", &path);
        let import = import.body("text/xml", padded(number, 300_000));
        let imported = import.by(&given.ann).await.expect(201);
        let version = imported.text("/version/id");
        let document = format!("/api/v1/versions/{version}/document");
        let served = given.house.get(&document).by(&given.ann).await.expect(200);
        assert!(
            served
                .header("content-type")
                .unwrap()
                .starts_with("text/xml")
        );
        let cached = contracts.cached_bytes();
        // The eight exceed the bound; as many as fit are cached.
        let least = 300_000 * (number + 1).min(3);
        assert!(
            (least..=CONTRACT_CACHE_BYTES_MAX).contains(&cached),
            "{cached}"
        );
        apis.push(imported.text("/api/id").to_owned());
    }
    // Another context is another address, so the results for the previous one are removed.
    let moved = format!("/api/v1/apis/{}", apis[7]);
    let change = given.house.patch(&moved, json!({ "context": "/moved" }));
    let before = contracts.cached_bytes();
    change.by(&given.ann).await.expect(200);
    assert!(contracts.cached_bytes() <= before - 300_000);
    for api in apis {
        let delete = given.house.call("DELETE", &format!("/api/v1/apis/{api}"));
        delete.by(&given.ann).await.expect(204);
    }
    assert_eq!(contracts.cached_bytes(), 0);
}

#[tokio::test]
async fn a_context_with_the_same_prefix_keeps_its_cached_results() {
    let given = Given::new().await;
    given.get("document?of=draft").await.expect(200);
    let contracts = &given.house.control.contracts;
    let cached = contracts.cached_bytes();
    assert!(cached > 0);
    contracts.forget("/order");
    assert_eq!(contracts.cached_bytes(), cached);
    contracts.forget("/orders");
    assert_eq!(contracts.cached_bytes(), 0);
}

#[tokio::test]
async fn an_import_makes_attributes_of_any_content_members_and_older_drafts_keep_their_text() {
    let given = Given::new().await;
    let wsdl = WSDL.replacen("type=\"x:decimal\"", "type=\"x:anyType\"", 1);
    assert_ne!(wsdl, WSDL);
    let any = async || {
        let draft = given.get("draft").await.expect(200);
        draft.body["soap"]["rest"]["answers"]["any"].clone()
    };
    let component = async || {
        let document = given.get("document?of=draft").await.expect(200);
        document.body["components"]["schemas"]["anyType"].clone()
    };
    assert_eq!(any().await, json!("members"));
    given.reimport(&wsdl).await.expect(200);
    let members = component().await;
    assert_eq!(
        members["patternProperties"],
        json!({ "^\\{": { "type": "string" } })
    );
    assert_eq!(members["required"], json!(["value"]));
    given.deploy().await.expect(200);
    // As in a draft of an earlier release.
    let text = json!({ "answers": { "any": "text" } });
    given.patch(text).await.expect(200);
    assert_eq!(any().await, json!("text"));
    assert_eq!(component().await, Value::Null);
    let same = given.reimport(&wsdl).await.expect(200);
    assert_eq!(same.body["changes"], json!([]));
    assert_eq!(any().await, json!("text"));
    let found = given.get("difference").await.expect(200);
    let pointer = |it: &Value| (it["group"].clone(), it["pointer"].clone());
    let changes = found.body["changes"].as_array().unwrap().iter();
    let wanted = (json!("contract"), json!("/soap/rest/answers/any"));
    assert!(changes.map(pointer).any(|it| it == wanted), "{found:?}");
    let difference = found.body["document"]["difference"].to_string();
    let sentence = "`Order.amount` is string instead of object";
    assert!(difference.contains(sentence), "{difference}");
}
