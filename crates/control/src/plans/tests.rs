mod limits;

use serde_json::{Value, json};
use tollgate_model::user::Role;

use crate::harness::House;

fn plan(amount: i64) -> Value {
    let limit = json!({"per": "subscription", "amount": amount, "window": "minute"});
    json!({"name": "copper", "limits": [limit]})
}

#[tokio::test]
async fn a_plan_is_changed_only_with_its_current_etag() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let made = house.post("/api/v1/plans", plan(10)).by(&root).await;
    assert_eq!((made.status, made.header("etag")), (201, Some("\"1\"")));
    assert_eq!(made.text("/title"), "copper");
    let path = format!("/api/v1/plans/{}", made.text("/id"));
    let put = |etag: &str, amount| {
        house
            .put(&path, plan(amount))
            .header("if-match", etag)
            .by(&root)
    };
    let blind = house.put(&path, plan(20)).by(&root).await;
    assert_eq!(blind.problem(), (428, "etag.missing"));
    assert_eq!(put("\"1\"", 20).await.header("etag"), Some("\"2\""));
    assert_eq!(put("\"1\"", 30).await.problem(), (412, "etag.stale"));
    assert_eq!(put("anything", 30).await.problem(), (412, "etag.stale"));
    let now = house.get(&path).by(&root).await;
    assert_eq!(now.body["limits"][0]["amount"], 20);
    assert_eq!(now.header("etag"), Some("\"2\""));
}

#[tokio::test]
async fn the_plan_of_calls_without_a_credential_is_marked() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Publisher]).await;
    let list = house.get("/api/v1/plans").by(&ann).await.expect(200);
    for plan in list.body["items"].as_array().unwrap() {
        assert_eq!(plan["anonymous"], plan["name"] == "anonymous", "{plan}");
    }
    let plan = house.get("/api/v1/plans/anonymous").by(&ann).await;
    assert_eq!(plan.expect(200).body["anonymous"], true);
}

#[tokio::test]
async fn every_fault_of_a_plan_is_reported() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let make = |body| house.post("/api/v1/plans", body).by(&root);
    let empty = make(json!({"name": "copper"})).await;
    assert_eq!(empty.problem(), (422, "plan.no_limits"));
    let taken = make(json!({"name": "gold", "unlimited": true})).await;
    assert_eq!(taken.problem(), (409, "name.taken"));
    let several = make(json!({"name": "", "unlimited": true, "limits": [
        {"per": "subscription", "amount": 0, "window": "day",
         "algorithm": {"type": "fixed", "zone": "Mars/Olympus"}},
    ]}));
    let several = several.await;
    assert_eq!(several.problem(), (422, "body.invalid"));
    let errors = several.body["errors"].as_array().unwrap();
    let fields: Vec<_> = errors
        .iter()
        .map(|it| it["field"].as_str().unwrap())
        .collect();
    let expected = [
        "/limits/0/amount",
        "/limits/0/algorithm/zone",
        "/unlimited",
        "/name",
    ];
    assert_eq!(fields, expected);
}

#[tokio::test]
async fn a_window_has_one_form_and_its_faults_are_reported_with_all_others() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let limits = |windows: [&str; 3]| {
        windows.map(|window| json!({"per": "subscription", "amount": 5, "window": window}))
    };
    let make = |limits| {
        let plan = json!({"name": "copper", "limits": limits});
        house.post("/api/v1/plans", plan).by(&root)
    };
    let made = make(limits(["1 minute", "5 minutes", "day"])).await;
    let windows = made.expect(201).body["limits"].as_array().unwrap().clone();
    let windows: Vec<_> = windows.iter().map(|it| &it["window"]).collect();
    assert_eq!(windows, ["minute", "5 minutes", "day"]);
    let mut faulty = limits(["1001 days", "fortnight", "month"]);
    faulty[2]["algorithm"] = json!({"type": "fixed", "anchor": "2026-02-30"});
    let refused = make(faulty).await;
    assert_eq!(refused.problem(), (422, "body.invalid"));
    let errors = refused.body["errors"].as_array().unwrap();
    let errors: Vec<_> = errors
        .iter()
        .map(|it| (it["field"].as_str().unwrap(), it["code"].as_str().unwrap()))
        .collect();
    let expected = [
        ("/limits/0/window", "limit.window"),
        ("/limits/1/window", "limit.window"),
        ("/limits/2/algorithm/anchor", "limit.anchor"),
    ];
    assert_eq!(errors, expected);
}

#[tokio::test]
async fn a_change_that_a_gateway_has_not_applied_is_saved_but_fails() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let deaf = house.control.feed.follow();
    let answer = house.post("/api/v1/plans", plan(10)).by(&root).await;
    assert_eq!(answer.problem(), (503, "feed.behind"));
    assert_eq!(answer.header("retry-after"), Some("2"));
    assert!(answer.text("/detail").starts_with("saved; a gateway"));
    drop(deaf);
    let again = house.post("/api/v1/plans", plan(10)).by(&root).await;
    assert_eq!(again.problem(), (409, "name.taken"), "the first one stays");
    let other = json!({"name": "tin", "unlimited": true});
    let other = house.post("/api/v1/plans", other).by(&root).await;
    assert_eq!(other.status, 201, "there is no follower left to wait for");
}
