use serde_json::{from_value, json};

use super::*;

fn parameter(place: &str, name: &str, path: &str) -> Value {
    json!({ "place": place, "name": name, "path": [path] })
}

fn resource(operation: &str, path: &str, parameters: &[Value]) -> Value {
    let method = "GET";
    json!({ "operation": operation, "method": method, "path": path, "parameters": parameters })
}

#[test]
fn faults_of_resources_are_found_without_their_contract() {
    let fault_codes = |resources: Vec<Value>| {
        let rest: RestService = from_value(json!({ "resources": resources })).unwrap();
        let faults = rest.faults().into_iter();
        faults
            .map(|it| format!("{} {}", it.field, it.code))
            .collect::<Vec<_>>()
    };
    let (id, tag) = (
        parameter("path", "id", "id"),
        parameter("query", "tag", "tag"),
    );
    let good = || resource("get", "/a/{id}", &[id.clone(), tag.clone()]);
    assert_eq!(
        fault_codes(vec![
            good(),
            resource("all", "/a", std::slice::from_ref(&tag))
        ]),
        [""; 0]
    );
    let mut off = resource("off", "/a/{x}", &[parameter("path", "x", "id")]);
    off["enabled"] = json!(false);
    assert_eq!(fault_codes(vec![good(), off]), [""; 0]);
    let mut many = id.clone();
    many["is_array"] = json!(true);
    let rows = [
        (
            vec![resource("get", "/a/{id*}", std::slice::from_ref(&id))],
            "/resources/0/path resource.path",
        ),
        (
            vec![good(), resource("get", "/b", &[])],
            "/resources/1/operation resource.repeated",
        ),
        (
            vec![resource(
                "a",
                "/a",
                &[tag.clone(), parameter("query", "tag", "x")],
            )],
            "/resources/0/parameters/1/name resource.parameter",
        ),
        (
            vec![resource(
                "a",
                "/a",
                &[tag.clone(), parameter("header", "X-Tag", "tag")],
            )],
            "/resources/0/parameters/1/path resource.parameter",
        ),
        (
            vec![resource(
                "a",
                "/a",
                &[
                    parameter("header", "X-A", "a"),
                    parameter("header", "x-a", "b"),
                ],
            )],
            "/resources/0/parameters/1/name resource.parameter",
        ),
        (
            vec![resource(
                "a",
                "/a",
                &[parameter("header", "Content-Length", "a")],
            )],
            "/resources/0/parameters/0/name resource.parameter",
        ),
        (
            vec![resource("a", "/a", &[parameter("query", "", "a")])],
            "/resources/0/parameters/0/name resource.parameter",
        ),
        (
            vec![resource("a", "/a/{id}", &[many])],
            "/resources/0/parameters/0/is_array resource.parameter",
        ),
        (
            vec![resource("a", "/a/{id}", &[])],
            "/resources/0/path resource.path",
        ),
        (
            vec![resource("a", "/a", std::slice::from_ref(&id))],
            "/resources/0/parameters/0/name resource.path",
        ),
    ];
    for (resources, expected) in rows {
        assert_eq!(fault_codes(resources.clone()), [expected], "{resources:?}");
    }
}
