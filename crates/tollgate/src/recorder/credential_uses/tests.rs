use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::id::{ApiKeyId, ApplicationId, UserId};
use tollgate_store::api_keys;
use tollgate_store::api_keys::ApiKey;
use tollgate_store::applications::{self, Application};
use tollgate_store::credentials::{self, Terms};
use tollgate_store::feed;
use tollgate_store::users::{self, User};

use super::*;

const KEY: ApiKeyId = ApiKeyId::from_raw(3);

/// A store with one key.
async fn store(folder: &tempfile::TempDir) -> Store {
    let store = Store::open(&folder.path().join("tollgate.db")).await;
    let store = store.unwrap();
    let owner = User {
        id: UserId::from_raw(1),
        name: "ann".to_owned(),
        one_time: false,
        roles: Vec::new(),
        disabled: false,
        created_us: 0,
    };
    let application = Application {
        id: ApplicationId::from_raw(2),
        name: "shop".to_owned(),
        owner: owner.id,
        description: String::new(),
        limits: Vec::new(),
        tokens_from_us: 0,
        created_us: 0,
    };
    let key = ApiKey {
        id: KEY,
        terms: Terms {
            application: application.id,
            name: "till".to_owned(),
            environment: Environment::Production,
            not_before_us: None,
            expires_us: None,
            allowed: Allowed::default(),
            created_by: owner.id,
            created_us: 0,
            revoked_us: None,
            suspended_us: None,
            last_used_us: None,
            try_it: false,
        },
        digest: [7; 32],
        hint: "abcd".to_owned(),
        rotated: None,
    };
    let mut tx = store.write().await.unwrap();
    users::create(&mut tx, &owner, "phc").await.unwrap();
    applications::create(&mut tx, &application).await.unwrap();
    api_keys::create(&mut tx, &key).await.unwrap();
    tx.commit().await.unwrap();
    store
}

fn record(key: Option<ApiKeyId>, at_us: i64) -> Record {
    let mut record = Record {
        at_us,
        status: 200,
        ..Record::default()
    };
    if let Some(key) = key {
        record.set_credential(CredentialId::ApiKey(key));
    }
    record
}

/// Records the uses; returns the number of records passed on.
fn note_all(uses: &CredentialUses, records: &[Record]) -> usize {
    let mut passed = 0;
    uses.noting(&mut |_| passed += 1, |each| records.iter().for_each(each));
    passed
}

#[tokio::test]
async fn the_latest_use_of_a_key_is_stored_and_not_sent_over_the_feed() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let before = feed::whole(&store, 0).await.unwrap().sequence;
    let gone = ApiKeyId::from_raw(9);
    let uses = CredentialUses::default();
    let records = [
        record(Some(KEY), 50),
        record(Some(KEY), 70),
        record(None, 90),
        record(Some(gone), 80),
        record(Some(KEY), 60),
    ];
    assert_eq!(note_all(&uses, &records), records.len());
    uses.write_all(&store).await.unwrap();
    let kept = credentials::by_id(&store, KEY).await.unwrap();
    assert_eq!(kept.terms.last_used_us, Some(70));
    assert!(uses.lock().is_empty(), "written uses are dropped");
    assert_eq!(feed::whole(&store, 0).await.unwrap().sequence, before);
}

#[tokio::test]
async fn uses_that_cannot_be_written_are_written_later() {
    let folder = tempfile::tempdir().unwrap();
    let closed = store(&folder).await;
    closed.clone().close().await;
    let uses = CredentialUses::default();
    note_all(&uses, &[record(Some(KEY), 50)]);
    assert!(uses.write_all(&closed).await.is_err());
    drop(closed);
    let open = Store::open(&folder.path().join("tollgate.db")).await;
    let open = open.unwrap();
    uses.write_all(&open).await.unwrap();
    let kept = credentials::by_id(&open, KEY).await.unwrap();
    assert_eq!(kept.terms.last_used_us, Some(50));
}

#[tokio::test]
async fn many_uses_are_written_in_turns_and_none_twice_before_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let uses = CredentialUses::default();
    let keys = || (4..2_500).map(|id| record(Some(ApiKeyId::from_raw(id)), 50));
    // The one that exists in the store comes last.
    note_all(
        &uses,
        &keys().chain([record(Some(KEY), 60)]).collect::<Vec<_>>(),
    );
    for left in [1_297, 97] {
        uses.write(&store, 1_200).await.unwrap();
        assert_eq!(uses.taken.lock().await.len(), left);
        note_all(&uses, &keys().collect::<Vec<_>>());
        let kept = credentials::by_id(&store, KEY).await.unwrap();
        assert_eq!(kept.terms.last_used_us, None);
    }
    uses.write(&store, 1_200).await.unwrap();
    let kept = credentials::by_id(&store, KEY).await.unwrap();
    assert_eq!(kept.terms.last_used_us, Some(60));
    assert_eq!(uses.lock().len(), 2_496, "uses recorded since come next");
}

#[test]
fn a_flood_of_keys_stays_bounded() {
    let uses = CredentialUses::default();
    let keys = (1..).map(ApiKeyId::from_raw).take(CREDENTIALS_MAX + 5);
    let records: Vec<_> = keys.map(|key| record(Some(key), 1)).collect();
    note_all(&uses, &records);
    note_all(&uses, &[record(Some(ApiKeyId::from_raw(1)), 2)]);
    let uses = uses.lock();
    assert_eq!(uses.len(), CREDENTIALS_MAX);
    assert_eq!(uses[&CredentialId::ApiKey(ApiKeyId::from_raw(1))], 2);
}
