use serde_json::json;

use crate::gateways::GatewayPlaces;
use crate::harness::House;

#[tokio::test]
async fn anyone_sees_gateway_urls_and_parts() {
    let house = House::new().await;
    let seen = house.get("/api/v1/portal").await.expect(200).body;
    let release = env!("CARGO_PKG_VERSION");
    let nowhere = json!({
        "name": "Tollgate", "release": release, "gateways": {}, "parts": {"open_catalogue": false},
    });
    assert_eq!(seen, nowhere);
    let places = GatewayPlaces {
        http: Some("0.0.0.0:8080".parse().unwrap()),
        ..GatewayPlaces::default()
    };
    let house = House::reached_at(places).await;
    let seen = house
        .get("/api/v1/portal")
        .header("host", "localhost:9000")
        .await;
    assert_eq!(
        seen.body["gateways"],
        json!({"http": "http://localhost:8080"})
    );
}
