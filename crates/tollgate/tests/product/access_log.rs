//! The access log: every call has its line, and no fault of its file fails a call.

mod hostile;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tollgate_testkit::{Builder, Load, Tollgate, http};

use crate::disk::disk;
use crate::house::{House, builder, get};
use crate::start::{logged, sentence};

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const FILE: &str = "access.log";

/// The lines of a file, once there are as many.
async fn lines_of(path: &Path, count: usize) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.lines().count() >= count && text.ends_with('\n') {
            let lines = text.lines();
            return lines.map(|it| serde_json::from_str(it).unwrap()).collect();
        }
        assert!(begun.elapsed() < PATIENCE, "{text}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A builder whose log is in its folder.
fn logging(builder: Builder) -> (Builder, std::path::PathBuf) {
    let path = builder.data().parent().unwrap().join(FILE);
    (builder.set("access-log-file", FILE), path)
}

fn hang_up(tollgate: &Tollgate) {
    let pid = Pid::from_raw(tollgate.pid().cast_signed()).unwrap();
    kill_process(pid, Signal::HUP).unwrap();
}

#[tokio::test]
async fn each_call_has_a_line_that_its_request_id_finds() {
    let (builder, path) = logging(builder());
    let house = House::with(&builder, json!([])).await;
    let gateway = house.tollgate.gateway;
    let hostile = "\"\\\u{9}agent \u{e9}";
    let fields = [
        ("apikey", &*house.consumer.key),
        ("User-Agent", hostile),
        ("Referer", "https://a.example/b?code=secret#c"),
    ];
    let target = "/pets/1.0/pets/7%0d%0a?apikey=secret";
    let requests = [
        http::request("GET", target, &fields, b""),
        get("/pets/1.0/pets", "tg_live_wrong"),
        get("/nothing", ""),
        http::request("POST", "/pets/1.0/pets", &fields[..1], b"12345"),
    ];
    let mut answers = HashMap::new();
    for (index, request) in requests.iter().enumerate() {
        let answer = http::call(gateway, request).await.unwrap();
        let id = answer.field("x-request-id").unwrap().to_owned();
        answers.insert(id, (index, answer.status));
    }
    let lines = lines_of(&path, requests.len()).await;
    assert_eq!(lines.len(), requests.len());
    let mut by_index = vec![Value::Null; requests.len()];
    for line in lines {
        let (index, status) = answers[line["request_id"].as_str().unwrap()];
        assert_eq!(line["status"], status);
        assert_eq!(line["address"], "127.0.0.1");
        assert_eq!(line["host"], "127.0.0.1");
        by_index[index] = line;
    }
    let [found, refused, unknown, posted] = &by_index[..] else {
        unreachable!()
    };
    for (field, expected) in [
        ("method", "GET"),
        ("path", "/pets/1.0/pets/7%0d%0a"),
        ("protocol", "HTTP/1.1"),
        ("api", "Pets"),
        ("version", "1.0"),
        ("operation", "GET /pets/{pet}"),
        ("application", &*house.consumer.application),
        ("answered_by", "upstream"),
        ("agent", hostile),
        ("referer", "https://a.example/b"),
    ] {
        assert_eq!(found[field], expected, "{field}: {found}");
    }
    assert_eq!(found["upstream_status"], 200);
    assert_eq!(found["bytes_out"], "hello".len());
    assert!(found["total_ms"].as_f64().unwrap() >= found["upstream_ms"].as_f64().unwrap());
    assert!(
        found["credential"].as_str().unwrap().starts_with("key_"),
        "{found}"
    );
    assert_eq!(refused["refusal"], "authenticate.invalid", "{refused}");
    assert_eq!(refused.get("application"), None);
    assert_eq!(unknown["path"], "/nothing");
    assert_eq!(unknown.get("api"), None);
    assert_eq!(
        (&posted["bytes_in"], &posted["method"]),
        (&json!(5), &json!("POST"))
    );
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        !text.contains("secret") && !text.contains(&house.consumer.key),
        "{text}"
    );
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&path).unwrap());
    assert_eq!(mode & 0o777 & !0o640, 0, "{mode:o}");
}

#[tokio::test]
async fn queries_have_no_credentials() {
    let (builder, path) = logging(builder());
    let house = House::with(&builder.set("access-log-query", "true"), json!([])).await;
    let security = json!({ "api_key": { "query": "Chiave" } });
    house.redeploy(json!({ "security": security })).await;
    let target = format!(
        "/pets/1.0/pets?a=1&Chiave={}&token=secret",
        house.consumer.key
    );
    let answer = http::call(
        house.tollgate.gateway,
        &http::request("GET", &target, &[], b""),
    )
    .await;
    assert_eq!(answer.unwrap().status, 200);
    let unknown = http::request("GET", "/nothing?Chiave=secret", &[], b"");
    http::call(house.tollgate.gateway, &unknown).await.unwrap();
    let lines = lines_of(&path, 2).await;
    let query_of = |path: &str| {
        let line = lines.iter().find(|line| line["path"] == path).unwrap();
        line.get("query").cloned()
    };
    let query = json!("a=1&Chiave=***&token=***");
    assert_eq!(query_of("/pets/1.0/pets"), Some(query));
    assert_eq!(query_of("/nothing"), None);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        !text.contains("secret") && !text.contains(&house.consumer.key),
        "{text}"
    );
}

#[tokio::test]
async fn lines_on_standard_output_have_it_for_themselves() {
    let builder = builder().set("access-log-file", "-");
    let tollgate = builder.launch().unwrap();
    logged(&tollgate, "ready").await;
    let log = tollgate.said();
    let address = log
        .lines()
        .find_map(|line| line.strip_prefix("gateway: http://"));
    let address = address.unwrap().parse().unwrap();
    http::call(address, &get("/nothing", "")).await.unwrap();
    let line = logged(&tollgate, "\"path\":\"/nothing\"").await;
    let line: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(line["status"], 404);
}

#[tokio::test]
async fn no_call_is_lost_over_signals_renaming_and_the_end() {
    let (builder, path) = logging(builder());
    let house = House::with(&builder, json!([])).await;
    let load = Load {
        per_second: 500,
        connections: 10,
        fresh_per_second: 0,
        ..Load::of(house.tollgate.gateway, house.request())
    };
    let running = load.start().unwrap();
    lines_of(&path, 1).await;
    let renamed = path.with_extension("renamed");
    fs::rename(&path, &renamed).unwrap();
    (0..100).for_each(|_| hang_up(&house.tollgate));
    logged(&house.tollgate, "access log: opened again").await;
    running.calls(100).await;
    let tally = running.finish().unwrap();
    let calls: u64 = tally.counts().values().sum();
    assert_eq!(tally.count("200"), calls);
    let (status, _) = house.tollgate.terminate().unwrap();
    assert!(status.success());
    let read = |path: &Path| fs::read_to_string(path).unwrap().lines().count() as u64;
    assert_eq!(read(&path) + read(&renamed), calls);
    assert!(read(&path) >= 100 && read(&renamed) > 0);
}

#[tokio::test]
async fn a_full_disk_costs_lines_which_are_counted_and_no_calls() {
    let Some(disk) = disk(24 << 20) else { return };
    let builder = builder().on(disk).set("watch-listen", "127.0.0.1:0");
    let inside = builder.data().join(FILE);
    let builder = builder.set("access-log-file", inside.to_str().unwrap());
    let house = House::with(&builder, json!([])).await;
    house.tollgate.fill_disk().unwrap();
    let mut calls = 0;
    let status = async || {
        let status = house.admin.done("GET", "/api/v1/status", None).await;
        status.unwrap()["access_log"].clone()
    };
    let begun = Instant::now();
    let mut condition = status().await;
    while condition["dropped_lines"] == 0 {
        assert!(begun.elapsed() < PATIENCE, "{condition}");
        assert_eq!(house.call().await.status, 200);
        calls += 1;
        condition = status().await;
    }
    assert!(condition["problem"].is_string(), "{condition}");
    logged(&house.tollgate, "access log: cannot be written").await;
    house.tollgate.empty_disk().unwrap();
    while condition.get("problem").is_some() || condition["waiting_bytes"] != 0 {
        assert!(begun.elapsed() < PATIENCE, "{condition}");
        assert_eq!(house.call().await.status, 200);
        calls += 1;
        condition = status().await;
    }
    let log = house.tollgate.data().join(FILE);
    let begun = Instant::now();
    loop {
        let text = fs::read_to_string(&log).unwrap();
        let dropped = status().await["dropped_lines"].as_u64().unwrap();
        let whole = text.lines().map(serde_json::from_str::<Value>);
        if whole.flatten().count() as u64 + dropped == calls {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{dropped} of {calls}: {text}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let scrape = http::request("GET", "/metrics", &[], b"");
    let page = http::call(house.tollgate.metrics.unwrap(), &scrape).await;
    let page = page.unwrap().text();
    let dropped = status().await["dropped_lines"].clone();
    let sample = format!("tollgate_dropped_total{{what=\"line\"}} {dropped}\n");
    assert!(page.contains(&sample), "{page}");
}

#[test]
fn an_invalid_access_log_ends_the_start_with_one_sentence() {
    let builder = builder();
    let fifo = builder.data().parent().unwrap().join("fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    for (settings, expected) in [
        (
            &[("access-log-file", "none/access.log")][..],
            "access_log.file: cannot open none/access.log: No such file or directory",
        ),
        (
            &[("access-log-file", "/")],
            "access_log.file: cannot open /: Is a directory",
        ),
        (
            &[("access-log-file", "fifo")],
            "access_log.file: cannot open fifo: it is a FIFO that nobody reads",
        ),
        (
            &[("access-log-format", "template")],
            "access_log.template: a template cannot be empty",
        ),
        (
            &[
                ("access-log-format", "template"),
                ("access-log-template", "{stats}"),
            ],
            "access_log.template: there is no field {stats}",
        ),
        (
            &[("access-log-template", "{status}")],
            "access_log.template is set, but access_log.format is not `template`",
        ),
        (
            &[("access-log-statuses", "599-400")],
            "access_log.statuses is \"599-400\" (flag --access-log-statuses), but must be empty, \
             or statuses and ranges",
        ),
    ] {
        let set = |builder: Builder, (name, value): &(&str, &str)| builder.set(name, value);
        let started = settings.iter().fold(builder.clone(), set);
        let message = sentence(&started.command(&["run"]).unwrap());
        assert!(message.starts_with(expected), "{message}");
    }
}
