//! APIs: a name, a context, an owner; their versions are in `versions.rs`.
//!
//! No context may lie within another's (`model::api::contexts_overlap`): this is checked in the
//! transaction that writes it, so that of two concurrent writers only one succeeds.

use tollgate_model::api::{Kind, contexts_overlap};
use tollgate_model::id::{self, ApiId, UserId};
use tollgate_model::lifecycle::State;

use crate::contracts::{self, NewContract};
use crate::documents::{self, Document};
use crate::part::{Found, Part, Statements, statements};
use crate::row::Row;
use crate::value::{Value, json};
use crate::versions::{self, NewVersion};
use crate::{Noun, Store, StoreError, Tx, names};

/// An API without its versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Api {
    /// The API's id.
    pub id: ApiId,
    /// Unique.
    pub name: String,
    /// The protocol of its calls.
    pub kind: Kind,
    /// Unique, and neither within another API's context nor around it; such as `/petstore`.
    pub context: String,
    /// Human-readable text.
    pub description: String,
    /// The owner.
    pub owner: UserId,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
}

/// A new API with its first version, which becomes the default one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewApi {
    /// The API.
    pub api: Api,
    /// Its first version.
    pub version: NewVersion,
    /// The document that it was imported from.
    pub document: Option<Document>,
    /// The contract of its SOAP service.
    pub contract: Option<NewContract>,
}

/// The fields that [`update`] writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiChange {
    /// The new name.
    pub name: String,
    /// The new context; the gateways' paths change with it.
    pub context: String,
    /// The new description.
    pub description: String,
    /// The new owner.
    pub owner: UserId,
}

/// Filters of [`find`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// Only APIs of this kind.
    pub kind: Option<Kind>,
    /// Only APIs of this owner.
    pub owner: Option<UserId>,
    /// Only APIs of this user and those with a version in one of these states; all if `None`.
    pub seen_by: Option<(UserId, &'w [State])>,
    /// Only APIs with a name, context or description that matches this
    /// [`pattern`](crate::part::pattern).
    pub pattern: Option<&'w str>,
}

/// Writes a new API with its first version, draft and document.
///
/// # Errors
/// [`StoreError::Taken`] with `/name`, or with `/context` if that overlaps another API's.
pub async fn create(tx: &mut Tx, new: &NewApi) -> Result<(), StoreError> {
    const SQL: &str = "insert into apis (id, name, kind, context, description, owner, created_us) \
        values ($1, $2, $3, $4, $5, $6, $7)";
    let api = &new.api;
    refuse_overlap(tx, api.id, &api.context).await?;
    let values = [
        api.id.into(),
        (&api.name).into(),
        api.kind.word().into(),
        (&api.context).into(),
        (&api.description).into(),
        api.owner.into(),
        api.created_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    versions::insert(tx, api.id, &new.version, true).await?;
    if let Some(document) = &new.document {
        documents::put(tx, new.version.id, document).await?;
    }
    if let Some(contract) = &new.contract {
        contracts::keep(tx, new.version.id, contract).await?;
    }
    Ok(())
}

/// Returns the API with this id.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: ApiId) -> Result<Api, StoreError> {
    const SQL: &str = "select id, name, kind, context, description, owner, created_us \
        from apis where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read_api(&row.ok_or(StoreError::NotFound("API"))?)
}

/// Returns the APIs that match the filters.
///
/// # Errors
/// Fails if the database read fails.
pub async fn find(
    store: &Store,
    wanted: Wanted<'_>,
    part: &Part<id::Api>,
) -> Result<Found<Api>, StoreError> {
    const SQL: Statements = statements!(
        select "a.id, a.name, a.kind, a.context, a.description, a.owner, a.created_us",
        from "apis a where ($1 is null or a.kind = $1) and ($2 is null or a.owner = $2) \
            and ($3 is null or a.owner = $3 or exists (select 1 from versions v \
                where v.api = a.id and v.state in (select value from json_each($4)))) \
            and ($5 is null \
                or a.name || ' ' || a.context || ' ' || a.description like $5 escape '\\')",
        id "a.id" name "a.name", after "$6" at_most "$7" key "$8"
    );
    let user = |user: Option<UserId>| Value::Int(user.map(UserId::raw));
    let (seen_by, among) = wanted.seen_by.unzip();
    let states = json(&among.unwrap_or_default());
    let filter = [
        Value::Text(wanted.kind.map(Kind::word)),
        user(wanted.owner),
        user(seen_by),
        (&states).into(),
        wanted.pattern.into(),
    ];
    store.find(&SQL, part, &filter, read_api).await
}

/// Writes name, context, description and owner; notes every version for gateways, since its paths
/// may change.
///
/// # Errors
/// [`StoreError::Taken`] as for [`create`]; [`StoreError::NotFound`].
pub async fn update(tx: &mut Tx, id: ApiId, change: &ApiChange) -> Result<(), StoreError> {
    const SQL: &str = "update apis set name = $2, context = $3, description = $4, owner = $5 \
        where id = $1";
    refuse_overlap(tx, id, &change.context).await?;
    let values = [
        id.into(),
        (&change.name).into(),
        (&change.context).into(),
        (&change.description).into(),
        change.owner.into(),
    ];
    tx.execute_one(SQL, &values, "API").await?;
    versions::note_of_api(tx, id).await
}

/// Deletes an API with its versions, their revisions and their subscriptions.
///
/// # Errors
/// [`StoreError::Used`] while a version is published, blocked or deprecated;
/// [`StoreError::NotFound`].
pub async fn delete(tx: &mut Tx, id: ApiId) -> Result<(), StoreError> {
    const IN_USE: &str = "select id from versions where api = $1 \
        and state in ('published', 'blocked', 'deprecated') limit 1";
    const NOTE_SUBSCRIPTIONS: &str = "insert into changes (noun, id) \
        select $2, s.id from subscriptions s join versions v on v.id = s.version \
        where v.api = $1 and s.ended_us is null";
    const SQL: &str = "delete from apis where id = $1";
    if tx.row(IN_USE, &[id.into()]).await?.is_some() {
        let detail = "a version of the API is published, blocked or deprecated";
        return Err(StoreError::Used(detail));
    }
    names::keep_of_api(tx, id).await?;
    versions::note_of_api(tx, id).await?;
    tx.execute(NOTE_SUBSCRIPTIONS, &[id.into(), Noun::SUBSCRIPTION.into()])
        .await?;
    tx.execute_one(SQL, &[id.into()], "API").await?;
    documents::sweep(tx).await
}

/// Returns the API with this name.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_name(store: &Store, name: &str) -> Result<Option<Api>, StoreError> {
    const SQL: &str = "select id, name, kind, context, description, owner, created_us \
        from apis where name = $1";
    let row = store.row(SQL, &[name.into()]).await?;
    row.as_ref().map(read_api).transpose()
}

/// Returns whether a context lies within or around that of an API.
///
/// # Errors
/// Fails if the database read fails.
pub async fn overlaps(store: &Store, context: &str) -> Result<bool, StoreError> {
    let (first, from, to) = near(context);
    let values = [0.into(), (&first).into(), (&from).into(), (&to).into()];
    for row in store.rows(NEAR, &values).await? {
        if contexts_overlap(context, &row.text("context")?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The contexts of APIs other than `$1` that may overlap one: see [`near`].
const NEAR: &str = "select context from apis where id <> $1 \
    and (context = $2 or (context >= $3 and context < $4))";

/// Returns the bounds of contexts that may overlap this one: an equal one, and a half-open range.
///
/// Contexts that overlap share their first segment, so only those are read. The range means "begins
/// with the segment and a slash": `0` follows `/` in ASCII, contexts are ASCII, and the column
/// compares by bytes (in PostgreSQL: collation "C").
fn near(context: &str) -> (String, String, String) {
    let rest = context.strip_prefix('/').unwrap_or(context);
    let first = format!("/{}", rest.split('/').next().unwrap_or_default());
    let (from, to) = (format!("{first}/"), format!("{first}0"));
    (first, from, to)
}

/// Rejects a context within or around that of another API than `id`.
async fn refuse_overlap(tx: &mut Tx, id: ApiId, context: &str) -> Result<(), StoreError> {
    let (first, from, to) = near(context);
    let values = [id.into(), (&first).into(), (&from).into(), (&to).into()];
    for row in tx.rows(NEAR, &values).await? {
        let other = row.text("context")?;
        if contexts_overlap(context, &other) {
            // Does not name the other API: it may not be visible to others yet.
            let what = "the context overlaps that of another API".to_owned();
            return Err(StoreError::Taken {
                field: "/context",
                what,
            });
        }
    }
    Ok(())
}

fn read_api(row: &Row) -> Result<Api, StoreError> {
    Ok(Api {
        id: row.id("id")?,
        name: row.text("name")?,
        kind: row.word("kind", Kind::from_word)?,
        context: row.text("context")?,
        description: row.text("description")?,
        owner: row.id("owner")?,
        created_us: row.int("created_us")?,
    })
}

/// Reads the API from a row that joins it to a version; columns are named as in `catalogue.rs`.
pub(crate) fn read_joined(row: &Row) -> Result<Api, StoreError> {
    Ok(Api {
        id: row.id("api")?,
        name: row.text("api_name")?,
        kind: row.word("kind", Kind::from_word)?,
        context: row.text("context")?,
        description: row.text("description")?,
        owner: row.id("owner")?,
        created_us: row.int("api_created_us")?,
    })
}
