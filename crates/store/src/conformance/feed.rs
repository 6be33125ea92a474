//! The results of the feed.

use std::collections::BTreeMap;

use tollgate_model::credential::CredentialId;
use tollgate_model::feed::{CacheSelector, Event, TokenSubject};
use tollgate_model::lifecycle::State;
use tollgate_model::subscription::Status;

use super::cache_purges::{purge, tagged};
use super::fixture::{Environment, NOW_US, application, basic_user, client, enter, facts, key};
use super::fixture::{plan, published, revoked, signing_key, subscription, token, user, write};
use crate::feed::{self, CHANGES_KEPT, Fact, Noun, ROWS};
use crate::{Store, applications, clients, credentials, signing_keys, subscriptions, tokens};

pub(crate) async fn no_changes_give_no_facts(store: &Store) {
    let changes = feed::changes_since(store, 0, NOW_US)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((changes.sequence, changes.facts.len()), (0, 0));
    plan(store, "gold").await;
    let last = feed::last(store).await.unwrap();
    let changes = feed::changes_since(store, last, NOW_US)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((changes.sequence, changes.facts.len()), (last, 0));
    // A write that is not noted for gateways reaches no new sequence.
    let mut tx = store.write().await.unwrap();
    crate::settings::put(&mut tx, "a", "b").await.unwrap();
    assert_eq!(tx.commit().await.unwrap(), last);
}

/// Ids of tests are used once each, whatever their kind.
const fn raw(id: CredentialId) -> i64 {
    match id {
        CredentialId::ApiKey(id) => id.raw(),
        CredentialId::Client(id) => id.raw(),
        CredentialId::BasicUser(id) => id.raw(),
        CredentialId::Token(id) => id.raw(),
    }
}

/// Applies facts as a gateway does: the last fact of a noun replaces earlier ones, and events of
/// deletion remove it. Of purges, gateways keep the number of the last.
fn apply(held: &mut BTreeMap<(u8, i64), Fact>, facts: Vec<Fact>) {
    for mut fact in facts {
        if let Fact::Ready(Event::CachePurged(purge)) = &mut fact {
            purge.selector = CacheSelector::default();
        }
        let (key, gone) = match &fact {
            Fact::Version(deployed) => ((0, deployed.version.id.raw()), false),
            Fact::Ready(Event::VersionGone(id)) => ((0, id.raw()), true),
            Fact::Plan { id, .. } => ((1, id.raw()), false),
            Fact::Ready(Event::PlanGone(id)) => ((1, id.raw()), true),
            Fact::Application { id, .. } => ((2, id.raw()), false),
            Fact::Ready(Event::ApplicationGone(id)) => ((2, id.raw()), true),
            Fact::Ready(Event::Subscription(it)) => ((3, it.id.raw()), false),
            Fact::Ready(Event::SubscriptionGone(id)) => ((3, id.raw()), true),
            Fact::Ready(Event::Credential(it)) => ((4, raw(it.id)), false),
            Fact::Ready(Event::CredentialGone(id)) => ((4, raw(*id)), true),
            Fact::Ready(Event::Client(it)) => ((4, it.id.raw()), false),
            Fact::Ready(Event::Token(it)) => ((5, it.id.raw()), false),
            Fact::Ready(Event::TokenRevoked(it)) => ((5, it.id.raw()), false),
            Fact::Ready(Event::SigningKey(it)) => ((6, it.id.raw()), false),
            Fact::Ready(Event::SigningKeyGone(id)) => ((6, id.raw()), true),
            Fact::Ready(Event::CachePurged(it)) => ((7, it.version.raw()), false),
            Fact::Ready(other) => panic!("the control plane compiles it: {other:?}"),
        };
        if gone {
            held.remove(&key);
        } else {
            held.insert(key, fact);
        }
    }
}

pub(crate) async fn facts_applied_step_by_step_equal_the_whole(store: &Store) {
    let mut held = BTreeMap::new();
    let mut reached = 0;
    let mut follow = async || {
        let changes = feed::changes_since(store, reached, NOW_US)
            .await
            .unwrap()
            .unwrap();
        reached = changes.sequence;
        apply(&mut held, changes.facts);
        let whole = feed::whole(store, NOW_US).await.unwrap();
        assert_eq!(whole.sequence, reached);
        let mut fresh = BTreeMap::new();
        apply(&mut fresh, whole.facts);
        assert_eq!(held, fresh);
        held.len()
    };
    let ada = user(store, "ada").await;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada.id, "/pets", &[gold.id]).await;
    let program = application(store, ada.id, "program").await;
    let key = key(store, program.id, 1).await;
    let live = subscription(store, program.id, pets.version.id, gold.id).await;
    let client = client(store, program.id, 2).await;
    let user = basic_user(store, program.id, 3).await;
    let by_client = token(store, TokenSubject::Client(client.id), NOW_US + 1).await;
    let tried = TokenSubject::Application(program.id, Environment::Sandbox);
    token(store, tried, NOW_US + 1).await;
    let signing = signing_key(store, "one").await;
    let by_tag = tagged("pets");
    for selector in [&by_tag, &CacheSelector::default(), &by_tag] {
        purge(store, pets.version.id, ada.id, selector).await;
    }
    assert_eq!(follow().await, 11);
    let blocked = Status::Blocked;
    write(store, async |tx| {
        subscriptions::set_status(tx, live.id, blocked, None).await?;
        credentials::revoke(tx, key.id, 90).await?;
        clients::void_tokens(tx, client.id, 90).await?;
        applications::void_tokens(tx, program.id, 90).await?;
        credentials::suspend(tx, user.id, Some(90)).await?;
        tokens::revoke(tx, revoked(&by_client)).await?;
        signing_keys::delete(tx, signing.id).await
    })
    .await
    .unwrap();
    purge(store, pets.version.id, ada.id, &by_tag).await;
    // The revoked token is held as revoked.
    assert_eq!(follow().await, 8);
    enter(store, pets.version.id, State::Published, State::Created).await;
    assert_eq!(follow().await, 6);
}

pub(crate) async fn a_noun_that_changed_often_has_one_fact(store: &Store) {
    let gold = plan(store, "gold").await;
    let mut tx = store.write().await.unwrap();
    for _ in 0..3 {
        tx.note(Noun::Plan(gold.id)).await.unwrap();
    }
    let sequence = tx.commit().await.unwrap();
    assert_eq!(sequence, 4);
    assert_eq!(facts(store, 0).await.len(), 1);
}

pub(crate) async fn a_reader_ahead_or_far_behind_reads_the_whole(store: &Store) {
    let gold = plan(store, "gold").await;
    assert_eq!(feed::changes_since(store, 2, NOW_US).await.unwrap(), None);
    let mut tx = store.write().await.unwrap();
    for _ in 0..CHANGES_KEPT {
        tx.note(Noun::Plan(gold.id)).await.unwrap();
    }
    let last = tx.commit().await.unwrap();
    assert_eq!(feed::changes_since(store, 0, NOW_US).await.unwrap(), None);
    let changes = feed::changes_since(store, 1, NOW_US)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((changes.sequence, changes.facts.len()), (last, 1));
}

pub(crate) async fn a_whole_read_in_parts_is_complete(store: &Store) {
    const MANY: &str = "insert into revoked_tokens (id, expires_us) \
        with recursive numbers (n) as \
            (select 1 union all select n + 1 from numbers where n < $1) \
        select n, $2 from numbers";
    let count = 2 * ROWS + 1;
    let mut tx = store.write().await.unwrap();
    let values = [count.into(), (NOW_US + 1).into()];
    tx.execute(MANY, &values).await.unwrap();
    tx.commit().await.unwrap();
    let whole = feed::whole(store, NOW_US).await.unwrap().facts;
    let ids = whole.iter().map(|fact| match fact {
        Fact::Ready(Event::TokenRevoked(token)) => token.id.raw(),
        other => panic!("{other:?}"),
    });
    assert!(ids.eq(1..=count));
}
