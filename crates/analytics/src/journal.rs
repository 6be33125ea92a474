//! The journal: checkpoints that are not in their table yet. Appending many costs a twentieth of
//! updating the table row by row, and many counters recur in every batch. `write` merges them once
//! a minute; a start recovers what a killed process had not merged. Entries of releases without
//! cubes have figures too, which a start moves to the tables of those releases (`legacy`).
//!
//! An entry is encoded with postcard, which stores integers with variable length. Each integer is
//! stored as the difference from the previous row: rows are sorted, so most take one byte.

use hashbrown::HashMap;
use sqlx::sqlite::SqliteConnection;

use crate::legacy::{self, COLUMNS};
use crate::quotas::Quota;

/// Columns of a row in entries of releases without policies.
const COLUMNS_BEFORE_MEDIATION: usize = 14;
/// Columns of a row in entries of releases without soft limits.
const COLUMNS_BEFORE_OVER: usize = 20;
/// Columns of a checkpoint in an entry.
const QUOTA_COLUMNS: usize = 5;
/// Columns of a checkpoint in entries of releases without formats: their format is 0.
const QUOTA_COLUMNS_BEFORE_FORMAT: usize = 4;

type Rows = Vec<legacy::Row>;

/// The content of the journal.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Figures of releases without cubes.
    pub(crate) rows: Rows,
    /// The last checkpoint of each counter, by its id.
    pub(crate) quotas: HashMap<i64, Quota>,
}

impl Pending {
    /// Loads the journal from the file; `Ok(None)` if it is unreadable.
    pub(crate) async fn load(connection: &mut SqliteConnection) -> sqlx::Result<Option<Self>> {
        const SQL: &str = "select columns, quota_columns, content from journal order by batch";
        let entries: Vec<(i64, i64, Vec<u8>)> = sqlx::query_as(SQL).fetch_all(connection).await?;
        let mut pending = Self::default();
        for (columns, quota_columns, entry) in entries {
            let Some((rows, quotas)) = decode(columns, quota_columns, &entry) else {
                return Ok(None);
            };
            pending.rows.extend(rows);
            let quotas = quotas.into_iter().map(|quota| (quota.0, quota));
            pending.quotas.extend(quotas);
        }
        Ok(Some(pending))
    }
}

/// Writes an entry under its batch's number.
pub(crate) async fn append(
    connection: &mut SqliteConnection,
    number: i64,
    entry: &[u8],
) -> sqlx::Result<()> {
    const SQL: &str =
        "insert into journal (batch, columns, quota_columns, content) values ($1, $2, $3, $4)";
    sqlx::query(SQL)
        .bind(number)
        .bind(i64::try_from(COLUMNS).expect("small"))
        .bind(i64::try_from(QUOTA_COLUMNS).expect("small"))
        .bind(entry)
        .execute(connection)
        .await
        .map(drop)
}

/// Deletes all entries after they were merged.
pub(crate) async fn clear(connection: &mut SqliteConnection) -> sqlx::Result<()> {
    let delete = sqlx::query("delete from journal");
    delete.execute(connection).await.map(drop)
}

/// Encodes an entry.
pub(crate) fn encode(quotas: &[Quota]) -> Vec<u8> {
    let quotas = quotas.iter().copied().map(<[i64; QUOTA_COLUMNS]>::from);
    let mut quotas: Vec<_> = quotas.collect();
    to_differences(&mut quotas);
    let rows = Vec::<legacy::Row>::new();
    postcard::to_allocvec(&(rows, quotas)).expect("integers in memory")
}

/// Decodes an entry with rows of `columns` and checkpoints of `quota_columns`; `None` if it was not
/// made by [`encode`], of this release or an earlier one.
fn decode(columns: i64, quota_columns: i64, entry: &[u8]) -> Option<(Rows, Vec<Quota>)> {
    const OLD: usize = QUOTA_COLUMNS_BEFORE_FORMAT;
    let columns = usize::try_from(columns).ok()?;
    match (columns, usize::try_from(quota_columns).ok()?) {
        (COLUMNS, QUOTA_COLUMNS) => {
            let (rows, quotas) = postcard::from_bytes(entry).ok()?;
            let rows = decode_rows::<COLUMNS>(rows)?;
            Some((rows, decode_quotas::<QUOTA_COLUMNS>(quotas)))
        }
        (COLUMNS_BEFORE_OVER, QUOTA_COLUMNS) => {
            let (rows, quotas) = postcard::from_bytes(entry).ok()?;
            let rows = decode_rows::<COLUMNS_BEFORE_OVER>(rows)?;
            Some((rows, decode_quotas::<QUOTA_COLUMNS>(quotas)))
        }
        (COLUMNS_BEFORE_OVER, OLD) => {
            let (rows, quotas) = postcard::from_bytes(entry).ok()?;
            let rows = decode_rows::<COLUMNS_BEFORE_OVER>(rows)?;
            Some((rows, decode_quotas::<OLD>(quotas)))
        }
        (COLUMNS_BEFORE_MEDIATION, OLD) => {
            let (rows, quotas) = postcard::from_bytes(entry).ok()?;
            let rows = decode_rows::<COLUMNS_BEFORE_MEDIATION>(rows)?;
            Some((rows, decode_quotas::<OLD>(quotas)))
        }
        _ => None,
    }
}

/// Decodes checkpoints of `N` columns; later columns are 0.
fn decode_quotas<const N: usize>(mut quotas: Vec<[i64; N]>) -> Vec<Quota> {
    from_differences(&mut quotas);
    let quotas = quotas.into_iter().map(|quota| {
        let mut columns = [0; QUOTA_COLUMNS];
        columns[..N].copy_from_slice(&quota);
        Quota::from(columns)
    });
    quotas.collect()
}

/// Decodes rows of `N` columns; later columns are 0.
fn decode_rows<const N: usize>(mut rows: Vec<[i64; N]>) -> Option<Rows> {
    from_differences(&mut rows);
    let rows = rows.into_iter().map(|row| {
        let mut columns = [0; COLUMNS];
        columns[..N].copy_from_slice(&row);
        legacy::is_row(&columns).then_some(columns)
    });
    rows.collect()
}

fn to_differences<const N: usize>(rows: &mut [[i64; N]]) {
    let mut before = [0; N];
    for row in rows {
        for (number, before) in row.iter_mut().zip(&mut before) {
            let difference = number.wrapping_sub(*before);
            *before = std::mem::replace(number, difference);
        }
    }
}

fn from_differences<const N: usize>(rows: &mut [[i64; N]]) {
    let mut before = [0; N];
    for row in rows {
        for (number, before) in row.iter_mut().zip(&mut before) {
            *number = number.wrapping_add(*before);
            *before = *number;
        }
    }
}

#[cfg(test)]
mod tests;
