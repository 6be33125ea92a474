//! Calls that are refused for their message use up no quota, but rates and bursts.

use serde_json::json;
use tollgate_testkit::http;

use super::left_under;
use crate::house::{House, builder};

/// A POST with this type and body.
fn post(house: &House, content_type: &str, body: &str) -> Vec<u8> {
    let fields = [
        ("apikey", house.consumer.key.as_str()),
        ("content-type", content_type),
    ];
    http::request("POST", "/pets/1.0/pets", &fields, body.as_bytes())
}

#[tokio::test]
async fn a_call_refused_for_its_message_uses_up_no_quota_but_rates() {
    for long in [
        json!({ "per": "subscription", "amount": 9, "window": "day" }),
        json!({ "per": "subscription", "amount": 9, "window": "hour",
                "algorithm": { "type": "rolling" } }),
        json!({ "per": "subscription", "metric": "units", "amount": 9, "window": "month" }),
        json!({ "per": "subscription", "amount": 9, "window": "week",
                "soft": { "overage_percent": 20 } }),
    ] {
        let minute = json!({ "per": "subscription", "name": "short", "amount": 20,
                             "window": "minute" });
        let mut named = long.clone();
        named["name"] = json!("long");
        let house = House::with(&builder(), json!([named, minute])).await;
        let parse = json!({ "policy": "threat_protection" });
        house
            .redeploy(json!({ "body_bytes_max": 100, "policies": { "request": [parse] } }))
            .await;
        let gateway = house.tollgate.gateway;
        let good = post(&house, "application/json", "{}");
        let left = async |request: &[u8], status: u16| {
            let answer = http::call(gateway, request).await.unwrap();
            assert_eq!(answer.status, status, "{long}: {}", answer.text());
            left_under(&answer, "long")
        };
        assert_eq!(left(&good, 200).await, Some(8), "{long}");
        let refused = [
            (post(&house, "application/json", "{"), 400),
            (post(&house, "text/plain", "{}"), 415),
            (post(&house, "application/json", &" ".repeat(101)), 413),
        ];
        for (request, status) in &refused {
            assert_eq!(left(request, *status).await, Some(8), "{long} {status}");
        }
        assert_eq!(left(&good, 200).await, Some(7), "{long}");
        // The minute counts them all.
        for _ in 0..15 {
            http::call(gateway, &refused[0].0).await.unwrap();
        }
        let answer = http::call(gateway, &good).await.unwrap();
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (429, "admit.subscription")
        );
        assert!(answer.text().contains("short"), "{}", answer.text());
    }
}

#[tokio::test]
async fn policies_with_one_name_are_numbered() {
    let day = json!({ "per": "application", "amount": 9, "window": "day" });
    let house = House::with(&builder(), json!([day])).await;
    let path = format!("/api/v1/applications/{}", house.consumer.application);
    let fewer = json!({ "per": "application", "amount": 5, "window": "day" });
    let change = json!({ "limits": [fewer] });
    house
        .admin
        .done("PATCH", &path, Some(&change))
        .await
        .unwrap();
    let answer = house.call().await;
    assert_eq!(
        answer.field("ratelimit-policy"),
        Some("\"application-day\";q=9;w=86400, \"application-day#2\";q=5;w=86400")
    );
    assert_eq!(left_under(&answer, "application-day#2"), Some(4));
}
