use std::future::IntoFuture;
use std::time::Duration;

use serde_json::json;
use tollgate_model::user::Role;
use tollgate_store::users::{self, UserChange};

use crate::harness::{Answer, Call, House};

#[tokio::test]
async fn the_last_administrator_cannot_be_demoted_disabled_or_deleted() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let path = format!("/api/v1/users/{}", root.id);
    let list = house.get("/api/v1/users").by(&root).await;
    let first = format!("/api/v1/users/{}", list.text("/items/0/id"));
    assert_eq!(
        house.delete(&first).by(&root).await.status,
        204,
        "one of two may go"
    );

    let last = (409, "user.last_administrator");
    let demote = house
        .patch(&path, json!({"roles": ["developer"]}))
        .by(&root)
        .await;
    assert_eq!(demote.problem(), last);
    let disable = house
        .patch(&path, json!({"disabled": true}))
        .by(&root)
        .await;
    assert_eq!(disable.problem(), last);
    assert_eq!(house.delete(&path).by(&root).await.problem(), last);
    assert_eq!(
        house.get(&path).by(&root).await.text("/roles/0"),
        "administrator"
    );
}

#[tokio::test]
async fn faults_of_a_user_are_reported_and_nothing_is_written() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let make = |body| house.post("/api/v1/users", body).by(&root);
    let nobody = make(json!({"name": " ", "roles": []})).await;
    assert_eq!(nobody.problem(), (422, "body.invalid"));
    assert_eq!(nobody.text("/errors/0/code"), "name.form");
    assert_eq!(nobody.text("/errors/1/field"), "/roles");
    let unknown = make(json!({"name": "ann", "roles": ["developer", "king"]})).await;
    assert_eq!(unknown.problem(), (422, "body.invalid"));
    assert_eq!(unknown.text("/errors/0/field"), "/roles/1");
    let taken = make(json!({"name": "root", "roles": ["developer"]})).await;
    assert_eq!(taken.problem(), (409, "name.taken"));
    assert_eq!(taken.text("/errors/0/field"), "/name");
    let list = house.get("/api/v1/users").by(&root).await;
    assert_eq!(list.body["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn an_owner_cannot_be_deleted_but_loses_a_role_at_once() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let roles = [Role::Publisher, Role::Developer];
    let ann = house.person("ann", &roles).await;
    house
        .post("/api/v1/applications", json!({"name": "shop"}))
        .by(&ann)
        .await;
    let path = format!("/api/v1/users/{}", ann.id);
    assert_eq!(
        house.delete(&path).by(&root).await.problem(),
        (409, "in_use")
    );
    house
        .patch(&path, json!({"roles": ["developer"]}))
        .by(&root)
        .await;
    let after = house.get("/api/v1/apis").by(&ann).await;
    assert_eq!(after.problem(), (403, "role.missing"));
}

#[tokio::test]
async fn a_list_is_read_page_by_page() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    for number in 0..3 {
        house
            .person(&format!("user {number}"), &[Role::Developer])
            .await;
    }
    let mut names = Vec::new();
    let mut path = "/api/v1/users?limit=2".to_owned();
    loop {
        let page = house.get(&path).by(&root).await;
        let items = page.body["items"].as_array().unwrap().clone();
        names.extend(
            items
                .iter()
                .map(|user| user["name"].as_str().unwrap().to_owned()),
        );
        match page.text("/next") {
            "" => break,
            next => path = format!("/api/v1/users?limit=2&after={next}"),
        }
    }
    assert_eq!(
        names,
        ["administrator", "root", "user 0", "user 1", "user 2"]
    );
    let call = async |query: &str| house.get(&format!("/api/v1/users{query}")).by(&root).await;
    assert_eq!(call("?limit=501").await.problem(), (400, "page.limit"));
    assert_eq!(
        call("?after=app_00000000001").await.problem(),
        (400, "page.after")
    );
    assert_eq!(call("?colour=red").await.problem(), (400, "query.invalid"));
    let unknown = house.get("/api/v1/users/everybody").by(&root).await;
    assert_eq!(unknown.problem(), (404, "path.unknown"));
}

/// Sends calls while another write is in progress, so that they wait behind it.
async fn waiting_behind<T>(write: impl Future<Output = T>, calls: Vec<Call>) -> (T, Vec<Answer>) {
    let calls = calls
        .into_iter()
        .map(|call| tokio::spawn(call.into_future()));
    let calls: Vec<_> = calls.collect();
    // Time to pass the gate; a call that has not passed it is rejected there all the same.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let written = write.await;
    let mut answers = Vec::new();
    for call in calls {
        answers.push(call.await.unwrap());
    }
    (written, answers)
}

#[tokio::test]
async fn requests_sent_before_disabling_or_a_demotion_do_not_run_after_it() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Administrator]).await;
    let changes = || {
        let call = |path: &str, body| house.post(path, body).by(&ann);
        let api = json!({"name": "A", "context": "/a", "version": "1"});
        vec![
            call("/api/v1/access-tokens", json!({"name": "late"})),
            call(
                "/api/v1/users",
                json!({"name": "mole", "roles": ["administrator"]}),
            ),
            call("/api/v1/apis", api),
            call("/api/v1/applications", json!({"name": "late"})),
        ]
    };
    for (roles, disabled, refusal) in [
        (vec![Role::Developer], false, (403, "role.missing")),
        (vec![Role::Developer], true, (401, "session.invalid")),
    ] {
        let roles_now = UserChange { roles, disabled };
        let mut tx = house.control.store.write().await.unwrap();
        let change = async {
            users::update(&mut tx, ann.id, &roles_now).await.unwrap();
            tx.commit().await.unwrap();
        };
        let (_, answers) = waiting_behind(change, changes()).await;
        for answer in &answers {
            assert_eq!(answer.problem(), refusal, "{answer:?}");
        }
        // Restores the state for the next row.
        let change = UserChange {
            roles: vec![Role::Administrator],
            disabled: false,
        };
        let mut tx = house.control.store.write().await.unwrap();
        users::update(&mut tx, ann.id, &change).await.unwrap();
        tx.commit().await.unwrap();
    }
    let users = house.get("/api/v1/users").by(&ann).await;
    assert!(!users.body.to_string().contains("mole"), "{users:?}");
    let apis = house.get("/api/v1/apis").by(&ann).await;
    assert_eq!(apis.body["items"], json!([]));
}

#[tokio::test]
async fn a_compatibility_form_of_a_name_is_the_same_name() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let make = |name: &str| {
        let body = json!({"name": name, "roles": ["developer"]});
        house.post("/api/v1/users", body).by(&root)
    };
    let taken = (409, "name.taken");
    make("admin").await.expect(201);
    for alike in ["\u{ff41}dmin", "\u{ff21}\u{ff24}\u{ff2d}\u{ff29}\u{ff2e}"] {
        assert_eq!(make(alike).await.problem(), taken, "{alike}");
    }
    let made = make("\u{fb01}ona\u{2461}").await.expect(201);
    assert_eq!(made.text("/name"), "fiona2");
    assert_eq!(make("Fiona2").await.problem(), taken);
    // Its plain form begins with a space.
    let spaced = make("\u{a8}dana").await.expect(422);
    assert_eq!(spaced.text("/errors/0/code"), "name.form");
    // Eighteen characters of plain text each.
    let long = make(&"\u{fdfa}".repeat(100)).await.expect(422);
    assert_eq!(long.text("/errors/0/code"), "name.form");
    // A name of an earlier release counts in its normalized form.
    house.person("\u{ff44}ana", &[Role::Developer]).await;
    assert_eq!(make("dana").await.problem(), taken);
}

#[tokio::test]
async fn credentials_of_a_suspended_owner_are_created_suspended_until_resumed() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let ann = house.person("ann", &[Role::Developer]).await;
    let shop = house
        .post("/api/v1/applications", json!({"name": "shop"}))
        .by(&ann)
        .await;
    let of = format!("/api/v1/applications/{}", shop.text("/id"));
    let path = format!("/api/v1/users/{}", ann.id);
    let decide = async |change| house.patch(&path, change).by(&root).await.expect(200);
    // She has none yet, but the decision applies to later ones.
    let suspended = decide(json!({"disabled": true, "credentials": "suspend"})).await;
    assert_eq!(suspended.body["credentials"]["keys"], 0);
    decide(json!({"disabled": false})).await;
    let mut made = Vec::new();
    for (kind, path) in [
        ("keys", "keys"),
        ("clients", "clients"),
        ("basic-users", "basic-users"),
    ] {
        let new = house.post(&format!("{of}/{kind}"), json!({})).by(&root);
        let new = new.await.expect(201);
        assert_eq!(new.text("/suspended_at"), "2026-09-21T14:13:20Z", "{kind}");
        made.push(format!("/api/v1/{path}/{}", new.text("/id")));
    }
    // An administrator resumes one of them; its secret cannot be rotated to a valid one.
    let resume = json!({"suspended": false});
    for path in &made {
        let resumed = house.patch(path, resume.clone()).by(&root).await;
        assert_eq!(resumed.expect(200).text("/suspended_at"), "");
        let rotation = format!("{path}/rotation");
        let rotated = house.post(&rotation, json!({"grace": "1h"})).by(&root);
        let rotated = rotated.await.expect(409);
        assert!(rotated.text("/code").ends_with(".suspended"), "{rotated:?}");
    }
    decide(json!({"credentials": "resume"})).await;
    for (path, made) in made.iter().zip([201, 200, 200]) {
        let rotation = format!("{path}/rotation");
        let rotated = house.post(&rotation, json!({"grace": "1h"})).by(&root);
        assert_eq!(rotated.await.expect(made).text("/suspended_at"), "");
    }
    let new = house.post(&format!("{of}/keys"), json!({})).by(&root).await;
    assert_eq!(new.expect(201).text("/suspended_at"), "");
}

#[tokio::test]
async fn clients_and_basic_users_are_suspended_and_resumed_with_their_owner() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let ann = house.person("ann", &[Role::Developer]).await;
    let shop = house
        .post("/api/v1/applications", json!({"name": "shop"}))
        .by(&ann)
        .await;
    let of = format!("/api/v1/applications/{}", shop.text("/id"));
    for (kind, body) in [
        ("keys", json!({})),
        ("clients", json!({})),
        ("basic-users", json!({"user_name": "till"})),
    ] {
        let made = house.post(&format!("{of}/{kind}"), body).by(&ann).await;
        made.expect(201);
    }
    let path = format!("/api/v1/users/{}", ann.id);
    let suspended = async || {
        let mut suspended = Vec::new();
        for kind in ["keys", "clients", "basic-users"] {
            let list = house.get(&format!("{of}/{kind}")).by(&root).await;
            suspended.push(list.expect(200).text("/items/0/suspended_at").to_owned());
        }
        suspended
    };
    let change = json!({"disabled": true});
    let unsaid = house.patch(&path, change).by(&root).await;
    assert_eq!(unsaid.problem(), (422, "user.credentials_missing"));
    let change = json!({"disabled": true, "credentials": "suspend"});
    let disabled = house.patch(&path, change).by(&root).await.expect(200);
    assert_eq!(disabled.body["credentials"]["keys"], 3);
    assert_eq!(suspended().await, ["2026-09-21T14:13:20Z"; 3]);
    let change = json!({"disabled": false, "credentials": "resume"});
    let enabled = house.patch(&path, change).by(&root).await.expect(200);
    assert_eq!(enabled.body["credentials"]["keys"], 3);
    assert_eq!(suspended().await, [""; 3]);
}
