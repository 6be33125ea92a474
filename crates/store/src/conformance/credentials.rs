//! Credentials of applications: API keys, and what all of them have in common.

use tollgate_model::credential::CredentialId;
use tollgate_model::feed::{Event, ServedCredential};
use tollgate_model::id;

use super::fixture::{NOW_US, allowed, application, basic_user, change, client, facts, id, key};
use super::fixture::{new_key, part, user, write};
use crate::api_keys::Rotated;
use crate::basic_users::{self, BasicUser};
use crate::credentials::{self, TermsChange};
use crate::feed::{self, Fact};
use crate::{Store, StoreError, api_keys, applications};

pub(crate) async fn a_key_reads_back_lists_changes_and_is_noted(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let other = application(store, ada.id, "other").await;
    let mut one = key(store, program.id, 1).await;
    let two = key(store, program.id, 2).await;
    key(store, other.id, 3).await;
    let mut tried = new_key(program.id, 4);
    tried.terms.try_it = true;
    let before = feed::last(store).await.unwrap();
    write(store, async |tx| {
        api_keys::create(tx, &tried).await?;
        credentials::update(tx, one.id, &change()).await
    })
    .await
    .unwrap();
    one.terms.name = "Shop".to_owned();
    one.terms.not_before_us = None;
    one.terms.expires_us = Some(NOW_US + 5);
    one.terms.allowed = allowed();
    assert_eq!(credentials::by_id(store, one.id).await.unwrap(), one);
    assert_eq!(credentials::by_id(store, tried.id).await.unwrap(), tried);
    let all = credentials::find::<id::ApiKey>(store, program.id, None, &part(None, 9)).await;
    let all = all.unwrap().rows;
    assert_eq!(
        all,
        [one.clone(), two.clone()],
        "keys for trying are not listed"
    );
    let page = credentials::find(store, program.id, None, &part(Some(one.id), 9)).await;
    let page = page.unwrap();
    assert_eq!((page.rows, page.total), (vec![two], 2));
    let expected = ServedCredential {
        id: CredentialId::ApiKey(one.id),
        digest: one.digest,
        previous: None,
        application: program.id,
        environment: one.terms.environment,
        not_before_us: None,
        expires_us: one.terms.expires_us,
        allowed: allowed(),
    };
    assert_eq!(
        facts(store, before).await[0],
        Fact::Ready(Event::Credential(expected))
    );
    let orphan = new_key(id(), 5);
    let orphan = write(store, async |tx| api_keys::create(tx, &orphan).await).await;
    assert!(matches!(orphan.unwrap_err(), StoreError::NotFound(_)));
}

/// Returns when a credential ends for gateways.
fn end_of(fact: &Fact) -> Option<i64> {
    match fact {
        Fact::Ready(Event::Credential(it)) => it.expires_us,
        fact => panic!("no credential: {fact:?}"),
    }
}

pub(crate) async fn a_rotated_key_ends_with_its_grace_period_or_before(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let old = key(store, program.id, 1).await;
    for (digest, until_us, expected) in [(2, 80, 80), (3, 90, 80), (4, 70, 70)] {
        let new = new_key(program.id, digest);
        let before = feed::last(store).await.unwrap();
        write(store, async |tx| {
            api_keys::rotate(tx, old.id, &new, until_us).await
        })
        .await
        .unwrap();
        let kept = credentials::by_id(store, old.id).await.unwrap();
        let rotated = Rotated {
            until_us: expected,
            successor: new.id,
        };
        assert_eq!(kept.rotated, Some(rotated));
        assert_eq!(kept.terms, old.terms, "its own end stays");
        assert_eq!(credentials::by_id(store, new.id).await.unwrap(), new);
        let ends: Vec<_> = facts(store, before).await.iter().map(end_of).collect();
        assert_eq!(ends, [Some(expected), None]);
        for (now_us, live) in [(expected - 1, digest), (expected, digest - 1)] {
            let counted = write(store, async |tx| {
                let live = credentials::live::<id::ApiKey>(tx, program.id, now_us).await?;
                let of_user = credentials::live_of_user(tx, ada.id, now_us).await?;
                Ok([live, of_user])
            });
            assert_eq!(counted.await.unwrap(), [u64::from(live); 2], "{now_us}");
            let live_keys = applications::live(store, &[program.id], now_us).await;
            assert_eq!(live_keys.unwrap()[&program.id].keys, u64::from(live));
        }
    }
    let end = TermsChange {
        expires_us: Some(60),
        ..change()
    };
    write(store, async |tx| {
        credentials::update(tx, old.id, &end).await
    })
    .await
    .unwrap();
    let kept = credentials::by_id(store, old.id).await.unwrap();
    assert_eq!(kept.ends_us(), Some(60), "its own end is earlier");
    let absent = new_key(program.id, 5);
    let absent = write(store, async |tx| {
        api_keys::rotate(tx, id(), &absent, 1).await
    })
    .await;
    assert!(matches!(absent.unwrap_err(), StoreError::NotFound("key")));
}

pub(crate) async fn a_revoked_credential_is_gone_and_keeps_its_time(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let key = key(store, program.id, 1).await;
    let client = client(store, program.id, 2).await;
    let user = basic_user(store, program.id, 3).await;
    for at_us in [30, 40] {
        let before = feed::last(store).await.unwrap();
        write(store, async |tx| {
            credentials::revoke(tx, key.id, at_us).await?;
            credentials::revoke(tx, user.id, at_us).await?;
            credentials::revoke(tx, client.id, at_us).await
        })
        .await
        .unwrap();
        let gone = [
            CredentialId::ApiKey(key.id),
            CredentialId::BasicUser(user.id),
            CredentialId::Client(client.id),
        ];
        assert_eq!(
            facts(store, before).await,
            gone.map(Event::CredentialGone).map(Fact::Ready)
        );
        let key = credentials::by_id(store, key.id).await.unwrap();
        let client = credentials::by_id(store, client.id).await.unwrap();
        let user = credentials::by_id(store, user.id).await.unwrap();
        for terms in [key.terms, client.terms, user.terms] {
            assert_eq!(terms.revoked_us, Some(30));
        }
    }
    let absent = write(store, async |tx| {
        credentials::revoke::<id::ApiKey>(tx, id(), 1).await
    })
    .await;
    assert!(matches!(absent.unwrap_err(), StoreError::NotFound("key")));
    let absent = write(store, async |tx| {
        credentials::revoke::<id::Client>(tx, id(), 1).await
    })
    .await;
    assert!(matches!(
        absent.unwrap_err(),
        StoreError::NotFound("client")
    ));
    let absent = write(store, async |tx| {
        credentials::revoke::<id::BasicUser>(tx, id(), 1).await
    })
    .await;
    assert!(matches!(
        absent.unwrap_err(),
        StoreError::NotFound("Basic user")
    ));
}

pub(crate) async fn live_credentials_of_an_application_are_counted(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let other = application(store, ada.id, "other").await;
    let mut tx = store.write().await.unwrap();
    let (now_us, of) = (50, program.id);
    assert_eq!(
        credentials::live::<id::ApiKey>(&mut tx, of, now_us)
            .await
            .unwrap(),
        0
    );
    let live = new_key(of, 1);
    let mut ended = new_key(of, 2);
    ended.terms.expires_us = Some(now_us);
    let mut revoked = new_key(of, 3);
    revoked.terms.revoked_us = Some(1);
    let mut suspended = new_key(of, 4);
    suspended.terms.suspended_us = Some(1);
    let mut tried = new_key(of, 5);
    tried.terms.try_it = true;
    let foreign = new_key(other.id, 6);
    for key in [live, ended, revoked, suspended, tried, foreign] {
        api_keys::create(&mut tx, &key).await.unwrap();
    }
    assert_eq!(
        credentials::live::<id::ApiKey>(&mut tx, of, now_us)
            .await
            .unwrap(),
        2
    );
    assert_eq!(
        credentials::live::<id::Client>(&mut tx, of, now_us)
            .await
            .unwrap(),
        0
    );
    assert_eq!(
        credentials::live::<id::BasicUser>(&mut tx, of, now_us)
            .await
            .unwrap(),
        0
    );
}

pub(crate) async fn uses_of_credentials_are_stored_but_not_noted(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let key = key(store, program.id, 1).await;
    let client = client(store, program.id, 2).await;
    let user = basic_user(store, program.id, 3).await;
    let before = feed::last(store).await.unwrap();
    let uses = [
        (CredentialId::ApiKey(key.id), 97),
        (CredentialId::Client(client.id), 98),
        (CredentialId::BasicUser(user.id), 99),
        (CredentialId::ApiKey(id()), 99),
    ];
    write(store, async |tx| credentials::used(tx, &uses).await)
        .await
        .unwrap();
    let key = credentials::by_id(store, key.id).await.unwrap().terms;
    let client = credentials::by_id(store, client.id).await.unwrap().terms;
    let user = credentials::by_id(store, user.id).await.unwrap().terms;
    assert_eq!(key.last_used_us, Some(97));
    assert_eq!(client.last_used_us, Some(98));
    assert_eq!(user.last_used_us, Some(99));
    assert_eq!(feed::last(store).await.unwrap(), before);
}

pub(crate) async fn credentials_for_trying_are_swept_once_they_end(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let mut ended = new_key(program.id, 1);
    ended.terms.expires_us = Some(50);
    let mut tried = new_key(program.id, 2);
    tried.terms.expires_us = Some(50);
    tried.terms.try_it = true;
    let mut user = BasicUser {
        id: id(),
        ..basic_user(store, program.id, 3).await
    };
    user.user_name = "try".to_owned();
    user.terms = tried.terms.clone();
    write(store, async |tx| {
        api_keys::create(tx, &ended).await?;
        api_keys::create(tx, &tried).await?;
        basic_users::create(tx, &user).await
    })
    .await
    .unwrap();
    for (now_us, live) in [(49, 2), (50, 0)] {
        let counted = write(store, async |tx| {
            credentials::tried(tx, program.id, now_us).await
        });
        assert_eq!(counted.await.unwrap(), live, "{now_us}");
    }
    let before = feed::last(store).await.unwrap();
    assert!(!credentials::has_tried(store, 49).await.unwrap());
    for (now_us, swept) in [(49, 0), (50, 2), (50, 0)] {
        let done = write(store, async |tx| {
            credentials::sweep_tried(tx, now_us, 10).await
        });
        assert_eq!(done.await.unwrap(), swept, "{now_us}");
    }
    assert!(credentials::by_id(store, tried.id).await.is_err());
    assert!(credentials::by_id(store, user.id).await.is_err());
    assert!(credentials::by_id(store, ended.id).await.is_ok());
    assert_eq!(feed::last(store).await.unwrap(), before);
    // Its name is free.
    user.id = id();
    user.terms.try_it = false;
    let named = write(store, async |tx| basic_users::create(tx, &user).await);
    named.await.unwrap();
}
