use std::sync::Arc;

use super::{Entry, Resource, Selector, Store};
use crate::freshness::Freshness;
use crate::key::{Key, KeyBuilder};

fn key(text: &str) -> Key {
    let mut builder = KeyBuilder::default();
    builder.part(Some(text.as_bytes()));
    builder.key()
}

fn resource(version: u64, target: &str) -> Resource {
    Resource {
        version,
        operation: "GET /pets".into(),
        target: target.as_bytes().into(),
    }
}

fn entry(version: u64, target: &str, bytes: usize) -> Arc<Entry> {
    Arc::new(Entry {
        resource: resource(version, target),
        tags: [b"pets".as_slice().into()].into(),
        status: 200,
        head: Box::default(),
        body: vec![0; bytes].into(),
        freshness: Freshness {
            age_s: 0,
            lifetime_s: 1,
        },
        arrived_ms: 0,
    })
}

fn keep(store: &Store, version: u64, target: &str) -> bool {
    let begun = store.begin(&resource(version, target));
    store.keep(&key(target), entry(version, target, 1), begun)
}

#[test]
fn purges_remove_what_they_select() {
    let selected = |selector: &Selector| {
        let store = Store::new(1 << 20);
        let targets = [(1, "/a"), (1, "/a?q"), (1, "/b"), (2, "/c")];
        for (version, target) in targets {
            assert!(keep(&store, version, target));
        }
        store.purge(1, 1, selector);
        let kept = targets
            .into_iter()
            .filter(|it| store.find(&key(it.1)).is_some());
        kept.map(|it| it.1).collect::<Vec<_>>()
    };
    let target = |text: &str| Selector::Target(text.as_bytes().into());
    let tag = |text: &str| Selector::Tag(text.as_bytes().into());
    assert_eq!(selected(&Selector::Version), ["/c"]);
    assert_eq!(selected(&Selector::Operation("GET /pets".into())), ["/c"]);
    assert_eq!(selected(&Selector::Operation("GET /".into())).len(), 4);
    assert_eq!(selected(&target("/a")), ["/b", "/c"]);
    assert_eq!(selected(&target("/A")).len(), 4);
    assert_eq!(selected(&tag("pets")), ["/c"]);
    assert_eq!(selected(&tag("pet")).len(), 4);
}

#[test]
fn what_began_before_a_purge_or_a_change_is_not_kept() {
    let store = Store::new(1 << 20);
    let begun = [(1, "/a"), (1, "/b"), (2, "/a")]
        .map(|(version, target)| (version, target, store.begin(&resource(version, target))));
    store.change(&resource(1, "/a?x=1"));
    let kept =
        |(version, target, begun)| store.keep(&key(target), entry(version, target, 1), begun);
    assert_eq!(begun.map(kept), [false, true, true]);
    store.purge(1, 7, &Selector::Tag(b"none".as_slice().into()));
    assert_eq!(begun.map(kept), [false, false, true]);
    assert!(keep(&store, 1, "/a"));
    // It was carried out before.
    store.purge(1, 7, &Selector::Version);
    assert!(store.find(&key("/a")).is_some());
    assert_eq!(store.last_purge(1), 7);
}

#[test]
fn the_bound_holds() {
    let store = Store::new(100_000);
    for number in 0..10_000 {
        let target = format!("/{number}");
        let begun = store.begin(&resource(1, &target));
        store.keep(&key(&target), entry(1, &target, number % 2_000), begun);
        assert!(store.bytes() <= 100_000);
    }
    assert!(store.bytes() > 50_000);
    // Larger than a part of the store, so it takes no place.
    let begun = store.begin(&resource(1, "/large"));
    store.keep(&key("/large"), entry(1, "/large", 200_000), begun);
    assert!(store.find(&key("/large")).is_none());
}
