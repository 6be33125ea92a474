//! The contracts of SOAP services: WSDL and schema documents, as they were imported.
//!
//! A contract is identified by the digest of its documents and never changes. A version may have
//! several: its draft and each of its revisions refer to theirs.

use tollgate_model::id::VersionId;

use crate::reading::Reading;
use crate::row::Row;
use crate::{Store, StoreError, Tx};

/// One document of a contract, under one of the locations that resolve to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractDocument {
    /// The location that was requested: the target of references in other documents.
    pub requested: String,
    /// The location after redirects: the base of its own references.
    pub location: String,
    /// Its text, in UTF-8.
    pub bytes: Vec<u8>,
}

/// A contract to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContract {
    /// The SHA-256 of its documents in hex.
    pub digest: String,
    /// Its documents, beginning with the one where the import began.
    pub documents: Vec<ContractDocument>,
}

const SQL: &str = "select requested, location, bytes from contract_documents \
    where version = $1 and contract = $2 order by position";

/// Stores a contract of a version; does nothing if it is stored already.
///
/// # Errors
/// [`StoreError::NotFound`] if there is no such version; fails if the database write fails.
pub async fn keep(
    tx: &mut Tx,
    version: VersionId,
    contract: &NewContract,
) -> Result<(), StoreError> {
    const SQL: &str = "insert into contract_documents \
        (version, contract, position, requested, location, bytes) \
        values ($1, $2, $3, $4, $5, $6) \
        on conflict (version, contract, position) do nothing";
    for (position, document) in (0_i64..).zip(&contract.documents) {
        let values = [
            version.into(),
            (&contract.digest).into(),
            position.into(),
            (&document.requested).into(),
            (&document.location).into(),
            document.bytes.as_slice().into(),
        ];
        tx.execute(SQL, &values).await?;
    }
    Ok(())
}

/// Deletes the contracts of a version that neither its draft nor a revision refers to. References
/// are found by a text search, which also works on a damaged row.
///
/// # Errors
/// Fails if the database write fails.
pub async fn sweep(tx: &mut Tx, version: VersionId) -> Result<(), StoreError> {
    const SQL: &str = "delete from contract_documents where version = $1 and contract in ( \
        select c.contract from \
            (select distinct contract from contract_documents where version = $1) c \
        where not exists (select 1 from versions v \
                where v.id = $1 and instr(v.draft, c.contract) > 0) \
            and not exists (select 1 from revisions r \
                where r.version = $1 and instr(r.configuration, c.contract) > 0))";
    tx.execute(SQL, &[version.into()]).await?;
    Ok(())
}

/// Returns the documents of a version's contract, beginning with the one where the import began;
/// none if the version has no such contract.
///
/// # Errors
/// Fails if the database read fails.
pub async fn documents(
    store: &Store,
    version: VersionId,
    contract: &str,
) -> Result<Vec<ContractDocument>, StoreError> {
    store
        .list(SQL, &[version.into(), contract.into()], read_document)
        .await
}

/// Like [`documents`], within a read transaction.
pub(crate) async fn documents_within(
    reading: &mut Reading,
    version: VersionId,
    contract: &str,
) -> Result<Vec<ContractDocument>, StoreError> {
    let rows = reading
        .rows(SQL, &[version.into(), contract.into()])
        .await?;
    rows.iter().map(read_document).collect()
}

fn read_document(row: &Row) -> Result<ContractDocument, StoreError> {
    Ok(ContractDocument {
        requested: row.text("requested")?,
        location: row.text("location")?,
        bytes: row.bytes("bytes")?,
    })
}
