//! What ends with a failure, and what does not: waiting, storing, and what is stored.

use std::time::Duration;

use serde_json::json;
use tokio::net::TcpStream;
use tollgate_testkit::{Behaviour, http, upstream};

use crate::house::House;

const CALLERS: usize = 20;
const NO_STORE: &str = "Cache-Control: no-store\r\n";

fn bare(status_line: &str) -> Behaviour {
    let head = format!("HTTP/1.1 {status_line}\r\nContent-Length: 0\r\n\r\n");
    Behaviour::Answer(head.into_bytes().into())
}

fn with(fields: &str) -> Behaviour {
    Behaviour::Answer(upstream::answer(b"hello", fields))
}

/// A cache in which a caller waits for longer than a response takes.
async fn house() -> House {
    let house = House::new().await;
    house
        .cache(json!({ "ttl_s": 600, "share": "all", "wait_ms": 60_000 }))
        .await;
    house
}

/// Makes calls at once of each key; returns how many of them call the upstream.
async fn sent_of_calls_at_once(house: &House, targets: &[&str]) -> Vec<usize> {
    house.upstream.forget();
    house.upstream.behave(Behaviour::Hang);
    let calls = targets.iter().flat_map(|target| [*target; CALLERS]);
    let calls: Vec<_> = calls.map(|target| house.start(target)).collect();
    house.await_requests(targets.len() as u64).await;
    // All that call the upstream have done so by then.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let received = String::from_utf8(house.upstream.received().concat()).unwrap();
    for call in calls {
        call.abort();
    }
    let sent = targets.iter().map(|target| {
        let line = format!("GET {target} ");
        received.matches(&line).count()
    });
    sent.collect()
}

#[tokio::test]
async fn a_response_after_one_that_is_not_stored_is_stored() {
    let house = house().await;
    for (row, behaviour) in [
        bare("500 Internal Server Error"),
        bare("404 Not Found"),
        with("Set-Cookie: a=b\r\n"),
        with(NO_STORE),
        Behaviour::Reset,
        Behaviour::BreakOff(upstream::answer(b"hello", "")[..40].into()),
    ]
    .into_iter()
    .enumerate()
    {
        let target = format!("/pets/{row}");
        house.upstream.behave(behaviour.clone());
        // A response that is cut is an error of the connection.
        let _answer = house.start(&target).await;
        house.upstream.forget();
        house.answers("", "stored");
        for _ in 0..3 {
            assert_eq!(house.get(&target, &[]).await.text(), "stored");
        }
        assert_eq!(house.upstream.requests(), 1, "{behaviour:?}");
    }
}

#[tokio::test]
async fn callers_wait_for_each_other_again_a_second_after_a_failure() {
    let house = house().await;
    let behaviours = [
        bare("500 Internal Server Error"),
        bare("403 Forbidden"),
        Behaviour::Reset,
        with("Cache-Control: private\r\n"),
    ];
    let targets = ["/pets/1", "/pets/2", "/pets/3", "/pets/4"];
    for (target, behaviour) in targets.iter().zip(behaviours) {
        house.upstream.behave(behaviour);
        house.get(target, &[]).await;
    }
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let sent = sent_of_calls_at_once(&house, &targets).await;
    assert_eq!(sent, [1, 1, 1, CALLERS]);
}

#[tokio::test]
async fn a_purge_or_a_change_ends_what_is_remembered_of_a_key() {
    let house = house().await;
    house.upstream.behave(with(NO_STORE));
    house.get("/pets", &[]).await;
    house.ask(("POST", "/pets"), &[], b"{}").await;
    assert_eq!(sent_of_calls_at_once(&house, &["/pets"]).await, [1]);
    let purge = format!("/api/v1/versions/{}/cache/purge", house.api.version);
    let all = json!({});
    let purged = house.admin.done("POST", &purge, Some(&all));
    purged.await.unwrap();
    assert_eq!(sent_of_calls_at_once(&house, &["/pets"]).await, [1]);
}

#[tokio::test]
async fn a_change_ends_what_is_stored_if_the_upstream_may_have_got_it() {
    let house = house().await;
    house
        .redeploy(json!({ "upstream": { "limits": [{ "amount": 2, "window": "day" }] } }))
        .await;
    house.answers("", "stored");
    assert_eq!(house.get("/pets", &[]).await.text(), "stored");
    house.answers("", "changed");
    house.get("/pets/other", &[]).await;
    let refused = house.ask(("POST", "/pets"), &[], b"{}").await;
    assert_eq!(refused.code(), "admit.upstream");
    assert_eq!(house.get("/pets", &[]).await.text(), "stored");

    // A step refuses the response of a call that the upstream has carried out.
    let step = json!({ "policy": "json_template", "template": {}, "other_type": "refuse" });
    house
        .redeploy(json!({
            "upstream": { "limits": [] },
            "policies": {
                "cache": { "ttl_s": 600 },
                "operations": [{ "operations": ["POST /pets"], "response": [step] }],
            },
        }))
        .await;
    house.answers("", "before");
    assert_eq!(house.get("/pets", &[]).await.text(), "before");
    house.answers("Connection: close\r\n", "after");
    let refused = house.ask(("POST", "/pets"), &[], b"{}").await;
    assert_eq!(refused.code(), "upstream.not_understood");
    assert_eq!(house.get("/pets", &[]).await.text(), "after");

    // Without a connection nothing was sent.
    let address = house.upstream.address();
    drop(house.upstream);
    while TcpStream::connect(address).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let request = crate::house::get("/pets/1.0/pets", &house.consumer.key);
    let post = [b"POST", &request[b"GET".len()..]].concat();
    let gateway = house.tollgate.gateway;
    let refused = http::call(gateway, &post).await.unwrap();
    assert_eq!(refused.code(), "upstream.connect");
    let kept = http::call(gateway, &request).await;
    assert_eq!(kept.unwrap().text(), "after");
}
