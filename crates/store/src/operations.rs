//! Names of all operations that were ever deployed, since usage refers to them for ever.

use std::collections::HashSet;

use tollgate_model::api::Method;
use tollgate_model::id::{OperationId, VersionId};

use crate::row::Row;
use crate::{Store, StoreError, Tx};

/// Stored instead of a method for an operation of a SOAP service.
pub(crate) const SOAP: &str = "SOAP";

/// The name of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationName {
    /// Its method; `None` for an operation of a SOAP service.
    pub method: Option<Method>,
    /// Its path template as first deployed; for an operation of a SOAP service, its name.
    pub path: String,
}

/// Stores the names of a version's operations that are not stored yet: method and path of each.
pub(crate) async fn keep<'o>(
    tx: &mut Tx,
    version: VersionId,
    operations: impl Iterator<Item = (OperationId, &'o str, &'o str)>,
) -> Result<(), StoreError> {
    const KEPT: &str = "select id from operations where version = $1";
    const SQL: &str = "insert into operations (id, version, method, path) \
        values ($1, $2, $3, $4) on conflict (id) do nothing";
    let rows = tx.rows(KEPT, &[version.into()]).await?;
    let kept: HashSet<OperationId> = rows
        .iter()
        .map(|row| row.id("id"))
        .collect::<Result<_, _>>()?;
    for (id, method, path) in operations.filter(|(id, ..)| !kept.contains(id)) {
        let values = [id.into(), version.into(), method.into(), path.into()];
        tx.execute(SQL, &values).await?;
    }
    Ok(())
}

/// Returns the name of an operation; `None` if it was never deployed.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_id(store: &Store, id: OperationId) -> Result<Option<OperationName>, StoreError> {
    const SQL: &str = "select method, path from operations where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    row.as_ref().map(read_operation).transpose()
}

fn read_operation(row: &Row) -> Result<OperationName, StoreError> {
    Ok(OperationName {
        method: row.word("method", |word| match word {
            SOAP => Some(None),
            word => Method::from_token(word.as_bytes()).map(Some),
        })?,
        path: row.text("path")?,
    })
}
