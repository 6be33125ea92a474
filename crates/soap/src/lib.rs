#![doc = include_str!("../README.md")]

pub mod convention;
pub mod plan;
pub mod version;
pub mod xml;
