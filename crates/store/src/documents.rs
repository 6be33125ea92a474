//! The OpenAPI documents of drafts and revisions, as uploaded. A document is stored once, however
//! many drafts and revisions have it.

use tollgate_model::id::{RevisionId, VersionId};

use crate::reading::Reading;
use crate::row::Row;
use crate::{Store, StoreError, Tx};

/// One uploaded document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Identifies its bytes, by a SHA-256 of them in hex, except for documents from before
    /// schema 13.
    pub digest: String,
    /// Such as `application/json` or `application/yaml`.
    pub media_type: String,
    /// As uploaded.
    pub bytes: Vec<u8>,
}

/// Makes a document that of a version's draft, in place of the previous one.
///
/// # Errors
/// Fails if the database write fails.
pub async fn put(tx: &mut Tx, version: VersionId, document: &Document) -> Result<(), StoreError> {
    const BYTES: &str = "insert into document_bytes (digest, media_type, bytes) \
        values ($1, $2, $3) on conflict (digest) do nothing";
    const SQL: &str = "update versions set draft_document = $2 where id = $1";
    let values = [
        (&document.digest).into(),
        (&document.media_type).into(),
        document.bytes.as_slice().into(),
    ];
    tx.execute(BYTES, &values).await?;
    tx.execute(SQL, &[version.into(), (&document.digest).into()])
        .await?;
    sweep(tx).await
}

/// Makes the document of a revision that of its version's draft; removes the draft's if the
/// revision has none.
///
/// # Errors
/// Fails if the database write fails.
pub(crate) async fn restore(tx: &mut Tx, revision: RevisionId) -> Result<(), StoreError> {
    const SQL: &str = "update versions set draft_document = r.document \
        from revisions r where r.id = $1 and versions.id = r.version";
    tx.execute(SQL, &[revision.into()]).await?;
    sweep(tx).await
}

/// Deletes the documents that no draft and no revision has.
pub(crate) async fn sweep(tx: &mut Tx) -> Result<(), StoreError> {
    const SQL: &str = "delete from document_bytes \
        where not exists (select 1 from versions where draft_document = digest) \
            and not exists (select 1 from revisions where document = digest)";
    tx.execute(SQL, &[]).await?;
    Ok(())
}

/// Returns the versions with this text in the document of their draft.
///
/// # Errors
/// Fails if the database read fails.
pub async fn containing(store: &Store, text: &str) -> Result<Vec<VersionId>, StoreError> {
    const SQL: &str = "select v.id from versions v \
        join document_bytes d on d.digest = v.draft_document \
        where instr(d.bytes, $1) > 0 order by v.id";
    let rows = store.rows(SQL, &[text.as_bytes().into()]).await?;
    rows.iter().map(|row| row.id("id")).collect()
}

/// Returns the document of a version's draft, if it has one.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_draft(store: &Store, version: VersionId) -> Result<Option<Document>, StoreError> {
    const SQL: &str = "select d.digest, d.media_type, d.bytes \
        from versions v join document_bytes d on d.digest = v.draft_document where v.id = $1";
    let row = store.row(SQL, &[version.into()]).await?;
    row.as_ref().map(read_document).transpose()
}

/// Returns the document of a revision, if it has one.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_revision(
    store: &Store,
    revision: RevisionId,
) -> Result<Option<Document>, StoreError> {
    const SQL: &str = "select d.digest, d.media_type, d.bytes \
        from revisions r join document_bytes d on d.digest = r.document where r.id = $1";
    let row = store.row(SQL, &[revision.into()]).await?;
    row.as_ref().map(read_document).transpose()
}

/// Returns the document with this digest, within a read transaction.
pub(crate) async fn by_digest(reading: &mut Reading, digest: &str) -> Result<Document, StoreError> {
    const SQL: &str = "select digest, media_type, bytes from document_bytes where digest = $1";
    let row = reading.row(SQL, &[digest.into()]).await?;
    read_document(&row.ok_or(StoreError::NotFound("document"))?)
}

fn read_document(row: &Row) -> Result<Document, StoreError> {
    Ok(Document {
        digest: row.text("digest")?,
        media_type: row.text("media_type")?,
        bytes: row.bytes("bytes")?,
    })
}
