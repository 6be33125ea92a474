use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Waker};

use super::*;

const MIB: u64 = 1024 * 1024;

fn free(buffered: &Buffered) -> (usize, usize) {
    let Buffered { short, long, .. } = buffered;
    (short.available_permits(), long.available_permits())
}

#[test]
fn room_is_taken_up_to_the_bound_and_given_back() {
    let buffered = Buffered::new(16 * MIB);
    assert_eq!(buffered.body_bytes_max(), 12 * MIB);
    let all = (4 * 1024, 12 * 1024);
    let mut held = Vec::new();
    loop {
        let mut room = buffered.room();
        if !room.try_grow(MIB) {
            break;
        }
        held.push(room);
    }
    assert_eq!(held.len(), 12);
    let mut short = buffered.room();
    assert!(short.try_grow(1), "short bodies have room of their own");
    assert_eq!(free(&buffered), (all.0 - 1, 0));
    assert!(!short.try_grow(MIB), "it became a long one");
    assert_eq!(free(&buffered).0, all.0 - 1, "it keeps what it has");
    held[0].shrink(100);
    assert_eq!(free(&buffered).1, 1023);
    assert!(short.try_grow(100_000));
    assert_eq!(
        free(&buffered).0,
        all.0,
        "room for a short body is given back"
    );
    drop((held, short));
    assert_eq!(free(&buffered), all);
    let mut huge = buffered.room();
    assert!(
        huge.try_grow(1 << 40),
        "no body waits for more than there is"
    );
}

#[test]
fn waiting_ends_once_there_is_room_and_may_be_given_up() {
    let buffered = Buffered::new(16 * MIB);
    let mut context = Context::from_waker(Waker::noop());
    let mut first = buffered.room();
    assert!(first.try_grow(12 * MIB));
    let (mut second, mut third) = (buffered.room(), buffered.room());
    {
        let mut given_up = pin!(second.grow(5 * MIB));
        assert!(given_up.as_mut().poll(&mut context).is_pending());
    }
    let mut growing = pin!(third.grow(8 * MIB));
    assert!(growing.as_mut().poll(&mut context).is_pending());
    drop(first);
    assert!(growing.as_mut().poll(&mut context).is_ready());
    assert_eq!(free(&buffered).1, 4 * 1024);
}
