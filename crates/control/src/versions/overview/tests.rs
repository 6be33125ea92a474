use serde_json::json;
use tollgate_model::user::Role;

use crate::harness::House;

#[tokio::test]
async fn publishers_see_pending_work() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let ann = house.person("ann", &[Role::Publisher]).await;
    let bob = house.person("bob", &[Role::Publisher]).await;
    let dev = house.person("dev", &[Role::Developer]).await;
    let body = json!({"name": "Pets", "context": "/pets", "version": "1.0"});
    let made = house.post("/api/v1/apis", body).by(&ann).await.expect(201);
    let version = made.text("/version/id").to_owned();
    let path = |part: &str| format!("/api/v1/versions/{version}/{part}");
    let see = async |person, query: &str| {
        let call = house.get(&format!("/api/v1/versions{query}")).by(person);
        call.await.expect(200).body
    };
    let one = async || see(&ann, "").await["items"][0].clone();
    let new = one().await;
    assert_eq!(
        (&new["state"], &new["changes"]),
        (&json!("created"), &json!(0))
    );
    assert_eq!(new.get("deployed_revision"), None);
    // A secret is sealed anew each time, but still counts as unchanged.
    let upstream = json!({"url": "http://back.internal:81",
        "credential": {"header": {"name": "x-key", "value": "secret"}}});
    let (draft, plans) = (json!({"upstream": upstream}), json!(["gold"]));
    house.publish(&ann, &version, draft, plans).await;
    let shop = house.post("/api/v1/applications", json!({"name": "shop"}));
    let shop = shop.by(&dev).await.expect(201);
    let body = json!({"application": shop.body["id"], "version": version, "plan": "gold"});
    house
        .post("/api/v1/subscriptions", body)
        .by(&dev)
        .await
        .expect(201);
    let published = one().await;
    assert_eq!(published["changes"], 0);
    assert_eq!(published["deployed_revision"], 1);
    assert_eq!(published["owner_name"], "ann");
    assert_eq!(
        (
            &published["subscriptions"],
            &published["pending_subscriptions"]
        ),
        (&json!(1), &json!(0))
    );
    assert_eq!(
        (&published["calls_last_day"], &published["errors_last_day"]),
        (&json!(0), &json!(0))
    );
    let change = house.patch(&path("draft"), json!({"body_bytes_max": 5}));
    change.by(&ann).await.expect(200);
    assert_eq!(one().await["changes"], 1);
    let shown = house.get(&path("")[..path("").len() - 1]).by(&ann);
    assert_eq!(shown.await.expect(200).body["changes"], 1);
    assert_eq!(see(&bob, "").await["total"], 0);
    assert_eq!(see(&root, "").await["total"], 1);
    for (query, total) in [
        ("?state=published", 1),
        ("?state=blocked", 0),
        ("?kind=soap", 0),
        ("?q=pets", 1),
        ("?q=cats", 0),
    ] {
        assert_eq!(see(&ann, query).await["total"], total, "{query}");
    }
    let owner = format!("?owner={}", ann.id);
    assert_eq!(see(&root, &owner).await["total"], 1);
    assert_eq!(see(&ann, &owner).await["total"], 1);
    let refused = house
        .get(&format!("/api/v1/versions{owner}"))
        .by(&bob)
        .await;
    assert_eq!(refused.problem(), (403, "role.missing"));
}
