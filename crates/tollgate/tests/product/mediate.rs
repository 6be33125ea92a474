//! The dry run of policies agrees with a gateway, byte for byte.

use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, http};

use crate::house::House;

/// Fields that gateways add to every request, or that frame it.
const ADDED_TO_REQUESTS: [&str; 8] = [
    "host",
    "content-length",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "forwarded",
    "via",
    "x-request-id",
];
/// Fields that gateways add to every response, or that frame it.
const ADDED_TO_RESPONSES: [&str; 7] = [
    "content-length",
    "transfer-encoding",
    "connection",
    "date",
    "x-request-id",
    "ratelimit",
    "ratelimit-policy",
];

/// A message without the fields that gateways add: first line, field lines, body.
type Bytes = (String, Vec<(String, String)>, String);

/// Pseudo-random numbers (Knuth's MMIX generator), the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    /// Returns some of the items, in their order.
    fn some<'i, T>(&mut self, items: &'i [T]) -> Vec<&'i T> {
        items.iter().filter(|_| self.below(3) == 0).collect()
    }
}

fn set(name: &str, value: &str) -> Value {
    json!({ "policy": "set_header", "name": name, "value": value })
}

fn when(condition: &str, mut step: Value) -> Value {
    step["if"] = json!(condition);
    step
}

/// The policies that are tried, one after the other.
fn policies() -> [Value; 4] {
    let facts = "{{ caller.plan }} {{ caller.environment }} {{ caller.application }} \
                 {{ api.name }} {{ api.operation }} {{ request.path }} {{ path.pet }}";
    let seen = "{{ request.headers[\"x-a\"] }} {{ request.headers[\"cookie\"] }} \
                {{ request.headers[\"apikey\"] }} {{ request.query[\"q\"] }}";
    [
        json!({}),
        json!({
            "request": [
                set("x-facts", facts), set("x-seen", seen), set("x-a", "{{ request.query.q }}"),
                { "policy": "set_header", "name": "x-b", "value": "more", "mode": "append" },
                { "policy": "set_header", "name": "x-c", "value": "new", "mode": "if_absent" },
                { "policy": "remove_header", "names": ["x-int-*", "user-agent"] },
                { "policy": "rename_header", "from": "x-old", "to": "x-new" },
                { "policy": "set_query", "name": "l & c", "value": "{{ request.query.q }}/1" },
                { "policy": "remove_query", "names": ["drop*"] },
            ],
            "response": [
                set("x-of", "{{ request.method }} {{ response.status }} {{ request.query.q }}"),
                { "policy": "remove_header", "names": ["server", "x-powered-*"] },
                { "policy": "rename_header", "from": "x-a", "to": "x-b" },
                { "policy": "rewrite_location", "content_location": true },
                when("response.status == 404", json!({ "policy": "set_status", "status": 410 })),
            ],
        }),
        json!({
            "request": [
                { "policy": "let", "name": "q", "value": "request.query.q.lowerAscii()" },
                when("var.q == \"a\"", json!({
                    "policy": "rewrite_path", "path": "/v2/{{ var.q }}/{{ request.query.q }}",
                })),
                when("request.method == \"POST\"", json!({
                    "policy": "set_method", "method": "PUT",
                })),
                when("request.headers[\"x-a\"] == \"1\"", json!({
                    "policy": "respond", "status": 203, "content_type": "application/json",
                    "headers": { "x-q": "{{ var.q }}" },
                    "body": "{\"q\":{{ var.q }},\"a\":{{ request.headers[\"x-b\"] }}}",
                })),
                set("x-late", "1"),
            ],
            "response": [set("x-var", "{{ var.q }}")],
            "operations": [
                {
                    "operations": ["GET /pets"],
                    "request": [set("x-own", "{{ var.q }}")], "response": [set("x-own", "1")],
                },
                {
                    "operations": ["GET /pets/{pet}"], "mode": "replace",
                    "response": [{ "policy": "set_status", "status": 206 }],
                },
            ],
        }),
        json!({
            "request": [
                { "policy": "rewrite_path", "path": "/at/{{ request.query.q }}" },
                set("x-q", "{{ request.query.q }}"),
            ],
            "response": [set("set-cookie", "tollgate_session=x"), set("x-a", "1")],
            "error": [
                set("x-code", "{{ error.code }} {{ error.status }} {{ request.headers[\"x-b\"] }}"),
                when("request.headers[\"x-c\"] == \"c\"", json!({
                    "policy": "respond", "status": 422, "content_type": "text/plain",
                    "body": "{{ error.code }}",
                })),
            ],
        }),
    ]
}

/// A call and the upstream's answer, as `POST …/mediate` takes them.
fn generate(random: &mut Random) -> Value {
    let method = *random.pick(&["GET", "GET", "POST"]);
    let path = match method {
        "POST" => "/pets",
        _ => *random.pick(&["/pets", "/pets/7", "/pets/a%20b", "/pets/%7Ex%2Cy"]),
    };
    let queries = [
        "q=a",
        "q=B",
        "drop=1",
        "%64ropped=2",
        "keep=%31+2",
        "q=%C3%A9",
        "q=..",
    ];
    let query: Vec<_> = random.some(&queries).into_iter().copied().collect();
    let path = match query.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{}", query.join("&")),
    };
    let fields = [
        ("x-a", "1"),
        ("X-A", "2"),
        ("x-b", "b\"b"),
        ("x-c", "c"),
        ("X-Int-D", "d"),
        ("user-agent", "test"),
        ("x-old", "old"),
        ("Accept", "*/*"),
        ("traceparent", "00-1-2-01"),
        ("x-forwarded-for", "192.0.2.7"),
        ("X-Tollgate-Application", "app_x"),
        ("X_Secret", "guessed"),
        ("Keep-Alive", "1"),
        ("Connection", "x-hop"),
        ("x-hop", "1"),
        ("Cookie", "a=1; tollgate_session=s; b=2"),
        ("Cookie", "c=3"),
        ("Origin", "https://a.test"),
        ("RateLimit", "1"),
        ("Authorization", "Digest a"),
    ];
    let answers = [
        ("Server", "x"),
        ("X-Powered-By", "y"),
        ("x-a", "1"),
        ("X-A", "2"),
        ("Location", "/pets/7"),
        ("Content-Location", "https://elsewhere.test/pets"),
        ("Set-Cookie", "a=1"),
        ("Set-Cookie", "tollgate_session=x"),
        ("Access-Control-Allow-Origin", "*"),
        ("ETag", "\"x\""),
    ];
    let shown = |fields: Vec<&(&str, &str)>| {
        let fields = fields.into_iter();
        let fields = fields.map(|(name, value)| json!({ "name": name, "value": value }));
        fields.collect::<Vec<_>>()
    };
    let body = if method == "POST" {
        *random.pick(&["hello", "{\"a\": 1}"])
    } else {
        ""
    };
    json!({
        "request": {
            "method": method, "path": path, "headers": shown(random.some(&fields)), "body": body,
        },
        "response": {
            "status": random.pick(&[200, 201, 404, 500]),
            "headers": shown(random.some(&answers)),
            "body": random.pick(&["", "hello", "[1, 2]"]),
        },
    })
}

fn fields(message: &Value) -> Vec<(&str, &str)> {
    let headers = message["headers"].as_array().unwrap().iter();
    let pairs = headers.map(|it| (it["name"].as_str().unwrap(), it["value"].as_str().unwrap()));
    pairs.collect()
}

/// Returns the message that a dry run shows, without the fields of a list. The values of the
/// upstream's credential are masked on both sides.
fn shown(message: &Value, left_out: &[&str]) -> Bytes {
    let first = match message["method"].as_str() {
        Some(method) => format!("{method} {}", message["path"].as_str().unwrap()),
        None => message["status"].to_string(),
    };
    let body = message["body"].as_str().unwrap().to_owned();
    (first, without(fields(message), left_out), body)
}

fn without(fields: Vec<(&str, &str)>, left_out: &[&str]) -> Vec<(String, String)> {
    let fields = fields.into_iter().filter_map(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let is_masked = name == "x-secret" || name.starts_with("x-tollgate-");
        let value = if is_masked { "***" } else { value };
        (!left_out.contains(&&*name)).then(|| (name, value.to_owned()))
    });
    fields.collect()
}

impl House {
    /// Sends the call of a message; returns what the upstream received, if it was called, and what
    /// the caller got.
    async fn record(&self, message: &Value) -> (Option<Bytes>, Bytes) {
        let (request, response) = (&message["request"], &message["response"]);
        let mut answer = format!("HTTP/1.1 {} Some\r\n", response["status"]);
        for (name, value) in fields(response) {
            answer += &format!("{name}: {value}\r\n");
        }
        let body = response["body"].as_str().unwrap();
        answer += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.upstream
            .behave(Behaviour::Answer(answer.into_bytes().into()));
        self.upstream.forget();
        let key = ("apikey", self.consumer.key.as_str());
        let fields = [&[key], &fields(request)[..]].concat();
        let text = |name: &str| request[name].as_str().unwrap();
        let target = format!("/pets/1.0{}", text("path"));
        let sent = http::request(text("method"), &target, &fields, text("body").as_bytes());
        let answer = http::call(self.tollgate.gateway, &sent).await.unwrap();
        let got = answer
            .fields
            .iter()
            .map(|(name, value)| (&**name, &**value));
        let got = without(got.collect(), &ADDED_TO_RESPONSES);
        let got = (answer.status.to_string(), got, answer.text());
        if self.upstream.requests() == 0 {
            return (None, got);
        }
        let received = String::from_utf8(self.upstream.received().concat()).unwrap();
        let (head, body) = received.split_once("\r\n\r\n").unwrap();
        let mut lines = head.split("\r\n");
        let first = lines
            .next()
            .unwrap()
            .trim_end_matches(" HTTP/1.1")
            .to_owned();
        let pairs = lines.filter_map(|line| line.split_once(": "));
        let up = without(pairs.collect(), &ADDED_TO_REQUESTS);
        (Some((first, up, body.to_owned())), got)
    }
}

#[tokio::test]
async fn a_hundred_messages_give_the_same_bytes_in_a_dry_run_and_in_a_gateway() {
    let house = House::new().await;
    let mut random = Random(37);
    let path = format!("/api/v1/versions/{}/mediate", house.api.version);
    let mut outcomes = std::collections::BTreeMap::new();
    for policies in policies() {
        let credential = json!({ "header": { "name": "x-secret", "value": "secret" } });
        let upstream = json!({ "url": house.upstream.url(), "credential": credential });
        let change = json!({ "policies": policies, "identity": "headers", "upstream": upstream });
        house.redeploy(change).await;
        for _ in 0..25 {
            let mut message = generate(&mut random);
            let (up, got) = house.record(&message).await;
            message["caller"] = json!({
                "application": house.consumer.application,
                "subscription": house.consumer.subscription,
                "plan": "tested",
            });
            message["address"] = json!("127.0.0.1");
            message["of"] = json!("deployed");
            let tried = house
                .admin
                .done("POST", &path, Some(&message))
                .await
                .unwrap();
            let sent = &tried["request"]["sent"];
            let sent = sent.is_object().then(|| shown(sent, &ADDED_TO_REQUESTS));
            assert_eq!(sent, up, "{message:#}");
            let mut answer = shown(&tried["answer"], &ADDED_TO_RESPONSES);
            if got.2.contains("request_id") {
                let id =
                    |body: &str| serde_json::from_str::<Value>(body).unwrap()["request_id"].clone();
                let (own, real) = (id(&answer.2), id(&got.2));
                answer.2 = answer
                    .2
                    .replace(own.as_str().unwrap(), real.as_str().unwrap());
            }
            assert_eq!(answer, got, "{message:#}");
            let by = tried["answered_by"].as_str().unwrap().to_owned();
            *outcomes.entry(by).or_insert(0) += 1;
        }
    }
    let kinds: Vec<_> = outcomes.keys().map(String::as_str).collect();
    assert_eq!(kinds, ["gateway", "policy", "upstream"], "{outcomes:?}");
    assert_eq!(outcomes.values().sum::<i32>(), 100);
}

#[tokio::test]
async fn the_command_tries_a_version_of_a_server_or_files() {
    let house = House::new().await;
    let steps = json!([
        set("x-a", "{{ request.query.q }}"),
        when("false", set("x-b", "1"))
    ]);
    house
        .redeploy(json!({ "policies": { "request": steps } }))
        .await;
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &Value| {
        let path = directory.path().join(name);
        std::fs::write(&path, content.to_string()).unwrap();
        path.into_os_string().into_string().unwrap()
    };
    let request = json!({
        "method": "GET", "path": "/pets?q=1", "headers": [{ "name": "apikey", "value": "k" }],
    });
    let message = file("message.json", &json!({ "request": request }));
    let token = json!({ "name": "mine" });
    let token = house
        .admin
        .done("POST", "/api/v1/access-tokens", Some(&token))
        .await
        .unwrap();
    let token = token["token"].as_str().unwrap().to_owned();
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command
            .env("TOLLGATE_TOKEN", &token)
            .current_dir(directory.path());
        let output = command.arg("mediate").args(words).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let url = format!("http://{}", house.tollgate.control);
    let expected = "operation GET /pets\n\n\
        /policies/request/0 set_header\n+ x-a: 1\n\n\
        /policies/request/1 set_header: did not run, the condition is false\n\n\
        goes up\n  GET /pets?q=1\n  x-a: 1\n\n\
        answer of the upstream\n  200\n";
    let version = house.api.version.as_str();
    let (code, printed, errors) = run(&[version, &message, "--url", &url, "--deployed"]);
    assert_eq!((code, &*printed), (Some(0), expected), "{errors}");
    let draft = format!("/api/v1/versions/{version}/draft");
    let draft = house.admin.done("GET", &draft, None).await.unwrap();
    let draft = file("draft.json", &draft);
    let (code, printed, errors) = run(&["--draft", &draft, &message]);
    assert_eq!((code, &*printed), (Some(0), expected), "{errors}");
    let dots =
        json!({ "request": [{ "policy": "rewrite_path", "path": "/{{ request.query.no }}" }] });
    let dots = file("policies.json", &dots);
    for words in [
        &["--draft", &draft, &message, "--policies", &dots][..],
        &[version, &message, "--policies", &dots, "--url", &url],
    ] {
        let (code, printed, errors) = run(words);
        assert_eq!(code, Some(1));
        assert!(printed.contains("goes up: nothing"), "{printed}");
        let refused = "refused with 400 listener.bad_request at /policies/request/0: ";
        assert!(errors.contains(refused), "{errors}");
    }
    let wrong = file("wrong.json", &json!({ "request": [set("host", "{{ a")] }));
    for words in [
        &["--draft", &draft, &message, "--policies", &wrong][..],
        &[version, &message, "--policies", &wrong, "--url", &url],
    ] {
        let (code, printed, errors) = run(words);
        assert_eq!((code, &*printed), (Some(1), ""), "{errors}");
        for pointer in ["/policies/request/0/name: ", "/policies/request/0/value: "] {
            assert!(errors.contains(pointer), "{errors}");
        }
    }
    let (code, _, errors) = run(&[&message]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("tollgate mediate VERSION FILE"), "{errors}");
    let (code, _, errors) = run(&[version, &message, "--url", &url, "--data", "x"]);
    assert_eq!(code, Some(1));
    assert!(
        errors.contains("`--data` is not an option of `tollgate mediate`"),
        "{errors}"
    );
}

#[test]
fn the_guide_shows_what_the_command_prints() {
    let page = include_str!("../../../../docs/guide/shape-a-message.md");
    let section = page.split("\n## Try it first\n").nth(1).unwrap();
    let block = |fence: &str| {
        let block = section.split(fence).nth(1).unwrap();
        block.split("```").next().unwrap().to_owned()
    };
    let program = env!("CARGO_BIN_EXE_tollgate");
    let walk = block("```sh\n").replace("\ntollgate ", &format!("\n{program} "));
    let directory = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new("sh");
    command
        .args(["-e", "-c", &walk])
        .current_dir(directory.path());
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        printed,
        block("\n```\noperation").replacen(" GET", "operation GET", 1)
    );
}
