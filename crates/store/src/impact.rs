//! The impact of a change: the live subscriptions it concerns, the applications that have them, and
//! the valid credentials of these. For tokens that end: the OAuth2 clients they were issued to.

use tollgate_model::id::{
    ApiId, ApplicationId, ClientId, PlanId, SigningKeyId, SubscriptionId, UserId, VersionId,
};

use crate::value::{Value, ids_json};
use crate::{Store, StoreError};

/// Maximum number of pairs of application and version that [`pairs`] returns.
pub const PAIRS_MAX: i64 = 10_000;

/// The object of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched {
    /// An API with all its versions.
    Api(ApiId),
    /// Versions.
    Versions(Vec<VersionId>),
    /// A plan.
    Plan(PlanId),
    /// An application with its credentials.
    Application(ApplicationId),
    /// A subscription.
    Subscription(SubscriptionId),
    /// A user with all applications of that user.
    User(UserId),
    /// The tokens of an application's OAuth2 clients.
    ApplicationTokens(ApplicationId),
    /// The tokens of an OAuth2 client.
    ClientTokens(ClientId),
    /// The tokens that a key has signed: those of all clients with tokens of its algorithm.
    SigningKey(SigningKeyId),
}

/// The extent of a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Live subscriptions.
    pub subscriptions: u64,
    /// Applications with these subscriptions.
    pub applications: u64,
    /// Valid credentials of these applications; for tokens, the clients that get them.
    pub credentials: u64,
}

/// Selects the live subscriptions that match a condition; `$1` is the changed object.
macro_rules! live {
    ($what:expr) => {
        concat!(
            "with live as (select id, application, version from subscriptions \
                where ended_us is null and ",
            $what,
            ") "
        )
    };
}

/// Condition for a valid credential; `$2` is the current time.
macro_rules! works {
    () => {
        " try_it = 0 and revoked_us is null and suspended_us is null \
            and (expires_us is null or expires_us > $2) "
    };
}

macro_rules! counts {
    ($what:literal) => {
        concat!(
            live!($what),
            "select count(*) as subscriptions, count(distinct application) as applications, \
                (select count(*) from api_keys \
                    where application in (select application from live) \
                    and (grace_until_us is null or grace_until_us > $2) and ",
            works!(),
            ") + (select count(*) from clients \
                    where application in (select application from live) and ",
            works!(),
            ") + (select count(*) from basic_users \
                    where application in (select application from live) and ",
            works!(),
            ") as credentials from live"
        )
    };
}

/// Condition for subscriptions of the applications with these clients.
macro_rules! of_clients {
    ($which:literal) => {
        concat!(
            "application in (select application from clients where ",
            works!(),
            "and ",
            $which,
            ")"
        )
    };
}

macro_rules! client_counts {
    ($which:literal) => {
        concat!(
            live!(of_clients!($which)),
            "select count(*) as subscriptions, count(distinct application) as applications, \
                (select count(*) from clients where ",
            works!(),
            "and ",
            $which,
            ") as credentials from live"
        )
    };
}

/// Condition for clients with tokens of a key's algorithm, once the key has begun to sign.
macro_rules! signed {
    ($with:ident) => {
        $with!(
            "algorithm = (select algorithm from signing_keys where id = $1 and signs_from_us <= $2)"
        )
    };
}

macro_rules! pairs {
    ($what:expr, limit $limit:literal) => {
        concat!(
            live!($what),
            "select application, version from live order by id limit ",
            $limit
        )
    };
}

/// Returns the extent of a change.
///
/// # Errors
/// Fails if the database read fails.
pub async fn counts(store: &Store, touched: &Touched, now_us: i64) -> Result<Counts, StoreError> {
    let ids;
    let (sql, touched) = match touched {
        Touched::Api(id) => (
            counts!("version in (select id from versions where api = $1)"),
            Value::from(*id),
        ),
        Touched::Versions(versions) => {
            ids = ids_json(versions);
            let sql = counts!("version in (select value from json_each($1))");
            (sql, ids.as_str().into())
        }
        Touched::Plan(id) => (counts!("plan = $1"), (*id).into()),
        Touched::Application(id) => (counts!("application = $1"), (*id).into()),
        Touched::Subscription(id) => (counts!("id = $1"), (*id).into()),
        Touched::User(id) => (
            counts!("application in (select id from applications where owner = $1)"),
            (*id).into(),
        ),
        Touched::ApplicationTokens(id) => (client_counts!("application = $1"), (*id).into()),
        Touched::ClientTokens(id) => (client_counts!("id = $1"), (*id).into()),
        Touched::SigningKey(id) => (signed!(client_counts), (*id).into()),
    };
    let row = store.row(sql, &[touched, now_us.into()]).await?;
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

/// Returns which applications subscribe to which versions, for a plan, a subscription, a user or
/// tokens that end: at most the [`PAIRS_MAX`] oldest.
///
/// # Errors
/// Fails if the database read fails.
pub async fn pairs(
    store: &Store,
    touched: &Touched,
    now_us: i64,
) -> Result<Vec<(ApplicationId, VersionId)>, StoreError> {
    let (now, limit) = (Value::from(now_us), Value::from(PAIRS_MAX));
    let (sql, values) = match *touched {
        Touched::Plan(id) => (pairs!("plan = $1", limit "$2"), vec![id.into(), limit]),
        Touched::Subscription(id) => (pairs!("id = $1", limit "$2"), vec![id.into(), limit]),
        Touched::User(id) => (
            pairs!("application in (select id from applications where owner = $1)", limit "$2"),
            vec![id.into(), limit],
        ),
        Touched::ApplicationTokens(id) => (
            pairs!(of_clients!("application = $1"), limit "$3"),
            vec![id.into(), now, limit],
        ),
        Touched::ClientTokens(id) => (
            pairs!(of_clients!("id = $1"), limit "$3"),
            vec![id.into(), now, limit],
        ),
        Touched::SigningKey(id) => (
            pairs!(signed!(of_clients), limit "$3"),
            vec![id.into(), now, limit],
        ),
        // Callers list the subscriptions of these directly.
        Touched::Api(_) | Touched::Versions(_) | Touched::Application(_) => return Ok(Vec::new()),
    };
    let rows = store.rows(sql, &values).await?;
    let pairs = rows.iter();
    pairs
        .map(|row| Ok((row.id("application")?, row.id("version")?)))
        .collect()
}
