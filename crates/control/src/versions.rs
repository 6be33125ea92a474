//! Versions of APIs: applications subscribe to and call them, and each has a lifecycle.
//!
//! Neighbours: one file for each part of a version: its draft, its offered plans, its revisions,
//! its deployment, its lifecycle, their difference, the document or contract that it was imported
//! from.
//!
//! The owner of a version, and how much of it others see, is determined in `ownership`.
//!
//! A handler that decides on data that it reads first takes its turn as the writer: while it holds
//! the turn, nobody else changes the store, so the data is still true when the handler writes.

pub(crate) mod cache;
pub(crate) mod contract;
pub(crate) mod creation;
mod default_version;
pub(crate) mod deployment;
pub(crate) mod deprecation;
pub(crate) mod difference;
pub(crate) mod document;
pub(crate) mod draft;
pub(crate) mod lifecycle;
mod limited_plans;
pub(crate) mod mediate;
pub(crate) mod overview;
pub(crate) mod plans;
pub(crate) mod replacement;
pub(crate) mod revisions;
mod saved_draft;
pub(crate) mod upstream_of;
pub(crate) mod upstreams;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::id::{ApiId, VersionId};
use tollgate_model::lifecycle::State as Stage;
use tollgate_store::overview as rows;
use tollgate_store::versions::{self, Offer, Version};
use tollgate_store::{Store, StoreError, default_version as default_rows};

use default_version::{DefaultChange, Step, Wanted};

use crate::caller::Caller;
use crate::change::Change;
use crate::deprecation::DeprecationBody;
use crate::error::Problem;
use crate::impact::{self, Impact, Touched};
use crate::json::Json;
use crate::ownership::{self, Sight, own_version};
use crate::parameters::{Find, List, Listed, Path, Query, Unfiltered};
use crate::state::Control;
use crate::time::Time;

/// A version of an API.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Version)]
pub(crate) struct VersionBody {
    /// The version's id.
    id: VersionId,
    /// Its API.
    api: ApiId,
    /// Unique within its API.
    #[schema(example = "1.0")]
    name: String,
    /// Current lifecycle state.
    state: Stage,
    /// The states that it can move to.
    next_states: Vec<Stage>,
    /// Its deprecation; absent unless it is deprecated, or was until it retired.
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<DeprecationBody>,
    /// Whether its name may be omitted in the path.
    is_default: bool,
    /// Number of the deployed revision, which gateways serve if the state allows it; for the API's
    /// owner and administrators.
    deployed_revision: Option<i64>,
    /// Whether the deployed revision has an upstream with an unverified certificate
    /// (`verify_certificate` is false); for the API's owner and administrators.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    has_unverified_upstream: bool,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change of draft, state or deployment; for the API's owner and
    /// administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<Time>,
    /// Number of changes between the deployed revision and the draft, as listed by their
    /// difference; 0 if none is deployed. Only when a single version is requested, for the API's
    /// owner and administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<u64>,
    /// The plans that it offers, in order. Only when a single version is requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    plans: Option<Vec<plans::OfferedPlan>>,
}

/// List the versions of an API.
///
/// All for its owner and administrators; only those in the catalogue for others.
#[utoipa::path(
    get, path = "/api/v1/apis/{api}/versions", tag = "versions",
    params(("api" = ApiId, Path), Find),
    responses((status = 200, description = "A page of versions", body = List<VersionBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Path(api): Path<ApiId>,
    Listed(find, _): Listed<Unfiltered>,
) -> Result<Json<List<VersionBody>>, Problem> {
    let (_, sight) = ownership::api(&control, &caller, api).await?;
    let pattern = find.pattern()?;
    let (states, part) = (sight.states(), find.part()?);
    let found = versions::find(&control.store, api, &states, pattern.as_deref(), &part).await?;
    let page = find.page(found, |version| (version.id, &version.name));
    Ok(Json(page.map(|version| VersionBody::seen(version, sight))))
}

/// Get a version.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}", tag = "versions",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The version", body = VersionBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Json<VersionBody>, Problem> {
    let (Offer { version, .. }, sight) = ownership::version(&control, &caller, id).await?;
    let changes = match sight {
        Sight::Whole => {
            let changes = rows::changes(&control.store, &[id]).await?;
            Some(changes.get(&id).copied().unwrap_or_default())
        }
        Sight::Catalogue => None,
    };
    Ok(Json(VersionBody {
        changes,
        plans: Some(plans::offered(&control.store, id).await?),
        ..VersionBody::seen(version, sight)
    }))
}

/// Make a version the default one of its API.
///
/// For the API's owner and administrators. From now on calls without a version in the path go to
/// this version, instead of the previous default. 409 `version.retired` for a retired one.
#[utoipa::path(
    post, path = "/api/v1/versions/{version}/default", tag = "versions",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The changed version", body = VersionBody)),
)]
pub(crate) async fn make_default(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Json<VersionBody>, Problem> {
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    if version.state == Stage::Retired {
        let detail = "a retired version can never be called, so it cannot be the default version";
        return Err(Problem::conflict("version.retired", detail));
    }
    default_rows::set(&mut tx, version.api, Some(id)).await?;
    tx.commit(|| caller.log("version.made_default", id)).await?;
    Ok(Json(versions::by_id(&control.store, id).await?.into()))
}

/// Options of deleting a version.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Deletion {
    /// Return the impact of the change without making it.
    #[serde(default)]
    dry_run: bool,
    /// Id or name of the API's default version afterwards, which must be callable, or `null` for
    /// none.
    default: Option<String>,
}

/// What the deletion of a version would affect.
#[derive(Serialize, utoipa::ToSchema)]
struct DeletionImpact {
    #[serde(flatten)]
    impact: Impact,
    /// The change of the default version; absent if that stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<DefaultChange>,
}

/// Delete a version, in state `created` or `retired`.
///
/// For the API's owner and administrators. 409 `in_use` in any other state. 409 `lifecycle.default`
/// for the default version if a different version can be called, unless `default` is given. If none
/// can, the API has no default version from then on. Its usage stays.
#[utoipa::path(
    delete, path = "/api/v1/versions/{version}", tag = "versions",
    params(("version" = VersionId, Path), Deletion),
    responses(
        (
            status = 200, description = "What would be affected, with `dry_run`",
            body = DeletionImpact,
        ),
        (status = 204, description = "Deleted"),
    ),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Query(Deletion { dry_run, default }): Query<Deletion>,
) -> Result<Response, Problem> {
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    versions::delete(&mut tx, id).await?;
    let step = Step {
        version: &version,
        to: None,
        from: None,
        deprecated: &[],
    };
    let wanted = Wanted::from_parameter(default.as_deref());
    let default = step.default_change(&control, wanted).await?;
    change_default(&mut tx, &version, default.as_ref()).await?;
    if dry_run {
        let impact = impact::of(tx.undo(), &Touched::Versions(vec![id])).await?;
        return Ok(Json(DeletionImpact { impact, default }).into_response());
    }
    tx.commit(|| {
        caller.log("version.deleted", id);
        log_default(&caller, default.as_ref());
    })
    .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Writes a change of the default version of a version's API, if there is one.
async fn change_default(
    tx: &mut Change<'_>,
    version: &Version,
    change: Option<&DefaultChange>,
) -> Result<(), StoreError> {
    match change {
        Some(change) => default_rows::set(tx, version.api, change.next()).await,
        None => Ok(()),
    }
}

/// Logs the version that has become the default one, or that is no longer without a next one.
fn log_default(caller: &Caller, change: Option<&DefaultChange>) {
    let Some(change) = change else { return };
    match (change.next(), change.previous()) {
        (Some(next), _) => caller.log("version.made_default", next),
        (None, Some(previous)) => caller.log("version.no_longer_default", previous),
        (None, None) => {}
    }
}

/// Returns the id of the version of the same API with this id or name, given as `from`.
async fn source(store: &Store, api: ApiId, from: &str) -> Result<VersionId, Problem> {
    let found = sibling(store, api, from).await?;
    found
        .map(|version| version.id)
        .ok_or_else(|| Problem::at("/from", "version.unknown", deprecation::unknown(from)))
}

/// Returns the version of an API with this id or name.
async fn sibling(store: &Store, api: ApiId, given: &str) -> Result<Option<Version>, StoreError> {
    let found = match given.parse() {
        Ok(id) => match versions::by_id(store, id).await {
            Err(StoreError::NotFound(_)) => None,
            other => Some(other?),
        },
        Err(_) => versions::by_name(store, api, given).await?,
    };
    Ok(found.filter(|version| version.api == api))
}

impl VersionBody {
    /// Returns a version as far as the caller sees it.
    fn seen(version: Version, sight: Sight) -> Self {
        match sight {
            Sight::Whole => Self::from(version),
            Sight::Catalogue => Self {
                deprecation: DeprecationBody::announced(version.deprecation.clone()),
                deployed_revision: None,
                has_unverified_upstream: false,
                updated_at: None,
                ..Self::from(version)
            },
        }
    }
}

impl From<Version> for VersionBody {
    fn from(version: Version) -> Self {
        Self {
            id: version.id,
            api: version.api,
            name: version.name,
            state: version.state,
            next_states: version.state.next().to_vec(),
            deprecation: version.deprecation.map(DeprecationBody::from),
            is_default: version.is_default,
            deployed_revision: version.deployed_number,
            has_unverified_upstream: version.is_unverified,
            created_at: Time(version.created_us),
            updated_at: Some(Time(version.updated_us)),
            changes: None,
            plans: None,
        }
    }
}

#[cfg(test)]
mod tests;
