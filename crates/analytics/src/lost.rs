//! Written batches that are missing: a log (`usage.db-wal`) that is deleted, truncated or corrupted
//! takes them along, and SQLite reports nothing. Each written batch is noted in `usage.db.mark`; a
//! start compares the two ([`tollgate_store::mark`]).

use std::fmt;
use std::path::{Path, PathBuf};

use tollgate_store::mark::{Log, Mark, Write};

/// The mark file and its last entry at startup.
pub(crate) struct Noted {
    /// `None` if the file cannot be opened, which has been logged.
    pub(crate) mark: Option<Mark>,
    /// The last written batch; `None` without a readable mark.
    pub(crate) last: Option<Write>,
}

impl Noted {
    /// Opens the mark of the database at `path`. A new database has no batches to miss.
    pub(crate) fn open(path: &Path, is_new: bool) -> Self {
        match Mark::open(path) {
            Ok((mark, last)) => Self {
                mark: Some(mark),
                last: last.filter(|_| !is_new),
            },
            Err(error) => {
                tracing::warn!(%error, "the mark of written usage cannot be opened");
                Self {
                    mark: None,
                    last: None,
                }
            }
        }
    }

    /// Notes the present batches, and syncs the mark to survive a power cut.
    pub(crate) fn begin(&self, there: Write) {
        let noted = self
            .mark
            .as_ref()
            .map(|it| it.note(there).and_then(|()| it.sync()));
        if let Some(Err(error)) = noted {
            tracing::warn!(%error, "the mark of written usage cannot be written");
        }
    }
}

/// Batches that a database lacks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lost {
    path: PathBuf,
    /// Their number; `None` without a readable mark.
    batches: Option<i64>,
    /// The time of the last present batch.
    there_us: i64,
    /// The time of the last written batch.
    last_us: Option<i64>,
    log: Log,
}

impl Lost {
    /// Compares the last present batch, `there`, with the last one that was written. Without a
    /// mark, a database that was in use lacks batches if its log is missing or yields nothing.
    pub(crate) fn find(
        path: &Path,
        last: Option<Write>,
        there: Write,
        was_running: bool,
        log: Log,
    ) -> Option<Self> {
        let is_lost = match last {
            Some(last) => there.number < last.number,
            None => was_running && there.number > 0 && log != Log::There,
        };
        is_lost.then(|| Self {
            path: path.to_owned(),
            batches: last.map(|last| last.number - there.number),
            there_us: there.at_us,
            last_us: last.map(|last| last.at_us),
            log,
        })
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let state = self.log.state();
        let there = time(self.there_us);
        match (self.batches, self.last_us) {
            (Some(batches), Some(last_us)) => write!(
                out,
                "the usage database {path} lacks its last {batches} batches: its log {path}-wal \
                 {state}; limit usage from {there} to {} is lost, and figures that the spool does \
                 not have",
                time(last_us)
            ),
            _ => write!(
                out,
                "the usage database {path} was not closed and its log {path}-wal {state}: limit \
                 usage after its last batch, at {there}, is lost, and figures that the spool does \
                 not have"
            ),
        }
    }
}

fn time(us: i64) -> String {
    let time = jiff::Timestamp::from_microsecond(us).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests;
