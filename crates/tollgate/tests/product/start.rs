//! Starting, stopping, and the errors of a failed start.

use std::path::Path;
use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use tollgate_testkit::{Behaviour, Control, Tollgate, http};

use crate::house::{House, builder, first_start};

/// Returns the error of a failed start.
pub(crate) fn sentence(output: &Output) -> String {
    assert!(!output.status.success());
    let printed = String::from_utf8_lossy(&output.stderr);
    // Log lines begin with their time; the last line is the program's own.
    let last = printed.lines().last().unwrap_or_default();
    last.strip_prefix("tollgate: ")
        .unwrap_or(&printed)
        .to_owned()
}

#[tokio::test]
async fn a_second_start_on_the_same_data_or_port_ends_with_one_sentence() {
    let first = builder();
    let tollgate = first.start().unwrap();
    let message = sentence(&first.command(&["run"]).unwrap());
    let expected = format!("is in use by process {}", tollgate.pid());
    assert!(message.ends_with(&expected), "{message}");

    for (setting, address) in [
        ("gateway.listen", tollgate.gateway),
        ("control.listen", tollgate.control),
    ] {
        let flag = setting.replace('.', "-");
        let second = builder().set(&flag, &address.to_string());
        let message = sentence(&second.command(&["run"]).unwrap());
        let expected = format!("{setting}: cannot listen on {address}");
        assert!(message.starts_with(&expected), "{message}");
    }
    assert_eq!(
        http::call(
            tollgate.control,
            &http::request("GET", "/healthz", &[], b"")
        )
        .await
        .unwrap()
        .status,
        200
    );
}

#[test]
fn a_file_in_place_of_the_data_directory_ends_each_command_with_one_sentence() {
    let builder = first_start();
    std::fs::write(builder.data(), "not a directory").unwrap();
    for command in [&["run"][..], &["admin", "reset"], &["certificates"]] {
        let message = sentence(&builder.command(command).unwrap());
        let path = builder.data().display().to_string();
        let expected = format!("data: {path} is a file, but the setting names a directory");
        assert_eq!(message.trim_end(), expected, "{command:?}");
    }
}

#[tokio::test]
async fn a_damaged_database_ends_the_start_with_one_sentence() {
    let tollgate = builder().start().unwrap();
    // Immediately after the start: a signal is never too early.
    let (status, builder) = tollgate.terminate().unwrap();
    assert!(status.success(), "{status}");
    let path = builder.data().join("tollgate.db");
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, vec![b'x'; whole.len()]).unwrap();
    let message = sentence(&builder.command(&["run"]).unwrap());
    assert!(message.contains("tollgate.db is damaged"), "{message}");
    std::fs::write(&path, whole).unwrap();
    builder.start().unwrap();
}

/// Executes a statement directly on a database file.
pub(crate) async fn sql(path: &Path, statement: &str) {
    let options = SqliteConnectOptions::new().filename(path);
    let mut connection = options.connect().await.unwrap();
    // The statement is a test's own text.
    sqlx::query(AssertSqlSafe(statement))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

/// Returns the first line with this text; logged lines may be read later than printed ones.
pub(crate) async fn logged(tollgate: &Tollgate, words: &str) -> String {
    let begun = Instant::now();
    loop {
        let log = tollgate.said();
        if let Some(line) = log.lines().find(|line| line.contains(words)) {
            return line.to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{log}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Returns the usage, once it has this number of calls: a record is written after its response was
/// sent, which the caller may have read before.
pub(crate) async fn counted(admin: &Control, calls: u64) -> Value {
    let begun = Instant::now();
    loop {
        let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
        if usage["rows"][0]["calls"] == calls {
            return usage;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{usage}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_database_that_lacks_a_table_ends_the_start_with_one_sentence() {
    let (_, builder) = builder().start().unwrap().terminate().unwrap();
    let path = builder.data().join("tollgate.db");
    sql(&path, "drop table contract_documents").await;
    let message = sentence(&builder.command(&["run"]).unwrap());
    let expected = "tollgate.db is damaged (the table contract_documents is missing); \
        restore it from a backup";
    assert!(message.ends_with(expected), "{message}");
}

#[tokio::test]
async fn a_spool_that_cannot_be_used_ends_the_start_with_one_sentence() {
    let (_, builder) = builder().start().unwrap().terminate().unwrap();
    let spool = builder.data().join("spool");
    std::fs::remove_dir_all(&spool).unwrap();
    std::fs::write(&spool, "").unwrap();
    let message = sentence(&builder.command(&["run"]).unwrap());
    let expected = format!("the spool {} cannot be used: ", spool.display());
    assert!(message.starts_with(&expected), "{message}");
}

#[tokio::test]
async fn usage_that_lacks_a_table_is_set_aside_and_the_loss_is_reported() {
    let house = House::new().await;
    assert_eq!(house.call().await.status, 200);
    let request = house.request();
    let (_, builder) = house.tollgate.terminate().unwrap();
    sql(&builder.data().join("usage.db"), "drop table usage_minutes").await;

    let tollgate = builder.start().unwrap();
    let log = logged(&tollgate, "set aside").await;
    assert!(log.contains("the table usage_minutes is missing"), "{log}");
    let names = std::fs::read_dir(builder.data()).unwrap();
    let names: Vec<_> = names.map(|it| it.unwrap().file_name()).collect();
    let aside = names.iter().filter_map(|name| name.to_str());
    let aside: Vec<_> = aside
        .filter(|name| name.starts_with("usage.db.damaged-"))
        .collect();
    assert_eq!(aside.len(), 1, "{names:?}");
    assert!(log.contains(aside[0]), "{log}");

    let call = http::call(tollgate.gateway, &request).await;
    assert_eq!(call.unwrap().status, 200);
    let admin = house.admin.at(tollgate.control);
    // The first call is counted again, from the spool.
    let usage = counted(&admin, 2).await;
    assert_eq!(usage["losses"].as_array().unwrap().len(), 1, "{usage}");
    assert_eq!(usage["losses"][0]["reason"], "damaged", "{usage}");
}

#[tokio::test]
async fn an_invalid_setting_ends_the_start_with_one_sentence() {
    for (flag, expected) in [
        (
            "--gateway-wrkers=2",
            "--gateway-wrkers (flag --gateway-wrkers) is not a setting",
        ),
        (
            "--gateway-workers=many",
            "gateway.workers is \"many\" (flag --gateway-workers)",
        ),
        ("--control-public-url=nowhere", "control.public_url"),
        ("--role=gateway", "role \"gateway\" is not supported yet"),
    ] {
        let message = sentence(&builder().flag(flag).command(&["run"]).unwrap());
        assert!(message.starts_with(expected), "{message}");
    }
}

#[tokio::test]
async fn the_one_time_password_is_printed_until_it_is_used_and_reset_works_offline() {
    let tollgate = first_start().start().unwrap();
    let password = tollgate.password.clone().unwrap();
    let tollgate = tollgate.kill().unwrap().start().unwrap();
    assert_eq!(tollgate.password.as_ref(), Some(&password));
    Control::administrator(&tollgate).await.unwrap();

    let running = tollgate.builder().command(&["admin", "reset"]).unwrap();
    assert!(sentence(&running).contains("is in use by process"));

    let (status, builder) = tollgate.terminate().unwrap();
    assert!(status.success());
    let tollgate = builder.start().unwrap();
    assert_eq!(tollgate.password, None);
    let (_, builder) = tollgate.terminate().unwrap();

    let reset = builder.command(&["admin", "reset"]).unwrap();
    let printed = String::from_utf8(reset.stdout).unwrap();
    let tollgate = builder.start().unwrap();
    let (name, one_time) = tollgate.password.clone().unwrap();
    assert_eq!(
        printed,
        format!("user {name}, one-time password {one_time}\n")
    );
    Control::administrator(&tollgate).await.unwrap();
}

/// Waits until the condition holds.
async fn until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it never is");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until this number of requests has arrived at the upstream.
async fn arrived(house: &House, requests: u64) {
    until(|| house.upstream.requests() == requests).await;
}

/// Returns whether the process has a handler for SIGTERM (proc_pid_status(5)).
fn catches_sigterm(pid: u32) -> bool {
    const SIGTERM: u64 = 1 << (15 - 1);
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:"));
    u64::from_str_radix(caught.unwrap().trim(), 16).unwrap() & SIGTERM != 0
}

#[tokio::test]
async fn sigterm_lets_a_call_in_progress_finish_and_accepts_no_new_one() {
    let house = House::new().await;
    let late = tollgate_testkit::upstream::answer(b"late", "");
    house
        .upstream
        .behave(Behaviour::Late(Duration::from_millis(700), late));
    let (gateway, request) = (house.tollgate.gateway, house.request());
    let call = tokio::spawn(async move { http::call(gateway, &request).await });
    arrived(&house, 1).await;
    let begun = Instant::now();
    let (status, _) = tokio::task::spawn_blocking(move || house.tollgate.terminate())
        .await
        .unwrap()
        .unwrap();
    let answer = call.await.unwrap().unwrap();
    assert_eq!((answer.status, answer.text().as_str()), (200, "late"));
    assert!(status.success());
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    assert!(http::Connection::open(gateway).await.is_err());
}

#[tokio::test]
async fn a_second_signal_cuts_off_calls_and_usage_is_still_written() {
    let house = House::new().await;
    assert_eq!(house.call().await.status, 200);
    house.upstream.behave(Behaviour::Hang);
    let (gateway, request) = (house.tollgate.gateway, house.request());
    let call = tokio::spawn(async move { http::call(gateway, &request).await });
    arrived(&house, 2).await;
    house.tollgate.signal().unwrap();
    logged(&house.tollgate, "stopping: exchanges in progress").await;
    let begun = Instant::now();
    let (status, builder) = house.tollgate.terminate().unwrap();
    assert!(status.success() && begun.elapsed() < Duration::from_secs(5));
    assert!(call.await.unwrap().is_err());

    let tollgate = builder.start().unwrap();
    let admin = house.admin.at(tollgate.control);
    let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
    assert_eq!(usage["rows"][0]["calls"], 1, "{usage}");
    assert_eq!(usage["losses"].as_array().unwrap().len(), 0, "{usage}");
}

#[tokio::test]
async fn a_start_that_waits_for_the_store_ends_at_sigterm() {
    let house = House::new().await;
    let (_, builder) = house.tollgate.terminate().unwrap();
    let database = builder.data().join("tollgate.db");
    // Another program writes, for longer than a start waits.
    let options = SqliteConnectOptions::new().filename(&database);
    let mut other = options.connect().await.unwrap();
    let begin = sqlx::query("begin immediate").execute(&mut other);
    begin.await.unwrap();

    let tollgate = builder.launch().unwrap();
    until(|| catches_sigterm(tollgate.pid())).await;
    let begun = Instant::now();
    tollgate.signal().unwrap();
    logged(&tollgate, "stopped before the start was complete").await;
    let (status, _) = tollgate.terminate().unwrap();
    let took = begun.elapsed();
    // The start would have waited for 10 s.
    assert!(
        status.success() && took < Duration::from_secs(5),
        "{status} {took:?}"
    );
}
