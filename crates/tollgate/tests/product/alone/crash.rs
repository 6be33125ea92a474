//! The main job, step 7: kill -9 loses no acknowledged change, and of usage at most five seconds,
//! which it reports.
//!
//! One process is killed 50 times while several kinds of work run in it, each in a file of its own:
//! `made` creates nouns, `deployed` edits, freezes, deploys and rolls back, `described` replaces
//! and restores documents, `consumers` creates and revokes keys and blocks subscriptions, `counted`
//! calls under a daily quota. After each start, each checks for everything that was acknowledged.

mod consumers;
mod counted;
mod deployed;
mod described;
mod made;

use std::cell::Cell;
use std::fmt::Debug;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::Value;
use tollgate_testkit::{Answer, Behaviour, Builder, Control, Tollgate, http};

use crate::house::{House, builder, get};
use consumers::Consumers;
use counted::Counted;
use deployed::Deployed;
use described::Described;
use made::Made;

const KILLS: u64 = 50;
/// Out of this number, one life is long enough for usage to be older than a kill may lose.
const LONG_EVERY: u64 = 25;
const SHORT: Duration = Duration::from_millis(400);
const LONG: Duration = Duration::from_secs(6);
const LONGEST: Duration = Duration::from_secs(9);
/// Pause between two writes in a long life, which exists for its usage.
const PAUSE: Duration = Duration::from_millis(20);
/// The plan of the calls without a quota.
const UNLIMITED: &str = "unlimited";

/// A small generator of random times (xorshift), from a seed that a failing test prints.
struct Moments(u64);

impl Moments {
    fn within(&mut self, most: Duration) -> Duration {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let most = u64::try_from(most.as_micros()).unwrap();
        Duration::from_micros(self.0 % most)
    }

    /// Returns how long the process lives before its `number`th kill.
    fn life(&mut self, number: u64) -> Duration {
        if number.is_multiple_of(LONG_EVERY) {
            LONG + self.within(LONGEST - LONG)
        } else {
            self.within(SHORT)
        }
    }
}

/// The process between a start and a kill.
struct Life {
    admin: Control,
    gateway: SocketAddr,
    /// Pause between two writes of one writer.
    pause: Duration,
    /// The time just before the kill, by both clocks.
    killed: Cell<Option<(Instant, Timestamp)>>,
}

impl Life {
    fn of(tollgate: &Tollgate, admin: &Control) -> Self {
        Self {
            admin: admin.at(tollgate.control),
            gateway: tollgate.gateway,
            pause: Duration::ZERO,
            killed: Cell::new(None),
        }
    }

    async fn kill(&self, tollgate: Tollgate, after: Duration) -> Builder {
        tokio::time::sleep(after).await;
        self.killed.set(Some((Instant::now(), Timestamp::now())));
        tollgate.kill().unwrap()
    }

    /// Sends a write, which must succeed. Returns `None` if the kill came first, or if a gateway
    /// lags on a busy machine: the write then counts as one that the kill may have interrupted.
    async fn write(&self, method: &str, path: &str, body: Value) -> Option<Value> {
        tokio::time::sleep(self.pause).await;
        let body = (!body.is_null()).then_some(&body);
        match self.admin.send(method, path, body).await {
            Ok(answer) if answer.text().contains(r#""code":"feed.behind""#) => None,
            Ok(answer) => {
                let is_done = (200..300).contains(&answer.status);
                assert!(is_done, "{method} {path}: {}", answer.text());
                Some(answer.json())
            }
            Err(error) => {
                let is_killed = self.killed.get().is_some();
                assert!(is_killed, "{method} {path}: {error:#}");
                None
            }
        }
    }

    /// Replaces the document of a version's draft, like [`Life::write`].
    async fn replace_document(&self, version: &str, document: &str) -> Option<Value> {
        tokio::time::sleep(self.pause).await;
        let replaced = self.admin.replace_document(version, document).await;
        let is_killed = self.killed.get().is_some();
        assert!(replaced.is_ok() || is_killed, "document: {replaced:?}");
        replaced.ok()
    }

    /// Creates a noun and returns its id, like [`Life::write`].
    async fn make(&self, path: &str, body: Value) -> Option<String> {
        let made = self.write("POST", path, body).await?;
        Some(text(&made["id"]))
    }

    async fn read(&self, path: &str) -> Value {
        self.admin.done("GET", path, None).await.unwrap()
    }

    /// Returns every item of a list, after this id if one is given.
    async fn list(&self, path: &str, after: Option<&str>) -> Vec<Value> {
        let mut items = Vec::new();
        let mut after = after.map(str::to_owned);
        loop {
            let from = after.map_or(String::new(), |id| format!("&after={id}"));
            let page = self.read(&format!("{path}?limit=500{from}")).await;
            items.extend(page["items"].as_array().unwrap().iter().cloned());
            after = page["next"].as_str().map(str::to_owned);
            if after.is_none() {
                return items;
            }
        }
    }

    async fn call(&self, target: &str, key: &str) -> Answer {
        http::call(self.gateway, &get(target, key)).await.unwrap()
    }
}

/// The known states of a value: the one acknowledged last, and the one requested since.
#[derive(Debug)]
struct Known<T> {
    acknowledged: T,
    requested: Option<T>,
}

impl<T: PartialEq + Clone + Debug> Known<T> {
    fn new(acknowledged: T) -> Self {
        let requested = None;
        Self {
            acknowledged,
            requested,
        }
    }

    /// Sends a write of this value, which is the current value from then on.
    async fn write(
        &mut self,
        value: T,
        answer: impl Future<Output = Option<Value>>,
    ) -> Option<Value> {
        self.requested = Some(value);
        let answer = answer.await?;
        self.acknowledged = self.requested.take()?;
        Some(answer)
    }

    /// Asserts, after a start, the value acknowledged last or the one requested since.
    fn find(&mut self, found: &T, what: &str) {
        let is_known = *found == self.acknowledged || Some(found) == self.requested.as_ref();
        assert!(is_known, "{what} is {found:?}, {self:?}");
        *self = Self::new(found.clone());
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Creates a house with an upstream that echoes, and a plan without a quota.
async fn house() -> House {
    // Each life creates some.
    let builder = builder().set("control-applications-per-user-max", "1000000");
    let house = House::with(&builder, counted::limits()).await;
    house.upstream.behave(Behaviour::Echo);
    let (version, plans) = (&house.api.version, ["tested", UNLIMITED]);
    house.admin.attach(version, &plans).await.unwrap();
    house
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_kills_lose_nothing_acknowledged_and_at_most_five_seconds_of_figures() {
    let seed = Timestamp::now().as_microsecond().unsigned_abs() | 1;
    println!("seed {seed}");
    let mut moments = Moments(seed);
    let house = house().await;
    let mut made = Made::default();
    let mut deployed = Deployed::begin(&house).await;
    let mut described = Described::begin(&house).await;
    let mut consumers = Consumers::of(&house);
    let mut counted = Counted::of(&house);
    let mut tollgate = house.tollgate;
    let mut life = Life::of(&tollgate, &house.admin);
    for number in 1..=KILLS {
        let after = moments.life(number);
        life.pause = if after > SHORT { PAUSE } else { Duration::ZERO };
        let load = counted.load(&life);
        let (builder, ()) = tokio::join!(life.kill(tollgate, after), async {
            tokio::join!(
                made.write(&life),
                deployed.write(&life),
                described.write(&life),
                consumers.write(&life),
            );
        });
        let tally = load.finish().unwrap();
        let killed = life.killed.get().unwrap();
        tollgate = builder.start().unwrap();
        life = Life::of(&tollgate, &house.admin);
        consumers.check(&life).await;
        deployed.check(&life).await;
        described.check(&life).await;
        made.check(&life).await;
        counted.check(&life, &tally, killed).await;
    }
    consumers.check_all(&life).await;
    deployed.check_all(&life).await;
    described.check_all(&life).await;
    made.check_all(&life).await;
    println!("{}", counted.sums());
}
