use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::relay::tests::{Rig, expect, run};

const IDLE: Duration = Duration::from_secs(1);
const BYTES_MAX: u64 = 10;

fn reading() -> Reading {
    Reading::new(BYTES_MAX)
}

fn whole(read: Result<Option<WholeBody>, Unread>) -> Result<WholeBody, Unread> {
    read.map(|body| body.expect("no pause"))
}

/// The body that the server reads from a request.
async fn read_request_body(rig: &mut Rig, head: &str, body: &str) -> Result<String, Unread> {
    rig.receive(format!("POST / HTTP/1.1\r\nHost: h\r\n{head}\r\n").as_bytes())
        .await;
    rig.caller.write_all(body.as_bytes()).await.expect("sent");
    let body = whole(rig.server.read_body(&mut reading(), IDLE).await)?;
    Ok(String::from_utf8(body.to_vec()).expect("text"))
}

/// The body that the client reads from a response, after which the upstream closes.
async fn answered(mut rig: Rig, head: &str, body: &str) -> Result<String, Unread> {
    let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n{body}");
    rig.upstream
        .write_all(answer.as_bytes())
        .await
        .expect("sent");
    rig.upstream.shutdown().await.expect("closed");
    let Rig { server, client, .. } = &mut rig;
    client.answer(false, server).await.expect("a head");
    let body = whole(client.read_body(server, &mut reading(), IDLE).await)?;
    Ok(String::from_utf8(body.to_vec()).expect("text"))
}

#[test]
fn a_body_is_read_to_its_end_and_the_next_request_follows() {
    run(async |mut rig| {
        let body = read_request_body(&mut rig, "Content-Length: 10\r\n", "0123456789").await;
        assert_eq!(body.expect("a body"), "0123456789");
        let chunks = "3\r\nabc\r\n4;x\r\ndefg\r\n0\r\n\r\n";
        let body = read_request_body(&mut rig, "Transfer-Encoding: chunked\r\n", chunks).await;
        assert_eq!(body.expect("a body"), "abcdefg");
        assert_eq!(
            read_request_body(&mut rig, "", "").await.expect("no body"),
            ""
        );
    });
}

#[test]
fn bytes_after_a_body_are_the_next_request() {
    run(async |mut rig| {
        let request = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n";
        rig.receive(format!("{request}ab{request}cd{request}e").as_bytes())
            .await;
        for expected in [b"ab", b"cd"] {
            let body = whole(rig.server.read_body(&mut reading(), IDLE).await);
            assert_eq!(&*body.expect("a body"), expected);
            rig.server
                .next(IDLE, IDLE, async || {})
                .await
                .expect("a head");
        }
        let mut reading = reading();
        let body = rig.server.read_body(&mut reading, IDLE);
        let (body, ()) = tokio::join!(body, async {
            rig.caller.write_all(b"f").await.expect("sent");
        });
        assert_eq!(&*whole(body).expect("a body"), b"ef");
    });
}

#[test]
fn a_kept_head_stays_while_the_body_is_read() {
    run(async |mut rig| {
        let request = "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
        let body = "2\r\nab\r\n0\r\n\r\n";
        rig.receive(format!("{request}{body}{request}2\r\ncd").as_bytes())
            .await;
        let Rig { server, caller, .. } = &mut rig;
        for expected in [b"ab", b"cd"] {
            server.keep_head();
            let mut reading = reading();
            let (read, ()) = tokio::join!(server.read_body(&mut reading, IDLE), async {
                if expected == b"cd" {
                    caller.write_all(b"\r\n0\r\n\r\n").await.expect("sent");
                }
            });
            assert_eq!(&*whole(read).expect("read"), expected);
            assert_eq!(server.request().target(), b"/a");
            assert_eq!(server.head_bytes(), request.as_bytes());
            let mut scratch = Vec::new();
            let arrived = server.peek(&mut scratch).expect("nothing");
            assert_eq!(arrived, (&b""[..], true), "the next request is none of it");
            server.begin_body();
            assert_eq!(server.head_bytes(), b"");
            if expected == b"ab" {
                server.next(IDLE, IDLE, async || {}).await.expect("a head");
            }
        }
    });
}

#[test]
fn reading_pauses_before_more_is_held_than_may_be() {
    run(async |mut rig| {
        let request = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
        rig.receive(format!("{request}2\r\nab\r\n").as_bytes())
            .await;
        let mut reading = reading();
        reading.pause_at(8);
        let Rig { server, caller, .. } = &mut rig;
        caller.write_all(b"3\r\ncde\r\n").await.expect("sent");
        let paused = server.read_body(&mut reading, IDLE).await;
        assert!(matches!(paused, Ok(None)), "{paused:?}");
        assert!(server.body.bytes <= 8);
        caller.write_all(b"0\r\n\r\n").await.expect("sent");
        reading.pause_at(BYTES_MAX);
        let read = server.read_body(&mut reading, IDLE).await;
        assert_eq!(&*whole(read).expect("read"), b"abcde");
    });
    // A request behind it does not count.
    run(async |mut rig| {
        let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 8\r\n\r\n";
        rig.receive(head.as_bytes()).await;
        let Rig { server, caller, .. } = &mut rig;
        let mut reading = reading();
        reading.pause_at(4);
        caller.write_all(b"01234").await.expect("sent");
        let paused = server.read_body(&mut reading, IDLE).await;
        assert!(matches!(paused, Ok(None)), "{paused:?}");
        reading.pause_at(8);
        caller
            .write_all(b"567GET / HTTP/1.1\r\n")
            .await
            .expect("sent");
        let read = server.read_body(&mut reading, IDLE).await;
        assert_eq!(&*whole(read).expect("read"), b"01234567");
    });
}

#[test]
fn a_caller_that_expects_continue_gets_it() {
    run(async |mut rig| {
        let head = "Content-Length: 2\r\nExpect: 100-continue\r\n";
        rig.receive(format!("POST / HTTP/1.1\r\nHost: h\r\n{head}\r\n").as_bytes())
            .await;
        let Rig { server, caller, .. } = &mut rig;
        let mut reading = reading();
        let (read, ()) = tokio::join!(server.read_body(&mut reading, IDLE), async {
            expect(caller, b"HTTP/1.1 100 Continue\r\n\r\n").await;
            caller.write_all(b"ok").await.expect("sent");
        });
        assert_eq!(&*whole(read).expect("read"), b"ok");
    });
}

#[test]
fn more_than_the_bound_is_not_read() {
    for (head, body) in [
        ("Content-Length: 11\r\n", "01234567890"),
        (
            "Transfer-Encoding: chunked\r\n",
            "8\r\n01234567\r\n8\r\n01234567\r\n",
        ),
    ] {
        run(async |mut rig| {
            let read = read_request_body(&mut rig, head, body).await;
            assert!(matches!(read, Err(Unread::TooLarge)), "{head}: {read:?}");
        });
        run(async |rig| {
            let read = answered(rig, head, body).await;
            assert!(matches!(read, Err(Unread::TooLarge)), "{head}: {read:?}");
        });
    }
}

#[test]
fn a_response_is_read_to_its_end_and_half_of_one_is_an_error() {
    let rows = [
        ("Content-Length: 3\r\n", "abc", Some("abc")),
        (
            "Transfer-Encoding: chunked\r\n",
            "3\r\nabc\r\n0\r\n\r\n",
            Some("abc"),
        ),
        ("Connection: close\r\n", "abc", Some("abc")),
        ("Content-Length: 4\r\n", "abc", None),
        ("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n", None),
        (
            "Transfer-Encoding: chunked\r\n",
            "3\r\nabcd\r\n0\r\n\r\n",
            None,
        ),
    ];
    for (head, body, expected) in rows {
        run(async |rig| {
            let read = answered(rig, head, body).await;
            assert_eq!(read.ok().as_deref(), expected, "{head}{body}");
        });
    }
}

#[test]
fn a_body_that_stops_arriving_is_waited_for_until_the_deadline() {
    run(async |mut rig| {
        rig.ticking();
        let read = read_request_body(&mut rig, "Content-Length: 3\r\n", "ab").await;
        let is_late = matches!(read, Err(Unread::Broken(Broken::TimedOut(_))));
        assert!(is_late, "{read:?}");
    });
}

#[test]
fn reading_a_response_ends_once_the_caller_has_left() {
    run(async |mut rig| {
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab";
        rig.upstream.write_all(head).await.expect("sent");
        let Rig {
            server,
            client,
            caller,
            ..
        } = &mut rig;
        client.answer(false, server).await.expect("a head");
        caller.shutdown().await.expect("left");
        let read = client.read_body(server, &mut reading(), IDLE).await;
        assert!(matches!(read, Err(Unread::CallerLeft)), "{read:?}");
    });
}

#[test]
fn a_large_response_has_time_while_the_caller_keeps_reading() {
    run(async |mut rig| {
        // Ten pieces, read within the caller's idle timeout, are more than sockets hold.
        const PIECE: usize = 1024 * 1024;
        let body = vec![b'x'; 32 * PIECE];
        let Rig {
            server,
            caller,
            timer,
            ..
        } = &mut rig;
        let write = async {
            let written = server
                .write_whole(b"head", &body, body.len(), IDLE, |_| ())
                .await;
            written.expect("written");
        };
        tokio::join!(write, async {
            let mut room = vec![0; PIECE];
            for _ in 0..32 {
                caller.read_exact(&mut room).await.expect("a piece");
                // In all, three times the caller's idle timeout.
                timer.tick();
            }
            caller.read_exact(&mut room[..4]).await.expect("the rest");
        });
    });
}
