#![doc = include_str!("../README.md")]

mod bucket;
mod consumption;
mod counter;
mod debit;
mod identity;
mod judgement;
mod limit_place;
mod owed;
mod places;
mod registry;
mod rolling;
mod rule;
mod saved;
mod shard;
mod window;

pub use consumption::Consumption;
pub use debit::{Debited, Exceeded, Standing, Standings, debit, give_back, standings};
pub use judgement::{Call, Wait};
pub use limit_place::LimitPlace;
pub use owed::{End, Owed};
pub use registry::{Counted, Counters};
pub use rule::{BoundLimit, Rule};
pub use saved::{FORMAT, Saved};
