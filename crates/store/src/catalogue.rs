//! The catalogue: the versions that consumers can find, filtered and sorted here, with the data of
//! their entries. A page takes five statements, whatever its length.

use tollgate_model::api::Kind;
use tollgate_model::id::{
    ApplicationId, PlanId, SubscriptionId, UserId, Version as VersionKind, VersionId,
};
use tollgate_model::lifecycle::State;
use tollgate_model::security::{KEY_HEADER, Security};
use tollgate_model::subscription::Status;

use crate::part::{Found, Part, Statements, statements};
use crate::plans::{self, Plan};
use crate::row::Row;
use crate::value::{Value, ids_json, json};
use crate::versions::{self, Offer, api_columns, version_columns, version_tables};
use crate::{Store, StoreError};

/// Maximum number of subscriptions of one user to one version that [`of_owner`] returns.
pub const OWN_MAX: i64 = 20;

/// Filters of [`find`].
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'w> {
    /// Only versions in one of these states.
    pub states: &'w [State],
    /// Only versions of APIs of this kind.
    pub kind: Option<Kind>,
    /// Only versions with names, context or description that match this
    /// [`pattern`](crate::part::pattern).
    pub pattern: Option<&'w str>,
}

/// A version's entry in the catalogue.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The version and its API.
    pub offer: Offer,
    /// The name of the API's owner.
    pub owner_name: String,
    /// How callers of the deployed revision authenticate.
    pub security: Security,
}

/// A subscription of one of a user's applications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnSubscription {
    /// The subscription's id.
    pub id: SubscriptionId,
    /// The version subscribed to.
    pub version: VersionId,
    /// The application that subscribed.
    pub application: ApplicationId,
    /// The application's name.
    pub application_name: String,
    /// The plan of the subscription.
    pub plan: PlanId,
    /// The plan's name.
    pub plan_name: String,
    /// The plan's title; empty if it has none.
    pub plan_title: String,
    /// Whether calls are allowed.
    pub status: Status,
    /// The granted scopes among those that need approval, sorted.
    pub scopes: Vec<String>,
}

/// A version on a page: its id and the name that the page is sorted by.
#[derive(Debug, Clone)]
pub struct Place {
    /// The version's id.
    pub version: VersionId,
    /// The API's name.
    pub name: String,
}

/// Returns the versions that match the filters.
///
/// # Errors
/// Fails if the database read fails.
pub async fn find(
    store: &Store,
    wanted: Wanted<'_>,
    part: &Part<VersionKind>,
) -> Result<Found<Place>, StoreError> {
    const SQL: Statements = statements!(
        select "v.id, a.name",
        from "versions v join apis a on a.id = v.api \
            where v.state in (select value from json_each($1)) and ($2 is null or a.kind = $2) \
            and ($3 is null or a.name || ' ' || a.context || ' ' || v.name || ' ' \
                || a.description like $3 escape '\\')",
        id "v.id" name "a.name", after "$4" at_most "$5" key "$6"
    );
    let states = json(&wanted.states);
    let filter = [
        (&states).into(),
        Value::Text(wanted.kind.map(Kind::word)),
        wanted.pattern.into(),
    ];
    store.find(&SQL, part, &filter, read_place).await
}

/// Returns the entries of these versions, in their order; deleted versions are left out.
///
/// # Errors
/// Fails if the database read fails.
pub async fn entries(store: &Store, ids: &[VersionId]) -> Result<Vec<Entry>, StoreError> {
    const SQL: &str = concat!(
        "select ",
        version_columns!(unverified "null"),
        ", ",
        api_columns!(),
        ", u.name as owner_name, json_extract(r.configuration, '$.security') as security, \
            json_extract(r.configuration, '$.key_header') as key_header from ",
        version_tables!(),
        " join users u on u.id = a.owner where v.id in (select value from json_each($1))"
    );
    let list = ids_json(ids);
    let mut entries = store.list(SQL, &[(&list).into()], read_entry).await?;
    let place = |entry: &Entry| ids.iter().position(|&id| id == entry.offer.version.id);
    entries.sort_by_key(place);
    Ok(entries)
}

/// Returns the plans that these versions offer, each version's in their order.
///
/// # Errors
/// Fails if the database read fails.
pub async fn plans(store: &Store, ids: &[VersionId]) -> Result<Vec<(VersionId, Plan)>, StoreError> {
    const SQL: &str = "select o.version, p.id, p.name, p.title, p.description, p.terms, \
            p.created_us, p.updated_us, p.etag \
        from version_plans o join plans p on p.id = o.plan \
        where o.version in (select value from json_each($1)) order by o.version, o.position";
    let read = |row: &Row| Ok((row.id("version")?, plans::read_plan(row)?));
    store.list(SQL, &[(&ids_json(ids)).into()], read).await
}

/// Returns the live subscriptions of a user's applications to these versions: at most the
/// [`OWN_MAX`] oldest of each version.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_owner(
    store: &Store,
    owner: UserId,
    ids: &[VersionId],
) -> Result<Vec<OwnSubscription>, StoreError> {
    const SQL: &str = "select * from (select s.id, s.version, s.application, s.plan, s.status, \
            s.scopes, t.name as application_name, p.name as plan_name, \
            p.title as plan_title, \
            row_number() over (partition by s.version order by s.id) as place \
        from subscriptions s join applications t on t.id = s.application \
            join plans p on p.id = s.plan \
        where t.owner = $1 and s.ended_us is null \
            and s.version in (select value from json_each($2))) own \
        where place <= $3 order by id";
    let list = ids_json(ids);
    let values = [owner.into(), (&list).into(), OWN_MAX.into()];
    store.list(SQL, &values, read_own).await
}

fn read_place(row: &Row) -> Result<Place, StoreError> {
    Ok(Place {
        version: row.id("id")?,
        name: row.text("name")?,
    })
}

fn read_entry(row: &Row) -> Result<Entry, StoreError> {
    let security = row.json_or_null("security")?;
    let key_header = row.text_or_null("key_header")?;
    Ok(Entry {
        offer: versions::read_offer(row)?,
        owner_name: row.text("owner_name")?,
        security: security
            .unwrap_or_else(|| Security::api_key(key_header.as_deref().unwrap_or(KEY_HEADER))),
    })
}

fn read_own(row: &Row) -> Result<OwnSubscription, StoreError> {
    Ok(OwnSubscription {
        id: row.id("id")?,
        version: row.id("version")?,
        application: row.id("application")?,
        application_name: row.text("application_name")?,
        plan: row.id("plan")?,
        plan_name: row.text("plan_name")?,
        plan_title: row.text("plan_title")?,
        status: row.word("status", Status::from_word)?,
        scopes: row.granted_scopes()?,
    })
}
