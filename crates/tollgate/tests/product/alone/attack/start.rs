//! Number 1: no call is accepted before a complete snapshot is served, however the previous process
//! ended.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tollgate_testkit::{Builder, Connection};

use crate::house::{House, get};
use crate::start::sql;

/// Restarts, each second one after a kill -9.
const RESTARTS: usize = 20;
/// Timeout for a caller's observations.
const WATCH: Duration = Duration::from_secs(10);
const READY: &[u8] = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// Copies of a house's API and its subscription, up to 500.
const COPIES: [&str; 5] = [
    "with recursive n (n) as (select 1 union all select n + 1 from n where n < 499)
        insert into apis (id, name, context, description, owner, created_us, kind)
        select id + n, 'Copy ' || n, '/copy' || n, description, owner, created_us, kind
        from (select * from apis), n",
    "with recursive n (n) as (select 1 union all select n + 1 from n where n < 499)
        insert into versions (id, api, name, state, is_default, draft, draft_etag, created_us,
            updated_us)
        select id + n, api + n, name, state, is_default, draft, draft_etag, created_us, updated_us
        from (select * from versions), n",
    "with recursive n (n) as (select 1 union all select n + 1 from n where n < 499)
        insert into revisions (id, version, number, configuration, note, created_by, created_us)
        select id + n, version + n, number, configuration, note, created_by, created_us
        from (select * from revisions), n",
    "update versions set deployed = (select id from revisions where version = versions.id)",
    "with recursive n (n) as (select 1 union all select n + 1 from n where n < 499)
        insert into subscriptions (id, application, version, plan, status, created_us)
        select id + n, application, version + n, plan, status, created_us
        from (select * from subscriptions), n",
];

/// The outcome of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// The connection was refused.
    Refused,
    /// The connection broke before the response was complete.
    Cut(String),
    /// A response, with the code of a problem.
    Answered(u16, String),
}

#[derive(Debug)]
struct Seen {
    begun: Instant,
    ended: Instant,
    outcome: Outcome,
}

/// The outcomes of a caller so far, for waiting threads.
#[derive(Debug, Default)]
struct Counts {
    answered: AtomicU64,
    refused: AtomicU64,
}

/// Waits until each caller has one more outcome, from now on, of the kind that `count` counts.
async fn until_seen(callers: &[Arc<Counts>], count: fn(&Counts) -> &AtomicU64) {
    let begun = Instant::now();
    for caller in callers {
        let count = count(caller);
        // A call in progress may have started before.
        let target = count.load(Ordering::Relaxed) + 2;
        while count.load(Ordering::Relaxed) < target {
            assert!(begun.elapsed() < WATCH, "a caller sees nothing");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

async fn call(address: SocketAddr, request: &[u8]) -> Outcome {
    let connection = Connection::open(address).await;
    let mut connection = match connection {
        Ok(connection) => connection,
        Err(error) => {
            let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
            return match kind {
                Some(io::ErrorKind::ConnectionRefused) => Outcome::Refused,
                _ => Outcome::Cut(format!("{error:#}")),
            };
        }
    };
    match connection.exchange(request).await {
        Ok(answer) => Outcome::Answered(answer.status, answer.code()),
        Err(error) => Outcome::Cut(format!("{error:#}")),
    }
}

/// Sends one request after the other, each on a connection of its own, until `stop`.
async fn poll(
    address: SocketAddr,
    request: Vec<u8>,
    counts: Arc<Counts>,
    stop: Arc<AtomicBool>,
) -> Vec<Seen> {
    let mut all = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let outcome = call(address, &request).await;
        let was_refused = outcome == Outcome::Refused;
        match outcome {
            Outcome::Refused => counts.refused.fetch_add(1, Ordering::Relaxed),
            Outcome::Answered(..) => counts.answered.fetch_add(1, Ordering::Relaxed),
            Outcome::Cut(_) => 0,
        };
        all.push(Seen {
            begun,
            ended: Instant::now(),
            outcome,
        });
        if was_refused {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    all
}

/// Creates a house of 500 APIs that listens on the same address at each start.
async fn large() -> (House, Builder) {
    let house = House::new().await;
    let (gateway, control) = (house.tollgate.gateway, house.tollgate.control);
    let House {
        tollgate,
        admin,
        upstream,
        api,
        consumer,
    } = house;
    let (_, builder) = tollgate.terminate().unwrap();
    for statement in COPIES {
        sql(&builder.data().join("tollgate.db"), statement).await;
    }
    let builder = builder
        .set("gateway-listen", &gateway.to_string())
        .set("control-listen", &control.to_string());
    let house = House {
        tollgate: builder.start().unwrap(),
        admin,
        upstream,
        api,
        consumer,
    };
    (house, builder)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_20_restarts_calls_are_refused_cut_off_by_the_kill_or_answered_correctly() {
    let (house, builder) = large().await;
    let (gateway, control) = (house.tollgate.gateway, house.tollgate.control);
    let key = &house.consumer.key;
    let stop = Arc::new(AtomicBool::new(false));
    let targets = ["/pets/1.0/pets", "/copy1/1.0/pets", "/copy499/1.0/pets"];
    let requests = targets.map(|target| (gateway, get(target, key)));
    let requests = requests.into_iter().chain([(control, READY.to_vec())]);
    let (counts, callers): (Vec<_>, Vec<_>) = requests
        .map(|(address, request)| {
            let counts = Arc::<Counts>::default();
            let polling = poll(address, request, Arc::clone(&counts), Arc::clone(&stop));
            (counts, tokio::spawn(polling))
        })
        .unzip();

    let mut tollgate = house.tollgate;
    let mut ends = Vec::new();
    for restart in 0..RESTARTS {
        until_seen(&counts, |it| &it.answered).await;
        let begun = Instant::now();
        let ended = tokio::task::spawn_blocking(move || match restart % 2 {
            0 => tollgate.terminate().unwrap().1,
            _ => tollgate.kill().unwrap(),
        });
        ended.await.unwrap();
        ends.push((begun, Instant::now()));
        until_seen(&counts, |it| &it.refused).await;
        let builder = builder.clone();
        let started = tokio::task::spawn_blocking(move || builder.start().unwrap());
        tollgate = started.await.unwrap();
    }
    until_seen(&counts, |it| &it.answered).await;
    stop.store(true, Ordering::Relaxed);
    for (at, caller) in callers.into_iter().enumerate() {
        let seen = caller.await.unwrap();
        let cuts = cuts(&seen, &ends);
        let clean = cuts.iter().step_by(2).filter(|&&cuts| cuts == 0).count();
        // Of the gateway; a connection may arrive between its last check and its end.
        assert!(at == targets.len() || clean >= RESTARTS / 2 - 2, "{cuts:?}");
        assert_watched(&seen, &ends);
    }
}

/// Returns how many calls of one caller each end cut off. All others were refused a connection, or
/// answered.
fn cuts(seen: &[Seen], ends: &[(Instant, Instant)]) -> Vec<usize> {
    let mut cuts = vec![0; ends.len()];
    for call in seen {
        match &call.outcome {
            Outcome::Refused | Outcome::Answered(200, _) => {}
            Outcome::Cut(_) => {
                let mut during = ends.iter();
                let end = during.position(|(from, to)| call.begun <= *to && call.ended >= *from);
                cuts[end.unwrap_or_else(|| panic!("cut while nothing ended: {call:?}"))] += 1;
            }
            Outcome::Answered(..) => panic!("{call:?}"),
        }
    }
    cuts
}

/// Asserts that each process was called and each gap was observed.
fn assert_watched(seen: &[Seen], ends: &[(Instant, Instant)]) {
    for pair in ends.windows(2) {
        let (from, to) = (pair[0].1, pair[1].0);
        let within = |outcome: &Outcome| {
            let mut all = seen.iter();
            all.any(|it| it.begun > from && it.ended < to && it.outcome == *outcome)
        };
        assert!(within(&Outcome::Refused));
        assert!(within(&Outcome::Answered(200, String::new())));
    }
}
