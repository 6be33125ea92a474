//! Access tokens, and the keys that sign them.

use tollgate_model::feed::{Event, ServedSigningKey, TokenSubject};
use tollgate_model::id::TokenId;

use super::fixture::{
    Environment, NOW_US, PRIVATE, application, client, facts, id, revoked, signing_key, token,
    user, write,
};
use crate::feed::{self, Fact};
use crate::signing_keys::{self, SigningKey, Times};
use crate::{Store, StoreError, assertions, tokens};

/// Returns the ids of the tokens in the whole feed: the valid ones, and the revoked ones.
async fn token_ids(store: &Store, now_us: i64) -> (Vec<TokenId>, Vec<TokenId>) {
    let (mut live, mut revoked) = (Vec::new(), Vec::new());
    for fact in feed::whole(store, now_us).await.unwrap().facts {
        match fact {
            Fact::Ready(Event::Token(token)) => live.push(token.id),
            Fact::Ready(Event::TokenRevoked(token)) => revoked.push(token.id),
            _ => {}
        }
    }
    (live, revoked)
}

pub(crate) async fn a_token_reads_back_and_is_noted(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let client = client(store, program.id, 1).await;
    let subjects = [
        TokenSubject::Client(client.id),
        TokenSubject::Application(program.id, Environment::Sandbox),
    ];
    for subject in subjects {
        let before = feed::last(store).await.unwrap();
        let token = token(store, subject, NOW_US + 1).await;
        assert_eq!(tokens::by_id(store, token.id).await.unwrap(), token);
        let found = tokens::by_digest(store, &token.digest).await.unwrap();
        assert_eq!(found.as_ref(), Some(&token));
        assert_eq!(
            facts(store, before).await,
            [Fact::Ready(Event::Token(token))]
        );
    }
    assert_eq!(tokens::by_digest(store, &[9; 32]).await.unwrap(), None);
    let orphan = tollgate_model::feed::ServedToken {
        subject: TokenSubject::Client(id()),
        id: id(),
        digest: [8; 32],
        ..token(store, subjects[0], NOW_US + 1).await
    };
    let orphan = write(store, async |tx| tokens::create(tx, &orphan).await).await;
    assert!(matches!(orphan.unwrap_err(), StoreError::NotFound(_)));
}

pub(crate) async fn a_revoked_token_is_in_the_feed_until_it_expires(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let client = client(store, program.id, 1).await;
    let opaque = token(store, TokenSubject::Client(client.id), NOW_US + 5).await;
    let jwt = tollgate_model::feed::RevokedToken {
        id: id(),
        expires_us: NOW_US + 6,
    };
    for _ in 0..2 {
        let before = feed::last(store).await.unwrap();
        write(store, async |tx| {
            tokens::revoke(tx, jwt).await?;
            tokens::revoke(tx, revoked(&opaque)).await
        })
        .await
        .unwrap();
        let revoked = [revoked(&opaque), jwt];
        assert_eq!(
            facts(store, before).await,
            revoked.map(Event::TokenRevoked).map(Fact::Ready)
        );
    }
    assert!(tokens::by_id(store, opaque.id).await.is_err());
    assert!(tokens::is_revoked(store, opaque.id).await.unwrap());
    assert!(tokens::is_revoked(store, jwt.id).await.unwrap());
    assert!(!tokens::is_revoked(store, id()).await.unwrap());
    let ids = vec![opaque.id, jwt.id];
    assert_eq!(token_ids(store, NOW_US + 4).await, (Vec::new(), ids));
    assert_eq!(
        token_ids(store, NOW_US + 5).await,
        (Vec::new(), vec![jwt.id])
    );
}

pub(crate) async fn expired_tokens_are_neither_in_the_feed_nor_kept(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let subject = TokenSubject::Client(client(store, program.id, 1).await.id);
    let first = token(store, subject, 50).await;
    let second = token(store, subject, 51).await;
    let third = token(store, subject, 50).await;
    write(store, async |tx| tokens::revoke(tx, revoked(&third)).await)
        .await
        .unwrap();
    let all = (vec![first.id, second.id], vec![third.id]);
    assert_eq!(token_ids(store, 49).await, all);
    let left = (vec![second.id], Vec::new());
    assert_eq!(token_ids(store, 50).await, left);
    let stranger = application(store, ada.id, "stranger").await.id;
    for (of, now_us, live) in [(program.id, 49, 2), (program.id, 50, 1), (stranger, 49, 0)] {
        let counted = write(store, async |tx| tokens::live(tx, of, now_us).await);
        assert_eq!(counted.await.unwrap(), live, "{now_us}");
    }
    let before = feed::last(store).await.unwrap();
    assert!(!tokens::has_expired(store, 49).await.unwrap());
    assert!(tokens::has_expired(store, 50).await.unwrap());
    for (now_us, at_most, swept) in [(49, 9, 0), (50, 0, 0), (50, 9, 2), (50, 9, 0)] {
        let done = write(store, async |tx| tokens::sweep(tx, now_us, at_most).await);
        assert_eq!(done.await.unwrap(), swept, "{now_us} {at_most}");
    }
    assert_eq!(token_ids(store, 0).await, left);
    assert!(!tokens::is_revoked(store, third.id).await.unwrap());
    assert_eq!(
        feed::last(store).await.unwrap(),
        before,
        "the feed is unchanged"
    );
}

pub(crate) async fn a_signing_key_reads_back_changes_and_is_noted(store: &Store) {
    let before = feed::last(store).await.unwrap();
    let mut one = signing_key(store, "one").await;
    let two = signing_key(store, "two").await;
    assert_eq!(signing_keys::by_id(store, one.id).await.unwrap(), one);
    let all = signing_keys::list(store, NOW_US).await.unwrap();
    assert_eq!(all, [one.clone(), two.clone()]);
    let served = [&one, &two].map(|key| {
        Fact::Ready(Event::SigningKey(ServedSigningKey {
            id: key.id,
            name: key.name.clone(),
            algorithm: key.algorithm,
            public: key.public.clone(),
        }))
    });
    assert_eq!(facts(store, before).await, served);

    let times = Times {
        signs_from_us: 1,
        signs_until_us: Some(2),
        ends_us: Some(NOW_US),
    };
    let before = feed::last(store).await.unwrap();
    write(store, async |tx| {
        signing_keys::update(tx, one.id, times).await
    })
    .await
    .unwrap();
    one.times = times;
    assert_eq!(signing_keys::by_id(store, one.id).await.unwrap(), one);
    assert_eq!(
        facts(store, before).await,
        [Fact::Ready(Event::SigningKeyGone(one.id))]
    );
    let left = signing_keys::list(store, NOW_US).await.unwrap();
    assert_eq!(left, std::slice::from_ref(&two));
    let all = signing_keys::list(store, NOW_US - 1).await.unwrap();
    assert_eq!(all, [one.clone(), two.clone()]);

    let before = feed::last(store).await.unwrap();
    let deleted = write(store, async |tx| {
        signing_keys::delete(tx, two.id).await?;
        signing_keys::delete_ended(tx, NOW_US).await
    });
    assert_eq!(deleted.await.unwrap(), 1);
    let gone = [one.id, two.id].map(Event::SigningKeyGone).map(Fact::Ready);
    let changed = facts(store, before).await;
    assert!(
        changed.len() == 2 && gone.iter().all(|fact| changed.contains(fact)),
        "{changed:?}"
    );
    let twin = signing_key(store, "three").await;
    let twin = SigningKey { id: id(), ..twin };
    let taken = write(store, async |tx| {
        signing_keys::create(tx, &twin, PRIVATE).await
    })
    .await;
    let taken = taken.unwrap_err();
    let is_taken = matches!(taken, StoreError::Taken { field: "/name", .. });
    assert!(is_taken, "{taken:?}");
}

pub(crate) async fn a_private_half_is_read_by_one_function_only(store: &Store) {
    let one = signing_key(store, "one").await;
    let two = signing_key(store, "two").await;
    let opened = signing_keys::private(store, one.id).await.unwrap();
    assert_eq!(opened.as_ref(), PRIVATE);
    assert_eq!(format!("{opened:?}"), "PrivateKey");
    // It was sealed for its own key: in another key's row it does not open.
    let mut tx = store.write().await.unwrap();
    let swap = "update signing_keys set private = \
        (select private from signing_keys where id = $2) where id = $1";
    let values = [two.id.into(), one.id.into()];
    tx.execute(swap, &values).await.unwrap();
    tx.commit().await.unwrap();
    let damaged = signing_keys::private(store, two.id).await.unwrap_err();
    assert!(matches!(damaged, StoreError::Corrupt(_)), "{damaged:?}");
    let absent = signing_keys::private(store, id()).await.unwrap_err();
    assert!(matches!(absent, StoreError::NotFound("signing key")));
}

pub(crate) async fn an_assertion_is_kept_once_for_each_client_until_it_expires(store: &Store) {
    let ada = user(store, "ada").await;
    let program = application(store, ada.id, "program").await;
    let clients = [
        client(store, program.id, 1).await.id,
        client(store, program.id, 2).await.id,
    ];
    let keep = async |client, until_us| {
        let kept = write(store, async |tx| {
            assertions::keep(tx, client, &[7; 32], until_us).await
        });
        kept.await
    };
    for client in clients {
        assert!(keep(client, NOW_US + 5).await.unwrap());
        assert!(!keep(client, NOW_US + 9).await.unwrap());
    }
    let orphan = keep(id(), NOW_US + 5).await.unwrap_err();
    assert!(matches!(orphan, StoreError::NotFound(_)));
    let sweep = async |now_us| {
        let swept = write(store, async |tx| assertions::sweep(tx, now_us, 1).await);
        swept.await.unwrap()
    };
    assert!(!assertions::has_expired(store, NOW_US + 4).await.unwrap());
    assert_eq!(sweep(NOW_US + 4).await, 0);
    assert!(assertions::has_expired(store, NOW_US + 5).await.unwrap());
    for swept in [1, 1, 0] {
        assert_eq!(sweep(NOW_US + 5).await, swept);
    }
    assert!(keep(clients[0], NOW_US + 9).await.unwrap());
}
