//! The feed: every gateway that follows hears what is true, first the whole and then each change,
//! and a handler that has written waits here until they all have applied it.
//!
//! One pump at a time reads what changed since the last sequence told (`store::feed`), compiles
//! it (`feed/events.rs`) and tells it to every follower (`feed/follower.rs`); the numbering and
//! the order are the store's. Time makes changes too: `feed/calendar.rs` renews the windows that
//! compiled limits list.

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
use follower::{Follower, Serving};

/// Messages that a follower may leave unread; who lags further gets the whole again.
const MESSAGES_MAX: usize = 1_024;
/// How long a writer waits for the followers before it answers that they lag behind.
const CATCH_UP_TIME: Duration = Duration::from_secs(1);
/// After this long a read that failed is tried again.
const RETRY_TIME: Duration = Duration::from_millis(50);
/// A heartbeat goes out, and what was missed is told, each time this has passed.
const BEAT_TIME: Duration = Duration::from_secs(1);

/// Tells gateways what changed. Clones are the same feed.
#[derive(Clone)]
pub struct Feed {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    clock: Clock,
    contracts: Arc<Contracts>,
    /// Held while reading and telling, so that messages go out in the order of their sequences.
    pump: AsyncMutex<Pump>,
    /// Followers that came since the pump last ran.
    joining: Mutex<Vec<Follower>>,
    serving: Mutex<Vec<Serving>>,
    is_beating: AtomicBool,
}

/// What was told to whom.
#[derive(Default)]
struct Pump {
    followers: Vec<Follower>,
    /// Up to where every follower was told, lest it lacks the whole; `None` before the first.
    told: Option<Sequence>,
    /// The day (since 1970, UTC) on which calendar windows were last listed.
    day: Option<i64>,
}

/// Up to where it was told, and how far each follower says it is.
struct Told {
    sequence: Sequence,
    applied: Vec<watch::Receiver<Applied>>,
}

/// How far the followers are with what was committed.
#[derive(Debug, Default)]
#[must_use]
pub struct CaughtUp {
    /// Whether each of them has applied it in time.
    pub is_everywhere: bool,
    /// What some of them cannot serve as it is stored; a version may be there for each of them.
    pub refused: Vec<RefusedVersion>,
}

impl Feed {
    /// A feed of this store, for gateways that callers reach at `gateway`; of what contracts are
    /// compiled to, so many bytes are remembered.
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

    /// The contracts that it compiles.
    pub(crate) fn contracts(&self) -> Arc<Contracts> {
        Arc::clone(&self.inner.contracts)
    }

    /// Begins to follow: the first message is the whole, then come changes and a heartbeat each
    /// second. The follower sends what it has applied to the watch; dropping either end is
    /// leaving. Call it within a tokio runtime: the feed's own work runs there.
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

    /// Whether a gateway follows that has applied a whole: calls are served somewhere.
    #[must_use]
    pub fn is_served(&self) -> bool {
        let serving = self.inner.serving.lock();
        let mut serving = serving.unwrap_or_else(PoisonError::into_inner);
        serving.retain(|gateway| !gateway.has_left());
        serving.iter_mut().any(Serving::has_whole)
    }

    /// What those who follow have applied.
    pub(crate) fn following(&self) -> Vec<Applied> {
        let serving = self.inner.serving.lock();
        let mut serving = serving.unwrap_or_else(PoisonError::into_inner);
        serving.retain(|gateway| !gateway.has_left());
        serving.iter().map(Serving::applied).collect()
    }

    /// Tells what was committed until now and waits until every live follower has applied it;
    /// after a second it warns and goes on.
    pub async fn catch_up(&self) -> CaughtUp {
        let deadline = Instant::now() + CATCH_UP_TIME;
        let Ok(told) = tokio::time::timeout_at(deadline, self.inner.pump_until_done()).await else {
            tracing::warn!("a change could not be told to the gateways in time; it follows later");
            return CaughtUp::default();
        };
        let mut caught_up = CaughtUp {
            is_everywhere: true,
            refused: Vec::new(),
        };
        for mut applied in told.applied {
            let reached = applied.wait_for(|applied| applied.sequence >= told.sequence);
            match tokio::time::timeout_at(deadline, reached).await {
                Ok(Ok(applied)) => caught_up.refused.extend_from_slice(&applied.refused),
                // A follower that has left is nobody to wait for.
                Ok(Err(_)) => {}
                Err(_) => {
                    let sequence = told.sequence;
                    tracing::warn!(sequence, "a gateway has not applied a change in time");
                    caught_up.is_everywhere = false;
                }
            }
        }
        caught_up
    }
}

impl Inner {
    async fn pump_until_done(&self) -> Told {
        loop {
            match self.pump().await {
                Ok(told) => return told,
                Err(error) => {
                    tracing::warn!(error = %Chain(&error), "what changed could not be read");
                    tokio::time::sleep(RETRY_TIME).await;
                }
            }
        }
    }

    async fn pump_or_warn(&self) {
        if let Err(error) = self.pump().await {
            tracing::warn!(error = %Chain(&error), "what changed could not be read");
        }
    }

    /// Tells every follower what it lacks. Nothing is noted as told before it was sent, and
    /// sending does not wait, so a caller that goes away in between loses nothing.
    async fn pump(&self) -> Result<Told, StoreError> {
        let mut pump = self.pump.lock().await;
        pump.admit(&self.joining);
        while !pump.followers.is_empty() {
            if pump.followers.iter().any(Follower::wants_whole) {
                self.tell_whole(&mut pump).await?;
            }
            if self.tell_changes(&mut pump).await? {
                break;
            }
        }
        Ok(Told {
            sequence: pump.told.unwrap_or_default(),
            applied: pump.followers.iter().map(Follower::applied).collect(),
        })
    }

    async fn tell_whole(&self, pump: &mut Pump) -> Result<(), StoreError> {
        let now_us = self.clock.now_us();
        let whole = feed::whole(&self.store, now_us).await?;
        let change = Change {
            after: 0,
            sequence: whole.sequence,
            events: events::of(whole.facts, &self.contracts, now_us).await,
        };
        let wanting = pump.followers.iter_mut().filter(|it| it.wants_whole());
        let wanting: Vec<_> = wanting.collect();
        // The last one gets the original: a whole may hold a million credentials.
        let copies = iter::repeat_n(change, wanting.len());
        for (follower, whole) in wanting.into_iter().zip(copies) {
            follower.tell_whole(whole);
        }
        // The others were told less; they get the changes in between with the next message, and
        // those who have the whole perhaps twice, which is the same as once.
        pump.told.get_or_insert(whole.sequence);
        pump.day.get_or_insert(calendar::day(now_us));
        Ok(())
    }

    /// Tells what changed; `false` where it lies too far back, so that all want the whole.
    async fn tell_changes(&self, pump: &mut Pump) -> Result<bool, StoreError> {
        let Some(told) = pump.told else {
            return Ok(true);
        };
        let now_us = self.clock.now_us();
        let Some(changed) = feed::changes_since(&self.store, told, now_us).await? else {
            pump.told = None;
            pump.followers.iter_mut().for_each(Follower::forget);
            return Ok(!pump.followers.iter().any(Follower::wants_whole));
        };
        if changed.sequence > told {
            let change = Change {
                after: told,
                sequence: changed.sequence,
                events: events::of(changed.facts, &self.contracts, now_us).await,
            };
            for follower in &mut pump.followers {
                follower.tell(&change);
            }
            pump.told = Some(changed.sequence);
        }
        Ok(true)
    }

    /// What happens each second.
    async fn beat(&self) {
        if let Err(error) = self.renew_calendar().await {
            tracing::warn!(error = %Chain(&error), "calendar windows could not be renewed");
        }
        self.pump_or_warn().await;
        self.pump
            .lock()
            .await
            .followers
            .iter_mut()
            .for_each(Follower::beat);
    }

    /// Lists the windows of calendar limits anew when a day has passed.
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
    /// Takes in who joins and lets go who has left.
    fn admit(&mut self, joining: &Mutex<Vec<Follower>>) {
        let mut joining = joining.lock().unwrap_or_else(PoisonError::into_inner);
        self.followers.append(&mut joining);
        self.followers.retain(|follower| !follower.has_left());
        if self.followers.is_empty() {
            self.told = None;
        }
    }
}

/// Beats until the feed is gone.
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
