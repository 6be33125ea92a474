//! Plans: named limits on subscriptions. Administrators write them, everyone may read them.
//!
//! Neighbours: `model::plan` validates them; versions offer plans, and each subscription has one.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::name_fault;
use tollgate_model::fault::Fault;
use tollgate_model::id::PlanId;
use tollgate_model::plan::{ANONYMOUS, Limit, PlanTerms};
use tollgate_store::plans::{self, Plan, PlanChange};
use tollgate_store::{Store, StoreError};

use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::impact::{self, Conditions, DryRun, Impact, Touched};
use crate::json::Json;
use crate::parameters::{Find, List, Listed, Path, Query, Unfiltered, etag};
use crate::state::Control;
use crate::text::{DESCRIPTION_MAX, renaming_fault, text_fault, title_fault};
use crate::time::Time;

/// A plan.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Plan)]
pub(crate) struct PlanBody {
    /// The plan's id.
    id: PlanId,
    /// Unique name.
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
    /// Whether calls without a credential are limited by this plan; versions do not offer it.
    anonymous: bool,
    /// The value for `If-Match`, in quotes; increases with each change.
    etag: i64,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
}

/// A plan to create, or the new content of a plan.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPlan {
    /// Unique name; 1 to 100 characters.
    name: String,
    /// One-line title; the name by default.
    #[serde(default)]
    title: Option<String>,
    /// Description.
    #[serde(default)]
    description: String,
    /// Limits; all of them apply, so the strictest one wins.
    #[serde(default)]
    limits: Vec<Limit>,
    /// Must be true for a plan without limits.
    #[serde(default)]
    unlimited: bool,
    /// Whether calls that fail count, as by default. If not, a call that ends with a status of 500
    /// or above, or with a failed upstream, gives back what the plan's limits on requests and units
    /// counted.
    #[serde(default = "yes")]
    count_failures: bool,
}

const fn yes() -> bool {
    true
}

/// The result of changing a plan.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "describes responses that are built from its variants"
)]
enum ChangedPlan {
    /// The changed plan.
    Plan(PlanBody),
    /// The impact, of a dry run.
    Impact(Impact),
}

/// List plans.
#[utoipa::path(
    get, path = "/api/v1/plans", tag = "plans", params(Find),
    responses((status = 200, description = "A page of plans", body = List<PlanBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    Listed(find, _): Listed<Unfiltered>,
) -> Result<Json<List<PlanBody>>, Problem> {
    let pattern = find.pattern()?;
    let found = plans::find(&control.store, pattern.as_deref(), &find.part()?).await?;
    let page = find.page(found, |plan| (plan.id, &plan.name));
    Ok(Json(page.map(show_body)))
}

/// Get a plan by its id or name.
#[utoipa::path(
    get, path = "/api/v1/plans/{plan}", tag = "plans",
    params(("plan" = String, Path, description = "Id or name of the plan")),
    responses((status = 200, description = "The plan", body = PlanBody, headers(
        ("ETag" = String, description = "The value for If-Match"),
    ))),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    Path(id_or_name): Path<String>,
) -> Result<impl IntoResponse, Problem> {
    let plan = named(&control.store, &id_or_name).await?;
    Ok((etag(plan.etag), Json(show_body(plan))))
}

/// Create a plan.
#[utoipa::path(
    post, path = "/api/v1/plans", tag = "plans", request_body = NewPlan,
    responses((status = 201, description = "The plan", body = PlanBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Json(body): Json<NewPlan>,
) -> Result<impl IntoResponse, Problem> {
    let name = name_fault(&body.name);
    let body = body.check(name)?;
    let now_us = control.now_us();
    let plan = Plan {
        id: control.id()?,
        name: body.name,
        title: body.title,
        description: body.description,
        terms: body.terms,
        created_us: now_us,
        updated_us: now_us,
        etag: 1,
    };
    let mut tx = caller.change(&control).await?;
    plans::create(&mut tx, &plan).await?;
    tx.commit(|| caller.log("plan.created", plan.id)).await?;
    Ok((StatusCode::CREATED, etag(plan.etag), Json(show_body(plan))))
}

/// Change a plan.
///
/// New limits apply to existing subscriptions at once; calls already counted stay counted. The name
/// cannot change while a limit of an operation uses it.
#[utoipa::path(
    put, path = "/api/v1/plans/{plan}", tag = "plans", request_body = NewPlan,
    params(("plan" = String, Path, description = "Id or name of the plan"), Conditions),
    responses((
        status = 200, body = ChangedPlan,
        description = "The changed plan, or with `dry_run` what the change would affect",
    )),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id_or_name): Path<String>,
    Conditions { if_match, dry_run }: Conditions,
    Json(body): Json<NewPlan>,
) -> Result<Response, Problem> {
    let plan = named(&control.store, &id_or_name).await?;
    if_match.check(plan.etag)?;
    let name = renaming_fault(&body.name, &plan.name);
    let change = body.check(name)?;
    let now_us = control.now_us();
    let mut tx = caller.change(&control).await?;
    let new = plans::update(&mut tx, plan.id, plan.etag, &change, now_us).await?;
    if dry_run {
        return impact::instead(tx, Touched::Plan(plan.id)).await;
    }
    tx.commit(|| caller.log("plan.updated", plan.id)).await?;
    let plan = Plan {
        name: change.name,
        title: change.title,
        description: change.description,
        terms: change.terms,
        updated_us: now_us,
        etag: new,
        ..plan
    };
    Ok((etag(new), Json(show_body(plan))).into_response())
}

/// Delete a plan.
///
/// Rejected while a version offers the plan, a subscription has it or a limit of an operation names
/// it.
#[utoipa::path(
    delete, path = "/api/v1/plans/{plan}", tag = "plans",
    params(("plan" = String, Path, description = "Id or name of the plan"), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "The plan is deleted"),
    ),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(id_or_name): Path<String>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    let mut tx = caller.change(&control).await?;
    let plan = named(&control.store, &id_or_name).await?;
    plans::delete(&mut tx, plan.id).await?;
    if dry_run {
        return impact::instead(tx, Touched::Plan(plan.id)).await;
    }
    tx.commit(|| caller.log("plan.deleted", plan.id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Finds a plan by id or name. If a name looks like an id, the plan with that id is preferred.
pub(crate) async fn by_id_or_name(
    store: &Store,
    id_or_name: &str,
) -> Result<Option<Plan>, StoreError> {
    if let Ok(id) = id_or_name.parse() {
        match plans::by_id(store, id).await {
            Err(StoreError::NotFound(_)) => {}
            found => return found.map(Some),
        }
    }
    plans::by_name(store, id_or_name).await
}

async fn named(store: &Store, id_or_name: &str) -> Result<Plan, Problem> {
    let plan = by_id_or_name(store, id_or_name).await?;
    plan.ok_or_else(|| Problem::unknown("plan"))
}

impl NewPlan {
    /// Returns the content to write, or all faults, including `name`.
    fn check(self, name: Option<Fault>) -> Result<PlanChange, Problem> {
        let title = self.title.unwrap_or_else(|| self.name.clone());
        let terms = PlanTerms {
            limits: self.limits,
            unlimited: self.unlimited,
            count_failures: self.count_failures,
        };
        let mut faults = terms.faults();
        faults.extend(name);
        faults.extend(title_fault("/title", &title));
        faults.extend(text_fault(
            "/description",
            &self.description,
            DESCRIPTION_MAX,
        ));
        refuse_any(faults)?;
        Ok(PlanChange {
            name: self.name,
            title,
            description: self.description,
            terms,
        })
    }
}

fn show_body(plan: Plan) -> PlanBody {
    PlanBody {
        id: plan.id,
        anonymous: plan.name == ANONYMOUS,
        name: plan.name,
        title: plan.title,
        description: plan.description,
        limits: plan.terms.limits,
        unlimited: plan.terms.unlimited,
        count_failures: plan.terms.count_failures,
        etag: plan.etag,
        created_at: Time(plan.created_us),
        updated_at: Time(plan.updated_us),
    }
}

#[cfg(test)]
mod tests;
