//! Processes of `tollgate-lab`, and loads for them.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use tollgate_lab::load::{Event, Expect, Load, Outcome, Pace, Request};

pub(crate) const SECOND_US: u64 = 1_000_000;

/// A back end, terminated on drop.
#[derive(Debug)]
pub(crate) struct BackEnd {
    pub(crate) address: SocketAddr,
    process: Child,
}

impl BackEnd {
    pub(crate) fn start(options: &[&str]) -> Self {
        Self::spawn(lab(), options)
    }

    /// Starts a back end pinned to the first core.
    pub(crate) fn pinned() -> Self {
        let mut command = Command::new("taskset");
        command.args(["-c", "0", env!("CARGO_BIN_EXE_tollgate-lab")]);
        Self::spawn(command, &[])
    }

    fn spawn(mut command: Command, options: &[&str]) -> Self {
        let mut process = command
            .arg("back-end")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the back end starts");
        let mut line = String::new();
        let out = process.stdout.take().expect("its output is piped");
        BufReader::new(out)
            .read_line(&mut line)
            .expect("it prints its listen address");
        let address = line
            .strip_prefix("listening ")
            .expect("its first line")
            .trim();
        Self {
            address: address.parse().expect("an address"),
            process,
        }
    }

    /// Returns its counts: requests, bytes of their bodies, and bytes of the response bodies.
    pub(crate) fn count(&self) -> (u64, u64, u64) {
        let count: serde_json::Value = serde_json::from_str(&self.fetch("/count")).expect("JSON");
        let of = |name: &str| count[name].as_u64().expect("a number");
        (of("requests"), of("received_bytes"), of("answered_bytes"))
    }

    /// Returns the body of its response.
    pub(crate) fn fetch(&self, path: &str) -> String {
        let answer = self.exchange(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes());
        let answer = String::from_utf8(answer).expect("text");
        answer.split_once("\r\n\r\n").expect("a head").1.to_owned()
    }

    /// Returns all that it sends in response until it closes the connection.
    pub(crate) fn exchange(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a time-out");
        // It may close before it has read everything.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        // The connection may then end with a reset; bytes received before are kept.
        let _ = stream.read_to_end(&mut answer);
        answer
    }
}

impl Drop for BackEnd {
    fn drop(&mut self) {
        // It would exit by itself when its input closes; a kill is enough.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A running generator.
#[derive(Debug)]
pub(crate) struct Generator {
    process: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Generator {
    pub(crate) fn start(mut command: Command, load: &Load) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the generator starts");
        let mut input = process.stdin.take().expect("its input is piped");
        serde_json::to_writer(&mut input, load).expect("it takes the load");
        let out = process.stdout.take().expect("its output is piped");
        Self {
            process,
            lines: BufReader::new(out).lines(),
        }
    }

    /// Returns its next event; `None` once it has exited.
    pub(crate) fn event(&mut self) -> Option<Event> {
        let line = self.lines.next()?.expect("text");
        Some(serde_json::from_str(&line).expect("an event"))
    }

    /// Returns its last event.
    pub(crate) fn outcome(mut self) -> Outcome {
        let mut last = None;
        while let Some(event) = self.event() {
            last = Some(event);
        }
        let complaint = self.complaint();
        match last {
            Some(Event::Outcome(outcome)) => *outcome,
            other => panic!("{other:?} is not an outcome: {complaint}"),
        }
    }

    /// Returns its standard error, once it has exited.
    pub(crate) fn complaint(&mut self) -> String {
        let mut complaint = String::new();
        let mut err = self.process.stderr.take().expect("its errors are piped");
        err.read_to_string(&mut complaint).expect("text");
        self.process.wait().expect("it ends");
        complaint
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The binary under test.
pub(crate) fn lab() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tollgate-lab"))
}

/// Runs a load in a process of its own.
pub(crate) fn run(load: &Load) -> Outcome {
    let mut command = lab();
    command.arg("load");
    Generator::start(command, load).outcome()
}

/// Returns a load of GETs by one user for a second, as a base for tests.
pub(crate) fn load(address: SocketAddr, target: &str) -> Load {
    Load {
        address,
        tls: None,
        renews: false,
        request: Request {
            method: "GET".to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            body: None,
        },
        values: None,
        expect: Expect {
            status: 200,
            body_bytes: None,
        },
        pace: users(1),
        source_addresses: Vec::new(),
        warm_up_us: 0,
        measured_us: SECOND_US,
        timeout_us: 20 * SECOND_US,
        requests_max: 1_000_000,
    }
}

/// Users without think time.
pub(crate) fn users(users: u32) -> Pace {
    Pace::Closed { users, think_us: 0 }
}

/// Writes a file in the test's folder.
pub(crate) fn file(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("the test's folder can be written");
    path
}

/// Retries timing-dependent measurements: on a busy machine a measurement may fail, but a bug fails
/// every time.
pub(crate) fn in_one_of_five(mut measure: impl FnMut() -> Result<(), String>) {
    let failures: Vec<String> = (0..5).map_while(|_| measure().err()).collect();
    assert!(failures.len() < 5, "{failures:#?}");
}

/// Fails if two figures differ by more than this share of the second.
pub(crate) fn agree(name: &str, left: f64, right: f64, share: f64) -> Result<(), String> {
    let is_near = (left - right).abs() <= share * right;
    is_near
        .then_some(())
        .ok_or_else(|| format!("{name}: {left} is not {right}"))
}
