#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests write what they need")
)]

pub mod access_tokens;
pub mod api_keys;
pub mod apis;
pub mod applications;
pub mod assertions;
pub mod basic_users;
pub mod cache_purges;
pub mod catalogue;
pub mod clients;
pub mod comparison;
pub mod contracts;
pub mod credentials;
mod db;
pub mod default_version;
pub mod deprecation;
pub mod documents;
mod error;
pub mod feed;
pub mod impact;
pub mod lifecycle;
mod master_key;
pub mod names;
pub mod operations;
pub mod overview;
pub mod owners;
pub mod part;
pub mod plans;
mod reading;
pub mod retired;
pub mod revisions;
mod row;
mod secrets;
pub mod sessions;
pub mod settings;
pub mod signing_keys;
mod sqlite;
mod store;
pub mod subscriptions;
pub mod tokens;
pub mod users;
mod value;
pub mod versions;

pub use error::{OpenError, StoreError};
pub use feed::Noun;
pub use master_key::KeyFile;
pub use sqlite::mark::{self, Lost};
pub use sqlite::schema;
pub use store::{MASTER_KEY, Store, Tx};
pub use value::LIST_MAX;

#[cfg(test)]
mod conformance;
