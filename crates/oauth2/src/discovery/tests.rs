use serde_json::json;
use tollgate_model::algorithm::Algorithm;
use tollgate_store::clients::TokenForm;

use crate::harness::{AUDIENCE, House, ISSUER};

#[tokio::test]
async fn the_metadata_name_every_endpoint_byte_for_byte() {
    const PATH: &str = "/.well-known/oauth-authorization-server";
    let methods = json!([
        "client_secret_basic",
        "client_secret_post",
        "private_key_jwt"
    ]);
    let algorithms = json!(["ES256", "EdDSA", "Ed25519", "RS256", "PS256"]);
    for issuer in [ISSUER, "https://control.example/"] {
        let house = House::named(Some(issuer), Some(AUDIENCE)).await;
        let answer = house.show(PATH).await;
        let expected = json!({
            "issuer": issuer,
            "token_endpoint": "https://control.example/oauth2/token",
            "revocation_endpoint": "https://control.example/oauth2/revoke",
            "introspection_endpoint": "https://control.example/oauth2/introspect",
            "jwks_uri": "https://control.example/oauth2/jwks",
            "grant_types_supported": ["client_credentials"],
            "response_types_supported": [],
            "token_endpoint_auth_methods_supported": methods,
            "token_endpoint_auth_signing_alg_values_supported": algorithms,
            "revocation_endpoint_auth_methods_supported": methods,
            "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_endpoint_auth_methods_supported": methods,
            "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
        });
        assert_eq!(answer.body, expected);
        let tag = answer.header("etag");
        assert!(tag.len() > 20 && tag == house.show(PATH).await.header("etag"));
    }
    let house = House::named(None, Some(AUDIENCE)).await;
    assert_eq!(house.show(PATH).await.status, 404);
}

#[tokio::test]
async fn the_keys_of_every_algorithm_are_published() {
    let house = House::new().await;
    for algorithm in Algorithm::ALL {
        let client = house.client(TokenForm::Jwt(algorithm)).await;
        house.token(&client).await;
    }
    let answer = house.show("/oauth2/jwks").await;
    assert_eq!(answer.header("cache-control"), "public, max-age=600");
    let keys = answer.body["keys"].as_array().unwrap();
    let algorithms: Vec<_> = keys
        .iter()
        .map(|key| key["alg"].as_str().unwrap())
        .collect();
    assert_eq!(algorithms, ["ES256", "EdDSA", "RS256", "PS256"]);
    for key in keys {
        assert_eq!(key["use"], "sig");
        assert_eq!(key["d"], json!(null), "the private half is not published");
    }
}
