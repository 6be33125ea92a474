//! Number 5, departing users: sessions, personal access tokens and the keys of their applications.

use serde_json::{Value, json};
use tollgate_testkit::control::PASSWORD;
use tollgate_testkit::{Control, Tollgate, http};

use crate::house::{House, builder, get};
use crate::start::{logged, sql};

const SESSION: &str = "/api/v1/session";
const TOKENS: &str = "/api/v1/access-tokens";

/// A user created by an administrator: a session and a token, and the path of the user.
struct Person {
    session: Control,
    token: String,
    path: String,
}

impl Person {
    async fn new(admin: &Control, tollgate: &Tollgate, name: &str) -> Self {
        let user = json!({"name": name, "roles": ["developer"]});
        let made = admin.done("POST", "/api/v1/users", Some(&user)).await;
        let made = made.unwrap();
        let stranger = Control::stranger(tollgate.control);
        let one_time = made["one_time_password"].as_str().unwrap();
        let session = stranger.settle_in(name, one_time).await.unwrap();
        let body = json!({"name": "script"});
        let token = session.done("POST", TOKENS, Some(&body)).await.unwrap();
        Self {
            session,
            token: token["token"].as_str().unwrap().to_owned(),
            path: format!("/api/v1/users/{}", made["id"].as_str().unwrap()),
        }
    }

    /// Returns the statuses of the session and the token now.
    async fn statuses(&self, tollgate: &Tollgate) -> [u16; 2] {
        let session = self.session.at(tollgate.control);
        let session = session.send("GET", SESSION, None).await.unwrap();
        let token = by_token(tollgate, "GET", SESSION, &self.token, None).await;
        [session.status, token.status]
    }
}

async fn by_token(
    tollgate: &Tollgate,
    method: &str,
    path: &str,
    token: &str,
    body: Option<&Value>,
) -> http::Answer {
    let bearer = format!("Bearer {token}");
    let fields = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
        ("Connection", "close"),
    ];
    let body = body.map(Value::to_string).unwrap_or_default();
    let request = http::request(method, path, &fields, body.as_bytes());
    http::call(tollgate.control, &request).await.unwrap()
}

#[tokio::test]
async fn a_disabled_user_loses_all_access_permanently_and_the_keys_are_decided_on() {
    let house = House::new().await;
    let dana = Person::new(&house.admin, &house.tollgate, "dana").await;
    let version = &house.api.version;
    let shop = dana.session.consumer("shop", version, "tested").await;
    let shop = shop.unwrap();
    let call = async |tollgate: &Tollgate| {
        let request = get("/pets/1.0/pets", &shop.key);
        let answer = http::call(tollgate.gateway, &request).await.unwrap();
        (answer.status, answer.code())
    };
    let (passes, refused) = (
        (200, String::new()),
        (401, "authenticate.invalid".to_owned()),
    );
    assert_eq!(call(&house.tollgate).await, passes);

    let patch = async |admin: &Control, body: Value| {
        let answer = admin.send("PATCH", &dana.path, Some(&body)).await.unwrap();
        (answer.status, answer.code(), answer.json())
    };
    let (status, code, body) = patch(&house.admin, json!({"disabled": true})).await;
    assert_eq!((status, code.as_str()), (422, "user.credentials_missing"));
    assert!(body["detail"].as_str().unwrap().contains(": 1;"), "{body}");
    let alone = patch(&house.admin, json!({"credentials": "suspend"})).await;
    assert_eq!((alone.0, alone.1.as_str()), (422, "user.credentials"));
    let odd = json!({"disabled": true, "credentials": "burn"});
    assert_eq!(patch(&house.admin, odd).await.0, 422);
    assert_eq!(dana.statuses(&house.tollgate).await, [200, 200]);
    assert_eq!(call(&house.tollgate).await, passes);

    let keep = json!({"disabled": true, "credentials": "keep"});
    let (status, _, body) = patch(&house.admin, keep).await;
    assert_eq!((status, &body["credentials"]["keys"]), (200, &json!(1)));
    assert_eq!(dana.statuses(&house.tollgate).await, [401, 401]);
    assert_eq!(call(&house.tollgate).await, passes);
    let suspend = json!({"disabled": true, "credentials": "suspend"});
    let (status, _, body) = patch(&house.admin, suspend).await;
    assert_eq!((status, &body["credentials"]["keys"]), (200, &json!(1)));
    assert_eq!(call(&house.tollgate).await, refused);

    let tollgate = house.tollgate.kill().unwrap().start().unwrap();
    let admin = house.admin.at(tollgate.control);
    assert_eq!(call(&tollgate).await, refused);
    assert_eq!(patch(&admin, json!({"disabled": false})).await.0, 200);
    assert_eq!(dana.statuses(&tollgate).await, [401, 401]);
    assert_eq!(call(&tollgate).await, refused, "enabling resumes nothing");

    let stranger = Control::stranger(tollgate.control);
    let back = stranger.sign_in("dana", PASSWORD).await.unwrap();
    let key = format!("/api/v1/keys/{}", shop.key_id);
    let resume = json!({"suspended": false});
    let own = back.send("PATCH", &key, Some(&resume)).await.unwrap();
    assert_eq!((own.status, own.code().as_str()), (403, "role.missing"));
    let keys = format!("/api/v1/applications/{}/keys", shop.application);
    let list = back.done("GET", &keys, None).await.unwrap();
    assert!(list["items"][0]["suspended_at"].is_string(), "{list}");
    assert_eq!(list["items"][0]["revoked_at"], Value::Null);

    let (status, _, body) = patch(&admin, json!({"credentials": "resume"})).await;
    assert_eq!((status, &body["credentials"]["keys"]), (200, &json!(1)));
    assert_eq!(call(&tollgate).await, passes);
    let one = json!({"suspended": true});
    admin.done("PATCH", &key, Some(&one)).await.unwrap();
    assert_eq!(call(&tollgate).await, refused);
    admin.done("PATCH", &key, Some(&resume)).await.unwrap();
    assert_eq!(call(&tollgate).await, passes);
    admin.done("PATCH", &key, Some(&one)).await.unwrap();
    back.done("DELETE", &key, None).await.unwrap();
    let revoked = admin.send("PATCH", &key, Some(&resume)).await.unwrap();
    assert_eq!(
        (revoked.status, revoked.code().as_str()),
        (409, "key.revoked")
    );
    assert_eq!(call(&tollgate).await, refused);
    let line = logged(&tollgate, "credential.resumed: usr_").await;
    assert!(
        line.contains("\"dana\", credentials of the user's applications: 1"),
        "{line}"
    );
}

#[tokio::test]
async fn a_reset_ends_sessions_and_tokens_online_and_offline() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let dana = Person::new(&admin, &tollgate, "dana").await;
    let erin = Person::new(&admin, &tollgate, "erin").await;
    let reset = json!({"reset_password": true});
    admin.done("PATCH", &dana.path, Some(&reset)).await.unwrap();
    assert_eq!(dana.statuses(&tollgate).await, [401, 401]);
    assert_eq!(erin.statuses(&tollgate).await, [200, 200]);
    let (_, builder) = tollgate.terminate().unwrap();
    let reset = builder.command(&["admin", "reset", "erin"]).unwrap();
    assert!(reset.status.success(), "{reset:?}");
    let tollgate = builder.start().unwrap();
    assert_eq!(erin.statuses(&tollgate).await, [401, 401]);
}

#[tokio::test]
async fn administrators_list_and_revoke_tokens_and_none_outlives_its_creator_or_the_maximum() {
    let builder = builder().set("control-access-token-days-max", "30");
    let tollgate = builder.start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let dana = Person::new(&admin, &tollgate, "dana").await;
    let user = dana.path.rsplit('/').next().unwrap();
    let of_dana = format!("{TOKENS}?user={user}");
    let list = admin.done("GET", &of_dana, None).await.unwrap();
    let first = &list["items"][0];
    assert_eq!(
        (&first["name"], &first["user"]),
        (&json!("script"), &json!(user))
    );
    assert_eq!(days(first), 30);

    let make = async |body: Value| {
        let answer = by_token(&tollgate, "POST", TOKENS, &dana.token, Some(&body)).await;
        (answer.status, answer.code(), answer.json())
    };
    let late = json!({"name": "late", "expires_at": "2999-01-01T00:00:00Z"});
    assert_eq!(make(late).await.1, "access_token.too_long");
    let (status, _, child) = make(json!({"name": "child"})).await;
    assert_eq!((status, &child["expires_at"]), (201, &first["expires_at"]));
    let soon = json!({"name": "soon", "expires_at": child["expires_at"]});
    assert_eq!(make(soon).await.0, 201);

    let path = format!("{TOKENS}/{}", first["id"].as_str().unwrap());
    admin.done("GET", &path, None).await.unwrap();
    admin.done("DELETE", &path, None).await.unwrap();
    assert_eq!(dana.statuses(&tollgate).await, [200, 401]);
    logged(&tollgate, "access_token.revoked: pat_").await;

    // As created by an earlier release.
    let (_, builder) = tollgate.terminate().unwrap();
    let path = builder.data().join("tollgate.db");
    sql(&path, "update access_tokens set expires_us = null").await;
    let mut ends = Vec::new();
    for _ in 0..2 {
        let tollgate = builder.start().unwrap();
        let admin = admin.at(tollgate.control);
        let list = admin.done("GET", &of_dana, None).await.unwrap();
        ends.push(list["items"][0]["expires_at"].clone());
        assert_eq!(days(&list["items"][0]), 30, "{list}");
    }
    assert_eq!(ends[0], ends[1], "the upgrade happens once");
}

/// Returns the whole days from a token's creation to its end; the upgrade counts from its own time.
fn days(token: &Value) -> i64 {
    let us = |field: &str| {
        let text = token[field].as_str().unwrap();
        text.parse::<jiff::Timestamp>().unwrap().as_microsecond()
    };
    (us("expires_at") - us("created_at")) / 86_400_000_000
}
