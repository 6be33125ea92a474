use serde_json::{Value, json};
use tollgate_model::id::ClientId;
use tollgate_model::user::Role;
use tollgate_store::clients::{self, Authentication};
use tollgate_store::credentials;
use tollgate_tokens::generated;

use crate::credentials::LIVE_MAX;
use crate::harness::{Answer, House};

async fn stored(house: &House, answer: &Answer) -> clients::Client {
    let id: ClientId = answer.text("/id").parse().unwrap();
    credentials::by_id(&house.control.store, id).await.unwrap()
}

#[tokio::test]
async fn a_secret_is_shown_once_and_rotated_with_grace() {
    let (house, ann, clients) = House::with_application("clients").await;
    let made = house.post(&clients, json!({})).by(&ann).await.expect(201);
    let secret = made.text("/client_secret");
    assert!(
        secret.starts_with("tg_cs_") && secret.len() == 34,
        "{secret}"
    );
    assert_eq!(made.text("/authentication"), "client_secret");
    let token = json!({"form": "jwt", "algorithm": "ES256", "lifetime_s": 3600});
    assert_eq!(made.body["token"], token);
    assert_eq!(made.body["scopes"], json!([]));
    let list = house.get(&clients).by(&ann).await;
    assert_eq!(list.text("/items/0/client_secret"), "");
    assert!(secret.ends_with(list.text("/items/0/hint")));

    let path = format!("/api/v1/clients/{}", made.text("/id"));
    let rotation = format!("{path}/rotation");
    let rotated = house
        .post(&rotation, json!({"grace": "24h"}))
        .by(&ann)
        .await;
    let rotated = rotated.expect(200);
    assert_eq!(rotated.text("/previous_until"), "2026-09-22T14:13:20Z");
    let Authentication::Secret(kept) = stored(&house, &made).await.authentication else {
        panic!("it has a secret");
    };
    assert!(generated::matches(
        &kept.digest,
        rotated.text("/client_secret")
    ));
    assert!(generated::matches(&kept.previous.unwrap().0, secret));
    let again = house
        .post(&rotation, json!({"grace": "24h"}))
        .by(&ann)
        .await;
    assert_eq!(again.problem(), (409, "credential.rotating"));
    house.wait(86_400 * 1_000_000);
    let later = house.get(&path).by(&ann).await.expect(200);
    assert_eq!(later.text("/previous_until"), "");

    let bob = house.person("bob", &[Role::Developer]).await;
    let foreign = (404, "client.unknown");
    assert_eq!(house.get(&path).by(&bob).await.problem(), foreign);
    assert_eq!(
        house.patch(&path, json!({})).by(&bob).await.problem(),
        foreign
    );
    assert_eq!(house.delete(&path).by(&bob).await.problem(), foreign);
    let tokens = format!("{path}/tokens");
    assert_eq!(house.delete(&tokens).by(&bob).await.problem(), foreign);
    house.delete(&path).by(&ann).await.expect(204);
    let late = house
        .post(&rotation, json!({"grace": "now"}))
        .by(&ann)
        .await;
    assert_eq!(late.problem(), (409, "client.revoked"));
}

#[tokio::test]
async fn a_client_with_keys_has_no_secret() {
    let (house, ann, clients) = House::with_application("clients").await;
    let jwks = json!({"keys": [{
        "kty": "EC",
        "crv": "P-256",
        "x": "xZWdYjBiWoGNqXCY9fYzyr44aJjQy6ujbRNXOUTCfDY",
        "y": "zS8M_SO9txSLjw4CywlG3iFq0jgHN4Bx1agbLCHyEQE",
    }]});
    let wanted = json!({"authentication": "private_key_jwt", "jwks": jwks});
    let made = house.post(&clients, wanted).by(&ann).await.expect(201);
    assert_eq!(made.body["jwks"], jwks);
    assert_eq!((made.text("/client_secret"), made.text("/hint")), ("", ""));
    let path = format!("/api/v1/clients/{}", made.text("/id"));
    let rotation = format!("{path}/rotation");
    let rotated = house
        .post(&rotation, json!({"grace": "now"}))
        .by(&ann)
        .await;
    assert_eq!(rotated.problem(), (409, "client.no_secret"));
    let others = json!({"keys": [{
        "kty": "OKP",
        "crv": "Ed25519",
        "x": "zpLk1J5s0edxGDlZEsqLrJSxNpZmCQ-522No6SGp1bg",
    }]});
    let changed = house.patch(&path, json!({"jwks": others})).by(&ann).await;
    assert_eq!(changed.expect(200).body["jwks"], others);

    let make = async |wanted: Value| house.post(&clients, wanted).by(&ann).await;
    let keyed = |jwks: Value| json!({"authentication": "private_key_jwt", "jwks": jwks});
    let many = json!({"keys": vec![json!({}); 21]});
    let large = json!({"keys": [{"kty": "x".repeat(64 << 10)}]});
    let half = json!({"keys": [{"kty": "OKP", "crv": "Ed25519"}]});
    for wrong in [json!({}), json!([]), json!({"keys": []}), many, large, half] {
        let refused = make(keyed(wrong)).await;
        assert_eq!(refused.status, 422);
        assert!(
            refused.text("/errors/0/field").starts_with("/jwks"),
            "{refused:?}"
        );
    }
    let without = make(json!({"authentication": "private_key_jwt"})).await;
    assert_eq!(without.problem(), (422, "client.jwks"));
    assert_eq!(
        make(json!({"jwks": jwks})).await.problem(),
        (422, "client.jwks")
    );
    let address = "https://client.example/jwks";
    let address = json!({"authentication": "private_key_jwt", "jwks_uri": address});
    let refused = make(address).await;
    assert_eq!(refused.problem(), (422, "client.jwks_uri"));
    assert_eq!(
        refused.text("/detail"),
        "the address of a key set is not read yet: send the keys as \"jwks\""
    );
}

#[tokio::test]
async fn tokens_are_chosen_and_scopes_judged() {
    let (house, ann, clients) = House::with_application("clients").await;
    let make = async |wanted: Value| house.post(&clients, wanted).by(&ann).await;
    let wanted = json!({
        "name": "till",
        "scopes": ["read:pets", "write:pets"],
        "token": {"algorithm": "EdDSA", "lifetime_s": 300},
    });
    let made = make(wanted).await.expect(201);
    let token = json!({"form": "jwt", "algorithm": "EdDSA", "lifetime_s": 300});
    assert_eq!(made.body["token"], token);
    assert_eq!(made.body["scopes"], json!(["read:pets", "write:pets"]));
    let path = format!("/api/v1/clients/{}", made.text("/id"));
    let change = async |wanted: Value| house.patch(&path, wanted).by(&ann).await;
    let opaque = change(json!({"token": {"form": "opaque"}, "scopes": []})).await;
    let opaque = opaque.expect(200);
    assert_eq!(
        opaque.body["token"],
        json!({"form": "opaque", "lifetime_s": 300})
    );
    assert_eq!(opaque.body["scopes"], json!([]));
    assert_eq!(opaque.text("/name"), "till");
    let signed = change(json!({"token": {"algorithm": "ES256"}})).await;
    assert_eq!(signed.problem(), (422, "client.algorithm"));
    let renamed = change(json!({"name": "shop"})).await.expect(200);
    assert_eq!(renamed.body["token"], opaque.body["token"]);
    for (wanted, code) in [
        (json!({"token": {"lifetime_s": 299}}), "client.lifetime"),
        (json!({"token": {"lifetime_s": 3601}}), "client.lifetime"),
        (
            json!({"token": {"form": "opaque", "algorithm": "ES256"}}),
            "client.algorithm",
        ),
        (json!({"token": {"algorithm": "HS256"}}), "body.invalid"),
        (json!({"scopes": ["a b"]}), "client.scope"),
        (json!({"scopes": ["a", "a"]}), "client.scope"),
        (json!({"scopes": vec!["a"; 201]}), "client.scopes"),
        (
            json!({"expires_at": "2020-01-01T00:00:00Z"}),
            "client.expired",
        ),
    ] {
        assert_eq!(
            make(wanted.clone()).await.problem(),
            (422, code),
            "{wanted}"
        );
    }
}

#[tokio::test]
async fn tokens_until_now_are_made_worth_nothing() {
    let (house, ann, clients) = House::with_application("clients").await;
    let made = house.post(&clients, json!({})).by(&ann).await.expect(201);
    assert_eq!(stored(&house, &made).await.tokens_from_us, 0);
    let path = format!("/api/v1/clients/{}", made.text("/id"));
    house
        .delete(&format!("{path}/tokens"))
        .by(&ann)
        .await
        .expect(204);
    let from = house.get(&path).by(&ann).await;
    assert_eq!(from.text("/tokens_from"), "2026-09-21T14:13:20.000001Z");
    let application = clients.strip_suffix("/clients").unwrap();
    let tokens = format!("{application}/tokens");
    let bob = house.person("bob", &[Role::Developer]).await;
    let foreign = house.delete(&tokens).by(&bob).await;
    assert_eq!(foreign.problem(), (404, "application.unknown"));
    house.delete(&tokens).by(&ann).await.expect(204);
}

#[tokio::test]
async fn a_client_is_suspended_and_bounded_in_number() {
    let (house, ann, clients) = House::with_application("clients").await;
    let root = house.person("root", &[Role::Administrator]).await;
    let first = house.post(&clients, json!({})).by(&ann).await.expect(201);
    for _ in 1..LIVE_MAX {
        house.post(&clients, json!({})).by(&ann).await.expect(201);
    }
    let more = house.post(&clients, json!({})).by(&ann).await;
    assert_eq!(more.problem(), (409, "client.too_many"));
    let path = format!("/api/v1/clients/{}", first.text("/id"));
    let suspend = json!({"suspended": true});
    let refused = house.patch(&path, suspend.clone()).by(&ann).await;
    assert_eq!(refused.problem(), (403, "role.missing"));
    let suspended = house.patch(&path, suspend).by(&root).await.expect(200);
    assert_eq!(suspended.text("/suspended_at"), "2026-09-21T14:13:20Z");
    let rotation = format!("{path}/rotation");
    let rotated = house
        .post(&rotation, json!({"grace": "now"}))
        .by(&ann)
        .await;
    assert_eq!(rotated.problem(), (409, "client.suspended"));
    let resumed = house
        .patch(&path, json!({"suspended": false}))
        .by(&root)
        .await;
    assert_eq!(resumed.expect(200).text("/suspended_at"), "");
}
