#![doc = include_str!("../README.md")]

pub mod address;
mod fetcher;
pub mod upstream_rules;

pub use address::{HostList, Networks};
pub use fetcher::{FetchError, Fetched, Fetcher, Limits};
pub use upstream_rules::{Forbidden, UpstreamRules};
