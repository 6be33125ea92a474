use axum::body::Body;
use axum::http::Request as HttpRequest;
use serde_json::json;
use tollgate_model::algorithm::Algorithm;
use tollgate_store::clients::{self, Grant, TokenForm};
use tollgate_store::{applications, tokens};
use tollgate_tokens::jwt::{Expected, Kind, Unverified};
use tollgate_tokens::key::Verifier;
use tollgate_tokens::{jwk, opaque};

use crate::harness::{AUDIENCE, Do, House, ISSUER, JWT, Plain, Program, SECOND_US, grant};

const PATH: &str = "/oauth2/token";

/// A row of a table of requests: header fields, body, status, code.
type Row<'a> = (Vec<(&'static str, &'a str)>, String, u16, &'static str);

async fn judge(house: &House, rows: Vec<Row<'_>>) {
    for (fields, form, status, code) in rows {
        let answer = house.post(PATH, &fields, &form).await;
        let shown: String = form.chars().take(200).collect();
        assert_eq!(answer.error(), code, "{shown} {answer:?}");
        assert_eq!(answer.status, status, "{shown}");
        assert_eq!(!answer.header("www-authenticate").is_empty(), status == 401);
        assert_eq!(!answer.header("retry-after").is_empty(), status == 503);
    }
}

#[tokio::test]
async fn each_bad_request_has_its_error() {
    let house = House::new().await;
    house.server.begin().await.unwrap();
    house.api("/pets", true).await;
    house.api("/draft", false).await;
    let client = house.client(JWT).await;
    let basic = client.basic();
    let by = || vec![("authorization", basic.as_str())];
    let with = |name, value| vec![("authorization", basic.as_str()), (name, value)];
    let good = "grant_type=client_credentials";
    let more = |more: &str| format!("{good}{more}");
    let (id, secret) = (client.id.to_string(), &client.secret);
    let json = "application/json";
    let form_twice = "application/x-www-form-urlencoded, text/plain";
    let charset = "application/X-www-form-urlencoded ; charset=UTF-8";
    let megabyte = "x".repeat(1 << 20);
    let target = |path: &str| more(&format!("&resource={AUDIENCE}{path}"));
    let rows: Vec<Row<'_>> = vec![
        // Accepted requests.
        (by(), more(""), 200, ""),
        (with("content-type", charset), more(""), 200, ""),
        (by(), more("&unknown=1&unknown=2"), 200, ""),
        (by(), more("&scope=&resource=&client_secret="), 200, ""),
        (by(), more(&format!("&client_id={id}")), 200, ""),
        (by(), target("/pets/1.0"), 200, ""),
        (
            vec![],
            more(&format!("&client_id={id}&client_secret={secret}")),
            200,
            "",
        ),
        // The form.
        (with("content-type", json), more(""), 400, "invalid_request"),
        (
            with("content-type", form_twice),
            more(""),
            400,
            "invalid_request",
        ),
        (
            by(),
            more(&format!("&x={megabyte}")),
            400,
            "invalid_request",
        ),
        (
            by(),
            more(&format!("&scope={megabyte}")),
            400,
            "invalid_request",
        ),
        (by(), more("&scope=a&scope=a"), 400, "invalid_request"),
        (
            by(),
            more("&grant_type=client_credentials"),
            400,
            "invalid_request",
        ),
        (by(), more("&scope=%zz"), 400, "invalid_request"),
        (by(), more("&scope=%ff"), 400, "invalid_request"),
        (by(), String::new(), 400, "invalid_request"),
        (by(), "grant_type=".to_owned(), 400, "invalid_request"),
        // The grant.
        (
            by(),
            "grant_type=password".to_owned(),
            400,
            "unsupported_grant_type",
        ),
        (
            by(),
            "grant_type=refresh_token".to_owned(),
            400,
            "unsupported_grant_type",
        ),
        // The scope.
        (by(), more("&scope=read"), 200, ""),
        (by(), more("&scope=read+other"), 200, ""),
        (by(), more("&scope=other"), 400, "invalid_scope"),
        (by(), more("&scope=read++write"), 400, "invalid_scope"),
        (by(), more("&scope=+read"), 400, "invalid_scope"),
        (by(), more("&scope=read%22"), 400, "invalid_scope"),
        (by(), more("&scope=r%C3%A9ad"), 400, "invalid_scope"),
        // The resource.
        (by(), target("/pets"), 400, "invalid_target"),
        (by(), target("/pets/2.0"), 400, "invalid_target"),
        (by(), target("/pets/1.0/"), 400, "invalid_target"),
        (by(), target("/pets/1.0%23x"), 400, "invalid_target"),
        (by(), target("/draft/1.0"), 400, "invalid_target"),
        (by(), target(""), 400, "invalid_target"),
        (
            by(),
            more("&resource=https://elsewhere.example/pets/1.0"),
            400,
            "invalid_target",
        ),
        (
            by(),
            target(&format!("/pets/1.0&resource={AUDIENCE}/pets/1.0")),
            400,
            "invalid_target",
        ),
    ];
    judge(&house, rows).await;
}

#[tokio::test]
async fn credentials_in_the_query_are_ignored() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    let query = format!(
        "{PATH}?client_id={}&client_secret={}",
        client.id, client.secret
    );
    let answer = house
        .post(&query, &[], "grant_type=client_credentials")
        .await;
    assert_eq!(answer.error(), "invalid_client");
    let query = format!("{PATH}?grant_type=client_credentials");
    assert_eq!(
        house.call(&query, &client, "").await.error(),
        "invalid_request"
    );
}

#[tokio::test]
async fn plain_http_is_refused_at_each_endpoint_for_clients() {
    let house = House::new().await;
    for path in [PATH, "/oauth2/revoke", "/oauth2/introspect"] {
        let mut request = HttpRequest::post(path).body(Body::empty()).unwrap();
        request.extensions_mut().insert(Plain);
        let answer = house.send(request).await;
        assert_eq!(answer.error(), "invalid_request");
        assert!(
            answer.body["error_description"]
                .to_string()
                .contains("HTTPS")
        );
    }
}

#[tokio::test]
async fn without_public_urls_no_tokens_are_issued() {
    for names in [(None, None), (Some(ISSUER), None), (None, Some(AUDIENCE))] {
        let house = House::named(names.0, names.1).await;
        let client = house.client(JWT).await;
        let answer = house.ask(&client, "").await;
        assert_eq!(answer.error(), "temporarily_unavailable");
        let sentence = answer.body["error_description"].to_string();
        for setting in ["control.public_url", "gateway.public_url"] {
            assert!(sentence.contains(setting), "{sentence}");
        }
    }
}

#[tokio::test]
async fn a_jwt_has_the_claims_of_rfc_9068_in_every_algorithm() {
    let house = House::new().await;
    house.api("/pets", true).await;
    let resource = format!("{AUDIENCE}/pets/1.0");
    for algorithm in Algorithm::ALL {
        let client = house.client(TokenForm::Jwt(algorithm)).await;
        for (more, audience) in [
            ("", AUDIENCE),
            (&format!("&resource={resource}"), &resource),
        ] {
            let answer = house
                .ask(&client, &format!("&scope=write+read{more}"))
                .await;
            assert_eq!(answer.header("cache-control"), "no-store");
            assert_eq!(answer.header("pragma"), "no-cache");
            assert_eq!(answer.header("content-type"), "application/json");
            let text = answer.body["access_token"].as_str().unwrap();
            let expected = json!({
                "access_token": text, "token_type": "Bearer", "expires_in": 900,
                "scope": "write read",
            });
            assert_eq!(answer.body, expected);
            verify(&house, &client, (text, audience), algorithm).await;
        }
    }
}

async fn verify(house: &House, client: &Program, (text, audience): (&str, &str), with: Algorithm) {
    let set = house.show("/oauth2/jwks").await.body.to_string();
    let keys = jwk::usable(set.as_bytes()).unwrap();
    let mut space = Vec::new();
    let token = Unverified::parse(text.as_bytes(), &mut space).unwrap();
    assert_eq!(token.header().typ(), Some("at+jwt"));
    let kid = token.header().kid().unwrap().to_owned();
    let key = keys
        .iter()
        .find(|key| key.kid.as_ref() == Some(&kid))
        .unwrap();
    assert_eq!(key.key.algorithm(), with);
    let expected = Expected {
        kind: Kind::AccessToken,
        issuer: ISSUER,
        audiences: &[audience.to_owned()],
        now_us: house.now_us(),
        leeway_us: 0,
        lifetime_us_max: Some(900 * SECOND_US),
    };
    let checked = token.check(&expected).unwrap();
    let token = checked.verify(&Verifier::new(&key.key).unwrap()).unwrap();
    let claims = token.claims();
    let id = client.id.to_string();
    assert_eq!(
        (claims.subject(), claims.client_id()),
        (Some(&*id), Some(&*id))
    );
    assert_eq!(claims.audiences().collect::<Vec<_>>(), [audience]);
    assert_eq!(claims.issued_us(), Some(house.now_us()));
    assert_eq!(claims.expires_us(), Some(house.now_us() + 900 * SECOND_US));
    assert!(claims.token_id().unwrap().starts_with("tok_"));
    assert_eq!(claims.scopes().collect::<Vec<_>>(), ["write", "read"]);
}

#[tokio::test]
async fn an_opaque_token_is_stored_by_digest_and_in_force_when_issued() {
    let house = House::new().await;
    house.api("/pets", true).await;
    let client = house.client(TokenForm::Opaque).await;
    let resource = format!("{AUDIENCE}/pets/1.0");
    let answer = house.ask(&client, &format!("&resource={resource}")).await;
    assert_eq!(answer.body["scope"], "read write");
    let text = answer.body["access_token"].as_str().unwrap();
    let (_, digest) = opaque::parse(text.as_bytes()).unwrap();
    let kept = tokens::by_digest(&house.store, &digest)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(kept.resource, Some(resource));
    assert_eq!(kept.scopes, ["read", "write"]);
    assert_eq!(kept.expires_us, house.now_us() + 900 * SECOND_US);
    assert!(house.published().await.is_empty(), "no key was needed");

    house.gateways.set(Do::Lag);
    assert_eq!(
        house.ask(&client, "").await.error(),
        "temporarily_unavailable"
    );
}

#[tokio::test]
async fn a_full_disk_and_a_closed_store_leave_nothing_half_issued() {
    let house = House::new().await;
    let signing = house.client(JWT).await;
    let opaque = house.client(TokenForm::Opaque).await;
    let token = house.token(&signing).await;
    let other = house.token(&opaque).await;
    house.gateways.set(Do::Full);
    let answer = house.ask(&opaque, "").await;
    assert_eq!(answer.error(), "temporarily_unavailable");
    assert_eq!(answer.body["access_token"], json!(null));
    // A signed token needs no write once its key is there.
    house.token(&signing).await;
    for (client, token) in [(&signing, &token), (&opaque, &other)] {
        assert_eq!(house.revoke(client, token).await.status, 503);
    }
    house.gateways.set(Do::Follow);
    for (client, token) in [(&signing, &token), (&opaque, &other)] {
        assert!(house.is_active(client, token).await, "nothing was written");
        assert_eq!(house.revoke(client, token).await.status, 200);
    }
    house.store.clone().close().await;
    let answer = house.ask(&opaque, "").await;
    assert!(answer.status.is_server_error(), "{answer:?}");
    assert_eq!(answer.body["access_token"], json!(null));
}

#[tokio::test]
async fn a_token_too_large_for_gateways_is_not_issued() {
    let house = House::new().await;
    let scopes = (0..200).map(|number| format!("{number:0>60}")).collect();
    let application = house.application().await;
    for (form, code) in [(JWT, "invalid_scope"), (TokenForm::Opaque, "")] {
        let many = Grant {
            scopes: Vec::clone(&scopes),
            ..grant(form)
        };
        let client = house.client_of(application, many).await;
        let all = house.ask(&client, "").await;
        assert_eq!(all.error(), code, "{form:?}");
        let one = house.ask(&client, &format!("&scope={:0>60}", 7)).await;
        assert_eq!(one.error(), "", "{form:?}");
    }
}

#[tokio::test]
async fn a_client_without_scopes_gets_no_scope() {
    let house = House::new().await;
    let application = house.application().await;
    let mut nothing = grant(JWT);
    nothing.scopes.clear();
    let client = house.client_of(application, nothing).await;
    let answer = house.ask(&client, "").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body["scope"], json!(null));
    assert_eq!(
        house.ask(&client, "&scope=read").await.error(),
        "invalid_scope"
    );
}

#[tokio::test]
async fn no_token_lasts_longer_than_an_hour() {
    let house = House::new().await;
    let application = house.application().await;
    let mut long = grant(JWT);
    long.lifetime_s = 36_000;
    let client = house.client_of(application, long).await;
    assert_eq!(house.ask(&client, "").await.body["expires_in"], 3_600);
}

#[tokio::test]
async fn no_token_is_invalid_when_issued() {
    let house = House::new().await;
    let client = house.client(JWT).await;
    house.token(&client).await;
    let (id, now_us) = (client.id, house.now_us());
    house
        .write(async |tx| clients::void_tokens(tx, id, now_us).await)
        .await;
    let token = house.token(&client).await;
    assert!(house.is_active(&client, &token).await);
    house
        .write(async |tx| clients::void_tokens(tx, id, now_us + 1).await)
        .await;
    // The clock does not advance here: no valid token is possible within this millisecond.
    assert_eq!(
        house.ask(&client, "").await.error(),
        "temporarily_unavailable"
    );
    house.wait(1_000);
    let token = house.token(&client).await;
    assert!(house.is_active(&client, &token).await);
    let application = client.application;
    let later_us = now_us + 600 * SECOND_US;
    house
        .write(async |tx| applications::void_tokens(tx, application, later_us).await)
        .await;
    assert_eq!(
        house.ask(&client, "").await.error(),
        "temporarily_unavailable"
    );
}
