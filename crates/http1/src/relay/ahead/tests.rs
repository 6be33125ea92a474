use std::io;
use std::rc::Rc;
use std::time::Duration;

use crate::socket::Socket as _;
use std::future::poll_fn;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::super::tests::{Rig, TIMES, run};
use super::*;
use crate::buffer_pool::BufferPool;
use crate::deadline::Late;
use crate::parse::Bounds;
use crate::relay::send_rest;

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nhead: of any length\r\n\r\n";
const LIMITS: Limits = Limits {
    idle: Duration::from_secs(60),
    caller_idle: Duration::from_secs(60),
};
const CHUNKED: Coding = Coding::Chunked { trailers: true };
/// More than the buffers of both sockets hold.
const BYTES: usize = 8_000_000;

/// A body in which no thousand bytes are like others.
fn body(bytes: usize) -> Vec<u8> {
    let blocks = (0..bytes / 1_000).map(|block| format!("{block:>1000}"));
    blocks.collect::<String>().into_bytes()
}

/// The response of an upstream with this framing.
fn response(framing: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n").into_bytes();
    if !framing.starts_with("Transfer-Encoding") {
        bytes.extend_from_slice(body);
        return bytes;
    }
    for chunk in body.chunks(40_000) {
        push_chunk(&mut bytes, chunk);
    }
    push_end(&mut bytes, b"etag: x\r\n\r\n");
    bytes
}

/// Decodes what a caller got behind the head; returns the body and its trailer.
fn decoded(coding: Coding, got: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let got = got.strip_prefix(HEAD).expect("the head");
    let framing = match coding {
        Coding::Plain => return (got.to_vec(), Vec::new()),
        Coding::Chunked { .. } => crate::framing::Framing::Chunked,
    };
    let mut read = crate::body::Body::new(framing);
    let (mut at, mut body) = (0, Vec::new());
    while !read.is_done() {
        let (count, data) = read.take(&got[at..]).expect("chunks");
        assert!(count > 0, "the body does not end");
        body.extend_from_slice(&got[at..][data]);
        at += count;
    }
    assert_eq!(at, got.len());
    (body, read.trailer)
}

/// Sends a request, of which the upstream's answer begins with these bytes.
async fn begin(rig: &mut Rig, answer: &[u8]) {
    rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
    rig.upstream.write_all(answer).await.expect("sent");
    let answered = rig.client.answer(false, &mut rig.server).await;
    answered.expect("an answer");
}

async fn read_all(caller: &mut TcpStream) -> Vec<u8> {
    let mut got = Vec::new();
    caller.read_to_end(&mut got).await.expect("read");
    got
}

#[test]
fn a_body_is_read_to_its_end_while_the_caller_takes_nothing() {
    for framing in [
        format!("Content-Length: {BYTES}"),
        "Transfer-Encoding: chunked".to_owned(),
        "Connection: close".to_owned(),
    ] {
        for coding in [Coding::Plain, CHUNKED] {
            let framing = framing.clone();
            run(async move |mut rig| {
                let (sent, expected) = (response(&framing, &body(BYTES)), body(BYTES));
                let (first, rest) = sent.split_at(100);
                begin(&mut rig, first).await;
                let (mut out, mut sizes) = (HEAD.to_vec(), Vec::new());
                let mut ahead = Ahead::new(&mut out, coding);
                let upstream = async {
                    let mut upstream = rig.upstream;
                    upstream.write_all(rest).await.expect("sent");
                    upstream.shutdown().await.expect("closed");
                    upstream
                };
                let on_read = |bytes| sizes.push(bytes);
                ahead.begin(&mut rig.client, &mut rig.server);
                let read = ahead.read(&mut rig.client, &mut rig.server, BYTES, LIMITS, on_read);
                let (read, _upstream) = tokio::join!(read, upstream);
                assert!(read.expect("read"));
                assert!(sizes.is_sorted() && sizes.len() > 10);
                let taken = ahead.take_body();
                assert!(taken == expected);
                let (mut server, mut moved) = (rig.server, 0);
                let write = async {
                    let on_moved = |bytes| moved += bytes;
                    let idle = LIMITS.caller_idle;
                    let written = ahead.write_rest(&mut server, &taken, idle, on_moved);
                    written.await.expect("written");
                    let socket = &mut server.connection.socket;
                    poll_fn(|context| socket.poll_finish(context))
                        .await
                        .expect("shut down");
                };
                let ((), got) = tokio::join!(write, read_all(&mut rig.caller));
                let (got, trailer) = decoded(coding, &got);
                assert!(got == expected, "{framing} as {coding:?}");
                assert!(moved > 0, "the caller takes nothing before");
                assert_eq!(server.answered.bytes(), BYTES as u64);
                let is_passed = coding == CHUNKED && framing.starts_with("Transfer-Encoding");
                assert_eq!(trailer.is_empty(), !is_passed);
            });
        }
    }
}

#[test]
fn a_body_that_is_too_long_or_given_up_goes_on_as_it_arrives() {
    const BYTES_MAX: usize = 6_000_000;
    for coding in [Coding::Plain, CHUNKED] {
        for is_given_up in [false, true] {
            run(async move |mut rig| {
                let (sent, expected) = (
                    response("Transfer-Encoding: chunked", &body(BYTES)),
                    body(BYTES),
                );
                begin(&mut rig, &sent[..100]).await;
                let given_up = Notify::new();
                let upstream = async {
                    let (mut upstream, begun) = (rig.upstream, 4_000_000);
                    upstream.write_all(&sent[100..begun]).await.expect("sent");
                    if is_given_up {
                        given_up.notified().await;
                    }
                    upstream.write_all(&sent[begun..]).await.expect("sent");
                    upstream
                };
                let (client, server) = (&mut rig.client, &mut rig.server);
                let relay = async {
                    let mut out = HEAD.to_vec();
                    let mut ahead = Ahead::new(&mut out, coding);
                    ahead.begin(client, server);
                    // In two steps.
                    let read = ahead.read(client, server, 1_000_000, LIMITS, |_| ());
                    assert!(!read.await.expect("read"));
                    let read = ahead.read(client, server, BYTES_MAX, LIMITS, |_| ());
                    if is_given_up {
                        let read = timeout(Duration::from_millis(20), read).await;
                        read.expect_err("all has arrived");
                        given_up.notify_one();
                    } else {
                        assert!(!read.await.expect("read"));
                    }
                    let taken = ahead.take_body();
                    assert!(taken.len() <= BYTES_MAX + 64 * 1024, "{}", taken.len());
                    let written = ahead.write_rest(server, &taken, LIMITS.caller_idle, |_| ());
                    written.await.expect("written");
                    assert!(out.is_empty());
                    let rest = send_rest(client, server, coding, LIMITS).await;
                    rest.expect("sent");
                    let socket = &mut server.connection.socket;
                    poll_fn(|context| socket.poll_finish(context))
                        .await
                        .expect("shut down");
                };
                let caller = async {
                    // After what is read ahead.
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    read_all(&mut rig.caller).await
                };
                let ((), _upstream, got) = tokio::join!(relay, upstream, caller);
                assert!(decoded(coding, &got).0 == expected, "{coding:?}");
            });
        }
    }
}

#[test]
fn a_side_that_rests_or_breaks_is_named() {
    const SHORT: Duration = Duration::from_secs(3);
    let long = response(&format!("Content-Length: {BYTES}"), &body(BYTES));
    let rows = [
        // The caller takes nothing, and the upstream sends nothing more.
        (&long[..7_000_000], (SHORT, LIMITS.caller_idle), "upstream"),
        (&long[..1_000], (SHORT, LIMITS.caller_idle), "upstream"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nx".as_slice(),
            (SHORT, SHORT),
            "malformed",
        ),
    ];
    for (row, (sent, (idle, caller_idle), expected)) in rows.into_iter().enumerate() {
        let sent = sent.to_vec();
        run(async move |mut rig| {
            rig.ticking();
            begin(&mut rig, &sent[..50]).await;
            let mut out = HEAD.to_vec();
            let mut ahead = Ahead::new(&mut out, Coding::Plain);
            let limits = Limits { idle, caller_idle };
            ahead.begin(&mut rig.client, &mut rig.server);
            let read = ahead.read(&mut rig.client, &mut rig.server, BYTES, limits, |_| ());
            let upstream = async { rig.upstream.write_all(&sent[50..]).await.expect("sent") };
            let (read, ()) = tokio::join!(read, upstream);
            let error = read.expect_err("an error");
            let named = match &error {
                RelayError::Upstream(Broken::TimedOut(Late::Idle)) => "upstream",
                RelayError::UpstreamBody { .. } => "malformed",
                _ => "",
            };
            assert_eq!(named, expected, "row {row}: {error:?}");
        });
    }
}

#[test]
fn a_body_is_read_to_its_end_without_its_caller() {
    const SHORT: Duration = Duration::from_secs(3);
    for leaves in [true, false] {
        run(async move |mut rig| {
            if !leaves {
                rig.ticking();
            }
            let sent = response(&format!("Content-Length: {BYTES}"), &body(BYTES));
            begin(&mut rig, &sent[..100]).await;
            let mut out = HEAD.to_vec();
            let mut ahead = Ahead::new(&mut out, Coding::Plain);
            if leaves {
                rig.caller.set_zero_linger().expect("set");
                drop(rig.caller);
            }
            let limits = Limits {
                caller_idle: SHORT,
                ..LIMITS
            };
            ahead.begin(&mut rig.client, &mut rig.server);
            let read = ahead.read(&mut rig.client, &mut rig.server, BYTES, limits, |_| ());
            let upstream = async {
                let (begun, rest) = sent[100..].split_at(7_000_000);
                rig.upstream.write_all(begun).await.expect("sent");
                // Longer than the caller may rest.
                tokio::time::sleep(Duration::from_millis(100)).await;
                rig.upstream.write_all(rest).await.expect("sent");
            };
            let (read, ()) = tokio::join!(read, upstream);
            assert!(read.expect("read"));
            let taken = ahead.take_body();
            assert!(taken == body(BYTES));
            let written = ahead.write_rest(&mut rig.server, &taken, SHORT, |_| ());
            match written.await.expect_err("the caller is gone") {
                Broken::Io(_) => assert!(leaves),
                Broken::TimedOut(late) => assert_eq!((late, leaves), (Late::Idle, false)),
            }
        });
    }
}

/// A stream that accepts what it is given first, and has sent nothing of it.
#[derive(Debug)]
struct Owing;

impl Socket for Owing {
    fn poll_readable(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_read(&mut self, _: &mut Context<'_>, _: &mut [u8]) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    fn poll_write(&mut self, _: &mut Context<'_>, _: &[u8], _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    fn poll_finish(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }

    fn abort(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn is_stale(&mut self) -> bool {
        false
    }
}

#[test]
fn nothing_else_follows_once_a_stream_may_have_accepted_the_beginning() {
    run(async |mut rig| {
        let begun = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello";
        begin(&mut rig, begun).await;
        let bounds = Bounds {
            head_bytes_max: 4_096,
            fields_max: 32,
            target_bytes_max: 1_024,
        };
        let blocks = Rc::new(BufferPool::default());
        let mut caller = Server::new(Owing, &blocks, rig.timer.deadline(), bounds, TIMES);
        let mut out = HEAD.to_vec();
        let mut ahead = Ahead::new(&mut out, CHUNKED);
        ahead.begin(&mut rig.client, &mut caller);
        let read = ahead.read(&mut rig.client, &mut caller, BYTES, LIMITS, |_| ());
        let upstream = async { rig.upstream.write_all(b"not a chunk").await.expect("sent") };
        let (read, ()) = tokio::join!(read, upstream);
        let error = read.expect_err("an error");
        let is_begun = matches!(error, RelayError::UpstreamBody { is_begun: true, .. });
        assert!(is_begun, "{error:?}");
    });
}
