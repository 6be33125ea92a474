//! Calls that the spool does not have.

/// Why calls are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GapReason {
    /// The disk took fewer calls than there were, for longer than memory lasts.
    Behind,
    /// A segment was damaged and set aside, or removed.
    Damaged,
    /// The oldest segments were removed before their time, because there was no room for more.
    Full,
}

/// Calls that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Why.
    pub reason: GapReason,
    /// Arrival of the first of them, Unix microseconds, or earlier.
    pub from_us: i64,
    /// Arrival of the last of them, Unix microseconds, or later.
    pub to_us: i64,
    /// Their number, if it is known.
    pub calls: Option<u64>,
}
