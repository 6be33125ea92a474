//! Connections by address, over all workers: [`Places`]. `listener.rs` takes a [`Place`] for each
//! connection.
//!
//! One address holds a bounded number. If all places are taken, the connection that has been idle
//! longest gives way to the new one: of the address with the most connections, or of the next one
//! if none of those is idle. A connection is idle without a whole request head: between two
//! requests, or before its first one. A call keeps its place.
//!
//! The table is locked when connections open and close. A call costs one compare-and-swap and one
//! store in memory that only its worker writes: idle times are looked up only when room is short.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv6Addr};
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;

use hashbrown::HashMap;
use tollgate_fetch::Networks;

/// Milliseconds since the table was created, or one of the two values below.
type Since = u64;
/// The state of a connection that is serving a request.
const BUSY: Since = u64::MAX;
/// The state of a connection that has given way.
const CLOSED: Since = u64::MAX - 1;
/// Addresses searched for an idle connection, those with the most connections first.
const ADDRESSES_SEARCHED: usize = 16;
/// Connections of one address checked in one search, those that may be idle longest first. The next
/// search continues after them.
const CONNECTIONS_SEARCHED: usize = 256;

/// The number of places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// Of all callers.
    pub(crate) all: usize,
    /// Of one address.
    pub(crate) per_address: usize,
}

/// The connections of all callers, by address.
#[derive(Debug)]
pub(crate) struct Places {
    sizes: Sizes,
    /// Reverse proxies, which have no bound of their own.
    trusted: Networks,
    began: Instant,
    /// Milliseconds since then, as of the last [tick](Self::tick).
    now: AtomicU64,
    held: Mutex<Held>,
}

/// Why there is no place for a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// Its address holds this many, the maximum.
    Address(usize),
    /// All are busy with calls.
    All,
}

#[derive(Debug, Default)]
struct Held {
    next_id: u64,
    count: usize,
    holders: HashMap<IpAddr, Holder>,
    /// Every holder once, in the order in which they give way.
    ranks: BTreeSet<Rank>,
    /// When a search found no idle connection: the next search waits for the clock to advance.
    none_idle_at: Option<Since>,
}

/// The places of one address, keyed by the time since which each is known to be idle. The actual
/// time may be later: calls do not update it.
#[derive(Debug, Default)]
struct Holder {
    places: BTreeMap<Listed, Arc<Activity>>,
    rank: Rank,
}

/// The key of a place among those of its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Listed {
    /// Since when it is known to be idle.
    since: Since,
    id: u64,
}

/// Most connections first; of several equal ones, the one with the oldest.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    count: Reverse<usize>,
    oldest: Since,
    address: Option<IpAddr>,
}

/// The place of a connection, until dropped or given away.
#[derive(Debug)]
pub(crate) struct Place {
    id: u64,
    address: IpAddr,
    activity: Arc<Activity>,
    places: Arc<Places>,
}

/// The activity of a connection.
#[derive(Debug)]
struct Activity {
    /// Since when it has been idle, [`BUSY`] or [`CLOSED`].
    state: AtomicU64,
    /// The time of its key in [`Holder::places`]. Read and written with the table locked.
    listed: AtomicU64,
    /// The task that serves the connection.
    waker: Mutex<Option<Waker>>,
}

impl Places {
    /// A table without connections.
    pub(crate) fn new(sizes: Sizes, trusted: Networks) -> Arc<Self> {
        Arc::new(Self {
            sizes,
            trusted,
            began: Instant::now(),
            now: AtomicU64::new(0),
            held: Mutex::default(),
        })
    }

    /// Updates the clock for all connections. Each worker calls it on each of its ticks.
    pub(crate) fn tick(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(CLOSED - 1);
        self.now.fetch_max(now, Ordering::Relaxed);
    }

    /// Takes a place for a new connection from `peer`, closing an idle one if none is free; also
    /// returns the address that gave way.
    pub(crate) fn take(self: &Arc<Self>, peer: IpAddr) -> Result<(Place, Option<IpAddr>), Full> {
        let peer = peer.to_canonical();
        let is_trusted = self.trusted.contain(peer);
        let address = if is_trusted { peer } else { network(peer) };
        let now = self.now();
        let mut held = lock(&self.held);
        let count = held.holders.get(&address).map_or(0, |it| it.places.len());
        if count >= self.sizes.per_address && !is_trusted {
            return Err(Full::Address(count));
        }
        let gave_way = if held.count >= self.sizes.all {
            Some(held.give_way(now).ok_or(Full::All)?)
        } else {
            None
        };
        let activity = Arc::new(Activity {
            state: AtomicU64::new(now),
            listed: AtomicU64::new(now),
            waker: Mutex::default(),
        });
        let id = held.next_id;
        held.next_id += 1;
        let listed = Listed { since: now, id };
        held.insert(address, listed, Arc::clone(&activity));
        let place = Place {
            id,
            address,
            activity,
            places: Arc::clone(self),
        };
        Ok((place, gave_way))
    }

    fn now(&self) -> Since {
        self.now.load(Ordering::Relaxed)
    }
}

impl Held {
    /// Closes the connection that has to give way, if any; returns its address.
    fn give_way(&mut self, now: Since) -> Option<IpAddr> {
        if self.none_idle_at == Some(now) {
            return None;
        }
        let found = self.search(now);
        self.none_idle_at = found.is_none().then_some(now);
        found
    }

    fn search(&mut self, now: Since) -> Option<IpAddr> {
        let mut next = self.ranks.first().copied();
        for _ in 0..ADDRESSES_SEARCHED {
            let rank = next?;
            let address = rank.address?;
            if self.close_idle(address, now) {
                return Some(address);
            }
            let behind = (Bound::Excluded(rank), Bound::Unbounded);
            next = self.ranks.range(behind).next().copied();
        }
        None
    }

    /// Closes the connection of an address that has been idle longest, if any.
    fn close_idle(&mut self, address: IpAddr, now: Since) -> bool {
        let Some(holder) = self.holders.get_mut(&address) else {
            return false;
        };
        let (mut busy, mut closed) = (Vec::new(), None);
        for _ in 0..CONNECTIONS_SEARCHED {
            let Some((listed, activity)) = holder.places.pop_first() else {
                break;
            };
            match activity.close(listed.since) {
                Ok(()) => {
                    closed = Some(activity);
                    break;
                }
                Err(BUSY) => busy.push((listed.id, activity)),
                // It has been busy meanwhile.
                Err(since) => holder.list(Listed { since, ..listed }, activity),
            }
        }
        for (id, activity) in busy {
            holder.list(Listed { since: now, id }, activity);
        }
        self.count -= usize::from(closed.is_some());
        self.rank(address);
        if let Some(activity) = &closed {
            activity.wake();
        }
        closed.is_some()
    }

    fn insert(&mut self, address: IpAddr, listed: Listed, activity: Arc<Activity>) {
        let holder = self.holders.entry(address).or_default();
        holder.places.insert(listed, activity);
        self.count += 1;
        self.rank(address);
    }

    /// Does nothing if the place was given away.
    fn remove(&mut self, address: IpAddr, listed: Listed) {
        let Some(holder) = self.holders.get_mut(&address) else {
            return;
        };
        if holder.places.remove(&listed).is_some() {
            self.count -= 1;
            self.rank(address);
        }
    }

    /// Updates the rank of a holder after a change of its places; drops an empty one.
    fn rank(&mut self, address: IpAddr) {
        let Some(holder) = self.holders.get_mut(&address) else {
            return;
        };
        self.ranks.remove(&holder.rank);
        let Some((first, _)) = holder.places.first_key_value() else {
            self.holders.remove(&address);
            return;
        };
        holder.rank = Rank {
            count: Reverse(holder.places.len()),
            oldest: first.since,
            address: Some(address),
        };
        self.ranks.insert(holder.rank);
    }
}

impl Holder {
    fn list(&mut self, listed: Listed, activity: Arc<Activity>) {
        activity.listed.store(listed.since, Ordering::Relaxed);
        self.places.insert(listed, activity);
    }
}

impl Place {
    /// Registers the task of the connection, which is woken when the place is given away.
    pub(crate) fn serve_by(&self, waker: &Waker) {
        *lock(&self.activity.waker) = Some(waker.clone());
    }

    /// Whether another connection has taken the place.
    pub(crate) fn is_closed(&self) -> bool {
        self.activity.state.load(Ordering::Acquire) == CLOSED
    }

    /// Marks the connection as busy; returns `false` if its place was given away.
    pub(crate) fn begin(&self) -> bool {
        let state = &self.activity.state;
        let idle = state.load(Ordering::Relaxed);
        // Only the connection's own task makes it busy or idle.
        let (set, failed) = (Ordering::AcqRel, Ordering::Acquire);
        idle != CLOSED && state.compare_exchange(idle, BUSY, set, failed).is_ok()
    }

    /// Marks the connection as idle from now on.
    pub(crate) fn end(&self) {
        let now = self.places.now();
        self.activity.state.store(now, Ordering::Release);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut held = lock(&self.places.held);
        let listed = Listed {
            since: self.activity.listed.load(Ordering::Relaxed),
            id: self.id,
        };
        held.remove(self.address, listed);
    }
}

impl Activity {
    /// Closes a connection that has been idle since `since`; otherwise returns its state.
    fn close(&self, since: Since) -> Result<(), Since> {
        let (set, failed) = (Ordering::AcqRel, Ordering::Acquire);
        let closed = self.state.compare_exchange(since, CLOSED, set, failed);
        closed.map(drop)
    }

    fn wake(&self) {
        if let Some(waker) = lock(&self.waker).take() {
            waker.wake();
        }
    }
}

/// Returns the address for which a caller's connections count: an IPv4 address, or the first 64
/// bits of an IPv6 address, since each machine chooses the other half (RFC 4291, section 2.5.4).
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// Every change is complete, so the data is consistent even after a panic elsewhere.
fn lock<T>(guarded: &Mutex<T>) -> MutexGuard<'_, T> {
    guarded.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
