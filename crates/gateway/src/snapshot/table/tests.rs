use std::cell::Cell;
use std::collections::HashMap;
use std::hash::Hasher;

use allocation_counter::measure;
use proptest::prelude::*;

use super::*;

/// The key space of the steps: large enough for nested branches when hashes clash.
const KEYS: u32 = 4_000;

/// A key whose hash many others share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Clashing(u32);

impl Hash for Clashing {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0 % 5).hash(state);
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// Inserts each of these keys with this value.
    Insert(Range<u32>, u32),
    Remove(Range<u32>),
    /// Keeps another copy, which no later step may change.
    Keep,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let count = prop_oneof![4 => 1..20_u32, 1 => 500..KEYS];
    let keys = (0..KEYS, count).prop_map(|(first, count)| first..KEYS.min(first + count));
    let step = prop_oneof![
        3 => (keys.clone(), any::<u32>()).prop_map(|(keys, value)| Step::Insert(keys, value)),
        2 => keys.prop_map(Step::Remove),
        1 => Just(Step::Keep),
    ];
    prop::collection::vec(step, 0..40)
}

fn assert_same<K: Hash + Eq + Clone>(
    table: &Table<K, u32>,
    model: &HashMap<u32, u32>,
    to_key: fn(u32) -> K,
) {
    for key in 0..KEYS {
        assert_eq!(table.find(&to_key(key)), model.get(&key));
    }
    let mut count = 0;
    table.for_each(|_, _| count += 1);
    assert_eq!(count, model.len());
}

fn follow<K: Hash + Eq + Clone>(steps: Vec<Step>, to_key: fn(u32) -> K) {
    let (mut table, mut model) = (Table::default(), HashMap::new());
    let mut kept = Vec::new();
    for step in steps {
        match step {
            Step::Insert(keys, value) => {
                for key in keys {
                    table.insert(to_key(key), value);
                    model.insert(key, value);
                }
            }
            Step::Remove(keys) => {
                for key in keys {
                    assert_eq!(table.remove(&to_key(key)), model.remove(&key));
                }
            }
            Step::Keep => kept.push((table.clone(), model.clone())),
        }
    }
    kept.push((table, model));
    for (table, model) in kept {
        assert_same(&table, &model, to_key);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_table_and_each_of_its_copies_equals_a_hash_map(steps in steps()) {
        follow(steps, |key| key);
    }

    #[test]
    fn keys_with_the_same_hash_are_distinguished(steps in steps()) {
        follow(steps, Clashing);
    }
}

thread_local! {
    static COPIES: Cell<usize> = const { Cell::new(0) };
}

/// A value that counts its copies; as large as a credential.
struct Counted([u64; 5]);

impl Clone for Counted {
    fn clone(&self) -> Self {
        COPIES.set(COPIES.get() + 1);
        Self(self.0)
    }
}

fn counted(keys: Range<u64>) -> Table<u64, Counted> {
    let mut table = Table::default();
    for key in keys {
        table.insert(key, Counted([key; 5]));
    }
    table
}

#[test]
fn a_change_of_a_shared_table_copies_a_bucket_and_a_path_however_large_it_is() {
    // Of 8,200 keys each of the first branch has about 512, so that some become branches.
    for size in [1_000, 8_200, 200_000] {
        let mut table = counted(0..size);
        for key in size..size + 500 {
            let shared = table.clone();
            COPIES.set(0);
            let inserted = measure(|| assert!(table.insert(key, Counted([key; 5])).is_none()));
            let inserted_copies = COPIES.replace(0);
            let removed = measure(|| assert!(table.remove(&(key - size / 2)).is_some()));
            // One more when a bucket becomes a branch, or a branch a bucket.
            let copies = inserted_copies.max(COPIES.get());
            assert!(copies <= 2 * (BUCKET_MAX + 1), "{copies} of {size}");
            let bytes = inserted.bytes_total.max(removed.bytes_total);
            assert!(bytes <= 100_000, "{bytes} B of {size}");
            assert!(shared.find(&key).is_none());
        }
    }
}

#[test]
fn entries_of_48_bytes_take_little_more_and_nothing_doubles_while_inserting() {
    for size in [3_000, 10_000, 65_536, 150_000] {
        let mut table = Table::default();
        let measured = measure(|| table = counted(0..size));
        let current = measured.bytes_current.unsigned_abs();
        assert!(current <= 70 * size, "{} B each of {size}", current / size);
        assert!(measured.bytes_max <= current + 100_000);
    }
}

#[test]
fn an_emptied_table_is_a_bucket_again() {
    let mut table = counted(0..5_000);
    for key in 0..4_990 {
        assert!(table.remove(&key).is_some());
    }
    assert!(matches!(&table.root, Node::Bucket(bucket) if bucket.entries.len() == 10));
    // Removing an unknown key copies nothing.
    let shared = table.clone();
    assert_eq!(
        measure(|| assert!(table.remove(&7).is_none())).count_total,
        0
    );
    drop(shared);
}
