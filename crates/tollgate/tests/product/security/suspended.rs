//! Credentials that are created while their owner is suspended: they work only after `resume`.

use serde_json::json;
use tollgate_testkit::http;

use super::{Secured, any_scheme, bearer, by, secured};
use crate::house::{get, user};

/// A key that an administrator created for a suspended developer worked at once.
#[tokio::test]
async fn a_suspended_owners_new_credentials_wait_for_resume() {
    let it = Secured::new(&secured()).await;
    it.secure(any_scheme(), json!({})).await;
    let (tollgate, version) = (&it.house.tollgate, &it.house.api.version);
    let (admin, gateway) = (&it.house.admin, tollgate.gateway);
    let dana = user(admin, tollgate, ("dana", &["developer"])).await;
    let shop = dana.consumer("shop", version, "tested").await.unwrap();
    let session = dana.done("GET", "/api/v1/session", None).await.unwrap();
    let path = format!("/api/v1/users/{}", session["user"].as_str().unwrap());
    let decide = async |change| admin.done("PATCH", &path, Some(&change)).await.unwrap();
    let status = async |request: &[u8]| http::call(gateway, request).await.unwrap().status;

    decide(json!({ "disabled": true, "credentials": "suspend" })).await;
    let (_, key) = admin.key(&shop.application).await.unwrap();
    let basic = admin.basic_user(&shop.application, "till").await.unwrap();
    let body = json!({ "name": "till" });
    let client = admin.client(&shop.application, &body).await.unwrap();
    let requests = [get("/pets/1.0/pets", &key), by(&basic.basic())];
    let try_it = format!("/api/v1/versions/{version}/try-it");
    let trial = json!({ "application": shop.application });
    // Enabling resumes nothing.
    for disabled in [true, false] {
        decide(json!({ "disabled": disabled })).await;
        for request in &requests {
            assert_eq!(status(request).await, 401, "disabled: {disabled}");
        }
        let token = admin.grant(&client, "").await.unwrap();
        assert_eq!(token.status, 401, "{}", token.text());
        let tried = admin.send("POST", &try_it, Some(&trial)).await.unwrap();
        assert_eq!((tried.status, &*tried.code()), (409, "try_it.suspended"));
    }
    let rotation = format!("/api/v1/basic-users/{}/rotation", basic.id);
    let now = json!({ "grace": "now" });
    let rotated = admin.send("POST", &rotation, Some(&now)).await.unwrap();
    assert_eq!(
        (rotated.status, &*rotated.code()),
        (409, "basic_user.suspended")
    );

    decide(json!({ "credentials": "resume" })).await;
    for request in &requests {
        assert_eq!(status(request).await, 200);
    }
    let token = admin.token(&client, "").await.unwrap();
    assert_eq!(status(&bearer(&token)).await, 200);
    admin.done("POST", &try_it, Some(&trial)).await.unwrap();
}

/// A restart keeps the suspension, also for try-it tokens.
#[tokio::test]
async fn an_owner_stays_suspended_over_a_restart() {
    let it = Secured::new(&secured()).await;
    it.secure(json!({ "oauth2": {} }), json!({})).await;
    let version = it.house.api.version.clone();
    let dana = user(
        &it.house.admin,
        &it.house.tollgate,
        ("dana", &["developer"]),
    )
    .await;
    let application = dana.application("shop").await.unwrap();
    dana.subscribe(&application, &version, "tested")
        .await
        .unwrap();
    let session = dana.done("GET", "/api/v1/session", None).await.unwrap();
    let path = format!("/api/v1/users/{}", session["user"].as_str().unwrap());
    let suspend = json!({ "disabled": true, "credentials": "suspend" });
    it.house
        .admin
        .done("PATCH", &path, Some(&suspend))
        .await
        .unwrap();

    let tollgate = it.house.tollgate.kill().unwrap().start().unwrap();
    let admin = it.house.admin.at(tollgate.control);
    let client = admin.client(&application, &json!({ "name": "till" })).await;
    let client = client.unwrap();
    let refused = admin.grant(&client, "").await.unwrap();
    assert_eq!(refused.status, 401, "{}", refused.text());
    let try_it = format!("/api/v1/versions/{version}/try-it");
    let trial = json!({ "application": application });
    let tried = admin.send("POST", &try_it, Some(&trial)).await.unwrap();
    assert_eq!((tried.status, &*tried.code()), (409, "try_it.suspended"));
    let resume = json!({ "credentials": "resume" });
    admin.done("PATCH", &path, Some(&resume)).await.unwrap();
    let token = admin.token(&client, "").await.unwrap();
    let answer = http::call(tollgate.gateway, &bearer(&token)).await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
}
