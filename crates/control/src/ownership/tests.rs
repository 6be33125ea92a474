use serde_json::{Value, json};
use tollgate_model::user::Role;

use crate::harness::{Answer, Call, House, Person};
use crate::router;

/// A house with an API of ann's in the catalogue, and another that is blocked and thus hidden; a
/// developer has subscribed to both. Bob is a publisher and developer, and owns nothing.
struct Given {
    house: House,
    root: Person,
    ann: Person,
    bob: Person,
    application: String,
    shown: Ids,
    hidden: Ids,
}

/// Values for the parameters of routes.
struct Ids {
    api: String,
    version: String,
    subscription: String,
}

impl Ids {
    /// Returns ids of the right kinds that do not exist.
    fn unknown() -> Self {
        Self {
            api: "api_00000000001".to_owned(),
            version: "ver_00000000001".to_owned(),
            subscription: "sub_00000000001".to_owned(),
        }
    }
}

impl Given {
    async fn new() -> Self {
        let house = House::new().await;
        let root = house.person("root", &[Role::Administrator]).await;
        let ann = house.person("ann", &[Role::Publisher]).await;
        let bob = house
            .person("bob", &[Role::Publisher, Role::Developer])
            .await;
        let dev = house.person("dev", &[Role::Developer]).await;
        let shop = house.post("/api/v1/applications", json!({"name": "shop"}));
        let application = shop.by(&dev).await.expect(201).text("/id").to_owned();
        let mut published = Vec::new();
        for name in ["shown", "hidden"] {
            let body = json!({"name": name, "context": format!("/{name}"), "version": "1.0"});
            let made = house.post("/api/v1/apis", body).by(&ann).await.expect(201);
            let (api, version) = (made.text("/api/id"), made.text("/version/id"));
            let operations = json!([{"method": "GET", "path": "/"}]);
            let draft = json!({"upstream": {"url": "http://back.internal:81"},
                "operations": operations});
            let plans = json!(["gold"]);
            house.publish(&ann, version, draft, plans).await;
            let body = json!({"application": application, "version": version, "plan": "gold"});
            let subscribed = house.post("/api/v1/subscriptions", body).by(&dev).await;
            published.push(Ids {
                api: api.to_owned(),
                version: version.to_owned(),
                subscription: subscribed.expect(201).text("/id").to_owned(),
            });
        }
        let hidden = published.pop().unwrap();
        let path = format!("/api/v1/versions/{}/lifecycle", hidden.version);
        let block = house.post(&path, json!({"to": "blocked"}));
        block.by(&ann).await.expect(200);
        Self {
            shown: published.pop().unwrap(),
            house,
            root,
            ann,
            bob,
            application,
            hidden,
        }
    }

    async fn get(&self, path: &str, person: &Person) -> Answer {
        self.house.get(path).by(person).await
    }

    async fn patch(&self, path: &str, body: Value, person: &Person) -> Answer {
        self.house.patch(path, body).by(person).await
    }

    /// Returns everything that could have been changed, as its owner sees it.
    async fn everything(&self) -> Vec<Value> {
        let mut seen = Vec::new();
        for ids in [&self.shown, &self.hidden] {
            for path in [
                format!("/api/v1/apis/{}", ids.api),
                format!("/api/v1/apis/{}/versions", ids.api),
                format!("/api/v1/versions/{}/draft", ids.version),
                format!("/api/v1/versions/{}/plans", ids.version),
                format!("/api/v1/versions/{}/revisions", ids.version),
                format!("/api/v1/versions/{}/deployment", ids.version),
                format!("/api/v1/subscriptions/{}", ids.subscription),
            ] {
                seen.push(self.get(&path, &self.ann).await.expect(200).body);
            }
        }
        seen
    }
}

/// Returns a request of a route with these ids that is valid except for its caller. A new route
/// with a body fails the test until it has a valid one here.
fn request(house: &House, (method, path): (&str, &str), ids: &Ids) -> Call {
    let address = path
        .replace("{api}", &ids.api)
        .replace("{version}", &ids.version)
        .replace("{subscription}", &ids.subscription)
        .replace("{number}", "1")
        .replace("{operation}", "get");
    let last = path.rsplit('/').next().unwrap();
    let body = match (method, last) {
        ("POST", "versions") => json!({"name": "9.0"}),
        ("PUT", "plans") => json!(["silver"]),
        ("PUT", "scopes") => json!([]),
        ("POST", "lifecycle") => json!({"to": "created"}),
        ("PUT", "deployment") | ("POST", "restore") => json!({"revision": 1}),
        ("PATCH", "{api}") => json!({"description": "mine"}),
        ("PATCH", "{subscription}") => json!({"status": "rejected"}),
        ("POST", "mediate") => json!({"request": {"method": "GET", "path": "/pets"}}),
        ("POST", "try-it") => json!({"application": "app_00000000001"}),
        _ => json!({}),
    };
    let call = house.call(method, &address).header("if-match", "\"1\"");
    if method == "GET" || method == "DELETE" {
        return call;
    }
    call.json(&body)
}

/// Routes that others may read of an API in the catalogue.
const READABLE: [&str; 8] = [
    "/api/v1/apis/{api}",
    "/api/v1/apis/{api}/versions",
    "/api/v1/versions/{version}",
    "/api/v1/versions/{version}/plans",
    "/api/v1/catalogue/{version}",
    "/api/v1/catalogue/{version}/document",
    "/api/v1/catalogue/{version}/operations",
    "/api/v1/catalogue/{version}/operations/{operation}",
];

#[tokio::test]
async fn every_route_rejects_another_publisher() {
    let given = Given::new().await;
    let before = given.everything().await;
    let mut walked = 0;
    let is_owned = |path: &str| {
        let parameters = ["{api}", "{version}", "{subscription}"];
        parameters.iter().any(|parameter| path.contains(parameter))
    };
    let routes = router::routes();
    for route in routes.list().iter().filter(|route| is_owned(route.path)) {
        let (method, path) = (route.method.as_str(), route.path);
        let send = async |ids: &Ids| {
            request(&given.house, (method, path), ids)
                .by(&given.bob)
                .await
        };
        let unknown = send(&Ids::unknown()).await;
        let hidden = send(&given.hidden).await;
        assert_eq!(unknown.status, 404, "{method} {path}: {unknown:?}");
        assert_eq!(hidden.problem(), unknown.problem(), "{method} {path}");
        assert_eq!(hidden.text("/detail"), unknown.text("/detail"));
        let shown = send(&given.shown).await;
        if method == "GET" && READABLE.contains(&path) {
            shown.expect(200);
        } else if path == "/api/v1/catalogue/{version}/contract" {
            // It is not a SOAP service.
            assert_eq!(shown.problem(), (404, "contract.unknown"));
        } else if path == "/api/v1/catalogue/{version}/difference" {
            // It is not deprecated.
            assert_eq!(shown.problem(), (404, "successor.unknown"));
        } else if (method, path) == ("DELETE", "/api/v1/subscriptions/{subscription}") {
            // Only the application's owner ends it.
            assert_eq!(shown.problem(), (404, "subscription.unknown"));
        } else if path.ends_with("/try-it") {
            // It needs an application of the caller's.
            assert_eq!(shown.problem(), (404, "application.unknown"));
        } else {
            assert_eq!(shown.problem(), (403, "api.not_owner"), "{method} {path}");
        }
        walked += 1;
    }
    assert!(walked >= 25, "{walked}");
    assert_eq!(given.everything().await, before);
}

#[tokio::test]
async fn other_publishers_and_lists_see_only_the_catalogue() {
    let given = Given::new().await;
    let path = format!("/api/v1/apis/{}/versions", given.shown.api);
    let second = given.house.post(&path, json!({"name": "2.0"}));
    let second = second.by(&given.ann).await.expect(201);
    let versions = given.get(&path, &given.bob).await.expect(200);
    assert_eq!(versions.body["items"].as_array().unwrap().len(), 1);
    let version = &versions.body["items"][0];
    assert_eq!(version["name"], "1.0");
    assert_eq!(version["deployed_revision"], Value::Null);
    assert_eq!(version.get("updated_at"), None);
    let own = given.get(&path, &given.ann).await.expect(200);
    assert_eq!(own.body["items"][0]["deployed_revision"], 1);
    assert_eq!(own.body["items"].as_array().unwrap().len(), 2);
    let path = format!("/api/v1/versions/{}", second.text("/id"));
    let refused = given.get(&path, &given.bob).await;
    assert_eq!(refused.problem(), (403, "api.not_owner"));

    let names = async |person: &Person| {
        let list = given.get("/api/v1/apis", person).await.expect(200);
        let items = list.body["items"].as_array().unwrap().clone();
        let names = items.iter().map(|api| api["name"].clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&given.bob).await, ["shown"]);
    assert_eq!(names(&given.ann).await, ["shown", "hidden"]);
    assert_eq!(names(&given.root).await, ["shown", "hidden"]);

    let count = async |person: &Person, query: &str| {
        let path = format!("/api/v1/subscriptions{query}");
        let list = given.get(&path, person).await.expect(200);
        list.body["items"].as_array().unwrap().len()
    };
    let of_application = format!("?application={}", given.application);
    for (person, seen) in [(&given.ann, 2), (&given.root, 2), (&given.bob, 0)] {
        assert_eq!(count(person, "").await, seen);
        assert_eq!(count(person, &of_application).await, seen);
    }
    let publisher = given.house.person("paul", &[Role::Publisher]).await;
    for (ids, refusal) in [
        (&given.shown, (403, "api.not_owner")),
        (&given.hidden, (404, "version.unknown")),
    ] {
        let query = format!("?version={}", ids.version);
        // As a developer, bob sees his own.
        assert_eq!(count(&given.bob, &query).await, 0);
        let path = format!("/api/v1/subscriptions{query}");
        let refused = given.get(&path, &publisher).await;
        assert_eq!(refused.problem(), refusal);
    }
}

#[tokio::test]
async fn an_api_moves_to_another_publisher_and_its_former_owner_loses_access() {
    let given = Given::new().await;
    let path = format!("/api/v1/apis/{}", given.shown.api);
    let dev = given.house.person("eve", &[Role::Developer]).await;
    let disabled = given.house.person("old", &[Role::Publisher]).await;
    let disable = format!("/api/v1/users/{}", disabled.id);
    let disable = given.patch(&disable, json!({"disabled": true}), &given.root);
    disable.await.expect(200);
    for owner in [json!(dev.id), json!(disabled.id), json!("usr_00000000001")] {
        let patch = json!({"owner": owner, "description": "another"});
        let refused = given.patch(&path, patch, &given.ann).await;
        assert_eq!(refused.problem(), (422, "api.owner"), "{owner}");
        assert_eq!(refused.text("/errors/0/field"), "/owner");
    }
    let stolen = given.patch(&path, json!({"owner": given.bob.id}), &given.bob);
    assert_eq!(stolen.await.problem(), (403, "api.not_owner"));
    let given_away = given.patch(&path, json!({"owner": given.bob.id}), &given.ann);
    let given_away = given_away.await.expect(200);
    assert_eq!(given_away.body["owner"], json!(given.bob.id));
    assert_eq!(given_away.text("/description"), "");
    let draft = format!("/api/v1/versions/{}/draft", given.shown.version);
    let late = given.get(&draft, &given.ann).await;
    assert_eq!(late.problem(), (403, "api.not_owner"));
    given.get(&draft, &given.bob).await.expect(200);
    let decide = format!("/api/v1/subscriptions/{}", given.shown.subscription);
    let block = json!({"status": "blocked"});
    let late = given.patch(&decide, block.clone(), &given.ann).await;
    assert_eq!(late.problem(), (403, "api.not_owner"));
    given.patch(&decide, block, &given.bob).await.expect(200);
}

#[tokio::test]
async fn a_disabled_owners_api_is_left_to_administrators() {
    let given = Given::new().await;
    let user = format!("/api/v1/users/{}", given.ann.id);
    let disable = given.patch(&user, json!({"disabled": true}), &given.root);
    disable.await.expect(200);
    let path = format!("/api/v1/apis/{}", given.hidden.api);
    let patch = json!({"description": "left"});
    let owner = given.patch(&path, patch.clone(), &given.ann).await;
    assert_eq!(owner.status, 401);
    let other = given.patch(&path, patch.clone(), &given.bob).await;
    assert_eq!(other.problem(), (404, "api.unknown"));
    given.patch(&path, patch, &given.root).await.expect(200);
    let hand_over = given.patch(&path, json!({"owner": given.bob.id}), &given.root);
    hand_over.await.expect(200);
    given.get(&path, &given.bob).await.expect(200);
}
