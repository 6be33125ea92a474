//! Number 7: each action of a user leaves a log line, without secrets; a failing upstream is logged
//! with the cause, and a thousand failures are not a thousand lines.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpStream;
use tollgate_testkit::control::PASSWORD;
use tollgate_testkit::upstream::refusing;
use tollgate_testkit::{Behaviour, Control, http};

use crate::house::{House, first_start};
use crate::start::logged;

/// Performs the administrator's actions on a colleague's account, from creation to deletion;
/// returns the secrets involved.
async fn a_career(admin: &Control, control: SocketAddr) -> Vec<String> {
    let text = |made: &Value, field: &str| made[field].as_str().unwrap().to_owned();
    let patch = async |path: &str, body: Value| {
        admin.done("PATCH", path, Some(&body)).await.unwrap();
    };
    let new = json!({ "name": "dana", "roles": ["developer"] });
    let made = admin.done("POST", "/api/v1/users", Some(&new)).await;
    let made = made.unwrap();
    let path = format!("/api/v1/users/{}", text(&made, "id"));
    let one_time = text(&made, "one_time_password");
    let stranger = Control::stranger(control);
    assert!(stranger.sign_in("dana", "a wrong guess").await.is_err());
    let dana = stranger.settle_in("dana", &one_time).await.unwrap();
    let new = json!({ "name": "her program" });
    let token = dana.done("POST", "/api/v1/access-tokens", Some(&new));
    let token = token.await.unwrap();
    let of_token = format!("/api/v1/access-tokens/{}", text(&token, "id"));
    dana.send("DELETE", &of_token, None).await.unwrap();
    patch(&path, json!({ "roles": ["publisher"] })).await;
    patch(&path, json!({ "reset_password": true })).await;
    patch(&path, json!({ "disabled": true })).await;
    patch(&path, json!({ "disabled": false })).await;
    admin.send("DELETE", &path, None).await.unwrap();
    vec![one_time, text(&token, "token")]
}

#[tokio::test]
async fn every_action_leaves_one_line_and_no_secret() {
    let house = House::with(&first_start(), json!([])).await;
    let (admin, version) = (&house.admin, &house.api.version);
    let mut secrets = a_career(admin, house.tollgate.control).await;
    let revision = admin.revision(version).await.unwrap();
    admin.deploy(version, revision).await.unwrap();
    let purge = format!("/api/v1/versions/{version}/cache/purge");
    let selector = json!({ "tags": ["one", "two", "three", "last"], "targets": ["/a"] });
    admin.done("POST", &purge, Some(&selector)).await.unwrap();
    admin.lifecycle(version, "blocked").await.unwrap();
    let key = format!("/api/v1/keys/{}", house.consumer.key_id);
    admin.send("DELETE", &key, None).await.unwrap();
    admin.send("DELETE", "/api/v1/session", None).await.unwrap();

    let line = logged(&house.tollgate, "session.signed_out").await;
    assert!(line.contains(" INFO audit: "), "{line}");
    let mut total = 0;
    for (times, event, who) in [
        (2, "session.signed_in", "\"administrator\" (usr_"),
        (1, "session.failed", "name \"dana\" from 127.0.0.1"),
        (2, "session.signed_in", "\"dana\" (usr_"),
        (1, "password.changed", "\"administrator\" (usr_"),
        (1, "password.changed", "\"dana\" (usr_"),
        (1, "access_token.created", "\"dana\" (usr_"),
        (1, "access_token.revoked", "\"dana\" (usr_"),
        (
            1,
            "user.created",
            "\"dana\", developer, by \"administrator\"",
        ),
        (
            1,
            "user.roles_changed",
            "\"dana\", from developer to publisher, by \"administrator\" (usr_",
        ),
        (1, "password.reset", "\"administrator\" (usr_"),
        (1, "user.disabled", "\"administrator\" (usr_"),
        (1, "user.enabled", "\"administrator\" (usr_"),
        (1, "user.deleted", "\"administrator\" (usr_"),
        (1, "plan.created", "\"administrator\" (usr_"),
        (1, "api.created", &house.api.api),
        (1, "draft.saved", version),
        (1, "version.plans_changed", version),
        (1, "version.published", version),
        (1, "revision.created", "rev_"),
        (1, "version.deployed", version),
        (
            1,
            "cache.purged",
            "of targets [\"/a\"], tags [\"one\", \"two\", \"three\"] and 1 more, by \"",
        ),
        (1, "version.blocked", version),
        (1, "application.created", &house.consumer.application),
        (1, "subscription.created", &house.consumer.subscription),
        (1, "key.created", &house.consumer.key_id),
        (1, "key.revoked", &house.consumer.key_id),
        (1, "session.signed_out", "\"administrator\" (usr_"),
    ] {
        let log = house.tollgate.said();
        let event = format!("audit: {event}: ");
        let lines = log.lines().filter(|line| line.contains(&event));
        let lines = lines.filter(|line| line.contains(who) && line.contains("from 127.0.0.1"));
        assert_eq!(lines.count(), times, "{event} {who}\n{log}");
        total += times;
    }
    let log = house.tollgate.said();
    let all = log.lines().filter(|line| line.contains(" audit: "));
    assert_eq!(all.count(), total, "{log}");
    secrets.extend([
        PASSWORD.to_owned(),
        "a wrong guess".to_owned(),
        house.consumer.key,
    ]);
    for secret in secrets {
        assert!(!log.contains(&secret), "{secret}\n{log}");
    }
}

#[tokio::test]
async fn the_reason_of_an_action_is_in_its_line() {
    let house = House::new().await;
    let subscription = format!("/api/v1/subscriptions/{}", house.consumer.subscription);
    let lifecycle = format!("/api/v1/versions/{}/lifecycle", house.api.version);
    // A line stays one line, whatever text users enter.
    let body = json!({ "status": "blocked", "reason": "too \"many\"\ncalls" });
    let done = house.admin.done("PATCH", &subscription, Some(&body));
    done.await.unwrap();
    let body = json!({ "to": "blocked", "note": "on fire" });
    let done = house.admin.done("POST", &lifecycle, Some(&body));
    done.await.unwrap();
    for (event, subject, reason) in [
        (
            "subscription.blocked",
            &house.consumer.subscription,
            r#"because "too \"many\"\ncalls""#,
        ),
        (
            "version.blocked",
            &house.api.version,
            r#"because "on fire""#,
        ),
    ] {
        let line = format!("{event}: {subject}, {reason}, by \"administrator\" (usr_");
        logged(&house.tollgate, &line).await;
    }
}

#[tokio::test]
async fn a_failing_upstream_is_logged_with_the_cause_and_the_number_of_bytes() {
    for (bytes, code, cause) in [
        (
            &b""[..],
            "upstream.broken",
            "without a response: unexpected end of file",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Le",
            "upstream.broken",
            "after 27 bytes of its response: the connection broke: unexpected end of file",
        ),
        (
            b"nonsense\r\n\r\n",
            "upstream.broken",
            "the first line is malformed",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
            "upstream.broken",
            "the response body is malformed: ",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
            "upstream.broken",
            "after 4 bytes of its response body: ",
        ),
        (
            b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
            "upstream.broken",
            "it switched protocols without being asked",
        ),
    ] {
        let house = House::new().await;
        house.upstream.behave(Behaviour::BreakOff(bytes.into()));
        fails_for(&house, house.upstream.address(), (code, cause)).await;
    }
}

/// Calls once; asserts that the failure of its upstream at this address is logged with its cause.
async fn fails_for(house: &House, upstream: SocketAddr, (code, cause): (&str, &str)) {
    let request = house.request();
    let call = http::call(house.tollgate.gateway, &request);
    drop(call.await);
    let line = logged(&house.tollgate, code).await;
    assert!(line.contains(" WARN ") && line.contains(cause), "{line}");
    assert!(line.contains(&upstream.to_string()), "{line}");
    assert!(line.contains(&house.api.version), "{line}");
}

#[tokio::test]
async fn a_reset_or_refused_connection_is_logged_with_the_systems_error_number() {
    let house = House::new().await;
    house.upstream.behave(Behaviour::Reset);
    let expected = ("upstream.broken", "os error 104");
    fails_for(&house, house.upstream.address(), expected).await;

    let (admin, version) = (&house.admin, &house.api.version);
    let refusing = refusing().unwrap();
    let url = format!("http://{refusing}");
    admin.upstream(version, &url).await.unwrap();
    let revision = admin.revision(version).await.unwrap();
    admin.deploy(version, revision).await.unwrap();
    let expected = ("upstream.connect", "os error 111");
    fails_for(&house, refusing, expected).await;
}

#[tokio::test]
async fn many_failures_leave_few_lines() {
    let house = House::new().await;
    house
        .upstream
        .behave(Behaviour::BreakOff(b"".as_slice().into()));
    for _ in 0..200 {
        assert_eq!(house.call().await.status, 502);
    }
    let log = house.tollgate.said();
    let lines = log.lines().filter(|line| line.contains("upstream.broken"));
    // One for each of two workers, and one more each if ten seconds have passed.
    let lines = lines.count();
    assert!((1..=4).contains(&lines), "{log}");
}

/// Descriptors left to a process besides those that it has open.
const DESCRIPTORS_LEFT: usize = 8;
/// Time without free descriptors: with two workers that retry every 50 ms, about sixty failures.
const WITHOUT_DESCRIPTORS: Duration = Duration::from_millis(1_500);

#[tokio::test]
async fn connections_that_cannot_be_accepted_leave_few_lines_with_a_count() {
    let house = House::new().await;
    let tollgate = &house.tollgate;
    let open = std::fs::read_dir(format!("/proc/{}/fd", tollgate.pid())).unwrap();
    let most = open.count() + DESCRIPTORS_LEFT;
    let most = u64::try_from(most).unwrap();
    tollgate.descriptors_max(Some(most)).unwrap();
    let mut held = Vec::new();
    for _ in 0..DESCRIPTORS_LEFT * 4 {
        held.push(TcpStream::connect(tollgate.gateway).await.unwrap());
    }
    let words = "a connection could not be accepted";
    let first = logged(tollgate, words).await;
    assert!(first.contains("os error 24"), "{first}");
    tokio::time::sleep(WITHOUT_DESCRIPTORS).await;
    tollgate.descriptors_max(None).unwrap();
    assert_eq!(house.call().await.status, 200);

    let line = logged(tollgate, "os error 24) (repeated ").await;
    let (_, count) = line.split_once("(repeated ").unwrap();
    let (count, _) = count.split_once(" times").unwrap();
    let count: u32 = count.parse().unwrap();
    assert!(count >= 10 && line.contains(words), "{line}");
    let log = tollgate.said();
    let lines = log.lines().filter(|line| line.contains(words)).count();
    // The first line and its count.
    assert_eq!(lines, 2, "{log}");
}
