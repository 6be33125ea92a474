//! Failed authentications of OAuth2 clients at the key manager. `attempts` counts them; they are
//! logged like failed sign-ins, and never with the secret that was sent.

use std::sync::Arc;

use axum::http::Extensions;
use tollgate_model::id::ClientId;

use crate::attempts::Attempts;
use crate::attempts::programs::{LAST, Line};
use crate::clock::Clock;
use crate::peer::Peer;

/// Rate limits for clients of the key manager; `from` are the extensions of their request. Clones
/// share their counts.
#[derive(Debug, Clone)]
pub struct ClientAttempts {
    attempts: Arc<Attempts>,
    clock: Clock,
}

impl ClientAttempts {
    /// Creates empty counts.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            attempts: Arc::default(),
            clock,
        }
    }

    /// The counters, which are shared with those of people.
    pub(crate) fn shared(&self) -> Arc<Attempts> {
        Arc::clone(&self.attempts)
    }

    /// Returns the seconds until a client may authenticate from the request's address; `None` if it
    /// may now.
    #[must_use]
    pub fn wait_s(&self, client: &str, from: &Extensions) -> Option<i64> {
        let &peer = from.get()?;
        let wait = self
            .attempts
            .closed_client(client, peer, self.clock.now_us())?;
        if wait.is_first {
            log_client("client.locked", client, peer, "");
        }
        Some(wait.seconds)
    }

    /// Counts and logs a failed authentication of a client.
    pub fn failed(&self, client: &str, from: &Extensions) {
        let Some(&peer) = from.get() else {
            return;
        };
        match self.attempts.fail_client(client, peer, self.clock.now_us()) {
            Line::Whole => log_client("client.failed", client, peer, ""),
            Line::Last => log_client("client.failed", client, peer, LAST),
            Line::Nothing => {}
        }
    }

    /// Forgets a client's failures from the request's address, after it has authenticated.
    pub fn succeeded(&self, client: &str, from: &Extensions) {
        if let Some(&peer) = from.get() {
            self.attempts.forget_client(client, peer);
        }
    }
}

/// Logs an event of a client. A text that is no valid id is not logged: it may be a secret
/// in the wrong field.
fn log_client(event: &'static str, client: &str, Peer(from): Peer, more: &str) {
    match client.parse::<ClientId>() {
        Ok(client) => tracing::info!(
            target: "audit", event, %client, %from, "{event}: client {client} from {from}{more}"
        ),
        Err(_) => tracing::info!(
            target: "audit", event, %from,
            "{event}: an invalid client id, from {from}{more}"
        ),
    }
}
