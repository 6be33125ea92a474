//! A worker with its callers, and an upstream that responds with what it got.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::timeout;
use tollgate_model::credential::{CredentialId, Digest, Environment};
use tollgate_model::feed::Event;
use tollgate_model::id::{ApiKeyId, BasicUserId};

use super::{MARKS, Row};
use crate::{harness, serve};

/// Time in which a call ends on a loaded machine.
const CALL_TIME: Duration = Duration::from_secs(60);
/// Maximum bytes of a request or a response.
const MESSAGE_BYTES_MAX: usize = 64 * 1024;

/// A caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    /// The attacker's application, with the plan `bronze`.
    Attacker,
    /// Another key of the attacker's application.
    AttackerAgain,
    /// The attacker's key for the sandbox.
    Sandbox,
    /// Another application with the plan `bronze`.
    Victim,
    /// An application with the plan `gold`.
    Gold,
    /// Two users of the attacker's application.
    User,
    OtherUser,
    /// Without a credential.
    Nobody,
}

/// A response.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// The number of the upstream's call that it is the response to; `None` if it is not.
    pub(super) call: Option<u32>,
    /// Head and body.
    pub(super) text: String,
}

/// A gateway that serves connections on this thread.
pub(super) struct Lab {
    gateway: SocketAddr,
}

impl Who {
    const ALL: [Self; 7] = [
        Self::Attacker,
        Self::AttackerAgain,
        Self::Sandbox,
        Self::Victim,
        Self::Gold,
        Self::User,
        Self::OtherUser,
    ];

    fn application(self) -> i64 {
        match self {
            Self::Victim => 2,
            Self::Gold => 3,
            _ => 1,
        }
    }

    fn environment(self) -> Environment {
        match self {
            Self::Sandbox => Environment::Sandbox,
            _ => Environment::Production,
        }
    }

    /// Id, text and digest of the caller's credential; `None` without one.
    fn credential(self) -> Option<(CredentialId, String, Digest)> {
        let id = Self::ALL.iter().position(|it| *it == self)?;
        let id = i64::try_from(id).unwrap() + 1;
        if matches!(self, Self::User | Self::OtherUser) {
            // `1:p`, `2:p`
            let (name, text) = match self {
                Self::User => ("1", "MTpw"),
                _ => ("2", "Mjpw"),
            };
            let digest = tollgate_tokens::basic::digest(name, "p");
            let id = CredentialId::BasicUser(BasicUserId::from_raw(id));
            return Some((id, text.to_owned(), digest));
        }
        let id = ApiKeyId::from_raw(id);
        let key = tollgate_tokens::api_key::make(self.environment(), id, [1; 16]);
        Some((CredentialId::ApiKey(id), key.text, key.digest))
    }

    /// The request of a call. The credential takes the place of `{key}`, or has its own field.
    fn request(self, call: &str) -> String {
        let (head, body) = call.split_once("\n\n").unwrap_or((call, ""));
        let mut lines = head.split('\n');
        let (method, target) = lines.next().unwrap().split_once(' ').unwrap();
        let below = if target.starts_with('/') {
            "/pets/1.0"
        } else {
            ""
        };
        let mut lines: Vec<_> = lines.map(str::to_owned).collect();
        if !lines.iter().any(|line| line.starts_with("Host:")) {
            lines.push("Host: gateway".to_owned());
        }
        let credential = self.credential();
        let text = credential.as_ref().map_or("", |(_, text, _)| text);
        match credential.as_ref().map(|it| it.0) {
            Some(CredentialId::BasicUser(_)) => lines.push(format!("Authorization: Basic {text}")),
            Some(_) if !target.contains("{key}") => lines.push(format!("apikey: {text}")),
            _ => {}
        }
        let target = target.replace("{key}", text);
        let lines = lines.join("\r\n");
        format!("{method} {below}{target} HTTP/1.1\r\n{lines}\r\n\r\n{body}")
    }
}

impl Lab {
    /// Runs calls of a version with a row's rules, at a gateway with an empty cache.
    pub(super) fn run<T>(row: &Row, calls: impl AsyncFnOnce(Self) -> T) -> T {
        let upstream = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        upstream.set_nonblocking(true).unwrap();
        let current = harness::current(events(row, upstream.local_addr().unwrap()));
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let upstream = TcpListener::from_std(upstream).unwrap();
            spawn_local(respond(upstream, *row));
            let worker = harness::worker(current);
            let (gateway, listener) = harness::listen();
            let (_stop, stop) = watch::channel(None);
            spawn_local(serve::run(worker, vec![listener], stop));
            timeout(10 * CALL_TIME, calls(Self { gateway }))
                .await
                .unwrap()
        })
    }

    /// Makes a call on a connection of its own.
    pub(super) async fn call(&self, who: Who, call: &str) -> Answer {
        let called = async {
            let mut stream = TcpStream::connect(self.gateway).await.unwrap();
            let request = who.request(call);
            stream.write_all(request.as_bytes()).await.unwrap();
            read_message(&mut stream, call.starts_with("HEAD ")).await
        };
        let text = timeout(CALL_TIME, called).await.unwrap().unwrap();
        Answer {
            status: text[9..12].parse().unwrap(),
            call: field(&text, "x-call").map(|number| number.parse().unwrap()),
            text,
        }
    }
}

fn events(row: &Row, upstream: SocketAddr) -> Vec<Event> {
    let rules: Value = serde_json::from_str(row.rules).unwrap();
    let upstream = json!({ "url": format!("http://{upstream}") });
    let mut configuration = json!({
        "operations": [
            { "method": "GET", "path": "/pets/{pet}" },
            { "method": "HEAD", "path": "/pets/{pet}" },
            { "method": "DELETE", "path": "/pets/{pet}" },
            { "method": "GET", "path": "/me" },
            { "method": "GET", "path": "/open/{pet}", "anonymous": true },
        ],
        "upstream": upstream,
        "sandbox_upstream": upstream,
        "encoded_slash": "refuse",
        "policies": {
            "cache": rules,
            "operations": [{ "operations": ["GET /me"], "cache": { "enabled": false } }],
        },
    });
    let more: Value = serde_json::from_str(row.version).unwrap();
    for (name, value) in more.as_object().unwrap() {
        configuration[name] = value.clone();
    }
    let plans = [(3, "bronze"), (4, "gold"), (5, "anonymous")];
    let mut events: Vec<_> = plans.map(|(id, name)| harness::plan(id, name)).into();
    events.push(harness::version(configuration));
    let applications = [(1, 3), (2, 3), (3, 4)];
    events.extend(
        applications
            .map(|(id, plan)| harness::application(id, plan))
            .concat(),
    );
    events.extend(Who::ALL.map(|who| {
        let (id, _, digest) = who.credential().unwrap();
        harness::credential(id, who.application(), who.environment(), digest)
    }));
    events
}

/// Responds to each request with its text, and with the number of the call.
async fn respond(listener: TcpListener, row: Row) {
    let calls = Rc::new(Cell::new(0));
    while let Ok((mut stream, _)) = listener.accept().await {
        let calls = Rc::clone(&calls);
        spawn_local(async move {
            while let Some(request) = read_message(&mut stream, false).await {
                calls.set(calls.get() + 1);
                let marked = request.to_ascii_lowercase();
                let is_marked = MARKS.iter().any(|mark| marked.contains(mark));
                let status = row.fault.filter(|_| is_marked).unwrap_or(row.answers.0);
                let fields = row.answers.1.lines();
                let fields: String = fields.map(|line| format!("{line}\r\n")).collect();
                let (call, bytes) = (calls.get(), request.len());
                let body = if request.starts_with("HEAD ") {
                    ""
                } else {
                    &request
                };
                let answer = format!(
                    "HTTP/1.1 {status}\r\nX-Call: {call}\r\n{fields}Content-Length: {bytes}\r\n\r\n\
                     {body}"
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
    }
}

/// Reads a request or a response; `None` if the connection ends before it.
async fn read_message(stream: &mut TcpStream, is_head: bool) -> Option<String> {
    let mut message = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&message);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let bytes = field(head, "content-length").map_or(0, |bytes| bytes.parse().unwrap());
            let is_chunked = field(head, "transfer-encoding").is_some();
            let is_whole = match is_chunked {
                true => body.ends_with("0\r\n\r\n"),
                false => body.len() >= bytes,
            };
            if is_head || is_whole {
                return Some(text.into_owned());
            }
        }
        assert!(message.len() < MESSAGE_BYTES_MAX);
        if stream.read_buf(&mut message).await.unwrap() == 0 {
            return None;
        }
    }
}

/// The value of the first field with a name in lower case.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let head = text.split("\r\n\r\n").next()?;
    let mut fields = head.split("\r\n").filter_map(|line| line.split_once(": "));
    let field = fields.find(|(of, _)| of.eq_ignore_ascii_case(name));
    field.map(|(_, value)| value)
}
