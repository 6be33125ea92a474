use tollgate_store::clients::TokenForm;
use tollgate_store::credentials;

use crate::harness::{Do, House, OPAQUE_TOKENS_MAX, SECOND_US, grant};

#[tokio::test]
async fn the_limit_of_opaque_tokens_is_per_application() {
    let house = House::new().await;
    let client = house.client(TokenForm::Opaque).await;
    let sibling = house
        .client_of(client.application, grant(TokenForm::Opaque))
        .await;
    let other = house.client(TokenForm::Opaque).await;
    let mut tokens = Vec::new();
    for count in 0..OPAQUE_TOKENS_MAX {
        let client = if count % 2 == 0 { &client } else { &sibling };
        tokens.push(house.token(client).await);
    }
    for client in [&client, &sibling] {
        let refused = house.ask(client, "").await;
        assert_eq!(refused.error(), "temporarily_unavailable");
        assert!(refused.body.to_string().contains("opaque tokens"));
    }
    house.token(&other).await;

    // A revoked token makes room, a token of a revoked client does not.
    assert_eq!(house.revoke(&client, &tokens[0]).await.status, 200);
    house.wait(SECOND_US);
    house.token(&client).await;
    let now_us = house.now_us();
    house
        .write(async |tx| credentials::revoke(tx, sibling.id, now_us).await)
        .await;
    house.wait(SECOND_US);
    assert_eq!(
        house.ask(&client, "").await.error(),
        "temporarily_unavailable"
    );
    // Expired tokens do not count, swept or not.
    house.wait(900 * SECOND_US);
    for _ in 0..OPAQUE_TOKENS_MAX {
        house.token(&client).await;
    }
    assert_eq!(
        house.ask(&client, "").await.error(),
        "temporarily_unavailable"
    );
}

#[tokio::test]
async fn the_count_is_right_again_after_failed_writes_and_a_restart() {
    let house = House::new().await;
    let client = house.client(TokenForm::Opaque).await;
    house.gateways.set(Do::Full);
    for _ in 0..2 * OPAQUE_TOKENS_MAX {
        assert_eq!(
            house.ask(&client, "").await.error(),
            "temporarily_unavailable"
        );
        house.wait(SECOND_US);
    }
    house.gateways.set(Do::Follow);
    for _ in 0..OPAQUE_TOKENS_MAX {
        house.token(&client).await;
    }
    house.server.turn().await.unwrap();
    assert_eq!(
        house.ask(&client, "").await.error(),
        "temporarily_unavailable"
    );
    let house = house.restarted();
    assert_eq!(
        house.ask(&client, "").await.error(),
        "temporarily_unavailable"
    );
}
