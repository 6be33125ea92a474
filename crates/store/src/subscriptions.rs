//! Subscriptions: application × version × plan, and whether calls are allowed.
//!
//! Ended ones are kept for their status: an application that unsubscribes while blocked is still
//! blocked when it subscribes again, and waits for a decision if it was rejected.

mod find;

pub use find::{Concerning, Named, Wanted, find, named};

use tollgate_model::id::{ApplicationId, PlanId, SubscriptionId, VersionId};
use tollgate_model::lifecycle::State;
use tollgate_model::subscription::Status;

use crate::row::Row;
use crate::value::{after, json, limit};
use crate::{Noun, Store, StoreError, Tx, credentials};

/// A subscription, live or ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The subscription.
    pub id: SubscriptionId,
    /// The application that calls.
    pub application: ApplicationId,
    /// The version that is called.
    pub version: VersionId,
    /// The plan; an ended subscription may outlive it.
    pub plan: PlanId,
    /// Whether calls are allowed.
    pub status: Status,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
    /// When it ended, Unix microseconds; `None` while it is live.
    pub ended_us: Option<i64>,
    /// The reason for its status, as written by the user who decided.
    pub reason: Option<String>,
    /// The granted scopes among those that need approval, sorted.
    pub scopes: Vec<String>,
}

/// A new subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSubscription {
    /// The subscription.
    pub id: SubscriptionId,
    /// The application that calls.
    pub application: ApplicationId,
    /// The version that is called.
    pub version: VersionId,
    /// The plan.
    pub plan: PlanId,
    /// The status, unless an earlier one is restored.
    pub status: Status,
    /// The reason for the status.
    pub reason: Option<String>,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
    /// The granted scopes among those that need approval, sorted.
    pub scopes: Vec<String>,
}

/// Writes a new subscription. If the application's last subscription to this version ended while it
/// was blocked, the new one gets that status and its reason; if that was pending or rejected, an
/// active one becomes pending. Returns the subscription as written.
///
/// # Errors
/// [`StoreError::Taken`] with `/version` if the application has a live one; [`StoreError::Stale`]
/// if the version no longer accepts subscriptions, or does not offer the plan;
/// [`StoreError::NotFound`] if there is no such version or application.
pub async fn create(tx: &mut Tx, new: &NewSubscription) -> Result<Subscription, StoreError> {
    const STATE: &str = "select state from versions where id = $1";
    const LAST: &str = "select status, reason from subscriptions \
        where application = $1 and version = $2 and ended_us is not null \
        order by ended_us desc, id desc limit 1";
    const SQL: &str = "insert into subscriptions \
        (id, application, version, plan, status, created_us, ended_us, reason, scopes) \
        values ($1, $2, $3, $4, $5, $6, null, $7, $8)";
    let row = tx.row(STATE, &[new.version.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("version"))?;
    if !row.word("state", State::from_word)?.takes_subscriptions() {
        return Err(StoreError::Stale("version"));
    }
    require_offer(tx, new.version, new.plan).await?;
    let values = [new.application.into(), new.version.into()];
    let last = tx.row(LAST, &values).await?;
    let (mut status, mut reason) = (new.status, new.reason.clone());
    if let Some(row) = last {
        let last = row.word("status", Status::from_word)?;
        status = new.status.after(last);
        reason = match status {
            kept if kept == new.status => new.reason.clone(),
            restored if restored == last => row.text_or_null("reason")?,
            _ => None,
        };
    }
    let scopes = scopes_json(&new.scopes);
    let values = [
        new.id.into(),
        new.application.into(),
        new.version.into(),
        new.plan.into(),
        status.word().into(),
        new.created_us.into(),
        reason.as_deref().into(),
        scopes.as_deref().into(),
    ];
    tx.execute(SQL, &values).await?;
    tx.note(Noun::Subscription(new.id)).await?;
    Ok(Subscription {
        id: new.id,
        application: new.application,
        version: new.version,
        plan: new.plan,
        status,
        created_us: new.created_us,
        ended_us: None,
        reason,
        scopes: new.scopes.clone(),
    })
}

async fn require_offer(tx: &mut Tx, version: VersionId, plan: PlanId) -> Result<(), StoreError> {
    const SQL: &str = "select plan from version_plans where version = $1 and plan = $2";
    match tx.row(SQL, &[version.into(), plan.into()]).await? {
        Some(_) => Ok(()),
        None => Err(StoreError::Stale("version's offer of plans")),
    }
}

/// Returns the subscription with this id, live or ended.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: SubscriptionId) -> Result<Subscription, StoreError> {
    const SQL: &str = "select id, application, version, plan, status, created_us, ended_us, \
            reason, scopes \
        from subscriptions where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read_subscription(&row.ok_or(StoreError::NotFound("subscription"))?)
}

/// Returns the live subscription of an application to a version, if there is one.
///
/// # Errors
/// Fails if the database read fails.
pub async fn live(
    store: &Store,
    application: ApplicationId,
    version: VersionId,
) -> Result<Option<Subscription>, StoreError> {
    const SQL: &str = "select id, application, version, plan, status, created_us, ended_us, \
            reason, scopes \
        from subscriptions where application = $1 and version = $2 and ended_us is null";
    let values = [application.into(), version.into()];
    let row = store.row(SQL, &values).await?;
    row.map(|row| read_subscription(&row)).transpose()
}

/// Returns the scopes by approval that the live subscription of an application to a version was
/// granted; none if there is no such subscription.
///
/// # Errors
/// Fails if the database read fails.
pub async fn granted(
    store: &Store,
    application: ApplicationId,
    version: VersionId,
) -> Result<Vec<String>, StoreError> {
    let live = live(store, application, version).await?;
    Ok(live.map(|it| it.scopes).unwrap_or_default())
}

/// Lists the live subscriptions of the version `from` by id, beginning after `after_id`: those of
/// the applications that have no live subscription to the version `to`.
///
/// # Errors
/// Fails if the database read fails.
pub async fn movable(
    store: &Store,
    from: VersionId,
    to: VersionId,
    after_id: Option<SubscriptionId>,
    at_most: u32,
) -> Result<Vec<Subscription>, StoreError> {
    const SQL: &str = "select id, application, version, plan, status, created_us, ended_us, \
            reason, scopes \
        from subscriptions s where version = $1 and id > $3 and ended_us is null \
        and not exists (select 1 from subscriptions t \
            where t.application = s.application and t.version = $2 and t.ended_us is null) \
        order by id limit $4";
    let values = [from.into(), to.into(), after(after_id), limit(at_most)];
    store.list(SQL, &values, read_subscription).await
}

/// Counts the applications with live subscriptions to both versions.
///
/// # Errors
/// Fails if the database read fails.
pub async fn shared(tx: &mut Tx, one: VersionId, other: VersionId) -> Result<u64, StoreError> {
    const SQL: &str = "select count(*) as live from subscriptions s \
        where version = $1 and ended_us is null \
        and exists (select 1 from subscriptions t \
            where t.application = s.application and t.version = $2 and t.ended_us is null)";
    credentials::count(tx, SQL, &[one.into(), other.into()]).await
}

/// Writes the status of a live subscription and its reason, replacing the previous one.
///
/// # Errors
/// [`StoreError::NotFound`] if there is none, or it has ended.
pub async fn set_status(
    tx: &mut Tx,
    id: SubscriptionId,
    status: Status,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    const SQL: &str = "update subscriptions set status = $2, reason = $3 \
        where id = $1 and ended_us is null";
    let values = [id.into(), status.word().into(), reason.into()];
    tx.execute_one(SQL, &values, "subscription").await?;
    tx.note(Noun::Subscription(id)).await
}

/// Moves a live subscription to another plan that its version offers; consumed quota stays
/// consumed.
///
/// # Errors
/// [`StoreError::NotFound`] if there is none, or it has ended; [`StoreError::Stale`] if the version
/// does not offer the plan.
pub async fn set_plan(tx: &mut Tx, id: SubscriptionId, plan: PlanId) -> Result<(), StoreError> {
    const VERSION: &str = "select version from subscriptions where id = $1 and ended_us is null";
    const SQL: &str = "update subscriptions set plan = $2 where id = $1";
    let row = tx.row(VERSION, &[id.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("subscription"))?;
    require_offer(tx, row.id("version")?, plan).await?;
    tx.execute(SQL, &[id.into(), plan.into()]).await?;
    tx.note(Noun::Subscription(id)).await
}

/// Writes the scopes by approval that a live subscription is granted, sorted. Applies to existing
/// tokens too.
///
/// # Errors
/// [`StoreError::NotFound`] if there is none, or it has ended.
pub async fn set_scopes(
    tx: &mut Tx,
    id: SubscriptionId,
    scopes: &[String],
) -> Result<(), StoreError> {
    const SQL: &str = "update subscriptions set scopes = $2 where id = $1 and ended_us is null";
    let scopes = scopes_json(scopes);
    let values = [id.into(), scopes.as_deref().into()];
    tx.execute_one(SQL, &values, "subscription").await?;
    tx.note(Noun::Subscription(id)).await
}

/// Returns granted scopes as stored; NULL if empty, as for most subscriptions.
fn scopes_json(scopes: &[String]) -> Option<String> {
    (!scopes.is_empty()).then(|| json(&scopes))
}

/// Ends a live subscription.
///
/// # Errors
/// [`StoreError::NotFound`] if there is none, or it has ended already.
pub async fn end(tx: &mut Tx, id: SubscriptionId, at_us: i64) -> Result<(), StoreError> {
    const SQL: &str = "update subscriptions set ended_us = $2 where id = $1 and ended_us is null";
    let values = [id.into(), at_us.into()];
    tx.execute_one(SQL, &values, "subscription").await?;
    tx.note(Noun::Subscription(id)).await
}

/// Ends all live subscriptions of a version and notes each for gateways.
pub(crate) async fn end_of_version(
    tx: &mut Tx,
    version: VersionId,
    at_us: i64,
) -> Result<(), StoreError> {
    const NOTE: &str = "insert into changes (noun, id) \
        select $2, id from subscriptions where version = $1 and ended_us is null";
    const SQL: &str = "update subscriptions set ended_us = $2 \
        where version = $1 and ended_us is null";
    let values = [version.into(), Noun::SUBSCRIPTION.into()];
    tx.execute(NOTE, &values).await?;
    tx.execute(SQL, &[version.into(), at_us.into()]).await?;
    Ok(())
}

pub(crate) fn read_subscription(row: &Row) -> Result<Subscription, StoreError> {
    Ok(Subscription {
        id: row.id("id")?,
        application: row.id("application")?,
        version: row.id("version")?,
        plan: row.id("plan")?,
        status: row.word("status", Status::from_word)?,
        created_us: row.int("created_us")?,
        ended_us: row.int_or_null("ended_us")?,
        reason: row.text_or_null("reason")?,
        scopes: row.granted_scopes()?,
    })
}
