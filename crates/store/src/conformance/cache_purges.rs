//! Purges of stored responses.

use tollgate_model::feed::{CachePurge, CacheSelector, Event};
use tollgate_model::id::{UserId, VersionId};

use super::fixture::{NOW_US, api, facts, id, new_version, plan, user, write};
use crate::cache_purges::{self, NewPurge};
use crate::feed::{self, CHANGES_KEPT, Fact, Noun};
use crate::{Store, StoreError, apis, versions};

/// Selects the responses with a tag.
pub(super) fn tagged(tag: &str) -> CacheSelector {
    CacheSelector {
        tags: vec![tag.to_owned()],
        ..CacheSelector::default()
    }
}

/// Writes a purge of a version by a user; returns its number.
pub(super) async fn purge(
    store: &Store,
    version: VersionId,
    by: UserId,
    selector: &CacheSelector,
) -> u64 {
    let purge = NewPurge {
        version,
        selector,
        by,
        at_us: NOW_US,
    };
    let written = write(store, async |tx| cache_purges::create(tx, purge).await);
    written.await.unwrap()
}

fn fact(version: VersionId, number: u64, selector: &CacheSelector) -> Fact {
    Fact::Ready(Event::CachePurged(CachePurge {
        version,
        number,
        selector: selector.clone(),
    }))
}

/// Returns the purges in the whole.
async fn purges_of_whole(store: &Store) -> Vec<Fact> {
    let whole = feed::whole(store, NOW_US).await.unwrap().facts.into_iter();
    let is_purge = |fact: &Fact| matches!(fact, Fact::Ready(Event::CachePurged(_)));
    whole.filter(is_purge).collect()
}

/// Returns the numbers of the stored purges.
async fn stored(store: &Store) -> Vec<i64> {
    let rows = store.rows("select id from cache_purges order by id", &[]);
    let rows = rows.await.unwrap();
    rows.iter().map(|row| row.int("id").unwrap()).collect()
}

pub(crate) async fn purges_are_sent_in_order_and_a_whole_has_the_last_of_each_version(
    store: &Store,
) {
    let ada = user(store, "ada").await.id;
    let pets = api(store, ada, "/pets").await.version.id;
    let toys = api(store, ada, "/toys").await.version.id;
    let selector = CacheSelector {
        operations: vec!["GET /pets/{pet}".to_owned()],
        targets: vec!["/pets/7".to_owned()],
        tags: vec!["\u{e4} b".to_owned()],
    };
    let all = CacheSelector::default();
    let before = feed::last(store).await.unwrap();
    let mut sent = Vec::new();
    let purges = [
        (pets, &selector),
        (toys, &all),
        (pets, &all),
        (pets, &selector),
    ];
    for (version, selector) in purges {
        let number = purge(store, version, ada, selector).await;
        sent.push((version, number, selector));
    }
    assert!(sent.is_sorted_by_key(|&(_, number, _)| number), "{sent:?}");
    let expected = sent.iter();
    let expected = expected.map(|&(version, number, selector)| fact(version, number, selector));
    let expected: Vec<_> = expected.collect();
    assert_eq!(facts(store, before).await, expected);
    assert_eq!(facts(store, before + 3).await, expected[3..]);
    let last = [fact(toys, sent[1].1, &all), fact(pets, sent[3].1, &all)];
    assert_eq!(purges_of_whole(store).await, last);

    let unknown = NewPurge {
        version: id(),
        selector: &all,
        by: ada,
        at_us: NOW_US,
    };
    let unknown = write(store, async |tx| cache_purges::create(tx, unknown).await).await;
    assert!(matches!(unknown.unwrap_err(), StoreError::NotFound(_)));
}

pub(crate) async fn numbers_are_not_used_again_and_purges_end_with_their_version(store: &Store) {
    let all = CacheSelector::default();
    let ada = user(store, "ada").await.id;
    let pets = api(store, ada, "/pets").await;
    let new = new_version("2.0");
    write(store, async |tx| {
        versions::create(tx, pets.api.id, &new, None).await
    })
    .await
    .unwrap();
    let first = purge(store, pets.version.id, ada, &all).await;
    let second = purge(store, new.id, ada, &all).await;
    let before = feed::last(store).await.unwrap();
    write(store, async |tx| versions::delete(tx, new.id).await)
        .await
        .unwrap();
    assert_eq!(
        purges_of_whole(store).await,
        [fact(pets.version.id, first, &all)]
    );
    // The purge that is not sent yet ends with its version.
    let gone = Fact::Ready(Event::VersionGone(new.id));
    assert_eq!(facts(store, before - 1).await, [gone]);
    let third = purge(store, pets.version.id, ada, &all).await;
    assert!(third > second, "{third} after {second}");
    write(store, async |tx| apis::delete(tx, pets.api.id).await)
        .await
        .unwrap();
    assert!(stored(store).await.is_empty());
    let toys = api(store, ada, "/toys").await.version.id;
    let fourth = purge(store, toys, ada, &all).await;
    assert!(fourth > third, "{fourth} after {third}");
}

pub(crate) async fn purges_are_kept_as_long_as_their_changes_and_the_last_for_longer(
    store: &Store,
) {
    let all = CacheSelector::default();
    let ada = user(store, "ada").await.id;
    let pets = api(store, ada, "/pets").await.version.id;
    let toys = api(store, ada, "/toys").await.version.id;
    let mut numbers = Vec::new();
    for version in [pets, pets, toys, pets] {
        let number = purge(store, version, ada, &all).await;
        numbers.push(number.cast_signed());
    }
    assert_eq!(stored(store).await, numbers);
    let gold = plan(store, "gold").await;
    let mut tx = store.write().await.unwrap();
    for _ in 0..CHANGES_KEPT {
        tx.note(Noun::Plan(gold.id)).await.unwrap();
    }
    tx.commit().await.unwrap();
    // A purge of any version deletes those of all.
    let last = purge(store, toys, ada, &all).await.cast_signed();
    assert_eq!(stored(store).await, [numbers[3], last]);
}
