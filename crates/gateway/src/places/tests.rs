use std::sync::atomic::AtomicUsize;
use std::task::Wake;

use super::*;

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A table with a clock set by the test.
fn places(all: usize, per_address: usize, trusted: &str) -> Arc<Places> {
    let sizes = Sizes { all, per_address };
    Places::new(sizes, trusted.parse().unwrap())
}

impl Places {
    fn at(&self, now: Since) {
        self.now.store(now, Ordering::Relaxed);
    }

    /// Takes the place of a connection that is accepted.
    fn enter(self: &Arc<Self>, peer: &str) -> Place {
        self.take(peer.parse().unwrap()).unwrap().0
    }

    fn refuse(self: &Arc<Self>, peer: &str) -> Full {
        self.take(peer.parse().unwrap()).unwrap_err()
    }

    /// The number of connections, according to each part of the table.
    fn counts(&self) -> [usize; 3] {
        let held = lock(&self.held);
        let places = held.holders.values().map(|holder| holder.places.len());
        let ranks = held.ranks.iter().map(|rank| rank.count.0);
        [held.count, places.sum(), ranks.sum()]
    }
}

fn closed(places: &[Place]) -> Vec<usize> {
    let closed = places.iter().enumerate();
    closed
        .filter_map(|(at, it)| it.is_closed().then_some(at))
        .collect()
}

#[test]
fn an_address_has_its_bound_and_a_trusted_proxy_none() {
    let table = places(10, 2, "10.0.0.9, 2001:db8::9");
    let mut held = vec![table.enter("10.0.0.1"), table.enter("::ffff:10.0.0.1")];
    assert_eq!(table.refuse("10.0.0.1"), Full::Address(2));
    held.push(table.enter("2001:db8::1"));
    held.push(table.enter("2001:db8::2:1"));
    assert_eq!(table.refuse("2001:db8::ffff:0:1"), Full::Address(2));
    for proxy in ["10.0.0.9", "10.0.0.9", "10.0.0.9", "2001:db8::9"] {
        held.push(table.enter(proxy));
    }
    held.push(table.enter("2001:db8:0:1::1"));
    assert!(closed(&held).is_empty());
    held.remove(0);
    held.push(table.enter("10.0.0.1"));
    assert_eq!(table.counts(), [9; 3]);
    drop(held);
    assert_eq!(table.counts(), [0; 3]);
}

#[test]
fn the_longest_idle_connection_of_the_address_with_most_gives_way() {
    let table = places(5, 5, "");
    let mut held = vec![table.enter("10.0.0.1")];
    table.at(100);
    held.extend(["10.0.0.2"; 3].map(|peer| table.enter(peer)));
    held.push(table.enter("10.0.0.3"));
    table.at(200);
    // A request refreshes the first of three; a longer one keeps the second busy.
    assert!(held[1].begin());
    held[1].end();
    assert!(held[2].begin());
    let wakes = Arc::<Wakes>::default();
    held[3].serve_by(&Waker::from(Arc::clone(&wakes)));
    table.at(300);
    held.push(table.enter("10.0.0.4"));
    assert_eq!(
        (closed(&held), wakes.0.load(Ordering::Relaxed)),
        (vec![3], 1)
    );
    assert!(!held[3].begin(), "a late request is not served");
    held.push(table.enter("10.0.0.5"));
    assert_eq!(closed(&held), [1, 3]);
    // Each has one left, and one of them is busy: the oldest is closed.
    held.push(table.enter("10.0.0.6"));
    assert_eq!(closed(&held), [0, 1, 3]);
    held[2].end();
    assert_eq!(table.counts(), [5; 3]);
    drop(held);
    assert_eq!(table.counts(), [0; 3]);
}

#[test]
fn calls_keep_their_places_and_the_next_address_gives_way() {
    let table = places(4, 3, "");
    let mut held = Vec::from(["10.0.0.1"; 3].map(|peer| table.enter(peer)));
    assert!(held.iter().all(Place::begin));
    held.push(table.enter("10.0.0.2"));
    held.push(table.enter("10.0.0.3"));
    assert_eq!(closed(&held), [3]);
    assert!(held[4].begin());
    assert_eq!(table.refuse("10.0.0.4"), Full::All);
    held[1].end();
    // The next search waits for the next tick, however many connections arrive.
    assert_eq!(table.refuse("10.0.0.4"), Full::All);
    table.at(1_000);
    held.push(table.enter("10.0.0.4"));
    assert_eq!(closed(&held), [1, 3]);
    assert!(held[0].activity.state.load(Ordering::Relaxed) == BUSY);
}

#[test]
fn an_address_with_many_connections_blocks_no_other_and_a_search_is_bounded() {
    let table = places(3_000, 1_500, "");
    let mut held: Vec<_> = (0..1_500).map(|_| table.enter("10.0.0.1")).collect();
    assert_eq!(table.refuse("10.0.0.1"), Full::Address(1_500));
    // More connections are busy than one search checks: other addresses give way meanwhile.
    assert!(held[..1_400].iter().all(Place::begin));
    held.extend((0..1_500).map(|_| table.enter("10.0.0.2")));
    for count in 0..2_000 {
        table.at(count + 1);
        held.push(table.enter(&format!("10.1.{}.{}", count / 200, count % 200)));
    }
    assert!(held[..1_400].iter().all(|it| !it.is_closed()));
    let gone = closed(&held);
    assert_eq!(gone.len(), 2_000);
    assert_eq!(table.counts(), [3_000; 3]);
}
