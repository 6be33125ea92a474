//! Purges of stored responses.

use tollgate_model::feed::{CachePurge, CacheSelector, Event};
use tollgate_model::id::{UserId, VersionId};

use super::fixture::{NOW_US, plan, published, user, write};
use crate::cache_purges::{self, NewPurge};
use crate::feed::{self, CHANGES_KEPT, Fact};
use crate::{Noun, Store};

async fn purge(store: &Store, (version, by): (VersionId, UserId), tag: &str) -> CachePurge {
    let selector = CacheSelector {
        tags: vec![tag.to_owned()],
        ..CacheSelector::default()
    };
    let purge = NewPurge {
        version,
        selector: &selector,
        by,
        at_us: NOW_US,
    };
    let number = write(store, async |tx| cache_purges::create(tx, purge).await);
    CachePurge {
        version,
        number: number.await.unwrap(),
        selector,
    }
}

/// Returns the purges that changed since a sequence, or those of the whole.
async fn purges(store: &Store, since: Option<u64>) -> Vec<CachePurge> {
    let facts = match since {
        Some(since) => feed::changes_since(store, since, NOW_US)
            .await
            .unwrap()
            .unwrap(),
        None => feed::whole(store, NOW_US).await.unwrap(),
    };
    let facts = facts.facts.into_iter();
    let purges = facts.filter_map(|fact| match fact {
        Fact::Ready(Event::CachePurged(purge)) => Some(purge),
        _ => None,
    });
    purges.collect()
}

pub(crate) async fn purges_are_numbered_and_a_whole_has_the_last_of_each_version(store: &Store) {
    let ada = user(store, "ada").await.id;
    let gold = plan(store, "gold").await;
    let pets = published(store, ada, "/pets", &[gold.id]).await.version.id;
    let cars = published(store, ada, "/cars", &[gold.id]).await.version.id;
    let before = feed::last(store).await.unwrap();
    let first = purge(store, (pets, ada), "a").await;
    let second = purge(store, (cars, ada), "b").await;
    let third = purge(store, (pets, ada), "c").await;
    assert!(first.number < second.number && second.number < third.number);
    let all = [first, second.clone(), third.clone()];
    assert_eq!(purges(store, Some(before)).await, all);
    let of_all = |purge: &CachePurge| CachePurge {
        selector: CacheSelector::default(),
        ..purge.clone()
    };
    assert_eq!(purges(store, None).await, [of_all(&second), of_all(&third)]);
    // Once no reader can ask for their changes, earlier ones are deleted; numbers rise still.
    write(store, async |tx| {
        for _ in 0..=CHANGES_KEPT {
            tx.note(Noun::Version(pets)).await?;
        }
        Ok(())
    })
    .await
    .unwrap();
    let fourth = purge(store, (pets, ada), "d").await;
    assert!(fourth.number > third.number);
    let row = store
        .row("select count(*) as rows from cache_purges", &[])
        .await;
    assert_eq!(row.unwrap().unwrap().int("rows").unwrap(), 2);
    assert_eq!(
        purges(store, None).await,
        [of_all(&second), of_all(&fourth)]
    );
}
