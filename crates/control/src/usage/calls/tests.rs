use serde_json::json;
use tollgate_model::record::{Record, request_id};
use tollgate_model::user::Role;

use crate::harness::{Answer, NOW_US, Person};
use crate::usage::tests::Called;

/// The worker of the calls of [`Called`].
const WORKER: u64 = 1;

fn id(worker: u64, number: u64) -> String {
    format!("{:032x}", request_id(worker, number))
}

fn statuses(page: &Answer) -> Vec<u64> {
    let items = page.body["items"].as_array().unwrap().iter();
    items.map(|it| it["status"].as_u64().unwrap()).collect()
}

impl Called {
    async fn list(&self, person: &Person, query: &str) -> Answer {
        self.query_usage(person, &format!("/calls{query}")).await
    }

    async fn explain(&self, person: &Person, id: &str) -> Answer {
        self.query_usage(person, &format!("/calls/{id}")).await
    }

    async fn administrator(&self) -> Person {
        self.house.person("root", &[Role::Administrator]).await
    }
}

#[tokio::test]
async fn calls_are_listed_the_newest_first_page_by_page() {
    let called = Called::new().await;
    let all = called.list(&called.publisher, "").await.expect(200);
    assert_eq!(statuses(&all), [200, 429, 200, 200]);
    let newest = &all.body["items"][0];
    assert_eq!(newest["request_id"], id(WORKER, 4).as_str());
    assert_eq!(newest["api"]["name"], "Pets");
    assert_eq!(newest["version"]["name"], "1.0");
    assert_eq!(newest["operation"]["name"], "GET /pets/{pet}");
    assert_eq!(newest["application"]["name"], "other's shop");
    assert_eq!(newest["plan"]["name"], "gold");
    assert_eq!(newest["cache"], "hit");
    assert_eq!(newest["answered_by"], "upstream");
    assert_eq!(all.body.get("next"), None);
    let mut seen = Vec::new();
    let mut query = "?limit=1&status=200".to_owned();
    loop {
        let page = called.list(&called.publisher, &query).await.expect(200);
        seen.extend(statuses(&page));
        match page.body["next"].as_str() {
            Some(next) => query = format!("?limit=1&status=200&after={next}"),
            None => break,
        }
    }
    assert_eq!(seen, [200, 200, 200]);
}

#[tokio::test]
async fn each_caller_sees_own_calls_and_what_it_may_of_them() {
    let called = Called::new().await;
    let administrator = called.administrator().await;
    let ours = called.list(&called.developers[1], "").await.expect(200);
    assert_eq!(statuses(&ours), [200]);
    assert_eq!(ours.body["items"][0].get("upstream"), None);
    assert_eq!(ours.body["items"][0].get("network"), None);
    let published = called.list(&called.publisher, "").await;
    assert_eq!(published.body["items"][0]["upstream"]["first_byte_us"], 40);
    assert_eq!(published.body["items"][0].get("network"), None);
    let all = called.list(&administrator, "").await;
    assert_eq!(all.body["items"][0]["network"], "::");
    let foreign = format!("?application={}", called.applications[0]);
    let refused = called.list(&called.developers[1], &foreign).await;
    assert_eq!(refused.problem(), (404, "application.unknown"));
    let nobody = called.house.get("/api/v1/usage/calls").await;
    assert_eq!(nobody.status, 401);
}

#[tokio::test]
async fn refused_calls_and_all_others_are_told_apart() {
    let called = Called::new().await;
    for (query, expected) in [
        ("?refused=true", &[429][..]),
        ("?refused=false", &[200, 200, 200]),
        ("?refused=true&status=200", &[]),
        ("?refusal=admit.subscription", &[429]),
        ("?blame=caller&refused=true", &[429]),
        ("?status_class=4xx", &[429]),
        ("?cache=hit,miss", &[200, 200]),
    ] {
        let page = called.list(&called.publisher, query).await.expect(200);
        assert_eq!(statuses(&page), expected, "{query}");
    }
}

#[tokio::test]
async fn bad_parameters_of_a_list_are_named() {
    let called = Called::new().await;
    let first = called.list(&called.publisher, "?limit=1").await;
    let next = first.text("/next");
    for (query, code) in [
        ("?limit=0".to_owned(), "page.limit"),
        ("?limit=1001".to_owned(), "page.limit"),
        ("?limit=one".to_owned(), "query.invalid"),
        ("?refused=maybe".to_owned(), "query.invalid"),
        ("?group_by=api".to_owned(), "query.invalid"),
        ("?status=200&status=200".to_owned(), "query.invalid"),
        ("?status=ok".to_owned(), "query.invalid"),
        ("?from=2031-01-01T00:00:00Z".to_owned(), "query.invalid"),
        (format!("?limit=1&status=200&after={next}"), "page.after"),
        (format!("?limit=1&after={}", &next[1..]), "page.after"),
        (
            format!("?limit=1&after={}", next.to_uppercase()),
            "page.after",
        ),
        (format!("?limit=1&after={:0>40}", &next[32..]), "page.after"),
        ("?after=".to_owned(), "page.after"),
    ] {
        let refused = called.list(&called.publisher, &query).await;
        assert_eq!(refused.problem(), (400, code), "{query}: {refused:?}");
    }
    let query = format!("?limit=1&after={next}");
    let continued = called.list(&called.publisher, &query).await.expect(200);
    assert_eq!(statuses(&continued), [429]);
}

#[tokio::test]
async fn a_refused_call_is_explained_with_its_limit() {
    let called = Called::new().await;
    let administrator = called.administrator().await;
    let explained = called.explain(&called.developers[0], &id(WORKER, 3)).await;
    let steps: Vec<_> = explained.body["steps"].as_array().unwrap().iter().collect();
    let last = steps.last().unwrap();
    assert_eq!(**last, json!({ "step": "admit", "decision": "refused" }));
    let gold = called.house.get("/api/v1/plans/gold").by(&administrator);
    let gold = gold.await.expect(200);
    assert_eq!(explained.body["limit"]["of"], "plan");
    assert_eq!(explained.body["limit"]["limit"], gold.body["limits"][0]);
    assert_eq!(explained.body.get("policy"), None);
    let upper = id(WORKER, 3).to_uppercase();
    let same = called.explain(&called.publisher, &upper).await.expect(200);
    assert_eq!(same.body["steps"], explained.body["steps"]);
}

#[tokio::test]
async fn a_call_that_one_may_not_see_is_not_told_from_none() {
    let called = Called::new().await;
    let of_another = called.explain(&called.developers[1], &id(WORKER, 3)).await;
    let none = called.explain(&called.developers[1], &id(WORKER, 99)).await;
    assert_eq!(of_another.problem(), (404, "usage.not_yet"));
    assert_eq!(of_another.body["detail"], none.body["detail"]);
    let gone = called.explain(&called.publisher, &id(2, 3)).await;
    assert_eq!(gone.problem(), (404, "call.unknown"));
    for malformed in ["x", &"0".repeat(31), &"0".repeat(33), &"g".repeat(32), "+0"] {
        let unknown = called.explain(&called.publisher, malformed).await;
        assert_eq!(unknown.problem(), (404, "path.unknown"), "{malformed}");
    }
    let path = format!("/api/v1/usage/calls/{}", id(WORKER, 3));
    assert_eq!(called.house.get(&path).await.status, 401);
}

#[tokio::test]
async fn a_changed_limit_is_marked() {
    let called = Called::with(|called| {
        let later = Record {
            at_us: NOW_US + 1,
            ..called.limited()
        };
        vec![later]
    })
    .await;
    let administrator = called.administrator().await;
    let limit = async || {
        let explained = called.explain(&administrator, &id(WORKER, 1)).await;
        explained.expect(200).body["limit"].clone()
    };
    assert_eq!(limit().await["is_changed"], false);
    called.house.wait(2);
    let gold = called.house.get("/api/v1/plans/gold").by(&administrator);
    let gold = gold.await.expect(200);
    let path = format!("/api/v1/plans/{}", gold.text("/id"));
    let change = json!({ "name": "gold", "unlimited": true });
    let change = called.house.put(&path, change);
    let etag = gold.header("etag").unwrap();
    let change = change.header("if-match", etag).by(&administrator);
    change.await.expect(200);
    let gone = limit().await;
    assert_eq!(gone["is_changed"], true);
    assert_eq!(gone.get("limit"), None);
}
