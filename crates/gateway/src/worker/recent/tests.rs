use tollgate_model::credential::{Allowed, CredentialId, Environment};
use tollgate_model::feed::ServedCredential;
use tollgate_model::id::ApplicationId;

use super::*;

/// For each key; feed/tests/credentials.rs covers changes and expiry.
const DIGEST: Digest = [7; 32];

fn key(id: ApiKeyId) -> Credential {
    Credential::new(&ServedCredential {
        id: CredentialId::ApiKey(id),
        application: ApplicationId::from_raw(1),
        environment: Environment::Production,
        digest: DIGEST,
        previous: None,
        not_before_us: None,
        expires_us: None,
        allowed: Allowed::default(),
    })
}

#[test]
fn a_verified_key_is_cached_until_another_takes_its_slot() {
    let one = ApiKeyId::from_raw(1);
    let rival = ApiKeyId::from_raw(1 + SLOTS as i64);
    let mut snapshot = Snapshot::default();
    for id in [one, rival] {
        snapshot.api_keys.insert(id, key(id));
    }
    let mut recent = RecentKeys::default();
    let mut find = |id, digest| {
        let found = recent.find(&snapshot, id, digest, 0);
        found.map(|key| matches!(key, Cow::Owned(_)))
    };
    assert_eq!(find(one, &[8; 32]), None);
    assert_eq!(find(one, &DIGEST), Some(false));
    assert_eq!(find(one, &DIGEST), Some(true));
    assert_eq!(find(one, &[8; 32]), None);
    assert_eq!(find(rival, &[8; 32]), None);
    assert_eq!(find(one, &DIGEST), Some(true));
    assert_eq!(find(rival, &DIGEST), Some(false));
    assert_eq!(find(one, &DIGEST), Some(false));
}

#[test]
fn a_slot_is_one_cache_line() {
    assert_eq!(size_of::<Option<Slot>>(), 64);
}
