use super::*;

impl Weight for Vec<u8> {
    fn bytes(&self) -> usize {
        self.len()
    }
}

/// Values of a kilobyte less than an even share of the bound.
fn value(bytes: usize) -> Arc<Vec<u8>> {
    Arc::new(vec![0; bytes - ENTRY_BYTES])
}

fn has(cache: &Cache<&str, Vec<u8>>, keys: &[&'static str]) {
    let mut all: Vec<_> = cache.entries.keys().map(|key| **key).collect();
    all.sort_unstable();
    assert_eq!(all, keys);
    assert_eq!(cache.used.len(), keys.len());
    let bytes: usize = cache.entries.values().map(|entry| entry.bytes).sum();
    assert_eq!(cache.bytes, bytes);
    assert!(bytes <= cache.bytes_max);
}

#[test]
fn what_was_used_longest_ago_makes_room() {
    let mut cache = Cache::new(10_000);
    for key in ["a", "b", "c"] {
        cache.insert(key, &value(3_000));
    }
    has(&cache, &["a", "b", "c"]);
    assert!(cache.get(&"a").is_some());
    cache.insert("d", &value(3_000));
    has(&cache, &["a", "c", "d"]);
    // The same key once more has one value, and a large one the room of several.
    cache.insert("d", &value(4_000));
    has(&cache, &["a", "c", "d"]);
    cache.insert("e", &value(7_000));
    has(&cache, &["e"]);
    // What would not fit alone takes nobody's place.
    cache.insert("f", &value(10_001));
    has(&cache, &["e"]);
    assert!(cache.get(&"f").is_none());
    cache.insert("g", &value(2_000));
    cache.forget(|key| *key == "e");
    has(&cache, &["g"]);
    let mut none = Cache::new(0);
    none.insert("a", &value(2_000));
    has(&none, &[]);
}

#[test]
fn what_is_more_than_the_bound_is_found_while_it_is_held() {
    let mut cache = Cache::new(10_000);
    let large = value(10_001);
    cache.insert("a", &large);
    assert!(cache.get(&"a").is_some());
    has(&cache, &[]);
    drop(large);
    assert!(cache.get(&"a").is_none());
}
