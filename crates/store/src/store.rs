//! The store's interface: [`Store`] to read, [`Tx`] to write.
//!
//! Reads take one statement each; several statements that must see one state use a [`Reading`].
//! Only [`Tx::commit`] acknowledges a write; a dropped [`Tx`] is rolled back.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tollgate_model::feed::Sequence;
use tollgate_model::id::VersionId;

use crate::db::{Connection, Db};
use crate::feed::{self, Noun};
use crate::master_key::{KeyFile, MasterKey};
use crate::reading::Reading;
use crate::row::Row;
use crate::sqlite::Sqlite;
use crate::sqlite::mark::Lost;
use crate::value::Value;
use crate::{OpenError, StoreError};

/// Default file name of the master key, beside the database.
pub const MASTER_KEY: &str = "master.key";
/// `wait` of stores opened by [`Store::open`]: the default of `control.store_wait_ms`.
const WAIT: Duration = Duration::from_secs(10);

/// The control plane's persistent state. Clones share the same connections.
#[derive(Clone)]
pub struct Store {
    db: Arc<Db>,
    master_key: MasterKey,
}

impl Store {
    /// Like [`open_with`](Self::open_with), with the key `master.key` beside the database and waits
    /// of up to 10 s.
    ///
    /// # Errors
    /// [`OpenError`], each one sentence.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        let key = KeyFile::Own(path.with_file_name(MASTER_KEY));
        Self::open_with(path, &key, WAIT).await
    }

    /// Opens the SQLite database at `path`: creates it if there is none (its folder must exist),
    /// checks it, migrates its schema, seals secrets with the master key and keeps other processes
    /// out until it is closed. `wait` is the maximum wait of a write for earlier ones, and of a
    /// statement for a lock of the file.
    ///
    /// # Errors
    /// [`OpenError`], each one sentence.
    pub async fn open_with(path: &Path, key: &KeyFile, wait: Duration) -> Result<Self, OpenError> {
        let (sqlite, master_key) = Sqlite::open(path, key, wait).await?;
        Ok(Self {
            db: Arc::new(Db::Sqlite(sqlite)),
            master_key,
        })
    }

    pub(crate) fn master_key(&self) -> &MasterKey {
        &self.master_key
    }

    /// Begins a write; waits while another one is open.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if the wait takes too long.
    pub async fn write(&self) -> Result<Tx, StoreError> {
        let mut tx = Tx {
            connection: self.db.writer().await?,
            master_key: self.master_key.clone(),
            state: TxState::Open,
            versions: Vec::new(),
        };
        tx.connection.begin_write().await?;
        Ok(tx)
    }

    /// The acknowledged writes that were missing when the database was opened, if any. Log them:
    /// the next start no longer knows of them.
    #[must_use]
    pub fn lost(&self) -> Option<&Lost> {
        self.db.lost()
    }

    /// Returns the size of the database in bytes, without its log.
    ///
    /// # Errors
    /// Fails if the database read fails.
    pub async fn bytes(&self) -> Result<u64, StoreError> {
        self.db.bytes().await
    }

    /// Writes a few bytes that are never read, to check that writes succeed. Waits for its turn
    /// among the writes; costs a sync of the disk.
    ///
    /// # Errors
    /// Fails if the database write fails.
    pub async fn probe(&self) -> Result<(), StoreError> {
        self.db.probe().await
    }

    /// Waits for connections in use and closes the database.
    pub async fn close(self) {
        self.db.close().await;
    }

    pub(crate) async fn rows(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        self.db.reader().await?.rows(sql, values).await
    }

    pub(crate) async fn row(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, values).await?.pop())
    }

    /// Runs a statement; converts each row with `read`.
    pub(crate) async fn list<T>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        read: fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.rows(sql, values).await?.iter().map(read).collect()
    }

    /// Begins a read transaction, in which all reads see the same state.
    pub(crate) async fn reading(&self) -> Result<Reading, StoreError> {
        Reading::begin(self.db.reader().await?).await
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Store")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TxState {
    Open,
    /// A statement failed: the earlier ones must not be committed without it.
    Failed,
    Committed,
}

/// An open write. Other writes wait for it, so it must not wait for anything but the store.
#[must_use = "an uncommitted transaction is rolled back"]
pub struct Tx {
    connection: Connection,
    master_key: MasterKey,
    state: TxState,
    versions: Vec<VersionId>,
}

impl Tx {
    /// Notes a change of a noun for gateways. The store's write functions call it; versions are
    /// noted only here, so [`Tx::noted_versions`] is complete.
    ///
    /// # Errors
    /// Fails if the database write fails.
    pub async fn note(&mut self, noun: Noun) -> Result<(), StoreError> {
        if let Noun::Version(id) = noun {
            self.versions.push(id);
        }
        feed::note(self, noun).await
    }

    /// The versions noted so far, possibly with duplicates.
    #[must_use]
    pub fn noted_versions(&self) -> &[VersionId] {
        &self.versions
    }

    pub(crate) fn master_key(&self) -> &MasterKey {
        &self.master_key
    }

    /// Commits all writes at once; from then on they survive a power cut. Returns the sequence of
    /// the last noted change, of this transaction or an earlier one.
    ///
    /// # Errors
    /// Fails if the commit fails or a statement of the transaction has failed before; either way
    /// nothing of the transaction is kept.
    pub async fn commit(mut self) -> Result<Sequence, StoreError> {
        if self.state == TxState::Failed {
            let cause = "an earlier statement of this transaction failed; it is rolled back";
            return Err(StoreError::Other(cause.into()));
        }
        let sequence = feed::seal(&mut self).await?;
        self.connection.commit().await?;
        self.state = TxState::Committed;
        Ok(sequence)
    }

    pub(crate) async fn execute(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, StoreError> {
        let outcome = self.connection.execute(sql, values).await;
        outcome.inspect_err(|_| self.state = TxState::Failed)
    }

    pub(crate) async fn rows(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        let outcome = self.connection.rows(sql, values).await;
        outcome.inspect_err(|_| self.state = TxState::Failed)
    }

    pub(crate) async fn row(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, values).await?.pop())
    }

    /// Runs a statement that must change a row; returns [`StoreError::NotFound`] with `noun` if it
    /// does not.
    pub(crate) async fn execute_one(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
        noun: &'static str,
    ) -> Result<(), StoreError> {
        match self.execute(sql, values).await? {
            0 => Err(StoreError::NotFound(noun)),
            _ => Ok(()),
        }
    }
}

impl Drop for Tx {
    /// Closes the connection unless the transaction has been committed. Closing rolls it back, also
    /// if the engine has already done so by itself (a full disk), or if the caller was cancelled in
    /// the middle of a statement.
    fn drop(&mut self) {
        if self.state != TxState::Committed {
            self.connection.discard();
        }
    }
}
