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
use tollgate_model::record::Flags;
use tollgate_model::scheme::UriScheme;

use super::*;
use crate::buffered::Buffered;
use crate::harness;
use crate::record::ring;
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
    let (pool, times) = (&worker.buffer_pool, worker.settings.times());
    let (stream, deadline) = (CallerStream::Plain(stream.into()), worker.timer.deadline());
    let mut connection = CallerConnection::new(stream, pool, deadline, BOUNDS, times);
    connection.next(TEN_S, TEN_S, async || {}).await.unwrap();
    let mut exchange = Exchange::begin(&mut connection, &worker, &peer, 1);
    let mut record = RecordBuilder::begin(exchange.began_us(), 1, address.ip());
    let mut guard = RecordGuard::new(&mut record, &mut exchange);
    let RecordGuard {
        record, exchange, ..
    } = &mut guard;
    {
        let mut reading = pin!(exchange.read_body(10));
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
        let (writer, mut records) = ring(2, None, 9);
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
        records.drain(&mut |it| {
            seen.push((
                it.status,
                it.bytes_in,
                it.bytes_out,
                it.flags.has(Flags::CUT),
            ));
        });
        assert_eq!(seen, [(200, 4, 5, is_cut)], "{end:?}");
    }
}
