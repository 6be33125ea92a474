use std::sync::Arc;

use tollgate_store::documents::Document;

use super::Parsed;

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
        let parse = |bytes: &[u8]| (!bytes.is_empty()).then_some((bytes.len(), 4_000));
        let found = parsed.find_or_parse(document(digest, text), parse);
        found.await.unwrap().as_deref().copied()
    };
    assert_eq!(length("a", "").await, None, "a fault is not cached");
    assert_eq!(length("a", "{}").await, Some(2));
    assert_eq!(length("a", "{ }").await, Some(2));
    assert_eq!(length("b", "[1]").await, Some(3));
    // A third one exceeds the bound.
    assert_eq!(length("c", "[1]").await, Some(3));
    assert_eq!(length("a", "{ }").await, Some(3));
}

#[tokio::test]
async fn examples_and_names_of_a_document_are_shared() {
    let text = r#"{"openapi":"3.1.0","info":{"title":"a","version":"1"},"paths":{"/a":{"get":{
        "parameters":[{"name":"X-A","in":"header","schema":{}}],"responses":{"200":{
        "description":"d"}}}}}}"#;
    let named = async || super::header_names(document("shared", text)).await.unwrap();
    let (one, other) = (named().await.unwrap(), named().await.unwrap());
    assert_eq!(*one, ["X-A"]);
    assert!(Arc::ptr_eq(&one, &other));
    let examples = async || super::examples(document("shared", text)).await.unwrap();
    let (one, other) = (examples().await.unwrap(), examples().await.unwrap());
    assert!(Arc::ptr_eq(&one, &other));
}
