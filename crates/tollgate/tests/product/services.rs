//! Servers that tests share (`tollgate_testkit::services`): one for a run, which ends with the run.
//!
//! A run is a process here that the tests end. The tests that need a server are processes of this
//! program, which run `reports_the_address_of_a_service`.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::process::{Pid, Signal, geteuid, kill_process_group};
use serde_json::Value;
use tollgate_testkit::services::postgres::Postgres;
use tollgate_testkit::services::redis;
use tollgate_testkit::{Peer, http};

use crate::peers::peers;

const RUN: &str = "TOLLGATE_TEST_RUN";
const SERVICE: &str = "SERVICE_TO_REPORT";
const REPORT: &str = "services::reports_the_address_of_a_service";
const PREFIX: &str = "address: ";
/// How long servers may remain after their run.
const REST: Duration = Duration::from_secs(60);

#[test]
#[ignore = "run by the other tests of this file, in a process of its own"]
fn reports_the_address_of_a_service() {
    // Unset if somebody runs all ignored tests.
    let Ok(service) = std::env::var(SERVICE) else {
        return;
    };
    let address = match service.as_str() {
        "redis" => redis::find().unwrap(),
        _ => Postgres::find().unwrap().map(|it| it.address().to_owned()),
    };
    let Some(address) = address else { return };
    println!("{PREFIX}{address}");
    // Until its input ends.
    let _ = std::io::stdin().lines().count();
}

/// Returns a command that runs the test above; its run is not set.
fn reporter(service: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--ignored", "--exact", "--nocapture", REPORT])
        .env(SERVICE, service)
        .env_remove(RUN)
        .env_remove("NEXTEST")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    command
}

/// Returns the address in the output of a reporter that still runs.
fn address(reporter: &mut Child) -> String {
    let output = BufReader::new(reporter.stdout.take().unwrap());
    find_address(output.lines().map_while(Result::ok))
}

/// Returns the address in the whole output of a reporter. Hangs if the server has inherited that
/// output.
fn final_address(reporter: Child) -> String {
    let output = reporter.wait_with_output().unwrap();
    assert!(output.status.success());
    find_address(output.stdout.lines().map_while(Result::ok))
}

fn find_address(mut lines: impl Iterator<Item = String>) -> String {
    let address = lines.find_map(|line| line.strip_prefix(PREFIX).map(str::to_owned));
    address.expect("an address")
}

fn is_served(address: &str) -> bool {
    TcpStream::connect(address).is_ok()
}

/// Waits until the server and the folder of its run are gone.
fn assert_ends(address: &str, owner: u32) {
    let prefix = format!("tollgate-run-{}-{owner}-", geteuid().as_raw());
    let has_folder = || {
        let entries = std::fs::read_dir(std::env::temp_dir()).unwrap();
        let mut names = entries.filter_map(|it| it.ok()?.file_name().into_string().ok());
        names.any(|name| name.starts_with(&prefix))
    };
    let begun = Instant::now();
    while is_served(address) || has_folder() {
        assert!(begun.elapsed() < REST, "{address} of {owner} remains");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A process that is the owner of a run.
struct Owner(Child);

impl Owner {
    fn start() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn reporter(&self, service: &str) -> Command {
        let mut reporter = reporter(service);
        reporter.env(RUN, self.0.id().to_string());
        reporter
    }

    fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.kill();
    }
}

#[test]
fn a_server_starts_once_for_all_tests_of_a_run_and_ends_when_the_run_is_killed() {
    if Postgres::find().unwrap().is_none() {
        return;
    }
    let mut owner = Owner::start();
    let spawn = |()| owner.reporter("postgres").spawn().unwrap();
    let addresses = [(); 3].map(spawn).map(final_address);
    let [first, others @ ..] = &addresses;
    assert!(others.iter().all(|it| it == first), "{addresses:?}");
    assert!(is_served(first));
    assert_eq!(&final_address(spawn(())), first);

    owner.kill();
    assert_ends(first, owner.0.id());
}

#[test]
fn a_server_survives_the_process_group_of_the_test_that_started_it() {
    if redis::find().unwrap().is_none() {
        return;
    }
    let mut owner = Owner::start();
    let mut reporter = owner.reporter("redis");
    // As cargo-nextest does it: a group of its own for each test.
    let mut reporter = reporter
        .process_group(0)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let first = address(&mut reporter);
    let group = Pid::from_raw(i32::try_from(reporter.id()).unwrap()).unwrap();
    kill_process_group(group, Signal::KILL).unwrap();
    assert!(!reporter.wait().unwrap().success());

    let next = owner.reporter("redis").spawn().unwrap();
    assert_eq!(final_address(next), first);
    assert!(is_served(&first));
    owner.kill();
    assert_ends(&first, owner.0.id());
}

#[test]
fn without_make_a_server_ends_with_the_runner_or_with_its_test_program() {
    if redis::find().unwrap().is_none() {
        return;
    }
    let alone = reporter("redis").spawn().unwrap();
    let owner = alone.id();
    assert_ends(&final_address(alone), owner);

    // The runner is the parent of its tests: a shell here, which stays after its test.
    let reporter = reporter("redis");
    let mut runner = Command::new("sh")
        .args(["-c", "\"$0\" \"$@\" </dev/null; sleep 600"])
        .arg(reporter.get_program())
        .args(reporter.get_args())
        .env_remove(RUN)
        .env("NEXTEST", "1")
        .env(SERVICE, "redis")
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let of_runner = address(&mut runner);
    assert!(is_served(&of_runner));
    let group = Pid::from_raw(i32::try_from(runner.id()).unwrap()).unwrap();
    kill_process_group(group, Signal::KILL).unwrap();
    runner.wait().unwrap();
    assert_ends(&of_runner, runner.id());
}

#[test]
fn a_missing_server_is_named_and_fails_only_where_all_are_required() {
    let owner = Owner::start();
    let report = |is_required: &str| -> Output {
        let mut reporter = owner.reporter("redis");
        reporter
            .env("PATH", "/nowhere")
            .env("TOLLGATE_REQUIRE_SERVICES", is_required);
        reporter.stderr(Stdio::piped()).output().unwrap()
    };
    for (is_required, is_skipped) in [("0", true), ("1", false)] {
        let output = report(is_required);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.success(), is_skipped, "{errors}");
        assert!(errors.contains("missing: redis-server"), "{errors}");
        assert_eq!(errors.contains("skipped: "), is_skipped, "{errors}");
    }
}

#[test]
fn postgres_runs_as_an_ordinary_user_and_each_test_has_its_own_database() {
    let Some(postgres) = Postgres::find().unwrap() else {
        return;
    };
    let folder = postgres.query(&postgres.url("postgres"), "show data_directory");
    let owner = std::fs::metadata(folder.unwrap()).unwrap().uid();
    assert!(owner != 0 && (owner == geteuid().as_raw() || geteuid().is_root()));
    let [first, second] = [(); 2].map(|()| postgres.database().unwrap());
    postgres.query(&first, "create table t (id int)").unwrap();
    let found = postgres.query(&second, "select to_regclass('t') is null");
    assert_eq!(found.unwrap(), "t");
    let refused = postgres.query(&second, "select 1 from t").unwrap_err();
    assert!(refused.to_string().contains("does not exist"), "{refused}");
}

#[tokio::test]
async fn an_identity_provider_issues_tokens_and_a_search_server_finds_documents() {
    let Some(peers) = peers() else { return };
    let provider = peers.oidc_provider().unwrap();
    let credentials = STANDARD.encode("till:the%20secret%20of%20the%20till");
    let authorization = format!("Basic {credentials}");
    let fields = [
        ("authorization", authorization.as_str()),
        ("content-type", "application/x-www-form-urlencoded"),
    ];
    let form = b"grant_type=client_credentials";
    let token = call(&provider, ("POST", "/token"), &fields, form).await;
    assert!(token["access_token"].is_string(), "{token}");
    let configuration = "/.well-known/openid-configuration";
    let configuration = call(&provider, ("GET", configuration), &[], b"").await;
    assert_eq!(configuration["issuer"], provider.url);

    let search = peers.opensearch().unwrap();
    let index = format!("/calls-{}", std::process::id());
    let document = format!("{index}/_doc/1?refresh=true");
    let fields = [("content-type", "application/json")];
    let body = br#"{ "path": "/pets", "status": 503 }"#;
    let made = call(&search, ("PUT", &document), &fields, body).await;
    assert_eq!(made["result"], "created");
    let query = format!("{index}/_search?q=status:503");
    let found = call(&search, ("GET", &query), &[], b"").await;
    assert_eq!(found["hits"]["hits"][0]["_source"]["path"], "/pets");
}

/// Calls a server; returns the JSON of its response.
async fn call(
    peer: &Peer,
    (method, target): (&str, &str),
    fields: &[(&str, &str)],
    body: &[u8],
) -> Value {
    let address = peer.url.strip_prefix("http://").unwrap().parse().unwrap();
    let request = http::request(method, target, fields, body);
    http::call(address, &request).await.unwrap().json()
}
