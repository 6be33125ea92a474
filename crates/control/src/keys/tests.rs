use serde_json::json;
use tollgate_model::user::Role;
use tollgate_tokens::api_key::parse;

use crate::credentials::LIVE_MAX;
use crate::harness::{House, Person};

#[tokio::test]
async fn a_key_is_shown_once_and_revoked_for_good() {
    let (house, ann, keys) = House::with_application("keys").await;
    let live = house.post(&keys, json!({"name": "till"})).by(&ann).await;
    let test = house
        .post(&keys, json!({"environment": "sandbox"}))
        .by(&ann)
        .await;
    assert!(live.text("/key").starts_with("tg_live_"));
    assert!(test.text("/key").starts_with("tg_test_"));
    assert!(parse(live.text("/key").as_bytes()).is_some());

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
    let (house, ann, keys) = House::with_application("keys").await;
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
    let (house, ann, keys) = House::with_application("keys").await;
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

#[tokio::test]
async fn a_key_is_rotated_and_the_old_one_ends_after_the_grace() {
    let (house, ann, keys) = House::with_application("keys").await;
    let allowed = json!({"addresses": ["192.0.2.0/24"], "origins": ["https://shop.example"]});
    let end = "2027-01-01T00:00:00Z";
    let wanted = json!({
        "name": "till", "environment": "sandbox", "allowed": allowed, "expires_at": end,
    });
    let first = house.post(&keys, wanted).by(&ann).await.expect(201);
    assert_eq!(first.body["allowed"], allowed);
    let mut old = first.text("/id").to_owned();
    for (grace, ends) in [
        ("7d", "2026-09-28T14:13:20Z"),
        ("24h", "2026-09-22T14:13:20Z"),
        ("1h", "2026-09-21T15:13:20Z"),
        ("now", "2026-09-21T14:13:20Z"),
    ] {
        let rotation = format!("/api/v1/keys/{old}/rotation");
        let rotated = house
            .post(&rotation, json!({"grace": grace}))
            .by(&ann)
            .await;
        let rotated = rotated.expect(201);
        assert!(parse(rotated.text("/key").as_bytes()).is_some());
        assert_eq!(rotated.text("/name"), "till");
        assert_eq!(rotated.text("/environment"), "sandbox");
        assert_eq!(rotated.body["allowed"], allowed);
        let before = house.get(&format!("/api/v1/keys/{old}")).by(&ann).await;
        let before = before.expect(200);
        assert_eq!(before.text("/grace_until"), ends);
        assert_eq!(before.text("/successor"), rotated.text("/id"));
        for key in [&rotated, &before] {
            assert_eq!(key.text("/expires_at"), end, "its own end stays");
        }
        old = rotated.text("/id").to_owned();
    }
    let rotation = format!("/api/v1/keys/{}/rotation", first.text("/id"));
    house.wait(7 * 86_400 * 1_000_000);
    let rotate = async |grace| {
        house
            .post(&rotation, json!({"grace": grace}))
            .by(&ann)
            .await
    };
    assert_eq!(rotate("now").await.problem(), (409, "key.expired"));
    assert_eq!(rotate("2h").await.problem(), (422, "body.invalid"));
    let rotation = format!("/api/v1/keys/{old}/rotation");
    let bob = house.person("bob", &[Role::Developer]).await;
    let foreign = house
        .post(&rotation, json!({"grace": "now"}))
        .by(&bob)
        .await;
    assert_eq!(foreign.problem(), (404, "key.unknown"));
}

/// The response to a second rotation within the grace period, by the state of the successor.
#[tokio::test]
async fn a_key_is_rotated_again_only_once_its_successor_is_revoked_or_expired() {
    let (house, ann, keys) = House::with_application("keys").await;
    let rotate = async |key: &str, grace: &str| {
        let path = format!("/api/v1/keys/{key}/rotation");
        house.post(&path, json!({"grace": grace})).by(&ann).await
    };
    let first = house.post(&keys, json!({})).by(&ann).await.expect(201);
    let first = first.text("/id");
    let second = rotate(first, "7d").await.expect(201);
    let second = second.text("/id");
    let again = rotate(first, "1h").await;
    assert_eq!(again.problem(), (409, "credential.rotating"));
    assert!(again.text("/detail").contains(second), "{}", again.body);

    let path = format!("/api/v1/keys/{second}");
    house.delete(&path).by(&ann).await.expect(204);
    let third = rotate(first, "24h").await.expect(201);
    let third = third.text("/id");
    let soon = json!({"expires_at": "2026-09-21T14:13:21Z"});
    let path = format!("/api/v1/keys/{third}");
    house.patch(&path, soon).by(&ann).await.expect(200);
    assert_eq!(
        rotate(first, "1h").await.problem(),
        (409, "credential.rotating")
    );
    house.wait(1_000_000);
    let fourth = rotate(first, "7d").await.expect(201);
    assert_eq!(fourth.text("/expires_at"), "");
    let left = house.get(&format!("/api/v1/keys/{first}")).by(&ann).await;
    assert_eq!(
        left.text("/grace_until"),
        "2026-09-22T14:13:20Z",
        "no later rotation prolongs a grace"
    );

    let ended = rotate(first, "now").await.expect(200);
    assert_eq!(ended.text("/id"), fourth.text("/id"));
    assert_eq!(ended.text("/key"), "");
    let path = format!("/api/v1/keys/{first}");
    let left = house.get(&path).by(&ann).await;
    assert_eq!(left.text("/grace_until"), "2026-09-21T14:13:21Z");
    assert_eq!(rotate(first, "now").await.problem(), (409, "key.expired"));
    let later = json!({"expires_at": "2026-09-22T14:13:21Z"});
    let later = house.patch(&path, later).by(&ann).await;
    assert_eq!(later.problem(), (422, "key.expired"));
}

#[tokio::test]
async fn a_rotated_key_counts_among_the_live_ones_unless_it_ends_now() {
    let (house, ann, keys) = House::with_application("keys").await;
    let first = house.post(&keys, json!({})).by(&ann).await.expect(201);
    for _ in 1..LIVE_MAX {
        house.post(&keys, json!({})).by(&ann).await.expect(201);
    }
    let rotation = format!("/api/v1/keys/{}/rotation", first.text("/id"));
    let rotate = async |grace| {
        house
            .post(&rotation, json!({"grace": grace}))
            .by(&ann)
            .await
    };
    assert_eq!(rotate("1h").await.problem(), (409, "key.too_many"));
    let path = format!("/api/v1/keys/{}", first.text("/id"));
    let left = house.get(&path).by(&ann).await;
    assert_eq!(
        left.text("/grace_until"),
        "",
        "nothing of the refused rotation stays"
    );
    rotate("now").await.expect(201);
}

#[tokio::test]
async fn its_owner_changes_a_key_and_an_administrator_alone_suspends_it() {
    let (house, ann, keys) = House::with_application("keys").await;
    let root = house.person("root", &[Role::Administrator]).await;
    let bob = house.person("bob", &[Role::Developer]).await;
    let key = house.post(&keys, json!({})).by(&ann).await.expect(201);
    let path = format!("/api/v1/keys/{}", key.text("/id"));
    let end = "2026-09-21T15:13:20Z";
    let change = json!({"name": "till", "expires_at": end, "allowed": {"addresses": ["::1"]}});
    assert_eq!(
        house.patch(&path, change.clone()).by(&bob).await.problem(),
        (404, "key.unknown")
    );
    let changed = house.patch(&path, change).by(&ann).await.expect(200);
    assert_eq!(changed.text("/name"), "till");
    assert_eq!(changed.text("/expires_at"), end);
    assert_eq!(changed.text("/allowed/addresses/0"), "::1");
    let stays = house.patch(&path, json!({})).by(&ann).await.expect(200);
    assert_eq!(stays.body, changed.body);
    let never = house
        .patch(&path, json!({"expires_at": null}))
        .by(&ann)
        .await;
    assert_eq!(never.expect(200).text("/expires_at"), "");
    let wrong = json!({"name": "", "allowed": {"origins": ["shop.example"]}});
    let wrong = house.patch(&path, wrong).by(&ann).await;
    assert_eq!(wrong.problem(), (422, "body.invalid"));
    assert_eq!(wrong.text("/errors/0/code"), "name.form");
    assert_eq!(wrong.text("/errors/1/field"), "/allowed/origins/0");

    let suspend = async |person: &Person, suspended: bool| {
        let change = json!({"suspended": suspended});
        house.patch(&path, change).by(person).await
    };
    assert_eq!(suspend(&ann, true).await.problem(), (403, "role.missing"));
    let suspended = suspend(&root, true).await.expect(200);
    assert_eq!(suspended.text("/suspended_at"), "2026-09-21T14:13:20Z");
    let rotation = format!("{path}/rotation");
    let rotated = house
        .post(&rotation, json!({"grace": "now"}))
        .by(&ann)
        .await;
    assert_eq!(rotated.problem(), (409, "key.suspended"));
    let resumed = suspend(&root, false).await.expect(200);
    assert_eq!(resumed.text("/suspended_at"), "");
    house.delete(&path).by(&ann).await.expect(204);
    let late = house.patch(&path, json!({"name": "late"})).by(&ann).await;
    assert_eq!(late.problem(), (409, "key.revoked"));
}
