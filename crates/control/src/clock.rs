//! The time, as the control plane reads it.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where one reads the time.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A clock that a test sets, in Unix microseconds.
    Set(Arc<AtomicI64>),
}

impl Clock {
    /// Now, in Unix microseconds.
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
