#![doc = include_str!("../README.md")]

mod admit;
mod authenticate;
mod authorize;
mod clock;
mod exchange;
mod feed;
mod listener;
mod mediate;
pub mod plane;
pub mod record;
mod refusal;
mod request;
mod route;
mod sharded;
mod snapshot;
mod upstream;
mod worker;

pub use listener::probe;
pub use plane::{Plane, Settings, StartError};
