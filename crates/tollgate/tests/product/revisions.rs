//! A version's revisions as callers, developers and publishers see them: deploying and rolling back
//! changes operations and document together.

use serde_json::{Value, json};
use tollgate_testkit::http;

use crate::house::{DOCUMENT, House, get};

/// The document without its last operation, so that a call of it is answered by none.
fn shorter() -> String {
    let end = DOCUMENT.find("  /pets/{pet}:").unwrap();
    DOCUMENT[..end].to_owned()
}

impl House {
    async fn done(&self, method: &str, part: &str, body: Value) -> Value {
        let path = format!("/api/v1/versions/{}/{part}", self.api.version);
        let body = (!body.is_null()).then_some(&body);
        self.admin.done(method, &path, body).await.unwrap()
    }

    /// Returns the paths of the catalogue's document and its entity tag.
    async fn described(&self) -> (Value, String) {
        let path = format!("/api/v1/catalogue/{}/document", self.api.version);
        let answer = self.admin.send("GET", &path, None).await.unwrap();
        let document = answer.json();
        let paths: Vec<_> = document["paths"].as_object().unwrap().keys().collect();
        (json!(paths), answer.field("etag").unwrap().to_owned())
    }

    /// Returns the status of a call of the operation that the shorter document lacks.
    async fn call_one(&self) -> u16 {
        let request = get("/pets/1.0/pets/7", &self.consumer.key);
        http::call(self.tollgate.gateway, &request)
            .await
            .unwrap()
            .status
    }
}

#[tokio::test]
async fn a_roll_back_brings_back_operations_and_document() {
    let house = House::new().await;
    let before = house.described().await;
    assert_eq!(
        (before.0.clone(), house.call_one().await),
        (json!(["/pets", "/pets/{pet}"]), 200)
    );

    let (version, shorter) = (&house.api.version, shorter());
    let replaced = house.admin.replace_document(version, &shorter);
    replaced.await.unwrap();
    assert_eq!(house.described().await, before, "nothing is deployed yet");
    let found = house.done("GET", "difference", Value::Null).await;
    let difference = &found["document"]["difference"];
    assert_eq!(difference["removed"][0]["path"], "/pets/{pet}");
    assert_eq!(difference["breaking"], 1);
    house.done("POST", "revisions", json!({})).await;
    let deploy = json!({ "revision": 2, "note": "nobody needs it" });
    house.done("PUT", "deployment", deploy).await;
    let after = house.described().await;
    assert_eq!((after.0, house.call_one().await), (json!(["/pets"]), 404));
    assert_ne!(after.1, before.1);

    let deploy = json!({ "revision": 1, "note": "somebody does" });
    house.done("PUT", "deployment", deploy).await;
    assert_eq!(
        (house.described().await, house.call_one().await),
        (before, 200)
    );
    let history = house.done("GET", "lifecycle", Value::Null).await;
    let steps = history.as_array().unwrap().iter();
    let steps = steps.map(|it| json!([it["to"], it["revision"], it["note"]]));
    assert_eq!(
        Value::from_iter(steps),
        json!([
            ["published", 1, ""],
            ["published", 2, "nobody needs it"],
            ["published", 1, "somebody does"],
        ])
    );
}
