//! One gateway that follows: its queue of messages, and how far it says it is.

use tokio::sync::{mpsc, watch};
use tollgate_model::feed::{Applied, Change, Message, Sequence};

/// One gateway that follows.
pub(crate) struct Follower {
    messages: mpsc::Sender<Message>,
    applied: watch::Receiver<Applied>,
    /// It was told nothing yet, or its queue was full once, so that changes tell it nothing.
    lacks_whole: bool,
    /// The last sequence in its queue.
    told: Sequence,
}

/// Whether a gateway that follows serves something. Apart from [`Follower`], so that nobody who
/// asks waits for what is being told.
pub(crate) struct Serving {
    applied: watch::Receiver<Applied>,
    has_whole: bool,
}

impl Serving {
    pub(crate) fn new(applied: watch::Receiver<Applied>) -> Self {
        Self {
            applied,
            has_whole: false,
        }
    }

    /// Whether nobody is there any more.
    pub(crate) fn has_left(&self) -> bool {
        self.applied.has_changed().is_err()
    }

    /// What it has applied.
    pub(crate) fn applied(&self) -> Applied {
        self.applied.borrow().clone()
    }

    /// Whether it has applied a whole: one that has missed something since serves what it has.
    pub(crate) fn has_whole(&mut self) -> bool {
        self.has_whole |= self.applied.borrow().sequence > 0;
        self.has_whole
    }
}

impl Follower {
    pub(crate) fn new(messages: mpsc::Sender<Message>, applied: watch::Receiver<Applied>) -> Self {
        Self {
            messages,
            applied,
            lacks_whole: true,
            told: 0,
        }
    }

    /// Whether nobody is there any more.
    pub(crate) fn has_left(&self) -> bool {
        self.messages.is_closed() || self.applied.has_changed().is_err()
    }

    /// Whether it lacks the whole and could take it now.
    pub(crate) fn wants_whole(&self) -> bool {
        self.lacks_whole && self.messages.capacity() > 0
    }

    /// How far it says it is.
    pub(crate) fn applied(&self) -> watch::Receiver<Applied> {
        self.applied.clone()
    }

    /// What it was told does not count any more.
    pub(crate) fn forget(&mut self) {
        self.lacks_whole = true;
    }

    pub(crate) fn tell_whole(&mut self, whole: Change) {
        self.told = whole.sequence;
        self.lacks_whole = self.messages.try_send(Message::Whole(whole)).is_err();
    }

    /// Tells a change, unless the whole must come first, or told it already. It follows what this
    /// one was told last, which may be a whole that was later than the change's beginning.
    pub(crate) fn tell(&mut self, change: &Change) {
        if self.lacks_whole || change.sequence <= self.told {
            return;
        }
        let mut change = change.clone();
        change.after = std::mem::replace(&mut self.told, change.sequence);
        let message = Message::Change(change);
        if self.messages.try_send(message).is_err() {
            tracing::warn!("a gateway lags behind; it will be told the whole again");
            self.lacks_whole = true;
        }
    }

    /// Tells that the sequence is still this; where there is no room there is no need. A follower
    /// that went back to zero has missed something and gets the whole again.
    pub(crate) fn beat(&mut self) {
        let has_missed = self.applied.has_changed().unwrap_or(false)
            && self.applied.borrow_and_update().sequence == 0
            && self.told > 0;
        self.lacks_whole |= has_missed;
        if !self.lacks_whole {
            let _ = self.messages.try_send(Message::Heartbeat(self.told));
        }
    }
}
