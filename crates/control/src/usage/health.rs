//! The health of usage: the time until which calls are counted, failures to write, known losses.

use axum::extract::State;
use serde::Serialize;
use tollgate_model::user::Role;

use super::UsageLoss;
use crate::caller::Caller;
use crate::error::Problem;
use crate::json::Json;
use crate::state::Control;
use crate::time::Time;

/// Maximum number of losses in a response: the latest.
const LOSSES_MAX: usize = 100;

/// The health of usage.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct UsageHealth {
    /// Until when all calls are counted.
    complete_until: Time,
    /// Time since which figures cannot be written, while they cannot; they are kept in memory
    /// meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_since: Option<Time>,
    /// Known losses, oldest first: the last 100.
    losses: Vec<UsageLoss>,
    /// Single calls since the process started; absent unless one is an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    single_calls: Option<SingleCalls>,
}

/// Single calls since the process started. Every call that was taken is stored, waiting or lost.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SingleCalls {
    /// Number of calls handed over to be stored. Those that found a full queue of records are not
    /// among them; they are in `losses`.
    taken: u64,
    /// Number of those written to files, also to files that were removed since.
    stored: u64,
    /// Number of those in memory that wait for a file.
    waiting: u64,
    /// Number of those that found no room in memory, or could not be written before the process
    /// stopped. They are counted in all figures that need no single calls.
    lost: u64,
    /// Whether files cannot be written now.
    is_failing: bool,
    /// Bytes of the files, also of calls before the process started.
    bytes: u64,
    /// Arrival of the first call that is kept; absent without calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<Time>,
}

/// Get the health of usage.
///
/// States until when calls are counted, and known losses. Administrators also get the numbers of
/// single calls that are stored, wait or are lost.
#[utoipa::path(
    get, path = "/api/v1/usage/health", tag = "usage", operation_id = "health",
    responses((status = 200, description = "The health", body = UsageHealth)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
) -> Result<Json<UsageHealth>, Problem> {
    let losses = control.usage.losses().await?;
    let earlier = losses.len().saturating_sub(LOSSES_MAX);
    let single_calls = match caller.is(Role::Administrator) {
        true => Some(single_calls(&control).await?),
        false => None,
    };
    Ok(Json(UsageHealth {
        complete_until: Time(control.usage.complete_until_us()),
        failing_since: control.usage.condition().failing_since_us.map(Time),
        losses: losses
            .into_iter()
            .skip(earlier)
            .map(UsageLoss::from)
            .collect(),
        single_calls,
    }))
}

async fn single_calls(control: &Control) -> Result<SingleCalls, Problem> {
    let account = control.usage.spooled();
    let (bytes, since_us) = control.usage.spool_extent().await?;
    Ok(SingleCalls {
        taken: account.taken,
        stored: account.stored,
        waiting: account.waiting,
        lost: account.lost,
        is_failing: account.is_failing,
        bytes,
        since: since_us.map(Time),
    })
}
