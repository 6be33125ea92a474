//! Deprecating, retiring and deleting versions.

use serde_json::{Value, json};
use tollgate_model::feed::ServedDeprecation;
use tollgate_model::user::Role;

use super::{Given, path, raw};
use crate::feed::mirror::Mirror;
use crate::harness::{Answer, NOW_US};

const SUNSET: &str = "2027-01-31T12:00:00Z";
const DAY_US: i64 = 86_400_000_000;

impl Given {
    /// Creates another version from the first one, and publishes it.
    async fn published(&self, name: &str) -> String {
        let version = self.copy_named(name).await;
        self.advance_of(&version, json!({"to": "published"}))
            .await
            .expect(200);
        version
    }

    async fn advance_of(&self, version: &str, body: Value) -> Answer {
        let call = self.house.post(&path(version, "lifecycle"), body);
        call.by(&self.ann).await
    }

    /// Changes the deprecation of a version.
    async fn announce(&self, version: &str, body: Value) -> Answer {
        let call = self.house.patch(&path(version, "deprecation"), body);
        call.by(&self.ann).await
    }

    async fn deprecation(&self, version: &str) -> Value {
        let call = self.house.get(&path(version, "")).by(&self.ann);
        call.await.expect(200).body["deprecation"].clone()
    }

    /// Asserts the version's deprecation at the gateways.
    async fn assert_served(&self, version: &str, expected: Option<ServedDeprecation>) {
        let follows = self.follow();
        let is_whole = |mirror: &Mirror| mirror.versions.contains_key(&raw(version));
        let mirror = follows.until(is_whole).await;
        assert_eq!(mirror.versions[&raw(version)].deprecation, expected);
    }
}

/// Returns the fields and codes of the errors of a response.
fn errors(answer: &Answer) -> Vec<(String, String)> {
    let errors = answer.body["errors"].as_array().cloned();
    let errors = errors.unwrap_or_default().into_iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    errors
        .map(|error| (text(&error["field"]), text(&error["code"])))
        .collect()
}

fn assert_errors(answer: &Answer, expected: &[(&str, &str)]) {
    let errors = errors(answer);
    let errors: Vec<_> = errors
        .iter()
        .map(|(field, code)| (field.as_str(), code.as_str()))
        .collect();
    assert_eq!(errors, expected, "{answer:?}");
}

#[tokio::test]
async fn everything_that_is_missing_for_a_state_is_listed_at_once() {
    let given = Given::new().await;
    let bare = json!({
        "upstream": null, "operations": [{"method": "GET", "path": "/"}],
        "security": {"oauth2": {}},
    });
    given.patch("draft", bare).await.expect(200);
    let refused = given.advance("published").await;
    assert_eq!(refused.problem(), (409, "lifecycle.missing"));
    let missing = [
        ("/to", "lifecycle.no_upstream"),
        ("/to", "lifecycle.no_plan"),
        ("/without_tokens", "lifecycle.no_tokens"),
    ];
    assert_errors(&refused, &missing);
    let whole = json!({"upstream": {"url": "http://127.0.0.1:9"}});
    given.patch("draft", whole).await.expect(200);
    given.put("plans", json!(["gold"])).await.expect(200);
    let refused = given.advance("published").await;
    assert_eq!(refused.problem(), (409, "lifecycle.no_tokens"));
    assert_errors(&refused, &missing[2..]);
    let empty = json!({"operations": [], "upstream": null});
    given.patch("draft", empty).await.expect(200);
    let refused = given.advance("prototyped").await;
    let missing = [
        ("/to", "lifecycle.no_operation"),
        ("/to", "lifecycle.no_upstream"),
    ];
    assert_errors(&refused, &missing);
}

#[tokio::test]
async fn a_deprecation_is_shown_and_sent_until_the_version_leaves_the_state() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.published("2.0").await;
    let (developer, subscribed) = given.subscriber("one", "gold").await;
    let begun = given.advance_of(
        &given.version,
        json!({"to": "deprecated", "sunset": SUNSET, "successor": "2.0", "text": "Move."}),
    );
    let begun = begun.await.expect(200);
    let expected = json!({
        "since": "2026-09-21T14:13:20Z", "sunset": SUNSET, "text": "Move.",
        "successor": {"id": second, "name": "2.0", "state": "published"},
    });
    assert_eq!(begun.body["deprecation"], expected);
    assert_eq!(begun.body["next_states"], json!(["published", "retired"]));
    let served = ServedDeprecation {
        since_us: NOW_US,
        sunset_us: Some(1_801_396_800_000_000),
        successor: Some("/pets/2.0".to_owned()),
    };
    given
        .assert_served(&given.version, Some(served.clone()))
        .await;
    for (place, pointer) in [
        (
            format!("/api/v1/catalogue/{}", given.version),
            "/deprecation",
        ),
        (
            "/api/v1/catalogue?deprecated=true&sort=created".to_owned(),
            "/items/0/deprecation",
        ),
        (
            format!("/api/v1/subscriptions/{}", subscribed.text("/id")),
            "/deprecation",
        ),
        ("/api/v1/subscriptions".to_owned(), "/items/0/deprecation"),
    ] {
        let seen = given.house.get(&place).by(&developer).await.expect(200);
        assert_eq!(seen.body.pointer(pointer), Some(&expected), "{place}");
    }

    given.house.wait(DAY_US);
    let changed = json!({"sunset": null, "text": null});
    let changed = given.announce(&given.version, changed).await.expect(200);
    let expected = json!({
        "since": "2026-09-21T14:13:20Z", "text": "",
        "successor": {"id": second, "name": "2.0", "state": "published"},
    });
    assert_eq!(changed.body["deprecation"], expected);
    let without_sunset = ServedDeprecation {
        sunset_us: None,
        ..served
    };
    given
        .assert_served(&given.version, Some(without_sunset))
        .await;

    let undone = given.advance("published").await.expect(200);
    assert_eq!(undone.body["deprecation"], Value::Null);
    given.assert_served(&given.version, None).await;
    let subscription = format!("/api/v1/subscriptions/{}", subscribed.text("/id"));
    let kept = given
        .house
        .get(&subscription)
        .by(&developer)
        .await
        .expect(200);
    assert_eq!(kept.text("/version_state"), "published");
    let refused = given.announce(&given.version, json!({"text": "x"})).await;
    assert_eq!(refused.problem(), (409, "version.not_deprecated"));
}

#[tokio::test]
async fn a_successor_is_announced_while_it_is_in_the_catalogue() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.published("2.0").await;
    let body = json!({"to": "deprecated", "successor": second});
    given.advance_of(&given.version, body).await.expect(200);
    let developer = given.house.person("dev", &[Role::Developer]).await;
    let shown = async || {
        let entry = format!("/api/v1/catalogue/{}", given.version);
        let entry = given.house.get(&entry).by(&developer).await.expect(200);
        entry.text("/deprecation/successor/name").to_owned()
    };
    let served = |successor: Option<&str>| ServedDeprecation {
        since_us: NOW_US,
        sunset_us: None,
        successor: successor.map(str::to_owned),
    };
    let there = served(Some("/pets/2.0"));
    given
        .assert_served(&given.version, Some(there.clone()))
        .await;
    for (to, is_shown) in [
        ("blocked", false),
        ("published", true),
        ("deprecated", true),
    ] {
        let follows = given.follow();
        given
            .advance_of(&second, json!({"to": to}))
            .await
            .expect(200);
        let expected = if is_shown {
            there.clone()
        } else {
            served(None)
        };
        let mirror = follows.now();
        assert_eq!(
            mirror.versions[&raw(&given.version)].deprecation,
            Some(expected),
            "{to}"
        );
        assert_eq!(shown().await, if is_shown { "2.0" } else { "" }, "{to}");
        let own = given.deprecation(&given.version).await;
        assert_eq!(own["successor"]["state"], to, "its owner sees it");
    }
    let api = format!("/api/v1/apis/{}", given.api);
    let follows = given.follow();
    let moved = given.house.patch(&api, json!({"context": "/animals"}));
    moved.by(&given.ann).await.expect(200);
    let mirror = follows.now();
    let expected = served(Some("/animals/2.0"));
    assert_eq!(
        mirror.versions[&raw(&given.version)].deprecation,
        Some(expected)
    );
    let follows = given.follow();
    given
        .advance_of(&second, json!({"to": "retired"}))
        .await
        .expect(200);
    let mirror = follows.now();
    assert_eq!(
        mirror.versions[&raw(&given.version)].deprecation,
        Some(served(None))
    );
    assert_eq!(
        given.deprecation(&given.version).await["successor"],
        Value::Null
    );
}

#[tokio::test]
async fn older_versions_are_deprecated_in_the_same_step() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.published("2.0").await;
    let third = given.copy_named("3.0").await;
    let deprecate = |versions: Value, sunset: &str| {
        let body = json!({
            "to": "published", "note": "a new one", "subscriptions": "move", "from": "1.0",
            "deprecate": {"versions": versions, "sunset": sunset, "text": "Move."},
        });
        given.advance_of(&third, body)
    };
    given.subscriber("one", "gold").await;
    let refused = deprecate(json!(["1.0", "9", "1.0", "3.0"]), "2020-01-01T00:00:00Z").await;
    let expected = [
        ("/deprecate/sunset", "deprecation.sunset_past"),
        ("/deprecate/versions/1", "version.unknown"),
        ("/deprecate/versions/2", "deprecation.repeated"),
        ("/deprecate/versions/3", "deprecation.repeated"),
    ];
    assert_errors(&refused.expect(422), &expected);
    let follows = given.follow();
    let published = deprecate(json!(["1.0", second]), SUNSET).await.expect(200);
    assert_eq!(published.text("/state"), "published");
    let mirror = follows.now();
    assert_eq!(mirror.subscriptions.len(), 2, "moved, and kept");
    for older in [&given.version, &second] {
        let deprecation = given.deprecation(older).await;
        assert_eq!(deprecation["successor"]["id"], third.as_str());
        assert_eq!(deprecation["sunset"], SUNSET);
        let served = mirror.versions[&raw(older)].deprecation.clone().unwrap();
        assert_eq!(served.successor.as_deref(), Some("/pets/3.0"));
    }
    let history = given.get("lifecycle").await;
    assert_eq!(history.text("/1/to"), "deprecated");
    assert_eq!(history.text("/1/note"), "a new one");
    given
        .advance_of(&third, json!({"to": "blocked"}))
        .await
        .expect(200);
    let again = json!({"to": "published", "deprecate": {"versions": ["1.0"]}});
    let again = given.advance_of(&third, again).await.expect(422);
    assert_errors(&again, &[("/deprecate/versions/0", "lifecycle.not_next")]);
}

#[tokio::test]
async fn a_wrong_deprecation_is_refused_with_its_field() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.published("2.0").await;
    let body = json!({"name": "Fish", "context": "/fish", "version": "1.0"});
    let other = given.house.post("/api/v1/apis", body).by(&given.ann).await;
    let created = given.copy_named("3.0").await;
    let rows = [
        (
            json!({"sunset": "2026-09-21T14:13:20Z"}),
            "/sunset",
            "deprecation.sunset_past",
        ),
        (
            json!({"sunset": "9999-12-31T23:59:59Z"}),
            "/sunset",
            "deprecation.sunset_far",
        ),
        (
            json!({"sunset": "2036-09-22T14:13:21Z"}),
            "/sunset",
            "deprecation.sunset_far",
        ),
        (
            json!({"sunset": "2027-01-31T12:00:00"}),
            "/sunset",
            "body.invalid",
        ),
        (json!({"sunset": "2027-01-31"}), "/sunset", "body.invalid"),
        (json!({"text": "é".repeat(1_001)}), "/text", "text.too_long"),
        (
            json!({"successor": "1.0"}),
            "/successor",
            "deprecation.successor_self",
        ),
        (
            json!({"successor": "9"}),
            "/successor",
            "deprecation.successor_unknown",
        ),
        (
            json!({"successor": other.text("/version/id")}),
            "/successor",
            "deprecation.successor_unknown",
        ),
        (
            json!({"successor": created}),
            "/successor",
            "deprecation.successor_state",
        ),
        (json!({"until": "2027-01-31"}), "/until", "body.invalid"),
    ];
    for (terms, field, code) in &rows {
        let mut body = terms.clone();
        body["to"] = json!("deprecated");
        let refused = given.advance_of(&given.version, body).await.expect(422);
        assert_errors(&refused, &[(*field, *code)]);
    }
    assert_eq!(
        given.get("").await.text("/state"),
        "published",
        "nothing was written"
    );
    given
        .advance_of(&given.version, json!({"to": "deprecated"}))
        .await
        .expect(200);
    for (terms, field, code) in &rows {
        let refused = given
            .announce(&given.version, terms.clone())
            .await
            .expect(422);
        assert_errors(&refused, &[(*field, *code)]);
    }
    let all =
        json!({"sunset": "2020-01-01T00:00:00Z", "text": "é".repeat(1_001), "successor": "9"});
    let refused = given.announce(&given.version, all).await.expect(422);
    assert_eq!(errors(&refused).len(), 3);
    let latest = json!({"sunset": "2036-09-21T14:13:20Z"});
    given.announce(&given.version, latest).await.expect(200);
    for option in ["sunset", "successor", "text", "deprecate"] {
        let value = match option {
            "sunset" => json!(SUNSET),
            "deprecate" => json!({"versions": []}),
            _ => json!("1.0"),
        };
        let body = json!({"to": "blocked", option: value});
        let refused = given.advance_of(&second, body).await.expect(422);
        assert_errors(&refused, &[(&format!("/{option}"), "lifecycle.option")]);
    }
}

#[tokio::test]
async fn a_circle_of_successors_is_refused() {
    let given = Given::new().await;
    given.publish().await;
    let (second, third) = (given.published("2.0").await, given.published("3.0").await);
    let deprecate = async |version: &str, successor: &str| {
        let body = json!({"to": "deprecated", "successor": successor});
        given.advance_of(version, body).await
    };
    deprecate(&given.version, "2.0").await.expect(200);
    let refused = deprecate(&second, "1.0").await.expect(422);
    assert_errors(&refused, &[("/successor", "deprecation.successor_circle")]);
    deprecate(&second, "3.0").await.expect(200);
    let refused = deprecate(&third, "1.0").await.expect(422);
    assert_errors(&refused, &[("/successor", "deprecation.successor_circle")]);
    deprecate(&third, &given.published("4.0").await)
        .await
        .expect(200);
    let refused = given
        .announce(&third, json!({"successor": "1.0"}))
        .await
        .expect(422);
    assert_errors(&refused, &[("/successor", "deprecation.successor_circle")]);
}

#[tokio::test]
async fn retiring_ends_subscriptions_and_its_dry_run_counts_them() {
    let given = Given::new().await;
    given.publish().await;
    let (developer, subscribed) = given.subscriber("one", "gold").await;
    given.subscriber("two", "gold").await;
    given.advance("deprecated").await.expect(200);
    let dry = given
        .post("lifecycle?dry_run=true", json!({"to": "retired"}))
        .await
        .expect(200);
    let mut dry = dry.body;
    let default = dry.as_object_mut().unwrap().remove("default").unwrap();
    assert_eq!(default["lacking"], 2);
    let expected = json!({
        "subscriptions": 2, "applications": 2, "credentials": 0, "calls_last_day": 0,
    });
    assert_eq!(dry, expected);
    let follows = given.follow();
    assert_eq!(given.get("").await.text("/state"), "deprecated");
    given.advance("retired").await.expect(200);
    let mirror = follows.now();
    assert!(mirror.versions.is_empty() && mirror.subscriptions.is_empty());
    let gone = format!("/api/v1/subscriptions/{}", subscribed.text("/id"));
    let gone = given.house.get(&gone).by(&developer).await;
    assert_eq!(gone.problem(), (404, "subscription.unknown"));
}

#[tokio::test]
async fn a_dry_run_of_publishing_counts_what_the_call_moves_and_deprecates() {
    let given = Given::new().await;
    given.publish().await;
    for name in ["one", "two", "three"] {
        given.subscriber(name, "gold").await;
    }
    let second = given.published("2.0").await;
    let third = given.copy_named("3.0").await;
    let body = json!({
        "to": "published", "subscriptions": "move", "from": "1.0",
        "deprecate": {"versions": ["1.0", "2.0"]},
    });
    let tried = path(&third, "lifecycle?dry_run=true");
    let tried = given.house.post(&tried, body.clone()).by(&given.ann).await;
    let tried = tried.expect(200).body;
    assert_eq!(
        (&tried["subscriptions"], &tried["applications"]),
        (&json!(3), &json!(3))
    );
    assert_eq!(tried["deprecated"], json!([&given.version, &second]));
    assert_eq!(
        given.deprecation(&second).await,
        Value::Null,
        "nothing is done"
    );

    let made = given.advance_of(&third, body).await.expect(200).body;
    assert_eq!(made["moved"], tried["moved"]);
    assert_eq!(made["moved"]["subscriptions"], 3);
    for version in [&given.version, &second] {
        assert_ne!(given.deprecation(version).await, Value::Null);
    }
}

#[tokio::test]
async fn a_created_or_retired_version_is_deleted() {
    let given = Given::new().await;
    given.publish().await;
    let second = given.published("2.0").await;
    let delete = async |version: &str, query: &str| {
        let call = given.house.delete(&format!("{}{query}", path(version, "")));
        call.by(&given.ann).await
    };
    for to in ["blocked", "deprecated"] {
        assert_eq!(delete(&second, "").await.problem(), (409, "in_use"));
        given
            .advance_of(&second, json!({"to": to}))
            .await
            .expect(200);
    }
    assert_eq!(delete(&second, "").await.problem(), (409, "in_use"));
    given
        .advance_of(&second, json!({"to": "retired"}))
        .await
        .expect(200);
    let dry = delete(&second, "?dry_run=true").await.expect(200);
    assert_eq!(dry.body["subscriptions"], 0);
    assert_eq!(delete(&second, "").await.status, 204);
    assert_eq!(
        delete(&second, "").await.problem(),
        (404, "version.unknown")
    );
    given.advance("created").await.expect(200);
    assert_eq!(delete(&given.version, "").await.status, 204);
}
