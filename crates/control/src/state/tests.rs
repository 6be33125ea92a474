use tollgate_model::id::UserId;

use super::*;

#[test]
fn ids_increase_while_the_clock_stops_or_goes_back() {
    let ids = Ids::default();
    let times_us = [5_000_000, 5_000_000, 4_000_000, 6_000_000];
    let randoms = [u32::MAX, 0, 7, 0];
    let made: Vec<UserId> = times_us
        .into_iter()
        .zip(randoms)
        .map(|(now_us, random)| ids.next(1_790_000_000_000_000 + now_us, random))
        .collect();
    assert!(made.is_sorted_by(|one, next| one < next), "{made:?}");
}
