//! Memory of the control plane that clients with slow requests or slow reads can take.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};
use tollgate_testkit::control::PASSWORD;
use tollgate_testkit::{Connection, Control, Tollgate, http};

use crate::house::{DOCUMENT, builder};

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Connections per address of the loopback network, and the number of addresses.
const PER_ADDRESS: usize = 200;
const ADDRESSES: u8 = 5;
/// Maximum growth of memory, in KiB: buffers and tasks of a thousand connections.
const GROWN_KIB_MAX: u64 = 128 << 10;
/// The bound on all bodies in this test.
const BODIES_BYTES_MAX: usize = 16 << 20;

/// Connects from an address of the loopback network.
async fn connect(to: SocketAddr, from: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    let from = SocketAddr::from(([127, 0, 0, from], 0));
    socket.bind(from).unwrap();
    // The system's buffers at both ends hold little of a response.
    socket.set_recv_buffer_size(4_096).unwrap();
    socket.connect(to).await.unwrap()
}

/// Opens connections from these addresses, each of which sends these bytes.
async fn hold(to: SocketAddr, addresses: u8, sent: &[u8]) -> Vec<TcpStream> {
    let mut sending = Vec::new();
    for number in 0..usize::from(addresses) * PER_ADDRESS {
        let from = 1 + u8::try_from(number / PER_ADDRESS).unwrap();
        let mut stream = connect(to, from).await;
        let sent = sent.to_vec();
        sending.push(tokio::spawn(async move {
            // Some are closed in favour of others.
            let _ = stream.write_all(&sent).await;
            stream
        }));
    }
    let mut held = Vec::new();
    for sending in sending {
        held.push(sending.await.unwrap());
    }
    held
}

/// Returns a request without the last 50 bytes of its body.
fn unfinished(head: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("{head}Host: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n");
    [head.as_bytes(), &body[..length - 50]].concat()
}

async fn signs_in(tollgate: &Tollgate) {
    let begun = Instant::now();
    let stranger = Control::stranger(tollgate.control);
    while let Err(error) = stranger.sign_in("administrator", PASSWORD).await {
        // The connections of its address may be exhausted at first.
        assert!(begun.elapsed() < PATIENCE, "{error:#}");
    }
}

#[tokio::test]
async fn a_thousand_unfinished_sign_ins_take_no_memory_and_none_stays() {
    let tollgate = builder().start().unwrap();
    Control::administrator(&tollgate).await.unwrap();
    let before = tollgate.memory_kib().unwrap();
    let head = "POST /api/v1/session HTTP/1.1\r\nContent-Type: application/json\r\n";
    let request = unfinished(head, &vec![b' '; 1_000_000]);
    let held = hold(tollgate.control, ADDRESSES, &request).await;
    signs_in(&tollgate).await;
    let during = tollgate.memory_kib().unwrap().saturating_sub(before);
    assert!(during < GROWN_KIB_MAX, "{during} KiB");
    drop(held);
    signs_in(&tollgate).await;
    let after = tollgate.memory_kib().unwrap().saturating_sub(before);
    assert!(after < GROWN_KIB_MAX, "{after} KiB");
}

#[tokio::test]
async fn when_all_bodies_exceed_the_bound_strangers_are_dropped_and_users_are_served() {
    let builder = builder()
        .set("control-public-url", "http://127.0.0.1:9000")
        .set("gateway-public-url", "http://127.0.0.1:8080")
        .set("control-bodies-bytes-max", &BODIES_BYTES_MAX.to_string());
    let tollgate = builder.start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let body = json!({"name": "import"});
    let token = admin.done("POST", "/api/v1/access-tokens", Some(&body));
    let token = token.await.unwrap()["token"].as_str().unwrap().to_owned();

    // A signed-in user sends a document slowly.
    let document = format!("#{}{DOCUMENT}", " ".repeat(2 << 20));
    let head = format!(
        "POST /api/v1/apis/import?context=/slow HTTP/1.1\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/yaml\r\n"
    );
    let (sent, rest) = (
        unfinished(&head, document.as_bytes()),
        &document.as_bytes()[document.len() - 50..],
    );
    let mut slow = Connection::open(tollgate.control).await.unwrap();
    slow.send(&sent).await.unwrap();

    let head = "POST /oauth2/token HTTP/1.1\r\n\
        Content-Type: application/x-www-form-urlencoded\r\n";
    let request = unfinished(head, &vec![b'x'; 32 << 10]);
    let held = hold(tollgate.control, 3, &request).await;
    signs_in(&tollgate).await;

    let begun = Instant::now();
    let bodies = loop {
        let status = admin.done("GET", "/api/v1/status", None).await.unwrap();
        let bodies = status["bodies"].clone();
        let bytes = bodies["bytes"].as_u64().unwrap();
        assert!(bytes <= BODIES_BYTES_MAX as u64, "{bodies}");
        if bodies["dropped"].as_u64().unwrap() > 0 {
            break bodies;
        }
        assert!(begun.elapsed() < PATIENCE, "{bodies}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(bodies["bytes_max"], BODIES_BYTES_MAX);
    crate::start::logged(&tollgate, "exceeded control.bodies_bytes_max").await;
    slow.send(rest).await.unwrap();
    let imported = slow.answer(false).await.unwrap();
    assert_eq!(imported.status, 201, "{}", imported.text());

    let mut dropped = 0;
    for stream in held {
        let mut stream = Connection::over(stream);
        let answer = tokio::time::timeout(PATIENCE, stream.answer(false)).await;
        // The others are refused after their timeout, or replaced by new ones.
        let Ok(answer) = answer.unwrap() else {
            continue;
        };
        if answer.status == 503 {
            assert_eq!(answer.json()["error"], "temporarily_unavailable");
            assert!(answer.field("retry-after").is_some());
            dropped += 1;
        }
    }
    assert!(dropped > 0);
}

#[tokio::test]
async fn a_thousand_slow_readers_share_one_copy_of_the_document() {
    let tollgate = builder().start().unwrap();
    let path = "/api/v1/openapi.json";
    let first = http::call(tollgate.control, &http::request("GET", path, &[], b"")).await;
    let first = first.unwrap();
    let before = tollgate.memory_kib().unwrap();
    let request = http::request("GET", path, &[], b"");
    let mut held = hold(tollgate.control, ADDRESSES, &request).await;
    // Each has received the first bytes of its response.
    for stream in &mut held {
        let first = tokio::time::timeout(PATIENCE, stream.read(&mut [0; 16])).await;
        assert_eq!(first.unwrap().unwrap(), 16);
    }
    let grown = tollgate.memory_kib().unwrap().saturating_sub(before);
    let apart = (first.body.len() * held.len() / 1_024) as u64;
    assert!(grown < apart / 2, "{grown} KiB of {apart} KiB");

    // Compressed, and not sent again.
    let fields = [("Accept-Encoding", "gzip")];
    let gzip = http::call(tollgate.control, &http::request("GET", path, &fields, b"")).await;
    let gzip = gzip.unwrap();
    assert_eq!(gzip.field("content-encoding"), Some("gzip"));
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(&*gzip.body);
    std::io::Read::read_to_string(&mut decoder, &mut text).unwrap();
    assert_eq!(text.as_bytes(), first.body);
    assert!(gzip.body.len() < first.body.len() / 4);
    for (answer, fields) in [(&first, &[][..]), (&gzip, &fields[..])] {
        let tag = answer.field("etag").unwrap();
        let fields = [fields, &[("If-None-Match", tag)]].concat();
        let again = http::request("GET", path, &fields, b"");
        let again = http::call(tollgate.control, &again).await.unwrap();
        assert_eq!((again.status, again.body.len()), (304, 0));
        assert_eq!(again.field("etag"), Some(tag));
    }
}
