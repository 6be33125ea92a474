//! APIs: a name, a context, an owner, versions. Who sees and changes which is `ownership`'s.
//!
//! Neighbours: `apis/import.rs` makes one of an OpenAPI document, `apis/wsdl.rs` of a WSDL;
//! `versions` is what is called.

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
    /// The API.
    id: ApiId,
    /// Unique.
    name: String,
    /// What its calls are.
    kind: Kind,
    /// Where its paths begin at the gateway; overlaps no other's.
    #[schema(example = "/petstore")]
    context: String,
    /// For people.
    description: String,
    /// Whose it is.
    owner: UserId,
    /// When it was made.
    created_at: Time,
}

/// An API to be, with its first version.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewApi)]
pub(crate) struct NewApiBody {
    /// Unique; 1 to 100 characters.
    name: String,
    /// What its calls are: `rest` when absent. It stays for ever.
    #[serde(default)]
    kind: Kind,
    /// Where its paths begin at the gateway; may overlap no other's.
    #[schema(example = "/petstore")]
    context: String,
    /// Name of its first version, which becomes the default one.
    #[schema(example = "1.0")]
    version: String,
    /// For people.
    #[serde(default)]
    description: String,
}

/// What to change of an API; what is absent stays.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApiPatch {
    /// The new name.
    #[serde(default)]
    name: Option<String>,
    /// The new context; the gateways' paths change with it at once.
    #[serde(default)]
    context: Option<String>,
    /// The new description.
    #[serde(default)]
    description: Option<String>,
    /// The new owner: an enabled user with the role publisher or administrator.
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

/// Which APIs are wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ApiFilter {
    /// Those of this kind only.
    kind: Option<Kind>,
    /// Those of this owner only.
    owner: Option<UserId>,
}

/// List APIs: one's own, and those with a version in the catalogue; all for an administrator.
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

/// See an API.
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

/// Make an API with its first version.
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
/// For its owner and administrators. A new context acts at the gateways at once, for all versions
/// together. A new owner has the API from now on, and the one before does not.
#[utoipa::path(
    patch, path = "/api/v1/apis/{api}", tag = "apis", request_body = ApiPatch,
    params(("api" = ApiId, Path)),
    responses((status = 200, description = "The API now", body = ApiBody)),
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

/// The user who shall own an API. One sentence for all who cannot: publishers do not see users.
async fn new_owner(control: &Control, id: UserId) -> Result<UserId, Problem> {
    match users::by_id(&control.store, id).await {
        Ok(user) if !user.disabled && may(&user.roles, Act::ManageApis) => Ok(id),
        Ok(_) | Err(StoreError::NotFound(_)) => {
            let detail = "an API is handed over to an enabled user with the role publisher or \
                          administrator, and there is no such user of this id";
            Err(Problem::at("/owner", "api.owner", detail))
        }
        Err(error) => Err(error.into()),
    }
}

/// Delete an API with all its versions.
///
/// For its owner and administrators. Refused while a version is published or blocked.
#[utoipa::path(
    delete, path = "/api/v1/apis/{api}", tag = "apis", params(("api" = ApiId, Path), DryRun),
    responses(
        (status = 200, description = "What it would touch, with `dry_run`", body = Impact),
        (status = 204, description = "It is gone"),
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

/// What the first version of an API begins with.
struct Beginning {
    draft: Configuration,
    document: Option<Document>,
    contract: Option<NewContract>,
}

/// Checks and writes an API with its first version.
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
