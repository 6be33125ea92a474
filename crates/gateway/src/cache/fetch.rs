//! Calls to the upstream for responses that may be stored, and calls that may change their target.

use std::sync::Arc;

use tollgate_cache::storable::Unstorable;
use tollgate_cache::store::{Entry, Resource, Validators};
use tollgate_http1::framing::Framing;
use tollgate_model::record::CacheUse;
use tollgate_model::refusal::Refusal;

use super::change::Change;
use super::entry::{Arrival, entry, update, without_age};
use super::found::{age, become_not_modified, push_age, push_status};
use crate::buffered::{Need, Room, STEP_BYTES};
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::reply::{Body, Reply};
use crate::snapshot::caching::CacheRules;
use crate::stored::{Arriving, Cached, Fetching, Keyed};
use crate::worker::Worker;

/// What the cache does with the upstream's response to a call.
#[derive(Debug)]
pub(crate) enum Fetch {
    /// Nothing.
    Plain,
    /// Nothing: the call goes by the cache, or gets no body that could be stored.
    By {
        /// How the response describes that, if it does.
        status: Option<&'static str>,
    },
    /// What is stored of its target ends.
    Change(Box<Change>),
    /// It may be stored.
    Store(Box<Storing>),
}

/// A call for a response that may be stored.
#[derive(Debug)]
pub(crate) struct Storing {
    pub(super) rules: Arc<CacheRules>,
    pub(super) fetching: Fetching,
    pub(super) keyed: Keyed,
    /// Path and query below the version.
    pub(super) target: Box<[u8]>,
    /// A stored response that the upstream may confirm or that may be sent if it fails, and whether
    /// the caller has it.
    pub(super) stale: Option<(Arc<Entry>, bool)>,
    /// When the request was made, Unix microseconds.
    pub(super) asked_us: i64,
    pub(super) arrival: Option<Arrival>,
    /// Whether steps change the response before it is stored.
    pub(super) is_shaped: bool,
    /// Whether the response describes what the cache did.
    pub(super) shows_status: bool,
    /// Whether the upstream must not confirm a stored response.
    pub(super) is_forced: bool,
}

/// The outcome of [`arrived`].
pub(crate) enum Arrived<'r> {
    /// The upstream's response goes on.
    Passed(Reply<'r>),
    /// A stored response takes its place. Boxed: few calls have one.
    Stored(Box<Reply<'static>>),
}

// It is returned to the walk, so it should be cheap to move.
const _: () = assert!(size_of::<Arrived<'_>>() <= 128);

impl Fetch {
    /// What goes up of a call for a response that may be stored.
    pub(crate) fn cached(&self) -> Option<Cached<'_>> {
        let Self::Store(storing) = self else {
            return None;
        };
        let stale = storing.stale.as_ref().filter(|_| !storing.is_forced);
        Some(Cached {
            keyed: &storing.keyed,
            rules: &storing.rules,
            validators: stale.map(|(entry, _)| &entry.validators),
        })
    }

    /// Notes that the call ended without the upstream's response, or with a refusal instead of it.
    pub(crate) fn fail(&mut self, failure: &Failure, record: &RecordBuilder) {
        match (self, failure) {
            // The upstream may have done its work.
            (Self::Change(change), _) if record.is_sent() => change.end(),
            // The upstream was not called, so the next caller leads.
            (_, Failure::Refused(refused)) if refused.refusal == Refusal::UpstreamLimit => {}
            (Self::Store(storing), Failure::Refused(_)) => storing.fetching.fail(),
            _ => {}
        }
    }
}

/// Takes the upstream's response, or why there is none, before steps change it: a stored response
/// takes its place if the upstream confirms it, or fails and it is not too old for that.
pub(crate) async fn arrived<'r>(
    fetch: &mut Fetch,
    sent: Result<Reply<'r>, Failure>,
    exchange: &mut Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Arrived<'r>, Failure> {
    let worker = exchange.worker();
    let storing = match fetch {
        Fetch::Plain | Fetch::By { .. } => return Ok(Arrived::Passed(sent?)),
        Fetch::Change(change) => {
            let reply = sent?;
            change.note(&reply);
            return Ok(Arrived::Passed(reply));
        }
        Fetch::Store(storing) => storing,
    };
    let mut reply = match sent.and_then(|reply| storing.check_condition(reply)) {
        Ok(reply) => reply,
        Err(Failure::Refused(refused)) => {
            let Some(stored) = storing.rescue(worker) else {
                return Err(Failure::Refused(refused));
            };
            let (began_us, version) = (exchange.began_us(), exchange.version());
            worker.warnings.refused(began_us, version, &refused);
            record.cache(CacheUse::Stale);
            return Ok(Arrived::Stored(Box::new(stored)));
        }
        Err(failure) => return Err(failure),
    };
    storing.note(&reply, worker);
    if reply.status() == 304
        && let Some(stale) = storing.confirmable()
    {
        Box::pin(exchange.read_whole(&mut reply, 0)).await?;
        record.cache(CacheUse::Revalidated);
        let confirmed = storing.confirm(&stale, &reply, worker);
        return Ok(Arrived::Stored(Box::new(confirmed)));
    }
    if matches!(reply.status(), 500 | 502..=504)
        && let Some(stored) = storing.rescue(worker)
    {
        record.cache(CacheUse::Stale);
        return Ok(Arrived::Stored(Box::new(stored)));
    }
    reply.is_shared = true;
    Ok(Arrived::Passed(reply))
}

/// Stores the response that the caller gets, or has it stored once its body has arrived.
pub(crate) fn keep(fetch: Fetch, reply: &mut Reply<'_>, exchange: &Exchange<'_>) {
    match fetch {
        Fetch::Plain => {}
        Fetch::By { status } => {
            if let Some(status) = status {
                push_status(reply, status);
            }
        }
        Fetch::Change(change) => {
            if (200..400).contains(&reply.status()) {
                change.end();
            }
        }
        Fetch::Store(storing) => storing.keep(reply, exchange),
    }
}

/// Ends the call for a response that is refused instead of being sent.
pub(crate) fn refuse(reply: Reply<'_>) {
    if let Some(mut arriving) = reply.arriving {
        arriving.fetching.fail();
    }
}

impl Storing {
    fn note(&mut self, reply: &Reply<'_>, worker: &Worker) {
        let (now_us, now_ms) = (worker.clock.now_us(), worker.caches.now_ms());
        self.arrival = Some(Arrival::of(reply, self.asked_us, now_us, now_ms));
    }

    /// Returns a stored response, also for callers that wait, if it may be sent although the
    /// upstream has failed.
    fn rescue(&self, worker: &Worker) -> Option<Reply<'static>> {
        let (stale, _) = self.stale.as_ref()?;
        let entry = self.fetching.fall_back(stale)?;
        let (age_s, is_fresh) = age(&entry, worker.caches.now_ms());
        let over_s = age_s.saturating_sub(entry.freshness.lifetime_s);
        if !is_fresh && over_s >= entry.stale.if_error_s {
            return None;
        }
        self.fetching.land(&entry);
        let status = "fwd=stale; detail=\"upstream failed\"";
        Some(self.reply(entry, age_s, status, worker))
    }

    /// Refuses a 304 to a request without a condition (RFC 9110, section 15.4.5): neither the cache
    /// nor the caller may have what it confirms.
    fn check_condition<'r>(&self, reply: Reply<'r>) -> Result<Reply<'r>, Failure> {
        let is_baseless =
            reply.status() == 304 && self.confirmable().is_none() && !self.keyed.has_condition();
        match is_baseless {
            true => {
                let detail = "The back end responded with 304 to a request without a condition.";
                Err(Refused::because(Refusal::UpstreamNotUnderstood, detail).into())
            }
            false => Ok(reply),
        }
    }

    /// The stored response, if the upstream can confirm it by its validators.
    fn confirmable(&self) -> Option<Arc<Entry>> {
        let (stale, _) = self.stale.as_ref()?;
        let is_confirmable = stale.validators != Validators::default() && !self.is_forced;
        is_confirmable.then(|| Arc::clone(stale))
    }

    /// Returns the stored response that a 304 of the upstream confirms, freshened (RFC 9111,
    /// section 4.3.4). It is kept unless the 304 forbids that.
    fn confirm(
        &mut self,
        stale: &Arc<Entry>,
        confirmed: &Reply<'_>,
        worker: &Worker,
    ) -> Reply<'static> {
        let mut updated = Reply::stored(Arc::clone(stale), worker.buffer_pool.scratch());
        update(&mut updated, confirmed, self.is_shaped);
        let mut age_s = 0;
        if let Some(arrival) = &mut self.arrival {
            arrival.validators = stale.validators.clone();
            age_s = arrival.age_s(&updated);
        }
        let of_stale = |fresh: Entry| Entry {
            tags: Arc::clone(&stale.tags),
            body: Arc::clone(&stale.body),
            ..fresh
        };
        let entry = match self.entry(&updated) {
            Ok(fresh) => self.fetching.store(of_stale(fresh)),
            Err(reason) => {
                self.fetching.replace(reason);
                Arc::new(Entry {
                    head: without_age(&updated),
                    ..Entry::clone(stale)
                })
            }
        };
        self.reply(entry, age_s, "fwd=stale; fwd-status=304", worker)
    }

    fn reply(
        &self,
        entry: Arc<Entry>,
        age_s: u32,
        status: &str,
        worker: &Worker,
    ) -> Reply<'static> {
        let has_it = match &self.stale {
            Some((stale, has_it)) => *has_it && stale.validators == entry.validators,
            None => false,
        };
        let mut reply = Reply::stored(entry, worker.buffer_pool.scratch());
        if has_it {
            become_not_modified(&mut reply);
        }
        push_age(&mut reply, age_s);
        if self.shows_status {
            push_status(&mut reply, status);
        }
        reply
    }

    fn keep(self, reply: &mut Reply<'_>, exchange: &Exchange<'_>) {
        let shows_status = self.shows_status;
        let why = match (self.stale.is_some(), self.is_forced) {
            (true, true) => "request",
            (true, false) => "stale",
            (false, _) => "miss",
        };
        let is_kept = self.store(reply, exchange);
        if shows_status {
            let stored = if is_kept { "; stored" } else { "" };
            push_status(reply, &format!("fwd={why}{stored}"));
        }
    }

    /// Returns a response without its body as it would be stored.
    fn entry(&self, reply: &Reply<'_>) -> Result<Entry, Unstorable> {
        let resource = Resource {
            version: self.keyed.version,
            operation: Arc::clone(&self.rules.operation),
            target: self.target.clone(),
        };
        let arrival = self.arrival.as_ref().ok_or(Unstorable::Useless)?;
        entry(reply, &self.rules, resource, arrival)
    }

    /// Stores a response, or has it stored once it has arrived; returns whether it is storable and
    /// has room.
    fn store(mut self, reply: &mut Reply<'_>, exchange: &Exchange<'_>) -> bool {
        let entry = match self.entry(reply) {
            Ok(entry) => entry,
            Err(reason) if reply.status() < 500 => {
                self.fetching.replace(reason);
                return false;
            }
            Err(reason) => {
                self.fetching.forbid(reason);
                return false;
            }
        };
        let Some(held) = self.body_of(reply, &entry, exchange) else {
            self.fetching.replace(Unstorable::TooLong);
            return false;
        };
        match held {
            Held::Whole(body) => drop(self.fetching.store(Entry { body, ..entry })),
            Held::Passing {
                need,
                body_bytes_max,
                room,
            } => {
                reply.room = Some(Box::new(room));
                reply.arriving = Some(Box::new(Arriving {
                    fetching: self.fetching,
                    entry,
                    need,
                    body_bytes_max,
                }));
            }
            // The next caller leads.
            Held::NoRoom => return false,
        }
        true
    }

    /// The body of a response within the bound of an entry; `None` if it is longer.
    fn body_of(&self, reply: &Reply<'_>, entry: &Entry, exchange: &Exchange<'_>) -> Option<Held> {
        let bytes_max = self.rules.served.entry_bytes_max;
        let bytes_max = bytes_max.checked_sub(entry.head.len() as u64)?;
        let Body::Passed(passed) = &reply.body else {
            let body = reply.body.bytes();
            return (body.len() as u64 <= bytes_max).then(|| Held::Whole(body.into()));
        };
        let (announced, body_bytes_max) = match passed.upstream.head().framing {
            Framing::None => (0, 0),
            Framing::Length(bytes) if bytes > bytes_max => return None,
            Framing::Length(bytes) => (bytes, bytes),
            Framing::Chunked | Framing::UntilClose => (bytes_max.min(STEP_BYTES), bytes_max),
        };
        let (need, mut room) = (Need::first(announced), exchange.room());
        Some(match room.try_take_or_ask(need) {
            true => Held::Passing {
                need,
                body_bytes_max,
                room,
            },
            false => Held::NoRoom,
        })
    }
}

/// The body of a response that is stored.
enum Held {
    Whole(Arc<[u8]>),
    /// It is read within its bound and its room.
    Passing {
        need: Need,
        body_bytes_max: u64,
        room: Room,
    },
    NoRoom,
}
