use std::collections::BTreeSet;

use serde_json::{Value, json};
use tollgate_model::id::VersionId;
use tollgate_model::plan::ANONYMOUS;
use tollgate_model::user::Role;
use tollgate_store::{plans, versions};

use crate::harness::{House, Person};

/// A house with two published APIs of ann, and a developer's application subscribed to the first.
struct Given {
    house: House,
    ann: Person,
    dev: Person,
    versions: Vec<String>,
}

/// An installation with a known gateway address.
async fn house(open_catalogue: bool) -> House {
    let configured = House::configured(|parts| {
        parts.gateways.http = Some("0.0.0.0:8080".parse().unwrap());
        parts.open_catalogue = open_catalogue;
    });
    configured.await
}

impl Given {
    async fn new(house: House) -> Self {
        let ann = house.person("ann", &[Role::Publisher]).await;
        let dev = house.person("dev", &[Role::Developer]).await;
        let mut versions = Vec::new();
        for name in ["Pets", "Apples"] {
            let context = format!("/{}", name.to_lowercase());
            let body = json!({"name": name, "context": context, "version": "1.0",
                "description": format!("All about {name}")});
            let made = house.post("/api/v1/apis", body).by(&ann).await.expect(201);
            let version = made.text("/version/id").to_owned();
            let security = json!({"oauth2": {}, "scopes": {"read": "May read"}});
            let draft =
                json!({"upstream": {"url": "http://back.internal:81"}, "security": security});
            let plans = json!(["gold", "silver"]);
            house.publish(&ann, &version, draft, plans).await;
            versions.push(version);
        }
        let shop = house.post("/api/v1/applications", json!({"name": "shop"}));
        let shop = shop.by(&dev).await.expect(201);
        let body = json!({"application": shop.body["id"], "version": versions[0], "plan": "gold"});
        let subscribed = house.post("/api/v1/subscriptions", body).by(&dev).await;
        subscribed.expect(201);
        Self {
            house,
            ann,
            dev,
            versions,
        }
    }

    async fn see(&self, path: &str, person: &Person) -> Value {
        let call = self.house.get(&format!("/api/v1/catalogue{path}"));
        call.by(person).await.expect(200).body
    }
}

#[tokio::test]
async fn an_entry_shows_what_consumers_need_to_choose() {
    let given = Given::new(house(false).await).await;
    let seen = given.see("?sort=name", &given.dev).await;
    assert_eq!(seen["total"], 2);
    assert_eq!(seen["items"][0]["api_name"], "Apples");
    let mine = json!({"owned": false, "subscriptions": []});
    assert_eq!(seen["items"][0]["mine"], mine);
    let pets = &seen["items"][1];
    assert_eq!(pets["version"], given.versions[0]);
    assert_eq!(
        (&pets["kind"], &pets["state"]),
        (&json!("rest"), &json!("published"))
    );
    assert_eq!(pets["owner_name"], "ann");
    assert_eq!(pets["path"], "/pets/1.0");
    assert_eq!(pets["address"], "http://127.0.0.1:8080/pets/1.0");
    assert_eq!(
        pets["security"]["scopes"],
        json!({"read": {"text": "May read", "granted": "freely"}})
    );
    assert_eq!(pets["plans"][1]["name"], "silver");
    assert_eq!(pets["plans"][0]["needs_approval"], false);
    let own = &pets["mine"]["subscriptions"][0];
    assert_eq!(
        [
            &own["application_name"],
            &own["plan_name"],
            &own["plan_title"]
        ],
        ["shop", "gold", "Gold"]
    );
    let of_ann = given
        .see(&format!("/{}", given.versions[0]), &given.ann)
        .await;
    assert_eq!(of_ann["mine"], json!({"owned": true, "subscriptions": []}));
    let same = given
        .see(&format!("/{}", given.versions[0]), &given.dev)
        .await;
    assert_eq!(same, *pets);
}

#[tokio::test]
async fn the_anonymous_plan_cannot_be_chosen() {
    let given = Given::new(house(false).await).await;
    let store = &given.house.control.store;
    let mut offered = Vec::new();
    for name in [ANONYMOUS, "gold"] {
        offered.push(plans::by_name(store, name).await.unwrap().unwrap().id);
    }
    // Earlier releases stored it like this.
    let version: VersionId = given.versions[0].parse().unwrap();
    let mut tx = store.write().await.unwrap();
    versions::set_plans(&mut tx, version, &offered)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let entry = given.see(&format!("/{version}"), &given.dev).await;
    let offers = format!("/api/v1/versions/{version}/plans");
    let offers = given.house.get(&offers).by(&given.ann).await.expect(200);
    for plans in [&entry["plans"], &offers.body] {
        let names: Vec<_> = plans
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["name"])
            .collect();
        assert_eq!(names, ["gold"]);
    }
}

#[tokio::test]
async fn the_catalogue_is_searched_sorted_and_paged() {
    let given = Given::new(house(false).await).await;
    let names = async |query: &str| {
        let seen = given.see(query, &given.dev).await;
        let items = seen["items"].as_array().unwrap().clone();
        let names: Vec<_> = items.iter().map(|it| it["api_name"].clone()).collect();
        (json!(names), seen["next"].clone())
    };
    assert_eq!(names("?sort=-name").await.0, json!(["Pets", "Apples"]));
    assert_eq!(names("?q=ABOUT%20app").await.0, json!(["Apples"]));
    assert_eq!(names("?kind=soap").await.0, json!([]));
    assert_eq!(names("?state=deprecated").await.0, json!([]));
    let (first, next) = names("?sort=name&limit=1").await;
    assert_eq!((first, next.is_string()), (json!(["Apples"]), true));
    let next = next.as_str().unwrap();
    let (second, none) = names(&format!("?sort=name&limit=1&after={next}")).await;
    assert_eq!((second, none), (json!(["Pets"]), Value::Null));
    for (query, code) in [
        (format!("?after={next}"), "page.after"),
        ("?sort=name&after=ver_00000000001".to_owned(), "page.after"),
        ("?limit=0".to_owned(), "page.limit"),
        ("?sort=colour".to_owned(), "query.invalid"),
        ("?state=created".to_owned(), "query.invalid"),
        (format!("?q={}", "a".repeat(201)), "query.invalid"),
        ("?colour=red".to_owned(), "query.invalid"),
    ] {
        let call = given.house.get(&format!("/api/v1/catalogue{query}"));
        let refused = call.by(&given.dev).await;
        assert_eq!(refused.problem(), (400, code), "{query}");
    }
}

#[tokio::test]
async fn a_hidden_version_is_unknown() {
    let given = Given::new(house(false).await).await;
    let path = format!("/api/v1/versions/{}/lifecycle", given.versions[0]);
    let block = given.house.post(&path, json!({"to": "blocked"}));
    block.by(&given.ann).await.expect(200);
    for version in [given.versions[0].as_str(), "ver_00000000001"] {
        let path = format!("/api/v1/catalogue/{version}");
        let refused = given.house.get(&path).by(&given.dev).await;
        assert_eq!(refused.problem(), (404, "version.unknown"));
    }
}

#[tokio::test]
async fn only_an_open_catalogue_is_readable_without_signing_in() {
    let closed = Given::new(house(false).await).await;
    let open = Given::new(house(true).await).await;
    let of = |given: &Given, part: &str| format!("/api/v1/catalogue/{}{part}", given.versions[0]);
    for part in ["", "/document", "/contract"] {
        let refused = closed.house.get(&of(&closed, part)).await;
        assert_eq!(refused.problem(), (401, "session.missing"));
    }
    let refused = closed.house.get("/api/v1/catalogue").await;
    assert_eq!(refused.problem(), (401, "session.missing"));
    open.house.get("/api/v1/catalogue").await.expect(200);
    let document = open.house.get(&of(&open, "/document")).await;
    document.expect(200);
    let entry = of(&open, "");
    let seen = open.house.get(&entry).await.expect(200).body;
    let names = |value: &Value| {
        let names = value.as_object().unwrap().keys().cloned();
        names.collect::<BTreeSet<_>>()
    };
    let whole = open.house.get(&entry).by(&open.dev).await.expect(200).body;
    let left_out: Vec<_> = names(&whole).difference(&names(&seen)).cloned().collect();
    assert_eq!(left_out, ["mine", "owner", "owner_name"]);
    // An ended session reads as much as no session; an invalid token is rejected.
    let stale = open
        .house
        .get(&entry)
        .header("cookie", "tollgate_session=old");
    stale.await.expect(200);
    let wrong = open.house.get(&entry).header("authorization", "Bearer old");
    assert_eq!(wrong.await.problem(), (401, "session.invalid"));
    let elsewhere = open.house.get("/api/v1/apis").await;
    assert_eq!(elsewhere.problem(), (401, "session.missing"));
}
