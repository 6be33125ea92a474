#![doc = include_str!("../README.md")]

mod block;
mod call;
mod columns;
mod damage;
mod dictionary;
mod gap;
mod merge;
mod places;
mod queue;
mod segment;
mod settings;
mod spool;
mod writer;

pub use block::{Block, CALLS_MAX, Column, Head, OfWorker, Part};
pub use call::Call;
pub use damage::{Damage, ReadError};
pub use gap::{Gap, GapReason};
pub use places::Place;
pub use queue::Account;
pub use segment::{Depth, Header, Named, Segment, Summary, list, summarize};
pub use settings::Settings;
pub use spool::{OpenError, Recording, Spool};
