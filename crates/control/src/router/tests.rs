use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tollgate_model::user::{ROLES, Role};

use super::routes;
use crate::harness::{House, Person};
use crate::hosts::is_change;
use crate::may::{ACTS, Act, Who, may};
use crate::routes::Route;
use crate::{document, seed};

fn operations() -> BTreeMap<(String, String), Value> {
    let document = serde_json::to_value(document()).unwrap();
    let paths = document["paths"].as_object().unwrap().clone();
    let operations = paths.into_iter().flat_map(|(path, item)| {
        let item = item.as_object().unwrap().clone();
        let named = item
            .into_iter()
            .map(move |(method, operation)| ((method.to_uppercase(), path.clone()), operation));
        named.collect::<Vec<_>>()
    });
    operations.collect()
}

#[test]
fn the_document_has_every_route_and_no_other() {
    let routes = routes();
    let listed = routes.list().iter();
    let listed: BTreeSet<_> = listed
        .map(|route| (route.method.to_string(), route.path.to_owned()))
        .collect();
    assert_eq!(listed.len(), routes.list().len(), "a route is listed twice");
    let described: BTreeSet<_> = operations().into_keys().collect();
    assert_eq!(listed, described);
}

#[test]
fn the_document_is_complete() {
    let document = serde_json::to_value(document()).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    let mut ids = BTreeSet::new();
    for ((method, path), operation) in operations() {
        let id = operation["operationId"].as_str().unwrap().to_owned();
        assert!(ids.insert(id.clone()), "{id} names two operations");
        assert!(
            operation["summary"].is_string(),
            "{method} {path} has no summary"
        );
        let parameters = operation["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let in_path = parameters.iter().filter(|it| it["in"] == "path");
        let names: BTreeSet<_> = in_path.map(|it| it["name"].as_str().unwrap()).collect();
        let braces = path
            .split('/')
            .filter_map(|it| it.strip_prefix('{')?.strip_suffix('}'));
        assert_eq!(names, braces.collect(), "{method} {path}");
    }
    for reference in references(&document) {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(
            document.pointer(pointer).is_some(),
            "{reference} does not resolve"
        );
    }
}

#[test]
fn every_deletion_has_a_dry_run() {
    let mut deletions = 0;
    for ((method, path), operation) in operations() {
        if method != "DELETE" {
            continue;
        }
        deletions += 1;
        let parameters = operation["parameters"].as_array();
        let mut names = parameters.into_iter().flatten().map(|it| &it["name"]);
        assert!(names.any(|name| name == "dry_run"), "{path} has no dry_run");
        let schema = operation.pointer("/responses/200/content/application~1json/schema/$ref");
        let schema = schema.and_then(Value::as_str);
        // It may make another version the default one.
        let expected = match path == "/api/v1/versions/{version}" {
            true => "#/components/schemas/DeletionImpact",
            false => "#/components/schemas/Impact",
        };
        assert_eq!(schema, Some(expected), "{path}");
    }
    assert_eq!(deletions, 15);
}

fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(members) => {
            let here = members
                .get("$ref")
                .and_then(Value::as_str)
                .map(str::to_owned);
            here.into_iter()
                .chain(members.values().flat_map(references))
                .collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_act_belongs_to_a_route_or_is_checked_by_a_handler() {
    let checked_by_handlers = [Act::LimitApplications, Act::SuspendCredentials];
    let routes = routes();
    for act in ACTS {
        let is_routed = routes.list().iter().any(|route| route.act == act);
        assert!(is_routed != checked_by_handlers.contains(&act), "{act:?}");
    }
}

/// Returns a path that matches the route, with ids of the right kind that do not exist.
fn address(route: &Route) -> String {
    let segments = route.path.split('/').map(|segment| {
        let prefix = match segment {
            "{user}" => "usr",
            "{token}" => "pat",
            "{plan}" => "pln",
            "{application}" => "app",
            "{key}" => "key",
            "{client}" => "cli",
            "{basic_user}" => "bas",
            "{signing_key}" => "sig",
            "{subscription}" => "sub",
            "{api}" => "api",
            "{version}" => "ver",
            "{number}" => return "1".to_owned(),
            "{id}" => return "0".repeat(32),
            "{operation}" => return "get-nothing".to_owned(),
            literal => {
                assert!(!literal.starts_with('{'), "what is {literal} the id of?");
                return literal.to_owned();
            }
        };
        format!("{prefix}_00000000001")
    });
    segments.collect::<Vec<_>>().join("/")
}

#[test]
fn what_reads_saved_documents_documents_that_they_may_be_unreadable() {
    let catalogue = "/api/v1/catalogue/{version}";
    let paths = ["difference", "document", "contract", "operations"];
    let mut paths: Vec<_> = paths.map(|it| format!("{catalogue}/{it}")).into();
    paths.push("/api/v1/versions/{version}/document".to_owned());
    let operations = operations();
    for path in paths {
        let operation = &operations[&("GET".to_owned(), path)];
        assert!(operation["responses"]["409"].is_object(), "{operation}");
    }
}

#[tokio::test]
async fn every_operation_rejects_strangers_and_other_roles_and_admits_the_allowed_ones() {
    let house = House::new().await;
    let mut people: Vec<(Role, Person)> = Vec::new();
    for role in ROLES {
        people.push((
            role,
            house
                .person(&format!("only {}", role.word()), &[role])
                .await,
        ));
    }
    let operations = operations();
    for route in routes().list() {
        let (method, path) = (route.method.as_str(), address(route));
        let operation = &operations[&(method.to_owned(), route.path.to_owned())];
        let is_documented = |status: u16| {
            let response = operation["responses"].get(status.to_string());
            assert!(
                response.is_some(),
                "{method} {path} does not document {status}"
            );
        };
        let answer = house.call(method, &path).await;
        is_documented(answer.status);
        if route.act.who() == Who::Anyone {
            let is_let_in = !matches!(answer.status, 401 | 403 | 404);
            assert!(is_let_in, "{method} {path} without signing in");
            continue;
        }
        assert_eq!(
            answer.problem(),
            (401, "session.missing"),
            "{method} {path}"
        );
        assert!(answer.header("www-authenticate").is_some());
        for (role, person) in &people {
            let answer = house.call(method, &path).by(person).await;
            is_documented(answer.status);
            if may(&[*role], route.act) {
                let code = answer.text("/code");
                let is_let_in = !matches!(answer.status, 401 | 403)
                    // Nor was it rejected before the gate, or for an id of the wrong kind.
                    && !code.starts_with("route.")
                    && !code.starts_with("path.");
                assert!(is_let_in, "{method} {path} by {role:?}: {answer:?}");
            } else {
                let problem = answer.problem();
                assert_eq!(
                    problem,
                    (403, "role.missing"),
                    "{method} {path} by {role:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn every_operation_refuses_query_parameters_that_it_does_not_have() {
    let house = House::new().await;
    let person = house.person("everything", &ROLES).await;
    let operations = operations();
    for route in routes().list() {
        let (method, path) = (route.method.as_str(), address(route));
        let operation = &operations[&(method.to_owned(), route.path.to_owned())];
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let of_query = parameters.filter(|it| it["in"] == "query");
        let known: Vec<_> = of_query.map(|it| it["name"].as_str().unwrap()).collect();
        // The first that it does not have, so that `dry_run` is tried where it is not known.
        let name = ["dry_run", "made_up"]
            .into_iter()
            .find(|name| !known.contains(name));
        let name = name.unwrap();
        let answer = house
            .call(method, &format!("{path}?{name}=true"))
            .by(&person)
            .await;
        if !path.starts_with("/api/v1/") {
            assert_ne!(answer.status, 400, "{method} {path}");
            continue;
        }
        assert_eq!(answer.problem(), (400, "query.invalid"), "{method} {path}");
        let detail = answer.text("/detail");
        let mut named = known.iter().chain([&name]);
        assert!(
            named.all(|name| detail.contains(name)),
            "{method} {path}: {detail}"
        );
    }
    let new = serde_json::json!({ "name": "nobody", "roles": ["developer"] });
    let refused = house
        .post("/api/v1/users?dry_run=true", new)
        .by(&person)
        .await;
    assert_eq!(refused.problem(), (400, "query.invalid"));
    let users = house.get("/api/v1/users?q=nobody").by(&person).await;
    assert_eq!(
        users.expect(200).body["items"],
        serde_json::json!([]),
        "nothing is done"
    );
}

#[tokio::test]
async fn a_session_without_its_csrf_token_or_with_a_one_time_password_is_rejected() {
    let house = House::new().await;
    let first = seed::first_password(&house.control.store).await;
    let first = first.unwrap().expect("a new installation has one");
    let session = house.sign_in(&first.name, &first.password).await;
    for route in routes().list() {
        let (method, path) = (route.method.as_str(), address(route));
        if is_change(&route.method) && route.act.who() != Who::Anyone {
            let forged = house
                .call(method, &path)
                .header("cookie", &session.cookie)
                .await;
            assert_eq!(forged.problem(), (403, "session.csrf"), "{method} {path}");
        }
        if let Who::Roles(_) | Who::Visitors(_) = route.act.who() {
            let early = house.call(method, &path).during(&session).await;
            let expected = (403, "session.password_change");
            assert_eq!(early.problem(), expected, "{method} {path}");
        }
    }
}
