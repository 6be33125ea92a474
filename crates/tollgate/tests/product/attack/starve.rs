//! Number 8: silent or slow connections keep nobody away from the control plane, and health is
//! always reported.
//!
//! Times depend on the machine. The tests assert the order of events: a response arrives while the
//! connections are held, not after they are released.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tollgate_testkit::{Answer, Disk, http};

use crate::house::{House, builder};
use crate::start::logged;

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum number of connections of one address.
const PER_ADDRESS: usize = 256;
/// Time that the control plane waits for a client that does not read (`control::serve`).
const WRITE_TIME: Duration = Duration::from_secs(20);
/// Number of attempts of a test if the machine is too slow for a result.
const ATTEMPTS: usize = 5;

/// The beginning of a request with a body that never arrives.
const HALF_A_BODY: &[u8] = b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\n\
    Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";

/// Opens connections from one address of the loopback network, each of which sends these bytes and
/// reads nothing.
async fn hold(to: SocketAddr, from: u8, count: usize, sent: &[u8]) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for _ in 0..count {
        let socket = TcpSocket::new_v4().unwrap();
        socket
            .bind(SocketAddr::from(([127, 0, 0, from], 0)))
            .unwrap();
        // The system's buffers at both ends hold little of a response.
        socket.set_recv_buffer_size(4_096).unwrap();
        socket2::SockRef::from(&socket).set_tcp_mss(536).unwrap();
        let mut stream = socket.connect(to).await.unwrap();
        // Some are closed in favour of others.
        let _ = stream.write_all(sent).await;
        held.push(stream);
    }
    held
}

/// Returns whether a connection that has received nothing is still open.
fn is_open(stream: &TcpStream) -> bool {
    let read = stream.try_read(&mut [0]);
    read.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
}

async fn get(control: SocketAddr, path: &str) -> Answer {
    let request = http::request("GET", path, &[("Connection", "close")], b"");
    let answer = tokio::time::timeout(PATIENCE, http::call(control, &request)).await;
    let answer = answer.unwrap_or_else(|_| panic!("{path}: nothing in {PATIENCE:?}"));
    answer.unwrap()
}

/// Returns the statuses of these paths, requested while the maximum number of connections from
/// these addresses is held, each of which has sent these bytes and no more.
async fn statuses_beside(
    control: SocketAddr,
    (addresses, sent): (RangeInclusive<u8>, &[u8]),
    paths: &[&str],
) -> Vec<u16> {
    for _ in 0..ATTEMPTS {
        let mut held = Vec::new();
        for from in addresses.clone() {
            held.extend(hold(control, from, PER_ADDRESS, sent).await);
        }
        let mut statuses = Vec::new();
        for path in paths {
            statuses.push(get(control, path).await.status);
        }
        // Each is dropped in the end: a response after the last one proves nothing.
        if held.iter().any(is_open) {
            return statuses;
        }
    }
    panic!("no connection is held for as long as an answer takes");
}

/// Returns pipelined requests, in progress until their responses are read.
fn unread() -> Vec<u8> {
    b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(8)
}

#[tokio::test]
async fn silent_and_slow_connections_are_replaced() {
    let tollgate = builder().start().unwrap();
    let control = tollgate.control;
    let paths = ["/healthz", "/readyz", "/api/v1/openapi.json"];
    for sent in [&b""[..], b"GET / HTTP/1.1\r\nho", HALF_A_BODY] {
        // As many as one address may hold, and more than all may.
        for addresses in [1..=1, 1..=5] {
            let reported = statuses_beside(control, (addresses, sent), &paths).await;
            assert_eq!(reported, [200; 3]);
        }
    }
}

#[tokio::test]
async fn a_silent_connection_is_closed_sooner_than_one_with_a_partial_request() {
    let tollgate = builder().start().unwrap();
    let [begun, silent] = [&b"GET / HTTP/1.1\r\nho"[..], b""];
    let mut begun = hold(tollgate.control, 1, 1, begun).await.remove(0);
    let since = Instant::now();
    let mut silent = hold(tollgate.control, 1, 1, silent).await.remove(0);
    let mut bytes = [[0]; 2];
    let [of_begun, of_silent] = &mut bytes;
    tokio::select! {
        biased;
        read = begun.read(of_begun) => panic!("it had sent a partial request: {read:?}"),
        read = silent.read(of_silent) => assert_eq!(read.unwrap(), 0),
    }
    assert!(since.elapsed() > Duration::from_secs(4));
}

#[tokio::test]
async fn while_all_connections_are_busy_health_is_reported_and_the_rest_is_put_off() {
    let tollgate = builder().start().unwrap();
    let control = tollgate.control;
    for _ in 0..ATTEMPTS {
        let begun = Instant::now();
        let mut busy = hold(control, 1, PER_ADDRESS, &unread()).await;
        while begun.elapsed() < WRITE_TIME
            && get(control, "/api/v1/openapi.json").await.status != 503
        {
            // One of them was idle, and was replaced by the request.
            busy.extend(hold(control, 1, 1, &unread()).await);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // The reserve cannot be occupied either: silent connections in it are replaced.
        let slow = hold(control, 1, PER_ADDRESS, b"G").await;
        let refused = get(control, "/api/v1/openapi.json").await;
        for path in ["/healthz", "/readyz"] {
            assert_eq!(get(control, path).await.status, 200, "{path}");
        }
        drop(slow);
        // Later they may have been dropped, and one may have ended in between.
        if begun.elapsed() < WRITE_TIME && refused.status == 503 {
            assert_eq!(refused.code(), "connections.full");
            assert_eq!(refused.field("retry-after"), Some("1"));
            return;
        }
    }
    panic!("all places were never at work at a time");
}

#[tokio::test]
async fn connections_of_a_trusted_proxy_are_not_limited_per_address() {
    let builder = builder().set("control-trusted-proxies", "127.0.0.9");
    let tollgate = builder.start().unwrap();
    let _busy = hold(tollgate.control, 9, PER_ADDRESS, &unread()).await;
    // Each of them has a request in progress by now.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut next = hold(
        tollgate.control,
        9,
        1,
        b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
    )
    .await;
    let mut answer = String::new();
    next[0].read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

async fn ready(house: &House) -> (u16, String) {
    let answer = get(house.tollgate.control, "/readyz").await;
    (answer.status, answer.code())
}

/// Polls until the response is this one.
async fn becomes(house: &House, expected: (u16, &str)) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let (status, code) = ready(house).await;
        if (status, code.as_str()) == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{status} {code}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn readiness_reports_a_disk_that_cannot_be_written_and_its_recovery() {
    let Ok(disk) = Disk::of(24 << 20) else { return };
    let house = House::with(&builder().on(disk), json!([])).await;
    assert_eq!(ready(&house).await.0, 200);
    house.tollgate.fill_disk().unwrap();
    // The log may have space that was allocated before.
    for count in 0..400 {
        let body = json!({ "name": format!("a{count}") });
        let path = "/api/v1/applications";
        let answer = house.admin.send("POST", path, Some(&body)).await.unwrap();
        if answer.status == 503 {
            break;
        }
    }
    becomes(&house, (503, "store.full")).await;
    assert_eq!(get(house.tollgate.control, "/healthz").await.status, 200);
    assert_eq!(house.call().await.status, 200);
    house.tollgate.empty_disk().unwrap();
    becomes(&house, (200, "")).await;
}

#[tokio::test]
async fn frequent_readiness_checks_write_once_a_second() {
    let tollgate = builder().start().unwrap();
    let path = tollgate.builder().data().join("tollgate.db");
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    let mut store = options.connect().await.unwrap();
    let begun = Instant::now();
    for _ in 0..100 {
        assert_eq!(get(tollgate.control, "/readyz").await.status, 200);
    }
    let most = begun.elapsed().as_secs() + 1;
    let probes = sqlx::query_scalar("select probes from last_write");
    let probes: u64 = probes.fetch_one(&mut store).await.unwrap();
    assert!((1..=most).contains(&probes), "{probes} of {most}");
}

#[tokio::test]
async fn a_bound_that_exceeds_the_descriptors_is_reported_at_the_start() {
    let builder = builder().set("gateway-connections-max", "10000000");
    let tollgate = builder.start().unwrap();
    let line = logged(&tollgate, "gateway.connections_max 10000000").await;
    assert!(line.contains("WARN") && line.contains("files"), "{line}");
}
