//! The closed list of the gateway's refusals. One row a refusal: code word, status, who is to
//! blame, whether a retry may succeed, WSO2's code, and the title for the caller. The gateway
//! renders them, the reference page is generated from them, analytics stores their number. Because
//! numbers are stored, rows are added at the end and never reordered.

use serde::{Deserialize, Serialize};

/// Who must act for the call to succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The calling program.
    Caller,
    /// The provider of the API: its configuration or its back end.
    Provider,
    /// Tollgate itself.
    Us,
}

/// The properties of one refusal.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// Stable code word: the step that refused, a dot, the cause.
    pub code: &'static str,
    /// The type of its problem document (RFC 9457, section 3.1.1).
    pub problem_type: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Who must act.
    pub blame: Blame,
    /// Whether the same call may succeed later without a change.
    pub retry: bool,
    /// The code of WSO2 API Manager for the same cause.
    pub wso2: Option<u32>,
    /// The title that the caller reads.
    pub title: &'static str,
}

macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident = $code:literal $status:literal $blame:ident $retry:literal
        $wso2:expr, $title:literal;)*) => {
        /// A refusal of the gateway.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Refusal { $($(#[$doc])* $name,)* }

        /// Every refusal, in the order of their stored numbers.
        pub const REFUSALS: &[Refusal] = &[$(Refusal::$name,)*];

        impl Refusal {
            /// Returns its properties.
            #[must_use]
            pub const fn facts(self) -> Facts {
                match self { $(Self::$name => Facts {
                    code: $code, problem_type: concat!("urn:tollgate:refusal:", $code),
                    status: $status, blame: Blame::$blame, retry: $retry,
                    wso2: $wso2, title: $title,
                },)* }
            }
        }
    };
}

refusals! {
    /// The request is not HTTP/1.1 according to RFC 9112, or not safe to pass on.
    BadRequest = "listener.bad_request" 400 Caller false
        None, "The request is not well-formed HTTP.";
    /// The head did not arrive in time.
    HeadTime = "listener.head_time" 408 Caller true
        None, "The request head did not arrive in time.";
    /// The target is longer than the limit.
    TargetTooLong = "listener.target_too_long" 414 Caller false
        None, "The request target is too long.";
    /// The head is larger than the limit.
    HeadTooLarge = "listener.head_too_large" 431 Caller false
        None, "The request head is too large.";
    /// An unsupported HTTP version.
    Version = "listener.version" 505 Caller false
        None, "This HTTP version is not supported.";
    /// More connections than the limit.
    Connections = "listener.connections" 503 Us true
        None, "The gateway has no free connection.";
    /// No API at this path.
    NoApi = "route.no_api" 404 Caller false
        Some(404), "There is no API at this path.";
    /// No operation at this path.
    NoOperation = "route.no_operation" 404 Caller false
        Some(900_906), "The API has no such operation.";
    /// The path has operations, but not with this method.
    NoMethod = "route.no_operation" 405 Caller false
        Some(900_906), "The operation does not accept this method.";
    /// The version is blocked.
    Blocked = "route.blocked" 503 Provider true
        Some(700_700), "This version of the API is blocked.";
    /// No credential was sent.
    Missing = "authenticate.missing" 401 Caller false
        Some(900_902), "The call carries no credential.";
    /// The credential is malformed, unknown, expired or revoked.
    Invalid = "authenticate.invalid" 401 Caller false
        Some(900_901), "The credential is not valid.";
    /// The application has no subscription to this version.
    NotSubscribed = "authorize.not_subscribed" 403 Caller false
        Some(900_908), "The application is not subscribed to this API.";
    /// The subscription is blocked.
    SubscriptionBlocked = "authorize.subscription_blocked" 403 Provider false
        Some(900_907), "The subscription is blocked.";
    /// The subscription is pending or rejected.
    SubscriptionInactive = "authorize.subscription_inactive" 403 Provider false
        Some(900_909), "The subscription is not active.";
    /// The version has no upstream for the credential's environment.
    NoEnvironment = "authorize.no_environment" 403 Provider false
        None, "The API does not serve this credential's environment.";
    /// The API's limit is used up.
    ApiLimit = "admit.api" 429 Caller true
        Some(900_800), "The API's limit is used up.";
    /// The application's limit is used up.
    ApplicationLimit = "admit.application" 429 Caller true
        Some(900_803), "The application's limit is used up.";
    /// The subscription's limit is used up.
    SubscriptionLimit = "admit.subscription" 429 Caller true
        Some(900_804), "The subscription's limit is used up.";
    /// The subscription's calls come too fast.
    SubscriptionBurst = "admit.subscription_burst" 429 Caller true
        Some(900_807), "The subscription's calls come too fast.";
    /// The application's calls come too fast.
    ApplicationBurst = "admit.application_burst" 429 Caller true
        Some(900_809), "The application's calls come too fast.";
    /// The body is larger than the API accepts.
    BodyTooLarge = "mediate.body_too_large" 413 Caller false
        None, "The request body is too large.";
    /// No connection to the upstream could be made.
    UpstreamConnect = "upstream.connect" 502 Provider true
        Some(101_503), "The back end cannot be reached.";
    /// The upstream broke off or did not answer in HTTP.
    UpstreamBroken = "upstream.broken" 502 Provider true
        Some(101_500), "The back end broke off the exchange.";
    /// The upstream took too long.
    UpstreamTimeout = "upstream.timeout" 504 Provider true
        Some(101_504), "The back end took too long.";
    /// No connection to the upstream became free in time.
    UpstreamPool = "upstream.pool_timeout" 503 Provider true
        None, "No connection to the back end became free in time.";
    /// A fault of Tollgate itself.
    Internal = "internal" 500 Us true
        Some(900_900), "Something went wrong in the gateway.";
    /// The body did not arrive completely in time.
    BodyTime = "listener.body_time" 408 Caller true
        None, "The request body did not arrive in time.";
    /// The operation's limit is used up.
    OperationLimit = "admit.operation" 429 Caller true
        Some(900_802), "The operation's limit is used up.";
    /// The body is not well-formed, or not a message of the API's kind.
    NotWellFormed = "mediate.not_well_formed" 400 Caller false
        None, "The request body is not well-formed.";
    /// The body has a type that the API does not accept.
    WrongType = "mediate.wrong_type" 415 Caller false
        None, "The API does not accept a body of this type.";
    /// The request does not match the API's contract; the differences are listed.
    InvalidRequest = "mediate.invalid_request" 400 Caller false
        None, "The request does not fit the API's contract.";
    /// The caller does not accept the API's media type.
    NotAcceptable = "mediate.not_acceptable" 406 Caller false
        None, "The API answers in JSON, which the call does not accept.";
    /// The upstream's response does not match the contract.
    UpstreamNotUnderstood = "upstream.not_understood" 502 Provider false
        None, "The back end's response is not valid.";
    /// The upstream's response is larger than the limit.
    UpstreamTooLarge = "upstream.too_large" 502 Provider false
        None, "The back end's response is too large.";
    /// The upstream rejects the gateway's credentials, or requires some.
    UpstreamDenied = "upstream.denied" 502 Provider false
        None, "The back end denied access to the gateway.";
    /// The upstream reports that it is unavailable.
    UpstreamUnavailable = "upstream.unavailable" 503 Provider true
        None, "The back end is unavailable.";
    /// The upstream has an address that is not allowed.
    UpstreamForbidden = "upstream.forbidden" 502 Provider false
        None, "The back end's address is not allowed.";
    /// The upstream's certificate does not prove its identity.
    UpstreamCertificate = "upstream.certificate" 502 Provider false
        None, "The back end's certificate cannot be trusted.";
    /// The call has a credential of a kind that the API does not accept.
    WrongKind = "authenticate.wrong_type" 401 Caller false
        Some(900_905), "The API does not accept this kind of credential.";
    /// The token lacks a scope that the operation requires.
    Scope = "authorize.scope" 403 Caller false
        Some(900_910), "The credential does not have the scope that the operation requires.";
    /// The credential may not be used from the call's origin.
    NotFromHere = "authorize.denied" 403 Caller false
        Some(900_805), "The credential may not be used from here.";
    /// The caller did not read the response in time. This status is never sent: the response's own
    /// was.
    AnswerTime = "listener.answer_time" 408 Caller true
        None, "The response was not read in time.";
    /// A back end might find another operation in the path, or read another method from the head.
    Ambiguous = "route.ambiguous" 400 Caller false
        None, "The back end might read the request as another operation.";
    /// The preflight of a page of an origin that the version does not list.
    Cors = "route.cors" 403 Provider false
        None, "Pages of this origin may not call the API.";
    /// A policy of the version cannot be applied to the message.
    Policy = "mediate.policy" 500 Provider false
        None, "A policy of the API cannot be applied.";
    /// The body exceeds a bound of threat protection, or matches one of its patterns.
    Threat = "mediate.threat" 400 Caller false
        None, "The request body exceeds a bound of the API.";
    /// The bodies that are read whole have no room left.
    Busy = "mediate.busy" 503 Us true
        None, "The gateway has no room for another message.";
    /// The call accepts only a stored response, and there is none.
    OnlyIfCached = "cache.only_if_cached" 504 Caller true
        None, "No stored response answers the call.";
    /// A limit of single callers is used up: of users or addresses.
    RuleLimit = "admit.rule" 429 Caller true
        Some(900_806), "A limit of single callers is used up.";
    /// The upstream's limit is used up.
    UpstreamLimit = "admit.upstream" 503 Provider true
        Some(900_801), "The back end's limit is used up.";
    /// The bodies that are read whole need the room of a response that its caller reads slowly.
    /// This status is never sent: the response's own was.
    AnswerRoom = "listener.answer_room" 503 Us true
        None, "The response was read too slowly while the gateway was short of room.";
}

impl Refusal {
    /// Returns the number that records store; 0 means "not refused".
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Returns the refusal with a record's number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        REFUSALS.get(usize::from(number.checked_sub(1)?)).copied()
    }
}

#[cfg(test)]
mod tests;
