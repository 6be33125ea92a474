//! Versions of APIs: their draft, their plans, and which one is the default.
//!
//! `versions/columns.rs` has the columns of a version in statements.
//!
//! Neighbours: `revisions.rs` freezes and deploys drafts, `lifecycle.rs` changes the state.

mod columns;

use tollgate_model::api::{Configuration, Kind};
use tollgate_model::id::{self, ApiId, PlanId, RevisionId, VersionId};
use tollgate_model::lifecycle::{Deprecation, State};

use crate::apis::Api;
use crate::part::{Found, Part, Statements, statements};
use crate::plans::{self, Plan};
use crate::secrets::{self, sealed_json};
use crate::value::{after, json, limit};
use crate::{Noun, Store, StoreError, Tx, deprecation, documents, names};

use columns::select_offers;
pub(crate) use columns::{
    api_columns, read_offer, read_version, select_versions, version_columns, version_tables,
};

/// A version without its draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The version's id.
    pub id: VersionId,
    /// Its API.
    pub api: ApiId,
    /// The API's kind.
    pub kind: Kind,
    /// Unique within its API, such as `1.0`.
    pub name: String,
    /// Its state in the lifecycle.
    pub state: State,
    /// Whether it is also served without its name in the path.
    pub is_default: bool,
    /// Etag of the draft; see [`save_draft`].
    pub draft_etag: i64,
    /// The revision that gateways serve, while the version's state lets them.
    pub deployed: Option<RevisionId>,
    /// That revision's number.
    pub deployed_number: Option<i64>,
    /// Whether the deployed revision has an upstream with certificate verification turned off.
    /// Found by a text search, which also works on a damaged row.
    pub is_unverified: bool,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
    /// Time of the last change of its draft, state or deployment, Unix microseconds.
    pub updated_us: i64,
    /// Its deprecation, if it is deprecated or was until it retired.
    pub deprecation: Option<Deprecation>,
}

/// A new version, in state `created`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVersion {
    /// The version's id.
    pub id: VersionId,
    /// Unique within its API.
    pub name: String,
    /// Its first draft; the etag is 1.
    pub draft: Configuration,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
}

/// The editable configuration of a version, until a revision freezes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The configuration.
    pub configuration: Configuration,
    /// Incremented by each change.
    pub etag: i64,
}

/// A version with its API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The API.
    pub api: Api,
    /// The version.
    pub version: Version,
}

/// Adds a version to an API, with the plans, the document and the contracts of `copy_of`, if given.
///
/// # Errors
/// [`StoreError::Taken`] with `/name`; [`StoreError::NotFound`] if there is no such API.
pub async fn create(
    tx: &mut Tx,
    api: ApiId,
    new: &NewVersion,
    copy_of: Option<VersionId>,
) -> Result<(), StoreError> {
    const PLANS: &str = "insert into version_plans (version, plan, position) \
        select $1, plan, position from version_plans where version = $2";
    const DOCUMENT: &str = "update versions \
        set draft_document = (select draft_document from versions where id = $2) where id = $1";
    const CONTRACTS: &str = "insert into contract_documents \
            (version, contract, position, requested, location, bytes) \
        select $1, contract, position, requested, location, bytes from contract_documents \
        where version = $2";
    insert(tx, api, new, false).await?;
    if let Some(old) = copy_of {
        let values = [new.id.into(), old.into()];
        tx.execute(PLANS, &values).await?;
        tx.execute(DOCUMENT, &values).await?;
        tx.execute(CONTRACTS, &values).await?;
    }
    note_default(tx, api).await
}

pub(crate) async fn insert(
    tx: &mut Tx,
    api: ApiId,
    new: &NewVersion,
    is_default: bool,
) -> Result<(), StoreError> {
    const SQL: &str = "insert into versions (id, api, name, state, is_default, draft, \
            draft_etag, deployed, created_us, updated_us) \
        values ($1, $2, $3, $4, $5, $6, 1, null, $7, $7)";
    let draft = sealed_json(tx.master_key(), new.id, &new.draft)?;
    let values = [
        new.id.into(),
        api.into(),
        (&new.name).into(),
        State::Created.word().into(),
        is_default.into(),
        (&draft).into(),
        new.created_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    Ok(())
}

/// Returns the version with this id.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: VersionId) -> Result<Version, StoreError> {
    const SQL: &str = select_versions!("v.id = $1");
    let row = store.row(SQL, &[id.into()]).await?;
    read_version(&row.ok_or(StoreError::NotFound("version"))?)
}

/// Returns the version with this id, and its API.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn with_api(store: &Store, id: VersionId) -> Result<Offer, StoreError> {
    const SQL: &str = select_offers!("v.id = $1");
    let row = store.row(SQL, &[id.into()]).await?;
    read_offer(&row.ok_or(StoreError::NotFound("version"))?)
}

/// Returns whether an API has a version in one of these states.
///
/// # Errors
/// Fails if the database read fails.
pub async fn any_in(store: &Store, api: ApiId, among: &[State]) -> Result<bool, StoreError> {
    const SQL: &str = "select id from versions \
        where api = $1 and state in (select value from json_each($2)) limit 1";
    let states = json(&among);
    Ok(store
        .row(SQL, &[api.into(), (&states).into()])
        .await?
        .is_some())
}

/// Returns the version of an API with this name.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_name(store: &Store, api: ApiId, name: &str) -> Result<Option<Version>, StoreError> {
    const SQL: &str = select_versions!("v.api = $1 and v.name = $2");
    let row = store.row(SQL, &[api.into(), name.into()]).await?;
    row.as_ref().map(read_version).transpose()
}

/// Returns the version that is served at `{context}/{name}`.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_path(
    store: &Store,
    context: &str,
    name: &str,
) -> Result<Option<Version>, StoreError> {
    const SQL: &str = select_versions!("a.context = $1 and v.name = $2");
    let row = store.row(SQL, &[context.into(), name.into()]).await?;
    row.as_ref().map(read_version).transpose()
}

/// Returns the versions of an API in one of these states, optionally only those with a name that
/// matches this [`pattern`](crate::part::pattern).
///
/// # Errors
/// Fails if the database read fails.
pub async fn find(
    store: &Store,
    api: ApiId,
    among: &[State],
    pattern: Option<&str>,
    part: &Part<id::Version>,
) -> Result<Found<Version>, StoreError> {
    const SQL: Statements = statements!(
        select version_columns!(),
        from concat!(
            version_tables!(),
            " where v.api = $1 and v.state in (select value from json_each($2)) \
            and ($3 is null or v.name like $3 escape '\\')"
        ),
        id "v.id" name "v.name", after "$4" at_most "$5" key "$6"
    );
    let states = json(&among);
    let filter = [api.into(), (&states).into(), pattern.into()];
    store.find(&SQL, part, &filter, read_version).await
}

/// Lists the versions of all APIs in one of these states, with their APIs, by id, beginning after
/// `after_id`.
///
/// # Errors
/// Fails if the database read fails.
pub async fn catalogue(
    store: &Store,
    among: &[State],
    after_id: Option<VersionId>,
    at_most: u32,
) -> Result<Vec<Offer>, StoreError> {
    const SQL: &str = select_offers!(
        "v.state in (select value from json_each($1)) and v.id > $2 order by v.id limit $3"
    );
    let states = json(&among);
    let values = [(&states).into(), after(after_id), limit(at_most)];
    store.list(SQL, &values, read_offer).await
}

/// Returns the draft of a version.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn draft(store: &Store, id: VersionId) -> Result<Draft, StoreError> {
    const SQL: &str = "select draft, draft_etag from versions where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("version"))?;
    let mut configuration = row.json("draft")?;
    secrets::open(store.master_key(), id, &mut configuration);
    Ok(Draft {
        configuration,
        etag: row.int("draft_etag")?,
    })
}

/// Writes a draft if its etag is still `expected`; returns the new etag. Gateways are not affected.
///
/// # Errors
/// [`StoreError::Stale`] if it has changed meanwhile; [`StoreError::NotFound`].
pub async fn save_draft(
    tx: &mut Tx,
    id: VersionId,
    expected: i64,
    configuration: &Configuration,
    now_us: i64,
) -> Result<i64, StoreError> {
    const ETAG: &str = "select draft_etag from versions where id = $1";
    const SQL: &str = "update versions set draft = $2, draft_etag = $3, updated_us = $4 \
        where id = $1";
    let row = tx.row(ETAG, &[id.into()]).await?;
    let etag = row
        .ok_or(StoreError::NotFound("version"))?
        .int("draft_etag")?;
    if etag != expected {
        return Err(StoreError::Stale("draft"));
    }
    let draft = sealed_json(tx.master_key(), id, configuration)?;
    let values = [id.into(), (&draft).into(), (etag + 1).into(), now_us.into()];
    tx.execute(SQL, &values).await?;
    Ok(etag + 1)
}

/// Allows semicolons in the paths of a version, in its draft and in all its revisions: for versions
/// of earlier releases.
///
/// # Errors
/// Fails if the database write fails.
pub async fn pass_semicolons(tx: &mut Tx, id: VersionId) -> Result<(), StoreError> {
    const DRAFT: &str = "update versions set draft = json_set(draft, '$.semicolon', 'pass') \
        where id = $1";
    const REVISIONS: &str = "update revisions \
        set configuration = json_set(configuration, '$.semicolon', 'pass') where version = $1";
    tx.execute(DRAFT, &[id.into()]).await?;
    tx.execute(REVISIONS, &[id.into()]).await?;
    Ok(())
}

/// Deletes a version with its revisions, its history and its subscriptions; usage keeps its name.
///
/// # Errors
/// [`StoreError::Used`] unless it is created or retired; [`StoreError::NotFound`].
pub async fn delete(tx: &mut Tx, id: VersionId) -> Result<(), StoreError> {
    const STATE: &str = "select state, api from versions where id = $1";
    const SQL: &str = "delete from versions where id = $1";
    let row = tx.row(STATE, &[id.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("version"))?;
    let state = row.word("state", State::from_word)?;
    if !state.is_deletable() {
        let detail = "only a version that is created or retired can be deleted";
        return Err(StoreError::Used(detail));
    }
    names::keep_of_version(tx, id).await?;
    deprecation::end_succession(tx, id).await?;
    tx.execute(SQL, &[id.into()]).await?;
    tx.note(Noun::Version(id)).await?;
    note_default(tx, row.id("api")?).await?;
    documents::sweep(tx).await
}

/// Returns the plans that a version offers, in their order.
///
/// # Errors
/// Fails if the database read fails.
pub async fn plans(store: &Store, id: VersionId) -> Result<Vec<Plan>, StoreError> {
    const SQL: &str = "select p.id, p.name, p.title, p.description, p.terms, p.created_us, \
            p.updated_us, p.etag \
        from version_plans o join plans p on p.id = o.plan \
        where o.version = $1 order by o.position";
    store.list(SQL, &[id.into()], plans::read_plan).await
}

/// Writes the plans that a version offers, in this order; subscriptions to other plans continue.
///
/// # Errors
/// [`StoreError::NotFound`] if there is no such version or plan; [`StoreError::Taken`] if a plan is
/// given twice; [`StoreError::Used`] if a published version would offer none.
pub async fn set_plans(tx: &mut Tx, id: VersionId, plans: &[PlanId]) -> Result<(), StoreError> {
    const STATE: &str = "select state from versions where id = $1";
    const CLEAR: &str = "delete from version_plans where version = $1";
    const SQL: &str = "insert into version_plans (version, plan, position) values ($1, $2, $3)";
    let row = tx.row(STATE, &[id.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("version"))?;
    if plans.is_empty() && row.word("state", State::from_word)? == State::Published {
        return Err(StoreError::Used("a published version must offer a plan"));
    }
    tx.execute(CLEAR, &[id.into()]).await?;
    for (position, &plan) in (0_i64..).zip(plans) {
        tx.execute(SQL, &[id.into(), plan.into(), position.into()])
            .await?;
    }
    Ok(())
}

/// Notes every version of an API for gateways.
pub(crate) async fn note_of_api(tx: &mut Tx, api: ApiId) -> Result<(), StoreError> {
    const SQL: &str = "select id from versions where api = $1";
    for row in tx.rows(SQL, &[api.into()]).await? {
        tx.note(Noun::Version(row.id("id")?)).await?;
    }
    Ok(())
}

/// Notes the default version of an API for gateways, which keep the names of the others with it.
async fn note_default(tx: &mut Tx, api: ApiId) -> Result<(), StoreError> {
    const SQL: &str = "select id from versions \
        where api = $1 and is_default = $2 and deployed is not null";
    match tx.row(SQL, &[api.into(), true.into()]).await? {
        Some(row) => tx.note(Noun::Version(row.id("id")?)).await,
        None => Ok(()),
    }
}
