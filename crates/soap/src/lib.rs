#![doc = include_str!("../README.md")]

pub mod compile;
pub mod convention;
pub mod import;
pub mod plan;
pub mod version;
pub mod xml;

#[cfg(test)]
mod testing;
