//! The plans that a version offers to subscribers, in display order.

use axum::extract::State;
use serde::Serialize;
use tollgate_model::fault::Fault;
use tollgate_model::id::{PlanId, VersionId};
use tollgate_model::plan::{ANONYMOUS, Limit};
use tollgate_store::plans::Plan;
use tollgate_store::versions::{self, Offer};
use tollgate_store::{Store, StoreError};

use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::json::Json;
use crate::ownership::{self, own_version};
use crate::parameters::Path;
use crate::plans::by_id_or_name;
use crate::state::Control;

/// Maximum number of plans that a version may offer.
const PLANS_MAX: usize = 100;

/// A plan, as subscribers who may choose it see it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct OfferedPlan {
    /// The plan's id.
    id: PlanId,
    /// The plan's name.
    name: String,
    /// One-line title.
    title: String,
    /// Description.
    description: String,
    /// Limits; all of them apply, so the strictest one wins.
    limits: Vec<Limit>,
    /// True for a plan without limits, and only then.
    unlimited: bool,
    /// Whether calls that fail count.
    count_failures: bool,
    /// Whether the API's owner must approve each subscription before its calls are allowed; no plan
    /// of this release requires it.
    needs_approval: bool,
}

/// List the plans that a version offers.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/plans", tag = "offers",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The plans in order", body = Vec<OfferedPlan>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Json<Vec<OfferedPlan>>, Problem> {
    ownership::version(&control, &caller, id).await?;
    Ok(Json(offered(&control.store, id).await?))
}

/// Set the plans that a version offers.
///
/// For the API's owner and administrators. The body lists ids or names. Subscriptions with a plan
/// that is no longer offered continue. The plan `anonymous` cannot be offered: it applies to all
/// calls without a credential anyway.
#[utoipa::path(
    put, path = "/api/v1/versions/{version}/plans", tag = "offers",
    request_body = Vec<String>, params(("version" = VersionId, Path)),
    responses((status = 200, description = "The new plans", body = Vec<OfferedPlan>)),
)]
pub(crate) async fn replace(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Json(names): Json<Vec<String>>,
) -> Result<Json<Vec<OfferedPlan>>, Problem> {
    if names.len() > PLANS_MAX {
        let detail = format!("a version offers at most {PLANS_MAX} plans");
        return Err(Problem::at("", "version.plans", detail));
    }
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    if names.is_empty() && version.state.takes_subscriptions() {
        let detail = "a published version offers at least one plan";
        return Err(Problem::conflict("version.no_plan", detail));
    }
    let plans = resolve(&control.store, &names).await?;
    versions::set_plans(&mut tx, id, &plans).await?;
    tx.commit(|| caller.log("version.plans_changed", id))
        .await?;
    Ok(Json(offered(&control.store, id).await?))
}

/// Returns the plans that a version offers, as others see them.
pub(crate) async fn offered(
    store: &Store,
    version: VersionId,
) -> Result<Vec<OfferedPlan>, StoreError> {
    let plans = versions::plans(store, version).await?;
    let plans = plans.into_iter().filter(may_be_offered);
    Ok(plans.map(show_body).collect())
}

/// Returns whether subscriptions may have a plan. Earlier releases let versions offer any.
pub(crate) fn may_be_offered(plan: &Plan) -> bool {
    plan.name != ANONYMOUS
}

/// Returns the plans with these ids or names, or a fault for each that is unknown, repeated or not
/// to be offered.
async fn resolve(store: &Store, names: &[String]) -> Result<Vec<PlanId>, Problem> {
    let mut ids = Vec::new();
    let mut faults = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let field = format!("/{index}");
        match by_id_or_name(store, name).await? {
            None => {
                let detail = format!("there is no plan {name:?}");
                faults.push(Fault::new(field, "plan.unknown", detail));
            }
            Some(plan) if !may_be_offered(&plan) => {
                let detail = "subscriptions cannot have the plan of calls without a credential";
                faults.push(Fault::new(field, "plan.anonymous", detail));
            }
            Some(plan) if ids.contains(&plan.id) => {
                let detail = format!("{name:?} is named twice");
                faults.push(Fault::new(field, "plan.repeated", detail));
            }
            Some(plan) => ids.push(plan.id),
        }
    }
    refuse_any(faults)?;
    Ok(ids)
}

pub(crate) fn show_body(plan: Plan) -> OfferedPlan {
    OfferedPlan {
        id: plan.id,
        name: plan.name,
        title: plan.title,
        description: plan.description,
        limits: plan.terms.limits,
        unlimited: plan.terms.unlimited,
        count_failures: plan.terms.count_failures,
        needs_approval: false,
    }
}
