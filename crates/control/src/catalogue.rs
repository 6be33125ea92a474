//! The catalogue: the versions that consumers can call, each with its address, plans, security, and
//! the caller's own subscriptions.
//!
//! Every signed-in user may read it; with `control.open_catalogue` also anonymous callers. Entries
//! describe the deployed revision. Searching, sorting and paging are done by `store::catalogue`.

pub(crate) mod difference;
pub(crate) mod document;
pub(crate) mod operations;

use std::collections::HashMap;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tollgate_model::api::Kind;
use tollgate_model::id::{ApiId, ApplicationId, PlanId, SubscriptionId, UserId, VersionId};
use tollgate_model::lifecycle::State as Stage;
use tollgate_model::security::Security;
use tollgate_model::subscription::Status;
use tollgate_store::catalogue::{self as rows, Entry, OwnSubscription, Wanted};
use tollgate_store::versions::Offer;

use crate::caller::{Caller, Visitor};
use crate::deprecation::DeprecationBody;
use crate::error::Problem;
use crate::gateways::{Asked, version_path};
use crate::json::Json;
use crate::ownership::listed;
use crate::parameters::{Find, List, Listed, Path};
use crate::state::Control;
use crate::time::Time;
use crate::versions::plans::{self, OfferedPlan};

/// A version that can be called.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CatalogueEntry {
    /// Id of the version, for subscriptions to it.
    version: VersionId,
    /// Name of the version.
    #[schema(example = "1.0")]
    name: String,
    /// Id of its API.
    api: ApiId,
    /// Name of the API.
    api_name: String,
    /// Kind of the API.
    kind: Kind,
    /// Description of the API.
    description: String,
    /// Owner of the API; only for signed-in callers.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<UserId>,
    /// Name of the owner; only for signed-in callers.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner_name: Option<String>,
    /// Path of the version at the gateway, below which its operations are.
    #[schema(example = "/petstore/1.0")]
    path: String,
    /// URL of the version at the gateway, with the scheme of this request if possible.
    #[schema(example = "https://api.example.com/petstore/1.0")]
    address: String,
    /// `published`, `prototyped` or `deprecated`.
    state: Stage,
    /// Its deprecation; absent unless it is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<DeprecationBody>,
    /// Whether it can also be called without its name in the path.
    is_default: bool,
    /// How callers authenticate.
    security: Security,
    /// The plans to choose from; empty if it does not accept subscriptions.
    plans: Vec<OfferedPlan>,
    /// When the version was created.
    created_at: Time,
    /// The caller's relation to it; only for signed-in callers.
    #[serde(skip_serializing_if = "Option::is_none")]
    mine: Option<Mine>,
}

/// The caller's relation to a version.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
pub(crate) struct Mine {
    /// Whether the API is the caller's own.
    owned: bool,
    /// Subscriptions of the caller's applications to the version: the oldest, at most 20.
    subscriptions: Vec<MySubscription>,
}

/// A subscription of one of the caller's applications.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct MySubscription {
    /// Id of the subscription.
    id: SubscriptionId,
    /// Id of the application.
    application: ApplicationId,
    /// Name of the application.
    application_name: String,
    /// Id of the plan.
    plan: PlanId,
    /// Name of the plan.
    plan_name: String,
    /// Title of the plan; may be empty.
    plan_title: String,
    /// Whether its calls are accepted.
    status: Status,
    /// Scopes by approval that the API's owner has granted to it.
    scopes: Vec<String>,
}

/// Filters of the catalogue.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CatalogueFilter {
    /// Only versions of APIs of this kind.
    kind: Option<Kind>,
    /// Only versions in this state.
    #[param(inline)]
    state: Option<Shown>,
    /// Whether to include deprecated versions, if `state` is absent.
    #[serde(default)]
    deprecated: bool,
}

/// A state in which the catalogue shows versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
enum Shown {
    Published,
    Prototyped,
    Deprecated,
}

/// List the versions that can be called.
///
/// Sorting by name uses the name of the API.
#[utoipa::path(
    get, path = "/api/v1/catalogue", tag = "catalogue", params(Find, CatalogueFilter),
    responses((status = 200, description = "A page of versions", body = List<CatalogueEntry>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    Visitor(caller): Visitor,
    asked: Asked,
    Listed(find, filter): Listed<CatalogueFilter>,
) -> Result<Json<List<CatalogueEntry>>, Problem> {
    let pattern = find.pattern()?;
    let wanted = Wanted {
        states: &filter.states(),
        kind: filter.kind,
        pattern: pattern.as_deref(),
    };
    let found = rows::find(&control.store, wanted, &find.part()?).await?;
    let page = find.page(found, |place| (place.version, &place.name));
    let ids: Vec<_> = page.items.iter().map(|place| place.version).collect();
    let entries = show_entries(&control, caller.as_ref(), &asked, &ids).await?;
    Ok(Json(List {
        items: entries,
        next: page.next,
        total: page.total,
    }))
}

/// Get a version that can be called, which may be deprecated.
#[utoipa::path(
    get, path = "/api/v1/catalogue/{version}", tag = "catalogue",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The version", body = CatalogueEntry)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    Visitor(caller): Visitor,
    asked: Asked,
    Path(id): Path<VersionId>,
) -> Result<Json<CatalogueEntry>, Problem> {
    let mut entries = show_entries(&control, caller.as_ref(), &asked, &[id]).await?;
    entries
        .pop()
        .filter(|entry| entry.state.in_catalogue().is_listed(true))
        .map(Json)
        .ok_or_else(|| Problem::unknown("version"))
}

/// Returns the entries of versions, with three statements for any number.
async fn show_entries(
    control: &Control,
    caller: Option<&Caller>,
    asked: &Asked,
    ids: &[VersionId],
) -> Result<Vec<CatalogueEntry>, Problem> {
    let store = &control.store;
    let entries = rows::entries(store, ids).await?;
    let mut plans: HashMap<_, Vec<_>> = HashMap::new();
    let offers = rows::plans(store, ids).await?.into_iter();
    for (version, plan) in offers.filter(|(_, plan)| plans::may_be_offered(plan)) {
        let offered = plans.entry(version).or_default();
        offered.push(plans::show_body(plan));
    }
    let mut own: HashMap<_, Vec<_>> = HashMap::new();
    if let Some(caller) = caller {
        for subscription in rows::of_owner(store, caller.user, ids).await? {
            let version = own.entry(subscription.version).or_default();
            version.push(subscription.into());
        }
    }
    let shown = entries.into_iter().map(|entry| {
        let id = entry.offer.version.id;
        let mine = caller.map(|caller| Mine {
            owned: caller.user == entry.offer.api.owner,
            subscriptions: own.remove(&id).unwrap_or_default(),
        });
        let offered = plans.remove(&id).unwrap_or_default();
        show_entry(control, entry, asked, offered, mine)
    });
    Ok(shown.collect())
}

fn show_entry(
    control: &Control,
    entry: Entry,
    asked: &Asked,
    plans: Vec<OfferedPlan>,
    mine: Option<Mine>,
) -> CatalogueEntry {
    let Offer { api, version } = entry.offer;
    let path = version_path(&api.context, &version.name);
    let is_signed_in = mine.is_some();
    CatalogueEntry {
        version: version.id,
        address: control.address(asked, &path),
        path,
        name: version.name,
        api: api.id,
        api_name: api.name,
        kind: api.kind,
        description: api.description,
        owner: is_signed_in.then_some(api.owner),
        owner_name: is_signed_in.then_some(entry.owner_name),
        state: version.state,
        deprecation: DeprecationBody::announced(version.deprecation),
        is_default: version.is_default,
        security: entry.security,
        plans: match version.state.takes_subscriptions() {
            true => plans,
            false => Vec::new(),
        },
        created_at: Time(version.created_us),
        mine,
    }
}

impl CatalogueFilter {
    fn states(&self) -> Vec<Stage> {
        match self.state {
            Some(Shown::Published) => vec![Stage::Published],
            Some(Shown::Prototyped) => vec![Stage::Prototyped],
            Some(Shown::Deprecated) => vec![Stage::Deprecated],
            None => listed(self.deprecated),
        }
    }
}

impl From<OwnSubscription> for MySubscription {
    fn from(own: OwnSubscription) -> Self {
        Self {
            id: own.id,
            application: own.application,
            application_name: own.application_name,
            plan: own.plan,
            plan_name: own.plan_name,
            plan_title: own.plan_title,
            status: own.status,
            scopes: own.scopes,
        }
    }
}

#[cfg(test)]
mod tests;
