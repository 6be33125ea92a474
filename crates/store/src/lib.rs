#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod access_tokens;
pub mod api_keys;
pub mod apis;
pub mod applications;
pub mod contracts;
mod db;
pub mod documents;
mod error;
pub mod feed;
pub mod lifecycle;
pub mod names;
pub mod operations;
pub mod owners;
pub mod plans;
mod reading;
pub mod revisions;
mod row;
pub mod sessions;
pub mod settings;
mod sqlite;
mod store;
pub mod subscriptions;
pub mod users;
mod value;
pub mod versions;

pub use error::{OpenError, StoreError};
pub use feed::Noun;
pub use sqlite::mark::Lost;
pub use sqlite::schema;
pub use store::{Store, Tx};
pub use value::LIST_MAX;

#[cfg(test)]
mod conformance;
