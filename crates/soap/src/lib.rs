#![doc = include_str!("../README.md")]

pub mod plan;
pub mod version;
