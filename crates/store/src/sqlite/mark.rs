//! The mark of acknowledged writes: a small file beside the database, `<file>.mark`, with the
//! number and the time of the last acknowledged write.
//!
//! SQLite treats a log (`<file>-wal`) that is missing, cut short or garbled as one that ends
//! earlier (sqlite.org/walformat.html, 4.4): the writes in the rest are lost without an error. Each
//! write increments a counter in the table `last_write`, in its own transaction, and is noted in
//! the mark after the commit and before it is acknowledged. A start that finds fewer writes in the
//! database than in the mark reports it: [`Lost`]. The database of usage, which numbers its
//! batches, has such a mark too.
//!
//! A note is one write of 42 bytes to the page cache, some microseconds, so it survives a kill at
//! any moment. It is synced at startup and at a clean stop only, since a sync for each would nearly
//! double the cost of a write: after a power cut the mark may be older than the database, and
//! further losses go unnoticed. A database without a mark is accepted as it is, unless its own
//! table records that it was in use and its log is missing or has frames of which none can be read:
//! then the one file was copied alone, or the log was damaged.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

pub use super::log::Log;
use super::{beside, create_private};

mod lost;

pub use lost::Lost;

const SUFFIX: &str = ".mark";
/// Two numbers of 20 digits, a space and a line feed.
const BYTES: usize = 42;

/// A counted write; the default precedes all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Write {
    /// Counts from 1.
    pub number: i64,
    /// Unix microseconds.
    pub at_us: i64,
}

impl Write {
    fn parse(text: &str) -> Option<Self> {
        let (number, at_us) = text.strip_suffix('\n')?.split_once(' ')?;
        Some(Self {
            number: number.parse().ok()?,
            at_us: at_us.parse().ok()?,
        })
    }
}

/// The open mark.
#[derive(Debug)]
pub struct Mark(File);

impl Mark {
    /// Opens or creates the mark of the database at `path`; also returns the write in it, if
    /// readable.
    ///
    /// # Errors
    /// Fails if the file cannot be created or opened.
    pub fn open(path: &Path) -> io::Result<(Self, Option<Write>)> {
        let file = create_private(&beside(path, SUFFIX))?;
        let mut bytes = [0; BYTES];
        let is_whole = file.read_exact_at(&mut bytes, 0).is_ok();
        let text = str::from_utf8(&bytes).ok().filter(|_| is_whole);
        Ok((Self(file), text.and_then(Write::parse)))
    }

    /// Writes a committed write to the mark.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn note(&self, write: Write) -> io::Result<()> {
        let Write { number, at_us } = write;
        let text = format!("{number:020} {at_us:020}\n");
        self.0.write_all_at(text.as_bytes(), 0)
    }

    /// Syncs the mark, so the last note survives a power cut.
    ///
    /// # Errors
    /// Fails if the file cannot be synced.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }
}

#[cfg(test)]
mod tests;
