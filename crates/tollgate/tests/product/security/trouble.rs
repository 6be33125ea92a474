//! Failures of the key manager: its database is locked by another program, its connections are
//! exhausted (keys.md, K7), its disk is full. Valid calls succeed, and nothing is partially issued.

use std::cell::Cell;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tollgate_testkit::credentials::Secret;
use tollgate_testkit::{Answer, Control, Tollgate, http};

use super::restart::{Calls, answer, named};
use super::revoke;
use super::{Secured, any_scheme, bearer, key_set};
use crate::attack::old_data::database;
use crate::disk::{WRITES_MAX, disk};
use crate::house::builder;
use crate::start::logged;

/// Concurrent requests for tokens: more than the control plane accepts from one address.
const GRANTS: usize = 300;
/// Number of signed tokens not used before.
const UNSEEN: usize = 20;

/// Asserts that nothing was issued, and that the client may retry later.
#[track_caller]
fn assert_later(answer: &Answer) {
    assert_eq!(answer.status, 503, "{}", answer.text());
    assert!(answer.field("retry-after").is_some(), "{answer:?}");
    let body = answer.json();
    assert_eq!(body["access_token"], Value::Null, "{body}");
    assert_eq!(body["error"], "temporarily_unavailable", "{body}");
}

/// Calls with these tokens, one after another; asserts success.
async fn assert_good(tollgate: &Tollgate, tokens: &[String]) {
    for token in tokens {
        let expected = (200, String::new());
        assert_eq!(answer(tollgate, &bearer(token)).await, expected);
    }
}

/// Requests this number of tokens at once; returns the responses. A request that loses its
/// connection to a later one before it was sent is sent again.
async fn grants(admin: &Control, client: &Secret, count: usize) -> Vec<Answer> {
    let mut requests = JoinSet::new();
    for _ in 0..count {
        let (admin, client) = (admin.clone(), client.clone());
        requests.spawn(async move {
            loop {
                if let Ok(answer) = admin.grant(&client, "").await {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
    }
    requests.join_all().await
}

#[tokio::test]
async fn without_an_issuer_it_is_disabled_and_the_start_logs_it() {
    let tollgate = builder().start().unwrap();
    let line = logged(&tollgate, "no access tokens are issued").await;
    let settings = ["control.public_url", "gateway.public_url", "https_listen"];
    assert!(settings.iter().all(|it| line.contains(it)), "{line}");
    let body = b"grant_type=client_credentials&client_id=c&client_secret=s";
    let fields = [("Content-Type", "application/x-www-form-urlencoded")];
    let request = http::request("POST", "/oauth2/token", &fields, body);
    let answer = http::call(tollgate.control, &request).await.unwrap();
    assert_eq!(answer.status, 503, "{}", answer.text());
    let body = answer.json();
    assert_eq!(body["error"], "temporarily_unavailable", "{body}");
    let sentence = body["error_description"].as_str().unwrap();
    assert!(
        settings[..2].iter().all(|it| sentence.contains(it)),
        "{body}"
    );
}

#[tokio::test]
async fn calls_succeed_while_no_token_can_be_issued_and_a_later_restart_serves_at_once() {
    let it = Secured::new(&named().set("control-store-wait-ms", "4000")).await;
    it.secure(any_scheme(), json!({})).await;
    let calls = Calls::new(&it).await;
    let mut unseen = Vec::new();
    for _ in 0..UNSEEN {
        unseen.push(it.token("").await);
    }
    let opaque = it.client_with(json!({ "form": "opaque" })).await;
    let eddsa = json!({ "form": "jwt", "algorithm": "EdDSA" });
    let first_of_its_kind = it.client_with(eddsa).await;
    let Secured { house, .. } = it;
    let (admin, tollgate) = (house.admin, house.tollgate);

    // Another program writes, for longer than the store waits.
    let mut other = database(&tollgate.builder().data().join("tollgate.db")).await;
    let lock = sqlx::query("begin immediate").execute(&mut other).await;
    lock.unwrap();
    let are_over = Cell::new(false);
    let asking = async {
        let answers = tokio::join!(
            grants(&admin, &first_of_its_kind, 1),
            grants(&admin, &opaque, GRANTS)
        );
        are_over.set(true);
        answers
    };
    let calling = async {
        let mut rounds = 0;
        while !are_over.get() {
            calls.check(&tollgate, "meanwhile").await;
            let next = unseen.len().saturating_sub(1);
            assert_good(&tollgate, &unseen.split_off(next)).await;
            rounds += 1;
        }
        rounds
    };
    let ((signed, others), rounds) = tokio::join!(asking, calling);
    assert!(rounds > UNSEEN, "{rounds}");
    let (full, waited): (Vec<_>, Vec<_>) = others
        .into_iter()
        .chain(signed)
        .partition(|answer| answer.code() == "connections.full");
    assert!(!full.is_empty() && full.iter().all(|answer| answer.status == 503));
    assert!(!waited.is_empty());
    waited.iter().for_each(assert_later);

    let builder = tollgate.kill().unwrap();
    sqlx::query("rollback").execute(&mut other).await.unwrap();
    drop(other);
    let tollgate = builder.start().unwrap();
    calls.check(&tollgate, "after the restart").await;
    let admin = admin.at(tollgate.control);
    for client in [&opaque, &first_of_its_kind] {
        let token = admin.token(client, "").await.unwrap();
        assert_good(&tollgate, &[token]).await;
    }
}

/// Returns the ids of the opaque tokens in the store, which is on a full disk.
async fn stored(tollgate: &Tollgate) -> Vec<i64> {
    let folder = tempfile::tempdir().unwrap();
    for name in ["tollgate.db", "tollgate.db-wal"] {
        let copy = folder.path().join(name);
        std::fs::copy(tollgate.data().join(name), copy).unwrap();
    }
    let mut store = database(&folder.path().join("tollgate.db")).await;
    let ids = sqlx::query_scalar("select id from tokens order by id");
    ids.fetch_all(&mut store).await.unwrap()
}

/// Returns the id in the text of an opaque token.
fn id(token: &str) -> i64 {
    let digits = &token["tg_at_".len()..][..tollgate_model::id::TEXT_DIGITS];
    tollgate_model::id::from_digits(digits.as_bytes()).unwrap()
}

#[tokio::test]
async fn a_full_disk_in_the_middle_of_a_grant_leaves_nothing_partially_issued() {
    let Some(disk) = disk(24 << 20) else { return };
    let builder = builder()
        .set("control-public-url", "https://control.example")
        .set("gateway-public-url", "https://gateway.example")
        .on(disk);
    let it = Secured::new(&builder).await;
    it.secure(any_scheme(), json!({})).await;
    let opaque = it.client_with(json!({ "form": "opaque" })).await;
    let eddsa = json!({ "form": "jwt", "algorithm": "EdDSA" });
    let first_of_its_kind = it.client_with(eddsa).await;
    let (admin, tollgate) = (&it.house.admin, &it.house.tollgate);
    let signed = it.token("").await;
    let mut given = vec![admin.token(&opaque, "").await.unwrap()];
    tollgate.fill_disk().unwrap();

    let mut refused = 0;
    for _ in 0..WRITES_MAX {
        let answer = admin.grant(&opaque, "").await.unwrap();
        if answer.status == 200 {
            given.push(answer.json()["access_token"].as_str().unwrap().to_owned());
            continue;
        }
        assert_later(&answer);
        refused += 1;
        if refused == 3 {
            break;
        }
    }
    assert_eq!(refused, 3);
    let mut ids: Vec<_> = given.iter().map(|token| id(token)).collect();
    ids.sort_unstable();
    assert_eq!(stored(tollgate).await, ids);
    assert_good(tollgate, &given).await;
    // A missing key cannot be created; the existing one continues to sign.
    assert_later(&admin.grant(&first_of_its_kind, "").await.unwrap());
    let keys = key_set(tollgate).await;
    assert_eq!(keys["keys"].as_array().unwrap().len(), 1, "{keys}");
    assert_good(tollgate, &[it.token("").await]).await;
    // A token is not partially revoked either.
    for (client, token) in [(&it.client, &signed), (&opaque, &given[0])] {
        assert_later(&revoke(tollgate.control, client, token).await);
        assert_good(tollgate, std::slice::from_ref(token)).await;
    }

    tollgate.empty_disk().unwrap();
    for client in [&opaque, &first_of_its_kind] {
        let token = admin.token(client, "").await.unwrap();
        assert_good(tollgate, &[token]).await;
    }
    for (client, token) in [(&it.client, &signed), (&opaque, &given[0])] {
        assert_eq!(revoke(tollgate.control, client, token).await.status, 200);
        let expected = (401, "authenticate.invalid".to_owned());
        assert_eq!(answer(tollgate, &bearer(token)).await, expected);
    }
}
