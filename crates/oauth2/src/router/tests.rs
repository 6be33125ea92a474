use std::collections::BTreeSet;

use axum::body::Body;
use axum::http::Request;
use serde_json::Value;

use super::*;
use crate::harness::House;

#[test]
fn the_document_has_every_route_and_no_other() {
    let listed = routes().map(|(method, path, ..)| (method.to_owned(), path.to_owned()));
    let document = serde_json::to_value(crate::document()).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    let described = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().keys();
        methods.map(|method| (method.clone(), path.clone()))
    });
    let described: BTreeSet<_> = described.collect();
    assert_eq!(described, BTreeSet::from(listed));
}

#[test]
fn the_document_has_the_common_responses_of_every_operation() {
    let document = serde_json::to_value(crate::document()).unwrap();
    for (method, path, ..) in routes() {
        let pointer = format!("/paths/{}/{method}", path.replace('/', "~1"));
        let operation = document.pointer(&pointer).unwrap();
        let mut statuses = vec!["200", "421", "500", "503"];
        if method == "post" {
            statuses.extend(["400", "401", "403", "429"]);
            assert!(
                operation["requestBody"]["content"]["application/x-www-form-urlencoded"]
                    .is_object()
            );
            assert_eq!(operation["security"].as_array().unwrap().len(), 2);
        }
        for status in statuses {
            assert!(
                operation["responses"][status].is_object(),
                "{path} {status}"
            );
        }
        assert!(operation["operationId"].is_string());
    }
    for reference in references(&document) {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(
            document.pointer(pointer).is_some(),
            "{reference} leads nowhere"
        );
    }
}

fn references(value: &Value) -> Vec<String> {
    let here = value.get("$ref").and_then(Value::as_str);
    let below: Vec<&Value> = match value {
        Value::Object(members) => members.values().collect(),
        Value::Array(items) => items.iter().collect(),
        _ => Vec::new(),
    };
    let below = below.into_iter().flat_map(references);
    here.map(str::to_owned).into_iter().chain(below).collect()
}

#[tokio::test]
async fn another_method_is_answered_with_the_allowed_ones() {
    let house = House::new().await;
    for (method, path, ..) in routes() {
        let (other, allowed) = match method {
            "post" => ("GET", "POST"),
            _ => ("POST", "GET,HEAD"),
        };
        for other in [other, "PUT", "DELETE"] {
            let request = Request::builder().method(other).uri(path);
            let answer = house.send(request.body(Body::empty()).unwrap()).await;
            assert_eq!(answer.status, 405, "{other} {path}");
            assert_eq!(answer.header("allow"), allowed);
        }
    }
}
