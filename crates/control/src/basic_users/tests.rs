use serde_json::json;
use tollgate_model::credential::CredentialId;
use tollgate_model::feed::Event;
use tollgate_model::user::Role;
use tollgate_store::feed::{self, Fact};
use tollgate_tokens::basic;

use crate::credentials::LIVE_MAX;
use crate::harness::{House, NOW_US};

#[tokio::test]
async fn a_password_is_shown_once_and_told_as_the_digest_of_both() {
    let (house, ann, users) = House::with_application("basic-users").await;
    let wanted = json!({"user_name": "till-1@shop.example", "environment": "sandbox"});
    let made = house.post(&users, wanted).by(&ann).await.expect(201);
    let password = made.text("/password");
    assert!(
        password.starts_with("tg_pw_") && password.len() == 34,
        "{password}"
    );
    assert!(password.ends_with(made.text("/hint")));
    assert_eq!(made.text("/name"), "till-1@shop.example");
    let application = made.text("/application");
    let user_name = format!("{application}.till-1@shop.example");
    assert_eq!(made.text("/user_name"), user_name);
    let list = house.get(&users).by(&ann).await;
    assert_eq!(list.text("/items/0/password"), "");
    assert_eq!(list.text("/items/0/hint"), made.text("/hint"));
    let whole = feed::whole(&house.control.store, NOW_US).await.unwrap();
    let served = whole.facts.iter().find_map(|fact| match fact {
        Fact::Ready(Event::Credential(it)) => Some(it),
        _ => None,
    });
    let served = served.unwrap();
    assert_eq!(served.digest, basic::digest(&user_name, password));
    assert!(matches!(served.id, CredentialId::BasicUser(_)));

    let path = format!("/api/v1/basic-users/{}", made.text("/id"));
    let bob = house.person("bob", &[Role::Developer]).await;
    let foreign = (404, "basic_user.unknown");
    assert_eq!(house.get(&path).by(&bob).await.problem(), foreign);
    assert_eq!(house.delete(&path).by(&bob).await.problem(), foreign);
    house.delete(&path).by(&ann).await.expect(204);
    let gone = house.get(&path).by(&ann).await.expect(200);
    assert_eq!(gone.text("/revoked_at"), "2026-09-21T14:13:20Z");
}

#[tokio::test]
async fn a_name_is_taken_for_ever_and_a_wrong_one_is_refused() {
    let (house, ann, users) = House::with_application("basic-users").await;
    let make = async |name: &str| {
        house
            .post(&users, json!({"user_name": name}))
            .by(&ann)
            .await
    };
    let first = make("till").await.expect(201);
    let taken = (409, "basic_user.name_taken");
    assert_eq!(make("TILL").await.problem(), taken);
    let path = format!("/api/v1/basic-users/{}", first.text("/id"));
    house.delete(&path).by(&ann).await.expect(204);
    let late = make("till").await;
    assert_eq!(late.problem(), taken);
    assert_eq!(late.text("/errors/0/field"), "/user_name");
    for wrong in ["", "a:b", "a b", "b\u{fc}cher", &"x".repeat(65)] {
        let refused = make(wrong).await.expect(422);
        assert_eq!(refused.text("/errors/0/code"), "basic_user.name", "{wrong}");
    }
    make(&"x".repeat(64)).await.expect(201);
    let chosen = json!({"user_name": "chosen", "password": "correct horse"});
    let chosen = house.post(&users, chosen).by(&ann).await;
    assert_eq!(chosen.problem(), (422, "basic_user.password"));
    assert_eq!(
        chosen.text("/detail"),
        "passwords are generated: omit this member"
    );
}

#[tokio::test]
async fn a_name_says_nothing_about_other_applications_and_is_drawn_without_a_wish() {
    let (house, ann, of_ann) = House::with_application("basic-users").await;
    let bob = house.person("bob", &[Role::Developer]).await;
    let shop = house.post("/api/v1/applications", json!({"name": "shop"}));
    let shop = shop.by(&bob).await.expect(201);
    let of_bob = format!("/api/v1/applications/{}/basic-users", shop.text("/id"));
    let wish = json!({"user_name": "Try-It-till"});
    let mut names = Vec::new();
    for (path, person) in [(&of_ann, &ann), (&of_bob, &bob)] {
        let made = house.post(path, wish.clone()).by(person).await.expect(201);
        let name = made.text("/user_name").to_owned();
        assert_eq!(name, format!("{}.Try-It-till", made.text("/application")));
        let again = house.post(path, wish.clone()).by(person).await;
        assert_eq!(again.problem(), (409, "basic_user.name_taken"));
        names.push(name);
    }
    assert_ne!(names[0], names[1]);
    let drawn = house.post(&of_ann, json!({})).by(&ann).await.expect(201);
    let chosen = drawn.text("/id").trim_start_matches("bas_");
    let user_name = format!("{}.{chosen}", drawn.text("/application"));
    assert_eq!(drawn.text("/user_name"), user_name);
    assert_eq!(drawn.text("/name"), chosen);
}

#[tokio::test]
async fn a_password_is_rotated_with_grace_and_the_user_is_suspended() {
    let (house, ann, users) = House::with_application("basic-users").await;
    let root = house.person("root", &[Role::Administrator]).await;
    let made = house
        .post(&users, json!({"user_name": "till"}))
        .by(&ann)
        .await;
    let path = format!("/api/v1/basic-users/{}", made.text("/id"));
    let rotation = format!("{path}/rotation");
    let rotate = async |grace: &str| {
        house
            .post(&rotation, json!({"grace": grace}))
            .by(&ann)
            .await
    };
    let rotated = rotate("1h").await.expect(200);
    assert_ne!(rotated.text("/password"), made.text("/password"));
    assert_eq!(rotated.text("/previous_until"), "2026-09-21T15:13:20Z");
    assert_eq!(rotate("24h").await.problem(), (409, "credential.rotating"));
    let now = rotate("now").await.expect(200);
    assert_eq!(now.text("/previous_until"), "");

    let suspend = json!({"suspended": true});
    let refused = house.patch(&path, suspend.clone()).by(&ann).await;
    assert_eq!(refused.problem(), (403, "role.missing"));
    house.patch(&path, suspend).by(&root).await.expect(200);
    assert_eq!(rotate("now").await.problem(), (409, "basic_user.suspended"));
    let named = house.patch(&path, json!({"name": "other"})).by(&ann).await;
    assert_eq!(named.expect(200).text("/name"), "other");
    house.delete(&path).by(&ann).await.expect(204);
    assert_eq!(rotate("now").await.problem(), (409, "basic_user.revoked"));
}

#[tokio::test]
async fn an_application_has_a_bounded_number_of_live_users() {
    let (house, ann, users) = House::with_application("basic-users").await;
    for number in 0..LIVE_MAX {
        let wanted = json!({"user_name": format!("till-{number}")});
        house.post(&users, wanted).by(&ann).await.expect(201);
    }
    let more = json!({"user_name": "more"});
    let refused = house.post(&users, more.clone()).by(&ann).await;
    assert_eq!(refused.problem(), (409, "basic_user.too_many"));
    let list = house.get(&users).by(&ann).await;
    let first = format!("/api/v1/basic-users/{}", list.text("/items/0/id"));
    house.delete(&first).by(&ann).await.expect(204);
    // The rejected request did not use up the name.
    house.post(&users, more).by(&ann).await.expect(201);
}
