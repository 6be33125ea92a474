use super::*;

impl Weight for Vec<u8> {
    fn bytes(&self) -> usize {
        self.len()
    }
}

/// A value that takes `bytes` in the cache, including the overhead of its entry.
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
fn the_least_recently_used_entry_is_evicted() {
    let mut cache = Cache::new(10_000);
    for key in ["a", "b", "c"] {
        cache.insert(key, &value(3_000));
    }
    has(&cache, &["a", "b", "c"]);
    assert!(cache.get(&"a").is_some());
    cache.insert("d", &value(3_000));
    has(&cache, &["a", "c", "d"]);
    // A key inserted again replaces its value; a large value evicts several.
    cache.insert("d", &value(4_000));
    has(&cache, &["a", "c", "d"]);
    cache.insert("e", &value(7_000));
    has(&cache, &["e"]);
    // A value larger than the bound evicts nothing.
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
fn a_value_larger_than_the_bound_is_found_while_in_use() {
    let mut cache = Cache::new(10_000);
    let large = value(10_001);
    cache.insert("a", &large);
    assert!(cache.get(&"a").is_some());
    has(&cache, &[]);
    drop(large);
    assert!(cache.get(&"a").is_none());
}
