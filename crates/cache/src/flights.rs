//! Calls to the upstream, shared by the callers of a key: the first caller leads, others wait for
//! its answer. They are shared by all workers of a process.
//!
//! A leader that leaves hands the flight on to the caller that waits for longest. Callers decide
//! for how long they wait; each time that ends ([`Waiting::end_turn`]), as many more of them lead
//! as are on their way: one, two, four. The first answer that is stored ends the flight for all.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use hashbrown::{DefaultHashBuilder, HashMap};
use tokio::sync::oneshot;

use crate::key::Key;

/// Number of locks.
const SHARDS: usize = 64;

/// All flights; `V` is what a leader stores.
#[derive(Debug)]
pub struct Flights<V> {
    hasher: DefaultHashBuilder,
    shards: Vec<Mutex<HashMap<Key, Flight<V>>>>,
    /// The id of the next flight, and of the next caller that waits.
    next_id: AtomicU64,
}

#[derive(Debug)]
struct Flight<V> {
    id: u64,
    /// When it began, or callers were last let go.
    turn_ms: u64,
    /// Number of callers that are on their way to the upstream.
    leading: usize,
    /// Number of callers that may be.
    leading_max: usize,
    /// The others by their ids, which ascend.
    waiting: BTreeMap<u64, oneshot::Sender<Signal<V>>>,
}

/// What a waiting caller is sent.
#[derive(Debug)]
enum Signal<V> {
    Stored(V),
    Alone,
    Lead,
}

/// How a caller joins the flight of its key.
#[derive(Debug)]
pub enum Joined<V: Clone> {
    /// The caller calls the upstream for all.
    Lead(Leader<V>),
    /// The caller waits for a leader.
    Wait(Waiting<V>),
}

/// How a flight ended for a caller that waited.
#[derive(Debug)]
pub enum Landed<V: Clone> {
    /// The leader stored this.
    Stored(V),
    /// The answer is not storable: the caller calls the upstream for itself.
    Alone,
    /// The caller leads: those before left, or take long.
    Lead(Leader<V>),
}

/// A call to the upstream for all callers of a key. Dropped before its answer is known, it is
/// handed on.
#[derive(Debug)]
pub struct Leader<V: Clone> {
    flights: Arc<Flights<V>>,
    key: Key,
    /// `None` once it has ended.
    flight: Option<u64>,
}

/// A caller that waits for the leaders of its key.
#[derive(Debug)]
pub struct Waiting<V: Clone> {
    flights: Arc<Flights<V>>,
    key: Key,
    flight: u64,
    id: u64,
    turn_ms: u64,
    signal: oneshot::Receiver<Signal<V>>,
}

impl<V> Default for Flights<V> {
    fn default() -> Self {
        Self {
            hasher: DefaultHashBuilder::default(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            next_id: AtomicU64::new(0),
        }
    }
}

impl<V: Clone> Flights<V> {
    /// Joins the flight of a key; `now_ms` is a monotonic time in milliseconds.
    #[must_use]
    pub fn join(self: &Arc<Self>, key: &Key, now_ms: u64) -> Joined<V> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let mut shard = self.shard(key);
        let Some(flight) = shard.get_mut(key) else {
            let flight = Flight {
                id,
                turn_ms: now_ms,
                leading: 1,
                leading_max: 1,
                waiting: BTreeMap::new(),
            };
            shard.insert(key.clone(), flight);
            return Joined::Lead(self.leader(key.clone(), id));
        };
        let (sender, signal) = oneshot::channel();
        flight.waiting.insert(id, sender);
        Joined::Wait(Waiting {
            flights: Arc::clone(self),
            key: key.clone(),
            flight: flight.id,
            id,
            turn_ms: flight.turn_ms,
            signal,
        })
    }

    /// Ends the flight of a key, if there is one, with an answer that has been stored: all that
    /// wait get it.
    pub fn stored(&self, key: &Key, value: &V) {
        let flight = self.shard(key).remove(key);
        if let Some(flight) = flight {
            flight.end(|| Signal::Stored(value.clone()));
        }
    }

    fn leader(self: &Arc<Self>, key: Key, flight: u64) -> Leader<V> {
        Leader {
            flights: Arc::clone(self),
            key,
            flight: Some(flight),
        }
    }

    fn shard(&self, key: &Key) -> MutexGuard<'_, HashMap<Key, Flight<V>>> {
        let index = self.hasher.hash_one(key) as usize % SHARDS;
        // Each change is complete, so a flight is consistent after a panic in another thread.
        self.shards[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets all that wait for a flight go, each for itself.
    fn release(&self, key: &Key, id: u64) {
        let flight = {
            let mut shard = self.shard(key);
            let is_current = shard.get(key).is_some_and(|flight| flight.id == id);
            is_current.then(|| shard.remove(key)).flatten()
        };
        if let Some(flight) = flight {
            flight.end(|| Signal::Alone);
        }
    }

    /// Takes a leader off a flight. The caller that waits for longest takes its place; without any,
    /// the last leader ends the flight. The wait of the others goes on.
    fn leave(&self, key: &Key, id: u64) {
        let mut shard = self.shard(key);
        let Some(flight) = shard.get_mut(key).filter(|flight| flight.id == id) else {
            return;
        };
        flight.leading -= 1;
        flight.let_go();
        if flight.leading == 0 {
            shard.remove(key);
        }
    }
}

impl<V> Flight<V> {
    /// Lets callers lead, those that wait for longest first, as long as more may.
    fn let_go(&mut self) {
        while self.leading < self.leading_max
            && let Some((_, sender)) = self.waiting.pop_first()
        {
            self.leading += usize::from(sender.send(Signal::Lead).is_ok());
        }
    }

    fn end(self, signal: impl Fn() -> Signal<V>) {
        for sender in self.waiting.into_values() {
            // A caller that no longer waits needs no signal.
            let _ = sender.send(signal());
        }
    }
}

impl<V: Clone> Leader<V> {
    /// Ends the flight, since the answer was not stored: all that wait call for themselves.
    pub fn release(mut self) {
        if let Some(flight) = self.flight.take() {
            self.flights.release(&self.key, flight);
        }
    }
}

impl<V: Clone> Drop for Leader<V> {
    fn drop(&mut self) {
        if let Some(flight) = self.flight {
            self.flights.leave(&self.key, flight);
        }
    }
}

impl<V: Clone> Waiting<V> {
    /// The monotonic time at which the wait for the present leaders began, in milliseconds.
    #[must_use]
    pub fn turn_ms(&self) -> u64 {
        self.turn_ms
    }

    /// Lets as many more callers lead as are on their way, unless that has happened since
    /// [`turn_ms`](Self::turn_ms); the next wait begins. This caller may be one of them.
    pub fn end_turn(&mut self, now_ms: u64) {
        let mut shard = self.flights.shard(&self.key);
        let flight = shard.get_mut(&self.key);
        let Some(flight) = flight.filter(|flight| flight.id == self.flight) else {
            return;
        };
        if flight.turn_ms == self.turn_ms {
            flight.turn_ms = now_ms;
            flight.leading_max = flight.leading_max.saturating_mul(2);
            flight.let_go();
        }
        self.turn_ms = flight.turn_ms;
    }
}

impl<V: Clone> Future for Waiting<V> {
    type Output = Landed<V>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Landed<V>> {
        let signal = ready!(Pin::new(&mut self.signal).poll(context));
        Poll::Ready(match signal {
            Ok(Signal::Stored(value)) => Landed::Stored(value),
            Ok(Signal::Lead) => Landed::Lead(self.flights.leader(self.key.clone(), self.flight)),
            Ok(Signal::Alone) | Err(_) => Landed::Alone,
        })
    }
}

impl<V: Clone> Drop for Waiting<V> {
    fn drop(&mut self) {
        if let Some(flight) = self.flights.shard(&self.key).get_mut(&self.key) {
            flight.waiting.remove(&self.id);
        }
        if let Ok(Signal::Lead) = self.signal.try_recv() {
            self.flights.leave(&self.key, self.flight);
        }
    }
}
