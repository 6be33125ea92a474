#![doc = include_str!("../README.md")]

mod admit;
mod answer_head;
mod authenticate;
mod authorize;
mod bridge;
mod clock;
mod connection;
mod contexts;
mod contract;
mod exchange;
mod feed;
mod listener;
mod mediate;
mod operation;
mod operations;
mod peer;
pub mod plane;
pub mod record;
mod refusal;
mod request;
mod request_id;
mod route;
mod serve;
mod service;
mod session_cookie;
mod settings;
mod sharded;
mod snapshot;
mod soap_head;
mod upstream;
mod version;
mod warnings;
mod worker;

pub use listener::probe;
pub use plane::{Plane, Reserved, StartError};
pub use settings::Settings;
