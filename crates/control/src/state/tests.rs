use tollgate_model::id::UserId;

use super::*;
use crate::harness::House;

#[test]
fn ids_rise_while_the_clock_stands_still_or_goes_back() {
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

#[tokio::test]
async fn rules_that_were_read_early_are_set_all_the_same_and_once() {
    let house = House::new().await;
    let listeners = |rules: &UpstreamRules| rules.listeners.clone();
    let rules = |port: u16| UpstreamRules {
        listeners: vec![([127, 0, 0, 1], port).into()],
        ..UpstreamRules::default()
    };
    let control = &house.control;
    assert_eq!(listeners(control.upstream_rules()), []);
    control.set_upstream_rules(rules(1));
    control.set_upstream_rules(rules(2));
    assert_eq!(listeners(control.upstream_rules()), rules(1).listeners);
}
