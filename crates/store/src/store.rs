//! The store as others hold it: [`Store`] to read, [`Tx`] to write.
//!
//! Reads take one statement each; what must be seen together is read in a [`Reading`].
//! A write is acknowledged by [`Tx::commit`] only; a [`Tx`] that is dropped leaves nothing.

use std::path::Path;
use std::sync::Arc;

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

/// Name of the master key beside the database, unless another is given.
pub const MASTER_KEY: &str = "master.key";

/// What must outlive a restart. Clones share the same connections.
#[derive(Clone)]
pub struct Store {
    db: Arc<Db>,
    master_key: MasterKey,
}

impl Store {
    /// Like [`open_with`](Self::open_with), with the key `master.key` beside the database.
    ///
    /// # Errors
    /// [`OpenError`], each one sentence.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        let key = KeyFile::Own(path.with_file_name(MASTER_KEY));
        Self::open_with(path, &key).await
    }

    /// Opens the SQLite database at `path`: creates it if there is none (its folder must exist),
    /// checks it, brings its schema up to date, seals what is to be sealed by the master key and
    /// keeps other processes out until it is closed.
    ///
    /// # Errors
    /// [`OpenError`], each one sentence.
    pub async fn open_with(path: &Path, key: &KeyFile) -> Result<Self, OpenError> {
        let (sqlite, master_key) = Sqlite::open(path, key).await?;
        Ok(Self {
            db: Arc::new(Db::Sqlite(sqlite)),
            master_key,
        })
    }

    pub(crate) fn master_key(&self) -> &MasterKey {
        &self.master_key
    }

    /// Begins a write; waits while another one is under way.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when the others take too long.
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

    /// The acknowledged writes that were gone when the database was opened, if any. Worth a line in
    /// the log: the next start does not know of them any more.
    #[must_use]
    pub fn lost(&self) -> Option<&Lost> {
        self.db.lost()
    }

    /// Bytes of the database, without its log.
    ///
    /// # Errors
    /// As any read.
    pub async fn bytes(&self) -> Result<u64, StoreError> {
        self.db.bytes().await
    }

    /// Writes something small that nobody reads, to see whether writing works. Takes its turn among
    /// the writes; costs a sync of the disk.
    ///
    /// # Errors
    /// As any write.
    pub async fn probe(&self) -> Result<(), StoreError> {
        self.db.probe().await
    }

    /// Waits for what is under way and closes the database.
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

    /// The rows of a list, each made into its noun.
    pub(crate) async fn list<T>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        read: fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.rows(sql, values).await?.iter().map(read).collect()
    }

    /// Begins to read a state that stays the same until the end.
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
    /// A statement failed: what came before it must not be committed without it.
    Failed,
    Committed,
}

/// A write under way. Others wait for it, so it must not wait for anything but the store.
#[must_use = "what is not committed is undone"]
pub struct Tx {
    connection: Connection,
    master_key: MasterKey,
    state: TxState,
    versions: Vec<VersionId>,
}

impl Tx {
    /// Notes that gateways must hear of a noun. The store's own write functions do it; versions
    /// are noted by this alone, so that [`Tx::noted_versions`] knows them all.
    ///
    /// # Errors
    /// As any write.
    pub async fn note(&mut self, noun: Noun) -> Result<(), StoreError> {
        if let Noun::Version(id) = noun {
            self.versions.push(id);
        }
        feed::note(self, noun).await
    }

    /// The versions that were noted so far, each perhaps more than once.
    #[must_use]
    pub fn noted_versions(&self) -> &[VersionId] {
        &self.versions
    }

    pub(crate) fn master_key(&self) -> &MasterKey {
        &self.master_key
    }

    /// Makes everything last that was written, at once; after this a power cut takes nothing.
    /// Gives the sequence of the last change that was noted, here or before.
    ///
    /// # Errors
    /// When it fails nothing of the transaction stays, nor does it when a statement of it
    /// had failed before.
    pub async fn commit(mut self) -> Result<Sequence, StoreError> {
        if self.state == TxState::Failed {
            let cause = "a statement of this transaction had failed; all of it is undone";
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

    /// Runs a statement that must change a row; [`StoreError::NotFound`] of `noun` if it does not.
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
    /// A connection whose transaction is not known to be over is closed: that undoes it, and it
    /// also holds where the engine has already undone it by itself (a full disk), or where the
    /// caller went away in the middle of a statement.
    fn drop(&mut self) {
        if self.state != TxState::Committed {
            self.connection.discard();
        }
    }
}
