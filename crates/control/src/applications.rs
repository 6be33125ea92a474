//! Applications: the programs of API consumers. Developers and publishers have their own;
//! administrators read and change all, and only they set an application's limits.
//!
//! Neighbours: `keys`, `clients` and `basic_users` are an application's credentials,
//! `subscriptions` grant it access to APIs.

pub(crate) mod retired;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::name_fault;
use tollgate_model::fault::Fault;
use tollgate_model::id::{ApplicationId, UserId};
use tollgate_model::plan::{Limit, Owner, limit_faults};
use tollgate_model::user::Role;
use tollgate_store::applications::{self, Application, ApplicationChange};
use tollgate_store::users;

use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::impact::{self, DryRun, Impact, Touched};
use crate::json::Json;
use crate::may::Act;
use crate::parameters::{Find, List, Listed, Path, Query};
use crate::state::Control;
use crate::text::{DESCRIPTION_MAX, renaming_fault, text_fault};
use crate::time::Time;

/// An application.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Application)]
pub(crate) struct ApplicationBody {
    /// Id of the application.
    id: ApplicationId,
    /// Name, unique among its owner's applications.
    name: String,
    /// The user that owns it.
    owner: UserId,
    /// Name of the owner.
    owner_name: String,
    /// Free text.
    description: String,
    /// Limits over all its calls, in addition to those of plans.
    limits: Vec<Limit>,
    /// Number of its live credentials and subscriptions.
    live: LiveBody,
    /// When it was created.
    created_at: Time,
}

/// Number of an application's live credentials and subscriptions: not revoked, expired or ended.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = LiveCounts)]
pub(crate) struct LiveBody {
    /// API keys.
    keys: u64,
    /// OAuth2 clients.
    clients: u64,
    /// Users for HTTP Basic authentication.
    basic_users: u64,
    /// Subscriptions.
    subscriptions: u64,
}

/// An application to create, owned by the caller.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewApplication {
    /// Name, unique among the caller's applications; 1 to 100 characters.
    name: String,
    /// Free text.
    #[serde(default)]
    description: String,
    /// Limits over all its calls, `per` application; only administrators may set them.
    #[serde(default)]
    limits: Vec<Limit>,
}

/// Changes to an application; absent fields are unchanged.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApplicationPatch {
    /// Name, unique among its owner's applications; 1 to 100 characters.
    name: Option<String>,
    /// Free text.
    description: Option<String>,
    /// Limits over all its calls, `per` application; only administrators may set them.
    limits: Option<Vec<Limit>>,
}

/// Filters of a list of applications.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ApplicationFilter {
    /// Only applications of this owner; an owner other than the caller requires an administrator.
    owner: Option<UserId>,
}

/// List applications.
///
/// Returns the caller's own applications; for administrators, all.
#[utoipa::path(
    get, path = "/api/v1/applications", tag = "applications", params(Find, ApplicationFilter),
    responses((status = 200, description = "A page", body = List<ApplicationBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Listed(find, filter): Listed<ApplicationFilter>,
) -> Result<Json<List<ApplicationBody>>, Problem> {
    if filter.owner.is_some_and(|owner| owner != caller.user) {
        caller.may(Act::ManageUsers)?;
    }
    let owner = match caller.is(Role::Administrator) {
        true => filter.owner,
        false => Some(caller.user),
    };
    let pattern = find.pattern()?;
    let part = find.part()?;
    let found = applications::find(&control.store, owner, pattern.as_deref(), &part).await?;
    let page = find.page(found, |it| (it.id, &it.name));
    Ok(Json(List {
        items: show_bodies(&control, page.items).await?,
        next: page.next,
        total: page.total,
    }))
}

/// Get an application.
#[utoipa::path(
    get, path = "/api/v1/applications/{application}", tag = "applications",
    params(("application" = ApplicationId, Path)),
    responses((status = 200, description = "The application", body = ApplicationBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApplicationId>,
) -> Result<Json<ApplicationBody>, Problem> {
    let application = own(&control, &caller, id).await?;
    Ok(Json(show_body(&control, application).await?))
}

/// Create an application.
///
/// `control.applications_per_user_max` limits the number of applications per user: 409
/// `application.too_many`.
#[utoipa::path(
    post, path = "/api/v1/applications", tag = "applications", request_body = NewApplication,
    responses((status = 201, description = "The application", body = ApplicationBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Json(wanted): Json<NewApplication>,
) -> Result<impl IntoResponse, Problem> {
    if !wanted.limits.is_empty() {
        caller.may(Act::LimitApplications)?;
    }
    let name = name_fault(&wanted.name);
    check(name, &wanted.description, &wanted.limits)?;
    let application = Application {
        id: control.id()?,
        name: wanted.name,
        owner: caller.user,
        description: wanted.description,
        limits: wanted.limits,
        created_us: control.now_us(),
        tokens_from_us: 0,
    };
    let mut tx = caller.change(&control).await?;
    applications::create(&mut tx, &application).await?;
    let count = applications::count_of_user(&mut tx, application.owner).await?;
    require_room(count, control.applications_per_user_max)?;
    tx.commit(|| caller.log("application.created", application.id))
        .await?;
    let body = show_body(&control, application).await?;
    Ok((StatusCode::CREATED, Json(body)))
}

/// Change an application.
///
/// New limits take effect at once.
#[utoipa::path(
    patch, path = "/api/v1/applications/{application}", tag = "applications",
    params(("application" = ApplicationId, Path)), request_body = ApplicationPatch,
    responses((status = 200, description = "The changed application", body = ApplicationBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApplicationId>,
    Json(wanted): Json<ApplicationPatch>,
) -> Result<Json<ApplicationBody>, Problem> {
    if wanted.limits.is_some() {
        caller.may(Act::LimitApplications)?;
    }
    // Read within the write, so that concurrent changes cannot undo each other.
    let mut tx = caller.change(&control).await?;
    let present = own(&control, &caller, id).await?;
    let name = wanted.name.as_deref();
    let name = name.and_then(|name| renaming_fault(name, &present.name));
    let change = ApplicationChange {
        name: wanted.name.unwrap_or(present.name),
        description: wanted.description.unwrap_or(present.description),
        limits: wanted.limits.unwrap_or(present.limits),
    };
    check(name, &change.description, &change.limits)?;
    applications::update(&mut tx, id, &change).await?;
    tx.commit(|| caller.log("application.updated", id)).await?;
    let application = Application {
        name: change.name,
        description: change.description,
        limits: change.limits,
        ..present
    };
    Ok(Json(show_body(&control, application).await?))
}

/// Delete an application.
///
/// Ends its subscriptions and revokes its credentials at once.
#[utoipa::path(
    delete, path = "/api/v1/applications/{application}", tag = "applications",
    params(("application" = ApplicationId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "Deleted"),
    ),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApplicationId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    own(&control, &caller, id).await?;
    let mut tx = caller.change(&control).await?;
    applications::delete(&mut tx, id).await?;
    if dry_run {
        return impact::instead(tx, Touched::Application(id)).await;
    }
    tx.commit(|| caller.log("application.deleted", id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Revoke all tokens of an application's clients.
///
/// Calls that start after the response are rejected with tokens that were issued before.
#[utoipa::path(
    delete, path = "/api/v1/applications/{application}/tokens", tag = "applications",
    params(("application" = ApplicationId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "Revoked"),
    ),
)]
pub(crate) async fn void_tokens(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApplicationId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    own(&control, &caller, id).await?;
    let mut tx = caller.change(&control).await?;
    applications::void_tokens(&mut tx, id, void_from_us(control.now_us())).await?;
    if dry_run {
        return impact::instead(tx, Touched::ApplicationTokens(id)).await;
    }
    tx.commit(|| caller.log("application.tokens_voided", id))
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Returns the first issue time (Unix microseconds) of valid tokens after all tokens issued until
/// `now_us` are revoked.
pub(crate) const fn void_from_us(now_us: i64) -> i64 {
    now_us.saturating_add(1)
}

/// Returns the application if the caller owns it or is an administrator; otherwise 404.
pub(crate) async fn own(
    control: &Control,
    caller: &Caller,
    id: ApplicationId,
) -> Result<Application, Problem> {
    let application = applications::by_id(&control.store, id).await?;
    if caller.owns(application.owner) {
        Ok(application)
    } else {
        Err(Problem::unknown("application"))
    }
}

/// Checks that the caller may access the application that a `noun` belongs to; otherwise the
/// error is a 404 for the `noun`, as if it did not exist.
pub(crate) async fn require_own(
    control: &Control,
    caller: &Caller,
    application: ApplicationId,
    noun: &str,
) -> Result<(), Problem> {
    match own(control, caller, application).await {
        Ok(_) => Ok(()),
        Err(problem) if problem.status() == StatusCode::NOT_FOUND => Err(Problem::unknown(noun)),
        Err(problem) => Err(problem),
    }
}

/// Rejects a write after which a user has more applications than allowed.
fn require_room(count: u64, max: u64) -> Result<(), Problem> {
    if count <= max {
        return Ok(());
    }
    let detail = format!(
        "a user can have at most {max} applications (control.applications_per_user_max); delete \
         one first"
    );
    Err(Problem::conflict("application.too_many", detail))
}

fn check(name: Option<Fault>, description: &str, limits: &[Limit]) -> Result<(), Problem> {
    let mut faults = limit_faults(limits, Owner::Application);
    faults.extend(name);
    faults.extend(text_fault("/description", description, DESCRIPTION_MAX));
    refuse_any(faults)
}

async fn show_body(
    control: &Control,
    application: Application,
) -> Result<ApplicationBody, Problem> {
    let id = application.id;
    let mut bodies = show_bodies(control, vec![application]).await?;
    let body = bodies.pop().filter(|body| body.id == id);
    body.ok_or_else(|| Problem::unknown("application"))
}

/// Converts applications to response bodies, with two statements for any number.
async fn show_bodies(
    control: &Control,
    applications: Vec<Application>,
) -> Result<Vec<ApplicationBody>, Problem> {
    let store = &control.store;
    let ids: Vec<_> = applications.iter().map(|it| it.id).collect();
    let owners: Vec<_> = applications.iter().map(|it| it.owner).collect();
    let live = applications::live(store, &ids, control.now_us()).await?;
    let names = users::names(store, &owners).await?;
    let bodies = applications.into_iter().map(|application| {
        let live = live.get(&application.id).copied().unwrap_or_default();
        ApplicationBody {
            id: application.id,
            name: application.name,
            owner: application.owner,
            owner_name: names.get(&application.owner).cloned().unwrap_or_default(),
            description: application.description,
            limits: application.limits,
            live: LiveBody {
                keys: live.keys,
                clients: live.clients,
                basic_users: live.basic_users,
                subscriptions: live.subscriptions,
            },
            created_at: Time(application.created_us),
        }
    });
    Ok(bodies.collect())
}

#[cfg(test)]
mod tests;
