//! Limits that are found at the call: of addresses, users, operations of a plan, and pairs.

use serde_json::{Value, json};
use tollgate_testkit::{Answer, http};

use super::left_under;
use crate::house::{House, builder};
use crate::soap::{self, XML, order_request, place_order};

/// A limit of three requests a day.
fn three_per(per: &Value) -> Value {
    json!([{ "per": per, "amount": 3, "window": "day" }])
}

/// Starts a house under these limits, behind a proxy.
async fn behind_a_proxy(limits: Value) -> House {
    let builder = builder().set("gateway-trusted-proxies", "127.0.0.1");
    House::with(&builder, limits).await
}

/// Calls from an address, with a key if there is one.
async fn call_from(house: &House, address: &str, target: &str, key: Option<&str>) -> Answer {
    let mut fields = vec![("X-Forwarded-For", address)];
    fields.extend(key.map(|key| ("apikey", key)));
    let target = format!("/pets/1.0{target}");
    let request = http::request("GET", &target, &fields, b"");
    http::call(house.tollgate.gateway, &request).await.unwrap()
}

#[tokio::test]
async fn an_ipv4_address_and_an_ipv6_network_of_64_bits_are_one_caller_each() {
    let house = behind_a_proxy(three_per(&json!("address"))).await;
    // In the order of the calls: the address, and what it has left; none if it is refused.
    let rows = [
        ("192.0.2.7", Some(2)),
        ("::ffff:192.0.2.7", Some(1)),
        ("192.0.2.8", Some(2)),
        ("192.0.2.7", Some(0)),
        ("::ffff:c000:207", None),
        ("2001:db8:0:1::1", Some(2)),
        ("2001:db8:0:1:ffff:ffff:ffff:ffff", Some(1)),
        ("2001:db8:0:2::1", Some(2)),
        ("2001:db8::1:0:0:0:9", Some(0)),
        ("2001:db8:0:1::2", None),
        ("192.0.2.8", Some(1)),
    ];
    let key = house.consumer.key.as_str();
    for (index, (address, left)) in rows.into_iter().enumerate() {
        let answer = call_from(&house, address, "/pets", Some(key)).await;
        let expected = match left {
            Some(left) => (200, left),
            None => (429, 0),
        };
        let seen = (answer.status, left_under(&answer, "address-day").unwrap());
        assert_eq!(seen, expected, "{index}: {address}");
        if answer.status == 429 {
            assert_eq!(answer.code(), "admit.rule");
            assert!(answer.field("retry-after").is_some());
        }
    }
}

#[tokio::test]
async fn each_key_of_an_application_is_a_user() {
    let house = House::with(&builder(), three_per(&json!("user"))).await;
    let (_, other) = house.admin.key(&house.consumer.application).await.unwrap();
    let keys = [house.consumer.key.as_str(), other.as_str()];
    for (place, left) in [(0, 2), (1, 2), (0, 1), (0, 0), (1, 1)] {
        let request = crate::house::get("/pets/1.0/pets", keys[place]);
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
        assert_eq!(
            left_under(&answer, "user-day"),
            Some(left),
            "{place} {left}"
        );
    }
    assert_eq!(house.call().await.code(), "admit.rule");
}

/// Calls under limits of one kind until one is refused, and what follows.
struct Row {
    per: Value,
    name: &'static str,
    code: &'static str,
    /// The number of the consumer, the address, the operation, and whether the call is admitted.
    calls: &'static [(usize, &'static str, &'static str, bool)],
}

const ONE: &str = "192.0.2.1";
const TWO: &str = "192.0.2.2";

fn rows() -> [Row; 4] {
    [
        Row {
            per: json!("operation"),
            name: "operation-day",
            code: "admit.operation",
            calls: &[
                (0, ONE, "/pets", true),
                (1, TWO, "/pets", true),
                (0, ONE, "/pets", true),
                (1, ONE, "/pets", false),
                (0, ONE, "/pets/rex", true),
            ],
        },
        Row {
            per: json!(["operation", "subscription"]),
            name: "subscription-operation-day",
            code: "admit.subscription",
            calls: &[
                (0, ONE, "/pets", true),
                (0, TWO, "/pets", true),
                (0, ONE, "/pets", true),
                (0, ONE, "/pets", false),
                (0, ONE, "/pets/rex", true),
                (1, ONE, "/pets", true),
            ],
        },
        Row {
            per: json!(["api", "address"]),
            name: "api-address-day",
            code: "admit.rule",
            calls: &[
                (0, ONE, "/pets", true),
                (1, ONE, "/pets/rex", true),
                (0, ONE, "/pets/tom", true),
                (1, ONE, "/pets", false),
                (1, TWO, "/pets", true),
            ],
        },
        Row {
            per: json!(["user", "address"]),
            name: "user-address-day",
            code: "admit.rule",
            calls: &[
                (0, ONE, "/pets", true),
                (0, ONE, "/pets/rex", true),
                (0, ONE, "/pets/tom", true),
                (0, ONE, "/pets", false),
                (1, ONE, "/pets", true),
                (0, TWO, "/pets", true),
            ],
        },
    ]
}

#[tokio::test]
async fn an_operation_in_a_plan_and_pairs_have_a_counter_for_each_value() {
    for row in rows() {
        let Row {
            per,
            name,
            code,
            calls,
        } = row;
        let house = behind_a_proxy(three_per(&per)).await;
        let other = house.admin.consumer("till", &house.api.version, "tested");
        let keys = [house.consumer.key.clone(), other.await.unwrap().key];
        for &(consumer, address, target, is_admitted) in calls {
            let answer = call_from(&house, address, target, Some(&keys[consumer])).await;
            assert_eq!(
                answer.status == 200,
                is_admitted,
                "{name} {consumer} {target}"
            );
            assert!(left_under(&answer, name).is_some(), "{name}");
            if !is_admitted {
                assert_eq!(answer.code(), code, "{name}");
            }
        }
    }
}

#[tokio::test]
async fn calls_that_lack_a_dimension_share_one_value() {
    for per in ["user", "application", "subscription"] {
        let house = behind_a_proxy(json!([])).await;
        let operations = json!({ "operations": [
            { "method": "GET", "path": "/pets", "anonymous": true },
        ] });
        house.redeploy(operations).await;
        let terms = json!({ "name": "anonymous", "limits": three_per(&json!(per)) });
        let changed = house.admin.replace("/api/v1/plans/anonymous", &terms);
        changed.await.unwrap();
        let mut statuses = Vec::new();
        for address in ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"] {
            let answer = call_from(&house, address, "/pets", None).await;
            statuses.push(answer.status);
        }
        assert_eq!(statuses, [200, 200, 200, 429], "{per}");
        let key = house.consumer.key.as_str();
        let known = call_from(&house, "192.0.2.1", "/pets", Some(key)).await;
        assert_eq!(known.status, 200, "{per}");
    }
}

#[tokio::test]
async fn a_false_action_evades_no_limit_of_an_operation_that_is_found_at_the_call() {
    let per = |other: &str| json!([{ "per": [other, "operation"], "amount": 1, "window": "day" }]);
    let rows = [
        (json!({ "unlimited": true }), per("address")),
        (json!({ "limits": per("subscription") }), json!([])),
    ];
    for (mut terms, own) in rows {
        let house = soap::House::new().await;
        terms["name"] = json!("tested");
        let changed = house.admin.replace("/api/v1/plans/tested", &terms);
        changed.await.unwrap();
        house
            .redeploy(json!({ "soap": { "operations": [
                { "name": "getOrder", "limits": own }, { "name": "placeOrder" },
            ] } }))
            .await;
        let action = |name: &'static str| [XML, ("SOAPAction", name)];
        let (get, place) = ("urn:orders:getOrder", "urn:orders:placeOrder");
        let answer = house.post(&action(get), &place_order()).await;
        assert_eq!(answer.status, 200, "counts for both operations: {terms}");
        let refused = house.post(&action(get), &order_request()).await;
        assert!(refused.text().contains("<code>admit."), "{terms}");
        let is_of_plan = own == json!([]);
        let answer = house.post(&action(place), &place_order()).await;
        assert_eq!(answer.status == 200, !is_of_plan, "{terms}");
    }
}
