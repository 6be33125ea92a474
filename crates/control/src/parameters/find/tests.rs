use serde_json::json;
use tollgate_model::user::Role;

use crate::harness::House;

mod many;

/// Tests every searchable list with items of the same three names.
#[tokio::test]
async fn lists_are_searched_sorted_counted_and_paged() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let make = async |path: &str, body| {
        let made = house.post(path, body).by(&root).await.expect(201);
        made.text("/id").to_owned()
    };
    let mut shop = String::new();
    for name in ["b shop", "A shop", "c shop"] {
        shop = make("/api/v1/applications", json!({"name": name})).await;
    }
    let keys = format!("/api/v1/applications/{shop}/keys");
    let users = format!("/api/v1/applications/{shop}/basic-users");
    let clients = format!("/api/v1/applications/{shop}/clients");
    let mut versions = String::new();
    for name in ["b shop", "A shop", "c shop"] {
        let context = format!("/{}", &name[..1]);
        let api = json!({"name": name, "context": context, "version": "1.0"});
        let made = house.post("/api/v1/apis", api).by(&root).await.expect(201);
        versions = format!("/api/v1/apis/{}/versions", made.text("/api/id"));
        make(
            "/api/v1/users",
            json!({"name": name, "roles": ["developer"]}),
        )
        .await;
        make(
            "/api/v1/plans",
            json!({"name": &name[..1], "title": name, "unlimited": true}),
        )
        .await;
        make("/api/v1/access-tokens", json!({"name": name})).await;
        make(&keys, json!({"name": name})).await;
        make(&users, json!({"name": name, "user_name": context[1..]})).await;
        make(&clients, json!({"name": name})).await;
    }
    for name in ["b.shop", "A.shop", "c.shop"] {
        make(&versions, json!({"name": name})).await;
    }
    let paths = [
        "/api/v1/applications",
        "/api/v1/apis",
        "/api/v1/users",
        "/api/v1/plans",
        "/api/v1/access-tokens",
        &keys,
        &users,
        &clients,
        &versions,
    ];
    for path in paths {
        let field = if path.ends_with("plans") {
            "title"
        } else {
            "name"
        };
        let see = async |query: &str| {
            let call = house.get(&format!("{path}?{query}")).by(&root);
            call.await.expect(200).body
        };
        let names = async |query: &str| {
            let seen = see(query).await;
            assert_eq!(seen["total"], 3, "{path}?{query}");
            let items = seen["items"].as_array().unwrap().clone();
            let first = items
                .iter()
                .map(|it| it[field].as_str().unwrap()[..1].to_owned());
            first.collect::<String>()
        };
        for (sort, expected) in [
            ("", "bAc"),
            ("&sort=created", "bAc"),
            ("&sort=-created", "cAb"),
            ("&sort=name", "Abc"),
            ("&sort=-name", "cbA"),
        ] {
            assert_eq!(
                names(&format!("q=SHOP{sort}")).await,
                expected,
                "{path}{sort}"
            );
            let mut query = format!("q=shop{sort}&limit=1");
            let mut walked = names(&query).await;
            while let Some(next) = see(&query).await["next"].as_str() {
                query = format!("q=shop{sort}&limit=1&after={}", next.replace(' ', "%20"));
                walked += &names(&query).await;
            }
            assert_eq!(walked, expected, "{path}{sort}");
        }
        assert_eq!(see("q=nothing").await["total"], 0, "{path}");
    }
}

#[tokio::test]
async fn lists_are_narrowed_by_their_filters() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let ann = house.person("ann", &[Role::Publisher]).await;
    let dev = house.person("dev", &[Role::Developer]).await;
    let body = json!({"name": "Pets", "context": "/pets", "version": "1.0"});
    house.post("/api/v1/apis", body).by(&ann).await.expect(201);
    let body = json!({"name": "shop"});
    house
        .post("/api/v1/applications", body)
        .by(&dev)
        .await
        .expect(201);
    let (ann_id, dev_id) = (ann.id, dev.id);
    for (path, total) in [
        ("/api/v1/users?role=publisher".to_owned(), 1),
        ("/api/v1/users?disabled=true".to_owned(), 0),
        (format!("/api/v1/apis?owner={ann_id}"), 1),
        (format!("/api/v1/apis?owner={dev_id}"), 0),
        (format!("/api/v1/apis?owner={ann_id}&kind=soap"), 0),
        (format!("/api/v1/applications?owner={dev_id}"), 1),
        (format!("/api/v1/applications?owner={ann_id}"), 0),
    ] {
        let seen = house.get(&path).by(&root).await.expect(200).body;
        assert_eq!(seen["total"], total, "{path}");
    }
    let own = format!("/api/v1/applications?owner={dev_id}");
    assert_eq!(house.get(&own).by(&dev).await.expect(200).body["total"], 1);
    let foreign = format!("/api/v1/applications?owner={ann_id}");
    let refused = house.get(&foreign).by(&dev).await;
    assert_eq!(refused.problem(), (403, "role.missing"));
}
