use axum::http::{HeaderMap, HeaderValue, header};

use super::{is_document_url, is_upload};

#[test]
fn a_url_is_distinguished_from_a_document() {
    for (body, is_place) in [
        (r#"{"url": "https://a.example"}"#, true),
        (r#" {"url": 5, "colour": "red"}"#, true),
        (r#"{"openapi": "3.1.0", "url": "x"}"#, false),
        (r#"{"swagger": "2.0", "url": "x"}"#, false),
        ("{}", false),
        ("openapi: 3.1.0", false),
        ("url: https://a.example", false),
        ("", false),
    ] {
        assert_eq!(is_document_url(body.as_bytes()), is_place, "{body}");
    }
    let large = format!(r#"{{"url": "{}"}}"#, "a".repeat(16 << 10));
    assert!(!is_document_url(large.as_bytes()));
}

#[test]
fn a_document_is_distinguished_from_other_objects() {
    for (body, is_document) in [
        (r#"{"openapi": "3.1.0", "paths": {}}"#, true),
        (r#"{"swagger": "2.0"}"#, true),
        (r#"{"url": "https://a.example"}"#, true),
        (r#"{"name": "2.0", "from": "1.0"}"#, false),
        ("openapi: 3.1.0", false),
    ] {
        let is_found = is_upload(&HeaderMap::new(), body.as_bytes());
        assert_eq!(is_found, is_document, "{body}");
    }
    let yaml = HeaderValue::from_static("application/yaml");
    let yaml = HeaderMap::from_iter([(header::CONTENT_TYPE, yaml)]);
    assert!(is_upload(&yaml, b"openapi: 3.1.0"));
}
