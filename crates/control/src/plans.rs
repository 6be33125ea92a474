//! Plans: named limits that subscriptions are held to. Administrators write them, all read them.
//!
//! Neighbours: `model::plan` says what is wrong with one; versions offer plans, subscriptions
//! are under one.

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
    /// The plan.
    id: PlanId,
    /// Unique.
    name: String,
    /// One line for people.
    title: String,
    /// For people.
    description: String,
    /// All must pass; the strictest wins.
    limits: Vec<Limit>,
    /// Said on purpose where a plan has no limits.
    unlimited: bool,
    /// Whether calls without a credential are held to it: no version offers it.
    anonymous: bool,
    /// What `If-Match` asks for, in quotes; rises with each change.
    etag: i64,
    /// When it was made.
    created_at: Time,
    /// When it was last changed.
    updated_at: Time,
}

/// A plan to be, or to be changed to.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPlan {
    /// Unique; 1 to 100 characters.
    name: String,
    /// One line for people; the name when absent.
    #[serde(default)]
    title: Option<String>,
    /// For people.
    #[serde(default)]
    description: String,
    /// All must pass; the strictest wins.
    #[serde(default)]
    limits: Vec<Limit>,
    /// Say it where a plan has no limits.
    #[serde(default)]
    unlimited: bool,
}

/// What came of changing a plan.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "it describes answers that are made of its variants"
)]
enum ChangedPlan {
    /// It was changed.
    Plan(PlanBody),
    /// It was only tried.
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

/// See a plan, by its id or name.
#[utoipa::path(
    get, path = "/api/v1/plans/{plan}", tag = "plans",
    params(("plan" = String, Path, description = "Id or name of the plan")),
    responses((status = 200, description = "The plan", body = PlanBody, headers(
        ("ETag" = String, description = "What If-Match asks for"),
    ))),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    Path(wanted): Path<String>,
) -> Result<impl IntoResponse, Problem> {
    let plan = named(&control.store, &wanted).await?;
    Ok((etag(plan.etag), Json(show_body(plan))))
}

/// Make a plan.
#[utoipa::path(
    post, path = "/api/v1/plans", tag = "plans", request_body = NewPlan,
    responses((status = 201, description = "The plan", body = PlanBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Json(wanted): Json<NewPlan>,
) -> Result<impl IntoResponse, Problem> {
    let name = name_fault(&wanted.name);
    let wanted = wanted.check(name)?;
    let now_us = control.now_us();
    let plan = Plan {
        id: control.id()?,
        name: wanted.name,
        title: wanted.title,
        description: wanted.description,
        terms: wanted.terms,
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
/// The new limits act on existing subscriptions at once; what was used stays used.
#[utoipa::path(
    put, path = "/api/v1/plans/{plan}", tag = "plans", request_body = NewPlan,
    params(("plan" = String, Path, description = "Id or name of the plan"), Conditions),
    responses((
        status = 200, body = ChangedPlan,
        description = "The plan now, or with `dry_run` what the change would touch",
    )),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(named_as): Path<String>,
    Conditions { if_match, dry_run }: Conditions,
    Json(wanted): Json<NewPlan>,
) -> Result<Response, Problem> {
    let plan = named(&control.store, &named_as).await?;
    if_match.check(plan.etag)?;
    let name = renaming_fault(&wanted.name, &plan.name);
    let change = wanted.check(name)?;
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
/// Refused while a version offers it or a subscription is under it.
#[utoipa::path(
    delete, path = "/api/v1/plans/{plan}", tag = "plans",
    params(("plan" = String, Path, description = "Id or name of the plan"), DryRun),
    responses(
        (status = 200, description = "What it would touch, with `dry_run`", body = Impact),
        (status = 204, description = "It is gone"),
    ),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(wanted): Path<String>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    let mut tx = caller.change(&control).await?;
    let plan = named(&control.store, &wanted).await?;
    plans::delete(&mut tx, plan.id).await?;
    if dry_run {
        return impact::instead(tx, Touched::Plan(plan.id)).await;
    }
    tx.commit(|| caller.log("plan.deleted", plan.id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// The plan of an id or a name. A name may look like an id; then the id is meant where there is
/// such a plan.
pub(crate) async fn find(store: &Store, wanted: &str) -> Result<Option<Plan>, StoreError> {
    if let Ok(id) = wanted.parse() {
        match plans::by_id(store, id).await {
            Err(StoreError::NotFound(_)) => {}
            found => return found.map(Some),
        }
    }
    plans::by_name(store, wanted).await
}

async fn named(store: &Store, wanted: &str) -> Result<Plan, Problem> {
    let plan = find(store, wanted).await?;
    plan.ok_or_else(|| Problem::unknown("plan"))
}

impl NewPlan {
    /// What to write, or everything that is wrong with it, with what is wrong with its name.
    fn check(self, name: Option<Fault>) -> Result<PlanChange, Problem> {
        let title = self.title.unwrap_or_else(|| self.name.clone());
        let terms = PlanTerms {
            limits: self.limits,
            unlimited: self.unlimited,
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
        etag: plan.etag,
        created_at: Time(plan.created_us),
        updated_at: Time(plan.updated_us),
    }
}

#[cfg(test)]
mod tests;
