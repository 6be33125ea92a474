//! What can go wrong with `usage.db`: at the start ([`OpenError`]) and in use ([`UsageError`]).
//! `database.rs` tells one failure of the engine from another.

use std::path::PathBuf;

/// Where an error came from, for the log.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why the figures' database could not be opened. A damaged one is no reason: it is set aside.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A later release has been here.
    #[error("the usage database {} was written by a newer Tollgate (its schema is {found}); \
             start that release", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Number of the unknown migration.
        found: i64,
    },
    /// There is no room to create it.
    #[error("the disk that holds the usage database {} is full", .path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be created, read or written.
    #[error("the usage database {} cannot be opened", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What the system or the engine says.
        #[source]
        source: Cause,
    },
}

/// Why figures could not be written or read. What was to be written is kept and tried again.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// The disk is full.
    #[error("the disk that holds the usage database is full")]
    Full,
    /// Another process holds the file for too long.
    #[error("the usage database is locked")]
    Busy,
    /// The file's pages contradict each other; the next start sets it aside.
    #[error("the usage database is damaged")]
    Corrupt(#[source] Cause),
    /// More than [`crate::ROWS_MAX`] rows: narrow the range, or group by less.
    #[error("the answer has more than {} rows", crate::ROWS_MAX)]
    TooManyRows,
    /// Anything else that the engine or the system refuses.
    #[error("the usage database cannot be used")]
    Other(#[source] Cause),
}
