use serde_json::json;
use tollgate_model::algorithm::Algorithm;
use tollgate_store::clients::TokenForm;

use crate::harness::{Do, House, JWT, SECOND_US, grant};

const FORMS: [TokenForm; 3] = [
    TokenForm::Opaque,
    TokenForm::Jwt(Algorithm::Es256),
    TokenForm::Jwt(Algorithm::EdDsa),
];

#[tokio::test]
async fn a_revoked_token_stays_revoked() {
    let house = House::new().await;
    for form in FORMS {
        let client = house.client(form).await;
        let asking = house.client_of(client.application, grant(JWT)).await;
        let (token, kept) = (house.token(&client).await, house.token(&client).await);
        for _ in 0..2 {
            let answer = house.revoke(&client, &token).await;
            assert_eq!(answer.status, 200);
            assert_eq!(answer.header("cache-control"), "no-store");
            assert_eq!(answer.header("content-type"), "application/json");
            assert_eq!(answer.body, json!({}));
            assert!(!house.is_active(&asking, &token).await);
        }
        assert!(house.is_active(&asking, &kept).await);
    }
}

#[tokio::test]
async fn a_client_revokes_its_own_tokens_only() {
    let house = House::new().await;
    for form in FORMS {
        let client = house.client(form).await;
        let sibling = house.client_of(client.application, grant(JWT)).await;
        let stranger = house.client(JWT).await;
        let token = house.token(&client).await;
        for other in [&sibling, &stranger] {
            let answer = house.revoke(other, &token).await;
            assert_eq!(answer.error(), "unauthorized_client");
            assert_eq!(answer.status, 400);
        }
        assert!(house.is_active(&client, &token).await);
    }
}

#[tokio::test]
async fn a_text_that_is_no_longer_a_token_counts_as_revoked() {
    let house = House::new().await;
    for form in FORMS {
        let client = house.client(form).await;
        let token = house.token(&client).await;
        house.wait(900 * SECOND_US);
        for text in [&*token, "x", "a.b.c", "tg_at_x"] {
            assert_eq!(house.revoke(&client, text).await.status, 200);
        }
        let hinted = format!("token={token}&token_type_hint=refresh_token");
        let answer = house.call("/oauth2/revoke", &client, &hinted).await;
        assert_eq!(answer.status, 200);
    }
    let client = house.client(JWT).await;
    let answer = house.call("/oauth2/revoke", &client, "").await;
    assert_eq!(answer.error(), "invalid_request");
    let answer = house.post("/oauth2/revoke", &[], "token=x").await;
    assert_eq!(answer.error(), "invalid_client");
}

#[tokio::test]
async fn a_revocation_is_confirmed_once_every_gateway_has_it() {
    let house = House::new().await;
    for form in FORMS {
        let client = house.client(form).await;
        let token = house.token(&client).await;
        house.gateways.set(Do::Lag);
        for _ in 0..2 {
            let answer = house.revoke(&client, &token).await;
            assert_eq!(answer.error(), "temporarily_unavailable");
            assert!(!answer.header("retry-after").is_empty());
            assert!(!house.is_active(&client, &token).await);
        }
        house.gateways.set(Do::Follow);
        assert_eq!(house.revoke(&client, &token).await.status, 200);
    }
}
