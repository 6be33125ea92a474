//! Programs that send wrong secrets and wrong access tokens: logged, counted and limited.

use std::net::SocketAddr;

use serde_json::json;
use tokio::net::TcpSocket;
use tollgate_testkit::credentials::Secret;
use tollgate_testkit::{Answer, Connection, Tollgate, http};

use crate::house::{House, builder};
use crate::start::logged;

/// Failures that lock a client for an address, and wrong tokens of an address.
const CLIENT_MAX: usize = 20;
const TOKEN_MAX: usize = 50;
/// Maximum number of log lines for an address.
const LINES_MAX: usize = 10;

/// Sends a request from an address of the loopback network.
async fn send_from(tollgate: &Tollgate, from: u8, request: &[u8]) -> Answer {
    let socket = TcpSocket::new_v4().unwrap();
    socket
        .bind(SocketAddr::from(([127, 0, 0, from], 0)))
        .unwrap();
    let stream = socket.connect(tollgate.control).await.unwrap();
    Connection::over(stream).exchange(request).await.unwrap()
}

fn lines(tollgate: &Tollgate, words: &str) -> usize {
    let log = tollgate.said();
    log.lines().filter(|line| line.contains(words)).count()
}

/// Returns whether a response requires the client to wait.
fn is_closed(answer: &Answer) -> bool {
    let wait = answer
        .field("retry-after")
        .and_then(|it| it.parse::<u32>().ok());
    answer.status == 429 && wait.is_some_and(|wait| (1..=901).contains(&wait))
}

#[tokio::test]
async fn wrong_secrets_are_logged_bounded_for_their_address_alone_and_counted() {
    let builder = builder()
        .set("control-public-url", "http://127.0.0.1:9000")
        .set("gateway-public-url", "http://127.0.0.1:8080");
    let house = House::with(&builder, json!([])).await;
    let tollgate = &house.tollgate;
    let body = json!({ "name": "till" });
    let client = house.admin.client(&house.consumer.application, &body).await;
    let client = client.unwrap();
    let wrong = Secret {
        text: "not-the-secret-of-this-client".to_owned(),
        ..client.clone()
    };
    for number in 0..CLIENT_MAX {
        let answer = send_from(tollgate, 7, &wrong.asking("")).await;
        assert_eq!(answer.status, 401, "{number}");
        assert_eq!(answer.json()["error"], "invalid_client");
    }
    // At each endpoint, in the form of RFC 6749.
    for _ in 0..5 {
        let closed = send_from(tollgate, 7, &wrong.asking("")).await;
        assert!(is_closed(&closed), "{closed:?}");
        assert_eq!(closed.json()["error"], "temporarily_unavailable");
        assert!(closed.json()["error_description"].is_string());
    }
    let basic = wrong.basic();
    let fields = [
        ("Authorization", &*basic),
        ("Content-Type", "application/x-www-form-urlencoded"),
    ];
    for path in ["/oauth2/revoke", "/oauth2/introspect"] {
        let request = http::request("POST", path, &fields, b"token=x");
        assert!(is_closed(&send_from(tollgate, 7, &request).await), "{path}");
    }
    assert_eq!(send_from(tollgate, 8, &wrong.asking("")).await.status, 401);
    // A client with the correct secret is not locked out.
    assert_eq!(send_from(tollgate, 7, &client.asking("")).await.status, 200);
    let other = house
        .admin
        .client(&house.consumer.application, &json!({ "name": "other" }))
        .await;
    assert_eq!(
        send_from(tollgate, 7, &other.unwrap().asking(""))
            .await
            .status,
        200
    );

    let failed = format!("client.failed: client {} from 127.0.0.7", client.id);
    logged(tollgate, &format!("{failed}; further failures")).await;
    let locked = format!("client.locked: client {} from 127.0.0.7", client.id);
    logged(tollgate, &locked).await;
    assert_eq!(lines(tollgate, &failed), LINES_MAX);
    assert_eq!(lines(tollgate, "client.locked"), 1);
    assert!(!tollgate.said().contains(&wrong.text));

    // Made-up clients get no further lines, and a secret in the wrong field none at all.
    for number in 0..2 * LINES_MAX {
        let made_up = Secret {
            name: format!("not-an-id-{number}"),
            ..wrong.clone()
        };
        assert_eq!(
            send_from(tollgate, 9, &made_up.asking("")).await.status,
            401
        );
    }
    logged(tollgate, "an invalid client id, from 127.0.0.9; f").await;
    assert_eq!(lines(tollgate, "from 127.0.0.9"), LINES_MAX);
    assert!(!tollgate.said().contains("not-an-id"));
    let status = house.admin.done("GET", "/api/v1/status", None).await;
    let clients = &status.unwrap()["authentication"]["clients"];
    assert_eq!(
        *clients,
        json!({ "failed": CLIENT_MAX + 1 + 2 * LINES_MAX, "refused": 7 })
    );
}

#[tokio::test]
async fn wrong_access_tokens_are_logged_bounded_for_their_address_alone_and_counted() {
    let house = House::new().await;
    let tollgate = &house.tollgate;
    let body = json!({ "name": "script" });
    let made = house
        .admin
        .done("POST", "/api/v1/access-tokens", Some(&body));
    let made = made.await.unwrap();
    let request = |token: &str| {
        let bearer = format!("Bearer {token}");
        http::request("GET", "/api/v1/plans", &[("Authorization", &*bearer)], b"")
    };
    let good = request(made["token"].as_str().unwrap());
    for number in 0..TOKEN_MAX {
        let wrong = request(&format!("wrong-token-{number}"));
        let answer = send_from(tollgate, 7, &wrong).await;
        assert_eq!((answer.status, &*answer.code()), (401, "session.invalid"));
    }
    for _ in 0..3 {
        let closed = send_from(tollgate, 7, &request("wrong-token")).await;
        assert!(is_closed(&closed), "{closed:?}");
        assert_eq!(closed.code(), "session.too_many");
    }
    assert_eq!(send_from(tollgate, 7, &good).await.status, 200);
    assert_eq!(
        send_from(tollgate, 8, &request("wrong-token")).await.status,
        401
    );
    let failed = "access_token.failed: an invalid access token, from 127.0.0.7";
    logged(tollgate, &format!("{failed}; further failures")).await;
    logged(tollgate, "access_token.address_locked: ").await;
    assert_eq!(lines(tollgate, failed), LINES_MAX);
    assert_eq!(lines(tollgate, "access_token.address_locked"), 1);
    assert!(!tollgate.said().contains("wrong-token"));

    let stranger = tollgate_testkit::Control::stranger(tollgate.control);
    let guess = stranger.sign_in("administrator", "not the password").await;
    assert!(guess.is_err());
    let status = house.admin.done("GET", "/api/v1/status", None).await;
    let counts = status.unwrap()["authentication"].clone();
    let of = |failed: usize, refused: usize| json!({ "failed": failed, "refused": refused });
    assert_eq!(
        counts,
        json!({ "sign_ins": of(1, 0), "clients": of(0, 0), "access_tokens": of(TOKEN_MAX + 1, 3) })
    );
}
