//! Subscriptions: an application calls a version under a plan, and the API's owner decides whether
//! its calls are allowed.
//!
//! A subscription has two sides: the application's owner chooses the plan and ends it, the API's
//! owner sets the status and grants scopes by approval (`subscriptions/scopes.rs`); both see it,
//! and administrators may do everything. After a rejection, the application's owner may request it
//! again: it is pending until the API's owner decides.
//!
//! Neighbours: `model::subscription` has the statuses and which may follow; the store keeps a block
//! after unsubscribing.

mod access;
mod filter;
pub(crate) mod scopes;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::fault::Fault;
use tollgate_model::id::{ApiId, ApplicationId, PlanId, SubscriptionId, UserId, VersionId};
use tollgate_model::lifecycle::State as Stage;
use tollgate_model::subscription::Status;
use tollgate_store::StoreError;
use tollgate_store::subscriptions::{self as rows, Named, NewSubscription, Subscription};
use tollgate_store::versions::{self, Offer, Version};

use crate::applications;
use crate::caller::Caller;
use crate::deprecation::DeprecationBody;
use crate::error::{Problem, refuse_any};
use crate::impact::{self, DryRun, Impact, Touched};
use crate::json::Json;
use crate::ownership;
use crate::parameters::{Find, List, Listed, Path, Query};
use crate::plans;
use crate::state::Control;
use crate::text::text_fault;
use crate::time::Time;

pub(crate) use access::concerning;
use access::{
    live, require_changeable, require_next, require_own, require_seen, require_subscriber, seen_by,
};
use filter::SubscriptionFilter;

/// Maximum number of characters of a reason.
const REASON_MAX: usize = 1_000;

/// A subscription.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Subscription)]
pub(crate) struct SubscriptionBody {
    /// The subscription's id.
    id: SubscriptionId,
    /// The calling application.
    application: ApplicationId,
    /// The application's name.
    application_name: String,
    /// The application's owner.
    owner: UserId,
    /// The owner's name.
    owner_name: String,
    /// The API of the version.
    api: ApiId,
    /// The API's name.
    api_name: String,
    /// The version that may be called.
    version: VersionId,
    /// The version's name.
    #[schema(example = "1.0")]
    version_name: String,
    /// The version's state.
    version_state: Stage,
    /// The version's deprecation; absent unless it is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<DeprecationBody>,
    /// The plan.
    plan: PlanId,
    /// The plan's name.
    plan_name: String,
    /// The plan's title; empty if it has none.
    plan_title: String,
    /// The status, which determines whether calls are allowed.
    status: Status,
    /// Reason for the status, written by the user who decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The scopes by approval that the API's owner has granted.
    scopes: Vec<String>,
    /// Time of creation.
    created_at: Time,
}

/// A subscription to create.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WantedSubscription {
    /// The application that calls: one of your own, or any for an administrator.
    application: ApplicationId,
    /// The version to call, which must be published.
    version: VersionId,
    /// Id or name of a plan that the version offers.
    #[schema(example = "gold")]
    plan: String,
}

/// Changes of a subscription; absent fields stay unchanged.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubscriptionPatch {
    /// The status; for the API's owner and administrators. `pending` requests a rejected
    /// subscription again; for the application's owner.
    status: Option<Status>,
    /// Reason for the status, shown to the application's owner: at most 1,000 characters, only
    /// together with a status. Each decision has its own reason, or none.
    reason: Option<String>,
    /// Id or name of another plan that the version offers; for the application's owner.
    plan: Option<String>,
}

/// List subscriptions: of one's own applications and to one's own APIs; all for an administrator.
#[utoipa::path(
    get, path = "/api/v1/subscriptions", tag = "subscriptions", params(Find, SubscriptionFilter),
    responses((status = 200, description = "A page", body = List<SubscriptionBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Listed(find, filter): Listed<SubscriptionFilter>,
) -> Result<Json<List<SubscriptionBody>>, Problem> {
    let seen_by = seen_by(&control, &caller, &filter).await?;
    let pattern = find.pattern()?;
    let query = rows::Wanted {
        seen_by,
        application: filter.application,
        version: filter.version,
        api: filter.api,
        plan: filter.plan,
        status: filter.status,
        pattern: pattern.as_deref(),
    };
    let found = rows::find(&control.store, query, &find.part()?).await?;
    let page = find.page(found, |it| (it.subscription.id, &it.application_name));
    Ok(Json(page.map(show_body)))
}

/// Get a subscription.
#[utoipa::path(
    get, path = "/api/v1/subscriptions/{subscription}", tag = "subscriptions",
    params(("subscription" = SubscriptionId, Path)),
    responses((status = 200, description = "The subscription", body = SubscriptionBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<SubscriptionId>,
) -> Result<Json<SubscriptionBody>, Problem> {
    let named = rows::named(&control.store, id).await?;
    require_seen(&control, &caller, &named.subscription).await?;
    Ok(Json(show_body(named)))
}

/// Subscribe an application to a version under a plan.
///
/// Developers may subscribe to every version in the catalogue that accepts subscriptions;
/// publishers who are not developers only to versions of their own APIs, otherwise 403
/// `api.not_owner`.
///
/// An application that unsubscribed while blocked is blocked again; after a subscription that was
/// rejected or pending, the new one is pending. If the application has a rejected one, that is
/// requested again: it becomes pending, under this plan, and the response is 200.
#[utoipa::path(
    post, path = "/api/v1/subscriptions", tag = "subscriptions",
    request_body = WantedSubscription,
    responses(
        (status = 200, description = "The subscription, requested again", body = SubscriptionBody),
        (status = 201, description = "The new subscription", body = SubscriptionBody),
    ),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Json(body): Json<WantedSubscription>,
) -> Result<impl IntoResponse, Problem> {
    // Read inside the write, so that the decision is still valid when it is written.
    let mut tx = caller.change(&control).await?;
    let own = applications::own(&control, &caller, body.application).await;
    own.map_err(|problem| at_field(problem, "/application"))?;
    let offer = ownership::version(&control, &caller, body.version).await;
    let (Offer { version, .. }, _) = offer.map_err(|problem| at_field(problem, "/version"))?;
    let may = require_subscriber(&control, &caller, version.id).await;
    may.map_err(|problem| problem.blaming("/version"))?;
    require_open(&version).map_err(|problem| problem.blaming("/version"))?;
    let plan = offered(&control, version.id, &body.plan).await?;
    let live = rows::live(&control.store, body.application, version.id).await?;
    let rejected = live.filter(|it| it.status == Status::Rejected);
    let (status, id) = match &rejected {
        Some(Subscription { id, .. }) => {
            rows::set_status(&mut tx, *id, Status::Pending, None).await?;
            rows::set_plan(&mut tx, *id, plan).await?;
            (StatusCode::OK, *id)
        }
        None => {
            let new = NewSubscription {
                id: control.id()?,
                application: body.application,
                version: version.id,
                plan,
                status: Status::Active,
                reason: None,
                created_us: control.now_us(),
                scopes: Vec::new(),
            };
            let created = rows::create(&mut tx, &new).await.map_err(exists)?;
            (StatusCode::CREATED, created.id)
        }
    };
    tx.commit(|| match rejected {
        Some(_) => caller.log(event(Status::Pending), id),
        None => caller.log("subscription.created", id),
    })
    .await?;
    let named = rows::named(&control.store, id).await?;
    Ok((status, Json(show_body(named))))
}

/// Change a subscription: its status, its plan, or both.
///
/// The application's owner sets the plan, and requests a rejected subscription again with the
/// status `pending`. The API's owner decides: `pending` may become `active` or `rejected`,
/// `rejected` may become `active`; `active`, `blocked` and `blocked_production` may become one
/// another. Any other status is 409 `subscription.status`. Takes effect at once: no call that
/// starts after the response sees the old state.
#[utoipa::path(
    patch, path = "/api/v1/subscriptions/{subscription}", tag = "subscriptions",
    params(("subscription" = SubscriptionId, Path)), request_body = SubscriptionPatch,
    responses((status = 200, description = "The changed subscription", body = SubscriptionBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<SubscriptionId>,
    Json(body): Json<SubscriptionPatch>,
) -> Result<Json<SubscriptionBody>, Problem> {
    let mut tx = caller.change(&control).await?;
    let subscription = live(&control, id).await?;
    require_changeable(&control, &caller, &subscription, &body).await?;
    refuse_any(body.faults())?;
    if let Some(status) = body.status {
        require_next(&control, &caller, &subscription, status).await?;
    }
    let plan = match &body.plan {
        Some(plan) => Some(offered(&control, subscription.version, plan).await?),
        None => None,
    };
    if let Some(status) = body.status {
        rows::set_status(&mut tx, id, status, body.reason.as_deref()).await?;
    }
    if let Some(plan) = plan {
        rows::set_plan(&mut tx, id, plan).await?;
    }
    tx.commit(|| {
        if let Some(status) = body.status {
            let reason = body.reason.as_deref().unwrap_or_default();
            caller.log_because(event(status), id, reason);
        }
        if plan.is_some() {
            caller.log("subscription.plan_changed", id);
        }
    })
    .await?;
    Ok(Json(show_body(rows::named(&control.store, id).await?)))
}

/// Unsubscribe.
#[utoipa::path(
    delete, path = "/api/v1/subscriptions/{subscription}", tag = "subscriptions",
    params(("subscription" = SubscriptionId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "The subscription has ended"),
    ),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<SubscriptionId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    let subscription = live(&control, id).await?;
    require_own(&control, &caller, &subscription).await?;
    let mut tx = caller.change(&control).await?;
    rows::end(&mut tx, id, control.now_us()).await?;
    if dry_run {
        return impact::instead(tx, Touched::Subscription(id)).await;
    }
    tx.commit(|| caller.log("subscription.ended", id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

impl SubscriptionPatch {
    /// Returns all faults of the changes.
    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some(reason) = &self.reason {
            faults.extend(text_fault("/reason", reason, REASON_MAX));
            if self.status.is_none() {
                let detail = "a reason needs a status";
                faults.push(Fault::new("/reason", "subscription.reason", detail));
            }
        }
        faults
    }
}

/// Checks that a version accepts subscriptions: 409 `version.not_open` otherwise.
fn require_open(version: &Version) -> Result<(), Problem> {
    if version.state.takes_subscriptions() {
        return Ok(());
    }
    let state = version.state.word();
    let detail = format!("a {state} version does not accept subscriptions");
    Err(Problem::conflict("version.not_open", detail))
}

/// Returns the log event of a status.
const fn event(status: Status) -> &'static str {
    match status {
        Status::Pending => "subscription.pending",
        Status::Active => "subscription.active",
        Status::Blocked => "subscription.blocked",
        Status::BlockedProduction => "subscription.blocked_production",
        Status::Rejected => "subscription.rejected",
    }
}

/// Returns the problem if a subscription cannot be created: 409 `subscription.exists` if the
/// application already has a live one to the version.
pub(crate) fn exists(error: StoreError) -> Problem {
    match error {
        StoreError::Taken { field, what } => {
            Problem::conflict("subscription.exists", what).blaming(field)
        }
        error => error.into(),
    }
}

/// Returns the plan with this id or name among those that the version offers.
async fn offered(control: &Control, version: VersionId, plan: &str) -> Result<PlanId, Problem> {
    let offers = versions::plans(&control.store, version).await?;
    let found = plans::by_id_or_name(&control.store, plan)
        .await?
        .map(|plan| plan.id);
    let offered = found.filter(|id| offers.iter().any(|it| it.id == *id));
    offered.ok_or_else(|| {
        let names: Vec<_> = offers.iter().map(|it| it.name.as_str()).collect();
        let detail = format!("the version offers {}", names.join(", "));
        Problem::conflict("plan.not_offered", detail).blaming("/plan")
    })
}

/// Turns a 404 about an object that the body names into a fault of the field.
fn at_field(problem: Problem, field: &str) -> Problem {
    if problem.status() != StatusCode::NOT_FOUND {
        return problem;
    }
    problem.into_fault(field)
}

fn show_body(named: Named) -> SubscriptionBody {
    let subscription = named.subscription;
    SubscriptionBody {
        id: subscription.id,
        application: subscription.application,
        application_name: named.application_name,
        owner: named.owner,
        owner_name: named.owner_name,
        api: named.api,
        api_name: named.api_name,
        version: subscription.version,
        version_name: named.version_name,
        version_state: named.version_state,
        deprecation: DeprecationBody::announced(named.deprecation),
        plan: subscription.plan,
        plan_name: named.plan_name,
        plan_title: named.plan_title,
        status: subscription.status,
        reason: subscription.reason,
        scopes: subscription.scopes,
        created_at: Time(subscription.created_us),
    }
}

#[cfg(test)]
mod tests;
