#![doc = include_str!("../README.md")]

pub mod tape;
mod write;

pub use write::{key, member, push_clean, push_escaped, push_string};
