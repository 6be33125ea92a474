//! Plans: named sets of limits for subscriptions.

use tollgate_model::api::Configuration;
use tollgate_model::id::{self, PlanId};
use tollgate_model::plan::PlanTerms;

use crate::part::{Found, Part, Statements, statements};
use crate::row::Row;
use crate::value::{after, json, limit};
use crate::{Noun, Store, StoreError, Tx};

/// One plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The plan.
    pub id: PlanId,
    /// Unique.
    pub name: String,
    /// Human-readable text.
    pub title: String,
    /// Human-readable text.
    pub description: String,
    /// The limits and conditions of its subscriptions.
    pub terms: PlanTerms,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
    /// Time of the last change, Unix microseconds.
    pub updated_us: i64,
    /// Incremented by each change; see [`update`].
    pub etag: i64,
}

/// The fields that [`update`] writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanChange {
    /// The new name.
    pub name: String,
    /// The new title.
    pub title: String,
    /// The new description.
    pub description: String,
    /// The new terms, which apply to existing subscriptions at once.
    pub terms: PlanTerms,
}

/// Writes a new plan; its `etag` is stored as given (begin with 1).
///
/// # Errors
/// [`StoreError::Taken`] with `/name`.
pub async fn create(tx: &mut Tx, plan: &Plan) -> Result<(), StoreError> {
    const SQL: &str = "insert into plans \
        (id, name, title, description, terms, created_us, updated_us, etag) \
        values ($1, $2, $3, $4, $5, $6, $7, $8)";
    let terms = json(&plan.terms);
    let values = [
        plan.id.into(),
        (&plan.name).into(),
        (&plan.title).into(),
        (&plan.description).into(),
        (&terms).into(),
        plan.created_us.into(),
        plan.updated_us.into(),
        plan.etag.into(),
    ];
    tx.execute(SQL, &values).await?;
    tx.note(Noun::Plan(plan.id)).await
}

/// Returns the plan with this id.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: PlanId) -> Result<Plan, StoreError> {
    const SQL: &str = "select id, name, title, description, terms, created_us, updated_us, etag \
        from plans where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    read_plan(&row.ok_or(StoreError::NotFound("plan"))?)
}

/// Returns the plan with this name.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_name(store: &Store, name: &str) -> Result<Option<Plan>, StoreError> {
    const SQL: &str = "select id, name, title, description, terms, created_us, updated_us, etag \
        from plans where name = $1";
    let row = store.row(SQL, &[name.into()]).await?;
    row.as_ref().map(read_plan).transpose()
}

/// Returns plans, optionally only those with a name, title or description that matches this
/// [`pattern`](crate::part::pattern).
///
/// # Errors
/// Fails if the database read fails.
pub async fn find(
    store: &Store,
    pattern: Option<&str>,
    part: &Part<id::Plan>,
) -> Result<Found<Plan>, StoreError> {
    const SQL: Statements = statements!(
        select "id, name, title, description, terms, created_us, updated_us, etag",
        from "plans where ($1 is null \
            or name || ' ' || title || ' ' || description like $1 escape '\\')",
        id "id" name "name", after "$2" at_most "$3" key "$4"
    );
    store.find(&SQL, part, &[pattern.into()], read_plan).await
}

/// Lists plans by id, beginning after `after_id`.
///
/// # Errors
/// Fails if the database read fails.
pub async fn list(
    store: &Store,
    after_id: Option<PlanId>,
    at_most: u32,
) -> Result<Vec<Plan>, StoreError> {
    const SQL: &str = "select id, name, title, description, terms, created_us, updated_us, etag \
        from plans where id > $1 order by id limit $2";
    let values = [after(after_id), limit(at_most)];
    store.list(SQL, &values, read_plan).await
}

/// Writes a plan if its etag is still `expected`; returns the new etag.
///
/// # Errors
/// [`StoreError::Stale`] if it has changed meanwhile; [`StoreError::NotFound`];
/// [`StoreError::Taken`] with `/name`; [`StoreError::Used`] for a new name while limits use the old
/// one.
pub async fn update(
    tx: &mut Tx,
    id: PlanId,
    expected: i64,
    change: &PlanChange,
    now_us: i64,
) -> Result<i64, StoreError> {
    const PRESENT: &str = "select name, etag from plans where id = $1";
    const SQL: &str = "update plans set name = $2, title = $3, description = $4, terms = $5, \
        updated_us = $6, etag = $7 where id = $1";
    let row = tx.row(PRESENT, &[id.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("plan"))?;
    let (name, etag) = (row.text("name")?, row.int("etag")?);
    if etag != expected {
        return Err(StoreError::Stale("plan"));
    }
    if name != change.name {
        refuse_named(tx, &name).await?;
    }
    let terms = json(&change.terms);
    let values = [
        id.into(),
        (&change.name).into(),
        (&change.title).into(),
        (&change.description).into(),
        (&terms).into(),
        now_us.into(),
        (etag + 1).into(),
    ];
    tx.execute(SQL, &values).await?;
    tx.note(Noun::Plan(id)).await?;
    Ok(etag + 1)
}

/// Deletes a plan that is not in use; ended subscriptions keep its id.
///
/// # Errors
/// [`StoreError::Used`] while versions offer it, subscriptions are under it or limits name it;
/// [`StoreError::NotFound`].
pub async fn delete(tx: &mut Tx, id: PlanId) -> Result<(), StoreError> {
    const OFFERED: &str = "select plan from version_plans where plan = $1 limit 1";
    const SUBSCRIBED: &str = "select id from subscriptions \
        where plan = $1 and ended_us is null limit 1";
    const NAME: &str = "select name from plans where id = $1";
    const SQL: &str = "delete from plans where id = $1";
    let values = [id.into()];
    if tx.row(OFFERED, &values).await?.is_some() {
        return Err(StoreError::Used("versions still offer the plan"));
    }
    if tx.row(SUBSCRIBED, &values).await?.is_some() {
        return Err(StoreError::Used("subscriptions are still under the plan"));
    }
    if let Some(row) = tx.row(NAME, &values).await? {
        refuse_named(tx, &row.text("name")?).await?;
    }
    tx.execute_one(SQL, &values, "plan").await?;
    tx.note(Noun::Plan(id)).await
}

/// Fails if a limit of an operation names a plan, in a draft or a deployed revision of a version
/// that is not retired.
async fn refuse_named(tx: &mut Tx, plan: &str) -> Result<(), StoreError> {
    const SQL: &str = "select v.draft as configuration from versions v \
        where v.state <> 'retired' and v.draft like '%\"plans\":[%' \
        union all select r.configuration from versions v join revisions r on r.id = v.deployed \
        where v.state <> 'retired' and r.configuration like '%\"plans\":[%'";
    for row in tx.rows(SQL, &[]).await? {
        let configuration: Configuration = row.json("configuration")?;
        let mut limits = configuration.limit_lists().flat_map(|(_, limits)| limits);
        if limits.any(|limit| limit.plans.iter().flatten().any(|named| named == plan)) {
            return Err(StoreError::Used("limits of operations still name the plan"));
        }
    }
    Ok(())
}

pub(crate) fn read_plan(row: &Row) -> Result<Plan, StoreError> {
    Ok(Plan {
        id: row.id("id")?,
        name: row.text("name")?,
        title: row.text("title")?,
        description: row.text("description")?,
        terms: row.json("terms")?,
        created_us: row.int("created_us")?,
        updated_us: row.int("updated_us")?,
        etag: row.int("etag")?,
    })
}
