//! Whole runs by `tollgate-lab run`, of sides that need no build of the product.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tollgate_lab::kept::Run;

/// Longer than a busy machine needs; only a hang exceeds it.
const PATIENCE: Duration = Duration::from_secs(120);
const BENCH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A folder `bench` with a profile `small`, a folder for the result, and one for temporary files.
struct Place(TempDir);

impl Place {
    fn new(sides: &str, mode: &str) -> Self {
        let place = Self(tempfile::tempdir().expect("a folder"));
        for folder in ["bench/profiles", "bench/rivals", "work"] {
            fs::create_dir_all(place.path(folder)).expect("a folder");
        }
        for shared in ["scenarios", "published"] {
            let original = Path::new(BENCH).join(shared).canonicalize();
            let link = place.path("bench").join(shared);
            symlink(original.expect("it exists"), link).expect("a link");
        }
        let profile = format!(
            "title = \"Small\"\nsides = [{sides}]\nscenarios = [\"get\"]\nusers = [2]\n\
             message_bytes = [102]\nworld = {{ keys = 3 }}\n[modes.quick]\n{mode}\n"
        );
        let file = place.path("bench/profiles/small.toml");
        fs::write(file, profile).expect("a profile");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate-lab"));
        command
            .args(["run", "small", "--bench"])
            .arg(self.path("bench"))
            .arg("--out")
            .arg(self.path("out"))
            .env("TMPDIR", self.path("work"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    fn start(&self) -> Child {
        self.command().spawn().expect("the lab starts")
    }

    /// Returns the number of processes with this test's TMPDIR: the lab and its children.
    fn processes(&self) -> usize {
        let mark = format!("TMPDIR={}", self.path("work").display());
        let all = fs::read_dir("/proc").expect("processes").flatten();
        let environments = all.filter_map(|it| fs::read(it.path().join("environ")).ok());
        let has_mark = |all: &Vec<u8>| all.split(|it| *it == 0).any(|it| it == mark.as_bytes());
        environments.filter(has_mark).count()
    }

    fn leaves_nothing(&self) {
        assert_eq!(self.processes(), 0, "a child is left");
        let left = fs::read_dir(self.path("work")).expect("the folder");
        let left: Vec<_> = left.flatten().map(|it| it.path()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn ended(lab: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = lab.try_wait().expect("its status is readable") {
            return status;
        }
        if Instant::now() > deadline {
            lab.kill().expect("it can be killed");
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Gateway and load need a core each.
fn has_cores() -> bool {
    available_parallelism().is_ok_and(|cores| cores.get() > 1)
}

#[test]
fn ctrl_c_keeps_what_was_measured_and_leaves_nothing_behind() {
    if !has_cores() {
        println!("skipped: a run needs two cores");
        return;
    }
    let place = Place::new("\"direct\"", "warm_up_s = 0\nmeasured_s = 1\nrounds = 100");
    let mut lab = place.start();
    let mut lines = BufReader::new(lab.stderr.take().expect("it is piped")).lines();
    let mut line = String::new();
    // Two rounds are over, and the third has begun.
    while !line.contains("] 2/100, ") {
        line = lines.next().expect("it runs on").expect("text");
    }
    assert!(place.processes() >= 2, "the lab and its back end run");
    let id = Pid::from_child(&lab);
    kill_process(id, Signal::INT).expect("it runs");
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(ended(&mut lab).code(), Some(1), "{rest:?}");
    let run = Run::read(&place.path("out")).expect("it was kept");
    let rounds = &run.cells[0].rounds;
    assert!((2..100).contains(&rounds.len()), "{}", rounds.len());
    assert!(rounds.iter().all(|round| round.outcome.successes > 0));
    let warning = "the run ended early: stopped".to_owned();
    assert!(run.warnings.contains(&warning), "{:?}", run.warnings);
    let page = fs::read_to_string(place.path("out/report.html")).expect("a page");
    assert!(page.contains(&warning));
    place.leaves_nothing();
}

#[test]
fn a_run_out_of_bounds_or_with_an_inapplicable_rate_is_rejected() {
    let place = Place::new("\"direct\"", "warm_up_s = 0\nmeasured_s = 1\nrounds = 1");
    for (option, value) in [
        ("--rounds", "0"),
        ("--rounds", "1000000"),
        ("--measured-s", "0"),
        ("--measured-s", "1000000000000"),
        ("--per-second", "1000"),
    ] {
        let mut command = place.command();
        let output = command
            .args([option, value])
            .output()
            .expect("the lab ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{option} {value}");
        let why = match option {
            "--per-second" => "has users that wait for responses: it does not accept a rate",
            _ => "must be between 1 and",
        };
        assert!(stderr.contains(why), "{option} {value}: {stderr}");
        assert!(!place.path("out").exists(), "{option} {value}");
    }
}

#[test]
fn a_round_longer_than_the_lifetime_of_tokens_is_rejected() {
    let place = Place::new("\"direct\"", "warm_up_s = 0\nmeasured_s = 1\nrounds = 1");
    let profile = place.path("bench/profiles/small.toml");
    let text = fs::read_to_string(&profile).expect("a profile");
    fs::write(&profile, text.replace("\"get\"", "\"get-jwt\"")).expect("a profile");
    let estimate = |seconds: &str| {
        let mut command = place.command();
        command.args(["--estimate", "--measured-s", seconds]);
        command.output().expect("the lab ends")
    };
    assert!(estimate("1200").status.success());
    let output = estimate("3600");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && stderr.contains("longer than the lifetime of its tokens"),
        "{stderr}"
    );
}

const OPEN_LOOP: &str = "warm_up_s = 0\nmeasured_s = 1\nrounds = 1\n[open_loop]\np99_ms_max = 400";

#[test]
fn an_open_loop_is_measured_at_a_share_of_the_slowest_peak() {
    if !has_cores() {
        println!("skipped: a run needs two cores");
        return;
    }
    let place = Place::new("\"direct\"", OPEN_LOOP);
    let measured = |more: &[&str]| {
        let mut command = place.command();
        let mut lab = command.args(more).spawn().expect("the lab starts");
        let lines = BufReader::new(lab.stderr.take().expect("it is piped")).lines();
        let lines: Vec<String> = lines.map_while(Result::ok).collect();
        assert!(ended(&mut lab).success(), "{lines:?}");
        Run::read(&place.path("out")).expect("it was kept")
    };
    let run = measured(&[]);
    let [cell] = run.cells.as_slice() else {
        panic!("{} cells", run.cells.len());
    };
    let open_loop = cell.open_loop.as_ref().expect("it is an open loop");
    assert!((6..=12).contains(&open_loop.trials.len()));
    let peak = open_loop.peak("direct").expect("it sustains a rate");
    let rate = open_loop.per_second.expect("it was found");
    assert!((rate / peak.per_second - 0.6).abs() < 1e-9);
    let service = &cell.rounds[0].outcome.service;
    assert!(service.is_some(), "an open loop has service times");
    let page = fs::read_to_string(place.path("out/report.html")).expect("a page");
    assert!(page.contains(">Highest rates</h2>"));

    let run = measured(&["--per-second", "500"]);
    let cell = &run.cells[0];
    let open_loop = cell.open_loop.as_ref().expect("it is an open loop");
    assert_eq!(
        (open_loop.per_second, open_loop.trials.len()),
        (Some(500.0), 0),
        "nothing is searched for"
    );
    // Requests due at the end of a measurement may not be sent if the machine stalls then.
    let sent = cell.rounds[0].outcome.sent_all;
    assert!((250..=550).contains(&sent), "{sent} of 500 that were due");

    let run = measured(&["--per-second", "900000"]);
    let missed = "direct did not reach the rate in 1 round of get, 2 connections, 102 bytes, 0 ms \
                  at 900,000 requests/s.";
    assert!(
        run.warnings.iter().any(|it| it == missed),
        "{:?}",
        run.warnings
    );
    place.leaves_nothing();
}

#[test]
fn ctrl_c_keeps_the_tried_rates() {
    if !has_cores() {
        println!("skipped: a run needs two cores");
        return;
    }
    let place = Place::new("\"direct\"", OPEN_LOOP);
    let mut lab = place.start();
    let mut lines = BufReader::new(lab.stderr.take().expect("it is piped")).lines();
    let mut line = String::new();
    // One closed-loop round, one trial of a rate.
    while !line.contains("] 2/") {
        line = lines.next().expect("it runs on").expect("text");
    }
    kill_process(Pid::from_child(&lab), Signal::INT).expect("it runs");
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert_eq!(ended(&mut lab).code(), Some(1), "{rest:?}");
    let run = Run::read(&place.path("out")).expect("it was kept");
    let [cell] = run.cells.as_slice() else {
        panic!("{} cells", run.cells.len());
    };
    assert_eq!(cell.rounds, []);
    assert!((1..6).contains(&cell.trials().count()));
    let page = fs::read_to_string(place.path("out/report.html")).expect("a page");
    assert!(page.contains(">Highest rates</h2>"));
    place.leaves_nothing();
}

#[test]
fn a_rival_that_fails_its_check_is_left_out_and_named() {
    let is_here = ["/usr/sbin/nginx", "/usr/bin/nginx"].map(Path::new);
    if !has_cores() || !is_here.iter().any(|it| it.exists()) {
        println!("skipped: a run with nginx needs it, and two cores");
        return;
    }
    let place = Place::new(
        "\"direct\", \"nginx-secured\"",
        "warm_up_s = 0\nmeasured_s = 1\nrounds = 1",
    );
    let name = "rivals/nginx-secured";
    let (from, to) = (Path::new(BENCH).join(name), place.path("bench").join(name));
    fs::create_dir(&to).expect("a folder");
    for file in fs::read_dir(from).expect("the rival's folder").flatten() {
        let text = fs::read_to_string(file.path()).expect("text");
        let lines = text
            .lines()
            .filter(|line| !line.trim().starts_with("limit_req "));
        let text = lines.fold(String::new(), |text, line| text + line + "\n");
        fs::write(to.join(file.file_name()), text).expect("a copy");
    }
    let mut lab = place.start();
    let lines = BufReader::new(lab.stderr.take().expect("it is piped")).lines();
    let lines: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(ended(&mut lab).success(), "{lines:?}");
    let run = Run::read(&place.path("out")).expect("it was kept");
    let [left_out] = run.left_out.as_slice() else {
        panic!("{:?}", run.left_out);
    };
    assert_eq!(left_out.what, "rival nginx-secured");
    let why = "its check failed: limit: of 20 calls at a limit of 10, 20 were admitted";
    assert!(left_out.why.starts_with(why), "{}", left_out.why);
    let sides = run.cells[0].rounds.iter().map(|round| round.side.as_str());
    assert_eq!(sides.collect::<Vec<_>>(), ["direct"]);
    place.leaves_nothing();
}

#[test]
fn sides_are_called_over_tls_if_they_use_it() {
    let is_here = ["/usr/sbin/nginx", "/usr/bin/nginx"].map(Path::new);
    if !has_cores() || !is_here.iter().any(|it| it.exists()) {
        println!("skipped: a run with nginx needs it, and two cores");
        return;
    }
    let place = Place::new(
        "\"direct-https\", \"nginx-https\", \"nginx-https-both\"",
        "warm_up_s = 0\nmeasured_s = 1\nrounds = 1",
    );
    let profile = place.path("bench/profiles/small.toml");
    let text = fs::read_to_string(&profile).expect("a profile");
    fs::write(&profile, format!("connections = \"resumed\"\n{text}")).expect("a profile");
    for name in ["rivals/nginx-https", "rivals/nginx-https-both"] {
        let original = Path::new(BENCH).join(name).canonicalize();
        symlink(
            original.expect("it is there"),
            place.path("bench").join(name),
        )
        .expect("a link");
    }
    let mut lab = place.start();
    let lines = BufReader::new(lab.stderr.take().expect("it is piped")).lines();
    let lines: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(ended(&mut lab).success(), "{lines:?}");
    let run = Run::read(&place.path("out")).expect("it was kept");
    let rounds = &run.cells[0].rounds;
    assert_eq!(rounds.len(), 3);
    for round in rounds {
        let outcome = &round.outcome;
        assert!(round.is_valid(), "{}: {:?}", round.side, outcome.errors);
        let (full, resumed) = (outcome.handshakes_full, outcome.handshakes_resumed);
        assert!(
            full == 0 && resumed > 0,
            "{}: {full}, {resumed}",
            round.side
        );
    }
    place.leaves_nothing();
}

/// Three machines from the perspective of a run: each has an address and a lab of its own.
const TOPOLOGY: &str = "
    gateway = { address = '127.0.0.2', reach = ['env', 'PART=gateway'] }
    back_end = { address = '127.0.0.3', reach = ['env', 'PART=back_end'] }
    load = { address = '127.0.0.4', reach = ['env', 'PART=load'], cores = [0] }
";

impl Place {
    /// Returns the command of a run with this topology file.
    fn spread(&self, topology: &str) -> Command {
        fs::write(self.path("topology.toml"), topology).expect("a file");
        let mut command = self.command();
        command.arg("--topology").arg(self.path("topology.toml"));
        command
    }
}

#[test]
fn parts_run_on_the_machines_of_a_topology_file() {
    let place = Place::new(
        "\"direct\", \"nginx-plain\"",
        "warm_up_s = 0\nmeasured_s = 1\nrounds = 1",
    );
    let rival = Path::new(BENCH).join("rivals/nginx-plain").canonicalize();
    symlink(
        rival.expect("it is there"),
        place.path("bench/rivals/nginx-plain"),
    )
    .expect("a link");
    let mut lab = place.spread(TOPOLOGY).spawn().expect("the lab starts");
    let lines = BufReader::new(lab.stderr.take().expect("it is piped")).lines();
    let lines: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(ended(&mut lab).success(), "{lines:?}");
    let run = Run::read(&place.path("out")).expect("it was kept");
    assert!(
        run.topology.ends_with("generator on core 0 of 127.0.0.4"),
        "{}",
        run.topology
    );
    let has_nginx = run.left_out.is_empty();
    let rounds = &run.cells[0].rounds;
    assert_eq!(rounds.len(), if has_nginx { 2 } else { 1 });
    for round in rounds {
        assert!(round.is_valid(), "{}", round.side);
        let stolen = round.stolen_share.expect("the kernel reports it");
        assert!((0.0..1.0).contains(&stolen), "{stolen}");
        let at = |name: &str| {
            let process = round.processes.get(name)?;
            assert!(
                process.cpu_us() > 0 && process.memory_peak_bytes > 0,
                "{name}"
            );
            Some(process.machine.expect("it is elsewhere").to_string())
        };
        assert_eq!(at("back end").as_deref(), Some("127.0.0.3"));
        assert_eq!(at("generator").as_deref(), Some("127.0.0.4"));
        let gateway = (round.side != "direct").then_some("127.0.0.2");
        assert_eq!(at("gateway").as_deref(), gateway);
    }
    place.leaves_nothing();
}

#[test]
fn a_driver_that_is_killed_leaves_nothing_on_other_machines() {
    let place = Place::new("\"direct\"", "warm_up_s = 0\nmeasured_s = 1\nrounds = 100");
    let mut lab = place.spread(TOPOLOGY).spawn().expect("the lab starts");
    let mut lines = BufReader::new(lab.stderr.take().expect("it is piped")).lines();
    while !lines
        .next()
        .expect("it runs on")
        .expect("text")
        .contains("] 1/100, ")
    {}
    // The driver, a lab on each machine, back end and generator.
    assert!(place.processes() >= 5, "{}", place.processes());
    lab.kill().expect("it runs");
    lab.wait().expect("it ends");
    let deadline = Instant::now() + PATIENCE;
    while place.processes() > 0 && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(20));
    }
    place.leaves_nothing();
}

#[test]
fn an_invalid_topology_is_rejected() {
    let place = Place::new("\"direct\"", "warm_up_s = 0\nmeasured_s = 1\nrounds = 1");
    for (from, to, why) in [
        (
            "'127.0.0.3'",
            "'127.0.0.1'",
            "127.0.0.1 is a different machine for each part",
        ),
        (
            "'127.0.0.3'",
            "'203.0.113.1'",
            "allow it with --i-own-this-host 203.0.113.1",
        ),
        (
            "'env', 'PART=back_end'",
            "'false'",
            "sending a request to 127.0.0.3: it is gone, or was never reached",
        ),
        (
            "'env', 'PART=back_end'",
            "'no such program'",
            "reaching 127.0.0.3 with no such program",
        ),
        (
            "cores = [0]",
            "cores = [100000]",
            "127.0.0.4: cores must be distinct and among 0",
        ),
        (
            "cores = [0]",
            "cores = []",
            "127.0.0.4: cores must be distinct and among 0",
        ),
        ("load =", "lode =", "unknown field `lode`"),
    ] {
        let mut command = place.spread(&TOPOLOGY.replace(from, to));
        let output = command.output().expect("the lab ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{to}");
        assert!(stderr.contains(why), "{to}: {stderr}");
        assert!(!place.path("out").exists(), "{to}");
        place.leaves_nothing();
    }
    let mut command = place.spread(&TOPOLOGY.replace("'127.0.0.3'", "'203.0.113.1'"));
    let output = command.args(["--i-own-this-host", "203.0.113.1"]).output();
    let stderr = String::from_utf8_lossy(&output.expect("the lab ends").stderr).into_owned();
    let why =
        "the machine reached with \"env PART=back_end\" does not have the address 203.0.113.1";
    assert!(stderr.contains(why), "{stderr}");
    place.leaves_nothing();
}

#[test]
fn a_standalone_rival_prints_a_working_call() {
    let is_here = ["/usr/sbin/nginx", "/usr/bin/nginx"].map(Path::new);
    if !has_cores() || !is_here.iter().any(|it| it.exists()) {
        println!("skipped: nginx is needed, and two cores");
        return;
    }
    let place = Place::new("\"direct\"", "warm_up_s = 0\nmeasured_s = 1\nrounds = 1");
    let rival = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate-lab"));
        command
            .args(["rival", name, "--limit", "2", "--bench", BENCH])
            .env("TMPDIR", place.path("work"))
            .stdout(Stdio::piped());
        command
    };
    let mut lab = rival("nginx-secured").spawn().expect("the lab starts");
    let mut lines = BufReader::new(lab.stdout.take().expect("it is piped")).lines();
    let curl = lines.next().expect("it starts").expect("text");
    let call = || {
        let line = format!("{curl} -s -o /dev/null -w '%{{http_code}}'");
        let output = Command::new("sh").args(["-c", &line]).output();
        String::from_utf8(output.expect("curl runs").stdout).expect("text")
    };
    assert_eq!([call(), call(), call()], ["200", "200", "429"], "{curl}");
    kill_process(Pid::from_child(&lab), Signal::INT).expect("it runs");
    assert!(ended(&mut lab).success());
    place.leaves_nothing();

    let refused = rival("nginx-beside").output().expect("the lab ends");
    assert!(!refused.status.success() && refused.stdout.is_empty());
}
