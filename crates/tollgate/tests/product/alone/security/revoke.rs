//! Revocation under load (keys.md, K5): each kind fifty times during 2,000 calls a second over kept
//! and new connections to both workers, with every token cached there. No call that starts after
//! the response to the revocation succeeds.

use std::time::Instant;

use serde_json::{Value, json};
use tollgate_testkit::credentials::Secret;
use tollgate_testkit::load::Running;
use tollgate_testkit::{Control, Load};

use crate::house::get;
use crate::security::{Secured, any_scheme, bearer, by, revoke, secured};

/// Repetitions of each kind.
const REPEATS: usize = 50;
/// Kept connections of the load.
const CONNECTIONS: u32 = 24;
/// Calls awaited before a revocation, so that both workers cache the credential, and after it. More
/// than may have started before, which is one on each connection.
const CALLS: u64 = 2 * CONNECTIONS as u64;

/// One revocation: the load uses the credential from `aimed` to `over`.
struct Round {
    aimed: Instant,
    /// When the revocation was requested.
    requested: Instant,
    /// When the response arrived.
    answered: Instant,
    over: Instant,
}

/// A secured house under load.
struct Tried {
    it: Secured,
    running: Running,
    /// Calls a second of the load.
    per_second: f64,
    rounds: Vec<Round>,
    refusal: &'static str,
}

impl Tried {
    async fn new(refusal: &'static str) -> Self {
        let it = Secured::new(&secured()).await;
        it.secure(any_scheme(), json!({})).await;
        let gateway = it.house.tollgate.gateway;
        let load = Load {
            connections: CONNECTIONS,
            ..Load::of(gateway, it.house.request())
        };
        Self {
            per_second: load.per_second.into(),
            running: load.start().unwrap(),
            rounds: Vec::new(),
            it,
            refusal,
        }
    }

    fn admin(&self) -> &Control {
        &self.it.house.admin
    }

    fn application(&self) -> &str {
        &self.it.house.consumer.application
    }

    /// Calls with a credential until both workers cache it, then ends it with a request.
    async fn round(&mut self, request: &[u8], (method, path): (&str, &str), body: Option<Value>) {
        let aimed = self.aim(request).await;
        let requested = Instant::now();
        let done = self.admin().done(method, path, body.as_ref());
        done.await.unwrap();
        self.over(aimed, requested).await;
    }

    /// Like [`Self::round`], with a request of RFC 7009.
    async fn revoked(&mut self, client: &Secret, token: &str) {
        let aimed = self.aim(&bearer(token)).await;
        let requested = Instant::now();
        let answer = revoke(self.it.house.tollgate.control, client, token).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        self.over(aimed, requested).await;
    }

    async fn aim(&self, request: &[u8]) -> Instant {
        self.running.aim(request);
        let aimed = Instant::now();
        self.running.calls(CALLS).await;
        aimed
    }

    async fn over(&mut self, aimed: Instant, requested: Instant) {
        let answered = Instant::now();
        self.running.calls(CALLS).await;
        let over = Instant::now();
        self.rounds.push(Round {
            aimed,
            requested,
            answered,
            over,
        });
    }

    /// Ends the load and checks every call.
    fn judge(self) {
        let tally = self.running.finish().unwrap();
        let counts = tally.counts();
        // The key manager limits failures per client and address.
        let bounded = if self.refusal == "401" { "429" } else { "200" };
        let known = ["200", self.refusal, bounded];
        assert!(
            counts.keys().all(|label| known.contains(label)),
            "{counts:?}"
        );
        assert_eq!(self.rounds.len() % REPEATS, 0);
        let (first, last) = (&self.rounds[0], &self.rounds[self.rounds.len() - 1]);
        let calls = tally.calls.iter();
        let calls = calls.filter(|call| call.started >= first.aimed && call.started < last.over);
        let rate = calls.count() as f64 / (last.over - first.aimed).as_secs_f64();
        // The load ran all the time. A busy machine catches up later, and each round waits for its
        // own calls.
        assert!(rate >= 0.5 * self.per_second, "{rate} calls a second");
        for (index, round) in self.rounds.iter().enumerate() {
            let passed = tally.within(round.aimed, round.requested, "200");
            assert!(passed > 0, "round {index} began with no success");
            // A call that ends later may have been authorized before the round.
            let within = |label| tally.within(round.answered, round.over, label);
            assert_eq!(within("200"), 0, "round {index} of {}", self.rounds.len());
            assert!(within(self.refusal) > 0, "round {index} was not watched");
        }
    }
}

/// Returns both forms of tokens in turn.
fn form(round: usize) -> Value {
    json!({ "form": if round.is_multiple_of(2) { "jwt" } else { "opaque" } })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_that_starts_after_a_key_or_a_password_was_revoked_succeeds() {
    let mut tried = Tried::new("401").await;
    let application = tried.application().to_owned();
    for _ in 0..REPEATS {
        let (id, key) = tried.admin().key(&application).await.unwrap();
        let request = get("/pets/1.0/pets", &key);
        let end = format!("/api/v1/keys/{id}");
        tried.round(&request, ("DELETE", &end), None).await;
    }
    let mut user = tried.it.user.clone();
    let path = format!("/api/v1/basic-users/{}", user.id);
    for _ in 0..REPEATS {
        let aimed = tried.aim(&by(&user.basic())).await;
        let requested = Instant::now();
        let now = json!({ "grace": "now" });
        let rotation = format!("{path}/rotation");
        let made = tried.admin().done("POST", &rotation, Some(&now)).await;
        tried.over(aimed, requested).await;
        user.text = made.unwrap()["password"].as_str().unwrap().to_owned();
    }
    for round in 0..REPEATS {
        let name = format!("till-{round}");
        let user = tried.admin().basic_user(&application, &name).await.unwrap();
        let end = format!("/api/v1/basic-users/{}", user.id);
        let request = by(&user.basic());
        tried.round(&request, ("DELETE", &end), None).await;
    }
    tried.judge();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_that_starts_after_a_token_or_its_client_was_revoked_succeeds() {
    let mut tried = Tried::new("401").await;
    let application = tried.application().to_owned();
    let mut clients = Vec::new();
    for round in 0..2 {
        let body = json!({ "name": "till", "token": form(round) });
        let client = tried.admin().client(&application, &body).await;
        clients.push(client.unwrap());
    }
    for client in &clients {
        for _ in 0..REPEATS {
            let token = tried.admin().token(client, "").await.unwrap();
            tried.revoked(client, &token).await;
        }
    }
    for round in 0..REPEATS {
        let client = &clients[round % 2];
        let token = tried.admin().token(client, "").await.unwrap();
        let end = format!("/api/v1/clients/{}/tokens", client.id);
        tried.round(&bearer(&token), ("DELETE", &end), None).await;
    }
    for round in 0..REPEATS {
        let token = tried.admin().token(&clients[round % 2], "").await.unwrap();
        let end = format!("/api/v1/applications/{application}/tokens");
        tried.round(&bearer(&token), ("DELETE", &end), None).await;
    }
    for round in 0..REPEATS {
        let body = json!({ "name": "till", "token": form(round) });
        let client = tried.admin().client(&application, &body).await.unwrap();
        let token = tried.admin().token(&client, "").await.unwrap();
        let end = format!("/api/v1/clients/{}", client.id);
        tried.round(&bearer(&token), ("DELETE", &end), None).await;
    }
    tried.judge();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_that_starts_after_a_signing_key_was_deleted_or_a_user_suspended_succeeds() {
    let mut tried = Tried::new("401").await;
    let body = json!({ "name": "till", "token": form(0) });
    let client = tried.admin().client(tried.application(), &body).await;
    let client = client.unwrap();
    for _ in 0..REPEATS {
        let token = tried.admin().token(&client, "").await.unwrap();
        let keys = tried
            .admin()
            .done("GET", "/api/v1/signing-keys", None)
            .await;
        let keys = keys.unwrap();
        let [key] = &keys["items"].as_array().unwrap()[..] else {
            panic!("{keys}");
        };
        assert_eq!(key["state"], "signing");
        let end = format!("/api/v1/signing-keys/{}", key["id"].as_str().unwrap());
        tried.round(&bearer(&token), ("DELETE", &end), None).await;
    }
    let tollgate = &tried.it.house.tollgate;
    let dana = crate::house::user(tried.admin(), tollgate, ("dana", &["developer"])).await;
    let version = tried.it.house.api.version.clone();
    let shop = dana.consumer("dana's", &version, "tested").await.unwrap();
    let users = tried.admin().done("GET", "/api/v1/users", None).await;
    let users = users.unwrap();
    let user = users["items"].as_array().unwrap().iter();
    let user = user.filter(|user| user["name"] == "dana");
    let user = user.map(|user| user["id"].as_str().unwrap()).next();
    let path = format!("/api/v1/users/{}", user.unwrap());
    let mut clients = Vec::new();
    for round in 0..2 {
        let body = json!({ "name": "till", "token": form(round) });
        let client = dana.client(&shop.application, &body).await;
        clients.push(client.unwrap());
    }
    let basic = dana.basic_user(&shop.application, "dana@till").await;
    let basic = by(&basic.unwrap().basic());
    for round in 0..REPEATS {
        let request = match round % 4 {
            0 => get("/pets/1.0/pets", &shop.key),
            1 => basic.clone(),
            _ => bearer(&tried.admin().token(&clients[round % 2], "").await.unwrap()),
        };
        let suspend = json!({ "disabled": true, "credentials": "suspend" });
        let end = ("PATCH", &*path);
        tried.round(&request, end, Some(suspend)).await;
        let back = json!({ "disabled": false, "credentials": "resume" });
        let back = tried.admin().done("PATCH", &path, Some(&back)).await;
        back.unwrap();
    }
    tried.judge();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_that_starts_after_a_subscription_of_a_token_has_ended_succeeds() {
    let mut tried = Tried::new("403").await;
    let house = &tried.it.house;
    let (application, version) = (&house.consumer.application, house.api.version.clone());
    let application = application.to_owned();
    let mut clients = Vec::new();
    for round in 0..2 {
        let body = json!({ "name": "till", "token": form(round) });
        let client = tried.admin().client(&application, &body).await;
        clients.push(client.unwrap());
    }
    let mut subscription = tried.it.house.consumer.subscription.clone();
    for round in 0..REPEATS {
        let token = tried.admin().token(&clients[round % 2], "").await.unwrap();
        let path = format!("/api/v1/subscriptions/{subscription}");
        if round % 4 < 2 {
            let blocked = json!({ "status": "blocked" });
            let end = ("PATCH", &*path);
            tried.round(&bearer(&token), end, Some(blocked)).await;
            let active = json!({ "status": "active" });
            let active = tried.admin().done("PATCH", &path, Some(&active)).await;
            active.unwrap();
        } else {
            tried.round(&bearer(&token), ("DELETE", &path), None).await;
            let again = tried.admin().subscribe(&application, &version, "tested");
            subscription = again.await.unwrap();
        }
    }
    tried.judge();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_that_starts_after_an_application_was_deleted_succeeds() {
    let mut tried = Tried::new("401").await;
    let version = tried.it.house.api.version.clone();
    for round in 0..REPEATS {
        let admin = tried.admin();
        let name = format!("till-{round}");
        let till = admin.consumer(&name, &version, "tested").await.unwrap();
        let request = match round % 4 {
            0 => get("/pets/1.0/pets", &till.key),
            1 => {
                let user = admin.basic_user(&till.application, &name).await;
                by(&user.unwrap().basic())
            }
            _ => {
                let body = json!({ "name": "till", "token": form(round) });
                let client = admin.client(&till.application, &body).await.unwrap();
                bearer(&admin.token(&client, "").await.unwrap())
            }
        };
        let end = format!("/api/v1/applications/{}", till.application);
        tried.round(&request, ("DELETE", &end), None).await;
    }
    tried.judge();
}

/// Here the load requests tokens: the key manager checks the secret, not the gateway.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_token_is_issued_for_a_rotated_secret_and_its_tokens_stay_valid() {
    let mut tried = Tried::new("401").await;
    let mut client = tried.it.client.clone();
    let before = tried.admin().token(&client, "").await.unwrap();
    tried.running.aim(&bearer(&before));
    let grants = Load {
        connections: 4,
        per_second: 100,
        fresh_per_second: 10,
        ..Load::of(tried.it.house.tollgate.control, client.asking(""))
    };
    tried.per_second = grants.per_second.into();
    let grants = grants.start().unwrap();
    let path = format!("/api/v1/clients/{}/rotation", client.id);
    for _ in 0..REPEATS {
        let aimed = Instant::now();
        grants.aim(&client.asking(""));
        grants.calls(10).await;
        let requested = Instant::now();
        let now = json!({ "grace": "now" });
        let made = tried.admin().done("POST", &path, Some(&now)).await.unwrap();
        let answered = Instant::now();
        grants.calls(10).await;
        let over = Instant::now();
        tried.rounds.push(Round {
            aimed,
            requested,
            answered,
            over,
        });
        client.text = made["client_secret"].as_str().unwrap().to_owned();
    }
    let calls = std::mem::replace(&mut tried.running, grants);
    let calls = calls.finish().unwrap();
    tried.judge();
    let counts = calls.counts();
    assert_eq!(counts.keys().collect::<Vec<_>>(), [&"200"], "{counts:?}");
}
