//! The data directory: its files, and the lock that keeps a second process out.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// A data directory that belongs to this process until the value is dropped.
#[derive(Debug)]
pub struct DataDirectory {
    path: PathBuf,
    /// Holds the lock: the kernel lets go of it when the process ends, however it ends.
    _lock: File,
}

/// Why a data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// Another process has it.
    #[error("the data in {path} is in use by process {pid}", path = path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
        /// What that process wrote into the lock: its id.
        pid: String,
    },
    /// The directory or the lock cannot be made or read.
    #[error("the data directory {path} cannot be used", path = path.display())]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl DataDirectory {
    /// Makes the directory where it is missing (mode 0700) and locks it for this process.
    ///
    /// # Errors
    /// Another process has it, or the file system refuses.
    pub fn lock(path: &Path) -> Result<Self, DataError> {
        let unusable = |source| DataError::Unusable {
            path: path.to_owned(),
            source,
        };
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
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// The database of the truth.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.path.join("tollgate.db")
    }

    /// The database of figures and counters' checkpoints.
    #[must_use]
    pub fn usage(&self) -> PathBuf {
        self.path.join("usage.db")
    }
}

#[cfg(test)]
mod tests;
