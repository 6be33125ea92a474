//! Classes of statuses, as labels.

/// The classes; the first is for clients that left before a status was sent.
pub const CLASSES: [&str; 6] = ["left", "1xx", "2xx", "3xx", "4xx", "5xx"];

/// Returns the place of a status in [`CLASSES`]: the first for 0, which means that none was sent.
#[must_use]
pub fn class_of(status: u16) -> usize {
    usize::from(status / 100).min(CLASSES.len() - 1)
}
