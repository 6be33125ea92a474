//! Counts the allocations of a worker that serves calls of a version without policies.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use allocation_counter::measure;
use serde_json::json;
use tokio::runtime::Builder;
use tokio::sync::{oneshot, watch};
use tokio::task::LocalSet;
use tollgate_model::call_text::CallText;
use tollgate_model::credential::{CredentialId, Digest, Environment};
use tollgate_model::feed::Event;
use tollgate_model::id::ApiKeyId;

use crate::record::Records;
use crate::settings::TextSettings;
use crate::{harness, serve};

/// Room for timers and the waiting test; calls take nothing.
const TIMERS: u64 = 100;
/// Calls that are sent at once.
const BATCH: usize = 50;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const ANSWER_END: &[u8] = b"\r\n\r\nhello";

fn served(upstream: SocketAddr, digest: Digest) -> Vec<Event> {
    let configuration = json!({
        "operations": [{ "method": "GET", "path": "/pets/{pet}" }],
        "upstream": { "url": format!("http://{upstream}") },
    });
    let key = CredentialId::ApiKey(ApiKeyId::from_raw(5));
    let mut events = vec![harness::plan(3, "bronze"), harness::version(configuration)];
    events.extend(harness::application(1, 3));
    events.push(harness::credential(key, 1, Environment::Production, digest));
    events
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

/// Counts the allocations of so many calls.
fn allocations(calls: usize, texts: Option<TextSettings>) -> (u64, Records) {
    let id = ApiKeyId::from_raw(5);
    let key = tollgate_tokens::api_key::make(Environment::Production, id, [1; 16]);
    let current = harness::current(served(upstream(), key.digest));
    let (worker, records) = harness::worker_with_texts(current, texts);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let (address, listener) = {
        let _entered = runtime.enter();
        harness::listen()
    };
    let (_stop, stop) = watch::channel(None);
    let local = LocalSet::new();
    local.spawn_local(serve::run(worker, vec![listener], stop));
    let (warm, is_warm) = oneshot::channel();
    let (done, is_done) = oneshot::channel();
    let caller = thread::spawn(move || {
        let key = key.text;
        let request = format!("GET /pets/1.0/pets/7 HTTP/1.1\r\nHost: a\r\napikey: {key}\r\n\r\n");
        let mut stream = TcpStream::connect(address).unwrap();
        call(&mut stream, request.as_bytes(), 20 * BATCH);
        warm.send(()).unwrap();
        call(&mut stream, request.as_bytes(), calls);
        done.send(()).unwrap();
    });
    local.block_on(&runtime, is_warm).unwrap();
    let measured = measure(|| local.block_on(&runtime, is_done).unwrap());
    caller.join().unwrap();
    (measured.count_total, records)
}

#[test]
fn a_hundred_thousand_calls_without_policies_do_not_allocate() {
    let (count, _) = allocations(100_000, None);
    assert!(count < TIMERS, "{count}");
}

#[test]
fn calls_with_texts_do_not_allocate() {
    let texts = TextSettings { has_query: true };
    let (count, mut records) = allocations(5_000, Some(texts));
    assert!(count < TIMERS, "{count}");
    let mut kept = 0;
    records.drain_texts(&mut |frame| {
        let texts = CallText::decode(frame).unwrap();
        assert_eq!(
            (texts.path, texts.host),
            (&b"/pets/1.0/pets/7"[..], &b"a"[..])
        );
        kept += 1;
    });
    assert!(kept > 5_000, "{kept}");
}
