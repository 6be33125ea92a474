#![doc = include_str!("../README.md")]

mod access_tokens;
mod apis;
mod applications;
mod attempts;
mod audit;
pub mod caller;
mod catalogue;
mod clock;
mod contracts;
mod document;
pub mod error;
pub mod feed;
mod frame;
#[cfg(test)]
mod harness;
mod health;
pub mod hosts;
pub mod json;
mod keys;
pub mod may;
mod ownership;
pub mod parameters;
mod passwords;
mod peer;
mod plans;
pub mod random;
mod router;
pub mod routes;
mod secrets;
pub mod seed;
mod serve;
mod session;
mod state;
mod subscriptions;
mod text;
pub mod time;
mod usage;
mod users;
mod versions;
mod writing;

pub use clock::Clock;
pub use contracts::GatewayUrl;
pub use document::document;
pub use peer::came_safely;
pub use serve::{CONNECTIONS_MAX, Listener, serve};
pub use state::{Control, Parts};
