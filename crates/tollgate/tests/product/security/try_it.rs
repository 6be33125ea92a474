//! Try-it credentials: they call a version for a quarter of an hour, whatever its security.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use tollgate_testkit::credentials::Secret;

use super::tokens::part;
use super::{Secured, secured};
use crate::house::user;
use crate::start::sql;

/// Returns the fields of a call with a try-it credential.
fn fields(made: &Value) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    if let Some(key) = made["api_key"].as_object() {
        let text = |name: &str| key[name].as_str().unwrap().to_owned();
        fields.push((text("header"), text("key")));
    }
    if let Some(token) = made["token"].as_str() {
        fields.push(("Authorization".to_owned(), format!("Bearer {token}")));
    }
    if let Some(basic) = made["basic"].as_object() {
        let user = Secret {
            id: String::new(),
            name: basic["user_name"].as_str().unwrap().to_owned(),
            text: basic["password"].as_str().unwrap().to_owned(),
        };
        fields.push(("Authorization".to_owned(), user.basic()));
    }
    fields
}

/// The Unix second of an instant.
fn second(instant: &Value) -> i64 {
    let instant: Timestamp = instant.as_str().unwrap().parse().unwrap();
    instant.as_second()
}

impl Secured {
    async fn try_it(&self) -> Vec<(String, String)> {
        fields(&self.made_to_try().await)
    }

    async fn made_to_try(&self) -> Value {
        let path = format!("/api/v1/versions/{}/try-it", self.house.api.version);
        let trial = json!({ "application": self.house.consumer.application });
        let made = self.house.admin.done("POST", &path, Some(&trial)).await;
        made.unwrap()
    }

    /// Returns the end of each created credential, as stored or as in the credential; Unix seconds.
    async fn ends(&self, made: &Value) -> Vec<i64> {
        let mut ends = vec![second(&made["expires_at"])];
        if let Some(key) = made["api_key"]["key"].as_str() {
            // A key's text begins with its id.
            ends.push(self.kept_until(&format!("keys/key_{}", &key[8..19])).await);
        }
        if let Some(name) = made["basic"]["user_name"].as_str() {
            let id = name.strip_prefix("try-it-").unwrap();
            ends.push(self.kept_until(&format!("basic-users/{id}")).await);
        }
        if let Some(token) = made["token"].as_str() {
            ends.push(part(token, 1)["exp"].as_i64().unwrap());
        }
        ends
    }

    async fn kept_until(&self, path: &str) -> i64 {
        let path = format!("/api/v1/{path}");
        let kept = self.house.admin.done("GET", &path, None).await.unwrap();
        second(&kept["expires_at"])
    }

    async fn status(&self, fields: &[(String, String)]) -> u16 {
        let fields: Vec<_> = fields.iter().map(|(name, it)| (&**name, &**it)).collect();
        self.call(&fields).await.status
    }
}

#[tokio::test]
async fn try_it_creates_a_credential_for_a_quarter_of_an_hour_by_the_versions_security() {
    const QUARTER_S: i64 = 15 * 60;
    let it = Secured::new(&secured()).await;
    let scopes = json!({ "operations": [
        { "method": "GET", "path": "/pets", "scopes": ["pets:write"] } ] });
    let none = json!({ "operations": [{ "method": "GET", "path": "/pets" }] });
    let mixes = [
        (json!({ "api_key": { "header": "X-Key" } }), &none, 1),
        (
            json!({ "oauth2": {}, "scopes": { "pets:write": "" } }),
            &scopes,
            1,
        ),
        (json!({ "basic": {} }), &none, 1),
        (
            json!({ "require": "all", "api_key": {}, "oauth2": {} }),
            &none,
            2,
        ),
        (json!({ "api_key": {}, "basic": {} }), &none, 1),
    ];
    let listed = format!(
        "/api/v1/applications/{}/keys",
        it.house.consumer.application
    );
    let before = it
        .house
        .admin
        .send("GET", &listed, None)
        .await
        .unwrap()
        .json();
    for (security, operations, count) in mixes {
        let mut bare = none.clone();
        bare["security"] = Value::Null;
        it.house.redeploy(bare).await;
        it.secure(security.clone(), operations.clone()).await;
        let before = Timestamp::now().as_second();
        let made = it.made_to_try().await;
        let after = Timestamp::now().as_second();
        let ends = it.ends(&made).await;
        assert_eq!(ends.len(), 1 + count, "{security}");
        let expected = before + QUARTER_S..=after + QUARTER_S;
        assert!(ends.iter().all(|end| expected.contains(end)), "{ends:?}");
        let fields = fields(&made);
        assert_eq!(fields.len(), count, "{security}");
        assert_eq!(it.status(&fields).await, 200, "{security}");
    }
    let after = it
        .house
        .admin
        .send("GET", &listed, None)
        .await
        .unwrap()
        .json();
    let ids = |list: &Value| list["items"].as_array().unwrap().len();
    assert_eq!(ids(&after), ids(&before));
}

#[tokio::test]
async fn try_it_credentials_of_an_application_are_limited_and_deleted_after_their_end() {
    /// The same limit as in `control::try_it`.
    const TRIED_MAX: usize = 100;
    let it = Secured::new(&secured()).await;
    it.secure(json!({ "basic": {} }), json!({})).await;
    let (admin, application) = (&it.house.admin, &it.house.consumer.application);
    let path = format!("/api/v1/versions/{}/try-it", it.house.api.version);
    let trial = json!({ "application": application });
    let mut last = Vec::new();
    for _ in 0..TRIED_MAX {
        last = it.try_it().await;
    }
    assert_eq!(it.status(&last).await, 200);
    let full = admin.send("POST", &path, Some(&trial)).await.unwrap();
    assert_eq!((full.status, &*full.code()), (409, "try_it.too_many"));
    let other = admin.consumer("other", &it.house.api.version, "tested");
    let other = json!({ "application": other.await.unwrap().application });
    admin.done("POST", &path, Some(&other)).await.unwrap();
    // Their names are reserved.
    let other = admin.basic_user(application, "Try-It-1").await.unwrap();
    assert_eq!(other.name, format!("{application}.Try-It-1"));

    // Expired ones do not count, and the start sweeps them.
    let builder = it.house.tollgate.kill().unwrap();
    let database = builder.data().join("tollgate.db");
    sql(
        &database,
        "update basic_users set expires_us = 1 where try_it = 1",
    )
    .await;
    let tollgate = builder.start().unwrap();
    let admin = admin.at(tollgate.control);
    admin.done("POST", &path, Some(&trial)).await.unwrap();
    let count = async |query: &str| {
        let mut store = crate::attack::old_data::database(&database).await;
        let counted: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
            .fetch_one(&mut store)
            .await
            .unwrap();
        counted
    };
    let names = "select count(*) from basic_user_names where name like 'try-it-%'";
    assert_eq!(count(names).await, 0);
    for _ in 0..400 {
        if count("select count(*) from basic_users where try_it = 1").await == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("what has ended was not swept");
}

#[tokio::test]
async fn a_try_it_credential_cannot_be_kept_and_ends_with_its_owner() {
    let it = Secured::new(&secured()).await;
    let (admin, version) = (&it.house.admin, &it.house.api.version);
    let dana = user(admin, &it.house.tollgate, ("dana", &["developer"])).await;
    let application = dana.application("till").await.unwrap();
    dana.subscribe(&application, version, "tested")
        .await
        .unwrap();
    let path = format!("/api/v1/versions/{version}/try-it");
    let trial = json!({ "application": application });

    let made = dana.done("POST", &path, Some(&trial)).await.unwrap();
    let key = fields(&made);
    assert_eq!(it.status(&key).await, 200);
    // A key's text begins with its id.
    let key_path = format!("/api/v1/keys/key_{}", &key[0].1[8..19]);
    let for_ever = json!({ "expires_at": null });
    let kept = dana
        .send("PATCH", &key_path, Some(&for_ever))
        .await
        .unwrap();
    assert_eq!((kept.status, &*kept.code()), (409, "credential.try_it"));

    it.secure(json!({ "oauth2": {} }), json!({})).await;
    let made = dana.done("POST", &path, Some(&trial)).await.unwrap();
    let token = fields(&made);
    assert_eq!(it.status(&token).await, 200);
    // The application of another user is refused.
    let foreign = json!({ "application": it.house.consumer.application });
    let refused = dana.send("POST", &path, Some(&foreign)).await.unwrap();
    assert_eq!(refused.code(), "application.unknown");

    let users = admin
        .send("GET", "/api/v1/users", None)
        .await
        .unwrap()
        .json();
    let users = users["items"].as_array().unwrap();
    let dana = users.iter().find(|it| it["name"] == "dana").unwrap();
    let dana = format!("/api/v1/users/{}", dana["id"].as_str().unwrap());
    let off = json!({ "disabled": true, "credentials": "suspend" });
    admin.done("PATCH", &dana, Some(&off)).await.unwrap();
    assert_eq!(it.status(&token).await, 401);
    it.secure(json!({ "api_key": {} }), json!({})).await;
    assert_eq!(it.status(&key).await, 401);

    // A token does not outlive its application either.
    it.secure(json!({ "oauth2": {} }), json!({})).await;
    let own = it.try_it().await;
    assert_eq!(it.status(&own).await, 200);
    let own_path = format!("/api/v1/applications/{}", it.house.consumer.application);
    admin.done("DELETE", &own_path, None).await.unwrap();
    assert_eq!(it.status(&own).await, 401);
}

#[tokio::test]
async fn a_try_it_token_that_would_not_fit_into_a_call_is_not_issued() {
    let it = Secured::new(&secured()).await;
    let scope = |number: usize| format!("{number:0>60}");
    let scopes: serde_json::Map<_, _> = (0..200).map(|it| (scope(it), json!(""))).collect();
    let operations = (0..200).map(|number| {
        json!({ "method": "GET", "path": format!("/{number}"), "scopes": [scope(number)] })
    });
    let operations = json!({ "operations": operations.collect::<Vec<_>>() });
    it.secure(json!({ "oauth2": {}, "scopes": scopes }), operations)
        .await;
    let path = format!("/api/v1/versions/{}/try-it", it.house.api.version);
    let trial = json!({ "application": it.house.consumer.application });
    let refused = it.house.admin.send("POST", &path, Some(&trial)).await;
    let refused = refused.unwrap();
    assert_eq!(
        (refused.status, &*refused.code()),
        (409, "token.too_large"),
        "{}",
        refused.text()
    );
}
