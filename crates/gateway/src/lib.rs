#![doc = include_str!("../README.md")]

mod admit;
mod authenticate;
mod authorize;
mod bridge;
mod clock;
mod contract;
mod exchange;
mod feed;
mod listener;
mod mediate;
mod operation;
mod peer;
pub mod plane;
pub mod record;
mod refusal;
mod request;
mod route;
mod service;
mod sharded;
mod snapshot;
mod upstream;
mod warnings;
mod worker;

pub use listener::probe;
pub use plane::{Plane, Reserved, Settings, StartError};
