//! The room for bodies that are read whole, over all workers (`gateway.buffered_bytes_max`): those
//! of requests and responses, for the steps of policies and for SOAP as REST.
//!
//! A body takes its room before it is read: its length if that is announced, otherwise 64 KiB and,
//! once it turns out to be longer, as much as may be read of it. Once it is whole it keeps only
//! what it has. The room is given back with the last byte sent, or with the body that replaced it.
//!
//! Requests that find no room are refused; responses wait. A quarter of the room is for bodies of
//! up to 64 KiB, the rest for longer ones, and a body with room for a longer one never waits for
//! more. So there is always one that does not wait, and its room is given back.

use std::mem;
use std::sync::Arc;

use tokio::sync::{Semaphore, SemaphorePermit};
use tollgate_http1::own_body::OwnBody;

/// Bytes of a unit of room.
const UNIT_BYTES: u64 = 1024;
/// Bytes that are read of a body of unknown length before more room is taken.
pub(crate) const FIRST_BYTES: usize = 64 * 1024;

/// The room of all workers.
#[derive(Debug)]
pub(crate) struct Buffered {
    /// For bodies of up to [`FIRST_BYTES`].
    short: Semaphore,
    /// For longer bodies.
    long: Semaphore,
    long_bytes: u64,
}

/// Room taken for one body; given back when dropped.
#[derive(Debug)]
pub(crate) struct Room {
    home: Arc<Buffered>,
    is_long: bool,
    units: u32,
}

/// A body with its room.
#[derive(Debug)]
pub(crate) struct Held<B> {
    pub(crate) body: B,
    pub(crate) room: Room,
}

impl Held<OwnBody> {
    /// Puts a body into the room of the one that it was made of; `None` if it is longer and finds
    /// no room.
    pub(crate) fn within(body: OwnBody, mut room: Room) -> Option<Self> {
        let bytes = body.body().len();
        room.shrink(bytes);
        let is_free = room.try_grow(bytes as u64);
        is_free.then_some(Self { body, room })
    }
}

impl Buffered {
    /// Creates room for `bytes_max` bytes of bodies.
    pub(crate) fn new(bytes_max: u64) -> Arc<Self> {
        let short_bytes = bytes_max / 4;
        // Whole units: a body of `long_bytes` must not need more than there are.
        let long_bytes = (bytes_max - short_bytes) / UNIT_BYTES * UNIT_BYTES;
        let semaphore = |bytes: u64| {
            let units = usize::try_from(bytes / UNIT_BYTES).unwrap_or(usize::MAX);
            Semaphore::new(units.min(Semaphore::MAX_PERMITS))
        };
        Arc::new(Self {
            short: semaphore(short_bytes),
            long: semaphore(long_bytes),
            long_bytes,
        })
    }

    /// The most bytes that one body can have.
    pub(crate) fn body_bytes_max(&self) -> u64 {
        self.long_bytes
    }

    /// Returns an empty room.
    pub(crate) fn room(self: &Arc<Self>) -> Room {
        Room {
            home: Arc::clone(self),
            is_long: false,
            units: 0,
        }
    }

    fn semaphore(&self, is_long: bool) -> &Semaphore {
        if is_long { &self.long } else { &self.short }
    }
}

impl Room {
    /// Makes room for this many bytes if it is free; returns whether it is.
    pub(crate) fn try_grow(&mut self, bytes: u64) -> bool {
        let Some((is_long, units)) = self.missing(bytes) else {
            return true;
        };
        let taken = self.home.semaphore(is_long).try_acquire_many(units);
        let is_free = taken.map(SemaphorePermit::forget).is_ok();
        if is_free {
            self.add(is_long, units);
        }
        is_free
    }

    /// Waits until there is room for this many bytes.
    pub(crate) async fn grow(&mut self, bytes: u64) {
        let Some((is_long, units)) = self.missing(bytes) else {
            return;
        };
        let taken = self.home.semaphore(is_long).acquire_many(units).await;
        // It cannot fail: the semaphores are never closed.
        if taken.map(SemaphorePermit::forget).is_ok() {
            self.add(is_long, units);
        }
    }

    /// Gives back what exceeds this many bytes.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let extra = self.units.saturating_sub(units(bytes as u64));
        self.units -= extra;
        self.give_back(self.is_long, extra);
    }

    /// The kind of room that is missing for this many bytes, and how much.
    fn missing(&self, bytes: u64) -> Option<(bool, u32)> {
        let is_long = self.is_long || bytes > FIRST_BYTES as u64;
        let has = if is_long == self.is_long {
            self.units
        } else {
            0
        };
        let missing = units(bytes.min(self.home.long_bytes)).saturating_sub(has);
        (missing > 0).then_some((is_long, missing))
    }

    /// Adds room that was taken. Room for a short body is given back once there is a long one.
    fn add(&mut self, is_long: bool, units: u32) {
        if mem::replace(&mut self.is_long, is_long) == is_long {
            self.units += units;
        } else {
            self.give_back(!is_long, self.units);
            self.units = units;
        }
    }

    fn give_back(&self, is_long: bool, units: u32) {
        if units > 0 {
            self.home.semaphore(is_long).add_permits(units as usize);
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.give_back(self.is_long, self.units);
    }
}

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
