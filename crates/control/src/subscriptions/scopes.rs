//! Scopes by approval: the API's owner grants them to a subscription, one list at a time.
//!
//! The gateway checks the scopes that are granted at the time of a call, so that revoking a scope
//! affects existing tokens.

use std::collections::BTreeSet;

use axum::extract::State;
use tollgate_model::fault::Fault;
use tollgate_model::id::{SubscriptionId, VersionId};
use tollgate_model::security::Security;
use tollgate_store::subscriptions as rows;
use tollgate_store::{StoreError, revisions, versions};

use super::access::{live, require_own_api};
use super::{SubscriptionBody, show_body};
use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::json::Json;
use crate::parameters::Path;
use crate::state::Control;

/// Grant scopes by approval to a subscription, and revoke the others.
///
/// For the API's owner and administrators. The body lists the names of scopes that are given by
/// approval in the version's deployed revision or draft. Takes effect at once, also on existing
/// tokens: no call that starts after the response is allowed by a revoked scope.
#[utoipa::path(
    put, path = "/api/v1/subscriptions/{subscription}/scopes", tag = "subscriptions",
    params(("subscription" = SubscriptionId, Path)), request_body = Vec<String>,
    responses((status = 200, description = "The changed subscription", body = SubscriptionBody)),
)]
pub(crate) async fn replace(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<SubscriptionId>,
    Json(names): Json<Vec<String>>,
) -> Result<Json<SubscriptionBody>, Problem> {
    let mut tx = caller.change(&control).await?;
    let subscription = live(&control, id).await?;
    require_own_api(&control, &caller, &subscription).await?;
    let declared = declared(&control, subscription.version).await?;
    refuse_any(faults(&names, &subscription.scopes, &declared))?;
    let scopes: Vec<_> = names
        .into_iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    rows::set_scopes(&mut tx, id, &scopes).await?;
    let granted = if scopes.is_empty() {
        "none".to_owned()
    } else {
        scopes.join(" ")
    };
    tx.commit(|| caller.log_change("subscription.scopes_granted", id, &granted))
        .await?;
    Ok(Json(show_body(rows::named(&control.store, id).await?)))
}

/// Reads the security of the deployed revision and of the draft.
async fn declared(control: &Control, version: VersionId) -> Result<Vec<Security>, StoreError> {
    let store = &control.store;
    let mut declared = vec![
        versions::draft(store, version)
            .await?
            .configuration
            .security(),
    ];
    if let Some(deployed) = versions::by_id(store, version).await?.deployed {
        let (_, configuration) = revisions::by_id(store, deployed).await?;
        declared.push(configuration.security());
    }
    Ok(declared)
}

/// Returns the faults of a list of scopes to grant. A scope that is granted already may stay, even
/// if the version no longer has it.
fn faults(names: &[String], granted: &[String], declared: &[Security]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let mut scopes = declared.iter().filter_map(|it| it.scopes.get(name));
        let (code, detail) =
            if granted.contains(name) || scopes.clone().any(|it| it.is_by_approval()) {
                continue;
            } else if scopes.next().is_some() {
                let detail = format!("the version gives {name:?} freely: no approval is needed");
                ("scope.given_freely", detail)
            } else {
                (
                    "scope.unknown",
                    format!("the version has no scope {name:?}"),
                )
            };
        faults.push(Fault::new(format!("/{index}"), code, detail));
    }
    faults
}
