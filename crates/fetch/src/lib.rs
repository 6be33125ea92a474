#![doc = include_str!("../README.md")]

pub mod address;
mod fetcher;

pub use address::{HostList, Networks};
pub use fetcher::{FetchError, Fetched, Fetcher, Limits};
