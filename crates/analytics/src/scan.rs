//! Answers a query from the calls of the spool.

mod reading;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use tollgate_spool::{Damage, Named, ReadError, Segment, Spool, list};

use crate::groups::Groups;
use crate::plan::Segment as Steps;
use crate::query::Query;
use crate::{MINUTE_US, ROWS_MAX, UsageError};
use reading::Reading;

/// Threads that read at most.
const THREADS_MAX: usize = 4;

/// Reads the calls of a spool that a query counts.
pub(crate) struct Scan<'q> {
    pub(crate) spool: &'q Spool,
    pub(crate) query: &'q Query,
    /// The steps of the query.
    pub(crate) steps: &'q [Steps],
    /// Epochs that are counted elsewhere.
    pub(crate) without: &'q [u64],
    /// When to give up.
    pub(crate) deadline: Instant,
}

impl Scan<'_> {
    /// Reads on several threads.
    ///
    /// # Errors
    /// [`UsageError`] if the spool cannot be read, or not in time.
    pub(crate) fn run(&self) -> Result<Groups, UsageError> {
        let segments =
            list(self.spool.folder()).map_err(|error| UsageError::Other(error.into()))?;
        let next = AtomicUsize::new(0);
        let threads = thread::available_parallelism().map_or(1, |it| it.get().min(THREADS_MAX));
        let work = || -> Result<Groups, UsageError> {
            let mut found = Groups::new(self.query);
            while let Some(named) = segments.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.read(named, &mut found)?;
            }
            Ok(found)
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut found = work()?;
            for other in others {
                let joined = other.join();
                let panicked =
                    |_| UsageError::Other("a thread that reads the spool panicked".into());
                found.merge(joined.map_err(panicked)??);
            }
            Ok(found)
        })
    }

    fn read(&self, named: &Named, found: &mut Groups) -> Result<(), UsageError> {
        match self.try_read(named, found) {
            Ok(()) => Ok(()),
            // Somebody writes it, or its time has come.
            Err(Failed::Read(ReadError::Damaged(Damage::Cut))) => Ok(()),
            Err(Failed::Read(ReadError::Io(error)))
                if error.kind() == std::io::ErrorKind::NotFound =>
            {
                Ok(())
            }
            Err(Failed::Read(ReadError::Damaged(damage))) => {
                self.spool.report_damaged(named, damage);
                Ok(())
            }
            Err(Failed::Read(ReadError::Io(error))) => {
                let path = named.path.display();
                tracing::warn!(%path, %error, "calls of {path} could not be read");
                Ok(())
            }
            Err(Failed::TooLong) => Err(UsageError::TooLong),
            Err(Failed::TooManyRows) => Err(UsageError::TooManyRows),
        }
    }

    fn try_read(&self, named: &Named, found: &mut Groups) -> Result<(), Failed> {
        let minutes = self.query.minutes();
        let [from_us, to_us] = [minutes.start, minutes.end].map(|it| it.saturating_mul(MINUTE_US));
        let mut segment = Segment::open(&named.path)?;
        if self.without.contains(&segment.header().epoch) {
            return Ok(());
        }
        let reading = Reading::new(self.query, self.steps);
        while let Some(block) =
            segment.next_block_where(|head| head.from_us < to_us && head.to_us >= from_us)?
        {
            if Instant::now() >= self.deadline {
                return Err(Failed::TooLong);
            }
            reading.add(&block, found).map_err(ReadError::from)?;
            if found.len() > ROWS_MAX {
                return Err(Failed::TooManyRows);
            }
        }
        Ok(())
    }
}

/// Why a segment was not read to its end.
enum Failed {
    Read(ReadError),
    TooLong,
    TooManyRows,
}

impl From<ReadError> for Failed {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}
