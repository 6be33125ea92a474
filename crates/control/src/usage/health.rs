//! Whether usage is whole: until when calls are counted, whether they are being written, what is
//! lost.

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

/// Whether usage is whole.
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
    /// The single calls; absent unless one is an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<SingleCalls>,
}

/// The single calls. Every call that was taken is stored, waiting or lost.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SingleCalls {
    /// Number of calls since the process started.
    taken: u64,
    /// Number of those in files.
    stored: u64,
    /// Number of those in memory that wait for a file.
    waiting: u64,
    /// Number of those that found no room in memory while files could not be written. They are
    /// counted in all figures that need no single calls.
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
/// States until when calls are counted, and known losses. Administrators also see what became of
/// the single calls.
#[utoipa::path(
    get, path = "/api/v1/usage/health", tag = "usage",
    responses((status = 200, description = "The health", body = UsageHealth)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
) -> Result<Json<UsageHealth>, Problem> {
    let losses = control.usage.losses().await?;
    let earlier = losses.len().saturating_sub(LOSSES_MAX);
    let calls = match caller.is(Role::Administrator) {
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
        calls,
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
