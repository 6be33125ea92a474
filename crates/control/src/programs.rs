//! Programs that fail to prove who they are: OAuth2 clients, which authenticate at the key manager,
//! and personal access tokens. `attempts` counts them; they are logged as failed sign-ins are, and
//! never with what was sent as a secret.

use axum::http::{Extensions, StatusCode, header};
use tollgate_model::id::ClientId;

use crate::attempts::programs::Line;
use crate::error::Problem;
use crate::peer::Peer;
use crate::state::Control;

/// What is added to the last line of an address.
const LAST: &str = "; further ones from there are only counted for a quarter of an hour";

/// Clients of the key manager; `from` are the extensions of their request.
impl Control {
    /// Seconds until a client may authenticate from where a request comes; `None` where it may.
    #[must_use]
    pub fn client_wait_s(&self, client: &str, from: &Extensions) -> Option<i64> {
        let &peer = from.get()?;
        let wait = self.attempts.closed_client(client, peer, self.now_us())?;
        if wait.is_first {
            log_client("client.locked", client, peer, "");
        }
        Some(wait.seconds)
    }

    /// A client has failed to prove that it is itself.
    pub fn client_failed(&self, client: &str, from: &Extensions) {
        let Some(&peer) = from.get() else {
            return;
        };
        match self.attempts.fail_client(client, peer, self.now_us()) {
            Line::Whole => log_client("client.failed", client, peer, ""),
            Line::Last => log_client("client.failed", client, peer, LAST),
            Line::Nothing => {}
        }
    }

    /// A client has proven that it is itself.
    pub fn client_succeeded(&self, client: &str, from: &Extensions) {
        if let Some(&peer) = from.get() {
            self.attempts.forget_client(client, peer);
        }
    }

    /// Counts a wrong access token; what to answer it with in the place of `problem`.
    pub(crate) fn token_failed(&self, peer: Peer, problem: Problem) -> Problem {
        let (line, wait) = self.attempts.fail_token(peer, self.now_us());
        match line {
            Line::Whole => log_token("access_token.failed", peer, ""),
            Line::Last => log_token("access_token.failed", peer, LAST),
            Line::Nothing => {}
        }
        let Some(wait) = wait else {
            return problem;
        };
        if wait.is_first {
            log_token("access_token.address_locked", peer, "");
        }
        let detail = "too many access tokens that are not valid from your address; wait";
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "session.too_many", detail)
            .with(header::RETRY_AFTER, wait.seconds)
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

fn log_token(event: &'static str, Peer(from): Peer, more: &str) {
    tracing::info!(
        target: "audit", event, %from,
        "{event}: an access token that is not valid, from {from}{more}"
    );
}
