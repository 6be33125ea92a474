//! `count_failures: false`: calls that fail give back what the limits of the plan counted.

use std::time::Duration;

use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, Connection, http, upstream};

use super::{a_day, left_under};
use crate::house::{House, builder};
use crate::soap::{self, V1_1, XML, message, order_request};

/// Terms under which failures do not count.
fn lenient(limits: &Value) -> Value {
    json!({ "limits": limits, "count_failures": false })
}

/// A response with this status line and no body.
fn bare(line: &str) -> Behaviour {
    let head = format!("HTTP/1.1 {line}\r\nContent-Length: 0\r\n\r\n");
    Behaviour::Answer(head.into_bytes().into())
}

#[tokio::test]
async fn failures_of_the_upstream_give_back_and_other_ends_do_not() {
    let house = House::with(&builder(), json!([a_day(1)])).await;
    let timeout = json!({ "upstream": { "first_byte_timeout_ms": 1_000 } });
    house.redeploy(timeout).await;
    house.set_terms(lenient(&json!([a_day(100)]))).await;
    let whole = upstream::answer(&[b'a'; 100], "");
    // What the upstream does, the status, and whether the call is given back.
    let rows = [
        (Behaviour::text("hello"), Some(200), false),
        (bare("500 Internal Server Error"), Some(500), true),
        (bare("502 Bad Gateway"), Some(502), true),
        (bare("404 Not Found"), Some(404), false),
        (bare("429 Too Many Requests"), Some(429), false),
        (Behaviour::Reset, Some(502), true),
        (
            Behaviour::BreakOff(b"HTTP/1.1 20"[..].into()),
            Some(502),
            true,
        ),
        (Behaviour::Hang, Some(504), true),
        (Behaviour::BreakOff(whole[..80].into()), None, false),
    ];
    let mut left = 100;
    for (behaviour, status, is_given_back) in rows {
        house.upstream.behave(behaviour.clone());
        let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
        let answer = connection.exchange(&house.request()).await.ok();
        assert_eq!(answer.map(|it| it.status), status, "{behaviour:?}");
        left -= u64::from(!is_given_back);
        assert_left(&house, left, &format!("{behaviour:?}")).await;
    }
    // A refused connection.
    let url = format!("http://{}", upstream::refusing().unwrap());
    house.redeploy(json!({ "upstream": { "url": url } })).await;
    let refused = house.call().await;
    assert!(
        refused.code().starts_with("upstream."),
        "{}",
        refused.text()
    );
    house
        .redeploy(json!({ "upstream": { "url": house.upstream.url() } }))
        .await;
    assert_left(&house, left, "refused").await;
}

/// Asserts what the consumer has left, with a call that gives itself back. A call that another one
/// of the same caller follows on a new connection may not have ended yet.
async fn assert_left(house: &House, expected: u64, row: &str) {
    house.upstream.behave(bare("500 Internal Server Error"));
    let begun = std::time::Instant::now();
    loop {
        let left = left_under(&house.call().await, "subscription-day").unwrap() + 1;
        if left == expected {
            break;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(3),
            "{row}: {left} for {expected}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn failures_give_back_nothing_of_an_operation_or_an_upstream() {
    let house = House::with(&builder(), json!([a_day(1)])).await;
    house.set_terms(lenient(&json!([a_day(100)]))).await;
    let own = |amount: u64| json!([{ "per": "operation", "amount": amount, "window": "day" }]);
    house
        .redeploy(json!({
            "upstream": { "limits": [{ "amount": 5, "window": "day" }] },
            "operations": [
                { "method": "GET", "path": "/pets", "limits": own(3) },
                { "method": "GET", "path": "/pets/{pet}", "limits": own(100) },
            ],
        }))
        .await;
    house.upstream.behave(bare("500 Internal Server Error"));
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    let mut statuses = Vec::new();
    for target in [
        "/pets", "/pets", "/pets", "/pets", "/pets/a", "/pets/b", "/pets/c",
    ] {
        let request = crate::house::get(&format!("/pets/1.0{target}"), &house.consumer.key);
        let answer = connection.exchange(&request).await.unwrap();
        statuses.push(answer.status);
    }
    assert_eq!(statuses, [500, 500, 500, 429, 500, 500, 503]);
}

#[tokio::test]
async fn units_are_given_back_at_the_cost_that_was_charged() {
    let limit = json!({ "metric": "units", "per": "application", "amount": 100, "window": "day" });
    let house = House::with(&builder(), json!([a_day(1)])).await;
    house.set_terms(lenient(&json!([limit]))).await;
    let weighted = |weight: u16| {
        let operation = json!({ "method": "GET", "path": "/pets", "weight": weight });
        json!({ "operations": [operation] })
    };
    house.redeploy(weighted(30)).await;
    let failed = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"[..].into();
    house
        .upstream
        .behave(Behaviour::Late(Duration::from_secs(2), failed));
    house.upstream.forget();
    let request = house.request();
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection.send(&request).await.unwrap();
    super::received(&house.upstream, 1).await;
    house.redeploy(weighted(1)).await;
    assert_eq!(connection.answer(false).await.unwrap().status, 500);
    house.upstream.behave(Behaviour::text("hello"));
    let answer = connection.exchange(&request).await.unwrap();
    assert_eq!(left_under(&answer, "application-units-day"), Some(99));
}

#[tokio::test]
async fn a_soap_fault_gives_nothing_back() {
    let house = soap::House::new().await;
    let mut terms = lenient(&json!([a_day(100)]));
    terms["name"] = json!("tested");
    let changed = house.admin.replace("/api/v1/plans/tested", &terms);
    changed.await.unwrap();
    let fault = message(
        V1_1,
        "",
        "<s:Fault><faultcode>s:Server</faultcode>\
        <faultstring>no</faultstring></s:Fault>",
    );
    let respond = |content_type: &str, body: &str| {
        let length = body.len();
        let text = format!(
            "HTTP/1.1 500 Internal Server Error\r\nContent-Type: {content_type}\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        Behaviour::Answer(text.into_bytes().into())
    };
    let action = [XML, ("SOAPAction", "urn:orders:getOrder")];
    let key = ("apikey", house.consumer.key.as_str());
    let fields = [&[key][..], &action].concat();
    let request = http::request("POST", "/orders/1.0", &fields, &order_request());
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    let rows = [
        (respond("text/xml; charset=utf-8", &fault), 99),
        (respond("text/xml; charset=utf-8", &fault), 98),
        (respond("text/html", "<p>down</p>"), 97),
        (respond("text/xml; charset=utf-8", &fault), 97),
    ];
    for (index, (behaviour, left)) in rows.into_iter().enumerate() {
        house.upstream.behave(behaviour);
        let answer = connection.exchange(&request).await.unwrap();
        assert_eq!(
            left_under(&answer, "subscription-day"),
            Some(left),
            "{index}"
        );
    }
}
