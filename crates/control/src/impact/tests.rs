use serde_json::{Value, json};
use tollgate_model::algorithm::Algorithm;
use tollgate_model::user::Role;
use tollgate_store::applications;
use tollgate_store::signing_keys::{self, SigningKey, Times};

use crate::harness::{House, NOW_US, Person};
use crate::seed;

/// A published API of ann's with the plan gold, to which dev's shop has subscribed, with two valid
/// keys and a revoked one.
struct Given {
    house: House,
    root: Person,
    ann: Person,
    dev: Person,
    api: String,
    version: String,
    application: String,
    subscription: String,
    key: String,
}

impl Given {
    async fn new() -> Self {
        let house = House::new().await;
        let root = house.person("root", &[Role::Administrator]).await;
        let ann = house.person("ann", &[Role::Publisher]).await;
        let dev = house.person("dev", &[Role::Developer]).await;
        let body = json!({"name": "Pets", "context": "/pets", "version": "1.0"});
        let made = house.post("/api/v1/apis", body).by(&ann).await.expect(201);
        let (api, version) = (made.text("/api/id"), made.text("/version/id"));
        let draft = json!({"upstream": {"url": "http://back.internal:81"}});
        let plans = json!(["gold"]);
        house.publish(&ann, version, draft, plans).await;
        let shop = house.post("/api/v1/applications", json!({"name": "shop"}));
        let application = shop.by(&dev).await.expect(201).text("/id").to_owned();
        let keys = format!("/api/v1/applications/{application}/keys");
        let mut made = Vec::new();
        for _ in 0..3 {
            let key = house.post(&keys, json!({})).by(&dev).await.expect(201);
            made.push(key.text("/id").to_owned());
        }
        let revoke = house.delete(&format!("/api/v1/keys/{}", made[2]));
        revoke.by(&dev).await.expect(204);
        let body = json!({"application": application, "version": version, "plan": "gold"});
        let subscribed = house.post("/api/v1/subscriptions", body).by(&dev).await;
        Self {
            api: api.to_owned(),
            version: version.to_owned(),
            subscription: subscribed.expect(201).text("/id").to_owned(),
            key: made[0].clone(),
            house,
            root,
            ann,
            dev,
            application,
        }
    }

    /// Returns everything that a change could affect, as the administrator sees it.
    async fn everything(&self) -> Vec<Value> {
        let mut seen = Vec::new();
        for path in [
            "/api/v1/apis".to_owned(),
            "/api/v1/versions".to_owned(),
            "/api/v1/applications".to_owned(),
            "/api/v1/subscriptions".to_owned(),
            "/api/v1/plans".to_owned(),
            "/api/v1/users".to_owned(),
            format!("/api/v1/applications/{}/keys", self.application),
        ] {
            let call = self.house.get(&path).by(&self.root);
            seen.push(call.await.expect(200).body);
        }
        seen
    }
}

fn impact(subscriptions: u64, credentials: u64) -> Value {
    json!({
        "subscriptions": subscriptions, "applications": subscriptions,
        "credentials": credentials, "calls_last_day": 0,
    })
}

#[tokio::test]
async fn a_dry_run_returns_the_impact_and_changes_nothing() {
    let given = Given::new().await;
    let idle = given.house.person("idle", &[Role::Developer]).await;
    let (house, before) = (&given.house, given.everything().await);
    let lifecycle = format!("/api/v1/versions/{}/lifecycle", given.version);
    let lifecycle = format!("{lifecycle}?dry_run=true");
    let plan = house.get("/api/v1/plans/gold").by(&given.root).await;
    let etag = plan.header("etag").unwrap().to_owned();
    let change = json!({"name": "gold", "unlimited": true});
    let change = house.put("/api/v1/plans/gold?dry_run=true", change);
    let delete = |path: String| house.delete(&format!("{path}?dry_run=true"));
    let (api, application) = (&given.api, &given.application);
    for (call, by, expected) in [
        (
            house.post(&lifecycle, json!({"to": "blocked"})),
            &given.ann,
            impact(1, 2),
        ),
        (
            house.post(&lifecycle, json!({"to": "created"})),
            &given.ann,
            impact(1, 2),
        ),
        (change.header("if-match", &etag), &given.root, impact(1, 2)),
        (
            delete(format!("/api/v1/applications/{application}")),
            &given.dev,
            impact(1, 2),
        ),
        (
            delete(format!("/api/v1/subscriptions/{}", given.subscription)),
            &given.dev,
            impact(1, 2),
        ),
        (
            delete(format!("/api/v1/keys/{}", given.key)),
            &given.dev,
            impact(1, 1),
        ),
        (
            delete("/api/v1/plans/bronze".to_owned()),
            &given.root,
            impact(0, 0),
        ),
        (
            delete(format!("/api/v1/users/{}", idle.id)),
            &given.root,
            impact(0, 0),
        ),
    ] {
        let mut answer = call.by(by).await.expect(200);
        // A step that takes the default version off gateways shows that too.
        answer.body.as_object_mut().unwrap().remove("default");
        assert_eq!(answer.body, expected);
    }
    assert_eq!(given.everything().await, before);
    let back = format!("/api/v1/versions/{}/lifecycle", given.version);
    let back = house.post(&back, json!({"to": "created"}));
    back.by(&given.ann).await.expect(200);
    let answer = delete(format!("/api/v1/apis/{api}")).by(&given.ann).await;
    assert_eq!(answer.expect(200).body, impact(0, 0));
    let gone = house.delete(&format!("/api/v1/apis/{api}")).by(&given.ann);
    gone.await.expect(204);
}

#[tokio::test]
async fn a_dry_run_on_a_user_returns_the_impact_and_changes_nothing() {
    let given = Given::new().await;
    let (house, before) = (&given.house, given.everything().await);
    let tried = |person: &Person| format!("/api/v1/users/{}?dry_run=true", person.id);
    let disable = json!({"disabled": true, "credentials": "suspend"});
    for (person, change, expected) in [
        (&given.dev, disable.clone(), impact(1, 2)),
        (
            &given.dev,
            json!({"disabled": true, "credentials": "keep"}),
            impact(1, 2),
        ),
        (&given.dev, json!({"reset_password": true}), impact(1, 2)),
        (&given.dev, json!({"roles": ["publisher"]}), impact(1, 2)),
        (&given.ann, json!({"disabled": true}), impact(0, 0)),
    ] {
        let answer = house.patch(&tried(person), change.clone()).by(&given.root);
        assert_eq!(answer.await.expect(200).body, expected, "{change}");
        assert_eq!(given.everything().await, before, "{change}");
        // The user is not locked out.
        let own = house.get("/api/v1/access-tokens").by(person);
        own.await.expect(200);
    }
    for (person, by, change, expected) in [
        (
            &given.dev,
            &given.root,
            json!({"disabled": true}),
            (422, "user.credentials_missing"),
        ),
        (
            &given.dev,
            &given.root,
            json!({"roles": []}),
            (422, "user.no_roles"),
        ),
        (&given.dev, &given.ann, disable, (403, "role.missing")),
    ] {
        let refused = house.patch(&tried(person), change).by(by).await;
        assert_eq!(refused.problem(), expected);
    }
    assert_eq!(given.everything().await, before);
}

#[tokio::test]
async fn a_dry_run_is_rejected_like_the_change() {
    let given = Given::new().await;
    let house = &given.house;
    let roles = [Role::Publisher, Role::Developer];
    let bob = house.person("bob", &roles).await;
    let before = given.everything().await;
    let lifecycle = format!("/api/v1/versions/{}/lifecycle", given.version);
    let lifecycle = format!("{lifecycle}?dry_run=true");
    let delete = |path: String| house.delete(&format!("{path}?dry_run=true"));
    let api = format!("/api/v1/apis/{}", given.api);
    let application = format!("/api/v1/applications/{}", given.application);
    let subscription = format!("/api/v1/subscriptions/{}", given.subscription);
    let key = format!("/api/v1/keys/{}", given.key);
    let user = format!("/api/v1/users/{}", given.dev.id);
    for (call, by, expected) in [
        (delete(api.clone()), &given.ann, (409, "in_use")),
        (delete(api), &bob, (403, "api.not_owner")),
        (
            delete("/api/v1/plans/gold".to_owned()),
            &given.root,
            (409, "in_use"),
        ),
        (
            delete("/api/v1/plans/bronze".to_owned()),
            &given.ann,
            (403, "role.missing"),
        ),
        (delete(user.clone()), &given.root, (409, "in_use")),
        (delete(user), &given.ann, (403, "role.missing")),
        (delete(application), &bob, (404, "application.unknown")),
        (delete(key), &bob, (404, "key.unknown")),
        (delete(subscription), &bob, (404, "subscription.unknown")),
        (
            house.post(&lifecycle, json!({"to": "published"})),
            &given.ann,
            (409, "lifecycle.not_next"),
        ),
        (
            house.post(&lifecycle, json!({"to": "blocked"})),
            &bob,
            (403, "api.not_owner"),
        ),
    ] {
        assert_eq!(call.by(by).await.problem(), expected);
    }
    assert_eq!(given.everything().await, before);
}

#[tokio::test]
async fn a_dry_run_of_ending_tokens_counts_clients_and_ends_none() {
    let given = Given::new().await;
    let house = &given.house;
    let application = format!("/api/v1/applications/{}", given.application);
    let mut clients = Vec::new();
    for body in [
        json!({}),
        json!({"token": {"algorithm": "EdDSA"}}),
        json!({"token": {"form": "opaque"}}),
        json!({}),
    ] {
        let made = house.post(&format!("{application}/clients"), body);
        let made = made.by(&given.dev).await.expect(201);
        clients.push(format!("/api/v1/clients/{}", made.text("/id")));
    }
    let revoke = house.delete(&clients[3]).by(&given.dev);
    revoke.await.expect(204);
    let other = house.post("/api/v1/applications", json!({"name": "none"}));
    let other = other.by(&given.dev).await.expect(201);
    let other = format!("/api/v1/applications/{}/tokens", other.text("/id"));
    let signing = signing_key(house, "now", 0).await;
    let next = signing_key(house, "next", 1).await;
    for (path, by, expected) in [
        (format!("{application}/tokens"), &given.dev, impact(1, 3)),
        (other, &given.dev, impact(0, 0)),
        (format!("{}/tokens", clients[0]), &given.dev, impact(1, 1)),
        (format!("{}/tokens", clients[3]), &given.dev, impact(0, 0)),
        // One of three gets tokens of this algorithm.
        (signing.clone(), &given.root, impact(1, 1)),
        (next, &given.root, impact(0, 0)),
    ] {
        let answer = house.delete(&format!("{path}?dry_run=true")).by(by).await;
        assert_eq!(answer.expect(200).body, expected, "{path}");
    }
    let client = house.get(&clients[0]).by(&given.dev).await;
    assert_eq!(client.expect(200).text("/tokens_from"), "");
    let id = given.application.parse().unwrap();
    let kept = applications::by_id(&house.control.store, id).await.unwrap();
    assert_eq!(kept.tokens_from_us, 0);
    let keys = house.get("/api/v1/signing-keys").by(&given.root).await;
    assert_eq!(keys.expect(200).body["total"], 2);
    let none = "/api/v1/signing-keys/sig_00000000001".to_owned();
    for (path, by, expected) in [
        (&signing, &given.dev, (403, "role.missing")),
        (&none, &given.root, (404, "signing_key.unknown")),
    ] {
        let refused = house.delete(&format!("{path}?dry_run=true")).by(by).await;
        assert_eq!(refused.problem(), expected);
    }
}

/// Creates a key that signs tokens in `hours` hours, and returns its path.
async fn signing_key(house: &House, name: &str, hours: i64) -> String {
    let id = house.control.id().unwrap();
    let key = SigningKey {
        id,
        name: name.to_owned(),
        algorithm: Algorithm::Es256,
        public: vec![4; 65],
        created_us: NOW_US,
        times: Times {
            signs_from_us: NOW_US + hours * 3_600 * 1_000_000,
            signs_until_us: None,
            ends_us: None,
        },
    };
    let mut tx = house.control.store.write().await.unwrap();
    signing_keys::create(&mut tx, &key, b"private")
        .await
        .unwrap();
    tx.commit().await.unwrap();
    format!("/api/v1/signing-keys/{id}")
}

#[tokio::test]
async fn a_dry_run_of_sign_out_or_deletion_keeps_the_credential() {
    let given = Given::new().await;
    let house = &given.house;
    let made = house.post("/api/v1/access-tokens", json!({"name": "script"}));
    let made = made.by(&given.dev).await.expect(201);
    let token = format!("/api/v1/access-tokens/{}", made.text("/id"));
    let tried = format!("{token}?dry_run=true");
    let answer = house.delete(&tried).by(&given.dev).await.expect(200);
    assert_eq!(answer.body, impact(0, 0));
    let foreign = house.delete(&tried).by(&given.ann).await;
    assert_eq!(foreign.problem(), (404, "access_token.unknown"));
    house.get(&token).by(&given.dev).await.expect(200);
    let first = seed::first_password(&house.control.store).await;
    let first = first.unwrap().expect("a new installation has one");
    let session = house.sign_in(&first.name, &first.password).await;
    let leave = house.delete("/api/v1/session?dry_run=true");
    let answer = leave.during(&session).await.expect(200);
    assert_eq!(answer.body, impact(0, 0));
    assert!(answer.header("set-cookie").is_none());
    let here = house.get("/api/v1/session").during(&session);
    here.await.expect(200);
}
