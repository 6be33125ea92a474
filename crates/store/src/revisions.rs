//! Revisions: immutable snapshots of a version's configuration, one of which is deployed.

use tollgate_model::api::Configuration;
use tollgate_model::compile::operation_id;
use tollgate_model::id::{RevisionId, UserId, VersionId};
use tollgate_model::soap::{UNKNOWN, soap_operation_id};

use crate::operations;
use crate::row::Row;
use crate::secrets::{self, sealed_json};
use crate::value::limit;
use crate::{Noun, Store, StoreError, Tx, contracts, documents, versions};

/// Maximum number of revisions of a version.
pub const REVISIONS_MAX: u32 = 1_000;

/// A revision without its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The revision.
    pub id: RevisionId,
    /// Its version.
    pub version: VersionId,
    /// Counts from 1 within its version.
    pub number: i64,
    /// The note of the user who created it.
    pub note: String,
    /// The user who created it.
    pub created_by: UserId,
    /// That user's name; `None` once the user is deleted.
    pub created_by_name: Option<String>,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
}

/// The order of a list of revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By number.
    Oldest,
    /// By number, descending.
    Newest,
}

/// A new revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRevision {
    /// The revision.
    pub id: RevisionId,
    /// Its version.
    pub version: VersionId,
    /// The configuration to keep.
    pub configuration: Configuration,
    /// The note of the user who creates it.
    pub note: String,
    /// The user who creates it.
    pub created_by: UserId,
    /// Creation time, Unix microseconds.
    pub created_us: i64,
}

/// The numbers of a created revision and of the one that was deleted for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Created {
    /// Number of the new revision.
    pub number: i64,
    /// Number of the deleted revision, if there were [`REVISIONS_MAX`] already.
    pub deleted: Option<i64>,
}

/// Writes a new revision under the version's next number, with the document of the draft. If there
/// are [`REVISIONS_MAX`] already, deletes the oldest one that is not deployed.
///
/// # Errors
/// [`StoreError::NotFound`] if there is no such version.
pub async fn create(tx: &mut Tx, new: &NewRevision) -> Result<Created, StoreError> {
    const NEXT: &str = "update versions set last_revision = last_revision + 1 where id = $1 \
        returning last_revision";
    const SQL: &str = "insert into revisions \
        (id, version, number, configuration, note, created_by, created_us, document) \
        values ($1, $2, $3, $4, $5, $6, $7, \
            (select draft_document from versions where id = $2))";
    let deleted = make_room(tx, new.version).await?;
    let next = tx.row(NEXT, &[new.version.into()]).await?;
    let next = next.ok_or(StoreError::NotFound("version"))?;
    let number = next.int("last_revision")?;
    let configuration = sealed_json(tx.master_key(), new.version, &new.configuration)?;
    let values = [
        new.id.into(),
        new.version.into(),
        number.into(),
        (&configuration).into(),
        (&new.note).into(),
        new.created_by.into(),
        new.created_us.into(),
    ];
    tx.execute(SQL, &values).await?;
    Ok(Created { number, deleted })
}

/// Deletes the oldest revision that is not deployed if there are [`REVISIONS_MAX`]; returns its
/// number.
async fn make_room(tx: &mut Tx, version: VersionId) -> Result<Option<i64>, StoreError> {
    const OLDEST: &str = "select r.number from revisions r join versions v on v.id = r.version \
        where r.version = $1 and r.id is not v.deployed \
            and (select count(*) from revisions where version = $1) >= $2 \
        order by r.number limit 1";
    let values = [version.into(), i64::from(REVISIONS_MAX).into()];
    let Some(oldest) = tx.row(OLDEST, &values).await? else {
        return Ok(None);
    };
    let number = oldest.int("number")?;
    delete(tx, version, number).await?;
    Ok(Some(number))
}

/// Deletes a revision, and the document and the contract that only it has.
///
/// # Errors
/// [`StoreError::Used`] if it is deployed; [`StoreError::NotFound`].
pub async fn delete(tx: &mut Tx, version: VersionId, number: i64) -> Result<(), StoreError> {
    const DEPLOYED: &str = "select v.id from versions v join revisions r on r.id = v.deployed \
        where v.id = $1 and r.number = $2";
    const SQL: &str = "delete from revisions where version = $1 and number = $2";
    let values = [version.into(), number.into()];
    if tx.row(DEPLOYED, &values).await?.is_some() {
        return Err(StoreError::Used("the revision is deployed"));
    }
    tx.execute_one(SQL, &values, "revision").await?;
    documents::sweep(tx).await?;
    contracts::sweep(tx, version).await
}

/// Replaces the draft of a version by the configuration and the document of one of its revisions,
/// if the draft's etag is still `expected`; returns the new etag and the configuration.
///
/// # Errors
/// [`StoreError::Stale`] if the draft has changed meanwhile; [`StoreError::NotFound`].
pub async fn restore(
    tx: &mut Tx,
    version: VersionId,
    number: i64,
    expected: i64,
    now_us: i64,
) -> Result<(i64, Configuration), StoreError> {
    const SQL: &str = "select id, configuration from revisions where version = $1 and number = $2";
    let row = tx
        .row(SQL, &[version.into(), number.into()])
        .await?
        .ok_or(StoreError::NotFound("revision"))?;
    let mut configuration = row.json("configuration")?;
    secrets::open(tx.master_key(), version, &mut configuration);
    let etag = versions::save_draft(tx, version, expected, &configuration, now_us).await?;
    documents::restore(tx, row.id("id")?).await?;
    contracts::sweep(tx, version).await?;
    Ok((etag, configuration))
}

/// Deploys a revision of a version: gateways serve it from the next commit on. To roll back, deploy
/// an older one. The names of its operations are kept for usage.
///
/// # Errors
/// [`StoreError::NotFound`] if the version has no such revision.
pub async fn deploy(
    tx: &mut Tx,
    version: VersionId,
    revision: RevisionId,
    now_us: i64,
) -> Result<(), StoreError> {
    const LOAD: &str = "select configuration from revisions where id = $1 and version = $2";
    const SQL: &str = "update versions set deployed = $2, updated_us = $3 where id = $1";
    let row = tx.row(LOAD, &[revision.into(), version.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("revision"))?;
    let configuration: Configuration = row.json("configuration")?;
    let served = configuration.operations.iter().map(|operation| {
        let id = operation_id(version, operation.method, &operation.path);
        (id, operation.method.word(), operation.path.as_str())
    });
    operations::keep(tx, version, served).await?;
    if let Some(soap) = &configuration.soap {
        let names = soap.operations.iter().map(|it| it.name.as_str());
        let served = names
            .chain([UNKNOWN])
            .map(|name| (soap_operation_id(version, name), operations::SOAP, name));
        operations::keep(tx, version, served).await?;
    }
    tx.execute(SQL, &[version.into(), revision.into(), now_us.into()])
        .await?;
    tx.note(Noun::Version(version)).await
}

/// Returns the revision of a version with this number, and its configuration.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_number(
    store: &Store,
    version: VersionId,
    number: i64,
) -> Result<(Revision, Configuration), StoreError> {
    const SQL: &str = "select r.id, r.version, r.number, r.note, r.created_by, r.created_us, \
            r.configuration, u.name as created_by_name \
        from revisions r left join users u on u.id = r.created_by \
        where r.version = $1 and r.number = $2";
    let row = store.row(SQL, &[version.into(), number.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("revision"))?;
    with_configuration(store, &row)
}

/// Returns the revision with this id, and its configuration.
///
/// # Errors
/// [`StoreError::NotFound`].
pub async fn by_id(store: &Store, id: RevisionId) -> Result<(Revision, Configuration), StoreError> {
    const SQL: &str = "select r.id, r.version, r.number, r.note, r.created_by, r.created_us, \
            r.configuration, u.name as created_by_name \
        from revisions r left join users u on u.id = r.created_by where r.id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    let row = row.ok_or(StoreError::NotFound("revision"))?;
    with_configuration(store, &row)
}

/// Lists the revisions of a version, beginning after `after_number` in this order.
///
/// # Errors
/// Fails if the database read fails.
pub async fn list(
    store: &Store,
    version: VersionId,
    order: Order,
    after_number: Option<i64>,
    at_most: u32,
) -> Result<Vec<Revision>, StoreError> {
    const OLDEST: &str = "select r.id, r.version, r.number, r.note, r.created_by, r.created_us, \
            u.name as created_by_name \
        from revisions r left join users u on u.id = r.created_by \
        where r.version = $1 and r.number > $2 order by r.number limit $3";
    const NEWEST: &str = "select r.id, r.version, r.number, r.note, r.created_by, r.created_us, \
            u.name as created_by_name \
        from revisions r left join users u on u.id = r.created_by \
        where r.version = $1 and r.number < $2 order by r.number desc limit $3";
    let (sql, start) = match order {
        Order::Oldest => (OLDEST, 0),
        Order::Newest => (NEWEST, i64::MAX),
    };
    let values = [
        version.into(),
        after_number.unwrap_or(start).into(),
        limit(at_most),
    ];
    store.list(sql, &values, read_revision).await
}

/// Counts the revisions of a version.
///
/// # Errors
/// Fails if the database read fails.
pub async fn count(store: &Store, version: VersionId) -> Result<u64, StoreError> {
    const SQL: &str = "select count(*) as total from revisions where version = $1";
    let row = store.row(SQL, &[version.into()]).await?;
    let count = row.map_or(Ok(0), |row| row.int("total"))?;
    Ok(u64::try_from(count).unwrap_or_default())
}

fn with_configuration(store: &Store, row: &Row) -> Result<(Revision, Configuration), StoreError> {
    let (revision, mut configuration) = (read_revision(row)?, row.json("configuration")?);
    secrets::open(store.master_key(), revision.version, &mut configuration);
    Ok((revision, configuration))
}

pub(crate) fn read_revision(row: &Row) -> Result<Revision, StoreError> {
    Ok(Revision {
        id: row.id("id")?,
        version: row.id("version")?,
        number: row.int("number")?,
        note: row.text("note")?,
        created_by: row.id("created_by")?,
        created_by_name: row.text_or_null("created_by_name")?,
        created_us: row.int("created_us")?,
    })
}
