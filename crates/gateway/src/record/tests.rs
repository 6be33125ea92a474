use std::future::{Future as _, pending, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::task::{LocalSet, spawn_local};
use tollgate_http1::parse::Bounds;
use tollgate_model::scheme::UriScheme;

use super::*;
use crate::buffered::Buffered;
use crate::exchange::Exchange;
use crate::guard::RecordGuard;
use crate::harness;
use crate::reply::{Body, Reply};
use crate::wire::connection::CallerConnection;
use crate::wire::peer::{Arrival, Peer};
use crate::wire::stream::CallerStream;
use crate::worker::Worker;

const BOUNDS: Bounds = Bounds {
    head_bytes_max: 8_192,
    fields_max: 9,
    target_bytes_max: 4_096,
};
const TEN_S: Duration = Duration::from_secs(10);

fn record(at_us: i64, status: u16) -> Record {
    let mut builder = RecordBuilder::begin(at_us, 1, IpAddr::from([127, 0, 0, 1]));
    builder.status(status);
    builder.finish(at_us + 7)
}

#[test]
fn a_full_ring_loses_detail_but_no_counts() {
    let (writer, mut records) = ring(2);
    for at in 0..5 {
        writer.write(record(MINUTE_US + at, 200));
    }
    writer.write(record(2 * MINUTE_US, 429));
    let mut seen = Vec::new();
    records.drain(&mut |record| seen.push(record.at_us));
    assert_eq!(seen, [MINUTE_US, MINUTE_US + 1]);
    let mut lost = records.overflow();
    lost.sort_by_key(|lost| lost.minute_us);
    let counts: Vec<_> = lost
        .iter()
        .map(|it| (it.minute_us, it.status, it.calls))
        .collect();
    assert_eq!(counts, [(MINUTE_US, 200, 3), (2 * MINUTE_US, 429, 1)]);
    assert!(records.overflow().is_empty());
}

#[test]
fn a_cut_answer_keeps_its_status_and_a_refusal_its_reason() {
    let begin = || RecordBuilder::begin(0, 1, "127.0.0.1".parse().unwrap());
    let seen = |builder: &RecordBuilder| {
        let record = builder.finish(1);
        (record.status, record.refusal, record.is_cut)
    };
    let mut answered = begin();
    answered.status(200);
    answered.cut_for(Refusal::AnswerTime);
    assert_eq!(seen(&answered), (200, Some(Refusal::AnswerTime), true));
    let mut refused = begin();
    refused.refused(Refusal::Missing);
    refused.cut_for(Refusal::AnswerTime);
    assert_eq!(seen(&refused), (401, Some(Refusal::Missing), true));
}

#[test]
fn the_time_of_steps_adds_up_to_its_maximum() {
    let sums = [
        (vec![], 0),
        (vec![3, 0, 4], 7),
        // The wall clock was set back.
        (vec![3, -9], 3),
        (vec![65_535], 65_535),
        (vec![65_536], 65_535),
        (vec![i64::MAX, 1], 65_535),
        (vec![40_000, 25_535, 1], 65_535),
    ];
    for (times, expected) in sums {
        let mut builder = RecordBuilder::begin(0, 1, "127.0.0.1".parse().unwrap());
        times.iter().for_each(|&us| builder.mediated(us));
        assert_eq!(builder.finish(1).mediate_us, expected, "{times:?}");
    }
}

/// How a call ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    Dropped,
    Panic,
}

/// Answers a call with `hello` after four of the ten bytes of its body, and ends it so.
async fn answer(stream: TcpStream, address: SocketAddr, worker: Rc<Worker>, end: End) {
    let arrival = Arrival {
        scheme: UriScheme::Http,
        address,
    };
    let peer = Peer::new(address.ip(), arrival, &worker.settings);
    let bounds = (BOUNDS, worker.settings.times());
    let (stream, deadline) = (CallerStream::Plain(stream), worker.timer.deadline());
    let mut connection = CallerConnection::new(stream, &worker.buffer_pool, deadline, bounds);
    connection.next(TEN_S, TEN_S).await.unwrap();
    let mut exchange = Exchange::begin(&mut connection, &worker, (&peer, 1));
    let begun = RecordBuilder::begin(exchange.began_us(), 1, address.ip());
    let mut guard = RecordGuard::new(begun, &mut exchange, &worker);
    let RecordGuard {
        record, exchange, ..
    } = &mut guard;
    {
        let mut reading = pin!(exchange.read_body(10, &worker));
        poll_fn(|context| {
            assert!(reading.as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
    }
    let reply = Reply::own(200, worker.buffer_pool.scratch());
    let reply = reply.with_body(Body::Bytes(b"hello".into()));
    exchange.respond(reply, record).await.unwrap();
    match end {
        End::Whole => guard.end(),
        End::Dropped => pending().await,
        End::Panic => panic!("a room"),
    }
}

#[test]
fn a_record_has_the_bytes_of_a_call_however_it_ends() {
    for (end, is_cut) in [
        (End::Whole, false),
        (End::Dropped, true),
        (End::Panic, true),
    ] {
        let mut worker = harness::worker(harness::current(Vec::new()));
        let (writer, mut records) = ring(2);
        worker.record_writer = writer;
        worker.buffered = Buffered::new(1 << 20);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let mut caller = TcpStream::connect(address).await.unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            let call = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nfour";
            caller.write_all(call).await.unwrap();
            let answering = spawn_local(answer(stream, address, Rc::new(worker), end));
            let mut answer = Vec::new();
            while !answer.ends_with(b"hello") {
                assert!(caller.read_buf(&mut answer).await.unwrap() > 0);
            }
            answering.abort();
            let ended = answering.await.map_err(|error| error.is_panic());
            let expected = match end {
                End::Whole => Ok(()),
                End::Dropped => Err(false),
                End::Panic => Err(true),
            };
            assert_eq!(ended, expected, "{end:?}");
        });
        let mut seen = Vec::new();
        records.drain(&mut |it| seen.push((it.status, it.bytes_in, it.bytes_out, it.is_cut)));
        assert_eq!(seen, [(200, 4, 5, is_cut)], "{end:?}");
    }
}
