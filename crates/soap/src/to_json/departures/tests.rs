use super::*;

#[test]
fn one_departure_per_name_is_kept_until_its_frame_is_closed() {
    let mut departures = Departures::default();
    let namespace = "n".repeat(50_000);
    for _ in 0..1_000 {
        departures.push(1, 7, true, &namespace);
        departures.push(1, 7, false, "other");
    }
    departures.push(3, 7, true, "deeper");
    assert_eq!(departures.list.len(), 3);
    assert!(departures.list.iter().all(|it| it.found.len() < 200));
    assert_eq!(departures.find(1, 7, false), Some("other"));
    departures.truncate(3);
    assert_eq!(departures.find(3, 7, true), None);
    assert_eq!(departures.taken(1).count(), 1);
    departures.truncate(1);
    assert!(departures.is_empty());
}
