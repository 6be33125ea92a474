//! The deployed revision of a version. Rolling back means deploying an older one.

use std::collections::HashSet;

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::compile::{self, Documents};
use tollgate_model::fault::Fault;
use tollgate_model::id::{RevisionId, VersionId};
use tollgate_model::lifecycle::{AtGateway, State as Stage};
use tollgate_store::lifecycle::{self, Deploy};
use tollgate_store::versions::Offer;
use tollgate_store::{contracts, documents, revisions};

use super::revisions::{RevisionBody, show_body};
use super::{limited_plans, upstreams};
use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::gateways::version_path;
use crate::json::Json;
use crate::ownership::own_version;
use crate::parameters::Path;
use crate::policies::{self, DocumentExamples};
use crate::state::Control;
use crate::text::{DESCRIPTION_MAX, text_fault};

/// The deployment of a version.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Deployment {
    /// State of the version, which may keep it off the gateways.
    state: Stage,
    /// The deployed revision; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<RevisionBody>,
}

/// A revision to deploy.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Deploy)]
pub(crate) struct DeployBody {
    /// Number of the revision.
    revision: u32,
    /// The reason, for the version's history.
    #[serde(default)]
    note: String,
    /// Proceed even if no access tokens are issued and every protected operation requires one.
    #[serde(default)]
    without_tokens: bool,
}

/// Get the deployed revision of a version.
///
/// For the API's owner and administrators.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/deployment", tag = "deployments",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The deployment", body = Deployment)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Json<Deployment>, Problem> {
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let revision = match version.deployed {
        None => None,
        Some(deployed) => {
            let (revision, _) = revisions::by_id(&control.store, deployed).await?;
            Some(show_body(revision, Some(deployed)))
        }
    };
    Ok(Json(Deployment {
        state: version.state,
        revision,
    }))
}

/// Deploy a revision of a version.
///
/// For the API's owner and administrators. When this returns, every gateway serves the revision;
/// each call is handled entirely by the old or the new one. For a published or blocked version, 409
/// `lifecycle.no_tokens` if every protected operation accepts only access tokens and none are
/// issued, unless `without_tokens` is set.
#[utoipa::path(
    put, path = "/api/v1/versions/{version}/deployment", tag = "deployments",
    request_body = DeployBody, params(("version" = VersionId, Path)),
    responses((status = 200, description = "The changed deployment", body = Deployment)),
)]
pub(crate) async fn replace(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Json(body): Json<DeployBody>,
) -> Result<Json<Deployment>, Problem> {
    if let Some(fault) = text_fault("/note", &body.note, DESCRIPTION_MAX) {
        return Err(fault.into());
    }
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let number = i64::from(body.revision);
    let (revision, configuration) = revisions::by_number(&control.store, id, number).await?;
    upstreams::judge(&control, &configuration).await?;
    refuse_any(limited_plans::faults(&control.store, &configuration).await?)?;
    let contracts = &control.contracts;
    let prepared = contracts.prepare(&control.store, &version, &configuration);
    let _prepared = prepared.await?;
    // A revision does not change.
    let document = documents::of_revision(&control.store, revision.id);
    let mut admission = control.importing.admission();
    let examples = policies::examples(&mut admission, &configuration, document).await?;
    let mut tx = caller.change(&control).await?;
    let offer = own_version(&control, &caller, id).await?;
    let state = offer.version.state;
    if state == Stage::Retired {
        let detail = "no revision of a retired version can be deployed";
        return Err(Problem::conflict("deployment.retired", detail));
    }
    let (revision, configuration) = revisions::by_number(&control.store, id, number).await?;
    let is_protected = matches!(state, Stage::Published | Stage::Blocked);
    if is_protected
        && !body.without_tokens
        && let Some(fault) = no_tokens(&control, &configuration)
    {
        return Err(Problem::conflict("lifecycle.no_tokens", fault.detail));
    }
    let now_us = control.now_us();
    check(&control, &offer, revision.id, &configuration, &examples).await?;
    let deploy = Deploy {
        version: id,
        revision: revision.id,
        by: caller.user,
        note: &body.note,
        at_us: now_us,
    };
    lifecycle::deploy(&mut tx, &deploy).await?;
    tx.commit(|| caller.log_change("version.deployed", id, &format!("revision {number}")))
        .await?;
    let deployed = Some(revision.id);
    Ok(Json(Deployment {
        state,
        revision: Some(show_body(revision, deployed)),
    }))
}

/// Returns the fault of a configuration with protected operations that accept only access tokens,
/// if none are issued.
pub(super) fn no_tokens(control: &Control, configuration: &Configuration) -> Option<Fault> {
    let count = configuration.operations_by_token();
    if count == 0 || control.token_url().is_some() {
        return None;
    }
    let detail = format!(
        "{count} operations accept only access tokens, and this installation issues none: set \
         control.public_url and gateway.public_url, or https_listen on both planes; or let the \
         version accept API keys or HTTP Basic; or send \"without_tokens\": true"
    );
    Some(Fault::new("/without_tokens", "lifecycle.no_tokens", detail))
}

/// Rejects a configuration that cannot be served in the version's state, with all its faults.
pub(crate) async fn check(
    control: &Control,
    offer: &Offer,
    revision: RevisionId,
    configuration: &Configuration,
    examples: &DocumentExamples,
) -> Result<(), Problem> {
    let Offer { api, version } = offer;
    let compiled = compile::Version {
        id: version.id,
        api: api.id,
        kind: api.kind,
        api_name: api.name.clone(),
        context: api.context.clone(),
        name: version.name.clone(),
        is_default: version.is_default,
        // They are no part of what can be refused.
        other_versions: Vec::new(),
        // The same rules apply to a revision that is deployed before the version is published.
        deprecation: None,
        state: Stage::Published,
        revision,
    };
    let documents = match &configuration.soap {
        Some(soap) => contracts::documents(&control.store, version.id, &soap.contract).await?,
        None => Vec::new(),
    };
    let path = version_path(&api.context, &version.name);
    let made = control
        .contracts
        .of(&path, configuration, documents)
        .await
        .map_err(|detail| Fault::new("/soap/contract", "soap.contract", detail))?;
    // No header parameter of the OpenAPI document can be a fault.
    let documents = Documents {
        contract: made.as_ref().map(|made| &made.contract),
        ..Documents::default()
    };
    let compiled = compile::compile(&compiled, configuration, documents, control.now_us());
    let mut faults = compiled.err().unwrap_or_default();
    faults.extend(
        policies::compiled(configuration, api.kind, examples)
            .err()
            .unwrap_or_default(),
    );
    if let Some(made) = &made {
        let misfits = control.contracts.misfits(made, configuration).await;
        let known: HashSet<_> = faults.iter().map(|fault| fault.field.clone()).collect();
        let more = misfits.iter().filter(|fault| !known.contains(&fault.field));
        faults.extend(more.cloned());
    }
    if version.state.at_gateway() != AtGateway::Absent {
        let needs = |what| format!("a {} version needs {what}", version.state.word());
        if !policies::is_answered(configuration, api.kind) {
            let detail = needs("an upstream");
            faults.push(Fault::new("/upstream", "deployment.no_upstream", detail));
        }
        if !configuration.is_callable(api.kind) {
            let field = match api.kind {
                Kind::Rest => "/operations",
                Kind::Soap | Kind::SoapToRest => "/soap/rest/resources",
            };
            let detail = needs("at least one callable operation");
            faults.push(Fault::new(field, "deployment.no_operation", detail));
        }
    }
    refuse_any(faults)
}
