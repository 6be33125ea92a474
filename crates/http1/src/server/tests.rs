use std::pin::pin;

use tokio::io::AsyncWriteExt as _;

use super::*;
use crate::relay::tests::{Rig, run};

const IDLE: Duration = Duration::from_secs(5);
const HEAD: Duration = Duration::from_secs(10);

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";
const POST: &[u8] = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok";

/// Returns how many requests the server reads from `bytes`, sent in pieces of `piece` bytes, and
/// how waiting for the next one ends. The caller closes at the end only if `closes`.
async fn read(rig: &mut Rig, bytes: &[u8], piece: usize, closes: bool) -> (usize, NoRequest) {
    let Rig { caller, server, .. } = rig;
    let send = async {
        for piece in bytes.chunks(piece) {
            caller.write_all(piece).await.expect("sent");
            tokio::task::yield_now().await;
        }
        if closes {
            caller.shutdown().await.expect("closed");
        }
    };
    let serve = async {
        let mut served = 0;
        loop {
            if let Err(error) = server.next(IDLE, HEAD, async || {}).await {
                return (served, error);
            }
            server.drain(IDLE).await.expect("a body");
            served += 1;
        }
    };
    tokio::join!(send, serve).1
}

#[test]
fn one_empty_line_before_each_request_is_skipped_however_it_is_split() {
    let bytes = [b"\r\n", GET, b"\r\n", POST, b"\r\n", GET].concat();
    for piece in [1, 2, 3, bytes.len()] {
        run(async |mut rig| {
            let (served, end) = read(&mut rig, &bytes, piece, true).await;
            let is_idle = matches!(end, NoRequest::Idle);
            assert!(served == 3 && is_idle, "{served} in {piece}: {end:?}");
        });
    }
}

#[test]
fn a_second_empty_line_and_a_bare_line_end_are_malformed() {
    for line in ["\r\n\r\n", "\n", "\r", "\r\n\n", "\r\n\r", "\r\r\n"] {
        let bytes = [POST, line.as_bytes(), GET].concat();
        for piece in [1, bytes.len()] {
            run(async |mut rig| {
                let (served, end) = read(&mut rig, &bytes, piece, true).await;
                let is_refused = matches!(end, NoRequest::Malformed(Malformed::EmptyLine));
                assert!(served == 1 && is_refused, "{line:?} in {piece}: {end:?}");
            });
        }
    }
}

#[test]
fn an_empty_line_alone_counts_as_idle_and_a_request_begun_after_it_does_not() {
    for line in ["\r", "\r\n"] {
        run(async |mut rig| {
            rig.ticking();
            let bytes = [POST, line.as_bytes()].concat();
            let (served, end) = read(&mut rig, &bytes, bytes.len(), false).await;
            assert!(served == 1 && matches!(end, NoRequest::Idle), "{end:?}");
        });
    }
    run(async |mut rig| {
        rig.ticking();
        let (served, end) = read(&mut rig, b"\r\nG", 3, false).await;
        assert!(served == 0 && matches!(end, NoRequest::HeadTime), "{end:?}");
    });
}

#[test]
fn requests_that_arrived_together_let_other_tasks_run() {
    const REQUESTS: usize = 1_000;
    run(async |mut rig| {
        let bytes = GET.repeat(REQUESTS);
        let mut polls = 0;
        let mut reading = pin!(read(&mut rig, &bytes, bytes.len(), true));
        let (served, end) = poll_fn(|context| {
            polls += 1;
            reading.as_mut().poll(context)
        })
        .await;
        assert!(
            served == REQUESTS && matches!(end, NoRequest::Idle),
            "{served}: {end:?}"
        );
        assert!(polls >= 5, "{polls} polls");
    });
}
