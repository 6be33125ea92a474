//! The OpenAPI documents that versions were imported from, as uploaded.

use tollgate_model::id::VersionId;

use crate::{Store, StoreError, Tx};

/// One uploaded document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Such as `application/json` or `application/yaml`.
    pub media_type: String,
    /// As uploaded.
    pub bytes: Vec<u8>,
}

/// Writes the document of a version, replacing the previous one.
///
/// # Errors
/// [`StoreError::NotFound`] if there is no such version; fails if the database write fails.
pub(crate) async fn put(
    tx: &mut Tx,
    version: VersionId,
    document: &Document,
) -> Result<(), StoreError> {
    const SQL: &str = "insert into documents (version, media_type, bytes) values ($1, $2, $3) \
        on conflict (version) do update \
        set media_type = excluded.media_type, bytes = excluded.bytes";
    let values = [
        version.into(),
        (&document.media_type).into(),
        document.bytes.as_slice().into(),
    ];
    tx.execute(SQL, &values).await?;
    Ok(())
}

/// Returns the versions that have a document with this text in it.
///
/// # Errors
/// Fails if the database read fails.
pub async fn containing(store: &Store, text: &str) -> Result<Vec<VersionId>, StoreError> {
    const SQL: &str = "select version from documents where instr(bytes, $1) > 0 order by version";
    let rows = store.rows(SQL, &[text.as_bytes().into()]).await?;
    rows.iter().map(|row| row.id("version")).collect()
}

/// Returns the document of a version, if it has one.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_version(store: &Store, version: VersionId) -> Result<Option<Document>, StoreError> {
    const SQL: &str = "select media_type, bytes from documents where version = $1";
    let row = store.row(SQL, &[version.into()]).await?;
    row.map(|row| {
        Ok(Document {
            media_type: row.text("media_type")?,
            bytes: row.bytes("bytes")?,
        })
    })
    .transpose()
}
