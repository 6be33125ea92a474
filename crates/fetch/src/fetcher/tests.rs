//! Tests against a real server on this machine.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;

/// The response for a path; the function gets the request's head too.
type Answer = fn(&str, u16) -> Vec<u8>;

async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).await.unwrap() > 0 {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

async fn serve(answer: Answer) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let head = read_head(&mut stream).await;
            let bytes = answer(&head, port);
            if bytes.is_empty() {
                // Never responds.
                tokio::time::sleep(Duration::from_secs(600)).await;
            }
            drop(stream.write_all(&bytes).await);
        }
    });
    port
}

fn ok(body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/xml; charset=utf-8\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn moved(location: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n").into_bytes()
}

fn answer(head: &str, port: u16) -> Vec<u8> {
    let path = head.split(' ').nth(1).unwrap();
    match path {
        "/doc?wsdl" => ok(head),
        "/moved" => moved("sub/there"),
        "/sub/there" => ok("found"),
        "/loop" => moved("/loop"),
        "/private" => moved(&format!("http://127.0.0.2:{port}/doc")),
        "/file" => moved("file:///etc/passwd"),
        "/nowhere" => b"HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n".to_vec(),
        "/large" => ok(&"x".repeat(2_000)),
        "/endless" => [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; 4_000_000]].concat(),
        "/zipped" => b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nx".to_vec(),
        "/cut" => b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx".to_vec(),
        "/slow" => Vec::new(),
        "/nonsense" => b"SSH-2.0-x\r\n\r\n".to_vec(),
        _ => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec(),
    }
}

fn fetcher(allowed: &str) -> Fetcher {
    Fetcher::new(allowed.parse().unwrap())
}

/// Accepts every document.
const ROOM: &(dyn Fn(usize) -> bool + Sync) = &|_| true;

const LIMITS: Limits = Limits {
    bytes_max: 1_000,
    redirects_max: 3,
    time: Duration::from_secs(60),
};

#[tokio::test]
async fn a_document_is_fetched_with_its_final_url() {
    let port = serve(answer).await;
    let fetcher = fetcher("127.0.0.1");
    let url = format!("http://127.0.0.1:{port}/doc?wsdl#part");
    let fetched = fetcher.get(&url, LIMITS, ROOM).await.unwrap();
    assert_eq!(fetched.url, format!("http://127.0.0.1:{port}/doc?wsdl"));
    assert_eq!(
        fetched.content_type.as_deref(),
        Some("text/xml; charset=utf-8")
    );
    let head = std::str::from_utf8(&fetched.bytes).unwrap();
    assert!(
        head.contains(&format!("host: 127.0.0.1:{port}\r\n")),
        "{head}"
    );
    let fetched = fetcher
        .get(&format!("http://127.0.0.1:{port}/moved"), LIMITS, ROOM)
        .await
        .unwrap();
    assert_eq!(fetched.url, format!("http://127.0.0.1:{port}/sub/there"));
    assert_eq!(&fetched.bytes[..], b"found");
}

#[tokio::test]
async fn a_document_is_fetched_while_its_caller_has_room() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let port = serve(answer).await;
    let url = format!("http://127.0.0.1:{port}/large");
    let limits = Limits {
        bytes_max: 2_000,
        ..LIMITS
    };
    let taken = AtomicUsize::new(0);
    let count = |bytes| {
        taken.fetch_add(bytes, Ordering::Relaxed);
        true
    };
    let fetched = fetcher("127.0.0.1").get(&url, limits, &count).await;
    assert_eq!(fetched.unwrap().bytes.len(), 2_000);
    assert_eq!(taken.into_inner(), 2_000);
    let refused = fetcher("127.0.0.1").get(&url, limits, &|_| false).await;
    assert!(matches!(refused, Err(FetchError::NoRoom(_))));
}

#[tokio::test]
async fn forbidden_documents_are_refused_with_a_reason() {
    let port = serve(answer).await;
    let fetcher = fetcher("127.0.0.1");
    let reason = async |path: &str| {
        let url = format!("http://127.0.0.1:{port}{path}");
        fetcher.get(&url, LIMITS, ROOM).await.unwrap_err()
    };
    assert!(matches!(reason("/loop").await, FetchError::Redirects(_)));
    assert!(matches!(reason("/private").await, FetchError::Refused(_)));
    assert!(matches!(reason("/file").await, FetchError::Redirect(_)));
    assert!(matches!(reason("/nowhere").await, FetchError::Redirect(_)));
    assert!(matches!(
        reason("/large").await,
        FetchError::TooLarge { .. }
    ));
    assert!(matches!(
        reason("/endless").await,
        FetchError::TooLarge { .. }
    ));
    assert!(matches!(reason("/zipped").await, FetchError::Coding(_)));
    assert!(matches!(reason("/cut").await, FetchError::Broken(_)));
    assert!(matches!(reason("/nonsense").await, FetchError::Http { .. }));
    assert!(matches!(
        reason("/none").await,
        FetchError::Status { status: 404, .. }
    ));
    let soon = Limits {
        time: Duration::from_millis(300),
        ..LIMITS
    };
    let slow = fetcher
        .get(&format!("http://127.0.0.1:{port}/slow"), soon, ROOM)
        .await;
    assert!(matches!(slow, Err(FetchError::TooSlow { .. })));
}

#[tokio::test]
async fn addresses_that_are_not_public_are_refused_before_anything_is_sent() {
    let port = serve(answer).await;
    let fetcher = fetcher("");
    let hosts = [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "0x7f000001",
        "2130706433",
        "127.1",
    ];
    for host in hosts {
        let refused = fetcher
            .get(&format!("http://{host}:{port}/doc?wsdl"), LIMITS, ROOM)
            .await;
        assert!(
            matches!(refused, Err(FetchError::Refused(_))),
            "{host}: {refused:?}"
        );
    }
    for url in [
        "ftp://x/",
        "file:///etc/passwd",
        "x",
        "http://a:b@127.0.0.1/",
        "http:///x",
    ] {
        let refused = fetcher.get(url, LIMITS, ROOM).await;
        assert!(
            matches!(refused, Err(FetchError::Url(_) | FetchError::Unknown(_))),
            "{url}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn tls_requires_trusted_certificates() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(tls::provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(mut stream) = acceptor.accept(stream).await {
                read_head(&mut stream).await;
                let down = moved(&format!("http://127.0.0.1:{port}/"));
                drop(stream.write_all(&down).await);
                drop(stream.shutdown().await);
            }
        }
    });
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let allowed: HostList = "localhost, 127.0.0.1".parse().unwrap();
    let trusting = Fetcher::trusting(allowed.clone(), Arc::new(roots));
    let url = format!("https://localhost:{port}/");
    // It is trusted, and then redirects from https to http.
    let down = trusting.get(&url, LIMITS, ROOM).await;
    assert!(matches!(down, Err(FetchError::Redirect(_))), "{down:?}");
    let by_address = trusting
        .get(&format!("https://127.0.0.1:{port}/"), LIMITS, ROOM)
        .await;
    assert!(
        matches!(by_address, Err(FetchError::Tls { .. })),
        "{by_address:?}"
    );
    let other = Fetcher::new(allowed).get(&url, LIMITS, ROOM).await;
    assert!(matches!(other, Err(FetchError::Tls { .. })), "{other:?}");
}
