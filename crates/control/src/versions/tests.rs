mod default_version;
mod limits;
mod states;

use serde_json::{Value, json};
use tollgate_model::id::VersionId;
use tollgate_model::lifecycle::State as Stage;
use tollgate_model::subscription::Status;
use tollgate_model::user::Role;
use tollgate_store::revisions::{self, NewRevision};
use tollgate_store::versions;

use crate::feed::mirror::Follows;
use crate::harness::{Answer, House, NOW_US, Person};

/// A house with a publisher, an API and its first version, which has an upstream and no plan.
pub(super) struct Given {
    pub(super) house: House,
    pub(super) ann: Person,
    api: String,
    pub(super) version: String,
}

impl Given {
    pub(super) async fn new() -> Self {
        let house = House::new().await;
        let ann = house.person("ann", &[Role::Publisher]).await;
        let body = json!({"name": "Pets", "context": "/pets", "version": "1.0"});
        let made = house.post("/api/v1/apis", body).by(&ann).await;
        let given = Self {
            api: made.text("/api/id").to_owned(),
            version: made.text("/version/id").to_owned(),
            house,
            ann,
        };
        let draft = json!({
            "operations": [{"method": "GET", "path": "/pets/{pet}"}],
            "upstream": {"url": "http://127.0.0.1:9"},
        });
        given.patch("draft", draft).await.expect(200);
        given
    }

    pub(super) fn path(&self, part: &str) -> String {
        path(&self.version, part)
    }

    pub(super) async fn get(&self, part: &str) -> Answer {
        self.house.get(&self.path(part)).by(&self.ann).await
    }

    pub(super) async fn post(&self, part: &str, body: Value) -> Answer {
        self.house.post(&self.path(part), body).by(&self.ann).await
    }

    pub(super) async fn put(&self, part: &str, body: Value) -> Answer {
        self.house.put(&self.path(part), body).by(&self.ann).await
    }

    pub(super) async fn patch(&self, part: &str, body: Value) -> Answer {
        self.house.patch(&self.path(part), body).by(&self.ann).await
    }

    pub(super) async fn advance(&self, to: &str) -> Answer {
        self.post("lifecycle", json!({"to": to})).await
    }

    pub(super) async fn publish(&self) {
        self.put("plans", json!(["gold"])).await.expect(200);
        self.advance("published").await.expect(200);
    }

    /// Creates the next version, a copy of the first one.
    pub(super) async fn second(&self) -> String {
        self.copy_named("2.0").await
    }

    async fn copy_named(&self, name: &str) -> String {
        let body = json!({"name": name, "from": "1.0"});
        let path = format!("/api/v1/apis/{}/versions", self.api);
        let made = self.house.post(&path, body).by(&self.ann).await;
        made.expect(201).text("/id").to_owned()
    }

    /// Creates a developer's application with a subscription to the first version under `plan`.
    async fn subscriber(&self, name: &str, plan: &str) -> (Person, Answer) {
        let developer = self.house.person(name, &[Role::Developer]).await;
        let body = json!({"name": "shop"});
        let made = self
            .house
            .post("/api/v1/applications", body)
            .by(&developer)
            .await;
        let body = json!({
            "application": made.expect(201).text("/id"), "version": self.version, "plan": plan,
        });
        let made = self
            .house
            .post("/api/v1/subscriptions", body)
            .by(&developer)
            .await;
        (developer, made.expect(201))
    }

    pub(super) fn follow(&self) -> Follows {
        Follows::new(&self.house.control.feed)
    }
}

fn path(version: &str, part: &str) -> String {
    let path = format!("/api/v1/versions/{version}/{part}");
    path.trim_end_matches('/').to_owned()
}

pub(super) fn raw(version: &str) -> i64 {
    version.parse::<VersionId>().unwrap().raw()
}

#[tokio::test]
async fn a_draft_is_changed_only_with_its_current_etag() {
    let given = Given::new().await;
    let draft = given.get("draft").await;
    let etag = draft.header("etag").unwrap().to_owned();
    let mut body = draft.body.clone();
    body["key_header"] = json!("x-key");
    let put = |etag: &str| {
        let call = given.house.put(&given.path("draft"), body.clone());
        call.header("if-match", etag).by(&given.ann)
    };
    let changed = put(&etag).await.expect(200);
    assert_ne!(changed.header("etag"), Some(etag.as_str()));
    assert_eq!(given.get("draft").await.body, body);
    assert_eq!(put(&etag).await.problem(), (412, "etag.stale"));
    let missing = given.put("draft", body.clone()).await;
    assert_eq!(missing.problem(), (428, "etag.missing"));
    let call = given
        .house
        .patch(&given.path("draft"), json!({"key_header": null}));
    let stale = call.header("if-match", &etag).by(&given.ann).await;
    assert_eq!(stale.problem(), (412, "etag.stale"));
}

#[tokio::test]
async fn a_merge_patch_changes_only_its_fields_and_every_fault_has_its_pointer() {
    let given = Given::new().await;
    let patch = json!({"upstream": {"connect_timeout_ms": 7}, "body_bytes_max": 100});
    let changed = given.patch("draft", patch).await.expect(200);
    assert_eq!(changed.text("/upstream/url"), "http://127.0.0.1:9");
    assert_eq!(changed.body["upstream"]["connect_timeout_ms"], 7);
    let call = given.house.call("PATCH", &given.path("draft"));
    let call = call.body("application/merge-patch+json", r#"{"body_bytes_max":null}"#);
    let changed = call.by(&given.ann).await.expect(200);
    assert_eq!(changed.body.get("body_bytes_max"), None);
    let patch = json!({
        "upstream": {"url": "ftp://a"},
        "limits": [{"per": "api", "amount": 0, "window": "day"}],
        "key_header": "Host",
    });
    let refused = given.patch("draft", patch).await;
    assert_eq!(refused.problem(), (422, "body.invalid"));
    let faults = refused.body["errors"].as_array().unwrap();
    let fields: Vec<_> = faults.iter().map(|fault| &fault["field"]).collect();
    let expected = json!(["/upstream/url", "/limits/0/amount", "/key_header"]);
    assert_eq!(json!(fields), expected);
    let refused = given
        .patch(
            "draft",
            json!({"operations": [{"method": "GET", "path": "x"}]}),
        )
        .await;
    assert_eq!(refused.text("/errors/0/field"), "/operations/0/path");
    assert_eq!(given.get("draft").await.body, changed.body);
}

#[tokio::test]
async fn a_version_that_needs_tokens_is_published_without_an_issuer_only_if_accepted() {
    let given = Given::new().await;
    given.put("plans", json!(["gold"])).await.expect(200);
    let tokens = json!({"api_key": null, "oauth2": {}, "scopes": {"read": "May read"}});
    let draft = json!({"security": tokens});
    given.patch("draft", draft).await.expect(200);
    let refused = given.advance("published").await;
    assert_eq!(refused.problem(), (409, "lifecycle.no_tokens"));
    assert!(
        refused
            .text("/detail")
            .starts_with("1 operations accept only")
    );
    let elsewhere = json!({"to": "blocked", "without_tokens": true});
    let elsewhere = given.post("lifecycle", elsewhere).await;
    assert_eq!(elsewhere.problem(), (422, "lifecycle.option"));
    let accepted = json!({"to": "published", "without_tokens": true});
    given.post("lifecycle", accepted).await.expect(200);
    given.advance("blocked").await.expect(200);
    given.advance("published").await.expect(200);

    // Keys have no scopes: even if keys are allowed, operations with scopes need a token.
    let keys = json!({"api_key": {}});
    let operation = json!({"method": "GET", "path": "/pets/{pet}", "scopes": ["read"]});
    let draft = json!({"security": keys, "operations": [operation]});
    given.patch("draft", draft).await.expect(200);
    let revision = given.post("revisions", json!({})).await.expect(201);
    let number = &revision.body["number"];
    let refused = given.put("deployment", json!({"revision": number})).await;
    assert_eq!(refused.problem(), (409, "lifecycle.no_tokens"));
    let accepted = json!({"revision": number, "without_tokens": true});
    given.put("deployment", accepted).await.expect(200);

    // Unblocking does not check, so a deployment of the blocked version does.
    given.advance("blocked").await.expect(200);
    let refused = given.put("deployment", json!({"revision": number})).await;
    assert_eq!(refused.problem(), (409, "lifecycle.no_tokens"));
    let draft = json!({"operations": [{"method": "GET", "path": "/pets/{pet}"}]});
    given.patch("draft", draft).await.expect(200);
    let revision = given.post("revisions", json!({})).await.expect(201);
    let open = json!({"revision": revision.body["number"]});
    given.put("deployment", open).await.expect(200);
}

#[tokio::test]
async fn publishing_reports_missing_parts_and_then_deploys_the_draft() {
    let given = Given::new().await;
    let follows = given.follow();
    given
        .patch("draft", json!({"upstream": null}))
        .await
        .expect(200);
    let refused = given.advance("published").await;
    assert_eq!(refused.problem(), (409, "lifecycle.missing"));
    assert!(
        refused
            .text("/detail")
            .contains("an upstream and at least one plan")
    );
    given
        .patch("draft", json!({"upstream": {"url": "http://b:81"}}))
        .await
        .expect(200);
    assert_eq!(
        given.advance("published").await.problem(),
        (409, "lifecycle.missing")
    );
    assert_eq!(
        given.advance("blocked").await.problem(),
        (409, "lifecycle.not_next")
    );
    given
        .put("plans", json!(["gold", "bronze"]))
        .await
        .expect(200);
    let published = given.advance("published").await.expect(200);
    assert_eq!(published.text("/state"), "published");
    assert_eq!(published.body["deployed_revision"], 1);
    let served = follows.now().versions[&raw(&given.version)].clone();
    assert_eq!(served.state, Stage::Published);
    assert_eq!(served.upstream.unwrap().targets[0].authority, "b:81");
    given.advance("blocked").await.expect(200);
    assert_eq!(
        follows.now().versions[&raw(&given.version)].state,
        Stage::Blocked
    );
    let history = given.get("lifecycle").await;
    let steps = history.body.as_array().unwrap().iter();
    let steps: Vec<_> = steps
        .map(|step| (&step["from"], &step["to"], &step["by"]))
        .collect();
    let ann = given.ann.id.to_string();
    let expected = json!([["created", "published", ann], ["published", "blocked", ann]]);
    assert_eq!(json!(steps), expected);
}

#[tokio::test]
async fn of_two_concurrent_publications_one_is_rejected() {
    let given = Given::new().await;
    given.put("plans", json!(["gold"])).await.expect(200);
    let (one, other) = tokio::join!(given.advance("published"), given.advance("published"));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(
        given.get("lifecycle").await.body.as_array().unwrap().len(),
        1
    );
    let revisions = given.get("revisions").await;
    assert_eq!(revisions.body["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_revision_is_deployed_and_rolled_back_at_once() {
    let given = Given::new().await;
    given.publish().await;
    let follows = given.follow();
    let served = || {
        let version = follows.now().versions[&raw(&given.version)].clone();
        (
            version.upstream.unwrap().targets[0].authority.clone(),
            version.operations.len(),
        )
    };
    let draft = json!({
        "operations": [{"method": "GET", "path": "/a"}, {"method": "PUT", "path": "/b"}],
        "upstream": {"url": "http://new:82"},
    });
    given.patch("draft", draft).await.expect(200);
    let made = given
        .post("revisions", json!({"note": "second"}))
        .await
        .expect(201);
    assert_eq!(
        (&made.body["number"], &made.body["is_deployed"]),
        (&json!(2), &json!(false))
    );
    let unseen = given.get("deployment").await;
    assert_eq!(unseen.body["revision"]["number"], 1);
    for (number, expected) in [
        (2, ("new:82", 2)),
        (1, ("127.0.0.1:9", 1)),
        (2, ("new:82", 2)),
    ] {
        let deployed = given
            .put("deployment", json!({"revision": number}))
            .await
            .expect(200);
        assert_eq!(deployed.body["revision"]["number"], number);
        assert_eq!(served(), (expected.0.to_owned(), expected.1));
    }
    let frozen = given.get("revisions/1").await;
    assert_eq!(
        frozen.text("/configuration/upstream/url"),
        "http://127.0.0.1:9"
    );
    let refused = given.put("deployment", json!({"revision": 9})).await;
    assert_eq!(refused.problem(), (404, "revision.unknown"));
    let page = given.get("revisions?limit=1").await;
    assert_eq!(page.text("/next"), "1");
    let page = given.get("revisions?limit=1&after=1").await;
    assert_eq!(page.body["items"][0]["number"], 2);
    assert_eq!(page.body.get("next"), None);
}

#[tokio::test]
async fn a_revision_that_the_state_cannot_serve_is_rejected_and_nothing_changes() {
    let given = Given::new().await;
    given.publish().await;
    let follows = given.follow();
    given
        .patch("draft", json!({"upstream": null}))
        .await
        .expect(200);
    given.post("revisions", json!({})).await.expect(201);
    let refused = given.put("deployment", json!({"revision": 2})).await;
    assert_eq!(refused.problem(), (422, "deployment.no_upstream"));
    assert_eq!(refused.text("/errors/0/field"), "/upstream");
    assert_eq!(given.get("deployment").await.body["revision"]["number"], 1);
    let mirror = follows.until(|mirror| !mirror.versions.is_empty()).await;
    assert!(mirror.versions[&raw(&given.version)].upstream.is_some());
}

#[tokio::test]
async fn going_back_to_created_undeploys_and_ends_subscriptions() {
    let given = Given::new().await;
    given.publish().await;
    let (developer, subscribed) = given.subscriber("dev", "gold").await;
    let follows = given.follow();
    follows
        .until(|mirror| mirror.subscriptions.len() == 1)
        .await;
    let back = given.advance("created").await.expect(200);
    assert_eq!(back.body["deployed_revision"], Value::Null);
    let mirror = follows.now();
    assert!(mirror.versions.is_empty() && mirror.subscriptions.is_empty());
    let path = format!("/api/v1/subscriptions/{}", subscribed.text("/id"));
    let list = given
        .house
        .get("/api/v1/subscriptions")
        .by(&developer)
        .await;
    assert_eq!(list.body["items"], json!([]), "{path}");
    given
        .patch("draft", json!({"upstream": {"url": "http://b:83"}}))
        .await
        .expect(200);
    let again = given.advance("published").await.expect(200);
    assert_eq!(again.body["deployed_revision"], 2);
    let mirror = follows.now();
    let upstream = mirror.versions[&raw(&given.version)].upstream.as_ref();
    assert_eq!(upstream.unwrap().targets[0].authority, "b:83");
    assert!(mirror.subscriptions.is_empty());
}

#[tokio::test]
async fn a_new_version_begins_as_a_copy_and_takes_subscriptions_along_with_their_status() {
    let given = Given::new().await;
    given.publish().await;
    let (_, one) = given.subscriber("one", "gold").await;
    let (_, blocked) = given.subscriber("two", "gold").await;
    let by_approval = json!({"granted": "by_approval"});
    let security = json!({"oauth2": {}, "scopes": {"admin": by_approval, "audit": by_approval}});
    let draft = given.house.patch(
        &path(&given.version, "draft"),
        json!({"security": security}),
    );
    draft.by(&given.ann).await.expect(200);
    let scopes = format!("/api/v1/subscriptions/{}/scopes", one.text("/id"));
    let granted = given.house.put(&scopes, json!(["admin", "audit"]));
    granted.by(&given.ann).await.expect(200);
    let path_of = format!("/api/v1/subscriptions/{}", blocked.text("/id"));
    let block = given.house.patch(&path_of, json!({"status": "blocked"}));
    block.by(&given.ann).await.expect(200);
    let second = given.second().await;
    let copied = given
        .house
        .get(&path(&second, "draft"))
        .by(&given.ann)
        .await;
    assert_eq!(copied.body, given.get("draft").await.body);
    let plans = given
        .house
        .get(&path(&second, "plans"))
        .by(&given.ann)
        .await;
    assert_eq!(plans.text("/0/name"), "gold");
    let without = json!({"security": {"scopes": {"audit": null}}});
    let without = given.house.patch(&path(&second, "draft"), without);
    without.by(&given.ann).await.expect(200);
    let follows = given.follow();
    let body = json!({
        "to": "published", "subscriptions": "move", "from": given.version, "without_tokens": true,
    });
    let call = given.house.post(&path(&second, "lifecycle"), body);
    call.by(&given.ann).await.expect(200);
    let mirror = follows
        .until(|mirror| mirror.subscriptions.len() == 4)
        .await;
    let of_second = mirror.subscriptions.values();
    let of_second = of_second.filter(|it| it.version.raw() == raw(&second));
    let mut statuses: Vec<_> = of_second.map(|it| it.status.word()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [Status::Active.word(), Status::Blocked.word()]);
    let granted = mirror
        .subscriptions
        .values()
        .filter(|it| !it.scopes.is_empty());
    let mut granted: Vec<_> = granted
        .map(|it| (it.version.raw(), it.scopes.join(" ")))
        .collect();
    granted.sort_unstable();
    let mut expected = [
        (raw(&given.version), "admin audit".to_owned()),
        (raw(&second), "admin".to_owned()),
    ];
    expected.sort_unstable();
    assert_eq!(granted, expected, "those that the new version has too");
    assert_eq!(given.get("").await.text("/state"), "published");
}

#[tokio::test]
async fn subscriptions_of_applications_that_are_subscribed_already_are_skipped_and_counted() {
    let given = Given::new().await;
    given.publish().await;
    let (dora, first) = given.subscriber("dora", "gold").await;
    let (_, late) = given.subscriber("lena", "gold").await;
    let second = given.second().await;
    let advance = |body: Value| {
        let call = given.house.post(&path(&second, "lifecycle"), body);
        call.by(&given.ann)
    };
    let publish = json!({"to": "published", "without_tokens": true});
    let published = advance(publish).await.expect(200);
    assert_eq!(published.body.get("moved"), None);
    let twice = json!({
        "application": first.text("/application"), "version": second, "plan": "gold",
    });
    let subscribe = given.house.post("/api/v1/subscriptions", twice);
    subscribe.by(&dora).await.expect(201);
    let block = json!({"status": "blocked", "reason": "unpaid"});
    let of_late = format!("/api/v1/subscriptions/{}", late.text("/id"));
    let blocked = given.house.patch(&of_late, block).by(&given.ann).await;
    blocked.expect(200);
    advance(json!({"to": "blocked"})).await.expect(200);
    let body = json!({
        "to": "published", "subscriptions": "move", "from": "1.0", "plans": {"gold": "silver"},
    });
    let refused = advance(body).await.expect(422);
    assert_eq!(refused.text("/errors/0/field"), "/plans");
    let body = json!({"to": "published", "subscriptions": "move", "from": "1.0"});
    let dry = format!("{}?dry_run=true", path(&second, "lifecycle"));
    let dry = given.house.post(&dry, body.clone()).by(&given.ann).await;
    let notes = dry.expect(200).body["notes"].to_string();
    assert!(notes.contains("count anew"), "{notes}");
    assert!(notes.contains("each application can call both"), "{notes}");
    let moved = advance(body).await.expect(200);
    assert_eq!(
        moved.body["moved"],
        json!({"subscriptions": 1, "skipped": 1})
    );
    assert_eq!(moved.body.get("notes"), None);
    let find = format!("/api/v1/subscriptions?version={second}&status=blocked");
    let found = given.house.get(&find).by(&given.ann).await.expect(200);
    assert_eq!(found.text("/items/0/reason"), "unpaid");
    assert_eq!(
        found.text("/items/0/application"),
        late.text("/application")
    );
}

#[tokio::test]
async fn a_publication_that_cannot_take_all_subscriptions_along_does_not_happen() {
    let given = Given::new().await;
    given.publish().await;
    given.subscriber("one", "gold").await;
    let second = given.second().await;
    let plans = given.house.put(&path(&second, "plans"), json!(["bronze"]));
    plans.by(&given.ann).await.expect(200);
    let advance = |body: Value| {
        let call = given.house.post(&path(&second, "lifecycle"), body);
        call.by(&given.ann)
    };
    let body = json!({"to": "published", "subscriptions": "move", "from": "1.0"});
    let refused = advance(body).await;
    assert_eq!(refused.problem(), (409, "lifecycle.plan_not_offered"));
    let version = given.house.get(&path(&second, "")).by(&given.ann).await;
    assert_eq!(version.text("/state"), "created");
    for (body, field) in [
        (
            json!({"to": "blocked", "subscriptions": "resubscribe"}),
            "/subscriptions",
        ),
        (json!({"to": "published", "subscriptions": "move"}), "/from"),
        (json!({"to": "published", "from": "1.0"}), "/from"),
        (
            json!({"to": "published", "subscriptions": "move", "from": "9"}),
            "/from",
        ),
        (
            json!({"to": "published", "subscriptions": "move", "from": "2.0"}),
            "/from",
        ),
    ] {
        let refused = advance(body).await.expect(422);
        assert_eq!(refused.text("/errors/0/field"), field);
    }
    assert_eq!(given.get("").await.text("/state"), "published");
}

#[tokio::test]
async fn a_published_version_keeps_offering_a_plan() {
    let given = Given::new().await;
    let plans = given
        .put("plans", json!(["silver", "bronze"]))
        .await
        .expect(200);
    let names: Vec<_> = (0..2)
        .map(|index| plans.body[index]["name"].clone())
        .collect();
    assert_eq!(json!(names), json!(["silver", "bronze"]));
    let by_id = json!([plans.text("/1/id")]);
    given.put("plans", by_id).await.expect(200);
    let refused = given
        .put("plans", json!(["gold", "lead", "gold"]))
        .await
        .expect(422);
    assert_eq!(refused.text("/errors/0/field"), "/1");
    assert_eq!(refused.text("/errors/1/code"), "plan.repeated");
    given.advance("published").await.expect(200);
    assert_eq!(
        given.put("plans", json!([])).await.problem(),
        (409, "version.no_plan")
    );
    assert_eq!(given.get("plans").await.text("/0/name"), "bronze");
    assert_eq!(given.get("").await.text("/plans/0/name"), "bronze");
}

#[tokio::test]
async fn the_plan_of_calls_without_a_credential_is_not_offered() {
    let given = Given::new().await;
    let refused = given.put("plans", json!(["gold", "anonymous"])).await;
    assert_eq!(refused.problem(), (422, "plan.anonymous"));
    assert_eq!(refused.text("/errors/0/field"), "/1");
}

#[tokio::test]
async fn the_default_moves_from_one_version_to_the_other() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.second().await;
    let follows = given.follow();
    let call = given.house.call("POST", &path(&second, "default"));
    let now = call.by(&given.ann).await.expect(200);
    assert_eq!(now.body["is_default"], true);
    assert_eq!(given.get("").await.body["is_default"], false);
    assert!(!follows.now().versions[&raw(&given.version)].is_default);
    let taken = format!("/api/v1/apis/{}/versions", given.api);
    let taken = given
        .house
        .post(&taken, json!({"name": "2.0"}))
        .by(&given.ann)
        .await;
    assert_eq!(taken.problem(), (409, "name.taken"));
}

#[tokio::test]
async fn retired_and_published_versions_stay_protected() {
    let given = Given::new().await;
    given.publish().await;
    let api = format!("/api/v1/apis/{}", given.api);
    let refused = given.house.delete(&api).by(&given.ann).await;
    assert_eq!(refused.problem(), (409, "in_use"));
    given.advance("deprecated").await.expect(200);
    given.advance("retired").await.expect(200);
    let refused = given.put("deployment", json!({"revision": 1})).await;
    assert_eq!(refused.problem(), (409, "deployment.retired"));
    assert_eq!(
        given.advance("published").await.problem(),
        (409, "lifecycle.not_next")
    );
    assert_eq!(given.house.delete(&api).by(&given.ann).await.status, 204);
}

#[tokio::test]
async fn the_catalogue_shows_developers_the_callable_versions() {
    let given = Given::new().await;
    let developer = given.house.person("dev", &[Role::Developer]).await;
    let seen = |query: &str| {
        let call = given.house.get(&format!("/api/v1/catalogue{query}"));
        call.by(&developer)
    };
    assert_eq!(seen("").await.body["items"], json!([]));
    given.advance("prototyped").await.expect(200);
    let prototype = seen("").await;
    assert_eq!(prototype.text("/items/0/state"), "prototyped");
    assert_eq!(prototype.body["items"][0]["plans"], json!([]));
    given.publish().await;
    let published = seen("").await;
    assert_eq!(published.text("/items/0/path"), "/pets/1.0");
    assert_eq!(published.text("/items/0/plans/0/name"), "gold");
    given.advance("deprecated").await.expect(200);
    assert_eq!(seen("").await.body["items"], json!([]));
    assert_eq!(
        seen("?deprecated=true").await.text("/items/0/state"),
        "deprecated"
    );
    let refused = given.house.get(&given.path("")).by(&developer).await;
    assert_eq!(refused.problem(), (403, "role.missing"));
}

impl Given {
    /// Deploys a revision without the handlers, which would reject it: its key header is `Host`.
    async fn deploy_unservable_revision(&self) {
        let store = &self.house.control.store;
        let version = self.version.parse().unwrap();
        let draft = versions::draft(store, version).await.unwrap();
        let mut configuration = draft.configuration;
        configuration.key_header = Some("Host".into());
        let new = NewRevision {
            id: self.house.control.id().unwrap(),
            version,
            configuration,
            note: String::new(),
            created_by: self.ann.id,
            created_us: NOW_US,
        };
        let mut tx = store.write().await.unwrap();
        revisions::create(&mut tx, &new).await.unwrap();
        revisions::deploy(&mut tx, version, new.id, NOW_US)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }

    async fn move_to(&self, context: &str) -> Answer {
        let path = format!("/api/v1/apis/{}", self.api);
        let body = json!({"context": context});
        self.house.patch(&path, body).by(&self.ann).await
    }
}

#[tokio::test]
async fn an_unservable_version_is_saved_and_reported_and_the_previous_one_stays_in_force() {
    let given = Given::new().await;
    let follows = given.follow();
    given.publish().await;
    let id = raw(&given.version);
    let before = follows.now().versions[&id].clone();
    given.deploy_unservable_revision().await;
    let refused = given.move_to("/elsewhere").await;
    assert_eq!(refused.problem(), (503, "feed.refused"));
    let detail = refused.text("/detail");
    let expected = format!(
        "saved, not in force: a gateway cannot serve the version {}",
        given.version
    );
    assert!(
        detail.starts_with(&expected) && detail.contains("/key_header"),
        "{detail}"
    );
    assert_eq!(refused.header("retry-after"), None);
    assert_eq!(follows.now().versions[&id], before);
    let path = format!("/api/v1/apis/{}", given.api);
    let api = given.house.get(&path).by(&given.ann).await;
    assert_eq!(api.text("/context"), "/elsewhere", "it is saved");

    // Other changes succeed, and another gateway gets the same refusal.
    let root = given.house.person("root", &[Role::Administrator]).await;
    let plan = json!({"name": "tin", "unlimited": true});
    let made = given.house.post("/api/v1/plans", plan).by(&root).await;
    assert_eq!(made.status, 201);
    let late = given.follow();
    let late = late.until(|mirror| mirror.refused.contains_key(&id)).await;
    assert!(!late.versions.contains_key(&id));

    // Blocking works despite the fault; unblocking needs a servable version.
    given.advance("blocked").await.expect(200);
    assert!(!follows.now().versions.contains_key(&id));
    assert_eq!(
        given.advance("published").await.problem(),
        (503, "feed.refused")
    );
    given
        .put("deployment", json!({"revision": 1}))
        .await
        .expect(200);
    assert_eq!(follows.now().versions[&id].context, "/elsewhere");
    assert!(follows.now().refused.is_empty());
}

#[tokio::test]
async fn patching_only_the_text_of_a_scope_keeps_it_by_approval() {
    let given = Given::new().await;
    let path = path(&given.version, "draft");
    let patch = async |scope: Value| {
        let security = json!({"oauth2": {}, "scopes": {"admin": scope}});
        let change = json!({"security": security});
        let draft = given.house.patch(&path, change).by(&given.ann).await;
        draft.expect(200).body["security"]["scopes"]["admin"].clone()
    };
    patch(json!({"text": "Administer", "granted": "by_approval"})).await;
    let found = patch(json!("Do everything")).await;
    assert_eq!(
        found,
        json!({"text": "Do everything", "granted": "by_approval"})
    );
    let found = patch(json!({"granted": "freely"})).await;
    assert_eq!(found["granted"], "freely");
}

#[tokio::test]
async fn a_saved_draft_has_notes_on_steps_that_may_do_much_work() {
    let given = Given::new().await;
    let policies = |value: &str| {
        let each = json!({ "$each": "body.items", "$as": "item", "$do": value });
        let template = json!({ "policy": "json_template", "template": { "found": each } });
        json!({ "policies": { "request": [template] } })
    };
    let linear = policies("{{ item.sku }} in {{ body.currency }}");
    let saved = given.patch("draft", linear.clone()).await.expect(200);
    assert_eq!(saved.body["notes"], Value::Null);
    let saved = given
        .patch("draft", policies("{{ 7 in body.items }}"))
        .await
        .expect(200);
    let notes = saved.body["notes"].as_array().unwrap();
    let [note] = &notes[..] else {
        panic!("{notes:?}");
    };
    assert_eq!(note["field"], "/policies/request/0/template/found/$do");
    assert_eq!(note["code"], "policy.work");
    assert!(
        note["detail"]
            .as_str()
            .unwrap()
            .starts_with("`body.items` is read as a whole")
    );
    // The draft is returned with them, and they may be sent again.
    let draft = given.get("draft").await.expect(200);
    assert_eq!(draft.body["notes"], saved.body["notes"]);
    let etag = draft.header("etag").unwrap().to_owned();
    let put = given.house.put(&given.path("draft"), draft.body);
    let replaced = put.by(&given.ann).header("if-match", &etag).await;
    assert_eq!(replaced.body["notes"], saved.body["notes"], "{replaced:?}");
    let twice = given.house.call("PUT", &given.path("draft"));
    let twice = twice.body("application/json", r#"{"operations":[],"operations":[]}"#);
    let twice = twice.by(&given.ann).header("if-match", &etag).await;
    assert_eq!((twice.status, twice.text("/code")), (422, "body.invalid"));
    given.post("revisions", json!({})).await.expect(201);
    given.patch("draft", linear).await.expect(200);
    let restored = given.post("draft/restore", json!({"revision": 1})).await;
    assert_eq!(restored.body["notes"], saved.body["notes"], "{restored:?}");
}
