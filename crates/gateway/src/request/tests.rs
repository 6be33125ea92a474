//! Counts the allocations of a worker that serves calls of a version without policies.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use allocation_counter::measure;
use serde_json::json;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::LocalSet;
use tollgate_counters::Counters;
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::compile::{self, Documents};
use tollgate_model::credential::{Allowed, CredentialId, Environment};
use tollgate_model::feed::{
    Applied, Change, Event, Message, ServedApplication, ServedCredential, ServedPlan,
    ServedSubscription,
};
use tollgate_model::id::{
    ApiId, ApiKeyId, ApplicationId, PlanId, RevisionId, SubscriptionId, VersionId,
};
use tollgate_model::lifecycle::State;
use tollgate_model::subscription::Status;

use crate::buffered::Buffered;
use crate::feed::Reader;
use crate::listener::{self, Listener};
use crate::places::Places;
use crate::record;
use crate::serve;
use crate::settings::Settings;
use crate::snapshot::Current;
use crate::stored::Caches;
use crate::wire::peer::tests::settings;
use crate::worker::Worker;

const CALLS: usize = 100_000;
/// Calls that are sent at once.
const BATCH: usize = 50;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const ANSWER_END: &[u8] = b"\r\n\r\nhello";
/// A minute of a loaded machine, for the whole test.
const WORKER_TIMES: Duration = Duration::from_secs(60);

fn served(upstream: SocketAddr, digest: [u8; 32]) -> Vec<Event> {
    let (application, plan) = (ApplicationId::from_raw(1), PlanId::from_raw(3));
    let version = compile::Version {
        id: VersionId::from_raw(2),
        api: ApiId::from_raw(1),
        kind: Kind::Rest,
        api_name: "Pets".to_owned(),
        context: "/pets".into(),
        name: "1.0".into(),
        is_default: false,
        state: State::Published,
        revision: RevisionId::from_raw(1),
        deprecation: None,
    };
    let configuration: Configuration = serde_json::from_value(json!({
        "operations": [{ "method": "GET", "path": "/pets/{pet}" }],
        "upstream": { "url": format!("http://{upstream}") },
    }))
    .unwrap();
    let compiled = compile::compile(&version, &configuration, Documents::default(), 0);
    vec![
        Event::Plan(ServedPlan {
            id: plan,
            name: "bronze".into(),
            limits: Vec::new(),
        }),
        Event::Application(ServedApplication {
            id: application,
            limits: Vec::new(),
            tokens_from_us: 0,
        }),
        Event::Version(Box::new(compiled.unwrap().unwrap())),
        Event::Subscription(ServedSubscription {
            id: SubscriptionId::from_raw(4),
            application,
            version: version.id,
            plan,
            status: Status::Active,
            scopes: Vec::new(),
        }),
        Event::Credential(ServedCredential {
            id: CredentialId::ApiKey(ApiKeyId::from_raw(5)),
            digest,
            previous: None,
            application,
            environment: Environment::Production,
            not_before_us: None,
            expires_us: None,
            allowed: Allowed::default(),
        }),
    ]
}

fn current(events: Vec<Event>) -> Arc<Current> {
    let current = Arc::<Current>::default();
    let reader = Reader::new(
        Arc::clone(&current),
        Arc::new(Counters::new([7; 16])),
        Caches::new(0),
        "",
    );
    let (messages, receiver) = mpsc::channel(1);
    let whole = Change {
        after: 0,
        sequence: 1,
        events,
    };
    messages.try_send(Message::Whole(whole)).unwrap();
    drop(messages);
    reader.follow(receiver, &watch::Sender::new(Applied::default()));
    current
}

fn worker(current: Arc<Current>) -> Worker {
    let settings = Settings {
        body_bytes_max: 1_000,
        connections_max: 8,
        requests_per_connection_max: u32::MAX,
        header_timeout: WORKER_TIMES,
        keep_alive_timeout: WORKER_TIMES,
        exchange_timeout: WORKER_TIMES,
        records_max: 1_000,
        ..(*settings("")).clone()
    };
    let places = Places::new(settings.places(), settings.trusted_proxies.clone());
    let (writer, _) = record::ring(settings.records_max);
    let shared = (current, places, Buffered::new(1_000), Caches::new(1 << 20));
    Worker::new(Arc::new(settings), shared, (writer, Arc::default()), 7)
}

/// Starts an upstream that answers every request, one thread a connection.
fn upstream() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut request = Vec::new();
                let mut piece = [0; 4_096];
                while let Ok(count @ 1..) = stream.read(&mut piece) {
                    request.extend_from_slice(&piece[..count]);
                    if request.ends_with(b"\r\n\r\n") {
                        request.clear();
                        stream.write_all(ANSWER).unwrap();
                    }
                }
            });
        }
    });
    address
}

/// Sends requests on a connection, and reads their answers.
fn call(stream: &mut TcpStream, request: &[u8], calls: usize) {
    let batch = request.repeat(BATCH);
    let mut piece = [0; 65_536];
    for _ in 0..calls / BATCH {
        stream.write_all(&batch).unwrap();
        let (mut answers, mut answered) = (Vec::new(), 0);
        while answered < BATCH {
            let count = stream.read(&mut piece).unwrap();
            assert!(count > 0, "{}", answers.escape_ascii());
            answers.extend_from_slice(&piece[..count]);
            let ends = answers.windows(ANSWER_END.len());
            answered = ends.filter(|it| *it == ANSWER_END).count();
        }
    }
}

#[test]
fn a_hundred_thousand_calls_without_policies_do_not_allocate() {
    let id = ApiKeyId::from_raw(5);
    let key = tollgate_tokens::api_key::make(Environment::Production, id, [1; 16]);
    let worker = worker(current(served(upstream(), key.digest)));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let socket = listener::reserve("127.0.0.1:0".parse().unwrap(), 1).unwrap();
    let tcp = listener::listen(socket.into_iter().next().unwrap()).unwrap();
    let address = tcp.local_addr().unwrap();
    let (_stop, stop) = watch::channel(None);
    let local = LocalSet::new();
    local.spawn_local(async move {
        let tcp = tokio::net::TcpListener::from_std(tcp).unwrap();
        let listener = Listener {
            tcp,
            address,
            tls: None,
        };
        serve::run(worker, vec![listener], stop).await;
    });
    let (warm, is_warm) = oneshot::channel();
    let (done, is_done) = oneshot::channel();
    let caller = thread::spawn(move || {
        let key = key.text;
        let request = format!("GET /pets/1.0/pets/7 HTTP/1.1\r\nHost: a\r\napikey: {key}\r\n\r\n");
        let mut stream = TcpStream::connect(address).unwrap();
        call(&mut stream, request.as_bytes(), 20 * BATCH);
        warm.send(()).unwrap();
        call(&mut stream, request.as_bytes(), CALLS);
        done.send(()).unwrap();
    });
    local.block_on(&runtime, is_warm).unwrap();
    let measured = measure(|| local.block_on(&runtime, is_done).unwrap());
    caller.join().unwrap();
    // Room for timers and the waiting test; calls take nothing.
    assert!(measured.count_total < 100, "{measured:?}");
}
