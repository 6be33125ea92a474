//! What gateways read: the compiled truth and each change of it, numbered by one rising sequence.
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
use crate::resource::{Answers, Parameter, UsernameToken};
use crate::scheme::UriScheme;
use crate::secret::{Basic, Credential};
use crate::security::{Identity, Require, Scheme};
use crate::soap::FaultStatus;
use crate::subscription;
use crate::template::PathTemplate;

mod credentials;

pub use credentials::{
    RevokedToken, ServedClient, ServedCredential, ServedSigningKey, ServedToken, TokenSubject,
};

/// Number of a change; rises by at least one with each.
pub type Sequence = u64;

/// What travels on the feed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Message {
    /// All there is, as of a sequence; replaces what the gateway had.
    Whole(Change),
    /// What changed up to a sequence; applied at once or not at all.
    Change(Change),
    /// Nothing changed; the sequence is still this.
    Heartbeat(Sequence),
}

/// Events that become true together.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Change {
    /// The sequence that this follows: who has applied another has missed something and needs the
    /// whole. 0 in a whole, which follows nothing.
    pub after: Sequence,
    /// The sequence that is reached once the events are applied.
    pub sequence: Sequence,
    /// What is true now.
    pub events: Vec<Event>,
}

/// One thing that is true from now on. Each carries the whole of its noun, so applying it twice
/// is the same as once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// A version is served so.
    Version(Box<ServedVersion>),
    /// A version should be served, but what is stored of it cannot be: who serves it already goes
    /// on serving what was in force before, also over a [`Message::Whole`].
    VersionRefused(RefusedVersion),
    /// A version is not served any more.
    VersionGone(VersionId),
    /// A plan's limits are these.
    Plan(ServedPlan),
    /// A plan is gone.
    PlanGone(PlanId),
    /// An application is this.
    Application(ServedApplication),
    /// An application is gone.
    ApplicationGone(ApplicationId),
    /// A subscription stands so.
    Subscription(ServedSubscription),
    /// A subscription has ended.
    SubscriptionGone(SubscriptionId),
    /// A credential that is found by its digest may be used so.
    Credential(ServedCredential),
    /// A credential is worth nothing any more; nor are the tokens of a client.
    CredentialGone(CredentialId),
    /// The tokens of an OAuth2 client may be used so.
    Client(ServedClient),
    /// An opaque token may be used so.
    Token(ServedToken),
    /// A token is worth nothing any more, although it has not expired.
    TokenRevoked(RevokedToken),
    /// Tokens may be signed with this key.
    SigningKey(ServedSigningKey),
    /// Tokens that are signed with this key are worth nothing.
    SigningKeyGone(SigningKeyId),
}

/// What a gateway acknowledges.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// The sequence that its snapshot has reached; 0 before the first one, and of a gateway that
    /// needs the whole.
    pub sequence: Sequence,
    /// Versions of which something older than this sequence is in force, or nothing at all; in
    /// the order of their ids.
    pub refused: Vec<RefusedVersion>,
}

/// A version that cannot be served as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedVersion {
    /// The version.
    pub version: VersionId,
    /// Why, for people.
    pub reason: String,
}

/// A version as gateways serve it: made by [`crate::compile`], plain data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedVersion {
    /// The version.
    pub id: VersionId,
    /// Its API.
    pub api: ApiId,
    /// The API's context, such as `/petstore`.
    pub context: String,
    /// The version's name, such as `1.0`.
    pub name: String,
    /// Whether it also answers without its name in the path.
    pub is_default: bool,
    /// Where it stands; `created` and `retired` are never served.
    pub state: State,
    /// The deployed revision.
    pub revision: RevisionId,
    /// What can be called.
    pub operations: Vec<ServedOperation>,
    /// Where calls with live keys go.
    pub upstream: Option<ServedUpstream>,
    /// Where calls with test keys go.
    pub sandbox_upstream: Option<ServedUpstream>,
    /// The version's own limits.
    pub limits: Vec<ServedLimit>,
    /// How callers prove who they are.
    pub security: ServedSecurity,
    /// How the upstream is told who calls.
    pub identity: Identity,
    /// Bytes of a request body at most; `None`: the gateway's own bound.
    pub body_bytes_max: Option<u64>,
    /// How the back end reads requests.
    pub reading: Reading,
    /// The SOAP service that it stands for; `None` for REST.
    pub soap: Option<Box<ServedSoap>>,
}

/// What a version takes as proof of who calls, as gateways ask for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSecurity {
    /// Whether a call satisfies one of the schemes or each of them.
    pub require: Require,
    /// The schemes.
    pub schemes: Vec<Scheme>,
    /// The names of the scopes that operations ask for.
    pub scopes: Vec<String>,
    /// Those of them that count only for subscriptions that were granted them.
    pub by_approval: Vec<String>,
}

/// What a caller of an operation proves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedAccess {
    /// The scopes that the call's token has, each of them.
    pub scopes: Vec<String>,
    /// Whether a call may come without any credential.
    pub is_anonymous: bool,
}

/// A SOAP service as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSoap {
    /// What can be called.
    pub operations: Vec<ServedSoapOperation>,
    /// What calls of any other operation are recorded under.
    pub unknown: OperationId,
    /// Limits on all those together.
    pub unknown_limits: Vec<ServedLimit>,
    /// What the callers of all those prove.
    pub unknown_access: ServedAccess,
    /// Whether they are refused.
    pub refuses_unknown: bool,
    /// Which HTTP status the gateway's own faults have.
    pub fault_status: FaultStatus,
    /// Bytes of a request that are read to learn its operation.
    pub prefix_bytes_max: u32,
    /// The contract, with this gateway's addresses.
    pub documents: Vec<ServedDocument>,
    /// The service as REST; `None` where SOAP is passed on.
    pub rest: Option<Box<ServedRest>>,
}

/// A SOAP service as REST, as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedRest {
    /// The compiled plan of the service, as the crate `soap` writes it.
    pub plan: Arc<[u8]>,
    /// What can be called.
    pub resources: Vec<ServedResource>,
    /// Header blocks of every request to the back end: the part's name and its JSON.
    pub headers: Vec<(String, String)>,
    /// Who the gateway is to the back end, in the envelope.
    pub username_token: Option<UsernameToken>,
    /// Who the gateway is to the back end, in the head.
    pub basic: Option<Basic>,
    /// How answers become JSON.
    pub answers: Answers,
}

/// A resource as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedResource {
    /// That of its SOAP operation: the same over all revisions, whatever its path.
    pub id: OperationId,
    /// Its method.
    pub method: Method,
    /// Its path below the version.
    pub path: PathTemplate,
    /// The place of its operation in the plan.
    pub operation: u32,
    /// What does not come with the body.
    pub parameters: Vec<Parameter>,
}

/// An operation of a SOAP service as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSoapOperation {
    /// The same for the same name of the same version, over all revisions.
    pub id: OperationId,
    /// Its name.
    pub name: String,
    /// Its `soapAction`; empty where there is none.
    pub action: String,
    /// Namespace and local name of the body's child; `None` for an empty body.
    pub body: Option<(String, String)>,
    /// Its own limits.
    pub limits: Vec<ServedLimit>,
    /// What its callers prove.
    pub access: ServedAccess,
}

/// Stands in documents of contracts for the gateway's own URL, up to its path, where no setting
/// says it: each gateway writes there by what listener it was asked (RFC 2606, section 2).
pub const ASKED_GATEWAY: &str = "http://tollgate-gateway.invalid";

/// A document of a contract as callers get it, but for [`ASKED_GATEWAY`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedDocument {
    /// The query that asks for it, in lower case: `wsdl`, `wsdl=1`, `xsd=2`.
    pub query: String,
    /// In UTF-8.
    pub text: Arc<str>,
    /// A quoted entity tag.
    pub etag: String,
}

/// An operation as gateways serve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedOperation {
    /// The same for the same method and path shape of the same version, over all revisions.
    pub id: OperationId,
    /// Its method.
    pub method: Method,
    /// Its path below the version.
    pub path: PathTemplate,
    /// Its own limits.
    pub limits: Vec<ServedLimit>,
    /// What its callers prove.
    pub access: ServedAccess,
}

/// An upstream as gateways use it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ServedUpstream {
    /// The certificate authorities that vouch for it, in PEM; `None` for those of the system.
    pub ca: Option<String>,
    /// Whether its certificate is checked.
    pub verify_certificate: bool,
    /// Where its calls go: at least one target.
    pub targets: Vec<ServedTarget>,
    /// Milliseconds until a connection must stand.
    pub connect_timeout_ms: u32,
    /// Milliseconds until the head of the final answer.
    pub first_byte_timeout_ms: u32,
    /// Milliseconds that a started body may stand still.
    pub idle_timeout_ms: u32,
    /// Connections to a target's host and port that one worker may hold at a time.
    pub connections_max: u32,
    /// What its requests carry, in place of what callers send in that header.
    pub credential: Option<Credential>,
}

/// A target of an upstream as gateways use it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ServedTarget {
    /// Whether TLS is spoken.
    pub scheme: UriScheme,
    /// Name or IP address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// For the `Host` header.
    pub authority: String,
    /// Path before the operation's, without a slash at its end.
    pub base_path: String,
}

/// A plan as gateways hold callers to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedPlan {
    /// The plan.
    pub id: PlanId,
    /// Its name, for the callers' eyes.
    pub name: String,
    /// Its limits; empty for an unlimited plan.
    pub limits: Vec<ServedLimit>,
}

/// An application as gateways know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedApplication {
    /// The application.
    pub id: ApplicationId,
    /// Its own limits, over everything it calls.
    pub limits: Vec<ServedLimit>,
    /// Unix microseconds: tokens that were issued before are worth nothing.
    pub tokens_from_us: i64,
}

/// A subscription as gateways know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedSubscription {
    /// The subscription.
    pub id: SubscriptionId,
    /// Who calls.
    pub application: ApplicationId,
    /// What is called.
    pub version: VersionId,
    /// Under which plan.
    pub plan: PlanId,
    /// Whether it may.
    pub status: subscription::Status,
    /// The scopes by approval that it was granted.
    pub scopes: Vec<String>,
}
