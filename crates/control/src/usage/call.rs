//! A single call, as the HTTP API shows it.

use serde::Serialize;
use tollgate_analytics::Call;
use tollgate_model::record::{AnsweredBy, Flags};

use super::cache::CacheWord;
use super::names::Names;
use super::nouns::{NounIds, Nouns};
use super::refusal::RefusalCode;
use super::words::EnvironmentWord;
use crate::error::Problem;
use crate::time::Time;

/// A single call. What is not known of it is absent, such as the application of a call without a
/// valid key.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageCall {
    /// The request id, as in `X-Request-Id`.
    #[schema(example = "8b3c1f2d4e5a69788796a5b4c3d2e1f0")]
    pub(super) request_id: String,
    /// Arrival of its head.
    pub(super) at: Time,
    #[serde(flatten)]
    pub(super) nouns: Nouns,
    /// The id of the credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) credential: Option<String>,
    /// The environment of the credential.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) environment: Option<EnvironmentWord>,
    /// The method, if operations can have it and the path led to a version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) method: Option<&'static str>,
    /// The status sent to the client; 0 if it disconnected before one was sent.
    pub(super) status: u16,
    /// Why the gateway rejected the call, or cut off its response after the status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) refusal: Option<RefusalCode>,
    /// Where the response came from.
    pub(super) answered_by: AnsweredWord,
    /// What the cache of responses did.
    pub(super) cache: CacheWord,
    /// The family of programs that called, such as `curl`; `other` for any other.
    #[schema(example = "curl")]
    pub(super) agent: &'static str,
    /// Body bytes from the client.
    pub(super) bytes_in: u64,
    /// Body bytes to the client.
    pub(super) bytes_out: u64,
    /// Microseconds from the head's arrival to the last byte.
    pub(super) total_us: u32,
    /// Microseconds spent running steps of policies, at most 65,535.
    pub(super) policies_us: u16,
    /// Whether it ended before the last byte of its response.
    pub(super) is_cut: bool,
    /// Whether it was admitted although it exceeded a limit.
    pub(super) is_over: bool,
    /// Whether its SOAP message contradicts itself or its contract.
    pub(super) is_mismatched: bool,
    /// The exchange with the upstream; absent without one, and for callers who neither own the API
    /// nor are administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) upstream: Option<UpstreamPart>,
    /// The network of the client, of which only the beginning is kept: 24 bits of an IPv4 address,
    /// 48 of an IPv6 address. Absent unless one is an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "192.0.2.0")]
    pub(super) network: Option<String>,
}

/// The exchange of a call with its upstream.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = UsageCallUpstream)]
pub(crate) struct UpstreamPart {
    /// Status of its response; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Microseconds from the head's arrival until the request was sent.
    before_us: u32,
    /// Microseconds from then to the first byte of the response.
    first_byte_us: u32,
}

/// Where a response came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = AnsweredBy)]
pub(crate) enum AnsweredWord {
    /// The gateway: a refusal, a document, or no response began.
    Gateway,
    /// The upstream, or the cache of its responses.
    Upstream,
    /// A step `respond`.
    Policy,
    /// A step `mock`.
    Mock,
    /// The gateway, to a CORS preflight that it allowed.
    Preflight,
}

impl From<AnsweredBy> for AnsweredWord {
    fn from(by: AnsweredBy) -> Self {
        match by {
            AnsweredBy::Gateway => Self::Gateway,
            AnsweredBy::Upstream => Self::Upstream,
            AnsweredBy::Policy => Self::Policy,
            AnsweredBy::Mock => Self::Mock,
            AnsweredBy::Preflight => Self::Preflight,
        }
    }
}

/// What a caller may see of a call besides what its client knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Detail {
    /// The exchange with the upstream: for the API's owner and administrators.
    pub(super) has_upstream: bool,
    /// The client's network: for administrators.
    pub(super) has_network: bool,
}

impl UsageCall {
    /// Returns a call with its names.
    pub(super) async fn of(
        call: &Call,
        detail: Detail,
        names: &mut Names<'_>,
    ) -> Result<Self, Problem> {
        let record = &call.record;
        let credential = record.credential();
        let is_sent = record.upstream_us > 0 || record.upstream_status > 0;
        let upstream = UpstreamPart {
            status: Some(record.upstream_status).filter(|status| *status > 0),
            before_us: record.before_us,
            first_byte_us: record.upstream_us,
        };
        let network = std::net::Ipv6Addr::from(record.address).to_canonical();
        let ids = NounIds {
            api: record.api,
            version: record.version,
            operation: record.operation,
            application: record.application,
            plan: record.plan,
        };
        Ok(Self {
            request_id: format!("{:032x}", call.request_id()),
            at: Time(record.at_us),
            nouns: ids.named(names).await?,
            credential: credential.map(|id| id.to_string()),
            environment: credential.map(|_| match record.flags.has(Flags::SANDBOX) {
                true => EnvironmentWord::Sandbox,
                false => EnvironmentWord::Production,
            }),
            method: record.method.map(|method| method.word()),
            status: record.status,
            refusal: record.refusal.map(RefusalCode),
            answered_by: record.answered.by().into(),
            cache: CacheWord(record.answered.cache()),
            agent: record.agent.word(),
            bytes_in: record.bytes_in,
            bytes_out: record.bytes_out,
            total_us: record.total_us,
            policies_us: record.mediate_us,
            is_cut: record.flags.has(Flags::CUT),
            is_over: record.flags.has(Flags::OVER),
            is_mismatched: record.flags.has(Flags::MISMATCHED),
            upstream: (detail.has_upstream && is_sent).then_some(upstream),
            network: detail.has_network.then(|| network.to_string()),
        })
    }
}
