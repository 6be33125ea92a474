use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Flights, Joined, Landed, Leader, Waiting};
use crate::key::{Key, KeyBuilder};

fn key(text: &str) -> Key {
    let mut builder = KeyBuilder::default();
    builder.part(Some(text.as_bytes()));
    builder.key()
}

fn lead(flights: &Arc<Flights<u32>>, key: &Key, now_ms: u64) -> Leader<u32> {
    match flights.join(key, now_ms) {
        Joined::Lead(leader) => leader,
        joined @ Joined::Wait(_) => panic!("{joined:?}"),
    }
}

fn wait(flights: &Arc<Flights<u32>>, key: &Key, now_ms: u64) -> Waiting<u32> {
    match flights.join(key, now_ms) {
        Joined::Wait(waiting) => waiting,
        joined @ Joined::Lead(_) => panic!("{joined:?}"),
    }
}

#[tokio::test]
async fn the_first_caller_leads_and_others_get_its_answer() {
    let flights = Arc::new(Flights::<u32>::default());
    let (one, other) = (key("one"), key("other"));
    let _leader = lead(&flights, &one, 0);
    let waiting = wait(&flights, &one, 999_999);
    let _other = lead(&flights, &other, 0);
    flights.stored(&one, &7);
    assert!(matches!(waiting.await, Landed::Stored(7)));
    drop(lead(&flights, &one, 1));
}

#[tokio::test]
async fn what_is_not_stored_releases_all_at_once() {
    let flights = Arc::new(Flights::<u32>::default());
    let key = key("a");
    let leader = lead(&flights, &key, 0);
    let waiting = [(); 3].map(|()| wait(&flights, &key, 0));
    leader.release();
    for waiting in waiting {
        assert!(matches!(waiting.await, Landed::Alone));
    }
    // A flight of later callers is not ended by one that is late.
    let mut late = wait_behind(&flights, &key);
    late.0.end_turn(5_000);
    let Landed::Lead(second) = late.0.await else {
        panic!("the second caller leads");
    };
    flights.stored(&key, &7);
    let _leader = lead(&flights, &key, 0);
    let mut waiting = wait(&flights, &key, 0);
    second.release();
    assert!(waiting.signal.try_recv().is_err());
}

/// Begins a flight for which one caller waits.
fn wait_behind(flights: &Arc<Flights<u32>>, key: &Key) -> (Waiting<u32>, Leader<u32>) {
    let leader = lead(flights, key, 0);
    (wait(flights, key, 0), leader)
}

#[tokio::test]
async fn as_many_more_go_as_are_on_their_way_each_time_a_wait_ends() {
    const CALLERS: usize = 20;
    let flights = Arc::new(Flights::<u32>::default());
    let key = key("a");
    let _leader = lead(&flights, &key, 100);
    let waiting = (0..CALLERS as u64).map(|at| wait(&flights, &key, 100 + at));
    let mut waiting: Vec<_> = waiting.collect();
    assert!(waiting.iter().all(|it| it.turn_ms() == 100));
    let (mut leaders, mut gone) = (Vec::new(), Vec::new());
    for turn in 1..=4 {
        // A wait ends once, also if several callers notice that, and those go that wait longest.
        let now_ms = 100 + turn * 5_000;
        for caller in waiting.iter_mut().rev() {
            caller.end_turn(now_ms);
            assert_eq!(caller.turn_ms(), now_ms);
        }
        let mut rest = Vec::new();
        for mut caller in waiting {
            match caller.signal.try_recv() {
                Ok(super::Signal::Lead) => gone.push(caller.id),
                Ok(signal) => panic!("{signal:?}"),
                Err(_) => {
                    rest.push(caller);
                    continue;
                }
            }
            leaders.push(flights.leader(key.clone(), caller.flight));
        }
        waiting = rest;
        assert_eq!(gone.len(), (1 << turn) - 1);
        assert!(gone.is_sorted(), "{gone:?}");
        assert!(waiting.iter().all(|it| Some(&it.id) > gone.last()));
    }
    // Those that leave are replaced, so they hold nobody up.
    drop(leaders.pop());
    let mut waiting = waiting.into_iter();
    let mut next = || waiting.next().unwrap();
    let Landed::Lead(leader) = next().await else {
        panic!("the next caller leads");
    };
    drop(leader);
    let next_leader = next().await;
    assert!(matches!(next_leader, Landed::Lead(_)));
    assert!(next().signal.try_recv().is_err());
}

#[tokio::test]
async fn a_leader_that_leaves_hands_on() {
    let flights = Arc::new(Flights::<u32>::default());
    let key = key("a");
    let leader = lead(&flights, &key, 0);
    let [gone, unaware, second, third] = [(); 4].map(|()| wait(&flights, &key, 0));
    drop(gone);
    drop(leader);
    // The flight was handed on to a caller that leaves before it knows.
    drop(unaware);
    let Landed::Lead(_second) = second.await else {
        panic!("the next caller leads");
    };
    flights.stored(&key, &7);
    assert!(matches!(third.await, Landed::Stored(7)));
    drop(lead(&flights, &key, 0));
    drop(lead(&flights, &key, 0));
}

#[test]
fn callers_that_leave_take_no_space() {
    let flights = Arc::new(Flights::<u32>::default());
    let key = key("a");
    let _leader = lead(&flights, &key, 0);
    for _ in 0..1_000 {
        drop(wait(&flights, &key, 0));
    }
    assert!(flights.shard(&key)[&key].waiting.is_empty());
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
                flights.stored(&key, &7);
                return 7;
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        assert_eq!(caller.await.unwrap(), 7);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}
