//! The audit trail in the log: what a person did, who and from where, one line at info each.
//!
//! A handler logs once its change is committed; the subject is an id or a word, never a secret. The
//! target of the lines is `audit`, so that they can be filtered; names and reasons are quoted,
//! because people choose them.

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

    /// Like [`Self::log`], with the reason that the caller gives, if any.
    pub(crate) fn log_because(&self, event: &'static str, subject: impl Display, reason: &str) {
        match reason {
            "" => self.log(event, subject),
            reason => self.log_change(event, subject, &format!("because {reason:?}")),
        }
    }

    /// Like [`Self::log`], with what changed, in words.
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

/// Logs an `event` of somebody who is not signed in, such as a sign-in that failed under the name
/// of a user. A name that is no user's is not logged: people type passwords into the wrong field.
pub(crate) fn log_stranger(event: &'static str, user: Option<&str>, peer: Peer) {
    let from = peer.0;
    match user {
        Some(name) => tracing::info!(
            target: "audit", event, name, %from, "{event}: name {name:?} from {from}"
        ),
        None => tracing::info!(
            target: "audit", event, %from, "{event}: a name that is no user's, from {from}"
        ),
    }
}
