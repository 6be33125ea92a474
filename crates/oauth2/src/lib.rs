#![doc = include_str!("../README.md")]
#![expect(
    clippy::disallowed_methods,
    reason = "the key manager writes on its own behalf, not for callers of the control plane"
)]

mod allowance;
mod application;
mod attempts;
mod authentication;
mod call;
mod discovery;
mod document;
mod error;
mod failure;
mod form;
mod gateways;
mod grants;
#[cfg(test)]
mod harness;
mod introspect;
mod issued;
mod keys;
mod made;
mod presented;
mod random;
mod revoke;
mod router;
mod server;

pub use application::{ForTrial, NotIssued, ToApplication};
pub use attempts::Attempts;
pub use document::document;
pub use failure::Failure;
pub use gateways::{Gateways, InForce};
pub use random::NoRandom;
pub use router::router;
pub use server::{AuthorizationServer, Parts, token_url};
