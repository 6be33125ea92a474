//! Lists of subscriptions, with the names of the objects they join.

use tollgate_model::id::{self, ApiId, ApplicationId, PlanId, SubscriptionId, UserId, VersionId};
use tollgate_model::lifecycle::{Deprecation, State};
use tollgate_model::subscription::Status;

use super::{Subscription, read_subscription};
use crate::part::{Found, Part, Statements, statements};
use crate::row::{Row, deprecation_columns};
use crate::value::Value;
use crate::{Store, StoreError};

/// A subscription with the names of application, owner, API, version and plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The subscription.
    pub subscription: Subscription,
    /// The application's name.
    pub application_name: String,
    /// The application's owner.
    pub owner: UserId,
    /// That user's name.
    pub owner_name: String,
    /// The version's API.
    pub api: ApiId,
    /// That API's name.
    pub api_name: String,
    /// The version's name.
    pub version_name: String,
    /// The version's state.
    pub version_state: State,
    /// The version's deprecation, if it is deprecated or was until it retired.
    pub deprecation: Option<Deprecation>,
    /// The plan's name.
    pub plan_name: String,
    /// The plan's title; empty if it has none.
    pub plan_title: String,
}

/// Filters of [`find`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// Only subscriptions that a user may see; all if `None`.
    pub seen_by: Option<Concerning>,
    /// Only subscriptions of this application.
    pub application: Option<ApplicationId>,
    /// Only subscriptions to this version.
    pub version: Option<VersionId>,
    /// Only subscriptions to versions of this API.
    pub api: Option<ApiId>,
    /// Only subscriptions under this plan.
    pub plan: Option<PlanId>,
    /// Only subscriptions with this status.
    pub status: Option<Status>,
    /// Only those with a name of application, owner, API, version or plan that matches this
    /// [`pattern`](crate::part::pattern).
    pub pattern: Option<&'w str>,
}

/// Subscriptions of all applications of one user, and those to all APIs of another or the same; an
/// absent user matches none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Concerning {
    /// Owner of the applications.
    pub consumer: Option<UserId>,
    /// Owner of the APIs.
    pub publisher: Option<UserId>,
}

/// The columns of a subscription with its names, for [`read_named`].
macro_rules! named_columns {
    () => {
        concat!(
            "s.id, s.application, s.version, s.plan, s.status, s.created_us, s.ended_us, s.scopes, \
            t.name as application_name, t.owner, u.name as owner_name, v.api, \
            a.name as api_name, v.name as version_name, v.state as version_state, \
            p.name as plan_name, p.title as plan_title, s.reason, ",
            deprecation_columns!()
        )
    };
}

macro_rules! named_tables {
    () => {
        "subscriptions s join applications t on t.id = s.application \
            join users u on u.id = t.owner join versions v on v.id = s.version \
            join apis a on a.id = v.api join plans p on p.id = s.plan \
            left join versions n on n.id = v.successor"
    };
}

/// The list; an index narrows it if an application or a version is given.
macro_rules! named {
    ($narrowed:literal) => {
        statements!(
            select named_columns!(),
            from concat!(
                named_tables!(),
                " where s.ended_us is null and ",
                $narrowed,
                " and ($3 is null or v.api = $3) and ($4 is null or s.plan = $4) \
                and ($5 is null or s.status = $5) \
                and ($6 = 0 or t.owner = $7 or a.owner = $8) \
                and ($9 is null or t.name || ' ' || u.name || ' ' || a.name || ' ' || v.name \
                    || ' ' || p.name like $9 escape '\\')"
            ),
            id "s.id" name "t.name", after "$10" at_most "$11" key "$12"
        )
    };
}

/// Returns the live subscriptions that match the filters; the order by name is by the name of the
/// application.
///
/// # Errors
/// Fails if the database read fails.
pub async fn find(
    store: &Store,
    wanted: Wanted<'_>,
    part: &Part<id::Subscription>,
) -> Result<Found<Named>, StoreError> {
    const ALL: Statements = named!("$1 is null and $2 is null");
    const APPLICATION: Statements = named!("s.application = $1 and ($2 is null or s.version = $2)");
    const VERSION: Statements = named!("$1 is null and s.version = $2");
    let statements = match (wanted.application, wanted.version) {
        (Some(_), _) => APPLICATION,
        (None, Some(_)) => VERSION,
        (None, None) => ALL,
    };
    let user = |user: Option<UserId>| Value::Int(user.map(UserId::raw));
    let seen_by = wanted.seen_by.unwrap_or_default();
    let filter = [
        Value::Int(wanted.application.map(ApplicationId::raw)),
        Value::Int(wanted.version.map(VersionId::raw)),
        Value::Int(wanted.api.map(ApiId::raw)),
        Value::Int(wanted.plan.map(PlanId::raw)),
        Value::Text(wanted.status.map(Status::word)),
        wanted.seen_by.is_some().into(),
        user(seen_by.consumer),
        user(seen_by.publisher),
        wanted.pattern.into(),
    ];
    store.find(&statements, part, &filter, read_named).await
}

/// Returns a live subscription with its names.
///
/// # Errors
/// [`StoreError::NotFound`], also if it has ended.
pub async fn named(store: &Store, id: SubscriptionId) -> Result<Named, StoreError> {
    const SQL: &str = concat!(
        "select ",
        named_columns!(),
        " from ",
        named_tables!(),
        " where s.ended_us is null and s.id = $1"
    );
    let row = store.row(SQL, &[id.into()]).await?;
    read_named(&row.ok_or(StoreError::NotFound("subscription"))?)
}

fn read_named(row: &Row) -> Result<Named, StoreError> {
    Ok(Named {
        subscription: read_subscription(row)?,
        application_name: row.text("application_name")?,
        owner: row.id("owner")?,
        owner_name: row.text("owner_name")?,
        api: row.id("api")?,
        api_name: row.text("api_name")?,
        version_name: row.text("version_name")?,
        version_state: row.word("version_state", State::from_word)?,
        deprecation: row.deprecation()?,
        plan_name: row.text("plan_name")?,
        plan_title: row.text("plan_title")?,
    })
}
