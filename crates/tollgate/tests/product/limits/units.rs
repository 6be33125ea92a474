//! Limits on units: a call costs the weight of its operation, in REST, SOAP and REST over SOAP.

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Connection, http};

use super::{left_under, parameter};
use crate::house::{House, builder};
use crate::soap::rest::{ok, order, shop};
use crate::soap::{self, XML, order_request, place_order};

const NAME: &str = "subscription-units-day";

fn units(amount: u64) -> Value {
    json!([{ "metric": "units", "per": "subscription", "amount": amount, "window": "day" }])
}

/// The status of an answer and what it has left.
fn seen(answer: &Answer) -> (u16, Option<u64>) {
    (answer.status, left_under(answer, NAME))
}

#[tokio::test]
async fn a_call_costs_the_weight_of_its_operation() {
    let house = House::with(&builder(), units(100)).await;
    let weighted = json!({ "operations": [
        { "method": "GET", "path": "/pets" },
        { "method": "GET", "path": "/pets/{pet}", "weight": 40 },
    ] });
    house.redeploy(weighted).await;
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    let rows = [
        ("/pets/rex", (200, Some(60))),
        ("/pets", (200, Some(59))),
        ("/pets/tom", (200, Some(19))),
        ("/pets/tom", (429, Some(0))),
        ("/pets", (200, Some(18))),
    ];
    for (target, expected) in rows {
        let request = crate::house::get(&format!("/pets/1.0{target}"), &house.consumer.key);
        let answer = connection.exchange(&request).await.unwrap();
        assert_eq!(seen(&answer), expected, "{target}");
        let policy = answer.field("ratelimit-policy").unwrap();
        assert!(policy.contains("q=100;qu=\"units\""), "{policy}");
    }
}

#[tokio::test]
async fn an_operation_dearer_than_its_limit_is_refused_with_that_sentence() {
    const SENTENCE: &str =
        "The operation costs more units than this limit ever admits; waiting does not help.";
    let bucket = json!({
        "metric": "units", "per": "subscription", "amount": 1_000, "window": "minute",
        "algorithm": { "type": "gcra", "burst": 39 },
    });
    let rows = [
        (units(39), "admit.subscription"),
        (json!([bucket]), "admit.subscription_burst"),
    ];
    for (limits, code) in rows {
        let house = House::with(&builder(), limits).await;
        let weighted = json!({ "operations": [
            { "method": "GET", "path": "/pets", "weight": 40 },
            { "method": "GET", "path": "/pets/{pet}", "weight": 39 },
        ] });
        house.redeploy(weighted).await;
        let refused = house.call().await;
        assert_eq!((refused.status, refused.code().as_str()), (429, code));
        assert_eq!(refused.field("retry-after"), None);
        assert_eq!(refused.json()["detail"], SENTENCE);
        assert!(!refused.field("ratelimit").unwrap().contains("t="));
        let request = crate::house::get("/pets/1.0/pets/rex", &house.consumer.key);
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.status, 200, "nothing was charged");
    }
}

#[tokio::test]
async fn operations_of_a_soap_service_have_weights() {
    let house = soap::House::new().await;
    let terms = json!({ "name": "tested", "limits": units(100) });
    let changed = house.admin.replace("/api/v1/plans/tested", &terms);
    changed.await.unwrap();
    house
        .redeploy(json!({ "soap": { "operations": [
            { "name": "getOrder", "weight": 7 }, { "name": "placeOrder", "weight": 60 },
        ] } }))
        .await;
    let get = [XML, ("SOAPAction", "urn:orders:getOrder")];
    let place = [XML, ("SOAPAction", "urn:orders:placeOrder")];
    let answer = house.post(&get, &order_request()).await;
    assert_eq!(seen(&answer), (200, Some(93)));
    let answer = house.post(&place, &place_order()).await;
    assert_eq!(seen(&answer), (200, Some(33)));
    let refused = house.post(&place, &place_order()).await;
    assert_eq!(left_under(&refused, NAME), Some(0));
    assert_ne!(refused.status, 200);
    let answer = house.post(&get, &order_request()).await;
    assert_eq!(seen(&answer), (200, Some(26)));
}

/// A back end may follow the body or the action, so neither can be used to save units, or to call
/// an operation more often than its limit admits.
#[tokio::test]
async fn a_message_that_points_to_two_operations_counts_as_both() {
    let pair = json!([{ "per": ["subscription", "operation"], "amount": 3, "window": "day" }]);
    let own = json!([
        { "per": "operation", "amount": 3, "window": "day", "plans": ["tested"] },
    ]);
    // The limits of the plan and of the operation, each of which admits three calls, and the name.
    let rows = [
        (pair, json!([]), "subscription-operation-day"),
        (json!([]), own, "operation-day"),
        (units(3 * 7), json!([]), NAME),
    ];
    for (of_plan, own, name) in rows {
        let house = soap::House::new().await;
        let is_unlimited = of_plan == json!([]);
        let terms = json!({ "name": "tested", "limits": of_plan, "unlimited": is_unlimited });
        let changed = house.admin.replace("/api/v1/plans/tested", &terms);
        changed.await.unwrap();
        house
            .redeploy(json!({ "soap": { "operations": [
                { "name": "getOrder", "weight": 7, "limits": own }, { "name": "placeOrder" },
            ] } }))
            .await;
        let get = [XML, ("SOAPAction", "urn:orders:getOrder")];
        for _ in 0..2 {
            let answer = house.post(&get, &place_order()).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        let answer = house.post(&get, &order_request()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(left_under(&answer, name), Some(0), "{name}");
        let refused = house.post(&get, &order_request()).await;
        assert_ne!(refused.status, 200, "{name}");
    }
}

#[tokio::test]
async fn resources_of_a_soap_service_have_weights() {
    let house = shop().await;
    let terms = json!({ "name": "tested", "limits": units(100) });
    let changed = house.admin.replace("/api/v1/plans/tested", &terms);
    changed.await.unwrap();
    house
        .redeploy(json!({ "soap": { "operations": [
            { "name": "getOrder", "weight": 30 },
            { "name": "placeOrder" },
            { "name": "cancelOrder" },
            { "name": "noteEvent" },
        ] } }))
        .await;
    house.upstream.behave(ok(&order("<o:id>7</o:id>")));
    let key = [("apikey", house.consumer.key.as_str())];
    let request = http::request("GET", "/orders/1.0/order/7", &key, b"");
    let mut left = Vec::new();
    for _ in 0..4 {
        let answer = house.send(&request).await;
        left.push(parameter(&answer, ("ratelimit", NAME), "r"));
    }
    assert_eq!(left[0], Some(70));
    assert_eq!(left[1..], [Some(40), Some(10), Some(0)]);
}
