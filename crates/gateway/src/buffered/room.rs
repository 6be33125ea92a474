//! The room of one body.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;
use tollgate_http1::own_body::OwnBody;

use super::account::Account;
use super::announced::Announced;
use super::watch::{GaveWay, Stage, Watch};
use super::{Buffered, STEP_BYTES};

/// Maximum time for which a request waits for what gives way.
pub(super) const REQUEST_WAIT: Duration = Duration::from_secs(1);
/// Interval at which a waiting body looks again for what may give way.
pub(super) const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// What a body needs: its length as far as known, and how much of it may arrive now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need {
    pub(crate) announced: u64,
    pub(crate) held: u64,
}

impl Need {
    /// The need of a body that has arrived.
    pub(crate) fn whole(bytes: u64) -> Self {
        Self {
            announced: bytes,
            held: bytes,
        }
    }

    /// The need of a body with this length, as far as known, that begins to arrive.
    pub(crate) fn first(announced: u64) -> Self {
        Self {
            announced,
            held: announced.min(STEP_BYTES),
        }
    }

    /// The need of one step more, for a body of at most `bytes_max` bytes.
    pub(crate) fn next(self, bytes_max: u64) -> Self {
        let held = (self.held + STEP_BYTES).min(bytes_max);
        match held <= self.announced {
            true => Self { held, ..self },
            // Its length was not known.
            false => Self {
                announced: bytes_max,
                held,
            },
        }
    }
}

/// How long a body waits for room that nothing gives way for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    None,
    /// Until it is free.
    Full,
}

/// Why a body got no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoRoom {
    /// Nothing gives way to it, or not in time.
    Busy,
    /// It has to give way itself.
    GaveWay,
}

/// Room taken for one body; given back when dropped.
#[derive(Debug)]
pub(crate) struct Room {
    pub(super) home: Arc<Buffered>,
    pub(super) account: Arc<Account>,
    pub(super) announced: Announced,
    pub(super) held: u64,
    /// Its place among the bodies that can give way, while it is one.
    pub(super) watch: Option<Watch>,
}

/// A body with its room.
#[derive(Debug)]
pub(crate) struct Held<B> {
    pub(crate) body: B,
    pub(crate) room: Room,
}

impl Held<OwnBody> {
    /// Puts the body of a request into the room of the one that it was made of.
    ///
    /// # Errors
    /// It is longer, and finds no room.
    pub(crate) async fn within(body: OwnBody, mut room: Room) -> Result<Self, NoRoom> {
        let bytes = body.body().len() as u64;
        room.shrink(bytes);
        // It is whole: it waits, but does not give way.
        let need = Need::whole(bytes);
        if !room.try_take(need) {
            let taking = room.take_from_others(need, Patience::None);
            let taken = timeout(REQUEST_WAIT, taking).await;
            taken.unwrap_or(Err(NoRoom::Busy))?;
        }
        Ok(Self { body, room })
    }
}

impl Room {
    /// Takes room if it is free; returns whether it is.
    pub(crate) fn try_take(&mut self, need: Need) -> bool {
        let account = &self.account;
        account.try_announce(&mut self.announced, need.announced) && self.try_hold(need.held)
    }

    /// Takes room if it is free; returns whether it is. Otherwise others are asked to give way, for
    /// the next body.
    pub(crate) fn try_take_or_ask(&mut self, need: Need) -> bool {
        let account = &self.account;
        if !account.try_announce(&mut self.announced, need.announced) {
            account.ask_stale(self.announced, need.announced);
            return false;
        }
        let is_free = self.try_hold(need.held);
        if !is_free {
            let more = need.held.saturating_sub(self.held);
            self.home.ask_holders(&self.account, more);
        }
        is_free
    }

    /// Takes room for a request.
    ///
    /// # Errors
    /// There is none, nothing gives way within a second, or the body has to give way itself.
    pub(crate) async fn take_for_request(&mut self, need: Need) -> Result<(), NoRoom> {
        if self.try_take(need) {
            return Ok(());
        }
        let taking = self.take(need, Stage::Request, Patience::None);
        let taken = timeout(REQUEST_WAIT, taking).await;
        taken.unwrap_or(Err(NoRoom::Busy))
    }

    /// Waits until there is room for a response that is in this stage.
    ///
    /// # Errors
    /// The body has to give way itself.
    pub(crate) async fn take_for_response(
        &mut self,
        need: Need,
        stage: Stage,
    ) -> Result<(), GaveWay> {
        let taken = self.take(need, stage, Patience::Full).await;
        taken.map_err(|_| GaveWay)
    }

    /// Takes room also if there is none: what exceeds it gives way elsewhere, or not at all.
    pub(crate) fn take_anyway(&mut self, need: Need) {
        let account = Arc::clone(&self.account);
        let _fits = account.try_announce(&mut self.announced, need.announced);
        let more = need.held.saturating_sub(self.held);
        if !self.try_hold(need.held) {
            self.home.ask_holders(&account, more);
            self.home.held.fetch_add(more, Ordering::AcqRel);
            self.add_held(more);
        }
    }

    async fn take(&mut self, need: Need, stage: Stage, patience: Patience) -> Result<(), NoRoom> {
        // One that has begun to arrive gives way while it waits: others may wait for it.
        let asked = (self.held > 0).then(|| self.watch(stage));
        let taking = self.take_from_others(need, patience);
        let Some(asked) = asked else {
            return taking.await;
        };
        tokio::select! {
            biased;
            taken = taking => taken,
            () = asked.notified() => Err(NoRoom::GaveWay),
        }
    }

    async fn take_from_others(&mut self, need: Need, patience: Patience) -> Result<(), NoRoom> {
        let (home, account) = (Arc::clone(&self.home), Arc::clone(&self.account));
        if !account.try_announce(&mut self.announced, need.announced) {
            let before = self.announced;
            let mut announcing = pin!(account.announce(&mut self.announced, need.announced));
            loop {
                if !account.ask_stale(before, need.announced) && patience == Patience::None {
                    return Err(NoRoom::Busy);
                }
                if timeout(LOOK_INTERVAL, &mut announcing).await.is_ok() {
                    break;
                }
            }
        }
        let _waiting = Waiting::begin(&home);
        loop {
            let released = home.released.notified();
            if self.try_hold(need.held) {
                return Ok(());
            }
            let more = need.held.saturating_sub(self.held);
            if !home.ask_holders(&account, more) && patience == Patience::None {
                return Err(NoRoom::Busy);
            }
            // Only a hint: what was asked may have left in between.
            let _is_released = timeout(LOOK_INTERVAL, released).await;
        }
    }

    /// Holds this many bytes if they are free; returns whether they are.
    fn try_hold(&mut self, bytes: u64) -> bool {
        let more = bytes.saturating_sub(self.held);
        if more == 0 {
            return true;
        }
        let bytes_max = self.home.bytes_max;
        let added = self
            .home
            .held
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |held| {
                Some(held + more).filter(|held| *held <= bytes_max)
            });
        if added.is_ok() {
            self.add_held(more);
        }
        added.is_ok()
    }

    fn add_held(&mut self, more: u64) {
        self.held += more;
        self.account.hold(more);
        self.note_step();
    }

    /// Gives back what exceeds this many bytes.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        self.account.shrink(&mut self.announced, bytes);
        let extra = self.held.saturating_sub(bytes);
        self.held -= extra;
        self.account.release(extra);
        self.home.release(extra);
    }

    /// Adds the body to those that can give way, if it is not among them; returns what notifies it.
    pub(super) fn watch(&mut self, stage: Stage) -> Arc<Notify> {
        let begin = || self.account.watch(stage, self.announced, self.held);
        Arc::clone(&self.watch.get_or_insert_with(begin).asked)
    }

    /// Notes that the body has taken another step.
    fn note_step(&self) {
        if let Some(watch) = &self.watch {
            self.account.step(watch, self.announced, self.held);
        }
    }

    /// Removes the body from those that can give way: it is whole.
    pub(crate) fn stay(&mut self) {
        if let Some(watch) = self.watch.take() {
            self.account.unwatch(&watch);
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.account.withdraw(self.announced);
        self.account.release(self.held);
        self.home.release(self.held);
        // Last: what it held must not seem to stay meanwhile.
        self.stay();
    }
}

/// Counts a body that waits for [`Buffered::released`].
struct Waiting<'h>(&'h Buffered);

impl<'h> Waiting<'h> {
    fn begin(home: &'h Buffered) -> Self {
        home.waiting.fetch_add(1, Ordering::AcqRel);
        Self(home)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Waits for work on a body, unless the body has to give way meanwhile. `moved` returns how many
/// bytes of it have moved so far.
///
/// # Errors
/// The body has to give way.
pub(crate) async fn or_give_way<T>(
    room: &mut Room,
    stage: Stage,
    moved: impl Fn() -> u64,
    work: impl Future<Output = T>,
) -> Result<T, GaveWay> {
    let mut work = pin!(work);
    // Usually everything has arrived, or is taken at once.
    let first = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
    if let Poll::Ready(done) = first {
        return Ok(done);
    }
    let asked = room.watch(stage);
    let mut asked = pin!(asked.notified());
    let mut stepped = 0;
    poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Ok(done));
        }
        if moved() >= stepped + STEP_BYTES {
            stepped = moved();
            room.note_step();
        }
        asked.as_mut().poll(context).map(|()| Err(GaveWay))
    })
    .await
}
