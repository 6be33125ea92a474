//! The messages of the feed: compiled configuration and each change of it, numbered by one rising
//! sequence.
//!
//! The control plane writes these messages and the gateway applies them; in one process they go
//! over a channel, between machines they will be encoded, which is why they are plain data.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::credential::CredentialId;
use crate::id::{
    ApiId, ApplicationId, OperationId, PlanId, RevisionId, SigningKeyId, SubscriptionId, VersionId,
};
use crate::lifecycle::State;
use crate::limit::ServedLimit;
use crate::operation::Method;
use crate::path::Reading;
use crate::policies::Cache;
use crate::resource::{Answers, Parameter, UsernameToken};
use crate::scheme::UriScheme;
use crate::secret::{Basic, Credential};
use crate::security::{Identity, Require, Scheme};
use crate::soap::FaultStatus;
use crate::template::PathTemplate;

mod cache;
mod consumers;
mod credentials;

pub use cache::{CachePurge, CacheSelector};
pub use consumers::{ServedApplication, ServedPlan, ServedSubscription};
pub use credentials::{
    RevokedToken, ServedClient, ServedCredential, ServedSigningKey, ServedToken, TokenSubject,
};

/// Number of a change; rises by at least one with each.
pub type Sequence = u64;

/// A message of the feed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Message {
    /// The complete state as of a sequence; replaces what the gateway had.
    Whole(Change),
    /// The changes up to a sequence; applied completely or not at all.
    Change(Change),
    /// No change; the sequence is still this.
    Heartbeat(Sequence),
}

/// Events that take effect together.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Change {
    /// The sequence that this follows: a gateway that has applied another has missed something and
    /// needs the whole. 0 in a whole, which follows nothing.
    pub after: Sequence,
    /// The sequence that is reached once the events are applied.
    pub sequence: Sequence,
    /// The new states.
    pub events: Vec<Event>,
}

/// The new state of one noun. Each event carries the complete noun, so applying it is idempotent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The version as served.
    Version(Box<ServedVersion>),
    /// A version that should be served but whose stored form cannot be: a gateway that already
    /// serves the version continues with the previous form, also over a [`Message::Whole`].
    VersionRefused(RefusedVersion),
    /// A version that is no longer served.
    VersionGone(VersionId),
    /// A plan with its limits.
    Plan(ServedPlan),
    /// A deleted plan.
    PlanGone(PlanId),
    /// An application with its limits.
    Application(ServedApplication),
    /// A deleted application.
    ApplicationGone(ApplicationId),
    /// A live subscription.
    Subscription(ServedSubscription),
    /// A subscription that has ended.
    SubscriptionGone(SubscriptionId),
    /// A valid credential that is found by its digest.
    Credential(ServedCredential),
    /// A credential that is no longer valid; nor are the tokens of a client.
    CredentialGone(CredentialId),
    /// An OAuth2 client with valid tokens.
    Client(ServedClient),
    /// A valid opaque token.
    Token(ServedToken),
    /// A token that is no longer valid, although it has not expired.
    TokenRevoked(RevokedToken),
    /// A key whose signatures on tokens are accepted.
    SigningKey(ServedSigningKey),
    /// A key whose signatures on tokens are no longer accepted.
    SigningKeyGone(SigningKeyId),
    /// A purge of stored responses.
    CachePurged(CachePurge),
}

/// The acknowledgement of a gateway.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// The sequence that its snapshot has reached; 0 before the first one, and for a gateway that
    /// needs the whole.
    pub sequence: Sequence,
    /// Versions of which an older form than that of this sequence is served, or none; in the order
    /// of their ids.
    pub refused: Vec<RefusedVersion>,
}

/// A version whose stored form cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedVersion {
    /// The version.
    pub version: VersionId,
    /// The reason, human-readable.
    pub reason: String,
}

/// A version as gateways serve it: built by [`crate::compile`], plain data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedVersion {
    /// The version.
    pub id: VersionId,
    /// Its API.
    pub api: ApiId,
    /// The API's name.
    pub api_name: String,
    /// The API's context, such as `/petstore`.
    pub context: String,
    /// The version's name, such as `1.0`.
    pub name: String,
    /// Whether it is also served without its name in the path.
    pub is_default: bool,
    /// The names of the API's other versions in any state: no path below the context that begins
    /// with one of them is a path of the default version. Empty unless this is that version.
    pub other_versions: Vec<String>,
    /// Its state; `created` and `retired` are never served.
    pub state: State,
    /// The deployed revision.
    pub revision: RevisionId,
    /// The operations that can be called.
    pub operations: Vec<ServedOperation>,
    /// Upstream for calls with live keys.
    pub upstream: Option<ServedUpstream>,
    /// Upstream for calls with test keys.
    pub sandbox_upstream: Option<ServedUpstream>,
    /// The version's own limits.
    pub limits: Vec<ServedLimit>,
    /// How callers authenticate.
    pub security: ServedSecurity,
    /// How the caller is identified to the upstream.
    pub identity: Identity,
    /// Maximum size of a request body in bytes; `None`: the gateway's own limit.
    pub body_bytes_max: Option<u64>,
    /// How the back end reads requests.
    pub reading: Reading,
    /// The SOAP service; `None` for REST.
    pub soap: Option<Box<ServedSoap>>,
    /// The deprecation, which callers see; `None` unless the version is deprecated.
    pub deprecation: Option<ServedDeprecation>,
    /// The steps of its policies, compiled by crate `mediation`; empty without steps.
    pub steps: Vec<u8>,
    /// The web pages that may call it; `None` if the back end decides.
    pub cors: Option<Box<ServedCors>>,
}

/// The web pages that may call a version, and what they may send and read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedCors {
    /// Their origins, sorted; `None` for all.
    pub origins: Option<Vec<String>>,
    /// Whether the portal's pages may call the version regardless.
    pub portal: bool,
    /// The methods that they may use, if the called path has them.
    pub methods: Vec<Method>,
    /// The header fields that they may send, in lower case, sorted.
    pub headers: Vec<String>,
    /// The header fields that they may read, besides those of the gateway.
    pub expose: Vec<String>,
    /// Whether browsers may send their own credentials.
    pub credentials: bool,
    /// Seconds for which browsers may cache the response to a preflight.
    pub max_age_s: u32,
}

/// The deprecation of a version, as gateways announce it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedDeprecation {
    /// When the version was deprecated, Unix microseconds.
    pub since_us: i64,
    /// The announced end, Unix microseconds.
    pub sunset_us: Option<i64>,
    /// The path of the successor at the gateway, such as `/petstore/2.0`.
    pub successor: Option<String>,
}

/// How callers of a version authenticate, in the form that gateways check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSecurity {
    /// Whether a call must satisfy one of the schemes or each of them.
    pub require: Require,
    /// The schemes.
    pub schemes: Vec<Scheme>,
    /// The names of the scopes that operations require.
    pub scopes: Vec<String>,
    /// The scopes among them that only subscriptions with a grant have.
    pub by_approval: Vec<String>,
}

/// Access requirements of an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedAccess {
    /// The scopes that the call's token must have, each of them.
    pub scopes: Vec<String>,
    /// Whether a call without any credential is allowed.
    pub is_anonymous: bool,
}

/// A SOAP service as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSoap {
    /// The operations that can be called.
    pub operations: Vec<ServedSoapOperation>,
    /// Id under which calls of any other operation are recorded.
    pub unknown: OperationId,
    /// Limits across all calls of unknown operations.
    pub unknown_limits: Vec<ServedLimit>,
    /// Access requirements of unknown operations.
    pub unknown_access: ServedAccess,
    /// Whether calls of unknown operations are refused.
    pub refuses_unknown: bool,
    /// HTTP status of the gateway's own faults.
    pub fault_status: FaultStatus,
    /// Maximum number of bytes of a request that are read to find its operation.
    pub prefix_bytes_max: u32,
    /// The contract, with this gateway's addresses.
    pub documents: Vec<ServedDocument>,
    /// The service as REST; `None` if SOAP is passed through.
    pub rest: Option<Box<ServedRest>>,
}

/// A SOAP service as REST, as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedRest {
    /// The compiled plan of the service, as encoded by the crate `soap`.
    pub plan: Arc<[u8]>,
    /// The resources that can be called.
    pub resources: Vec<ServedResource>,
    /// Header blocks of every request to the back end: the part's name and its JSON.
    pub headers: Vec<(String, String)>,
    /// The gateway's credentials for the back end in the envelope.
    pub username_token: Option<UsernameToken>,
    /// The gateway's credentials for the back end in the header.
    pub basic: Option<Basic>,
    /// How responses are converted to JSON.
    pub answers: Answers,
}

/// A resource as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedResource {
    /// The id of its SOAP operation: the same across revisions, whatever the path.
    pub id: OperationId,
    /// Its method.
    pub method: Method,
    /// Its path below the version.
    pub path: PathTemplate,
    /// The index of its operation in the plan.
    pub operation: u32,
    /// Inputs that are not in the body.
    pub parameters: Vec<Parameter>,
}

/// An operation of a SOAP service as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSoapOperation {
    /// The same for the same name of the same version, across revisions.
    pub id: OperationId,
    /// Its name.
    pub name: String,
    /// Its `soapAction`; empty if there is none.
    pub action: String,
    /// Namespace and local name of the body's child; `None` for an empty body.
    pub body: Option<(String, String)>,
    /// Its own limits.
    pub limits: Vec<ServedLimit>,
    /// Units that a call of it costs.
    pub weight: u16,
    /// Its access requirements.
    pub access: ServedAccess,
}

/// Placeholder in documents of contracts for the gateway's own URL, up to its path, if no setting
/// gives it: each gateway replaces it by the listener that received the request (RFC 2606, section
/// 2).
pub const ASKED_GATEWAY: &str = "http://tollgate-gateway.invalid";

/// A document of a contract as served to callers, except for [`ASKED_GATEWAY`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedDocument {
    /// The query that requests it, in lower case: `wsdl`, `wsdl=1`, `xsd=2`.
    pub query: String,
    /// UTF-8.
    pub text: Arc<str>,
    /// A quoted entity tag.
    pub etag: String,
}

/// An operation as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedOperation {
    /// The same for the same method and path shape of the same version, across revisions.
    pub id: OperationId,
    /// Its method.
    pub method: Method,
    /// Its path below the version.
    pub path: PathTemplate,
    /// Its own limits.
    pub limits: Vec<ServedLimit>,
    /// Units that a call of it costs.
    pub weight: u16,
    /// Its access requirements.
    pub access: ServedAccess,
    /// How its responses are stored; `None` if they are not.
    pub cache: Option<Box<Cache>>,
}

/// An upstream as gateways use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedUpstream {
    /// The certificate authorities that its certificate is verified with, in PEM; `None` for those
    /// of the system.
    pub ca: Option<String>,
    /// Whether its certificate is verified.
    pub verify_certificate: bool,
    /// The targets of its calls: at least one.
    pub targets: Vec<ServedTarget>,
    /// Maximum time to establish a connection, milliseconds.
    pub connect_timeout_ms: u32,
    /// Maximum time until the head of the final response, milliseconds.
    pub first_byte_timeout_ms: u32,
    /// Maximum pause within a body, milliseconds.
    pub idle_timeout_ms: u32,
    /// Maximum number of connections to a target's host and port per worker.
    pub connections_max: u32,
    /// Limits on the calls that it gets.
    pub limits: Vec<ServedLimit>,
    /// The credential in its requests, which replaces that header of the caller's.
    pub credential: Option<Credential>,
}

/// A target of an upstream as gateways use it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ServedTarget {
    /// Whether TLS is used.
    pub scheme: UriScheme,
    /// Name or IP address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// For the `Host` header.
    pub authority: String,
    /// Path before that of the operation, without a trailing slash; with a query, the whole path.
    pub base_path: String,
    /// The target's own query, without `?`; empty if it has none.
    pub query: String,
}
