//! Credentials over a stop and over a kill: valid ones stay valid, revoked ones stay refused, the
//! signing keys are the same; and data of earlier releases, which only had API keys.

use std::fs::{self, File};

use serde_json::{Value, json};
use sqlx::Connection as _;
use tollgate_testkit::control::PASSWORD;
use tollgate_testkit::{Behaviour, Builder, Control, Tollgate, Upstream, http};
use zip::ZipArchive;

use super::revoke;
use super::{Secured, any_scheme, bearer, by, key_set, secured};
use crate::attack::old_data::{MANIFEST, RELEASES, database, fixture, point};
use crate::house::get;
use crate::start::sentence;

/// Returns a builder with public URLs, so that tokens stay valid after a start on other ports.
pub(crate) fn named() -> Builder {
    secured()
        .set("control-public-url", "https://control.example")
        .set("gateway-public-url", "https://gateway.example")
}

/// Returns the status, and the code of a refusal.
pub(crate) async fn answer(tollgate: &Tollgate, request: &[u8]) -> (u16, String) {
    let answer = http::call(tollgate.gateway, request).await.unwrap();
    (answer.status, answer.code())
}

/// A call with each kind of credential, by its name: the valid ones and the revoked ones.
pub(crate) struct Calls {
    good: Vec<(&'static str, Vec<u8>)>,
    revoked: Vec<(&'static str, Vec<u8>)>,
}

impl Calls {
    pub(crate) async fn new(it: &Secured) -> Self {
        let (house, admin) = (&it.house, &it.house.admin);
        let application = &house.consumer.application;
        let key = |key: &str| get("/pets/1.0/pets", key);
        let mut good = vec![
            ("key", key(&house.consumer.key)),
            ("user", by(&it.user.basic())),
        ];
        let mut revoked = Vec::new();
        let mut gone = Vec::new();
        let (id, text) = admin.key(application).await.unwrap();
        gone.push(format!("/api/v1/keys/{id}"));
        revoked.push(("key", key(&text)));
        let user = admin.basic_user(application, "gone").await.unwrap();
        gone.push(format!("/api/v1/basic-users/{}", user.id));
        revoked.push(("user", by(&user.basic())));
        for form in ["jwt", "opaque"] {
            let body = json!({ "name": form, "token": { "form": form } });
            let [client, other] = [(); 2].map(|()| admin.client(application, &body));
            let (client, other) = (client.await.unwrap(), other.await.unwrap());
            let [one, two] = [(); 2].map(|()| admin.token(&client, ""));
            let (one, two) = (one.await.unwrap(), two.await.unwrap());
            good.push((form, bearer(&one)));
            let done = revoke(house.tollgate.control, &client, &two).await;
            assert_eq!(done.status, 200, "{}", done.text());
            revoked.push((form, bearer(&two)));
            let voided = admin.token(&other, "").await.unwrap();
            gone.push(format!("/api/v1/clients/{}", other.id));
            revoked.push(("of a client", bearer(&voided)));
        }
        for path in gone {
            admin.done("DELETE", &path, None).await.unwrap();
        }
        Self { good, revoked }
    }

    pub(crate) async fn check(&self, tollgate: &Tollgate, when: &str) {
        for (name, request) in &self.good {
            let (status, code) = answer(tollgate, request).await;
            assert_eq!((status, &*code), (200, ""), "{name} {when}");
        }
        for (name, request) in &self.revoked {
            let (status, code) = answer(tollgate, request).await;
            let expected = (401, "authenticate.invalid");
            assert_eq!((status, &*code), expected, "{name} {when}, revoked");
        }
    }
}

#[tokio::test]
async fn credentials_stay_valid_and_revoked_ones_refused_over_a_stop_and_a_kill() {
    let it = Secured::new(&named()).await;
    it.secure(any_scheme(), json!({})).await;
    let calls = Calls::new(&it).await;
    let tollgate = it.house.tollgate;
    calls.check(&tollgate, "at first").await;
    let keys = key_set(&tollgate).await;
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1, "{keys}");

    let (status, builder) = tollgate.terminate().unwrap();
    assert!(status.success(), "{status}");
    let tollgate = builder.start().unwrap();
    calls.check(&tollgate, "after a stop").await;
    assert_eq!(key_set(&tollgate).await, keys);
    let tollgate = tollgate.kill().unwrap().start().unwrap();
    calls.check(&tollgate, "after a kill").await;
    assert_eq!(key_set(&tollgate).await, keys);

    // The client's secret is still valid, and its next token is signed with the same key.
    let admin = it.house.admin.at(tollgate.control);
    let token = admin.token(&it.client, "").await.unwrap();
    super::tokens::verified(&token, &keys);
    assert_eq!(answer(&tollgate, &bearer(&token)).await.0, 200);
}

#[tokio::test]
async fn changes_acknowledged_just_before_a_kill_are_kept() {
    let it = Secured::new(&named()).await;
    it.secure(any_scheme(), json!({})).await;
    let opaque = json!({ "name": "opaque", "token": { "form": "opaque" } });
    let Secured { house, client, .. } = it;
    let application = &house.consumer.application;
    let opaque = house.admin.client(application, &opaque).await.unwrap();
    let (mut tollgate, admin) = (house.tollgate, house.admin);
    let mut revoked = Vec::new();
    for round in 0..6 {
        let admin = admin.at(tollgate.control);
        let client = if round % 2 == 0 { &client } else { &opaque };
        let [one, two] = [(); 2].map(|()| admin.token(client, ""));
        let (one, two) = (one.await.unwrap(), two.await.unwrap());
        let done = revoke(tollgate.control, client, &two).await;
        assert_eq!(done.status, 200, "{}", done.text());
        tollgate = tollgate.kill().unwrap().start().unwrap();
        revoked.push(bearer(&two));
        assert_eq!(answer(&tollgate, &bearer(&one)).await.0, 200);
        for request in &revoked {
            assert_eq!(answer(&tollgate, request).await.0, 401, "round {round}");
        }
    }
}

#[tokio::test]
async fn a_start_with_the_wrong_master_key_for_the_signing_keys_ends_with_one_sentence() {
    let it = Secured::new(&named()).await;
    let oauth2 = json!({ "oauth2": {} });
    it.secure(oauth2, json!({})).await;
    let token = it.token("").await;
    let keys = key_set(&it.house.tollgate).await;
    let (_, builder) = it.house.tollgate.terminate().unwrap();
    let path = builder.data().join("master.key");
    let kept = fs::read(&path).unwrap();
    fs::write(&path, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=").unwrap();
    let message = sentence(&builder.command(&["run"]).unwrap());
    assert!(
        message.contains("is not the one that this database was sealed with"),
        "{message}"
    );
    // Nothing was lost.
    fs::write(&path, kept).unwrap();
    let tollgate = builder.start().unwrap();
    assert_eq!(key_set(&tollgate).await, keys);
    assert_eq!(answer(&tollgate, &bearer(&token)).await.0, 200);
}

/// Opens data of this release with the current program: its keys work, and new features too.
async fn opens(name: &str) {
    let builder = secured();
    let data = builder.data();
    let archive = File::open(fixture(name)).unwrap();
    ZipArchive::new(archive).unwrap().extract(&data).unwrap();
    let manifest = fs::read(data.join(MANIFEST)).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let text = |name: &str| manifest[name].as_str().unwrap().to_owned();
    let upstream = Upstream::start(Behaviour::text("hello")).unwrap();
    point(&data, &text("upstream"), &upstream.url()).await;
    let mut store = database(&data.join("tollgate.db")).await;
    const SQL: &str = "select terms like '%address%' from plans where name = 'anonymous'";
    let by_address = sqlx::query_scalar(SQL).fetch_optional(&mut store);
    let by_address: Option<bool> = by_address.await.unwrap();
    store.close().await.unwrap();
    let tollgate = builder.start().unwrap();
    let admin = Control::stranger(tollgate.control);
    let admin = admin.sign_in("administrator", PASSWORD).await.unwrap();

    let plans = admin.done("GET", "/api/v1/plans", None).await.unwrap();
    let plans = plans["items"].as_array().unwrap();
    let anonymous = plans.iter().filter(|plan| plan["name"] == "anonymous");
    let [anonymous] = anonymous.collect::<Vec<_>>()[..] else {
        panic!("{name}: {plans:?}");
    };
    // A plan of an earlier release keeps its limit; releases before it had none.
    let per = match by_address {
        Some(false) => json!("api"),
        Some(true) | None => json!(["api", "address"]),
    };
    let limit = &anonymous["limits"][0];
    assert_eq!(
        (&limit["per"], &limit["amount"], &limit["window"]),
        (&per, &json!(60), &json!("minute")),
        "{name}: {anonymous}"
    );
    let key = text("key");
    let with_key = get("/pets/1.0/pets", &key);
    assert_eq!(answer(&tollgate, &with_key).await.0, 200, "{name}");
    let revoked = get("/pets/1.0/pets", &text("revoked"));
    assert_eq!(answer(&tollgate, &revoked).await.0, 401, "{name}");

    let developer = Control::stranger(tollgate.control);
    let developer = developer.sign_in("developer", PASSWORD).await.unwrap();
    let list = developer.done("GET", "/api/v1/applications", None).await;
    let list = list.unwrap();
    let application = list["items"][0]["id"].as_str().unwrap();
    let body = json!({ "name": "till" });
    let client = developer.client(application, &body).await.unwrap();
    let token = bearer(&developer.token(&client, "").await.unwrap());
    // A version of that time accepts only keys until its security is changed.
    let wrong = (401, "authenticate.wrong_type".to_owned());
    assert_eq!(answer(&tollgate, &token).await, wrong, "{name}");
    let publisher = Control::stranger(tollgate.control);
    let publisher = publisher.sign_in("publisher", PASSWORD).await.unwrap();
    let version = version_of(&publisher).await;
    let path = format!("/api/v1/versions/{version}/draft");
    let both = json!({ "security": { "api_key": {}, "oauth2": {} } });
    publisher.done("PATCH", &path, Some(&both)).await.unwrap();
    let revision = publisher.revision(&version).await.unwrap();
    publisher.deploy(&version, revision).await.unwrap();
    for request in [&token, &with_key] {
        assert_eq!(answer(&tollgate, request).await.0, 200, "{name}");
    }
    // And once more, as written by the current program.
    let tollgate = tollgate.kill().unwrap().start().unwrap();
    assert_eq!(answer(&tollgate, &with_key).await.0, 200, "{name}");
}

/// Returns the version of the API Pets.
async fn version_of(publisher: &Control) -> String {
    let apis = publisher.done("GET", "/api/v1/apis", None).await.unwrap();
    let apis = apis["items"].as_array().unwrap();
    let pets = apis.iter().find(|api| api["name"] == "Pets").unwrap();
    let path = format!("/api/v1/apis/{}/versions", pets["id"].as_str().unwrap());
    let versions = publisher.done("GET", &path, None).await.unwrap();
    let id = versions["items"][0]["id"].as_str();
    id.unwrap().to_owned()
}

#[tokio::test]
async fn data_of_earlier_releases_keeps_working_and_supports_tokens() {
    for name in RELEASES {
        opens(name).await;
    }
}
