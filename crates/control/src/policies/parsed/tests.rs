use std::sync::Arc;

use tollgate_store::documents::Document;

use super::{Parsed, Part};
use crate::importing::Importing;

fn document(digest: &str, text: &str) -> Document {
    Document {
        digest: digest.to_owned(),
        media_type: "application/json".to_owned(),
        bytes: text.as_bytes().to_vec(),
    }
}

#[tokio::test]
async fn a_document_is_parsed_once() {
    let parsed = Parsed::new(10_000);
    let length = async |digest: &str, text: &str| {
        let parse = |bytes: &[u8]| {
            let part = Part {
                value: bytes.len(),
                bytes: 4_000,
                reservation: None,
            };
            (!bytes.is_empty()).then_some(part)
        };
        let found = parsed.find_or_parse(document(digest, text), parse);
        found.await.unwrap().map(|part| part.value)
    };
    assert_eq!(length("a", "").await, None, "a fault is not cached");
    assert_eq!(length("a", "{}").await, Some(2));
    assert_eq!(length("a", "{ }").await, Some(2));
    assert_eq!(length("b", "[1]").await, Some(3));
    // A third one exceeds the bound.
    assert_eq!(length("c", "[1]").await, Some(3));
    assert_eq!(length("a", "{ }").await, Some(3));
}

/// Returns a document with one operation and a schema of so many zeros.
fn with_zeros(count: usize) -> String {
    let zeros = vec!["0"; count].join(",");
    format!(
        r#"{{"openapi":"3.1.0","info":{{"title":"a","version":"1"}},"paths":{{"/a":{{"get":{{
        "parameters":[{{"name":"X-A","in":"header","schema":{{"enum":[{zeros}]}}}}],"responses":{{
        "200":{{"description":"d"}}}}}}}}}}}}"#
    )
}

#[tokio::test]
async fn examples_and_names_of_a_document_are_shared() {
    let text = with_zeros(1);
    let named = async || {
        super::header_names(document("shared", &text))
            .await
            .unwrap()
    };
    let (one, other) = (named().await.unwrap(), named().await.unwrap());
    assert_eq!(*one, ["X-A"]);
    assert!(Arc::ptr_eq(&one, &other));
    let importing = Importing::default();
    let mut admission = importing.admission();
    let one = super::examples(&mut admission, document("shared", &text)).await;
    let other = super::served_examples(document("shared", &text)).await;
    assert!(Arc::ptr_eq(
        &one.unwrap().unwrap(),
        &other.unwrap().unwrap()
    ));
    // They are in the cache, so nothing is reserved.
    let _all = importing.admission().reserve(usize::MAX).await.unwrap();
    let mut admission = importing.admission().without_wait();
    let again = super::examples(&mut admission, document("shared", &text)).await;
    again.unwrap().unwrap();
}

#[tokio::test]
async fn large_examples_count_as_long_as_they_are_used() {
    let importing = Importing::default();
    let examples = async |text: &str| {
        let digest = text.len().to_string();
        let mut admission = importing.admission();
        super::examples(&mut admission, document(&digest, text)).await
    };
    let is_free = async |bytes| {
        let mut admission = importing.admission().without_wait();
        admission.reserve(bytes).await.is_ok()
    };
    // The estimate of a number is 48 bytes.
    let large = examples(&with_zeros(1_000_000)).await.unwrap().unwrap();
    assert!(is_free(200 << 20).await);
    assert!(!is_free(220 << 20).await);
    drop(large);
    assert!(is_free(256 << 20).await);
}

#[tokio::test]
async fn a_draft_whose_examples_are_too_large_is_refused_but_still_served() {
    let text = with_zeros(1_500_000);
    let importing = Importing::default();
    let refused = async || {
        let mut admission = importing.admission();
        let examples = super::examples(&mut admission, document("larger", &text));
        let problem = examples.await.unwrap_err();
        assert_eq!(
            (problem.status().as_u16(), problem.code()),
            (422, "policy.example")
        );
    };
    refused().await;
    let served = super::served_examples(document("larger", &text)).await;
    let served = served.unwrap().unwrap();
    refused().await;
    drop(served);
}
