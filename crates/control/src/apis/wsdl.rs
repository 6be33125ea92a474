//! Imports an API from the WSDL of a SOAP service (parsed by the crate `soap`). The operations of
//! the WSDL become the draft of the first version, the documents are stored, and the response
//! reports the unsupported parts.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::soap::SoapService;
use tollgate_soap::compile::Choice;
use tollgate_soap::import::Imported;
use tollgate_store::contracts::NewContract;

use super::import::preview::{self, SoapImportPreview, Wanted};
use super::{Beginning, CreatedApi, make};
use crate::bodies::Reading;
use crate::caller::Caller;
use crate::contracts::gather::ContractUrl;
use crate::contracts::read::{self, Read, check_style, read};
use crate::contracts::report::{self, ContractReport};
use crate::contracts::service::{Form, Style, operations, service};
use crate::error::Problem;
use crate::importing::{Admission, Reservation};
use crate::json::Json;
use crate::parameters::Query;
use crate::state::Control;
use crate::text::DESCRIPTION_MAX;
use crate::versions::upstream_of::{self, UpstreamOf};

/// Parameters of a WSDL import.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportWsdlQuery {
    /// Base path of the API at the gateway, such as `/orders`. Required, except with `dry_run`,
    /// which proposes one.
    context: Option<String>,
    /// Name of the first version; `1.0` when absent.
    version: Option<String>,
    /// Name of the API; the name of the WSDL service when absent.
    name: Option<String>,
    /// Service of the WSDL; the first one with a SOAP port when absent.
    service: Option<String>,
    /// Port of the service; its SOAP 1.2 port, else its SOAP 1.1 port, when absent. One that
    /// requires WS-Addressing or a policy that the gateway does not meet is the last choice.
    port: Option<String>,
    /// Path of the main WSDL in a zip archive; the only WSDL that no other one imports when absent.
    main: Option<String>,
    /// Kind of the API.
    #[serde(default)]
    #[param(inline, example = "soap_to_rest")]
    kind: SoapKind,
    /// How REST resources are proposed, for the kind `soap_to_rest`.
    #[param(inline, example = "rest")]
    style: Option<Style>,
    /// Source of the draft's upstream: `proposed` takes the address of the port, checked like one
    /// that is set in the draft. When absent, the draft has none.
    #[param(inline, example = "proposed")]
    upstream: Option<UpstreamOf>,
    /// Whether to return a preview and save nothing.
    #[serde(default)]
    dry_run: bool,
}

/// How callers call an API of a SOAP service.
#[derive(Debug, Clone, Copy, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
enum SoapKind {
    /// With SOAP messages, which the gateway forwards.
    #[default]
    Soap,
    /// As REST with JSON: each operation that REST can call has a resource.
    SoapToRest,
}

impl From<SoapKind> for Kind {
    fn from(kind: SoapKind) -> Self {
        match kind {
            SoapKind::Soap => Self::Soap,
            SoapKind::SoapToRest => Self::SoapToRest,
        }
    }
}

/// The imported API, and a report on its WSDL.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ImportedSoapApi {
    #[serde(flatten)]
    created: CreatedApi,
    /// The imported service of the WSDL.
    service: String,
    /// The imported port of the service.
    port: String,
    /// Number of imported operations.
    operations: usize,
    /// Address of the port, if it can be an upstream. The draft has it with `upstream=proposed`;
    /// otherwise set it there if it is right.
    proposed_upstream: Option<String>,
    /// Report on the WSDL.
    report: ContractReport,
}

/// Import an API from a WSDL.
///
/// The body is a WSDL, a zip archive with the WSDL and its schemas, or a JSON object with the URL
/// of the WSDL; at most 8 MiB. Documents that it refers to by URL are fetched. With the kind
/// `soap_to_rest` the draft contains a proposed resource for each operation, and the report lists
/// these resources, and the operations that REST cannot call with the reason. With
/// `upstream=proposed` the draft gets the address of the port as its upstream: 422
/// `upstream.not_proposed` if it cannot be one, and the codes of a draft's upstream. With
/// `dry_run=true` nothing is saved: the response is a preview.
#[utoipa::path(
    post, path = "/api/v1/apis/import/wsdl", tag = "apis", operation_id = "import_wsdl",
    params(ImportWsdlQuery),
    request_body(description = "The WSDL", content(
        (String = "text/xml"), (Vec<u8> = "application/zip"), (ContractUrl = "application/json"),
    )),
    responses(
        (status = 200, description = "The preview, with `dry_run`", body = SoapImportPreview),
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
    let kind = query.kind.into();
    check_style(kind, query.style)?;
    let mut admission = control.importing.admission();
    let choices = [choice.clone(), choice];
    let (read, reservation) = read(
        &control.fetcher,
        &mut admission,
        request,
        query.main,
        choices,
    )
    .await?;
    let style = query.style.unwrap_or_default();
    let described = describe(&admission, read, reservation, kind, style).await?;
    let proposed = described.proposed_upstream.as_deref();
    let upstream = upstream_of::of_new(&control, kind, query.upstream, proposed).await;
    let mut wanted = Wanted {
        name: query.name.unwrap_or_else(|| described.service.clone()),
        kind,
        context: query.context,
        version: query.version.unwrap_or_else(|| "1.0".to_owned()),
        description: described.description,
        faults: Vec::new(),
    };
    let (soap, report) = (described.soap, described.report);
    if query.dry_run {
        wanted.faults = upstream_of::faults(upstream)?;
        let operations = soap.operations.into_iter();
        let preview = SoapImportPreview {
            api: preview::of_api(&control, &caller, wanted).await?,
            operations: operations.map(|operation| operation.name).collect(),
            proposed_upstream: described.proposed_upstream,
            report,
            service: described.service,
            port: described.port,
        };
        return Ok(Json(preview).into_response());
    }
    let count = soap.operations.len();
    let beginning = Beginning {
        draft: Configuration {
            soap: Some(soap),
            upstream: upstream?,
            ..Configuration::initial(wanted.kind)
        },
        document: None,
        contract: Some(described.contract),
    };
    let created = make(&control, &caller, wanted.whole()?, beginning).await?;
    let body = ImportedSoapApi {
        created,
        operations: count,
        proposed_upstream: described.proposed_upstream,
        report,
        service: described.service,
        port: described.port,
    };
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// The parts of a contract that an API begins with.
struct Described {
    soap: SoapService,
    contract: NewContract,
    report: ContractReport,
    description: String,
    proposed_upstream: Option<String>,
    service: String,
    port: String,
    /// Counts the documents among the bodies in memory.
    _held: Vec<Reading>,
}

/// Returns the parts of a contract that an API begins with. The memory to read it is free then.
async fn describe(
    admission: &Admission<'_>,
    read: Read,
    reservation: Reservation,
    kind: Kind,
    style: Style,
) -> Result<Described, Problem> {
    let describing = admission.run(reservation, move || {
        let Read {
            gathered,
            imported,
            compiled,
            contract,
        } = read;
        let formed = Form::IMPORTED.apply(compiled);
        let (soap, _) = service(&formed, contract.digest.clone(), kind, style, None);
        let description = description(&imported);
        let report = report::of_import(imported.report, &formed, &gathered);
        Described {
            report: report.with(soap.rest.as_ref(), &operations(&formed)),
            soap,
            contract,
            description,
            proposed_upstream: read::upstream(&formed),
            service: formed.service,
            port: formed.port,
            _held: gathered.held,
        }
    });
    Ok(describing.await?.0)
}

/// The documentation of the WSDL, without control characters, cut to the length of a description.
fn description(imported: &Imported) -> String {
    let text = imported.report.documentation.as_deref();
    let characters = text.unwrap_or_default().chars();
    let plain = characters.filter(|&character| !character.is_control() || character == '\n');
    let description: String = plain.take(DESCRIPTION_MAX).collect();
    description.trim().to_owned()
}
