//! The dry run of policies agrees with a gateway, byte for byte.

mod messages;

use std::collections::{BTreeMap, BTreeSet};

use messages::{Given, set, when};
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
        if !matches!(response["status"].as_u64(), Some(204 | 304)) {
            answer += &format!("Content-Length: {}\r\n", body.len());
        }
        answer += &format!("\r\n{body}");
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

/// Sends messages through a gateway and tries them in a dry run: 25 for each of these policies.
/// Returns how many each kind of source has answered, and the codes of refusals.
async fn compare(
    given: &mut Given,
    tried: Vec<Value>,
) -> (BTreeMap<String, u32>, BTreeSet<String>) {
    let house = House::new().await;
    let path = format!("/api/v1/versions/{}/mediate", house.api.version);
    let (mut sources, mut codes) = (BTreeMap::new(), BTreeSet::new());
    for mut policies in tried {
        // A patch leaves lists as they are that it does not name.
        for list in ["request", "response", "error", "operations"] {
            if policies[list].is_null() {
                policies[list] = json!([]);
            }
        }
        let credential = json!({ "header": { "name": "x-secret", "value": "secret" } });
        let upstream = json!({ "url": house.upstream.url(), "credential": credential });
        let change = json!({ "policies": policies, "identity": "headers", "upstream": upstream });
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
            *sources.entry(by).or_insert(0) += 1;
            codes.extend(tried["refused"]["code"].as_str().map(str::to_owned));
        }
    }
    (sources, codes)
}

#[tokio::test]
async fn a_hundred_messages_give_the_same_bytes_in_a_dry_run_and_in_a_gateway() {
    let mut given = Given::heads(37);
    let (sources, codes) = compare(&mut given, messages::policies_of_heads()).await;
    let kinds: Vec<_> = sources.keys().map(String::as_str).collect();
    assert_eq!(kinds, ["gateway", "policy", "upstream"], "{sources:?}");
    assert_eq!(sources.values().sum::<u32>(), 100);
    assert_eq!(
        codes.into_iter().collect::<Vec<_>>(),
        ["listener.bad_request"]
    );
}

#[tokio::test]
async fn a_hundred_messages_with_bodies_give_the_same_bytes_in_a_dry_run_and_in_a_gateway() {
    let mut given = Given::bodies(38);
    let (sources, codes) = compare(&mut given, messages::policies_of_bodies()).await;
    let kinds: Vec<_> = sources.keys().map(String::as_str).collect();
    assert_eq!(kinds, ["gateway", "policy", "upstream"], "{sources:?}");
    assert_eq!(sources.values().sum::<u32>(), 100);
    let codes: Vec<_> = codes.iter().map(String::as_str).collect();
    let expected = [
        "mediate.body_too_large",
        "mediate.not_well_formed",
        "mediate.threat",
        "mediate.wrong_type",
        "upstream.not_understood",
        "upstream.too_large",
    ];
    assert_eq!(codes, expected);
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
    let mock = json!({ "operations": ["GET /pets"], "request": [{ "policy": "mock" }] });
    let mock = file("mock.json", &json!({ "operations": [mock] }));
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
    assert!(
        errors.contains("/policies/operations/0/request/0/status: "),
        "{errors}"
    );
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
