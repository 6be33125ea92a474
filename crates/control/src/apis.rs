//! APIs: a name, a context, an owner and versions. `ownership` decides who may read and change an
//! API.
//!
//! Neighbours: `apis/import.rs` creates an API from an OpenAPI document, `apis/wsdl.rs` from a
//! WSDL; clients call `versions` of an API.

pub(crate) mod import;
pub(crate) mod wsdl;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind, context_fault, name_fault, version_name_fault};
use tollgate_model::fault::Fault;
use tollgate_model::id::{ApiId, UserId};
use tollgate_model::user::Role;
use tollgate_store::apis::{self, Api, ApiChange, NewApi, Wanted};
use tollgate_store::contracts::NewContract;
use tollgate_store::documents::Document;
use tollgate_store::versions::{self, NewVersion};
use tollgate_store::{StoreError, users};

use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::impact::{self, DryRun, Impact, Touched};
use crate::json::Json;
use crate::may::{Act, may};
use crate::ownership::{self, listed, own_api};
use crate::parameters::{Find, List, Listed, Path, Query};
use crate::state::Control;
use crate::text::{DESCRIPTION_MAX, renaming_fault, text_fault};
use crate::time::Time;
use crate::versions::VersionBody;

/// An API.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Api)]
pub(crate) struct ApiBody {
    /// Id of the API.
    id: ApiId,
    /// Unique name.
    name: String,
    /// Kind of the API.
    kind: Kind,
    /// Base path at the gateway; does not overlap that of another API.
    #[schema(example = "/petstore")]
    context: String,
    /// Free text.
    description: String,
    /// The user that owns it.
    owner: UserId,
    /// When it was created.
    created_at: Time,
}

/// An API to create, with its first version.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewApi)]
pub(crate) struct NewApiBody {
    /// Unique name; 1 to 100 characters.
    name: String,
    /// Kind of the API; `rest` when absent. Cannot be changed later.
    #[serde(default)]
    kind: Kind,
    /// Base path at the gateway; must not overlap that of another API.
    #[schema(example = "/petstore")]
    context: String,
    /// Name of its first version, which becomes the default version.
    #[schema(example = "1.0")]
    version: String,
    /// Free text.
    #[serde(default)]
    description: String,
}

/// Changes to an API; absent fields are unchanged.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApiPatch {
    /// New name.
    #[serde(default)]
    name: Option<String>,
    /// New base path; takes effect at the gateways at once.
    #[serde(default)]
    context: Option<String>,
    /// New description.
    #[serde(default)]
    description: Option<String>,
    /// New owner: an enabled user with the role publisher or administrator.
    #[serde(default)]
    owner: Option<UserId>,
}

/// An API and its first version.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CreatedApi {
    /// The API.
    api: ApiBody,
    /// Its first version, in state `created`.
    version: VersionBody,
}

/// Filters of a list of APIs.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ApiFilter {
    /// Only APIs of this kind.
    kind: Option<Kind>,
    /// Only APIs of this owner.
    owner: Option<UserId>,
}

/// List APIs.
///
/// Returns the caller's own APIs, and those with a version in the catalogue; for administrators,
/// all.
#[utoipa::path(
    get, path = "/api/v1/apis", tag = "apis", params(Find, ApiFilter),
    responses((status = 200, description = "A page of APIs", body = List<ApiBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Listed(find, filter): Listed<ApiFilter>,
) -> Result<Json<List<ApiBody>>, Problem> {
    let listed = listed(true);
    let pattern = find.pattern()?;
    let wanted = Wanted {
        kind: filter.kind,
        owner: filter.owner,
        seen_by: (!caller.is(Role::Administrator)).then_some((caller.user, &listed[..])),
        pattern: pattern.as_deref(),
    };
    let found = apis::find(&control.store, wanted, &find.part()?).await?;
    let page = find.page(found, |api| (api.id, &api.name));
    Ok(Json(page.map(show_body)))
}

/// Get an API.
#[utoipa::path(
    get, path = "/api/v1/apis/{api}", tag = "apis", params(("api" = ApiId, Path)),
    responses((status = 200, description = "The API", body = ApiBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApiId>,
) -> Result<Json<ApiBody>, Problem> {
    let (api, _) = ownership::api(&control, &caller, id).await?;
    Ok(Json(show_body(api)))
}

/// Create an API with its first version.
#[utoipa::path(
    post, path = "/api/v1/apis", tag = "apis", request_body = NewApiBody,
    responses((status = 201, description = "The API and its first version", body = CreatedApi)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Json(wanted): Json<NewApiBody>,
) -> Result<impl IntoResponse, Problem> {
    let beginning = Beginning {
        draft: Configuration::initial(wanted.kind),
        document: None,
        contract: None,
    };
    let created = make(&control, &caller, wanted, beginning).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Change an API.
///
/// Requires the API's owner or an administrator. A new context takes effect at the gateways at
/// once, for all versions together. With a new owner, the previous one loses access at once.
#[utoipa::path(
    patch, path = "/api/v1/apis/{api}", tag = "apis", request_body = ApiPatch,
    params(("api" = ApiId, Path)),
    responses((status = 200, description = "The changed API", body = ApiBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApiId>,
    Json(patch): Json<ApiPatch>,
) -> Result<Json<ApiBody>, Problem> {
    let mut tx = caller.change(&control).await?;
    let before = own_api(&control, &caller, id).await?;
    let mut api = before.clone();
    if let Some(owner) = patch.owner.filter(|&owner| owner != before.owner) {
        api.owner = new_owner(&control, owner).await?;
    }
    api.name = patch.name.unwrap_or(api.name);
    api.context = patch.context.unwrap_or(api.context);
    api.description = patch.description.unwrap_or(api.description);
    let name = renaming_fault(&api.name, &before.name);
    refuse_any(faults(name, &api.context, &api.description))?;
    let change = ApiChange {
        name: api.name.clone(),
        context: api.context.clone(),
        description: api.description.clone(),
        owner: api.owner,
    };
    apis::update(&mut tx, id, &change).await?;
    let of_before = Api {
        owner: before.owner,
        ..api.clone()
    };
    tx.commit(|| {
        if api.owner != before.owner {
            caller.log_change("api.handed_over", id, &format!("to {}", api.owner));
        }
        if of_before != before {
            caller.log("api.updated", id);
        }
        if api.context != before.context {
            control.contracts.forget(&before.context);
        }
    })
    .await?;
    Ok(Json(show_body(api)))
}

/// Checks the new owner of an API. All unsuitable users get the same error, because publishers may
/// not find out which users exist.
async fn new_owner(control: &Control, id: UserId) -> Result<UserId, Problem> {
    match users::by_id(&control.store, id).await {
        Ok(user) if !user.disabled && may(&user.roles, Act::ManageApis) => Ok(id),
        Ok(_) | Err(StoreError::NotFound(_)) => {
            let detail = "the new owner must be an enabled user with the role publisher or \
                          administrator; no such user has this id";
            Err(Problem::at("/owner", "api.owner", detail))
        }
        Err(error) => Err(error.into()),
    }
}

/// Delete an API with all its versions.
///
/// Requires the API's owner or an administrator. Rejected while a version is published or blocked.
#[utoipa::path(
    delete, path = "/api/v1/apis/{api}", tag = "apis", params(("api" = ApiId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "Deleted"),
    ),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApiId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    let mut tx = caller.change(&control).await?;
    let api = own_api(&control, &caller, id).await?;
    apis::delete(&mut tx, id).await?;
    if dry_run {
        return impact::instead(tx, Touched::Api(id)).await;
    }
    tx.commit(|| {
        control.contracts.forget(&api.context);
        caller.log("api.deleted", id);
    })
    .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Initial contents of an API's first version.
struct Beginning {
    draft: Configuration,
    document: Option<Document>,
    contract: Option<NewContract>,
}

/// Validates and stores an API with its first version.
async fn make(
    control: &Control,
    caller: &Caller,
    wanted: NewApiBody,
    beginning: Beginning,
) -> Result<CreatedApi, Problem> {
    let name = name_fault(&wanted.name);
    let mut faults = faults(name, &wanted.context, &wanted.description);
    faults.extend(version_name_fault(&wanted.version));
    refuse_any(faults)?;
    let now_us = control.now_us();
    let new = NewApi {
        api: Api {
            id: control.id()?,
            name: wanted.name,
            kind: wanted.kind,
            context: wanted.context,
            description: wanted.description,
            owner: caller.user,
            created_us: now_us,
        },
        version: NewVersion {
            id: control.id()?,
            name: wanted.version,
            draft: beginning.draft,
            created_us: now_us,
        },
        document: beginning.document,
        contract: beginning.contract,
    };
    let mut tx = caller.change(control).await?;
    apis::create(&mut tx, &new).await?;
    tx.commit(|| caller.log("api.created", new.api.id)).await?;
    let version = versions::by_id(&control.store, new.version.id).await?;
    Ok(CreatedApi {
        api: show_body(new.api),
        version: version.into(),
    })
}

fn faults(name: Option<Fault>, context: &str, description: &str) -> Vec<Fault> {
    let faults = [
        name,
        context_fault(context),
        text_fault("/description", description, DESCRIPTION_MAX),
    ];
    faults.into_iter().flatten().collect()
}

fn show_body(api: Api) -> ApiBody {
    ApiBody {
        id: api.id,
        name: api.name,
        kind: api.kind,
        context: api.context,
        description: api.description,
        owner: api.owner,
        created_at: Time(api.created_us),
    }
}

#[cfg(test)]
mod tests;
