//! Attacks below HTTP: bounded, closed, counted.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tollgate_testkit::{http, tls};

use crate::house::House;
use crate::tls::{client, secured, wait_for_log};

/// Connections with a handshake that never ends.
const SILENT: usize = 10_000;

#[tokio::test]
async fn ten_thousand_handshakes_that_never_end_are_closed_and_counted() {
    let builder = secured()
        .set("gateway-handshake-timeout-ms", "8000")
        .set("gateway-connections-max", "12000")
        .set("gateway-connections-per-address-max", "12000");
    let house = House::with(&builder, json!([])).await;
    let address = house.tollgate.https.gateway.unwrap();
    let before = house.tollgate.memory_kib().unwrap();
    let mut silent = Vec::new();
    for count in 0..SILENT {
        let mut stream = TcpStream::connect(address).await.unwrap();
        if count % 2 == 0 {
            // Part of a record.
            stream.write_all(&[22, 3, 1, 2, 0, 1]).await.unwrap();
        }
        silent.push(stream);
    }
    let grown = house.tollgate.memory_kib().unwrap() - before;
    assert!(grown < 200 * 1024, "{grown} KiB for {SILENT} handshakes");
    // Other clients are served meanwhile, plain and over TLS.
    let config = client(&builder.data());
    let begun = Instant::now();
    let mut connection = tls::connect(address, "localhost", &config).await.unwrap();
    assert_eq!(
        connection.exchange(&house.request()).await.unwrap().status,
        200
    );
    assert_eq!(house.call().await.status, 200);
    assert!(begun.elapsed() < Duration::from_secs(5));
    let mut room = [0; 64];
    for stream in &mut silent {
        let ended = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut room)).await;
        assert!(matches!(ended, Ok(Ok(0) | Err(_))), "{ended:?}");
    }
    wait_for_log(&house.tollgate, "TLS handshakes of callers failed").await;
}

#[tokio::test]
async fn plain_http_and_an_alert_in_a_body_end_the_connection_and_nothing_else() {
    let builder = secured();
    let house = House::with(&builder, json!([])).await;
    let address = house.tollgate.https.gateway.unwrap();
    let mut plain = TcpStream::connect(address).await.unwrap();
    plain.write_all(&house.request()).await.unwrap();
    let mut output = Vec::new();
    plain.read_to_end(&mut output).await.unwrap();
    // A TLS alert record instead of HTTP.
    assert_eq!((output[0], output.len()), (21, 7), "{output:?}");
    let control = house.tollgate.https.control.unwrap();
    let mut plain = TcpStream::connect(control).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut output = Vec::new();
    plain.read_to_end(&mut output).await.unwrap();
    assert_eq!(output.first(), Some(&21), "{output:?}");
    wait_for_log(
        &house.tollgate,
        "1 TLS handshakes with the control plane failed",
    )
    .await;

    // A body cut off by the end of the session: the upstream does not get a complete request.
    let config = client(&builder.data());
    let mut cut = tls::connect(address, "localhost", &config).await.unwrap();
    let key = ("apikey", house.consumer.key.as_str());
    let whole = http::request("POST", "/pets/1.0/pets", &[key], &[b'x'; 50_000]);
    cut.send(&whole[..whole.len() - 40_000]).await.unwrap();
    cut.finish().await.unwrap();
    let (answer, is_closed) = cut.until_quiet(Duration::from_secs(5)).await;
    assert!(answer.is_empty() && is_closed, "{answer:?}");
    assert_eq!(house.call().await.status, 200);
}

#[tokio::test]
async fn records_of_one_byte_form_a_request_and_a_forged_record_ends_the_connection() {
    let builder = secured();
    let house = House::with(&builder, json!([])).await;
    let address = house.tollgate.https.gateway.unwrap();
    let config = client(&builder.data());
    let key = ("apikey", house.consumer.key.as_str());
    let request = http::request("POST", "/pets/1.0/pets", &[key], b"a body");
    let mut slow = tls::connect(address, "localhost", &config).await.unwrap();
    for byte in &request[..request.len() - 1] {
        slow.send(std::slice::from_ref(byte)).await.unwrap();
    }
    let answer = slow.exchange(&request[request.len() - 1..]).await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());

    // An alert and data not encrypted with the session's keys, in the middle of a body.
    for forged in [
        &[21, 3, 3, 0, 2, 2, 40][..],
        &[23, 3, 3, 0, 20, 0, 0, 0, 0, 0],
    ] {
        let stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_nonblocking(true).unwrap();
        let mut below = stream.try_clone().unwrap();
        let stream = TcpStream::from_std(stream).unwrap();
        let over = tls::connect_over(stream, "localhost", &config);
        let mut cut = over.await.unwrap();
        let whole = http::request("POST", "/pets/1.0/pets", &[key], &[b'x'; 50_000]);
        cut.send(&whole[..10_000]).await.unwrap();
        below.write_all(&[forged, &[0; 20]].concat()).unwrap();
        let (answer, is_closed) = cut.until_quiet(Duration::from_secs(5)).await;
        assert!(answer.is_empty() && is_closed, "{answer:?}");
    }
    assert_eq!(house.call().await.status, 200);
}
