//! Errors of `usage.db`: at startup ([`OpenError`]) and in use ([`UsageError`]). `database.rs`
//! classifies the engine's errors.

use std::path::PathBuf;

use crate::dimension::Dimension;

/// The source of an error, for the log.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why the usage database could not be opened. Damage is not a reason: a damaged file is set aside.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file was written by a later release.
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
        /// The error of the system or the engine.
        #[source]
        source: Cause,
    },
}

/// Why figures could not be written or read. Unwritten data is kept and retried.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// The disk is full.
    #[error("the disk that holds the usage database is full")]
    Full,
    /// Another process locks the file for too long.
    #[error("the usage database is locked")]
    Busy,
    /// The file's pages are inconsistent; the next start sets it aside.
    #[error("the usage database is damaged; it is set aside when the program starts again")]
    Corrupt(#[source] Cause),
    /// More than [`crate::ROWS_MAX`] rows: narrow the range, or group by less.
    #[error("the result has more than {} rows", crate::ROWS_MAX)]
    TooManyRows,
    /// No cube has all dimensions that a query needs, and the spool does not reach that far back.
    #[error("figures before {} are not kept by all of these dimensions", time(*.since_us))]
    NoCube {
        /// The least dimensions without which a cube would answer.
        surplus: Vec<Dimension>,
        /// From when on single calls are kept, Unix microseconds.
        since_us: i64,
        /// Whether it counts calls of one's own APIs and calls by one's own applications: one half
        /// may have a cube.
        has_halves: bool,
    },
    /// Others are reading, and it took too long until it was this query's turn.
    #[error("other questions are being answered")]
    Waiting,
    /// Calls wait for the spool, which cannot be written.
    #[error("single calls cannot be written to the spool now")]
    SpoolBehind,
    /// The spool no longer has the call where a page of calls begins.
    #[error("the calls that this page begins with are no longer kept")]
    UnknownPlace,
    /// The figures or calls could not be read in time: narrow the range.
    #[error("the figures of this range are too many to be added up in time")]
    TooLong,
    /// Any other error of the engine or the system.
    #[error("the usage database cannot be used")]
    Other(#[source] Cause),
}

/// A time in an error.
fn time(us: i64) -> jiff::Timestamp {
    let second = us.div_euclid(1_000_000);
    jiff::Timestamp::from_second(second).unwrap_or_default()
}
