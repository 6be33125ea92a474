//! What a publisher sees first: the versions of one's own APIs with their calls of the last day and
//! what waits to be done about each.

use std::collections::HashMap;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tollgate_analytics::{Dimension, Filter, Query as Question};
use tollgate_model::api::Kind;
use tollgate_model::id::{ApiId, UserId, VersionId};
use tollgate_model::lifecycle::State as Stage;
use tollgate_model::user::Role;
use tollgate_store::overview::{self, Overview, Wanted};
use tollgate_store::versions::Offer;

use crate::caller::Caller;
use crate::error::Problem;
use crate::json::Json;
use crate::may::Act;
use crate::parameters::{Find, List, Listed};
use crate::state::Control;
use crate::time::Time;

const DAY_US: i64 = 86_400 * 1_000_000;
/// The first status that is the provider's or the gateway's fault.
const ERROR: u16 = 500;

/// A version of one's own, and what waits to be done about it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct VersionOverview {
    /// The version.
    version: VersionId,
    /// The version's name.
    #[schema(example = "1.0")]
    name: String,
    /// Its API.
    api: ApiId,
    /// The API's name.
    api_name: String,
    /// What its calls are.
    kind: Kind,
    /// Where the API's paths begin at the gateway.
    #[schema(example = "/petstore")]
    context: String,
    /// Whose the API is.
    owner: UserId,
    /// That user's name.
    owner_name: String,
    /// Where it stands.
    state: Stage,
    /// Whether it also answers without its name in the path.
    is_default: bool,
    /// Number of the revision that gateways see, while its state lets them.
    #[serde(skip_serializing_if = "Option::is_none")]
    deployed_revision: Option<i64>,
    /// How many top-level fields of the draft say something else than what is deployed; 0 where
    /// nothing is.
    changes: u64,
    /// Live subscriptions.
    subscriptions: u64,
    /// Those of them that wait for a decision.
    pending_subscriptions: u64,
    /// Calls of the last 24 hours, refused ones too.
    calls_last_day: u64,
    /// Those of them that were answered with a status of 500 or more.
    errors_last_day: u64,
    /// When its draft, state or deployment last changed.
    updated_at: Time,
}

/// Which versions are wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct OverviewFilter {
    /// Those of APIs of this kind only.
    kind: Option<Kind>,
    /// Those in this state only.
    state: Option<Stage>,
    /// Those of this API only.
    api: Option<ApiId>,
    /// Those of APIs of this user only; of somebody else for administrators.
    owner: Option<UserId>,
}

/// List the versions of one's own APIs, with their calls of the last day and what is to be done;
/// all for an administrator. By name is by that of the API.
#[utoipa::path(
    get, path = "/api/v1/versions", tag = "versions", operation_id = "overview",
    params(Find, OverviewFilter),
    responses((status = 200, description = "A page of versions", body = List<VersionOverview>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Listed(find, filter): Listed<OverviewFilter>,
) -> Result<Json<List<VersionOverview>>, Problem> {
    if filter.owner.is_some_and(|owner| owner != caller.user) {
        caller.may(Act::ManageUsers)?;
    }
    let pattern = find.pattern()?;
    let wanted = Wanted {
        owner: match caller.is(Role::Administrator) {
            true => filter.owner,
            false => Some(caller.user),
        },
        kind: filter.kind,
        state: filter.state,
        api: filter.api,
        pattern: pattern.as_deref(),
    };
    let found = overview::find(&control.store, wanted, &find.part()?).await?;
    let page = find.page(found, |it| (it.offer.version.id, &it.offer.api.name));
    let unlike = page.items.iter().filter(|it| !it.is_same);
    let unlike: Vec<_> = unlike.map(|it| it.offer.version.id).collect();
    let changes = overview::changes(&control.store, &unlike).await?;
    let ids = page.items.iter().map(|it| it.offer.version.id).collect();
    let calls = calls(&control, ids).await?;
    Ok(Json(page.map(|overview| {
        let id = overview.offer.version.id;
        let figures = calls.get(&id).copied().unwrap_or_default();
        show_body(
            overview,
            changes.get(&id).copied().unwrap_or_default(),
            figures,
        )
    })))
}

/// Calls of the last day, and those of them that ended in an error, by version.
async fn calls(
    control: &Control,
    versions: Vec<VersionId>,
) -> Result<HashMap<VersionId, (u64, u64)>, Problem> {
    let now_us = control.now_us();
    let question = Question {
        from_us: now_us - DAY_US,
        to_us: now_us,
        step: None,
        group_by: vec![Dimension::Version, Dimension::Status],
        filter: Filter {
            versions: Some(versions),
            ..Filter::default()
        },
    };
    let mut calls: HashMap<_, (u64, u64)> = HashMap::new();
    for row in control.usage.query(&question).await? {
        let Some(version) = row.version else { continue };
        let (all, errors) = calls.entry(version).or_default();
        *all += row.calls;
        if row.status.is_some_and(|status| status >= ERROR) {
            *errors += row.calls;
        }
    }
    Ok(calls)
}

fn show_body(overview: Overview, changes: u64, (calls, errors): (u64, u64)) -> VersionOverview {
    let Offer { api, version } = overview.offer;
    VersionOverview {
        version: version.id,
        name: version.name,
        api: api.id,
        api_name: api.name,
        kind: api.kind,
        context: api.context,
        owner: api.owner,
        owner_name: overview.owner_name,
        state: version.state,
        is_default: version.is_default,
        deployed_revision: version.deployed_number,
        changes,
        subscriptions: overview.subscriptions,
        pending_subscriptions: overview.pending,
        calls_last_day: calls,
        errors_last_day: errors,
        updated_at: Time(version.updated_us),
    }
}

#[cfg(test)]
mod tests;
