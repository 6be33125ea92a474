#![doc = include_str!("../README.md")]

pub mod api_key;
mod base62;
pub mod basic;
pub mod generated;
pub mod password;
pub mod session;
