//! An operation that takes the rest of a path: one for limits, the cache, purges and figures.

use serde_json::json;
use tollgate_testkit::{Answer, http};

use crate::house::House;

async fn ask(house: &House, method: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
    let key = ("apikey", house.consumer.key.as_str());
    let target = format!("/pets/1.0{path}");
    let request = http::request(method, &target, &[&[key], fields].concat(), b"");
    http::call(house.tollgate.gateway, &request).await.unwrap()
}

#[tokio::test]
async fn the_paths_of_a_rest_are_those_of_one_operation() {
    let house = House::new().await;
    let limit = json!({ "per": "operation", "amount": 5, "window": "day" });
    let draft = json!({
        "operations": [
            { "method": "GET", "path": "/files/{path*}", "limits": [limit] },
            { "method": "POST", "path": "/files/{path*}" },
            { "method": "GET", "path": "/menu" },
        ],
        "policies": {
            "cors": { "origins": ["https://good.example"] },
            "cache": { "ttl_s": 600 },
        },
    });
    house.redeploy(draft).await;
    let get = async |path: &str| ask(&house, "GET", path, &[]).await.status;
    // Each path is stored under its own key.
    for (path, sent) in [("/a/b", 1), ("/a/b", 1), ("/a//b", 2)] {
        assert_eq!(get(&format!("/files{path}")).await, 200);
        assert_eq!(house.upstream.requests(), sent, "{path}");
    }
    let purge = format!("/api/v1/versions/{}/cache/purge", house.api.version);
    let of_rest = json!({ "operations": ["GET /files/{path*}"] });
    house
        .admin
        .done("POST", &purge, Some(&of_rest))
        .await
        .unwrap();
    for (path, sent) in [("/a/b", 3), ("/a//b", 4)] {
        assert_eq!(get(&format!("/files{path}")).await, 200);
        assert_eq!(house.upstream.requests(), sent, "{path}");
    }
    let spent = ask(&house, "GET", "/files/never/called", &[]).await;
    assert_eq!(
        (spent.status, spent.code()),
        (429, "admit.operation".to_owned())
    );
    assert_eq!(get("/menu").await, 200);

    let other = ask(&house, "PUT", "/files/a/b", &[]).await;
    assert_eq!(
        (other.status, other.field("allow")),
        (405, Some("GET, POST"))
    );
    let preflight = [
        ("origin", "https://good.example"),
        ("access-control-request-method", "POST"),
    ];
    let allowed = ask(&house, "OPTIONS", "/files/a/b", &preflight).await;
    assert_eq!(allowed.status, 204);
    let methods = allowed.field("access-control-allow-methods");
    assert_eq!(methods, Some("GET, POST"));

    house.usage(9).await;
    let path = "/api/v1/usage?group_by=operation&status=200";
    let usage = house.admin.done("GET", path, None).await.unwrap();
    let rows = usage["rows"].as_array().unwrap().iter();
    let rows: Vec<_> = rows
        .map(|it| (&it["operation"]["name"], &it["calls"]))
        .collect();
    assert!(
        rows.contains(&(&json!("GET /files/{path*}"), &json!(5))),
        "{usage}"
    );
}
