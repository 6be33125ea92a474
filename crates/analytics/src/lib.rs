#![doc = include_str!("../README.md")]

mod database;
mod error;
mod journal;
mod losses;
mod lost;
mod migrations;
mod query;
mod quotas;
mod retention;
mod rollup;
mod usage;
mod write;

pub use error::{OpenError, UsageError};
pub use losses::{Loss, Reason};
pub use query::{Dimension, Filter, Query, Row, Sight, Step};
pub use quotas::{Checkpoints, Quota};
pub use rollup::{AnsweredCalls, CachedCalls};
pub use usage::{Condition, Source, Usage};

/// Maximum rows of a result.
pub const ROWS_MAX: usize = 100_000;
