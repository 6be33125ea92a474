#![doc = include_str!("../README.md")]

pub mod histogram;
pub mod kept;
pub mod load;
pub mod rival;
pub mod statistics;
