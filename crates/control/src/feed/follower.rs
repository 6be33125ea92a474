//! A gateway that follows the feed: its queue of messages, and what it reports as applied.

use tokio::sync::{mpsc, watch};
use tollgate_model::feed::{Applied, Change, Message, Sequence};

/// A gateway that follows the feed.
pub(crate) struct Follower {
    messages: mpsc::Sender<Message>,
    applied: watch::Receiver<Applied>,
    /// Whether it needs the full state before changes: it is new, or its queue was full.
    lacks_whole: bool,
    /// The last sequence in its queue.
    sent: Sequence,
}

/// The serving state of a connected gateway. Separate from [`Follower`], so that reading it does
/// not wait for the pump.
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

    /// Whether the gateway has disconnected.
    pub(crate) fn has_left(&self) -> bool {
        self.applied.has_changed().is_err()
    }

    /// What the gateway has applied.
    pub(crate) fn applied(&self) -> Applied {
        self.applied.borrow().clone()
    }

    /// Whether it has ever applied a full state: if it has missed messages since, it still serves
    /// that state.
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
            sent: 0,
        }
    }

    /// Whether the gateway has disconnected.
    pub(crate) fn has_left(&self) -> bool {
        self.messages.is_closed() || self.applied.has_changed().is_err()
    }

    /// Whether it needs the full state and has room for it in its queue.
    pub(crate) fn needs_whole(&self) -> bool {
        self.lacks_whole && self.messages.capacity() > 0
    }

    /// Returns a watch of what the gateway has applied.
    pub(crate) fn applied(&self) -> watch::Receiver<Applied> {
        self.applied.clone()
    }

    /// Marks the follower as lacking the full state.
    pub(crate) fn forget(&mut self) {
        self.lacks_whole = true;
    }

    pub(crate) fn send_whole(&mut self, whole: Change) {
        self.sent = whole.sequence;
        self.lacks_whole = self.messages.try_send(Message::Whole(whole)).is_err();
    }

    /// Sends a change, unless the follower needs the full state first or has the change already.
    /// The change follows the last sequence sent to this follower, which may be that of a full
    /// state later than `change.after`.
    pub(crate) fn send_change(&mut self, change: &Change) {
        if self.lacks_whole || change.sequence <= self.sent {
            return;
        }
        let mut change = change.clone();
        change.after = std::mem::replace(&mut self.sent, change.sequence);
        let message = Message::Change(change);
        if self.messages.try_send(message).is_err() {
            tracing::warn!("a gateway lags behind; sending it the full state again");
            self.lacks_whole = true;
        }
    }

    /// Sends a heartbeat with the last sequence; not needed if the queue is full. A follower that
    /// has reset its sequence to zero has missed a message and gets the full state again.
    pub(crate) fn beat(&mut self) {
        let has_missed = self.applied.has_changed().unwrap_or(false)
            && self.applied.borrow_and_update().sequence == 0
            && self.sent > 0;
        self.lacks_whole |= has_missed;
        if !self.lacks_whole {
            let _ = self.messages.try_send(Message::Heartbeat(self.sent));
        }
    }
}
