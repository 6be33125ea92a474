//! A change that a caller makes. One call commits it, logs it and waits for the gateways, so that
//! no handler forgets one of the three.

use std::ops::{Deref, DerefMut};

use axum::http::{StatusCode, header};
use tollgate_model::feed::RefusedVersion;
use tollgate_model::id::VersionId;
use tollgate_store::Tx;

use crate::caller::Caller;
use crate::error::Problem;
use crate::feed::Feed;
use crate::state::Control;

/// After how many seconds one may look whether a gateway that lagged has caught up.
const BEHIND_S: u16 = 2;

/// A write of a caller that is under way.
#[must_use = "what is not committed is undone"]
pub(crate) struct Change<'c> {
    control: &'c Control,
    tx: Tx,
    /// When the caller's access token ends, Unix microseconds; `None` for a session.
    pub(crate) access_token_end_us: Option<i64>,
}

impl Caller {
    /// Takes the turn as the writer for this caller, and [confirms](Self::confirm) it: a request
    /// that passed the gate before a reset, disabling or a change of roles writes nothing after.
    ///
    /// # Errors
    /// Like [`Self::confirm`], and if the store is busy.
    pub(crate) async fn change<'c>(&self, control: &'c Control) -> Result<Change<'c>, Problem> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the change that all others begin"
        )]
        let tx = control.store.write().await?;
        Ok(Change {
            control,
            tx,
            access_token_end_us: self.confirm(control).await?,
        })
    }
}

impl<'c> Change<'c> {
    /// Commits the change, calls `log`, and waits until every gateway that follows has applied the
    /// change, so that what the handler answers is true everywhere. It is logged before the wait: a
    /// gateway that does not answer leaves no change without its line.
    ///
    /// # Errors
    /// Fails if the commit fails, which undoes the change. 503 `feed.refused` where a gateway
    /// cannot serve a version of it, and `feed.behind` where one has not applied it after a second:
    /// the change stays, and the gateway follows.
    pub(crate) async fn commit(self, log: impl FnOnce()) -> Result<(), Problem> {
        let versions = self.tx.noted_versions().to_vec();
        self.tx.commit().await?;
        log();
        in_force(&self.control.feed, &versions).await
    }

    /// Like [`Self::commit`], without waiting: for what gateways do not know, such as users of the
    /// control plane.
    ///
    /// # Errors
    /// Fails if the commit fails, which undoes the change.
    pub(crate) async fn commit_locally(self, log: impl FnOnce()) -> Result<(), Problem> {
        self.tx.commit().await?;
        log();
        Ok(())
    }

    /// Undoes the change. Returns the control plane that it was made on.
    pub(crate) fn undo(self) -> &'c Control {
        self.control
    }
}

impl Deref for Change<'_> {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.tx
    }
}

impl DerefMut for Change<'_> {
    fn deref_mut(&mut self) -> &mut Tx {
        &mut self.tx
    }
}

/// Waits until every gateway that follows has what was committed, with these versions.
async fn in_force(feed: &Feed, versions: &[VersionId]) -> Result<(), Problem> {
    let caught_up = feed.catch_up().await;
    let mut refused = caught_up.refused.iter();
    if let Some(refused) = refused.find(|it| versions.contains(&it.version)) {
        return Err(not_in_force(refused));
    }
    if caught_up.is_everywhere {
        return Ok(());
    }
    Err(Problem::behind())
}

impl Problem {
    /// A write lasts, and a gateway has not applied it yet.
    #[must_use]
    pub fn behind() -> Self {
        let detail = "saved; a gateway has not applied it yet, so calls may still see what was \
            before";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self::new(status, "feed.behind", detail).with(header::RETRY_AFTER, BEHIND_S)
    }
}

/// Trying again does not help, so there is no `Retry-After`.
fn not_in_force(RefusedVersion { version, reason }: &RefusedVersion) -> Problem {
    let detail = format!(
        "saved, not in force: a gateway cannot serve the version {version} ({reason}); calls see \
         what was before"
    );
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "feed.refused", detail)
}
