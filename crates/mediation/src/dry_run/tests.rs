use serde_json::{Value, json};
use tollgate_model::api::{Configuration, Kind, Method};
use tollgate_model::credential::Environment;
use tollgate_model::refusal::Refusal;

use super::*;
use crate::compile::compile;

fn configuration(policies: &Value) -> Configuration {
    let configuration = json!({
        "operations": [
            { "method": "GET", "path": "/pets/{pet}" },
            { "method": "GET", "path": "/pets/mine" },
            { "method": "GET", "path": "/pets/{pet}.json" },
            { "method": "POST", "path": "/orders" },
        ],
        "security": { "api_key": { "header": "x-key", "query": "key" }, "oauth2": {} },
        "identity": "headers",
        "upstream": {
            "url": "http://a/base",
            "credential": { "header": { "name": "x-secret", "value": "s" } },
        },
        "policies": policies,
    });
    serde_json::from_value(configuration).unwrap()
}

fn call(method: Method, path: &str) -> Call {
    let fields = [
        ("x-a", "1"),
        ("X-Key", "hidden"),
        ("Connection", "x-hop"),
        ("x-hop", "1"),
    ];
    let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Call {
        request: Request {
            method,
            path: path.to_owned(),
            fields: fields.into(),
            body: Vec::new(),
        },
        response: Response {
            status: 200,
            fields: Vec::new(),
            body: Vec::new(),
        },
        refusal: None,
        caller: Caller {
            application: Some("app_1".to_owned()),
            subscription: None,
            plan: Some("gold".to_owned()),
            environment: Environment::Production,
            claims: Some(r#"{"sub":"ann"}"#.to_owned()),
        },
        now_s: 1_798_156_800,
        address: "203.0.113.9".to_owned(),
    }
}

fn ran(policies: &Value, call: &Call) -> Result<Outcome, NoRoute> {
    ran_in(&configuration(policies), call)
}

fn ran_in(configuration: &Configuration, call: &Call) -> Result<Outcome, NoRoute> {
    let compiled = compile(configuration, Kind::Rest).unwrap();
    let site = Site {
        kind: Kind::Rest,
        configuration,
        compiled: &compiled,
        api: "shop",
        version: "1.0",
        revision: DRAFT,
        path: "/shop/1.0",
        public_path: "/public/shop/1.0",
        session_cookies: &["session"],
    };
    run(&site, call)
}

fn set(name: &str, value: &str) -> Value {
    json!({ "policy": "set_header", "name": name, "value": value })
}

/// Returns the first line and the field lines of a message.
fn lines(shown: &Shown) -> Vec<String> {
    let first = match &shown.start {
        Start::Request(method, path) => format!("{} {path}", method.word()),
        Start::Response(status) => status.to_string(),
    };
    let fields = shown.fields.iter();
    let fields = fields.map(|(name, value)| format!("{name}: {value}"));
    [first].into_iter().chain(fields).collect()
}

const IDENTITY: [&str; 5] = [
    "x-tollgate-environment: ***",
    "x-tollgate-application: ***",
    "x-tollgate-credential: ***",
    "x-tollgate-credential-kind: ***",
    "x-secret: ***",
];

#[test]
fn each_step_of_a_request_makes_the_bytes_that_go_up() {
    let rows = [
        (
            set("x-b", "{{ caller.plan }} {{ path.pet }}"),
            vec!["GET /pets/7?q=1", "x-a: 1", "x-b: gold 7"],
        ),
        (
            set("x-b", "{{ request.headers[\"x-key\"] }}"),
            vec!["GET /pets/7?q=1", "x-a: 1"],
        ),
        (
            set("x-b", "{{ request.query[\"key\"] }}"),
            vec!["GET /pets/7?q=1", "x-a: 1"],
        ),
        (
            set(
                "x-b",
                "{{ api.operation }} {{ request.path }} {{ now }} {{ request.address }}",
            ),
            vec![
                "GET /pets/7?q=1",
                "x-a: 1",
                "x-b: GET /pets/{pet} /shop/1.0/pets/7 1798156800 203.0.113.9",
            ],
        ),
        (
            set("x-b", "{{ caller.claims.sub }}"),
            vec!["GET /pets/7?q=1", "x-a: 1", "x-b: ann"],
        ),
        (
            json!({ "policy": "remove_header", "names": ["x-*"] }),
            vec!["GET /pets/7?q=1"],
        ),
        (
            json!({ "policy": "rename_header", "from": "x-a", "to": "x-b" }),
            vec!["GET /pets/7?q=1", "x-b: 1"],
        ),
        (
            json!({ "policy": "set_query", "name": "a b", "value": "{{ path.pet }}/" }),
            vec!["GET /pets/7?q=1&a%20b=7%2F", "x-a: 1"],
        ),
        (
            json!({ "policy": "remove_query", "names": ["q"] }),
            vec!["GET /pets/7", "x-a: 1"],
        ),
        (
            json!({ "policy": "rewrite_path", "path": "/v2/{{ path.pet }}" }),
            vec!["GET /v2/7?q=1", "x-a: 1"],
        ),
        (
            json!({ "policy": "set_method", "method": "POST" }),
            vec!["POST /pets/7?q=1", "x-a: 1"],
        ),
        (
            json!({ "policy": "replace_text", "pairs": [{ "from": "a", "to": "b" }] }),
            vec!["GET /pets/7?q=1", "x-a: 1"],
        ),
    ];
    let get = call(Method::Get, "/pets/7?key=hidden&q=1");
    for (step, expected) in rows {
        let outcome = ran(&json!({ "request": [step] }), &get).unwrap();
        let sent = lines(&outcome.sent.unwrap());
        let expected = [&expected[..1], &IDENTITY, &expected[1..]].concat();
        assert_eq!(sent, expected, "{step}");
        assert_eq!(outcome.answered_by, AnsweredBy::Upstream);
        let after = outcome.request.steps[0].after.as_ref().map(lines);
        let before = lines(&outcome.request.before);
        let masked = ["GET /pets/7?key=***&q=1", "x-a: 1", "X-Key: ***"];
        assert_eq!(before, masked, "{step}");
        let has_secret = |after: Vec<String>| after.concat().contains("hidden");
        assert!(!after.is_some_and(has_secret), "{step}");
    }
}

#[test]
fn a_step_that_does_not_run_has_its_reason() {
    let with_if = |condition: &str| {
        let mut step = set("x-b", "1");
        step["if"] = json!(condition);
        step
    };
    let replace = json!({ "policy": "replace_text", "pairs": [{ "from": "a", "to": "b" }] });
    let mut lenient = replace;
    lenient["other_type"] = json!("pass");
    let respond = json!({ "policy": "respond", "status": 202 });
    let policies = json!({ "request": [
        with_if("request.method == \"PUT\""),
        with_if("request.query[\"none\"] == \"a\""),
        with_if("body.a > 1"),
        with_if("request.method == \"POST\""),
        lenient,
        respond,
        set("x-c", "1"),
    ] });
    let mut post = call(Method::Post, "/orders");
    let reasons = |call: &Call| {
        let outcome = ran(&policies, call).unwrap();
        assert_eq!(outcome.answered_by, AnsweredBy::Policy);
        assert_eq!(
            lines(&outcome.answer),
            ["202", "x-content-type-options: nosniff"]
        );
        assert!(outcome.sent.is_none() && outcome.response.is_none());
        let rows = outcome.request.steps.iter().map(|row| row.reason);
        rows.collect::<Vec<_>>()
    };
    let (no, last) = (Reason::NoValue, Some(Reason::NotReached));
    let expected = [
        Some(Reason::False),
        Some(no),
        Some(no),
        None,
        Some(Reason::NoBody),
        None,
        last,
    ];
    assert_eq!(reasons(&post), expected);
    post.request.body = br#"{"a":1}"#.to_vec();
    let other = Some(Reason::OtherType);
    let expected = [
        Some(Reason::False),
        Some(no),
        Some(no),
        None,
        other,
        None,
        last,
    ];
    assert_eq!(reasons(&post), expected);
    let json = ("content-type".to_owned(), "application/json".to_owned());
    post.request.fields.push(json);
    let expected = [
        Some(Reason::False),
        Some(no),
        Some(Reason::False),
        None,
        None,
        None,
        last,
    ];
    assert_eq!(reasons(&post), expected);
}

#[test]
fn a_step_with_a_member_of_the_body_responds_to_no_message_without_one() {
    let policies = json!({ "request": [
        { "policy": "respond", "if": "has(body.stop)", "status": 202 },
    ] });
    let text = Some("text/plain");
    let json = Some("application/json");
    let rows = [
        (Method::Get, None, "", AnsweredBy::Upstream),
        (Method::Post, json, "", AnsweredBy::Upstream),
        (Method::Post, text, "{\"stop\":1}", AnsweredBy::Upstream),
        (Method::Post, json, "{}", AnsweredBy::Upstream),
        (Method::Post, json, "{\"stop\":1}", AnsweredBy::Policy),
        (Method::Post, json, "[]", AnsweredBy::Policy),
    ];
    for (method, media_type, body, expected) in rows {
        let path = match method {
            Method::Get => "/pets/7",
            _ => "/orders",
        };
        let mut call = call(method, path);
        let of_type = media_type.map(|it| ("content-type".to_owned(), it.to_owned()));
        call.request.fields.extend(of_type);
        call.request.body = body.as_bytes().to_vec();
        let outcome = ran(&policies, &call).unwrap();
        assert_eq!(outcome.answered_by, expected, "{media_type:?} {body}");
    }
}

#[test]
fn bodies_are_changed_and_refused_as_in_gateways() {
    let replace = |bytes_max: u64| {
        let pairs = json!([{ "from": "a", "to": "bb" }]);
        json!({ "policy": "replace_text", "pairs": pairs, "bytes_max": bytes_max })
    };
    let policies = json!({ "request": [replace(4)], "response": [replace(1_000)] });
    let text = ("content-type".to_owned(), "text/plain".to_owned());
    let mut post = call(Method::Post, "/orders");
    post.request.fields.push(text.clone());
    post.request.body = b"xax".to_vec();
    post.response.fields.push(text);
    post.response.body = b"aa".to_vec();
    let outcome = ran(&policies, &post).unwrap();
    assert_eq!(outcome.sent.unwrap().body, b"xbbx");
    assert_eq!(outcome.answer.body, b"bbbb");
    let after = outcome.request.steps[0].after.as_ref().unwrap();
    assert_eq!(after.body, b"xbbx");
    post.request.body = b"xxxxx".to_vec();
    let outcome = ran(&policies, &post).unwrap();
    let refused = outcome.refused.unwrap();
    assert_eq!(refused.refusal, Refusal::BodyTooLarge);
    assert_eq!(refused.pointer.as_deref(), Some("/policies/request/0"));
    assert_eq!(outcome.answered_by, AnsweredBy::Gateway);
    assert_eq!(outcome.answer.start, Start::Response(413));
}

#[test]
fn a_step_that_does_not_run_needs_no_valid_body() {
    let replace = json!({ "policy": "replace_text", "pairs": [{ "from": "a", "to": "b" }] });
    let mut edit = json!({ "policy": "json_edit", "edits": [{ "remove": "$.b" }] });
    let json = ("content-type".to_owned(), "application/json".to_owned());
    let mut post = call(Method::Post, "/orders");
    post.request.fields.push(json);
    post.request.body = br#"{"a":"#.to_vec();
    let mut ran_with = |condition: &str| {
        edit["if"] = json!(condition);
        ran(&json!({ "request": [replace, edit] }), &post).unwrap()
    };
    let outcome = ran_with("request.method == \"GET\"");
    assert_eq!(outcome.request.steps[1].reason, Some(Reason::False));
    assert_eq!(outcome.sent.unwrap().body, br#"{"b":"#);
    for condition in ["request.method == \"POST\"", "body.a == 1"] {
        let refused = ran_with(condition).refused.unwrap();
        assert_eq!(refused.refusal, Refusal::NotWellFormed, "{condition}");
        assert_eq!(refused.pointer.as_deref(), Some("/policies/request/1"));
    }
}

#[test]
fn entity_tags_and_content_codings_change_as_in_gateways() {
    let replace = json!({ "policy": "replace_text", "pairs": [{ "from": "a", "to": "b" }] });
    let policies = json!({ "request": [replace], "response": [replace] });
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut get = call(Method::Get, "/pets/7");
    get.request.fields = vec![
        field("If-None-Match", "\"x;r00000000000\", \"y;r00000000001\""),
        field("If-Match", "\"x\""),
        field("Accept-Encoding", "gzip"),
    ];
    let text = field("Content-Type", "text/plain");
    get.response.fields = vec![
        text.clone(),
        field("Content-Encoding", "gzip"),
        field("ETag", "\"x\""),
    ];
    get.response.body = b"a".to_vec();
    let outcome = ran(&policies, &get).unwrap();
    let sent = lines(&outcome.sent.unwrap());
    let own = ["accept-encoding: identity", "if-none-match: \"x\""];
    assert_eq!(sent[6..], own);
    let expected = [
        "200",
        "Content-Type: text/plain",
        "etag: \"x;r00000000000\"",
    ];
    assert_eq!(lines(&outcome.answer), expected);
    let mut post = call(Method::Post, "/orders");
    post.request.fields = vec![text, field("Content-Encoding", "zstd")];
    post.request.body = b"a".to_vec();
    let refused = ran(&policies, &post).unwrap().refused.unwrap();
    assert_eq!(refused.refusal, Refusal::WrongType);
}

#[test]
fn steps_of_responses_and_refusals_see_what_was_kept() {
    let policies = json!({
        "request": [{ "policy": "let", "name": "a", "value": "request.headers[\"x-a\"]" }],
        "response": [
            set("x-of", "{{ var.a }} {{ response.status }} {{ request.method }}"),
            { "policy": "set_status", "status": 410 },
            { "policy": "rewrite_location" },
        ],
        "error": [set("x-code", "{{ error.code }} {{ request.headers[\"x-a\"] }}")],
        "operations": [
            { "operations": ["GET /pets/mine"], "response": [set("x-own", "1")] },
            { "operations": ["GET /pets/{pet}.json"], "mode": "replace" },
        ],
    });
    let mut get = call(Method::Get, "/pets/mine");
    let location = ("Location".to_owned(), "http://a/base/pets/1".to_owned());
    let hop = ("X-Request-Id".to_owned(), "1".to_owned());
    get.response.fields = vec![location, hop];
    let outcome = ran(&policies, &get).unwrap();
    let expected = [
        "410",
        "x-own: 1",
        "x-of: 1 200 GET",
        "location: /public/shop/1.0/pets/1",
    ];
    assert_eq!(lines(&outcome.answer), expected);
    let rows = outcome.response.unwrap().steps;
    let pointers: Vec<_> = rows.iter().map(|row| &*row.pointer).collect();
    let expected = [
        "/policies/operations/0/response/0",
        "/policies/response/0",
        "/policies/response/1",
        "/policies/response/2",
    ];
    assert_eq!(pointers, expected);
    get.request.path = "/pets/1.json".to_owned();
    let outcome = ran(&policies, &get).unwrap();
    assert_eq!(outcome.operation.as_deref(), Some("GET /pets/{pet}.json"));
    assert!(outcome.request.steps.is_empty() && outcome.response.unwrap().steps.is_empty());
    get.request.path = "/pets/7".to_owned();
    get.refusal = Some(Refusal::SubscriptionLimit);
    let outcome = ran(&policies, &get).unwrap();
    assert_eq!(lines(&outcome.answer)[0], "429");
    let code = "x-code: admit.subscription 1";
    assert!(
        lines(&outcome.answer).contains(&code.to_owned()),
        "{outcome:?}"
    );
    assert_eq!(outcome.error.unwrap().steps.len(), 1);
}

#[test]
fn paths_lead_to_the_closest_operation_or_to_none() {
    let rows = [
        ("/pets/mine", Ok("GET /pets/mine")),
        ("/pets/%6Dine", Ok("GET /pets/mine")),
        ("/pets/other", Ok("GET /pets/{pet}")),
        ("/pets/other.json?a", Ok("GET /pets/{pet}.json")),
        ("/pets/", Err(NoRoute::NoPath)),
        ("/orders", Err(NoRoute::OtherMethod)),
        ("/pets/%2e%2e", Err(NoRoute::Malformed)),
        ("/pets/%zz", Err(NoRoute::Malformed)),
    ];
    for (path, expected) in rows {
        let outcome = ran(&json!({}), &call(Method::Get, path));
        let operation = outcome.map(|it| it.operation.unwrap());
        assert_eq!(operation, expected.map(str::to_owned), "{path}");
    }
}

#[test]
fn the_rest_of_a_path_is_found_last_and_judged_by_every_reading() {
    let operations = json!([
        { "method": "GET", "path": "/admin/{id}" },
        { "method": "GET", "path": "/a/{rest+}" },
        { "method": "POST", "path": "/{b}/y" },
        { "method": "GET", "path": "/{all*}" },
        { "method": "POST", "path": "/{all*}" },
    ]);
    let rows = [
        (Method::Get, "/", Ok("GET /{all*}")),
        (Method::Get, "/admin/7", Ok("GET /admin/{id}")),
        (Method::Get, "/admin/7/x", Ok("GET /{all*}")),
        (Method::Get, "/a", Ok("GET /{all*}")),
        (Method::Get, "/a/b//c/", Ok("GET /a/{rest+}")),
        (Method::Post, "/admin/7", Ok("POST /{all*}")),
        (Method::Get, "//admin/7", Err(NoRoute::Ambiguous)),
        (Method::Get, "/admin/7/", Err(NoRoute::Ambiguous)),
        (Method::Get, "/admin%2F7", Err(NoRoute::Ambiguous)),
        (Method::Post, "/a/y/", Err(NoRoute::Ambiguous)),
    ];
    for (method, path, expected) in rows {
        let mut configuration = configuration(&json!({}));
        configuration.operations = serde_json::from_value(operations.clone()).unwrap();
        let outcome = ran_in(&configuration, &call(method, path));
        let operation = outcome.map(|it| it.operation.unwrap());
        assert_eq!(operation, expected.map(str::to_owned), "{method} {path}");
    }
}

#[test]
fn a_hole_for_the_rest_of_a_path_keeps_its_slashes_and_is_judged() {
    let rows = [
        ("/v2/{{ path.all }}", "/a//b/", Some("GET /v2/a//b/")),
        ("/v2/{{ path.all }}", "/", Some("GET /v2/")),
        ("/v2/.{{ path.all }}", "/a/b", Some("GET /v2/.a/b")),
        ("/v2/.{{ path.all }}", "/", None),
    ];
    for (written, path, expected) in rows {
        let step = json!({ "policy": "rewrite_path", "path": written });
        let mut configuration = configuration(&json!({ "request": [step] }));
        let all = json!([{ "method": "GET", "path": "/{all*}" }]);
        configuration.operations = serde_json::from_value(all).unwrap();
        let outcome = ran_in(&configuration, &call(Method::Get, path)).unwrap();
        let sent = outcome.sent.map(|sent| lines(&sent).remove(0));
        assert_eq!(sent.as_deref(), expected, "{written} {path}");
        let refused = outcome.refused.map(|it| it.refusal);
        assert_eq!(refused.is_some(), expected.is_none(), "{refused:?}");
    }
}

#[test]
fn the_work_of_all_steps_is_bounded_as_in_gateways() {
    let condition = vec!["'b' in body.a"; 60].join(" || ");
    let step = json!({ "policy": "set_header", "name": "x-b", "value": "1", "if": condition });
    let policies = json!({ "request": vec![step; 6] });
    let mut call = call(Method::Post, "/orders");
    call.request.body = format!("{{\"a\":[{}]}}", vec!["1"; 50_000].join(",")).into();
    let fields = &mut call.request.fields;
    fields.push(("content-type".to_owned(), "application/json".to_owned()));
    let outcome = ran(&policies, &call).unwrap();
    let refused = outcome.refused.unwrap();
    assert_eq!(refused.refusal, Refusal::Policy);
    assert_eq!(refused.pointer.as_deref(), Some("/policies/request/2"));
    let expected = "The step /policies/request/2 exceeds the work";
    assert!(refused.detail.starts_with(expected), "{}", refused.detail);
}
