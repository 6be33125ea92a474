use tollgate_model::credential::{Allowed, CredentialId, Environment};
use tollgate_model::feed::ServedCredential;
use tollgate_model::id::ApplicationId;

use super::*;

const EPOCH: u64 = 5;

fn key(id: ApiKeyId) -> Credential {
    Credential::new(&ServedCredential {
        id: CredentialId::ApiKey(id),
        application: ApplicationId::from_raw(1),
        environment: Environment::Production,
        digest: [7; 32],
        previous: None,
        not_before_us: None,
        expires_us: None,
        allowed: Allowed::default(),
    })
}

#[test]
fn a_key_is_found_in_its_epoch_until_another_takes_its_place() {
    let mut recent = RecentKeys::default();
    let one = ApiKeyId::from_raw(1);
    let next = ApiKeyId::from_raw(2);
    let rival = ApiKeyId::from_raw(1 + PLACES as i64);
    recent.insert(one, key(one), EPOCH);
    recent.insert(next, key(next), EPOCH);
    let has = |recent: &RecentKeys, id| recent.find(id, EPOCH).is_some();
    assert!(has(&recent, one) && has(&recent, next) && !has(&recent, rival));
    assert!(recent.find(one, EPOCH + 1).is_none());
    recent.insert(rival, key(rival), EPOCH);
    assert!(!has(&recent, one) && has(&recent, next) && has(&recent, rival));
}

#[test]
fn a_place_is_one_line_of_the_cache() {
    assert_eq!(size_of::<Option<Place>>(), 64);
}
