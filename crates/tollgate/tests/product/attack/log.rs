//! Number 7: what people do leaves a line of the log each, without secrets; an upstream that fails
//! says why, and a thousand failures are not a thousand lines.

use serde_json::{Value, json};
use tollgate_testkit::control::PASSWORD;
use tollgate_testkit::{Behaviour, Control};

use crate::house::{House, shared};
use crate::start::logged;

/// What the administrator does to a colleague, from making to deleting the account; the secrets
/// that came by.
async fn a_career(admin: &Control, control: std::net::SocketAddr) -> Vec<String> {
    let text = |made: &Value, field: &str| made[field].as_str().unwrap().to_owned();
    let patch = async |path: &str, body: Value| {
        admin.done("PATCH", path, Some(&body)).await.unwrap();
    };
    let wanted = json!({ "name": "dana", "roles": ["developer"] });
    let made = admin.done("POST", "/api/v1/users", Some(&wanted)).await;
    let made = made.unwrap();
    let path = format!("/api/v1/users/{}", text(&made, "id"));
    let one_time = text(&made, "one_time_password");
    let stranger = Control::stranger(control);
    assert!(stranger.sign_in("dana", "a wrong guess").await.is_err());
    let dana = stranger.settle_in("dana", &one_time).await.unwrap();
    let wanted = json!({ "name": "her program" });
    let token = dana.done("POST", "/api/v1/access-tokens", Some(&wanted));
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
async fn what_people_do_leaves_a_line_each_and_no_secret() {
    let _machine = shared().await;
    let house = House::new().await;
    let (admin, version) = (&house.admin, &house.api.version);
    let mut secrets = a_career(admin, house.tollgate.control).await;
    let revision = admin.revision(version).await.unwrap();
    admin.deploy(version, revision).await.unwrap();
    admin.lifecycle(version, "blocked").await.unwrap();
    let key = format!("/api/v1/keys/{}", house.consumer.key_id);
    admin.send("DELETE", &key, None).await.unwrap();
    admin.send("DELETE", "/api/v1/session", None).await.unwrap();

    let line = logged(&house.tollgate, "session.signed_out").await;
    assert!(line.contains(" INFO audit: "), "{line}");
    for (event, who) in [
        ("session.signed_in", "\"administrator\" (usr_"),
        ("session.failed", "name \"dana\" from 127.0.0.1"),
        ("session.signed_in", "\"dana\" (usr_"),
        ("password.changed", "\"dana\" (usr_"),
        ("access_token.created", "\"dana\" (usr_"),
        ("access_token.revoked", "\"dana\" (usr_"),
        ("user.created", "\"administrator\" (usr_"),
        ("user.roles_changed", "\"administrator\" (usr_"),
        ("password.reset", "\"administrator\" (usr_"),
        ("user.disabled", "\"administrator\" (usr_"),
        ("user.enabled", "\"administrator\" (usr_"),
        ("user.deleted", "\"administrator\" (usr_"),
        ("plan.created", "\"administrator\" (usr_"),
        ("api.created", &house.api.api),
        ("draft.saved", version),
        ("version.published", version),
        ("revision.created", "rev_"),
        ("version.deployed", version),
        ("version.blocked", version),
        ("application.created", &house.consumer.application),
        ("subscription.created", &house.consumer.subscription),
        ("key.created", &house.consumer.key_id),
        ("key.revoked", &house.consumer.key_id),
    ] {
        let said = house.tollgate.said();
        let event = format!("audit: {event}: ");
        let mut lines = said.lines().filter(|line| line.contains(&event));
        let is_told = |line: &str| line.contains(who) && line.contains("from 127.0.0.1");
        assert!(lines.any(is_told), "{event} {who}\n{said}");
    }
    let said = house.tollgate.said();
    secrets.extend([
        PASSWORD.to_owned(),
        "a wrong guess".to_owned(),
        house.consumer.key,
    ]);
    for secret in secrets {
        assert!(!said.contains(&secret), "{secret}\n{said}");
    }
}

#[tokio::test]
async fn an_upstream_that_fails_says_why_and_after_how_many_bytes() {
    let _machine = shared().await;
    for (bytes, code, cause) in [
        (
            &b""[..],
            "upstream.broken",
            "without an answer: unexpected end of file",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Le",
            "upstream.broken",
            "after 27 bytes of its answer: the connection broke: unexpected end of file",
        ),
        (
            b"nonsense\r\n\r\n",
            "upstream.broken",
            "the first line is not one of HTTP",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
            "upstream.broken",
            "the answer's body is not well-formed: ",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
            "upstream.broken",
            "after 4 bytes of its answer's body: ",
        ),
        (
            b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
            "upstream.broken",
            "it switches to a protocol that nobody asked for",
        ),
    ] {
        let house = House::new().await;
        house.upstream.behave(Behaviour::BreakOff(bytes.into()));
        let request = house.request();
        let call = tollgate_testkit::http::call(house.tollgate.gateway, &request);
        drop(call.await);
        let line = logged(&house.tollgate, code).await;
        assert!(line.contains(" WARN ") && line.contains(cause), "{line}");
        assert!(
            line.contains(&house.upstream.address().to_string()),
            "{line}"
        );
        assert!(line.contains(&house.api.version), "{line}");
    }
}

#[tokio::test]
async fn many_failures_are_few_lines() {
    let _machine = shared().await;
    let house = House::new().await;
    house
        .upstream
        .behave(Behaviour::BreakOff(b"".as_slice().into()));
    for _ in 0..200 {
        assert_eq!(house.call().await.status, 502);
    }
    let said = house.tollgate.said();
    let lines = said.lines().filter(|line| line.contains("upstream.broken"));
    // One for each of two workers, and one more each should ten seconds have passed.
    let lines = lines.count();
    assert!((1..=4).contains(&lines), "{said}");
}
