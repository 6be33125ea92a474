//! Whether the process is alive, and whether it can do its work.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tollgate_store::{Store, StoreError};

use crate::error::Problem;
use crate::state::Control;

/// How long it is remembered whether writing works: asking more often costs the disk nothing.
const KEPT: Duration = Duration::from_secs(1);
/// How long an answer waits for a write; one that takes longer is slow, not refused.
const PATIENCE: Duration = Duration::from_millis(500);

/// Is the process alive?
///
/// Answers as long as the process can answer at all.
#[utoipa::path(
    get, path = "/healthz", tag = "health",
    responses((status = 200, description = "It is alive", body = String)),
)]
pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

/// Can it do its work?
///
/// Answers 200 once the store can be read and written, and a gateway serves calls. 503
/// `store.full` or `store.io` while writes are refused; calls at the gateway go on all the same.
#[utoipa::path(
    get, path = "/readyz", tag = "health",
    responses((status = 200, description = "It can work", body = String)),
)]
pub(crate) async fn ready(State(control): State<Control>) -> Result<&'static str, Problem> {
    tollgate_store::plans::list(&control.store, None, 1).await?;
    if !control.feed.is_served() {
        let detail = "no gateway serves what is stored yet";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        return Err(Problem::new(status, "feed.not_served", detail));
    }
    control.writing.check(&control.store).await?;
    Ok("ok\n")
}

/// Whether the store takes writes, found out by trying, once a second at most.
#[derive(Default)]
pub(crate) struct Writing(Arc<Mutex<Option<Tried>>>);

struct Tried {
    at: Instant,
    outcome: Result<(), Problem>,
}

impl Writing {
    async fn check(&self, store: &Store) -> Result<(), Problem> {
        let Ok(mut tried) = timeout(PATIENCE, Arc::clone(&self.0).lock_owned()).await else {
            return Ok(());
        };
        if let Some(tried) = tried.as_ref().filter(|tried| tried.at.elapsed() < KEPT) {
            return tried.outcome.clone();
        }
        let store = store.clone();
        // A task of its own: the next one to ask finds its outcome, also where this one has left.
        let trying = tokio::spawn(async move {
            let outcome = match store.probe().await {
                Err(StoreError::Busy) => Ok(()),
                outcome => outcome.map_err(Problem::from),
            };
            *tried = Some(Tried {
                at: Instant::now(),
                outcome: outcome.clone(),
            });
            outcome
        });
        match timeout(PATIENCE, trying).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panicked)) => Err(Problem::internal(&panicked)),
            Err(_) => Ok(()),
        }
    }
}
