//! Applications and their API keys.

use tollgate_model::feed::ServedKey;

use super::fixture::{application, facts, id, key, limit, plan, published, subscription};
use super::fixture::{user, write};
use crate::applications::{self, ApplicationChange};
use crate::feed::Fact;
use crate::{Store, StoreError, api_keys, feed, subscriptions};

pub(crate) async fn an_application_reads_back_lists_changes_and_is_noted(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let mut one = application(store, ada.id, "one").await;
    let two = application(store, ben.id, "two").await;
    assert_eq!(applications::by_id(store, one.id).await.unwrap(), one);
    let all = applications::list(store, None, None, 9).await.unwrap();
    assert_eq!(all, [one.clone(), two.clone()]);
    let page = applications::list(store, None, Some(one.id), 9).await;
    assert_eq!(page.unwrap(), [two]);
    let own = applications::list(store, Some(ada.id), None, 9).await;
    assert_eq!(own.unwrap(), [one.clone()]);

    let before = feed::last(store).await.unwrap();
    let change = ApplicationChange {
        name: "uno".to_owned(),
        description: "New".to_owned(),
        limits: vec![limit(1), limit(2)],
    };
    write(store, async |tx| {
        applications::update(tx, one.id, &change).await
    })
    .await
    .unwrap();
    one.name = change.name;
    one.description = change.description;
    one.limits = change.limits;
    assert_eq!(applications::by_id(store, one.id).await.unwrap(), one);
    let told = Fact::Application {
        id: one.id,
        limits: one.limits,
    };
    assert_eq!(facts(store, before).await, [told]);
}

pub(crate) async fn an_application_name_is_taken_once_per_owner(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let one = application(store, ada.id, "one").await;
    application(store, ben.id, "one").await;
    let twin = applications::Application { id: id(), ..one };
    let taken = write(store, async |tx| applications::create(tx, &twin).await).await;
    let taken = taken.unwrap_err();
    assert!(
        matches!(taken, StoreError::Taken { field: "/name", .. }),
        "{taken:?}"
    );
}

pub(crate) async fn a_deleted_application_ends_what_it_could_call(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let program = application(store, ada.id, "program").await;
    let live = subscription(store, program.id, pets.version.id, gold.id).await;
    let keys = [
        key(store, program.id, 1).await,
        key(store, program.id, 2).await,
    ];
    let before = feed::last(store).await.unwrap();
    write(store, async |tx| applications::delete(tx, program.id).await)
        .await
        .unwrap();
    let told = facts(store, before).await;
    assert_eq!(told.len(), 4, "{told:?}");
    for gone in [
        Fact::ApplicationGone(program.id),
        Fact::SubscriptionGone(live.id),
        Fact::KeyGone(keys[0].id),
        Fact::KeyGone(keys[1].id),
    ] {
        assert!(told.contains(&gone), "{gone:?}");
    }
    assert!(applications::by_id(store, program.id).await.is_err());
    assert!(subscriptions::by_id(store, live.id).await.is_err());
    assert!(api_keys::by_id(store, keys[0].id).await.is_err());
}

pub(crate) async fn a_key_reads_back_lists_and_is_noted(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let other = application(store, ada.id, "other").await;
    let before = feed::last(store).await.unwrap();
    let one = key(store, program.id, 1).await;
    let two = key(store, program.id, 2).await;
    key(store, other.id, 3).await;
    assert_eq!(api_keys::by_id(store, one.id).await.unwrap(), one);
    let all = api_keys::list(store, program.id, None, 9).await.unwrap();
    assert_eq!(all, [one.clone(), two.clone()]);
    let page = api_keys::list(store, program.id, Some(one.id), 9).await;
    assert_eq!(page.unwrap(), [two]);
    let told = ServedKey {
        id: one.id,
        digest: one.digest,
        application: one.application,
        environment: one.environment,
        not_before_us: one.not_before_us,
        expires_us: one.expires_us,
    };
    assert_eq!(facts(store, before).await[0], Fact::Key(told));
    let orphan = api_keys::ApiKey {
        id: id(),
        application: id(),
        digest: [4; 32],
        ..one
    };
    let orphan = write(store, async |tx| api_keys::create(tx, &orphan).await).await;
    assert!(matches!(orphan.unwrap_err(), StoreError::NotFound(_)));
}

pub(crate) async fn a_revoked_key_is_gone_and_keeps_its_time(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let key = key(store, program.id, 1).await;
    for at_us in [30, 40] {
        let before = feed::last(store).await.unwrap();
        write(store, async |tx| api_keys::revoke(tx, key.id, at_us).await)
            .await
            .unwrap();
        assert_eq!(facts(store, before).await, [Fact::KeyGone(key.id)]);
        let read = api_keys::by_id(store, key.id).await.unwrap();
        assert_eq!(read.revoked_us, Some(30));
    }
    let absent = write(store, async |tx| api_keys::revoke(tx, id(), 1).await).await;
    assert!(matches!(absent.unwrap_err(), StoreError::NotFound("key")));
}

pub(crate) async fn a_suspended_key_is_gone_until_it_is_resumed(store: &Store) {
    let ada = user(store, "ada").await;
    let ben = user(store, "ben").await;
    let shop = application(store, ada.id, "shop").await;
    let till = application(store, ada.id, "till").await;
    let other = application(store, ben.id, "other").await;
    let (one, two) = (key(store, shop.id, 1).await, key(store, till.id, 2).await);
    let (dead, foreign) = (key(store, till.id, 3).await, key(store, other.id, 4).await);
    let alone = key(store, till.id, 5).await;
    let given = write(store, async |tx| {
        api_keys::revoke(tx, dead.id, 20).await?;
        api_keys::suspend(tx, alone.id, Some(20)).await
    });
    given.await.unwrap();
    let before = feed::last(store).await.unwrap();
    let suspended = write(store, async |tx| {
        let live = api_keys::live_of_user(tx, ada.id, 30).await?;
        let suspended = api_keys::suspend_of_user(tx, ada.id, 30).await?;
        Ok((
            live,
            suspended,
            api_keys::live_of_user(tx, ada.id, 30).await?,
        ))
    });
    assert_eq!(suspended.await.unwrap(), (2, 2, 0));
    let mut told = facts(store, before).await;
    told.sort_by_key(|fact| format!("{fact:?}"));
    assert_eq!(told, [Fact::KeyGone(one.id), Fact::KeyGone(two.id)]);
    let whole = feed::whole(store).await.unwrap().facts;
    let served = whole.iter().filter_map(|fact| match fact {
        Fact::Key(key) => Some(key.id),
        _ => None,
    });
    assert_eq!(served.collect::<Vec<_>>(), [foreign.id]);

    let before = feed::last(store).await.unwrap();
    write(store, async |tx| api_keys::suspend(tx, one.id, None).await)
        .await
        .unwrap();
    let told = facts(store, before).await;
    assert!(matches!(told.as_slice(), [Fact::Key(key)] if key.id == one.id));
    let resumed = write(store, async |tx| api_keys::resume_of_user(tx, ada.id).await);
    assert_eq!(resumed.await.unwrap(), 1);
    for id in [one.id, two.id] {
        let read = api_keys::by_id(store, id).await.unwrap();
        assert_eq!(read.suspended_us, None);
    }
    let alone = api_keys::by_id(store, alone.id).await.unwrap();
    assert_eq!(alone.suspended_us, Some(20), "it was suspended by itself");
}

pub(crate) async fn uses_of_keys_are_remembered_but_not_noted(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let key = key(store, program.id, 1).await;
    let before = feed::last(store).await.unwrap();
    write(store, async |tx| {
        api_keys::used(tx, &[(key.id, 99), (id(), 99)]).await
    })
    .await
    .unwrap();
    let read = api_keys::by_id(store, key.id).await.unwrap();
    assert_eq!(read.last_used_us, Some(99));
    assert_eq!(feed::last(store).await.unwrap(), before);
}
