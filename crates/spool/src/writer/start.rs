//! What a start finds: the segments of earlier processes.

use std::fs::{self, OpenOptions};
use std::io;

use super::Writer;
use crate::damage::{Damage, ReadError};
use crate::merge::Merge;
use crate::segment::{self, Depth, Header, Named, Summary};

impl Writer {
    /// Removes the files of merges that a killed process did not finish.
    pub(super) fn remove_unfinished(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.settings.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "merging") {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Takes over the segments of earlier processes; those without calls are removed.
    pub(super) fn take_over(&mut self, named: Vec<Named>) -> io::Result<()> {
        let last = named.last().map(|last| last.sequence);
        let mut damaged = Vec::new();
        for named in named {
            let is_last = Some(named.sequence) == last;
            let found = read(&named, is_last)?;
            match found.damage {
                Some(damage) => damaged.push((found, damage)),
                None if found.summary.calls == 0 => fs::remove_file(named.path)?,
                None => self.closed.push_back(found.summary),
            }
        }
        for (found, damage) in damaged {
            let known = found.has_heads.then_some(found.summary.calls);
            self.set_aside(&found.summary, damage, known);
        }
        let due = self.closed.iter().filter(|it| Merge::is_due(it));
        self.merges = due.map(|it| it.named.sequence).collect();
        Ok(())
    }
}

/// A segment as a start finds it.
struct Found {
    summary: Summary,
    damage: Option<Damage>,
    /// Whether the heads of all its blocks could be read.
    has_heads: bool,
}

/// Summarizes a segment. Of the last one, all is compared with its checksums, and what a kill left
/// of a block that was never whole is cut off.
fn read(named: &Named, is_last: bool) -> io::Result<Found> {
    let (summary, error) = match segment::summarize(named, Depth::Heads) {
        Ok(summarized) => summarized,
        Err(error) => (
            Summary::new(named.clone(), Header::unreadable()),
            Some(error),
        ),
    };
    let has_heads = error.is_none();
    let error = match error {
        None if is_last => segment::summarize(named, Depth::Checksums).map_or_else(Some, |it| it.1),
        error => error,
    };
    let damage = match error {
        None => None,
        Some(ReadError::Io(error)) => return Err(error),
        Some(ReadError::Damaged(Damage::Cut))
            if is_last && summary.header != Header::unreadable() =>
        {
            let file = OpenOptions::new().write(true).open(&named.path)?;
            file.set_len(summary.bytes)?;
            None
        }
        Some(ReadError::Damaged(damage)) => Some(damage),
    };
    Ok(Found {
        summary,
        damage,
        has_heads,
    })
}
