//! Number 2: publishers who access the APIs of others. The control plane's own tests check that
//! every route refuses that (`ownership/tests.rs`).

use serde_json::{Value, json};
use tollgate_testkit::control::Imported;
use tollgate_testkit::{Behaviour, Control, Upstream, http};

use crate::house::{DOCUMENT, builder, user};
use crate::soap;
use crate::start::logged;

const SHOP: &str = include_str!("../soap/rest/shop.wsdl");

/// Publishes an API of one operation under the unlimited plan `tested`.
async fn publish(by: &Control, name: &str, upstream: &Upstream) -> Imported {
    let context = format!("/{name}");
    let api = by.import(name, &context, "1.0", DOCUMENT).await.unwrap();
    by.upstream(&api.version, &upstream.url()).await.unwrap();
    by.attach(&api.version, &["tested"]).await.unwrap();
    by.lifecycle(&api.version, "published").await.unwrap();
    api
}

/// Sends a request; returns the status and the code of the response.
async fn outcome(by: &Control, method: &str, path: &str, body: Value) -> (u16, String) {
    let body = (method != "GET" && method != "DELETE").then_some(body);
    let answer = by.send(method, path, body.as_ref()).await.unwrap();
    (answer.status, answer.code())
}

#[tokio::test]
async fn a_hostile_publisher_turns_blocks_and_reads_nothing_of_anothers_api() {
    let tollgate = builder().start().unwrap();
    let root = Control::administrator(&tollgate).await.unwrap();
    root.plan("tested", json!([])).await.unwrap();
    let ann = user(&root, &tollgate, ("ann", &["publisher"])).await;
    let eve = user(&root, &tollgate, ("eve", &["publisher"])).await;
    let upstream = Upstream::start(Behaviour::text("ann's")).unwrap();
    let evil = Upstream::start(Behaviour::text("eve's")).unwrap();
    let shown = publish(&ann, "shown", &upstream).await;
    let hidden = publish(&ann, "hidden", &upstream).await;
    let consumer = root.consumer("shop", &shown.version, "tested").await;
    let consumer = consumer.unwrap();
    ann.lifecycle(&hidden.version, "blocked").await.unwrap();

    for (api, seen) in [(&shown, true), (&hidden, false)] {
        let turn = json!({ "upstream": { "url": evil.url() } });
        let version = |part: &str| format!("/api/v1/versions/{}/{part}", api.version);
        let whole = format!("/api/v1/apis/{}", api.api);
        for (method, path, body, noun) in [
            ("PATCH", version("draft"), turn, "version"),
            ("POST", version("revisions"), json!({}), "version"),
            (
                "PUT",
                version("deployment"),
                json!({ "revision": 1 }),
                "version",
            ),
            (
                "POST",
                version("lifecycle"),
                json!({ "to": "created" }),
                "version",
            ),
            ("PATCH", whole.clone(), json!({ "context": "/mine" }), "api"),
            ("DELETE", whole, json!({}), "api"),
            ("GET", version("draft"), json!({}), "version"),
            ("GET", version("revisions/1"), json!({}), "version"),
            ("GET", version("document"), json!({}), "version"),
            (
                "GET",
                format!("/api/v1/usage?api={}", api.api),
                json!({}),
                "api",
            ),
        ] {
            let refused = match seen {
                true => (403, "api.not_owner".to_owned()),
                false => (404, format!("{noun}.unknown")),
            };
            assert_eq!(
                outcome(&eve, method, &path, body).await,
                refused,
                "{method} {path}"
            );
        }
    }
    let decide = format!("/api/v1/subscriptions/{}", consumer.subscription);
    let refused = (403, "api.not_owner".to_owned());
    let block = json!({ "status": "blocked" });
    assert_eq!(
        outcome(&eve, "PATCH", &decide, block.clone()).await,
        refused
    );
    let call = http::request("GET", "/shown/1.0/pets", &[("apikey", &consumer.key)], b"");
    let answer = http::call(tollgate.gateway, &call).await.unwrap();
    assert_eq!(answer.text(), "ann's");
    assert_eq!(evil.requests(), 0);

    // Log lines about it, with user and address; and none about refused requests.
    let hand_over = json!({ "owner": id_of(&root, "eve").await });
    let path = format!("/api/v1/apis/{}", shown.api);
    ann.done("PATCH", &path, Some(&hand_over)).await.unwrap();
    assert_eq!(
        outcome(&ann, "PATCH", &decide, block.clone()).await,
        refused
    );
    eve.done("PATCH", &decide, Some(&block)).await.unwrap();
    let last = format!("subscription.blocked: {}", consumer.subscription);
    logged(&tollgate, &last).await;
    let log = tollgate.said();
    for (event, subject, name) in [
        ("api.created", &shown.api, "ann"),
        ("draft.saved", &shown.version, "ann"),
        ("version.plans_changed", &shown.version, "ann"),
        ("version.published", &shown.version, "ann"),
        ("version.blocked", &hidden.version, "ann"),
        (
            "application.created",
            &consumer.application,
            "administrator",
        ),
        (
            "subscription.created",
            &consumer.subscription,
            "administrator",
        ),
        ("api.handed_over", &shown.api, "ann"),
        ("subscription.blocked", &consumer.subscription, "eve"),
    ] {
        let reported = log.lines().filter(|line| {
            let words = [&*format!("{event}: {subject}"), name, " from 127.0.0.1"];
            words.iter().all(|word| line.contains(word))
        });
        assert_eq!(reported.count(), 1, "{event} by {name} in {log}");
    }
    let is_eves = |line: &&str| line.contains("by \"eve\"");
    for line in log.lines().filter(is_eves) {
        let changes = ["api.", "version.", "draft.", "revision."];
        assert!(!changes.iter().any(|noun| line.contains(noun)), "{line}");
    }

    // The owner is that of the last response, after kill -9 too.
    let tollgate = tollgate.kill().unwrap().start().unwrap();
    let (ann, eve) = (ann.at(tollgate.control), eve.at(tollgate.control));
    let draft = format!("/api/v1/versions/{}/draft", shown.version);
    assert_eq!(outcome(&ann, "GET", &draft, json!({})).await, refused);
    assert_eq!(outcome(&eve, "GET", &draft, json!({})).await.0, 200);
}

async fn id_of(root: &Control, name: &str) -> String {
    let users = root.done("GET", "/api/v1/users", None).await.unwrap();
    let mut users = users["items"].as_array().unwrap().iter();
    let user = users.find(|user| user["name"] == name).unwrap();
    user["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_back_ends_password_is_sent_to_no_address_that_it_was_not_set_for() {
    let contract = ("text/xml", SHOP.as_bytes());
    let query = "kind=soap_to_rest&port=Shop11";
    let house = soap::House::of(&builder(), query, contract).await;
    let basic = json!({ "name": "us", "password": "s3cr3t" });
    let given = json!({ "soap": { "rest": { "back_end": { "basic": basic } } } });
    house.redeploy(given.clone()).await;
    let evil = Upstream::start(Behaviour::text("caught")).unwrap();
    let turned = json!({ "upstream": { "url": evil.url() } });
    let draft = format!("/api/v1/versions/{}/draft", house.api.version);
    let refused = (422, "soap.password_address".to_owned());
    for turn in [
        &turned,
        &json!({ "sandbox_upstream": { "url": evil.url() } }),
    ] {
        assert_eq!(
            outcome(&house.admin, "PATCH", &draft, turn.clone()).await,
            refused
        );
    }
    // No address first, then another: also over a restart, and for an administrator.
    let none = json!({ "upstream": null });
    house
        .admin
        .done("PATCH", &draft, Some(&none))
        .await
        .unwrap();
    let tollgate = house.tollgate.kill().unwrap().start().unwrap();
    let admin = house.admin.at(tollgate.control);
    assert_eq!(
        outcome(&admin, "PATCH", &draft, turned.clone()).await,
        refused
    );

    // A user who knows the password may set it for another address, and it is sent there.
    let mut both = given;
    both["upstream"] = turned["upstream"].clone();
    admin.done("PATCH", &draft, Some(&both)).await.unwrap();
    let revision = admin.revision(&house.api.version).await.unwrap();
    admin.deploy(&house.api.version, revision).await.unwrap();
    assert_eq!(evil.requests(), 0);
    let fields = [("apikey", &*house.consumer.key)];
    let call = http::request("GET", "/orders/1.0/order/7", &fields, b"");
    http::call(tollgate.gateway, &call).await.unwrap();
    let received = String::from_utf8(evil.received().concat()).unwrap();
    let sent = received.to_ascii_lowercase();
    assert!(
        sent.contains("authorization: basic dxm6cznjcjn0"),
        "{received}"
    );
    assert!(!tollgate.said().contains("s3cr3t"));
}
