//! Scopes of operations identified by the body: checked in `operation`, for every operation that a
//! call points to.

use serde_json::json;
use tollgate_testkit::{Answer, http};

use super::secured;
use crate::soap::{House, V1_1, XML, message, order_request, place_order};

/// Calls the service with this `Authorization`, and `SOAPAction` if given.
async fn call(house: &House, authorization: &str, action: Option<&str>, body: &[u8]) -> Answer {
    let mut fields = vec![XML, ("Authorization", authorization)];
    fields.extend(action.map(|action| ("SOAPAction", action)));
    house
        .send(&http::request("POST", "/orders/1.0", &fields, body))
        .await
}

#[tokio::test]
async fn a_soap_call_needs_the_scopes_of_every_operation_that_it_names() {
    const GET: Option<&str> = Some("urn:orders:getOrder");
    const PLACE: Option<&str> = Some("urn:orders:placeOrder");
    let house = House::with(&secured()).await;
    let security = json!({
        "api_key": {}, "oauth2": {}, "scopes": { "read": "", "write": "", "more": "" }
    });
    let soap = json!({
        "fault_status": "http",
        "operations": [
            { "name": "getOrder", "scopes": ["read"] },
            { "name": "placeOrder", "scopes": ["read", "write"] },
        ],
        "unknown": { "scopes": ["more"] },
    });
    house
        .redeploy(json!({ "security": security, "soap": soap }))
        .await;
    let application = &house.consumer.application;
    let fields = json!({ "name": "till", "scopes": ["read", "write", "more"] });
    let client = house.admin.client(application, &fields).await.unwrap();
    let token = async |scopes: &str| {
        let more = format!("&scope={scopes}");
        let token = house.admin.token(&client, &more).await.unwrap();
        format!("Bearer {token}")
    };
    let (read, both, all) = (
        token("read").await,
        token("read+write").await,
        token("read+write+more").await,
    );
    let key = format!("ApiKey {}", house.consumer.key);
    let (order, placed) = (order_request(), place_order());
    let unknown = message(V1_1, "", "<o:dropOrder/>").into_bytes();
    let write = "read write";
    // The caller, the action and the body, and the required scopes if the call is refused.
    let rows = [
        (&read, None, &order, ""),
        (&read, GET, &order, ""),
        (&both, PLACE, &placed, ""),
        (&read, None, &placed, write),
        (&read, PLACE, &placed, write),
        // The operation of the action counts in addition to that of the body.
        (&read, PLACE, &order, write),
        (&read, GET, &placed, write),
        (&both, PLACE, &order, ""),
        (&both, GET, &placed, ""),
        (&both, None, &unknown, "more"),
        (&both, GET, &unknown, "more"),
        (&all, None, &unknown, ""),
        (&key, None, &order, "read"),
    ];
    let mut passed = 0;
    for (authorization, action, body, required) in rows {
        let answer = call(&house, authorization, action, body).await;
        let case = format!("{action:?} {}", String::from_utf8_lossy(body));
        if required.is_empty() {
            assert_eq!(answer.status, 200, "{case}: {}", answer.text());
            passed += 1;
            continue;
        }
        assert_eq!(answer.status, 403, "{case}: {}", answer.text());
        assert!(
            answer.text().contains("authorize.scope"),
            "{}",
            answer.text()
        );
        let error = if authorization == &key {
            String::new()
        } else {
            format!("error=\"insufficient_scope\", scope=\"{required}\", ")
        };
        let expected = format!(
            "ApiKey realm=\"tollgate\", Bearer realm=\"tollgate\", {error}resource_metadata=\
             \"http://{}/.well-known/oauth-protected-resource/orders/1.0\"",
            house.tollgate.gateway
        );
        assert_eq!(answer.field("www-authenticate"), Some(&*expected), "{case}");
    }
    assert_eq!(house.upstream.requests(), passed);
}

#[tokio::test]
async fn a_soap_call_counts_a_scope_by_approval_only_if_it_is_granted() {
    let house = House::with(&secured()).await;
    let write = json!({ "granted": "by_approval" });
    let security = json!({ "oauth2": {}, "scopes": { "read": "", "write": write } });
    let soap = json!({
        "fault_status": "http",
        "operations": [
            { "name": "getOrder", "scopes": ["read"] },
            { "name": "placeOrder", "scopes": ["write"] },
        ],
    });
    house
        .redeploy(json!({ "security": security, "soap": soap }))
        .await;
    let application = &house.consumer.application;
    let body = json!({ "name": "till", "scopes": ["read", "write"] });
    let client = house.admin.client(application, &body).await.unwrap();
    let token = house.admin.token(&client, "").await.unwrap();
    let bearer = format!("Bearer {token}");
    let path = format!(
        "/api/v1/subscriptions/{}/scopes",
        house.consumer.subscription
    );
    for (granted, status) in [(json!([]), 403), (json!(["write"]), 200), (json!([]), 403)] {
        let done = house.admin.done("PUT", &path, Some(&granted)).await;
        done.unwrap();
        let placed = call(&house, &bearer, None, &place_order()).await;
        assert_eq!(placed.status, status, "{}", placed.text());
        let is_told = placed.text().contains("by approval");
        assert_eq!(is_told, status == 403, "{}", placed.text());
        let read = call(&house, &bearer, None, &order_request()).await;
        assert_eq!(read.status, 200, "{}", read.text());
    }
}
