//! The spool: each call is found in it, also after a kill, and `tollgate spool` reads it.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_testkit::{Builder, http};

use crate::house::House;

/// Runs `tollgate spool` with these words; returns whether it succeeded, and its output.
fn spool(builder: &Builder, words: &[&str]) -> (bool, String) {
    let output = builder.command(&[&["spool"], words].concat()).unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

/// The only segment of the spool.
fn segment(builder: &Builder) -> PathBuf {
    let entries = fs::read_dir(builder.data().join("spool")).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    let segment = paths.next().unwrap();
    assert_eq!(paths.next(), None);
    segment
}

/// The calls in the spool.
fn calls(builder: &Builder) -> Vec<Value> {
    let (is_read, text) = spool(builder, &["cat"]);
    assert!(is_read, "{text}");
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// The calls in the spool, once there are as many.
fn wait_for(builder: &Builder, count: usize) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        let calls = calls(builder);
        if calls.len() >= count {
            assert_eq!(calls.len(), count);
            return calls;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{calls:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[tokio::test]
async fn each_call_is_found_again_with_what_is_known_of_it() {
    let limit = json!({ "per": "subscription", "amount": 1, "window": "day" });
    let house = House::with(&crate::house::builder(), json!([limit])).await;
    let draft = json!({
        "operations": [
            { "method": "GET", "path": "/pets" },
            { "method": "POST", "path": "/pets" },
        ],
        "policies": { "request": [
            { "policy": "set_header", "name": "x-a", "value": "1" },
            { "policy": "threat_protection", "depth": 1 },
        ] },
    });
    house.redeploy(draft).await;
    let call = async |method: &str, key: &str, agent: &str, body: &str| {
        let fields = [
            ("apikey", key),
            ("user-agent", agent),
            ("content-type", "application/json"),
        ];
        let request = http::request(method, "/pets/1.0/pets", &fields, body.as_bytes());
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
        answer.field("x-request-id").unwrap().to_owned()
    };
    let key = &house.consumer.key;
    // A call that is refused for its message gives back what it was charged.
    let stopped = call("POST", key, "Go-http-client/1.1", "[[1]]").await;
    let passed = call("GET", key, "curl/8.5.0", "").await;
    let unknown = call("GET", "tg_live_x", "", "").await;
    let limited = call("GET", key, "my own program", "").await;

    let (_, builder) = house.tollgate.terminate().unwrap();
    let all = calls(&builder);
    let find = |id: &str| {
        let found = all.iter().find(|it| it["request_id"] == id);
        found.unwrap_or_else(|| panic!("{id}: {all:?}"))
    };
    let it = find(&passed);
    assert_eq!(it["version"], house.api.version.as_str());
    assert_eq!(it["application"], house.consumer.application.as_str());
    assert_eq!(it["credential"], house.consumer.key_id.as_str());
    assert_eq!(
        (&it["status"], &it["upstream_status"]),
        (&json!(200), &json!(200))
    );
    assert_eq!(
        (&it["method"], &it["agent"]),
        (&json!("GET"), &json!("curl"))
    );
    assert_eq!(
        (&it["environment"], &it["network"]),
        (&json!("production"), &json!("127.0.0.0"))
    );
    assert!(it["plan"].as_str().unwrap().starts_with("pln_"), "{it}");
    let us = |name: &str| it[name].as_u64().unwrap();
    assert!(
        us("before_us") + us("upstream_us") <= us("total_us"),
        "{it}"
    );
    assert!(us("upstream_us") > 0 && us("bytes_out") == 5, "{it}");
    let it = find(&unknown);
    assert_eq!(
        (&it["refusal"], &it["agent"]),
        (&json!("authenticate.invalid"), &json!("other"))
    );
    assert_eq!(
        (it.get("application"), it.get("upstream_status")),
        (None, None)
    );
    let it = find(&stopped);
    assert_eq!(
        (&it["refused_by"], &it["agent"]),
        (&json!("request 1"), &json!("go"))
    );
    let it = find(&limited);
    assert_eq!(
        (&it["refused_by"], &it["status"]),
        (&json!("plan 0"), &json!(429))
    );

    let (is_whole, text) = spool(&builder, &["verify"]);
    assert!(
        is_whole && text.contains(&format!("{} calls in", all.len())),
        "{text}"
    );
    let (_, text) = spool(&builder, &["list"]);
    let segment = segment(&builder);
    let name = segment.file_name().unwrap().to_str().unwrap();
    assert!(text.contains(name), "{text}");
    let (_, text) = spool(&builder, &["cat", segment.to_str().unwrap()]);
    assert_eq!(text.lines().count(), all.len());
}

#[tokio::test]
async fn of_one_call_in_64_the_steps_are_timed() {
    let house = House::new().await;
    for _ in 0..256 {
        house.call().await;
    }
    let timed = |name: &str, calls: &[Value]| {
        let has_time = |call: &&Value| call[name].as_u64().is_some_and(|ns| ns > 0);
        let timed = calls.iter().filter(has_time);
        timed.map(|it| it["request_id"].clone()).collect::<Vec<_>>()
    };
    let calls = wait_for(house.tollgate.builder(), 256);
    let authenticated = timed("authenticate_ns", &calls);
    // Each worker counts its own calls.
    assert!((1..=8).contains(&authenticated.len()), "{authenticated:?}");
    assert_eq!(authenticated, timed("admit_ns", &calls));
}

#[tokio::test]
async fn a_kill_loses_no_call_that_was_written_and_none_is_there_twice() {
    let house = House::new().await;
    let House {
        mut tollgate,
        consumer,
        ..
    } = house;
    let request = crate::house::get("/pets/1.0/pets", &consumer.key);
    let mut written = HashSet::new();
    for _ in 0..3 {
        let before = written.len();
        for _ in 0..20 {
            http::call(tollgate.gateway, &request).await.unwrap();
        }
        // Beside the running process.
        let ids = wait_for(tollgate.builder(), before + 20);
        written = ids.iter().map(|it| it["request_id"].to_string()).collect();
        let builder = tollgate.kill().unwrap();
        let after = calls(&builder);
        let ids: HashSet<_> = after
            .iter()
            .map(|it| it["request_id"].to_string())
            .collect();
        assert_eq!(ids.len(), after.len(), "twice");
        assert_eq!(ids, written);
        let (is_whole, text) = spool(&builder, &["verify"]);
        assert!(is_whole, "{text}");
        tollgate = builder.start().unwrap();
    }
}

#[tokio::test]
async fn damage_is_set_aside_counted_and_shown() {
    let house = House::new().await;
    for _ in 0..5 {
        house.call().await;
    }
    let House {
        tollgate, admin, ..
    } = house;
    let (_, builder) = tollgate.terminate().unwrap();
    let segment = segment(&builder);
    let mut bytes = fs::read(&segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&segment, bytes).unwrap();
    let (is_whole, text) = spool(&builder, &["verify"]);
    assert!(!is_whole && text.contains("a checksum differs"), "{text}");

    let tollgate = builder.start().unwrap();
    let admin = admin.at(tollgate.control);
    let log = tollgate.said();
    assert_eq!(log.matches("it is set aside as").count(), 1, "{log}");
    assert!(segment.with_extension("damaged").exists());
    let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
    let losses = usage["losses"].as_array().unwrap();
    assert!(
        losses.iter().any(|it| it["reason"] == "spool_damaged"),
        "{usage}"
    );
    assert_eq!(
        usage["rows"][0]["calls"], 5,
        "they are counted nevertheless"
    );

    fs::rename(builder.data().join("spool"), builder.data().join("away")).unwrap();
    let (is_done, text) = spool(&builder, &["list"]);
    assert!(!is_done && text.contains("is not there"), "{text}");
    fs::rename(builder.data().join("away"), builder.data().join("spool")).unwrap();
    for (words, expected) in [
        (&["frob"][..], "`spool frob` is not a command"),
        (&[], "tollgate spool cat [FILE]..."),
        (&["cat", "/nothing/there"], "/nothing/there"),
    ] {
        let (is_done, text) = spool(&builder, words);
        assert!(!is_done && text.contains(expected), "{words:?}: {text}");
    }
}
