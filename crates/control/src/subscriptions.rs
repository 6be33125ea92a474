//! Subscriptions: an application calls a version under a plan, and the API's owner decides whether
//! its calls pass.
//!
//! A subscription concerns two sides: the application's owner chooses the plan and ends it, the
//! API's owner sets the status; both see it, and administrators do everything.
//!
//! Neighbours: `model::subscription` has the statuses, the store keeps a block over unsubscribing.

mod wanted;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use tollgate_model::fault::Fault;
use tollgate_model::id::{ApplicationId, PlanId, SubscriptionId, VersionId};
use tollgate_model::subscription::Status;
use tollgate_model::user::Role;
use tollgate_store::StoreError;
use tollgate_store::subscriptions::{self as rows, NewSubscription, Of, Subscription};
use tollgate_store::versions::{self, Offer};

use crate::applications;
use crate::caller::Caller;
use crate::error::Problem;
use crate::json::Json;
use crate::may::{Act, may};
use crate::ownership::{self, own_version};
use crate::parameters::{List, Page, Path, Query};
use crate::plans;
use crate::state::Control;
use crate::time::Time;

use wanted::Wanted;

/// A subscription.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Subscription)]
pub(crate) struct SubscriptionBody {
    /// The subscription.
    id: SubscriptionId,
    /// Who calls.
    application: ApplicationId,
    /// What is called.
    version: VersionId,
    /// Under which plan.
    plan: PlanId,
    /// Whether its calls pass.
    status: Status,
    /// When made.
    created_at: Time,
}

/// A subscription to be.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WantedSubscription {
    /// Who will call: an application of the caller's.
    application: ApplicationId,
    /// What will be called: a published version.
    version: VersionId,
    /// Under which plan: the id or the name of one that the version offers.
    #[schema(example = "gold")]
    plan: String,
}

/// What is to change of a subscription; what is absent stays.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubscriptionPatch {
    /// Whether its calls pass; for the API's owner and administrators. `pending` cannot be given.
    status: Option<Status>,
    /// The id or the name of another plan that the version offers; for the application's owner.
    plan: Option<String>,
}

/// List subscriptions: of one's own applications and to one's own APIs; all for an administrator.
#[utoipa::path(
    get, path = "/api/v1/subscriptions", tag = "subscriptions", params(Wanted),
    responses((status = 200, description = "A page", body = List<SubscriptionBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Query(wanted): Query<Wanted>,
) -> Result<Json<List<SubscriptionBody>>, Problem> {
    let page = Page::new(wanted.limit, wanted.after);
    let limit = page.limit()?;
    let of = whose(&control, &caller, (wanted.application, wanted.version)).await?;
    let found = rows::list(&control.store, of, wanted.status, page.after()?, limit + 1).await?;
    Ok(Json(
        List::page(found, limit, |it| it.id).map(|it| show_body(&it)),
    ))
}

/// See a subscription.
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
    let subscription = live(&control, id).await?;
    require_seen(&control, &caller, &subscription).await?;
    Ok(Json(show_body(&subscription)))
}

/// Subscribe an application to a version under a plan.
///
/// Who unsubscribed while blocked is blocked again.
#[utoipa::path(
    post, path = "/api/v1/subscriptions", tag = "subscriptions",
    request_body = WantedSubscription,
    responses((status = 201, description = "The subscription", body = SubscriptionBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Json(wanted): Json<WantedSubscription>,
) -> Result<impl IntoResponse, Problem> {
    // What it is decided on is still true when it is written.
    let mut tx = caller.write(&control).await?;
    let own = applications::own(&control, &caller, wanted.application).await;
    own.map_err(|problem| at_field(problem, "/application"))?;
    let offer = ownership::version(&control, &caller, wanted.version).await;
    let (Offer { version, .. }, _) = offer.map_err(|problem| at_field(problem, "/version"))?;
    if !version.state.takes_subscriptions() {
        let detail = format!("a {} version takes no subscriptions", version.state.word());
        return Err(Problem::conflict("version.not_open", detail).blaming("/version"));
    }
    let new = NewSubscription {
        id: control.id()?,
        application: wanted.application,
        version: version.id,
        plan: offered(&control, version.id, &wanted.plan).await?,
        status: Status::Active,
        created_us: control.now_us(),
    };
    let subscription = rows::create(&mut tx, &new).await.map_err(exists)?;
    let committed = control.commit(tx).await?;
    caller.log("subscription.created", subscription.id);
    committed.in_force().await?;
    Ok((StatusCode::CREATED, Json(show_body(&subscription))))
}

/// Change a subscription: its status, its plan, or both.
///
/// The API's owner sets the status, the application's owner the plan. Acts at once: no call that
/// starts after the answer sees the old state.
#[utoipa::path(
    patch, path = "/api/v1/subscriptions/{subscription}", tag = "subscriptions",
    params(("subscription" = SubscriptionId, Path)), request_body = SubscriptionPatch,
    responses((status = 200, description = "The subscription now", body = SubscriptionBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<SubscriptionId>,
    Json(wanted): Json<SubscriptionPatch>,
) -> Result<Json<SubscriptionBody>, Problem> {
    let mut tx = caller.write(&control).await?;
    let mut subscription = live(&control, id).await?;
    require_changeable(&control, &caller, &subscription, &wanted).await?;
    if wanted.status == Some(Status::Pending) {
        let detail = "a decision is active, blocked, blocked_production or rejected";
        return Err(Fault::new("/status", "subscription.status", detail).into());
    }
    let plan = match &wanted.plan {
        Some(plan) => Some(offered(&control, subscription.version, plan).await?),
        None => None,
    };
    if let Some(status) = wanted.status {
        rows::set_status(&mut tx, id, status).await?;
        subscription.status = status;
    }
    if let Some(plan) = plan {
        rows::set_plan(&mut tx, id, plan).await?;
        subscription.plan = plan;
    }
    let committed = control.commit(tx).await?;
    if let Some(status) = wanted.status {
        caller.log(event(status), id);
    }
    if plan.is_some() {
        caller.log("subscription.plan_changed", id);
    }
    committed.in_force().await?;
    Ok(Json(show_body(&subscription)))
}

/// Unsubscribe.
#[utoipa::path(
    delete, path = "/api/v1/subscriptions/{subscription}", tag = "subscriptions",
    params(("subscription" = SubscriptionId, Path)),
    responses((status = 204, description = "The subscription has ended")),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<SubscriptionId>,
) -> Result<StatusCode, Problem> {
    let subscription = live(&control, id).await?;
    require_own(&control, &caller, &subscription).await?;
    let mut tx = caller.write(&control).await?;
    rows::end(&mut tx, id, control.now_us()).await?;
    let committed = control.commit(tx).await?;
    caller.log("subscription.ended", id);
    committed.in_force().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The subscription, unless it has ended: then it is nobody's any more.
async fn live(control: &Control, id: SubscriptionId) -> Result<Subscription, Problem> {
    let subscription = rows::by_id(&control.store, id).await?;
    match subscription.ended_us {
        None => Ok(subscription),
        Some(_) => Err(StoreError::NotFound("subscription").into()),
    }
}

async fn require_own(
    control: &Control,
    caller: &Caller,
    subscription: &Subscription,
) -> Result<(), Problem> {
    let application = subscription.application;
    applications::require_own(control, caller, application, "subscription").await
}

/// Which subscriptions a caller sees who asks for those of an application, of a version, or all.
async fn whose(
    control: &Control,
    caller: &Caller,
    wanted: (Option<ApplicationId>, Option<VersionId>),
) -> Result<Of, Problem> {
    let publisher = may(&caller.roles, Act::DecideSubscriptions).then_some(caller.user);
    match wanted {
        (Some(_), Some(_)) => {
            let detail = "ask for an application or for a version, not for both";
            let status = StatusCode::BAD_REQUEST;
            Err(Problem::new(status, "query.invalid", detail))
        }
        (Some(application), None) => {
            let own = applications::own(control, caller, application).await;
            match (own, publisher) {
                (Ok(_), _) => Ok(Of::Application(application)),
                // Whether there is such an application at all is not told.
                (Err(problem), Some(publisher)) if problem.status() == StatusCode::NOT_FOUND => {
                    Ok(Of::Between(application, publisher))
                }
                (Err(problem), _) => Err(problem),
            }
        }
        (None, Some(version)) => {
            caller.may(Act::DecideSubscriptions)?;
            own_version(control, caller, version).await?;
            Ok(Of::Version(version))
        }
        (None, None) if caller.is(Role::Administrator) => Ok(Of::All),
        (None, None) => Ok(Of::Concerning {
            consumer: may(&caller.roles, Act::Subscribe).then_some(caller.user),
            publisher,
        }),
    }
}

/// Asks whether the caller may make these changes.
async fn require_changeable(
    control: &Control,
    caller: &Caller,
    subscription: &Subscription,
    wanted: &SubscriptionPatch,
) -> Result<(), Problem> {
    if wanted.plan.is_some() || !may(&caller.roles, Act::DecideSubscriptions) {
        require_own(control, caller, subscription).await?;
    }
    if wanted.status.is_some() {
        caller.may(Act::DecideSubscriptions)?;
        require_own_api(control, caller, subscription).await?;
    }
    require_seen(control, caller, subscription).await
}

/// Asks whether the subscription is of an application or to an API of the caller's.
async fn require_seen(
    control: &Control,
    caller: &Caller,
    subscription: &Subscription,
) -> Result<(), Problem> {
    match require_own(control, caller, subscription).await {
        Err(_) if may(&caller.roles, Act::DecideSubscriptions) => {
            require_own_api(control, caller, subscription).await
        }
        own => own,
    }
}

/// Asks whether the subscription is to an API of the caller's. Where it is not and the API is not
/// in the catalogue, there is no such subscription either.
async fn require_own_api(
    control: &Control,
    caller: &Caller,
    subscription: &Subscription,
) -> Result<(), Problem> {
    match own_version(control, caller, subscription.version).await {
        Ok(_) => Ok(()),
        Err(problem) if problem.status() == StatusCode::NOT_FOUND => {
            Err(Problem::unknown("subscription"))
        }
        Err(problem) => Err(problem),
    }
}

/// What the log calls a decision.
const fn event(status: Status) -> &'static str {
    match status {
        Status::Pending => "subscription.pending",
        Status::Active => "subscription.active",
        Status::Blocked => "subscription.blocked",
        Status::BlockedProduction => "subscription.blocked_production",
        Status::Rejected => "subscription.rejected",
    }
}

/// What a caller is told when a subscription cannot be made; 409 `subscription.exists` where the
/// application has a live one of the version.
pub(crate) fn exists(error: StoreError) -> Problem {
    match error {
        StoreError::Taken { field, what } => {
            Problem::conflict("subscription.exists", what).blaming(field)
        }
        error => error.into(),
    }
}

/// The plan of this id or name among those that the version offers.
async fn offered(control: &Control, version: VersionId, plan: &str) -> Result<PlanId, Problem> {
    let offers = versions::plans(&control.store, version).await?;
    let found = plans::find(&control.store, plan).await?.map(|plan| plan.id);
    let offered = found.filter(|id| offers.iter().any(|it| it.id == *id));
    offered.ok_or_else(|| {
        let names: Vec<_> = offers.iter().map(|it| it.name.as_str()).collect();
        let detail = format!("the version offers {}", names.join(", "));
        Problem::conflict("plan.not_offered", detail).blaming("/plan")
    })
}

/// What the body names is not there: that is a fault of the field, not of the path.
fn at_field(problem: Problem, field: &str) -> Problem {
    if problem.status() != StatusCode::NOT_FOUND {
        return problem;
    }
    problem.into_fault(field)
}

fn show_body(subscription: &Subscription) -> SubscriptionBody {
    SubscriptionBody {
        id: subscription.id,
        application: subscription.application,
        version: subscription.version,
        plan: subscription.plan,
        status: subscription.status,
        created_at: Time(subscription.created_us),
    }
}

#[cfg(test)]
mod tests;
