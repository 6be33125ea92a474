#![doc = include_str!("../README.md")]

pub mod compile;
pub mod convention;
pub mod envelope;
pub mod fault;
pub mod import;
pub mod multipart;
pub mod plan;
pub mod to_json;
pub mod version;
pub mod xml;

#[cfg(test)]
mod testing;
