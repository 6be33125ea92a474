use std::sync::atomic::AtomicUsize;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;
use crate::families::CONNECTIONS;

/// Asserts that one page is written at a time.
#[derive(Default)]
struct Fake {
    is_ready: bool,
    /// Further lines of its page.
    lines: usize,
    writing: AtomicUsize,
}

impl Source for Fake {
    async fn write(&self, page: &mut Page) {
        assert_eq!(self.writing.fetch_add(1, Ordering::SeqCst), 0);
        tokio::task::yield_now().await;
        let mut samples = page.family(&CONNECTIONS);
        for _ in 0..=self.lines {
            samples.number(&[], 3);
        }
        self.writing.fetch_sub(1, Ordering::SeqCst);
    }

    async fn ready(&self) -> Result<(), String> {
        match self.is_ready {
            true => Ok(()),
            false => Err("the store is full".to_owned()),
        }
    }
}

async fn start(source: Fake) -> (SocketAddr, Scrapes) {
    start_within(TIMES, source).await
}

async fn start_within(times: Times, source: Fake) -> (SocketAddr, Scrapes) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let scrapes = Scrapes::default();
    tokio::spawn(serve_within(times, listener, source, scrapes.clone()));
    (address, scrapes)
}

/// Sends a request and reads until the connection is closed.
async fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A reset after the response is the client's fault, which sent more than was read.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

fn request(method: &str, path: &str, more: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{more}\r\n")
}

#[tokio::test]
async fn metrics_and_health_are_answered_and_nothing_else() {
    let (address, scrapes) = start(Fake::default()).await;
    let healthy = ask(address, &request("GET", "/healthz", "")).await;
    assert!(healthy.starts_with("HTTP/1.1 200") && healthy.ends_with("\r\nok\n"));
    let unready = ask(address, &request("GET", "/readyz", "")).await;
    assert!(unready.starts_with("HTTP/1.1 503") && unready.ends_with("\nthe store is full\n"));
    assert_eq!(scrapes.last_us(), None);
    let metrics = ask(address, &request("GET", "/metrics?x=y", "")).await;
    assert!(metrics.contains("\ntollgate_connections 3\n"), "{metrics}");
    assert!(metrics.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    assert!(scrapes.last_us().is_some());
    let accept = "accept: text/html\r\naccept: application/openmetrics-text\r\n";
    let open = ask(address, &request("GET", "/metrics", accept)).await;
    assert!(open.contains("content-type: application/openmetrics-text; version=1.0.0;"));
    assert!(open.ends_with("# EOF\n"));
    let head = ask(address, &request("HEAD", "/metrics", "")).await;
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"));
    for (method, path, status) in [
        ("POST", "/metrics", "405"),
        ("GET", "/metrics/", "404"),
        ("GET", "/", "404"),
        ("DELETE", "/api/v1/users", "404"),
    ] {
        let answer = ask(address, &request(method, path, "")).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{method} {path}: {answer}"
        );
    }
    let with_body = request("GET", "/metrics", "content-length: 5\r\n") + "12345";
    assert!(ask(address, &with_body).await.starts_with("HTTP/1.1 200"));
    let http2 = ask(address, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert!(!http2.contains("200 OK"), "{http2}");
    let long = request(
        "GET",
        "/metrics",
        &format!("x: {}\r\n", "y".repeat(HEAD_BYTES_MAX)),
    );
    assert!(ask(address, &long).await.starts_with("HTTP/1.1 431"));
}

#[tokio::test]
async fn a_hundred_scrapers_at_once_get_a_page_each_one_after_the_other() {
    let source = Fake {
        is_ready: true,
        ..Fake::default()
    };
    let (address, _) = start(source).await;
    let asking = (0..100)
        .map(|_| tokio::spawn(async move { ask(address, &request("GET", "/metrics", "")).await }));
    for answer in asking.collect::<Vec<_>>() {
        assert!(answer.await.unwrap().contains("tollgate_connections 3"));
    }
    assert!(
        ask(address, &request("GET", "/readyz", ""))
            .await
            .ends_with("ok\n")
    );
}

#[tokio::test]
async fn connections_that_send_nothing_take_all_places_but_not_for_long() {
    let times = Times {
        head: Duration::from_millis(700),
        ..TIMES
    };
    let (address, _) = start_within(times, Fake::default()).await;
    let mut silent = Vec::new();
    for _ in 0..CONNECTIONS_MAX {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let begun = tokio::time::Instant::now();
    let healthy = ask(address, &request("GET", "/healthz", "")).await;
    assert!(healthy.ends_with("ok\n"), "{healthy}");
    // It waited for a place. The silent ones were accepted a little earlier.
    let waited = begun.elapsed();
    assert!(waited > times.head / 2, "{waited:?}");
}

#[tokio::test]
async fn connections_that_do_not_read_their_pages_keep_only_pages_away() {
    let source = Fake {
        is_ready: true,
        lines: 600_000,
        ..Fake::default()
    };
    let times = Times {
        connection: Duration::from_secs(300),
        ..TIMES
    };
    let (address, scrapes) = start_within(times, source).await;
    let mut slow = Vec::new();
    for _ in 0..PAGES_MAX {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = request("GET", "/metrics", "");
        stream.write_all(head.as_bytes()).await.unwrap();
        // Its page is written.
        stream.read_exact(&mut [0; 1]).await.unwrap();
        slow.push(stream);
    }
    let last = scrapes.last_us();
    let (waiting, asked) = tokio::sync::oneshot::channel();
    tokio::spawn(async move { waiting.send(ask(address, &request("GET", "/metrics", "")).await) });
    let ready = ask(address, &request("GET", "/readyz", "")).await;
    assert!(ready.ends_with("ok\n"), "{ready}");
    assert_eq!(scrapes.last_us(), last, "there is room for one more page");
    slow.pop();
    assert!(asked.await.unwrap().contains("tollgate_connections 3"));
}

#[tokio::test]
async fn a_connection_whose_response_is_not_read_is_closed() {
    let times = Times {
        connection: Duration::from_millis(700),
        ..TIMES
    };
    let source = Fake {
        lines: 1_000_000,
        ..Fake::default()
    };
    let (address, _) = start_within(times, source).await;
    let mut slow = TcpStream::connect(address).await.unwrap();
    let head = request("GET", "/metrics", "");
    slow.write_all(head.as_bytes()).await.unwrap();
    tokio::time::sleep(times.connection * 3).await;
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest).await;
    let page_bytes = "tollgate_connections 3\n".len() * 1_000_000;
    assert!(rest.len() < page_bytes, "{} bytes", rest.len());
}

#[test]
fn an_address_that_others_may_reach_is_warned_of() {
    for (address, is_warned) in [
        ("127.0.0.1:1", false),
        ("[::1]:1", false),
        ("10.1.2.3:1", false),
        ("[fd00::1]:1", false),
        ("[::ffff:192.168.0.1]:1", false),
        ("0.0.0.0:1", true),
        ("[::]:1", true),
        ("203.0.113.9:1", true),
        ("[2001:db8::1]:1", true),
    ] {
        let warning = exposure_warning(address.parse().unwrap());
        assert_eq!(warning.is_some(), is_warned, "{address}");
    }
}
