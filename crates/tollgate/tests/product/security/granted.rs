//! Scopes by approval: they count only for subscriptions to which the API's owner granted them.

use serde_json::{Value, json};
use tollgate_testkit::Answer;

use super::{Secured, secured};
use crate::house::DOCUMENT;

const ADMIN: &str = "pets:admin";

impl Secured {
    /// Creates a house where `GET /pets` requires a scope by approval, and `GET /pets/{pet}` one
    /// that is granted freely; its client may request both.
    async fn by_approval() -> Self {
        let it = Self::new(&secured()).await;
        it.secure(security(), operations()).await;
        let client = format!("/api/v1/clients/{}", it.client.id);
        let scopes = json!({ "scopes": ["pets:read", ADMIN] });
        let changed = it.house.admin.done("PATCH", &client, Some(&scopes)).await;
        changed.unwrap();
        it
    }

    /// Grants these scopes to a subscription, and revokes the others.
    async fn grant(&self, subscription: &str, scopes: Value) {
        let path = format!("/api/v1/subscriptions/{subscription}/scopes");
        let granted = self.house.admin.done("PUT", &path, Some(&scopes)).await;
        assert_eq!(granted.unwrap()["scopes"], scopes);
    }

    async fn call_with(&self, target: &str, token: &str) -> Answer {
        let value = format!("Bearer {token}");
        self.call_to(target, &[("Authorization", &value)]).await
    }
}

fn security() -> Value {
    json!({ "api_key": {}, "oauth2": {}, "scopes": {
        "pets:read": "May read",
        ADMIN: { "text": "May do all", "granted": "by_approval" },
    } })
}

fn operations() -> Value {
    json!({ "operations": [
        { "method": "GET", "path": "/pets", "scopes": [ADMIN] },
        { "method": "GET", "path": "/pets/{pet}", "scopes": ["pets:read"] },
    ] })
}

/// Asserts that the call is refused for a scope, and that the detail mentions the approval.
fn assert_wanting(answer: &Answer, case: &str) {
    assert_eq!(answer.code(), "authorize.scope", "{case}");
    let detail = answer.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("by approval"), "{case}: {detail}");
    assert!(detail.contains(ADMIN), "{case}: {detail}");
}

/// A developer's client could take any scope of a version.
#[tokio::test]
async fn a_scope_by_approval_counts_only_while_it_is_granted_to_the_subscription() {
    let it = Secured::by_approval().await;
    let subscription = it.house.consumer.subscription.clone();
    let mut tokens = Vec::new();
    for form in ["jwt", "opaque"] {
        let change = json!({ "token": { "form": form } });
        let path = format!("/api/v1/clients/{}", it.client.id);
        let changed = it.house.admin.done("PATCH", &path, Some(&change)).await;
        changed.unwrap();
        tokens.push((form, it.token("").await));
    }
    let without = it.token("&scope=pets:read").await;
    // Each for existing tokens that workers cache.
    for (granted, status) in [(json!([]), 403), (json!([ADMIN]), 200), (json!([]), 403)] {
        it.grant(&subscription, granted).await;
        for (form, token) in &tokens {
            for _ in 0..4 {
                let answer = it.call_with("/pets/1.0/pets", token).await;
                assert_eq!(answer.status, status, "{form}: {}", answer.text());
                if status == 403 {
                    assert_wanting(&answer, form);
                    let challenge = answer.field("www-authenticate").unwrap_or_default();
                    assert!(challenge.contains("insufficient_scope"), "{challenge}");
                }
            }
            let freely = it.call_with("/pets/1.0/pets/1", token).await;
            assert_eq!(freely.status, 200, "{form}: {}", freely.text());
        }
        let lacking = it.call_with("/pets/1.0/pets", &without).await;
        assert_eq!(lacking.code(), "authorize.scope");
        assert_eq!(lacking.text().contains("by approval"), status == 403);
        let key = [("apikey", it.house.consumer.key.as_str())];
        assert_eq!(it.call(&key).await.code(), "authorize.scope");
    }
}

#[tokio::test]
async fn a_grant_for_another_api_does_not_count_and_without_a_subscription_none_does() {
    let it = Secured::by_approval().await;
    let admin = &it.house.admin;
    let other = admin.import("Others", "/others", "1.0", DOCUMENT).await;
    let other = other.unwrap();
    admin
        .upstream(&other.version, &it.house.upstream.url())
        .await
        .unwrap();
    admin.attach(&other.version, &["tested"]).await.unwrap();
    let mut draft = operations();
    draft["security"] = security();
    let path = format!("/api/v1/versions/{}/draft", other.version);
    admin.done("PATCH", &path, Some(&draft)).await.unwrap();
    admin.lifecycle(&other.version, "published").await.unwrap();
    let application = &it.house.consumer.application;
    let subscribed = admin.subscribe(application, &other.version, "tested").await;
    let token = it.token("").await;
    it.grant(&subscribed.unwrap(), json!([ADMIN])).await;
    let granted = it.call_with("/others/1.0/pets", &token).await;
    assert_eq!(granted.status, 200, "{}", granted.text());
    assert_wanting(&it.call_with("/pets/1.0/pets", &token).await, "another API");
    // The short path of the default version is no exception.
    assert_wanting(&it.call_with("/pets/pets", &token).await, "short path");

    // A prototype is called without a subscription; authenticated callers still need the scopes.
    let stranger = admin.application("stranger").await.unwrap();
    let body = json!({ "name": "till", "scopes": ["pets:read", ADMIN] });
    let client = admin.client(&stranger, &body).await.unwrap();
    let token = admin.token(&client, "").await.unwrap();
    admin
        .lifecycle(&it.house.api.version, "prototyped")
        .await
        .unwrap();
    let freely = it.call_with("/pets/1.0/pets/1", &token).await;
    assert_eq!(freely.status, 200, "{}", freely.text());
    assert_wanting(&it.call_with("/pets/1.0/pets", &token).await, "prototype");
}

#[tokio::test]
async fn try_it_credentials_and_identities_for_upstreams_contain_only_granted_scopes() {
    let it = Secured::by_approval().await;
    let subscription = it.house.consumer.subscription.clone();
    let trial = json!({ "application": it.house.consumer.application });
    let path = format!("/api/v1/versions/{}/try-it", it.house.api.version);
    // A try-it credential is of the first of the version's schemes.
    let change = json!({ "security": { "api_key": null }, "identity": "headers" });
    it.house.redeploy(change).await;
    let token = it.token("").await;
    for (granted, expected) in [
        (json!([]), "pets:read"),
        (json!([ADMIN]), "pets:admin pets:read"),
    ] {
        it.grant(&subscription, granted.clone()).await;
        let tried = it
            .house
            .admin
            .done("POST", &path, Some(&trial))
            .await
            .unwrap();
        let tried = tried["token"].as_str().unwrap();
        assert_eq!(
            super::tokens::part(tried, 1)["scope"],
            expected,
            "{granted}"
        );
        it.house.upstream.forget();
        let answer = it.call_with("/pets/1.0/pets/1", &token).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let received = it.house.upstream.received().concat();
        let received = String::from_utf8(received).unwrap().to_ascii_lowercase();
        let scopes = received
            .lines()
            .find_map(|line| line.strip_prefix("x-tollgate-scopes: "));
        let mut scopes: Vec<_> = scopes.unwrap_or_default().split(' ').collect();
        scopes.sort_unstable();
        assert_eq!(scopes.join(" "), expected, "{received}");
    }
}
