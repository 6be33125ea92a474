//! A SOAP service as REST with a cache, and a SOAP service, which has none.

use serde_json::{Value, json};
use tollgate_testkit::{Answer, http};

use crate::soap::House;
use crate::soap::rest::{envelope, ok, order, shop};

/// A path and fields of a call, and whether it hits.
type Row<'r> = (&'r str, &'r [(&'r str, &'r str)], bool);

const OPERATION: &str = "GET /order/{orderId}";

impl House {
    /// Gets a resource with the consumer's key.
    async fn resource(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let key = ("apikey", self.consumer.key.as_str());
        let fields = [&[key], fields].concat();
        let target = format!("/orders/1.0{path}");
        self.send(&http::request("GET", &target, &fields, b""))
            .await
    }

    /// Saves these policies; returns the field of the first fault, `null` without one.
    async fn fault(&self, policies: &Value) -> Value {
        let path = format!("/api/v1/versions/{}/draft", self.api.version);
        let change = json!({ "policies": policies });
        let answer = self
            .admin
            .send("PATCH", &path, Some(&change))
            .await
            .unwrap();
        let field = answer.json()["errors"][0]["field"].clone();
        assert_eq!(answer.status == 422, field.is_string(), "{}", answer.text());
        field
    }
}

/// Returns policies with this cache of one operation.
fn caches(operation: &str, cache: &Value) -> Value {
    json!({ "operations": [{ "operations": [operation], "cache": cache }] })
}

#[tokio::test]
async fn the_cache_of_a_soap_service_is_for_marked_operations_as_rest_with_a_time() {
    let rest = shop().await;
    let ttl = json!({ "ttl_s": 600 });
    let rows = [
        (json!({ "cache": ttl }), json!("/policies/cache")),
        (
            caches(OPERATION, &json!({})),
            json!("/policies/operations/0/cache/ttl_s"),
        ),
        (
            caches(OPERATION, &json!({ "ttl_s": 600, "query": ["limit"] })),
            json!("/policies/operations/0/cache/query"),
        ),
        (
            caches("POST /placeOrder", &ttl),
            json!("/policies/operations/0/cache"),
        ),
        (caches(OPERATION, &json!({ "enabled": false })), Value::Null),
        (caches(OPERATION, &ttl), Value::Null),
    ];
    for (policies, expected) in rows {
        assert_eq!(rest.fault(&policies).await, expected, "{policies}");
    }

    let soap = House::new().await;
    for cache in [json!({}), ttl] {
        let policies = json!({ "cache": cache });
        assert_eq!(soap.fault(&policies).await, "/policies/cache", "{cache}");
    }
    let off = json!({ "cache": { "enabled": false } });
    assert_eq!(soap.fault(&off).await, Value::Null);
}

#[tokio::test]
async fn a_marked_operation_hits_by_its_path_query_and_header_parameters() {
    let house = shop().await;
    let cache = json!({ "ttl_s": 600, "show_status": true });
    house
        .redeploy(json!({ "policies": caches(OPERATION, &cache) }))
        .await;
    house.upstream.behave(ok(&order("<o:id>7</o:id>")));
    let token = |value| [("X-Soap-session-token", value)];
    let rows: [Row<'_>; 11] = [
        ("/order/7", &[], false),
        ("/order/7", &[], true),
        ("/order/8", &[], false),
        ("/order/7?limit=3", &[], false),
        ("/order/7?limit=3", &[], true),
        ("/order/7", &token("one"), false),
        ("/order/7", &token("two"), false),
        ("/order/7", &token("one"), true),
        ("/order/7", &[("x-soap-session-token", "two")], true),
        ("/order/7", &[], true),
        ("/order/7", &[("x-other", "1"), ("accept", "*/*")], false),
    ];
    for (path, fields, is_hit) in rows {
        house.upstream.forget();
        let answer = house.resource(path, fields).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.text(), r#"{"id":"7","line":[]}"#);
        assert_eq!(answer.field("cache-control"), None, "{path} {fields:?}");
        let calls = if is_hit { 0 } else { 1 };
        assert_eq!(house.upstream.requests(), calls, "{path} {fields:?}");
        let status = answer.field("cache-status").unwrap();
        let expected = if is_hit {
            "tollgate; hit; ttl="
        } else {
            "tollgate; fwd=miss; stored"
        };
        assert!(status.starts_with(expected), "{status}");
        for (_, value) in fields.iter().filter(|(name, _)| name.starts_with("X-Soap")) {
            let sent = String::from_utf8(house.upstream.received().concat()).unwrap();
            assert!(is_hit || sent.contains(&format!(">{value}</")), "{sent}");
        }
    }
}

#[tokio::test]
async fn faults_problems_and_other_operations_keep_no_store_and_are_not_kept() {
    let house = shop().await;
    let cache = json!({ "ttl_s": 600, "negative_s": { "404": 600, "500": 600, "502": 600 } });
    house
        .redeploy(json!({ "policies": caches(OPERATION, &cache) }))
        .await;
    let fault = |code: &str, detail: &str| {
        let text = format!("<faultcode>s:{code}</faultcode><faultstring>x</faultstring>");
        envelope(&format!("<s:Fault>{text}{detail}</s:Fault>"))
    };
    let missing = "<detail><o:orderNotFound><o:id>7</o:id></o:orderNotFound></detail>";
    let rows = [
        (fault("Client", missing), 404),
        (fault("Server", ""), 500),
        ("<not a message".to_owned(), 502),
    ];
    for (row, (envelope, status)) in rows.into_iter().enumerate() {
        house.upstream.behave(ok(&envelope));
        house.upstream.forget();
        for calls in 1..=2 {
            let answer = house.resource(&format!("/order/{row}"), &[]).await;
            assert_eq!(answer.status, status, "{}", answer.text());
            assert_eq!(answer.field("cache-control"), Some("no-store"), "{status}");
            assert_eq!(house.upstream.requests(), calls, "{status}");
        }
    }
    // A call that goes by the cache keeps it too.
    house.upstream.behave(ok(&order("<o:id>7</o:id>")));
    let answer = house.resource("/order/7", &[("cookie", "a=b")]).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.field("cache-control"), Some("no-store"));
    // So does an operation that is not marked.
    let answer = envelope("<o:cancelOrderResponse/>");
    house.upstream.behave(ok(&answer));
    let key = ("apikey", house.consumer.key.as_str());
    let request = http::request("DELETE", "/orders/1.0/order/7", &[key], b"");
    let answer = house.send(&request).await;
    assert_eq!(answer.status, 204, "{}", answer.text());
    assert_eq!(answer.field("cache-control"), Some("no-store"));
}
