//! The example: its printed line works when pasted, and `--no-example` disables it.

use std::process::Command;

use serde_json::Value;

use crate::house::builder;

/// Runs the line in a shell; returns status and body.
pub(crate) fn paste(curl: &str) -> (String, String) {
    let line = format!("{curl} --silent --write-out '\\n%{{http_code}}'");
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let (body, status) = printed.rsplit_once('\n').unwrap();
    (status.to_owned(), body.to_owned())
}

#[tokio::test]
async fn the_printed_line_works_when_pasted_at_each_start_until_the_example_is_off() {
    let builder = builder();
    let on = builder.clone().flag("--example");
    let tollgate = on.start().unwrap();
    let first = tollgate.curls[0].clone();
    let (status, body) = paste(&first);
    assert_eq!(status, "200", "{body}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["path"], "/hello");

    let tollgate = tollgate.kill().unwrap().start().unwrap();
    let second = tollgate.curls[0].clone();
    assert_eq!(paste(&second).0, "200");
    let key = |curl: &str| curl.split('\'').nth(1).unwrap().to_owned();
    let stale = second.replace(&key(&second), &key(&first));
    assert_eq!(paste(&stale).0, "401");

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
    assert_eq!(paste(&tollgate.curls[0]).0, "200");
}
