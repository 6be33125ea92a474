#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests write what they need")
)]

mod access_tokens;
mod apis;
mod applications;
mod attempts;
mod audit;
mod basic_users;
mod bodies;
mod cache;
pub mod caller;
mod catalogue;
mod change;
mod client_attempts;
mod clients;
mod clock;
mod constant;
mod contracts;
mod credentials;
mod deprecation;
mod described;
mod document;
mod document_difference;
pub mod error;
pub mod feed;
mod fetching;
mod frame;
mod gateways;
#[cfg(test)]
mod harness;
mod headers;
mod health;
pub mod hosts;
mod impact;
mod importing;
pub mod json;
mod keys;
pub mod may;
mod ownership;
mod pages;
pub mod parameters;
mod passwords;
mod peer;
mod plans;
mod policies;
mod policy_reference;
mod portal;
mod programs;
pub mod random;
mod router;
pub mod routes;
mod secrets;
pub mod seed;
mod serve;
mod session;
mod signing_keys;
mod state;
mod status;
mod subscriptions;
mod text;
pub mod time;
pub mod token_issuer;
mod try_it;
pub mod upgrade;
mod upload;
mod usage;
mod users;
mod versions;
mod writing;

pub use client_attempts::ClientAttempts;
pub use clock::Clock;
pub use contracts::GatewayUrl;
pub use gateways::{Conditions, GatewayPlaces, GatewayStatus, ObservedGateway, ObservedGateways};
pub use peer::came_safely;
pub use policy_reference::policies_markdown;
pub use router::openapi as document;
pub use serve::{CONNECTIONS_MAX, Listener, serve};
pub use state::{Control, Parts};
pub use tollgate_mediation::expression::reference as expressions_markdown;
pub use tollgate_openapi::rules_markdown;
pub use usage::usage_markdown;
pub use versions::mediate::{DraftFiles, mediate_files};
