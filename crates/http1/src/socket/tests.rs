use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::timeout;

use super::*;

const PATIENCE: Duration = Duration::from_secs(30);

fn run(test: impl AsyncFnOnce(TcpSocket, TcpStream)) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().unwrap();
    let bounded = async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let connecting = TcpStream::connect(listener.local_addr().unwrap());
        let (near, far) = tokio::join!(connecting, listener.accept());
        timeout(PATIENCE, test(near.unwrap().into(), far.unwrap().0)).await
    };
    LocalSet::new().block_on(&runtime, bounded).unwrap();
}

async fn read(socket: &mut TcpSocket, room: &mut [u8]) -> usize {
    poll_fn(|context| socket.poll_read(context, room))
        .await
        .unwrap()
}

#[test]
fn reads_that_all_succeed_at_once_leave_others_their_turn() {
    const COUNT: usize = 10_000;
    run(async |mut socket, mut far| {
        far.write_all(&vec![b'x'; COUNT]).await.unwrap();
        // All of it has arrived then.
        socket.stream().readable().await.unwrap();
        let turns = Rc::new(Cell::new(0));
        let taken = Rc::clone(&turns);
        spawn_local(async move {
            loop {
                taken.set(taken.get() + 1);
                tokio::task::yield_now().await;
            }
        });
        for _ in 0..COUNT {
            assert_eq!(read(&mut socket, &mut [0]).await, 1);
        }
        // tokio's budget is 128 operations for a turn.
        assert!(turns.get() >= COUNT / 200, "{} turns", turns.get());
    });
}

#[test]
fn long_writes_that_all_succeed_at_once_leave_others_their_turn() {
    // tokio's budget, for a turn.
    const BUDGET: usize = 128;
    run(async |mut socket, _far| {
        let bytes = vec![b'x'; LONG_WRITE_BYTES];
        let count = poll_fn(|context| {
            let writes = (0..2 * BUDGET).take_while(|_| {
                let write = socket.poll_write(context, &bytes, b"");
                matches!(write, Poll::Ready(Ok(LONG_WRITE_BYTES)))
            });
            Poll::Ready(writes.count())
        });
        let count = count.await;
        assert!((1..=BUDGET).contains(&count), "{count} writes");
    });
}

#[test]
fn a_short_read_is_the_last_until_more_arrives() {
    run(async |mut socket, mut far| {
        for text in [&b"one"[..], b"two and more"] {
            far.write_all(text).await.unwrap();
            let mut room = [0; 100];
            assert_eq!(read(&mut socket, &mut room).await, text.len());
            assert_eq!(&room[..text.len()], text);
            assert!(!socket.is_stale());
        }
        drop(far);
        assert_eq!(read(&mut socket, &mut [0; 100]).await, 0);
        assert!(socket.is_stale());
    });
}

#[test]
fn a_full_peer_is_waited_for_and_a_gone_one_is_an_error() {
    run(async |mut socket, far| {
        let bytes = vec![b'x'; 1 << 20];
        let written = timeout(Duration::from_secs(3), async {
            loop {
                let write = poll_fn(|context| socket.poll_write(context, &bytes, b"and"));
                assert!(write.await.unwrap() > 0);
            }
        });
        written.await.unwrap_err();
        drop(far);
        let write = async |socket: &mut TcpSocket| {
            poll_fn(|context| socket.poll_write(context, b"more", b"")).await
        };
        while write(&mut socket).await.is_ok() {}
    });
}
