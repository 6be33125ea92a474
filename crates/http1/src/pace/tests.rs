use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;

use super::*;
use crate::connection::Broken;
use crate::deadline::{Late, TICK, Timer};
use crate::relay::tests::{Rig, framed, run};
use crate::relay::{Coding, Limits, RelayError, Sent, send_answer, send_request};

/// Longer than any test: the tested events end its waits.
const LONG: Duration = Duration::from_secs(86_400);
const LIMITS: Limits = Limits {
    idle: LONG,
    caller_idle: LONG,
};
/// At this interval, pieces of one byte are below the floor and pieces of a thousand above it.
const APART: Duration = Duration::from_millis(5);
/// A number of pieces that takes longer than the window, however late the clock.
const PIECES: usize = 400;

fn floor() -> Floor {
    Floor::new(100, Duration::from_secs(60))
}

#[test]
fn a_side_that_moves_too_little_while_waited_for_is_slow() {
    let timer = Timer::default();
    let deadline = timer.deadline();
    let mut pace = Pace::new(Floor::new(10, TICK * 20));
    let tick = |count| (0..count).for_each(|_| timer.tick());
    let context = Context::from_waker(Waker::noop());
    let is_due = || deadline.poll_due(&context).is_ready();
    // Twice as much time passes, but half of it without a wait.
    for _ in 0..4 {
        pace.wait(&deadline, LONG);
        tick(9);
        assert!(!is_due());
        pace.add_moved(&deadline, 10);
        tick(9);
    }
    // Twenty bytes in as many ticks meet the floor. The third wait began the next window.
    assert_eq!((pace.bytes, pace.waited), (20, 16));
    let mut is_due_after = |idle, ticks, late| {
        pace.wait(&deadline, TICK * idle);
        tick(ticks);
        assert!(!is_due());
        tick(1);
        assert_eq!(deadline.poll_due(&context), Poll::Ready(late));
    };
    // With enough bytes for this window, none need arrive until the end of the next one.
    is_due_after(23, 23, Late::Idle);
    is_due_after(100, 24, Late::Slow);
    pace.add_moved(&deadline, 1);
    assert_eq!((pace.bytes, pace.waited), (1, 21));
}

/// The result of an upload in pieces of this size.
async fn upload(rig: &mut Rig, piece: usize) -> Result<Sent, RelayError> {
    let length = PIECES * piece;
    let head = format!("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n");
    rig.receive(head.as_bytes()).await;
    rig.server.begin_exchange();
    rig.ticking();
    let mut out = b"head\r\n\r\n".to_vec();
    let Rig {
        caller,
        server,
        client,
        upstream,
        ..
    } = rig;
    let sending = async {
        for _ in 0..PIECES {
            caller.write_all(&vec![b'x'; piece]).await.expect("sent");
            sleep(APART).await;
        }
        std::future::pending().await
    };
    let reading = async {
        while upstream.read(&mut [0; 4_096]).await.expect("read") > 0 {}
        panic!("the gateway closed the connection")
    };
    tokio::select! {
        sent = send_request(server, client, &mut out, framed(Coding::Plain), LIMITS) => sent,
        sent = sending => sent,
        sent = reading => sent,
    }
}

#[test]
fn an_upload_that_flows_outlasts_the_exchange_and_one_that_drips_is_slow() {
    run(async |mut rig| {
        rig.server.times.floor = floor();
        rig.server.times.exchange = TICK * 20;
        let sent = upload(&mut rig, 1_000).await.expect("sent");
        assert_eq!(sent, Sent::Whole);
        // The time of the exchange started anew with the last byte.
        rig.server.deadline.set(LONG);
        let answer = rig.client.answer(false, &mut rig.server).await;
        assert!(
            format!("{answer:?}").contains("TimedOut(Exchange)"),
            "{answer:?}"
        );
    });
    run(async |mut rig| {
        rig.server.times.floor = floor();
        let sent = upload(&mut rig, 1).await;
        let is_slow = matches!(sent, Err(RelayError::Caller(Broken::TimedOut(Late::Slow))));
        assert!(is_slow, "{sent:?}");
    });
}

#[test]
fn a_transfer_in_either_direction_has_its_own_limit_if_any() {
    run(async |mut rig| {
        rig.server.times.transfer = Some(TICK * 100);
        let sent = upload(&mut rig, 1_000).await;
        let is_over = matches!(
            sent,
            Err(RelayError::Caller(Broken::TimedOut(Late::Transfer)))
        );
        assert!(is_over, "{sent:?}");
    });
    run(async |mut rig| {
        rig.server.times.transfer = Some(TICK * 100);
        let relayed = download(&mut rig, (PIECES, b"piece")).await;
        let is_over = matches!(
            relayed,
            Err(RelayError::Upstream(Broken::TimedOut(Late::Transfer)))
        );
        assert!(is_over, "{relayed:?}");
    });
}

/// The result of a response in these pieces, which the caller reads at once.
async fn download(rig: &mut Rig, (pieces, piece): (usize, &[u8])) -> Result<(), RelayError> {
    rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
    rig.server.begin_exchange();
    rig.ticking();
    let Rig {
        caller,
        server,
        client,
        upstream,
        ..
    } = rig;
    let mut out = b"head\r\n\r\n".to_vec();
    let sent = send_request(server, client, &mut out, framed(Coding::Plain), LIMITS);
    sent.await.expect("sent");
    let answering = async {
        let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
        upstream.write_all(head).await.expect("sent");
        for _ in 0..pieces {
            upstream.write_all(piece).await.expect("sent");
            sleep(APART).await;
        }
        upstream.shutdown().await.expect("ended");
        std::future::pending::<()>().await;
    };
    let reading = async {
        let mut got = vec![0; 1_000];
        while caller.read(&mut got).await.expect("read") > 0 {}
        std::future::pending::<()>().await;
    };
    let relaying = async {
        server.deadline.set(LONG);
        client.answer(false, server).await.expect("an answer");
        send_answer(
            client,
            server,
            &mut b"a\r\n\r\n".to_vec(),
            Coding::Plain,
            LIMITS,
        )
        .await
    };
    tokio::select! {
        relayed = relaying => relayed,
        () = answering => panic!("it does not end"),
        () = reading => panic!("it does not end"),
    }
}

#[test]
fn an_answer_outlasts_the_exchange_however_little_an_upstream_sends() {
    for piece in [&b"x"[..], &[b'x'; 1_000]] {
        run(async |mut rig| {
            rig.server.times.floor = floor();
            rig.server.times.exchange = TICK * 20;
            let relayed = download(&mut rig, (PIECES, piece)).await;
            relayed.expect("passed on");
        });
    }
}

#[test]
fn a_caller_that_reads_in_drips_is_slow() {
    run(async |mut rig| {
        rig.server.times.floor = floor();
        rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
        rig.ticking();
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        let mut out = b"head\r\n\r\n".to_vec();
        let sent = send_request(server, client, &mut out, framed(Coding::Plain), LIMITS);
        sent.await.expect("sent");
        let much = vec![b'x'; 90_000_000];
        let answering = async {
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 90000000\r\n\r\n";
            upstream.write_all(head).await.expect("sent");
            upstream.write_all(&much).await.expect("sent");
        };
        let reading = async {
            loop {
                caller.read_exact(&mut [0]).await.expect("read");
                sleep(APART).await;
            }
        };
        let relaying = async {
            server.deadline.set(LONG);
            client.answer(false, server).await.expect("an answer");
            send_answer(
                client,
                server,
                &mut b"a\r\n\r\n".to_vec(),
                Coding::Plain,
                LIMITS,
            )
            .await
        };
        let relayed: Result<(), RelayError> = tokio::select! {
            relayed = relaying => relayed,
            () = answering => panic!("the data is not read"),
            () = reading => panic!("it does not end"),
        };
        let is_slow = matches!(
            relayed,
            Err(RelayError::Caller(Broken::TimedOut(Late::Slow)))
        );
        assert!(is_slow, "{relayed:?}");
    });
}
