use serde_json::json;

use super::mediated;

#[test]
fn a_message_that_is_cut_is_marked() {
    let message = |body: &str| json!({ "status": 200, "body": body, "truncated": true });
    let step =
        |after| json!({ "pointer": "/policies/response/0", "policy": "mask", "after": after });
    let answer = json!({
        "response": {
            "before": message("a"), "steps": [step(message("a")), step(message("b"))],
        },
        "answered_by": "upstream", "answer": { "status": 200, "body": "bc", "truncated": false },
    });
    let expected = "\n/policies/response/0 mask\n  … changed after the part that is shown\n\
        \n/policies/response/0 mask\n- a\n+ b\n\
        \ngoes up: nothing\n\nanswer of the upstream\n  200\n\n  bc\n";
    assert_eq!(mediated(&answer), expected);
    let cut = json!({ "answered_by": "upstream", "answer": message("a") });
    assert!(mediated(&cut).ends_with("  a\n  … cut\n"));
}
