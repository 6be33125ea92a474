//! Number 3: an upstream that is Tollgate itself, a cloud's metadata service or no valid host is
//! refused when it is saved, deployed and connected to.

use serde_json::json;
use tollgate_testkit::upstream::refusing;

use crate::house::{House, builder};
use crate::start::{logged, sql};

/// Saves this upstream; returns the outcome.
async fn save(house: &House, url: &str) -> (u16, String) {
    let path = format!("/api/v1/versions/{}/draft", house.api.version);
    let change = json!({ "upstream": { "url": url } });
    let answer = house.admin.send("PATCH", &path, Some(&change)).await;
    let answer = answer.unwrap();
    (answer.status, answer.code())
}

#[tokio::test]
async fn an_upstream_at_tollgate_or_an_invalid_host_is_not_saved() {
    let house = House::new().await;
    let (control, gateway) = (house.tollgate.control.port(), house.tollgate.gateway.port());
    for port in [control, gateway] {
        for host in [
            "127.0.0.1",
            "localhost",
            "LOCALHOST",
            "[::ffff:127.0.0.1]",
            "2130706433",
            "0x7f.1",
            "127.1",
        ] {
            let refused = (422, "upstream.forbidden".to_owned());
            let url = format!("http://{host}:{port}/api");
            assert_eq!(save(&house, &url).await, refused, "{url}");
        }
    }
    for host in [
        "169.254.169.254",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::a9fe:a9fe]",
        "[fe80::1]",
        "0.0.0.0",
        "0",
        "[::]",
        "224.0.0.1",
        "[ff02::1]",
        "255.255.255.255",
        "100.100.100.200",
        "[fd00:ec2::254]",
    ] {
        let refused = (422, "upstream.forbidden".to_owned());
        let url = format!("http://{host}:3000");
        assert_eq!(save(&house, &url).await, refused, "{url}");
    }
    // Addresses that upstreams may have, and hosts that do not resolve yet.
    for url in [
        "http://127.0.0.1:3000",
        "http://10.1.2.3",
        "http://[fd00::1]:3000",
        "http://back-end.invalid",
    ] {
        assert_eq!(save(&house, url).await.0, 200, "{url}");
    }
    assert_eq!(house.call().await.text(), "hello");
}

#[tokio::test]
async fn an_upstream_that_became_forbidden_is_neither_deployed_nor_connected_to() {
    let address = refusing().unwrap();
    let control = address.to_string();
    // Another address of the name would be connected to instead.
    let builder = builder()
        .set("control-listen", &control)
        .set("gateway-upstream-denied", "::1");
    let house = House::with(&builder, json!([])).await;
    let request = house.request();
    let (_, builder) = house.tollgate.terminate().unwrap();

    // Written directly to the store, as the address of a host may change unnoticed.
    let database = builder.data().join("tollgate.db");
    for (url, authority) in [
        (format!("http://{control}/healthz"), control.clone()),
        (
            format!("http://localhost:{}/healthz", address.port()),
            format!("localhost:{}", address.port()),
        ),
        (
            "http://169.254.169.254".into(),
            "169.254.169.254".to_owned(),
        ),
    ] {
        let statement = format!(
            "update revisions set configuration = \
             json_set(configuration, '$.upstream.url', '{url}')"
        );
        sql(&database, &statement).await;
        let tollgate = builder.start().unwrap();
        let answer = tollgate_testkit::http::call(tollgate.gateway, &request).await;
        let answer = answer.unwrap();
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (502, "upstream.forbidden")
        );
        assert!(!answer.text().contains("169.254"), "{}", answer.text());
        let line = logged(&tollgate, "upstream.forbidden").await;
        assert!(line.contains(&authority), "{line}");

        let admin = house.admin.at(tollgate.control);
        let path = format!("/api/v1/versions/{}/deployment", house.api.version);
        let deployed = admin
            .send("PUT", &path, Some(&json!({ "revision": 1 })))
            .await;
        assert_eq!(deployed.unwrap().code(), "upstream.forbidden");
        tollgate.terminate().unwrap();
    }
}

#[tokio::test]
async fn the_operator_denies_networks_and_hosts_and_allows_exceptions() {
    let house = House::new().await;
    let request = house.request();
    let (_, plain) = house.tollgate.terminate().unwrap();
    let denied = plain
        .clone()
        .set("gateway-upstream-denied", "127.0.0.0/8, ::1");
    let excepted = denied.clone().set("gateway-upstream-allowed", "127.0.0.1");
    for (builder, expected) in [(denied, 502), (excepted, 200)] {
        let tollgate = builder.start().unwrap();
        let answer = tollgate_testkit::http::call(tollgate.gateway, &request).await;
        assert_eq!(answer.unwrap().status, expected);
        tollgate.terminate().unwrap();
    }
}

#[tokio::test]
async fn another_address_of_a_name_with_a_forbidden_address_is_used() {
    let builder = builder().set("gateway-upstream-denied", "::1");
    let house = House::with(&builder, json!([])).await;
    // If the machine also resolves it to ::1, that address comes first.
    let url = format!("http://localhost:{}", house.upstream.address().port());
    let (admin, version) = (&house.admin, &house.api.version);
    admin.upstream(version, &url).await.unwrap();
    let revision = admin.revision(version).await.unwrap();
    admin.deploy(version, revision).await.unwrap();
    assert_eq!(house.call().await.text(), "hello");
    let host = format!("host: localhost:{}", house.upstream.address().port());
    let received = house.upstream.received().concat();
    let received = String::from_utf8_lossy(&received).to_ascii_lowercase();
    assert!(received.contains(&host), "{received}");
}
