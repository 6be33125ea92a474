//! Calls at a steady rate over persistent and new connections, each with its times and outcome.
//!
//! The schedule is open: a call is due at its time, however long earlier calls take. It runs on its
//! own thread and judges nothing: tests read the list of calls.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::task::LocalSet;

use crate::http::{Answer, Connection};

/// The request to send, and how often.
#[derive(Clone)]
pub struct Load {
    /// The destination.
    pub address: SocketAddr,
    /// The request's bytes.
    pub request: Vec<u8>,
    /// Calls a second over the persistent connections, all together.
    pub per_second: u32,
    /// Number of persistent connections.
    pub connections: u32,
    /// New connections a second, each for one additional call.
    pub fresh_per_second: u32,
    /// How a response is labelled; by its status if `None`.
    pub label: Option<fn(&Answer) -> String>,
}

impl Load {
    /// 2,000 calls a second over 100 persistent connections and 50 new ones a second.
    #[must_use]
    pub fn of(address: SocketAddr, request: Vec<u8>) -> Self {
        Self {
            address,
            request,
            per_second: 2_000,
            connections: 100,
            fresh_per_second: 50,
            label: None,
        }
    }

    /// Starts it on its own thread.
    ///
    /// # Errors
    /// Fails if the thread or its runtime cannot be created.
    pub fn start(self) -> anyhow::Result<Running> {
        let stop = Arc::new(AtomicBool::new(false));
        let ended = Arc::new(AtomicU64::new(0));
        let request = Arc::new(RwLock::new(Arc::from(&*self.request)));
        let plan = Plan {
            load: self,
            request: Arc::clone(&request),
            ended: Arc::clone(&ended),
            stop: Arc::clone(&stop),
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = std::thread::Builder::new().name("load".into());
        let thread = thread.spawn(move || {
            let tally = Rc::new(RefCell::new(Tally::default()));
            let all = run(Rc::new(plan), Rc::clone(&tally));
            LocalSet::new().block_on(&runtime, all);
            tally.take()
        })?;
        Ok(Running {
            stop,
            ended,
            request,
            thread,
        })
    }
}

/// A running load.
pub struct Running {
    stop: Arc<AtomicBool>,
    ended: Arc<AtomicU64>,
    request: Arc<RwLock<Arc<[u8]>>>,
    thread: JoinHandle<Tally>,
}

impl Running {
    /// Sends this request instead, for every call that starts after this.
    pub fn aim(&self, request: &[u8]) {
        let mut present = self.request.write().unwrap_or_else(PoisonError::into_inner);
        *present = Arc::from(request);
    }

    /// The number of calls that have ended.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// Waits until this many more calls have ended, however long a busy machine takes.
    pub async fn calls(&self, count: u64) {
        let until = self.ended.load(Ordering::Relaxed) + count;
        while self.ended.load(Ordering::Relaxed) < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Ends the load: starts no new calls and waits for current ones. Blocks the calling thread.
    ///
    /// # Errors
    /// Fails if the load's thread panicked.
    pub fn finish(self) -> anyhow::Result<Tally> {
        self.stop.store(true, Ordering::Relaxed);
        let tally = self.thread.join();
        tally.map_err(|_| anyhow::anyhow!("the load's thread panicked"))
    }
}

/// A load's description with the state that may change while it runs.
struct Plan {
    load: Load,
    request: Arc<RwLock<Arc<[u8]>>>,
    ended: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Plan {
    fn request(&self) -> Arc<[u8]> {
        let present = self.request.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&present)
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn label(&self, outcome: anyhow::Result<Answer>) -> String {
        match (outcome, self.load.label) {
            (Ok(answer), Some(label)) => label(&answer),
            (Ok(answer), None) => answer.status.to_string(),
            (Err(error), _) => format!("failed: {error:#}"),
        }
    }

    fn note(&self, tally: &Shared, started: Instant, outcome: anyhow::Result<Answer>, fresh: bool) {
        let label = self.label(outcome);
        tally.borrow_mut().note(started, label, fresh);
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// A call.
#[derive(Debug, Clone)]
pub struct Call {
    /// Taken before its request was chosen: a call that starts after [`Running::aim`] does not send
    /// the earlier request.
    pub started: Instant,
    /// When its response was complete, or it had failed.
    pub ended: Instant,
    /// Its label, an index of [`Tally::labels`].
    pub label: usize,
    /// Whether it had its own connection.
    pub fresh: bool,
}

/// Every call of a load.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// In the order of their ends.
    pub calls: Vec<Call>,
    /// The labels of outcomes: a response's label, or `failed: ` and the reason.
    pub labels: Vec<String>,
}

impl Tally {
    /// The number of calls per label.
    #[must_use]
    pub fn counts(&self) -> BTreeMap<&str, u64> {
        let mut counts = BTreeMap::new();
        for call in &self.calls {
            *counts.entry(self.labels[call.label].as_str()).or_default() += 1;
        }
        counts
    }

    /// The number of calls with this label.
    #[must_use]
    pub fn count(&self, label: &str) -> u64 {
        self.counts().get(label).copied().unwrap_or_default()
    }

    /// Calls that started at or after `from` and ended before `to` with this label.
    #[must_use]
    pub fn within(&self, from: Instant, to: Instant, label: &str) -> u64 {
        self.begun(from, to, label).len() as u64
    }

    /// Like [`Self::within`], but returns how long after `from` each of them started.
    #[must_use]
    pub fn begun(&self, from: Instant, to: Instant, label: &str) -> Vec<Duration> {
        let is_in = |call: &&Call| call.started >= from && call.ended < to;
        let matching = self.calls.iter().filter(is_in);
        let matching = matching.filter(|call| self.labels[call.label] == label);
        matching.map(|call| call.started - from).collect()
    }

    fn note(&mut self, started: Instant, label: String, fresh: bool) {
        let known = self.labels.iter().position(|it| *it == label);
        let label = known.unwrap_or_else(|| {
            self.labels.push(label);
            self.labels.len() - 1
        });
        self.calls.push(Call {
            started,
            ended: Instant::now(),
            label,
            fresh,
        });
    }
}

type Shared = Rc<RefCell<Tally>>;

async fn run(plan: Rc<Plan>, tally: Shared) {
    let begin = Instant::now();
    let mut tasks = Vec::new();
    for index in 0..plan.load.connections {
        let (plan, tally) = (Rc::clone(&plan), Rc::clone(&tally));
        tasks.push(tokio::task::spawn_local(async move {
            kept(&plan, &tally, index, begin).await;
        }));
    }
    tasks.push(tokio::task::spawn_local(async move {
        fresh(&plan, &tally).await;
    }));
    for task in tasks {
        let _ = task.await;
    }
}

/// Makes the calls of the persistent connection with this index in a load that began at `begin`; a
/// broken one is reopened for the next call.
async fn kept(plan: &Plan, tally: &Shared, index: u32, begin: Instant) {
    let load = &plan.load;
    let step = Duration::from_secs(1) * load.connections / load.per_second.max(1);
    let mut due = begin + step * index / load.connections;
    let mut connection = None;
    while !plan.is_over() {
        tokio::time::sleep_until(due.into()).await;
        due += step;
        let started = Instant::now();
        let request = plan.request();
        let outcome = match connection.take() {
            Some(open) => on(open, &request).await,
            None => match Connection::open(load.address).await {
                Ok(open) => on(open, &request).await,
                Err(error) => Err(error.context("connecting")),
            },
        };
        let outcome = outcome.map(|(open, answer)| {
            connection = (!answer.closes()).then_some(open);
            answer
        });
        plan.note(tally, started, outcome, false);
    }
}

async fn on(mut open: Connection, request: &[u8]) -> anyhow::Result<(Connection, Answer)> {
    let answer = open.exchange(request).await?;
    Ok((open, answer))
}

/// Makes the calls on their own connections.
async fn fresh(plan: &Rc<Plan>, tally: &Shared) {
    let load = &plan.load;
    if load.fresh_per_second == 0 {
        return;
    }
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / load.fresh_per_second);
    let mut tasks = Vec::new();
    while !plan.is_over() {
        ticks.tick().await;
        let (plan, tally) = (Rc::clone(plan), Rc::clone(tally));
        tasks.push(tokio::task::spawn_local(async move {
            let started = Instant::now();
            let request = plan.request();
            let outcome = crate::http::call(plan.load.address, &request)
                .await
                .context("on a new connection");
            plan.note(&tally, started, outcome, true);
        }));
    }
    for task in tasks {
        let _ = task.await;
    }
}
