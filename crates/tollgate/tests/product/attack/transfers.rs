//! Number 10 of the second attack: transfers of over five minutes were cut off although their bytes
//! flowed, and counted as complete; those that hardly flowed were not.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tollgate_testkit::{Answer, Behaviour, Connection, upstream};

use crate::house::{House, builder};
use crate::start::logged;

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// The pieces of a transfer, and the pause between them.
const APART: Duration = Duration::from_millis(100);
const PIECES: usize = 65;

async fn house(settings: &[(&str, &str)]) -> House {
    let mut builder = builder();
    for (setting, value) in settings {
        builder = builder.set(setting, value);
    }
    House::with(&builder, json!([])).await
}

/// Sends a POST with a body of `PIECES` pieces until it is answered.
async fn upload(house: &House, piece: &[u8]) -> Answer {
    let key = &house.consumer.key;
    let head = format!(
        "POST /pets/1.0/pets HTTP/1.1\r\nHost: h\r\napikey: {key}\r\nContent-Length: {}\r\n\r\n",
        PIECES * piece.len()
    );
    let stream = TcpStream::connect(house.tollgate.gateway).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (reader, mut writer) = stream.into_split();
    let mut connection = Connection::over(tokio::io::join(reader, tokio::io::sink()));
    let sending = async {
        writer.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..PIECES {
            // After a refusal the gateway reads no more.
            let _ = writer.write_all(piece).await;
            tokio::time::sleep(APART).await;
        }
        std::future::pending().await
    };
    tokio::select! {
        answer = connection.answer(false) => answer.unwrap(),
        never = sending => never,
    }
}

/// Returns the usage of calls with this status and refusal, once there is one.
async fn row(house: &House, status: u16, refusal: &str) -> Value {
    let begun = Instant::now();
    loop {
        let path = "/api/v1/usage?group_by=status,refusal";
        let usage = house.admin.done("GET", path, None).await.unwrap();
        let rows = usage["rows"].as_array().unwrap();
        let row = rows
            .iter()
            .find(|row| row["status"] == status && row["refusal"] == refusal);
        if let Some(row) = row {
            return row.clone();
        }
        assert!(begun.elapsed() < PATIENCE, "{usage}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn transfers_that_flow_may_exceed_the_exchange_timeout() {
    let house = house(&[
        ("gateway-exchange-timeout-ms", "3000"),
        ("gateway-transfer-window-ms", "3000"),
    ])
    .await;
    // The head and a first piece; then enough to last twice the time.
    let body = vec![b'x'; PIECES * 100];
    let pieces = Behaviour::Pieces(APART, 100, upstream::answer(&body, ""));
    house.upstream.behave(pieces);
    let begun = Instant::now();
    let (download, ()) = tokio::join!(house.call(), async {
        // The upload's upstream responds after the complete body.
        while house.upstream.requests() == 0 {
            assert!(begun.elapsed() < PATIENCE);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        house.upstream.behave(Behaviour::text("taken"));
        let upload = upload(&house, &[b'x'; 100]).await;
        assert_eq!((upload.status, upload.text().as_str()), (200, "taken"));
        assert!(begun.elapsed() > Duration::from_secs(6));
    });
    assert!(begun.elapsed() > Duration::from_secs(6));
    assert_eq!((download.status, download.body.len()), (200, body.len()));
    // A side that sends nothing is still limited.
    house.upstream.behave(Behaviour::Hang);
    let late = house.call().await;
    assert_eq!(
        (late.status, late.code().as_str()),
        (504, "upstream.timeout")
    );
    logged(&house.tollgate, "exceeded gateway.exchange_timeout_ms").await;
}

#[tokio::test]
async fn a_dripping_upload_is_cut_off_with_a_cause_and_a_dripping_response_is_not() {
    let house = house(&[("gateway-transfer-window-ms", "3000")]).await;
    let refused = upload(&house, b"x").await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (408, "listener.body_time")
    );
    assert_eq!(refused.json()["detail"], "The body arrived too slowly.");
    let line = logged(&house.tollgate, "listener.body_time: a caller of ver_").await;
    assert!(
        line.contains("WARN") && line.contains("127.0.0.1 after "),
        "{line}"
    );
    assert!(
        line.contains("slower than gateway.transfer_bytes_per_second_min"),
        "{line}"
    );
    assert_eq!(row(&house, 408, "listener.body_time").await["calls"], 1);

    // Rare events, as in an event stream: the gateway waits for no one.
    let events =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 4\r\n\r\na\n\nb";
    let silence = Duration::from_secs(5);
    let pieces = Behaviour::Pieces(silence, events.len() - 2, events.as_slice().into());
    house.upstream.behave(pieces);
    let streamed = house.call().await;
    assert_eq!((streamed.status, streamed.text().as_str()), (200, "a\n\nb"));
}

/// Connects a client with small receive buffers.
async fn narrow(to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    socket2::SockRef::from(&socket).set_tcp_mss(536).unwrap();
    socket.connect(to).await.unwrap()
}

#[tokio::test]
async fn a_client_that_reads_in_drips_is_cut_off_and_recorded_with_the_cause() {
    // It is not cut off for inactivity.
    let house = house(&[
        ("gateway-transfer-window-ms", "3000"),
        ("gateway-body-idle-timeout-ms", "600000"),
    ])
    .await;
    let body = vec![b'x'; 30 << 20];
    house
        .upstream
        .behave(Behaviour::Answer(upstream::answer(&body, "")));
    let mut caller = narrow(house.tollgate.gateway).await;
    caller.write_all(&house.request()).await.unwrap();
    let reading = async {
        loop {
            caller.read_exact(&mut [0]).await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let line = tokio::select! {
        line = logged(&house.tollgate, "listener.answer_time: a caller of ver_") => line,
        () = reading => unreachable!(),
    };
    assert!(
        line.contains("WARN") && line.contains("127.0.0.1 after "),
        "{line}"
    );
    assert!(
        line.contains("slower than gateway.transfer_bytes_per_second_min"),
        "{line}"
    );
    assert_eq!(row(&house, 200, "listener.answer_time").await["calls"], 1);
    let mut rest = Vec::new();
    // The end, or a reset: never the complete response.
    let _ = caller.read_to_end(&mut rest).await;
    assert!(rest.len() < body.len() / 2, "{}", rest.len());
}

#[tokio::test]
async fn a_client_that_reads_slowly_is_not_considered_stalled() {
    let house = house(&[("gateway-body-idle-timeout-ms", "3000")]).await;
    // More than the system buffers, so that the gateway waits most of the time.
    let body = vec![b'x'; 30 << 20];
    house
        .upstream
        .behave(Behaviour::Answer(upstream::answer(&body, "")));
    let mut caller = narrow(house.tollgate.gateway).await;
    caller.write_all(&house.request()).await.unwrap();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(8) {
        caller.read_exact(&mut [0; 1_600]).await.expect("not cut");
        tokio::time::sleep(APART).await;
    }
    // Received bytes are still in the system's buffers when the gateway cuts off, so check its log
    // too.
    let path = "/api/v1/usage?group_by=status,refusal";
    let usage = house.admin.done("GET", path, None).await.unwrap();
    assert_eq!(usage["rows"], json!([]), "the call is under way");
}

#[tokio::test]
async fn a_transfer_has_its_own_timeout_if_configured() {
    let house = house(&[("gateway-transfer-timeout-ms", "3000")]).await;
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
    let endless = [head.as_slice(), &[b'x'; 100_000]].concat();
    house
        .upstream
        .behave(Behaviour::Pieces(APART, 200, endless.into()));
    let mut cut = Connection::open(house.tollgate.gateway).await.unwrap();
    cut.send(&house.request()).await.unwrap();
    let (got, has_ended) = cut.until_quiet(PATIENCE).await;
    assert!(has_ended && got.starts_with(b"HTTP/1.1 200"));
    let line = logged(&house.tollgate, "upstream.timeout: a back end of ver_").await;
    assert!(
        line.contains("exceeded gateway.transfer_timeout_ms"),
        "{line}"
    );
    assert_eq!(row(&house, 200, "upstream.timeout").await["calls"], 1);

    let refused = upload(&house, &[b'x'; 100]).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (408, "listener.body_time")
    );
    assert_eq!(
        refused.json()["detail"],
        "The body took too long to arrive."
    );
    assert_eq!(row(&house, 408, "listener.body_time").await["calls"], 1);
}
