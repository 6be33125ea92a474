use std::sync::Arc;

use serde_json::json;
use tollgate_model::feed::{Applied, RefusedVersion};
use tollgate_model::quota::{Quota, Subject};
use tollgate_model::user::Role;

use super::GatewayStatus;
use crate::gateways::ObservedGateway;
use crate::harness::{House, NOW_US};
use crate::time::Time;

/// A gateway with this status.
struct Idle;

impl ObservedGateway for Idle {
    fn status(&self) -> GatewayStatus {
        GatewayStatus {
            versions: 1,
            workers: 2,
            connections: 3,
            calls: 4,
            remembered_tokens: 5,
            counters: 9,
            counters_found: 4,
            counters_forgotten: 2,
        }
    }

    fn quotas(&self, _: &[Subject]) -> Vec<Quota> {
        Vec::new()
    }
}

#[tokio::test]
async fn administrators_see_the_status_of_the_process() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    house.wait(5_000_000);
    let see = async || house.get("/api/v1/status").by(&root).await.expect(200).body;
    let seen = see().await;
    assert_eq!(seen["started_at"], json!(Time(NOW_US)));
    assert_eq!(seen["now"], json!(Time(NOW_US + 5_000_000)));
    assert_eq!(seen["store"]["writable"], true);
    assert!(seen["store"]["bytes"].as_u64().unwrap() > 4_096, "{seen}");
    assert!(seen["usage"]["bytes"].as_u64().unwrap() > 4_096, "{seen}");
    assert_eq!(seen["usage"]["losses"], json!([]));
    assert_eq!(seen["feed"]["gateways"], json!([]), "nobody follows");
    assert_eq!(seen["gateways"], json!([]));
    assert_eq!(seen["conditions"], json!([]));
    house.control.observed_gateways.add(Arc::new(Idle));
    let status = json!({
        "versions": 1, "workers": 2, "connections": 3, "calls": 4, "remembered_tokens": 5,
        "counters": 9, "counters_found": 4, "counters_forgotten": 2,
    });
    assert_eq!(see().await["gateways"], json!([status]));
}

#[tokio::test]
async fn a_gateway_that_lags_is_seen() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let (_messages, applied) = house.control.feed.follow();
    let see = async || {
        let seen = house.get("/api/v1/status").by(&root).await.expect(200).body;
        seen["feed"].clone()
    };
    let seen = see().await;
    let sequence = seen["sequence"].as_u64().unwrap();
    assert!(sequence > 0, "{seen}");
    let lagging = json!([{"sequence": 0, "is_current": false, "refused": []}]);
    assert_eq!(seen["gateways"], lagging);
    let refused = RefusedVersion {
        version: house.control.id().unwrap(),
        reason: "it is no good".to_owned(),
    };
    let version = refused.version;
    applied.send_replace(Applied {
        sequence,
        refused: vec![refused],
    });
    let refused = json!([{"version": version, "reason": "it is no good"}]);
    let current = json!([{"sequence": sequence, "is_current": true, "refused": refused}]);
    assert_eq!(see().await["gateways"], current);
}
