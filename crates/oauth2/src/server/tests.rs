use tollgate_store::clients::TokenForm;
use tollgate_tokens::opaque;

use super::*;
use crate::harness::{House, SECOND_US};

#[tokio::test]
async fn what_has_expired_is_swept() {
    let house = House::new().await;
    let client = house.client(TokenForm::Opaque).await;
    let (token, revoked) = (house.token(&client).await, house.token(&client).await);
    assert_eq!(house.revoke(&client, &revoked).await.status, 200);
    let digest = opaque::digest(token.as_bytes()).unwrap();
    let is_kept = async || {
        let kept = tokens::by_digest(&house.store, &digest).await.unwrap();
        kept.is_some()
    };
    house.wait(900 * SECOND_US - 1);
    house.server.turn().await.unwrap();
    assert!(is_kept().await);
    house.wait(1);
    house.server.turn().await.unwrap();
    assert!(!is_kept().await);
    let now_us = house.now_us();
    assert!(!tokens::has_expired(&house.store, now_us).await.unwrap());
}

#[test]
fn a_url_is_below_the_issuer_with_or_without_its_slash() {
    assert_eq!(
        url("https://a.example", TOKEN),
        "https://a.example/oauth2/token"
    );
    assert_eq!(
        url("https://a.example/", TOKEN),
        "https://a.example/oauth2/token"
    );
}
