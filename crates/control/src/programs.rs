//! Invalid personal access tokens. `attempts` counts them; they are logged like failed sign-ins,
//! and never with the secret that was sent.

use axum::http::{StatusCode, header};

use crate::attempts::programs::{LAST, Line};
use crate::error::Problem;
use crate::peer::Peer;
use crate::state::Control;

impl Control {
    /// Counts an invalid access token. Returns `problem`, or 429 if the address has sent too many.
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
        let detail = "too many invalid access tokens from your address; wait";
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "session.too_many", detail)
            .with(header::RETRY_AFTER, wait.seconds)
    }
}

fn log_token(event: &'static str, Peer(from): Peer, more: &str) {
    tracing::info!(
        target: "audit", event, %from,
        "{event}: an invalid access token, from {from}{more}"
    );
}
