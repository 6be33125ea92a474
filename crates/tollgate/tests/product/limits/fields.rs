//! The fields `RateLimit` and `RateLimit-Policy` by npm's `structured-headers`: of every kind of
//! limit, alone and all together, of calls that are admitted and refused.

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Behaviour, Connection, http};

use super::received;
use crate::house::{House, builder, get};
use crate::peers::peers;

/// The greatest amount.
const MOST: u64 = (1 << 48) - 1;

/// A limit of each kind, each of which admits one call.
fn kinds() -> Vec<Value> {
    let fixed = |per: Value, window: &str| json!({ "per": per, "amount": 1, "window": window });
    let mut kinds = vec![
        fixed(json!("subscription"), "minute"),
        fixed(json!("application"), "5 minutes"),
        fixed(json!("api"), "52 weeks"),
        fixed(json!("operation"), "month"),
        fixed(json!("user"), "year"),
        fixed(json!("address"), "1000 seconds"),
        fixed(json!(["subscription", "address"]), "90 days"),
    ];
    let with = |members: Value| {
        let mut limit = fixed(json!("subscription"), "day");
        for (name, value) in members.as_object().unwrap() {
            limit[name] = value.clone();
        }
        limit
    };
    kinds.extend([
        with(json!({ "name": "My.limit_1-x" })),
        with(json!({ "algorithm": { "type": "gcra", "burst": 1 } })),
        with(json!({ "algorithm": { "type": "rolling" } })),
        with(json!({ "metric": "units" })),
        with(json!({ "metric": "bytes" })),
        with(json!({ "metric": "bytes_out", "window": "hour" })),
    ]);
    kinds
}

#[tokio::test]
async fn every_answer_has_fields_that_structured_headers_reads() {
    let Some(peers) = peers() else { return };
    let house = House::with(&builder(), json!([])).await;
    let mut answers = Vec::new();
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    let request = house.request();
    for kind in kinds() {
        house.set_limits(json!([kind])).await;
        let admitted = connection.exchange(&request).await.unwrap();
        let refused = connection.exchange(&request).await.unwrap();
        assert_eq!((admitted.status, refused.status), (200, 429), "{kind}");
        answers.extend([admitted, refused]);
    }
    answers.extend(answers_under_all(&house, &mut connection).await);
    answers.push(refused_for_a_place(&house).await);
    let members = peers.judge_rate_limits(&answers).unwrap();
    assert!(members > 60, "{members}");
}

/// Returns answers of several statuses under all kinds of limits at once.
async fn answers_under_all(house: &House, connection: &mut Connection) -> Vec<Answer> {
    let mut all = kinds();
    for limit in &mut all {
        limit["amount"] = json!(MOST);
    }
    all.push(json!({ "metric": "concurrent", "per": "api", "amount": 1_000_000 }));
    all.push(
        json!({ "per": "application", "amount": MOST / 2, "window": "day",
        "soft": { "overage_percent": 100 } }),
    );
    all.push(
        json!({ "per": "application", "amount": 1, "window": "second",
        "on_exceeding": "observe" }),
    );
    house.set_limits(json!(all)).await;
    let key = house.consumer.key.as_str();
    let not_found = b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"[..].into();
    let rows = [
        (Behaviour::text("hello"), "GET", 200),
        (Behaviour::text("hello"), "GET", 200),
        (Behaviour::Answer(not_found), "GET", 404),
        (Behaviour::Echo, "POST", 200),
        // Without a response: `upstream.broken`.
        (Behaviour::Reset, "POST", 502),
    ];
    // The bucket's debt under its smaller limit is forgiven by the first call, which is refused.
    let mut answers = vec![connection.exchange(&house.request()).await.unwrap()];
    for (behaviour, method, status) in rows {
        house.upstream.behave(behaviour);
        let request = http::request(method, "/pets/1.0/pets", &[("apikey", key)], b"");
        let answer = connection.exchange(&request).await.unwrap();
        assert_eq!(answer.status, status, "{}", answer.text());
        answers.push(answer);
    }
    answers
}

/// Returns the refusal of a call for which no place is free.
async fn refused_for_a_place(house: &House) -> Answer {
    let limit = json!({ "metric": "concurrent", "per": "user", "amount": 1 });
    house.set_limits(json!([limit])).await;
    house.upstream.behave(Behaviour::Hang);
    house.upstream.forget();
    let mut holder = Connection::open(house.tollgate.gateway).await.unwrap();
    holder.send(&house.request()).await.unwrap();
    received(&house.upstream, 1).await;
    let request = get("/pets/1.0/pets", &house.consumer.key);
    let refused = http::call(house.tollgate.gateway, &request).await.unwrap();
    assert_eq!(refused.status, 429, "{}", refused.text());
    refused
}
