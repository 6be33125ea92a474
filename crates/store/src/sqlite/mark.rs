//! The mark of acknowledged writes: a small file beside the database, `<file>.mark`, that holds the
//! number and the time of the last write that was acknowledged.
//!
//! SQLite takes a log (`<file>-wal`) that is missing, cut short or garbled for one that ends
//! earlier (sqlite.org/walformat.html, 4.4): the writes in the rest are gone, and it says nothing.
//! Each write counts itself in the table `last_write`, in its own transaction, and is noted in the
//! mark after the commit and before it is acknowledged. A start that finds fewer writes in the
//! database than the mark says tells so: [`Lost`]. The database of figures, which
//! numbers its batches, has such a mark too.
//!
//! A note is one write of 42 bytes to the page cache, some microseconds, so it outlives a kill at
//! any moment. It is synced at the start and at a clean stop only, since a sync for each would
//! nearly double what a write costs: after a power cut the mark may be older than the database,
//! and what is lost then besides is not told. A database without a mark is taken as it is, unless
//! it says itself that it was in use and its log is missing, or holds frames and gives none back:
//! somebody has copied the one file, or the log was damaged.

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

/// A write that was counted; the default is before all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Write {
    /// From 1.
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

/// The open file.
#[derive(Debug)]
pub struct Mark(File);

impl Mark {
    /// Opens or creates the mark of the database at `path`; the write that it notes, if that can be
    /// read.
    ///
    /// # Errors
    /// The file cannot be created or opened.
    pub fn open(path: &Path) -> io::Result<(Self, Option<Write>)> {
        let file = create_private(&beside(path, SUFFIX))?;
        let mut bytes = [0; BYTES];
        let is_whole = file.read_exact_at(&mut bytes, 0).is_ok();
        let text = str::from_utf8(&bytes).ok().filter(|_| is_whole);
        Ok((Self(file), text.and_then(Write::parse)))
    }

    /// Notes a write that was committed.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn note(&self, write: Write) -> io::Result<()> {
        let Write { number, at_us } = write;
        let text = format!("{number:020} {at_us:020}\n");
        self.0.write_all_at(text.as_bytes(), 0)
    }

    /// Makes the last note outlive a power cut.
    ///
    /// # Errors
    /// The file cannot be synced.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }
}

#[cfg(test)]
mod tests;
