//! The write-ahead log as a start finds it: [`Log`]. SQLite takes one that it cannot read for an
//! empty one; its length from before tells the two apart.
//!
//! Layout of the file: sqlite.org/fileformat2.html, 4.1 and 4.2. Neighbour: `lost.rs` says what is
//! lost.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use sqlx::{Executor, Sqlite};

use super::beside;

/// The log's header; frames follow.
const HEADER_BYTES: u64 = 32;
/// Where salt-1 is in the header of the log, and in that of the first frame.
const SALT: u64 = 16;
const FRAME_SALT: u64 = HEADER_BYTES + 8;

/// What a start finds of the log, before anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// There is no file.
    Missing,
    /// There is one. It has given frames back or, looked at before the database is opened, may.
    There,
    /// It holds frames and gives none back.
    Unreadable,
}

impl Log {
    /// Looks before the database is opened, which makes the file.
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

    /// Checkpoints the log, so that what is lost of it later is this start's part only, and sees
    /// what it gave back. To be called before anything is written.
    pub async fn checkpointed<'e>(self, writer: impl Executor<'e, Database = Sqlite>) -> Self {
        match (self, checkpoint(writer).await) {
            (Self::Unreadable, Some(0)) => Self::Unreadable,
            (Self::Missing, _) => Self::Missing,
            _ => Self::There,
        }
    }

    /// What became of the log of a database that lacks something, for a sentence.
    #[must_use]
    pub const fn state(self) -> &'static str {
        match self {
            Self::Missing => "was missing",
            Self::There | Self::Unreadable => "was cut short, damaged or exchanged",
        }
    }
}

/// Whether the first frame is of the log before: all of that is in the database, and a kill came
/// between the new header, whose salt-1 is one higher, and the new first frame.
fn is_begun_anew(file: &File) -> bool {
    let salt = |at| {
        let mut bytes = [0; 4];
        let read = file.read_exact_at(&mut bytes, at);
        read.is_ok().then_some(u32::from_be_bytes(bytes))
    };
    let frame = salt(FRAME_SALT).map(|it| it.wrapping_add(1));
    frame.is_some() && frame == salt(SALT)
}

/// Checkpoints the log; how many frames it has, if that can be told.
pub(super) async fn checkpoint<'e>(writer: impl Executor<'e, Database = Sqlite>) -> Option<i64> {
    let run = sqlx::query_as("pragma wal_checkpoint(passive)");
    // Whether it had to stop, frames of the log, frames of them that are in the database now.
    let answer: sqlx::Result<(i64, i64, i64)> = run.fetch_one(writer).await;
    match answer {
        Ok((_, frames, _)) => Some(frames),
        Err(error) => {
            tracing::warn!(%error, "the checkpoint of the database's log failed");
            None
        }
    }
}
