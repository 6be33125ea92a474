//! The closed list of the ways in which the gateway says no.
//!
//! One row a refusal: code word, status, whose fault, whether a retry may help, WSO2's code,
//! what the caller reads. The gateway renders them, the reference page is generated from them,
//! analytics keeps their number. Numbers are stored: rows are added at the end, never reordered.

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

/// What is known of one refusal.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// Stable code word: the room, a dot, the cause.
    pub code: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Whose fault.
    pub blame: Blame,
    /// Whether the same call may succeed later without a change.
    pub retry: bool,
    /// The code that WSO2 API Manager gives for the same cause.
    pub wso2: Option<u32>,
    /// What the caller reads.
    pub title: &'static str,
}

macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident = $code:literal $status:literal $blame:ident $retry:literal
        $wso2:expr, $title:literal;)*) => {
        /// One way of saying no.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[repr(u8)]
        pub enum Refusal { $($(#[$doc])* $name,)* }

        /// Every refusal, in the order of their stored numbers.
        pub const REFUSALS: &[Refusal] = &[$(Refusal::$name,)*];

        impl Refusal {
            /// What is known of it.
            #[must_use]
            pub const fn facts(self) -> Facts {
                match self { $(Self::$name => Facts {
                    code: $code, status: $status, blame: Blame::$blame, retry: $retry,
                    wso2: $wso2, title: $title,
                },)* }
            }
        }
    };
}

refusals! {
    /// The request is not HTTP/1.1 as RFC 9112 has it, or not safe to pass on.
    BadRequest = "listener.bad_request" 400 Caller false
        None, "The request is not well-formed HTTP.";
    /// The head did not arrive in time.
    HeadTime = "listener.head_time" 408 Caller true
        None, "The request head did not arrive in time.";
    /// The target is longer than the bound.
    TargetTooLong = "listener.target_too_long" 414 Caller false
        None, "The request target is too long.";
    /// The head is larger than the bound.
    HeadTooLarge = "listener.head_too_large" 431 Caller false
        None, "The request head is too large.";
    /// An HTTP version that is not spoken here.
    Version = "listener.version" 505 Caller false
        None, "This HTTP version is not supported.";
    /// More connections than the bound.
    Connections = "listener.connections" 503 Us true
        None, "The gateway has no connection free.";
    /// No API at this path.
    NoApi = "route.no_api" 404 Caller false
        Some(404), "There is no API at this path.";
    /// No operation at this path.
    NoOperation = "route.no_operation" 404 Caller false
        Some(900_906), "The API has no such operation.";
    /// The path has operations, but not with this method.
    NoMethod = "route.no_operation" 405 Caller false
        Some(900_906), "The operation does not take this method.";
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
    /// The body is larger than the API takes.
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
    /// Our own fault.
    Internal = "internal" 500 Us true
        Some(900_900), "Something went wrong in the gateway.";
    /// The body stopped coming.
    BodyTime = "listener.body_time" 408 Caller true
        None, "The request body did not arrive in time.";
    /// The operation's limit is used up.
    OperationLimit = "admit.operation" 429 Caller true
        Some(900_802), "The operation's limit is used up.";
    /// The body is not well-formed, or not what the API's kind of message is.
    NotWellFormed = "mediate.not_well_formed" 400 Caller false
        None, "The request body is not well-formed.";
    /// The body is of a type that the API does not take.
    WrongType = "mediate.wrong_type" 415 Caller false
        None, "The API does not take a body of this type.";
    /// The request does not fit the API's contract; what does not is listed.
    InvalidRequest = "mediate.invalid_request" 400 Caller false
        None, "The request does not fit the API's contract.";
    /// The caller does not take what the API answers.
    NotAcceptable = "mediate.not_acceptable" 406 Caller false
        None, "The API answers in JSON, which the call does not accept.";
    /// The upstream's answer is not what the contract says.
    UpstreamNotUnderstood = "upstream.not_understood" 502 Provider false
        None, "The back end's answer is not understood.";
    /// The upstream's answer is larger than is read.
    UpstreamTooLarge = "upstream.too_large" 502 Provider false
        None, "The back end's answer is too large.";
    /// The upstream does not take the gateway's credentials, or wants some.
    UpstreamDenied = "upstream.denied" 502 Provider false
        None, "The back end does not let the gateway in.";
    /// The upstream says that it cannot answer now.
    UpstreamUnavailable = "upstream.unavailable" 503 Provider true
        None, "The back end cannot answer now.";
    /// The upstream has an address that no upstream may have.
    UpstreamForbidden = "upstream.forbidden" 502 Provider false
        None, "The back end's address is one that no API may have.";
    /// The upstream does not prove that it is the one that was asked for.
    UpstreamCertificate = "upstream.certificate" 502 Provider false
        None, "The back end's certificate cannot be trusted.";
    /// The call carries a credential of a kind that the API does not take.
    WrongKind = "authenticate.wrong_type" 401 Caller false
        Some(900_905), "The API does not take this kind of credential.";
    /// The token does not have a scope that the operation asks for.
    Scope = "authorize.scope" 403 Caller false
        Some(900_910), "The credential does not have the scope that the operation asks for.";
    /// The credential may not be used from where the call came.
    NotFromHere = "authorize.denied" 403 Caller false
        Some(900_805), "The credential may not be used from here.";
    /// The caller did not read the answer in time. Its status is never sent: the answer's was.
    AnswerTime = "listener.answer_time" 408 Caller true
        None, "The answer was not read in time.";
    /// A back end might read another operation in the path, or take another method from the head.
    Ambiguous = "route.ambiguous" 400 Caller false
        None, "The back end might take the request for another operation.";
}

impl Refusal {
    /// The number that records keep; 0 is kept for "not refused".
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The refusal of a record's number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        REFUSALS.get(usize::from(number.checked_sub(1)?)).copied()
    }
}

#[cfg(test)]
mod tests;
