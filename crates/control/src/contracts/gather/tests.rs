use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use serde_json::json;
use tokio::net::TcpListener;
use tollgate_fetch::Fetcher;

use super::*;
use crate::bodies::Bodies;

const WSDL: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
    targetNamespace="urn:a"><import namespace="urn:b" location="/b.wsdl"/></definitions>"#;
const IMPORTED: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/"
    targetNamespace="urn:b"/>"#;

#[tokio::test]
async fn fetched_documents_of_a_contract_count_while_it_is_in_memory() {
    let server = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}/a.wsdl", server.local_addr().unwrap());
    let routes = Router::new()
        .route("/a.wsdl", get(async || WSDL))
        .route("/b.wsdl", get(async || IMPORTED));
    tokio::spawn(async move { axum::serve(server, routes).await });
    let bodies = Arc::new(Bodies::new(10_000));
    let fetcher = Fetcher::new("127.0.0.1".parse().unwrap());
    let fetcher = DocumentFetcher::new(fetcher, Arc::clone(&bodies));
    let request = Request::post("/")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(json!({ "url": url }).to_string()))
        .unwrap();
    let gathered = gather(&fetcher, request, None).await.unwrap();
    assert_eq!(gathered.failures, []);
    assert_eq!(bodies.holding().bytes, WSDL.len() + IMPORTED.len());
    drop(gathered);
    assert_eq!(bodies.holding().bytes, 0);
}
