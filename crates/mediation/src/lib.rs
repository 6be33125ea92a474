#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod apply;
mod body;
mod body_type;
pub mod coding;
pub mod compile;
mod double;
pub mod dry_run;
pub mod edits;
mod escape;
pub mod expression;
pub mod form;
pub mod forwarding;
pub mod message;
pub mod mock;
pub mod name;
pub mod note;
mod outcome;
pub mod own_query;
pub mod parameters;
mod pattern;
pub mod program;
pub mod run;
#[cfg(test)]
#[path = "../tests/support/sample.rs"]
mod sample;
pub mod scope;
mod simulation;
pub mod text;
pub mod value;
mod work;

// The tests' sample scope is also part of the tests of the whole crate.
#[cfg(test)]
extern crate self as tollgate_mediation;
