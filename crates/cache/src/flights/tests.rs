use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{FLIGHT_MS_MAX, Flights, Joined, Landed, UNSTORABLE_MS};
use crate::key::{Key, KeyBuilder};

fn key(text: &str) -> Key {
    let mut builder = KeyBuilder::default();
    builder.part(Some(text.as_bytes()));
    builder.key()
}

#[tokio::test]
async fn the_first_caller_leads_and_others_get_its_answer() {
    let flights = Arc::new(Flights::<u32>::default());
    let (one, other) = (key("one"), key("other"));
    let Joined::Lead(leader) = flights.join(&one, 0) else {
        panic!("the first caller leads");
    };
    let Joined::Wait(waiting) = flights.join(&one, 999) else {
        panic!("the second caller waits");
    };
    assert!(matches!(flights.join(&one, FLIGHT_MS_MAX), Joined::Alone));
    assert!(matches!(flights.join(&other, 0), Joined::Lead(_)));
    leader.stored(&7);
    assert!(matches!(waiting.await, Landed::Stored(7)));
    assert!(matches!(flights.join(&one, 1), Joined::Lead(_)));
}

#[tokio::test]
async fn what_is_not_storable_holds_nobody() {
    let flights = Arc::new(Flights::<u32>::default());
    let key = key("a");
    let Joined::Lead(leader) = flights.join(&key, 0) else {
        panic!("the first caller leads");
    };
    let Joined::Wait(waiting) = flights.join(&key, 0) else {
        panic!("the second caller waits");
    };
    leader.unstorable(5);
    assert!(matches!(waiting.await, Landed::Alone));
    assert!(matches!(
        flights.join(&key, 4 + UNSTORABLE_MS),
        Joined::Alone
    ));
    assert!(matches!(
        flights.join(&key, 5 + UNSTORABLE_MS),
        Joined::Lead(_)
    ));
}

#[tokio::test]
async fn a_leader_that_leaves_hands_on() {
    let flights = Arc::new(Flights::<u32>::default());
    let key = key("a");
    let Joined::Lead(leader) = flights.join(&key, 0) else {
        panic!("the first caller leads");
    };
    let waiting = |flights: &Arc<Flights<u32>>| match flights.join(&key, 0) {
        Joined::Wait(waiting) => waiting,
        joined => panic!("{joined:?}"),
    };
    let [gone, unaware, second, third] = [(); 4].map(|()| waiting(&flights));
    drop(gone);
    drop(leader);
    // The flight was handed on to a caller that leaves before it knows.
    drop(unaware);
    let Landed::Lead(leader) = second.await else {
        panic!("the next caller leads");
    };
    leader.stored(&7);
    assert!(matches!(third.await, Landed::Stored(7)));
    let Joined::Lead(leader) = flights.join(&key, 0) else {
        panic!("the flight has ended");
    };
    drop(leader);
    assert!(matches!(flights.join(&key, 0), Joined::Lead(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thousand_callers_make_one_call() {
    const CALLERS: usize = 1_000;
    let flights = Arc::new(Flights::<u32>::default());
    let [arrived, calls] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let callers = (0..CALLERS).map(|number| {
        let (flights, key) = (Arc::clone(&flights), key("a"));
        let (arrived, calls) = (Arc::clone(&arrived), Arc::clone(&calls));
        tokio::spawn(async move {
            let mut joined = flights.join(&key, 0);
            arrived.fetch_add(1, Ordering::Relaxed);
            let mut may_leave = number % 2 == 0;
            loop {
                let landed = match joined {
                    Joined::Wait(waiting) => waiting.await,
                    Joined::Lead(leader) => Landed::Lead(leader),
                    Joined::Alone => Landed::Alone,
                };
                let leader = match landed {
                    Landed::Stored(value) => return value,
                    Landed::Alone => panic!("nobody goes alone"),
                    Landed::Lead(leader) => leader,
                };
                if may_leave {
                    may_leave = false;
                    joined = flights.join(&key, 0);
                    drop(leader);
                    continue;
                }
                calls.fetch_add(1, Ordering::Relaxed);
                while arrived.load(Ordering::Relaxed) < CALLERS {
                    tokio::task::yield_now().await;
                }
                leader.stored(&7);
                return 7;
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        assert_eq!(caller.await.unwrap(), 7);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}
