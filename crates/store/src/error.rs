//! Errors of the store: at startup ([`OpenError`]) and in use ([`StoreError`]).
//!
//! Neighbours: `sqlite.rs` classifies failures of the database; the modules of the nouns return
//! [`StoreError::Stale`] and [`StoreError::Used`].

use std::path::PathBuf;

/// The error of the database engine, for the log.
type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a store could not be opened. Each message is one sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file is not a database, its pages contradict each other, or a table is missing.
    #[error("the database {} is damaged ({detail}); restore it from a backup", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found first.
        detail: String,
    },
    /// The database was written by a later release.
    #[error("the database {} was written by a newer Tollgate (its schema is {found}, this one \
             knows up to {known}); start that release", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Number of the unknown migration.
        found: i64,
        /// Number of the last migration that this release has.
        known: i64,
    },
    /// Another process has it open.
    #[error("the database {} is in use by another Tollgate; stop that one first", .path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The disk has no room to create or migrate it.
    #[error("the disk that holds the database {} is full", .path.display())]
    Full {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be created, read or written.
    #[error("the database {} cannot be opened", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: Source,
    },
    /// The master key is missing, malformed or that of another database.
    #[error("the master key {} {detail}", .path.display())]
    MasterKey {
        /// The file of the key.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// Any other error of the database engine.
    #[error("the database {} cannot be prepared", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The engine's error.
        source: Source,
    },
}

/// Why a read or write failed. A failed transaction leaves no changes.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A value that must be unique is in use.
    #[error("{what}")]
    Taken {
        /// JSON Pointer of the field in the request's body, such as `/name`.
        field: &'static str,
        /// One sentence that names the holder of the value.
        what: String,
    },
    /// There is no such object; the word is its kind.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The object has changed since the caller read it: read again, decide again.
    #[error("this {0} has changed meanwhile")]
    Stale(&'static str),
    /// The object is in use and cannot be deleted; the sentence names its users.
    #[error("{0}")]
    Used(&'static str),
    /// The write would leave no enabled administrator.
    #[error("at least one enabled administrator must remain")]
    LastAdministrator,
    /// The disk is full. Later writes succeed when there is room again.
    #[error("the disk that holds the database is full")]
    Full,
    /// The writer was busy for too long; a retry may succeed.
    #[error("the database is busy")]
    Busy,
    /// Reading or writing the file failed.
    #[error("the database's file cannot be read or written")]
    Io(#[source] Source),
    /// Stored data contradict each other.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// Any other error of the database engine.
    #[error("the database refused the statement")]
    Other(#[source] Source),
}
