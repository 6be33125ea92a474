//! The clock of the control plane.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of the current time.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The system clock.
    #[default]
    System,
    /// A clock that a test sets, in Unix microseconds.
    Set(Arc<AtomicI64>),
}

impl Clock {
    /// Returns the current time in Unix microseconds.
    #[must_use]
    pub fn now_us(&self) -> i64 {
        match self {
            Self::System => {
                let since = SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default();
                i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
            }
            Self::Set(now_us) => now_us.load(Ordering::Relaxed),
        }
    }
}
