//! Number 5 of the second attack: one address took all connections of the gateway and kept everyone
//! else out with an occasional request on each.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::net::TcpSocket;
use tollgate_testkit::{Answer, Behaviour, Connection};

use crate::house::{House, builder, get};
use crate::start::logged;

/// Maximum number of client connections.
const ALL: usize = 300;
/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Connects from an address of the loopback network.
async fn connect(to: SocketAddr, from: [u8; 2]) -> Connection {
    let socket = TcpSocket::new_v4().unwrap();
    let [high, low] = from;
    let from = SocketAddr::from(([127, 0, high, low], 0));
    socket.bind(from).unwrap();
    Connection::over(socket.connect(to).await.unwrap())
}

/// Connects and returns the response to the first request.
async fn enter(to: SocketAddr, from: [u8; 2], request: &[u8]) -> (Connection, Answer) {
    let mut connection = connect(to, from).await;
    // A refused connection may be closed before its response.
    let _ = connection.send(request).await;
    let answer = connection.answer(false).await.unwrap();
    (connection, answer)
}

async fn crowded(per_address: &str) -> House {
    let builder = builder()
        .set("gateway-connections-max", &ALL.to_string())
        .set("gateway-connections-per-address-max", per_address);
    House::with(&builder, json!([])).await
}

#[tokio::test]
async fn connections_kept_alive_by_one_address_keep_nobody_out() {
    // All connections, as a trusted proxy may have; and half of them, the default.
    for (per_address, own) in [(ALL.to_string(), ALL), ("0".to_owned(), ALL / 2)] {
        let house = crowded(&per_address).await;
        let gateway = house.tollgate.gateway;
        let nothing = get("/nowhere", "x");
        let mut crowd = Vec::new();
        for _ in 0..ALL {
            let (connection, answer) = enter(gateway, [0, 1], &nothing).await;
            if answer.status == 404 {
                crowd.push(connection);
            } else {
                assert_eq!(answer.code(), "listener.connections");
                let detail = answer.json()["detail"].to_string();
                assert!(
                    detail.contains("127.0.0.1 already has 150 connections"),
                    "{detail}"
                );
                assert!(answer.closes());
            }
        }
        assert_eq!(crowd.len(), own);
        let mut others = Vec::new();
        for number in 0..ALL {
            // The latest possible time: each connection of the crowd was just served again.
            if number == 1 {
                for connection in &mut crowd[1..] {
                    assert_eq!(connection.exchange(&nothing).await.unwrap().status, 404);
                }
            }
            let (high, low) = (1 + number / 200, number % 200);
            let from = [high, low].map(|it| u8::try_from(it).unwrap());
            let (mut other, answer) = enter(gateway, from, &house.request()).await;
            assert_eq!(answer.status, 200, "{number}: {}", answer.text());
            let again = other.exchange(&house.request()).await.unwrap();
            assert_eq!(again.status, 200, "{number}");
            others.push(other);
        }
        let words = "idle connections of callers gave way to new ones; the last: one of 127.0.0.1";
        logged(&house.tollgate, words).await;
    }
}

#[tokio::test]
async fn idle_connections_are_replaced_and_calls_in_progress_are_not() {
    let house = crowded(&ALL.to_string()).await;
    let gateway = house.tollgate.gateway;
    house.upstream.behave(Behaviour::Hang);
    // A call, a silent connection, and one with half a head.
    let mut call = connect(gateway, [0, 1]).await;
    call.send(&house.request()).await.unwrap();
    let silent = connect(gateway, [0, 1]).await;
    let mut half = connect(gateway, [0, 1]).await;
    half.send(b"GET / HTTP/1.1\r\nHos").await.unwrap();
    let begun = Instant::now();
    loop {
        // Each worker accepts its own connections.
        let status = house.admin.done("GET", "/api/v1/status", None).await;
        let gateway = &status.unwrap()["gateways"][0];
        if (&gateway["connections"], &gateway["calls"]) == (&json!(3), &json!(1)) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{gateway}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let nothing = get("/nowhere", "x");
    let mut crowd = Vec::new();
    for _ in 3..ALL {
        let (connection, answer) = enter(gateway, [0, 1], &nothing).await;
        assert_eq!(answer.status, 404);
        crowd.push(connection);
    }
    let mut others = Vec::new();
    for low in 0..2 {
        let (other, answer) = enter(gateway, [1, low], &nothing).await;
        assert_eq!(answer.status, 404);
        others.push(other);
    }
    for mut gone in [silent, half] {
        let (output, has_ended) = gone.until_quiet(PATIENCE).await;
        assert!(has_ended && output.is_empty(), "{output:?}");
    }
    for connection in &mut crowd {
        assert_eq!(connection.exchange(&nothing).await.unwrap().status, 404);
    }
    let (output, has_ended) = call.until_quiet(Duration::from_millis(100)).await;
    assert!(!has_ended && output.is_empty(), "{output:?}");
}
