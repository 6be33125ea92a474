use std::sync::Arc;

use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

use super::*;

#[tokio::test]
async fn shutdown_finishes_requests_in_progress_and_closes_idle_connections() {
    let (entered, has_entered) = oneshot::channel();
    let entered = Arc::new(std::sync::Mutex::new(Some(entered)));
    let slow = move || async move {
        let entered = entered.lock().unwrap().take().unwrap();
        entered.send(()).unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        "done"
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let served = only(Router::new().route("/", get(slow)));
    let stopped = async { stopped.await.unwrap() };
    let served = tokio::spawn(serve_these(plain(listener), served, stopped));

    let mut idle = TcpStream::connect(address).await.unwrap();
    let mut busy = TcpStream::connect(address).await.unwrap();
    busy.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    has_entered.await.unwrap();
    stop.send(()).unwrap();
    let mut answer = String::new();
    busy.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("done"),
        "{answer}"
    );
    idle.read_to_string(&mut answer).await.unwrap();
    served.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

fn plain(listener: TcpListener) -> Vec<Listener> {
    vec![Listener::new(listener, None)]
}

/// Returns these routes; the reserve serves only `/health`.
fn only(all: Router) -> Served {
    Served {
        all,
        reserve: Router::new().route("/health", get(|| async { "well" })),
        trusted: Networks::default(),
        bodies: Arc::new(Bodies::new(64 << 20)),
    }
}

/// Starts a server with these bounds that responds to `/` with 16 MiB, more than sockets buffer.
async fn large(bounds: Bounds) -> std::net::SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let served = only(Router::new().route("/", get(|| async { vec![b'x'; 16 << 20] })));
    tokio::spawn(serve_within(
        bounds,
        plain(listener),
        served,
        std::future::pending(),
    ));
    address
}

async fn send_get(address: std::net::SocketAddr) -> TcpStream {
    let mut caller = TcpStream::connect(address).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
    caller.write_all(request).await.unwrap();
    caller
}

#[tokio::test]
async fn a_client_that_does_not_read_is_cut_off_and_a_slow_reader_is_not() {
    let write = Duration::from_secs(3);
    let address = large(timed(Times {
        write,
        ..BOUNDS.times
    }))
    .await;
    let mut deaf = send_get(address).await;
    let mut slow = send_get(address).await;
    let begun = std::time::Instant::now();
    let mut part = vec![0; 1 << 20];
    let mut read = 0;
    while read <= 16 << 20 {
        tokio::time::sleep(write / 12).await;
        read += slow.read(&mut part).await.unwrap();
    }
    assert!(begun.elapsed() > write, "it was not slow");
    tokio::time::sleep(write).await;
    // The other client gets only what the sockets had buffered.
    let mut left = Vec::new();
    let _ = deaf.read_to_end(&mut left).await;
    assert!(left.len() < 16 << 20, "{}", left.len());
}

#[tokio::test]
async fn a_connection_without_progress_is_closed() {
    let short = Duration::from_secs(3);
    let long = BOUNDS.times;
    let by_idleness = Times {
        idle: short,
        silent: short,
        ..long
    };
    let by_head = Times {
        head: short,
        ..long
    };
    let closes = async |times| {
        let address = large(timed(times)).await;
        let mut unread = send_get(address).await;
        let mut silent = TcpStream::connect(address).await.unwrap();
        let mut answer = Vec::new();
        let both = async {
            unread.read_to_end(&mut answer).await.unwrap();
            silent.read_to_end(&mut Vec::new()).await.unwrap();
        };
        let closed = tokio::time::timeout(Duration::from_secs(30), both).await;
        closed.expect("both are closed");
        assert!(answer.len() > 16 << 20, "the answer came before");
    };
    tokio::join!(closes(by_idleness), closes(by_head));
}

#[tokio::test]
async fn silence_ends_a_connection_sooner_than_an_incomplete_head_or_a_kept_connection() {
    let silent = Duration::from_secs(3);
    let address = large(timed(Times {
        silent,
        ..BOUNDS.times
    }))
    .await;
    let mut kept = send_get(address).await;
    kept.read_exact(&mut vec![0; 16 << 20]).await.unwrap();
    let mut slow = TcpStream::connect(address).await.unwrap();
    slow.write_all(b"G").await.unwrap();
    let mut nothing = TcpStream::connect(address).await.unwrap();
    assert_eq!(nothing.read(&mut [0]).await.unwrap(), 0);
    // These connections are older than the one that was just closed.
    tokio::time::sleep(silent / 2).await;
    slow.write_all(b"ET / HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(slow.read(&mut [0]).await.unwrap(), 1);
    let rest = kept.read(&mut [0; 4_096]).await.unwrap();
    assert!(rest > 0, "the rest of the response is missing");
    kept.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    assert_eq!(kept.read(&mut [0]).await.unwrap(), 1);
}

#[tokio::test]
async fn silent_connections_make_room_and_the_reserve_serves_health() {
    let sizes = Sizes {
        per_address: 1,
        ..BOUNDS.sizes
    };
    let address = large(Bounds { sizes, ..BOUNDS }).await;
    let mut silent = TcpStream::connect(address).await.unwrap();
    let mut busy = send_get(address).await;
    assert_eq!(busy.read(&mut [0]).await.unwrap(), 1);
    assert_eq!(silent.read(&mut [0]).await.unwrap_or(0), 0);

    // The response is not read, so its connection keeps its place.
    for (path, status) in [("health", "200"), ("", "404")] {
        let mut other = TcpStream::connect(address).await.unwrap();
        let request = format!("GET /{path} HTTP/1.1\r\nhost: x\r\n\r\n");
        other.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        other.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains(status), "{answer}");
    }
    let mut rest = vec![0; 16 << 20];
    busy.read_exact(&mut rest).await.unwrap();
}

#[tokio::test]
async fn a_client_that_keeps_sending_after_the_response_reads_it_before_it_is_cut_off() {
    let linger = Duration::from_secs(3);
    let address = large(timed(Times {
        linger,
        ..BOUNDS.times
    }))
    .await;
    let head = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n";
    let mut caller = TcpStream::connect(address).await.unwrap();
    caller.write_all(head).await.unwrap();
    // More than the sockets buffer: each write waits until the server has read.
    caller.write_all(&vec![b'x'; 16 << 20]).await.unwrap();
    let mut answer = String::new();
    caller.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");

    let mut endless = TcpStream::connect(address).await.unwrap();
    endless.write_all(head).await.unwrap();
    let part = vec![b'x'; 1 << 20];
    let sending = async { while endless.write_all(&part).await.is_ok() {} };
    let begun = std::time::Instant::now();
    let cut = tokio::time::timeout(Duration::from_secs(30), sending).await;
    cut.expect("it is cut");
    assert!(begun.elapsed() >= linger, "{:?}", begun.elapsed());
}

const fn timed(times: Times) -> Bounds {
    Bounds { times, ..BOUNDS }
}
