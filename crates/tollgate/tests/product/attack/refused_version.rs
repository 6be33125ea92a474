//! Number 11: a version that cannot be served is reported and never disappears. The store locks its
//! file while it is open, so damage is done between two runs; the tests of the feed, in `control`
//! and in `gateway`, show that the previous state of a served version stays in effect.

use serde_json::json;
use tollgate_testkit::{Answer, Builder, http};

use crate::house::{DOCUMENT, House, builder, get};
use crate::soap;
use crate::start::{logged, sql};

const SHOP: &str = include_str!("../soap/rest/shop.wsdl");

/// Asserts that a response of the control plane refuses this version.
fn assert_refused(answer: &Answer, version: &str, reason: &str) {
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert_eq!(answer.code(), "feed.refused");
    let detail = answer.json()["detail"].as_str().unwrap().to_owned();
    let is_reported = detail.starts_with("saved, not in force") && detail.contains(version);
    assert!(is_reported && detail.contains(reason), "{detail}");
}

/// Runs a statement on the closed database.
async fn damage(builder: &Builder, statement: &'static str) {
    sql(&builder.data().join("tollgate.db"), statement).await;
}

#[tokio::test]
async fn a_version_that_the_gateway_cannot_build_is_refused_and_the_previous_one_stays() {
    let query = "kind=soap_to_rest&port=Shop11";
    let contract = ("text/xml", SHOP.as_bytes());
    let house = soap::House::of(&builder(), query, contract).await;
    let id = json!({
        "place": "path", "name": "orderId", "path": ["orderId"], "required": true,
    });
    let rest = json!({
        "back_end": { "headers": { "session": { "token": "fixed" } } },
        "resources": [{
            "operation": "getOrder", "method": "GET", "path": "/order/{orderId}",
            "parameters": [id],
        }],
    });
    house.redeploy(json!({ "soap": { "rest": rest } })).await;
    let version = house.api.version.as_str();
    house.admin.lifecycle(version, "blocked").await.unwrap();
    let (_, builder) = house.tollgate.terminate().unwrap();
    damage(
        &builder,
        "update revisions set configuration = json_set(configuration,
            '$.soap.rest.back_end.headers.session', json('{\"token\": {\"no\": 1}}'))
            where number = 2",
    )
    .await;

    let tollgate = builder.start().unwrap();
    let admin = house.admin.at(tollgate.control);
    let request = get("/orders/1.0/order/7", &house.consumer.key);
    let code = async |gateway| http::call(gateway, &request).await.unwrap().code();
    assert_eq!(code(tollgate.gateway).await, "route.blocked");
    let path = format!("/api/v1/versions/{version}/lifecycle");
    let published = json!({ "to": "published" });
    let answer = admin.send("POST", &path, Some(&published)).await.unwrap();
    assert_refused(&answer, version, "session");
    assert_eq!(code(tollgate.gateway).await, "route.blocked");
    admin.plan("another", json!([])).await.unwrap();

    // The saved version is found at the next start, which still serves the rest.
    let tollgate = tollgate.kill().unwrap().start().unwrap();
    let admin = house.admin.at(tollgate.control);
    assert_eq!(code(tollgate.gateway).await, "route.no_api");
    let log = logged(&tollgate, "cannot be served").await;
    assert!(log.contains(version) && log.contains("session"), "{log}");
    let revision = admin.revision(version).await.unwrap();
    admin.deploy(version, revision).await.unwrap();
    // The back end's echo is not an envelope: the call was forwarded.
    assert_eq!(code(tollgate.gateway).await, "upstream.not_understood");
}

#[tokio::test]
async fn the_deployment_of_a_damaged_revision_is_refused_and_the_previous_one_is_served() {
    let house = House::new().await;
    let version = house.api.version.as_str();
    let revision = house.admin.revision(version).await.unwrap();
    let (_, builder) = house.tollgate.terminate().unwrap();
    damage(
        &builder,
        "update revisions set configuration = json_set(configuration, '$.key_header', 'Host')
            where number = 2",
    )
    .await;
    let tollgate = builder.start().unwrap();
    let admin = house.admin.at(tollgate.control);
    let request = get("/pets/1.0/pets", &house.consumer.key);
    let call = async || http::call(tollgate.gateway, &request).await.unwrap().status;
    assert_eq!(call().await, 200);
    let path = format!("/api/v1/versions/{version}/deployment");
    let damaged = json!({ "revision": revision });
    let answer = admin.send("PUT", &path, Some(&damaged)).await.unwrap();
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (422, "version.key_header")
    );
    assert_eq!(call().await, 200);
}

#[tokio::test]
async fn a_damaged_version_is_omitted_at_the_start_and_reported_until_it_is_repaired() {
    for (damaged, reason, status_moved) in [
        (
            "update revisions set configuration = '{'
                where version = (select min(version) from revisions)",
            "configuration",
            503,
        ),
        (
            "update revisions set configuration = json_set(configuration, '$.key_header', 'Host')
                where version = (select min(version) from revisions)",
            "/key_header",
            503,
        ),
        (
            "pragma foreign_keys = off;
                delete from revisions where version = (select min(version) from revisions)",
            "configuration",
            503,
        ),
        (
            "update apis set context = 'pets/' where id = (select min(id) from apis)",
            "/context",
            // The change repairs it.
            200,
        ),
    ] {
        let house = House::new().await;
        let version = house.api.version.as_str();
        let other = house.admin.import("Cats", "/cats", "1.0", DOCUMENT);
        let other = other.await.unwrap().version;
        house
            .admin
            .upstream(&other, &house.upstream.url())
            .await
            .unwrap();
        house.admin.attach(&other, &["tested"]).await.unwrap();
        house.admin.lifecycle(&other, "published").await.unwrap();
        let application = &house.consumer.application;
        let subscribed = house.admin.subscribe(application, &other, "tested");
        subscribed.await.unwrap();
        let (_, builder) = house.tollgate.terminate().unwrap();
        damage(&builder, damaged).await;

        let tollgate = builder.start().unwrap();
        let status = async |path: &str| {
            let request = get(path, &house.consumer.key);
            http::call(tollgate.gateway, &request).await.unwrap().status
        };
        assert_eq!(status("/cats/1.0/pets").await, 200);
        assert_eq!(status("/pets/1.0/pets").await, 404);
        logged(&tollgate, "cannot be served").await;
        let log = tollgate.said();
        let reported: Vec<_> = log.lines().filter(|it| it.contains("ERROR")).collect();
        let is_reported =
            reported.len() == 1 && reported[0].contains(version) && reported[0].contains(reason);
        assert!(is_reported, "{reported:?}");

        let admin = house.admin.at(tollgate.control);
        let path = format!("/api/v1/apis/{}", house.api.api);
        let moved = json!({ "context": "/dogs" });
        let answer = admin.send("PATCH", &path, Some(&moved)).await.unwrap();
        match status_moved {
            200 => assert_eq!(answer.status, 200, "{}", answer.text()),
            _ => assert_refused(&answer, version, reason),
        }
        let revision = admin.revision(version).await.unwrap();
        admin.deploy(version, revision).await.unwrap();
        assert_eq!(status("/dogs/1.0/pets").await, 200);
        assert_eq!(status("/cats/1.0/pets").await, 200);
    }
}

#[tokio::test]
async fn a_damaged_row_is_omitted_and_reported_and_the_rest_is_served() {
    let house = House::new().await;
    let other = house.admin.import("Other", "/other", "1.0", DOCUMENT);
    let other = other.await.unwrap();
    let (version, url) = (&other.version, house.upstream.url());
    house.admin.upstream(version, &url).await.unwrap();
    house.admin.attach(version, &["tested"]).await.unwrap();
    house.admin.lifecycle(version, "published").await.unwrap();
    let (good, request) = (house.request(), get("/other/1.0/pets", &house.consumer.key));
    let (_, builder) = house.tollgate.terminate().unwrap();
    for statement in [
        "update versions set state = 'zombie'
            where api = (select id from apis where name = 'Other')",
        "update plans set terms = 'x' where name = 'bronze'",
    ] {
        damage(&builder, statement).await;
    }
    let tollgate = builder.start().unwrap();
    let call = async |request: &[u8]| http::call(tollgate.gateway, request).await.unwrap();
    assert_eq!(call(&good).await.status, 200);
    assert_eq!(call(&request).await.code(), "route.no_api");
    for words in [version.as_str(), "the plan pln_"] {
        let line = logged(&tollgate, words).await;
        assert!(
            line.contains(" ERROR ") && line.contains("left out"),
            "{line}"
        );
    }
}
