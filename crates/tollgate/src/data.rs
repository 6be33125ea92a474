//! The data directory: its files, and the lock that keeps other processes out.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock, statvfs};
use rustix::io::Errno;
use tollgate_store::{KeyFile, MASTER_KEY, OpenError, Store, StoreError};

use crate::settings::Settings;

/// Name of the control plane's database in the data directory.
pub const STORE: &str = "tollgate.db";
/// Free space below which a disk counts as full: SQLite extends the index of its log by as much
/// at a time (sqlite.org/walformat.html, 2), and reports a failure to do so as an I/O error.
const ROOM_BYTES_MIN: u64 = 64 << 10;

/// A data directory that is locked by this process until the value is dropped.
#[derive(Debug)]
pub struct DataDirectory {
    path: PathBuf,
    /// Holds the lock: the kernel releases it when the process ends, however it ends.
    _lock: File,
}

/// Why a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// Another process has locked it.
    #[error("the data in {path} is in use by process {pid}", path = path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
        /// The process id, as that process wrote it into the lock file.
        pid: String,
    },
    /// It is a file.
    #[error("data: {path} is a file, but the setting names a directory", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
    },
    /// The directory or the lock file cannot be created or read.
    #[error("the data directory {path} cannot be used", path = path.display())]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// There is usage data, but not the database that it belongs to: starting over would hide the
    /// loss of that database.
    #[error(
        "{store} is missing or empty although {usage} is not: restore it from a backup, or move \
         {usage} away to start over",
        store = store.display(), usage = usage.display()
    )]
    Lost {
        /// The control plane's database.
        store: PathBuf,
        /// The usage database.
        usage: PathBuf,
    },
    /// The disk is full.
    #[error("the disk that holds the data directory {path} is full", path = path.display())]
    Full {
        /// The directory.
        path: PathBuf,
    },
}

impl DataDirectory {
    /// Creates the directory if it is missing (mode 0700) and locks it for this process.
    ///
    /// # Errors
    /// Fails if the path is a file, if another process holds the lock, on I/O errors, or if the
    /// database is lost.
    pub fn lock(path: &Path) -> Result<Self, DataError> {
        let unusable = |source| DataError::Unusable {
            path: path.to_owned(),
            source,
        };
        require_no_file(path)?;
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(path).map_err(unusable)?;
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path.join("tollgate.lock"))
            .map_err(unusable)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let mut pid = String::new();
                lock.read_to_string(&mut pid).map_err(unusable)?;
                let pid = pid.trim().to_owned();
                let path = path.to_owned();
                return Err(DataError::InUse { path, pid });
            }
            Err(errno) => return Err(unusable(errno.into())),
        }
        lock.set_len(0).map_err(unusable)?;
        lock.rewind().map_err(unusable)?;
        writeln!(lock, "{}", std::process::id()).map_err(unusable)?;
        let directory = Self {
            path: path.to_owned(),
            _lock: lock,
        };
        // Checked now, because this start would create both files.
        let (store, usage) = (directory.store(), directory.usage());
        if is_empty(&store).map_err(unusable)? && !is_empty(&usage).map_err(unusable)? {
            return Err(DataError::Lost { store, usage });
        }
        Ok(directory)
    }

    /// Adds to a failure without a clear cause that the disk is full, if it is.
    #[must_use]
    pub fn explain(&self, failure: anyhow::Error) -> anyhow::Error {
        match statvfs(&self.path) {
            Ok(disk) => {
                let room_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
                self.explain_with(room_bytes, failure)
            }
            Err(_) => failure,
        }
    }

    fn explain_with(&self, room_bytes: u64, failure: anyhow::Error) -> anyhow::Error {
        if room_bytes < ROOM_BYTES_MIN && is_vague(&failure) {
            let path = self.path.clone();
            return failure.context(DataError::Full { path });
        }
        failure
    }

    /// Returns the path of the control plane's database.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.path.join(STORE)
    }

    /// Returns the folder of the spool.
    #[must_use]
    pub fn spool(&self) -> PathBuf {
        spool_of(&self.path)
    }

    /// Returns the path of the database of usage and counter checkpoints.
    #[must_use]
    pub fn usage(&self) -> PathBuf {
        self.path.join("usage.db")
    }
}

/// Returns the folder of the spool in a data directory.
#[must_use]
pub fn spool_of(data: &Path) -> PathBuf {
    data.join("spool")
}

/// Rejects a data directory that is a file. The system's error would not name the setting.
///
/// # Errors
/// Fails with [`DataError::File`].
pub fn require_no_file(path: &Path) -> Result<(), DataError> {
    match path.is_file() {
        true => Err(DataError::File {
            path: path.to_owned(),
        }),
        false => Ok(()),
    }
}

/// Opens the control plane's database with the configured master key.
///
/// # Errors
/// Fails with [`OpenError`], each one sentence.
pub async fn open_store(settings: &Settings, path: &Path) -> Result<Store, OpenError> {
    let key = match &settings.process.master_key.0 {
        Some(key) => KeyFile::Given(key.clone()),
        None => KeyFile::Own(path.with_file_name(MASTER_KEY)),
    };
    Store::open_with(path, &key, settings.control.store_wait_ms.milliseconds()).await
}

/// Returns whether the file is missing or empty.
fn is_empty(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(file) => Ok(file.is_file() && file.len() == 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Returns whether this is a database failure that a full disk may have caused.
fn is_vague(failure: &anyhow::Error) -> bool {
    let of_usage = failure.downcast_ref::<tollgate_analytics::OpenError>();
    matches!(failure.downcast_ref(), Some(OpenError::Io { .. }))
        || matches!(failure.downcast_ref(), Some(StoreError::Io(_)))
        || matches!(of_usage, Some(tollgate_analytics::OpenError::Other { .. }))
}

#[cfg(test)]
mod tests;
