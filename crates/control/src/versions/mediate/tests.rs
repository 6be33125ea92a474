use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tollgate_model::api::Kind;

use super::{DraftFiles, mediate_files, turn};
use crate::versions::tests::Given;

fn message() -> Value {
    json!({ "request": { "method": "GET", "path": "/pets/7" } })
}

fn with(pointer: &str, value: Value) -> Value {
    let mut message = message();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    message.pointer_mut(parent).unwrap()[name] = value;
    message
}

#[tokio::test]
async fn the_draft_or_the_deployed_revision_or_given_policies_are_tried() {
    let given = Given::new().await;
    let set = |value: &str| {
        let step = json!({ "policy": "set_header", "name": "x-a", "value": value });
        json!({ "request": [step] })
    };
    let sent = async |message: Value| {
        let answer = given.post("mediate", message).await.expect(200);
        answer.body["request"]["sent"]["headers"].clone()
    };
    let header = |value: &str| json!([{ "name": "x-a", "value": value }]);
    assert_eq!(sent(message()).await, json!([]));
    given
        .patch("draft", json!({ "policies": set("draft") }))
        .await
        .expect(200);
    assert_eq!(sent(message()).await, header("draft"));
    let tried = with("/policies", set("{{ caller.plan }}"));
    assert_eq!(sent(tried.clone()).await, json!([]));
    let mut tried = tried;
    tried["caller"] = json!({ "plan": "gold" });
    assert_eq!(sent(tried).await, header("gold"));
    let deployed = with("/of", json!("deployed"));
    let missing = given.post("mediate", deployed).await;
    assert_eq!(missing.problem(), (404, "deployment.unknown"));
    let draft = given.get("draft").await.expect(200);
    let mut stored = set("draft");
    stored["request"][0]["mode"] = json!("replace");
    assert_eq!(draft.body["policies"], stored, "nothing is stored");
}

#[tokio::test]
async fn all_faults_of_a_call_are_returned_at_once() {
    let given = Given::new().await;
    let wrong = json!({
        "policies": {
            "request": [{ "policy": "set_header", "name": "host", "value": "{{ a" }],
            "cors": { "origins": ["*"], "credentials": true },
        },
        "request": {
            "method": "GET", "path": "pets",
            "headers": [{ "name": "a b", "value": "a\r\nb" }],
        },
        "response": { "status": 99 },
        "refusal": "no.such",
        "caller": { "plan": "p".repeat(129) },
    });
    let answer = given.post("mediate", wrong).await.expect(422);
    let faults = answer.body["errors"].as_array().unwrap().iter();
    let fields: Vec<_> = faults.map(|it| it["field"].as_str().unwrap()).collect();
    let expected = [
        "/policies/cors/credentials",
        "/policies/request/0/name",
        "/policies/request/0/value",
        "/request/path",
        "/response/status",
        "/refusal",
        "/caller/plan",
        "/request/headers/0/name",
        "/request/headers/0/value",
    ];
    assert_eq!(fields, expected);
    let rows = [
        (with("/request/path", json!("/nothing")), "/request/path"),
        (with("/request/method", json!("DELETE")), "/request/path"),
        (with("/request/method", json!("FETCH")), "/request/method"),
        (with("/address", json!("nowhere")), "/address"),
        (with("/now", json!("soon")), "/now"),
        (with("/other", json!(1)), "/other"),
        (
            with(
                "/request/headers",
                json!(vec![json!({ "name": "a", "value": "" }); 65]),
            ),
            "/request/headers",
        ),
        (
            with("/caller", json!({ "claims": { "a": "a".repeat(20_000) } })),
            "/caller/claims",
        ),
    ];
    for (message, field) in rows {
        let answer = given.post("mediate", message).await.expect(422);
        assert_eq!(answer.text("/errors/0/field"), field, "{answer:?}");
    }
    let large = with("/request/body", json!("a".repeat(2 << 20)));
    let answer = given.post("mediate", large).await;
    assert_eq!(answer.status, 413);
}

#[test]
fn files_are_tried_without_a_server() {
    let draft = json!({ "operations": [], "policies": {} });
    let (draft, message) = (draft.to_string(), message().to_string());
    let files = |kind| {
        let files = DraftFiles {
            draft: draft.as_bytes(),
            kind,
            document: None,
        };
        mediate_files(files, message.as_bytes(), 0)
    };
    assert_eq!(
        files(Kind::Rest).unwrap_err().code(),
        "mediate.no_operation"
    );
    let draft = json!({
        "operations": [{ "method": "GET", "path": "/pets/{pet}" }],
        "policies": { "request": [{ "policy": "mock" }] },
    });
    let draft = draft.to_string();
    let files = |document: Option<&str>| {
        let files = DraftFiles {
            draft: draft.as_bytes(),
            kind: Kind::Rest,
            document: document.map(str::as_bytes),
        };
        mediate_files(files, message.as_bytes(), 0)
    };
    let document = r#"{"openapi":"3.1.0","info":{"title":"a","version":"1"},"paths":{"/pets/{pet}":
        {"get":{"responses":{"200":{"description":"d","content":{"application/json":
        {"example":{"name":"Rex"}}}}}}}}}"#;
    let answer = files(Some(document)).unwrap();
    assert_eq!(answer["operation"], "GET /pets/{pet}");
    assert_eq!(answer["answered_by"], "mock");
    assert_eq!(answer["answer"]["body"], r#"{"name":"Rex"}"#);
    assert_eq!(files(None).unwrap_err().code(), "policy.example");
    assert_eq!(files(Some("{")).unwrap_err().code(), "openapi.syntax");
}

#[tokio::test]
async fn messages_between_steps_are_cut_and_the_response_is_whole() {
    let given = Given::new().await;
    let replace = |from: &str, to: &str| {
        let pairs = json!([{ "from": from, "to": to }]);
        json!({ "policy": "replace_text", "pairs": pairs, "if": "response.status == 200" })
    };
    let mut message = message();
    message["policies"] = json!({ "response": [replace("z", "y"), replace("none", "other")] });
    let text = format!("{}z", "é".repeat(40_000));
    let plain = json!([{ "name": "content-type", "value": "text/plain; charset=utf-8" }]);
    message["response"] = json!({ "headers": plain, "body": text });
    let answer = given.post("mediate", message).await.expect(200).body;
    let (steps, whole) = (&answer["response"]["steps"], &answer["answer"]);
    let before = &answer["response"]["before"];
    // The change is beyond the part that is shown.
    for shown in [before, &steps[0]["after"]] {
        assert_eq!(shown["body"], "é".repeat(32_768));
        assert_eq!(shown["body_bytes"], 80_001);
        assert_eq!(shown["truncated"], true);
    }
    assert_eq!(steps[1]["ran"], true);
    assert_eq!(steps[1]["after"], Value::Null);
    assert_eq!(whole["body"], text.replace('z', "y"));
    assert_eq!(whole["truncated"], false);
}

#[tokio::test]
async fn a_dry_run_that_finds_no_turn_is_refused() {
    static RUNS: Semaphore = Semaphore::const_new(1);
    let wait = Duration::from_millis(1);
    let first = turn(&RUNS, wait).await.unwrap();
    let refused = turn(&RUNS, wait).await.unwrap_err();
    assert_eq!(refused.code(), "mediate.busy");
    drop(first);
    drop(turn(&RUNS, wait).await.unwrap());
}
