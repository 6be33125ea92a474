use serde_json::{Value, json};
use tollgate_store::revisions::{self, NewRevision, REVISIONS_MAX};

use crate::harness::{Answer, NOW_US};
use crate::text::DESCRIPTION_MAX;
use crate::versions::tests::{Given, raw};

const OLD: &str = r#"{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"},
    "paths": {"/old": {"get": {"responses": {}}}}}"#;
const NEW: &str = r#"{"openapi": "3.1.0", "info": {"title": "Pets", "version": "2"},
    "paths": {"/new": {"get": {"responses": {}}}}}"#;

impl Given {
    /// Replaces the document of the draft.
    async fn upload(&self, document: &str) -> Answer {
        let draft = self.get("draft").await;
        let call = self.house.call("PUT", &self.path("document"));
        let call = call.header("if-match", draft.header("etag").unwrap());
        let call = call.body("application/json", document).by(&self.ann);
        call.await.expect(200)
    }

    async fn freeze(&self, note: &str) -> i64 {
        let made = self.post("revisions", json!({"note": note})).await;
        made.expect(201).body["number"].as_i64().unwrap()
    }

    async fn restore(&self, revision: i64) -> Answer {
        let body = json!({"revision": revision});
        self.post("draft/restore", body).await
    }

    async fn delete(&self, revision: i64) -> Answer {
        let path = self.path(&format!("revisions/{revision}"));
        self.house.delete(&path).by(&self.ann).await
    }

    /// Writes revisions of this configuration without the handlers, which would check it.
    async fn store_revisions(&self, count: u32, change: Value) {
        let store = &self.house.control.store;
        let mut configuration = self.get("draft").await.body;
        for (name, value) in change.as_object().unwrap() {
            configuration[name] = value.clone();
        }
        let configuration = serde_json::from_value(configuration).unwrap();
        let mut new = NewRevision {
            id: self.house.control.id().unwrap(),
            version: self.version.parse().unwrap(),
            configuration,
            note: String::new(),
            created_by: self.ann.id,
            created_us: NOW_US,
        };
        let mut tx = store.write().await.unwrap();
        for _ in 0..count {
            new.id = self.house.control.id().unwrap();
            revisions::create(&mut tx, &new).await.unwrap();
        }
        tx.commit().await.unwrap();
    }
}

fn upstream(url: &str, secret: &str) -> Value {
    let credential = json!({"header": {"name": "x-key", "value": secret}});
    json!({"upstream": {"url": url, "credential": credential}})
}

#[tokio::test]
async fn a_restored_revision_comes_with_its_secrets_and_its_document() {
    let given = Given::new().await;
    given.publish().await;
    let draft = upstream("http://127.0.0.1:81", "of the first");
    given.patch("draft", draft).await.expect(200);
    given.upload(OLD).await;
    let old = given.freeze("the first").await;
    let draft = upstream("http://127.0.0.1:82", "of the second");
    given.patch("draft", draft).await.expect(200);
    given.upload(NEW).await;
    let before = given.get("draft").await;

    let restored = given.restore(old).await.expect(200);
    assert_ne!(restored.header("etag"), before.header("etag"));
    let draft = given.get("draft").await;
    assert_eq!(draft.header("etag"), restored.header("etag"));
    assert_eq!(draft.body, restored.body);
    let path = format!("revisions/{old}");
    assert_eq!(draft.body, given.get(&path).await.body["configuration"]);
    assert_eq!(draft.text("/operations/0/path"), "/old");
    assert_eq!(draft.text("/upstream/credential/header/value"), "***");
    let document = given.get("document?of=draft").await;
    assert_eq!(document.text("/info/version"), "1");

    let follows = given.follow();
    let number = given.freeze("again").await;
    let deploy = json!({"revision": number});
    given.put("deployment", deploy).await.expect(200);
    let served = follows.now().versions[&raw(&given.version)].clone();
    let served = serde_json::to_string(&served.upstream).unwrap();
    assert!(served.contains("of the first"), "{served}");
    assert_eq!(given.get("").await.body["changes"], 0);
}

#[tokio::test]
async fn of_two_who_change_a_draft_the_second_gets_the_present_etag() {
    let given = Given::new().await;
    let number = given.freeze("").await;
    let seen = given.get("draft").await.header("etag").unwrap().to_owned();
    let change = json!({"body_bytes_max": 7});
    let changed = given.patch("draft", change).await.expect(200);
    let restore = |etag: &str| {
        let body = json!({"revision": number});
        let call = given.house.post(&given.path("draft/restore"), body);
        call.header("if-match", etag).by(&given.ann)
    };
    let stale = restore(&seen).await;
    assert_eq!(stale.problem(), (412, "etag.stale"));
    let present = stale.header("etag").unwrap();
    assert_eq!(Some(present), changed.header("etag"));
    assert_eq!(given.get("draft").await.body["body_bytes_max"], 7);
    let restored = restore(present).await.expect(200);
    assert_eq!(restored.body.get("body_bytes_max"), None);
    let unknown = given.restore(9).await;
    assert_eq!(unknown.problem(), (404, "revision.unknown"));
}

#[tokio::test]
async fn a_revision_that_would_be_rejected_now_is_restored_and_checked_on_deployment() {
    let given = Given::new().await;
    given
        .store_revisions(1, json!({"key_header": "Host"}))
        .await;
    let restored = given.restore(1).await.expect(200);
    assert_eq!(restored.text("/key_header"), "Host");
    let refused = given.put("deployment", json!({"revision": 1})).await;
    assert_eq!(refused.problem(), (422, "version.key_header"));
    let refused = given.patch("draft", json!({"body_bytes_max": 7})).await;
    assert_eq!(refused.text("/errors/0/field"), "/key_header");
    let mended = json!({"key_header": "x-key"});
    given.patch("draft", mended).await.expect(200);
}

#[tokio::test]
async fn a_deployed_revision_is_not_deleted_and_numbers_are_not_used_again() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.freeze("").await;
    let refused = given.delete(1).await;
    assert_eq!(refused.problem(), (409, "revision.deployed"));
    let path = given.path(&format!("revisions/{second}?dry_run=true"));
    let preview = given.house.delete(&path).by(&given.ann).await.expect(200);
    assert_eq!(preview.body["calls_last_day"], 0);
    given.delete(second).await.expect(204);
    let gone = given.delete(second).await;
    assert_eq!(gone.problem(), (404, "revision.unknown"));
    let gone = given.put("deployment", json!({"revision": second})).await;
    assert_eq!(gone.problem(), (404, "revision.unknown"));
    assert_eq!(given.freeze("").await, second + 1);
}

#[tokio::test]
async fn the_revision_after_the_thousandth_deletes_the_oldest_and_reports_it() {
    let given = Given::new().await;
    given.publish().await;
    given.store_revisions(REVISIONS_MAX - 2, json!({})).await;
    let made = given.post("revisions", json!({})).await.expect(201);
    assert_eq!(made.body["number"], 1_000);
    assert_eq!(made.body.get("deleted_revision"), None);
    let made = given.post("revisions", json!({})).await.expect(201);
    assert_eq!(made.body["deleted_revision"], 2);
    let listed = given.get("revisions?limit=2").await;
    assert_eq!(listed.body["total"], 1_000);
    let numbers = [0, 1].map(|at| listed.body["items"][at]["number"].clone());
    assert_eq!(numbers, [json!(1), json!(3)]);
}

#[tokio::test]
async fn revisions_are_listed_newest_first_too() {
    let given = Given::new().await;
    for _ in 0..3 {
        given.freeze("").await;
    }
    let page = given.get("revisions?sort=-created&limit=2").await;
    assert_eq!(page.body["items"][0]["number"], 3);
    assert_eq!(page.text("/next"), "2");
    let page = given.get("revisions?sort=-created&limit=2&after=2").await;
    assert_eq!(page.body["items"][0]["number"], 1);
    assert_eq!(page.body.get("next"), None);
}

#[tokio::test]
async fn deployments_are_steps_of_the_history() {
    let given = Given::new().await;
    given.publish().await;
    given.freeze("").await;
    for (revision, note) in [(2, "faster"), (1, "rolled back")] {
        let deploy = json!({"revision": revision, "note": note});
        given.put("deployment", deploy).await.expect(200);
    }
    let long = json!({"revision": 1, "note": "x".repeat(DESCRIPTION_MAX + 1)});
    let refused = given.put("deployment", long).await;
    assert_eq!(refused.text("/errors/0/field"), "/note");
    given.advance("blocked").await.expect(200);
    let history = given.get("lifecycle").await;
    let steps = history.body.as_array().unwrap().iter();
    let steps = steps.map(|it| json!([it["from"], it["to"], it["revision"], it["note"]]));
    assert_eq!(
        Value::from_iter(steps),
        json!([
            ["created", "published", 1, ""],
            ["published", "published", 2, "faster"],
            ["published", "published", 1, "rolled back"],
            ["published", "blocked", null, ""],
        ])
    );
    assert_eq!(history.text("/2/by_name"), "ann");
}

#[tokio::test]
async fn a_roll_back_changes_the_document_that_callers_read() {
    let given = Given::new().await;
    given.upload(OLD).await;
    given.publish().await;
    given.upload(NEW).await;
    let developer = [tollgate_model::user::Role::Developer];
    let developer = given.house.person("dev", &developer).await;
    let read = async |part: &str| {
        let path = format!("/api/v1/catalogue/{}/{part}", given.version);
        let answer = given.house.get(&path).by(&developer).await.expect(200);
        let etag = answer.header("etag").unwrap().to_owned();
        let paths = answer.body["paths"].as_object();
        let paths: Vec<_> = paths.into_iter().flat_map(|it| it.keys()).collect();
        (etag, json!(paths))
    };
    let before = read("document").await;
    assert_eq!(before.1, json!(["/old"]));
    let number = given.freeze("").await;
    given
        .put("deployment", json!({"revision": number}))
        .await
        .expect(200);
    let after = read("document").await;
    assert_eq!(after.1, json!(["/new"]));
    assert_ne!(before.0, after.0);
    let index = format!("/api/v1/catalogue/{}/operations", given.version);
    let listed = given.house.get(&index).by(&developer).await.expect(200);
    assert!(listed.body.to_string().contains("/new"), "{listed:?}");

    given
        .put("deployment", json!({"revision": 1}))
        .await
        .expect(200);
    assert_eq!(read("document").await, before);
    let listed = given.house.get(&index).by(&developer).await.expect(200);
    let listed = listed.body.to_string();
    assert!(
        listed.contains("/old") && !listed.contains("/new"),
        "{listed}"
    );
    // The publisher's page shows the draft's.
    let draft = given.get("document?of=draft").await;
    assert_eq!(draft.text("/info/version"), "2");
}
