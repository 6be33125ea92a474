//! The publisher's overview: the versions of one's own APIs, with their calls of the last day and
//! pending work.

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

/// A version of one's own API, with its pending work.
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
    /// Kind of the API.
    kind: Kind,
    /// Prefix of the API's paths at the gateway.
    #[schema(example = "/petstore")]
    context: String,
    /// The API's owner.
    owner: UserId,
    /// The owner's name.
    owner_name: String,
    /// Current lifecycle state.
    state: Stage,
    /// Whether its name may be omitted in the path.
    is_default: bool,
    /// Number of the deployed revision, which gateways serve if the state allows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    deployed_revision: Option<i64>,
    /// Number of changes between the deployed revision and the draft, as listed by their
    /// difference; 0 if none is deployed.
    changes: u64,
    /// Number of live subscriptions.
    subscriptions: u64,
    /// Number of those that are pending.
    pending_subscriptions: u64,
    /// Calls in the last 24 hours, including rejected ones.
    calls_last_day: u64,
    /// Number of those with a status of 500 or more.
    errors_last_day: u64,
    /// Time of the last change of draft, state or deployment.
    updated_at: Time,
}

/// The filter of the overview.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct OverviewFilter {
    /// Only versions of APIs of this kind.
    kind: Option<Kind>,
    /// Only versions in this state.
    state: Option<Stage>,
    /// Only versions of this API.
    api: Option<ApiId>,
    /// Only versions of APIs of this user; of other users for administrators.
    owner: Option<UserId>,
}

/// The calls of a version in the last day.
#[derive(Debug, Clone, Copy, Default)]
struct LastDay {
    calls: u64,
    /// Those of them with a status of 500 or more.
    errors: u64,
}

/// List the versions of one's own APIs, with their calls of the last day and pending work.
///
/// All for an administrator. The sort order `name` is by the API's name.
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
    let query = Wanted {
        owner: match caller.is(Role::Administrator) {
            true => filter.owner,
            false => Some(caller.user),
        },
        kind: filter.kind,
        state: filter.state,
        api: filter.api,
        pattern: pattern.as_deref(),
    };
    let found = overview::find(&control.store, query, &find.part()?).await?;
    let page = find.page(found, |it| (it.offer.version.id, &it.offer.api.name));
    let unlike: Vec<_> = page
        .items
        .iter()
        .filter(|it| !it.is_same)
        .map(|it| it.offer.version.id)
        .collect();
    let changes = overview::changes(&control.store, &unlike).await?;
    let ids = page.items.iter().map(|it| it.offer.version.id).collect();
    let calls = calls(&control, ids).await?;
    Ok(Json(page.map(|overview| {
        let id = overview.offer.version.id;
        let changes = changes.get(&id).copied().unwrap_or_default();
        show_body(
            overview,
            changes,
            calls.get(&id).copied().unwrap_or_default(),
        )
    })))
}

/// Returns the calls of the last day by version.
async fn calls(
    control: &Control,
    versions: Vec<VersionId>,
) -> Result<HashMap<VersionId, LastDay>, Problem> {
    let now_us = control.now_us();
    let question = Question {
        group_by: vec![Dimension::Version],
        filter: Filter {
            versions: Some(versions),
            ..Filter::default()
        },
        measures: Some(vec!["calls", "server_errors"]),
        ..Question::of(now_us - DAY_US..now_us)
    };
    let rows = control.usage.query(&question).await?.rows.into_iter();
    let calls = rows.filter_map(|row| {
        let last_day = LastDay {
            calls: row.measures.calls,
            errors: row.measures.server_errors,
        };
        Some((row.version()?, last_day))
    });
    Ok(calls.collect())
}

fn show_body(overview: Overview, changes: u64, last_day: LastDay) -> VersionOverview {
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
        calls_last_day: last_day.calls,
        errors_last_day: last_day.errors,
        updated_at: Time(version.updated_us),
    }
}

#[cfg(test)]
mod tests;
