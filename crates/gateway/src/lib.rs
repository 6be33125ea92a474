#![doc = include_str!("../README.md")]

mod admit;
mod authenticate;
mod authorize;
mod buffered;
mod cache;
mod choose;
mod clock;
mod documents;
mod exchange;
mod feed;
#[cfg(test)]
mod harness;
mod limits;
mod listener;
mod local;
mod mediate;
mod operation;
mod places;
pub mod plane;
mod pools;
mod pre_flight;
mod quotas;
pub mod record;
mod refusal;
mod reply;
mod request;
mod route;
mod serve;
mod settings;
mod snapshot;
mod status;
mod steps;
mod stored;
mod text;
mod upstream;
mod wire;
mod worker;

pub use listener::probe;
pub use plane::{Addresses, Plane, Reserved, StartError};
pub use settings::{HttpsListener, Settings, TextSettings, TokenSettings};
pub use status::{CallNames, NamedVersion, Observer, Status};
