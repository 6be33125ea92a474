//! The result of a dry run.

use serde::Serialize;
use tollgate_mediation::dry_run::{self, Outcome, Reason, Refused, Shown, Start};
use tollgate_model::api::Method;

use super::given::HeaderField;

/// The result of a dry run.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Mediated {
    /// Method and path of the operation; null in a SOAP service, which has one path.
    #[schema(example = "POST /orders/{id}")]
    operation: Option<String>,
    /// The steps of the request, and the request to the upstream.
    request: MediatedRequest,
    /// The steps of the response; null if the upstream is not called.
    response: Option<MediatedSteps>,
    /// The steps of the gateway's refusal; null without one.
    error: Option<MediatedSteps>,
    /// The response to the caller, without the header fields that gateways add to every response.
    answer: Option<MediatedMessage>,
    /// The source of the response.
    answered_by: MediatedBy,
    /// The refusal; null if the call is not refused.
    refused: Option<MediatedRefusal>,
}

/// The steps of a request, and the request to the upstream.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct MediatedRequest {
    /// The request before the first step, without the header fields that end at the gateway.
    before: MediatedMessage,
    /// The steps, in the order in which they run; none if the call gave a refusal.
    steps: Vec<MediatedStep>,
    /// The request to the upstream, without the header fields that gateways add to every request;
    /// its path is below that of the upstream. For SOAP as REST, the request before it becomes an
    /// envelope. Null if a step responds or rejects the request.
    sent: Option<MediatedMessage>,
}

/// The steps of a message.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct MediatedSteps {
    /// The message before the first step, without the header fields that end at the gateway. It
    /// differs from those after the steps only in what steps change.
    before: MediatedMessage,
    /// The steps, in the order in which they run.
    steps: Vec<MediatedStep>,
}

/// A step, and its effect on the message.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct MediatedStep {
    /// JSON Pointer of the step from the version's configuration.
    #[schema(example = "/policies/request/0")]
    pointer: String,
    /// The name of its policy.
    #[schema(example = "set_header")]
    policy: &'static str,
    /// Whether it ran.
    ran: bool,
    /// The reason why it did not run; null if it did.
    reason: Option<MediatedReason>,
    /// The message after the step; null if it did not run or changed nothing.
    after: Option<MediatedMessage>,
}

/// The reason why a step did not run.
#[derive(Debug, Serialize, utoipa::ToSchema)]
enum MediatedReason {
    /// Its condition is false.
    #[serde(rename = "the condition is false")]
    False,
    /// Its condition has no value.
    #[serde(rename = "the condition has no value")]
    NoValue,
    /// A step before it responded or rejected the message.
    #[serde(rename = "not reached")]
    NotReached,
    /// It changes the body, and there is none.
    #[serde(rename = "no body")]
    NoBody,
    /// It changes bodies of other media types.
    #[serde(rename = "other media type")]
    OtherType,
}

/// A message, with `***` in place of credentials and the caller's identity.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct MediatedMessage {
    /// The method of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<Method>,
    /// Path and query of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The status of a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// The header fields.
    headers: Vec<HeaderField>,
    /// The body; null if it is not UTF-8, such as one that is compressed. Of messages before and
    /// after steps, its first 64 KiB.
    body: Option<String>,
    /// The number of bytes of the whole body.
    body_bytes: usize,
    /// Whether the end of the body or of the header fields is missing: messages before and after
    /// steps show 64 KiB of each. The request to the upstream and the response are complete.
    truncated: bool,
}

/// The source of the response to a call.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
enum MediatedBy {
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
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct MediatedRefusal {
    /// Its code.
    #[schema(example = "mediate.wrong_type")]
    code: &'static str,
    /// Its status, before steps of `error` change it.
    #[schema(example = 415)]
    status: u16,
    /// The sentence that explains it.
    detail: String,
    /// JSON Pointer of the step that rejected the message; null if no step did.
    #[schema(example = "/policies/request/3")]
    pointer: Option<String>,
}

impl From<Outcome> for Mediated {
    fn from(outcome: Outcome) -> Self {
        let of_list = |ran: dry_run::Ran| MediatedSteps {
            before: ran.before.into(),
            steps: rows(ran.steps),
        };
        Self {
            operation: outcome.operation,
            request: MediatedRequest {
                before: outcome.request.before.into(),
                steps: rows(outcome.request.steps),
                sent: outcome.sent.map(MediatedMessage::from),
            },
            response: outcome.response.map(of_list),
            error: outcome.error.map(of_list),
            answer: Some(outcome.answer.into()),
            answered_by: match outcome.answered_by {
                dry_run::AnsweredBy::Upstream => MediatedBy::Upstream,
                dry_run::AnsweredBy::Policy => MediatedBy::Policy,
                dry_run::AnsweredBy::Mock => MediatedBy::Mock,
                dry_run::AnsweredBy::Gateway => MediatedBy::Gateway,
            },
            refused: outcome.refused.map(MediatedRefusal::from),
        }
    }
}

fn rows(steps: Vec<dry_run::StepRow>) -> Vec<MediatedStep> {
    let rows = steps.into_iter().map(|row| MediatedStep {
        pointer: row.pointer,
        policy: row.policy,
        ran: row.reason.is_none(),
        reason: row.reason.map(MediatedReason::from),
        after: row.after.map(MediatedMessage::from),
    });
    rows.collect()
}

impl From<Reason> for MediatedReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::False => Self::False,
            Reason::NoValue => Self::NoValue,
            Reason::NotReached => Self::NotReached,
            Reason::NoBody => Self::NoBody,
            Reason::OtherType => Self::OtherType,
        }
    }
}

impl From<Shown> for MediatedMessage {
    fn from(shown: Shown) -> Self {
        let (method, path, status) = match shown.start {
            Start::Request(method, path) => (Some(method), Some(path), None),
            Start::Response(status) => (None, None, Some(status)),
        };
        let fields = shown.fields.into_iter();
        let headers = fields.map(|(name, value)| HeaderField { name, value });
        Self {
            method,
            path,
            status,
            headers: headers.collect(),
            body_bytes: shown.body_bytes,
            truncated: shown.is_truncated,
            body: String::from_utf8(shown.body).ok(),
        }
    }
}

impl From<Refused> for MediatedRefusal {
    fn from(refused: Refused) -> Self {
        let facts = refused.refusal.facts();
        Self {
            code: facts.code,
            status: facts.status,
            detail: refused.detail,
            pointer: refused.pointer,
        }
    }
}
