use serde_json::{Value, json};
use tollgate_model::user::Role;

use crate::harness::{Answer, House, Person};

const WSDL: &str = include_str!("../../contracts/tests/orders.wsdl");

/// Returns a document in which listing pets has these parameters.
fn document(parameters: &Value, paths: &[&str]) -> String {
    let operation = json!({"parameters": parameters, "responses": {"200": {"description": "ok"}}});
    let paths: serde_json::Map<_, _> = paths
        .iter()
        .map(|path| ((*path).to_owned(), json!({"get": operation})))
        .collect();
    let document = json!({
        "openapi": "3.0.3", "info": {"title": "Pets", "version": "1"}, "paths": paths,
    });
    document.to_string()
}

/// A published version 1.0 of ann's API, and a draft 2.0.
struct Given {
    house: House,
    ann: Person,
    dev: Person,
    api: String,
    first: String,
}

impl Given {
    /// Creates an API; with a document if one is given.
    async fn new(text: Option<&str>) -> Self {
        let house = House::new().await;
        let ann = house.person("ann", &[Role::Publisher]).await;
        let dev = house.person("dev", &[Role::Developer]).await;
        let import = "/api/v1/apis/import?context=/pets&name=Pets&version=1.0";
        let create = json!({"name": "Pets", "context": "/pets", "version": "1.0"});
        let call = match text {
            Some(text) => house.call("POST", import).body("application/json", text),
            None => house.post("/api/v1/apis", create),
        };
        let made = call.by(&ann).await.expect(201);
        let given = Self {
            api: made.text("/api/id").to_owned(),
            first: made.text("/version/id").to_owned(),
            house,
            ann,
            dev,
        };
        given.publish(&given.first, json!({})).await;
        given
    }

    async fn publish(&self, version: &str, draft: Value) {
        let mut draft = draft;
        draft["upstream"] = json!({"url": "http://back.internal:81"});
        let plans = json!(["gold"]);
        self.house.publish(&self.ann, version, draft, plans).await;
    }

    /// Creates version 2.0 from a document, or as a copy, and publishes it with these changes.
    async fn second(&self, text: Option<&str>, draft: Value) -> String {
        let path = format!("/api/v1/apis/{}/versions", self.api);
        let call = match text {
            Some(text) => {
                let path = format!("{path}?name=2.0&from=1.0");
                let call = self.house.call("POST", &path);
                call.body("application/json", text)
            }
            None => {
                let copy = json!({"name": "2.0", "from": "1.0"});
                self.house.post(&path, copy)
            }
        };
        let made = call.by(&self.ann).await.expect(201);
        let version = made.body.pointer("/version/id").or(made.body.get("id"));
        let version = version.and_then(Value::as_str).unwrap().to_owned();
        self.publish(&version, draft).await;
        version
    }

    async fn difference(&self, version: &str, query: &str) -> Answer {
        let path = format!("/api/v1/catalogue/{version}/difference{query}");
        self.house.get(&path).by(&self.dev).await
    }

    async fn enter(&self, version: &str, body: Value) {
        let path = format!("/api/v1/versions/{version}/lifecycle");
        let call = self.house.post(&path, body).by(&self.ann);
        call.await.expect(200);
    }
}

#[tokio::test]
async fn developers_see_what_breaks_on_the_way_to_the_successor() {
    let old = document(&json!([]), &["/pets", "/owners"]);
    let given = Given::new(Some(&old)).await;
    let required = json!([{"name": "page", "in": "query", "required": true, "schema": {}}]);
    let new = document(&required, &["/pets"]);
    let second = given.second(Some(&new), json!({})).await;
    let none = given.difference(&given.first, "").await;
    assert_eq!(none.problem(), (404, "successor.unknown"));
    let deprecate = json!({"to": "deprecated", "successor": "2.0"});
    given.enter(&given.first, deprecate).await;

    let found = given.difference(&given.first, "").await.expect(200);
    let named = ["/from", "/from_name", "/to", "/to_name"].map(|it| found.text(it));
    assert_eq!(named, [&*given.first, "1.0", &*second, "2.0"]);
    assert_eq!(found.body["described"], true);
    let document = &found.body["document"];
    assert_eq!(document["breaking"], 2);
    assert_eq!(document["removed"][0]["path"], "/owners");
    let change = &document["changed"][0]["changes"][0];
    assert_eq!(change["breaking"], "parameter_required");
    let text = found.body.to_string();
    assert!(!text.contains("internal"), "{text}");

    let query = format!("?to={second}");
    let same = given.difference(&given.first, &query).await.expect(200);
    assert_eq!(same.body, found.body);
    let etag = found.header("etag").unwrap().to_owned();
    let path = format!("/api/v1/catalogue/{}/difference", given.first);
    let known = given.house.get(&path).header("if-none-match", &etag);
    known.by(&given.dev).await.expect(304);
    let stranger = given.house.get(&path).await;
    assert_eq!(stranger.problem(), (401, "session.missing"));

    // What the catalogue does not show cannot be compared.
    given.enter(&second, json!({"to": "blocked"})).await;
    let hidden = given.difference(&given.first, &query).await;
    assert_eq!(hidden.problem(), (404, "version.unknown"));
    assert_eq!(hidden.text("/errors/0/field"), "/to");
    let hidden = given.difference(&second, "").await;
    assert_eq!(hidden.problem(), (404, "version.unknown"));
}

#[tokio::test]
async fn without_documents_operations_and_credentials_are_compared() {
    let given = Given::new(None).await;
    let draft = json!({
        "operations": [{"method": "GET", "path": "/"}, {"method": "GET", "path": "/other"}],
        "security": {"api_key": null, "basic": {}},
    });
    let second = given.second(None, draft).await;
    let query = format!("?to={second}");
    let found = given.difference(&given.first, &query).await.expect(200);
    assert_eq!(found.body["described"], false);
    let document = &found.body["document"];
    assert_eq!(document["added"][0]["path"], "/other");
    let change = &document["changed"][0]["changes"][0];
    assert_eq!(change["breaking"], "security_required");

    let body = json!({"name": "Owners", "context": "/owners", "version": "1.0"});
    let other = given.house.post("/api/v1/apis", body).by(&given.ann).await;
    let other = other.expect(201).text("/version/id").to_owned();
    given.publish(&other, json!({})).await;
    let query = format!("?to={other}");
    let foreign = given.difference(&given.first, &query).await;
    assert_eq!(foreign.problem(), (404, "version.unknown"));
}

#[tokio::test]
async fn contracts_of_soap_services_are_compared_by_operation() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Publisher]).await;
    let import = "/api/v1/apis/import/wsdl?kind=soap&name=Orders&context=/orders&version=1.0";
    let made = house.call("POST", import).body("text/xml", WSDL).by(&ann);
    let made = made.await.expect(201);
    let first = made.text("/version/id").to_owned();
    let upstream = || json!({"upstream": {"url": "http://back.internal:81"}});
    house
        .publish(&ann, &first, upstream(), json!(["gold"]))
        .await;
    let versions = format!("/api/v1/apis/{}/versions", made.text("/api/id"));
    let copy = house.post(&versions, json!({"name": "2.0", "from": "1.0"}));
    let second = copy.by(&ann).await.expect(201).text("/id").to_owned();
    let changed = WSDL.replace("oldStyle", "newStyle").replace(
        r#"name="amount" type="x:decimal""#,
        r#"name="amount" type="x:long""#,
    );
    let draft = house.get(&format!("/api/v1/versions/{second}/draft"));
    let etag = draft
        .by(&ann)
        .await
        .expect(200)
        .header("etag")
        .unwrap()
        .to_owned();
    let put = house.call("PUT", &format!("/api/v1/versions/{second}/contract"));
    let put = put.body("text/xml", changed).header("if-match", &etag);
    put.by(&ann).await.expect(200);
    house
        .publish(&ann, &second, upstream(), json!(["gold"]))
        .await;

    let path = format!("/api/v1/catalogue/{first}/difference?to={second}");
    let found = house.get(&path).by(&ann).await.expect(200);
    assert_eq!(found.body.get("document"), None);
    let changes = found.body["contract"].as_array().unwrap().iter();
    let changes: Vec<_> = changes
        .map(|it| {
            (
                it["operation"].as_str().unwrap(),
                it["change"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("getOrder", "changed"),
        ("placeOrder", "changed"),
        ("searchOrders", "changed"),
        ("newStyle", "added"),
        ("oldStyle", "removed"),
    ];
    assert_eq!(changes, expected);
    let text = found.body.to_string();
    assert!(!text.contains("internal"), "{text}");
}
