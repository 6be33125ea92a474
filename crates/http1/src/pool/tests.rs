use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{sleep, timeout};

use super::*;
use crate::buffer_pool::BufferPool;
use crate::deadline::Timer;
use crate::socket::TcpSocket as TcpConnection;

/// An upstream that accepts connections and sends nothing, and a pool of connections to it.
struct Rig {
    listener: TcpListener,
    blocks: Rc<BufferPool>,
    timer: Timer,
    pool: Rc<Pool<TcpConnection>>,
}

fn run(test: impl AsyncFnOnce(Rig)) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    let bounded = async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
        let (blocks, timer, pool) = Default::default();
        let rig = Rig {
            listener,
            blocks,
            timer,
            pool,
        };
        timeout(Duration::from_secs(30), test(rig)).await
    };
    LocalSet::new()
        .block_on(&runtime, bounded)
        .expect("the test ends in time");
}

impl Rig {
    async fn take(
        &self,
        connections_max: u32,
    ) -> Result<Lease<TcpConnection>, NoConnection<io::Error>> {
        let deadline = self.timer.deadline();
        deadline.set(Duration::from_millis(300));
        let address = self.listener.local_addr().expect("its address");
        let connect = async || {
            Ok(Client::new(
                TcpStream::connect(address).await?.into(),
                &self.blocks,
            ))
        };
        self.pool.take(connections_max, &deadline, connect).await
    }

    /// A connection that has just carried a whole exchange.
    async fn used(&self) -> Lease<TcpConnection> {
        let mut lease = self.take(10).await.expect("a connection");
        let client = &mut *lease;
        (client.is_sent, client.head.is_persistent) = (true, true);
        lease
    }
}

fn address(lease: &mut Lease<TcpConnection>) -> SocketAddr {
    lease
        .connection
        .socket
        .stream()
        .local_addr()
        .expect("an address")
}

#[test]
fn the_connection_returned_last_is_used_next() {
    run(async |rig| {
        let (mut first, mut second) = (rig.used().await, rig.used().await);
        let addresses = [address(&mut second), address(&mut first)];
        assert!(!first.is_reused);
        first.keep();
        second.keep();
        let (mut third, mut fourth) = (rig.used().await, rig.used().await);
        assert_eq!([address(&mut third), address(&mut fourth)], addresses);
        assert!(third.is_reused);
        assert_eq!(rig.pool.open.get(), 2);
    });
}

#[test]
fn a_connection_that_cannot_be_reused_is_closed() {
    run(async |rig| {
        let mut lease = rig.used().await;
        lease.is_sent = false;
        lease.keep();
        drop(rig.used().await);
        assert_eq!(rig.pool.open.get(), 0);
    });
}

#[test]
fn an_idle_connection_that_ended_or_received_bytes_is_dropped() {
    run(async |rig| {
        for speaks in [false, true] {
            let mut lease = rig.used().await;
            let before = address(&mut lease);
            let (upstream, _) = rig.listener.accept().await.expect("accepted");
            lease.keep();
            if speaks {
                upstream
                    .try_write(b"HTTP/1.1 408 Request Timeout\r\n\r\n")
                    .expect("written");
            }
            drop(upstream);
            sleep(Duration::from_millis(20)).await;
            let mut next = rig.used().await;
            assert!(address(&mut next) != before && !next.is_reused);
            assert_eq!(rig.pool.open.get(), 1);
            drop(rig.listener.accept().await.expect("accepted"));
        }
    });
}

#[test]
fn waiters_for_a_connection_are_woken_in_order() {
    run(async |rig| {
        let mut kept = rig.used().await;
        let (rig, used) = (Rc::new(rig), address(&mut kept));
        let waiting = |rig: &Rc<Rig>| {
            let rig = Rc::clone(rig);
            spawn_local(async move {
                let mut lease = rig.take(1).await.expect("a connection");
                address(&mut lease)
            })
        };
        let (first, second) = (waiting(&rig), waiting(&rig));
        sleep(Duration::from_millis(20)).await;
        assert!(!first.is_finished() && !second.is_finished());
        kept.keep();
        assert_eq!(first.await.expect("woken"), used, "the one that came back");
        assert_ne!(
            second.await.expect("called"),
            used,
            "one in place of the one that closed"
        );
        assert_eq!(rig.pool.open.get(), 0);
    });
}

#[test]
fn a_waiter_that_timed_out_gets_an_error_and_takes_no_turn() {
    run(async |rig| {
        let kept = rig.used().await;
        let rig = Rc::new(rig);
        let waiting = Rc::clone(&rig);
        let late = spawn_local(async move { waiting.take(1).await.map(drop) });
        sleep(Duration::from_millis(20)).await;
        for _ in 0..4 {
            rig.timer.tick();
        }
        let late = late.await.expect("told");
        assert!(matches!(late, Err(NoConnection::Busy)), "{late:?}");
        let waiting = Rc::clone(&rig);
        let next = spawn_local(async move { waiting.take(1).await.map(drop) });
        sleep(Duration::from_millis(20)).await;
        drop(kept);
        next.await.expect("called").expect("a connection");
    });
}

#[test]
fn an_unreachable_upstream_takes_no_place() {
    run(async |rig| {
        let deadline = rig.timer.deadline();
        let refuse = async || Err(io::Error::from(io::ErrorKind::ConnectionRefused));
        for _ in 0..3 {
            let taken = rig.pool.take(1, &deadline, refuse).await;
            assert!(matches!(taken, Err(NoConnection::Connect(_))), "{taken:?}");
        }
        assert_eq!(rig.pool.open.get(), 0);
    });
}

#[test]
fn unused_connections_are_swept() {
    run(async |rig| {
        let (first, second) = (rig.used().await, rig.used().await);
        let third = rig.used().await;
        first.keep();
        rig.pool.sweep(1);
        second.keep();
        rig.pool.sweep(1);
        assert_eq!(rig.pool.open.get(), 2, "one too old, one idle, one in use");
        rig.pool.sweep(1);
        assert_eq!(rig.pool.open.get(), 1);
        drop(third);
    });
}
