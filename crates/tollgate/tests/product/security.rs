//! Authentication: every combination of schemes, calls without a credential, scopes, and the
//! identity sent to upstreams.
//!
//! - `clients.rs`: stock clients of the key manager; `schema.rs`: the key manager against its
//!   document; `turning.rs`: deleted keys
//! - `tokens.rs`: signed and opaque tokens, and invalid ones; `many.rs`: many of them
//! - `bad_input.rs`: invalid token requests, and holders that change
//! - `soap.rs`: scopes of operations identified by the body; `granted.rs`: scopes by approval
//! - `try_it.rs`: credentials for a version that last a quarter of an hour
//! - `basic_names.rs`: names of users of HTTP Basic; `suspended.rs`: credentials of suspended
//!   owners
//! - `alone/security/revoke.rs`: revocation under load; `rotation.rs`: grace periods, times,
//!   places, last uses; `restart.rs`: over a stop and a kill; `trouble.rs`: without space on the
//!   disk

mod bad_input;
mod basic_names;
mod clients;
mod granted;
mod many;
mod restart;
mod rotation;
mod schema;
mod soap;
mod suspended;
mod tokens;
mod trouble;
mod try_it;
mod turning;

use std::net::SocketAddr;

use serde_json::{Value, json};
use tollgate_testkit::credentials::Secret;
use tollgate_testkit::{Answer, Behaviour, Builder, Tollgate, http};

use crate::house::{House, builder};

/// Fields of a call.
type Fields<'f> = &'f [(&'f str, &'f str)];

/// A house with a consumer that has a key, a client and a user of HTTP Basic.
pub(crate) struct Secured {
    pub(crate) house: House,
    pub(crate) client: Secret,
    pub(crate) user: Secret,
}

impl Secured {
    pub(crate) async fn new(builder: &Builder) -> Self {
        let house = House::with(builder, json!([])).await;
        let application = &house.consumer.application;
        let body = json!({ "name": "till", "scopes": ["pets:read"] });
        let client = house.admin.client(application, &body).await.unwrap();
        let user = house.admin.basic_user(application, "till@shop").await;
        Self {
            user: user.unwrap(),
            client,
            house,
        }
    }

    /// Deploys this security of the version, and further changes of its draft.
    pub(crate) async fn secure(&self, security: Value, more: Value) {
        let mut change = json!({ "security": null });
        self.house.redeploy(change.take()).await;
        let mut change = json!({ "security": security });
        if let (Some(change), Some(more)) = (change.as_object_mut(), more.as_object()) {
            change.extend(more.clone());
        }
        self.house.redeploy(change).await;
    }

    /// Creates another client with this form of tokens.
    pub(crate) async fn client_with(&self, token: Value) -> Secret {
        let body = json!({ "name": "till", "token": token });
        let application = &self.house.consumer.application;
        let made = self.house.admin.client(application, &body).await;
        made.unwrap()
    }

    pub(crate) async fn token(&self, more: &str) -> String {
        self.house.admin.token(&self.client, more).await.unwrap()
    }

    /// Sends a GET of `/pets` with these fields.
    pub(crate) async fn call(&self, fields: &[(&str, &str)]) -> Answer {
        self.call_to("/pets/1.0/pets", fields).await
    }

    pub(crate) async fn call_to(&self, target: &str, fields: &[(&str, &str)]) -> Answer {
        let request = http::request("GET", target, fields, b"");
        let answer = http::call(self.house.tollgate.gateway, &request).await;
        answer.unwrap()
    }
}

/// Returns a builder with HTTPS, without which no tokens are issued.
pub(crate) fn secured() -> Builder {
    builder().secured().unwrap()
}

/// Returns the security of a version that accepts every kind of credential.
pub(crate) fn any_scheme() -> Value {
    json!({ "api_key": {}, "oauth2": {}, "basic": {} })
}

/// Returns a GET of `/pets` with this `Authorization`.
pub(crate) fn by(authorization: &str) -> Vec<u8> {
    let fields = [("Authorization", authorization)];
    http::request("GET", "/pets/1.0/pets", &fields, b"")
}

/// Returns a GET of `/pets` with this token.
pub(crate) fn bearer(token: &str) -> Vec<u8> {
    by(&format!("Bearer {token}"))
}

/// Revokes a token at the key manager, as this client.
pub(crate) async fn revoke(control: SocketAddr, client: &Secret, token: &str) -> Answer {
    let basic = client.basic();
    let fields = [
        ("Authorization", &*basic),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Connection", "close"),
    ];
    let body = format!("token={token}");
    let request = http::request("POST", "/oauth2/revoke", &fields, body.as_bytes());
    http::call(control, &request).await.unwrap()
}

/// Returns the key set of the key manager.
pub(crate) async fn key_set(tollgate: &Tollgate) -> Value {
    let request = http::request("GET", "/oauth2/jwks", &[], b"");
    let answer = http::call(tollgate.control, &request).await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Returns the outcome of a call as one letter.
fn letter(answer: &Answer) -> char {
    match answer.status {
        200 => '+',
        _ => match &*answer.code() {
            "authenticate.missing" => 'm',
            "authenticate.invalid" => 'i',
            "authenticate.wrong_type" => 'w',
            code => panic!("{} {code}", answer.status),
        },
    }
}

#[tokio::test]
async fn every_combination_of_schemes_accepts_its_credentials_and_names_the_error() {
    let it = Secured::new(&secured()).await;
    let (key, user) = (it.house.consumer.key.clone(), it.user.basic());
    let other = if key.ends_with('x') { 'y' } else { 'x' };
    let no_key = format!("{}{other}", &key[..key.len() - 1]);
    let token = format!("Bearer {}", it.token("").await);
    let (signed, _) = token.rsplit_once('.').unwrap();
    let no_token = format!("{signed}.{}", "A".repeat(86));
    let no_user = Secret {
        text: "tg_pw_0000000000000000000000000000".into(),
        ..it.user.clone()
    };
    let no_user = no_user.basic();
    let key_as_token = format!("Bearer {key}");
    let key_twice = format!("ApiKey {key}");
    fn authorization(value: &str) -> (&str, &str) {
        ("Authorization", value)
    }
    let calls: [(&str, Fields<'_>); 11] = [
        ("nothing", &[]),
        ("key", &[("apikey", &key)]),
        ("no key", &[("apikey", &no_key)]),
        ("token", &[authorization(&token)]),
        ("no token", &[authorization(&no_token)]),
        ("user", &[authorization(&user)]),
        ("no user", &[authorization(&no_user)]),
        ("key, token", &[("apikey", &key), authorization(&token)]),
        ("key, user", &[("apikey", &key), authorization(&user)]),
        ("key as token", &[authorization(&key_as_token)]),
        ("key twice", &[("apikey", &key), authorization(&key_twice)]),
    ];
    let (k, o, b) = ("api_key", "oauth2", "basic");
    // The outcome of each of the calls, in order: + is 200, the others are the first letters of
    // missing, invalid and wrong.
    let table: [(&str, &[&str], &str); 8] = [
        ("any", &[k], "m+iwwww++wi"),
        ("any", &[o], "mmm+iww+www"),
        ("any", &[b], "mmmww+iw+ww"),
        ("any", &[k, o], "m+i+iwwi+wi"),
        ("any", &[o, b], "mmm+i+i++ww"),
        ("any", &[k, o, b], "m+i+i+iiiwi"),
        ("all", &[k, o], "mmimimm+mwi"),
        ("all", &[k, b], "mmimmmim+mi"),
    ];
    for (require, schemes, expected) in table {
        let mut security = json!({ "require": require });
        for scheme in schemes {
            security[scheme] = json!({});
        }
        it.secure(security, json!({})).await;
        for ((name, fields), expected) in calls.iter().zip(expected.chars()) {
            let answer = it.call(fields).await;
            assert_eq!(letter(&answer), expected, "{require} {schemes:?}: {name}");
            let challenge = answer.field("www-authenticate");
            assert_eq!(challenge.is_some(), answer.status == 401, "{name}");
            let challenge = challenge.unwrap_or_default();
            let has = |scheme: &str| challenge.contains(scheme);
            if answer.status == 401 {
                let offered = [has("ApiKey"), has("Bearer"), has("Basic")];
                let accepted = [k, o, b].map(|scheme| schemes.contains(&scheme));
                assert_eq!(
                    offered, accepted,
                    "{require} {schemes:?}: {name}: {challenge}"
                );
                let has_token = fields.iter().any(|(_, value)| value.starts_with("Bearer"));
                let is_invalid = has("error=\"invalid_token\"");
                assert_eq!(is_invalid, has_token && schemes.contains(&o), "{name}");
            }
        }
    }
}

#[tokio::test]
async fn a_credential_never_reaches_the_upstream_and_other_authorization_does() {
    let it = Secured::new(&secured()).await;
    it.house.upstream.behave(Behaviour::Echo);
    let key = &it.house.consumer.key;
    let user = it.user.basic();
    let received = || {
        let received = it.house.upstream.received().concat();
        it.house.upstream.forget();
        String::from_utf8(received).unwrap()
    };
    let security = json!({ "api_key": { "header": "X-Key", "query": "api_key" } });
    it.secure(security, json!({})).await;
    let fields = [
        ("X-Key", &**key),
        ("Authorization", &*user),
        ("x-other", "1"),
    ];
    assert_eq!(it.call(&fields).await.status, 200);
    let seen = received();
    assert!(
        !seen.contains(&**key) && seen.contains(&user) && seen.contains("x-other"),
        "{seen}"
    );
    for (query, left) in [
        (format!("?api_key={key}"), "/pets"),
        (format!("?a=1&api_key={key}"), "/pets?a=1"),
        (format!("?api_key={key}&a=1"), "/pets?a=1"),
        (format!("?a=1&api%5Fkey={key}"), "/pets?a=1"),
        (
            format!("?a=1&api_key={key}&b=2&api_keys=3"),
            "/pets?a=1&b=2&api_keys=3",
        ),
    ] {
        let answer = it.call_to(&format!("/pets/1.0/pets{query}"), &[]).await;
        assert_eq!(answer.status, 200, "{query}");
        let seen = received();
        assert!(seen.starts_with(&format!("GET {left} HTTP/1.1")), "{seen}");
    }
    let twice = format!("/pets/1.0/pets?api_key={key}&api_key={key}");
    assert_eq!(it.call_to(&twice, &[]).await.code(), "authenticate.invalid");
    let both = format!("/pets/1.0/pets?api_key={key}");
    let answer = it.call_to(&both, &[("X-Key", key)]).await;
    assert_eq!(answer.code(), "authenticate.invalid");
    it.secure(json!({ "basic": {} }), json!({})).await;
    assert_eq!(
        it.call(&[("Authorization", &user), ("apikey", key)])
            .await
            .status,
        200
    );
    let seen = received();
    assert!(!seen.contains("Basic") && seen.contains(&**key), "{seen}");
}

#[tokio::test]
async fn the_upstream_receives_the_callers_identity_and_never_the_callers_claims() {
    let it = Secured::new(&secured()).await;
    let (application, key) = (&it.house.consumer.application, &it.house.consumer.key);
    let token = format!("Bearer {}", it.token("").await);
    let forged = [
        ("X-Tollgate-Application", "app_00000000000"),
        ("X_Tollgate_Application", "app_lie"),
        ("x.tollgate.scopes", "lie"),
        ("x-tollgate-identity", "lie"),
        ("X-Tollgate-Scopes", "all"),
    ];
    let received = async |field: (&str, &str)| {
        it.house.upstream.forget();
        let fields = [&[field], &forged[..]].concat();
        assert_eq!(it.call(&fields).await.status, 200);
        let received = it.house.upstream.received().concat();
        String::from_utf8(received).unwrap().to_ascii_lowercase()
    };
    let both = json!({ "api_key": {}, "oauth2": {}, "scopes": { "pets:read": "" } });
    it.secure(both.clone(), json!({})).await;
    let nothing = received(("apikey", key)).await;
    assert!(!nothing.contains("x-tollgate-"), "{nothing}");

    it.secure(both.clone(), json!({ "identity": "headers" }))
        .await;
    let by_key = received(("apikey", key)).await;
    for line in [
        format!("x-tollgate-application: {application}\r\n"),
        format!("x-tollgate-credential: {}\r\n", it.house.consumer.key_id),
        "x-tollgate-credential-kind: api_key\r\n".to_owned(),
        "x-tollgate-environment: production\r\n".to_owned(),
    ] {
        assert!(
            by_key.contains(&line.to_ascii_lowercase()),
            "{line} {by_key}"
        );
    }
    assert!(
        !by_key.contains("lie") && !by_key.contains("x-tollgate-scopes"),
        "{by_key}"
    );
    let by_token = received(("Authorization", &token)).await;
    assert!(
        by_token.contains("x-tollgate-scopes: pets:read\r\n"),
        "{by_token}"
    );
    assert!(
        by_token.contains("x-tollgate-credential-kind: oauth2\r\n"),
        "{by_token}"
    );

    it.secure(both, json!({ "identity": "jwt" })).await;
    it.house.upstream.forget();
    assert_eq!(it.call(&[("apikey", key)]).await.status, 200);
    let received = String::from_utf8(it.house.upstream.received().concat()).unwrap();
    let jwt = received
        .lines()
        .find_map(|line| line.strip_prefix("x-tollgate-identity: "));
    let jwt = jwt.unwrap_or_else(|| panic!("{received}"));
    let keys = it.call_to("/.well-known/jwks.json", &[]).await.json();
    let claims = tokens::verified(jwt, &keys);
    assert_eq!(claims["sub"], **application);
    assert_eq!(claims["aud"], it.house.upstream.url());
    assert_eq!(claims["credentials"][0]["id"], *it.house.consumer.key_id);
}

#[tokio::test]
async fn calls_without_a_credential_are_limited_by_the_plan_anonymous() {
    let it = Secured::new(&secured()).await;
    let key = &it.house.consumer.key;
    let operations = json!({ "operations": [
        { "method": "GET", "path": "/pets", "anonymous": true },
        { "method": "GET", "path": "/pets/{pet}" },
    ] });
    it.secure(json!({ "api_key": {} }), operations).await;
    let answer = it.call(&[]).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(
        answer
            .field("ratelimit-policy")
            .unwrap()
            .contains("q=60;w=60"),
        "{answer:?}"
    );
    // An invalid credential is still refused, and a valid one has its own limits.
    assert_eq!(
        it.call(&[("apikey", "x")]).await.code(),
        "authenticate.invalid"
    );
    let known = it.call(&[("apikey", key)]).await;
    assert_eq!((known.status, known.field("ratelimit-policy")), (200, None));
    let closed = it.call_to("/pets/1.0/pets/1", &[]).await;
    assert_eq!(closed.code(), "authenticate.missing");

    let plans = it
        .house
        .admin
        .send("GET", "/api/v1/plans", None)
        .await
        .unwrap()
        .json();
    let plans = plans["items"].as_array().unwrap();
    let plan = plans
        .iter()
        .find(|plan| plan["name"] == "anonymous")
        .unwrap();
    let path = format!("/api/v1/plans/{}", plan["id"].as_str().unwrap());
    let less = json!({ "name": "anonymous", "limits": [
        { "per": "api", "amount": 2, "window": "day" } ] });
    it.house.admin.replace(&path, &less).await.unwrap();
    let statuses = [it.call(&[]).await, it.call(&[]).await, it.call(&[]).await];
    assert_eq!(statuses.map(|answer| answer.status), [200, 200, 429]);
    it.house.admin.done("DELETE", &path, None).await.unwrap();
    assert_eq!(it.call(&[]).await.code(), "authorize.not_subscribed");
    assert_eq!(it.call(&[("apikey", key)]).await.status, 200);
}

#[tokio::test]
async fn a_prototype_is_called_without_a_subscription() {
    let it = Secured::new(&secured()).await;
    let version = &it.house.api.version;
    it.house
        .admin
        .lifecycle(version, "prototyped")
        .await
        .unwrap();
    let answer = it.call(&[]).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let known = it.call(&[("apikey", &it.house.consumer.key)]).await;
    assert_eq!(known.status, 200, "{}", known.text());
    it.house
        .admin
        .lifecycle(version, "published")
        .await
        .unwrap();
    assert_eq!(it.call(&[]).await.code(), "authenticate.missing");

    // Scopes only apply to authenticated callers.
    let security = json!({ "oauth2": {}, "scopes": { "pets:write": "" } });
    let operations = json!({ "operations": [
        { "method": "GET", "path": "/pets", "scopes": ["pets:write"] } ] });
    it.secure(security, operations).await;
    let prototyped = it.house.admin.lifecycle(version, "prototyped");
    prototyped.await.unwrap();
    assert_eq!(it.call(&[]).await.status, 200);
    let token = format!("Bearer {}", it.token("").await);
    let known = it.call(&[("Authorization", &token)]).await;
    assert_eq!(known.code(), "authorize.scope");
}

#[tokio::test]
async fn a_credential_is_accepted_only_from_its_allowed_places() {
    let builder = secured().set("gateway-trusted-proxies", "127.0.0.1");
    let it = Secured::new(&builder).await;
    let application = &it.house.consumer.application;
    let path = format!("/api/v1/applications/{application}/keys");
    let key = async |allowed: Value| {
        let body = json!({ "allowed": allowed });
        let made = it
            .house
            .admin
            .done("POST", &path, Some(&body))
            .await
            .unwrap();
        made["key"].as_str().unwrap().to_owned()
    };
    let near = key(json!({ "addresses": ["192.0.2.0/24", "2001:db8::1"] })).await;
    let page = key(json!({ "origins": ["https://shop.example"] })).await;
    let from = |address| ("X-Forwarded-For", address);
    let of = |origin| ("Origin", origin);
    let calls: [(&str, Fields<'_>, u16); 7] = [
        (&near, &[from("192.0.2.7")], 200),
        (&near, &[from("2001:db8::1")], 200),
        (&near, &[from("198.51.100.1")], 403),
        (&near, &[], 403),
        (&page, &[of("https://shop.example")], 200),
        (&page, &[of("https://shop.example.test")], 403),
        (&page, &[], 403),
    ];
    for (key, fields, status) in calls {
        let fields = [&[("apikey", key)], fields].concat();
        let answer = it.call(&fields).await;
        assert_eq!(answer.status, status, "{fields:?}: {}", answer.text());
        if status == 403 {
            assert_eq!(answer.code(), "authorize.denied");
        }
    }
}

#[tokio::test]
async fn a_documents_security_is_suggested_and_applied_only_on_request() {
    const DOCUMENT: &str = r"
openapi: 3.1.0
info: { title: Shop, version: '1.0' }
security: [{ shop: ['orders:read'] }]
paths:
  /orders: { get: { responses: {} } }
  /health: { get: { security: [], responses: {} } }
components:
  securitySchemes:
    shop:
      type: oauth2
      flows:
        clientCredentials:
          tokenUrl: https://shop.example/token
          scopes: { 'orders:read': Read orders }
";
    let house = House::new().await;
    let import = |context: &'static str, more: &'static str| {
        let path = format!(
            "/api/v1/apis/import?context={context}&name={}{more}",
            &context[1..]
        );
        let house = &house;
        async move {
            let document = DOCUMENT.as_bytes();
            let sent = house
                .admin
                .send_bytes("POST", &path, "application/yaml", document);
            let answer = sent.await.unwrap();
            let made = answer.json();
            let draft = format!(
                "/api/v1/versions/{}/draft",
                made["version"]["id"].as_str().unwrap_or("-")
            );
            let draft = house.admin.send("GET", &draft, None).await.unwrap().json();
            (answer.status, made, draft)
        }
    };
    let (status, made, draft) = import("/a", "").await;
    assert_eq!((status, &draft["security"]), (201, &Value::Null), "{made}");
    let proposed = &made["proposed_security"];
    assert_eq!(proposed["in_force"], false);
    let scope = json!({ "text": "Read orders", "granted": "freely" });
    assert_eq!(proposed["security"]["scopes"]["orders:read"], scope);

    let (status, made, draft) = import("/b", "&security=document").await;
    assert_eq!(
        (status, &draft["security"]),
        (201, &made["proposed_security"]["security"])
    );
    assert_eq!(draft["operations"][0]["scopes"], json!(["orders:read"]));
    assert_eq!(draft["operations"][1]["anonymous"], Value::Null);
    assert!(
        made["notes"].to_string().contains("openapi.anonymous"),
        "{made}"
    );

    let (status, _, draft) = import("/c", "&security=document&allow_anonymous=true").await;
    assert_eq!(
        (status, &draft["operations"][1]["anonymous"]),
        (201, &json!(true))
    );
    for wrong in ["&allow_anonymous=true", "&security=none", "&security="] {
        let (status, output, _) = import("/d", wrong).await;
        assert_eq!(status, 400, "{wrong}: {output}");
    }
}
