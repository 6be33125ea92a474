//! Usage: numbers of calls, by API, caller and outcome, and how long they took.
//!
//! Publishers see the calls of their own APIs, developers those by their own applications,
//! administrators everything. The figures come from the analytics crate, exact to the last recorded
//! call; `usage/names.rs` looks up names, also those of deleted objects. Known losses are reported
//! too.

mod cache;
mod names;
mod question;
mod refusal;

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use tollgate_analytics::{AnsweredCalls, Loss, Reason, Row, UsageError};
use tollgate_model::id::{ApiId, ApplicationId, OperationId, VersionId};

use crate::caller::Caller;
use crate::error::Problem;
use crate::json::Json;
use crate::parameters::Query;
use crate::state::Control;
use crate::time::Time;
use cache::CacheWord;
pub(crate) use names::Names;
use question::{Question, StepWord, UsageQuery, Word};
use refusal::RefusalCode;

/// Usage in a time range.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageReport {
    /// The minute that contains this instant is the first one counted.
    from: Time,
    /// The minute that ends at this instant or contains it is the last one counted.
    to: Time,
    /// Dimensions of the rows, as requested.
    group_by: Vec<Word>,
    /// Time steps of the rows, as requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<StepWord>,
    /// The sums, ordered by their dimensions; a single row without dimensions.
    rows: Vec<UsageRow>,
    /// Known losses in the range.
    losses: Vec<UsageLoss>,
}

/// Sums of calls with equal dimensions. A dimension is absent if it was not requested, or is not
/// known, such as the application of a call without a valid key.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageRow {
    /// Start of the minute; of calls older than 48 hours, of the hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    minute: Option<Time>,
    /// Start of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Time>,
    /// The API.
    #[serde(skip_serializing_if = "Option::is_none")]
    api: Option<Named<ApiId>>,
    /// The version.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<Named<VersionId>>,
    /// The operation, named by method and path.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<Named<OperationId>>,
    /// The calling application.
    #[serde(skip_serializing_if = "Option::is_none")]
    application: Option<Named<ApplicationId>>,
    /// The status sent to the clients; 0 if they disconnected before one was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// Why the gateway rejected the calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<RefusalCode>,
    /// What the cache of responses did for the calls; `none` also for calls without detail
    /// (`losses`).
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<CacheWord>,
    /// Number of calls.
    calls: u64,
    /// Body bytes received from the clients.
    bytes_in: u64,
    /// Body bytes sent to the clients.
    bytes_out: u64,
    /// Microseconds from the head's arrival to the last byte, summed over the calls.
    total_us_sum: u64,
    /// Microseconds from the head's arrival to the last byte, of the slowest call.
    total_us_max: u64,
    /// Microseconds to the upstream's first byte, summed over the calls.
    upstream_us_sum: u64,
    /// Number of calls with a SOAP message that contradicts itself or its contract: an action that
    /// names another operation than the body, a body with an operation's name in another namespace,
    /// a response that its types do not allow or with names in other namespaces.
    mismatched: u64,
    /// Number of calls that were admitted although they exceeded a limit: the amount of a soft one,
    /// or one that only observes.
    over: u64,
    /// Microseconds spent running steps of policies, summed over the calls; of each call at most
    /// 65,535.
    mediate_us_sum: u64,
    /// What answered the calls.
    answered: UsageAnswered,
    /// Share of calls that the cache of responses answered (`hit`, `stale`, `revalidated`) among
    /// those and the calls for which it had no response (`miss`), between 0 and 1; null if there
    /// are none of these.
    #[schema(required)]
    cache_rate: Option<f64>,
    /// Body bytes sent to the clients from the cache of responses (`hit`, `stale`, `revalidated`).
    bytes_from_cache: u64,
}

/// Numbers of calls by what answered them. Their sum is `calls`, except for calls of releases
/// without these numbers and calls without detail (`losses`).
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageAnswered {
    /// Number of calls that the upstream answered, whether policies changed its response or not.
    upstream: u64,
    /// Number of calls that a step `respond` answered in place of the upstream.
    policy: u64,
    /// Number of calls that a step `mock` answered in place of the upstream.
    mock: u64,
    /// Number of CORS preflights that the gateway allowed.
    preflight: u64,
    /// Number of other calls: rejected ones, in whatever form, requests for documents of the
    /// gateway, and calls that ended before a response began.
    gateway: u64,
}

/// An id with its name.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Named<I> {
    /// The id.
    id: I,
    /// The current name, or the last one of a deleted object; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl<I> Named<I> {
    /// Returns an id with its name, if known.
    pub(crate) const fn new(id: I, name: Option<String>) -> Self {
        Self { id, name }
    }
}

/// A loss of usage figures.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageLoss {
    /// Start of the time in which figures may be missing.
    from: Time,
    /// End of that time.
    to: Time,
    /// The reason.
    reason: LossReason,
    /// Number of calls without detail; absent if the number of missing calls is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
}

/// The reason for a loss of usage figures.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LossReason {
    /// The process ended without writing its figures.
    UncleanStop,
    /// Too many calls to record: they are counted, but without detail.
    RingFull,
    /// Writing failed for so long that memory was full.
    BacklogFull,
    /// The database was damaged and set aside: all earlier figures are in that file.
    Damaged,
    /// The database was missing: all earlier figures are lost.
    Missing,
    /// Single calls could not be written for so long that memory was full. They are counted.
    SpoolBehind,
    /// Files with single calls were damaged and set aside, or removed. The calls are counted.
    SpoolDamaged,
}

impl From<Reason> for LossReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::UncleanStop => Self::UncleanStop,
            Reason::RingFull => Self::RingFull,
            Reason::BacklogFull => Self::BacklogFull,
            Reason::Damaged => Self::Damaged,
            Reason::Missing => Self::Missing,
            Reason::SpoolBehind => Self::SpoolBehind,
            Reason::SpoolDamaged => Self::SpoolDamaged,
        }
    }
}

/// Get usage.
///
/// Counts calls in a time range, grouped by the dimensions in `group_by`: calls of one's own APIs
/// for publishers, calls by one's own applications, all for administrators.
#[utoipa::path(
    get, path = "/api/v1/usage", tag = "usage", params(UsageQuery),
    responses((status = 200, description = "The usage", body = UsageReport)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Query(query): Query<UsageQuery>,
) -> Result<Json<UsageReport>, Problem> {
    let mut question = Question::parse(query, control.now_us())?;
    question.narrow_to(&control, &caller).await?;
    let rows = control.usage.query(&question.query).await?;
    let losses = control.usage.losses().await?;
    let mut names = Names::new(&control.store);
    let mut shown = Vec::new();
    for row in rows {
        shown.push(show_row(row, question.step, &mut names).await?);
    }
    let (from_us, to_us) = (question.query.from_us, question.query.to_us);
    let losses = losses.into_iter();
    let losses = losses.filter(|loss| loss.from_us < to_us && loss.to_us > from_us);
    Ok(Json(UsageReport {
        from: Time(from_us),
        to: Time(to_us),
        group_by: question.group_by,
        step: question.step,
        rows: shown,
        losses: losses.map(UsageLoss::from).collect(),
    }))
}

async fn show_row(
    row: Row,
    step: Option<StepWord>,
    names: &mut Names<'_>,
) -> Result<UsageRow, Problem> {
    let time = row.time_us.map(Time);
    let mut shown = UsageRow {
        minute: time.filter(|_| step.is_none()),
        time: time.filter(|_| step.is_some()),
        api: None,
        version: None,
        operation: None,
        application: None,
        status: row.status,
        refusal: row.refusal.map(RefusalCode),
        cache: row.cache.map(CacheWord),
        calls: row.calls,
        bytes_in: row.bytes_in,
        bytes_out: row.bytes_out,
        total_us_sum: row.total_us_sum,
        total_us_max: row.total_us_max,
        upstream_us_sum: row.upstream_us_sum,
        mismatched: row.mismatched,
        over: row.over,
        mediate_us_sum: row.mediate_us_sum,
        answered: row.answered.into(),
        cache_rate: row.cached.rate(),
        bytes_from_cache: row.cached.bytes,
    };
    if let Some(id) = row.api {
        let name = names.api(id).await?;
        shown.api = Some(Named { id, name });
    }
    if let Some(id) = row.version {
        let name = names.version(id).await?;
        shown.version = Some(Named { id, name });
    }
    if let Some(id) = row.operation {
        let name = names.operation(id).await?;
        shown.operation = Some(Named { id, name });
    }
    if let Some(id) = row.application {
        let name = names.application(id).await?;
        shown.application = Some(Named { id, name });
    }
    Ok(shown)
}

/// 422 if the response would be too large, 503 if usage cannot be read now.
impl From<UsageError> for Problem {
    fn from(error: UsageError) -> Self {
        match &error {
            UsageError::TooManyRows => {
                let detail = format!("{error}; narrow the range, or group by less");
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                Self::new(status, "usage.too_many_rows", detail)
            }
            UsageError::Full => Self::unavailable("usage.full", &error),
            UsageError::Busy => Self::unavailable("usage.busy", &error),
            UsageError::Corrupt(_) | UsageError::Other(_) => Self::internal(&error),
        }
    }
}

impl From<AnsweredCalls> for UsageAnswered {
    fn from(calls: AnsweredCalls) -> Self {
        Self {
            upstream: calls.upstream,
            policy: calls.policy,
            mock: calls.mock,
            preflight: calls.preflight,
            gateway: calls.gateway,
        }
    }
}

impl From<Loss> for UsageLoss {
    fn from(loss: Loss) -> Self {
        Self {
            from: Time(loss.from_us),
            to: Time(loss.to_us),
            reason: loss.reason.into(),
            calls: loss.calls,
        }
    }
}

#[cfg(test)]
mod tests;
