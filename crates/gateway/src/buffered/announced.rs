//! The lengths that bodies announce, in units.

/// Bytes of a unit of announced room.
pub(super) const UNIT_BYTES: u64 = 1024;

/// What a body has announced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Announced {
    /// Whether it takes the part of the room for long bodies.
    pub(super) is_long: bool,
    pub(super) units: u32,
}

/// Returns the units of a length.
pub(super) fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX)
}
