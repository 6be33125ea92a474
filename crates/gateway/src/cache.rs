//! `cache`: responds to calls with stored responses (RFC 9111), and stores responses for later
//! calls.
//!
//! The key of a response is what goes up of its call: the upstream gets nothing of the caller that
//! is not part of it, except the fields that the rules of its operation let pass.
//!
//! - `keyed.rs`: what goes up of a call, and its key
//! - `found.rs`: whether a stored response answers a call, and how
//! - `fetch.rs`: calls to the upstream whose responses may be stored; `tap.rs`: their bodies
//! - `change.rs`: calls that end what is stored of their target

mod change;
mod fetch;
mod found;
mod keyed;
mod tap;

use std::borrow::Cow;
use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tollgate_cache::flights::{FLIGHT_MS_MAX, Flights, Joined, Landed, Waiting};
use tollgate_cache::store::{Entry, Selector, Store};
use tollgate_model::feed::CachePurge;
use tollgate_model::record::CacheUse;
use tollgate_model::refusal::Refusal;

use crate::admit::Admitted;
use crate::exchange::Exchange;
use crate::mediate::Shape;
use crate::record::RecordBuilder;
use crate::refusal::Refused;
use crate::reply::Reply;
use crate::snapshot::caching::{CacheRules, Caching};
use crate::worker::Worker;
use found::{Found, Wanted};

pub(crate) use fetch::{Arrived, Fetch, Storing, arrived, keep};
pub(crate) use keyed::Keyed;
pub(crate) use tap::Tap;

/// The stored responses of all workers, and the calls in progress for more.
#[derive(Debug)]
pub(crate) struct Caches {
    store: Store,
    flights: Arc<Flights<Arc<Entry>>>,
    /// The beginning of the monotonic time.
    epoch: Instant,
}

impl Caches {
    /// Creates caches of at most `bytes_max` bytes together.
    pub(crate) fn new(bytes_max: u64) -> Arc<Self> {
        Arc::new(Self {
            store: Store::new(bytes_max),
            flights: Arc::default(),
            epoch: Instant::now(),
        })
    }

    /// Removes the responses that a purge selects.
    pub(crate) fn purge(&self, purge: CachePurge) {
        let version = purge.version.raw().cast_unsigned();
        let selector = Selector {
            operations: purge.selector.operations,
            targets: purge.selector.targets,
            tags: purge.selector.tags,
        };
        self.store.purge(version, purge.number, &selector);
    }

    /// The monotonic time, milliseconds.
    fn now_ms(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// The outcome of [`look`].
pub(crate) enum Looked {
    /// A stored response answers the call.
    Stored(Reply<'static>),
    /// The upstream has to be called.
    Fetch(Fetch),
}

/// A call that looks for a stored response.
struct Looking<'l> {
    rules: &'l Arc<CacheRules>,
    keyed: Keyed,
    /// Path and query below the version, without the caller's credential.
    target: Cow<'l, [u8]>,
    wanted: Wanted<'l>,
    /// Whether steps change the response before it is stored.
    is_shaped: bool,
    worker: &'l Worker,
}

/// The outcome of a search that does not wait.
enum Step<'l> {
    Looked(Looked),
    /// Another call asks the upstream for the same response.
    Wait(Box<(Looking<'l>, Waiting<Arc<Entry>>)>),
}

/// Looks for a stored response to an admitted call. While another call fetches it, waits for that.
pub(crate) async fn look(
    (admitted, shape): (&Admitted<'_>, Option<&Shape<'_>>),
    exchange: &Exchange<'_>,
    worker: &Worker,
    record: &mut RecordBuilder,
) -> Result<Looked, Refused> {
    let step = match &admitted.mediation().caching {
        Caching::None => return Ok(Looked::Fetch(Fetch::Plain)),
        Caching::Changes => {
            let change = Fetch::change(admitted, exchange, worker);
            return Ok(Looked::Fetch(change));
        }
        Caching::Stores(rules) => {
            let call = (admitted, shape);
            find(rules, call, (exchange, worker), record)?
        }
    };
    let (looking, waiting) = match step {
        Step::Looked(looked) => return Ok(looked),
        Step::Wait(waiting) => *waiting,
    };
    // Boxed: few calls wait, and every connection would pay for the space.
    Ok(match Box::pin(land(waiting, exchange)).await {
        Some(Landed::Stored(entry)) => looking.hit(entry, CacheUse::Hit, record),
        Some(Landed::Lead(leader)) => looking.lead(Some(leader), record),
        Some(Landed::Alone) | None => looking.lead(None, record),
    })
}

/// Looks for a stored response without waiting.
fn find<'l>(
    rules: &'l Arc<CacheRules>,
    (admitted, shape): (&'l Admitted<'_>, Option<&Shape<'_>>),
    (exchange, worker): (&'l Exchange<'_>, &'l Worker),
    record: &mut RecordBuilder,
) -> Result<Step<'l>, Refused> {
    let call = (admitted, shape);
    let goes_by = keyed::goes_by(rules, call, exchange);
    let keyed = (!goes_by).then(|| Keyed::new(rules, call, (exchange, worker)));
    let Some(keyed) = keyed.flatten() else {
        record.cache(CacheUse::Bypass);
        let shows_status = rules.served.show_status;
        return Ok(Step::Looked(Looked::Fetch(Fetch::By { shows_status })));
    };
    let looking = Looking {
        rules,
        keyed,
        target: admitted.allowed().below(exchange.head()),
        wanted: Wanted::of(rules, shape, exchange),
        is_shaped: shape.is_some_and(Shape::has_stored_steps),
        worker,
    };
    looking.find(exchange.is_head(), record)
}

impl<'l> Looking<'l> {
    fn find(self, is_head: bool, record: &mut RecordBuilder) -> Result<Step<'l>, Refused> {
        let caches = &self.worker.caches;
        let now_ms = caches.now_ms();
        let entry = caches.store.find(self.keyed.key());
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
            return Ok(Step::Looked(Looked::Fetch(Fetch::Plain)));
        }
        let joined = caches.flights.join(self.keyed.key(), now_ms);
        Ok(match (joined, stale) {
            (Joined::Lead(leader), _) => Step::Looked(self.lead(Some(leader), record)),
            (_, Some(entry)) => Step::Looked(self.hit(entry, CacheUse::Stale, record)),
            (Joined::Wait(waiting), None) => Step::Wait(Box::new((self, waiting))),
            (Joined::Alone, None) => Step::Looked(self.lead(None, record)),
        })
    }
}

/// Waits until a flight has landed, at most as long as one holds anybody.
async fn land(
    mut waiting: Waiting<Arc<Entry>>,
    exchange: &Exchange<'_>,
) -> Option<Landed<Arc<Entry>>> {
    let deadline = exchange.deadline();
    deadline.set(Duration::from_millis(FLIGHT_MS_MAX));
    poll_fn(|context| match Pin::new(&mut waiting).poll(context) {
        Poll::Ready(landed) => Poll::Ready(Some(landed)),
        Poll::Pending => deadline.poll_due(context).map(|_| None),
    })
    .await
}
