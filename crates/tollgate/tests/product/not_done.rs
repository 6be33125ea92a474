//! The page "What Tollgate does not do": each of its rows is tried, and refused as
//! described there.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tollgate_testkit::http;

use crate::house::{House, builder};
use crate::security::secured;
use crate::start::sentence;

/// A call that asks for WebSocket (RFC 6455, section 4.1).
const WEBSOCKET: &str = "GET /pets/1.0/pets HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n\
    Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// A row of the page.
struct Row<'p> {
    not_done: &'p str,
    /// The text of its attempt in back quotes; empty if it has none.
    attempt: &'p str,
    /// What an attempt gets: texts in back quotes.
    gets: &'p str,
}

fn rows(page: &str) -> Vec<Row<'_>> {
    let lines = page.lines().filter(|line| line.starts_with("| "));
    let rows = lines.skip(1).map(|line| {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let &[not_done, _, attempt, gets] = &cells[..] else {
            panic!("four cells: {line}");
        };
        let attempt = attempt.split('`').nth(1).unwrap_or_default();
        Row {
            not_done,
            attempt,
            gets,
        }
    });
    rows.collect()
}

/// The attempt of a row.
enum Attempt {
    /// A start with this flag.
    Start(&'static str),
    /// A `PATCH` of the draft.
    Draft(Value),
    /// A `POST` with a session of an administrator.
    Post(String, Value),
    /// A request for a token.
    Token(&'static str),
    /// Bytes to the gateway.
    Call(&'static str),
    /// A request for a user, without signing in.
    Stranger,
    /// An import of a document.
    Import(&'static str),
    /// A target of the makefile.
    Make(&'static str),
}

/// Returns the attempt of each row, by the beginning of the row.
fn attempts(house: &House) -> Vec<(&'static str, Attempt)> {
    let application = &house.consumer.application;
    let version = &house.api.version;
    let keys = format!("/api/v1/applications/{application}/keys");
    let several = json!({"application": application, "versions": [version], "plan": "tested"});
    let policies = json!({"policies": {"request": [{"policy": "script", "code": "1"}]}});
    let issuer = json!({"security": {"oauth2": {"issuer": "https://login.example"}}});
    let sign_in = "/api/v1/session".to_owned();
    vec![
        ("planes apart", Attempt::Start("--role=gateway")),
        (
            "a database other",
            Attempt::Start("--database-url=postgresql://db/tollgate"),
        ),
        ("tokens of other", Attempt::Draft(issuer)),
        ("users of callers", Attempt::Token("authorization_code")),
        (
            "client certificates",
            Attempt::Draft(json!({"security": {"mutual_tls": {}}})),
        ),
        (
            "keys and passwords",
            Attempt::Post(keys, json!({"name": "mine", "key": "tg_live_mine"})),
        ),
        ("HTTP/2", Attempt::Call("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")),
        ("WebSocket", Attempt::Call(WEBSOCKET)),
        (
            "several back ends",
            Attempt::Draft(json!({"upstream": {"urls": ["http://a", "http://b"]}})),
        ),
        (
            "users of a directory",
            Attempt::Post(
                sign_in,
                json!({"name": "ada", "password": "secret", "id_token": "eyJhbGciOi"}),
            ),
        ),
        ("registration", Attempt::Stranger),
        (
            "approval",
            Attempt::Start("--control-publish-approval=publish"),
        ),
        (
            "products",
            Attempt::Post("/api/v1/subscriptions".to_owned(), several),
        ),
        ("code in policies", Attempt::Draft(policies)),
        (
            "AsyncAPI",
            Attempt::Import("asyncapi: 3.0.0\ninfo: {title: A, version: '1'}\n"),
        ),
        ("packages", Attempt::Make("package")),
    ]
}

/// Makes an attempt; returns what it gets.
async fn attempt(house: &House, attempt: &Attempt) -> String {
    let (admin, tollgate) = (&house.admin, &house.tollgate);
    let answer = match attempt {
        Attempt::Start(flag) => {
            let output = builder().flag(flag).command(&["run"]).unwrap();
            return sentence(&output);
        }
        Attempt::Make(target) => {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            let mut make = Command::new("make");
            let make = make.arg("--dry-run").arg(target).env("LC_ALL", "C");
            let output = make.current_dir(root).output();
            return String::from_utf8(output.unwrap().stderr).unwrap();
        }
        Attempt::Draft(change) => {
            let draft = format!("/api/v1/versions/{}/draft", house.api.version);
            admin.send("PATCH", &draft, Some(change)).await
        }
        Attempt::Post(path, body) => admin.send("POST", path, Some(body)).await,
        Attempt::Import(document) => {
            let path = "/api/v1/apis/import?context=/events";
            let media_type = "application/yaml";
            admin
                .send_bytes("POST", path, media_type, document.as_bytes())
                .await
        }
        Attempt::Token(grant) => {
            let application = &house.consumer.application;
            let client = admin.client(application, &json!({"name": "web"})).await;
            let basic = client.unwrap().basic();
            let fields = [
                ("Authorization", &*basic),
                ("Content-Type", "application/x-www-form-urlencoded"),
            ];
            let body = format!("grant_type={grant}&code=1");
            let request = http::request("POST", "/oauth2/token", &fields, body.as_bytes());
            http::call(tollgate.control, &request).await
        }
        Attempt::Call(bytes) => http::call(tollgate.gateway, bytes.as_bytes()).await,
        Attempt::Stranger => {
            let fields = [("Content-Type", "application/json")];
            let body = br#"{"name": "me", "roles": ["developer"]}"#;
            let request = http::request("POST", "/api/v1/users", &fields, body);
            http::call(tollgate.control, &request).await
        }
    };
    answer.unwrap().text()
}

#[tokio::test]
async fn what_the_page_lists_as_not_done_is_refused() {
    let page = include_str!("../../../../docs/guide/what-tollgate-does-not-do.md");
    let house = House::with(&secured(), json!([])).await;
    let attempts = attempts(&house);
    let rows = rows(page);
    assert_eq!(rows.len(), attempts.len());
    for (row, (begins, wanted)) in rows.iter().zip(&attempts) {
        assert!(row.not_done.starts_with(begins), "{}", row.not_done);
        let got = attempt(&house, wanted).await;
        let expected = row.gets.split('`').skip(1).step_by(2);
        // Nothing else of the body may be what is refused.
        let unknown = (row.gets == "`body.invalid`").then_some(row.attempt);
        for expected in expected.chain(unknown) {
            assert!(got.contains(expected), "{}: {got}", row.not_done);
        }
    }
}
