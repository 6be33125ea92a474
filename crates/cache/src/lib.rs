#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod coding;
pub mod directives;
pub mod flights;
pub mod freshness;
pub mod key;
pub mod storable;
pub mod store;
pub mod validator;
