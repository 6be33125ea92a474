//! The contract of a version's SOAP service: its import report, and replacing it in the draft.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::id::VersionId;
use tollgate_model::soap::SoapService;
use tollgate_soap::compile::{Choice, Ports};
use tollgate_store::contracts::NewContract;
use tollgate_store::versions::{self, Offer, Version};
use tollgate_store::{apis, contracts};

use super::draft::SeenDraft;
use crate::bodies::Reading;
use crate::caller::Caller;
use crate::contracts::difference::{self, OperationChange};
use crate::contracts::gather::ContractUrl;
use crate::contracts::read::{Read, check_style, read, upstream};
use crate::contracts::report::{self, ContractReport};
use crate::contracts::service::{Form, Style, operations, service};
use crate::contracts::{Made, set_of};
use crate::error::Problem;
use crate::gateways::version_path;
use crate::json::Json;
use crate::ownership::own_version;
use crate::parameters::{Path, Query, etag};
use crate::policies::{self, DocumentExamples};
use crate::secrets::Shown;
use crate::state::Control;

/// The part of a contract to publish.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContractQuery {
    /// The service of the contract; by default the one of the draft, if the contract has it.
    service: Option<String>,
    /// The port of the service; by default the one of the draft, if the service has it.
    port: Option<String>,
    /// Path of the WSDL in an archive; by default the only one that no other imports.
    main: Option<String>,
    /// How to propose resources for operations without one, in an API of kind `soap_to_rest`.
    #[param(inline, example = "rest")]
    style: Option<Style>,
}

/// The draft with its new contract, and the differences.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ReplacedContract {
    /// The changed draft.
    #[schema(value_type = Configuration)]
    draft: Shown,
    /// Operations that are new.
    added: Vec<String>,
    /// Operations that no longer exist.
    removed: Vec<String>,
    /// Every operation that has changed, with the effect on its resource.
    changes: Vec<OperationChange>,
    /// The port's address, if it can be an upstream; set it in the draft if it is right.
    proposed_upstream: Option<String>,
    /// Which parts of the contract were understood, and which were not.
    report: ContractReport,
}

/// Get the import report of the contract of a version's draft.
///
/// For the API's owner and administrators.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/contract", tag = "contracts",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The import report", body = ContractReport)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Json<ContractReport>, Problem> {
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let draft = versions::draft(&control.store, id).await?;
    let soap = draft.configuration.soap.as_ref();
    let soap = soap.ok_or_else(|| Problem::unknown("contract"))?;
    let documents = contracts::documents(&control.store, id, &soap.contract).await?;
    if documents.is_empty() {
        return Err(Problem::unknown("contract"));
    }
    let made = match soap.rest {
        Some(_) => made(&control, &version, &draft.configuration).await?,
        None => None,
    };
    let _turn = control.contracts.reads.reader().await;
    let bytes = documents.iter().map(|document| document.bytes.len()).sum();
    let _charge = control.contracts.reads.charge(bytes).await;
    let choice = Choice {
        service: Some(soap.service.clone()),
        port: Some(soap.port.clone()),
    };
    let reading = tokio::task::spawn_blocking(move || {
        let (set, main) = set_of(&documents).map_err(|it| Problem::at("", "wsdl.kept", it))?;
        let imported = tollgate_soap::import::read(&set, &main);
        let imported =
            imported.map_err(|error| Problem::at("", error.code(), error.to_string()))?;
        let ports = Ports::of(&imported, &choice).unwrap_or_default();
        Ok::<_, Problem>(report::of(imported.report, &ports))
    });
    let report = reading.await.map_err(|error| Problem::internal(&error))??;
    let operations = made.as_ref().map(|made| &made.contract.operations[..]);
    Ok(Json(
        report.with(soap.rest.as_ref(), operations.unwrap_or_default()),
    ))
}

/// Returns the compiled contract of a configuration; `None` if it has none, or none that can be
/// compiled.
async fn made(
    control: &Control,
    version: &Version,
    configuration: &Configuration,
) -> Result<Option<Arc<Made>>, Problem> {
    let Some(soap) = &configuration.soap else {
        return Ok(None);
    };
    let api = apis::by_id(&control.store, version.api).await?;
    let documents = contracts::documents(&control.store, version.id, &soap.contract).await?;
    let path = version_path(&api.context, &version.name);
    let made = control.contracts.of(&path, configuration, documents).await;
    Ok(made.unwrap_or_default())
}

/// Replace the contract in the draft of a version.
///
/// For the API's owner and administrators. The body is the same as for the import of an API. The
/// draft keeps its settings of operations that the contract still has, and everything else; it also
/// keeps edited resources that still fit, and the response reports the changes of the others.
/// Gateways serve the new contract only once a revision is deployed. `If-Match` is optional and
/// protects changes that were made in the meantime. 412 if the draft changes while the contract is
/// compared with it.
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
    responses((status = 200, description = "The changed draft", body = ReplacedContract)),
)]
pub(crate) async fn replace(
    State(control): State<Control>,
    caller: Caller,
    SeenDraft { id, if_match }: SeenDraft,
    Query(query): Query<ContractQuery>,
    request: Request,
) -> Result<impl IntoResponse, Problem> {
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    if version.kind == Kind::Rest {
        let detail = "an API of kind rest has no contract; import it as another API";
        return Err(Problem::conflict("version.kind", detail));
    }
    check_style(version.kind, query.style)?;
    let before = versions::draft(&control.store, id).await?.configuration;
    let mut admission = control.importing.admission();
    let choices = choices(query.service, query.port, &before);
    let reading = read(
        &control.fetcher,
        &mut admission,
        request,
        query.main,
        choices,
    );
    let (read, reservation) = reading.await?;
    // Others may have changed the draft while documents were fetched.
    let draft = versions::draft(&control.store, id).await?;
    if let Some(if_match) = if_match {
        if_match.check(draft.etag)?;
    }
    let replacement = Replacement {
        old: made(&control, &version, &draft.configuration).await?,
        before: draft.configuration,
        kind: version.kind,
        style: query.style.unwrap_or_default(),
    };
    let replacing = admission.run(reservation, move || replacement.with(read));
    let replaced = replacing.await?.0?;
    let mut tx = caller.change(&control).await?;
    own_version(&control, &caller, id).await?;
    contracts::keep(&mut tx, id, &replaced.contract).await?;
    let (now_us, configuration) = (control.now_us(), &replaced.configuration);
    let new = versions::save_draft(&mut tx, id, draft.etag, configuration, now_us).await?;
    contracts::sweep(&mut tx, id).await?;
    tx.commit(|| caller.log("contract.replaced", id)).await?;
    Ok((etag(new), Json(replaced.body)))
}

/// The draft that a new contract is merged into.
struct Replacement {
    /// The draft.
    before: Configuration,
    /// Its contract, if it can be compiled.
    old: Option<Arc<Made>>,
    kind: Kind,
    style: Style,
}

/// A draft with a new contract, to be saved.
struct Replaced {
    configuration: Configuration,
    contract: NewContract,
    body: ReplacedContract,
    /// Counts the documents among the bodies in memory.
    _held: Vec<Reading>,
}

impl Replacement {
    /// Merges a contract into the draft.
    ///
    /// # Errors
    /// 422 with the faults of the draft.
    fn with(self, read: Read) -> Result<Replaced, Problem> {
        let Read {
            gathered,
            imported,
            compiled,
            contract,
        } = read;
        let compiled = form_of(self.kind, &self.before).apply(compiled);
        let differences = self
            .old
            .as_ref()
            .map(|made| difference::differences(&made.contract.plan, &compiled.plan))
            .unwrap_or_default();
        let before = self.before.soap.as_ref();
        let (kind, digest) = (self.kind, contract.digest.clone());
        let (soap, changes) = service(&compiled, digest, kind, self.style, before);
        let changes = difference::changes(before, &soap, &compiled, &differences, &changes);
        let report = report::of_import(imported.report, &compiled, &gathered)
            .with(soap.rest.as_ref(), &operations(&compiled));
        let added = missing(before, &soap);
        let removed = before.map_or_else(Vec::new, |before| missing(Some(&soap), before));
        let configuration = Configuration {
            soap: Some(soap),
            ..self.before
        };
        policies::judge(&configuration, kind, &DocumentExamples::default())?;
        let body = ReplacedContract {
            draft: configuration.clone().into(),
            added,
            removed,
            changes,
            proposed_upstream: upstream(&compiled),
            report,
        };
        Ok(Replaced {
            configuration,
            contract,
            body,
            _held: gathered.held,
        })
    }
}

/// Returns the choices in order: the port of the draft unless another is named, then what is named.
fn choices(service: Option<String>, port: Option<String>, before: &Configuration) -> [Choice; 2] {
    let before = before.soap.as_ref();
    let kept = Choice {
        service: service.clone().or(before.map(|it| it.service.clone())),
        port: port.clone().or(before.map(|it| it.port.clone())),
    };
    [kept, Choice { service, port }]
}

/// Returns the form of the JSON of a draft; that of new imports for its first service as REST.
fn form_of(kind: Kind, configuration: &Configuration) -> Form {
    let soap = configuration.soap.as_ref();
    let soap = soap.filter(|soap| kind == Kind::Soap || soap.rest.is_some());
    soap.map_or(Form::IMPORTED, Form::of_service)
}

/// Returns the operations of `of` that `within` lacks.
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
