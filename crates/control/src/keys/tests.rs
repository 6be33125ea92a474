use serde_json::json;
use tollgate_model::user::Role;
use tollgate_tokens::api_key::digest;

use super::LIVE_MAX;
use crate::harness::{House, Person};

async fn house_with_application() -> (House, Person, String) {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Developer]).await;
    let shop = house
        .post("/api/v1/applications", json!({"name": "shop"}))
        .by(&ann)
        .await;
    let keys = format!("/api/v1/applications/{}/keys", shop.text("/id"));
    (house, ann, keys)
}

#[tokio::test]
async fn a_key_is_shown_once_and_revoked_for_good() {
    let (house, ann, keys) = house_with_application().await;
    let live = house.post(&keys, json!({"name": "till"})).by(&ann).await;
    let test = house
        .post(&keys, json!({"environment": "sandbox"}))
        .by(&ann)
        .await;
    assert!(live.text("/key").starts_with("tg_live_"));
    assert!(test.text("/key").starts_with("tg_test_"));
    assert!(digest(live.text("/key").as_bytes()).is_some());

    let list = house.get(&keys).by(&ann).await;
    assert_eq!(list.text("/items/0/key"), "");
    assert!(live.text("/key").ends_with(list.text("/items/0/hint")));
    let path = format!("/api/v1/keys/{}", live.text("/id"));
    let bob = house.person("bob", &[Role::Developer]).await;
    assert_eq!(
        house.delete(&path).by(&bob).await.problem(),
        (404, "key.unknown")
    );
    assert_eq!(house.delete(&path).by(&ann).await.status, 204);
    let list = house.get(&keys).by(&ann).await;
    assert_eq!(list.text("/items/0/revoked_at"), "2026-09-21T14:13:20Z");
    assert_eq!(list.text("/items/1/revoked_at"), "");
}

#[tokio::test]
async fn an_application_has_a_bounded_number_of_live_keys() {
    let (house, ann, keys) = house_with_application().await;
    let soon = json!({"expires_at": "2026-09-21T15:00:00Z"});
    let first = house.post(&keys, json!({})).by(&ann).await;
    for _ in 1..LIVE_MAX {
        assert_eq!(house.post(&keys, soon.clone()).by(&ann).await.status, 201);
    }
    let more = async || house.post(&keys, json!({})).by(&ann).await;
    assert_eq!(more().await.problem(), (409, "key.too_many"));
    let path = format!("/api/v1/keys/{}", first.text("/id"));
    assert_eq!(house.delete(&path).by(&ann).await.status, 204);
    assert_eq!(more().await.status, 201);
    assert_eq!(more().await.problem(), (409, "key.too_many"));
    house.wait(3_600 * 1_000_000);
    assert_eq!(
        more().await.status,
        201,
        "keys that have ended are not live"
    );
}

#[tokio::test]
async fn a_key_that_could_never_work_is_refused() {
    let (house, ann, keys) = house_with_application().await;
    let make = |body| house.post(&keys, body).by(&ann);
    let past = make(json!({"expires_at": "2026-09-21T14:13:20Z"})).await;
    assert_eq!(past.problem(), (422, "key.expired"));
    let begins = "2026-10-01T00:00:00+02:00";
    let never = make(json!({"not_before": begins, "expires_at": "2026-09-30T22:00:00Z"})).await;
    assert_eq!(never.problem(), (422, "key.expired"));
    let later = make(json!({"not_before": begins, "expires_at": "2026-10-02T00:00:00Z"})).await;
    assert_eq!(later.text("/not_before"), "2026-09-30T22:00:00Z");
    let end = make(json!({"expires_at": "9999-12-31T23:59:59Z"})).await;
    assert_eq!(end.text("/expires_at"), "9999-12-30T22:00:00Z");
    let odd = make(json!({"expires_at": "tomorrow"})).await;
    assert_eq!(odd.text("/errors/0/field"), "/expires_at");
}
