use super::*;

const SIZES: Sizes = Sizes {
    all: 9,
    per_address: 2,
    reserve: 2,
};

fn take(places: &Places, address: &str) -> Option<Place> {
    places.take(Peer(address.parse().unwrap()))
}

/// Takes a place and begins a request on it.
fn busy(places: &Places, address: &str) -> Place {
    let place = take(places, address).unwrap();
    assert!(place.activity.begin());
    place
}

fn is_closed(place: &Place) -> bool {
    *lock(&place.activity.phase) == Phase::Closed
}

#[test]
fn a_client_cannot_hold_the_places_of_others() {
    let places = Places::new(SIZES, Networks::default());
    let first = busy(&places, "192.0.2.1");
    let _second = busy(&places, "::ffff:192.0.2.1");
    assert!(take(&places, "192.0.2.1").unwrap().is_reserve);
    assert!(!take(&places, "192.0.2.2").unwrap().is_reserve);
    drop(first);
    assert!(!take(&places, "192.0.2.1").unwrap().is_reserve);

    let _one = busy(&places, "2001:db8:0:1::1");
    let _two = busy(&places, "2001:db8:0:1:ffff::2");
    assert!(
        take(&places, "2001:db8:0:1::3").unwrap().is_reserve,
        "one /64"
    );
    assert!(!take(&places, "2001:db8:0:2::1").unwrap().is_reserve);
    assert!(!take(&places, "::1").unwrap().is_reserve);
}

#[test]
fn the_connection_that_is_silent_longest_loses_its_place() {
    let places = Places::new(SIZES, Networks::default());
    let [idle, slow] = ["192.0.2.1"; 2].map(|address| take(&places, address).unwrap());
    slow.activity.receive();
    // It was busy, and has been silent for less time than the other.
    assert!(idle.activity.begin());
    idle.activity.answer();
    let third = take(&places, "192.0.2.1").unwrap();
    assert!(
        is_closed(&slow) && !is_closed(&idle),
        "an unsent response keeps the place"
    );
    idle.activity.flush();
    third.activity.receive();
    let _fourth = take(&places, "192.0.2.1").unwrap();
    assert!(
        is_closed(&idle) && !is_closed(&third),
        "a connection without a byte goes first"
    );
    assert!(!idle.activity.begin());

    let others: Vec<_> = (10..17)
        .map(|host| take(&places, &format!("192.0.2.{host}")).unwrap())
        .collect();
    assert!(!others.iter().any(is_closed));
    assert!(!take(&places, "192.0.2.99").unwrap().is_reserve);
    assert!(is_closed(&_fourth));
}

#[test]
fn stalled_bodies_lose_their_place_after_incomplete_heads() {
    let places = Places::new(SIZES, Networks::default());
    let [uploading, whole] = ["192.0.2.1"; 2].map(|address| busy(&places, address));
    uploading.activity.await_body();
    assert!(uploading.activity.resume(), "a part of the body has come");
    assert!(take(&places, "192.0.2.1").unwrap().is_reserve);
    uploading.activity.await_body();
    drop(whole);
    let slow = take(&places, "192.0.2.1").unwrap();
    slow.activity.receive();
    let next = take(&places, "192.0.2.1").unwrap();
    assert!(is_closed(&slow) && !is_closed(&uploading));
    assert!(next.activity.begin());
    assert!(!take(&places, "192.0.2.1").unwrap().is_reserve);
    assert!(is_closed(&uploading) && !uploading.activity.resume());
}

#[test]
fn the_reserve_is_used_when_all_places_are_busy_and_is_bounded_too() {
    let sizes = Sizes { all: 1, ..SIZES };
    let places = Places::new(sizes, Networks::default());
    let regular = busy(&places, "192.0.2.1");
    let first = take(&places, "192.0.2.2").unwrap();
    let _second = take(&places, "192.0.2.3").unwrap();
    let third = take(&places, "192.0.2.4").unwrap();
    assert!(is_closed(&first) && third.is_reserve);
    assert!(third.activity.begin() && _second.activity.begin());
    assert!(take(&places, "192.0.2.5").is_none());
    drop(regular);
    assert!(!take(&places, "192.0.2.5").unwrap().is_reserve);
}

#[test]
fn a_trusted_proxy_is_bounded_only_in_total() {
    let places = Places::new(SIZES, "192.0.2.0/24".parse().unwrap());
    let held: Vec<_> = (0..SIZES.all).map(|_| busy(&places, "192.0.2.1")).collect();
    assert!(!held.iter().any(|place| place.is_reserve));
    assert!(
        take(&places, "192.0.2.1").unwrap().is_reserve,
        "the total bound applies"
    );
}
