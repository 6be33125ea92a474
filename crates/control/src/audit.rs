//! The audit trail in the log: one line at level info per action, with the user and the address.
//!
//! Handlers log after a change is committed. The subject is an id or a word, never a secret. The
//! target of the lines is `audit`, so that they can be filtered. Names and reasons are quoted,
//! because users choose them.

use std::fmt::Display;

use crate::caller::Caller;
use crate::peer::Peer;

impl Caller {
    /// Logs that this caller did `event` (a noun, a dot, a participle, such as `key.revoked`) to
    /// `subject`, an id.
    pub(crate) fn log(&self, event: &'static str, subject: impl Display) {
        let Self {
            user, name, peer, ..
        } = self;
        tracing::info!(
            target: "audit", event, %subject, %user, name = name.as_str(), from = %peer.0,
            "{event}: {subject}, by {name:?} ({user}) from {from}", from = peer.0
        );
    }

    /// Like [`Self::log`], with the caller's reason, unless it is empty.
    pub(crate) fn log_because(&self, event: &'static str, subject: impl Display, reason: &str) {
        match reason {
            "" => self.log(event, subject),
            reason => self.log_change(event, subject, &format!("because {reason:?}")),
        }
    }

    /// Like [`Self::log`], with a description of the change.
    pub(crate) fn log_change(&self, event: &'static str, subject: impl Display, change: &str) {
        let Self {
            user, name, peer, ..
        } = self;
        tracing::info!(
            target: "audit", event, %subject, change, %user, name = name.as_str(), from = %peer.0,
            "{event}: {subject}, {change}, by {name:?} ({user}) from {from}", from = peer.0
        );
    }
}

/// Logs an `event` without a signed-in user, such as a failed sign-in with the name of a user.
/// Unknown names are not logged: people type passwords into the wrong field.
pub(crate) fn log_stranger(event: &'static str, user: Option<&str>, peer: Peer) {
    let from = peer.0;
    match user {
        Some(name) => tracing::info!(
            target: "audit", event, name, %from, "{event}: name {name:?} from {from}"
        ),
        None => tracing::info!(
            target: "audit", event, %from, "{event}: an unknown name, from {from}"
        ),
    }
}
