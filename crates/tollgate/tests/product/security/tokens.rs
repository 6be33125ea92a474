//! Access tokens: signed and opaque, for all APIs or for one, with and without scopes; and invalid
//! ones, each with a different attack (keys.md, K3).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tollgate_model::algorithm::Algorithm;
use tollgate_tokens::jwt::Compact;
use tollgate_tokens::key::{SigningKey, Verifier};
use tollgate_tokens::{jwk, jwt};

use super::{Secured, key_set, secured};

/// Returns the claims of a JWT signed with one of these keys.
pub(crate) fn verified(token: &str, keys: &Value) -> Value {
    let keys = jwk::usable(keys.to_string().as_bytes()).unwrap();
    let mut space = Vec::new();
    let token = Compact::parse(token.as_bytes(), &mut space).unwrap();
    let kid = token.header().kid().map(str::to_owned);
    let key = keys.iter().find(|key| key.kid == kid).unwrap();
    token.verify(&Verifier::new(&key.key).unwrap()).unwrap();
    serde_json::from_slice(token.payload()).unwrap()
}

/// Returns a part of a token as JSON.
pub(crate) fn part(token: &str, index: usize) -> Value {
    let part = token.split('.').nth(index).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

fn encoded(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

const OAUTH2: &str = "oauth2";

impl Secured {
    /// Returns the status of a call with this token, and the code of a refusal.
    async fn answered(&self, token: &str) -> (u16, String) {
        let value = format!("Bearer {token}");
        let answer = self.call(&[("Authorization", &value)]).await;
        let code = if answer.status == 200 {
            String::new()
        } else {
            answer.code()
        };
        (answer.status, code)
    }
}

fn invalid() -> (u16, String) {
    (401, "authenticate.invalid".to_owned())
}

#[tokio::test]
async fn a_forged_token_is_refused() {
    let it = Secured::new(&secured()).await;
    it.secure(json!({ OAUTH2: {} }), json!({})).await;
    let token = it.token("").await;
    assert_eq!(it.answered(&token).await.0, 200);
    let (head, claims) = (part(&token, 0), part(&token, 1));
    let published = key_set(&it.house.tollgate).await;
    assert_eq!(verified(&token, &published), claims);
    let kid = head["kid"].as_str().unwrap();
    let own = SigningKey::generate(Algorithm::Es256).unwrap();
    let own_kid = own.public().thumbprint();
    let signed = |kid: &str, typ: &str, claims: &Value| jwt::sign(&own, kid, typ, claims);
    let with = |head: Value| {
        let signature = token.rsplit('.').next().unwrap();
        format!("{}.{}.{signature}", encoded(&head), encoded(&claims))
    };
    let changed = |name: &str, value: Value| {
        let mut head = head.clone();
        head[name] = value;
        with(head)
    };
    let with_claim = |name: &str, value: Value| {
        let mut claims = claims.clone();
        claims[name] = value;
        let [head, _, signature] = [0, 1, 2].map(|at| token.split('.').nth(at).unwrap());
        format!("{head}.{}.{signature}", encoded(&claims))
    };
    let text = |name: &str, from: &str, to: &str| {
        let [head, _, signature] = [0, 1, 2].map(|at| token.split('.').nth(at).unwrap());
        let claims = claims.to_string();
        assert!(claims.contains(from), "{name}: {claims}");
        let claims = URL_SAFE_NO_PAD.encode(claims.replace(from, to));
        format!("{head}.{claims}.{signature}")
    };
    let expires = format!("\"exp\":{}", claims["exp"]);
    let holes = [
        ("another key under our name", signed(kid, "at+jwt", &claims)),
        ("a foreign key", signed(&own_kid, "at+jwt", &claims)),
        ("an ID token", signed(kid, "JWT", &claims)),
        ("none", changed("alg", json!("none"))),
        ("None", changed("alg", json!("None"))),
        (
            "without a signature",
            format!(
                "{}.{}.",
                encoded(&json!({"alg": "none", "typ": "at+jwt", "kid": kid})),
                encoded(&claims)
            ),
        ),
        ("the public key as a secret", changed("alg", json!("HS256"))),
        (
            "another algorithm of the key",
            changed("alg", json!("RS256")),
        ),
        (
            "a key that the token brings",
            changed("jwk", own.public().jwk(kid)),
        ),
        (
            "the address of a key",
            changed("jku", json!("https://127.0.0.1/keys")),
        ),
        ("an extension", changed("crit", json!(["exp"]))),
        (
            "another subject",
            with_claim("sub", json!("cli_00000000000")),
        ),
        (
            "an audience more",
            with_claim("aud", json!(["https://elsewhere.test"])),
        ),
        (
            "an end as a text",
            text("exp", &expires, "\"exp\":\"9999999999\""),
        ),
        ("a negative end", text("exp", &expires, "\"exp\":-1")),
        ("an endless end", text("exp", &expires, "\"exp\":1e400")),
        (
            "an end twice",
            text("exp", &expires, &format!("{expires},\"exp\":9999999999")),
        ),
        ("padding", format!("{token}=")),
        ("half of it", token[..token.len() / 2].to_owned()),
        ("no token", "x".to_owned()),
        ("nothing", String::new()),
    ];
    for (hole, token) in holes {
        assert_eq!(it.answered(&token).await, invalid(), "{hole}");
    }
    let long = format!("{token}{}", "A".repeat(17 * 1024 - token.len()));
    let too_large = (431, "listener.head_too_large".to_owned());
    assert_eq!(it.answered(&long).await, too_large);
    assert_eq!(
        it.answered(&token).await.0,
        200,
        "the valid one still works"
    );
}

#[tokio::test]
async fn a_token_is_accepted_only_for_its_audience() {
    let it = Secured::new(&secured()).await;
    let security = json!({
        OAUTH2: {}, "scopes": { "pets:read": "", "pets:write": "" }
    });
    let operations = json!({ "operations": [
        { "method": "GET", "path": "/pets", "scopes": ["pets:read"] },
        { "method": "GET", "path": "/pets/{pet}", "scopes": ["pets:read", "pets:write"] },
    ] });
    it.secure(security, operations).await;
    let gateway = format!("https://{}", it.house.tollgate.https.gateway.unwrap());
    let elsewhere = it
        .house
        .admin
        .import("Others", "/others", "1.0", crate::house::DOCUMENT)
        .await
        .unwrap();
    let version = &elsewhere.version;
    let (admin, upstream) = (&it.house.admin, it.house.upstream.url());
    admin.upstream(version, &upstream).await.unwrap();
    let path = format!("/api/v1/versions/{version}/draft");
    let oauth2 = json!({ "security": { OAUTH2: {} } });
    admin.done("PATCH", &path, Some(&oauth2)).await.unwrap();
    admin.attach(version, &["tested"]).await.unwrap();
    admin.lifecycle(version, "published").await.unwrap();
    let application = &it.house.consumer.application;
    admin
        .subscribe(application, version, "tested")
        .await
        .unwrap();
    for form in ["jwt", "opaque"] {
        let path = format!("/api/v1/clients/{}", it.client.id);
        let form = json!({ "token": { "form": form } });
        it.house
            .admin
            .done("PATCH", &path, Some(&form))
            .await
            .unwrap();

        let token = it.token("").await;
        let bearer = format!("Bearer {token}");
        let fields = [("Authorization", &*bearer)];
        assert_eq!(it.answered(&token).await.0, 200, "{form}");
        let other = it.call_to("/pets/1.0/pets/1", &fields).await;
        assert_eq!(
            (other.status, &*other.code()),
            (403, "authorize.scope"),
            "{form}"
        );
        let challenge = other.field("www-authenticate").unwrap();
        let expected = format!(
            "Bearer realm=\"tollgate\", error=\"insufficient_scope\", \
             scope=\"pets:read pets:write\", resource_metadata=\"http://{}\
             /.well-known/oauth-protected-resource/pets/1.0\"",
            it.house.tollgate.gateway
        );
        assert_eq!(challenge, expected);

        // For one API.
        let here = it.token(&format!("&resource={gateway}/pets/1.0")).await;
        assert_eq!(it.answered(&here).await.0, 200, "{form}");
        let unknown = format!("&resource={gateway}/nothing/1.0");
        let refused = it.house.admin.grant(&it.client, &unknown).await.unwrap();
        assert_eq!(
            (refused.status, &refused.json()["error"]),
            (400, &json!("invalid_target"))
        );
        let there = it.token(&format!("&resource={gateway}/others/1.0")).await;
        assert_eq!(it.answered(&there).await, invalid(), "{form}");
        let bearer = format!("Bearer {there}");
        let answer = it
            .call_to("/others/1.0/pets", &[("Authorization", &bearer)])
            .await;
        assert_eq!(answer.status, 200, "{form}: {}", answer.text());
        let bearer = format!("Bearer {here}");
        let answer = it
            .call_to("/others/1.0/pets", &[("Authorization", &bearer)])
            .await;
        assert_eq!(answer.code(), "authenticate.invalid", "{form}");
        // A scope that was removed, with a cached token.
        let path = format!("/api/v1/clients/{}", it.client.id);
        let without = json!({ "scopes": [] });
        admin.done("PATCH", &path, Some(&without)).await.unwrap();
        assert_eq!(
            it.answered(&token).await,
            (403, "authorize.scope".to_owned())
        );
        let again = json!({ "scopes": ["pets:read"] });
        admin.done("PATCH", &path, Some(&again)).await.unwrap();
        assert_eq!(it.answered(&token).await.0, 200);
    }
}

#[tokio::test]
async fn the_gateway_serves_the_protected_resource_metadata_of_an_api() {
    let it = Secured::new(&secured()).await;
    let path = "/.well-known/oauth-protected-resource/pets/1.0";
    let none = it.call_to(path, &[]).await;
    assert_eq!((none.status, &*none.code()), (404, "route.no_api"));
    let security = json!({ OAUTH2: {}, "scopes": { "pets:read": "" } });
    it.secure(security, json!({})).await;
    let metadata = it.call_to(path, &[]).await.json();
    let control = it.house.tollgate.https.control.unwrap();
    let gateway = it.house.tollgate.https.gateway.unwrap();
    assert_eq!(metadata["resource"], format!("https://{gateway}/pets/1.0"));
    assert_eq!(
        metadata["authorization_servers"],
        json!([format!("https://{control}")])
    );
    assert_eq!(metadata["scopes_supported"], json!(["pets:read"]));
    let challenged = it.call(&[]).await;
    let challenge = challenged.field("www-authenticate").unwrap();
    assert!(
        challenge.contains(path) && !challenge.contains("error"),
        "{challenge}"
    );
    for wrong in [format!("{path}/pets"), path.replace("1.0", "2.0")] {
        assert_eq!(it.call_to(&wrong, &[]).await.status, 404, "{wrong}");
    }
}

#[tokio::test]
async fn protected_resource_metadata_is_between_host_and_path_of_its_url() {
    const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
    let below_a_path = secured().set("gateway-public-url", "https://api.example/base/v1");
    let it = Secured::new(&below_a_path).await;
    it.secure(json!({ OAUTH2: {} }), json!({})).await;
    let path = format!("{WELL_KNOWN}/base/v1/pets/1.0");
    let challenged = it.call(&[]).await;
    let challenge = challenged.field("www-authenticate").unwrap();
    let expected = format!("resource_metadata=\"https://api.example{path}\"");
    assert!(challenge.ends_with(&expected), "{challenge}");
    let metadata = it.call_to(&path, &[]).await.json();
    let resource = "https://api.example/base/v1/pets/1.0";
    assert_eq!(metadata["resource"], resource);
    // RFC 9728, section 3.2: a list without values is omitted.
    assert_eq!(metadata.get("scopes_supported"), None, "{metadata}");
    let token = it.token(&format!("&resource={resource}")).await;
    assert_eq!(it.answered(&token).await.0, 200);
    for wrong in ["/pets/1.0", "/base/pets/1.0", "/base/v1/v1/pets/1.0"] {
        let wrong = format!("{WELL_KNOWN}{wrong}");
        assert_eq!(it.call_to(&wrong, &[]).await.status, 404, "{wrong}");
    }
}
