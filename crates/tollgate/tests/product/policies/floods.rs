//! Floods of bodies that are held whole, by one owner of applications: callers of another owner are
//! not refused, nor are other calls of the same key once the flood is a second old.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};
use tollgate_testkit::{Behaviour, http, upstream};

use crate::house::{House, builder, user};
use crate::start::logged;

const ROOM: usize = 16 << 20;
/// Room for more than the responses of another owner's callers take.
const RESPONSE_ROOM: usize = 128 << 20;
const BODY: usize = 1 << 20;
const CALLERS: usize = 50;
const TEXT: &str = "Content-Type: text/plain\r\n";
/// Time limit on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A house with a step that reads bodies in this direction, and the key of another owner.
async fn house_with_another(direction: &str, room: usize) -> (House, String) {
    let builder = builder()
        .set("gateway-buffered-bytes-max", &room.to_string())
        .set("gateway-connections-per-address-max", "2000");
    let house = House::with(&builder, json!([])).await;
    let step = json!([{ "policy": "replace_text", "pairs": [{ "from": "a", "to": "b" }] }]);
    let steps = Value::Object([(direction.to_owned(), step)].into_iter().collect());
    let house = house.with_operations(steps).await;
    let person = ("another", &["developer"][..]);
    let another = user(&house.admin, &house.tollgate, person).await;
    let consumer = another.consumer("other shop", &house.api.version, "tested");
    let key = consumer.await.unwrap().key;
    (house, key)
}

/// Callers that send slowly.
struct Flood {
    _connections: JoinSet<()>,
    /// Whether those that had to give way call again.
    returns: Arc<AtomicBool>,
}

/// Sends the begin of a request on many connections, then these bytes on each, at this interval.
fn flood(
    gateway: SocketAddr,
    count: usize,
    (begin, more): (Vec<u8>, Vec<u8>),
    every: Duration,
) -> Flood {
    let returns = Arc::new(AtomicBool::new(true));
    let mut connections = JoinSet::new();
    for _ in 0..count {
        let (begin, more, returns) = (begin.clone(), more.clone(), Arc::clone(&returns));
        connections.spawn(async move {
            while returns.load(Ordering::Relaxed) {
                let mut connection = TcpStream::connect(gateway).await.unwrap();
                if connection.write_all(&begin).await.is_err() {
                    continue;
                }
                let mut beat = interval(every);
                loop {
                    beat.tick().await;
                    if connection.write_all(&more).await.is_err() {
                        break;
                    }
                }
            }
        });
    }
    Flood {
        _connections: connections,
        returns,
    }
}

/// A POST with a body of this length.
fn post(key: &str, length: usize) -> Vec<u8> {
    let fields = format!("apikey: {key}\r\n{TEXT}Content-Length: {length}");
    let head = format!("POST /pets/1.0/pets HTTP/1.1\r\nHost: a\r\n{fields}\r\n\r\n");
    [head.as_bytes(), &vec![b'x'; length]].concat()
}

/// The statuses other than 200, with their codes, of these many calls at once.
async fn refused(gateway: SocketAddr, count: usize, request: &[u8]) -> Vec<(u16, String)> {
    let mut calls = JoinSet::new();
    for _ in 0..count {
        let request = request.to_vec();
        calls.spawn(async move { timeout(PATIENCE, http::call(gateway, &request)).await });
    }
    let answers = calls.join_all().await;
    let answers = answers
        .into_iter()
        .map(|answer| answer.expect("in time").expect("an answer"));
    let refused = answers.filter(|answer| answer.status != 200);
    refused
        .map(|answer| (answer.status, answer.code()))
        .collect()
}

/// Checks what a flood leaves to another owner, and, once it `returns` no more, to the same key.
async fn leaves_room(house: &House, another: &str, length: usize, returns: &AtomicBool) {
    let gateway = house.tollgate.gateway;
    // What came before the flood is not checked: it has a second to take effect.
    sleep(Duration::from_secs(2)).await;
    let until = Instant::now() + Duration::from_secs(3);
    while Instant::now() < until {
        let found = refused(gateway, CALLERS, &post(another, length)).await;
        assert_eq!(found, [], "of another owner");
    }
    // Those that return could take what gives way to the call.
    returns.store(false, Ordering::Relaxed);
    sleep(Duration::from_secs(3)).await;
    let found = refused(gateway, 1, &post(&house.consumer.key, length)).await;
    assert_eq!(found, [], "of the same key");
}

#[tokio::test]
async fn of_slow_bodies() {
    let (house, another) = house_with_another("request", ROOM).await;
    let begin = post(&house.consumer.key, BODY);
    let begin = begin[..begin.len() - BODY].to_vec();
    let more = vec![b'x'; 31_000];
    let gateway = house.tollgate.gateway;
    let flood = flood(gateway, 24, (begin, more), Duration::from_secs(1));
    leaves_room(&house, &another, 100_000, &flood.returns).await;
}

#[tokio::test]
async fn of_begun_chunked_bodies() {
    let (house, another) = house_with_another("request", ROOM).await;
    let key = &house.consumer.key;
    let begin = format!(
        "POST /pets/1.0/pets HTTP/1.1\r\nHost: a\r\napikey: {key}\r\n{TEXT}Transfer-Encoding: \
         chunked\r\n\r\na\r\n0123456789\r\n"
    );
    let more = b"1\r\na\r\n".to_vec();
    let gateway = house.tollgate.gateway;
    let flood_of = (begin.into_bytes(), more);
    let flood = flood(gateway, 300, flood_of, Duration::from_secs(1));
    leaves_room(&house, &another, 1_000, &flood.returns).await;
}

#[tokio::test]
async fn of_callers_that_do_not_read() {
    let (house, another) = house_with_another("response", RESPONSE_ROOM).await;
    let behaviour = upstream::answer(&vec![b'x'; 1_000_000], TEXT);
    house.upstream.behave(Behaviour::Answer(behaviour));
    let gateway = house.tollgate.gateway;
    let begin = house.raw("GET", "", b"");
    let mut flood = JoinSet::new();
    for _ in 0..140 {
        let begin = begin.clone();
        flood.spawn(async move {
            loop {
                let socket = TcpSocket::new_v4().unwrap();
                // The system holds no more of it than this.
                socket.set_recv_buffer_size(16 * 1024).unwrap();
                let mut connection = socket.connect(gateway).await.unwrap();
                connection.write_all(&begin).await.unwrap();
                let mut some = [0; 1_000];
                // 10 KB a second.
                while matches!(connection.read(&mut some).await, Ok(count) if count > 0) {
                    sleep(Duration::from_millis(100)).await;
                }
            }
        });
    }
    // Responses wait for what gives way.
    leaves_room(&house, &another, 1_000, &AtomicBool::new(true)).await;
    logged(&house.tollgate, "listener.answer_room: a caller of ver_").await;
}
