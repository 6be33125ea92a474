//! Changes by callers. One call commits a change, logs it and waits for the gateways, so that no
//! handler forgets one of these steps.

use std::ops::{Deref, DerefMut};

use axum::http::{StatusCode, header};
use tollgate_model::feed::RefusedVersion;
use tollgate_model::id::VersionId;
use tollgate_store::Tx;

use crate::caller::Caller;
use crate::error::Problem;
use crate::feed::Feed;
use crate::state::Control;

/// `Retry-After` in seconds of 503 `feed.behind`.
const BEHIND_S: u16 = 2;

/// An uncommitted write of a caller.
#[must_use = "an uncommitted change is rolled back"]
pub(crate) struct Change<'c> {
    control: &'c Control,
    tx: Tx,
    /// When the caller's access token expires, Unix microseconds; `None` for a session.
    pub(crate) access_token_end_us: Option<i64>,
}

impl Caller {
    /// Begins a write transaction, and [confirms](Self::confirm) the caller in it: a request that
    /// was authenticated before its user was reset, disabled or lost a role writes nothing.
    ///
    /// # Errors
    /// Fails like [`Self::confirm`], and if the store is busy.
    pub(crate) async fn change<'c>(&self, control: &'c Control) -> Result<Change<'c>, Problem> {
        #[expect(
            clippy::disallowed_methods,
            reason = "the only way to begin a caller's change"
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
    /// Commits the change, calls `log`, and waits until every connected gateway has applied the
    /// change, so that it is in force everywhere when the handler responds. It is logged before the
    /// wait, so that each change has a log line even if a gateway does not respond.
    ///
    /// # Errors
    /// Fails if the commit fails, which rolls the change back. 503 `feed.refused` if a gateway
    /// cannot serve a version of it, and `feed.behind` if a gateway has not applied it after a
    /// second: then the change stays committed, and the gateway applies it later.
    pub(crate) async fn commit(self, log: impl FnOnce()) -> Result<(), Problem> {
        let versions = self.tx.noted_versions().to_vec();
        self.tx.commit().await?;
        log();
        in_force(&self.control.feed, &versions).await
    }

    /// Like [`Self::commit`], without waiting: for data that gateways do not have, such as users of
    /// the control plane.
    ///
    /// # Errors
    /// Fails if the commit fails, which rolls the change back.
    pub(crate) async fn commit_locally(self, log: impl FnOnce()) -> Result<(), Problem> {
        self.tx.commit().await?;
        log();
        Ok(())
    }

    /// Rolls the change back, and returns its control plane.
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

/// Waits until every connected gateway has applied the committed change, which includes these
/// versions.
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
    /// 503 `feed.behind`: the change is committed, but a gateway has not applied it yet.
    #[must_use]
    pub fn behind() -> Self {
        let detail = "saved; a gateway has not applied the change yet, so calls may still see the \
            previous state";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self::new(status, "feed.behind", detail).with(header::RETRY_AFTER, BEHIND_S)
    }
}

/// 503 `feed.refused`, without `Retry-After`, since trying again does not help.
fn not_in_force(RefusedVersion { version, reason }: &RefusedVersion) -> Problem {
    let detail = format!(
        "saved, not in force: a gateway cannot serve the version {version} ({reason}); calls still \
         see the previous state"
    );
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "feed.refused", detail)
}
