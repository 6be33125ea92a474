//! The dry run of policies agrees with a gateway, byte for byte.

mod messages;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use messages::{Given, set, when};
use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, http};

use crate::house::House;
use crate::policies::bodies::{brotli, gzip};

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
    let body = message["body"].as_str().unwrap_or_default().to_owned();
    (first, without(fields(message), left_out), body)
}

/// Returns the answer that a dry run shows. A compressed body is not shown: then the body is that
/// of the message before.
fn shown_answer(tried: &Value) -> Bytes {
    let mut answer = shown(&tried["answer"], &ADDED_TO_RESPONSES);
    if tried["answer"]["body"].is_null() {
        let response = &tried["response"];
        let steps = response["steps"].as_array().unwrap().iter().rev();
        let mut bodies = steps.filter_map(|step| step["after"]["body"].as_str());
        let before = response["before"]["body"].as_str();
        answer.2 = bodies.next().or(before).unwrap().to_owned();
    }
    answer
}

/// Returns the last content coding that fields name; empty without one.
fn coding<N: AsRef<str>, V: AsRef<str>>(fields: &[(N, V)]) -> String {
    let named = |it: &&(N, V)| it.0.as_ref().eq_ignore_ascii_case("content-encoding");
    let last = fields.iter().rfind(named);
    last.map_or_else(String::new, |it| it.1.as_ref().to_owned())
}

/// Returns a body in the coding that its fields name: messages hold it without one.
fn coded(message: &Value) -> Vec<u8> {
    let body = message["body"].as_str().unwrap().as_bytes();
    match &*coding(&fields(message)) {
        "gzip" if !body.is_empty() => gzip(body),
        "br" if !body.is_empty() => brotli(body),
        _ => body.to_vec(),
    }
}

/// Returns a body without the coding that its fields name.
fn decoded(fields: &[(String, String)], body: &[u8]) -> String {
    let mut text = String::new();
    let read = match &*coding(fields) {
        "gzip" if !body.is_empty() => MultiGzDecoder::new(body).read_to_string(&mut text),
        "br" if !body.is_empty() => brotli::Decompressor::new(body, 4096).read_to_string(&mut text),
        _ => (&mut &*body).read_to_string(&mut text),
    };
    read.unwrap();
    text
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
        let body = coded(response);
        if !matches!(response["status"].as_u64(), Some(204 | 304)) {
            // The response to HEAD has the length of a body that it does not have.
            let is_head = request["method"] == "HEAD";
            let length = if is_head { 2_000 } else { body.len() };
            answer += &format!("Content-Length: {length}\r\n");
        }
        let answer = [answer.as_bytes(), b"\r\n", &body].concat();
        self.upstream.behave(Behaviour::Answer(answer.into()));
        self.upstream.forget();
        let key = ("apikey", self.consumer.key.as_str());
        let fields = [&[key], &fields(request)[..]].concat();
        let text = |name: &str| request[name].as_str().unwrap();
        let target = format!("/pets/1.0{}", text("path"));
        let sent = http::request(text("method"), &target, &fields, &coded(request));
        let answer = http::call(self.tollgate.gateway, &sent).await.unwrap();
        let got = answer
            .fields
            .iter()
            .map(|(name, value)| (&**name, &**value));
        let got = without(got.collect(), &ADDED_TO_RESPONSES);
        let body = decoded(&got, &answer.body);
        let got = (answer.status.to_string(), got, body);
        if self.upstream.requests() == 0 {
            return (None, got);
        }
        let received = self.upstream.received().concat();
        let head_end = received.windows(4).position(|it| it == b"\r\n\r\n");
        let (head, body) = received.split_at(head_end.unwrap());
        let head = str::from_utf8(head).unwrap();
        let mut lines = head.split("\r\n");
        let first = lines
            .next()
            .unwrap()
            .trim_end_matches(" HTTP/1.1")
            .to_owned();
        let pairs = lines.filter_map(|line| line.split_once(": "));
        let up = without(pairs.collect(), &ADDED_TO_REQUESTS);
        let body = decoded(&up, &body[4..]);
        (Some((first, up, body)), got)
    }
}

/// What was compared.
#[derive(Default)]
struct Compared {
    /// How many messages each kind of source has answered.
    sources: BTreeMap<String, u32>,
    /// The codes of refusals.
    codes: BTreeSet<String>,
    /// How many requests had the method HEAD.
    heads: u32,
    /// How many answers were compressed.
    compressed: u32,
}

impl Compared {
    fn count(&mut self, message: &Value, tried: &Value) {
        let by = tried["answered_by"].as_str().unwrap().to_owned();
        *self.sources.entry(by).or_insert(0) += 1;
        let code = tried["refused"]["code"].as_str();
        self.codes.extend(code.map(str::to_owned));
        self.heads += u32::from(message["request"]["method"] == "HEAD");
        self.compressed += u32::from(tried["answer"]["body"].is_null());
    }

    /// Checks that messages have reached these sources and refusals.
    fn assert_reached(&self, sources: &[&str], codes: &[&str]) {
        let reached: Vec<_> = self.sources.keys().collect();
        assert_eq!(reached, sources, "{:?}", self.sources);
        assert_eq!(self.sources.values().sum::<u32>(), 100);
        assert_eq!(self.codes.iter().collect::<Vec<_>>(), codes);
    }
}

/// Sends messages through a gateway and tries them in a dry run: 25 for each of these policies.
async fn compare(given: &mut Given, tried: Vec<Value>) -> Compared {
    let house = House::new().await;
    let path = format!("/api/v1/versions/{}/mediate", house.api.version);
    let mut compared = Compared::default();
    for mut policies in tried {
        // A patch leaves lists as they are that it does not name.
        for list in ["request", "response", "error", "operations"] {
            if policies[list].is_null() {
                policies[list] = json!([]);
            }
        }
        let credential = json!({ "header": { "name": "x-secret", "value": "secret" } });
        let upstream = json!({ "url": house.upstream.url(), "credential": credential });
        let operations = messages::operations();
        let change = json!({
            "policies": policies, "identity": "headers", "upstream": upstream,
            "operations": operations,
        });
        house.redeploy(change).await;
        for _ in 0..25 {
            let mut message = given.next();
            let (up, got) = house.record(&message).await;
            message["caller"] = json!({
                "application": house.consumer.application,
                "subscription": house.consumer.subscription,
                "plan": "tested",
            });
            message["address"] = json!("127.0.0.1");
            message["of"] = json!("deployed");
            let tried = house.admin.done("POST", &path, Some(&message));
            let tried = tried.await.unwrap();
            let sent = &tried["request"]["sent"];
            let sent = sent.is_object().then(|| shown(sent, &ADDED_TO_REQUESTS));
            assert_eq!(sent, up, "{message:#} {got:?}");
            let mut answer = shown_answer(&tried);
            if got.2.contains("request_id") {
                let id =
                    |body: &str| serde_json::from_str::<Value>(body).unwrap()["request_id"].clone();
                let (own, real) = (id(&answer.2), id(&got.2));
                answer.2 = answer
                    .2
                    .replace(own.as_str().unwrap(), real.as_str().unwrap());
            }
            assert_eq!(answer, got, "{message:#}");
            compared.count(&message, &tried);
        }
    }
    compared
}

#[tokio::test]
async fn a_hundred_messages_give_the_same_bytes_in_a_dry_run_and_in_a_gateway() {
    let mut given = Given::heads(37);
    let compared = compare(&mut given, messages::policies_of_heads()).await;
    let codes = ["listener.bad_request"];
    compared.assert_reached(&["gateway", "policy", "upstream"], &codes);
}

#[tokio::test]
async fn a_hundred_messages_with_bodies_give_the_same_bytes_in_a_dry_run_and_in_a_gateway() {
    let mut given = Given::bodies(38);
    let compared = compare(&mut given, messages::policies_of_bodies()).await;
    let codes = [
        "mediate.body_too_large",
        "mediate.not_well_formed",
        "mediate.threat",
        "mediate.wrong_type",
        "upstream.not_understood",
        "upstream.too_large",
    ];
    compared.assert_reached(&["gateway", "policy", "upstream"], &codes);
}

#[tokio::test]
async fn a_hundred_messages_with_codings_give_the_same_texts_in_a_dry_run_and_in_a_gateway() {
    let mut given = Given::codings(39);
    let compared = compare(&mut given, messages::policies_of_codings()).await;
    let codes = [
        "mediate.body_too_large",
        "mediate.not_well_formed",
        "upstream.not_understood",
        "upstream.too_large",
    ];
    compared.assert_reached(&["gateway", "upstream"], &codes);
    let Compared {
        heads, compressed, ..
    } = compared;
    assert!(heads >= 10 && compressed >= 5, "{heads} {compressed}");
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
    let mock = file("mock.json", &json!({ "request": [{ "policy": "mock" }] }));
    let described =
        json!({ "description": "d", "content": { "text/plain": { "example": "Rex" } } });
    let document = file(
        "openapi.json",
        &json!({
            "openapi": "3.1.0", "info": { "title": "a", "version": "1" },
            "paths": { "/pets": { "get": { "responses": { "200": described } } } },
        }),
    );
    let mocked = ["--draft", &draft, &message, "--policies", &mock];
    let (code, _, errors) = run(&mocked);
    assert_eq!(code, Some(1));
    assert!(errors.contains("/policies/request/0"), "{errors}");
    let words = [&mocked[..], &["--document", &document]].concat();
    let (code, printed, errors) = run(&words);
    assert_eq!(code, Some(0), "{errors}");
    let answer = "answer of the mock\n  200\n  content-type: text/plain\n\n  Rex\n";
    assert!(printed.ends_with(answer), "{printed}");
    let (code, _, errors) = run(&[version, &message, "--url", &url, "--document", &document]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("tollgate mediate VERSION FILE"), "{errors}");
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
