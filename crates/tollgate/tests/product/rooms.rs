//! The decisions of each room of the gateway, as seen by callers and upstreams.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tollgate_testkit::{Answer, Behaviour, Connection, Upstream, http, wire};

use crate::house::{House, builder, get};

impl House {
    /// Creates a key of the consumer's application; returns its text.
    async fn key(&self, body: Value) -> String {
        let path = format!("/api/v1/applications/{}/keys", self.consumer.application);
        let made = self.admin.done("POST", &path, Some(&body)).await.unwrap();
        made["key"].as_str().unwrap().to_owned()
    }

    async fn subscription(&self, status: &str) {
        let path = format!("/api/v1/subscriptions/{}", self.consumer.subscription);
        let change = json!({ "status": status });
        self.admin
            .done("PATCH", &path, Some(&change))
            .await
            .unwrap();
    }

    /// Limits the consumer's application.
    async fn limit_application(&self, limits: Value) {
        let path = format!("/api/v1/applications/{}", self.consumer.application);
        let change = json!({ "limits": limits });
        self.admin
            .done("PATCH", &path, Some(&change))
            .await
            .unwrap();
    }

    async fn send(&self, method: &str, target: &str, fields: &[(&str, &str)]) -> Answer {
        let request = http::request(method, target, fields, b"");
        http::call(self.tollgate.gateway, &request).await.unwrap()
    }

    /// Returns status and code of a GET with a key.
    async fn outcome(&self, key: &str) -> (u16, String) {
        let answer = self.send("GET", "/pets/1.0/pets", &[("apikey", key)]).await;
        (answer.status, answer.code())
    }

    /// Calls with a key until after `at`: it is valid until then, or from then on.
    async fn turns(&self, key: &str, at: Timestamp, is_valid_after: bool) {
        loop {
            let started = Timestamp::now();
            let outcome = self.outcome(key).await;
            let is_after = started >= at;
            if is_after || Timestamp::now() < at {
                if is_after == is_valid_after {
                    assert_eq!(outcome.0, 200, "{outcome:?}, after: {is_after}");
                } else {
                    let invalid = no(401, "authenticate.invalid");
                    assert_eq!(outcome, invalid, "after: {is_after}");
                }
            }
            if is_after {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn no(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn a_key_reaches_the_upstream_of_its_environment_or_none() {
    let house = House::new().await;
    let live = house.consumer.key.clone();
    let test = house.key(json!({ "environment": "sandbox" })).await;
    assert!(test.starts_with("tg_test_"), "{test}");
    assert_eq!(
        house.outcome(&test).await,
        no(403, "authorize.no_environment")
    );
    assert_eq!(house.upstream.requests(), 0);

    let sandbox = Upstream::start(Behaviour::text("sand")).unwrap();
    let change = json!({ "sandbox_upstream": { "url": sandbox.url() } });
    house.redeploy(change).await;
    assert_eq!(house.outcome(&test).await.0, 200);
    assert_eq!((house.upstream.requests(), sandbox.requests()), (0, 1));
    assert_eq!(house.outcome(&live).await.0, 200);
    assert_eq!((house.upstream.requests(), sandbox.requests()), (1, 1));

    house.subscription("blocked_production").await;
    let blocked = no(403, "authorize.subscription_blocked");
    assert_eq!(house.outcome(&live).await, blocked);
    assert_eq!(house.outcome(&test).await.0, 200);
    house.subscription("active").await;
    assert_eq!(house.outcome(&live).await.0, 200);
}

#[tokio::test]
async fn a_key_is_valid_from_its_start_to_its_expiry() {
    let house = House::new().await;
    let at = Timestamp::now() + Duration::from_secs(4);
    let later = house.key(json!({ "not_before": at.to_string() })).await;
    let ending = house.key(json!({ "expires_at": at.to_string() })).await;
    tokio::join!(
        house.turns(&later, at, true),
        house.turns(&ending, at, false),
    );
}

#[tokio::test]
async fn a_key_is_read_from_one_field_and_two_keys_are_refused() {
    let house = House::new().await;
    let key = house.consumer.key.as_str();
    let authorization = format!("ApiKey {key}");
    let target = "/pets/1.0/pets";
    let answer = house
        .send("GET", target, &[("Authorization", &authorization)])
        .await;
    assert_eq!(answer.status, 200);
    let received = house.upstream.received().concat();
    let received = String::from_utf8_lossy(&received).to_ascii_lowercase();
    assert!(!received.contains("authorization") && !received.contains(&key.to_lowercase()));

    for fields in [
        [("apikey", key), ("apikey", key)],
        [("apikey", key), ("Authorization", &authorization)],
        [
            ("Authorization", &authorization),
            ("Authorization", &authorization),
        ],
    ] {
        let answer = house.send("GET", target, &fields).await;
        assert_eq!(
            (answer.status, answer.code()),
            no(401, "authenticate.invalid")
        );
        assert!(answer.field("www-authenticate").is_some());
    }
    // A field of the upstream is not a second key.
    let both = [("apikey", key), ("Authorization", "Basic YTpi")];
    assert_eq!(house.send("GET", target, &both).await.status, 200);
    let received = String::from_utf8(house.upstream.received().concat()).unwrap();
    assert!(received.contains("Authorization: Basic YTpi"));
    assert_eq!(house.upstream.requests(), 2);
}

/// Calls until one is refused; returns the number of served calls and the refusal.
async fn passed(house: &House) -> (u32, Answer) {
    for count in 0..50 {
        let answer = house.call().await;
        if answer.status == 429 {
            return (count, answer);
        }
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(answer.field("ratelimit").is_some() && answer.field("ratelimit-policy").is_some());
    }
    panic!("nothing was refused");
}

fn assert_exhausted(answer: &Answer, code: &str, policy: &str) {
    assert_eq!(answer.code(), code);
    let left = answer.field("ratelimit").unwrap();
    assert!(left.starts_with(&format!("\"{policy}\";r=0;t=")), "{left}");
    let policies = answer.field("ratelimit-policy").unwrap();
    assert!(policies.contains(&format!("\"{policy}\";q=")), "{policies}");
    assert!(answer.field("retry-after").unwrap().parse::<u32>().unwrap() >= 1);
}

#[tokio::test]
async fn each_level_admits_exactly_its_limit_and_the_refusal_names_it() {
    let bucket = json!([{ "per": "subscription", "amount": 1, "window": "day",
        "algorithm": { "type": "gcra", "burst": 9 } }]);
    let house = House::with(&builder(), bucket).await;

    // The strictest limit decides, and a refused call is charged to none.
    let day = |per: &str, amount: u32| json!([{ "per": per, "amount": amount, "window": "day" }]);
    house.limit_application(day("application", 3)).await;
    let (count, refused) = passed(&house).await;
    assert_eq!(count, 3);
    assert_exhausted(&refused, "admit.application", "application-day");

    house.limit_application(json!([])).await;
    house.redeploy(json!({ "limits": day("api", 4) })).await;
    let (count, refused) = passed(&house).await;
    assert_eq!(count, 4);
    assert_exhausted(&refused, "admit.api", "api-day");

    house.redeploy(json!({ "limits": [] })).await;
    let (count, refused) = passed(&house).await;
    assert_eq!(count, 2);
    assert_exhausted(
        &refused,
        "admit.subscription_burst",
        "subscription-burst-day",
    );
    assert_eq!(house.upstream.requests(), 9);
}

#[tokio::test]
async fn a_call_after_retry_after_is_admitted() {
    for algorithm in [
        json!({ "type": "fixed" }),
        json!({ "type": "gcra", "burst": 2 }),
    ] {
        let limits = json!([{ "per": "subscription", "amount": 2, "window": "second",
            "algorithm": algorithm }]);
        let house = House::with(&builder(), limits).await;
        for _ in 0..2 {
            let (_, refused) = passed(&house).await;
            let seconds = refused.field("retry-after").unwrap().parse().unwrap();
            assert_eq!(seconds, 1);
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            assert_eq!(house.call().await.status, 200, "{algorithm}");
        }
    }
}

#[tokio::test]
async fn a_path_without_version_goes_to_the_default_one() {
    let house = House::new().await;
    let key = house.consumer.key.as_str();
    let next = Upstream::start(Behaviour::text("next")).unwrap();
    let path = format!("/api/v1/apis/{}/versions", house.api.api);
    let body = json!({ "name": "2.0", "from": house.api.version });
    let made = house.admin.done("POST", &path, Some(&body)).await.unwrap();
    let version = made["id"].as_str().unwrap();
    house.admin.upstream(version, &next.url()).await.unwrap();
    house.admin.attach(version, &["tested"]).await.unwrap();
    house.admin.lifecycle(version, "published").await.unwrap();
    let application = &house.consumer.application;
    house
        .admin
        .subscribe(application, version, "tested")
        .await
        .unwrap();

    let text = async |target: &str| {
        let request = get(target, key);
        http::call(house.tollgate.gateway, &request)
            .await
            .unwrap()
            .text()
    };
    assert_eq!(text("/pets/pets").await, "hello");
    let path = format!("/api/v1/versions/{version}/default");
    house.admin.done("POST", &path, None).await.unwrap();
    assert_eq!(text("/pets/pets").await, "next");
    assert_eq!(text("/pets/1.0/pets").await, "hello");
    assert_eq!(text("/pets/2.0/pets").await, "next");
}

#[tokio::test]
async fn a_wrong_method_gets_the_allowed_ones() {
    let house = House::new().await;
    for (method, target, allow) in [
        ("DELETE", "/pets/1.0/pets", "GET, POST"),
        ("BREW", "/pets/1.0/pets", "GET, POST"),
        ("OPTIONS", "/pets/pets", "GET, POST"),
        ("POST", "/pets/1.0/pets/7", "GET"),
    ] {
        // Checked before the credential.
        let answer = house.send(method, target, &[]).await;
        assert_eq!(
            (answer.status, answer.code()),
            no(405, "route.no_operation")
        );
        assert_eq!(answer.field("allow"), Some(allow), "{method} {target}");
    }
    assert_eq!(house.upstream.requests(), 0);
}

/// Responses of an upstream, whether it closes after them, the statuses that the caller sees, and
/// the end of its response.
const ANSWERS: &[(&str, bool, &[u16], &str)] = &[
    (
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
         HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        false,
        &[103, 200],
        "\r\n\r\nok",
    ),
    (
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        false,
        &[200],
        "\r\n\r\nok",
    ),
    ("HTTP/1.1 204 No Content\r\n\r\n", false, &[204], "\r\n\r\n"),
    (
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\nETag: \"a\"\r\n\r\n",
        false,
        &[304],
        "\r\n\r\n",
    ),
    (
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        false,
        &[200],
        "\r\n\r\n",
    ),
    (
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\nT: 1\r\n\r\n",
        false,
        &[200],
        "\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ),
    (
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
        true,
        &[200],
        "\r\n\r\nok",
    ),
    (
        "HTTP/1.1 200 OK\r\n\r\nok",
        true,
        &[200],
        "\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ),
    (
        "HTTP/1.0 200 OK\r\n\r\nok",
        true,
        &[200],
        "\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ),
];

#[tokio::test]
async fn each_form_of_response_is_forwarded_whole() {
    let house = House::new().await;
    let key = &house.consumer.key;
    let request = format!(
        "GET /pets/1.0/pets HTTP/1.1\r\nHost: x\r\napikey: {key}\r\nConnection: close\r\n\r\n"
    );
    for (answer, closes, statuses, end) in ANSWERS {
        let bytes = answer.as_bytes().into();
        let behaviour = if *closes {
            Behaviour::BreakOff(bytes)
        } else {
            Behaviour::Answer(bytes)
        };
        house.upstream.behave(behaviour);
        // Twice: leftover bytes of a response would be the start of the next.
        for _ in 0..2 {
            let quiet = Duration::from_secs(8);
            let sent = wire::send(house.tollgate.gateway, request.as_bytes(), quiet);
            let reply = sent.await.unwrap();
            let text = String::from_utf8(reply.bytes.clone()).unwrap();
            assert_eq!(
                (reply.statuses().as_slice(), reply.closed),
                (*statuses, true),
                "{answer}"
            );
            assert!(text.ends_with(end), "{answer:?} became {text:?}");
        }
    }
    // HTTP/1.0 has no chunks: the end of the connection is the end of the body.
    let old = format!("GET /pets/1.0/pets HTTP/1.0\r\napikey: {key}\r\n\r\n");
    let sent = wire::send(
        house.tollgate.gateway,
        old.as_bytes(),
        Duration::from_secs(8),
    );
    let text = String::from_utf8(sent.await.unwrap().bytes).unwrap();
    assert!(
        text.ends_with("\r\n\r\nok") && !text.contains("transfer-encoding"),
        "{text}"
    );
}

/// Starts an upstream that answers the first request of each connection, and on the second sends
/// these bytes and closes.
async fn forgetful(last: &'static [u8]) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&seen);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let seen = Arc::clone(&shared);
            tokio::spawn(async move {
                for count in 0..2 {
                    let mut bytes = vec![0; 8_192];
                    let length = stream.read(&mut bytes).await.unwrap_or_default();
                    let text = String::from_utf8_lossy(&bytes[..length]).into_owned();
                    let method = text.split(' ').next().unwrap_or_default();
                    seen.lock().unwrap().push(format!("{method} {count}"));
                    if length == 0 {
                        return;
                    }
                    if count > 0 {
                        return stream.write_all(last).await.unwrap();
                    }
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                    stream.write_all(answer).await.unwrap();
                }
            });
        }
    });
    (url, seen)
}

#[tokio::test]
async fn an_idempotent_request_is_sent_again_when_an_idle_connection_was_closed() {
    let house = House::new().await;
    let (url, seen) = forgetful(b"").await;
    house.redeploy(json!({ "upstream": { "url": url } })).await;
    let key = house.consumer.key.as_str();
    // One connection, so one worker and its pool.
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    let mut outcome = Vec::new();
    for method in ["GET", "GET", "POST", "GET"] {
        let request = http::request(method, "/pets/1.0/pets", &[("apikey", key)], b"");
        let answer = connection.exchange(&request).await.unwrap();
        outcome.push((answer.status, answer.code()));
    }
    let ok = no(200, "");
    let broken = no(502, "upstream.broken");
    assert_eq!(outcome, [ok.clone(), ok.clone(), broken, ok]);
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen, ["GET 0", "GET 1", "GET 0", "POST 1", "GET 0"]);
}

#[tokio::test]
async fn a_request_that_got_an_interim_response_is_not_sent_again() {
    let house = House::new().await;
    let (url, seen) = forgetful(b"HTTP/1.1 103 Early Hints\r\n\r\n").await;
    house.redeploy(json!({ "upstream": { "url": url } })).await;
    let request = house.request();
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    let first = connection.exchange(&request).await.unwrap();
    assert_eq!(first.status, 200);
    let second = connection.exchange(&request).await.unwrap();
    assert_eq!((second.status, second.code()), no(502, "upstream.broken"));
    assert_eq!(*seen.lock().unwrap(), ["GET 0", "GET 1"]);
}
