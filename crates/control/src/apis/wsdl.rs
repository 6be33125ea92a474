//! Making an API of a SOAP service's contract: its operations become the first draft, the
//! documents are kept, and everything that was not understood is told (crate `soap`).

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind};
use tollgate_soap::compile::Choice;
use tollgate_soap::import::Imported;

use super::import::preview::{self, SoapImportPreview, Wanted};
use super::{Beginning, CreatedApi, make};
use crate::caller::Caller;
use crate::contracts::gather::ContractUrl;
use crate::contracts::read::{Read, check_style, read, upstream};
use crate::contracts::report::{self, ContractReport};
use crate::contracts::service::{Style, operations, service};
use crate::error::Problem;
use crate::json::Json;
use crate::parameters::Query;
use crate::state::Control;
use crate::text::DESCRIPTION_MAX;

/// What the contract does not say of the API.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportWsdlQuery {
    /// Where it is called at the gateway, such as `/orders`; needed unless `dry_run` is asked for,
    /// which proposes one.
    context: Option<String>,
    /// Name of its first version; `1.0` when absent.
    version: Option<String>,
    /// The API's name; that of the service when absent.
    name: Option<String>,
    /// The service of the contract; the first one with a SOAP port when absent.
    service: Option<String>,
    /// Its port; that of SOAP 1.2, else of 1.1, when absent.
    port: Option<String>,
    /// Path of the WSDL in an archive; the only one that no other imports when absent.
    main: Option<String>,
    /// What the API's calls are.
    #[serde(default)]
    #[param(inline, example = "soap_to_rest")]
    kind: SoapKind,
    /// How resources are proposed, in an API of kind `soap_to_rest`.
    #[param(inline, example = "rest")]
    style: Option<Style>,
    /// Whether to answer what would be made, and to save nothing.
    #[serde(default)]
    dry_run: bool,
}

/// What calls of an API for a SOAP service are.
#[derive(Debug, Clone, Copy, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
enum SoapKind {
    /// SOAP, passed on.
    #[default]
    Soap,
    /// Methods on paths with JSON: each operation that can be has a resource.
    SoapToRest,
}

/// An API made of a contract, and what was understood of it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ImportedSoapApi {
    #[serde(flatten)]
    created: CreatedApi,
    /// The published service.
    service: String,
    /// Its published port.
    port: String,
    /// How many operations were taken over.
    operations: usize,
    /// The port's address, where it can be an upstream; put it into the draft if it is right.
    proposed_upstream: Option<String>,
    /// What was understood of the contract, and what was not.
    report: ContractReport,
}

/// Make an API of a WSDL.
///
/// The body is the WSDL, a zip archive of it and its schemas, or a JSON object that names its URL;
/// at most 8 MiB. What the documents refer to on the web is fetched. The API has the kind `soap`,
/// or `soap_to_rest`: then the draft has a proposed resource for each operation, to be edited
/// there, and the report names them, and what REST cannot call with the reason. With
/// `dry_run=true` nothing is saved: the answer tells what would be made.
#[utoipa::path(
    post, path = "/api/v1/apis/import/wsdl", tag = "apis", operation_id = "import_wsdl",
    params(ImportWsdlQuery),
    request_body(description = "The contract", content(
        (String = "text/xml"), (Vec<u8> = "application/zip"), (ContractUrl = "application/json"),
    )),
    responses(
        (status = 200, description = "What would be made", body = SoapImportPreview),
        (status = 201, description = "The API and its first version", body = ImportedSoapApi),
    ),
)]
pub(crate) async fn import(
    State(control): State<Control>,
    caller: Caller,
    Query(query): Query<ImportWsdlQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let choice = Choice {
        service: query.service,
        port: query.port,
    };
    let kind = match query.kind {
        SoapKind::Soap => Kind::Soap,
        SoapKind::SoapToRest => Kind::SoapToRest,
    };
    check_style(kind, query.style)?;
    let (gathered, read) = read(
        &control.fetcher,
        request,
        query.main,
        [choice.clone(), choice],
    )
    .await?;
    let Read { imported, compiled } = read;
    let contract = gathered.contract();
    let wanted = (kind, query.style.unwrap_or_default());
    let (soap, _) = service(&compiled, contract.digest.clone(), wanted, None);
    let report = report::of_import(imported.report.clone(), &compiled, &gathered);
    let report = report.with(soap.rest.as_ref(), &operations(&compiled));
    let wanted = Wanted {
        name: query.name.unwrap_or_else(|| compiled.service.clone()),
        kind,
        context: query.context,
        version: query.version.unwrap_or_else(|| "1.0".to_owned()),
        description: description(&imported),
    };
    if query.dry_run {
        let operations = soap.operations.into_iter();
        let preview = SoapImportPreview {
            api: preview::of_api(&control, wanted).await?,
            operations: operations.map(|operation| operation.name).collect(),
            proposed_upstream: upstream(&compiled),
            report,
            service: compiled.service,
            port: compiled.port,
        };
        return Ok(Json(preview).into_response());
    }
    let count = soap.operations.len();
    let beginning = Beginning {
        draft: Configuration {
            soap: Some(soap),
            ..Configuration::default()
        },
        document: None,
        contract: Some(contract),
    };
    let created = make(&control, &caller, wanted.whole()?, beginning).await?;
    let body = ImportedSoapApi {
        created,
        operations: count,
        proposed_upstream: upstream(&compiled),
        report,
        service: compiled.service,
        port: compiled.port,
    };
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// What a contract says of itself, as far as a description holds it.
fn description(imported: &Imported) -> String {
    let said = imported.report.documentation.as_deref();
    let said = said.unwrap_or_default().chars();
    let plain = said.filter(|&character| !character.is_control() || character == '\n');
    let description: String = plain.take(DESCRIPTION_MAX).collect();
    description.trim().to_owned()
}
