//! Transfers between two fast peers: the only worker still serves other callers.
//!
//! A worker yields when a transfer has spent the task's budget, or when a peer is not ready. On
//! two cores, peers pause so often that these tests pass without the budget too; those that
//! require it are in `crates/http1/src/socket/tests.rs`.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::time::{sleep, timeout};
use tollgate_testkit::Connection;

use crate::house::{DOCUMENT, House, builder};

/// Time limit of a call beside a transfer.
const CALL_TIME: Duration = Duration::from_secs(3);
/// Time limit of the transfer's progress between two calls, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const CALLS: usize = 20;
/// Bytes transferred between two calls: more than the worker relays in one turn, with blocks of
/// 64 KiB and tokio's budget of 128 operations.
const APART_BYTES: u64 = 8 << 20;
/// The announced length of a body that does not end in the time of the test: the maximum of
/// `gateway.body_bytes_max`.
const BODY_BYTES: u64 = 1 << 40;

/// The direction of a transfer.
#[derive(Clone, Copy)]
enum Direction {
    Download,
    Upload,
}

/// A transfer in progress, between a caller and a back end on threads of their own; ends when
/// dropped.
struct Transfer {
    caller: TcpStream,
    /// Bytes that the receiving peer has read.
    received: Arc<AtomicU64>,
}

impl Transfer {
    /// Publishes `/bulk/1.0` with a back end of its own, and begins a call to it.
    async fn start(house: &House, direction: Direction) -> Self {
        let received = Arc::new(AtomicU64::new(0));
        let back_end = start_back_end(direction, Arc::clone(&received));
        let (admin, consumer) = (&house.admin, &house.consumer);
        let api = admin.import("Bulk", "/bulk", "1.0", DOCUMENT);
        let version = api.await.unwrap().version;
        let url = format!("http://{back_end}");
        admin.upstream(&version, &url).await.unwrap();
        admin.attach(&version, &["tested"]).await.unwrap();
        admin.lifecycle(&version, "published").await.unwrap();
        let subscription = admin.subscribe(&consumer.application, &version, "tested");
        subscription.await.unwrap();

        let caller = TcpStream::connect(house.tollgate.gateway).unwrap();
        let (method, length) = match direction {
            Direction::Download => ("GET", String::new()),
            Direction::Upload => ("POST", format!("Content-Length: {BODY_BYTES}\r\n")),
        };
        let key = &consumer.key;
        let line = format!("{method} /bulk/1.0/pets HTTP/1.1\r\n");
        let head = format!("{line}Host: a\r\napikey: {key}\r\n{length}\r\n");
        (&caller).write_all(head.as_bytes()).unwrap();
        let stream = caller.try_clone().unwrap();
        let counted = Arc::clone(&received);
        thread::spawn(move || match direction {
            Direction::Download => receive(stream, &counted),
            Direction::Upload => send(stream),
        });
        Self { caller, received }
    }

    /// Waits until the receiving peer has read this many more bytes.
    async fn progress(&self, bytes: u64) {
        let begun = Instant::now();
        let until = self.received.load(Ordering::Relaxed) + bytes;
        while self.received.load(Ordering::Relaxed) < until {
            assert!(begun.elapsed() < PATIENCE, "the transfer has stopped");
            sleep(Duration::from_millis(1)).await;
        }
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        let _ = self.caller.shutdown(Shutdown::Both);
    }
}

/// Starts a back end for one request, whose body it receives or to which it responds with one.
fn start_back_end(direction: Direction, received: Arc<AtomicU64>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        match direction {
            Direction::Download => {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {BODY_BYTES}\r\n\r\n");
                stream.write_all(head.as_bytes()).unwrap();
                send(stream);
            }
            Direction::Upload => receive(stream, &received),
        }
    });
    address
}

/// Sends as fast as possible, until the stream breaks.
fn send(mut stream: TcpStream) {
    let piece = vec![b'x'; 1 << 20];
    while stream.write_all(&piece).is_ok() {}
}

/// Reads as fast as possible, until the stream ends.
fn receive(mut stream: TcpStream, received: &AtomicU64) {
    let mut room = vec![0; 1 << 20];
    while let Ok(count @ 1..) = stream.read(&mut room) {
        received.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// Makes small calls to the only worker while it relays a body in this direction.
async fn call_beside_a_transfer(direction: Direction) {
    let builder = builder()
        .set("gateway-workers", "1")
        .set("gateway-body-bytes-max", &BODY_BYTES.to_string());
    let house = House::with(&builder, json!([])).await;
    let mut third = Connection::open(house.tollgate.gateway).await.unwrap();
    let transfer = Transfer::start(&house, direction).await;
    for _ in 0..CALLS {
        transfer.progress(APART_BYTES).await;
        let answer = timeout(CALL_TIME, third.exchange(&house.request())).await;
        let answer = answer.expect("an answer beside the transfer").unwrap();
        assert_eq!((answer.status, answer.text().as_str()), (200, "hello"));
    }
    // It was in progress until after the last call.
    transfer.progress(APART_BYTES).await;
}

#[tokio::test]
async fn a_download_between_fast_peers_leaves_a_third_caller_its_turn() {
    call_beside_a_transfer(Direction::Download).await;
}

#[tokio::test]
async fn an_upload_between_fast_peers_leaves_a_third_caller_its_turn() {
    call_beside_a_transfer(Direction::Upload).await;
}
