//! Signing keys that are rotated and deleted while tokens are issued and calls run: tokens of a
//! deleted key are refused, the next token works at once, and no call with a token of another key
//! fails.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};
use tollgate_testkit::credentials::Secret;
use tollgate_testkit::{Control, Load, http};

use super::tokens::part;
use super::{Secured, bearer, key_set, secured};

/// Number of deleted keys.
const REPEATS: usize = 30;
/// Number of programs that get tokens and call with them, without a pause.
const PROGRAMS: usize = 3;

/// A call with a token of this key.
struct Called {
    kid: String,
    started: Instant,
    ended: Instant,
    status: u16,
}

/// A deleted key: the times of the request and of the response.
struct Deleted {
    requested: Instant,
    answered: Instant,
}

/// Returns the key that signed a token.
fn kid(token: &str) -> String {
    part(token, 0)["kid"].as_str().unwrap().to_owned()
}

/// The shared state of the programs.
struct Programs {
    admin: Control,
    gateway: std::net::SocketAddr,
    stop: AtomicBool,
    calls: Mutex<Vec<Called>>,
}

impl Programs {
    async fn call(&self, token: &str) -> u16 {
        let started = Instant::now();
        let answer = http::call(self.gateway, &bearer(token)).await.unwrap();
        let called = Called {
            kid: kid(token),
            started,
            ended: Instant::now(),
            status: answer.status,
        };
        self.calls.lock().unwrap().push(called);
        answer.status
    }

    /// Gets tokens, which must not be refused, and calls with each of the last two.
    async fn run(self: Arc<Self>, client: Secret) {
        let mut last = None;
        while !self.stop.load(Ordering::Relaxed) {
            let token = self.admin.token(&client, "").await.unwrap();
            self.call(&token).await;
            if let Some(last) = last.replace(token) {
                self.call(&last).await;
            }
        }
    }
}

async fn keys(admin: &Control) -> Vec<Value> {
    let keys = admin.done("GET", "/api/v1/signing-keys", None).await;
    keys.unwrap()["items"].as_array().unwrap().clone()
}

/// Returns the key of ES256 in this state.
fn in_state(keys: &[Value], state: &str) -> Option<Value> {
    let mut keys = keys.iter().filter(|key| key["algorithm"] == "ES256");
    keys.find(|key| key["state"] == state).cloned()
}

async fn client(it: &Secured, algorithm: &str) -> Secret {
    it.client_with(json!({ "form": "jwt", "algorithm": algorithm }))
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deleted_signing_key_ends_its_tokens_and_no_others() {
    let it = Secured::new(&secured()).await;
    it.secure(json!({ "oauth2": {} }), json!({})).await;
    let (admin, gateway) = (it.house.admin.clone(), it.house.tollgate.gateway);
    let (turned, other) = (client(&it, "ES256").await, client(&it, "EdDSA").await);
    let of_other = bearer(&admin.token(&other, "").await.unwrap());
    let load = Load {
        per_second: 500,
        connections: 20,
        fresh_per_second: 20,
        ..Load::of(gateway, of_other)
    };
    let load = load.start().unwrap();
    let programs = Arc::new(Programs {
        admin: admin.clone(),
        gateway,
        stop: AtomicBool::new(false),
        calls: Mutex::default(),
    });
    let running: Vec<_> = (0..PROGRAMS)
        .map(|_| tokio::spawn(Arc::clone(&programs).run(turned.clone())))
        .collect();
    let mut deleted = HashMap::new();
    for round in 0..REPEATS {
        let token = admin.token(&turned, "").await.unwrap();
        assert_eq!(programs.call(&token).await, 200);
        let signing = in_state(&keys(&admin).await, "signing").unwrap();
        let name = signing["name"].as_str().unwrap().to_owned();
        assert_eq!(kid(&token), name);
        // Every second time the next key exists already.
        let next = if round % 2 == 1 {
            let body = json!({ "algorithm": "ES256" });
            let next = admin.done("POST", "/api/v1/signing-keys", Some(&body));
            Some(next.await.unwrap()["name"].as_str().unwrap().to_owned())
        } else {
            None
        };
        let path = format!("/api/v1/signing-keys/{}", signing["id"].as_str().unwrap());
        let requested = Instant::now();
        admin.done("DELETE", &path, None).await.unwrap();
        let answered = Instant::now();
        deleted.insert(
            name.clone(),
            Deleted {
                requested,
                answered,
            },
        );

        assert_eq!(programs.call(&token).await, 401, "round {round}");
        let again = admin.token(&turned, "").await.unwrap();
        assert_ne!(kid(&again), name);
        if let Some(next) = next {
            assert_eq!(kid(&again), next, "the next one signs at once");
        }
        assert_eq!(programs.call(&again).await, 200, "round {round}");
        let set = key_set(&it.house.tollgate).await.to_string();
        assert!(!set.contains(&name) && set.contains(&kid(&again)), "{set}");
    }
    programs.stop.store(true, Ordering::Relaxed);
    for program in running {
        program.await.unwrap();
    }
    let counts = load.finish().unwrap();
    let counts = counts.counts();
    assert_eq!(counts.keys().collect::<Vec<_>>(), [&"200"], "{counts:?}");
    judge(&programs.calls.lock().unwrap(), &deleted);
}

/// Asserts that a token is accepted until its own key is deleted, and never after that.
fn judge(calls: &[Called], deleted: &HashMap<String, Deleted>) {
    let (mut passed, mut refused) = (0, 0);
    for call in calls {
        let end = deleted.get(&call.kid);
        if end.is_none_or(|end| call.ended <= end.requested) {
            assert_eq!(call.status, 200, "before {} was deleted", call.kid);
            passed += 1;
        } else if end.is_some_and(|end| call.started >= end.answered) {
            assert_eq!(call.status, 401, "after {} was deleted", call.kid);
            refused += 1;
        }
    }
    assert!(
        passed > 3 * REPEATS && refused > REPEATS,
        "{passed} {refused}"
    );
}
