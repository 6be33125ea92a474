//! What a change would touch: the live subscriptions that it concerns, the applications that have
//! them, and the credentials of these that work.

use tollgate_model::id::{ApiId, ApplicationId, PlanId, SubscriptionId, UserId, VersionId};

use crate::{Store, StoreError};

/// Pairs of who calls what that are told at most.
pub const PAIRS_MAX: i64 = 10_000;

/// What would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touched {
    /// An API with all its versions.
    Api(ApiId),
    /// A version.
    Version(VersionId),
    /// A plan.
    Plan(PlanId),
    /// An application with its credentials.
    Application(ApplicationId),
    /// A subscription.
    Subscription(SubscriptionId),
    /// A user with the applications that are the user's.
    User(UserId),
}

/// How much it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Live subscriptions.
    pub subscriptions: u64,
    /// Applications that have them.
    pub applications: u64,
    /// Credentials of these applications that work.
    pub credentials: u64,
}

/// The ids of live subscriptions of each kind of thing; `$1` is the thing.
macro_rules! live {
    ($what:literal) => {
        concat!(
            "with live as (select id, application, version from subscriptions \
                where ended_us is null and ",
            $what,
            ") "
        )
    };
}

/// Whether a credential works for one of the applications; `$2` is now.
macro_rules! working {
    () => {
        "application in (select application from live) and revoked_us is null \
            and suspended_us is null and (expires_us is null or expires_us > $2)"
    };
}

macro_rules! counts {
    ($what:literal) => {
        concat!(
            live!($what),
            "select count(*) as subscriptions, count(distinct application) as applications, \
                (select count(*) from api_keys where try_it = 0 and ",
            working!(),
            ") + (select count(*) from clients where try_it = 0 and ",
            working!(),
            ") + (select count(*) from basic_users where try_it = 0 and ",
            working!(),
            ") as credentials from live"
        )
    };
}

macro_rules! pairs {
    ($what:literal) => {
        concat!(
            live!($what),
            "select application, version from live order by id limit $2"
        )
    };
}

/// How much a change touches.
///
/// # Errors
/// As any read.
pub async fn counts(store: &Store, touched: Touched, now_us: i64) -> Result<Counts, StoreError> {
    let (sql, id) = match touched {
        Touched::Api(id) => (
            counts!("version in (select id from versions where api = $1)"),
            id.raw(),
        ),
        Touched::Version(id) => (counts!("version = $1"), id.raw()),
        Touched::Plan(id) => (counts!("plan = $1"), id.raw()),
        Touched::Application(id) => (counts!("application = $1"), id.raw()),
        Touched::Subscription(id) => (counts!("id = $1"), id.raw()),
        Touched::User(id) => (
            counts!("application in (select id from applications where owner = $1)"),
            id.raw(),
        ),
    };
    let row = store.row(sql, &[id.into(), now_us.into()]).await?;
    let Some(row) = row else {
        return Ok(Counts::default());
    };
    let count = |name| Ok(u64::try_from(row.int(name)?).unwrap_or_default());
    Ok(Counts {
        subscriptions: count("subscriptions")?,
        applications: count("applications")?,
        credentials: count("credentials")?,
    })
}

/// Which applications have subscriptions to which versions, under a plan, by a subscription or of a
/// user: the
/// [`PAIRS_MAX`] oldest.
///
/// # Errors
/// As any read.
pub async fn pairs(
    store: &Store,
    touched: Touched,
) -> Result<Vec<(ApplicationId, VersionId)>, StoreError> {
    let (sql, id) = match touched {
        Touched::Plan(id) => (pairs!("plan = $1"), id.raw()),
        Touched::Subscription(id) => (pairs!("id = $1"), id.raw()),
        Touched::User(id) => (
            pairs!("application in (select id from applications where owner = $1)"),
            id.raw(),
        ),
        // Theirs are told apart by themselves.
        Touched::Api(_) | Touched::Version(_) | Touched::Application(_) => return Ok(Vec::new()),
    };
    let rows = store.rows(sql, &[id.into(), PAIRS_MAX.into()]).await?;
    let pairs = rows.iter();
    pairs
        .map(|row| Ok((row.id("application")?, row.id("version")?)))
        .collect()
}
