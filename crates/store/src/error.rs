//! What can go wrong with the store: at the start ([`OpenError`]) and in use ([`StoreError`]).
//!
//! Neighbours: `sqlite.rs` tells one failure of the database from another; the nouns add what
//! only they know ([`StoreError::Stale`], [`StoreError::Used`]).

use std::path::PathBuf;

/// Where an error of the database engine came from, for the log.
type Source = Box<dyn std::error::Error + Send + Sync>;

/// Why a store could not be opened. Each is one sentence for the person who starts the process.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file is not a database, its pages contradict each other, or a table is gone.
    #[error("the database {} is damaged ({detail}); restore it from a backup", .path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What was found first.
        detail: String,
    },
    /// A later release has been here.
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
    /// Another process holds it.
    #[error("the database {} is in use by another Tollgate; stop that one first", .path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// There is no room to create or migrate it.
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
        /// What the system says.
        source: Source,
    },
    /// The master key is not there, is none, or is another database's.
    #[error("the master key {} {detail}", .path.display())]
    MasterKey {
        /// The file of the key.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// Anything else that the database engine refuses.
    #[error("the database {} cannot be prepared", .path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What the engine says.
        source: Source,
    },
}

/// Why something could not be read or written. Nothing of a failed transaction stays.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another one holds a value that must be unique.
    #[error("{what}")]
    Taken {
        /// JSON Pointer of the field in what people send, such as `/name`.
        field: &'static str,
        /// One sentence that says who holds it.
        what: String,
    },
    /// There is none with this id; the word says of what.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// It has changed since the caller read it: read again, decide again.
    #[error("this {0} has changed meanwhile")]
    Stale(&'static str),
    /// It cannot go while others need it; the sentence says which.
    #[error("{0}")]
    Used(&'static str),
    /// The last enabled administrator would be lost.
    #[error("at least one enabled administrator must remain")]
    LastAdministrator,
    /// The disk is full. Later writes work when there is room again.
    #[error("the disk that holds the database is full")]
    Full,
    /// The one writer was busy for too long; trying again may help.
    #[error("the database is busy")]
    Busy,
    /// Reading or writing the file failed.
    #[error("the database's file cannot be read or written")]
    Io(#[source] Source),
    /// What is stored contradicts itself.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// Anything else that the database engine refuses.
    #[error("the database refused the statement")]
    Other(#[source] Source),
}
