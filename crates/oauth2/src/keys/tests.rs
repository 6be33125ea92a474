use std::slice;
use std::sync::atomic::Ordering;

use tollgate_store::clients::TokenForm;
use tollgate_tokens::jwt::Unverified;

use super::*;
use crate::harness::{Do, House, JWT, Program, SECOND_US, grant};

const DAYS: i64 = 90;
const MINUTE_US: i64 = 60 * SECOND_US;

/// Returns the name of the key that signed a token.
fn signed_with(token: &str) -> String {
    let mut space = Vec::new();
    let token = Unverified::parse(token.as_bytes(), &mut space).unwrap();
    token.header().kid().unwrap().to_owned()
}

async fn client_of_an_hour(house: &House) -> Program {
    let mut grant = grant(JWT);
    grant.lifetime_s = 3_600;
    let application = house.application().await;
    house.client_of(application, grant).await
}

#[tokio::test]
async fn the_first_key_is_generated_once() {
    let house = House::new().await;
    house.server.begin().await.unwrap();
    house.server.begin().await.unwrap();
    let published = house.published().await;
    assert_eq!(published.len(), 1);
    let client = house.client(JWT).await;
    assert_eq!(signed_with(&house.token(&client).await), published[0]);
}

#[tokio::test]
async fn many_concurrent_first_tokens_generate_one_key() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let requests = [(); 4].map(|()| house.token(&client));
    let [a, b, c, d] = requests;
    let tokens = tokio::join!(a, b, c, d);
    let first = signed_with(&tokens.0);
    for token in [tokens.1, tokens.2, tokens.3] {
        assert_eq!(signed_with(&token), first);
    }
    assert_eq!(house.published().await, [first]);
}

#[tokio::test]
async fn a_key_is_replaced_by_age_and_no_token_fails_before_it_expires() {
    let house = House::new().await;
    house.server.begin().await.unwrap();
    let old = house.published().await.remove(0);
    let client = client_of_an_hour(&house).await;
    house.wait(DAYS * DAY_US - 1);
    house.server.turn().await.unwrap();
    assert_eq!(house.published().await, slice::from_ref(&old));
    house.wait(1);
    house.server.turn().await.unwrap();
    house.server.turn().await.unwrap();
    let published = house.published().await;
    assert_eq!(published.len(), 2, "the next one is published");
    let new = published.into_iter().find(|name| *name != old).unwrap();
    // The old one signs for another hour.
    for _ in 0..59 {
        house.wait(MINUTE_US);
        house.server.turn().await.unwrap();
    }
    assert_eq!(signed_with(&house.token(&client).await), old);
    house.wait(MINUTE_US - 1);
    let last = house.token(&client).await;
    assert_eq!(signed_with(&last), old);
    house.wait(1);
    let next = house.token(&client).await;
    assert_eq!(signed_with(&next), new);
    // The last token of the old key is valid until it expires, and so is the key.
    house.wait(3_598 * SECOND_US);
    house.server.turn().await.unwrap();
    assert!(house.is_active(&client, &last).await);
    assert_eq!(house.published().await.len(), 2);
    house.wait(302 * SECOND_US);
    house.server.turn().await.unwrap();
    assert_eq!(house.published().await, [new]);
    let rows = signing_keys::list(&house.store, 0).await.unwrap();
    assert_eq!(rows.len(), 1, "ended keys are deleted");
}

#[tokio::test]
async fn a_command_replaces_a_key_within_a_quarter_of_an_hour() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let old = signed_with(&house.token(&client).await);
    let (id, in_force) = house.server.next_key(Algorithm::Es256).await.unwrap();
    assert_eq!(in_force, InForce::Everywhere);
    assert_eq!(house.published().await.len(), 2);
    house.wait(10 * MINUTE_US);
    let (again, _) = house.server.next_key(Algorithm::Es256).await.unwrap();
    assert_eq!(again, id, "the waiting key is not delayed");
    assert_eq!(signed_with(&house.token(&client).await), old);
    house.wait(5 * MINUTE_US);
    assert_ne!(signed_with(&house.token(&client).await), old);
    assert_eq!(house.published().await.len(), 2);
}

#[tokio::test]
async fn a_command_makes_the_first_key_of_an_algorithm_sign_at_once() {
    let house = House::new().await;
    let (id, _) = house.server.next_key(Algorithm::EdDsa).await.unwrap();
    let client = house.client(TokenForm::Jwt(Algorithm::EdDsa)).await;
    let name = signed_with(&house.token(&client).await);
    let key = signing_keys::by_id(&house.store, id).await.unwrap();
    assert_eq!(key.name, name);
}

#[tokio::test]
async fn when_the_signing_key_is_deleted_another_one_signs_at_once() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let token = house.token(&client).await;
    let find = async |name: &str| {
        let keys = signing_keys::list(&house.store, house.now_us())
            .await
            .unwrap();
        keys.into_iter().find(|key| key.name == name).unwrap().id
    };
    let id = find(&signed_with(&token)).await;
    house.server.delete_key(id).await.unwrap();
    assert!(!house.is_active(&client, &token).await);
    let next = house.token(&client).await;
    assert_ne!(signed_with(&next), signed_with(&token));
    assert!(house.is_active(&client, &next).await);
    assert_eq!(house.published().await, [signed_with(&next)]);
    assert!(matches!(
        house.server.delete_key(id).await,
        Err(Failure::Store(StoreError::NotFound(_)))
    ));
    // Deleted by another process, which is noticed at once.
    let id = find(&signed_with(&next)).await;
    house
        .write(async |tx| signing_keys::delete(tx, id).await)
        .await;
    let third = house.token(&client).await;
    assert_ne!(signed_with(&third), signed_with(&next));
    assert!(house.is_active(&client, &third).await);
}

#[tokio::test]
async fn when_the_waiting_key_is_deleted_the_signing_one_continues() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let old = signed_with(&house.token(&client).await);
    let (id, _) = house.server.next_key(Algorithm::Es256).await.unwrap();
    house.server.delete_key(id).await.unwrap();
    house.wait(DAY_US);
    house.server.turn().await.unwrap();
    assert_eq!(signed_with(&house.token(&client).await), old);
    assert_eq!(house.published().await, slice::from_ref(&old));
    // The waiting key replaces a deleted signing key.
    let (id, _) = house.server.next_key(Algorithm::Es256).await.unwrap();
    let waiting = signing_keys::by_id(&house.store, id).await.unwrap();
    let keys = signing_keys::list(&house.store, house.now_us())
        .await
        .unwrap();
    let signing = keys.iter().find(|key| key.name == old).unwrap().id;
    house.server.delete_key(signing).await.unwrap();
    assert_eq!(signed_with(&house.token(&client).await), waiting.name);
}

#[tokio::test]
async fn no_key_signs_before_every_gateway_knows_it() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    house.gateways.set(Do::Lag);
    for _ in 0..2 {
        let answer = house.ask(&client, "").await;
        assert_eq!(answer.error(), "temporarily_unavailable");
        assert!(!answer.header("retry-after").is_empty());
    }
    house.gateways.set(Do::Follow);
    let before = house.gateways.commits.load(Ordering::Relaxed);
    let first = signed_with(&house.token(&client).await);
    assert_eq!(signed_with(&house.token(&client).await), first);
    let after = house.gateways.commits.load(Ordering::Relaxed);
    assert_eq!(after, before + 1, "waited for once");
    assert_eq!(
        house.published().await,
        [first],
        "no second key was generated"
    );
}

#[tokio::test]
async fn setting_back_the_clock_generates_no_second_key() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let name = signed_with(&house.token(&client).await);
    house.wait(-600 * SECOND_US);
    let token = house.token(&client).await;
    assert_eq!(signed_with(&token), name);
    assert!(house.is_active(&client, &token).await);
}

#[tokio::test]
async fn keys_survive_a_restart() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let token = house.token(&client).await;
    let again = house.restarted();
    assert_eq!(
        signed_with(&again.token(&client).await),
        signed_with(&token)
    );
    assert!(again.is_active(&client, &token).await);
}

#[tokio::test]
async fn a_key_is_not_published_if_its_write_failed() {
    let house = House::new().await;
    house.gateways.set(Do::Full);
    assert!(house.server.begin().await.is_err());
    let client = house.client(JWT).await;
    assert_eq!(
        house.ask(&client, "").await.error(),
        "temporarily_unavailable"
    );
    house.gateways.set(Do::Follow);
    assert!(house.published().await.is_empty());
    house.token(&client).await;
}
