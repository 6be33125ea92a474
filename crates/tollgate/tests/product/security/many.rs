//! Many tokens: revoked ones (keys.md, K9), and different ones, valid and invalid (K11). The lab
//! measures their cost; here they are refused and accepted, and memory is bounded.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;
use sqlx::sqlite::SqliteConnection;
use tollgate_model::id::TokenId;
use tollgate_testkit::credentials::Secret;
use tollgate_testkit::{Connection, Tollgate};

use super::restart::{answer, named};
use super::tokens::part;
use super::{Secured, bearer};
use crate::attack::old_data::database;

/// Current revocations, and as many that have ended.
const REVOCATIONS: usize = 20_000;
/// Maximum memory for them, including what the start reads and sweeps.
const REVOCATIONS_KIB: u64 = 16 * 1_024;
/// An hour and a minute in microseconds.
const HOUR_US: i64 = 3_600_000_000;
const MINUTE_US: i64 = 60_000_000;

/// Number of tokens that a worker caches.
const REMEMBERED: usize = 32;
/// Number of different tokens; each is used once, and once with another signature.
const TOKENS: usize = 3_000;
/// Number of tokens until memory is stable.
const WARM_UP: usize = 600;
/// The scopes of each token, so that it takes about 10 KiB of a worker that caches it: all of them
/// would take 24 MB.
const SCOPES: usize = 40;
const TOKENS_KIB: u64 = 8 * 1_024;
/// Number of connections that get tokens and call.
const PROGRAMS: usize = 8;

fn now_us() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_micros()).unwrap()
}

fn id(token: &str) -> TokenId {
    part(token, 1)["jti"].as_str().unwrap().parse().unwrap()
}

/// Writes revocations of `count` tokens from this id on, with this end.
async fn write(store: &mut SqliteConnection, (first, count): (i64, usize), expires_us: i64) {
    const SQL: &str = "with recursive ids (id) as \
            (select $1 union all select id + 1 from ids limit $2) \
        insert into revoked_tokens (id, expires_us) select id, $3 from ids";
    let count = i64::try_from(count).unwrap();
    let written = sqlx::query(SQL).bind(first).bind(count).bind(expires_us);
    written.execute(store).await.unwrap();
}

async fn assert_answered(tollgate: &Tollgate, tokens: &[String], expected: (u16, &str)) {
    for token in tokens {
        let (status, code) = answer(tollgate, &bearer(token)).await;
        assert_eq!((status, &*code), expected);
    }
}

#[tokio::test]
async fn each_of_many_revoked_tokens_stays_refused_until_its_end() {
    let it = Secured::new(&named()).await;
    it.secure(json!({ "oauth2": {} }), json!({})).await;
    let mut good = Vec::new();
    for _ in 0..40 {
        good.push(it.token("").await);
    }
    let revoked = good.split_off(20);
    let tollgate = it.house.tollgate.kill().unwrap().start().unwrap();
    assert_answered(&tollgate, &good, (200, "")).await;
    assert_answered(&tollgate, &revoked, (200, "")).await;
    let before = tollgate.memory_kib().unwrap();
    let builder = tollgate.kill().unwrap();

    let path = builder.data().join("tollgate.db");
    let mut store = database(&path).await;
    let in_an_hour = now_us() + HOUR_US;
    for token in &revoked {
        write(&mut store, (id(token).raw(), 1), in_an_hour).await;
    }
    write(&mut store, (1, REVOCATIONS), in_an_hour).await;
    write(&mut store, (1 << 40, REVOCATIONS), now_us() - MINUTE_US).await;
    let tollgate = builder.start().unwrap();
    assert_answered(&tollgate, &good, (200, "")).await;
    assert_answered(&tollgate, &revoked, (401, "authenticate.invalid")).await;
    let after = tollgate.memory_kib().unwrap();
    println!("{before} KiB before, {after} KiB with {REVOCATIONS} revocations");
    assert!(
        after < before + REVOCATIONS_KIB,
        "{before} KiB, then {after} KiB"
    );
    // The store is swept at the start and each minute; gateways drop them by themselves.
    let in_force = i64::try_from(REVOCATIONS + revoked.len()).unwrap();
    for _ in 0..400 {
        let kept = sqlx::query_scalar("select count(*) from revoked_tokens");
        let kept: i64 = kept.fetch_one(&mut store).await.unwrap();
        if kept == in_force {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("what has ended stays");
}

/// Returns the token with another signature.
fn forged(token: &str) -> String {
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let first = if signature.starts_with('A') { "B" } else { "A" };
    format!("{signed}.{first}{}", &signature[1..])
}

/// Gets `count` tokens over one connection, and calls over another with each and with a forged
/// copy.
async fn run(tollgate: &Tollgate, client: &Secret, count: usize) {
    let mut tokens = Connection::open(tollgate.control).await.unwrap();
    let mut calls = Connection::open(tollgate.gateway).await.unwrap();
    for _ in 0..count {
        let granted = tokens.exchange(&client.asking("")).await;
        let granted = granted.unwrap().json();
        let token = granted["access_token"].as_str().unwrap();
        for (token, status) in [(token, 200), (&forged(token), 401)] {
            let answer = calls.exchange(&bearer(token)).await.unwrap();
            assert_eq!(answer.status, status, "{}", answer.text());
        }
    }
}

async fn run_all(tollgate: &Tollgate, client: &Secret, tokens: usize) {
    let count = tokens / PROGRAMS;
    let [a, b, c, d, e, f, g, h] = [(); PROGRAMS].map(|()| run(tollgate, client, count));
    tokio::join!(a, b, c, d, e, f, g, h);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_different_and_forged_tokens_take_no_more_memory_than_the_cached_ones() {
    let few = named().set("gateway-remembered-tokens-max", &REMEMBERED.to_string());
    let it = Secured::new(&few).await;
    it.secure(json!({ "oauth2": {} }), json!({})).await;
    let scopes: Vec<_> = (0..SCOPES).map(|it| format!("{it:0>100}")).collect();
    let path = format!("/api/v1/clients/{}", it.client.id);
    let change = json!({ "scopes": scopes });
    let changed = it.house.admin.done("PATCH", &path, Some(&change)).await;
    changed.unwrap();
    let Secured { house, client, .. } = it;
    // Memory used by sign-ins is released by now.
    let tollgate = house.tollgate.kill().unwrap().start().unwrap();
    run_all(&tollgate, &client, WARM_UP).await;
    let before = tollgate.memory_kib().unwrap();
    run_all(&tollgate, &client, TOKENS - WARM_UP).await;
    let after = tollgate.memory_kib().unwrap();
    println!("{before} KiB after {WARM_UP} tokens, {after} KiB after {TOKENS}");
    assert!(
        after < before + TOKENS_KIB,
        "{before} KiB, then {after} KiB"
    );
}
