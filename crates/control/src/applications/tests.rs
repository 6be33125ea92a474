use std::future::IntoFuture;

use serde_json::json;
use tollgate_model::user::Role;
use tollgate_store::applications::{self, Application};

use crate::harness::{APPLICATIONS_PER_USER_MAX, House, NOW_US};

#[tokio::test]
async fn developers_reach_their_own_applications_and_administrators_all() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Developer]).await;
    let bob = house.person("bob", &[Role::Developer]).await;
    let root = house.person("root", &[Role::Administrator]).await;
    let shop = house
        .post("/api/v1/applications", json!({"name": "shop"}))
        .by(&ann)
        .await;
    let same_name = house
        .post("/api/v1/applications", json!({"name": "shop"}))
        .by(&bob)
        .await;
    assert_eq!(
        (shop.status, same_name.status),
        (201, 201),
        "names are unique per owner"
    );
    let again = house
        .post("/api/v1/applications", json!({"name": "shop"}))
        .by(&ann)
        .await;
    assert_eq!(again.problem(), (409, "name.taken"));

    let path = format!("/api/v1/applications/{}", shop.text("/id"));
    let rename = json!({"name": "store"});
    let unknown = (404, "application.unknown");
    assert_eq!(house.get(&path).by(&bob).await.problem(), unknown);
    assert_eq!(
        house.patch(&path, rename.clone()).by(&bob).await.problem(),
        unknown
    );
    assert_eq!(house.delete(&path).by(&bob).await.problem(), unknown);
    let keys = format!("{path}/keys");
    assert_eq!(house.get(&keys).by(&bob).await.problem(), unknown);
    assert_eq!(
        house.post(&keys, json!({})).by(&bob).await.problem(),
        unknown
    );
    for person in [&ann, &root] {
        assert_eq!(house.get(&path).by(person).await.status, 200);
        assert_eq!(
            house
                .patch(&path, rename.clone())
                .by(person)
                .await
                .text("/name"),
            "store"
        );
    }
    let listed = async |person| {
        let list = house.get("/api/v1/applications").by(person).await;
        list.body["items"].as_array().unwrap().len()
    };
    assert_eq!(
        (listed(&ann).await, listed(&bob).await, listed(&root).await),
        (1, 1, 2)
    );
    assert_eq!(house.delete(&path).by(&ann).await.status, 204);
    assert_eq!(house.get(&path).by(&ann).await.problem(), unknown);
}

#[tokio::test]
async fn only_an_administrator_limits_an_application() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Developer]).await;
    let root = house.person("root", &[Role::Administrator]).await;
    let limited = |per: &str| {
        let limit = json!({"per": per, "amount": 5, "window": "second"});
        json!({"name": "shop", "limits": [limit]})
    };
    let own = house
        .post("/api/v1/applications", limited("application"))
        .by(&ann)
        .await;
    assert_eq!(own.problem(), (403, "role.missing"));
    let shop = house
        .post("/api/v1/applications", json!({"name": "shop"}))
        .by(&ann)
        .await;
    let path = format!("/api/v1/applications/{}", shop.text("/id"));
    let own = house.patch(&path, json!({"limits": []})).by(&ann).await;
    assert_eq!(own.problem(), (403, "role.missing"));
    let wrong = house.patch(&path, limited("subscription")).by(&root).await;
    assert_eq!(wrong.problem(), (422, "limit.per"));
    assert_eq!(wrong.text("/errors/0/field"), "/limits/0/per");
    assert_eq!(
        house
            .patch(&path, limited("application"))
            .by(&root)
            .await
            .status,
        200
    );
    let renamed = house
        .patch(&path, json!({"description": "Sells"}))
        .by(&ann)
        .await;
    assert_eq!(
        renamed.body["limits"][0]["amount"], 5,
        "absent fields are unchanged"
    );
}

#[tokio::test]
async fn a_user_has_a_bounded_number_of_applications() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Developer]).await;
    let bob = house.person("bob", &[Role::Developer]).await;
    let mut tx = house.control.store.write().await.unwrap();
    for number in 1..APPLICATIONS_PER_USER_MAX {
        let application = Application {
            id: house.control.id().unwrap(),
            name: format!("shop {number}"),
            owner: ann.id,
            description: String::new(),
            limits: Vec::new(),
            created_us: NOW_US,
            tokens_from_us: 0,
        };
        applications::create(&mut tx, &application).await.unwrap();
    }
    tx.commit().await.unwrap();
    let make = |name: &str, person| {
        let call = house.post("/api/v1/applications", json!({ "name": name }));
        call.by(person).into_future()
    };
    let both = tokio::join!(make("last", &ann), make("more", &ann));
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409], "one place is left");
    let refused = make("another", &ann).await;
    assert_eq!(refused.problem(), (409, "application.too_many"));
    assert_eq!(
        refused.text("/detail"),
        "a user can have at most 200 applications (control.applications_per_user_max); delete one \
         first"
    );
    make("shop", &bob).await.expect(201);
    let list = house.get("/api/v1/applications").by(&ann).await;
    assert_eq!(list.body["total"], APPLICATIONS_PER_USER_MAX);
    let first = format!("/api/v1/applications/{}", list.text("/items/0/id"));
    house.delete(&first).by(&ann).await.expect(204);
    make("another", &ann).await.expect(201);
}
