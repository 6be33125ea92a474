//! The default version of an API, and what takes it away.

use serde_json::{Value, json};
use tollgate_model::user::Role;

use super::{Given, path, raw};
use crate::harness::{Answer, Person};

impl Given {
    /// Moves a version, or tries to with `?dry_run=true`.
    async fn step(&self, version: &str, query: &str, body: Value) -> Answer {
        let place = format!("{}{query}", path(version, "lifecycle"));
        self.house.post(&place, body).by(&self.ann).await
    }

    async fn remove(&self, version: &str, query: &str) -> Answer {
        let place = format!("{}{query}", path(version, ""));
        self.house.delete(&place).by(&self.ann).await
    }

    /// Returns the name of the default version; empty if there is none.
    async fn default_name(&self) -> String {
        let place = format!("/api/v1/apis/{}/versions", self.api);
        let all = self.house.get(&place).by(&self.ann).await.expect(200);
        let mut all = all.body["items"].as_array().unwrap().iter();
        let default = all.find(|version| version["is_default"] == true);
        default.map_or(String::new(), |it| it["name"].as_str().unwrap().to_owned())
    }

    /// Publishes a copy of the version as `2.0`; returns its id.
    async fn publish_second(&self) -> String {
        let second = self.copy_named("2.0").await;
        let published = self.step(&second, "", json!({"to": "published"}));
        published.await.expect(200);
        second
    }

    /// Subscribes the application of another subscription to a version.
    async fn subscribe_too(&self, (developer, subscribed): &(Person, Answer), version: &str) {
        let body = json!({
            "application": subscribed.text("/application"), "version": version, "plan": "gold",
        });
        let made = self.house.post("/api/v1/subscriptions", body).by(developer);
        made.await.expect(201);
    }
}

#[tokio::test]
async fn retiring_the_default_version_needs_the_next_one_while_another_can_be_called() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.publish_second().await;
    given.subscriber("one", "gold").await;
    let both = given.subscriber("two", "gold").await;
    given.subscribe_too(&both, &second).await;
    given.advance("deprecated").await.expect(200);
    assert_eq!(given.default_name().await, "1.0", "deprecating keeps it");

    let retire = json!({"to": "retired"});
    for query in ["", "?dry_run=true"] {
        let refused = given.step(&given.version, query, retire.clone()).await;
        assert_eq!(refused.problem(), (409, "lifecycle.default"));
        assert_eq!(refused.text("/errors/0/field"), "/default");
        assert!(refused.text("/detail").contains("\"2.0\""));
    }
    for (wanted, code) in [("1.0", "lifecycle.default_state"), ("9", "version.unknown")] {
        let body = json!({"to": "retired", "default": wanted});
        let refused = given.step(&given.version, "", body).await;
        assert_eq!(refused.problem(), (422, code), "{wanted}");
    }
    let none = json!({"to": "retired", "default": null});
    let dry = given.step(&given.version, "?dry_run=true", none).await;
    let dry = dry.expect(200);
    assert_eq!(dry.body["default"]["next"], Value::Null);
    assert_eq!(dry.body["default"]["lacking"], 2, "nobody can call it");
    let named = json!({"to": "retired", "default": "2.0"});
    let dry = given.step(&given.version, "?dry_run=true", named.clone());
    let dry = dry.await.expect(200).body["default"].clone();
    assert_eq!(dry["previous"]["name"], "1.0");
    assert_eq!(dry["previous"]["state"], "retired");
    assert_eq!(dry["next"]["id"], second.as_str());
    assert_eq!(dry["lacking"], 1);
    assert_eq!(dry["applications"][0]["name"], "shop");
    assert_eq!(dry["applications"][0]["owner_name"], "one");
    assert_eq!(given.default_name().await, "1.0");

    let follows = given.follow();
    let done = given.step(&given.version, "", named).await.expect(200);
    assert_eq!(done.body["is_default"], false);
    assert_eq!(done.body["default"], dry);
    assert_eq!(given.default_name().await, "2.0");
    let mirror = follows.now();
    assert!(mirror.versions[&raw(&second)].is_default);
    assert_eq!(mirror.versions[&raw(&second)].other_versions, ["1.0"]);
    let again = given.house.call("POST", &given.path("default"));
    let again = again.by(&given.ann).await;
    assert_eq!(again.problem(), (409, "version.retired"));
}

#[tokio::test]
async fn demoting_the_default_version_needs_the_next_one_while_another_can_be_called() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.publish_second().await;
    for query in ["", "?dry_run=true"] {
        let refused = given.step(&given.version, query, json!({"to": "created"}));
        assert_eq!(refused.await.problem(), (409, "lifecycle.default"));
    }
    assert_eq!(given.default_name().await, "1.0");
    let named = json!({"to": "created", "default": "2.0"});
    let demoted = given.step(&given.version, "", named).await.expect(200);
    assert_eq!(demoted.body["default"]["next"]["id"], second.as_str());
    assert_eq!(given.default_name().await, "2.0");
}

#[tokio::test]
async fn without_another_callable_version_the_api_has_no_default_one() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.copy_named("2.0").await;
    for to in ["published", "blocked"] {
        given.step(&second, "", json!({"to": to})).await.expect(200);
    }
    given.advance("blocked").await.expect(200);
    assert_eq!(given.default_name().await, "1.0", "blocking keeps it");
    given.advance("published").await.expect(200);
    let demoted = given.advance("created").await.expect(200);
    assert_eq!(demoted.body["default"]["previous"]["name"], "1.0");
    assert_eq!(demoted.body["default"]["next"], Value::Null);
    assert_eq!(given.default_name().await, "");

    // Publishing a version makes it the default one only if the caller wants that.
    given.advance("published").await.expect(200);
    assert_eq!(given.default_name().await, "");
    let third = given.copy_named("3.0").await;
    let body = json!({"to": "published", "default": third});
    let published = given.step(&third, "", body).await.expect(200);
    assert_eq!(published.body["default"]["previous"], Value::Null);
    assert_eq!(published.body["is_default"], true);
}

#[tokio::test]
async fn publishing_a_newer_version_can_make_it_the_default_one() {
    let given = Given::new().await;
    given.publish().await;
    given.subscriber("one", "gold").await;
    let second = given.copy_named("2.0").await;
    let body = json!({"to": "published", "default": "2.0"});
    let dry = given.step(&second, "?dry_run=true", body).await.expect(200);
    assert_eq!(dry.body["default"]["lacking"], 1);
    assert_eq!(dry.body["default"]["next"]["state"], "published");
    let moving = json!({
        "to": "published", "default": "2.0", "subscriptions": "move", "from": "1.0",
    });
    let done = given.step(&second, "", moving).await.expect(200);
    assert_eq!(done.body["default"]["lacking"], 0, "they move along");
    assert_eq!(given.default_name().await, "2.0");
}

#[tokio::test]
async fn deleting_the_default_version_needs_the_next_one_while_another_can_be_called() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.copy_named("2.0").await;
    let call = given.house.call("POST", &path(&second, "default"));
    call.by(&given.ann).await.expect(200);
    for query in ["", "?dry_run=true"] {
        let refused = given.remove(&second, query).await;
        assert_eq!(refused.problem(), (409, "lifecycle.default"));
    }
    let dry = given.remove(&second, "?dry_run=true&default=1.0").await;
    let dry = dry.expect(200);
    assert_eq!(dry.body["default"]["next"]["id"], given.version.as_str());
    let dry = given.remove(&second, "?dry_run=true&default=null").await;
    assert_eq!(dry.expect(200).body["default"]["next"], Value::Null);
    let follows = given.follow();
    let done = given.remove(&second, "?default=1.0").await;
    assert_eq!(done.status, 204);
    assert_eq!(given.default_name().await, "1.0");
    let served = &follows.now().versions[&raw(&given.version)];
    assert!(served.is_default);
    assert!(served.other_versions.is_empty(), "the name is free");
}

#[tokio::test]
async fn an_application_reads_what_was_retired_and_what_succeeds_it() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.publish_second().await;
    let (developer, subscribed) = given.subscriber("one", "gold").await;
    let (other, left) = given.subscriber("two", "gold").await;
    let place = |subscribed: &Answer| {
        let application = subscribed.text("/application");
        format!("/api/v1/applications/{application}/retired-versions")
    };
    let unsubscribed = format!("/api/v1/subscriptions/{}", left.text("/id"));
    let gone = given.house.delete(&unsubscribed).by(&other).await;
    assert_eq!(gone.status, 204);
    let deprecated = json!({"to": "deprecated", "successor": "2.0", "text": "Pages, not limits."});
    given.post("lifecycle", deprecated).await.expect(200);
    let retired = json!({"to": "retired", "default": "2.0"});
    given.house.wait(1_000_000);
    let retired = given.post("lifecycle", retired).await.expect(200);
    assert_eq!(retired.text("/deprecation/text"), "Pages, not limits.");

    let own = place(&subscribed);
    let listed = given.house.get(&own).by(&developer).await.expect(200);
    assert_eq!(listed.body.as_array().unwrap().len(), 1);
    assert_eq!(listed.text("/0/api_name"), "Pets");
    assert_eq!(listed.text("/0/version_name"), "1.0");
    assert_eq!(listed.text("/0/retired_at"), "2026-09-21T14:13:21Z");
    assert_eq!(listed.text("/0/deprecation/text"), "Pages, not limits.");
    assert_eq!(listed.text("/0/deprecation/successor/id"), second);
    let left = given.house.get(&place(&left)).by(&other).await.expect(200);
    assert_eq!(left.body, json!([]), "it unsubscribed before");

    let seen = given.house.get(&own).by(&other).await;
    assert_eq!(seen.problem(), (404, "application.unknown"));
    let administrator = given.house.person("root", &[Role::Administrator]).await;
    given.house.get(&own).by(&administrator).await.expect(200);
    let changed = json!({"text": "Later."});
    let refused = given.patch("deprecation", changed).await;
    assert_eq!(refused.problem(), (409, "version.not_deprecated"));
}

#[tokio::test]
async fn applications_lack_the_next_default_version_if_their_calls_of_it_do_not_pass() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.publish_second().await;
    let set = async |subscription: &str, status: &str| {
        let place = format!("/api/v1/subscriptions/{subscription}");
        let body = json!({"status": status, "reason": "because"});
        given
            .house
            .patch(&place, body)
            .by(&given.ann)
            .await
            .expect(200);
    };
    // The statuses on 1.0 and 2.0.
    let rows = [
        ("a", "active", "active"),
        ("b", "active", "blocked"),
        ("c", "active", "blocked_production"),
        ("d", "blocked_production", "blocked_production"),
        ("e", "blocked", "blocked"),
    ];
    for (name, first, next) in rows {
        let subscriber = given.subscriber(name, "gold").await;
        given.subscribe_too(&subscriber, &second).await;
        let place = format!("/api/v1/subscriptions?version={second}");
        let listed = given.house.get(&place).by(&subscriber.0).await.expect(200);
        if first != "active" {
            set(subscriber.1.text("/id"), first).await;
        }
        if next != "active" {
            set(listed.text("/items/0/id"), next).await;
        }
    }
    let body = json!({"to": "retired", "default": "2.0"});
    given.advance("deprecated").await.expect(200);
    let dry = given.step(&given.version, "?dry_run=true", body).await;
    let dry = dry.expect(200);
    let listed = dry.body["default"]["applications"].as_array().unwrap();
    let owners: Vec<_> = listed.iter().map(|it| it["owner_name"].as_str()).collect();
    assert_eq!(owners, [Some("b"), Some("c")]);
    assert_eq!(dry.body["default"]["lacking"], 2);
}

#[tokio::test]
async fn a_default_version_that_is_deprecated_in_the_same_step_is_shown_so() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.copy_named("2.0").await;
    let body = json!({
        "to": "published", "default": "2.0", "deprecate": {"versions": ["1.0"]},
    });
    let done = given.step(&second, "", body).await.expect(200);
    assert_eq!(done.body["default"]["previous"]["state"], "deprecated");
    assert_eq!(done.body["default"]["next"]["state"], "published");
}
