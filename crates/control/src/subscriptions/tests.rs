use serde_json::{Value, json};
use tollgate_model::subscription::{STATUSES, Status};
use tollgate_model::user::Role;
use tollgate_store::subscriptions as rows;

use crate::harness::{Answer, House, Person};

/// A published version that offers gold and silver, and a developer with an application.
struct Given {
    house: House,
    publisher: Person,
    ann: Person,
    version: String,
    application: String,
}

impl Given {
    async fn new() -> Self {
        let house = House::new().await;
        let publisher = house.person("pia", &[Role::Publisher]).await;
        let ann = house.person("ann", &[Role::Developer]).await;
        let body = json!({"name": "Pets", "context": "/pets", "version": "1.0"});
        let made = house.post("/api/v1/apis", body).by(&publisher).await;
        let version = made.text("/version/id").to_owned();
        let path = format!("/api/v1/versions/{version}");
        let draft = json!({
            "upstream": {"url": "http://127.0.0.1:9"},
            "operations": [{"method": "GET", "path": "/"}],
        });
        house
            .patch(&format!("{path}/draft"), draft)
            .by(&publisher)
            .await;
        let plans = json!(["gold", "silver"]);
        house
            .put(&format!("{path}/plans"), plans)
            .by(&publisher)
            .await;
        let shop = house
            .post("/api/v1/applications", json!({"name": "shop"}))
            .by(&ann)
            .await;
        let application = shop.text("/id").to_owned();
        let given = Self {
            house,
            publisher,
            ann,
            version,
            application,
        };
        let early = given.subscribe("gold").await;
        assert_eq!(early.problem(), (422, "version.unknown"));
        let publish = given.lifecycle("published").await;
        assert_eq!(publish.status, 200, "{publish:?}");
        given
    }

    async fn lifecycle(&self, to: &str) -> Answer {
        let path = format!("/api/v1/versions/{}/lifecycle", self.version);
        self.house
            .post(&path, json!({"to": to}))
            .by(&self.publisher)
            .await
    }

    async fn subscribe(&self, plan: &str) -> Answer {
        let body = self.body(plan);
        self.house
            .post("/api/v1/subscriptions", body)
            .by(&self.ann)
            .await
    }

    fn body(&self, plan: &str) -> Value {
        json!({"application": self.application, "version": self.version, "plan": plan})
    }

    /// Sets a status as an earlier release could.
    async fn set_status(&self, path: &str, status: Status) {
        let id = path.rsplit('/').next().unwrap().parse().unwrap();
        let mut tx = self.house.control.store.write().await.unwrap();
        rows::set_status(&mut tx, id, status, None).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn decide(&self, path: &str, status: &str) -> Answer {
        self.house
            .patch(path, json!({"status": status}))
            .by(&self.publisher)
            .await
    }
}

fn path(subscription: &Answer) -> String {
    assert_eq!(subscription.status, 201, "{subscription:?}");
    format!("/api/v1/subscriptions/{}", subscription.text("/id"))
}

#[tokio::test]
async fn a_publisher_subscribes_an_own_application_only_to_own_apis() {
    let given = Given::new().await;
    let subscribe = async |person: &Person| {
        let application = json!({"name": "tests"});
        let made = given.house.post("/api/v1/applications", application);
        let made = made.by(person).await.expect(201);
        let body = json!({
            "application": made.text("/id"), "version": given.version, "plan": "gold",
        });
        given
            .house
            .post("/api/v1/subscriptions", body)
            .by(person)
            .await
    };
    let own = subscribe(&given.publisher).await.expect(201);
    assert_eq!(own.text("/plan_title"), "Gold");
    let another = given.house.person("paul", &[Role::Publisher]).await;
    let refused = subscribe(&another).await;
    assert_eq!(refused.problem(), (403, "api.not_owner"));
    assert_eq!(refused.text("/errors/0/field"), "/version");
    // Nor may the plan be changed once the API belongs to another user.
    let api = own.text("/api");
    let root = given.house.person("root", &[Role::Administrator]).await;
    let owner = json!({"owner": another.id});
    let handed = given.house.patch(&format!("/api/v1/apis/{api}"), owner);
    handed.by(&root).await.expect(200);
    let other_plan = given.house.patch(&path(&own), json!({"plan": "silver"}));
    let refused = other_plan.by(&given.publisher).await;
    assert_eq!(refused.problem(), (403, "api.not_owner"));
    let back = json!({"owner": given.publisher.id});
    let back = given.house.patch(&format!("/api/v1/apis/{api}"), back);
    back.by(&root).await.expect(200);
    let roles = [Role::Publisher, Role::Developer];
    let both = given.house.person("petra", &roles).await;
    subscribe(&both).await.expect(201);
}

#[tokio::test]
async fn an_administrator_subscribes_applications_of_others_and_a_developer_does_not() {
    let given = Given::new().await;
    let subscribe = async |person: &Person| {
        let body = json!({
            "application": given.application, "version": given.version, "plan": "gold",
        });
        let asked = given.house.post("/api/v1/subscriptions", body);
        asked.by(person).await
    };
    let other = given.house.person("otto", &[Role::Developer]).await;
    let refused = subscribe(&other).await;
    assert_eq!(refused.problem(), (422, "application.unknown"));
    let root = given.house.person("root", &[Role::Administrator]).await;
    let subscribed = subscribe(&root).await.expect(201);
    let seen = given.house.get(&path(&subscribed)).by(&given.ann).await;
    assert_eq!(seen.expect(200).text("/status"), "active");
}

#[tokio::test]
async fn an_application_subscribes_once_under_a_plan_that_is_offered() {
    let given = Given::new().await;
    let bronze = given.subscribe("bronze").await;
    assert_eq!(bronze.problem(), (409, "plan.not_offered"));
    assert_eq!(bronze.text("/detail"), "the version offers gold, silver");
    let subscription = given.subscribe("gold").await;
    assert_eq!(
        (subscription.status, subscription.text("/status")),
        (201, "active")
    );
    let again = given.subscribe("silver").await;
    assert_eq!(again.problem(), (409, "subscription.exists"));

    let bob = given.house.person("bob", &[Role::Developer]).await;
    let foreign = given
        .house
        .post("/api/v1/subscriptions", given.body("gold"))
        .by(&bob)
        .await;
    assert_eq!(foreign.problem(), (422, "application.unknown"));
    assert_eq!(foreign.text("/errors/0/field"), "/application");
    let mut body = given.body("gold");
    body["version"] = json!("ver_00000000001");
    let unknown = given
        .house
        .post("/api/v1/subscriptions", body)
        .by(&given.ann)
        .await;
    assert_eq!(unknown.problem(), (422, "version.unknown"));
}

#[tokio::test]
async fn publishers_decide_and_owners_choose_the_plan() {
    let given = Given::new().await;
    let house = &given.house;
    let path = path(&given.subscribe("gold").await);
    let own = house
        .patch(&path, json!({"status": "active"}))
        .by(&given.ann)
        .await;
    assert_eq!(own.problem(), (403, "role.missing"));
    for status in ["blocked", "blocked_production", "active"] {
        assert_eq!(given.decide(&path, status).await.text("/status"), status);
    }

    let silver = house
        .patch(&path, json!({"plan": "silver"}))
        .by(&given.ann)
        .await;
    assert_eq!(silver.status, 200, "{silver:?}");
    let bronze = house
        .patch(&path, json!({"plan": "bronze"}))
        .by(&given.ann)
        .await;
    assert_eq!(bronze.problem(), (409, "plan.not_offered"));
    let foreign = house
        .patch(&path, json!({"plan": "gold"}))
        .by(&given.publisher)
        .await;
    assert_eq!(foreign.problem(), (404, "subscription.unknown"));
    let now = house.get(&path).by(&given.publisher).await;
    assert_eq!(now.text("/plan"), silver.text("/plan"));
}

#[tokio::test]
async fn each_decision_has_its_own_reason() {
    let given = Given::new().await;
    let path = path(&given.subscribe("gold").await);
    let patch = |body| given.house.patch(&path, body);
    let blocked = patch(json!({"status": "blocked", "reason": "too many calls"}));
    let blocked = blocked.by(&given.publisher).await.expect(200);
    assert_eq!(blocked.text("/reason"), "too many calls");
    let seen = given.house.get(&path).by(&given.ann).await;
    assert_eq!(seen.text("/reason"), "too many calls");
    for (body, code) in [
        (json!({"reason": "no decision"}), "subscription.reason"),
        (
            json!({"status": "active", "reason": "a".repeat(1_001)}),
            "text.too_long",
        ),
    ] {
        let refused = patch(body).by(&given.publisher).await;
        assert_eq!(refused.problem(), (422, code));
        assert_eq!(refused.text("/errors/0/field"), "/reason");
    }
    let active = given.decide(&path, "active").await.expect(200);
    assert_eq!(active.body.get("reason"), None);
}

#[tokio::test]
async fn the_owner_of_an_api_grants_scopes_that_it_gives_by_approval() {
    let given = Given::new().await;
    let house = &given.house;
    let draft = format!("/api/v1/versions/{}/draft", given.version);
    let scopes = json!({
        "read": "May read",
        "admin": {"text": "May do all", "granted": "by_approval"},
        "write": {"granted": "by_approval"},
    });
    let security = json!({"security": {"oauth2": {}, "scopes": scopes}});
    house
        .patch(&draft, security)
        .by(&given.publisher)
        .await
        .expect(200);
    let path = path(&given.subscribe("gold").await);
    let scopes = format!("{path}/scopes");
    let grant = async |person: &Person, names: Value| house.put(&scopes, names).by(person).await;

    let granted = grant(&given.publisher, json!(["write", "admin", "write"])).await;
    assert_eq!(
        granted.expect(200).body["scopes"],
        json!(["admin", "write"])
    );
    let seen = house.get("/api/v1/subscriptions").by(&given.ann).await;
    assert_eq!(seen.body["items"][0]["scopes"], json!(["admin", "write"]));
    let wrong = grant(&given.publisher, json!(["admin", "read", "delete"])).await;
    assert_eq!(wrong.problem(), (422, "body.invalid"));
    assert_eq!(wrong.text("/errors/0/code"), "scope.given_freely");
    assert_eq!(wrong.text("/errors/1/code"), "scope.unknown");
    assert_eq!(wrong.text("/errors/1/field"), "/2");

    let bob = house.person("bob", &[Role::Publisher]).await;
    let root = house.person("root", &[Role::Administrator]).await;
    let own = grant(&given.ann, json!(["admin"])).await;
    assert_eq!(own.problem(), (403, "role.missing"));
    let foreign = grant(&bob, json!(["admin"])).await;
    assert_eq!(foreign.problem(), (403, "api.not_owner"));
    let left = grant(&root, json!(["admin"])).await.expect(200);
    assert_eq!(left.body["scopes"], json!(["admin"]));

    // A granted scope may stay when the version no longer declares it.
    let security = json!({"security": {"scopes": {"admin": null}}});
    house
        .patch(&draft, security)
        .by(&given.publisher)
        .await
        .expect(200);
    let stays = grant(&given.publisher, json!(["admin", "write"])).await;
    assert_eq!(stays.expect(200).body["scopes"], json!(["admin", "write"]));
    let none = grant(&given.publisher, json!([])).await.expect(200);
    assert_eq!(none.body["scopes"], json!([]));
    let again = grant(&given.publisher, json!(["admin"])).await;
    assert_eq!(again.problem(), (422, "scope.unknown"));
    house.delete(&path).by(&given.ann).await.expect(204);
    let ended = grant(&given.publisher, json!([])).await;
    assert_eq!(ended.problem(), (404, "subscription.unknown"));
}

#[tokio::test]
async fn unsubscribing_while_blocked_does_not_lift_the_block() {
    let given = Given::new().await;
    let house = &given.house;
    let first = path(&given.subscribe("gold").await);
    let bob = house.person("bob", &[Role::Developer]).await;
    let foreign = (404, "subscription.unknown");
    assert_eq!(house.get(&first).by(&bob).await.problem(), foreign);
    assert_eq!(house.delete(&first).by(&bob).await.problem(), foreign);
    let patch = house.patch(&first, json!({"plan": "silver"}));
    assert_eq!(patch.by(&bob).await.problem(), foreign);
    given.decide(&first, "blocked").await;
    assert_eq!(house.delete(&first).by(&given.ann).await.status, 204);
    let gone = (404, "subscription.unknown");
    assert_eq!(house.get(&first).by(&given.ann).await.problem(), gone);
    assert_eq!(given.decide(&first, "active").await.problem(), gone);

    let back = given.subscribe("silver").await;
    assert_eq!(back.text("/status"), "blocked");
    given.decide(&path(&back), "active").await;
    assert_eq!(house.delete(&path(&back)).by(&given.ann).await.status, 204);
    assert_eq!(given.subscribe("gold").await.text("/status"), "active");
}

/// Returns what a status may be changed to, by whom: the API's owner unless it is `pending`.
fn next(status: Status) -> &'static [&'static str] {
    match status {
        Status::Pending => &["active", "rejected"],
        Status::Active => &["blocked", "blocked_production"],
        Status::Blocked => &["active", "blocked_production"],
        Status::BlockedProduction => &["active", "blocked"],
        Status::Rejected => &["active", "pending"],
    }
}

#[tokio::test]
async fn each_status_is_followed_only_by_those_of_the_table_and_set_by_whom_it_names() {
    let given = Given::new().await;
    let house = &given.house;
    let root = house.person("root", &[Role::Administrator]).await;
    let path = path(&given.subscribe("gold").await);
    let refused = (409, "subscription.status");
    for from in STATUSES {
        for to in STATUSES.map(Status::word) {
            let allowed = next(from).contains(&to);
            for (person, role) in [
                (&root, "root"),
                (&given.publisher, "owner"),
                (&given.ann, "ann"),
            ] {
                given.set_status(&path, from).await;
                let patch = json!({"status": to});
                let answer = house.patch(&path, patch).by(person).await;
                let is_own_side = role == "root" || (role == "ann") == (to == "pending");
                let case = format!("{} to {to} by {role}", from.word());
                if role == "ann" && to != "pending" {
                    assert_eq!(answer.problem(), (403, "role.missing"), "{case}");
                } else if allowed && is_own_side {
                    assert_eq!(answer.expect(200).text("/status"), to, "{case}");
                    continue;
                } else {
                    assert_eq!(answer.problem(), refused, "{case}");
                    assert_eq!(answer.text("/errors/0/field"), "/status");
                }
                let now = house.get(&path).by(&root).await;
                assert_eq!(now.text("/status"), from.word(), "{case}");
            }
        }
    }
}

#[tokio::test]
async fn a_rejected_subscription_is_requested_again_and_waits_for_a_decision() {
    let given = Given::new().await;
    let house = &given.house;
    let first = path(&given.subscribe("gold").await);
    let rejected = async |path: &str| {
        given.set_status(path, Status::Pending).await;
        let reject = house.patch(
            path,
            json!({"status": "rejected", "reason": "who are you?"}),
        );
        let rejected = reject.by(&given.publisher).await.expect(200);
        assert_eq!(rejected.text("/reason"), "who are you?");
    };
    let request = |path: &str, body: Value| house.patch(path, body).by(&given.ann);

    // In place, with another plan.
    rejected(&first).await;
    let body = json!({"status": "pending", "plan": "silver"});
    let again = request(&first, body).await.expect(200);
    assert_eq!(
        (again.text("/status"), again.text("/plan_name")),
        ("pending", "silver")
    );
    assert_eq!(again.body.get("reason"), None);

    // By subscribing again.
    rejected(&first).await;
    let again = given.subscribe("gold").await.expect(200);
    assert_eq!(
        format!("/api/v1/subscriptions/{}", again.text("/id")),
        first
    );
    assert_eq!(
        (again.text("/status"), again.text("/plan_name")),
        ("pending", "gold")
    );
    let twice = given.subscribe("gold").await;
    assert_eq!(twice.problem(), (409, "subscription.exists"));

    // By unsubscribing first, also while it waits.
    for status in [Status::Pending, Status::Rejected] {
        let live = house.get("/api/v1/subscriptions").by(&given.ann).await;
        let live = format!("/api/v1/subscriptions/{}", live.text("/items/0/id"));
        given.set_status(&live, status).await;
        house.delete(&live).by(&given.ann).await.expect(204);
        let back = given.subscribe("gold").await.expect(201);
        assert_eq!(back.text("/status"), "pending");
        assert_eq!(back.body.get("reason"), None);
    }
    let live = house.get("/api/v1/subscriptions").by(&given.ann).await;
    let live = format!("/api/v1/subscriptions/{}", live.text("/items/0/id"));
    given.decide(&live, "active").await.expect(200);

    // Not once the version accepts no subscriptions, nor by others.
    given.set_status(&live, Status::Rejected).await;
    let bob = house.person("bob", &[Role::Developer]).await;
    let foreign = house.patch(&live, json!({"status": "pending"})).by(&bob);
    assert_eq!(foreign.await.problem(), (404, "subscription.unknown"));
    given.lifecycle("deprecated").await.expect(200);
    let late = request(&live, json!({"status": "pending"})).await;
    assert_eq!(late.problem(), (409, "version.not_open"));
    assert_eq!(
        given.subscribe("gold").await.problem(),
        (409, "version.not_open")
    );
}

#[tokio::test]
async fn a_list_shows_the_callers_own_subscriptions() {
    let given = Given::new().await;
    let house = &given.house;
    path(&given.subscribe("gold").await);
    let bob = house.person("bob", &[Role::Developer]).await;
    let count = async |person, query: &str| {
        let list = house
            .get(&format!("/api/v1/subscriptions{query}"))
            .by(person)
            .await;
        assert_eq!(list.status, 200, "{list:?}");
        list.body["items"].as_array().unwrap().len()
    };
    assert_eq!(count(&given.ann, "").await, 1);
    assert_eq!(count(&bob, "").await, 0);
    assert_eq!(count(&given.publisher, "?status=active").await, 1);
    assert_eq!(count(&given.publisher, "?status=blocked").await, 0);
    let of_version = format!("?version={}", given.version);
    assert_eq!(count(&given.publisher, &of_version).await, 1);
    assert_eq!(count(&given.ann, &of_version).await, 1);
    assert_eq!(count(&bob, &of_version).await, 0);
    let of_application = format!("?application={}", given.application);
    assert_eq!(count(&given.ann, &of_application).await, 1);
    let foreign = house
        .get(&format!("/api/v1/subscriptions{of_application}"))
        .by(&bob)
        .await;
    assert_eq!(foreign.problem(), (404, "application.unknown"));
}

#[tokio::test]
async fn a_plan_in_use_cannot_be_deleted() {
    let given = Given::new().await;
    path(&given.subscribe("gold").await);
    let root = given.house.person("root", &[Role::Administrator]).await;
    let plans = given.house.get("/api/v1/plans").by(&root).await;
    let gold = plans.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "gold");
    let gold = format!("/api/v1/plans/{}", gold.unwrap()["id"].as_str().unwrap());
    assert_eq!(
        given.house.delete(&gold).by(&root).await.problem(),
        (409, "in_use")
    );
    let offer = format!("/api/v1/versions/{}/plans", given.version);
    given.house.put(&offer, json!(["silver"])).by(&root).await;
    assert_eq!(
        given.house.delete(&gold).by(&root).await.problem(),
        (409, "in_use")
    );
}
