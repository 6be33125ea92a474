//! Rotation with a grace period (keys.md, K8), and the terms of all kinds of credentials: start and
//! end, allowed places, last use.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use tollgate_testkit::credentials::Secret;
use tollgate_testkit::{Tollgate, http};

use super::{Fields, Secured, any_scheme, bearer, by, secured};
use crate::house::get;
use crate::start::sql;

/// A request of some kind, by name.
type Named = (&'static str, Target, Vec<u8>);

/// The receiver of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Gateway,
    /// The key manager, for a token.
    Control,
}
use Target::{Control, Gateway};

/// Returns the request of a token with this secret.
fn asking(client: &Secret, secret: &str) -> Vec<u8> {
    let text = secret.to_owned();
    let client = Secret {
        text,
        ..client.clone()
    };
    client.asking("")
}

async fn status(tollgate: &Tollgate, target: Target, request: &[u8]) -> u16 {
    let address = match target {
        Gateway => tollgate.gateway,
        Control => tollgate.control,
    };
    http::call(address, request).await.unwrap().status
}

/// Creates a house with a version that accepts all kinds.
async fn any(builder: &tollgate_testkit::Builder) -> Secured {
    let it = Secured::new(builder).await;
    it.secure(any_scheme(), json!({})).await;
    it
}

impl Secured {
    async fn rotated(&self, path: &str, grace: &str) -> Value {
        let path = format!("/api/v1/{path}/rotation");
        let grace = json!({ "grace": grace });
        let made = self.house.admin.done("POST", &path, Some(&grace)).await;
        made.unwrap()
    }

    async fn patched(&self, path: &str, change: Value) {
        let path = format!("/api/v1/{path}");
        let done = self.house.admin.done("PATCH", &path, Some(&change)).await;
        done.unwrap();
    }

    /// Creates a client with this form of tokens, and a token of it.
    async fn with_token(&self, form: &str) -> (Secret, String) {
        let client = self.client_with(json!({ "form": form })).await;
        let token = self.house.admin.token(&client, "").await.unwrap();
        (client, token)
    }

    async fn key_of(&self, terms: Value) -> String {
        let application = &self.house.consumer.application;
        let path = format!("/api/v1/applications/{application}/keys");
        let made = self.house.admin.done("POST", &path, Some(&terms)).await;
        made.unwrap()["key"].as_str().unwrap().to_owned()
    }

    async fn user_of(&self, name: &str, mut terms: Value) -> Secret {
        let application = &self.house.consumer.application;
        let path = format!("/api/v1/applications/{application}/basic-users");
        terms["user_name"] = json!(name);
        let made = self.house.admin.done("POST", &path, Some(&terms)).await;
        let made = made.unwrap();
        let text = |field: &str| made[field].as_str().unwrap().to_owned();
        Secret {
            id: String::new(),
            name: text("user_name"),
            text: text("password"),
        }
    }
}

/// The status of a response, and the times before and after it.
struct Seen {
    which: usize,
    started: Timestamp,
    ended: Timestamp,
    status: u16,
}

/// Sends all requests in turn until each was sent several times after their end.
async fn watch(tollgate: &Tollgate, requests: &[Named], end: Timestamp) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut after = 0;
    while after < 6 {
        after += usize::from(Timestamp::now() >= end);
        for (which, (_, target, request)) in requests.iter().enumerate() {
            let started = Timestamp::now();
            let status = status(tollgate, *target, request).await;
            seen.push(Seen {
                which,
                started,
                ended: Timestamp::now(),
                status,
            });
        }
        // Twenty failures would lock a client for this address.
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    seen
}

/// Asserts that each was accepted from the one time to the other, and at no other time.
fn judge(requests: &[Named], seen: &[Seen], (from, to): (Option<Timestamp>, Timestamp)) {
    for (which, (name, ..)) in requests.iter().enumerate() {
        let (mut before, mut within, mut after) = (0, 0, 0);
        for it in seen.iter().filter(|it| it.which == which) {
            let at = (it.started, it.ended, it.status);
            if from.is_some_and(|from| it.ended < from) {
                before += 1;
                assert_eq!(it.status, 401, "{name}, before {from:?}: {at:?}");
            } else if from.is_none_or(|from| it.started >= from) && it.ended < to {
                within += 1;
                assert_eq!(it.status, 200, "{name}, from {from:?} to {to}: {at:?}");
            } else if it.started >= to {
                after += 1;
                assert_eq!(it.status, 401, "{name}, after {to}: {at:?}");
            }
        }
        let was_watched = (before > 0 || from.is_none()) && within > 0 && after > 5;
        assert!(was_watched, "{name}: {before} {within} {after}");
    }
}

/// Returns a time this far in the future.
fn ahead(ms: i64) -> Timestamp {
    Timestamp::now() + jiff::SignedDuration::from_millis(ms)
}

#[tokio::test]
async fn with_a_grace_period_both_are_accepted_and_without_one_only_the_new_one() {
    let it = any(&secured()).await;
    let tollgate = &it.house.tollgate;
    for (grace, old) in [("now", 401), ("1h", 200), ("24h", 200), ("7d", 200)] {
        let (id, key) = it
            .house
            .admin
            .key(&it.house.consumer.application)
            .await
            .unwrap();
        let made = it.rotated(&format!("keys/{id}"), grace).await;
        let new = made["key"].as_str().unwrap();
        for (key, expected) in [(&*key, old), (new, 200)] {
            let request = get("/pets/1.0/pets", key);
            assert_eq!(
                status(tollgate, Gateway, &request).await,
                expected,
                "{grace}"
            );
        }

        let user = it.user_of(&format!("till-{grace}"), json!({})).await;
        let list = format!(
            "/api/v1/applications/{}/basic-users",
            it.house.consumer.application
        );
        let list = it.house.admin.done("GET", &list, None).await.unwrap();
        let list = list["items"].as_array().unwrap();
        let listed = list.iter().find(|it| it["user_name"] == user.name).unwrap();
        let id = listed["id"].as_str().unwrap();
        let made = it.rotated(&format!("basic-users/{id}"), grace).await;
        assert_eq!(made["previous_until"].is_string(), old == 200, "{made}");
        let new = Secret {
            text: made["password"].as_str().unwrap().to_owned(),
            ..user.clone()
        };
        for (user, expected) in [(user, old), (new, 200)] {
            let request = by(&user.basic());
            assert_eq!(
                status(tollgate, Gateway, &request).await,
                expected,
                "{grace}"
            );
        }

        let (client, token) = it.with_token("jwt").await;
        let made = it.rotated(&format!("clients/{}", client.id), grace).await;
        assert_eq!(made["previous_until"].is_string(), old == 200, "{made}");
        let new = made["client_secret"].as_str().unwrap().to_owned();
        for (secret, expected) in [(&*client.text, old), (&new, 200)] {
            let request = asking(&client, secret);
            assert_eq!(
                status(tollgate, Control, &request).await,
                expected,
                "{grace}"
            );
        }
        assert_eq!(status(tollgate, Gateway, &bearer(&token)).await, 200);
    }
}

/// Creates the request for a secret.
type Asking = Box<dyn Fn(&str) -> Vec<u8>>;

/// A credential of some kind that is rotated repeatedly.
struct Turning {
    /// Its path in the API: a key's changes with each rotation.
    place: &'static str,
    id: String,
    /// The member of a response with its secret.
    member: &'static str,
    /// The status of a rotation that creates a secret.
    made: u16,
    /// Its secrets, in order of creation.
    secrets: Vec<String>,
    target: Target,
    /// Creates the request for a secret.
    asking: Asking,
}

impl Turning {
    /// Rotates the credential; returns status and body.
    async fn rotate(&self, it: &Secured, grace: &str) -> (u16, Value) {
        let path = format!("/api/v1/{}/{}/rotation", self.place, self.id);
        let grace = json!({ "grace": grace });
        let answer = it.house.admin.send("POST", &path, Some(&grace)).await;
        let answer = answer.unwrap();
        (answer.status, answer.json())
    }

    /// Returns which of its secrets are accepted.
    async fn accepted(&self, it: &Secured) -> Vec<bool> {
        let mut accepted = Vec::new();
        for secret in &self.secrets {
            let request = (self.asking)(secret);
            accepted.push(status(&it.house.tollgate, self.target, &request).await == 200);
        }
        accepted
    }
}

/// Creates one of each kind, each with an end in the far future.
async fn one_of_each(it: &Secured) -> Vec<Turning> {
    let (key, text) = it
        .house
        .admin
        .key(&it.house.consumer.application)
        .await
        .unwrap();
    let far = json!({ "expires_at": FAR });
    it.patched(&format!("keys/{key}"), far).await;
    let (client, user) = (it.client.clone(), it.user.clone());
    vec![
        Turning {
            place: "keys",
            id: key,
            member: "key",
            made: 201,
            secrets: vec![text],
            target: Gateway,
            asking: Box::new(|key| get("/pets/1.0/pets", key)),
        },
        Turning {
            place: "clients",
            id: client.id.clone(),
            member: "client_secret",
            made: 200,
            secrets: vec![client.text.clone()],
            target: Control,
            asking: Box::new(move |secret| asking(&client, secret)),
        },
        Turning {
            place: "basic-users",
            id: user.id.clone(),
            member: "password",
            made: 200,
            secrets: vec![user.text.clone()],
            target: Gateway,
            asking: Box::new(move |password| {
                let text = password.to_owned();
                by(&Secret {
                    text,
                    ..user.clone()
                }
                .basic())
            }),
        },
    ]
}

/// The end of every key of the test.
const FAR: &str = "2099-01-01T00:00:00Z";

/// A key that was rotated twice ended early: the second successor got the end of the first one's
/// grace period. A repeated rotation of a client or a user ended a secret already in use.
#[tokio::test]
async fn a_second_rotation_within_the_grace_period_ends_nothing_without_now() {
    let it = any(&secured()).await;
    for mut one in one_of_each(&it).await {
        let place = one.place;
        let (status, made) = one.rotate(&it, "1h").await;
        assert_eq!(status, one.made, "{place}: {made}");
        one.secrets.push(made[one.member].as_str().unwrap().into());
        for grace in ["1h", "24h", "7d"] {
            let (status, refused) = one.rotate(&it, grace).await;
            assert_eq!(status, 409, "{place}, {grace}: {refused}");
            assert_eq!(refused["code"], "credential.rotating", "{place}, {grace}");
            if place == "keys" {
                let detail = refused["detail"].as_str().unwrap();
                assert!(detail.contains(made["id"].as_str().unwrap()), "{detail}");
            }
        }
        assert_eq!(one.accepted(&it).await, [true, true], "{place}");

        let (status, now) = one.rotate(&it, "now").await;
        assert_eq!(status, 200, "{place}: {now}");
        if place == "keys" {
            assert_eq!(now["id"], made["id"]);
            assert!(now["key"].is_null(), "its text is shown once: {now}");
            assert_eq!(now["expires_at"], FAR, "not the end of a grace");
        } else {
            one.secrets.push(now[one.member].as_str().unwrap().into());
            assert_eq!(one.accepted(&it).await, [false, false, true], "{place}");
            let (_, now) = one.rotate(&it, "now").await;
            one.secrets.push(now[one.member].as_str().unwrap().into());
        }
        let mut expected = vec![false; one.secrets.len()];
        *expected.last_mut().unwrap() = true;
        assert_eq!(one.accepted(&it).await, expected, "{place}");

        // The remaining one is rotated like the first.
        now["id"].as_str().unwrap().clone_into(&mut one.id);
        let (status, made) = one.rotate(&it, "1h").await;
        assert_eq!(status, one.made, "{place}: {made}");
        one.secrets.push(made[one.member].as_str().unwrap().into());
        expected.push(true);
        assert_eq!(one.accepted(&it).await, expected, "{place}");
    }
}

#[tokio::test]
async fn a_rotated_key_keeps_its_end_and_the_new_one_stays_valid() {
    let it = any(&secured()).await;
    let (id, key) = it
        .house
        .admin
        .key(&it.house.consumer.application)
        .await
        .unwrap();
    let made = it.rotated(&format!("keys/{id}"), "1h").await;
    let new = get("/pets/1.0/pets", made["key"].as_str().unwrap());
    let end = ahead(3_000);
    let ends = json!({ "expires_at": end.to_string() });
    it.patched(&format!("keys/{id}"), ends).await;
    let old = [("key", Gateway, get("/pets/1.0/pets", &key))];
    let tollgate = &it.house.tollgate;
    let seen = watch(tollgate, &old, end).await;
    judge(&old, &seen, (None, end));
    assert_eq!(status(tollgate, Gateway, &new).await, 200);
}

/// The shortest grace period is an hour: the stored time is moved, between a stop and a start.
#[tokio::test]
async fn the_previous_secret_and_password_end_with_their_grace_period() {
    let it = any(&secured()).await;
    let (client, user) = (it.client.clone(), it.user.clone());
    let made = it.rotated(&format!("clients/{}", client.id), "1h").await;
    let new_secret = made["client_secret"].as_str().unwrap().to_owned();
    let made = it.rotated(&format!("basic-users/{}", user.id), "1h").await;
    let new_user = Secret {
        text: made["password"].as_str().unwrap().to_owned(),
        ..user.clone()
    };
    let (_, builder) = it.house.tollgate.terminate().unwrap();
    let end = ahead(5_000);
    let path = builder.data().join("tollgate.db");
    for table in ["clients", "basic_users"] {
        let end_us = end.as_microsecond();
        let moved = format!(
            "update {table} set previous_until_us = {end_us} where previous_until_us is not null"
        );
        sql(&path, &moved).await;
    }
    let tollgate = builder.start().unwrap();
    let old = [
        ("secret", Control, asking(&client, &client.text)),
        ("password", Gateway, by(&user.basic())),
    ];
    let seen = watch(&tollgate, &old, end).await;
    judge(&old, &seen, (None, end));
    let new = asking(&client, &new_secret);
    assert_eq!(status(&tollgate, Control, &new).await, 200);
    assert_eq!(
        status(&tollgate, Gateway, &by(&new_user.basic())).await,
        200
    );
}

#[tokio::test]
async fn every_kind_starts_and_ends_at_its_time() {
    let it = any(&secured()).await;
    let (of_jwt, jwt) = it.with_token("jwt").await;
    let (of_opaque, opaque) = it.with_token("opaque").await;
    let tollgate = &it.house.tollgate;
    // They are cached before their clients get other terms.
    for token in [&jwt, &opaque] {
        for _ in 0..10 {
            assert_eq!(status(tollgate, Gateway, &bearer(token)).await, 200);
        }
    }
    let (from, to) = (ahead(4_000), ahead(7_000));
    let terms = json!({ "not_before": from.to_string(), "expires_at": to.to_string() });
    let key = it.key_of(terms.clone()).await;
    let user = it.user_of("timely", terms.clone()).await;
    for client in [&of_jwt, &of_opaque] {
        it.patched(&format!("clients/{}", client.id), terms.clone())
            .await;
    }
    let requests = [
        ("key", Gateway, get("/pets/1.0/pets", &key)),
        ("user", Gateway, by(&user.basic())),
        ("token of a client, signed", Gateway, bearer(&jwt)),
        ("token of a client, opaque", Gateway, bearer(&opaque)),
        ("secret", Control, asking(&of_jwt, &of_jwt.text)),
    ];
    let seen = watch(tollgate, &requests, to).await;
    judge(&requests, &seen, (Some(from), to));
}

#[tokio::test]
async fn tokens_and_users_are_accepted_only_from_their_allowed_places() {
    let builder = secured().set("gateway-trusted-proxies", "127.0.0.1");
    let it = any(&builder).await;
    let near = json!({ "allowed": { "addresses": ["192.0.2.0/24", "2001:db8::1"] } });
    let page = json!({ "allowed": { "origins": ["https://shop.example"] } });
    let from = |address| ("X-Forwarded-For", address);
    let of = |origin| ("Origin", origin);
    let mut bearers = Vec::new();
    for form in ["jwt", "opaque"] {
        let (client, token) = it.with_token(form).await;
        let (other, paged) = it.with_token(form).await;
        // A cached token has the current terms of its client.
        let bearer = |token: &str| format!("Bearer {token}");
        for token in [&token, &paged] {
            let value = bearer(token);
            let answer = it.call(&[("Authorization", &value)]).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        it.patched(&format!("clients/{}", client.id), near.clone())
            .await;
        it.patched(&format!("clients/{}", other.id), page.clone())
            .await;
        bearers.push((bearer(&token), bearer(&paged)));
    }
    let near_user = it.user_of("near", near).await.basic();
    let page_user = it.user_of("page", page).await.basic();
    bearers.push((near_user, page_user));
    for (near, page) in &bearers {
        let calls: [(&str, Fields<'_>, u16); 7] = [
            (near, &[from("192.0.2.7")], 200),
            (near, &[from("2001:db8::1")], 200),
            (near, &[from("198.51.100.1")], 403),
            (near, &[], 403),
            (page, &[of("https://shop.example")], 200),
            (page, &[of("https://shop.example.test")], 403),
            (page, &[], 403),
        ];
        for (value, fields, status) in calls {
            let fields = [&[("Authorization", value)], fields].concat();
            let answer = it.call(&fields).await;
            assert_eq!(answer.status, status, "{fields:?}: {}", answer.text());
            if status == 403 {
                assert_eq!(answer.code(), "authorize.denied");
            }
        }
    }
}

#[tokio::test]
async fn the_last_use_of_each_kind_is_reported_after_a_stop() {
    let it = any(&secured()).await;
    let (of_jwt, jwt) = it.with_token("jwt").await;
    let (of_opaque, opaque) = it.with_token("opaque").await;
    let (_, unused) = it.with_token("jwt").await;
    drop(unused);
    let unused = it.house.admin.key(&it.house.consumer.application).await;
    let (unused, _) = unused.unwrap();
    let tollgate = &it.house.tollgate;
    let begun = Timestamp::now();
    for request in [
        get("/pets/1.0/pets", &it.house.consumer.key),
        by(&it.user.basic()),
        bearer(&jwt),
        bearer(&opaque),
    ] {
        assert_eq!(status(tollgate, Gateway, &request).await, 200);
    }
    let ended = Timestamp::now();
    let used = [
        format!("keys/{}", it.house.consumer.key_id),
        format!("basic-users/{}", it.user.id),
        format!("clients/{}", of_jwt.id),
        format!("clients/{}", of_opaque.id),
    ];
    let (_, builder) = it.house.tollgate.terminate().unwrap();
    let tollgate = builder.start().unwrap();
    let admin = it.house.admin.at(tollgate.control);
    let last_use = async |path: &str| {
        let path = format!("/api/v1/{path}");
        let shown = admin.done("GET", &path, None).await.unwrap();
        shown["last_used_at"].as_str().map(str::to_owned)
    };
    for path in &used {
        let at = last_use(path).await;
        let at = at.unwrap_or_else(|| panic!("{path} was not used"));
        let at: Timestamp = at.parse().unwrap();
        assert!(begun <= at && at <= ended, "{path}: {begun} {at} {ended}");
    }
    assert_eq!(last_use(&format!("keys/{unused}")).await, None);
}
