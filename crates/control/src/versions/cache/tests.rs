use serde_json::{Value, json};
use tollgate_model::id::VersionId;

use super::super::tests::Given;

const PURGE: &str = "cache/purge";

impl Given {
    /// Purges with a body that has no fault; returns the number.
    async fn purge(&self, selector: Value) -> u64 {
        let purged = self.post(PURGE, selector).await.expect(200);
        purged.body["number"].as_u64().unwrap()
    }
}

#[tokio::test]
async fn gateways_have_a_purge_when_it_is_answered() {
    let given = Given::new().await;
    let follows = given.follow();
    let id = given.version.parse::<VersionId>().unwrap().raw();
    let without_body = given.house.call("POST", &given.path(PURGE)).by(&given.ann);
    let without_body = without_body.await.expect(200);
    let mut last = without_body.body["number"].as_u64().unwrap();
    assert_eq!(follows.now().purged[&id], last);
    given.publish().await;
    for selector in [
        json!({}),
        json!({"operations": [], "tags": []}),
        json!({"operations": ["GET /pets/{pet}"], "targets": ["/pets/7"], "tags": ["a b"]}),
        json!({"targets": vec!["/%C3%A4;b=,c"; 100], "tags": vec!["t".repeat(256); 100]}),
        json!({"targets": ["/".repeat(8_192)]}),
    ] {
        let number = given.purge(selector.clone()).await;
        assert!(number > last, "{selector}");
        assert_eq!(follows.now().purged[&id], number, "{selector}");
        last = number;
    }
    // The operations of the deployed revision are known as well as those of the draft.
    let draft = json!({"operations": [{"method": "GET", "path": "/toys"}]});
    given.patch("draft", draft).await.expect(200);
    let both = json!({"operations": ["GET /pets/{pet}", "GET /toys"]});
    assert!(given.purge(both).await > last);
}

#[tokio::test]
async fn every_fault_of_a_selector_has_its_pointer() {
    let given = Given::new().await;
    let draft = json!({"operations": [
        {"method": "GET", "path": "/pets/{pet}"}, {"method": "PUT", "path": "/pets/{pet}"},
    ]});
    given.patch("draft", draft).await.expect(200);
    let first = given.purge(json!({})).await;
    let many = |entry: &str, count| vec![entry.to_owned(); count];
    for (selector, fields) in [
        (json!({"operations": ["GET /pets"]}), &["/operations/0"][..]),
        (
            json!({"operations": ["GET /pets/{pet}", "PUT /pets/{pet}", "get /"]}),
            &["/operations/1", "/operations/2"],
        ),
        (json!({"operations": many("GET /a", 101)}), &["/operations"]),
        (
            json!({"targets": ["", "pets", "/ok"]}),
            &["/targets/0", "/targets/1"],
        ),
        (
            json!({"targets": ["/a?b", "/a#b", "/a b", "/\u{e4}"]}),
            &["/targets/0", "/targets/1", "/targets/2", "/targets/3"],
        ),
        (json!({"targets": ["/".repeat(8_193)]}), &["/targets/0"]),
        (json!({"targets": many("/pets/7", 10_000)}), &["/targets"]),
        (
            json!({"tags": ["", " a", "a,b", "a\nb", "t".repeat(257)]}),
            &["/tags/0", "/tags/1", "/tags/2", "/tags/3", "/tags/4"],
        ),
        (
            json!({"operations": ["GET /x"], "targets": ["x"], "tags": [""]}),
            &["/targets/0", "/tags/0", "/operations/0"],
        ),
        (json!({"target": "/pets/7"}), &["/target"]),
        (json!({"tags": "pets"}), &["/tags"]),
        (json!(null), &[""]),
        (json!({"tags": [7]}), &["/tags/0"]),
    ] {
        let refused = given.post(PURGE, selector.clone()).await.expect(422);
        let faults = refused.body["errors"].as_array().unwrap();
        let found: Vec<_> = faults.iter().map(|it| &it["field"]).collect();
        assert_eq!(json!(found), json!(fields), "{refused:?}");
    }
    assert_eq!(
        given.purge(json!({})).await,
        first + 1,
        "nothing was stored"
    );
}

#[tokio::test]
async fn a_purge_that_a_gateway_has_not_carried_out_is_saved_and_reported() {
    let given = Given::new().await;
    let silent = given.house.control.feed.follow();
    let behind = given.post(PURGE, json!({})).await;
    assert_eq!(behind.problem(), (503, "feed.behind"));
    drop(silent);
    let id = given.version.parse::<VersionId>().unwrap().raw();
    let late = given.follow();
    let late = late.until(|mirror| mirror.purged.contains_key(&id)).await;
    assert!(given.purge(json!({})).await > late.purged[&id]);
}
