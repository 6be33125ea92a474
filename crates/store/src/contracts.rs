//! The contracts of SOAP services: WSDL and schema documents, as they were imported.
//!
//! A contract is named by the digest of its documents and never changes. A version may have
//! several: its draft and each of its revisions say which one they mean.

use tollgate_model::id::VersionId;

use crate::reading::Reading;
use crate::row::Row;
use crate::{Store, StoreError, Tx};

/// One document of a contract, under one of the places that lead to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractDocument {
    /// Where it was asked for: where the references in others lead.
    pub requested: String,
    /// Where it was found in the end: where its own references begin.
    pub location: String,
    /// Its text, in UTF-8.
    pub bytes: Vec<u8>,
}

/// A contract to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContract {
    /// The SHA-256 of its documents in hex.
    pub digest: String,
    /// Its documents; the first is where the import began.
    pub documents: Vec<ContractDocument>,
}

const SQL: &str = "select requested, location, bytes from contract_documents \
    where version = $1 and contract = $2 order by position";

/// Keeps a contract of a version; one that is kept already stays.
///
/// # Errors
/// As any write; [`StoreError::NotFound`] without such a version.
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

/// The documents of a version's contract, the one where the import began first; none where the
/// version has no such contract.
///
/// # Errors
/// As any read.
pub async fn documents(
    store: &Store,
    version: VersionId,
    contract: &str,
) -> Result<Vec<ContractDocument>, StoreError> {
    store
        .list(SQL, &[version.into(), contract.into()], read)
        .await
}

/// The same within a state that is being read.
pub(crate) async fn documents_within(
    reading: &mut Reading,
    version: VersionId,
    contract: &str,
) -> Result<Vec<ContractDocument>, StoreError> {
    let rows = reading
        .rows(SQL, &[version.into(), contract.into()])
        .await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> Result<ContractDocument, StoreError> {
    Ok(ContractDocument {
        requested: row.text("requested")?,
        location: row.text("location")?,
        bytes: row.bytes("bytes")?,
    })
}
