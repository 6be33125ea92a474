//! Creating a version of an API: empty, as a copy of another version, or from an OpenAPI document.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind, version_name_fault};
use tollgate_model::fault::Fault;
use tollgate_model::id::ApiId;
use tollgate_store::documents::{self, Document};
use tollgate_store::versions::{self, NewVersion};

mod body;

use body::NewVersionOrDocument;

use super::replacement::{proposed_upstream, settle, with_document};
use super::upstream_of::{self, UpstreamOf};
use super::{VersionBody, source};
use crate::caller::Caller;
use crate::error::Problem;
use crate::importing::Admission;
use crate::json::{Json, parse, read, require_json};
use crate::ownership::own_api;
use crate::parameters::{Path, Query};
use crate::policies::{self, DocumentExamples};
use crate::state::Control;
use crate::upload::security::{self, Choice, ProposedSecurity, SecurityOf};
use crate::upload::{NoteBody, Upload, is_upload, parse_upload};

/// A version to create.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewVersion)]
pub(crate) struct NewVersionBody {
    /// Unique within its API.
    #[schema(example = "2.0")]
    name: String,
    /// Id or name of the version to copy draft, plans and document from.
    #[serde(default)]
    from: Option<String>,
}

/// Parameters of a version that is created from a document.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NewVersionQuery {
    /// Name of the version; the document's `info.version` when absent.
    name: Option<String>,
    /// Id or name of the version to copy draft and plans from. Operations with the same method and
    /// shape of path keep their limits, scopes and anonymous access.
    from: Option<String>,
    /// Source of the version's security: `document` applies the security of the document. When
    /// absent, it is that of `from`; without `from`, callers need an API key.
    #[param(inline, example = "document")]
    security: Option<SecurityOf>,
    /// Whether operations with an explicit `security: []` in the document may be called without a
    /// credential, under the plan `anonymous`; requires `security=document`.
    #[serde(default)]
    allow_anonymous: bool,
    /// Source of the draft's upstream: `proposed` takes the one that the document proposes, checked
    /// like one that is set in the draft. When absent, it is that of `from`; without `from`, the
    /// draft has none.
    #[param(inline, example = "proposed")]
    upstream: Option<UpstreamOf>,
}

/// A new version, and a report on the document that it was created from.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CreatedVersion {
    #[serde(flatten)]
    version: VersionBody,
    /// The report; absent without a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<DocumentReport>,
}

/// A report on the document of a new version.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct DocumentReport {
    /// Number of imported operations.
    operations: usize,
    /// The first server that can be an upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_upstream: Option<String>,
    /// The document's security, converted for the draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_security: Option<ProposedSecurity>,
    /// Parts of the document that have no effect.
    notes: Vec<NoteBody>,
}

/// Create a version, in state `created`.
///
/// For the API's owner and administrators. The body is a name, with the version to copy; or, for an
/// API of kind `rest`, an OpenAPI document or its URL, as for the import of an API. The query
/// parameters apply to a document only.
#[utoipa::path(
    post, path = "/api/v1/apis/{api}/versions", tag = "versions",
    request_body(description = "The version, or its document", content(
        (NewVersionOrDocument = "application/json"), (String = "application/yaml"),
    )),
    params(("api" = ApiId, Path), NewVersionQuery),
    responses((status = 201, description = "The version", body = CreatedVersion)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Path(api): Path<ApiId>,
    Query(query): Query<NewVersionQuery>,
    request: Request,
) -> Result<impl IntoResponse, Problem> {
    let mut admission = control.importing.admission();
    let kind = own_api(&control, &caller, api).await?.kind;
    let wanted = wanted(&control, &mut admission, kind, query, request).await?;
    let _prepared = wanted.prepare(&control, &mut admission, api).await?;
    let mut admission = admission.without_wait();
    let id = control.id()?;
    let mut tx = caller.change(&control).await?;
    let kind = own_api(&control, &caller, api).await?.kind;
    let from = match &wanted.from {
        Some(from) => Some(source(&control.store, api, from).await?),
        None => None,
    };
    let copied = match from {
        Some(from) => versions::draft(&control.store, from).await?.configuration,
        None => Configuration::initial(kind),
    };
    let (draft, described) = match wanted.document {
        Some(described) => {
            let (draft, document, report) = describe(&mut admission, &copied, described).await?;
            (draft, Some((document, report)))
        }
        None => (copied, None),
    };
    let new = NewVersion {
        id,
        name: wanted.name,
        draft,
        created_us: control.now_us(),
    };
    versions::create(&mut tx, api, &new, from).await?;
    if let Some((document, _)) = &described {
        documents::put(&mut tx, id, document).await?;
    }
    tx.commit(|| caller.log("version.created", id)).await?;
    let version = versions::by_id(&control.store, id).await?;
    let body = CreatedVersion {
        version: version.into(),
        document: described.map(|(_, report)| report),
    };
    Ok((StatusCode::CREATED, Json(body)))
}

/// The version that a request creates.
struct Wanted {
    name: String,
    from: Option<String>,
    document: Option<Described>,
}

/// The document of a version to create, and the parts of it that are applied.
struct Described {
    upload: Upload,
    security: Choice,
    upstream: Option<UpstreamOf>,
}

impl Wanted {
    /// Does before the write what would hold it for too long: reads the examples of the document if
    /// the copied steps need them, and resolves the host of a proposed upstream.
    ///
    /// # Errors
    /// Fails like [`policies::examples`] and [`upstream_of::judge_if_requested`], or if there is no
    /// version to copy.
    async fn prepare(
        &self,
        control: &Control,
        admission: &mut Admission<'_>,
        api: ApiId,
    ) -> Result<DocumentExamples, Problem> {
        let Some(described) = &self.document else {
            return Ok(DocumentExamples::default());
        };
        let copied = match &self.from {
            Some(from) => {
                let from = source(&control.store, api, from).await?;
                versions::draft(&control.store, from).await?.configuration
            }
            None => Configuration::initial(Kind::Rest),
        };
        let copied = described.set_upstream(copied)?;
        upstream_of::judge_if_requested(control, Kind::Rest, described.upstream, &copied).await?;
        let document = async { Ok(Some(described.upload.document.clone())) };
        policies::examples(admission, &copied, document).await
    }
}

impl Described {
    /// Returns a draft with the proposed upstream if it is requested.
    fn set_upstream(&self, draft: Configuration) -> Result<Configuration, Problem> {
        let proposed = self.upload.imported.upstream.as_deref();
        upstream_of::set_if_requested(draft, self.upstream, proposed)
    }
}

/// Reads the version to create in an API of this kind.
async fn wanted(
    control: &Control,
    admission: &mut Admission<'_>,
    kind: Kind,
    query: NewVersionQuery,
    request: Request,
) -> Result<Wanted, Problem> {
    let headers = request.headers().clone();
    let body = read(request).await?;
    if !is_upload(&headers, &body) {
        require_json(&headers)?;
        if query != NewVersionQuery::default() {
            let detail = "the query parameters apply to a document only";
            let status = StatusCode::BAD_REQUEST;
            return Err(Problem::new(status, "query.invalid", detail));
        }
        let NewVersionBody { name, from } = parse(&body)?;
        return match version_name_fault(&name) {
            Some(fault) => Err(Fault::new("/name", &fault.code, fault.detail).into()),
            None => Ok(Wanted {
                name,
                from,
                document: None,
            }),
        };
    }
    if kind != Kind::Rest {
        let detail = format!(
            "an API of kind {} is described by its contract: copy a version, then replace the \
             contract of the copy",
            kind.word()
        );
        return Err(Problem::conflict("version.kind", detail));
    }
    let upload = parse_upload(control, admission, body).await?;
    Ok(Wanted {
        name: name_of(query.name, &upload)?,
        from: query.from,
        document: Some(Described {
            upload,
            security: Choice {
                of: query.security,
                allow_anonymous: query.allow_anonymous,
            },
            upstream: query.upstream,
        }),
    })
}

/// Returns the requested name, or the version of the document.
fn name_of(requested: Option<String>, upload: &Upload) -> Result<String, Problem> {
    let is_requested = requested.is_some();
    let name = requested.unwrap_or_else(|| upload.imported.version.clone());
    let Some(fault) = version_name_fault(&name) else {
        return Ok(name);
    };
    let (field, hint) = match is_requested {
        true => ("/name", ""),
        false => (
            "/info/version",
            "; set another one with the query parameter name",
        ),
    };
    let detail = format!("{}{hint}", fault.detail);
    Err(Fault::new(field, &fault.code, detail).into())
}

/// Returns the draft with the operations of a document, the document and the report.
async fn describe(
    admission: &mut Admission<'_>,
    copied: &Configuration,
    described: Described,
) -> Result<(Configuration, Document, DocumentReport), Problem> {
    let before = described.set_upstream(copied.clone())?;
    let Described {
        upload, security, ..
    } = described;
    let mut imported = upload.imported;
    let (proposed_security, security) = security::apply_if_requested(&mut imported, security)?;
    let with_operations = with_document(&before, &mut imported)?;
    let draft = settle(&before, with_operations, security.as_ref(), &[]);
    let document = async { Ok(Some(upload.document.clone())) };
    let examples = policies::examples(admission, &draft, document).await?;
    policies::judge(&draft, Kind::Rest, &examples)?;
    let report = DocumentReport {
        operations: draft.operations.len(),
        proposed_upstream: proposed_upstream(&mut imported, copied),
        proposed_security,
        notes: imported.notes.into_iter().map(NoteBody::from).collect(),
    };
    Ok((draft, upload.document, report))
}
