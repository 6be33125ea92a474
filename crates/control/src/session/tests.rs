use serde_json::json;
use tollgate_model::user::Role;

use super::*;
use crate::attempts;
use crate::caller::SESSION_IDLE_US;
use crate::harness::{House, Person, SignedIn};

const PASSWORD: &str = "correct horse battery";
const HOUR_US: i64 = 3_600 * 1_000_000;

/// A house, its administrator, and a user `ann` who has signed in and changed her password.
async fn house_with(roles: &[Role]) -> (House, Person, String, SignedIn) {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let body = json!({"name": "ann", "roles": roles});
    let made = house.post("/api/v1/users", body).by(&root).await;
    assert_eq!(made.status, 201, "{made:?}");
    let one_time = made.text("/one_time_password");
    let session = house.sign_in("ann", one_time).await;
    let change = json!({"password": one_time, "new_password": PASSWORD});
    let answer = house
        .put("/api/v1/session/password", change)
        .during(&session)
        .await;
    assert_eq!(answer.status, 204, "{answer:?}");
    let path = format!("/api/v1/users/{}", made.text("/id"));
    (house, root, path, session)
}

#[tokio::test]
async fn a_one_time_password_allows_only_its_own_change() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let body = json!({"name": "ann", "roles": ["developer"]});
    let made = house.post("/api/v1/users", body).by(&root).await;
    let shown = house
        .get(&format!("/api/v1/users/{}", made.text("/id")))
        .by(&root)
        .await;
    assert_eq!(shown.text("/one_time_password"), "", "shown once only");

    let one_time = made.text("/one_time_password");
    let session = house.sign_in("ann", one_time).await;
    assert!(session.password_change);
    let early = house.get("/api/v1/applications").during(&session).await;
    assert_eq!(early.problem(), (403, "session.password_change"));

    let change = |new: &str| {
        let body = json!({"password": one_time, "new_password": new});
        house.put("/api/v1/session/password", body).during(&session)
    };
    let short = change("short").await;
    assert_eq!(short.problem(), (422, "password.length"));
    assert_eq!(short.text("/errors/0/field"), "/new_password");
    assert_eq!(change(one_time).await.problem(), (422, "password.same"));
    assert_eq!(change(PASSWORD).await.status, 204);
    assert_eq!(
        house
            .get("/api/v1/applications")
            .during(&session)
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_change_of_password_ends_every_other_session() {
    let (house, _, _, session) = house_with(&[Role::Developer]).await;
    let other = house.sign_in("ann", PASSWORD).await;
    let change = |password: &str| {
        let body = json!({"password": password, "new_password": "another long password"});
        house.put("/api/v1/session/password", body).during(&session)
    };
    assert_eq!(
        change("wrong password").await.problem(),
        (422, "password.wrong")
    );
    assert_eq!(
        house.get("/api/v1/session").during(&other).await.status,
        200
    );
    assert_eq!(change(PASSWORD).await.status, 204);
    assert_eq!(
        house.get("/api/v1/session").during(&other).await.status,
        401
    );
    assert_eq!(
        house.get("/api/v1/session").during(&session).await.status,
        200
    );
}

#[tokio::test]
async fn the_cookie_is_hidden_from_scripts_and_other_sites() {
    let (house, ..) = house_with(&[Role::Developer]).await;
    let body = json!({"name": "ann", "password": PASSWORD});
    let answer = house.post("/api/v1/session", body.clone()).await;
    let cookie = answer.header("set-cookie").unwrap();
    let (secret, flags) = cookie.split_once("; ").unwrap();
    assert!(secret.starts_with("tollgate_session=") && secret.len() > 40);
    assert_eq!(
        flags,
        "Path=/api/v1; Max-Age=43200; HttpOnly; SameSite=Strict"
    );
    assert_eq!(answer.text("/expires_at"), "2026-09-22T02:13:20Z");
    // Browsers distinguish cookies of one name by their paths: the old one would stay.
    let expired = "tollgate_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";
    assert_eq!(answer.headers("set-cookie").nth(1), Some(expired));

    let (_, secure) = super::cookie(Via(UriScheme::Https), "secret", COOKIE_PATH, 9);
    let flags = "Path=/api/v1; Max-Age=9; HttpOnly; SameSite=Strict; Secure";
    assert_eq!(
        secure.to_str().unwrap(),
        format!("__Secure-tollgate_session=secret; {flags}")
    );
}

#[tokio::test]
async fn a_change_by_cookie_needs_the_sessions_own_token() {
    let (house, _, _, session) = house_with(&[Role::Developer]).await;
    let other = house.sign_in("ann", PASSWORD).await;
    let make = |csrf: Option<&str>| {
        let call = house.post("/api/v1/applications", json!({"name": "shop"}));
        let call = call.header("cookie", &session.cookie);
        match csrf {
            Some(csrf) => call.header("x-csrf-token", csrf),
            None => call,
        }
    };
    assert_eq!(make(None).await.problem(), (403, "session.csrf"));
    assert_eq!(
        make(Some(&other.csrf)).await.problem(),
        (403, "session.csrf")
    );
    assert_eq!(make(Some(&session.csrf)).await.status, 201);
    let shown = house
        .get("/api/v1/session")
        .header("cookie", &session.cookie)
        .await;
    assert_eq!(
        shown.text("/csrf"),
        session.csrf,
        "a reloaded page finds it here"
    );
}

#[tokio::test]
async fn a_session_ends_on_sign_out_when_idle_and_after_twelve_hours() {
    let (house, _, _, session) = house_with(&[Role::Developer]).await;
    let is_open = async |session: &SignedIn| {
        let answer = house.get("/api/v1/session").during(session).await;
        assert!(answer.status == 200 || answer.problem() == (401, "session.invalid"));
        answer.status == 200
    };
    let out = house.delete("/api/v1/session").during(&session).await;
    assert_eq!(out.status, 204);
    let ended: Vec<_> = out.headers("set-cookie").collect();
    let is_ended = |cookie: &&str| cookie.contains("session=;") && cookie.contains("Max-Age=0");
    assert!(ended.len() == 2 && ended.iter().all(is_ended), "{ended:?}");
    assert!(ended[0].contains("Path=/api/v1;") && ended[1].contains("Path=/;"));
    assert!(!is_open(&session).await);

    let idle = house.sign_in("ann", PASSWORD).await;
    house.wait(SESSION_IDLE_US - 1);
    assert!(is_open(&idle).await);
    house.wait(SESSION_IDLE_US - 1);
    assert!(is_open(&idle).await, "use moves the end");
    house.wait(SESSION_IDLE_US);
    assert!(!is_open(&idle).await);

    let busy = house.sign_in("ann", PASSWORD).await;
    for _ in 0..11 {
        house.wait(HOUR_US);
        assert!(is_open(&busy).await);
    }
    house.wait(HOUR_US);
    assert!(!is_open(&busy).await);
}

#[tokio::test]
async fn a_disabled_user_is_out_at_once_and_cannot_come_back() {
    let (house, root, ann, session) = house_with(&[Role::Developer]).await;
    let token = house.post("/api/v1/access-tokens", json!({"name": "script"}));
    let token = token.during(&session).await.text("/token").to_owned();
    let by_token = || {
        house
            .get("/api/v1/session")
            .header("authorization", &format!("Bearer {token}"))
    };
    assert_eq!(by_token().await.status, 200);

    let answer = house.patch(&ann, json!({"disabled": true})).by(&root).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(
        house.get("/api/v1/session").during(&session).await.status,
        401
    );
    assert_eq!(by_token().await.status, 401);
    let body = json!({"name": "ann", "password": PASSWORD});
    let again = house.post("/api/v1/session", body).await;
    assert_eq!(again.problem(), (401, "session.wrong"));

    house
        .patch(&ann, json!({"disabled": false}))
        .by(&root)
        .await;
    assert_eq!(
        house.get("/api/v1/session").during(&session).await.status,
        401
    );
    assert_eq!(by_token().await.status, 401, "an ended token stays ended");
    assert!(!house.sign_in("ann", PASSWORD).await.password_change);
}

#[tokio::test]
async fn wrong_names_and_passwords_look_the_same_and_lock_the_name_for_their_address() {
    let (house, ..) = house_with(&[Role::Developer]).await;
    let try_in = async |name: &str, password: &str| {
        let body = json!({"name": name, "password": password});
        house.post("/api/v1/session", body).await
    };
    let wrong = try_in("ann", "not the password").await;
    let unknown = try_in("bob", "not the password").await;
    assert_eq!(wrong.problem(), (401, "session.wrong"));
    assert_eq!(wrong.problem(), unknown.problem());
    assert_eq!(wrong.text("/detail"), unknown.text("/detail"));

    for _ in 1..attempts::ATTEMPTS_MAX {
        assert_eq!(try_in("ann", "not the password").await.status, 401);
    }
    let closed = try_in("ann", PASSWORD).await;
    assert_eq!(closed.problem(), (429, "session.too_many"));
    assert_eq!(closed.header("retry-after"), Some("901"));
    let body = json!({"name": "ann", "password": PASSWORD});
    let elsewhere = house.post("/api/v1/session", body);
    let elsewhere = elsewhere.bound_to([127, 0, 0, 2].into()).await;
    assert_eq!(elsewhere.status, 201, "a stranger does not lock her out");
    assert_eq!(try_in("ann", PASSWORD).await.status, 429);
    house.wait(attempts::WINDOW_US);
    assert_eq!(try_in("ann", PASSWORD).await.status, 201);
}

#[tokio::test]
async fn an_access_token_is_shown_once_and_ends_by_its_time_or_by_hand() {
    let (house, _, _, session) = house_with(&[Role::Developer]).await;
    let make = |body: serde_json::Value| house.post("/api/v1/access-tokens", body).during(&session);
    let past = make(json!({"name": "late", "expires_at": "2020-01-01T00:00:00Z"})).await;
    assert_eq!(past.problem(), (422, "access_token.expired"));

    let short = make(json!({"name": "short", "expires_at": "2026-09-21T15:00:00Z"})).await;
    assert_eq!(short.status, 201, "{short:?}");
    let long = make(json!({"name": "long"})).await;
    let list = house.get("/api/v1/access-tokens").during(&session).await;
    assert_eq!(list.body["items"].as_array().unwrap().len(), 2);
    assert_eq!(list.text("/items/0/token"), "");
    assert!(short.text("/token").ends_with(list.text("/items/0/hint")));

    let status = async |made: &crate::harness::Answer| {
        let token = format!("Bearer {}", made.text("/token"));
        house
            .get("/api/v1/session")
            .header("authorization", &token)
            .await
            .status
    };
    assert_eq!((status(&short).await, status(&long).await), (200, 200));
    house.wait(HOUR_US);
    assert_eq!((status(&short).await, status(&long).await), (401, 200));
    let used = house.get("/api/v1/access-tokens").during(&session).await;
    assert_eq!(used.text("/items/1/last_used_at"), "2026-09-21T15:13:20Z");

    let path = format!("/api/v1/access-tokens/{}", long.text("/id"));
    let bob = house.person("bob", &[Role::Publisher]).await;
    for foreign in [house.get(&path), house.delete(&path)] {
        let refused = foreign.by(&bob).await;
        assert_eq!(refused.problem(), (404, "access_token.unknown"));
    }
    let ann = format!("/api/v1/access-tokens?user={}", long.text("/user"));
    assert_eq!(
        house.get(&ann).by(&bob).await.problem(),
        (403, "role.missing")
    );
    assert_eq!(house.delete(&path).during(&session).await.status, 204);
    assert_eq!(status(&long).await, 401);
}

#[tokio::test]
async fn of_two_changes_from_one_password_one_wins() {
    let (house, root, path, _) = house_with(&[Role::Developer]).await;
    for is_one_session in [false, true] {
        let reset = house.patch(&path, json!({"reset_password": true}));
        let reset = reset.by(&root).await.expect(200);
        let one_time = reset.text("/one_time_password");
        let one = house.sign_in("ann", one_time).await;
        let other = house.sign_in("ann", one_time).await;
        let other = if is_one_session { &one } else { &other };
        let change = async |session: &SignedIn, new: &str| {
            let body = json!({"password": one_time, "new_password": new});
            let answer = house.put("/api/v1/session/password", body);
            answer.during(session).await.status
        };
        let (one, other) = tokio::join!(
            change(&one, "the first of two words"),
            change(other, "the other of two words")
        );
        assert_eq!([one.min(other), one.max(other)], [204, 401]);
        let new = if one == 204 { "first" } else { "other" };
        house
            .sign_in("ann", &format!("the {new} of two words"))
            .await;
    }
}
