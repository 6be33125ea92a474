use std::collections::HashSet;

use axum::body::to_bytes;
use serde_json::{Value, json};

use super::*;

async fn rendered(refused: Refused) -> (StatusCode, header::HeaderMap, Value) {
    let answer = refused.into_response();
    let (head, body) = answer.into_parts();
    let body = to_bytes(body, 10_000).await.unwrap();
    (
        head.status,
        head.headers,
        serde_json::from_slice(&body).unwrap(),
    )
}

#[tokio::test]
async fn each_code_has_its_word_status_and_sentence() {
    let expected = [
        ("invalid_request", 400),
        ("invalid_client", 401),
        ("invalid_grant", 400),
        ("unauthorized_client", 400),
        ("unsupported_grant_type", 400),
        ("invalid_scope", 400),
        ("invalid_target", 400),
        ("temporarily_unavailable", 503),
        ("server_error", 500),
    ];
    let mut codes = HashSet::new();
    for ((code, ..), (word, status)) in ROWS.into_iter().zip(expected) {
        let (answered, headers, body) = rendered(code.into()).await;
        assert_eq!(answered, status, "{word}");
        assert_eq!(body["error"], word);
        assert_eq!(body["error_description"], code.row().1);
        assert_eq!(printable(code.row().1), code.row().1);
        assert_eq!(headers["content-type"], "application/json");
        assert_eq!(headers["cache-control"], "no-store");
        assert_eq!(headers.contains_key("www-authenticate"), status == 401);
        assert_eq!(headers.contains_key("retry-after"), status == 503);
        codes.insert(word);
    }
    assert_eq!(codes.len(), ROWS.len());
}

#[tokio::test]
async fn a_description_has_allowed_characters_only() {
    let refused = Refused::because(Code::InvalidClient, "no claim \"exp\" \\ é\n");
    let (_, _, body) = rendered(refused).await;
    assert_eq!(body["error_description"], json!("no claim 'exp' ' ??"));
}

#[tokio::test]
async fn an_internal_failure_is_reported_by_its_kind_only() {
    let inside = || std::io::Error::other("inside: the secret").into();
    for (error, status) in [
        (StoreError::Full, 503),
        (StoreError::Busy, 503),
        (StoreError::Io(inside()), 503),
        (StoreError::Other(inside()), 500),
        (StoreError::Corrupt("the secret".to_owned()), 500),
        (StoreError::NotFound("client"), 401),
    ] {
        let (answered, _, body) = rendered(error.into()).await;
        assert_eq!(answered, status);
        assert!(!body.to_string().contains("the secret"), "{body}");
    }
}
