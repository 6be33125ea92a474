use std::collections::HashSet;

use tollgate_model::id::TokenId;

use super::*;

#[test]
fn ids_of_one_millisecond_differ_and_none_is_ahead_of_the_clock() {
    const NOW_US: i64 = 1_790_000_000_000_000;
    let ids = Ids::default();
    let mut seen = HashSet::new();
    for now_us in [NOW_US, NOW_US + 999, NOW_US - 600_000_000, NOW_US] {
        for _ in 0..1_000 {
            let id: TokenId = ids.next(now_us).unwrap();
            assert!(seen.insert(id), "{id} was returned twice");
            assert_eq!(id.made_us(), now_us / 1_000 * 1_000);
        }
    }
}
