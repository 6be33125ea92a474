#![doc = include_str!("../README.md")]

mod bucket;
mod counter;
mod debit;
mod registry;
mod rule;
mod window;

pub use debit::{Exceeded, Standing, debit};
pub use registry::{Counters, FORMAT, Saved};
pub use rule::{BoundLimit, Rule};
