//! The search for a stored response to a call.

use std::borrow::Cow;
use std::sync::Arc;

use tollgate_cache::flights::{Joined, Leader, Waiting};
use tollgate_cache::store::Entry;
use tollgate_model::record::CacheUse;
use tollgate_model::refusal::Refusal;

use super::fetch::{Fetch, Storing};
use super::found::{Found, Wanted, age, become_not_modified, push_age, push_status};
use super::keyed;
use super::trial::Trial;
use crate::exchange::Exchange;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::reply::Reply;
use crate::snapshot::caching::CacheRules;
use crate::steps::{Shape, Shaped};
use crate::stored::{Fetching, Keyed, Landing};
use crate::worker::Worker;

/// The outcome of [`look`](super::look).
pub(crate) enum Looked {
    /// A stored response answers the call.
    Stored(Reply<'static>),
    /// The upstream has to be called.
    Fetch(Fetch),
}

// It is returned to the walk, so it should be cheap to move.
const _: () = assert!(size_of::<Looked>() <= 128);

/// A call that looks for a stored response.
pub(super) struct Looking<'l> {
    rules: &'l Arc<CacheRules>,
    keyed: Keyed,
    /// Path and query below the version, without the caller's credential.
    target: Cow<'l, [u8]>,
    trial: Option<Trial>,
    wanted: Wanted<'l>,
    /// Whether steps change the response before it is stored.
    is_shaped: bool,
    worker: &'l Worker,
}

/// The outcome of a search that does not wait.
pub(super) enum Step {
    Looked(Looked),
    /// Another call asks the upstream for the same response.
    Wait(Box<Parked>),
}

/// A call that has joined the flight of its key, without what it borrows.
pub(super) struct Parked {
    pub(super) keyed: Keyed,
    pub(super) trial: Option<Trial>,
    pub(super) waiting: Waiting<Landing>,
}

/// Looks for a stored response without waiting.
pub(super) fn find(
    rules: &Arc<CacheRules>,
    shaped: &Shaped<'_>,
    exchange: &Exchange<'_>,
    record: &mut RecordBuilder,
) -> Result<Step, Refused> {
    let trial = Trial::find(shaped.admitted(), exchange);
    let keyed = match keyed::goes_by(rules, shaped, exchange) {
        true => None,
        false => keyed::keyed(rules, shaped, exchange),
    };
    let Some(keyed) = keyed else {
        record.cache(CacheUse::Bypass);
        let wanted = Wanted::of(rules, trial, shaped, exchange);
        let status = wanted.shows_status.then_some("fwd=bypass");
        return Ok(Step::Looked(Looked::Fetch(Fetch::By { status })));
    };
    let looking = Looking::of(rules, shaped, exchange, keyed, trial);
    looking.find(exchange.is_head(), record)
}

impl<'l> Looking<'l> {
    pub(super) fn of(
        rules: &'l Arc<CacheRules>,
        shaped: &Shaped<'l>,
        exchange: &'l Exchange<'l>,
        keyed: Keyed,
        trial: Option<Trial>,
    ) -> Self {
        Self {
            rules,
            keyed,
            target: shaped.admitted().allowed().below(exchange.head()),
            trial,
            wanted: Wanted::of(rules, trial, shaped, exchange),
            is_shaped: shaped.shape().is_some_and(Shape::has_stored_steps),
            worker: exchange.worker(),
        }
    }
}

impl Looking<'_> {
    fn find(self, is_head: bool, record: &mut RecordBuilder) -> Result<Step, Refused> {
        let caches = &self.worker.caches;
        let now_ms = caches.now_ms();
        let entry = caches.store.find(&self.keyed.key);
        let found = entry.map(|entry| Found::new(entry, now_ms, &self.wanted));
        let stale = match found {
            Some(Found::Fresh(entry)) => {
                return Ok(Step::Looked(self.hit(entry, CacheUse::Hit, record)));
            }
            Some(Found::Stale(entry)) => Some(entry),
            Some(Found::Expired) | None => None,
        };
        if self.wanted.only_if_cached() {
            return Err(Refusal::OnlyIfCached.into());
        }
        if is_head {
            // A response without its body is not stored.
            record.cache(CacheUse::Miss);
            let status = self.wanted.shows_status.then_some("fwd=miss");
            return Ok(Step::Looked(Looked::Fetch(Fetch::By { status })));
        }
        let key = &self.keyed.key;
        let is_unstored = caches.store.is_unstored(key, now_ms);
        let joined = (!is_unstored).then(|| caches.flights.join(key, now_ms));
        let may_wait = self.rules.served.wait_ms > 0 && !self.wanted.is_new();
        Ok(match (joined, stale) {
            (Some(Joined::Lead(leader)), _) => Step::Looked(self.lead(Some(leader), record)),
            (_, Some(entry)) => Step::Looked(self.hit(entry, CacheUse::Stale, record)),
            (Some(Joined::Wait(waiting)), None) if may_wait => Step::Wait(Box::new(Parked {
                keyed: self.keyed,
                trial: self.trial,
                waiting,
            })),
            (_, None) => Step::Looked(self.lead(None, record)),
        })
    }
}

impl Looking<'_> {
    /// Responds with what a flight has stored, unless that has ended meanwhile, or each call has to
    /// be confirmed.
    pub(super) fn landed(self, landing: Landing, record: &mut RecordBuilder) -> Looked {
        let Landing { entry, begun } = landing;
        if !self.worker.caches.store.is_current(begun) {
            return self.lead(None, record);
        }
        let now_ms = self.worker.caches.now_ms();
        let (age_s, _) = age(&entry, now_ms);
        let over_s = age_s.saturating_sub(entry.freshness.lifetime_s);
        match Found::new(Arc::clone(&entry), now_ms, &self.wanted) {
            Found::Fresh(entry) => self.hit(entry, CacheUse::Hit, record),
            Found::Stale(entry) => self.hit(entry, CacheUse::Stale, record),
            // The flight's call may have failed.
            Found::Expired if over_s < entry.stale.if_error_s => {
                self.hit(entry, CacheUse::Stale, record)
            }
            Found::Expired => self.lead(None, record),
        }
    }

    /// Responds with a stored response.
    pub(super) fn hit(
        &self,
        entry: Arc<Entry>,
        used: CacheUse,
        record: &mut RecordBuilder,
    ) -> Looked {
        record.cache(used);
        let (age_s, _) = age(&entry, self.worker.caches.now_ms());
        let lifetime_s = entry.freshness.lifetime_s;
        let mut reply = Reply::stored(entry, self.worker.buffer_pool.scratch());
        if self.wanted.has_it(&reply) {
            become_not_modified(&mut reply);
        }
        push_age(&mut reply, age_s);
        if self.wanted.shows_status {
            let ttl_s = i64::from(lifetime_s) - i64::from(age_s);
            push_status(&mut reply, &format!("hit; ttl={ttl_s}"));
        }
        Looked::Stored(reply)
    }

    /// Calls the upstream, for all that wait if the call leads them; unless a response was stored
    /// meanwhile.
    pub(super) fn lead(
        self,
        leader: Option<Leader<Landing>>,
        record: &mut RecordBuilder,
    ) -> Looked {
        let caches = &self.worker.caches;
        let begun = caches.store.begin(self.keyed.version, &self.target);
        let entry = caches.store.find(&self.keyed.key);
        if let Some(entry) = &entry
            && let Found::Fresh(entry) =
                Found::new(Arc::clone(entry), caches.now_ms(), &self.wanted)
        {
            let landing = Landing { entry, begun };
            caches.flights.stored(&self.keyed.key, &landing);
            return self.hit(landing.entry, CacheUse::Hit, record);
        }
        record.cache(CacheUse::Miss);
        let stale = entry.map(|entry| {
            let reply = Reply::stored(Arc::clone(&entry), self.worker.buffer_pool.scratch());
            (entry, self.wanted.has_it(&reply))
        });
        Looked::Fetch(Fetch::Store(Box::new(Storing {
            rules: Arc::clone(self.rules),
            fetching: Fetching {
                caches: Arc::clone(caches),
                key: self.keyed.key.clone(),
                begun,
                leader,
            },
            target: self.target.into(),
            asked_us: self.worker.clock.now_us(),
            keyed: self.keyed,
            stale,
            arrival: None,
            is_shaped: self.is_shaped,
            shows_status: self.wanted.shows_status,
            is_forced: self.wanted.is_forced,
        })))
    }
}
