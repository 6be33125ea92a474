use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::room::{LOOK_INTERVAL, REQUEST_WAIT};
use super::*;

const MIB: u64 = 1024 * 1024;
const ADA: Holder = Holder::User(UserId::from_raw(1));
const BEN: Holder = Holder::User(UserId::from_raw(2));
const CAT: Holder = Holder::User(UserId::from_raw(3));

/// The wait for a caller or an upstream that moves nothing.
async fn nothing() {
    std::future::pending::<()>().await;
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(test);
}

fn held(buffered: &Buffered) -> u64 {
    buffered.held.load(Ordering::Acquire)
}

fn pending(work: Pin<&mut impl Future>) {
    let mut context = Context::from_waker(Waker::noop());
    assert!(work.poll(&mut context).is_pending());
}

#[test]
fn what_one_holder_announces_fits_into_the_room() {
    let buffered = Buffered::new(16 * MIB);
    assert_eq!(buffered.body_bytes_max(), 12 * MIB);
    let mut rooms = Vec::new();
    loop {
        let mut room = buffered.room(ADA);
        if !room.try_take(Need::first(MIB)) {
            break;
        }
        rooms.push(room);
    }
    assert_eq!(rooms.len(), 12);
    assert_eq!(held(&buffered), 12 * STEP_BYTES, "no more has arrived");
    let mut short = buffered.room(ADA);
    assert!(
        short.try_take(Need::first(1)),
        "short bodies have room of their own"
    );
    assert!(!short.try_take(Need::first(MIB)), "it became a long one");
    rooms[0].shrink(100);
    assert!(!short.try_take(Need::first(MIB + 1)));
    assert!(short.try_take(Need::first(MIB - 1024)));
    assert!(
        buffered.room(BEN).try_take(Need::first(12 * MIB)),
        "of another"
    );
    let mut huge = buffered.room(BEN);
    assert!(
        huge.try_take(Need::first(1 << 40)),
        "no body waits for more than there is"
    );
    drop((rooms, short, huge));
    assert_eq!(held(&buffered), 0);
    for holder in 0..1_000 {
        drop(buffered.room(Holder::User(UserId::from_raw(holder))));
    }
    assert!(buffered.accounts().by_holder.len() <= ACCOUNTS_MIN);
}

#[test]
fn a_response_waits_for_its_own_and_may_give_up() {
    run(async {
        let buffered = Buffered::new(16 * MIB);
        let mut first = buffered.room(ADA);
        assert!(first.try_take(Need::whole(12 * MIB)));
        let (mut second, mut third) = (buffered.room(ADA), buffered.room(ADA));
        {
            let given_up = pin!(second.take_for_response(Need::first(5 * MIB), Stage::Upstream));
            pending(given_up);
        }
        let mut taking = pin!(third.take_for_response(Need::first(8 * MIB), Stage::Upstream));
        pending(taking.as_mut());
        assert_eq!(
            second.take_for_request(Need::first(MIB)).await,
            Err(NoRoom::Busy),
            "nothing gives way to it"
        );
        drop(first);
        assert_eq!(taking.await, Ok(()));
    });
}

/// Returns a body that waits for a caller or an upstream.
fn waiting(buffered: &Arc<Buffered>, holder: Holder, bytes: u64) -> Room {
    let mut room = buffered.room(holder);
    assert!(room.try_take(Need::whole(bytes)));
    let _asked = room.watch(Stage::Request);
    room
}

fn has_to_give_way(room: &mut Room) -> bool {
    let work = or_give_way(room, Stage::Request, || 0, nothing());
    let mut context = Context::from_waker(Waker::noop());
    pin!(work).poll(&mut context) == Poll::Ready(Err(GaveWay))
}

#[test]
fn the_holder_with_most_gives_way_to_all() {
    run(async {
        let buffered = Buffered::new(16 * MIB);
        let mut ada = waiting(&buffered, ADA, 8 * MIB);
        let mut ben = waiting(&buffered, BEN, 7 * MIB);
        let mut first = buffered.room(CAT);
        let mut second = buffered.room(BEN);
        {
            let mut taking = pin!(first.take_for_request(Need::whole(6 * MIB)));
            pending(taking.as_mut());
            assert!(has_to_give_way(&mut ada) && !has_to_give_way(&mut ben));
            drop(ada);
            assert_eq!(taking.await, Ok(()));
        }
        // Ben has most now: once it is stale, his next one costs his first, and none of Cat.
        let _cat = first.watch(Stage::Request);
        let refused = second.take_for_request(Need::whole(5 * MIB)).await;
        assert_eq!(refused, Err(NoRoom::Busy));
        assert!(!has_to_give_way(&mut ben));
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut taking = pin!(second.take_for_request(Need::whole(5 * MIB)));
        pending(taking.as_mut());
        assert!(has_to_give_way(&mut ben) && !has_to_give_way(&mut first));
        drop(ben);
        assert_eq!(taking.await, Ok(()));
    });
}

#[test]
fn what_is_whole_stays_and_none_is_asked_for_who_has_more() {
    run(async {
        let buffered = Buffered::new(16 * MIB);
        let mut ada = waiting(&buffered, ADA, 8 * MIB);
        ada.stay();
        let mut cat = waiting(&buffered, CAT, 6 * MIB);
        let mut ben = buffered.room(BEN);
        assert!(ben.try_take(Need::whole(2 * MIB)));
        let mut more = buffered.room(ADA);
        let refused = more.take_for_request(Need::whole(MIB)).await;
        assert_eq!(refused, Err(NoRoom::Busy));
        assert!(
            !has_to_give_way(&mut cat),
            "it has less than the one that asks"
        );
        let mut more = buffered.room(BEN);
        let mut taking = pin!(more.take_for_request(Need::whole(MIB)));
        pending(taking.as_mut());
        assert!(has_to_give_way(&mut cat));
        let began = tokio::time::Instant::now();
        assert_eq!(taking.await, Err(NoRoom::Busy), "it does not leave");
        assert!(began.elapsed() >= REQUEST_WAIT - LOOK_INTERVAL);
    });
}

#[test]
fn a_body_that_waits_for_room_gives_way_itself() {
    run(async {
        let buffered = Buffered::new(16 * MIB);
        let mut ada = waiting(&buffered, ADA, 7 * MIB);
        let mut ben = buffered.room(BEN);
        assert!(ben.try_take(Need::whole(9 * MIB)));
        // Another one asks meanwhile, and it has most.
        let mut cat = buffered.room(CAT);
        let (waited, taken) = tokio::join!(
            async {
                let waited = ben
                    .take_for_response(Need::whole(10 * MIB), Stage::Upstream)
                    .await;
                drop(ben);
                waited
            },
            cat.take_for_request(Need::whole(MIB)),
        );
        assert_eq!((waited, taken), (Err(GaveWay), Ok(())));
        assert!(!has_to_give_way(&mut ada));
    });
}

#[test]
fn a_body_made_of_a_response_is_held_even_if_it_finds_no_room() {
    let buffered = Buffered::new(16 * MIB);
    let mut ada = waiting(&buffered, ADA, 9 * MIB);
    let mut ben = buffered.room(BEN);
    assert!(ben.try_take(Need::whole(MIB)));
    ben.take_anyway(Need::whole(8 * MIB));
    assert_eq!(held(&buffered), 17 * MIB);
    assert!(has_to_give_way(&mut ada));
    drop((ada, ben));
    assert_eq!(held(&buffered), 0);
}

#[test]
fn callers_of_one_network_are_one_holder() {
    let holder = |address: &str| Holder::from_address(address.parse().unwrap());
    assert_eq!(holder("2001:db8:0:1::1"), holder("2001:db8:0:1:ffff::2"));
    assert_ne!(holder("2001:db8:0:1::1"), holder("2001:db8:0:2::1"));
    assert_ne!(holder("192.0.2.1"), holder("192.0.2.2"));
    assert_eq!(holder("::ffff:192.0.2.1"), holder("192.0.2.1"));
}
