//! A single call, explained: what each step decided, and the limit or the step of a policy that
//! refused it.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use tollgate_analytics::{Call, Loss};
use tollgate_model::id::RevisionId;
use tollgate_model::record::{Owner, Record};
use tollgate_store::{StoreError, applications, revisions};

use super::call::UsageCall;
use super::limit::{self, CallLimit};
use super::names::Names;
use super::seer::Seer;
use super::steps::{self, CallStep};
use super::words::DAY_US;
use crate::caller::Caller;
use crate::error::Problem;
use crate::json::Json;
use crate::parameters::Path;
use crate::state::Control;

/// How long single calls are kept.
const KEPT_US: i64 = 7 * DAY_US;

/// A single call with what each step decided.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ExplainedCall {
    #[serde(flatten)]
    call: UsageCall,
    /// The steps that the call passed, in their order; the last ones are where its response came
    /// from, or where it was rejected or cut off.
    steps: Vec<CallStep>,
    /// The revision that served it; absent unless one owns the API or is an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<CallRevision>,
    /// The limit that rejected it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<CallLimit>,
    /// The step of a policy that rejected it, if one did; absent unless one owns the API or is an
    /// administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<CallPolicy>,
}

/// A revision that served a call.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CallRevision {
    /// Its id.
    id: RevisionId,
    /// Its number; absent once it is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<i64>,
}

/// A step of a policy.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CallPolicy {
    /// The list that it is in.
    list: PolicyList,
    /// Its index there, as the operation of the call has the list.
    index: u16,
}

/// A list of steps of policies.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PolicyList {
    /// Steps of requests.
    Request,
    /// Steps of responses.
    Response,
}

/// Explain a call.
///
/// Finds a call of the last seven days by its request id, with what each step of the gateway
/// decided. Visible to the owner of the calling application, the owner of the API and
/// administrators.
#[utoipa::path(
    get, path = "/api/v1/usage/calls/{id}", tag = "usage", operation_id = "explain_call",
    params(("id" = String, Path, description = "The request id, as in `X-Request-Id`: 32 \
        hexadecimal digits", example = "8b3c1f2d4e5a69788796a5b4c3d2e1f0")),
    responses((status = 200, description = "The call", body = ExplainedCall)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<ExplainedCall>, Problem> {
    let id = request_id(&id)?;
    let mut seer = Seer::new(&control, &caller);
    let Some(call) = control.usage.call(id).await? else {
        return Err(missing(&control, id).await?);
    };
    let record = &call.record;
    let detail = seer.detail(&call).await?;
    if !detail.has_upstream && !owns_application(&control, &caller, record).await? {
        return Err(missing(&control, id).await?);
    }
    let mut names = Names::new(&control.store);
    Ok(Json(ExplainedCall {
        call: UsageCall::of(&call, detail, &mut names).await?,
        steps: steps::of(record, detail.has_upstream),
        revision: match record.revision.filter(|_| detail.has_upstream) {
            Some(id) => Some(revision(&control, id).await?),
            None => None,
        },
        limit: limit::of(&control.store, record, detail.has_upstream).await?,
        policy: policy(&call).filter(|_| detail.has_upstream),
    }))
}

/// Reads a request id, in digits of either case.
///
/// # Errors
/// 404 `path.unknown`.
fn request_id(text: &str) -> Result<u128, Problem> {
    let is_ours = text.len() == 32 && text.bytes().all(|it| it.is_ascii_hexdigit());
    let id = u128::from_str_radix(text, 16).ok().filter(|_| is_ours);
    id.ok_or_else(|| {
        let detail = "id: a request id has 32 hexadecimal digits";
        Problem::new(StatusCode::NOT_FOUND, "path.unknown", detail)
    })
}

/// The problem of a call that is not found, or that the caller may not see.
async fn missing(control: &Control, id: u128) -> Result<Problem, Problem> {
    let since_us = control.now_us() - KEPT_US;
    let losses = control.usage.losses().await?;
    let losses = losses.into_iter().filter(|loss| loss.to_us > since_us);
    let lost = lost(&losses.collect::<Vec<_>>());
    if control.usage.is_recording(id) {
        let detail = format!(
            "no call with this id has ended: it is in progress, or you may not access it{lost}"
        );
        return Ok(Problem::new(StatusCode::NOT_FOUND, "usage.not_yet", detail));
    }
    let detail = format!(
        "no call with this id is among those of the last seven days that you may access{lost}"
    );
    Ok(Problem::new(StatusCode::NOT_FOUND, "call.unknown", detail))
}

/// Names the losses among which a call may be.
fn lost(losses: &[Loss]) -> String {
    let (Some(first), Some(last)) = (losses.first(), losses.last()) else {
        return String::new();
    };
    let [from, to] = [first.from_us, last.to_us].map(|us| {
        let time = jiff::Timestamp::from_microsecond(us).unwrap_or_default();
        time.strftime("%Y-%m-%dT%H:%MZ").to_string()
    });
    format!("; details of calls between {from} and {to} were lost, see GET /api/v1/usage/health")
}

async fn owns_application(
    control: &Control,
    caller: &Caller,
    record: &Record,
) -> Result<bool, Problem> {
    let Some(id) = record.application else {
        return Ok(false);
    };
    match applications::by_id(&control.store, id).await {
        Ok(application) => Ok(application.owner == caller.user),
        Err(StoreError::NotFound(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

async fn revision(control: &Control, id: RevisionId) -> Result<CallRevision, Problem> {
    let number = match revisions::by_id(&control.store, id).await {
        Ok((revision, _)) => Some(revision.number),
        Err(StoreError::NotFound(_)) => None,
        Err(error) => return Err(error.into()),
    };
    Ok(CallRevision { id, number })
}

fn policy(call: &Call) -> Option<CallPolicy> {
    let by = call.record.refused_by?;
    let list = match by.owner() {
        Owner::Request => PolicyList::Request,
        Owner::Response => PolicyList::Response,
        _ => return None,
    };
    Some(CallPolicy {
        list,
        index: by.index(),
    })
}
