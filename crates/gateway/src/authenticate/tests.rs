use allocation_counter::measure;
use tollgate_model::feed::Event;
use tollgate_model::id::{ApiKeyId, BasicUserId};

use super::*;
use crate::harness::{self, current};
use crate::worker::recent::RecentKeys;

const NOW_US: i64 = 1_800_000_000_000_000;

fn snapshot_of(events: Vec<Event>) -> Snapshot {
    current(events).load()
}

fn credential(id: CredentialId, digest: [u8; 32]) -> Event {
    harness::credential(id, 1, Environment::Production, digest)
}

#[test]
fn a_key_and_a_user_are_found_without_allocating_and_by_their_own_secrets_only() {
    let make = |id, secret| {
        tollgate_tokens::api_key::make(Environment::Production, ApiKeyId::from_raw(id), secret)
    };
    let (key, user) = (
        CredentialId::ApiKey(ApiKeyId::from_raw(5)),
        CredentialId::BasicUser(BasicUserId::from_raw(5)),
    );
    let snapshot = snapshot_of(vec![
        credential(key, make(5, [1; 16]).digest),
        credential(user, tollgate_tokens::basic::digest("shop", "secret")),
    ]);
    let (own, of_another, without_a_key) = (make(5, [1; 16]), make(5, [2; 16]), make(6, [1; 16]));
    let mut recent = RecentKeys::default();
    let mut find = |text: &str| api_key::find(&snapshot, &mut recent, text.as_bytes(), NOW_US);
    assert!(find(&of_another.text).is_err());
    let measured = measure(|| {
        // The second time it comes from the cache.
        assert_eq!(find(&own.text).unwrap().id(), key);
        assert_eq!(find(&own.text).unwrap().id(), key);
        // `shop:secret`
        let found = basic::find(&snapshot, b"c2hvcDpzZWNyZXQ=", NOW_US);
        assert_eq!(found.unwrap().id(), user);
    });
    assert_eq!(measured.count_total, 0);
    assert!(find(&of_another.text).is_err() && find(&without_a_key.text).is_err());
    // `shop:secreT`
    assert!(basic::find(&snapshot, b"c2hvcDpzZWNyZVQ=", NOW_US).is_err());
}
