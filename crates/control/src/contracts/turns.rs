//! Concurrency limits for compiling contracts: by number, and by bytes of their documents together.

use tokio::sync::{Semaphore, SemaphorePermit};

/// Bytes per permit: the number of permits acquired at a time must fit into 32 bits.
const UNIT_BYTES: usize = 1_024;
/// Maximum units of all documents in memory at a time, which is the maximum of one contract.
/// Parsing them takes several times their bytes.
const UNITS_MAX: u32 = 64 * 1_024;

/// The limits for one kind of readers.
#[derive(Debug)]
pub(crate) struct Turns {
    readers: Semaphore,
    units: Semaphore,
}

/// The charge for documents, which ends when this is dropped.
pub(crate) type Charge<'a> = Option<SemaphorePermit<'a>>;

impl Turns {
    pub(crate) const fn new(readers_max: usize) -> Self {
        Self {
            readers: Semaphore::const_new(readers_max),
            units: Semaphore::const_new(UNITS_MAX as usize),
        }
    }

    /// Waits for a turn to read. It charges no bytes yet.
    pub(crate) async fn reader(&self) -> Option<SemaphorePermit<'_>> {
        self.readers.acquire().await.ok()
    }

    /// Waits until documents of `bytes` may be in memory. To avoid deadlocks, callers must not wait
    /// for another charge of these turns while they hold one.
    pub(crate) async fn charge(&self, bytes: usize) -> Charge<'_> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(UNITS_MAX);
        self.units.acquire_many(units.min(UNITS_MAX)).await.ok()
    }
}

#[cfg(test)]
mod tests;
