//! The catalogue: the versions that consumers may find, with the plans they can choose.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tollgate_model::id::{ApiId, VersionId};
use tollgate_model::lifecycle::State as Stage;
use tollgate_store::versions::{self, Offer};

use crate::error::Problem;
use crate::json::Json;
use crate::ownership::listed;
use crate::parameters::{List, Page, Query};
use crate::state::Control;
use crate::versions::plans::{OfferedPlan, offered};

/// A version that can be called.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CatalogueEntry {
    /// The version: what one subscribes to.
    version: VersionId,
    /// The version's name.
    #[schema(example = "1.0")]
    name: String,
    /// Its API.
    api: ApiId,
    /// The API's name.
    api_name: String,
    /// For people.
    description: String,
    /// Path of the version at the gateway; operations lie below it.
    #[schema(example = "/petstore/1.0")]
    path: String,
    /// `published`; later releases add `prototyped` and `deprecated`.
    state: Stage,
    /// Whether it also answers without its name in the path.
    is_default: bool,
    /// The plans to choose from, where it takes subscriptions.
    plans: Vec<OfferedPlan>,
}

/// Which part of the catalogue is wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CatalogueQuery {
    /// Whether deprecated versions are shown too; no version becomes one in this release.
    #[serde(default)]
    deprecated: bool,
    /// Entries on the page at most: 1 to 500, 100 when absent.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    /// The page begins after the version with this id.
    after: Option<String>,
}

/// List the versions that can be called.
#[utoipa::path(
    get, path = "/api/v1/catalogue", tag = "catalogue", params(CatalogueQuery),
    responses((status = 200, description = "A page of versions", body = List<CatalogueEntry>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    Query(query): Query<CatalogueQuery>,
) -> Result<Json<List<CatalogueEntry>>, Problem> {
    let page = Page::new(query.limit, query.after);
    let limit = page.limit()?;
    let states = listed(query.deprecated);
    let rows = versions::catalogue(&control.store, &states, page.after()?, limit + 1).await?;
    let page = List::page(rows, limit, |offer| offer.version.id);
    let mut items = Vec::with_capacity(page.items.len());
    for offer in page.items {
        items.push(entry(&control, offer).await?);
    }
    Ok(Json(List {
        items,
        next: page.next,
    }))
}

async fn entry(control: &Control, offer: Offer) -> Result<CatalogueEntry, Problem> {
    let Offer { api, version } = offer;
    let plans = if version.state.takes_subscriptions() {
        offered(&control.store, version.id).await?
    } else {
        Vec::new()
    };
    Ok(CatalogueEntry {
        version: version.id,
        path: format!("{}/{}", api.context, version.name),
        name: version.name,
        api: api.id,
        api_name: api.name,
        description: api.description,
        state: version.state,
        is_default: version.is_default,
        plans,
    })
}
