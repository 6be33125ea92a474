//! What changes for callers who move from one version to another, usually its successor: the
//! difference of the documents that they read, or of the contracts of a SOAP service.
//!
//! Only deployed revisions of versions in the catalogue are compared, so callers learn nothing that
//! the documents do not show. A difference is computed for its first reader and cached, as the
//! documents are (`constant.rs`). `versions/difference.rs` compares the contents of one version,
//! for its owner.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::id::{RevisionId, VersionId};
use tollgate_soap::plan::ServicePlan;
use tollgate_store::documents;
use tollgate_store::versions::Offer;

use super::document::deployed;
use crate::constant::{Constant, Tag};
use crate::contracts::difference::{OperationChange, changes_of_contract, differences};
use crate::described::{Source, made};
use crate::document_difference::{DocumentDifference, compare};
use crate::error::Problem;
use crate::parameters::{Path, Query};
use crate::state::Control;

const JSON: &str = "application/json";

/// Selects the version to move to.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MoveQuery {
    /// The version to move to, of the same API; by default the successor of a deprecated version.
    to: Option<VersionId>,
}

/// What changes for callers who move from one version of an API to another.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CallerDifference {
    /// The version that callers leave.
    from: VersionId,
    /// Its name.
    #[schema(example = "1.0")]
    from_name: String,
    /// The version that they move to.
    to: VersionId,
    /// Its name.
    #[schema(example = "2.0")]
    to_name: String,
    /// Whether requests and responses were compared. False if one of the versions has no OpenAPI
    /// document: then only operations and credentials were.
    described: bool,
    /// The difference of the OpenAPI documents; absent for an API of kind `soap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<DocumentDifference>,
    /// The changes of operations, removed ones last; only for an API of kind `soap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<Vec<OperationChange>>,
}

/// List what changes for callers who move from a version to a different version of its API.
///
/// Both must be in the catalogue. 404 `successor.unknown` without `to` if the version has no
/// successor there; 409 `document.kept`, `document.too_large` or `soap.contract` if the versions
/// cannot be compared.
#[utoipa::path(
    get, path = "/api/v1/catalogue/{version}/difference", tag = "catalogue",
    operation_id = "caller_difference",
    params(
        ("version" = VersionId, Path, description = "The version that callers leave"),
        MoveQuery,
        ("If-None-Match" = Option<String>, Header, description = "The ETag of a cached response"),
    ),
    responses(
        (status = 200, description = "The differences", body = CallerDifference,
            headers(("ETag" = String))),
        (status = 304, description = "Unchanged: If-None-Match has the current ETag"),
    ),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    Path(id): Path<VersionId>,
    Query(query): Query<MoveQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let old = Deployed::load(&control, id).await?;
    let successor = old.offer.version.deprecation.as_ref();
    let successor = successor.and_then(|it| it.successor.as_ref());
    let to = query.to.or(successor.map(|it| it.id));
    let to = to.ok_or_else(|| Problem::unknown("successor"))?;
    let new = Deployed::load(&control, to).await;
    let new = new.map_err(|problem| problem.blaming("/to"))?;
    if new.offer.api.id != old.offer.api.id {
        return Err(Problem::unknown("version").blaming("/to"));
    }
    let [from, to] = [&old, &new].map(|side| side.revision.to_string());
    let release = env!("CARGO_PKG_VERSION");
    let tag = Tag::of([&*from, &*to, release].map(str::as_bytes)).part("difference");
    let documents = &control.documents;
    let making = documents.kept_or_made(&tag, async |_turn| {
        let difference = between(&control, &old, &new).await?;
        let text = serde_json::to_vec(&difference).map_err(|error| Problem::internal(&error))?;
        Ok(Constant::new(JSON, tag.clone(), text).private())
    });
    documents.answer(&tag, &headers, making).await
}

/// A version in the catalogue with what is deployed.
struct Deployed {
    offer: Offer,
    revision: RevisionId,
    configuration: Configuration,
}

impl Deployed {
    async fn load(control: &Control, id: VersionId) -> Result<Self, Problem> {
        let (offer, revision, configuration) = deployed(control, id).await?;
        Ok(Self {
            offer,
            revision,
            configuration,
        })
    }

    fn source<'d>(&'d self, uploaded: Option<&'d documents::Document>) -> Source<'d> {
        Source {
            offer: &self.offer,
            configuration: &self.configuration,
            uploaded: uploaded.map(|document| &document.bytes[..]),
        }
    }
}

async fn between(
    control: &Control,
    old: &Deployed,
    new: &Deployed,
) -> Result<CallerDifference, Problem> {
    let kind = old.offer.version.kind;
    let (mut described, mut document, mut contract) = (true, None, None);
    if kind == Kind::Soap {
        contract = Some(compare_contracts(control, old, new).await?);
    } else {
        let before = documents::of_revision(&control.store, old.revision).await?;
        let after = documents::of_revision(&control.store, new.revision).await?;
        described = kind != Kind::Rest || before.is_some() && after.is_some();
        // With one document only, everything that it describes would look new or removed.
        let [before, after] = [&before, &after].map(|it| it.as_ref().filter(|_| described));
        let mut admission = control.importing.admission();
        let (before, after) = (old.source(before), new.source(after));
        document = Some(compare(control, &mut admission, before, after).await?);
    }
    Ok(CallerDifference {
        from: old.offer.version.id,
        from_name: old.offer.version.name.clone(),
        to: new.offer.version.id,
        to_name: new.offer.version.name.clone(),
        described,
        document,
        contract,
    })
}

async fn compare_contracts(
    control: &Control,
    old: &Deployed,
    new: &Deployed,
) -> Result<Vec<OperationChange>, Problem> {
    let before = made(control, &old.offer, &old.configuration).await?;
    let now = made(control, &new.offer, &new.configuration).await?;
    let comparing = tokio::task::spawn_blocking(move || {
        let plan = ServicePlan::from_bytes(&now.contract.plan).ok()?;
        Some(differences(&before.contract.plan, &plan))
    });
    let differences = comparing.await.map_err(|error| Problem::internal(&error))?;
    let [before, now] = [old, new].map(|side| side.configuration.soap.as_ref());
    let differences = differences.unwrap_or_default();
    Ok(changes_of_contract(before, now, &differences))
}

#[cfg(test)]
mod tests;
