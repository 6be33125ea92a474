use std::sync::Arc;

use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;

use super::*;

#[tokio::test]
async fn a_stop_lets_the_request_under_way_end_and_closes_idle_connections() {
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
    let router = Router::new().route("/", get(slow));
    let served = tokio::spawn(serve(listener, router, async { stopped.await.unwrap() }));

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

/// A server with these bounds that answers `/` with 16 MiB, more than sockets hold.
async fn large(bounds: Bounds) -> std::net::SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().route("/", get(|| async { vec![b'x'; 16 << 20] }));
    tokio::spawn(serve_within(
        bounds,
        listener,
        router,
        std::future::pending(),
    ));
    address
}

async fn ask(address: std::net::SocketAddr) -> TcpStream {
    let mut caller = TcpStream::connect(address).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
    caller.write_all(request).await.unwrap();
    caller
}

#[tokio::test]
async fn a_caller_who_does_not_read_is_cut_and_a_slow_reader_is_not() {
    let write = Duration::from_millis(400);
    let address = large(Bounds { write, ..BOUNDS }).await;
    let mut deaf = ask(address).await;
    let mut slow = ask(address).await;
    let mut part = vec![0; 4 << 20];
    let mut read = 0;
    while read <= 16 << 20 {
        tokio::time::sleep(write / 4).await;
        read += slow.read(&mut part).await.unwrap();
    }
    tokio::time::sleep(write * 2).await;
    // What lay in the sockets is all that the other gets.
    let mut left = Vec::new();
    let _ = deaf.read_to_end(&mut left).await;
    assert!(left.len() < 16 << 20, "{}", left.len());
}

#[tokio::test]
async fn a_connection_on_which_nothing_moves_is_closed() {
    let short = Duration::from_millis(50);
    for bounds in [
        Bounds {
            idle: short,
            ..BOUNDS
        },
        Bounds {
            head: short,
            ..BOUNDS
        },
    ] {
        let address = large(bounds).await;
        let mut asked = ask(address).await;
        let mut silent = TcpStream::connect(address).await.unwrap();
        let mut answer = Vec::new();
        let both = async {
            asked.read_to_end(&mut answer).await.unwrap();
            silent.read_to_end(&mut Vec::new()).await.unwrap();
        };
        let closed = tokio::time::timeout(Duration::from_secs(10), both).await;
        closed.expect("both are closed");
        assert!(answer.len() > 16 << 20, "the answer came before");
    }
}

#[tokio::test]
async fn an_address_with_too_many_connections_gets_no_more() {
    let per_address = 1;
    let address = large(Bounds {
        per_address,
        ..BOUNDS
    })
    .await;
    let first = TcpStream::connect(address).await.unwrap();
    let mut second = TcpStream::connect(address).await.unwrap();
    assert_eq!(second.read(&mut [0]).await.unwrap(), 0);
    drop(first);
    let answered = async { while ask(address).await.read(&mut [0]).await.unwrap_or(0) == 0 {} };
    let answered = tokio::time::timeout(Duration::from_secs(10), answered).await;
    answered.expect("there is room again");
}
