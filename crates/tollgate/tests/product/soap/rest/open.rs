//! Attributes of content that the contract leaves open, by the form that the publisher chooses.

use super::*;

const WSDL: &[u8] = include_bytes!("../../../../../soap/tests/cases/any-type.wsdl");
const ANSWER: &str = include_str!("../../../../../soap/tests/cases/any-type-answer.xml");
const FAULT: &str = include_str!("../../../../../soap/tests/cases/any-type-fault.xml");

#[tokio::test]
async fn attributes_of_open_content_reach_the_caller_or_are_counted() {
    let house = House::of(&builder(), "kind=soap_to_rest", ("text/xml", WSDL)).await;
    let call = async |envelope: &str| {
        house.upstream.behave(ok(envelope));
        house.rest(("POST", "/op"), &[JSON], "{}").await
    };
    let strict = json!({ "soap": { "rest": { "answers": { "strict": true } } } });
    house.redeploy(strict).await;
    let answer = call(ANSWER).await;
    let content = json!({
        "row": [{ "{}id": "7", "{}kind": "x", "value": "<c xmlns='urn:t'>1</c>" }],
        "untyped": { "{}code": "E1", "value": "t" },
        "p": { "{}lang": "de", "value": "m" },
        "any": [{ "F": { "{}code": "E2", "value": "" } }],
    });
    assert_eq!((answer.status, answer.json()), (200, content));
    let fault = call(FAULT).await.json();
    let detail = json!({ "{}code": "E42", "value": "<m xmlns='urn:t'>n</m>" });
    assert_eq!(fault["fault"]["detail"], detail);
    // As in a version of an earlier release.
    let text = json!({ "soap": { "rest": { "answers": { "any": "text" } } } });
    house.redeploy(text).await;
    let answer = call(ANSWER).await;
    let content = json!({
        "row": ["<c xmlns='urn:t'>1</c>"], "untyped": "t", "p": "m", "any": [{ "F": "" }],
    });
    assert_eq!((answer.status, answer.json()), (200, content));
    assert_eq!(house.calls(3).await, [("op".to_owned(), 3)]);
    let usage = "/api/v1/usage?group_by=operation";
    let usage = house.admin.done("GET", usage, None).await.unwrap();
    assert_eq!(usage["rows"][0]["mismatched"], 1, "{usage}");
}
