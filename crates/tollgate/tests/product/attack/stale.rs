//! Number 13 of the second attack, last clause: an idempotent request is retried if its kept
//! connection turns out to be closed, also if its short body came in a second packet.

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tollgate_testkit::Connection;

use crate::house::House;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const BODY: &str = r#"{"name":"rex"}"#;

/// Reads until these bytes have arrived.
async fn read_to(stream: &mut TcpStream, end: &str) -> String {
    let mut got = Vec::new();
    while !got.ends_with(end.as_bytes()) {
        assert_ne!(stream.read_buf(&mut got).await.unwrap(), 0, "ended early");
    }
    String::from_utf8(got).unwrap()
}

#[tokio::test]
async fn a_short_body_in_a_second_packet_is_retried_on_a_stale_connection() {
    let house = House::new().await;
    let back_end = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let operation = |method| json!({ "method": method, "path": "/pets" });
    let operations = ["GET", "PUT", "POST"].map(operation);
    house.redeploy(json!({ "operations": operations })).await;
    let url = format!("http://{}", back_end.local_addr().unwrap());
    house
        .admin
        .upstream(&house.api.version, &url)
        .await
        .unwrap();
    let revision = house.admin.revision(&house.api.version).await.unwrap();
    house
        .admin
        .deploy(&house.api.version, revision)
        .await
        .unwrap();

    for (method, status) in [("PUT", 200), ("POST", 502)] {
        for is_chunked in [false, true] {
            let mut caller = Connection::open(house.tollgate.gateway).await.unwrap();
            let request = house.request();
            let (answer, mut kept) = tokio::join!(caller.exchange(&request), async {
                let (mut kept, _) = back_end.accept().await.unwrap();
                read_to(&mut kept, "\r\n\r\n").await;
                kept.write_all(OK).await.unwrap();
                kept
            });
            assert_eq!(answer.unwrap().status, 200);

            let (framing, body) = if is_chunked {
                let body = format!("{:x}\r\n{BODY}\r\n0\r\n\r\n", BODY.len());
                ("Transfer-Encoding: chunked".to_owned(), body)
            } else {
                (format!("Content-Length: {}", BODY.len()), BODY.to_owned())
            };
            let key = &house.consumer.key;
            let head = format!(
                "{method} /pets/1.0/pets HTTP/1.1\r\nHost: h\r\napikey: {key}\r\n{framing}\r\n\r\n"
            );
            caller.send(head.as_bytes()).await.unwrap();
            // The upstream closes just when the head of the next request arrives.
            read_to(&mut kept, "\r\n\r\n").await;
            kept.set_zero_linger().unwrap();
            drop(kept);
            let again = async {
                let (mut fresh, _) = back_end.accept().await.unwrap();
                let got = read_to(&mut fresh, &body).await;
                assert!(got.starts_with("PUT /pets HTTP/1.1\r\n"), "{got}");
                fresh.write_all(OK).await.unwrap();
            };
            let answered = async {
                // The response, if the body is not awaited.
                caller.send(body.as_bytes()).await.unwrap();
                caller.answer(false).await.unwrap()
            };
            let answer = if status == 200 {
                tokio::join!(answered, again).0
            } else {
                answered.await
            };
            assert_eq!(
                answer.status,
                status,
                "{method} {is_chunked}: {}",
                answer.text()
            );
        }
    }
}
