//! Number 8: connections that say nothing, or too little, keep nobody from the control plane, and
//! health is told at every time.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tollgate_testkit::{Answer, Disk, http};

use crate::house::{House, builder, shared};
use crate::start::logged;

/// How soon health must be told: sooner than silent connections are dropped.
const SOON: Duration = Duration::from_secs(3);
/// What one address may hold.
const PER_ADDRESS: usize = 256;

/// The beginning of a request whose body never comes.
const HALF_A_BODY: &[u8] = b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\n\
    Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";

/// Connections from one address of the loopback network, each of which says so much and reads
/// nothing.
async fn hold(to: SocketAddr, from: u8, count: usize, says: &[u8]) -> Vec<TcpStream> {
    let mut held = Vec::new();
    for _ in 0..count {
        let socket = TcpSocket::new_v4().unwrap();
        socket
            .bind(SocketAddr::from(([127, 0, 0, from], 0)))
            .unwrap();
        // Little of an answer fits into what the system keeps for the two ends.
        socket.set_recv_buffer_size(4_096).unwrap();
        socket2::SockRef::from(&socket).set_tcp_mss(536).unwrap();
        let mut stream = socket.connect(to).await.unwrap();
        // Some are closed for others.
        let _ = stream.write_all(says).await;
        held.push(stream);
    }
    held
}

async fn soon(control: SocketAddr, path: &str) -> Answer {
    let request = http::request("GET", path, &[("Connection", "close")], b"");
    let begun = Instant::now();
    let answer = tokio::time::timeout(SOON, http::call(control, &request)).await;
    let answer = answer.unwrap_or_else(|_| panic!("{path}: nothing in {:?}", begun.elapsed()));
    answer.unwrap()
}

/// Requests that are under way until somebody reads their answers.
fn unread() -> Vec<u8> {
    b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(8)
}

#[tokio::test]
async fn silent_and_slow_connections_give_way() {
    let _machine = shared().await;
    let tollgate = builder().start().unwrap();
    let control = tollgate.control;
    for says in [&b""[..], b"GET / HTTP/1.1\r\nho", HALF_A_BODY] {
        let own = hold(control, 1, PER_ADDRESS, says).await;
        assert_eq!(soon(control, "/healthz").await.status, 200);
        let mut others = Vec::new();
        for from in 2..=5 {
            others.extend(hold(control, from, PER_ADDRESS, says).await);
        }
        for path in ["/healthz", "/readyz", "/api/v1/openapi.json"] {
            assert_eq!(soon(control, path).await.status, 200, "{path}");
        }
        drop((own, others));
    }

    let mut silent = TcpStream::connect(control).await.unwrap();
    let begun = Instant::now();
    let closed = tokio::time::timeout(Duration::from_secs(20), silent.read(&mut [0])).await;
    assert_eq!(closed.unwrap().unwrap(), 0);
    let waited = begun.elapsed();
    assert!(
        waited > Duration::from_secs(4) && waited < Duration::from_secs(10),
        "{waited:?}"
    );
}

#[tokio::test]
async fn while_all_places_are_at_work_health_is_told_and_the_rest_is_put_off() {
    let _machine = shared().await;
    let tollgate = builder().start().unwrap();
    let control = tollgate.control;
    let mut busy = hold(control, 1, PER_ADDRESS, &unread()).await;
    let deadline = Instant::now() + Duration::from_secs(10);
    while soon(control, "/api/v1/openapi.json").await.status != 503 {
        assert!(Instant::now() < deadline, "the requests are not under way");
        // One of them was not, and has given way to the question.
        busy.extend(hold(control, 1, 1, &unread()).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // In vain for the reserve too: whoever says nothing in it gives way.
    let slow = hold(control, 1, PER_ADDRESS, b"G").await;
    let refused = soon(control, "/api/v1/openapi.json").await;
    assert_eq!(refused.code(), "connections.full");
    assert_eq!(refused.field("retry-after"), Some("1"));
    for path in ["/healthz", "/readyz"] {
        assert_eq!(soon(control, path).await.status, 200, "{path}");
    }
    drop((busy, slow));
}

#[tokio::test]
async fn connections_of_a_trusted_proxy_are_not_bounded_by_address() {
    let _machine = shared().await;
    let builder = builder().set("control-trusted-proxies", "127.0.0.9");
    let tollgate = builder.start().unwrap();
    let _busy = hold(tollgate.control, 9, PER_ADDRESS, &unread()).await;
    // Each of them has its request under way by now.
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
    let answer = soon(house.tollgate.control, "/readyz").await;
    (answer.status, answer.code())
}

/// Asks until the answer is this one, for a few seconds.
async fn becomes(house: &House, expected: (u16, &str)) {
    let deadline = Instant::now() + Duration::from_secs(8);
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
async fn readiness_tells_of_a_disk_that_takes_no_writes_and_of_one_that_does_again() {
    let _machine = shared().await;
    let Ok(disk) = Disk::of(24 << 20) else { return };
    let house = House::with(&builder().on(disk), json!([])).await;
    assert_eq!(ready(&house).await.0, 200);
    house.tollgate.fill_disk().unwrap();
    // The log may have room that was taken before.
    for count in 0..400 {
        let body = json!({ "name": format!("a{count}") });
        let path = "/api/v1/applications";
        let answer = house.admin.send("POST", path, Some(&body)).await.unwrap();
        if answer.status == 503 {
            break;
        }
    }
    becomes(&house, (503, "store.full")).await;
    assert_eq!(soon(house.tollgate.control, "/healthz").await.status, 200);
    assert_eq!(house.call().await.status, 200);
    house.tollgate.empty_disk().unwrap();
    becomes(&house, (200, "")).await;
}

#[tokio::test]
async fn asking_for_readiness_often_writes_once_a_second() {
    let _machine = shared().await;
    let tollgate = builder().start().unwrap();
    let path = tollgate.builder().data().join("tollgate.db");
    let options = SqliteConnectOptions::new().filename(path).read_only(true);
    let mut store = options.connect().await.unwrap();
    let begun = Instant::now();
    for _ in 0..100 {
        assert_eq!(soon(tollgate.control, "/readyz").await.status, 200);
    }
    let most = begun.elapsed().as_secs() + 1;
    let probes = sqlx::query_scalar("select probes from last_write");
    let probes: u64 = probes.fetch_one(&mut store).await.unwrap();
    assert!((1..=most).contains(&probes), "{probes} of {most}");
}

#[tokio::test]
async fn a_bound_that_does_not_fit_the_descriptors_is_told_at_the_start() {
    let _machine = shared().await;
    let builder = builder().set("gateway-connections-max", "10000000");
    let tollgate = builder.start().unwrap();
    let line = logged(&tollgate, "gateway.connections_max 10000000").await;
    assert!(line.contains("WARN") && line.contains("files"), "{line}");
}
