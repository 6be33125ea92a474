use std::fmt::Write as _;

use serde_json::json;

use super::*;

fn configuration(value: Value) -> Configuration {
    serde_json::from_value(value).unwrap()
}

fn between(before: Value, after: Value) -> Difference {
    let both = [before, after].map(configuration);
    let [before, after] = both.each_ref().map(|configuration| Contents {
        configuration,
        document: None,
    });
    difference(&before, &after)
}

/// Returns one line for each change.
fn lines(difference: &Difference) -> String {
    let mut lines = String::new();
    for change in &difference.changes {
        let value = |it: &Option<Value>| it.as_ref().map_or("-".to_owned(), Value::to_string);
        writeln!(
            lines,
            "{:?} {} {} {} > {}",
            change.group,
            change.operation.as_deref().unwrap_or("-"),
            change.pointer,
            value(&change.before),
            value(&change.after),
        )
        .unwrap();
    }
    lines
}

fn operation(path: &str) -> Value {
    json!({ "method": "GET", "path": path })
}

#[test]
fn equal_contents_have_no_difference() {
    let both = json!({ "operations": [operation("/a")], "upstream": { "url": "http://a" } });
    assert_eq!(between(both.clone(), both), Difference::default());
}

#[test]
fn operations_are_matched_by_method_and_shape_of_path() {
    let scoped = json!({ "method": "GET", "path": "/b", "scopes": ["read"] });
    let before = json!({ "operations": [operation("/a"), operation("/b"), operation("/c/{one}")] });
    let after = json!({ "operations": [operation("/new"), operation("/c/{two}"), scoped] });
    let found = between(before, after);
    assert_eq!(
        lines(&found),
        "Operations GET /a /operations/0 {\"method\":\"GET\",\"path\":\"/a\"} > -\n\
         Operations GET /b /operations/2/scopes - > [\"read\"]\n\
         Operations GET /c/{two} /operations/1/path \"/c/{one}\" > \"/c/{two}\"\n\
         Operations GET /new /operations/0 - > {\"method\":\"GET\",\"path\":\"/new\"}\n"
    );
}

#[test]
fn another_order_is_no_change() {
    let limit = |window: &str| json!({ "per": "operation", "amount": 5, "window": window });
    let soap = |operations: Value, resources: Value| {
        json!({ "soap": {
            "contract": "", "service": "S", "port": "P", "operations": operations,
            "rest": { "resources": resources },
        } })
    };
    let find = json!({ "name": "find", "limits": [limit("minute"), limit("hour")] });
    let moved = json!({ "name": "find", "limits": [limit("hour"), limit("minute")] });
    let resource = |name: &str| json!({ "operation": name, "method": "GET", "path": "/x" });
    let before = soap(
        json!([find, { "name": "stop" }]),
        json!([resource("find"), resource("stop")]),
    );
    let after = soap(
        json!([{ "name": "stop" }, moved]),
        json!([resource("stop"), resource("find")]),
    );
    assert_eq!(lines(&between(before, after)), "");
}

#[test]
fn limits_are_matched_by_what_they_count_and_apply_to() {
    let places = |amount: u32| json!({ "metric": "concurrent", "amount": amount });
    let limit = |amount: u32, members: Value| {
        let mut limit = json!({ "per": "operation", "amount": amount, "window": "day" });
        for (name, value) in members.as_object().unwrap() {
            limit[name] = value.clone();
        }
        limit
    };
    let tested = json!({ "if": { "environment": ["sandbox"] } });
    let before = json!({
        "operations": [{ "method": "GET", "path": "/a", "limits": [
            limit(1, json!({})),
            limit(2, json!({ "metric": "units" })),
            limit(3, tested.clone()),
            limit(4, json!({ "otherwise": true })),
            limit(5, json!({ "plans": ["gold"] })),
        ] }],
        "upstream": { "url": "http://a", "limits": [places(5)] },
    });
    let after = json!({
        "operations": [{ "method": "GET", "path": "/a", "weight": 7, "limits": [
            limit(15, json!({ "plans": ["gold"] })),
            limit(14, json!({ "otherwise": true })),
            limit(13, tested),
            limit(12, json!({ "metric": "units" })),
            limit(11, json!({})),
        ] }],
        "upstream": { "url": "http://a", "limits": [places(9)] },
    });
    assert_eq!(
        lines(&between(before, after)),
        "Upstream - /upstream/limits/0/amount 5 > 9\n\
         Operations GET /a /operations/0/limits/4/amount 1 > 11\n\
         Operations GET /a /operations/0/limits/3/amount 2 > 12\n\
         Operations GET /a /operations/0/limits/2/amount 3 > 13\n\
         Operations GET /a /operations/0/limits/1/amount 4 > 14\n\
         Operations GET /a /operations/0/limits/0/amount 5 > 15\n\
         Operations GET /a /operations/0/weight - > 7\n"
    );
}

#[test]
fn every_change_has_its_group() {
    let before = json!({
        "operations": [],
        "security": { "api_key": {}, "scopes": { "read": "Read" } },
        "limits": [{ "per": "api", "amount": 5, "window": "minute" }],
    });
    let after = json!({
        "operations": [],
        "upstream": { "url": "http://a" },
        "sandbox_upstream": { "url": "http://b" },
        "security": { "api_key": { "header": "key" }, "scopes": { "a/b": "Both" } },
        "limits": [
            { "per": "api", "amount": 7, "window": "minute" },
            { "per": "api", "amount": 9, "window": "hour" },
        ],
        "body_bytes_max": 9,
        "identity": "jwt",
        "semicolon": "pass",
        "soap": {
            "contract": "ab", "service": "S", "port": "P", "operations": [{ "name": "find" }],
            "rest": {
                "resources": [{ "operation": "find", "method": "GET", "path": "/x" }],
                "back_end": { "headers": { "limits": [1] } },
            },
        },
    });
    let found = between(before, after);
    let places = found.changes.iter().map(|it| {
        let operation = it.operation.as_deref().unwrap_or_default();
        format!("{:?} {} {operation}", it.group, it.pointer)
            .trim_end()
            .to_owned()
    });
    assert_eq!(
        places.collect::<Vec<_>>(),
        [
            "Upstream /sandbox_upstream",
            "Upstream /semicolon",
            "Upstream /soap/rest/back_end",
            "Upstream /upstream",
            "Security /identity",
            "Security /security/api_key/header",
            "Security /security/scopes/a~1b",
            "Security /security/scopes/read",
            "Limits /body_bytes_max",
            "Limits /limits/0/amount",
            "Limits /limits/1",
            "Contract /soap/contract",
            "Contract /soap/port",
            "Contract /soap/rest/shape",
            "Contract /soap/service",
            "Other /soap/fault_status",
            "Other /soap/prefix_bytes_max",
            "Other /soap/rest/answers",
            "Operations /soap/operations/0 find",
            "Operations /soap/rest/resources/0 find",
            "Operations /soap/unknown",
        ]
    );
}

#[test]
fn another_document_is_one_change() {
    let same = Configuration::default();
    let [old, new, none] = [Some("aa"), Some("bb"), None].map(|document| Contents {
        configuration: &same,
        document,
    });
    let found = difference(&old, &new);
    assert_eq!(lines(&found), "Document - /document \"aa\" > \"bb\"\n");
    assert_eq!(
        lines(&difference(&old, &none)),
        "Document - /document \"aa\" > -\n"
    );
    assert_eq!(difference(&old, &old), Difference::default());
}

#[test]
fn another_secret_is_a_change_that_shows_neither() {
    let upstream = |header: &str, secret: &str| {
        let credential = json!({ "header": { "name": header, "value": secret } });
        json!({ "upstream": { "url": "http://a", "credential": credential } })
    };
    let rows = [
        (
            upstream("key", "first secret"),
            upstream("key", "another"),
            "Upstream - /upstream/credential/header/value \"***\" > \"***\"\n",
        ),
        (upstream("key", "first"), upstream("key", "first"), ""),
        (
            json!({}),
            json!({ "sandbox_upstream": {
                "url": "http://a",
                "credential": { "basic": { "name": "us", "password": "first" } },
            } }),
            "Upstream - /sandbox_upstream - > \
             {\"connect_timeout_ms\":5000,\"connections_max\":1024,\
             \"credential\":{\"basic\":{\"name\":\"us\",\"password\":\"***\"}},\
             \"first_byte_timeout_ms\":60000,\"idle_timeout_ms\":60000,\"url\":\"http://a\"}\n",
        ),
    ];
    for (before, after, expected) in rows {
        assert_eq!(lines(&between(before, after)), expected);
    }
    let changed = between(upstream("key", "first"), upstream("token", "another"));
    assert_eq!(changed.changes.len(), 2);
    let text = serde_json::to_string(&changed.changes).unwrap();
    assert!(
        !text.contains("first") && !text.contains("another"),
        "{text}"
    );
}

#[test]
fn the_number_of_changes_and_their_values_are_bounded() {
    let operations = |summary: &str| {
        let all = (0..5_000).map(|number| {
            let path = format!("/a/{number}");
            let anonymous = summary == "b";
            json!({"method": "GET", "path": path, "summary": summary, "anonymous": anonymous})
        });
        all.collect::<Vec<_>>()
    };
    let before = json!({ "operations": operations("a") });
    let mut after = json!({ "operations": operations("b"), "upstream": { "url": "http://a" } });
    let found = between(before.clone(), after.clone());
    assert_eq!((found.changes.len(), found.truncated), (CHANGES_MAX, true));
    assert_eq!(found.changes[0].pointer, "/upstream");

    let long = "ä".repeat(VALUE_BYTES_MAX);
    after["operations"] = before["operations"].clone();
    after["operations"][0]["summary"] = long.into();
    let found = between(before, after);
    let shown = found.changes[1].after.as_ref().unwrap().as_str().unwrap();
    assert!(shown.ends_with("ä…") && shown.len() <= VALUE_BYTES_MAX + 3);
    assert!(!found.truncated);
}

#[test]
fn policies_are_compared_one_by_one_in_the_groups_of_their_forms() {
    let cors = json!({ "policies": { "cors": { "origins": ["https://a.example"] } } });
    let found = between(json!({}), cors.clone());
    let pointers: Vec<_> = found.changes.iter().map(|it| &*it.pointer).collect();
    assert_eq!(pointers, ["/policies/cors"]);
    let step = json!({ "policy": "set_header", "name": "a", "value": "b" });
    let other = json!({ "policies": {
        "cors": { "origins": ["https://a.example"], "max_age_s": 0 },
        "cache": { "ttl_s": 5 },
        "request": [step],
        "operations": [
            { "operations": ["GET /a"], "request": [step], "cache": { "ttl_s": 5 } },
            { "operations": ["GET /b"], "cache": { "ttl_s": 5 } },
        ],
    } });
    let found = between(cors, other.clone());
    let places = |found: &Difference| {
        let places = found.changes.iter();
        let places = places.map(|it| format!("{:?} {}", it.group, it.pointer));
        places.collect::<Vec<_>>()
    };
    assert_eq!(
        places(&found),
        [
            "Policies /policies/operations/0",
            "Policies /policies/request",
            "Cors /policies/cors/max_age_s",
            "Cache /policies/cache",
            "Cache /policies/operations/1",
        ]
    );
    let mut longer = other.clone();
    longer["policies"]["operations"][0]["cache"]["ttl_s"] = json!(9);
    let found = between(other, longer);
    assert_eq!(places(&found), ["Cache /policies/operations/0/cache/ttl_s"]);
}
