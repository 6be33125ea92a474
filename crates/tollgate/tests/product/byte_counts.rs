//! Body bytes of calls that do not reach their end: usage has those that were read from the caller
//! and written to it.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tollgate_testkit::{Behaviour, Control, upstream};

use crate::house::{House, builder};

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const MIB: usize = 1 << 20;
/// Ten bytes of a body are announced, five are sent.
const HALF: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello";
const CHUNKED_HALF: &[u8] =
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n";

/// Returns the bytes of all calls, once there are `calls`: of requests, and of responses.
async fn bytes(admin: &Control, calls: u64) -> (u64, u64) {
    let begun = Instant::now();
    loop {
        let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
        let sum = |name: &str| usage["rows"][0][name].as_u64().unwrap_or(0);
        if sum("calls") == calls {
            return (sum("bytes_in"), sum("bytes_out"));
        }
        assert!(begun.elapsed() < PATIENCE, "{usage}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Sends a POST with `sent` of a body of `length` bytes.
async fn post(house: &House, length: usize, sent: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    // A large response must not fit into the buffers of the system.
    socket.set_recv_buffer_size(65_536).unwrap();
    let mut caller = socket.connect(house.tollgate.gateway).await.unwrap();
    let key = &house.consumer.key;
    let request = format!(
        "POST /pets/1.0/pets HTTP/1.1\r\nHost: h\r\napikey: {key}\r\n\
         Content-Length: {length}\r\n\r\n{sent}"
    );
    caller.write_all(request.as_bytes()).await.unwrap();
    caller
}

/// Reads until the end of `hello`.
async fn read_hello(caller: &mut TcpStream) {
    let mut read = Vec::new();
    while !read.windows(3).any(|it| it == b"llo") {
        assert!(caller.read_buf(&mut read).await.unwrap() > 0);
    }
}

#[tokio::test]
async fn a_caller_that_leaves_during_a_download_is_charged_for_what_was_written() {
    let house = House::new().await;
    let body = vec![b'x'; 64 * MIB];
    let answer = upstream::answer(&body, "");
    house.upstream.behave(Behaviour::Answer(answer));
    let mut caller = post(&house, 4, "four").await;
    caller.read_exact(&mut vec![0; MIB]).await.unwrap();
    caller.set_zero_linger().unwrap();
    drop(caller);
    let (bytes_in, bytes_out) = bytes(&house.admin, 1).await;
    assert_eq!(bytes_in, 4);
    // What was read, but for the head, and what the system held on its way.
    let written = usize::try_from(bytes_out).unwrap();
    assert!((MIB - 1_024..32 * MIB).contains(&written), "{written}");
}

#[tokio::test]
async fn a_caller_that_leaves_during_an_upload_is_charged_for_what_was_read() {
    let house = House::new().await;
    house.upstream.behave(Behaviour::Hang);
    let caller = post(&house, 1_000, "some").await;
    let begun = Instant::now();
    while house.upstream.received().concat().is_empty() {
        assert!(begun.elapsed() < PATIENCE);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    drop(caller);
    assert_eq!(bytes(&house.admin, 1).await, (4, 0));
}

#[tokio::test]
async fn a_response_that_the_upstream_breaks_off_counts_as_far_as_it_was_written() {
    let house = House::new().await;
    for (calls, answer) in [(1, HALF), (2, CHUNKED_HALF)] {
        house.upstream.behave(Behaviour::BreakOff(answer.into()));
        let mut caller = post(&house, 4, "four").await;
        read_hello(&mut caller).await;
        assert_eq!(bytes(&house.admin, calls).await, (4 * calls, 5 * calls));
    }
}

#[tokio::test]
async fn a_call_that_the_drain_cuts_counts_as_far_as_it_came() {
    let builder = builder().set("gateway-drain-grace-ms", "0");
    let house = House::with(&builder, json!([])).await;
    let answer = [HALF, b"never"].concat();
    let never = Duration::from_secs(3_600);
    let behaviour = Behaviour::Pieces(never, HALF.len(), answer.into());
    house.upstream.behave(behaviour);
    let mut caller = post(&house, 4, "four").await;
    read_hello(&mut caller).await;
    let (status, builder) = house.tollgate.terminate().unwrap();
    assert!(status.success(), "{status}");
    let tollgate = builder.start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    assert_eq!(bytes(&admin, 1).await, (4, 5));
}
