#![doc = include_str!("../README.md")]

pub mod address;
mod fetcher;
pub mod forwarded;
pub mod tls;
pub mod upstream_rules;

pub use address::{HostList, Networks};
pub use fetcher::{FetchError, Fetched, Fetcher, Limits};
pub use forwarded::Hops;
pub use upstream_rules::{Forbidden, UpstreamRules};
