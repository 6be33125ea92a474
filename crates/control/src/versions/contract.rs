//! The contract of a version's SOAP service: what its draft was made of, and making it anew.

use axum::extract::{Request, State};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::id::VersionId;
use tollgate_model::soap::SoapService;
use tollgate_soap::compile::Choice;
use tollgate_store::{contracts, versions};

use super::draft::MayMatch;
use crate::apis::wsdl::{Read, read, upstream};
use crate::contracts::gather::ContractUrl;
use crate::contracts::report::{self, ContractReport};
use crate::contracts::{service, set_of};
use crate::error::Problem;
use crate::json::Json;
use crate::parameters::{Path, Query, etag};
use crate::state::Control;

/// Which part of a contract is published.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContractQuery {
    /// The service of the contract; the one of the draft when absent, if the contract has it.
    service: Option<String>,
    /// Its port; the one of the draft when absent, if the service has it.
    port: Option<String>,
    /// Path of the WSDL in an archive; the only one that no other imports when absent.
    main: Option<String>,
}

/// A draft made of another contract, and what that changes.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ReplacedContract {
    /// The draft now.
    draft: Configuration,
    /// Operations that it had not before.
    added: Vec<String>,
    /// Operations that it has no more.
    removed: Vec<String>,
    /// The port's address, where it can be an upstream; put it into the draft if it is right.
    proposed_upstream: Option<String>,
    /// What was understood of the contract, and what was not.
    report: ContractReport,
}

/// See what was understood of the contract of a version's draft.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/contract", tag = "contracts",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The report of its import", body = ContractReport)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    Path(id): Path<VersionId>,
) -> Result<Json<ContractReport>, Problem> {
    let draft = versions::draft(&control.store, id).await?;
    let soap = draft.configuration.soap;
    let soap = soap.ok_or_else(|| Problem::unknown("contract"))?;
    let documents = contracts::documents(&control.store, id, &soap.contract).await?;
    if documents.is_empty() {
        return Err(Problem::unknown("contract"));
    }
    let _turn = control.contracts.reads.acquire().await;
    let reading = tokio::task::spawn_blocking(move || {
        let (set, main) = set_of(&documents).map_err(|it| Problem::at("", "wsdl.kept", it))?;
        let imported = tollgate_soap::import::read(&set, &main);
        imported.map_err(|error| Problem::at("", error.code(), error.to_string()))
    });
    let imported = reading.await.map_err(|error| Problem::internal(&error))??;
    Ok(Json(report::of(imported.report, None, None)))
}

/// Make the draft of a version anew of a contract.
///
/// The body is as for the import of an API. What the draft says of operations that the contract
/// has still, and everything else of it, stays. Gateways see nothing of it until a revision is
/// deployed. `If-Match` may be sent to be sure of what is changed.
#[utoipa::path(
    put, path = "/api/v1/versions/{version}/contract", tag = "contracts",
    request_body(description = "The contract", content(
        (String = "text/xml"), (Vec<u8> = "application/zip"), (ContractUrl = "application/json"),
    )),
    params(
        ("version" = VersionId, Path),
        ContractQuery,
        ("If-Match" = Option<String>, Header, description = "The ETag of the draft"),
    ),
    responses((status = 200, description = "The draft now", body = ReplacedContract)),
)]
pub(crate) async fn replace(
    State(control): State<Control>,
    Path(id): Path<VersionId>,
    MayMatch(if_match): MayMatch,
    Query(query): Query<ContractQuery>,
    request: Request,
) -> Result<impl IntoResponse, Problem> {
    let version = versions::by_id(&control.store, id).await?;
    if version.kind == Kind::Rest {
        let detail = "an API of kind rest has no contract; import it as another API";
        return Err(Problem::conflict("version.kind", detail));
    }
    let before = versions::draft(&control.store, id).await?;
    let before = before.configuration.soap;
    let choice = Choice {
        service: query.service,
        port: query.port,
    };
    let kept = Choice {
        service: choice
            .service
            .clone()
            .or(before.as_ref().map(|it| it.service.clone())),
        port: choice.port.clone().or(before.map(|it| it.port)),
    };
    let (gathered, Read { imported, compiled }) =
        read(&control, request, query.main, [kept, choice]).await?;
    let contract = gathered.contract();
    let mut tx = control.store.write().await?;
    let draft = versions::draft(&control.store, id).await?;
    if let Some(if_match) = if_match {
        if_match.check(draft.etag)?;
    }
    let before = draft.configuration.soap.as_ref();
    let soap = service(&compiled, contract.digest.clone(), before);
    let added = missing(before, &soap);
    let removed = before.map_or_else(Vec::new, |before| missing(Some(&soap), before));
    let configuration = Configuration {
        soap: Some(soap),
        ..draft.configuration
    };
    super::draft::check(version.kind, &configuration)?;
    contracts::keep(&mut tx, id, &contract).await?;
    let now_us = control.now_us();
    let new = versions::save_draft(&mut tx, id, draft.etag, &configuration, now_us).await?;
    control.commit(tx).await?;
    let body = ReplacedContract {
        draft: configuration,
        added,
        removed,
        proposed_upstream: upstream(&compiled),
        report: report::of(imported.report, Some(&compiled), Some(&gathered)),
    };
    Ok((etag(new), Json(body)))
}

/// The operations of `of` that `within` has not.
fn missing(within: Option<&SoapService>, of: &SoapService) -> Vec<String> {
    let has = |name: &str| {
        let operations = within.into_iter().flat_map(|within| &within.operations);
        operations
            .into_iter()
            .any(|operation| operation.name == name)
    };
    let names = of.operations.iter().map(|operation| &operation.name);
    names.filter(|name| !has(name)).cloned().collect()
}
