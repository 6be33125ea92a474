//! OAuth2 clients that fail to prove who they are at the key manager. `attempts` counts them; they
//! are logged as failed sign-ins are, and never with what was sent as a secret.

use std::sync::Arc;

use axum::http::Extensions;
use tollgate_model::id::ClientId;

use crate::attempts::Attempts;
use crate::attempts::programs::{LAST, Line};
use crate::clock::Clock;
use crate::peer::Peer;

/// Failed clients of the key manager; `from` are the extensions of their request. Clones count
/// together.
#[derive(Debug, Clone)]
pub struct ClientAttempts {
    attempts: Arc<Attempts>,
    clock: Clock,
}

impl ClientAttempts {
    /// None yet.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self {
            attempts: Arc::default(),
            clock,
        }
    }

    /// What they are counted in.
    pub(crate) fn shared(&self) -> Arc<Attempts> {
        Arc::clone(&self.attempts)
    }

    /// Seconds until a client may authenticate from where a request comes; `None` where it may.
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

    /// A client has failed to prove that it is itself.
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

    /// A client has proven that it is itself.
    pub fn succeeded(&self, client: &str, from: &Extensions) {
        if let Some(&peer) = from.get() {
            self.attempts.forget_client(client, peer);
        }
    }
}

/// Logs what a client did. A text that is no id is not logged: it may be a secret in the wrong
/// field.
fn log_client(event: &'static str, client: &str, Peer(from): Peer, more: &str) {
    match client.parse::<ClientId>() {
        Ok(client) => tracing::info!(
            target: "audit", event, %client, %from, "{event}: client {client} from {from}{more}"
        ),
        Err(_) => tracing::info!(
            target: "audit", event, %from,
            "{event}: a text that is no client's id, from {from}{more}"
        ),
    }
}
