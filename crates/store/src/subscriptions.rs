//! Subscriptions: application × version × plan, and whether their calls pass.
//!
//! Ended ones stay, for their status: who unsubscribes while blocked stays blocked on return.

use tollgate_model::id::{ApplicationId, PlanId, SubscriptionId, UserId, VersionId};
use tollgate_model::lifecycle::State;
use tollgate_model::subscription::Status;

use crate::row::Row;
use crate::value::{Value, after, limit};
use crate::{Noun, Store, StoreError, Tx};

/// One subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The subscription.
    pub id: SubscriptionId,
    /// Who calls.
    pub application: ApplicationId,
    /// What is called.
    pub version: VersionId,
    /// Under which plan; an ended subscription may outlive it.
    pub plan: PlanId,
    /// Whether calls pass.
    pub status: Status,
    /// When made, Unix microseconds.
    pub created_us: i64,
    /// When it ended, Unix microseconds; a live one has not.
    pub ended_us: Option<i64>,
}

/// A subscription to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSubscription {
    /// The subscription.
    pub id: SubscriptionId,
    /// Who calls.
    pub application: ApplicationId,
    /// What is called.
    pub version: VersionId,
    /// Under which plan.
    pub plan: PlanId,
    /// The status, unless an earlier one must come back.
    pub status: Status,
    /// When made, Unix microseconds.
    pub created_us: i64,
}

/// Whose subscriptions a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Everybody's.
    All,
    /// One application's.
    Application(ApplicationId),
    /// One version's.
    Version(VersionId),
    /// One application's, of versions of one user's APIs.
    Between(ApplicationId, UserId),
    /// Those of all applications of one user, and those of versions of all APIs of another or the
    /// same; none where there is no such user.
    Concerning {
        /// Whose applications.
        consumer: Option<UserId>,
        /// Whose APIs.
        publisher: Option<UserId>,
    },
}

/// Writes a new subscription. When the application's last one of this version ended while it was
/// blocked or rejected, the new one has that status. The subscription as it was written.
///
/// # Errors
/// [`StoreError::Taken`] with `/version` when the application has a live one;
/// [`StoreError::Stale`] when the version takes none any more, or does not offer the plan;
/// [`StoreError::NotFound`] without such a version or application.
pub async fn create(tx: &mut Tx, new: &NewSubscription) -> Result<Subscription, StoreError> {
    const STATE: &str = "select state from versions where id = $1";
    const LAST: &str = "select status from subscriptions \
        where application = $1 and version = $2 and ended_us is not null \
        order by ended_us desc, id desc limit 1";
    const SQL: &str = "insert into subscriptions \
        (id, application, version, plan, status, created_us, ended_us) \
        values ($1, $2, $3, $4, $5, $6, null)";
    let row = tx.row(STATE, &[new.version.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("version"))?;
    if !row.word("state", State::from_word)?.takes_subscriptions() {
        return Err(StoreError::Stale("version"));
    }
    require_offer(tx, new.version, new.plan).await?;
    let values = [new.application.into(), new.version.into()];
    let last = tx.row(LAST, &values).await?;
    let last = last.map(|row| row.word("status", Status::from_word));
    let kept = last
        .transpose()?
        .filter(|last| last.outlives_unsubscribing());
    let status = kept.unwrap_or(new.status);
    let values = [
        new.id.into(),
        new.application.into(),
        new.version.into(),
        new.plan.into(),
        status.word().into(),
        new.created_us.into(),
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
    })
}

async fn require_offer(tx: &mut Tx, version: VersionId, plan: PlanId) -> Result<(), StoreError> {
    const SQL: &str = "select plan from version_plans where version = $1 and plan = $2";
    match tx.row(SQL, &[version.into(), plan.into()]).await? {
        Some(_) => Ok(()),
        None => Err(StoreError::Stale("version's offer of plans")),
    }
}

/// The subscription with this id, live or ended.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: SubscriptionId) -> Result<Subscription, StoreError> {
    const SQL: &str = "select id, application, version, plan, status, created_us, ended_us \
        from subscriptions where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read(&row.ok_or(StoreError::NotFound("subscription"))?)
}

/// Live subscriptions by id, from the one after `after_id` on; with any status, or one.
///
/// # Errors
/// As any read.
pub async fn list(
    store: &Store,
    of: Of,
    status: Option<Status>,
    after_id: Option<SubscriptionId>,
    at_most: u32,
) -> Result<Vec<Subscription>, StoreError> {
    const ALL: &str = "select id, application, version, plan, status, created_us, ended_us \
        from subscriptions where id > $1 and ended_us is null \
        and ($3 is null or status = $3) order by id limit $2";
    const APPLICATION: &str = "select id, application, version, plan, status, created_us, ended_us \
        from subscriptions where application = $4 and id > $1 and ended_us is null \
        and ($3 is null or status = $3) order by id limit $2";
    const VERSION: &str = "select id, application, version, plan, status, created_us, ended_us \
        from subscriptions where version = $4 and id > $1 and ended_us is null \
        and ($3 is null or status = $3) order by id limit $2";
    const BETWEEN: &str = "select id, application, version, plan, status, created_us, ended_us \
        from subscriptions where application = $4 and version in \
            (select v.id from versions v join apis a on a.id = v.api where a.owner = $5) \
        and id > $1 and ended_us is null \
        and ($3 is null or status = $3) order by id limit $2";
    const CONCERNING: &str = "select id, application, version, plan, status, created_us, ended_us \
        from subscriptions where (application in (select id from applications where owner = $4) \
            or version in \
            (select v.id from versions v join apis a on a.id = v.api where a.owner = $5)) \
        and id > $1 and ended_us is null \
        and ($3 is null or status = $3) order by id limit $2";
    let page = [
        after(after_id),
        limit(at_most),
        Value::Text(status.map(Status::word)),
    ];
    let user = |user: Option<UserId>| Value::Int(user.map(UserId::raw));
    let (sql, whose) = match of {
        Of::All => (ALL, vec![]),
        Of::Application(id) => (APPLICATION, vec![id.into()]),
        Of::Version(id) => (VERSION, vec![id.into()]),
        Of::Between(id, publisher) => (BETWEEN, vec![id.into(), publisher.into()]),
        Of::Concerning {
            consumer,
            publisher,
        } => (CONCERNING, vec![user(consumer), user(publisher)]),
    };
    let values = [&page[..], &whose].concat();
    store.list(sql, &values, read).await
}

/// Writes the status of a live subscription.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, or it has ended.
pub async fn set_status(tx: &mut Tx, id: SubscriptionId, status: Status) -> Result<(), StoreError> {
    const SQL: &str = "update subscriptions set status = $2 where id = $1 and ended_us is null";
    let values = [id.into(), status.word().into()];
    tx.execute_one(SQL, &values, "subscription").await?;
    tx.note(Noun::Subscription(id)).await
}

/// Puts a live subscription under another plan that its version offers; what was used stays used.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, or it has ended; [`StoreError::Stale`] when the
/// version does not offer the plan.
pub async fn set_plan(tx: &mut Tx, id: SubscriptionId, plan: PlanId) -> Result<(), StoreError> {
    const VERSION: &str = "select version from subscriptions where id = $1 and ended_us is null";
    const SQL: &str = "update subscriptions set plan = $2 where id = $1";
    let row = tx.row(VERSION, &[id.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("subscription"))?;
    require_offer(tx, row.id("version")?, plan).await?;
    tx.execute(SQL, &[id.into(), plan.into()]).await?;
    tx.note(Noun::Subscription(id)).await
}

/// Ends a live subscription.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, or it has ended before.
pub async fn end(tx: &mut Tx, id: SubscriptionId, at_us: i64) -> Result<(), StoreError> {
    const SQL: &str = "update subscriptions set ended_us = $2 where id = $1 and ended_us is null";
    let values = [id.into(), at_us.into()];
    tx.execute_one(SQL, &values, "subscription").await?;
    tx.note(Noun::Subscription(id)).await
}

/// Ends all live subscriptions of a version, and notes each.
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

pub(crate) fn read(row: &Row) -> Result<Subscription, StoreError> {
    Ok(Subscription {
        id: row.id("id")?,
        application: row.id("application")?,
        version: row.id("version")?,
        plan: row.id("plan")?,
        status: row.word("status", Status::from_word)?,
        created_us: row.int("created_us")?,
        ended_us: row.int_or_null("ended_us")?,
    })
}
