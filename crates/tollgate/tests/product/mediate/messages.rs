//! The messages and policies that are tried in a dry run and in a gateway.

use serde_json::{Value, json};

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

pub(super) fn set(name: &str, value: &str) -> Value {
    json!({ "policy": "set_header", "name": name, "value": value })
}

pub(super) fn when(condition: &str, mut step: Value) -> Value {
    step["if"] = json!(condition);
    step
}

/// Policies with steps on heads.
pub(super) fn policies_of_heads() -> Vec<Value> {
    let facts = "{{ caller.plan }} {{ caller.environment }} {{ caller.application }} \
                 {{ api.name }} {{ api.operation }} {{ request.path }} {{ path.pet }}";
    let seen = "{{ request.headers[\"x-a\"] }} {{ request.headers[\"cookie\"] }} \
                {{ request.headers[\"apikey\"] }} {{ request.query[\"q\"] }}";
    vec![
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

/// Policies with steps on bodies.
pub(super) fn policies_of_bodies() -> Vec<Value> {
    let threats = json!({
        "policy": "threat_protection", "depth": 3, "members": 4, "patterns": ["(?i)<script"],
        "bytes_max": 200, "other_type": "pass",
    });
    let edit = json!({
        "policy": "json_edit", "other_type": "pass", "edits": [
            { "set": "$.q", "value": "request.query.q" }, { "remove": "$.c" },
            { "rename": "$.a", "to": "A" },
        ],
    });
    let mask = |with: &str| {
        let paths = ["$.card", "$..iban"];
        json!({ "policy": "mask", "paths": paths, "with": with, "other_type": "pass" })
    };
    let replace = |bytes_max: u32| {
        let pairs = json!([{ "from": "a", "to": "bb" }, { "from": "1", "to": "" }]);
        json!({ "policy": "replace_text", "pairs": pairs, "bytes_max": bytes_max })
    };
    let template = json!({
        "policy": "json_template", "template": {
            "a": "{{ body.a }}", "of": "{{ request.method }} {{ body.b.c }}",
            "list": { "$each": "body.list", "$as": "it", "$do": { "n": "{{ it.n }}" } },
        },
    });
    let seen = "{{ body.a }} {{ body.b.c }} {{ body.list[0].n }}";
    let facts = when("body.a == 1", set("x-one", "{{ body.card }}"));
    vec![
        json!({
            "request": [
                threats, set("x-seen", seen), facts, edit,
                when("request.headers[\"x-c\"] == \"c\"", template.clone()),
            ],
            "response": [set("x-seen", seen), edit_of_answers(), mask("last4")],
            "error": [set("x-code", "{{ error.code }} {{ error.detail }}")],
        }),
        json!({
            "request": [
                { "policy": "xml_to_json", "arrays": ["b"], "other_type": "pass" },
                when("body.b[0].orValue(\"\") == \"1\"", json!({
                    "policy": "respond", "status": 203, "content_type": "application/json",
                    "body": "{\"b\":{{ body.b }}}",
                })),
                set("x-a", "{{ body.a }}"), edit, replace(1_000),
            ],
            "response": [replace(40), { "policy": "json_to_xml", "root": "r" }],
        }),
        json!({
            "request": [
                when("has(request.query.q)", json!({ "policy": "json_to_xml" })),
                { "policy": "let", "name": "n", "value": "body.a" }, replace(80),
            ],
            "response": [
                { "policy": "xml_to_json" }, template, set("x-n", "{{ var.n }} {{ body.a }}"),
            ],
            "error": [when("error.status == 415", json!({
                "policy": "respond", "status": 422, "content_type": "text/plain",
                "body": "{{ error.code }}",
            }))],
        }),
        json!({
            "request": [
                when("body.a == 1", edit),
            ],
            "response": [
                mask("***"), when("request.headers[\"x-a\"] == \"1\"", mask("remove")),
                when("response.status == 200", template),
            ],
            "operations": [{
                "operations": ["GET /pets/{pet}"], "mode": "replace",
                "request": [set("x-own", "{{ path.pet }}")],
            }, {
                "operations": ["POST /pets"],
                "request": [threats], "response": [replace(1_000)],
            }],
        }),
    ]
}

/// Policies for messages with content codings.
pub(super) fn policies_of_codings() -> Vec<Value> {
    let replace = |bytes_max: u32| {
        let pairs = json!([{ "from": "a", "to": "bb" }]);
        json!({ "policy": "replace_text", "pairs": pairs, "bytes_max": bytes_max })
    };
    let compress = json!({ "policy": "compress", "min_bytes": 30 });
    let of_json = |policy: &str, fields: Value| {
        let mut step = json!({ "policy": policy, "other_type": "pass" });
        step.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        step
    };
    let edit = of_json("json_edit", json!({ "edits": [{ "remove": "$.c" }] }));
    let mask = of_json("mask", json!({ "paths": ["$..iban"] }));
    vec![
        // Nothing reads bodies.
        json!({
            "request": [set("x-coding", "{{ request.headers[\"content-encoding\"] }}")],
            "response": [set("x-coding", "{{ response.headers[\"content-encoding\"] }}")],
        }),
        json!({
            "request": [
                edit, replace(90), set("x-coding", "{{ request.headers[\"content-encoding\"] }}"),
            ],
            "response": [
                set("x-coding", "{{ response.headers[\"content-encoding\"] }}"), mask, compress,
            ],
        }),
        json!({
            "request": [set("x-seen", "{{ body.a }} {{ body.b.c }}")],
            "response": [compress],
        }),
        json!({
            "request": [when("request.headers[\"x-a\"] == \"1\"", replace(1_000))],
            "response": [
                replace(90), when("response.status == 200", json!({ "policy": "json_to_xml" })),
                when("request.headers[\"x-c\"] == \"c\"", compress),
            ],
        }),
    ]
}

/// Edits of responses that depend on the response.
fn edit_of_answers() -> Value {
    json!({
        "policy": "json_edit", "if": "response.status != 500 && body.a != 2",
        "edits": [
            { "set": "$.list[*].seen", "value": "true" }, { "set": "$.at", "value": "body.b.c" },
        ],
    })
}

/// Bodies with their media types, also of other media types than they have.
const BODIES: [(&str, &str); 24] = [
    ("", ""),
    ("application/json", ""),
    ("application/json", r#"{"a": 1, "b": {"c": "x"}, "c": 2}"#),
    (
        "application/json",
        r#"{"a": 1.50, "list": [{"n": 1}, {"n": null}, 3]}"#,
    ),
    (
        "application/json; charset=utf-8",
        r#"{"card": "4111111111111111", "a": "\u00e9\n"}"#,
    ),
    (
        "application/problem+json",
        r#"[{"iban": "DE1", "x": {"iban": [1]}}, {"a": 2}]"#,
    ),
    (
        "application/json",
        r#"{"a": 12345678901234567890123, "a": 2}"#,
    ),
    ("application/json", r#"{"a": "<ScRiPt>"}"#),
    ("application/json", r#"{"a": {"b": {"c": {"d": 1}}}}"#),
    (
        "application/json",
        r#"{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}"#,
    ),
    ("application/json", r#""text""#),
    ("application/json", "null"),
    ("application/json", r#"{"a": "#),
    ("application/json", r#"{"a": "\ud800"}"#),
    ("application/json", "<a/>"),
    ("application/json; charset=utf-16", "{}"),
    ("application/xml", "<r><a>1</a><b>1</b><c>\u{e9}</c></r>"),
    (
        "text/xml; charset=utf-8",
        "<?xml version=\"1.0\"?><r at=\"1\"><b/><b>x</b>y</r>",
    ),
    ("application/soap+xml", "<r><a>1</b></r>"),
    (
        "application/xml",
        "<!DOCTYPE r [<!ENTITY a \"b\">]><r>&a;</r>",
    ),
    ("application/xml", "{\"a\": 1}"),
    ("text/plain", "an apple a day 1"),
    ("text/html", "<b>1</b>"),
    ("application/octet-stream", "{\"a\": 1}"),
];

/// What messages have beside their heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Heads,
    Bodies,
    Codings,
}

/// Messages, the same in each run.
pub(super) struct Given {
    random: Random,
    kind: Kind,
}

impl Given {
    /// Messages with bodies of no media type.
    pub(super) fn heads(seed: u64) -> Self {
        Self::new(seed, Kind::Heads)
    }

    /// Messages with bodies of many kinds, and with conditions.
    pub(super) fn bodies(seed: u64) -> Self {
        Self::new(seed, Kind::Bodies)
    }

    /// Messages like [`Self::bodies`], many of them with content codings or without a body, since
    /// the method is HEAD.
    pub(super) fn codings(seed: u64) -> Self {
        Self::new(seed, Kind::Codings)
    }

    fn new(seed: u64, kind: Kind) -> Self {
        let random = Random(seed);
        Self { random, kind }
    }

    pub(super) fn next(&mut self) -> Value {
        let mut message = generate(&mut self.random);
        if self.kind != Kind::Heads {
            self.add_bodies(&mut message);
        }
        if self.kind == Kind::Codings {
            self.add_codings(&mut message);
        }
        message
    }

    /// Names codings for bodies, which stay texts here; bodies are so long that the coded ones are
    /// shorter.
    fn add_codings(&mut self, message: &mut Value) {
        if message["request"]["method"] == "GET" && self.random.below(3) == 0 {
            message["request"]["method"] = json!("HEAD");
            message["response"]["body"] = json!("");
        }
        for side in ["request", "response"] {
            let body = message[side]["body"].as_str().unwrap().to_owned();
            let coding = *self.random.pick(&["gzip", "br", ""]);
            let is_coded = message["request"]["method"] == "HEAD" && side == "response";
            if coding.is_empty() || body.is_empty() && !is_coded {
                continue;
            }
            if !body.is_empty() {
                message[side]["body"] = json!(body + &" ".repeat(60));
            }
            let headers = message[side]["headers"].as_array_mut().unwrap();
            headers.push(json!({ "name": "Content-Encoding", "value": coding }));
        }
    }

    fn add_bodies(&mut self, message: &mut Value) {
        let conditions = [
            ("If-None-Match", "\"x\", W/\"y;w00000000001\""),
            ("If-Match", "\"x\""),
            ("Range", "bytes=0-1"),
            ("Accept-Encoding", "gzip"),
            ("Content-Digest", "sha-256=:AA=:"),
        ];
        let of_answers = [
            ("Content-Digest", "sha-256=:AA=:"),
            ("Accept-Ranges", "bytes"),
            ("Vary", "accept"),
            ("Content-Encoding", "identity"),
        ];
        let of_requests = self.random.some(&conditions);
        let of_answers = self.random.some(&of_answers);
        for (side, more) in [("request", of_requests), ("response", of_answers)] {
            let (media_type, body) = *self.random.pick(&BODIES);
            let has_body = side == "response" || message["request"]["method"] == "POST";
            let body = if has_body { body } else { "" };
            message[side]["body"] = json!(body);
            let headers = message[side]["headers"].as_array_mut().unwrap();
            for (name, value) in more {
                headers.push(json!({ "name": name, "value": value }));
            }
            if !media_type.is_empty() {
                headers.push(json!({ "name": "Content-Type", "value": media_type }));
            }
        }
        if message["response"]["body"] == "" {
            message["response"]["status"] = json!(self.random.pick(&[200, 204, 304]));
        }
    }
}

/// The operations of the version that messages call.
pub(super) fn operations() -> Value {
    let pets = ["GET", "HEAD", "POST"].map(|method| json!({ "method": method, "path": "/pets" }));
    let pet = ["GET", "HEAD"].map(|method| json!({ "method": method, "path": "/pets/{pet}" }));
    json!([&pets[..], &pet[..]].concat())
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
