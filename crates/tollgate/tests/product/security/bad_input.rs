//! Invalid requests to the key manager, and tokens after a change of their holder: each gets the
//! RFC's error or a refusal of the gateway, nothing is partially issued, and valid calls succeed.

use serde_json::{Value, json};
use tollgate_testkit::credentials::Secret;
use tollgate_testkit::{Answer, http};

use super::restart::answer;
use super::revoke;
use super::{Fields, Secured, any_scheme, bearer, secured};
use crate::attack::old_data::database;
use crate::house::user;

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// The endpoints for clients, each with a valid form.
const ENDPOINTS: [(&str, &str); 3] = [
    ("/oauth2/token", "grant_type=client_credentials"),
    ("/oauth2/revoke", "token=x"),
    ("/oauth2/introspect", "token=x"),
];

async fn post(it: &Secured, path: &str, fields: Fields<'_>, body: &str) -> Answer {
    let request = http::request("POST", path, fields, body.as_bytes());
    let answer = http::call(it.house.tollgate.control, &request).await;
    answer.unwrap()
}

/// Returns the number of opaque tokens in the store.
async fn stored(it: &Secured) -> i64 {
    let path = it.house.tollgate.builder().data().join("tollgate.db");
    let mut store = database(&path).await;
    let count = sqlx::query_scalar("select count(*) from tokens");
    count.fetch_one(&mut store).await.unwrap()
}

#[tokio::test]
async fn an_invalid_request_of_a_client_gets_its_error_at_every_endpoint_and_issues_nothing() {
    let it = Secured::new(&secured()).await;
    it.secure(any_scheme(), json!({})).await;
    let client = it.client_with(json!({ "form": "opaque" })).await;
    let token = it.house.admin.token(&client, "").await.unwrap();
    let basic = client.basic();
    let by: (&str, &str) = ("Authorization", &basic);
    let json_type = ("Content-Type", "application/json");
    let in_body = format!("&client_id={}&client_secret={}", client.id, client.text);
    let guessed = Secret {
        text: "tg_cs_0000000000000000000000000000".to_owned(),
        ..client.clone()
    };
    let guessed = guessed.basic();
    let megabyte = "x".repeat(1 << 20);
    for (path, good) in ENDPOINTS {
        let (name, _) = good.split_once('=').unwrap();
        let rows: [(Fields<'_>, String, &str); 11] = [
            (&[by, FORM], format!("{good}&{good}"), "invalid_request"),
            (&[by, FORM], format!("{name}="), "invalid_request"),
            (&[by, FORM], String::new(), "invalid_request"),
            (
                &[by, FORM],
                format!("{good}&x={megabyte}"),
                "invalid_request",
            ),
            (&[by, FORM], format!("{name}={megabyte}"), "invalid_request"),
            (&[by, json_type], good.to_owned(), "invalid_request"),
            (&[by], good.to_owned(), "invalid_request"),
            (&[by, FORM], format!("{good}{in_body}"), "invalid_request"),
            (&[by, by, FORM], good.to_owned(), "invalid_request"),
            (&[FORM], good.to_owned(), "invalid_client"),
            (
                &[("Authorization", &guessed), FORM],
                good.to_owned(),
                "invalid_client",
            ),
        ];
        for (fields, body, code) in rows {
            let answer = post(&it, path, fields, &body).await;
            let shown: String = body.chars().take(80).collect();
            let status = if code == "invalid_client" { 401 } else { 400 };
            let reported = (answer.status, &answer.json()["error"]);
            assert_eq!(reported, (status, &json!(code)), "{path} {shown}");
            assert_eq!(answer.field("cache-control"), Some("no-store"), "{shown}");
            let has_challenge = answer.field("www-authenticate").is_some();
            assert_eq!(has_challenge, status == 401, "{path} {shown}");
        }
        assert_eq!(answer(&it.house.tollgate, &bearer(&token)).await.0, 200);
    }
    let unknown = "&resource=https://elsewhere.example/pets/1.0";
    let refused = it.house.admin.grant(&client, unknown).await.unwrap();
    assert_eq!(refused.json()["error"], "invalid_target");
    assert_eq!(stored(&it).await, 1);
}

#[tokio::test]
async fn a_client_of_another_application_can_neither_revoke_nor_introspect_a_token() {
    let it = Secured::new(&secured()).await;
    it.secure(any_scheme(), json!({})).await;
    let dana = user(
        &it.house.admin,
        &it.house.tollgate,
        ("dana", &["developer"]),
    )
    .await;
    let application = dana.application("dana's").await.unwrap();
    let body = json!({ "name": "till" });
    let stranger = dana.client(&application, &body).await.unwrap();
    for form in ["jwt", "opaque"] {
        let client = it.client_with(json!({ "form": form })).await;
        let token = it.house.admin.token(&client, "").await.unwrap();
        let refused = revoke(it.house.tollgate.control, &stranger, &token).await;
        let reported = (refused.status, refused.json()["error"].clone());
        assert_eq!(reported, (400, json!("unauthorized_client")), "{form}");
        let basic = stranger.basic();
        let fields = [("Authorization", &*basic), FORM];
        let received = post(
            &it,
            "/oauth2/introspect",
            &fields,
            &format!("token={token}"),
        )
        .await;
        assert_eq!(received.json(), json!({ "active": false }), "{form}");
        assert_eq!(answer(&it.house.tollgate, &bearer(&token)).await.0, 200);
    }
}

#[tokio::test]
async fn a_client_that_is_suspended_or_has_ended_can_no_longer_use_its_token() {
    let it = Secured::new(&secured()).await;
    it.secure(any_scheme(), json!({})).await;
    let refused = (401, "authenticate.invalid".to_owned());
    for form in ["jwt", "opaque"] {
        let client = it.client_with(json!({ "form": form })).await;
        let token = bearer(&it.house.admin.token(&client, "").await.unwrap());
        // Cached by whichever worker gets it.
        assert_eq!(answer(&it.house.tollgate, &token).await.0, 200);
        let path = format!("/api/v1/clients/{}", client.id);
        let patch = async |change: Value| {
            let done = it.house.admin.done("PATCH", &path, Some(&change)).await;
            done.unwrap();
        };
        patch(json!({ "suspended": true })).await;
        assert_eq!(answer(&it.house.tollgate, &token).await, refused, "{form}");
        let grant = it.house.admin.grant(&client, "").await.unwrap();
        assert_eq!(grant.json()["error"], "invalid_client", "{form}");
        patch(json!({ "suspended": false })).await;
        assert_eq!(answer(&it.house.tollgate, &token).await.0, 200, "{form}");
        patch(json!({ "not_before": "2099-01-01T00:00:00Z" })).await;
        assert_eq!(answer(&it.house.tollgate, &token).await, refused, "{form}");
        patch(json!({ "not_before": null })).await;
        assert_eq!(answer(&it.house.tollgate, &token).await.0, 200, "{form}");
    }
}
