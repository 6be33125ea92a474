//! Retired versions, for the applications that were subscribed to them.

use axum::extract::State;
use serde::Serialize;
use tollgate_model::id::{ApiId, ApplicationId, VersionId};
use tollgate_store::retired;

use super::own;
use crate::caller::Caller;
use crate::deprecation::DeprecationBody;
use crate::error::Problem;
use crate::json::Json;
use crate::parameters::Path;
use crate::state::Control;
use crate::time::Time;

/// Maximum number of listed versions.
const RETIRED_MAX: u32 = 100;

/// A retired version that an application was subscribed to until then.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RetiredVersion {
    /// The version.
    version: VersionId,
    /// The version's name.
    #[schema(example = "1.0")]
    version_name: String,
    /// Its API.
    api: ApiId,
    /// The API's name.
    api_name: String,
    /// Time of the retirement.
    retired_at: Time,
    /// Its deprecation: the version that succeeds it, and the text for its callers; absent if an
    /// earlier release retired it.
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<DeprecationBody>,
}

/// List the retired versions that an application was subscribed to until they retired.
///
/// The last 100, newest first. A deleted version is no longer listed.
#[utoipa::path(
    get, path = "/api/v1/applications/{application}/retired-versions", tag = "applications",
    operation_id = "retired_versions", params(("application" = ApplicationId, Path)),
    responses((status = 200, description = "The retired versions", body = Vec<RetiredVersion>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApplicationId>,
) -> Result<Json<Vec<RetiredVersion>>, Problem> {
    own(&control, &caller, id).await?;
    let retired = retired::of_application(&control.store, id, RETIRED_MAX).await?;
    let bodies = retired.into_iter().map(|it| RetiredVersion {
        version: it.version,
        version_name: it.name,
        api: it.api,
        api_name: it.api_name,
        retired_at: Time(it.retired_us),
        deprecation: DeprecationBody::announced(it.deprecation),
    });
    Ok(Json(bodies.collect()))
}
