use serde_json::json;
use tollgate_model::algorithm::Algorithm;
use tollgate_model::credential::Environment;
use tollgate_model::feed::ServedToken;
use tollgate_store::clients::{self, TokenForm};
use tollgate_store::{applications, credentials, signing_keys, tokens};
use tollgate_tokens::opaque;

use super::*;
use crate::harness::{AUDIENCE, House, ISSUER, JWT, NOW_US, Program, SECOND_US, change, grant};

const FORMS: [TokenForm; 5] = [
    TokenForm::Opaque,
    TokenForm::Jwt(Algorithm::Es256),
    TokenForm::Jwt(Algorithm::EdDsa),
    TokenForm::Jwt(Algorithm::Rs256),
    TokenForm::Jwt(Algorithm::Ps256),
];

#[tokio::test]
async fn a_token_of_either_form_is_described_completely() {
    let house = House::new().await;
    for form in FORMS {
        let client = house.client(form).await;
        let token = house.token(&client).await;
        let body = house.introspect(&client, &token).await;
        let now_s = NOW_US / SECOND_US;
        let expected = json!({
            "active": true, "scope": "read write", "client_id": client.id, "sub": client.id,
            "token_type": "Bearer", "iat": now_s, "exp": now_s + 900, "aud": AUDIENCE,
            "iss": ISSUER, "jti": body["jti"],
        });
        assert_eq!(body, expected, "{form:?}");
        assert!(body["jti"].as_str().unwrap().starts_with("tok_"));
    }
}

#[tokio::test]
async fn tokens_are_described_to_their_own_application_only() {
    let house = House::new().await;
    for form in FORMS {
        let client = house.client(form).await;
        let sibling = house.client_of(client.application, grant(JWT)).await;
        let stranger = house.client(JWT).await;
        let token = house.token(&client).await;
        assert!(house.is_active(&sibling, &token).await);
        assert!(!house.is_active(&stranger, &token).await);
    }
}

#[tokio::test]
async fn anything_but_a_token_is_not_active() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let opaque = house.client(TokenForm::Opaque).await;
    let token = house.token(&client).await;
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let first = if signature.starts_with('A') { "B" } else { "A" };
    let forged = format!("{signed}.{first}{}", &signature[1..]);
    let random = house.token(&opaque).await.replace("tg_at_", "tg_ax_");
    for text in [
        "x",
        "a.b.c",
        "tg_at_x",
        &forged,
        &random,
        &"x".repeat(17 * 1_024),
    ] {
        assert!(!house.is_active(&client, text).await);
    }
    let answer = house.call("/oauth2/introspect", &client, "").await;
    assert_eq!(answer.error(), "invalid_request");
    let answer = house.post("/oauth2/introspect", &[], "token=x").await;
    assert_eq!(answer.error(), "invalid_client");
}

async fn pair(house: &House, form: TokenForm) -> (Program, Program, String) {
    let client = house.client(form).await;
    let asking = house.client_of(client.application, grant(JWT)).await;
    let token = house.token(&client).await;
    assert!(house.is_active(&asking, &token).await);
    (client, asking, token)
}

#[tokio::test]
async fn a_token_ends_with_its_expiry_its_client_and_its_key() {
    let house = House::new().await;
    for form in [TokenForm::Opaque, JWT] {
        let (_, asking, token) = pair(&house, form).await;
        house.wait(900 * SECOND_US - 1);
        assert!(house.is_active(&asking, &token).await);
        house.wait(1);
        assert!(!house.is_active(&asking, &token).await);

        let (client, asking, token) = pair(&house, form).await;
        let now_us = house.now_us();
        let suspend = async |at_us| {
            house
                .write(async |tx| credentials::suspend(tx, client.id, at_us).await)
                .await;
        };
        suspend(Some(now_us)).await;
        assert!(!house.is_active(&asking, &token).await);
        suspend(None).await;
        assert!(house.is_active(&asking, &token).await);
        house
            .write(async |tx| credentials::revoke(tx, client.id, now_us).await)
            .await;
        assert!(!house.is_active(&asking, &token).await);

        let (client, asking, token) = pair(&house, form).await;
        house
            .write(async |tx| clients::void_tokens(tx, client.id, now_us + 1).await)
            .await;
        assert!(!house.is_active(&asking, &token).await);

        let (client, asking, token) = pair(&house, form).await;
        house
            .write(async |tx| applications::void_tokens(tx, client.application, now_us + 1).await)
            .await;
        assert!(!house.is_active(&asking, &token).await);
    }
    let (_, asking, token) = pair(&house, JWT).await;
    for key in signing_keys::list(&house.store, 0).await.unwrap() {
        house
            .write(async |tx| signing_keys::delete(tx, key.id).await)
            .await;
    }
    assert!(!house.is_active(&asking, &token).await);
}

#[tokio::test]
async fn scopes_withdrawn_from_a_client_are_withdrawn_from_its_tokens() {
    let house = House::new().await;
    for form in [TokenForm::Opaque, JWT] {
        let (client, asking, token) = pair(&house, form).await;
        for (left, expected) in [
            (vec!["write".to_owned()], json!("write")),
            (vec![], json!(null)),
        ] {
            let mut less = grant(form);
            less.scopes = left;
            let change = change(less);
            house
                .write(async |tx| clients::update(tx, client.id, &change).await)
                .await;
            let body = house.introspect(&asking, &token).await;
            assert_eq!((&body["active"], &body["scope"]), (&json!(true), &expected));
        }
    }
}

#[tokio::test]
async fn a_token_of_the_application_itself_is_described() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let id = house.id();
    let made = opaque::make(id, [7; 16]);
    let token = ServedToken {
        id,
        digest: made.digest,
        subject: TokenSubject::Application(client.application, Environment::Sandbox),
        scopes: vec!["any".to_owned()],
        resource: None,
        issued_us: NOW_US,
        expires_us: NOW_US + SECOND_US,
    };
    house
        .write(async |tx| tokens::create(tx, &token).await)
        .await;
    let body = house.introspect(&client, &made.text).await;
    assert_eq!(body["sub"], json!(client.application));
    assert_eq!(body["scope"], "any");
    assert_eq!(
        house.revoke(&client, &made.text).await.error(),
        "unauthorized_client"
    );
}

#[tokio::test]
async fn without_public_urls_no_signed_token_is_active() {
    let house = House::named(None, Some(AUDIENCE)).await;
    let client = house.client(JWT).await;
    let signed = "eyJhbGciOiJFUzI1NiJ9.e30.AA";
    assert!(!house.is_active(&client, signed).await);
}
