//! The plans that a version offers to subscribers, in the order in which they are shown.

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

/// Plans that one version may offer.
const PLANS_MAX: usize = 100;

/// A plan, as those see it who may choose it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct OfferedPlan {
    /// The plan.
    id: PlanId,
    /// Its name.
    name: String,
    /// One line for people.
    title: String,
    /// For people.
    description: String,
    /// All must pass; the strictest wins.
    limits: Vec<Limit>,
    /// Said on purpose where a plan has no limits.
    unlimited: bool,
    /// Whether the API's owner decides on each subscription before its calls pass; no plan of this
    /// release asks for it.
    needs_approval: bool,
}

/// List the plans that a version offers.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/plans", tag = "offers",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The plans in their order", body = Vec<OfferedPlan>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Json<Vec<OfferedPlan>>, Problem> {
    ownership::version(&control, &caller, id).await?;
    Ok(Json(offered(&control.store, id).await?))
}

/// Say which plans a version offers.
///
/// For the API's owner and administrators. The body lists ids or names. Subscriptions under a plan
/// that is not offered any more go on. The plan `anonymous` is not offered: calls without a
/// credential are held to it anyway.
#[utoipa::path(
    put, path = "/api/v1/versions/{version}/plans", tag = "offers",
    request_body = Vec<String>, params(("version" = VersionId, Path)),
    responses((status = 200, description = "The plans now", body = Vec<OfferedPlan>)),
)]
pub(crate) async fn replace(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Json(wanted): Json<Vec<String>>,
) -> Result<Json<Vec<OfferedPlan>>, Problem> {
    if wanted.len() > PLANS_MAX {
        let detail = format!("a version offers at most {PLANS_MAX} plans");
        return Err(Problem::at("", "version.plans", detail));
    }
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    if wanted.is_empty() && version.state.takes_subscriptions() {
        let detail = "a published version offers at least one plan";
        return Err(Problem::conflict("version.no_plan", detail));
    }
    let plans = resolve(&control.store, &wanted).await?;
    versions::set_plans(&mut tx, id, &plans).await?;
    tx.commit(|| caller.log("version.plans_changed", id))
        .await?;
    Ok(Json(offered(&control.store, id).await?))
}

/// The plans that a version offers, as others see them.
pub(crate) async fn offered(
    store: &Store,
    version: VersionId,
) -> Result<Vec<OfferedPlan>, StoreError> {
    let plans = versions::plans(store, version).await?;
    let plans = plans.into_iter().filter(may_be_offered);
    Ok(plans.map(show_body).collect())
}

/// Whether subscriptions may be under a plan. Earlier releases let versions offer any.
pub(crate) fn may_be_offered(plan: &Plan) -> bool {
    plan.name != ANONYMOUS
}

/// The plans of ids or names, or all that are unknown, named twice or not to be offered.
async fn resolve(store: &Store, wanted: &[String]) -> Result<Vec<PlanId>, Problem> {
    let mut ids = Vec::new();
    let mut faults = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        let field = format!("/{index}");
        match by_id_or_name(store, wanted).await? {
            None => {
                let detail = format!("there is no plan {wanted:?}");
                faults.push(Fault::new(field, "plan.unknown", detail));
            }
            Some(plan) if !may_be_offered(&plan) => {
                let detail = "no subscription is under the plan of calls without a credential";
                faults.push(Fault::new(field, "plan.anonymous", detail));
            }
            Some(plan) if ids.contains(&plan.id) => {
                let detail = format!("{wanted:?} is named twice");
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
        needs_approval: false,
    }
}
