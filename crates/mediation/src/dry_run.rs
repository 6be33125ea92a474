//! Dry run: runs the steps of a version on a given call without a gateway, and records the message
//! after each step. Nothing is sent.
//!
//! The steps run with the same code as in gateways, and so do the changes of heads around them: the
//! operation is found by its path, hop-by-hop fields and credentials do not go on. Authentication,
//! limits, the contract of a SOAP service and the fields that gateways add to every message are not
//! simulated.
//!
//! - `target.rs`: the operation of a request, by `route.rs`
//! - `message.rs`: the values that steps read
//! - `steps.rs`: runs the steps of a list and reports each
//! - `forward.rs`: the fields that go on
//! - `head.rs`: heads of responses
//! - `shown.rs`: messages in the result
//! - `outcome.rs`: the whole run

mod forward;
mod head;
mod message;
mod outcome;
mod route;
mod shown;
mod steps;
mod target;
#[cfg(test)]
mod tests;

use tollgate_model::api::{Configuration, Kind, Method};
use tollgate_model::credential::Environment;
use tollgate_model::refusal::Refusal;

use crate::program::Compiled;

pub use message::{Field, REQUEST_ID};
pub use outcome::run;
pub use route::NoRoute;
pub use shown::{BODY_BYTES_SHOWN, HEAD_BYTES_SHOWN, Shown, Start};
pub use steps::{Ran, Reason, StepRow};

/// Replaces credentials and identity in shown messages.
pub const MASK: &str = "***";

/// The digits in the entity tags of a draft, which has no revision.
pub const DRAFT: &str = "00000000000";

/// The version with the steps that run.
#[derive(Debug, Clone, Copy)]
pub struct Site<'s> {
    /// The kind of its API.
    pub kind: Kind,
    /// Its configuration.
    pub configuration: &'s Configuration,
    /// The compiled policies of the configuration.
    pub compiled: &'s Compiled,
    /// The name of its API.
    pub api: &'s str,
    /// Its name.
    pub version: &'s str,
    /// The digits of the revision's id, or [`DRAFT`].
    pub revision: &'s str,
    /// Its path in requests, such as `/shop/1.0`.
    pub path: &'s str,
    /// Its path for callers, which `Location` fields get; with that of the gateway's URL.
    pub public_path: &'s str,
    /// Names of the cookies that hold the portal's session.
    pub session_cookies: &'s [&'s str],
}

/// A call: the messages that the steps run on.
#[derive(Debug, Clone)]
pub struct Call {
    /// The caller's request.
    pub request: Request,
    /// The upstream's response.
    pub response: Response,
    /// A refusal of the gateway: its steps run instead of all others.
    pub refusal: Option<Refusal>,
    /// The caller.
    pub caller: Caller,
    /// The time of the request, Unix seconds.
    pub now_s: i64,
    /// The caller's address.
    pub address: String,
}

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// Path and query below the version, as sent.
    pub path: String,
    /// The field lines.
    pub fields: Vec<Field>,
    /// The body, uncoded; empty without one.
    pub body: Vec<u8>,
}

/// A response of the upstream.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The field lines.
    pub fields: Vec<Field>,
    /// The body, uncoded; empty without one.
    pub body: Vec<u8>,
}

/// The facts of a caller that steps read.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The id of its application.
    pub application: Option<String>,
    /// The id of its subscription.
    pub subscription: Option<String>,
    /// The name of its plan.
    pub plan: Option<String>,
    /// The environment of its credential.
    pub environment: Environment,
    /// The claims of its token as JSON, if it has one.
    pub claims: Option<String>,
}

/// The source of the response to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredBy {
    /// The upstream.
    Upstream,
    /// A step `respond`.
    Policy,
    /// A step `mock`.
    Mock,
    /// The gateway, with a refusal.
    Gateway,
}

/// A refusal of the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The refusal.
    pub refusal: Refusal,
    /// The sentence that explains it.
    pub detail: String,
    /// JSON Pointer of the step that rejected the message; `None` if the call gave the refusal.
    pub pointer: Option<String>,
}

/// The result of a dry run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Method and path template of the operation; `None` in a SOAP service.
    pub operation: Option<String>,
    /// The steps of requests; none has run if the call gave a refusal.
    pub request: Ran,
    /// The request to the upstream, with the path below the upstream's base path; `None` if none is
    /// sent. For SOAP as REST: the request before it becomes an envelope.
    pub sent: Option<Shown>,
    /// The steps of responses; `None` if the upstream is not called.
    pub response: Option<Ran>,
    /// The steps of the gateway's refusal; `None` without one.
    pub error: Option<Ran>,
    /// The response to the caller.
    pub answer: Shown,
    /// The source of the response.
    pub answered_by: AnsweredBy,
    /// The refusal, if the call was refused.
    pub refused: Option<Refused>,
}
