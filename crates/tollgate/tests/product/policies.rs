//! Policies: what the steps of a version make of its messages, byte for byte.

pub(crate) mod bodies;
mod floods;
mod json;
mod xml;

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Behaviour, http, upstream};

use crate::house::{House, get};
use crate::start::counted;

impl House {
    /// Deploys these policies.
    async fn police(&self, policies: Value) {
        self.redeploy(json!({ "policies": policies })).await;
    }

    /// Sends a request with the consumer's key and these fields.
    async fn keyed(&self, method: &str, target: &str, fields: &[(&str, &str)]) -> Answer {
        let key = ("apikey", self.consumer.key.as_str());
        let fields = [&[key], fields].concat();
        let request = http::request(method, target, &fields, b"");
        http::call(self.tollgate.gateway, &request).await.unwrap()
    }

    /// Returns the request line and the field lines of the only request that the upstream received
    /// since the last call of this function.
    fn received(&self) -> Vec<String> {
        assert_eq!(self.upstream.requests(), 1);
        let text = String::from_utf8(self.upstream.received().concat()).unwrap();
        self.upstream.forget();
        let head = text.split("\r\n\r\n").next().unwrap();
        head.split("\r\n").map(str::to_owned).collect()
    }
}

fn set(name: &str, value: &str) -> Value {
    json!({ "policy": "set_header", "name": name, "value": value })
}

/// Returns the values of a field among lines, ignoring case.
fn values<'l>(lines: &'l [String], name: &str) -> Vec<&'l str> {
    let pairs = lines.iter().filter_map(|line| line.split_once(": "));
    let of = pairs.filter(|(of, _)| of.eq_ignore_ascii_case(name));
    of.map(|(_, value)| value).collect()
}

#[tokio::test]
async fn steps_of_requests_change_what_goes_up() {
    let house = House::new().await;
    let mode = |name: &str, mode: &str| {
        let mut step = set(name, "set");
        step["mode"] = json!(mode);
        step
    };
    house
        .police(json!({ "request": [
            mode("x-replaced", "replace"),
            mode("x-appended", "append"),
            mode("x-present", "if_absent"),
            mode("x-missing", "if_absent"),
            { "policy": "remove_header", "names": ["X-Internal-*", "user-agent"] },
            { "policy": "rename_header", "from": "x-old", "to": "x-new" },
            set("x-seen", "{{ request.headers[\"x-new\"] }} {{ request.headers[\"x-old\"] }}"),
            set("x-plan", "{{ caller.plan }} of {{ api.name }} {{ api.version }}"),
            set("x-operation", "{{ api.operation }} {{ request.method }} {{ path.pet }}"),
            { "policy": "let", "name": "lang", "value": "request.query[\"lang\"].lowerAscii()" },
            set("x-lang", "{{ var.lang }}"),
            set("x-key", "{{ request.headers[\"apikey\"] }}"),
            {
                "if": "var.lang == \"de\"",
                "policy": "set_query", "name": "l & c", "value": "{{ var.lang }}/1",
            },
            { "if": "var.lang == \"fr\"", "policy": "set_query", "name": "no", "value": "1" },
            { "if": "var.nothing", "policy": "set_query", "name": "no", "value": "1" },
            { "policy": "remove_query", "names": ["drop*", "lang"] },
            { "policy": "rewrite_path", "path": "/v2/animals/{{ path.pet }}/x" },
            { "policy": "set_method", "method": "POST" },
            { "policy": "let", "name": "nothing", "value": "null" },
        ] }))
        .await;
    let target = "/pets/1.0/pets/a%2fb?lang=DE&drop=1&%64ropped=2&keep=%31+2";
    let fields = [
        ("x-replaced", "sent"),
        ("x-replaced", "twice"),
        ("x-appended", "sent"),
        ("x-present", "sent"),
        ("x-internal-a", "1"),
        ("X-INTERNAL-b", "2"),
        ("user-agent", "test"),
        ("x-old", "old"),
        ("x-new", "overwritten"),
    ];
    let answer = house.keyed("GET", target, &fields).await;
    assert_eq!(
        (answer.status, answer.code()),
        (400, "route.ambiguous".to_owned())
    );
    let answer = house
        .keyed("GET", &target.replace("%2f", "%20"), &fields)
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let lines = house.received();
    assert_eq!(
        lines[0],
        "POST /v2/animals/a%20b/x?keep=%31+2&l%20%26%20c=de%2F1 HTTP/1.1"
    );
    let expected = [
        ("x-replaced", &["set"][..]),
        ("x-appended", &["sent", "set"]),
        ("x-present", &["sent"]),
        ("x-missing", &["set"]),
        ("x-internal-a", &[]),
        ("x-internal-b", &[]),
        ("user-agent", &[]),
        ("x-old", &[]),
        ("x-new", &["old"]),
        ("x-plan", &["tested of Pets 1.0"]),
        ("x-operation", &["GET /pets/{pet} GET a b"]),
        ("x-lang", &["de"]),
        ("apikey", &[]),
        ("x-key", &[]),
        ("x-seen", &[]),
    ];
    for (name, expected) in expected {
        assert_eq!(values(&lines, name), expected, "{name}: {lines:?}");
    }
}

#[tokio::test]
async fn hostile_values_change_the_value_only() {
    let house = House::new().await;
    house
        .police(json!({ "request": [
            set("x-q", "{{ request.query[\"q\"] }}"),
            { "policy": "set_query", "name": "copy", "value": "{{ request.query[\"q\"] }}" },
            { "policy": "rewrite_path", "path": "/at/{{ request.query[\"q\"] }}" },
        ] }))
        .await;
    let rows = [
        (
            "a%0D%0AX-Evil:%201",
            "/at/a%0D%0AX-Evil%3A%201",
            "a%0D%0AX-Evil%3A%201",
            None,
        ),
        (
            "a%26b=c%23d%3F",
            "/at/a%26b%3Dc%23d%3F",
            "a%26b%3Dc%23d%3F",
            Some("a&b=c#d?"),
        ),
        ("%22%3Cx%3E", "/at/%22%3Cx%3E", "%22%3Cx%3E", Some("\"<x>")),
        ("%C3%A9", "/at/%C3%A9", "%C3%A9", Some("é")),
    ];
    for (sent, path, copy, field) in rows {
        let target = format!("/pets/1.0/pets?q={sent}");
        let answer = house.keyed("GET", &target, &[]).await;
        assert_eq!(answer.status, 200, "{sent}: {}", answer.text());
        let lines = house.received();
        assert_eq!(
            lines[0],
            format!("GET {path}?q={sent}&copy={copy} HTTP/1.1")
        );
        let expected: Vec<_> = field.into_iter().collect();
        assert_eq!(values(&lines, "x-q"), expected, "{sent}");
        assert_eq!(values(&lines, "x-evil"), [""; 0], "{sent}");
    }
    let missing = house.keyed("GET", "/pets/1.0/pets", &[]).await;
    assert_eq!(missing.code(), "listener.bad_request");
    // What goes up with `encoded_slash`: refuse (the default), pass and data.
    let rows = [
        ("", [Some("/at/"), Some("/at/"), Some("/at/")]),
        ("a%2Fb", [None, Some("/at/a%2Fb"), Some("/at/a%2Fb")]),
        ("a%5Cb", [None, Some("/at/a%5Cb"), Some("/at/a%5Cb")]),
        ("..%2Fadmin", [None, None, Some("/at/..%2Fadmin")]),
        (
            "%252e%252e%252Fadmin",
            [None, None, Some("/at/%252e%252e%252Fadmin")],
        ),
        ("..", [None; 3]),
        ("%2E%2E", [None; 3]),
        (".", [None; 3]),
        ("..;a", [None; 3]),
        ("a%00b", [None; 3]),
    ];
    for (index, encoded_slash) in ["refuse", "pass", "data"].into_iter().enumerate() {
        house
            .redeploy(json!({ "encoded_slash": encoded_slash }))
            .await;
        for (sent, up) in rows {
            let target = format!("/pets/1.0/pets?q={sent}");
            let answer = house.keyed("GET", &target, &[]).await;
            let text = format!("{encoded_slash} {sent:?}: {}", answer.text());
            let Some(path) = up[index] else {
                assert_eq!(
                    (answer.status, answer.code().as_str()),
                    (400, "route.ambiguous"),
                    "{text}"
                );
                continue;
            };
            assert_eq!(answer.status, 200, "{text}");
            let first = &house.received()[0];
            assert!(first.starts_with(&format!("GET {path}?")), "{first}");
        }
    }
}

#[tokio::test]
async fn a_location_that_leads_out_of_the_version_is_left_out_and_counted() {
    let house = House::new().await;
    let steps = json!({ "response": [{ "policy": "rewrite_location" }] });
    house.police(steps).await;
    for (location, moved) in [
        ("/a/%2e%2e/b", None),
        ("/..%2F..%2Fadmin", None),
        ("/..;a/b", None),
        ("/a/b%2Fc?d=../e", Some("/pets/1.0/a/b%2Fc?d=../e")),
    ] {
        let answer = upstream::answer(b"hello", &format!("Location: {location}\r\n"));
        house.upstream.behave(Behaviour::Answer(answer));
        let answer = house.call().await;
        assert_eq!(answer.status, 200, "{location}");
        assert_eq!(answer.field("location"), moved, "{location}");
    }
    let usage = counted(&house.admin, 4).await;
    assert_eq!(usage["rows"][0]["mismatched"], 3, "{usage}");
}

#[tokio::test]
async fn steps_of_responses_change_what_comes_back() {
    let house = House::new().await;
    house
        .police(json!({
            "request": [{ "policy": "let", "name": "who", "value": "request.headers[\"x-who\"]" }],
            "response": [
                { "policy": "remove_header", "names": ["server", "x-powered-*"] },
                { "policy": "rename_header", "from": "x-a", "to": "x-b" },
                set("x-of", "{{ request.method }} {{ var.who }} {{ response.status }}"),
                { "if": "response.status == 404", "policy": "set_status", "status": 410 },
                { "policy": "rewrite_location" },
            ],
        }))
        .await;
    let url = house.upstream.url();
    let rows = [
        (
            "404 Not Found",
            format!("{url}/pets/7?a=b"),
            410,
            "/pets/1.0/pets/7?a=b".to_owned(),
        ),
        (
            "201 Created",
            "/pets/7".to_owned(),
            201,
            "/pets/1.0/pets/7".to_owned(),
        ),
        (
            "200 OK",
            "https://elsewhere.test/pets".to_owned(),
            200,
            "https://elsewhere.test/pets".to_owned(),
        ),
        (
            "200 OK",
            format!("{url}0/pets"),
            200,
            format!("{url}0/pets"),
        ),
    ];
    for (status, location, expected, moved) in rows {
        let answer = format!(
            "HTTP/1.1 {status}\r\nServer: x\r\nX-Powered-By: y\r\nX-A: 1\r\nx-a: 2\r\n\
             Location: {location}\r\nContent-Length: 5\r\n\r\nhello"
        );
        house
            .upstream
            .behave(Behaviour::Answer(answer.into_bytes().into()));
        let answer = house
            .keyed("GET", "/pets/1.0/pets", &[("x-who", "me")])
            .await;
        assert_eq!((answer.status, answer.text().as_str()), (expected, "hello"));
        assert_eq!(answer.field("server"), None);
        assert_eq!(answer.field("x-powered-by"), None);
        let renamed: Vec<_> = answer.fields.iter().filter(|it| it.0 == "x-b").collect();
        assert_eq!(renamed.len(), 2);
        let of = format!("GET me {}", status.split(' ').next().unwrap());
        assert_eq!(answer.field("x-of"), Some(of.as_str()));
        assert_eq!(answer.field("location"), Some(moved.as_str()));
        assert!(answer.field("x-request-id").is_some());
    }
    house
        .police(json!({ "response": [{ "policy": "set_status", "status": 299 }] }))
        .await;
    let bare = b"HTTP/1.1 204 No Content\r\n\r\n";
    house
        .upstream
        .behave(Behaviour::Answer(bare.as_slice().into()));
    assert_eq!(
        house.call().await.status,
        204,
        "it has no body, whatever steps say"
    );
}

#[tokio::test]
async fn steps_of_errors_shape_refusals() {
    let house = House::with(
        &crate::house::builder(),
        json!([{ "per": "subscription", "amount": 1, "window": "day" }]),
    )
    .await;
    house
        .police(json!({ "error": [
            set("x-code", "{{ error.code }} {{ error.status }}"),
            set("x-plan", "{{ caller.plan }} {{ request.headers[\"x-who\"] }}"),
            { "policy": "remove_header", "names": ["cache-control"] },
            {
                "if": "error.status == 429", "policy": "respond", "status": 503,
                "headers": { "x-detail": "{{ error.detail }}" },
                "content_type": "application/json",
                "body": "{\"who\":{{ request.headers[\"x-who\"] }}}",
            },
        ] }))
        .await;
    let wrong = get("/pets/1.0/pets", "tg_live_x");
    let refused = http::call(house.tollgate.gateway, &wrong).await.unwrap();
    assert_eq!(refused.status, 401);
    assert_eq!(refused.field("x-code"), Some("authenticate.invalid 401"));
    assert_eq!(refused.field("x-plan"), None, "a value is not known yet");
    assert_eq!(refused.field("cache-control"), None);
    assert_eq!(refused.code(), "authenticate.invalid");
    let who = [("x-who", "a\"b")];
    assert_eq!(house.keyed("GET", "/pets/1.0/pets", &who).await.status, 200);
    let limited = house.keyed("GET", "/pets/1.0/pets", &who).await;
    assert_eq!(limited.status, 503);
    assert_eq!(limited.text(), r#"{"who":"a\"b"}"#);
    assert_eq!(limited.field("content-type"), Some("application/json"));
    assert!(limited.field("retry-after").is_some() && limited.field("ratelimit").is_some());
    assert!(limited.field("x-detail").is_some());
}

#[tokio::test]
async fn a_step_responds_in_place_of_the_upstream() {
    let limits = json!([{ "per": "subscription", "amount": 9, "window": "day" }]);
    let house = House::with(&crate::house::builder(), limits).await;
    let hello = json!({
        "policy": "respond", "status": 203, "headers": { "x-a": "{{ request.query[\"a\"] }}" },
        "content_type": "text/html", "body": "<p>{{ request.query[\"a\"] }}",
    });
    house
        .police(json!({ "request": [set("x", "1"), hello, set("y", "1")] }))
        .await;
    let answer = house.keyed("GET", "/pets/1.0/pets?a=%3Cb%3E", &[]).await;
    assert_eq!(
        (answer.status, answer.text().as_str()),
        (203, "<p>&lt;b&gt;")
    );
    assert_eq!(answer.field("x-a"), Some("<b>"));
    assert_eq!(answer.field("x-content-type-options"), Some("nosniff"));
    assert!(answer.field("ratelimit-policy").is_some(), "it is counted");
    assert_eq!(house.upstream.requests(), 0);
    let draft = format!("/api/v1/versions/{}/draft", house.api.version);
    let without = json!({ "upstream": null });
    house
        .admin
        .done("PATCH", &draft, Some(&without))
        .await
        .unwrap();
    let revision = house.admin.revision(&house.api.version).await.unwrap();
    house
        .admin
        .deploy(&house.api.version, revision)
        .await
        .unwrap();
    assert_eq!(house.call().await.status, 203, "no upstream is needed");
    let head = house.keyed("HEAD", "/pets/1.0/pets", &[]).await;
    assert_eq!(head.status, 405);
    let without = json!({ "policies": null });
    house
        .admin
        .done("PATCH", &draft, Some(&without))
        .await
        .unwrap();
    let revision = house.admin.revision(&house.api.version).await.unwrap();
    let refused = json!({ "revision": revision });
    let deployment = format!("/api/v1/versions/{}/deployment", house.api.version);
    let refused = house
        .admin
        .send("PUT", &deployment, Some(&refused))
        .await
        .unwrap();
    assert_eq!(refused.code(), "deployment.no_upstream");
}

#[tokio::test]
async fn operations_have_steps_of_their_own() {
    let house = House::new().await;
    let append = |value: &str| {
        let mut step = set("x-a", value);
        step["mode"] = json!("append");
        step
    };
    house
        .police(json!({
            "request": [append("version")], "response": [append("version")],
            "operations": [
                {
                    "operations": ["GET /pets"],
                    "request": [append("own")], "response": [append("own")],
                },
                { "operations": ["POST /pets"], "mode": "replace", "request": [append("own")] },
            ],
        }))
        .await;
    let rows = [
        (("GET", "/pets/1.0/pets"), &["version", "own"][..], "own"),
        (("POST", "/pets/1.0/pets"), &["own"], ""),
        (("GET", "/pets/1.0/pets/7"), &["version"], "version"),
    ];
    house
        .upstream
        .behave(Behaviour::Answer(upstream::answer(b"hello", "")));
    for (call, up, first) in rows {
        let answer = house.keyed(call.0, call.1, &[]).await;
        assert_eq!(answer.status, 200);
        assert_eq!(values(&house.received(), "x-a"), up, "{call:?}");
        assert_eq!(answer.field("x-a").unwrap_or_default(), first, "{call:?}");
    }
}

#[tokio::test]
async fn a_version_without_upstream_responds_with_examples() {
    let house = House::new().await;
    let version = &house.api.version;
    let document = |name: &str| {
        let content = json!({ "application/json": { "example": { "name": name } } });
        let operation =
            json!({ "responses": { "200": { "description": "", "content": content } } });
        json!({
            "openapi": "3.1.0", "info": { "title": "Pets", "version": "1.0" },
            "paths": { "/pets": { "get": operation } },
        })
        .to_string()
    };
    house
        .admin
        .replace_document(version, &document("Tom"))
        .await
        .unwrap();
    let mock = json!([{ "policy": "mock" }]);
    let change = json!({ "upstream": null, "policies": { "request": mock } });
    house.redeploy(change).await;
    let answer = house.call().await;
    assert_eq!(
        (answer.status, answer.text()),
        (200, r#"{"name":"Tom"}"#.to_owned())
    );
    assert_eq!(answer.field("content-type"), Some("application/json"));
    assert_eq!(house.upstream.requests(), 0);

    // A new document has an effect once it is deployed.
    house
        .admin
        .replace_document(version, &document("Jim"))
        .await
        .unwrap();
    assert_eq!(house.call().await.text(), r#"{"name":"Tom"}"#);
    house.redeploy(json!({})).await;
    assert_eq!(house.call().await.text(), r#"{"name":"Jim"}"#);

    let wrong = json!({ "policies": { "request": [{ "policy": "mock", "status": 404 }] } });
    let path = format!("/api/v1/versions/{version}/draft");
    let refused = house
        .admin
        .send("PATCH", &path, Some(&wrong))
        .await
        .unwrap();
    let refused = refused.json();
    assert_eq!(refused["errors"][0]["field"], "/policies/request/0/status");
    assert_eq!(refused["errors"][0]["code"], "policy.example");
}

#[tokio::test]
async fn claims_of_a_token_that_was_not_verified_do_not_exist() {
    let house = House::new().await;
    house
        .police(json!({ "request": [
            set("x-role", "{{ caller.claims.role }}"),
            set("x-sub", "{{ caller.claims.sub }}"),
        ] }))
        .await;
    // {"role":"admin","sub":"me"}
    let forged = "Bearer e30.eyJyb2xlIjoiYWRtaW4iLCJzdWIiOiJtZSJ9.c2ln";
    let answer = house
        .keyed("GET", "/pets/1.0/pets/1", &[("authorization", forged)])
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let lines = house.received();
    assert_eq!(values(&lines, "x-role"), [""; 0]);
    assert_eq!(values(&lines, "x-sub"), [""; 0]);
}

#[tokio::test]
async fn wrong_policies_are_refused_at_their_fields_and_the_version_stays() {
    let house = House::new().await;
    house.police(json!({ "response": [set("x-a", "1")] })).await;
    let request = |step: Value| json!({ "policies": { "request": [step] } }).to_string();
    let many = json!({ "policies": { "error": vec![set("x-a", "1"); 65] } }).to_string();
    let gone = json!({ "policies": { "operations": [{ "operations": ["GET /gone"] }] } });
    let matched = "request.path.matches(request.query.q)";
    let look_around = json!({ "policy": "threat_protection", "patterns": ["(?<!a)b"] });
    let at = "/policies/request/0";
    let unknown = (at.to_owned(), "body.invalid");
    let rows = [
        (request(json!({ "policy": "run_script" })), unknown.clone()),
        // Not supported yet.
        (
            request(json!({ "policy": "validate_request" })),
            unknown.clone(),
        ),
        (request(json!({ "policy": "mock", "staus": 200 })), unknown),
        (
            request(json!({ "name": "x-a", "value": "1" })),
            (format!("{at}/policy"), "body.invalid"),
        ),
        (
            request(json!({ "policy": "json_template" })),
            (format!("{at}/template"), "body.invalid"),
        ),
        (many, ("/policies/error".to_owned(), "policy.too_many")),
        (
            gone.to_string(),
            (
                "/policies/operations/0/operations/0".to_owned(),
                "policy.operation",
            ),
        ),
        (
            request(set("transfer_encoding", "a")),
            (format!("{at}/name"), "policy.header"),
        ),
        (
            request(set("x-b", "a\r\nx-c: d")),
            (format!("{at}/value"), "policy.template"),
        ),
        (
            request(json!({ "if": matched, "policy": "set_method", "method": "GET" })),
            (format!("{at}/if"), "policy.expression"),
        ),
        (
            request(look_around),
            (format!("{at}/patterns/0"), "policy.pattern"),
        ),
    ];
    let path = format!("/api/v1/versions/{}/draft", house.api.version);
    let patch = async |body: &str| {
        let body = body.as_bytes();
        let sent = house
            .admin
            .send_bytes("PATCH", &path, "application/json", body);
        sent.await.unwrap()
    };
    for (body, (field, code)) in rows {
        let refused = patch(&body).await;
        let problem = refused.json();
        let fault = &problem["errors"][0];
        let got = (&fault["field"], &fault["code"]);
        assert_eq!(got, (&json!(field), &json!(code)), "{body}: {problem}");
        assert_eq!(refused.status, 422, "{body}");
        assert_eq!(
            problem["errors"].as_array().map(Vec::len),
            Some(1),
            "{body}"
        );
    }
    let template = r#"{"policies":{"request":[{"policy":"json_template","template":{]}]}}"#;
    let refused = patch(template).await;
    assert_eq!(
        (refused.status, refused.code()),
        (400, "body.not_json".to_owned())
    );
    house.redeploy(json!({})).await;
    assert_eq!(house.call().await.field("x-a"), Some("1"));
}
