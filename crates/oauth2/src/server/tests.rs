use std::io;
use std::sync::Mutex;

use tollgate_store::clients::TokenForm;
use tollgate_tokens::opaque;
use tracing::level_filters::LevelFilter;

use super::*;
use crate::harness::{Do, House, JWT, SECOND_US};

#[tokio::test]
async fn expired_objects_are_swept() {
    let house = House::new().await;
    let client = house.client(TokenForm::Opaque).await;
    let (token, revoked) = (house.token(&client).await, house.token(&client).await);
    assert_eq!(house.revoke(&client, &revoked).await.status, 200);
    let (_, digest) = opaque::parse(token.as_bytes()).unwrap();
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

/// The captured log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn neither_secrets_nor_tokens_are_logged_and_revocations_are() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    // With a single subscriber, a thread that has none would disable it for events that it logs
    // first.
    let _another = tracing::Dispatch::new(tracing_subscriber::registry());
    let guard = tracing::subscriber::set_default(subscriber);
    let house = House::new().await;
    let mut secrets = Vec::new();
    for form in [JWT, TokenForm::Opaque] {
        let client = house.client(form).await;
        let token = house.token(&client).await;
        assert!(house.is_active(&client, &token).await);
        house.gateways.set(Do::Full);
        assert_eq!(house.revoke(&client, &token).await.status, 503);
        house.gateways.set(Do::Follow);
        assert_eq!(house.revoke(&client, &token).await.status, 200);
        secrets.extend([client.secret, token]);
    }
    drop(guard);
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(log.matches("token.revoked: tok_").count(), 2, "{log}");
    assert!(
        log.contains("the disk that holds the database is full"),
        "{log}"
    );
    for secret in secrets {
        assert!(!log.contains(&secret), "{log}");
    }
}
