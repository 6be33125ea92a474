//! Calls to the upstream whose responses may be stored, or whose targets they may change.

use std::sync::Arc;

use tollgate_cache::directives::Directives;
use tollgate_cache::freshness::{Dates, Exchanged, Freshness};
use tollgate_cache::storable::Head;
use tollgate_cache::store::{Entry, Resource, Stale, Validators};
use tollgate_http1::compose::push_field;
use tollgate_http1::framing::Framing;
use tollgate_model::record::CacheUse;

use super::change::Change;
use super::found::{age, become_not_modified, push_age, push_status};
use super::tap::{Right, Tap, store};
use super::{Caches, Keyed};
use crate::exchange::{Exchange, Failure};
use crate::record::RecordBuilder;
use crate::reply::{Body, Reply};
use crate::snapshot::caching::CacheRules;
use crate::worker::Worker;

/// Maximum bytes of all tags of a response; one with more is not stored, since a purge would miss
/// it.
const TAG_BYTES_MAX: usize = 8 * 1024;

/// What the cache does with the upstream's response to a call.
#[derive(Debug)]
pub(crate) enum Fetch {
    /// Nothing.
    Plain,
    /// The call goes by the cache.
    By {
        /// Whether the response describes that.
        shows_status: bool,
    },
    /// What is stored of its target ends.
    Change(Box<Change>),
    /// It may be stored.
    Store(Box<Storing>),
}

/// A call whose response may be stored.
#[derive(Debug)]
pub(crate) struct Storing {
    pub(super) rules: Arc<CacheRules>,
    pub(super) caches: Arc<Caches>,
    pub(super) keyed: Keyed,
    /// Path and query below the version.
    pub(super) target: Box<[u8]>,
    /// `None` while another call holds it, or if the last response was not storable.
    pub(super) leader: Option<Right>,
    /// A stored response that the upstream may confirm or that may be sent if it fails, and whether
    /// the caller has it.
    pub(super) stale: Option<(Arc<Entry>, bool)>,
    /// When the request was made, Unix microseconds.
    pub(super) asked_us: i64,
    pub(super) arrival: Option<Arrival>,
    /// Whether steps change the response before it is stored.
    pub(super) is_shaped: bool,
}

/// The upstream's response before steps change it.
#[derive(Debug)]
pub(super) struct Arrival {
    at: Exchanged,
    at_ms: u64,
    validators: Validators,
    /// `None` if they are too long.
    tags: Option<Arc<[Box<[u8]>]>>,
}

/// The outcome of [`arrived`].
pub(crate) enum Arrived<'r> {
    /// The upstream's response goes on.
    Passed(Reply<'r>),
    /// A stored response takes its place.
    Stored(Reply<'static>),
}

impl Fetch {
    /// The call, if its response may be stored.
    pub(crate) fn storing(&self) -> Option<&Storing> {
        match self {
            Self::Store(storing) => Some(storing),
            _ => None,
        }
    }
}

/// Takes the upstream's response, or why there is none, before steps change it: a stored response
/// takes its place if the upstream confirms it, or fails and it is not too old for that.
pub(crate) async fn arrived<'r>(
    fetch: &mut Fetch,
    sent: Result<Reply<'r>, Failure>,
    exchange: &mut Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<Arrived<'r>, Failure> {
    let storing = match fetch {
        Fetch::Plain | Fetch::By { .. } => return Ok(Arrived::Passed(sent?)),
        Fetch::Change(change) => {
            match &sent {
                Ok(reply) => change.note(reply),
                // The upstream may have done its work.
                Err(_) => change.end(),
            }
            return Ok(Arrived::Passed(sent?));
        }
        Fetch::Store(storing) => storing,
    };
    let mut reply = match sent {
        Ok(reply) => reply,
        Err(Failure::Refused(refused)) => {
            let Some(stored) = storing.rescue(worker) else {
                storing.is_unstorable();
                return Err(Failure::Refused(refused));
            };
            let (began_us, version) = (exchange.began_us(), exchange.version());
            worker.warnings.refused(began_us, version, &refused);
            record.cache(CacheUse::Stale);
            return Ok(Arrived::Stored(stored));
        }
        // The next caller leads.
        Err(failure) => return Err(failure),
    };
    storing.note(&reply, worker);
    if reply.status() == 304
        && let Some(stale) = storing.confirmable()
    {
        Box::pin(exchange.read_whole(&mut reply, 0, worker)).await?;
        record.cache(CacheUse::Revalidated);
        return Ok(Arrived::Stored(storing.confirm(stale, &reply, worker)));
    }
    if matches!(reply.status(), 500 | 502..=504)
        && let Some(stored) = storing.rescue(worker)
    {
        record.cache(CacheUse::Stale);
        return Ok(Arrived::Stored(stored));
    }
    reply.is_shared = true;
    Ok(Arrived::Passed(reply))
}

/// Stores the response that the caller gets, or has it stored as its body passes.
pub(crate) fn keep(fetch: Fetch, reply: &mut Reply<'_>, worker: &Worker) {
    match fetch {
        Fetch::Plain => {}
        Fetch::By { shows_status } => {
            if shows_status {
                push_status(reply, "fwd=bypass");
            }
        }
        Fetch::Change(change) => {
            if (200..400).contains(&reply.status()) {
                change.end();
            }
        }
        Fetch::Store(storing) => storing.keep(reply, worker),
    }
}

impl Storing {
    /// What goes up of the call.
    pub(crate) fn keyed(&self) -> &Keyed {
        &self.keyed
    }

    pub(crate) fn rules(&self) -> &CacheRules {
        &self.rules
    }

    /// By what the upstream recognizes the stored response.
    pub(crate) fn validators(&self) -> Option<&Validators> {
        self.stale.as_ref().map(|(entry, _)| &entry.validators)
    }

    fn note(&mut self, reply: &Reply<'_>, worker: &Worker) {
        let value = |name: &[u8]| reply.field(name).map(Box::from);
        let seconds = |us: i64| us.div_euclid(1_000_000);
        self.arrival = Some(Arrival {
            at: Exchanged {
                asked_s: seconds(self.asked_us),
                arrived_s: seconds(worker.clock.now_us()),
            },
            at_ms: self.caches.now_ms(),
            validators: Validators {
                etag: value(b"etag"),
                last_modified: value(b"last-modified"),
            },
            tags: tags(reply),
        });
    }

    /// Ends the flight, since the response cannot be stored: callers do not wait for the next one.
    fn is_unstorable(&mut self) {
        if let Some((leader, _)) = self.leader.take() {
            leader.unstorable(self.caches.now_ms());
        }
    }

    /// Returns the stored response, and ends the flight with it, if it may be sent although the
    /// upstream has failed.
    fn rescue(&mut self, worker: &Worker) -> Option<Reply<'static>> {
        let (entry, _) = self.stale.as_ref()?;
        let (age_s, _) = age(entry, self.caches.now_ms());
        let over_s = age_s.saturating_sub(entry.freshness.lifetime_s);
        if over_s >= entry.stale.if_error_s {
            return None;
        }
        let entry = Arc::clone(entry);
        if let Some((leader, _)) = self.leader.take() {
            leader.stored(&entry);
        }
        Some(self.reply(
            entry,
            (age_s, "fwd=stale; detail=\"upstream failed\""),
            worker,
        ))
    }

    /// The stored response, if the upstream can confirm it by its validators.
    fn confirmable(&self) -> Option<Arc<Entry>> {
        let (stale, _) = self.stale.as_ref()?;
        (stale.validators != Validators::default()).then(|| Arc::clone(stale))
    }

    /// Returns the stored response that a 304 of the upstream confirms, freshened (RFC 9111,
    /// section 4.3.4). It is kept unless the 304 forbids that.
    fn confirm(
        &mut self,
        stale: Arc<Entry>,
        confirmed: &Reply<'_>,
        worker: &Worker,
    ) -> Reply<'static> {
        let mut updated = Reply::stored(Arc::clone(&stale), worker.buffer_pool.scratch());
        update(&mut updated, confirmed, self.is_shaped);
        if let Some(arrival) = &mut self.arrival {
            // A 304 may leave them out.
            arrival.validators = stale.validators.clone();
        }
        let fresh = self.entry(&updated);
        let is_kept = fresh.is_some();
        let fresh = fresh.unwrap_or_else(|| Entry {
            head: without_age(&updated),
            ..Entry::clone(&stale)
        });
        let entry = Entry {
            tags: Arc::clone(&stale.tags),
            body: Arc::clone(&stale.body),
            ..fresh
        };
        let age_s = entry.freshness.age_s;
        if !is_kept {
            self.is_unstorable();
            self.caches.store.remove(self.keyed.key());
        }
        let entry = match self.leader.take() {
            None => Arc::new(entry),
            Some(right) => store(&self.caches, right, entry),
        };
        self.reply(entry, (age_s, "fwd=stale; fwd-status=304"), worker)
    }

    fn reply(
        &self,
        entry: Arc<Entry>,
        (age_s, status): (u32, &str),
        worker: &Worker,
    ) -> Reply<'static> {
        let mut reply = Reply::stored(entry, worker.buffer_pool.scratch());
        if self.stale.as_ref().is_some_and(|(_, has_it)| *has_it) {
            become_not_modified(&mut reply);
        }
        push_age(&mut reply, age_s);
        if self.rules.served.show_status {
            push_status(&mut reply, status);
        }
        reply
    }

    fn keep(mut self, reply: &mut Reply<'_>, worker: &Worker) {
        let was_stale = self.stale.is_some();
        let is_kept = self.take_over(reply, worker).is_some();
        if !is_kept {
            self.is_unstorable();
            if was_stale && reply.status() < 500 {
                self.caches.store.remove(self.keyed.key());
            }
        }
        if self.rules.served.show_status {
            let why = if was_stale { "stale" } else { "miss" };
            let stored = if is_kept { "; stored" } else { "" };
            push_status(reply, &format!("fwd={why}{stored}"));
        }
    }

    /// Stores a response, or has it stored as it passes; `None` if it is not storable.
    fn take_over(&mut self, reply: &mut Reply<'_>, worker: &Worker) -> Option<()> {
        let entry = self.entry(reply)?;
        let right = self.leader.take()?;
        match self.body_of(reply, &entry, worker) {
            Some(Held::Whole(body)) => drop(store(&self.caches, right, Entry { body, ..entry })),
            Some(Held::Passing(bounds)) => {
                reply.tap = Some(Box::new(Tap::new(&self.caches, right, entry, bounds)));
            }
            None => {
                self.leader = Some(right);
                return None;
            }
        }
        Some(())
    }

    /// The body of a response within the bound of an entry; `None` if it is longer, or finds no
    /// room while it passes.
    fn body_of(&self, reply: &Reply<'_>, entry: &Entry, worker: &Worker) -> Option<Held> {
        let bytes_max = usize::try_from(self.rules.served.entry_bytes_max).unwrap_or(usize::MAX);
        let bytes_max = bytes_max.checked_sub(entry.head.len())?;
        let Body::Passed(passed) = &reply.body else {
            let body = reply.body.bytes();
            return (body.len() <= bytes_max).then(|| Held::Whole(body.into()));
        };
        let bytes = match passed.upstream.head().framing {
            Framing::None => 0,
            Framing::Length(bytes) => usize::try_from(bytes).ok()?,
            Framing::Chunked | Framing::UntilClose => bytes_max,
        };
        let mut room = worker.buffered.room();
        let fits = bytes <= bytes_max && room.try_grow(bytes as u64);
        fits.then_some(Held::Passing((bytes_max, room)))
    }

    /// Returns a response without its body as it would be stored; `None` if it is not storable.
    fn entry(&self, reply: &Reply<'_>) -> Option<Entry> {
        let arrival = self.arrival.as_ref()?;
        let served = &self.rules.served;
        let values = |name| lines(reply, name);
        let directives = Directives::read(values(b"cache-control"));
        let vary: Vec<_> = values(b"vary").collect();
        let head = Head {
            status: reply.status(),
            directives,
            vary: &vary,
            sets_cookie: values(b"set-cookie").next().is_some(),
            is_partial: values(b"content-range").next().is_some(),
        };
        let negative_s = self.rules.storable.check(&head).ok()?;
        let media_type = values(b"content-type").next().unwrap_or_default();
        if has_prefix(media_type, b"text/event-stream") {
            return None;
        }
        let ttl_s = negative_s.or(served.ttl_s);
        let dates = Dates {
            age: match values(b"age").count() {
                0 | 1 => one(reply, b"age"),
                // Several are no number.
                _ => Some(b""),
            },
            date: one(reply, b"date"),
            expires: one(reply, b"expires"),
        };
        let freshness = Freshness::new(&directives, dates, arrival.at, ttl_s);
        let (freshness, stale) = within(&directives, freshness, (served, negative_s.is_some()))?;
        let is_useful = freshness.lifetime_s > freshness.age_s
            || arrival.validators != Validators::default()
            || stale != Stale::default();
        if !is_useful {
            return None;
        }
        Some(Entry {
            resource: Arc::new(Resource {
                version: self.keyed.version(),
                operation: Arc::clone(&self.rules.operation),
                target: self.target.clone(),
            }),
            tags: arrival.tags.clone()?,
            status: reply.status(),
            head: without_age(reply),
            body: Arc::default(),
            freshness,
            stale,
            validators: arrival.validators.clone(),
            arrived_ms: arrival.at_ms,
        })
    }
}

/// The body of a response that is stored.
enum Held {
    Whole(Arc<[u8]>),
    /// Its bound and its room.
    Passing((usize, crate::buffered::Room)),
}

/// Limits the times of a response to what its directives allow: one that has to be confirmed each
/// time is never fresh, and one that has to be confirmed once it is stale is never sent then (RFC
/// 9111, section 5.2.2).
fn within(
    directives: &Directives,
    freshness: Option<Freshness>,
    (served, is_negative): (&tollgate_model::policies::Cache, bool),
) -> Option<(Freshness, Stale)> {
    let freshness = match directives.no_cache {
        true => Freshness {
            lifetime_s: 0,
            ..freshness.unwrap_or(Freshness {
                age_s: 0,
                lifetime_s: 0,
            })
        },
        false => freshness?,
    };
    if directives.no_cache || directives.must_revalidate || is_negative {
        return Some((freshness, Stale::default()));
    }
    // A lifetime for shared caches alone forbids it, unless the upstream itself allows it.
    let may_set = directives.s_maxage.is_none();
    let set = |set: Option<u32>, declared: Option<u32>| {
        let set = set.filter(|_| may_set);
        set.or(declared).unwrap_or(0)
    };
    let (while_revalidate, if_error) = (served.stale_while_revalidate_s, served.stale_if_error_s);
    let stale = Stale {
        while_revalidate_s: set(while_revalidate, directives.stale_while_revalidate),
        if_error_s: set(if_error, directives.stale_if_error),
    };
    Some((freshness, stale))
}

/// Returns the tags of a response; `None` if they are too long.
fn tags(reply: &Reply<'_>) -> Option<Arc<[Box<[u8]>]>> {
    let bytes: usize = lines(reply, b"cache-tag").map(<[u8]>::len).sum();
    let tags = lines(reply, b"cache-tag").flat_map(|line| line.split(|&byte| byte == b','));
    let tags = tags.map(<[u8]>::trim_ascii).filter(|tag| !tag.is_empty());
    (bytes <= TAG_BYTES_MAX).then(|| tags.map(Box::from).collect())
}

/// Returns the values of the field lines with a name in lower case.
fn lines<'l>(reply: &'l Reply<'_>, name: &'l [u8]) -> impl Iterator<Item = &'l [u8]> {
    let lines = reply.lines();
    let lines = lines.filter(move |(of, _)| of.eq_ignore_ascii_case(name));
    lines.map(|(_, value)| value)
}

/// Returns the value of a field; `None` without one, or with several.
fn one<'l>(reply: &'l Reply<'_>, name: &'l [u8]) -> Option<&'l [u8]> {
    let mut lines = lines(reply, name);
    lines.next().filter(|_| lines.next().is_none())
}

fn has_prefix(value: &[u8], prefix: &[u8]) -> bool {
    let begin = value.get(..prefix.len());
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}

/// Returns the head of a response without its age, which each response from the cache has anew.
fn without_age(reply: &Reply<'_>) -> Box<[u8]> {
    let end = memchr::memchr(b'\n', &reply.head).map_or(0, |at| at + 1);
    let mut head = reply.head[..end].to_vec();
    for (name, value) in reply.lines() {
        if !name.eq_ignore_ascii_case(b"age") {
            head.extend_from_slice(name);
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        }
    }
    head.into()
}

/// Replaces the fields of a stored response that a 304 has anew (RFC 9111, section 3.2); only its
/// date if steps have changed others.
fn update(stored: &mut Reply<'_>, confirmed: &Reply<'_>, is_shaped: bool) {
    // They frame the body, recognize it, or are for one caller.
    const FIXED: [&[u8]; 8] = [
        b"content-encoding",
        b"content-length",
        b"content-range",
        b"content-md5",
        b"content-digest",
        b"etag",
        b"last-modified",
        b"set-cookie",
    ];
    let is_fixed = |name: &[u8]| match is_shaped {
        true => !name.eq_ignore_ascii_case(b"date"),
        false => FIXED.iter().any(|of| name.eq_ignore_ascii_case(of)),
    };
    let new: Vec<_> = confirmed.lines().filter(|it| !is_fixed(it.0)).collect();
    stored.remove_fields(&|name: &[u8]| new.iter().any(|(of, _)| of.eq_ignore_ascii_case(name)));
    for (name, value) in new {
        if let Ok(name) = str::from_utf8(name) {
            push_field(&mut stored.head, name, value);
        }
    }
}
