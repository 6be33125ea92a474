//! The room for bodies that are read whole, over all workers (`gateway.buffered_bytes_max`): those
//! of requests and responses, for the steps of policies, for SOAP as REST and for the cache.
//!
//! A body announces its length before it is read: 64 KiB if that is unknown and, once it turns out
//! to be longer, as much as may be read of it. What the bodies of one [`Holder`] announce fits into
//! the room ([`account`]); a quarter of it is for bodies of up to 64 KiB, the rest for longer ones,
//! and a body with room for a longer one never waits for more. So there is always one that does not
//! wait.
//!
//! Between holders counts what has arrived. A body holds room for that in steps of 64 KiB. Once the
//! room is short, the holder that holds most gives way: of its bodies the one that took no further
//! step for longest ([`watch`]), to others of its own only if it is slower than a step a second.
//! What is whole and on its way to an upstream never gives way.
//!
//! Requests wait a second at most for what gives way, responses within the time of their exchange.
//! The room is given back with the last byte sent, or with the body that replaced it.

mod account;
mod announced;
mod room;
mod watch;

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use tokio::sync::Notify;
use tollgate_model::id::UserId;

use crate::places::network;
use account::Account;
use announced::Announced;
use watch::Age;

pub(crate) use room::{Held, Need, NoRoom, Room, or_give_way};
pub(crate) use watch::{GaveWay, Stage};

/// Bytes for which a body holds room at a time, and those that are read of a body of unknown length
/// before it announces more.
pub(crate) const STEP_BYTES: u64 = 64 * 1024;
/// Number of accounts from which on unused ones are removed.
const ACCOUNTS_MIN: usize = 64;

/// Who is accountable for a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    /// The owner of the calling application.
    User(UserId),
    /// The address of a caller without an application; of IPv6, its /64.
    Address(IpAddr),
}

impl Holder {
    /// Returns the holder for calls from an address without an application.
    pub(crate) fn from_address(address: IpAddr) -> Self {
        Self::Address(network(address.to_canonical()))
    }
}

/// The room of all workers.
#[derive(Debug)]
pub(crate) struct Buffered {
    bytes_max: u64,
    /// Bytes held by all bodies.
    held: AtomicU64,
    /// Those of them held by bodies that were asked to give way.
    leaving: Arc<AtomicU64>,
    accounts: Mutex<Accounts>,
    /// Wakes bodies that wait, whenever room is given back while some do.
    released: Notify,
    waiting: AtomicU64,
}

#[derive(Debug)]
struct Accounts {
    by_holder: HashMap<Holder, Arc<Account>>,
    /// Number of accounts at which unused ones are removed next.
    sweep_at: usize,
}

impl Buffered {
    /// Creates room for `bytes_max` bytes of bodies.
    pub(crate) fn new(bytes_max: u64) -> Arc<Self> {
        Arc::new(Self {
            bytes_max,
            held: AtomicU64::new(0),
            leaving: Arc::default(),
            accounts: Mutex::new(Accounts {
                by_holder: HashMap::new(),
                sweep_at: ACCOUNTS_MIN,
            }),
            released: Notify::new(),
            waiting: AtomicU64::new(0),
        })
    }

    /// Bytes held by all bodies.
    pub(crate) fn bytes(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// The most bytes that one body can have.
    pub(crate) fn body_bytes_max(&self) -> u64 {
        account::long_bytes(self.bytes_max)
    }

    /// Returns an empty room.
    pub(crate) fn room(self: &Arc<Self>, holder: Holder) -> Room {
        Room {
            account: self.account(holder),
            home: Arc::clone(self),
            announced: Announced::default(),
            held: 0,
            watch: None,
        }
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn account(&self, holder: Holder) -> Arc<Account> {
        let mut accounts = self.accounts();
        if let Some(account) = accounts.by_holder.get(&holder) {
            return Arc::clone(account);
        }
        if accounts.by_holder.len() >= accounts.sweep_at {
            // Only rooms hold them otherwise.
            let accounts = &mut *accounts;
            accounts
                .by_holder
                .retain(|_, account| Arc::strong_count(account) > 1);
            accounts.sweep_at = (2 * accounts.by_holder.len()).max(ACCOUNTS_MIN);
        }
        let account = Arc::new(Account::new(self.bytes_max, &self.leaving));
        accounts.by_holder.insert(holder, Arc::clone(&account));
        account
    }

    /// Asks bodies to give way until `bytes` more can be held once they have left: always the next
    /// one of the holder that holds most, and none of a holder that holds less than the asking one.
    /// Returns whether there will be enough.
    fn ask_holders(&self, asking: &Arc<Account>, bytes: u64) -> bool {
        let missing = || {
            let held = self.held.load(Ordering::Acquire);
            let stays = held.saturating_sub(self.leaving.load(Ordering::Acquire));
            (stays + bytes).saturating_sub(self.bytes_max)
        };
        if missing() == 0 {
            return true;
        }
        let own = asking.stays();
        let mut holders: Vec<_> = {
            let accounts = self.accounts();
            let larger = accounts.by_holder.values();
            let larger = larger.filter(|account| account.stays() > own);
            larger.map(Arc::clone).collect()
        };
        while missing() > 0 {
            let most = holders.iter().enumerate();
            let most = most.max_by_key(|(_, account)| account.stays());
            match most {
                Some((at, most)) if most.stays() > own => {
                    if !most.ask_next(Age::Any) {
                        // What it has is on its way.
                        holders.swap_remove(at);
                    }
                }
                // A holder that has most waits for its own bodies, unless they are stale.
                _ => {
                    if !asking.ask_next(Age::Stale) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn release(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::AcqRel);
        if self.waiting.load(Ordering::Acquire) > 0 {
            self.released.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests;
