//! One call to the upstream at a time for each key: the first caller leads, others wait for its
//! answer. They are shared by all workers of a process.
//!
//! A leader that leaves hands the flight on to a caller that waits. A flight holds nobody for
//! longer than [`FLIGHT_MS_MAX`]: later callers go alone. A key that turned out not to be storable
//! is remembered for [`UNSTORABLE_MS`], so nobody waits for it.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::hash::BuildHasher as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use hashbrown::{DefaultHashBuilder, HashMap};
use tokio::sync::oneshot;

use crate::key::Key;

/// The time after which a flight holds nobody, in milliseconds.
pub const FLIGHT_MS_MAX: u64 = 1_000;
/// The time for which a key is remembered as not storable, in milliseconds.
pub const UNSTORABLE_MS: u64 = 10_000;
/// Maximum number of keys that are remembered as not storable.
const UNSTORABLE_MAX: usize = 10_000;
/// Number of locks.
const SHARDS: usize = 64;

/// All flights; `V` is what a leader stores.
#[derive(Debug)]
pub struct Flights<V> {
    hasher: DefaultHashBuilder,
    shards: Vec<Mutex<HashMap<Key, Flight<V>>>>,
    /// When the keys that are not storable may be asked for again.
    unstorable: quick_cache::sync::Cache<Key, u64>,
}

#[derive(Debug)]
struct Flight<V> {
    began_ms: u64,
    waiting: VecDeque<oneshot::Sender<Signal<V>>>,
}

/// What a waiting caller is sent.
#[derive(Debug)]
enum Signal<V> {
    Stored(V),
    Alone,
    /// The flight is handed on.
    Lead,
}

/// How a caller joins the flight of its key.
#[derive(Debug)]
pub enum Joined<V: Clone> {
    /// The caller calls the upstream for all.
    Lead(Leader<V>),
    /// The caller waits for a leader.
    Wait(Waiting<V>),
    /// The caller calls the upstream for itself.
    Alone,
}

/// How a flight ended for a caller that waited.
#[derive(Debug)]
pub enum Landed<V: Clone> {
    /// The leader stored this.
    Stored(V),
    /// The answer is not storable: the caller calls the upstream for itself.
    Alone,
    /// The leader left: the caller leads.
    Lead(Leader<V>),
}

/// The right to call the upstream for a key. Dropped before the answer is known, it is handed on.
#[derive(Debug)]
pub struct Leader<V: Clone> {
    flights: Arc<Flights<V>>,
    /// `None` once the flight has ended.
    key: Option<Key>,
}

/// A caller that waits for the leader of its key. The limit of its time is its own.
#[derive(Debug)]
pub struct Waiting<V: Clone> {
    flights: Arc<Flights<V>>,
    key: Key,
    signal: oneshot::Receiver<Signal<V>>,
}

impl<V> Default for Flights<V> {
    fn default() -> Self {
        Self {
            hasher: DefaultHashBuilder::default(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            unstorable: quick_cache::sync::Cache::new(UNSTORABLE_MAX),
        }
    }
}

impl<V: Clone> Flights<V> {
    /// Joins the flight of a key; `now_ms` is a monotonic time in milliseconds.
    #[must_use]
    pub fn join(self: &Arc<Self>, key: &Key, now_ms: u64) -> Joined<V> {
        match self.unstorable.get(key) {
            Some(until_ms) if now_ms < until_ms => return Joined::Alone,
            Some(_) => drop(self.unstorable.remove(key)),
            None => {}
        }
        let mut shard = self.shard(key);
        let Some(flight) = shard.get_mut(key) else {
            let flight = Flight {
                began_ms: now_ms,
                waiting: VecDeque::new(),
            };
            shard.insert(key.clone(), flight);
            return Joined::Lead(self.leader(key.clone()));
        };
        if now_ms.saturating_sub(flight.began_ms) >= FLIGHT_MS_MAX {
            return Joined::Alone;
        }
        let (sender, signal) = oneshot::channel();
        flight.waiting.push_back(sender);
        Joined::Wait(Waiting {
            flights: Arc::clone(self),
            key: key.clone(),
            signal,
        })
    }

    fn leader(self: &Arc<Self>, key: Key) -> Leader<V> {
        Leader {
            flights: Arc::clone(self),
            key: Some(key),
        }
    }

    fn shard(&self, key: &Key) -> MutexGuard<'_, HashMap<Key, Flight<V>>> {
        let index = self.hasher.hash_one(key) as usize % SHARDS;
        // Each change is complete, so a flight is consistent after a panic in another thread.
        self.shards[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a flight; all that wait get a copy of the signal.
    fn end(&self, key: &Key, signal: impl Fn() -> Signal<V>) {
        let flight = self.shard(key).remove(key);
        for sender in flight.into_iter().flat_map(|flight| flight.waiting) {
            // A caller that no longer waits needs no signal.
            let _ = sender.send(signal());
        }
    }

    /// Hands a flight on to the caller that waits for longest; ends it if nobody waits.
    fn hand_on(&self, key: &Key) {
        let mut shard = self.shard(key);
        let Some(flight) = shard.get_mut(key) else {
            return;
        };
        while let Some(sender) = flight.waiting.pop_front() {
            if sender.send(Signal::Lead).is_ok() {
                return;
            }
        }
        shard.remove(key);
    }
}

impl<V: Clone> Leader<V> {
    /// The key of the flight.
    #[must_use]
    pub fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// Ends the flight with an answer that has been stored.
    pub fn stored(mut self, value: &V) {
        if let Some(key) = self.key.take() {
            self.flights.end(&key, || Signal::Stored(value.clone()));
        }
    }

    /// Ends the flight since the answer is not storable, and remembers that.
    pub fn unstorable(mut self, now_ms: u64) {
        if let Some(key) = self.key.take() {
            self.flights.end(&key, || Signal::Alone);
            let until_ms = now_ms.saturating_add(UNSTORABLE_MS);
            self.flights.unstorable.insert(key, until_ms);
        }
    }
}

impl<V: Clone> Drop for Leader<V> {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            self.flights.hand_on(&key);
        }
    }
}

impl<V: Clone> Future for Waiting<V> {
    type Output = Landed<V>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Landed<V>> {
        let signal = ready!(Pin::new(&mut self.signal).poll(context));
        Poll::Ready(match signal {
            Ok(Signal::Stored(value)) => Landed::Stored(value),
            Ok(Signal::Lead) => Landed::Lead(self.flights.leader(self.key.clone())),
            Ok(Signal::Alone) | Err(_) => Landed::Alone,
        })
    }
}

impl<V: Clone> Drop for Waiting<V> {
    fn drop(&mut self) {
        self.signal.close();
        if let Ok(Signal::Lead) = self.signal.try_recv() {
            self.flights.hand_on(&self.key);
        }
    }
}
