use std::rc::Rc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{sleep, timeout};

use super::*;
use crate::buffer_pool::BufferPool;
use crate::client::NoAnswer;
use crate::deadline::{Late, Timer};
use crate::pace::Floor;
use crate::parse::Bounds;
use crate::server::{More, NoRequest, Times};
use crate::socket::TcpSocket as TcpConnection;

const IDLE: Duration = Duration::from_secs(1);
const LIMITS: Limits = Limits {
    idle: IDLE,
    caller_idle: IDLE,
};
pub(crate) const TIMES: Times = Times {
    exchange: Duration::from_secs(3_600),
    transfer: None,
    floor: Floor::NONE,
};
const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const CHUNKED: Coding = Coding::Chunked { trailers: true };

/// A body of any length.
pub(crate) fn framed(coding: Coding) -> RequestBody {
    RequestBody {
        coding,
        bytes_max: u64::MAX,
        is_kept: false,
    }
}

/// A caller, the two sides of a gateway, and an upstream, over real sockets.
pub(crate) struct Rig {
    pub(crate) timer: Timer,
    pub(crate) caller: TcpStream,
    pub(crate) server: Server<TcpConnection>,
    pub(crate) client: Client<TcpConnection>,
    pub(crate) upstream: TcpStream,
}

pub(crate) fn run(test: impl AsyncFnOnce(Rig)) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build().expect("a runtime");
    let bounded = async {
        let test = async { test(Rig::new().await).await };
        timeout(Duration::from_secs(30), test).await
    };
    LocalSet::new()
        .block_on(&runtime, bounded)
        .expect("the test ends in time");
}

/// The receive buffer of the connecting side is small, so that reading makes the other side write,
/// whatever the system's own sizes are.
async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a listener");
    let address = listener.local_addr().expect("its address");
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(128 * 1024).expect("a size");
    let (near, far) = tokio::join!(socket.connect(address), listener.accept());
    (near.expect("connected"), far.expect("accepted").0)
}

impl Rig {
    async fn new() -> Self {
        let (blocks, timer) = (Rc::new(BufferPool::default()), Timer::default());
        let ((caller, accepted), (connected, upstream)) = tokio::join!(pair(), pair());
        let bounds = Bounds {
            head_bytes_max: 4_096,
            fields_max: 32,
            target_bytes_max: 1_024,
        };
        let server = Server::new(accepted.into(), &blocks, timer.deadline(), bounds, TIMES);
        let client = Client::new(connected.into(), &blocks);
        Self {
            timer,
            caller,
            server,
            client,
            upstream,
        }
    }

    /// Advances the time a hundred times as fast.
    pub(crate) fn ticking(&self) {
        let timer = self.timer.clone();
        spawn_local(async move {
            loop {
                sleep(Duration::from_millis(1)).await;
                timer.tick();
            }
        });
    }

    /// The caller sends `bytes`, and the server reads the head in them.
    pub(crate) async fn receive(&mut self, bytes: &[u8]) {
        self.caller.write_all(bytes).await.expect("sent");
        self.server
            .next(IDLE, IDLE, async || {})
            .await
            .expect("a head");
    }

    async fn send(&mut self, out: &mut Vec<u8>, coding: Coding) -> Result<Sent, RelayError> {
        send_request(
            &mut self.server,
            &mut self.client,
            out,
            framed(coding),
            LIMITS,
        )
        .await
    }

    /// Forwards the upstream's response to a sent request, with a head of `head`.
    async fn answer(&mut self, head: &[u8], coding: Coding) -> Result<(), RelayError> {
        self.client
            .answer(false, &mut self.server)
            .await
            .expect("an answer");
        send_answer(
            &mut self.client,
            &mut self.server,
            &mut head.to_vec(),
            coding,
            LIMITS,
        )
        .await
    }
}

pub(crate) async fn expect(stream: &mut TcpStream, bytes: &[u8]) {
    let mut got = vec![0; bytes.len()];
    stream.read_exact(&mut got).await.expect("as many bytes");
    let text = |bytes: &[u8]| bytes[..bytes.len().min(300)].escape_ascii().to_string();
    assert!(got == bytes, "{} instead of {}", text(&got), text(bytes));
}

async fn expect_end(stream: &mut TcpStream) {
    assert_eq!(stream.read(&mut [0]).await.expect("an end"), 0);
}

/// Resets a connection, so that the other side sees it with its next call.
fn reset(stream: TcpStream) {
    stream.set_zero_linger().expect("set");
    drop(stream);
}

#[test]
fn a_body_with_a_length_and_its_answer_arrive_whole() {
    run(async |mut rig| {
        let body = vec![b'x'; 1_000_000];
        rig.receive(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
            .await;
        let mut out = b"the head\r\n\r\n".to_vec();
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        let (sent, (), ()) = tokio::join!(
            send_request(server, client, &mut out, framed(Coding::Plain), LIMITS),
            async { caller.write_all(&body).await.expect("sent") },
            async {
                expect(upstream, b"the head\r\n\r\n").await;
                expect(upstream, &body).await;
                upstream.write_all(OK).await.expect("sent");
            },
        );
        assert_eq!(sent.expect("sent"), Sent::Whole);
        assert_eq!(out, b"", "a request sent in pieces cannot be sent again");
        rig.answer(b"an answer\r\n\r\n", Coding::Plain)
            .await
            .expect("passed on");
        expect(&mut rig.caller, b"an answer\r\n\r\nok").await;
        assert!(rig.client.is_reusable() && rig.server.can_drain());
        assert_eq!(
            (rig.server.body.bytes, rig.client.body.bytes),
            (1_000_000, 2)
        );
    });
}

#[test]
fn chunks_and_trailers_arrive_in_either_direction() {
    run(async |mut rig| {
        let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
        let body = "5;a=b\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n";
        rig.receive(format!("{head}{body}").as_bytes()).await;
        let mut out = b"head\r\n\r\n".to_vec();
        assert_eq!(
            rig.send(&mut out, CHUNKED).await.expect("sent"),
            Sent::Whole
        );
        let sent = b"head\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n";
        expect(&mut rig.upstream, sent).await;
        assert_eq!(out, sent, "a request sent at once can be sent again");

        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        rig.upstream
            .write_all(format!("{head}{body}").as_bytes())
            .await
            .expect("sent");
        rig.answer(b"a\r\n\r\n", Coding::Chunked { trailers: false })
            .await
            .expect("passed on");
        expect(&mut rig.caller, b"a\r\n\r\n5\r\nhello\r\n0\r\n\r\n").await;
        assert!(rig.client.is_reusable());
    });
}

#[test]
fn a_request_not_sent_at_once_is_not_kept_for_a_repeat() {
    run(async |mut rig| {
        let head = "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
        rig.receive(format!("{head}5\r\nhello\r\n").as_bytes())
            .await;
        let mut out = b"head\r\n\r\n".to_vec();
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        let (sent, ()) = tokio::join!(
            send_request(server, client, &mut out, framed(CHUNKED), LIMITS),
            async {
                expect(upstream, b"head\r\n\r\n5\r\nhello\r\n").await;
                caller
                    .write_all(b"2\r\nhe\r\n0\r\n\r\n")
                    .await
                    .expect("sent");
            },
        );
        assert_eq!(sent.expect("sent"), Sent::Whole);
        assert_eq!(
            out, b"",
            "chunks without their head would be another request"
        );
    });
}

#[test]
fn a_late_short_body_is_kept_for_a_repeat_even_once_the_upstream_is_gone() {
    let heads = [
        ("Content-Length: 7", "hello", "he", Coding::Plain, "hellohe"),
        (
            "Transfer-Encoding: chunked",
            "5\r\nhello\r\n",
            "2\r\nhe\r\n0\r\n\r\n",
            CHUNKED,
            "5\r\nhello\r\n2\r\nhe\r\n0\r\n\r\n",
        ),
    ];
    for (framing, first, second, coding, whole) in heads {
        for (is_gone, is_reused) in [(false, true), (true, true), (true, false)] {
            run(async |mut rig| {
                rig.client.is_reused = is_reused;
                let head = format!("PUT / HTTP/1.1\r\nHost: h\r\n{framing}\r\n\r\n");
                rig.receive(head.as_bytes()).await;
                let mut out = b"head\r\n\r\n".to_vec();
                let Rig {
                    caller,
                    server,
                    client,
                    upstream,
                    ..
                } = &mut rig;
                let body = RequestBody {
                    is_kept: true,
                    ..framed(coding)
                };
                let (sent, ()) = tokio::join!(
                    send_request(server, client, &mut out, body, LIMITS),
                    async {
                        expect(upstream, b"head\r\n\r\n").await;
                        caller.write_all(first.as_bytes()).await.expect("sent");
                        expect(upstream, &whole.as_bytes()[..first.len()]).await;
                        if is_gone {
                            reset(std::mem::replace(upstream, pair().await.0));
                            sleep(Duration::from_millis(50)).await;
                        }
                        caller.write_all(second.as_bytes()).await.expect("sent");
                    }
                );
                let is_broken = matches!(sent, Err(RelayError::Upstream(Broken::Io(_))));
                assert!(is_broken == is_gone, "{sent:?}");
                assert_eq!(client.can_send_again(), is_reused);
                let kept = format!("head\r\n\r\n{whole}");
                let kept = if is_gone && !is_reused { "" } else { &kept };
                assert_eq!(String::from_utf8_lossy(&out), kept);
            });
        }
    }
}

#[test]
fn a_late_long_body_is_not_kept() {
    run(async |mut rig| {
        rig.receive(b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 20000\r\n\r\n")
            .await;
        let mut out = b"head\r\n\r\n".to_vec();
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        let body = RequestBody {
            is_kept: true,
            ..framed(Coding::Plain)
        };
        let half = vec![b'x'; 10_000];
        let (sent, ()) = tokio::join!(
            send_request(server, client, &mut out, body, LIMITS),
            async {
                expect(upstream, b"head\r\n\r\n").await;
                for _ in 0..2 {
                    caller.write_all(&half).await.expect("sent");
                    expect(upstream, &half).await;
                }
            }
        );
        assert_eq!((sent.expect("sent"), out.len()), (Sent::Whole, 0));
    });
}

#[test]
fn an_answer_before_the_bodys_end_ends_the_sending() {
    run(async |mut rig| {
        rig.receive(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhello")
            .await;
        rig.upstream.write_all(OK).await.expect("sent");
        let mut out = b"head\r\n\r\n".to_vec();
        assert_eq!(
            rig.send(&mut out, Coding::Plain).await.expect("sent"),
            Sent::Early
        );
        assert_eq!(out, b"");
        rig.answer(b"a\r\n\r\n", Coding::Plain)
            .await
            .expect("passed on");
        expect(&mut rig.caller, b"a\r\n\r\nok").await;
        assert!(
            !rig.client.is_reusable(),
            "the upstream still waits for the body"
        );
    });
}

#[test]
fn a_response_of_an_upstream_that_does_not_read_ends_the_sending() {
    run(async |mut rig| {
        rig.receive(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 90000000\r\n\r\n")
            .await;
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        let mut out = b"head\r\n\r\n".to_vec();
        let part = vec![b'x'; 90_000_000];
        let answered = async {
            sleep(Duration::from_millis(200)).await;
            upstream.write_all(OK).await.expect("sent");
        };
        let sending = async {
            tokio::join!(
                send_request(server, client, &mut out, framed(Coding::Plain), LIMITS),
                answered
            )
            .0
        };
        let sent = tokio::select! {
            sent = sending => sent.expect("sent"),
            _ = caller.write_all(&part) => panic!("the data is not read"),
        };
        assert_eq!(sent, Sent::Early);
    });
}

#[test]
fn a_whole_request_is_sent_in_order_or_ends_with_an_early_response() {
    run(async |mut rig| {
        let body = vec![b'x'; 90_000_000];
        let head = &b"head\r\n\r\n"[..];
        let Rig { server, client, .. } = &mut rig;
        let sent = send_whole(server, client, head, b"body", LIMITS).await;
        assert_eq!(sent.expect("sent"), Sent::Whole);
        expect(&mut rig.upstream, b"head\r\n\r\nbody").await;
        rig.upstream.write_all(OK).await.expect("sent");
        rig.answer(b"a\r\n\r\n", Coding::Plain)
            .await
            .expect("passed on");
        assert!(rig.client.is_reusable());
        rig.upstream.write_all(OK).await.expect("sent");
        let Rig { server, client, .. } = &mut rig;
        let sent = send_whole(server, client, head, &body, LIMITS).await;
        assert_eq!(sent.expect("sent"), Sent::Early);
        assert!(
            !client.is_reusable(),
            "the upstream still waits for the body"
        );
    });
}

#[test]
fn an_interim_answer_before_the_bodys_end_does_not_end_the_sending() {
    run(async |mut rig| {
        rig.receive(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n")
            .await;
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        let mut out = b"head\r\n\r\n".to_vec();
        let (sent, ()) = tokio::join!(
            send_request(server, client, &mut out, framed(Coding::Plain), LIMITS),
            async {
                for piece in [
                    &b"HTTP/1.1 1"[..],
                    b"02 Processing\r\n",
                    b"\r\nHTTP/1.1 100 C\r\n\r\n",
                ] {
                    upstream.write_all(piece).await.expect("sent");
                    sleep(Duration::from_millis(20)).await;
                }
                caller.write_all(b"hello").await.expect("sent");
            },
        );
        assert_eq!(sent.expect("sent"), Sent::Whole);
        rig.upstream.write_all(OK).await.expect("sent");
        rig.answer(b"a\r\n\r\n", Coding::Plain)
            .await
            .expect("passed on");
        assert_eq!(rig.client.head.status, 200);
    });
}

/// What the upstream sent before it closed, and whether the request may be sent again.
const CLOSED_AFTER: [(&[u8], bool); 3] = [
    (b"", true),
    (b"HTTP/1.1 103 Early Hints\r\n\r\n", false),
    (b"HTTP/1.1 10", false),
];

#[test]
fn a_whole_request_is_sent_again_only_if_nothing_came_back() {
    for (bytes, can_send_again) in CLOSED_AFTER {
        run(async |mut rig| {
            rig.client.is_reused = true;
            rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
            rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
                .await
                .expect("sent");
            rig.upstream.write_all(bytes).await.expect("sent");
            rig.upstream.shutdown().await.expect("shut down");
            while rig.client.answer(false, &mut rig.server).await.is_ok() {
                rig.client.begin_body();
            }
            assert_eq!(rig.client.can_send_again(), can_send_again, "{bytes:?}");
        });
    }
}

#[test]
fn an_interrupted_request_is_sent_again_only_if_nothing_came_back() {
    for (bytes, can_send_again) in CLOSED_AFTER {
        run(async |mut rig| {
            rig.client.is_reused = true;
            rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
            let Rig {
                server,
                client,
                upstream,
                ..
            } = &mut rig;
            let mut out = vec![b'x'; 90_000_000];
            let closing = async {
                upstream.write_all(bytes).await.expect("sent");
                sleep(Duration::from_millis(200)).await;
                reset(std::mem::replace(upstream, pair().await.0));
            };
            let (sent, ()) = tokio::join!(
                send_request(server, client, &mut out, framed(Coding::Plain), LIMITS),
                closing
            );
            assert!(
                matches!(sent, Err(RelayError::Upstream(Broken::Io(_)))),
                "{sent:?}"
            );
            assert!(!out.is_empty(), "all of it is still available");
            assert_eq!(client.can_send_again(), can_send_again, "{bytes:?}");
        });
    }
}

#[test]
fn a_response_body_malformed_from_the_start_leaves_room_for_a_refusal() {
    for (first, is_begun) in [("zz\r\n", false), ("2\r\nok\r\nzz\r\n", false), ("", true)] {
        run(async |mut rig| {
            rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
            rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
                .await
                .expect("sent");
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            // At once, so that one read gets it.
            let bytes = format!("{head}{first}");
            rig.upstream
                .write_all(bytes.as_bytes())
                .await
                .expect("sent");
            let Rig {
                caller,
                server,
                client,
                upstream,
                ..
            } = &mut rig;
            client.answer(false, server).await.expect("an answer");
            let mut out = b"a\r\n\r\n".to_vec();
            let breaking = async {
                if is_begun {
                    expect(caller, b"a\r\n\r\n").await;
                    upstream.write_all(b"zz\r\n").await.expect("sent");
                }
            };
            let (relayed, ()) = tokio::join!(
                send_answer(client, server, &mut out, CHUNKED, LIMITS),
                breaking
            );
            match relayed {
                Err(RelayError::UpstreamBody { is_begun: it, .. }) => assert_eq!(it, is_begun),
                other => panic!("{other:?}"),
            }
            assert!(!rig.client.is_reusable());
            rig.server.write(b"no", IDLE).await.expect("written");
            expect(&mut rig.caller, b"no").await;
        });
    }
}

#[test]
fn an_upstream_that_breaks_off_is_distinguished_from_a_whole_response() {
    for (head, coding, bytes) in [
        ("Content-Length: 5", Coding::Plain, 3),
        ("Transfer-Encoding: chunked", CHUNKED, 0),
    ] {
        run(async |mut rig| {
            rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
            rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
                .await
                .expect("sent");
            let part = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n4\r\n");
            rig.upstream.write_all(part.as_bytes()).await.expect("sent");
            rig.upstream.shutdown().await.expect("shut down");
            let relayed = rig.answer(b"a\r\n\r\n", coding).await;
            assert!(
                matches!(relayed, Err(RelayError::Upstream(Broken::Io(_)))),
                "{relayed:?}"
            );
            assert_eq!(rig.server.answered.bytes(), bytes);
            assert!(!rig.client.is_reusable());
        });
    }
}

#[test]
fn a_body_whose_upstream_broke_never_becomes_the_next_request() {
    run(async |mut rig| {
        reset(std::mem::replace(&mut rig.upstream, pair().await.0));
        sleep(Duration::from_millis(20)).await;
        let body = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
        let next = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n";
        let length = body.len();
        let head = format!("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: {length}\r\n\r\n");
        rig.receive(format!("{head}{body}{next}").as_bytes()).await;
        let mut out = b"head\r\n\r\n".to_vec();
        let sent = rig.send(&mut out, Coding::Plain).await;
        assert!(
            matches!(sent, Err(RelayError::Upstream(Broken::Io(_)))),
            "{sent:?}"
        );
        assert_eq!(out, format!("head\r\n\r\n{body}").as_bytes());
        assert!(rig.server.can_drain());
        rig.server.drain(IDLE).await.expect("nothing is left");
        rig.server
            .next(IDLE, IDLE, async || {})
            .await
            .expect("a head");
        assert_eq!(
            rig.server.head.target.of_bytes(rig.server.head_bytes()),
            b"/next"
        );
    });
}

#[test]
fn a_body_that_is_too_large_never_becomes_the_next_request() {
    run(async |mut rig| {
        let request = b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 28\r\n\r\n\
            GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n";
        rig.receive(request).await;
        let body = RequestBody {
            bytes_max: 27,
            ..framed(Coding::Plain)
        };
        let mut out = b"head\r\n\r\n".to_vec();
        let Rig { server, client, .. } = &mut rig;
        let sent = send_request(server, client, &mut out, body, LIMITS).await;
        assert!(matches!(sent, Err(RelayError::TooLarge)), "{sent:?}");
        rig.server.drain(IDLE).await.expect("nothing is left");
        rig.server
            .next(IDLE, IDLE, async || {})
            .await
            .expect("a head");
        assert_eq!(
            rig.server.head.target.of_bytes(rig.server.head_bytes()),
            b"/next"
        );
    });
}

#[test]
fn a_connection_with_a_pending_response_cannot_be_reused() {
    run(async |mut rig| {
        rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
        rig.upstream.write_all(OK).await.expect("sent");
        rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
            .await
            .expect("sent");
        rig.answer(b"", Coding::Plain).await.expect("passed on");
        assert!(rig.client.is_reusable());
        rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
        rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
            .await
            .expect("sent");
        assert!(
            !rig.client.is_reusable(),
            "the next user would get this response"
        );
        rig.upstream
            .write_all(b"HTTP/1.1 103 Early Hints\r\n\r\n")
            .await
            .expect("sent");
        rig.client
            .answer(false, &mut rig.server)
            .await
            .expect("an interim answer");
        rig.client.begin_body();
        assert!(
            !rig.client.is_reusable(),
            "the final response is still pending"
        );
    });
}

#[test]
fn a_slow_reader_gets_all_of_a_large_answer() {
    for chunked in [false, true] {
        run(async |mut rig| {
            let body: Vec<u8> = (0..5_000_000_u32).map(|at| (at % 251) as u8).collect();
            rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
            rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
                .await
                .expect("sent");
            let Rig {
                caller,
                server,
                client,
                upstream,
                ..
            } = &mut rig;
            let coding = if chunked { CHUNKED } else { Coding::Plain };
            let relaying = async {
                client.answer(false, server).await.expect("an answer");
                send_answer(client, server, &mut b"a\r\n\r\n".to_vec(), coding, LIMITS).await
            };
            let answering = async {
                let head = b"HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n";
                upstream.write_all(head).await.expect("sent");
                upstream.write_all(&body).await.expect("sent");
            };
            let reading = async {
                expect(caller, b"a\r\n\r\n").await;
                let (mut got, mut piece) = (Vec::new(), vec![0; 300_000]);
                // Its last bytes do not mark the end: the same ones occur within it.
                let is_whole = |got: &[u8]| match chunked {
                    true => got.ends_with(b"0\r\n\r\n"),
                    false => got.len() == body.len(),
                };
                while !is_whole(&got) {
                    let count = caller.read(&mut piece).await.expect("read");
                    got.extend_from_slice(&piece[..count]);
                    sleep(Duration::from_millis(3)).await;
                }
                got
            };
            let (relayed, (), got) = tokio::join!(relaying, answering, reading);
            relayed.expect("passed on");
            assert_eq!(server.answered.bytes(), 5_000_000);
            let mut decoded = Vec::new();
            let framing = if chunked {
                crate::framing::Framing::Chunked
            } else {
                crate::framing::Framing::Length(5_000_000)
            };
            let (mut decoder, mut at) = (Body::new(framing), 0);
            while !decoder.is_done() {
                let (count, data) = decoder.take(&got[at..]).expect("well-formed");
                decoded.extend_from_slice(&got[at..][data]);
                at += count;
            }
            assert!(decoded == body && at == got.len());
        });
    }
}

#[test]
fn a_response_until_the_end_of_the_connection_is_chunked_anew() {
    run(async |mut rig| {
        rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
        rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
            .await
            .expect("sent");
        rig.upstream
            .write_all(b"HTTP/1.0 200 OK\r\n\r\nhello")
            .await
            .expect("sent");
        rig.upstream.shutdown().await.expect("shut down");
        rig.answer(b"a\r\n\r\n", CHUNKED).await.expect("passed on");
        expect(&mut rig.caller, b"a\r\n\r\n5\r\nhello\r\n0\r\n\r\n").await;
        assert!(!rig.client.is_reusable());
    });
}

#[test]
fn a_response_until_the_end_of_the_connection_that_is_reset_gets_no_end() {
    run(async |mut rig| {
        rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
        rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
            .await
            .expect("sent");
        expect(&mut rig.upstream, b"head\r\n\r\n").await;
        rig.upstream
            .write_all(b"HTTP/1.0 200 OK\r\n\r\nhello")
            .await
            .expect("sent");
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        client.answer(false, server).await.expect("an answer");
        let breaking = async {
            expect(caller, b"a\r\n\r\n5\r\nhello\r\n").await;
            reset(std::mem::replace(upstream, pair().await.0));
        };
        let mut out = b"a\r\n\r\n".to_vec();
        let (relayed, ()) = tokio::join!(
            send_answer(client, server, &mut out, CHUNKED, LIMITS),
            breaking
        );
        assert!(
            matches!(relayed, Err(RelayError::Upstream(Broken::Io(_)))),
            "{relayed:?}"
        );
    });
}

#[test]
fn pipelined_requests_are_read_in_their_order() {
    run(async |mut rig| {
        let requests = b"GET /1 HTTP/1.1\r\nHost: h\r\n\r\n\
            POST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello\
            POST /3 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n\
            GET /4 HTTP/1.1\r\nHost: h\r\n\r\n";
        rig.caller.write_all(requests).await.expect("sent");
        rig.caller.shutdown().await.expect("shut down");
        for (target, answer) in [
            ("/1", "one"),
            ("/2", "two"),
            ("/3", "three"),
            ("/4", "four"),
        ] {
            rig.server
                .next(IDLE, IDLE, async || {})
                .await
                .expect("a request");
            assert_eq!(
                rig.server.head.target.of_bytes(rig.server.head_bytes()),
                target.as_bytes()
            );
            rig.server.begin_body();
            rig.server.drain(IDLE).await.expect("drained");
            rig.server
                .write(answer.as_bytes(), IDLE)
                .await
                .expect("written");
        }
        assert!(matches!(
            rig.server.next(IDLE, IDLE, async || {}).await,
            Err(NoRequest::Idle)
        ));
        expect(&mut rig.caller, b"onetwothreefour").await;
    });
}

#[test]
fn an_unread_body_is_never_the_next_request() {
    run(async |mut rig| {
        let request = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 28\r\n\r\n\
            GET /a HTTP/1.1\r\nHost: h\r\n\r\n ";
        rig.receive(request).await;
        assert!(matches!(
            rig.server.next(IDLE, IDLE, async || {}).await,
            Err(NoRequest::Idle)
        ));
    });
}

#[test]
fn a_caller_that_expects_continue_gets_it_when_its_body_is_needed() {
    run(async |mut rig| {
        let head =
            b"POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
        rig.receive(head).await;
        assert!(!rig.server.can_drain(), "a refused body may never come");
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        let mut out = b"head\r\n\r\n".to_vec();
        let (sent, ()) = tokio::join!(
            send_request(server, client, &mut out, framed(Coding::Plain), LIMITS),
            async {
                expect(caller, b"HTTP/1.1 100 Continue\r\n\r\n").await;
                caller.write_all(b"hello").await.expect("sent");
                expect(upstream, b"head\r\n\r\nhello").await;
            },
        );
        assert_eq!(sent.expect("sent"), Sent::Whole);
    });
}

#[test]
fn a_caller_that_does_not_wait_gets_no_continue() {
    run(async |mut rig| {
        let head = "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5";
        rig.receive(format!("{head}\r\n\r\nhe").as_bytes()).await;
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        let mut out = b"head\r\n\r\n".to_vec();
        let (sent, ()) = tokio::join!(
            send_request(server, client, &mut out, framed(Coding::Plain), LIMITS),
            async {
                expect(upstream, b"head\r\n\r\nhe").await;
                caller.write_all(b"llo").await.expect("sent");
            },
        );
        assert_eq!(sent.expect("sent"), Sent::Whole);
        rig.upstream.write_all(OK).await.expect("sent");
        rig.answer(b"a\r\n\r\n", Coding::Plain)
            .await
            .expect("passed on");
        expect(&mut rig.caller, b"a\r\n\r\nok").await;
    });
}

#[test]
fn a_small_rest_of_a_body_is_drained_and_a_large_one_is_not() {
    run(async |mut rig| {
        rig.receive(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 60000\r\n\r\n")
            .await;
        assert!(rig.server.can_drain());
        let mut rest = vec![b'x'; 60_000];
        rest.extend_from_slice(b"PUT /next HTTP/1.1\r\nHost: h\r\nContent-Length: 70000\r\n\r\n");
        let Rig { caller, server, .. } = &mut rig;
        let (drained, sent) = tokio::join!(server.drain(IDLE), caller.write_all(&rest));
        drained.and(sent.map_err(Broken::Io)).expect("drained");
        server.next(IDLE, IDLE, async || {}).await.expect("a head");
        assert_eq!(server.head.method.of_bytes(server.head_bytes()), b"PUT");
        assert!(!server.can_drain());
    });
}

#[test]
fn the_last_response_arrives_while_the_caller_is_still_sending() {
    run(async |mut rig| {
        rig.receive(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 700000\r\n\r\n")
            .await;
        let Rig {
            mut caller,
            mut server,
            ..
        } = rig;
        server.begin_body();
        let closing = async {
            server.write(b"no", IDLE).await.expect("written");
            server.close().await;
        };
        let calling = async {
            caller.write_all(&vec![b'x'; 700_000]).await.expect("sent");
            expect(&mut caller, b"no").await;
            expect_end(&mut caller).await;
            drop(caller);
        };
        tokio::join!(closing, calling);
    });
}

#[test]
fn a_caller_that_lingers_after_the_last_response_is_closed() {
    run(async |rig| {
        rig.ticking();
        let Rig { caller, server, .. } = rig;
        server.close().await;
        drop(caller);
    });
}

#[test]
fn a_silent_caller_is_idle_and_one_with_half_a_head_is_late() {
    run(async |mut rig| {
        rig.ticking();
        assert!(matches!(
            rig.server.next(IDLE, IDLE, async || {}).await,
            Err(NoRequest::Idle)
        ));
        rig.caller.write_all(b"GET / HT").await.expect("sent");
        let late = rig
            .server
            .next(Duration::from_secs(600), IDLE, async || {})
            .await;
        assert!(matches!(late, Err(NoRequest::HeadTime)), "{late:?}");
    });
}

#[test]
fn a_dripping_head_is_late_too() {
    run(async |mut rig| {
        rig.ticking();
        let Rig { caller, server, .. } = &mut rig;
        let dropping = async {
            loop {
                caller.write_all(b"G").await.expect("sent");
                sleep(Duration::from_millis(2)).await;
            }
        };
        let late = tokio::select! {
            late = server.next(IDLE, IDLE, async || {}) => late,
            () = dropping => unreachable!("it never ends"),
        };
        assert!(matches!(late, Err(NoRequest::HeadTime)), "{late:?}");
    });
}

#[test]
fn the_idle_side_is_reported() {
    run(async |mut rig| {
        rig.ticking();
        rig.receive(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhe")
            .await;
        let sent = rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain).await;
        assert!(
            matches!(sent, Err(RelayError::Caller(Broken::TimedOut(Late::Idle)))),
            "{sent:?}"
        );
        rig.server.deadline.set(IDLE);
        let answer = rig.client.answer(false, &mut rig.server).await;
        assert!(
            matches!(answer, Err(NoAnswer::Broken(Broken::TimedOut(Late::Idle)))),
            "{answer:?}"
        );
        let drained = rig.server.drain(IDLE).await;
        assert!(
            matches!(drained, Err(Broken::TimedOut(Late::Idle))),
            "{drained:?}"
        );
    });
}

#[test]
fn an_upstream_that_is_idle_within_its_response_is_reported() {
    run(async |mut rig| {
        rig.ticking();
        rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
        rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
            .await
            .expect("sent");
        let part = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe";
        rig.upstream.write_all(part).await.expect("sent");
        let relayed = rig.answer(b"a\r\n\r\n", Coding::Plain).await;
        assert!(
            matches!(
                relayed,
                Err(RelayError::Upstream(Broken::TimedOut(Late::Idle)))
            ),
            "{relayed:?}"
        );
    });
}

#[test]
fn sides_that_do_not_read_are_reported() {
    run(async |mut rig| {
        rig.ticking();
        rig.receive(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 90000000\r\n\r\n")
            .await;
        let Rig {
            caller,
            server,
            client,
            upstream,
            ..
        } = &mut rig;
        let much = vec![b'x'; 90_000_000];
        let mut out = b"head\r\n\r\n".to_vec();
        let sent = tokio::select! {
            sent = send_request(server, client, &mut out, framed(Coding::Plain), LIMITS) => sent,
            _ = caller.write_all(&much) => panic!("the data is not read"),
        };
        assert!(
            matches!(
                sent,
                Err(RelayError::Upstream(Broken::TimedOut(Late::Idle)))
            ),
            "{sent:?}"
        );

        upstream
            .write_all(b"HTTP/1.1 200 OK\r\n\r\n")
            .await
            .expect("sent");
        server.deadline.set(IDLE);
        client.answer(false, server).await.expect("an answer");
        let mut out = b"a\r\n\r\n".to_vec();
        let plain = Coding::Plain;
        let relayed = tokio::select! {
            relayed = send_answer(client, server, &mut out, plain, LIMITS) => relayed,
            _ = upstream.write_all(&much) => panic!("the data is not read"),
        };
        assert!(
            matches!(
                relayed,
                Err(RelayError::Caller(Broken::TimedOut(Late::Idle)))
            ),
            "{relayed:?}"
        );
    });
}

#[test]
fn a_caller_that_leaves_before_the_response_is_noticed() {
    run(async |mut rig| {
        rig.receive(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n").await;
        rig.send(&mut b"head\r\n\r\n".to_vec(), Coding::Plain)
            .await
            .expect("sent");
        rig.caller.shutdown().await.expect("closed");
        let answer = rig.client.answer(false, &mut rig.server).await;
        assert!(matches!(answer, Err(NoAnswer::CallerLeft)));
    });
}

/// The bytes of the body that have arrived, and whether they are all.
fn peeked(server: &Server<TcpConnection>) -> (Vec<u8>, bool) {
    let mut scratch = Vec::new();
    let (bytes, is_whole) = server.peek(&mut scratch).expect("a valid body");
    (bytes.to_vec(), is_whole)
}

#[test]
fn a_peeked_body_is_forwarded_unchanged() {
    run(async |mut rig| {
        // Larger than a block, with its head: it is peeked to its end, in pieces.
        let body: Vec<u8> = (0..150_000_u32).flat_map(u32::to_le_bytes).collect();
        let head = format!(
            "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        rig.receive(head.as_bytes()).await;
        assert_eq!(peeked(&rig.server), (Vec::new(), false));
        rig.caller.write_all(&body[..10]).await.expect("sent");
        let more = rig.server.peek_more(1 << 20, IDLE).await.expect("more");
        assert_eq!(
            more,
            More::Came {
                bytes: 10,
                is_whole: false
            }
        );
        assert_eq!(peeked(&rig.server), (body[..10].to_vec(), false));
        let rest = body[10..].to_vec();
        let Rig {
            mut caller,
            server,
            client,
            mut upstream,
            timer: _timer,
        } = rig;
        let sending = spawn_local(async move {
            caller.write_all(&rest).await.expect("sent");
            caller
        });
        let mut server = server;
        while !peeked(&server).1 {
            let more = server.peek_more(1 << 20, IDLE).await.expect("more");
            assert!(matches!(more, More::Came { .. }), "{more:?}");
        }
        assert!(peeked(&server).0 == body, "all of it has arrived");
        assert_eq!(server.head_bytes(), head.as_bytes());
        let mut client = client;
        let relayed = spawn_local(async move {
            let mut out = b"x".to_vec();
            let sent = send_request(
                &mut server,
                &mut client,
                &mut out,
                framed(Coding::Plain),
                LIMITS,
            );
            assert_eq!(sent.await.expect("sent"), Sent::Whole);
        });
        expect(&mut upstream, b"x").await;
        expect(&mut upstream, &body).await;
        relayed.await.expect("relayed");
        drop(sending.await);
    });
}

#[test]
fn peeking_ends_with_the_room_or_with_the_caller() {
    run(async |mut rig| {
        let head = b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";
        rig.receive(&[&head[..], b"3\r\nabc\r\n4\r\nde"].concat())
            .await;
        assert_eq!(peeked(&rig.server), (b"abcde".to_vec(), false));
        assert_eq!(
            rig.server.peek_more(13, IDLE).await.expect("room"),
            More::Full
        );
        rig.caller
            .write_all(b"fg\r\n0\r\n\r\nGET")
            .await
            .expect("sent");
        let more = rig.server.peek_more(100, IDLE).await.expect("more");
        assert!(matches!(more, More::Came { .. }));
        // The rest belongs to the next request.
        assert_eq!(peeked(&rig.server), (b"abcdefg".to_vec(), true));
        let Rig {
            caller, mut server, ..
        } = rig;
        reset(caller);
        let ended = server.peek_more(100, IDLE).await;
        assert!(
            !matches!(ended, Ok(More::Came { .. } | More::Full)),
            "{ended:?}"
        );
    });
}
