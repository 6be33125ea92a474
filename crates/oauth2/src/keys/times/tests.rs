use tollgate_model::id::Id;

use super::*;

const ALGORITHM: Algorithm = Algorithm::Es256;

fn key(id: i64, times: Times) -> SigningKey {
    SigningKey {
        id: Id::from_raw(id),
        name: id.to_string(),
        algorithm: ALGORITHM,
        public: Vec::new(),
        created_us: 0,
        times,
    }
}

fn who(key: Option<&SigningKey>) -> Option<i64> {
    key.map(|key| key.id.raw())
}

#[test]
fn keys_replace_each_other_without_a_gap() {
    let keys = [key(1, until(from(0), 100)), key(2, from(100))];
    for (now_us, signing, waits) in [
        (0, Some(1), Some(2)),
        (99, Some(1), Some(2)),
        (100, Some(2), None),
        (i64::MAX, Some(2), None),
    ] {
        assert_eq!(who(current(&keys, ALGORITHM, now_us)), signing);
        assert_eq!(who(waiting(&keys, ALGORITHM, now_us)), waits);
        assert_eq!(who(current(&keys, Algorithm::EdDsa, now_us)), None);
    }
    let end_us = keys[0].times.ends_us.unwrap();
    assert_eq!(end_us, 100 + (3_600 + 300) * SECOND_US);
}

#[test]
fn the_next_is_due_by_age_or_after_its_deletion() {
    let due = |keys: &[SigningKey], now_us| is_due(keys, ALGORITHM, now_us, 50);
    let alone = [key(1, from(0))];
    assert!(!due(&alone, 49));
    assert!(due(&alone, 50));
    let followed = [key(1, until(from(0), 100)), key(2, from(100))];
    assert!(!due(&followed, 60));
    assert!(due(&followed[..1], 10), "the next one was deleted");
    assert!(!due(&[], 60), "the first token generates the first key");
}
