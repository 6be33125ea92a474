//! Credentials for back ends, and that no secret is stored or logged in clear.
//!
//! The testkit checks every process of the suite for leftover secrets when it ends; these tests
//! show that it would find one.

use std::fs;

use serde_json::{Value, json};
use tollgate_testkit::control::PASSWORD;
use tollgate_testkit::{Behaviour, Control, Upstream, http};

use crate::house::{House, builder};
use crate::soap::{self, XML, order_request};
use crate::start::sentence;

const SECRET: &str = "s3cr3t-of-the-back-end";

fn header(name: &str, value: &str) -> Value {
    json!({ "header": { "name": name, "value": value } })
}

fn basic(password: &str) -> Value {
    json!({ "basic": { "name": "us", "password": password } })
}

/// The head of the last request, in lower case.
fn head(upstream: &Upstream) -> String {
    let received = upstream.received().concat();
    let text = String::from_utf8_lossy(&received).to_lowercase();
    upstream.forget();
    text.split("\r\n\r\n").next().unwrap_or_default().to_owned()
}

/// The values of a field of a head in lower case.
fn values<'h>(head: &'h str, name: &str) -> Vec<&'h str> {
    let lines = head.split("\r\n").filter_map(|line| line.split_once(": "));
    let named = lines.filter(|(field, _)| *field == name);
    named.map(|(_, value)| value).collect()
}

#[tokio::test]
async fn each_environment_has_its_own_credential_and_callers_have_none() {
    // No log level logs a secret.
    let house = House::with(&builder().set("log-level", "trace"), json!([])).await;
    let sandbox = Upstream::start(Behaviour::text("sandbox")).unwrap();
    let path = format!("/api/v1/applications/{}/keys", house.consumer.application);
    let test = json!({ "name": "test", "environment": "sandbox" });
    let test = house.admin.done("POST", &path, Some(&test)).await.unwrap();
    let test = test["key"].as_str().unwrap().to_owned();
    let live = house.consumer.key.clone();
    let own = header("X-Back_End-Key", SECRET);
    house
        .redeploy(json!({
            "upstream": { "url": house.upstream.url(), "credential": own },
            "sandbox_upstream": { "url": sandbox.url(), "credential": basic("sand:box pass") },
        }))
        .await;
    let of_caller = [
        ("X-Back_End-Key", "mine"),
        ("x-back-end-key", "mine"),
        ("X_BACK_END_KEY", "mine"),
        ("Authorization", "Bearer mine"),
        ("X-Other", "mine"),
    ];
    let call = async |key: &str| {
        let fields = [&[("apikey", key)], &of_caller[..]].concat();
        let request = http::request("GET", "/pets/1.0/pets", &fields, b"");
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(!answer.text().contains(SECRET));
    };
    call(&live).await;
    let received = head(&house.upstream);
    assert_eq!(values(&received, "x-back_end-key"), [SECRET], "{received}");
    assert_eq!(
        values(&received, "authorization"),
        ["bearer mine"],
        "{received}"
    );
    assert_eq!(received.matches("mine").count(), 2, "{received}");
    call(&test).await;
    let received = head(&sandbox);
    assert_eq!(
        values(&received, "authorization"),
        ["basic dxm6c2fuzdpib3ggcgfzcw=="],
        "{received}"
    );
    assert_eq!(received.matches("mine").count(), 4, "{received}");

    // Another credential, then none: the caller's field is forwarded again.
    let change = json!({ "upstream": { "credential": { "header": null, "basic":
        { "name": "us", "password": "another one" } } } });
    house.redeploy(change).await;
    call(&live).await;
    let received = head(&house.upstream);
    assert_eq!(
        values(&received, "authorization"),
        ["basic dxm6yw5vdghlcibvbmu="],
        "{received}"
    );
    house
        .redeploy(json!({ "upstream": { "credential": null } }))
        .await;
    call(&live).await;
    let received = head(&house.upstream);
    assert_eq!(
        values(&received, "authorization"),
        ["bearer mine"],
        "{received}"
    );

    // Credentials are not shown, survive a restart, and are sent to no other address.
    let path = format!("/api/v1/versions/{}/draft", house.api.version);
    house
        .redeploy(json!({ "upstream": { "credential": header("X-Key", SECRET) } }))
        .await;
    let draft = house.admin.done("GET", &path, None).await.unwrap();
    assert_eq!(draft["upstream"]["credential"], header("X-Key", "***"));
    let elsewhere = json!({ "upstream": { "url": sandbox.url() } });
    let refused = house
        .admin
        .send("PATCH", &path, Some(&elsewhere))
        .await
        .unwrap();
    assert_eq!(
        (refused.status, &*refused.code()),
        (422, "upstream.credential_address")
    );
    let secret = json!({ "upstream": { "credential": basic(SECRET) } });
    let mut number = secret.clone();
    number["upstream"]["credential"]["basic"]["password"] = json!(12_345_678_901_u64);
    let refused = house
        .admin
        .send("PATCH", &path, Some(&number))
        .await
        .unwrap();
    assert_eq!(refused.status, 422);
    assert!(
        !refused.text().contains("12345678901"),
        "{}",
        refused.text()
    );
    for change in [
        json!({ "upstream": { "credential": { "header": { "name": "X-Other" } } } }),
        json!({ "sandbox_upstream": null, "upstream": { "url": "https://localhost:1" } }),
    ] {
        let refused = house
            .admin
            .send("PATCH", &path, Some(&change))
            .await
            .unwrap();
        assert_eq!(&*refused.code(), "upstream.credential_address", "{change}");
    }
    let House {
        tollgate, upstream, ..
    } = house;
    let (_, builder) = tollgate.terminate().unwrap();
    let tollgate = builder.start().unwrap();
    let request = http::request("GET", "/pets/1.0/pets", &[("apikey", &*live)], b"");
    let answer = http::call(tollgate.gateway, &request).await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(values(&head(&upstream), "x-key"), [SECRET]);
}

#[tokio::test]
async fn a_soap_service_that_is_passed_on_gets_its_credential() {
    let house = soap::House::new().await;
    let change = json!({ "upstream": { "credential": basic(SECRET) } });
    house.redeploy(change).await;
    let fields = [XML, ("authorization", "Basic bWluZTo=")];
    let answer = house.post(&fields, &order_request()).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let received = head(&house.upstream);
    assert_eq!(values(&received, "authorization").len(), 1, "{received}");
    assert!(!received.contains("bwluzto="), "{received}");
}

#[tokio::test]
async fn a_start_without_its_master_key_ends_with_one_sentence() {
    let builder = builder();
    let tollgate = builder.start().unwrap();
    let key = builder.data().join("master.key");
    let kept = fs::read(&key).unwrap();
    drop(tollgate.terminate().unwrap());
    fs::remove_file(&key).unwrap();
    let message = sentence(&builder.command(&["run"]).unwrap());
    assert!(
        message.contains("master.key is not there; restore it from a backup"),
        "{message}"
    );
    fs::write(&key, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").unwrap();
    let message = sentence(&builder.command(&["run"]).unwrap());
    assert!(
        message.contains("is not the one that this database was sealed with"),
        "{message}"
    );
    let reset = builder.command(&["admin", "reset"]).unwrap();
    assert!(!reset.status.success(), "{reset:?}");

    // The key may be anywhere else, and then none is created.
    fs::remove_file(&key).unwrap();
    let elsewhere = builder.data().with_extension("key");
    let builder = builder.set("master-key", elsewhere.to_str().unwrap());
    let message = sentence(&builder.command(&["run"]).unwrap());
    assert!(message.contains("data.key is not there"), "{message}");
    fs::write(&elsewhere, kept).unwrap();
    builder.start().unwrap();
    assert!(!key.exists());
}

#[tokio::test]
async fn a_secret_that_is_left_behind_is_found() {
    let secured = builder().secured().unwrap();
    let house = House::with(&secured, json!([])).await;
    let application = &house.consumer.application;
    let body = json!({ "name": "till" });
    let client = house.admin.client(application, &body).await.unwrap();
    let token = house.admin.token(&client, "").await.unwrap();
    let user = house.admin.basic_user(application, "till@shop").await;
    let user = user.unwrap();
    house
        .redeploy(json!({ "upstream": { "credential": header("X-Key", SECRET) } }))
        .await;
    let _session = Control::stranger(house.tollgate.control)
        .sign_in("administrator", PASSWORD)
        .await
        .unwrap();
    assert_eq!(house.tollgate.secrets_left(), [""; 0]);
    let planted = house.tollgate.builder().data().join("planted");
    let of_applications = [&house.consumer.key, &client.text, &token, &user.text];
    let of_applications = of_applications.map(String::as_str);
    for secret in [SECRET, PASSWORD].into_iter().chain(of_applications) {
        fs::write(&planted, format!("before{secret}after")).unwrap();
        let left = house.tollgate.secrets_left();
        assert_eq!(left, [format!("{secret:?} in {}", planted.display())]);
    }
    fs::remove_file(&planted).unwrap();
    // Descriptions by publishers are public.
    let path = format!("/api/v1/apis/{}", house.api.api);
    let leak = json!({ "description": format!("call it with {}", house.consumer.key) });
    let shown = house.admin.done("PATCH", &path, Some(&leak)).await;
    let shown = shown.unwrap_err().to_string();
    assert!(shown.ends_with("which was shown before"), "{shown}");
    let gone = json!({ "description": "" });
    house.admin.done("PATCH", &path, Some(&gone)).await.unwrap();
    house.tollgate.terminate().unwrap();
}
