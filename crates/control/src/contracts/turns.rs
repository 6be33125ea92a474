//! Turns of those who read contracts: so many at a time, and so many bytes of documents among them.

use tokio::sync::{Semaphore, SemaphorePermit};

/// What one permit stands for: a semaphore takes no more of them than fit into 32 bits.
const UNIT_BYTES: usize = 1_024;
/// Units of all documents that are unpacked and read at a time, which is what one contract may
/// have. To read them takes several times their bytes.
const UNITS_MAX: u32 = 64 * 1_024;

/// Turns of one kind of readers.
#[derive(Debug)]
pub(crate) struct Turns {
    readers: Semaphore,
    units: Semaphore,
}

/// The charge for documents; it ends when this is dropped.
pub(crate) type Charge<'a> = Option<SemaphorePermit<'a>>;

impl Turns {
    pub(crate) const fn new(readers_max: usize) -> Self {
        Self {
            readers: Semaphore::const_new(readers_max),
            units: Semaphore::const_new(UNITS_MAX as usize),
        }
    }

    /// Waits until there are fewer readers than may be; none is charged anything yet.
    pub(crate) async fn reader(&self) -> Option<SemaphorePermit<'_>> {
        self.readers.acquire().await.ok()
    }

    /// Waits until documents of so many bytes may be held. Whoever is charged waits for no other
    /// charge of these turns before this one has ended.
    pub(crate) async fn charge(&self, bytes: usize) -> Charge<'_> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(UNITS_MAX);
        self.units.acquire_many(units.min(UNITS_MAX)).await.ok()
    }
}

#[cfg(test)]
mod tests;
