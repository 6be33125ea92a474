//! Limits and weights in a draft: of the version, its operations and its upstreams.

use serde_json::{Value, json};
use tollgate_model::user::Role;

use super::Given;

fn operation(members: Value) -> Value {
    with(json!({"method": "GET", "path": "/pets"}), members)
}

fn limit(per: &str, members: Value) -> Value {
    with(json!({"per": per, "amount": 9, "window": "day"}), members)
}

fn with(mut object: Value, members: Value) -> Value {
    let Value::Object(members) = members else {
        panic!("an object");
    };
    object.as_object_mut().unwrap().extend(members);
    object
}

#[tokio::test]
async fn bad_limits_of_a_draft_are_refused_with_code_and_field() {
    let given = Given::new().await;
    let own = |members| {
        let limits = json!([limit("operation", members)]);
        json!({"operations": [operation(json!({"limits": limits}))]})
    };
    let seconds =
        (2..19).map(|count| limit("operation", json!({"window": format!("{count} seconds")})));
    let seconds: Vec<_> = seconds.collect();
    let upstream = |limit: Value| json!({"upstream": {"limits": [limit]}});
    let weight = |weight: Value| json!({"operations": [operation(json!({"weight": weight}))]});
    for (patch, code, field) in [
        (
            json!({"operations": [operation(json!({"limits": seconds}))]}),
            "limit.too_many",
            "/operations/0/limits",
        ),
        (
            own(json!({"per": "api"})),
            "limit.per",
            "/operations/0/limits/0/per",
        ),
        (
            own(json!({"plans": []})),
            "limit.plans",
            "/operations/0/limits/0/plans",
        ),
        (
            own(json!({"plans": ["gold", "lead"]})),
            "limit.plans",
            "/operations/0/limits/0/plans/1",
        ),
        (weight(json!(0)), "operation.weight", "/operations/0/weight"),
        (
            weight(json!(10_001)),
            "operation.weight",
            "/operations/0/weight",
        ),
        (
            weight(json!(65_536)),
            "body.invalid",
            "/operations/0/weight",
        ),
        (
            json!({"limits": [limit("api", json!({"if": {"headers": {"x-key": ["a"]}}}))],
                   "key_header": "x-key"}),
            "limit.if",
            "/limits/0/if/headers/x-key",
        ),
        (
            upstream(limit("api", json!({}))),
            "limit.per",
            "/upstream/limits/0/per",
        ),
        (
            upstream(json!({"amount": 9, "window": "day", "metric": "bytes"})),
            "limit.metric",
            "/upstream/limits/0/metric",
        ),
        (
            upstream(json!({"amount": 9, "metric": "concurrent", "window": "day"})),
            "limit.window",
            "/upstream/limits/0/window",
        ),
    ] {
        let refused = given.patch("draft", patch.clone()).await;
        assert_eq!(refused.problem(), (422, code), "{patch}");
        let errors = refused.body["errors"].as_array().unwrap();
        let fields: Vec<_> = errors.iter().map(|it| it["field"].clone()).collect();
        assert_eq!(fields, [field], "{patch}");
    }
    // With other faults, at once.
    let mut patch = own(json!({"plans": ["lead"]}));
    patch["key_header"] = json!("Host");
    let refused = given.patch("draft", patch).await;
    let fields = [
        refused.text("/errors/0/field"),
        refused.text("/errors/1/field"),
    ];
    assert_eq!(fields, ["/key_header", "/operations/0/limits/0/plans/0"]);
}

#[tokio::test]
async fn limits_and_weights_of_a_draft_reach_gateways() {
    let given = Given::new().await;
    let places = json!({
        "metric": "concurrent", "amount": 20, "algorithm": {"type": "fixed"},
    });
    let rate = limit(
        "operation",
        json!({"plans": ["gold"], "algorithm": {"type": "fixed"}}),
    );
    let draft = json!({
        "operations": [operation(json!({"limits": [rate], "weight": 50}))],
        "upstream": {"limits": [places]},
        "sandbox_upstream": {"url": "http://127.0.0.1:9", "limits": [places]},
    });
    let saved = given.patch("draft", draft).await.expect(200);
    assert_eq!(saved.body["operations"][0]["weight"], 50);
    assert_eq!(saved.body["operations"][0]["limits"], json!([rate]));
    assert_eq!(saved.body["upstream"]["limits"], json!([places]));
    let follows = given.follow();
    given.publish().await;
    let served = follows.now().versions[&super::raw(&given.version)].clone();
    let [operation] = &served.operations[..] else {
        panic!("one operation");
    };
    let plans = operation.limits[0].plans.as_deref();
    assert_eq!(
        (operation.weight, plans),
        (50, Some(&["gold".to_owned()][..]))
    );
    for upstream in [served.upstream, served.sandbox_upstream] {
        assert_eq!(upstream.unwrap().limits[0].amount, 20);
    }
}

#[tokio::test]
async fn a_plan_that_limits_name_is_not_lost() {
    let given = Given::new().await;
    let root = given.house.person("root", &[Role::Administrator]).await;
    let tin = json!({"name": "tin", "unlimited": true});
    let call = given.house.post("/api/v1/plans", tin).by(&root);
    call.await.expect(201);
    let named = limit("operation", json!({"plans": ["tin"]}));
    let draft = |limits: Value| json!({"operations": [operation(json!({"limits": limits}))]});
    given
        .patch("draft", draft(json!([named])))
        .await
        .expect(200);
    given.publish().await;
    let delete = async || given.house.delete("/api/v1/plans/tin").by(&root).await;
    assert_eq!(delete().await.problem(), (409, "in_use"));
    // The second revision does not name it; then the first one cannot be deployed again.
    given.patch("draft", draft(json!([]))).await.expect(200);
    given.post("revisions", json!({})).await.expect(201);
    given
        .put("deployment", json!({"revision": 2}))
        .await
        .expect(200);
    delete().await.expect(204);
    let refused = given.put("deployment", json!({"revision": 1})).await;
    assert_eq!(refused.problem(), (422, "limit.plans"));
    let field = refused.text("/errors/0/field");
    assert_eq!(field, "/operations/0/limits/0/plans/0");
}

/// Limits of versions and upstreams are part of the draft.
#[tokio::test]
async fn only_the_owner_and_administrators_limit_an_upstream() {
    let given = Given::new().await;
    let patch = json!({"upstream": {"limits": [{"metric": "concurrent", "amount": 20}]}});
    for (name, role, status) in [
        ("bob", Role::Publisher, 404),
        ("dev", Role::Developer, 403),
        ("root", Role::Administrator, 200),
    ] {
        let person = given.house.person(name, &[role]).await;
        let call = given.house.patch(&given.path("draft"), patch.clone());
        assert_eq!(call.by(&person).await.status, status, "{name}");
    }
}
