use serde_json::{Value, json};
use tollgate_model::user::Role;

use super::*;
use crate::constant::Documents;
use crate::harness::{Answer, House, Person};

const DOCUMENT: &str = r#"{"openapi": "3.0.3",
    "info": {"title": "Theirs", "version": "9", "x-team": "http://wiki.internal"},
    "servers": [{"url": "http://pets.internal/v1"}], "security": [{"k": []}],
    "paths": {
        "/pets": {"servers": [{"url": "http://other.internal"}],
            "get": {"summary": "List pets", "x-back": "http://back.internal",
                "responses": {"200": {"description": "Pets"}}},
            "post": {"summary": "Add a pet", "responses": {}}},
        "/pets/{pet}": {"delete": {"summary": "Gone before it was deployed"}}},
    "components": {"securitySchemes":
        {"k": {"type": "openIdConnect", "openIdConnectUrl": "http://sso.internal"}}}}"#;

struct Given {
    house: House,
    ann: Person,
    dev: Person,
    version: String,
}

impl Given {
    /// Imports an API, removes one operation and adds another one, and publishes it.
    async fn new() -> Self {
        let house = House::new().await;
        let ann = house.person("ann", &[Role::Publisher]).await;
        let dev = house.person("dev", &[Role::Developer]).await;
        let call = house.call(
            "POST",
            "/api/v1/apis/import?context=/pets&name=Pets&version=1.0",
        );
        let made = call
            .body("application/json", DOCUMENT)
            .by(&ann)
            .await
            .expect(201);
        let version = made.text("/version/id").to_owned();
        let operations = json!([
            {"method": "GET", "path": "/pets"},
            {"method": "POST", "path": "/pets", "scopes": ["write"]},
            {"method": "PUT", "path": "/pets/{id}", "summary": "Change a pet", "anonymous": true},
        ]);
        let security = json!({"api_key": {"header": "x-key", "query": "key"}, "oauth2": {},
            "scopes": {"write": "May write"}});
        let draft = json!({"upstream": {"url": "http://back.internal:81"},
            "operations": operations, "security": security});
        let plans = json!(["gold"]);
        house.publish(&ann, &version, draft, plans).await;
        Self {
            house,
            ann,
            dev,
            version,
        }
    }

    async fn document(&self, known: Option<&str>) -> Answer {
        let path = format!("/api/v1/catalogue/{}/document", self.version);
        let call = self.house.get(&path).by(&self.dev);
        match known {
            Some(etag) => call.header("if-none-match", etag).await,
            None => call.await,
        }
    }
}

#[tokio::test]
async fn developers_read_the_deployed_document_with_the_gateways_address() {
    let given = Given::new().await;
    let answer = given.document(None).await.expect(200);
    let document = answer.body;
    assert_eq!(document["info"], json!({"title": "Pets", "version": "1.0"}));
    assert_eq!(document["openapi"], "3.0.3");
    let server = json!([{"url": "http://localhost:8080/pets/1.0"}]);
    assert_eq!(document["servers"], server);
    let ways = json!([{"api_key": []}, {"oauth2": []}, {"api_key_in_query": []}]);
    assert_eq!(document["security"], ways);
    let schemes = &document["components"]["securitySchemes"];
    let key = json!({"type": "apiKey", "in": "query", "name": "key"});
    assert_eq!(schemes["api_key_in_query"], key);
    assert_eq!(
        schemes["oauth2"],
        json!({"type": "http", "scheme": "bearer"})
    );
    let list = &document["paths"]["/pets"]["get"];
    let as_it_was = json!({"summary": "List pets", "responses": {"200": {"description": "Pets"}}});
    assert_eq!(*list, as_it_was);
    let add = &document["paths"]["/pets"]["post"];
    assert_eq!(add["security"], json!([{"oauth2": []}]));
    let change = &document["paths"]["/pets/{id}"]["put"];
    assert_eq!(change["security"], json!([]));
    assert_eq!(change["parameters"][0]["name"], "id");
    assert_eq!(document["paths"].as_object().unwrap().len(), 2);
    assert!(!document.to_string().contains("internal"), "{document}");
}

#[tokio::test]
async fn an_unchanged_document_is_not_sent_again() {
    let given = Given::new().await;
    let answer = given.document(None).await.expect(200);
    assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
    let etag = answer.header("etag").unwrap().to_owned();
    for known in [
        etag.clone(),
        format!("W/{etag}"),
        format!("\"a\", {etag}"),
        "*".to_owned(),
    ] {
        let same = given.document(Some(&known)).await.expect(304);
        assert_eq!(same.body, Value::from(""));
        assert_eq!(same.header("etag"), Some(&*etag));
    }
    given.document(Some("\"other\"")).await.expect(200);
    // Edits appear once they are deployed.
    let path = |part: &str| format!("/api/v1/versions/{}/{part}", given.version);
    let draft = json!({"operations": [{"method": "GET", "path": "/pets"}]});
    let draft = given.house.patch(&path("draft"), draft);
    draft.by(&given.ann).await.expect(200);
    given.document(Some(&etag)).await.expect(304);
    let made = given.house.post(&path("revisions"), json!({"note": ""}));
    let number = made.by(&given.ann).await.expect(201).body["number"].clone();
    let deploy = given
        .house
        .put(&path("deployment"), json!({"revision": number}));
    deploy.by(&given.ann).await.expect(200);
    let next = given.document(Some(&etag)).await.expect(200);
    assert_eq!(next.body["paths"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn a_version_outside_the_catalogue_has_no_document() {
    let given = Given::new().await;
    let path = format!("/api/v1/catalogue/{}/contract", given.version);
    let none = given.house.get(&path).by(&given.dev).await;
    assert_eq!(none.problem(), (404, "contract.unknown"));
    let path = format!("/api/v1/versions/{}/lifecycle", given.version);
    let block = given.house.post(&path, json!({"to": "blocked"}));
    block.by(&given.ann).await.expect(200);
    let none = given.document(None).await;
    assert_eq!(none.problem(), (404, "version.unknown"));
    for part in ["document", "contract"] {
        let path = format!("/api/v1/catalogue/ver_00000000001/{part}");
        let none = given.house.get(&path).by(&given.dev).await;
        assert_eq!(none.problem(), (404, "version.unknown"));
    }
}

#[tokio::test]
async fn readers_share_a_document_that_is_not_made_for_304() {
    let documents = Documents::new();
    let headers = |fields: &[(&'static str, &str)]| {
        let fields = fields.iter();
        let fields = fields.map(|&(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        fields.collect::<HeaderMap>()
    };
    let tag = Tag::of([&b"inputs"[..]]);
    let make = async || {
        let made = Constant::new("application/json", tag.clone(), "[]").private();
        Ok(Arc::new(made))
    };
    let never = async || unreachable!("it is made already");
    let empty = headers(&[]);
    let kept = documents.kept_or_made(&tag, async |_turn| {
        Ok(Constant::new(XML, tag.clone(), "[]"))
    });
    let kept = kept.await.unwrap();
    let shared = documents.kept_or_made(&tag, async |_turn| unreachable!("it is made already"));
    assert!(Arc::ptr_eq(&kept, &shared.await.unwrap()));
    let answer = documents.answer(&tag, &empty, never()).await.unwrap();
    let etag = answer.headers()["etag"].to_str().unwrap().to_owned();
    // Compressed forms have other tags than the plain one.
    let mut tags = vec![etag.clone()];
    for (accepted, coding) in [
        ("gzip", "gzip"),
        ("gzip, deflate, br", "br"),
        ("br;q=0, gzip;q=0.1", "gzip"),
        ("GZIP, Br", "br"),
    ] {
        let fields = headers(&[("accept-encoding", accepted), ("if-none-match", &etag)]);
        let answer = documents.answer(&tag, &fields, never()).await.unwrap();
        assert_eq!(answer.headers()["content-encoding"], coding, "{accepted}");
        assert_eq!(answer.headers()["vary"], "Accept-Encoding");
        tags.push(answer.headers()["etag"].to_str().unwrap().to_owned());
    }
    assert_eq!(
        tags[1..],
        [
            format!("{}-gzip\"", etag.trim_end_matches('"')),
            tags[2].clone(),
            tags[1].clone(),
            tags[2].clone()
        ]
    );
    assert!(tags[2].ends_with("-br\""), "{tags:?}");
    let plain = headers(&[("accept-encoding", "gzip;q=0, br;q=0.000, identity")]);
    let answer = documents.answer(&tag, &plain, never()).await.unwrap();
    assert_eq!(answer.headers().get("content-encoding"), None);
    // 304 does not make the document, and has its header fields.
    let known = headers(&[("if-none-match", &etag)]);
    let documents = Documents::new();
    let unchanged = documents.answer(&tag, &known, never()).await.unwrap();
    assert_eq!(unchanged.status(), 304);
    assert_eq!(unchanged.headers()["cache-control"], "private, no-cache");
    assert_eq!(unchanged.headers()["vary"], "Accept-Encoding");
    // Failures are not cached.
    let refused = async { Err(Problem::unknown("document")) };
    assert!(documents.answer(&tag, &empty, refused).await.is_err());
    let made = documents.answer(&tag, &empty, make()).await.unwrap();
    assert_eq!(made.status(), 200);
}
