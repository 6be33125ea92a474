use std::sync::Arc;

use super::{Entry, Resource, Selector, Stale, Store, Validators};
use crate::freshness::Freshness;
use crate::key::{Key, KeyBuilder};

fn key(text: &str) -> Key {
    let mut builder = KeyBuilder::default();
    builder.part(Some(text.as_bytes()));
    builder.key()
}

fn entry(version: u64, target: &str, bytes: usize) -> Arc<Entry> {
    Arc::new(Entry {
        resource: Arc::new(Resource {
            version,
            operation: "GET /pets".into(),
            target: target.as_bytes().into(),
        }),
        tags: [b"pets".as_slice().into()].into(),
        status: 200,
        head: Box::default(),
        body: vec![0; bytes].into(),
        freshness: Freshness {
            age_s: 0,
            lifetime_s: 1,
        },
        stale: Stale::default(),
        validators: Validators::default(),
        arrived_ms: 0,
    })
}

fn keep(store: &Store, version: u64, target: &str) -> bool {
    let begun = store.begin(version, target.as_bytes());
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
    let one = |list: &str, text: &str| {
        let mut selector = Selector::default();
        let list = match list {
            "operations" => &mut selector.operations,
            "targets" => &mut selector.targets,
            _ => &mut selector.tags,
        };
        list.extend(["none".to_owned(), text.to_owned()]);
        selected(&selector)
    };
    assert_eq!(selected(&Selector::default()), ["/c"]);
    assert_eq!(one("operations", "GET /pets"), ["/c"]);
    assert_eq!(one("operations", "GET /").len(), 4);
    assert_eq!(one("targets", "/a"), ["/b", "/c"]);
    assert_eq!(one("targets", "/A").len(), 4);
    assert_eq!(one("tags", "pets"), ["/c"]);
    assert_eq!(one("tags", "pet").len(), 4);
}

#[test]
fn what_began_before_a_purge_or_a_change_is_not_kept() {
    let store = Store::new(1 << 20);
    assert!(keep(&store, 1, "/a?x=2"));
    let begun = [(1, "/a"), (1, "/b"), (2, "/a")]
        .map(|(version, target)| (version, target, store.begin(version, target.as_bytes())));
    store.change(1, b"/a?x=1");
    assert!(store.find(&key("/a?x=2")).is_none());
    let kept =
        |(version, target, begun)| store.keep(&key(target), entry(version, target, 1), begun);
    assert_eq!(begun.map(kept), [false, true, true]);
    let nothing = Selector {
        tags: vec!["none".to_owned()],
        ..Selector::default()
    };
    store.purge(1, 7, &nothing);
    assert_eq!(begun.map(kept), [false, false, true]);
    assert!(keep(&store, 1, "/a"));
    // It was carried out before.
    store.purge(1, 7, &Selector::default());
    assert!(store.find(&key("/a")).is_some());
    assert_eq!(store.last_purge(1), 7);
}

#[test]
fn the_bound_holds() {
    let store = Store::new(100_000);
    let put = |target: &str, bytes: usize| {
        let begun = store.begin(1, target.as_bytes());
        store.keep(&key(target), entry(1, target, bytes), begun);
    };
    for number in 0..10_000 {
        put(&format!("/{number}"), number % 2_000);
        assert!(store.bytes() <= 100_000);
    }
    assert!(store.bytes() > 50_000);
    // Larger than a part of the store, so it takes no place.
    put("/large", 200_000);
    assert!(store.find(&key("/large")).is_none());
}

#[test]
fn a_response_never_replaces_one_whose_call_began_later() {
    let store = Store::new(1 << 20);
    let key = key("/a");
    let [first, second, third] = [(); 3].map(|()| store.begin(1, b"/a"));
    let put = |bytes, begun| store.keep(&key, entry(1, "/a", bytes), begun);
    let stored = || store.find(&key).map(|entry| entry.body.len());
    assert!(put(2, second));
    assert!(!put(1, first));
    store.remove(&key, first);
    assert_eq!(stored(), Some(2));
    assert!(put(3, third));
    assert_eq!(stored(), Some(3));
    store.remove(&key, store.begin(1, b"/a"));
    assert_eq!(stored(), None);
    assert!(put(1, first));
    // One that has ended is no newer one.
    let [older, newer] = [(); 2].map(|()| store.begin(1, b"/a"));
    assert!(put(2, newer));
    store.change(1, b"/a");
    assert!(!put(1, older));
    assert!(put(4, store.begin(1, b"/a")));
}

#[test]
fn that_a_response_was_not_stored_is_remembered_until_something_ends_it() {
    let store = Store::new(1 << 20);
    let key = key("/a");
    let note = || {
        store.note_unstored(&key, store.begin(1, b"/a"), 0..1_000);
        assert!(store.is_unstored(&key, 999));
    };
    note();
    assert!(!store.is_unstored(&self::key("/b"), 0));
    assert!(!store.is_unstored(&key, 1_000));
    note();
    assert!(keep(&store, 1, "/a"));
    assert!(!store.is_unstored(&key, 0));
    note();
    store.change(1, b"/a?x");
    assert!(!store.is_unstored(&key, 0));
    note();
    store.purge(1, 1, &Selector::default());
    assert!(!store.is_unstored(&key, 0));
    // The call began before what could have changed its response.
    let begun = store.begin(1, b"/a");
    store.change(1, b"/a");
    store.note_unstored(&key, begun, 0..1_000);
    assert!(!store.is_unstored(&key, 0));
    // A later call knows better.
    let [older, newer] = [(); 2].map(|()| store.begin(1, b"/a"));
    assert!(store.keep(&key, entry(1, "/a", 1), newer));
    store.note_unstored(&key, older, 0..1_000);
    assert!(!store.is_unstored(&key, 0));
    let [older, newer] = [(); 2].map(|()| store.begin(1, b"/a"));
    store.note_unstored(&key, newer, 0..1_000);
    store.note_unstored(&key, older, 0..9_000);
    assert!(!store.is_unstored(&key, 1_000));
}

#[test]
fn keys_without_a_response_have_a_small_part_of_the_bytes() {
    const BYTES: u64 = 8 << 20;
    let store = Store::new(BYTES);
    assert!(keep(&store, 1, "/stays"));
    for number in 0..10_000 {
        let target = format!("/{number}/{}", "x".repeat(15_000));
        let begun = store.begin(1, target.as_bytes());
        store.note_unstored(&key(&target), begun, 0..1_000);
    }
    assert!(store.bytes() > BYTES / 64, "{}", store.bytes());
    assert!(store.bytes() <= BYTES / 32 + 10_000, "{}", store.bytes());
    assert!(store.find(&key("/stays")).is_some());
    // They are gone with their time.
    assert!(!store.is_unstored(&key("/other"), 1_000));
    assert!(store.bytes() < 10_000, "{}", store.bytes());
}
