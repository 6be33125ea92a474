//! A fuzz target without a fuzzer, which runs with every test: callers, purges, changes and two
//! clocks in random order, against an upstream whose answers name everything that they depend on.
//! Freshness is compared with a second, naive computation from numbers instead of fields.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, UNIX_EPOCH};

use tollgate_cache::directives::{Directives, SECONDS_MAX};
use tollgate_cache::flights::{Flights, Joined, Landed, Leader, Waiting};
use tollgate_cache::freshness::{Dates, Exchanged, Freshness};
use tollgate_cache::key::{Key, KeyBuilder};
use tollgate_cache::storable::{FAILED_MS, FORBIDDEN_MS, Head, Rules};
use tollgate_cache::store::{Begun, Entry, Resource, Selector, Stale, Store, Validators};

#[path = "../../soap/tests/support/fuzzing.rs"]
mod fuzzing;

use fuzzing::{Random, fuzz};

const STEPS: usize = 300;
const WAIT_MS: u64 = 5_000;
const STORE_BYTES: u64 = 64 << 10;
const HOUR_S: i64 = 3_600;
const RECENT: usize = 6;
const OPERATION: &str = "GET /any";
/// Parts of keys that are alike, some of them as bytes of another one's form.
const PARTS: [Option<&str>; 8] = [
    None,
    Some(""),
    Some("a"),
    Some("ab"),
    Some("b"),
    Some("\0\0\0\0\0\0\0\0"),
    Some("\u{1}\0\0\0\0\0\0\0a"),
    Some("a\u{1}\0\0\0\0\0\0\0b"),
];
const TARGETS: [&str; 7] = ["/a", "/A", "/a?q", "/a?q=1", "/a;q", "/a/", "/b"];
const STATUSES: [u16; 6] = [200, 200, 200, 404, 500, 206];

/// What a caller asks for: its version, its target and the other parts of its key.
type Asked = (u64, &'static str, Vec<Option<&'static str>>);

/// The numbers of a response; the clock is the upstream's.
#[derive(Debug, Clone, Copy, Default)]
struct Numbers {
    max_age: Option<u32>,
    s_maxage: Option<u32>,
    age: Option<u32>,
    date_s: Option<i64>,
    expires_s: Option<i64>,
    ttl_s: Option<u32>,
    asked_s: i64,
    arrived_s: i64,
}

/// A call to the upstream.
struct Call {
    asked: Asked,
    /// Calls that begin later have larger numbers.
    number: u64,
    begun: Begun,
    asked_s: i64,
    leader: Option<Leader<u64>>,
    /// What it has read, once the upstream has.
    generation: Option<u64>,
}

/// All that a cache has, and what it must not know.
struct World {
    store: Store,
    flights: Arc<Flights<u64>>,
    /// What was asked for last.
    recent: Vec<Asked>,
    /// Every key so far.
    keys: HashMap<Key, Asked>,
    calls: Vec<Call>,
    begun: u64,
    /// Each with the generation from which on it must be answered.
    waiting: Vec<(Asked, u64, Waiting<u64>)>,
    /// The generation of the upstream's data, which it may change at any time …
    generation: u64,
    /// … and, by version and path, the one from which on it must be noticed.
    noticed: HashMap<(u64, String), u64>,
    purges: u64,
    now_ms: u64,
    wall_s: i64,
    hits: u64,
}

fn path(target: &str) -> String {
    let end = target.find('?').unwrap_or(target.len());
    target[..end].to_ascii_lowercase()
}

fn key(asked: &Asked) -> Key {
    let (version, target, parts) = asked;
    let mut builder = KeyBuilder::default();
    builder.number(*version);
    builder.part(Some(target.as_bytes()));
    builder.number(parts.len() as u64);
    for part in parts {
        builder.part(part.map(str::as_bytes));
    }
    builder.key()
}

fn body(asked: &Asked, generation: u64) -> Vec<u8> {
    format!("{asked:?} {generation}").into_bytes()
}

impl Numbers {
    fn random(random: &mut Random, (asked_s, arrived_s): (i64, i64)) -> Self {
        let mut maybe = |bound: usize| match random.below(8) {
            0..3 => Some(random.below(bound) as u32),
            3 => Some(SECONDS_MAX),
            _ => None,
        };
        let [max_age, s_maxage, age, ttl_s] = [20, 20, 10, 20].map(&mut maybe);
        let mut near = || {
            let by = random.below(60) as i64 - 20;
            (random.below(2) == 0).then_some(arrived_s + by)
        };
        Self {
            max_age,
            s_maxage,
            age,
            ttl_s,
            date_s: near(),
            expires_s: near(),
            asked_s,
            arrived_s,
        }
    }

    /// The age on arrival and the lifetime (RFC 9111, sections 4.2.1 and 4.2.3).
    fn naive(&self) -> Option<(i64, i64)> {
        let date_s = self.date_s.unwrap_or(self.arrived_s);
        let of_expires = self.expires_s.map(|it| (it - date_s).max(0));
        let declared = self.s_maxage.or(self.max_age);
        let lifetime = self.ttl_s.or(declared).map(i64::from).or(of_expires)?;
        let delay = (self.arrived_s - self.asked_s).max(0);
        let corrected = i64::from(self.age.unwrap_or(0)) + delay;
        let age = (self.arrived_s - date_s).max(0).max(corrected);
        Some((age.min(SECONDS_MAX.into()), lifetime))
    }

    /// What the crate makes of the fields of such a response.
    fn read(&self) -> Option<Freshness> {
        let name = |name: &str, value: Option<u32>| value.map(|it| format!("{name}={it}"));
        let lines = [
            name("max-age", self.max_age),
            name("S-MaxAge", self.s_maxage),
        ];
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        let directives = Directives::read(lines.iter().map(|it| it.as_bytes()));
        let date = |seconds: i64| {
            let seconds = u64::try_from(seconds).expect("after 1970");
            httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds))
        };
        let [of_date, expires] = [self.date_s, self.expires_s].map(|it| it.map(date));
        let age = self.age.map(|it| it.to_string());
        let dates = Dates {
            age: age.as_ref().map(|it| it.as_bytes()),
            date: of_date.as_ref().map(|it| it.as_bytes()),
            expires: expires.as_ref().map(|it| it.as_bytes()),
        };
        let at = Exchanged {
            asked_s: self.asked_s,
            arrived_s: self.arrived_s,
        };
        Freshness::new(&directives, dates, at, self.ttl_s)
    }
}

impl World {
    fn new() -> Self {
        Self {
            store: Store::new(STORE_BYTES),
            flights: Arc::default(),
            recent: Vec::new(),
            keys: HashMap::new(),
            calls: Vec::new(),
            begun: 0,
            waiting: Vec::new(),
            generation: 1,
            noticed: HashMap::new(),
            purges: 0,
            now_ms: 0,
            wall_s: 1_700_000_000,
            hits: 0,
        }
    }

    fn step(&mut self, random: &mut Random) {
        match random.below(16) {
            0..6 => self.ask(random),
            6..8 => self.read(random),
            8..11 => self.arrive(random),
            11 => self.generation += 1,
            12 => self.change(random),
            13 if random.below(4) == 0 => self.purge(random),
            14 => {
                let ms = [1, 400, FAILED_MS, WAIT_MS, FORBIDDEN_MS][random.below(5)];
                self.now_ms += ms;
                self.wall_s += i64::try_from(ms / 1_000).expect("small");
            }
            15 => self.wall_s += [HOUR_S, -HOUR_S, -1][random.below(3)],
            _ => {}
        }
        self.land();
        assert!(self.store.bytes() <= STORE_BYTES, "{}", self.store.bytes());
    }

    /// A caller looks for a response, and calls the upstream or waits without one.
    fn ask(&mut self, random: &mut Random) {
        let parts = (0..random.below(3)).map(|_| PARTS[random.below(PARTS.len())]);
        let parts = parts.collect();
        let target = TARGETS[random.below(TARGETS.len())];
        let new = (random.below(2) as u64, target, parts);
        // Most ask for what others have asked for.
        let at = random.below(RECENT * 4 / 3);
        let asked = self.recent.get(at).cloned().unwrap_or(new);
        self.recent.truncate(RECENT - 1);
        self.recent.insert(0, asked.clone());
        let key = key(&asked);
        let known = self.keys.entry(key.clone()).or_insert(asked.clone());
        assert_eq!(*known, asked, "two lists of parts have one key");
        if let Some(entry) = self.store.find(&key) {
            self.check(&asked, &entry.body);
            let stored_s = u32::try_from((self.now_ms - entry.arrived_ms) / 1_000);
            let (age_s, is_fresh) = entry.freshness.after(stored_s.expect("small"));
            assert!(age_s >= entry.freshness.age_s, "a response becomes younger");
            assert_eq!(is_fresh, age_s < entry.freshness.lifetime_s);
            if is_fresh {
                self.hits += 1;
                return;
            }
        }
        if self.store.is_unstored(&key, self.now_ms) {
            return self.call(asked, None);
        }
        match self.flights.join(&key, self.now_ms) {
            Joined::Lead(leader) => self.call(asked, Some(leader)),
            Joined::Wait(waiting) => {
                let from = self.from(&asked);
                self.waiting.push((asked, from, waiting));
            }
        }
    }

    /// Begins a call to the upstream.
    fn call(&mut self, asked: Asked, leader: Option<Leader<u64>>) {
        self.begun += 1;
        self.calls.push(Call {
            number: self.begun,
            begun: self.store.begin(asked.0, asked.1.as_bytes()),
            asked,
            asked_s: self.wall_s,
            leader,
            generation: None,
        });
    }

    /// What a caller gets is the response to its own question, from after the last change and purge
    /// that were answered before it asked.
    fn check(&self, asked: &Asked, body_of: &[u8]) {
        let from = self.from(asked);
        let mut allowed = (from..=self.generation).map(|it| body(asked, it));
        assert!(
            allowed.any(|it| body_of.starts_with(&it)),
            "{asked:?} since {from} got {}",
            String::from_utf8_lossy(body_of)
        );
    }

    /// The generation from which on a caller who asks now must be answered.
    fn from(&self, asked: &Asked) -> u64 {
        let noticed = self.noticed.get(&(asked.0, path(asked.1)));
        noticed.copied().unwrap_or(1)
    }

    /// The upstream reads its data for a call.
    fn read(&mut self, random: &mut Random) {
        let at = random.below(self.calls.len());
        if let Some(call) = self.calls.get_mut(at) {
            call.generation.get_or_insert(self.generation);
        }
    }

    /// A response arrives, or its caller leaves before.
    fn arrive(&mut self, random: &mut Random) {
        if self.calls.is_empty() {
            return;
        }
        let call = self.calls.swap_remove(random.below(self.calls.len()));
        let Some(generation) = call.generation else {
            return;
        };
        let key = key(&call.asked);
        let numbers = Numbers::random(random, (call.asked_s, self.wall_s));
        let freshness = numbers.read();
        let of = freshness.map(|it| (i64::from(it.age_s), i64::from(it.lifetime_s)));
        assert_eq!(of, numbers.naive(), "{numbers:?}");
        let head = Head {
            status: STATUSES[random.below(STATUSES.len())],
            directives: Directives::default(),
            vary: &[],
            sets_cookie: random.below(8) == 0,
            is_partial: false,
        };
        let rules = Rules {
            negative_s: vec![(404, 1)],
            passed: Vec::new(),
        };
        let storable = rules.check(&head);
        let may = !head.sets_cookie && matches!(head.status, 200 | 404);
        assert_eq!(storable.is_ok(), may, "{head:?}");
        let Some(freshness) = freshness.filter(|_| may) else {
            let remembered_ms = storable.map_or_else(|reason| reason.remembered_ms(), |_| 0);
            let until_ms = self.now_ms + remembered_ms;
            self.store
                .note_unstored(&key, call.begun, self.now_ms..until_ms);
            return call.leader.into_iter().for_each(Leader::release);
        };
        let (version, target, _) = call.asked;
        let mut body = body(&call.asked, generation);
        body.resize(body.len() + random.below(3_000), b' ');
        let tags = [target.as_bytes().into()];
        let entry = Entry {
            resource: Arc::new(Resource {
                version,
                operation: OPERATION.into(),
                target: target.as_bytes().into(),
            }),
            tags: tags.into(),
            status: head.status,
            head: call.number.to_be_bytes().into(),
            body: body.into(),
            freshness,
            stale: Stale::default(),
            validators: Validators::default(),
            arrived_ms: self.now_ms,
        };
        let before = self.store.find(&key);
        if self.store.keep(&key, Arc::new(entry), call.begun) {
            let noticed = self.noticed.get(&(version, path(target)));
            assert!(
                noticed.is_none_or(|it| generation >= *it),
                "stored what has ended"
            );
            let is_newer = |of: Arc<Entry>| *of.head < *call.number.to_be_bytes().as_slice();
            assert!(before.is_none_or(is_newer), "stored over a newer one");
            assert!(!self.store.is_unstored(&key, self.now_ms));
            self.flights.stored(&key, &generation);
        }
    }

    /// A call changes its target.
    fn change(&mut self, random: &mut Random) {
        let (version, target) = (random.below(2) as u64, TARGETS[random.below(TARGETS.len())]);
        self.generation += 1;
        self.store.change(version, target.as_bytes());
        self.noticed
            .insert((version, path(target)), self.generation);
    }

    fn purge(&mut self, random: &mut Random) {
        let (version, target) = (random.below(2) as u64, TARGETS[random.below(TARGETS.len())]);
        let mut selector = Selector::default();
        let selects: fn(&str, &str) -> bool = match random.below(4) {
            0 => |_, _| true,
            1 => {
                selector.operations = vec!["GET /other".to_owned(), OPERATION.to_owned()];
                |_, _| true
            }
            // The path of a target as it is, with any query.
            2 => {
                selector.targets = vec![target.to_owned()];
                |one, other| one.split('?').next() == other.split('?').next()
            }
            _ => {
                selector.tags = vec![target.to_owned()];
                |one, other| one == other
            }
        };
        self.generation += 1;
        self.purges += 1;
        self.store.purge(version, self.purges, &selector);
        // One that was carried out already has no effect.
        self.store.purge(version, self.purges, &Selector::default());
        // Paths that differ in more than their selected form may still be from before.
        let of_path = |it: &str| {
            TARGETS
                .iter()
                .filter(|of| path(of) == path(it))
                .all(|of| selects(of, target))
        };
        for of in TARGETS.iter().filter(|of| of_path(of)) {
            self.noticed.insert((version, path(of)), self.generation);
        }
    }

    /// Callers that wait get what a leader has stored, call for themselves, or lead.
    fn land(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        for (asked, from, mut waiting) in std::mem::take(&mut self.waiting) {
            if self.now_ms >= waiting.turn_ms() + WAIT_MS {
                waiting.end_turn(self.now_ms);
            }
            match Pin::new(&mut waiting).poll(&mut context) {
                Poll::Pending => self.waiting.push((asked, from, waiting)),
                Poll::Ready(Landed::Stored(generation)) => assert!(generation >= from, "{asked:?}"),
                Poll::Ready(Landed::Alone) => {}
                Poll::Ready(Landed::Lead(leader)) => self.call(asked, Some(leader)),
            }
        }
    }
}

#[test]
fn callers_get_only_their_own_responses_from_after_what_ended_the_others() {
    fuzz(|random| {
        let mut world = World::new();
        for _ in 0..STEPS {
            world.step(random);
        }
        world.calls.clear();
        // Nobody waits for a leader that is gone.
        while !world.waiting.is_empty() {
            let before = world.waiting.len();
            world.land();
            world.calls.clear();
            assert!(world.waiting.len() < before, "{before} wait for nobody");
        }
        world.hits > 0
    });
}
