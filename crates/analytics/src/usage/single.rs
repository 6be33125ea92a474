//! Answers queries of single calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;
use tollgate_model::id::UserId;
use tollgate_model::record::request_parts;
use tollgate_spool::Call;

use super::{Usage, lock};
use crate::UsageError;
use crate::live::Watcher;
use crate::query::Filter;
use crate::single::{CallsPage, CallsQuery, Lookup, Search};
use crate::threads::SCANS;

/// How long a page is looked for; then it ends with what was found.
const PAGE_TIME: Duration = Duration::from_secs(2);
/// How long a query waits for its turn at most.
const WAIT_TIME: Duration = Duration::from_secs(10);

impl Usage {
    /// Returns calls of the spool that pass a filter, the newest first.
    ///
    /// # Errors
    /// [`UsageError`] if the calls cannot be read, or the place where the page begins is gone.
    pub async fn calls(&self, query: CallsQuery) -> Result<CallsPage, UsageError> {
        self.drain();
        let turn = timeout(WAIT_TIME, self.0.scan_turns.begin(query.by)).await;
        let turn = turn.map_err(|_| UsageError::Waiting)?;
        let spool = Arc::clone(&self.0.spool);
        let search = move || {
            if !spool.settle() {
                return Err(UsageError::SpoolBehind);
            }
            let search = Search {
                spool: &spool,
                query: &query,
                deadline: Instant::now() + PAGE_TIME,
            };
            let page = search.run();
            drop(turn);
            page
        };
        let page = SCANS.spawn(search).await;
        page.map_err(|error| UsageError::Other(error.into()))?
    }

    /// Watches the calls that pass a filter as they are recorded, for a user; `None` if too many do
    /// so already.
    #[must_use]
    pub fn watch(&self, filter: &Filter, by: UserId) -> Option<Watcher> {
        self.0.watchers.add(filter, by)
    }

    /// Whether a running worker gave out a request id: a call that is not found may be in progress.
    #[must_use]
    pub fn is_recording(&self, request_id: u128) -> bool {
        let (worker, _) = request_parts(request_id);
        let sources = lock(&self.0.sources);
        sources.iter().any(|source| source.worker() == worker)
    }

    /// Returns the call with a request id, if the spool has it.
    ///
    /// # Errors
    /// [`UsageError`] if the calls cannot be read.
    pub async fn call(&self, request_id: u128) -> Result<Option<Call>, UsageError> {
        self.drain();
        let spool = Arc::clone(&self.0.spool);
        let look = move || {
            // Without it, the last calls are in memory.
            spool.settle();
            Lookup::new(&spool, request_id).run()
        };
        let found = SCANS.spawn(look).await;
        found.map_err(|error| UsageError::Other(error.into()))?
    }
}
