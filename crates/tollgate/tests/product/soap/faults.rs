//! Every refusal as a fault of the caller's version of SOAP, by the API's rule of statuses.

use std::time::Duration;

use serde_json::json;
use tollgate_testkit::{Answer, Behaviour, http, upstream};

use super::{House, V1_1, V1_2, XML, message, order_wanted};
use crate::house::shared;

const SOAP_12: (&str, &str) = ("Content-Type", "application/soap+xml");

/// How a caller's version says a fault: media type, and what each party is called.
struct Said {
    media_type: &'static str,
    sender: &'static str,
    receiver: &'static str,
}

const SAID_1_1: Said = Said {
    media_type: "text/xml; charset=utf-8",
    sender: "<faultcode>soap:Client</faultcode>",
    receiver: "<faultcode>soap:Server</faultcode>",
};
const SAID_1_2: Said = Said {
    media_type: "application/soap+xml; charset=utf-8",
    sender: "<env:Value>env:Sender</env:Value>",
    receiver: "<env:Value>env:Receiver</env:Value>",
};

/// A fault of the caller's version with this code, which is the sender's or the receiver's.
fn assert_fault(id: &str, said: &Said, answer: &Answer, code: &str, is_senders: bool) {
    let text = answer.text();
    assert_eq!(
        answer.field("content-type"),
        Some(said.media_type),
        "{id}: {text}"
    );
    let party = if is_senders {
        said.sender
    } else {
        said.receiver
    };
    assert!(text.contains(party), "{id}: {text}");
    assert!(
        text.contains(&format!("<code>{code}</code>")),
        "{id}: {text}"
    );
    let request = answer.field("x-request-id").unwrap();
    assert!(
        text.contains(&format!("<requestId>{request}</requestId>")),
        "{id}: {text}"
    );
}

impl House {
    /// The same call in both versions, with a key or without.
    async fn both(&self, target: &str, key: Option<&str>) -> [Answer; 2] {
        let rows = [(XML, V1_1), (SOAP_12, V1_2)];
        let mut answers = Vec::new();
        for (media_type, version) in rows {
            let body = message(version, "", "<o:getOrder/>");
            let mut fields = vec![media_type];
            fields.extend(key.map(|key| ("apikey", key)));
            let request = http::request("POST", target, &fields, body.as_bytes());
            answers.push(self.send(&request).await);
        }
        answers.try_into().unwrap()
    }

    /// Checks one refusal in both versions: its code, whose fault it is, and its statuses in 1.1
    /// and 1.2.
    async fn refuses(&self, id: &str, key: Option<&str>, expected: (&str, bool, [u16; 2])) {
        let (code, is_senders, statuses) = expected;
        let [first, second] = self.both("/orders/1.0", key).await;
        assert_fault(id, &SAID_1_1, &first, code, is_senders);
        assert_fault(id, &SAID_1_2, &second, code, is_senders);
        assert_eq!([first.status, second.status], statuses, "{id}");
        if statuses == [401, 401] {
            assert!(first.field("www-authenticate").is_some(), "{id}");
        }
    }
}

#[tokio::test]
async fn every_refusal_is_a_fault_of_the_callers_version() {
    let _machine = shared().await;
    let house = House::new().await;
    let key = house.consumer.key.clone();
    let key = Some(key.as_str());
    let soap = |change| json!({ "soap": change });
    for is_http in [false, true] {
        let rule = if is_http { "http" } else { "soap" };
        house.redeploy(soap(json!({ "fault_status": rule }))).await;
        let senders = |status| if is_http { [status; 2] } else { [500, 400] };
        let receivers = |status| if is_http { [status; 2] } else { [500; 2] };
        let id = |id: &str| format!("{id}, {rule}");

        let missing = ("authenticate.missing", true, [401; 2]);
        house.refuses(&id("proxy.fault.401"), None, missing).await;
        let invalid = ("authenticate.invalid", true, [401; 2]);
        house
            .refuses(&id("proxy.fault.401_invalid"), Some("tg_live_x"), invalid)
            .await;

        let stranger = house
            .admin
            .application(&format!("stranger-{rule}"))
            .await
            .unwrap();
        let (_, other) = house.admin.key(&stranger).await.unwrap();
        let not_subscribed = ("authorize.not_subscribed", true, senders(403));
        house
            .refuses(&id("proxy.fault.403"), Some(&other), not_subscribed)
            .await;

        house
            .redeploy(soap(
                json!({ "unknown": { "refused": true }, "operations": [{ "name": "placeOrder" }] }),
            ))
            .await;
        let unknown = ("route.no_operation", true, senders(404));
        house.refuses(&id("proxy.fault.404"), key, unknown).await;
        let day = json!([{ "per": "operation", "amount": 1, "window": "day" }]);
        let operations = json!([{ "name": "placeOrder" }]);
        let unknown = json!({ "refused": false, "limits": day });
        house
            .redeploy(soap(
                json!({ "operations": operations, "unknown": unknown }),
            ))
            .await;
        house.post(&[XML], &order_wanted()).await;
        let limited = ("admit.operation", true, senders(429));
        house.refuses(&id("proxy.fault.429"), key, limited).await;
        let operations = json!([{ "name": "getOrder" }, { "name": "placeOrder" }]);
        house
            .redeploy(soap(json!({ "operations": operations, "unknown": null })))
            .await;

        house.redeploy(json!({ "body_bytes_max": 10 })).await;
        let large = ("mediate.body_too_large", true, senders(413));
        house.refuses(&id("proxy.fault.413"), key, large).await;
        house.redeploy(json!({ "body_bytes_max": null })).await;

        house.upstream.behave(Behaviour::Hang);
        let url = format!("{}/back/orders", house.upstream.url());
        let slow = json!({ "url": url, "first_byte_timeout_ms": 200 });
        house.redeploy(json!({ "upstream": slow })).await;
        let late = ("upstream.timeout", false, receivers(504));
        house.refuses(&id("proxy.fault.504"), key, late).await;
        house.upstream.behave(Behaviour::Echo);
        let refusing = format!("http://{}", upstream::refusing().unwrap());
        house
            .redeploy(json!({ "upstream": { "url": refusing } }))
            .await;
        let down = ("upstream.connect", false, receivers(502));
        house.refuses(&id("proxy.fault.502"), key, down).await;
        house.redeploy(json!({ "upstream": { "url": url } })).await;

        let version = &house.api.version;
        house.admin.lifecycle(version, "blocked").await.unwrap();
        let blocked = ("route.blocked", false, receivers(503));
        house.refuses(&id("proxy.fault.503"), key, blocked).await;
        house.admin.lifecycle(version, "published").await.unwrap();
    }
}

#[tokio::test]
async fn who_does_not_speak_soap_gets_a_problem_document() {
    let _machine = shared().await;
    let house = House::new().await;
    let post = |target: &str, fields: &[(&str, &str)], body: &[u8]| {
        http::request("POST", target, fields, body)
    };
    let json_type = ("Content-Type", "application/json");
    let plain = ("Content-Type", "application/xml");
    let v1_2 = message(V1_2, "", "<o:getOrder/>").into_bytes();
    let problem = "application/problem+json";
    let rows = [
        (
            "proxy.caller.json",
            post("/orders/1.0", &[json_type], b"{}"),
            401,
            problem,
        ),
        (
            "proxy.caller.nothing",
            post("/orders/1.0", &[], b""),
            401,
            problem,
        ),
        (
            "proxy.caller.envelope",
            post("/orders/1.0", &[plain], &v1_2),
            401,
            SAID_1_2.media_type,
        ),
        (
            "proxy.caller.action",
            post("/orders/1.0", &[("SOAPAction", "")], b""),
            401,
            SAID_1_1.media_type,
        ),
        (
            "proxy.caller.no_api",
            post("/none", &[SOAP_12], &v1_2),
            400,
            SAID_1_2.media_type,
        ),
        (
            "proxy.caller.no_api.action",
            post("/none", &[XML, ("SOAPAction", "x")], b""),
            500,
            SAID_1_1.media_type,
        ),
        (
            "proxy.caller.no_api.xml",
            post("/none", &[XML], b"<a/>"),
            404,
            problem,
        ),
    ];
    for (id, request, status, media_type) in rows {
        let answer = house.send(&request).await;
        assert_eq!(
            (answer.status, answer.field("content-type")),
            (status, Some(media_type)),
            "{id}: {}",
            answer.text()
        );
    }
}

#[tokio::test]
async fn a_body_that_stops_coming_is_refused_and_its_connection_ends() {
    let _machine = shared().await;
    let builder = crate::house::builder().set("gateway-body-idle-timeout-ms", "300");
    let house = House::with(&builder).await;
    let key = ("apikey", house.consumer.key.as_str());
    let request = http::request("POST", "/orders/1.0", &[key, XML], &order_wanted());
    let mut connection = tollgate_testkit::Connection::open(house.tollgate.gateway)
        .await
        .unwrap();
    connection
        .send(&request[..request.len() - 80])
        .await
        .unwrap();
    let answer = tokio::time::timeout(Duration::from_secs(20), connection.answer(false));
    let answer = answer.await.unwrap().unwrap();
    assert_fault(
        "proxy.slow_body",
        &SAID_1_1,
        &answer,
        "listener.body_time",
        true,
    );
    assert!(answer.closes());
    assert_eq!(house.upstream.requests(), 0);
}
