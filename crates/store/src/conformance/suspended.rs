//! Credentials that are suspended with the owner of their applications.

use tollgate_model::credential::CredentialId;
use tollgate_model::feed::Event;
use tollgate_model::id::ApplicationId;

use super::fixture::{NOW_US, application, basic_user, client, facts, key, new_key, user, write};
use crate::feed::{self, Fact};
use crate::users::{self, UserChange};
use crate::{Store, api_keys, credentials};

/// Returns from facts the time since which tokens of applications are valid.
fn voided(changed: &[Fact]) -> Vec<(ApplicationId, i64)> {
    let voided = changed.iter().filter_map(|fact| match fact {
        Fact::Application {
            id, tokens_from_us, ..
        } => Some((*id, *tokens_from_us)),
        _ => None,
    });
    voided.collect()
}

pub(crate) async fn suspended_credentials_are_gone_until_they_are_resumed(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let shop = application(store, ada.id, "shop").await;
    let till = application(store, ada.id, "till").await;
    let other = application(store, ben.id, "other").await;
    let one = key(store, shop.id, 1).await;
    let two = client(store, till.id, 2).await;
    let three = basic_user(store, till.id, 3).await;
    let (dead, foreign) = (key(store, till.id, 4).await, key(store, other.id, 5).await);
    let alone = client(store, till.id, 6).await;
    write(store, async |tx| {
        credentials::revoke(tx, dead.id, 20).await?;
        credentials::suspend(tx, alone.id, Some(20)).await
    })
    .await
    .unwrap();
    let before = feed::last(store).await.unwrap();
    let suspended = write(store, async |tx| {
        let live = credentials::live_of_user(tx, ada.id, 30).await?;
        let suspended = credentials::suspend_of_user(tx, ada.id, 30).await?;
        let rest = credentials::live_of_user(tx, ada.id, 30).await?;
        Ok((live, suspended, rest))
    });
    assert_eq!(suspended.await.unwrap(), (3, 3, 0));
    let gone = [
        CredentialId::ApiKey(one.id),
        CredentialId::BasicUser(three.id),
        CredentialId::Client(two.id),
    ];
    let events = gone.map(Event::CredentialGone).map(Fact::Ready);
    let changed = facts(store, before).await;
    assert_eq!(changed[2..], events);
    assert_eq!(
        voided(&changed),
        [(shop.id, 31), (till.id, 31)],
        "their tokens"
    );
    let whole = feed::whole(store, NOW_US).await.unwrap().facts;
    let served = whole.iter().filter_map(|fact| match fact {
        Fact::Ready(Event::Credential(it)) => Some(it.id),
        Fact::Ready(Event::Client(it)) => Some(CredentialId::Client(it.id)),
        _ => None,
    });
    assert_eq!(
        served.collect::<Vec<_>>(),
        [CredentialId::ApiKey(foreign.id)]
    );

    let before = feed::last(store).await.unwrap();
    write(store, async |tx| {
        credentials::suspend(tx, three.id, None).await
    })
    .await
    .unwrap();
    let changed = facts(store, before).await;
    assert!(matches!(&changed[..], [Fact::Ready(Event::Credential(it))] if it.id == gone[1]));
    let before = feed::last(store).await.unwrap();
    let resumed = write(store, async |tx| {
        credentials::resume_of_user(tx, ada.id).await
    });
    assert_eq!(resumed.await.unwrap(), 2);
    assert_eq!(facts(store, before).await.len(), 2);
    let one = credentials::by_id(store, one.id).await.unwrap().terms;
    let two = credentials::by_id(store, two.id).await.unwrap().terms;
    assert_eq!((one.suspended_us, two.suspended_us), (None, None));
    let alone = credentials::by_id(store, alone.id).await.unwrap().terms;
    assert_eq!(alone.suspended_us, Some(20), "it was suspended by itself");
}

pub(crate) async fn a_new_credential_of_a_suspended_owner_waits_until_it_is_resumed(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let shop = application(store, ada.id, "shop").await;
    let other = application(store, ben.id, "other").await;
    let none = write(store, async |tx| {
        credentials::suspend_of_user(tx, ada.id, 30).await
    });
    assert_eq!(
        none.await.unwrap(),
        0,
        "also for a user without credentials"
    );
    let is_suspended = async |application| {
        credentials::is_owner_suspended(store, application)
            .await
            .unwrap()
    };
    assert!(is_suspended(shop.id).await);
    assert!(!is_suspended(other.id).await);
    let before = feed::last(store).await.unwrap();
    let key = key(store, shop.id, 1).await.id;
    let new = new_key(shop.id, 2);
    let client = client(store, shop.id, 3).await.id;
    let user = basic_user(store, shop.id, 4).await.id;
    write(store, async |tx| api_keys::rotate(tx, key, &new, 90).await)
        .await
        .unwrap();
    let suspended = async || {
        let user = credentials::by_id(store, user).await.unwrap();
        [
            credentials::by_id(store, key).await.unwrap().terms,
            credentials::by_id(store, new.id).await.unwrap().terms,
            credentials::by_id(store, client).await.unwrap().terms,
            user.terms,
        ]
        .map(|it| it.suspended_us.is_some())
    };
    assert_eq!(suspended().await, [true; 4]);
    let changed = facts(store, before).await;
    let are_gone = changed
        .iter()
        .all(|it| matches!(it, Fact::Ready(Event::CredentialGone(_))));
    assert!(are_gone && changed.len() == 4, "{changed:?}");
    let resumed = write(store, async |tx| {
        credentials::resume_of_user(tx, ada.id).await
    });
    assert_eq!(resumed.await.unwrap(), 4);
    assert_eq!(suspended().await, [false; 4]);
    assert!(!is_suspended(shop.id).await);
    let later = new_key(shop.id, 5);
    write(store, async |tx| api_keys::create(tx, &later).await)
        .await
        .unwrap();
    assert_eq!(credentials::by_id(store, later.id).await.unwrap(), later);
}

pub(crate) async fn owners_that_an_earlier_release_suspended_are_marked(store: &Store) {
    let mut shops = Vec::new();
    let (ada, ben) = (user(store, "ada").await, user(store, "ben").await);
    for (owner, disabled) in [(ada, true), (ben, false)] {
        let shop = application(store, owner.id, "shop").await;
        key(store, shop.id, u8::from(disabled)).await;
        let roles = owner.roles;
        let change = UserChange { roles, disabled };
        write(store, async |tx| {
            credentials::suspend_of_user(tx, owner.id, 30).await?;
            // Earlier releases left no mark.
            credentials::forget_owner(tx, owner.id).await?;
            users::update(tx, owner.id, &change).await
        })
        .await
        .unwrap();
        shops.push(shop.id);
    }
    for _ in 0..2 {
        credentials::mark_suspended_owners(store).await.unwrap();
        let is_suspended = async |shop| credentials::is_owner_suspended(store, shop).await;
        assert!(is_suspended(shops[0]).await.unwrap());
        assert!(!is_suspended(shops[1]).await.unwrap(), "is enabled");
    }
}
