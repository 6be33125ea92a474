#![doc = include_str!("../README.md")]

mod accepted;
mod answer;
mod backlog;
mod calls;
mod content;
mod cube;
mod database;
mod dimension;
mod error;
mod groups;
mod journal;
mod legacy;
mod levels;
mod live;
mod losses;
mod lost;
mod measures;
mod migrations;
mod page;
mod plan;
mod query;
mod quotas;
mod reached;
mod replay;
mod rows;
mod scan;
mod sieve;
mod single;
mod sketch;
mod stored;
mod threads;
mod turns;
mod upgrade;
mod upkeep;
mod usage;
mod value_list;
mod varint;
mod write;

pub use answer::{Answer, AnswerSource, Row};
pub use cube::{CUBES, Cube, Level, Time};
pub use dimension::Dimension;
pub use error::{OpenError, UsageError};
pub use live::{Seen, WATCHED_A_SECOND, WATCHERS_MAX, WATCHERS_OF_USER_MAX, Watcher};
pub use losses::{Loss, Reason};
pub use measures::{MEASURES, Measure, Measures, Merging, Unit};
pub use query::{Filter, Query, Sight, Step};
pub use quotas::{Checkpoints, Quota};
pub use single::{CallPlace, CallsPage, CallsQuery};
pub use tollgate_spool::Call;
pub use usage::{Condition, Source, Usage};

/// Maximum rows of a result.
pub const ROWS_MAX: usize = 100_000;
pub(crate) const MINUTE_US: i64 = 60_000_000;
