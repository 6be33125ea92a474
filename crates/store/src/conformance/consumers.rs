//! Applications. Their credentials are in `credentials.rs`.

use tollgate_model::credential::CredentialId;
use tollgate_model::feed::{Event, TokenSubject};

use super::fixture::{NOW_US, application, basic_user, client, facts, id, key, limit, plan};
use super::fixture::{published, subscription, terms, token, user, write};
use crate::applications::{self, ApplicationChange};
use crate::feed::Fact;
use crate::{Store, StoreError, basic_users, credentials, feed, subscriptions, tokens};

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
    write(store, async |tx| {
        applications::void_tokens(tx, one.id, 50).await?;
        applications::void_tokens(tx, one.id, 40).await
    })
    .await
    .unwrap();
    one.tokens_from_us = 50;
    assert_eq!(applications::by_id(store, one.id).await.unwrap(), one);
    let expected = Fact::Application {
        id: one.id,
        owner: one.owner,
        limits: one.limits,
        tokens_from_us: 50,
    };
    assert_eq!(facts(store, before).await, [expected]);
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

pub(crate) async fn a_deleted_application_ends_its_subscriptions(store: &Store) {
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let program = application(store, ada.id, "program").await;
    let live = subscription(store, program.id, pets.version.id, gold.id).await;
    let key = key(store, program.id, 1).await;
    let client = client(store, program.id, 2).await;
    let user = basic_user(store, program.id, 3).await;
    let token = token(store, TokenSubject::Client(client.id), NOW_US + 1).await;
    let before = feed::last(store).await.unwrap();
    write(store, async |tx| applications::delete(tx, program.id).await)
        .await
        .unwrap();
    let changed = facts(store, before).await;
    assert_eq!(changed.len(), 5, "{changed:?}");
    for gone in [
        Fact::Ready(Event::ApplicationGone(program.id)),
        Fact::Ready(Event::SubscriptionGone(live.id)),
        Fact::Ready(Event::CredentialGone(CredentialId::ApiKey(key.id))),
        Fact::Ready(Event::CredentialGone(CredentialId::Client(client.id))),
        Fact::Ready(Event::CredentialGone(CredentialId::BasicUser(user.id))),
    ] {
        assert!(changed.contains(&gone), "{gone:?}");
    }
    assert!(applications::by_id(store, program.id).await.is_err());
    assert!(subscriptions::by_id(store, live.id).await.is_err());
    assert!(credentials::by_id(store, key.id).await.is_err());
    assert!(credentials::by_id(store, client.id).await.is_err());
    assert!(credentials::by_id(store, user.id).await.is_err());
    assert!(tokens::by_id(store, token.id).await.is_err());
    // Its name is still not available to others.
    let program = application(store, ada.id, "program").await;
    let twin = basic_users::BasicUser {
        id: id(),
        terms: terms(program.id),
        user_name: user.user_name.to_uppercase(),
        secret: user.secret,
    };
    let taken = write(store, async |tx| basic_users::create(tx, &twin).await).await;
    let taken = taken.unwrap_err();
    let is_taken = matches!(
        taken,
        StoreError::Taken {
            field: "/user_name",
            ..
        }
    );
    assert!(is_taken, "{taken:?}");
}
