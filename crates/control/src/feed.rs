//! The feed: sends every connected gateway the full state first, and then each change. Handlers
//! wait here until all gateways have applied their writes.
//!
//! One pump at a time reads the changes since the last sequence sent (`store::feed`), compiles them
//! (`feed/events.rs`) and sends them to every follower (`feed/follower.rs`), numbered and ordered
//! by the store. `feed/calendar.rs` makes changes too: each day it renews the calendar windows of
//! compiled limits.

mod calendar;
mod events;
mod follower;

use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Mutex as AsyncMutex, mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior};
use tollgate_model::feed::{Applied, Change, Message, RefusedVersion, Sequence};
use tollgate_store::{Store, StoreError, feed};

use crate::clock::Clock;
use crate::contracts::{Contracts, GatewayUrl};
use crate::error::Chain;
use events::Sources;
use follower::{Follower, Serving};

/// Capacity of a follower's queue; a follower that lags further gets the full state again.
const MESSAGES_MAX: usize = 1_024;
/// Time that a writer waits for the followers before it reports that they lag behind.
const CATCH_UP_TIME: Duration = Duration::from_secs(1);
/// Time after which a failed read is retried.
const RETRY_TIME: Duration = Duration::from_millis(50);
/// Interval of heartbeats, which also send changes that no writer has sent.
const BEAT_TIME: Duration = Duration::from_secs(1);

/// The sender of changes to gateways. Clones share the same feed.
#[derive(Clone)]
pub struct Feed {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    clock: Clock,
    contracts: Arc<Contracts>,
    /// Locked while reading and sending, so that messages are sent in the order of their sequences.
    pump: AsyncMutex<Pump>,
    /// Followers that connected since the pump last ran.
    joining: Mutex<Vec<Follower>>,
    serving: Mutex<Vec<Serving>>,
    is_beating: AtomicBool,
}

/// The followers and the state of sending.
#[derive(Default)]
struct Pump {
    followers: Vec<Follower>,
    /// The sequence sent to every follower that does not lack the full state; `None` before the
    /// first full state.
    sent: Option<Sequence>,
    /// The day (since 1970, UTC) on which calendar windows were last listed.
    day: Option<i64>,
}

/// The sequence that was sent, and what each follower reports as applied.
struct Sent {
    sequence: Sequence,
    applied: Vec<watch::Receiver<Applied>>,
}

/// How far the followers have applied the committed changes.
#[derive(Debug, Default)]
#[must_use]
pub struct CaughtUp {
    /// Whether all of them have applied the changes in time.
    pub is_everywhere: bool,
    /// Versions that some of them cannot serve as stored; a version may occur once per follower.
    pub refused: Vec<RefusedVersion>,
}

impl Feed {
    /// Creates the feed of a store, for gateways at the URL `gateway`. At most
    /// `contract_cache_bytes_max` bytes of compiled contracts are cached.
    #[must_use]
    pub fn new(
        store: Store,
        clock: Clock,
        gateway: GatewayUrl,
        contract_cache_bytes_max: usize,
    ) -> Self {
        let contracts = Arc::new(Contracts::new(gateway, contract_cache_bytes_max));
        Self {
            inner: Arc::new(Inner {
                store,
                clock,
                contracts,
                pump: AsyncMutex::default(),
                joining: Mutex::default(),
                serving: Mutex::default(),
                is_beating: AtomicBool::new(false),
            }),
        }
    }

    /// The compiled contracts, shared with the feed.
    pub(crate) fn contracts(&self) -> Arc<Contracts> {
        Arc::clone(&self.inner.contracts)
    }

    /// Adds a follower: its first message is the full state, followed by changes and a heartbeat
    /// each second. The follower sends what it has applied to the watch; dropping either end
    /// disconnects it. Must be called within a tokio runtime, which runs the feed's tasks.
    #[must_use]
    pub fn follow(&self) -> (mpsc::Receiver<Message>, watch::Sender<Applied>) {
        let (messages, receiver) = mpsc::channel(MESSAGES_MAX);
        let (applied, seen) = watch::channel(Applied::default());
        let serving = self.inner.serving.lock();
        serving
            .unwrap_or_else(PoisonError::into_inner)
            .push(Serving::new(seen.clone()));
        let follower = Follower::new(messages, seen);
        let joining = self.inner.joining.lock();
        joining
            .unwrap_or_else(PoisonError::into_inner)
            .push(follower);
        if !self.inner.is_beating.swap(true, Ordering::Relaxed) {
            tokio::spawn(beat(Arc::downgrade(&self.inner)));
        }
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move { inner.pump_or_warn().await });
        (receiver, applied)
    }

    /// Whether a connected gateway has applied a full state, so that calls are served.
    #[must_use]
    pub fn is_served(&self) -> bool {
        let serving = self.inner.serving.lock();
        let mut serving = serving.unwrap_or_else(PoisonError::into_inner);
        serving.retain(|gateway| !gateway.has_left());
        serving.iter_mut().any(Serving::has_whole)
    }

    /// Returns what each connected gateway has applied.
    pub(crate) fn following(&self) -> Vec<Applied> {
        let serving = self.inner.serving.lock();
        let mut serving = serving.unwrap_or_else(PoisonError::into_inner);
        serving.retain(|gateway| !gateway.has_left());
        serving.iter().map(Serving::applied).collect()
    }

    /// Sends what was committed until now, and waits until every connected follower has applied it;
    /// after a second it logs a warning and returns.
    pub async fn catch_up(&self) -> CaughtUp {
        let deadline = Instant::now() + CATCH_UP_TIME;
        let Ok(sent) = tokio::time::timeout_at(deadline, self.inner.pump_until_done()).await else {
            tracing::warn!("a change could not be sent to the gateways in time; sending it later");
            return CaughtUp::default();
        };
        let mut caught_up = CaughtUp {
            is_everywhere: true,
            refused: Vec::new(),
        };
        for mut applied in sent.applied {
            let reached = applied.wait_for(|applied| applied.sequence >= sent.sequence);
            match tokio::time::timeout_at(deadline, reached).await {
                Ok(Ok(applied)) => caught_up.refused.extend_from_slice(&applied.refused),
                // The follower has disconnected.
                Ok(Err(_)) => {}
                Err(_) => {
                    let sequence = sent.sequence;
                    tracing::warn!(sequence, "a gateway has not applied a change in time");
                    caught_up.is_everywhere = false;
                }
            }
        }
        caught_up
    }
}

impl Inner {
    async fn pump_until_done(&self) -> Sent {
        loop {
            match self.pump().await {
                Ok(sent) => return sent,
                Err(error) => {
                    tracing::warn!(error = %Chain(&error), "failed to read changes for gateways");
                    tokio::time::sleep(RETRY_TIME).await;
                }
            }
        }
    }

    async fn pump_or_warn(&self) {
        if let Err(error) = self.pump().await {
            tracing::warn!(error = %Chain(&error), "failed to read changes for gateways");
        }
    }

    /// Sends every follower what it lacks. Changes are recorded as sent only after sending, which
    /// does not wait, so cancelling this future loses nothing.
    async fn pump(&self) -> Result<Sent, StoreError> {
        let mut pump = self.pump.lock().await;
        pump.admit(&self.joining);
        while !pump.followers.is_empty() {
            if pump.followers.iter().any(Follower::needs_whole) {
                self.send_whole(&mut pump).await?;
            }
            if self.send_changes(&mut pump).await? {
                break;
            }
        }
        Ok(Sent {
            sequence: pump.sent.unwrap_or_default(),
            applied: pump.followers.iter().map(Follower::applied).collect(),
        })
    }

    fn sources(&self) -> Sources<'_> {
        Sources {
            store: &self.store,
            contracts: &self.contracts,
        }
    }

    async fn send_whole(&self, pump: &mut Pump) -> Result<(), StoreError> {
        let now_us = self.clock.now_us();
        let whole = feed::whole(&self.store, now_us).await?;
        let change = Change {
            after: 0,
            sequence: whole.sequence,
            events: events::from_facts(whole.facts, self.sources(), now_us).await,
        };
        let needing = pump.followers.iter_mut().filter(|it| it.needs_whole());
        let needing: Vec<_> = needing.collect();
        // `repeat_n` moves the original to the last one: a full state may have a million
        // credentials.
        let copies = iter::repeat_n(change, needing.len());
        for (follower, whole) in needing.into_iter().zip(copies) {
            follower.send_whole(whole);
        }
        // The other followers get the changes in between with the next message. Those that got the
        // full state may get changes twice, which has no further effect.
        pump.sent.get_or_insert(whole.sequence);
        pump.day.get_or_insert(calendar::day(now_us));
        Ok(())
    }

    /// Sends the changes. Returns `false` if the last sent sequence is too old, so that all
    /// followers need the full state.
    async fn send_changes(&self, pump: &mut Pump) -> Result<bool, StoreError> {
        let Some(sent) = pump.sent else {
            return Ok(true);
        };
        let now_us = self.clock.now_us();
        let Some(changed) = feed::changes_since(&self.store, sent, now_us).await? else {
            pump.sent = None;
            pump.followers.iter_mut().for_each(Follower::forget);
            return Ok(!pump.followers.iter().any(Follower::needs_whole));
        };
        if changed.sequence > sent {
            let change = Change {
                after: sent,
                sequence: changed.sequence,
                events: events::from_facts(changed.facts, self.sources(), now_us).await,
            };
            for follower in &mut pump.followers {
                follower.send_change(&change);
            }
            pump.sent = Some(changed.sequence);
        }
        Ok(true)
    }

    /// Does the periodic work of each second.
    async fn beat(&self) {
        if let Err(error) = self.renew_calendar().await {
            tracing::warn!(error = %Chain(&error), "failed to renew calendar windows");
        }
        self.pump_or_warn().await;
        self.pump
            .lock()
            .await
            .followers
            .iter_mut()
            .for_each(Follower::beat);
    }

    /// Renews the windows of calendar limits once a day.
    async fn renew_calendar(&self) -> Result<(), StoreError> {
        let today = calendar::day(self.clock.now_us());
        if self.pump.lock().await.day.is_none_or(|day| day == today) {
            return Ok(());
        }
        calendar::note_all(&self.store, self.clock.now_us()).await?;
        self.pump.lock().await.day = Some(today);
        Ok(())
    }
}

impl Pump {
    /// Adds new followers and removes those that have disconnected.
    fn admit(&mut self, joining: &Mutex<Vec<Follower>>) {
        let mut joining = joining.lock().unwrap_or_else(PoisonError::into_inner);
        self.followers.append(&mut joining);
        self.followers.retain(|follower| !follower.has_left());
        if self.followers.is_empty() {
            self.sent = None;
        }
    }
}

/// Runs the periodic work until the feed is dropped.
async fn beat(feed: Weak<Inner>) {
    let mut ticks = tokio::time::interval(BEAT_TIME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(inner) = feed.upgrade() else { return };
        inner.beat().await;
    }
}

#[cfg(test)]
pub(crate) mod mirror;
#[cfg(test)]
mod tests;
