//! Imported documents: how they are called, and how callers see them.

mod rests;

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Behaviour, Control, Tollgate, Upstream, http};

use crate::house::{builder, user};
use crate::peers::peers;

const SWAGGER: &str = include_str!("../../../openapi/src/swagger/tests/pets.yaml");

#[tokio::test]
async fn a_swagger_document_is_called_and_read_as_openapi_3() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let upstream = Upstream::start(Behaviour::Echo).unwrap();
    let made = admin.import("Pets", "/pets", "1.0", SWAGGER).await;
    let made = made.unwrap();
    let path = |part: &str| format!("/api/v1/versions/{}/{part}", made.version);
    admin
        .upstream(&made.version, &upstream.url())
        .await
        .unwrap();
    admin.attach(&made.version, &["gold"]).await.unwrap();
    admin.lifecycle(&made.version, "published").await.unwrap();
    let consumer = admin.consumer("shop", &made.version, "gold").await.unwrap();
    // A parameter inside a segment, with the literal percent-encoded differently.
    for (target, up) in [
        ("/pets/1.0/pets/7.png", "/pets/7.png"),
        ("/pets/1.0/pets/7%2Epng", "/pets/7.png"),
    ] {
        let request = http::request("GET", target, &[("apikey", &consumer.key)], b"");
        let answer = http::call(tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.field("x-echo"), Some(&*format!("GET {up} HTTP/1.1")));
    }
    let kept = admin.send("GET", &path("document"), None).await.unwrap();
    assert_eq!(kept.text(), SWAGGER);
    let shown = format!("/api/v1/catalogue/{}/document", made.version);
    let shown = admin.done("GET", &shown, None).await.unwrap();
    assert_eq!(shown["openapi"], "3.0.3");
    assert!(shown["paths"]["/pets/{id}.png"]["get"].is_object());
    let Some(peers) = peers() else {
        eprintln!("skipped: openapi-spec-validator is not installed (make deps)");
        return;
    };
    assert_eq!(peers.document_faults(&shown).unwrap(), json!([]));
}

/// A process and its administrator, who imports documents.
struct Importing {
    tollgate: Tollgate,
    admin: Control,
}

impl Importing {
    async fn start() -> Self {
        let tollgate = builder().start().unwrap();
        let admin = Control::administrator(&tollgate).await.unwrap();
        Self { tollgate, admin }
    }

    async fn send(&self, method: &str, path: &str, document: &Value) -> Answer {
        let document = document.to_string();
        let sent = self
            .admin
            .send_bytes(method, path, "application/json", document.as_bytes());
        sent.await.unwrap()
    }

    /// Imports a document as an API with this context.
    async fn import(&self, context: &str, query: &str, document: &Value) -> Answer {
        let path = format!(
            "/api/v1/apis/import?context={context}&name={}{query}",
            &context[1..]
        );
        self.send("POST", &path, document).await
    }

    async fn draft(&self, version: &str) -> Value {
        let path = format!("/api/v1/versions/{version}/draft");
        self.admin.done("GET", &path, None).await.unwrap()
    }

    /// Publishes a version; returns the status of a call without a credential.
    async fn published(&self, version: &str, target: &str) -> u16 {
        self.admin.attach(version, &["gold"]).await.unwrap();
        self.admin.lifecycle(version, "published").await.unwrap();
        let request = http::request("GET", target, &[], b"");
        http::call(self.tollgate.gateway, &request)
            .await
            .unwrap()
            .status
    }
}

/// A document with two operations and this server; without one if it is empty.
fn document(server: &str, security: &Value, of_operations: &Value) -> Value {
    let operation = json!({
        "responses": {"200": {"description": "a"}}, "security": of_operations,
    });
    let mut document = json!({
        "openapi": "3.1.0", "info": {"title": "Slow", "version": "1"}, "security": security,
        "paths": {"/slow": {"get": operation}, "/fast": {"get": operation}},
    });
    if !server.is_empty() {
        document["servers"] = json!([{"url": server}]);
    }
    document
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

#[tokio::test]
async fn empty_security_opens_operations_if_calls_without_a_credential_are_allowed() {
    let house = Importing::start().await;
    let upstream = Upstream::start(Behaviour::Echo).unwrap();
    let of_document = document(&upstream.url(), &json!([]), &Value::Null);
    let of_operations = document(&upstream.url(), &Value::Null, &json!([]));
    let open = "&security=document&allow_anonymous=true&upstream=proposed";
    for (context, document, query, status) in [
        ("/a", &of_document, open, 200),
        ("/b", &of_operations, open, 200),
        (
            "/c",
            &of_document,
            "&security=document&upstream=proposed",
            401,
        ),
        ("/d", &of_document, "&upstream=proposed", 401),
    ] {
        let made = house.import(context, query, document).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let made = made.json();
        let version = text(&made, "/version/id");
        let target = format!("{context}/1/slow");
        assert_eq!(house.published(version, &target).await, status, "{context}");
        let draft = house.draft(version).await;
        let is_open = draft["operations"][1]["anonymous"] == true;
        assert_eq!(
            (is_open, &draft["security"]),
            (status == 200, &Value::Null),
            "{context}"
        );
        assert_eq!(
            made["proposed_security"]["operations"][0]["anonymous"],
            true
        );
        assert_eq!(made["proposed_security"].get("security"), None);
        let is_noted = made["notes"].to_string().contains("openapi.anonymous");
        assert_eq!(is_noted, context == "/c");
    }
}

#[tokio::test]
async fn a_document_that_requires_nothing_keeps_the_schemes_of_the_version() {
    let house = Importing::start().await;
    let empty = document("", &json!([]), &Value::Null);
    let made = house.import("/a", "", &empty).await.json();
    let (api, version) = (text(&made, "/api/id"), text(&made, "/version/id"));
    let draft = format!("/api/v1/versions/{version}/draft");
    let security = json!({"security": {"basic": {}, "scopes": {}}});
    house
        .admin
        .done("PATCH", &draft, Some(&security))
        .await
        .unwrap();
    let query = "name=2&from=1&security=document&allow_anonymous=true";
    let path = format!("/api/v1/apis/{api}/versions?{query}");
    let copy = house.send("POST", &path, &empty).await;
    assert_eq!(copy.status, 201, "{}", copy.text());
    let draft = house.draft(text(&copy.json(), "/id")).await;
    assert_eq!(draft["security"]["basic"], json!({}));
    assert_eq!(draft["operations"][0]["anonymous"], true);
}

#[tokio::test]
async fn a_proposed_upstream_is_judged_like_one_that_is_typed() {
    let house = Importing::start().await;
    let upstream = Upstream::start(Behaviour::Echo).unwrap();
    let with = |server: &str| document(server, &Value::Null, &Value::Null);
    let codes = |answer: &Answer| {
        let body = answer.json();
        (
            answer.status,
            answer.code(),
            text(&body, "/errors/0/field").to_owned(),
        )
    };
    let forbidden = (
        422,
        "upstream.forbidden".to_owned(),
        "/upstream/url".to_owned(),
    );
    let none = (
        422,
        "upstream.not_proposed".to_owned(),
        "/upstream".to_owned(),
    );
    let metadata = with("http://169.254.169.254/latest");
    let taken = "&upstream=proposed";
    assert_eq!(
        codes(&house.import("/a", taken, &metadata).await),
        forbidden
    );
    assert_eq!(codes(&house.import("/a", taken, &with("")).await), none);
    let preview = house
        .import("/a", "&upstream=proposed&dry_run=true", &metadata)
        .await;
    assert_eq!(
        text(&preview.json(), "/api/faults/0/code"),
        "upstream.forbidden"
    );
    let wrong = house.import("/a", "&upstream=mine", &metadata).await;
    assert_eq!(
        (wrong.status, wrong.code()),
        (400, "query.invalid".to_owned())
    );

    // Nothing of it was saved: the context is free.
    let made = house.import("/a", taken, &with(&upstream.url())).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let made = made.json();
    let (api, version) = (text(&made, "/api/id"), text(&made, "/version/id"));
    assert_eq!(
        text(&house.draft(version).await, "/upstream/url"),
        upstream.url()
    );
    assert_eq!(house.published(version, "/a/1/slow").await, 401);

    let path = format!("/api/v1/apis/{api}/versions?name=2&from=1&upstream=proposed");
    assert_eq!(
        codes(&house.send("POST", &path, &metadata).await),
        forbidden
    );
    assert_eq!(codes(&house.send("POST", &path, &with("")).await), none);
    let other = with("http://127.0.0.1:9/other");
    let copy = house.send("POST", &path, &other).await;
    assert_eq!(copy.status, 201, "{}", copy.text());
    let copy = copy.json();
    let copy = text(&copy, "/id");
    let address = text(&house.draft(copy).await, "/upstream/url").to_owned();
    assert_eq!(address, "http://127.0.0.1:9/other");

    // A dry run judges a replacement in the same way, and a secret stays where it was given for.
    let path = format!("/api/v1/versions/{copy}/document?dry_run=true&upstream=proposed");
    assert_eq!(codes(&house.send("PUT", &path, &metadata).await), forbidden);
    assert_eq!(codes(&house.send("PUT", &path, &with("")).await), none);
    let replaced = house.send("PUT", &path, &with(&upstream.url())).await;
    assert_eq!(replaced.status, 200, "{}", replaced.text());
    let replaced = replaced.json();
    assert_eq!(text(&replaced, "/draft/upstream/url"), upstream.url());
    assert_eq!(text(&replaced, "/proposed_upstream"), upstream.url());
    let credential = json!({"header": {"name": "x-key", "value": "s3cret"}});
    let change = json!({"upstream": {"credential": credential}});
    let draft = format!("/api/v1/versions/{copy}/draft");
    house
        .admin
        .done("PATCH", &draft, Some(&change))
        .await
        .unwrap();
    let refused = house.send("PUT", &path, &with(&upstream.url())).await;
    assert_eq!(
        (refused.status, refused.code()),
        (422, "upstream.credential_address".to_owned())
    );

    // Without the permission, or the ownership, nothing changes.
    let path = "/api/v1/apis/import?context=%2Fb&upstream=proposed";
    let body = other.to_string();
    for (name, role, status) in [("dora", "developer", 403), ("paul", "publisher", 201)] {
        let person = user(&house.admin, &house.tollgate, (name, &[role])).await;
        let sent = person.send_bytes("POST", path, "application/json", body.as_bytes());
        assert_eq!(sent.await.unwrap().status, status, "{name}");
        let of_other = format!("/api/v1/apis/{api}/versions?name=3&upstream=proposed");
        let sent = person.send_bytes("POST", &of_other, "application/json", body.as_bytes());
        assert_eq!(sent.await.unwrap().status, 403, "{name}");
    }
    let stranger = Control::stranger(house.tollgate.control);
    let sent = stranger.send_bytes("POST", path, "application/json", body.as_bytes());
    assert_eq!(sent.await.unwrap().status, 401);
}
