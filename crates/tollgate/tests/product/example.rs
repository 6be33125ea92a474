//! The example: its printed line works when pasted, and `--no-example` disables it.

use std::process::Command;

use serde_json::{Value, json};
use tollgate_testkit::Control;

use crate::house::builder;

/// Runs the line in a shell; returns status and body.
pub(crate) fn paste(curl: &str) -> (String, String) {
    let line = format!("{curl} --silent --write-out '\\n%{{http_code}}'");
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let (body, status) = printed.rsplit_once('\n').unwrap();
    (status.to_owned(), body.to_owned())
}

/// Returns the key in a printed line.
fn key(curl: &str) -> &str {
    curl.split('\'').nth(1).unwrap()
}

#[tokio::test]
async fn the_printed_lines_work_after_restarts_until_the_example_is_off() {
    let builder = builder().secured().unwrap();
    let on = builder.clone().flag("--example");
    let tollgate = on.start().unwrap();
    let first = tollgate.curls[0].clone();
    let token = tollgate.token_curl.clone().unwrap();
    let client = token.split('\'').find(|it| it.starts_with("cli_")).unwrap();
    let (status, body) = paste(&first);
    assert_eq!(status, "200", "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["path"], "/hello");

    // The same key and client, which the start prints again.
    let tollgate = tollgate.kill().unwrap().start().unwrap();
    let second = tollgate.curls[0].clone();
    assert_eq!(key(&second), key(&first));
    assert_eq!(paste(&second).0, "200");
    let again = tollgate.token_curl.as_ref().unwrap();
    assert!(again.contains(client), "{again}");
    assert_eq!(paste(again).0, "200");

    drop(tollgate);
    let tollgate = builder.start().unwrap();
    assert!(tollgate.curls.is_empty());
    let old_port = second
        .rsplit_once("/echo")
        .unwrap()
        .0
        .rsplit_once(':')
        .unwrap()
        .1;
    let moved = second.replace(old_port, &tollgate.gateway.port().to_string());
    assert_eq!(paste(&moved).0, "503");

    drop(tollgate);
    let tollgate = on.start().unwrap();
    let third = tollgate.curls[0].clone();
    assert_eq!(paste(&third).0, "200");
    assert_eq!(paste(&third.replace(key(&third), key(&first))).0, "401");
}

#[tokio::test]
async fn a_start_replaces_an_example_key_that_was_revoked_but_none_that_is_suspended() {
    let tollgate = builder().flag("--example").start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let list = "/api/v1/applications?q=Example";
    let found = admin.done("GET", list, None).await.unwrap();
    let application = found["items"][0]["id"].as_str().unwrap();
    let keys = format!("/api/v1/applications/{application}/keys");
    let change = async |admin: &Control, what: &str| {
        let listed = admin.done("GET", &keys, None).await.unwrap();
        let live = listed["items"].as_array().unwrap().iter();
        let mut live = live.filter(|it| it["revoked_at"].is_null());
        let path = format!(
            "/api/v1/keys/{}",
            live.next().unwrap()["id"].as_str().unwrap()
        );
        assert_eq!(live.count(), 0, "{listed}");
        match what {
            "revoke" => admin.done("DELETE", &path, None).await.unwrap(),
            _ => {
                let suspend = json!({"suspended": true});
                admin.done("PATCH", &path, Some(&suspend)).await.unwrap()
            }
        }
    };
    let first = tollgate.curls[0].clone();
    change(&admin, "revoke").await;
    assert_eq!(paste(&first).0, "401");

    let tollgate = tollgate.kill().unwrap().start().unwrap();
    let second = tollgate.curls[0].clone();
    assert_ne!(key(&second), key(&first));
    assert_eq!(paste(&second).0, "200");
    change(&admin.at(tollgate.control), "suspend").await;
    assert_eq!(paste(&second).0, "401");

    let tollgate = tollgate.kill().unwrap().start().unwrap();
    let third = tollgate.curls[0].clone();
    assert_eq!(key(&third), key(&second));
    assert_eq!(paste(&third).0, "401");
}
