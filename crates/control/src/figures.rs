//! Figures of the control plane for metrics.

use std::time::Duration;

use tokio::time::timeout;
use tollgate_store::feed;

use crate::health;
use crate::state::Control;

/// Maximum time to read a figure: one that takes longer is left out, so that a busy database does
/// not keep the others away.
const PATIENCE: Duration = Duration::from_millis(500);

/// Figures of the control plane at one time; `None` for those that cannot be read.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// Bytes of the configuration database, without its log.
    pub store_bytes: Option<u64>,
    /// Bytes of the usage database, without its log.
    pub usage_bytes: Option<u64>,
    /// Whether the configuration database can be written.
    pub is_store_writable: bool,
    /// Whether the usage database can be written.
    pub is_usage_writable: bool,
    /// Rows of usage in memory that are not written yet.
    pub unwritten_rows: usize,
    /// Number of the last stored change.
    pub sequence: Option<u64>,
    /// Versions that gateways cannot serve as stored.
    pub versions_refused: usize,
    /// Failed sign-ins of users. This and the following include attempts that were rejected because
    /// too many had failed.
    pub failed_sign_ins: u64,
    /// Failed authentications of OAuth2 clients.
    pub failed_clients: u64,
    /// Requests with a wrong access token.
    pub failed_access_tokens: u64,
}

/// Returns what is read within [`PATIENCE`]; `None` if it takes longer, or fails.
async fn in_time<T, E>(read: impl Future<Output = Result<T, E>>) -> Option<T> {
    timeout(PATIENCE, read).await.ok()?.ok()
}

impl Control {
    /// Returns the current figures.
    pub async fn figures(&self) -> Figures {
        let condition = self.usage.condition();
        let following = self.feed.following();
        Figures {
            store_bytes: in_time(self.store.bytes()).await,
            usage_bytes: in_time(self.usage.bytes()).await,
            is_store_writable: self.writing.check(&self.store).await.is_ok(),
            is_usage_writable: condition.failing_since_us.is_none(),
            unwritten_rows: condition.unwritten_rows,
            sequence: in_time(feed::last(&self.store)).await,
            versions_refused: following.iter().map(|it| it.refused.len()).sum(),
            failed_sign_ins: self.attempts.sign_ins.sum(),
            failed_clients: self.attempts.clients.sum(),
            failed_access_tokens: self.attempts.tokens.sum(),
        }
    }

    /// Checks that the process is ready, like `/readyz`.
    ///
    /// # Errors
    /// Returns the reason in one sentence if it is not.
    pub async fn ready(&self) -> Result<(), String> {
        let checked = health::check(self).await;
        checked.map_err(|problem| problem.detail().to_owned())
    }
}
