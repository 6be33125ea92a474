use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

const TIME: Duration = Duration::from_secs(15);

/// Creates a fetcher with `bytes_max` for all documents together, and a server.
async fn house(bytes_max: usize) -> (DocumentFetcher, TcpListener) {
    let server = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let fetcher = Fetcher::new("127.0.0.1".parse().unwrap());
    let bodies = Arc::new(Bodies::new(bytes_max));
    (DocumentFetcher::new(fetcher, TIME, bodies), server)
}

/// Accepts a request, and sends the first `sent` bytes of a document with `length` bytes.
async fn begin(server: &TcpListener, (sent, length): (usize, usize)) -> TcpStream {
    let (mut stream, _) = server.accept().await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
    let answer = [head.into_bytes(), vec![b'x'; sent]].concat();
    stream.write_all(&answer).await.unwrap();
    stream
}

#[tokio::test]
async fn a_document_counts_until_it_is_dropped() {
    let (fetcher, server) = house(100).await;
    let url = format!("http://{}/", server.local_addr().unwrap());
    let (fetched, _) = tokio::join!(fetcher.get(&url), begin(&server, (80, 80)));
    let (fetched, reading) = fetched.unwrap();
    assert_eq!(fetched.bytes.len(), 80);
    assert_eq!(fetcher.bodies.holding().bytes, 80);
    let (refused, _) = tokio::join!(fetcher.get(&url), begin(&server, (80, 80)));
    assert!(matches!(refused, Err(FetchError::NoRoom(_))));
    assert_eq!(
        not_fetched("/url", &refused.unwrap_err()).code(),
        "bodies.full"
    );
    drop(reading);
    assert_eq!(fetcher.bodies.holding().bytes, 0);
}

#[tokio::test]
async fn a_stalled_document_is_dropped_for_a_body() {
    let (fetcher, server) = house(100).await;
    let url = format!("http://{}/", server.local_addr().unwrap());
    let sending = async {
        let stream = begin(&server, (80, 90)).await;
        while fetcher.bodies.holding().bytes < 80 {
            tokio::task::yield_now().await;
        }
        let body = fetcher.bodies.begin();
        body.mark_known();
        body.take(60).unwrap();
        (stream, body)
    };
    let (refused, (_stream, body)) = tokio::join!(fetcher.get(&url), sending);
    assert!(matches!(refused, Err(FetchError::NoRoom(_))));
    assert_eq!(fetcher.bodies.holding().bytes, 60);
    drop(body);
}

#[tokio::test]
async fn a_refused_address_names_the_setting_that_allows_it() {
    let bodies = Arc::new(Bodies::new(100));
    let fetcher = DocumentFetcher::new(Fetcher::new("".parse().unwrap()), TIME, bodies);
    let refused = fetcher.get("http://127.0.0.1:9/a");
    let refused = refused.await.unwrap_err();
    let cause = cause(&refused);
    assert!(cause.contains("\"127.0.0.1\" has no address that may be connected to"));
    assert!(cause.contains("control.fetch_allowed"), "{cause}");
}
