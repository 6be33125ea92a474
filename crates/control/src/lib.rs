#![doc = include_str!("../README.md")]

pub mod caller;
mod document;
pub mod error;
pub mod feed;
mod frame;
mod health;
pub mod hosts;
pub mod json;
pub mod may;
pub mod parameters;
mod plans;
mod router;
pub mod routes;
mod state;
mod text;
pub mod time;

pub use document::document;
pub use router::router;
pub use state::{Clock, Control, Parts};
