//! Applications: client programs of consumers, each with limits of its own.

use std::collections::HashMap;

use tollgate_model::id::{self, ApplicationId, UserId};
use tollgate_model::plan::Limit;

use crate::part::{Found, Part, Statements, statements};
use crate::row::Row;
use crate::value::{Value, after, ids_json, json, limit};
use crate::{Noun, Store, StoreError, Tx, credentials, names};

/// An application without its credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// The application's id.
    pub id: ApplicationId,
    /// Unique among its owner's applications.
    pub name: String,
    /// The owner.
    pub owner: UserId,
    /// Human-readable text.
    pub description: String,
    /// Limits across all its calls.
    pub limits: Vec<Limit>,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
    /// Unix microseconds: tokens of its clients that were issued before are not valid.
    pub tokens_from_us: i64,
}

/// The fields that [`update`] writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationChange {
    /// The new name.
    pub name: String,
    /// The new description.
    pub description: String,
    /// The new limits, which apply at once.
    pub limits: Vec<Limit>,
}

/// Writes a new application.
///
/// # Errors
/// [`StoreError::Taken`] with `/name`.
pub async fn create(tx: &mut Tx, application: &Application) -> Result<(), StoreError> {
    const SQL: &str = "insert into applications \
        (id, name, owner, description, limits, created_us, tokens_from_us) \
        values ($1, $2, $3, $4, $5, $6, $7)";
    let limits = json(&application.limits);
    let values = [
        application.id.into(),
        (&application.name).into(),
        application.owner.into(),
        (&application.description).into(),
        (&limits).into(),
        application.created_us.into(),
        application.tokens_from_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    tx.note(Noun::Application(application.id)).await
}

/// Counts the applications of a user. Call it within the write that creates one, so that two
/// concurrent writes cannot both take the last place.
///
/// # Errors
/// Fails if the database read fails.
pub async fn count_of_user(tx: &mut Tx, owner: UserId) -> Result<u64, StoreError> {
    const SQL: &str = "select count(*) as live from applications where owner = $1";
    credentials::count(tx, SQL, &[owner.into()]).await
}

/// Returns the application with this id.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: ApplicationId) -> Result<Application, StoreError> {
    const SQL: &str = "select id, name, owner, description, limits, created_us, tokens_from_us \
        from applications where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read_application(&row.ok_or(StoreError::NotFound("application"))?)
}

/// Numbers of an application's live credentials and subscriptions: not revoked, expired or ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Live {
    /// API keys, without those created to try an API.
    pub keys: u64,
    /// OAuth2 clients.
    pub clients: u64,
    /// Users of HTTP Basic, without those created to try an API.
    pub basic_users: u64,
    /// Subscriptions.
    pub subscriptions: u64,
}

/// Counts the live credentials and subscriptions of these applications.
///
/// # Errors
/// Fails if the database read fails.
pub async fn live(
    store: &Store,
    ids: &[ApplicationId],
    now_us: i64,
) -> Result<HashMap<ApplicationId, Live>, StoreError> {
    const SQL: &str = "select t.id, \
            (select count(*) from api_keys c where c.application = t.id and c.try_it = 0 \
                and c.revoked_us is null and (c.expires_us is null or c.expires_us > $2) \
                and (c.grace_until_us is null or c.grace_until_us > $2)) as keys, \
            (select count(*) from clients c where c.application = t.id and c.try_it = 0 \
                and c.revoked_us is null \
                and (c.expires_us is null or c.expires_us > $2)) as clients, \
            (select count(*) from basic_users c where c.application = t.id and c.try_it = 0 \
                and c.revoked_us is null \
                and (c.expires_us is null or c.expires_us > $2)) as basic_users, \
            (select count(*) from subscriptions s where s.application = t.id \
                and s.ended_us is null) as subscriptions \
        from applications t where t.id in (select value from json_each($1))";
    let list = ids_json(ids);
    let values = [(&list).into(), now_us.into()];
    let live = store.list(SQL, &values, read_live).await?;
    Ok(live.into_iter().collect())
}

fn read_live(row: &Row) -> Result<(ApplicationId, Live), StoreError> {
    let count = |name| Ok(u64::try_from(row.int(name)?).unwrap_or_default());
    let live = Live {
        keys: count("keys")?,
        clients: count("clients")?,
        basic_users: count("basic_users")?,
        subscriptions: count("subscriptions")?,
    };
    Ok((row.id("id")?, live))
}

/// Returns applications, optionally only those of one owner or with a name or description that
/// matches this [`pattern`](crate::part::pattern).
///
/// # Errors
/// Fails if the database read fails.
pub async fn find(
    store: &Store,
    owner: Option<UserId>,
    pattern: Option<&str>,
    part: &Part<id::Application>,
) -> Result<Found<Application>, StoreError> {
    const SQL: Statements = statements!(
        select "id, name, owner, description, limits, created_us, tokens_from_us",
        from "applications where ($1 is null or owner = $1) \
            and ($2 is null or name || ' ' || description like $2 escape '\\')",
        id "id" name "name", after "$3" at_most "$4" key "$5"
    );
    let filter = [Value::Int(owner.map(UserId::raw)), pattern.into()];
    store.find(&SQL, part, &filter, read_application).await
}

/// Lists applications by id, beginning after `after_id`; all, or those of one owner.
///
/// # Errors
/// Fails if the database read fails.
pub async fn list(
    store: &Store,
    owner: Option<UserId>,
    after_id: Option<ApplicationId>,
    at_most: u32,
) -> Result<Vec<Application>, StoreError> {
    const ALL: &str = "select id, name, owner, description, limits, created_us, tokens_from_us \
        from applications where id > $1 order by id limit $2";
    const OWNED: &str = "select id, name, owner, description, limits, created_us, tokens_from_us \
        from applications where id > $1 and owner = $3 order by id limit $2";
    let page = [after(after_id), limit(at_most)];
    match owner {
        None => store.list(ALL, &page, read_application).await,
        Some(owner) => {
            let values = [page[0], page[1], owner.into()];
            store.list(OWNED, &values, read_application).await
        }
    }
}

/// Writes name, description and limits.
///
/// # Errors
/// [`StoreError::Taken`] with `/name`; [`StoreError::NotFound`].
pub async fn update(
    tx: &mut Tx,
    id: ApplicationId,
    change: &ApplicationChange,
) -> Result<(), StoreError> {
    const SQL: &str = "update applications set name = $2, description = $3, limits = $4 \
        where id = $1";
    let limits = json(&change.limits);
    let values = [
        id.into(),
        (&change.name).into(),
        (&change.description).into(),
        (&limits).into(),
    ];
    tx.execute_one(SQL, &values, "application").await?;
    tx.note(Noun::Application(id)).await
}

/// Invalidates the tokens of an application's clients that were issued before `at_us`.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn void_tokens(tx: &mut Tx, id: ApplicationId, at_us: i64) -> Result<(), StoreError> {
    const SQL: &str = "update applications \
        set tokens_from_us = case when tokens_from_us > $2 then tokens_from_us else $2 end \
        where id = $1";
    tx.execute_one(SQL, &[id.into(), at_us.into()], "application")
        .await?;
    tx.note(Noun::Application(id)).await
}

/// Deletes an application; its subscriptions end and its credentials are no longer valid.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn delete(tx: &mut Tx, id: ApplicationId) -> Result<(), StoreError> {
    const NOTE_SUBSCRIPTIONS: &str = "insert into changes (noun, id) \
        select $2, id from subscriptions where application = $1 and ended_us is null";
    const SQL: &str = "delete from applications where id = $1";
    let values = [id.into(), Noun::SUBSCRIPTION.into()];
    tx.execute(NOTE_SUBSCRIPTIONS, &values).await?;
    credentials::note_of_application(tx, id).await?;
    names::keep_of_application(tx, id).await?;
    tx.execute_one(SQL, &[id.into()], "application").await?;
    tx.note(Noun::Application(id)).await
}

fn read_application(row: &Row) -> Result<Application, StoreError> {
    Ok(Application {
        id: row.id("id")?,
        name: row.text("name")?,
        owner: row.id("owner")?,
        description: row.text("description")?,
        limits: row.json("limits")?,
        created_us: row.int("created_us")?,
        tokens_from_us: row.int("tokens_from_us")?,
    })
}
