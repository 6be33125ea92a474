//! Every refusal as a fault of the caller's SOAP version, with the status by the API's rule.

use std::time::Duration;

use serde_json::json;
use tollgate_testkit::{Answer, Behaviour, http, upstream};

use super::{House, V1_1, V1_2, XML, message, order_request};

const SOAP_12: (&str, &str) = ("Content-Type", "application/soap+xml");

/// The form of a fault in a SOAP version: its media type, the parties, and the whole envelope.
struct FaultForm {
    media_type: &'static str,
    parties: [&'static str; 2],
    envelope: &'static str,
}

const FAULT_1_1: FaultForm = FaultForm {
    media_type: "text/xml; charset=utf-8",
    parties: ["Client", "Server"],
    envelope: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>\
        <soap:Fault><faultcode>soap:PARTY</faultcode><faultstring>TEXT</faultstring>\
        <faultactor>urn:tollgate:gateway</faultactor><detail>REFUSAL</detail></soap:Fault>\
        </soap:Body></soap:Envelope>\n",
};
const FAULT_1_2: FaultForm = FaultForm {
    media_type: "application/soap+xml; charset=utf-8",
    parties: ["Sender", "Receiver"],
    envelope: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <env:Envelope xmlns:env=\"http://www.w3.org/2003/05/soap-envelope\" \
        xmlns:t=\"urn:tollgate:refusal\"><env:Body><env:Fault><env:Code>\
        <env:Value>env:PARTY</env:Value><env:Subcode><env:Value>t:CODE</env:Value></env:Subcode>\
        </env:Code><env:Reason><env:Text xml:lang=\"en\">TEXT</env:Text></env:Reason>\
        <env:Node>urn:tollgate:gateway</env:Node><env:Detail>REFUSAL</env:Detail></env:Fault>\
        </env:Body></env:Envelope>\n",
};

/// A refusal: its code, whether the sender is at fault, and its status in REST.
type Refusal = (&'static str, bool, u16);

/// Asserts a fault of the caller's version alone, with this refusal.
fn assert_fault(id: &str, form: &FaultForm, answer: &Answer, (code, is_senders, status): Refusal) {
    let text = answer.text();
    let media_type = answer.field("content-type");
    assert_eq!(media_type, Some(form.media_type), "{id}: {text}");
    let between = |from: &str, to: &str| {
        let rest = text.split(from).nth(1).unwrap_or_default();
        rest.split(to).next().unwrap_or_default().to_owned()
    };
    let sentence = match form.media_type == FAULT_1_1.media_type {
        true => between("<faultstring>", "<"),
        false => between("<env:Text xml:lang=\"en\">", "<"),
    };
    assert!(!sentence.is_empty(), "{id}: {text}");
    let policy = match between("<policy>", "<") {
        policy if policy.is_empty() => policy,
        policy => format!("<policy>{policy}</policy>"),
    };
    let request = answer.field("x-request-id").unwrap();
    let refusal = format!(
        "<refusal xmlns=\"urn:tollgate:refusal\"><code>{code}</code><status>{status}</status>\
         <requestId>{request}</requestId>{policy}</refusal>"
    );
    let whole = form.envelope.replace("CODE", code);
    let whole = whole.replace("PARTY", form.parties[usize::from(!is_senders)]);
    let whole = whole
        .replace("REFUSAL", &refusal)
        .replace("TEXT", &sentence);
    assert_eq!(text, whole, "{id}");
}

impl House {
    /// Sends the same call in both versions, with a key or without.
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

    /// Checks one refusal in both versions, by either rule of statuses.
    async fn refuses(&self, (id, is_http): (&str, bool), key: Option<&str>, expected: Refusal) {
        let id = format!("{id}, {}", if is_http { "http" } else { "soap" });
        let [first, second] = self.both("/orders/1.0", key).await;
        assert_fault(&id, &FAULT_1_1, &first, expected);
        assert_fault(&id, &FAULT_1_2, &second, expected);
        let statuses = match expected {
            (_, _, 401) => [401; 2],
            (_, _, status) if is_http => [status; 2],
            (_, true, _) => [500, 400],
            (_, false, _) => [500, 500],
        };
        assert_eq!([first.status, second.status], statuses, "{id}");
        for answer in [first, second] {
            let has = |name| answer.field(name).is_some();
            assert_eq!(has("www-authenticate"), expected.2 == 401, "{id}");
            assert!(has("retry-after") || expected.2 != 429, "{id}");
        }
    }
}

#[tokio::test]
async fn every_refusal_is_a_fault_of_the_callers_version() {
    let house = House::new().await;
    let key = house.consumer.key.clone();
    let key = Some(key.as_str());
    let soap = |change| json!({ "soap": change });
    for is_http in [false, true] {
        let rule = if is_http { "http" } else { "soap" };
        house.redeploy(soap(json!({ "fault_status": rule }))).await;
        let id = |id| (id, is_http);

        let missing = ("authenticate.missing", true, 401);
        house.refuses(id("proxy.fault.401"), None, missing).await;
        let invalid = ("authenticate.invalid", true, 401);
        house
            .refuses(id("proxy.fault.401_invalid"), Some("tg_live_x"), invalid)
            .await;

        let stranger = house
            .admin
            .application(&format!("stranger-{rule}"))
            .await
            .unwrap();
        let (_, other) = house.admin.key(&stranger).await.unwrap();
        let not_subscribed = ("authorize.not_subscribed", true, 403);
        house
            .refuses(id("proxy.fault.403"), Some(&other), not_subscribed)
            .await;

        house
            .redeploy(soap(
                json!({ "unknown": { "refused": true }, "operations": [{ "name": "placeOrder" }] }),
            ))
            .await;
        let unknown = ("route.no_operation", true, 404);
        house.refuses(id("proxy.fault.404"), key, unknown).await;
        let day = json!([{ "per": "operation", "amount": 1, "window": "day" }]);
        let operations = json!([{ "name": "placeOrder" }]);
        let unknown = json!({ "refused": false, "limits": day });
        house
            .redeploy(soap(
                json!({ "operations": operations, "unknown": unknown }),
            ))
            .await;
        house.post(&[XML], &order_request()).await;
        let limited = ("admit.operation", true, 429);
        house.refuses(id("proxy.fault.429"), key, limited).await;
        let operations = json!([{ "name": "getOrder" }, { "name": "placeOrder" }]);
        house
            .redeploy(soap(json!({ "operations": operations, "unknown": null })))
            .await;

        house.redeploy(json!({ "body_bytes_max": 10 })).await;
        let large = ("mediate.body_too_large", true, 413);
        house.refuses(id("proxy.fault.413"), key, large).await;
        house.redeploy(json!({ "body_bytes_max": null })).await;

        house.upstream.behave(Behaviour::Hang);
        let url = format!("{}/back/orders", house.upstream.url());
        let slow = json!({ "url": url, "first_byte_timeout_ms": 200 });
        house.redeploy(json!({ "upstream": slow })).await;
        let late = ("upstream.timeout", false, 504);
        house.refuses(id("proxy.fault.504"), key, late).await;
        house.upstream.behave(Behaviour::Echo);
        let refusing = format!("http://{}", upstream::refusing().unwrap());
        house
            .redeploy(json!({ "upstream": { "url": refusing } }))
            .await;
        let down = ("upstream.connect", false, 502);
        house.refuses(id("proxy.fault.502"), key, down).await;
        house.redeploy(json!({ "upstream": { "url": url } })).await;

        let version = &house.api.version;
        house.admin.lifecycle(version, "blocked").await.unwrap();
        let blocked = ("route.blocked", false, 503);
        house.refuses(id("proxy.fault.503"), key, blocked).await;
        house.admin.lifecycle(version, "published").await.unwrap();
    }
}

#[tokio::test]
async fn a_caller_without_soap_gets_a_problem_document() {
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
            FAULT_1_2.media_type,
        ),
        (
            "proxy.caller.action",
            post("/orders/1.0", &[("SOAPAction", "")], b""),
            401,
            FAULT_1_1.media_type,
        ),
        (
            "proxy.caller.no_api",
            post("/none", &[SOAP_12], &v1_2),
            400,
            FAULT_1_2.media_type,
        ),
        (
            "proxy.caller.no_api.action",
            post("/none", &[XML, ("SOAPAction", "x")], b""),
            500,
            FAULT_1_1.media_type,
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
async fn a_body_that_stalls_is_refused_and_its_connection_ends() {
    let builder = crate::house::builder().set("gateway-body-idle-timeout-ms", "300");
    let house = House::with(&builder).await;
    let key = ("apikey", house.consumer.key.as_str());
    let request = http::request("POST", "/orders/1.0", &[key, XML], &order_request());
    let mut connection = tollgate_testkit::Connection::open(house.tollgate.gateway)
        .await
        .unwrap();
    connection
        .send(&request[..request.len() - 80])
        .await
        .unwrap();
    let answer = tokio::time::timeout(Duration::from_secs(20), connection.answer(false));
    let answer = answer.await.unwrap().unwrap();
    let late = ("listener.body_time", true, 408);
    assert_fault("proxy.slow_body", &FAULT_1_1, &answer, late);
    assert!(answer.closes());
    assert_eq!(house.upstream.requests(), 0);
}
