//! The decisions of a shared response cache (RFC 9111), without I/O: the time is an argument.

pub mod coding;
pub mod directives;
pub mod freshness;
pub mod storable;
pub mod validator;
