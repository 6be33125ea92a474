//! The write-ahead log as found at startup: [`Log`]. SQLite treats an unreadable log as empty; the
//! length of the file before the start distinguishes the two.
//!
//! Layout of the file: sqlite.org/fileformat2.html, 4.1 and 4.2. Neighbour: `lost.rs` computes what
//! is lost.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use sqlx::{Executor, Sqlite};

use super::beside;

/// Length of the log's header; frames follow.
const HEADER_BYTES: u64 = 32;
/// Offset of salt-1 in the header of the log, and in that of the first frame.
const SALT: u64 = 16;
const FRAME_SALT: u64 = HEADER_BYTES + 8;

/// The state of the log at startup, before anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// No file.
    Missing,
    /// A file with readable frames or none; before the database is opened, one that may have them.
    There,
    /// A file with frames, none of which can be read.
    Unreadable,
}

impl Log {
    /// Inspects the log. Call before the database is opened, which creates the file.
    #[must_use]
    pub fn before(path: &Path) -> Self {
        let Ok(file) = File::open(beside(path, "-wal")) else {
            return Self::Missing;
        };
        let length = file.metadata().map_or(0, |it| it.len());
        match length > HEADER_BYTES && !is_begun_anew(&file) {
            true => Self::Unreadable,
            false => Self::There,
        }
    }

    /// Checkpoints the log, so a later loss of it affects writes since this start only, and updates
    /// the state by the frames that were read. Call before anything is written.
    pub async fn checkpointed<'e>(self, writer: impl Executor<'e, Database = Sqlite>) -> Self {
        match (self, checkpoint(writer).await) {
            (Self::Unreadable, Some(0)) => Self::Unreadable,
            (Self::Missing, _) => Self::Missing,
            _ => Self::There,
        }
    }

    /// Describes the state of the log of a database with missing writes, as part of a sentence.
    #[must_use]
    pub const fn state(self) -> &'static str {
        match self {
            Self::Missing => "was missing",
            Self::There | Self::Unreadable => "was cut short, damaged or exchanged",
        }
    }
}

/// Returns whether the first frame belongs to the previous log: everything in that is in the
/// database, and the process was killed after it wrote the new header, with a salt-1 one higher,
/// and before it wrote the new first frame.
fn is_begun_anew(file: &File) -> bool {
    let salt = |at| {
        let mut bytes = [0; 4];
        let read = file.read_exact_at(&mut bytes, at);
        read.is_ok().then_some(u32::from_be_bytes(bytes))
    };
    let frame = salt(FRAME_SALT).map(|it| it.wrapping_add(1));
    frame.is_some() && frame == salt(SALT)
}

/// Checkpoints the log; returns the number of its frames, or `None` if that fails.
pub(super) async fn checkpoint<'e>(writer: impl Executor<'e, Database = Sqlite>) -> Option<i64> {
    let run = sqlx::query_as("pragma wal_checkpoint(passive)");
    // Whether it was blocked, frames in the log, frames of the log that are in the database now.
    let answer: sqlx::Result<(i64, i64, i64)> = run.fetch_one(writer).await;
    match answer {
        Ok((_, frames, _)) => Some(frames),
        Err(error) => {
            tracing::warn!(%error, "the checkpoint of the database's log failed");
            None
        }
    }
}
