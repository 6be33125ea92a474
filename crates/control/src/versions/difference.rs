//! Compares two contents of a version, or one of another version of the API with one of this:
//! drafts, deployed revisions or any others.
//!
//! `model::difference` lists the changes of the configuration; `document_difference` judges the
//! documents that callers read, `contracts::difference` compares contracts.

use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tollgate_model::api::Kind;
use tollgate_model::difference::{self, Change, Difference, Group};
use tollgate_model::id::VersionId;
use tollgate_soap::plan::ServicePlan;
use tollgate_store::comparison::{self, Comparison, Contents, Place, Side};
use tollgate_store::contracts::ContractDocument;
use tollgate_store::documents::Document;
use tollgate_store::versions::Offer;

use super::revisions::{RevisionBody, show_body};
use super::sibling;
use crate::caller::Caller;
use crate::contracts::difference::differences;
use crate::described::Source;
use crate::document_difference::{self, DocumentDifference};
use crate::error::Problem;
use crate::gateways::version_path;
use crate::json::Json;
use crate::ownership::own_version;
use crate::parameters::{Path, Query};
use crate::state::Control;

/// Maximum number of comparisons at a time: each may hold two documents or contracts.
const COMPARISONS_MAX: usize = 4;
static COMPARISONS: Semaphore = Semaphore::const_new(COMPARISONS_MAX);
/// Groups that affect the documents that callers read.
const DESCRIBED: [Group; 4] = [
    Group::Operations,
    Group::Security,
    Group::Document,
    Group::Contract,
];

/// The contents to compare.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DifferenceQuery {
    /// The older side: `draft`, `deployed` or the number of a revision; `deployed` by default.
    #[param(pattern = "^(draft|deployed|[1-9][0-9]{0,9})$", example = "3")]
    from: Option<String>,
    /// Id or name of the version of the older side, another version of the same API; by default
    /// this one.
    #[param(example = "1.0")]
    from_version: Option<String>,
    /// The newer side, in the same form; `draft` by default.
    #[param(pattern = "^(draft|deployed|[1-9][0-9]{0,9})$", example = "draft")]
    to: Option<String>,
}

/// The differences of two contents of an API's versions.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct VersionDifference {
    /// The older side.
    from: ComparedSide,
    /// The newer side.
    to: ComparedSide,
    /// The changes of the configuration by group, operations last; at most 10,000.
    changes: Vec<Change>,
    /// Whether changes of operations are missing because there are too many.
    truncated: bool,
    /// The differences of the OpenAPI documents that callers read; absent if neither side has one,
    /// or nothing has changed that they describe.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<DocumentComparison>,
    /// The differences of the contracts; absent if they are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<ContractComparison>,
}

/// One side of a comparison.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct ComparedSide {
    /// Its version.
    version: ComparedVersion,
    /// Whether it is the draft.
    is_draft: bool,
    /// The revision; absent for the draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<RevisionBody>,
    /// Whether it has an OpenAPI document.
    has_document: bool,
}

/// The version of a side.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct ComparedVersion {
    /// The version's id.
    id: VersionId,
    /// Its name.
    #[schema(example = "1.0")]
    name: String,
}

/// A comparison of the OpenAPI documents that callers read.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct DocumentComparison {
    /// The outcome.
    outcome: Outcome,
    /// The differences, if the documents were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DocumentDifference>,
    /// The reason why they could not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

/// The outcome of a comparison.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[schema(as = ComparisonOutcome)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// Both were compared.
    Compared,
    /// Only the newer side has one.
    Added,
    /// Only the older side has one.
    Removed,
    /// One of them can no longer be read.
    Unreadable,
}

/// A comparison of contracts. Added and removed operations are among the changes.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct ContractComparison {
    /// The outcome.
    outcome: Outcome,
    /// The operations of both contracts that have changed.
    operations: Vec<ContractOperationChange>,
    /// The reason why they could not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

/// An operation that another contract changes.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct ContractOperationChange {
    /// Name of the operation.
    #[schema(example = "getOrder")]
    operation: String,
    /// The changes.
    #[schema(example = json!(["its response has changed"]))]
    reasons: Vec<String>,
}

/// Compare two contents of a version, or of two versions.
///
/// For the API's owner and administrators. Each side is the draft, the deployed revision or any
/// other one; the older side may be that of another version of the API. Secrets are masked; two
/// different ones are a change nevertheless. 404 `deployment.unknown` if no revision is deployed,
/// `revision.unknown` if one does not exist, `version.unknown` if the API has no such version.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/difference", tag = "revisions",
    operation_id = "difference",
    params(("version" = VersionId, Path), DifferenceQuery),
    responses((status = 200, description = "The differences", body = VersionDifference)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Query(query): Query<DifferenceQuery>,
) -> Result<Json<VersionDifference>, Problem> {
    let from = query.from.as_deref().unwrap_or("deployed");
    let to = query.to.as_deref().unwrap_or("draft");
    let wanted = [parse_side("/from", from)?, parse_side("/to", to)?];
    let offer = own_version(&control, &caller, id).await?;
    let older = older_offer(&control, &offer, query.from_version.as_deref()).await?;
    let offers = [older, offer];
    let places = [0, 1].map(|side| Place {
        version: offers[side].version.id,
        side: wanted[side],
    });
    let _turn = COMPARISONS.acquire().await;
    let Comparison {
        sides: [from, to],
        documents,
        contracts,
    } = comparison::read(&control.store, places).await?;
    let from = from.ok_or_else(|| absent(wanted[0], "/from"))?;
    let to = to.ok_or_else(|| absent(wanted[1], "/to"))?;
    let comparing = tokio::task::spawn_blocking(move || {
        let [before, after] = [&from, &to].map(|side| difference::Contents {
            configuration: &side.configuration,
            document: side.document.as_deref(),
        });
        (difference::difference(&before, &after), [from, to])
    });
    let (found, sides) = comparing.await.map_err(|error| Problem::internal(&error))?;
    let Difference { changes, truncated } = found;
    let document = match changes.iter().any(|it| DESCRIBED.contains(&it.group)) {
        true => compare_documents(&control, &offers, &sides, documents).await?,
        false => None,
    };
    let contract = match contracts {
        Some(contracts) => Some(compare_contracts(&control, &offers, &sides, contracts).await?),
        None => None,
    };
    let [from, to] = sides;
    let from = ComparedSide::show(from, &offers[0]);
    let to = ComparedSide::show(to, &offers[1]);
    Ok(Json(VersionDifference {
        from,
        to,
        changes,
        truncated,
        document,
        contract,
    }))
}

/// Returns the version of the older side with its API: the one with this id or name, otherwise that
/// of the newer side.
///
/// # Errors
/// 404 `version.unknown` if the API has no such version.
async fn older_offer(
    control: &Control,
    newer: &Offer,
    from_version: Option<&str>,
) -> Result<Offer, Problem> {
    let Some(given) = from_version else {
        return Ok(newer.clone());
    };
    let version = sibling(&control.store, newer.api.id, given).await?;
    let version = version.ok_or_else(|| Problem::unknown("version").blaming("/from_version"))?;
    Ok(Offer {
        api: newer.api.clone(),
        version,
    })
}

/// Parses a side.
///
/// # Errors
/// 400 `query.invalid` with the field.
fn parse_side(field: &str, text: &str) -> Result<Side, Problem> {
    match text {
        "draft" => return Ok(Side::Draft),
        "deployed" => return Ok(Side::Deployed),
        _ => {}
    }
    let number = text
        .parse()
        .ok()
        .filter(|number| (1..=i32::MAX).contains(number));
    let number = number.ok_or_else(|| {
        let detail = format!(
            "{}: {text:?} is neither draft nor deployed nor the number of a revision",
            &field[1..]
        );
        Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail).blaming(field)
    })?;
    Ok(Side::Revision(number.into()))
}

fn absent(side: Side, field: &str) -> Problem {
    let noun = match side {
        Side::Deployed => "deployment",
        Side::Draft | Side::Revision(_) => "revision",
    };
    Problem::unknown(noun).blaming(field)
}

/// Compares the OpenAPI documents that callers of both sides read; `None` if neither has one.
async fn compare_documents(
    control: &Control,
    offers: &[Offer; 2],
    sides: &[Contents; 2],
    documents: Option<[Document; 2]>,
) -> Result<Option<DocumentComparison>, Problem> {
    let outcome = match [0, 1].map(|side| has_document(&offers[side], &sides[side])) {
        [false, false] => return Ok(None),
        [false, true] => Outcome::Added,
        [true, false] => Outcome::Removed,
        [true, true] => Outcome::Compared,
    };
    let mut comparison = DocumentComparison {
        outcome,
        difference: None,
        detail: None,
    };
    if matches!(outcome, Outcome::Compared) {
        let [old, new] = [0, 1].map(|side| Source {
            offer: &offers[side],
            configuration: &sides[side].configuration,
            uploaded: documents.as_ref().map(|it| &it[side].bytes[..]),
        });
        let mut admission = control.importing.admission();
        let compared = document_difference::between(control, &mut admission, old, new);
        match compared.await {
            Ok(difference) => comparison.difference = difference,
            Err(problem) if problem.status() == StatusCode::CONFLICT => {
                comparison.outcome = Outcome::Unreadable;
                comparison.detail = Some(problem.detail().to_owned());
            }
            Err(problem) => return Err(problem),
        }
    }
    Ok(Some(comparison))
}

/// Returns whether callers of these contents read an OpenAPI document that describes operations.
fn has_document(offer: &Offer, contents: &Contents) -> bool {
    let soap = contents.configuration.soap.as_ref();
    match offer.version.kind {
        Kind::Rest => contents.document.is_some(),
        Kind::Soap => false,
        Kind::SoapToRest => soap.is_some_and(|soap| soap.rest.is_some()),
    }
}

/// Compares two contracts operation by operation.
async fn compare_contracts(
    control: &Control,
    offers: &[Offer; 2],
    sides: &[Contents; 2],
    contracts: [Vec<ContractDocument>; 2],
) -> Result<ContractComparison, Problem> {
    let mut plans = Vec::new();
    for ((offer, side), documents) in offers.iter().zip(sides).zip(contracts) {
        let path = version_path(&offer.api.context, &offer.version.name);
        let made = control.contracts.of(&path, &side.configuration, documents);
        match made.await {
            Ok(made) => plans.extend(made.map(|made| made.contract.plan.clone())),
            Err(detail) => return Ok(ContractComparison::unreadable(detail)),
        }
    }
    let comparing = tokio::task::spawn_blocking(move || {
        let [before, now] = <[_; 2]>::try_from(plans).ok()?;
        let now = ServicePlan::from_bytes(&now).ok()?;
        Some(differences(&before, &now))
    });
    let compared = comparing.await.map_err(|error| Problem::internal(&error))?;
    let operations = compared.unwrap_or_default().into_iter();
    let operations =
        operations.map(|(operation, reasons)| ContractOperationChange { operation, reasons });
    Ok(ContractComparison {
        outcome: Outcome::Compared,
        operations: operations.collect(),
        detail: None,
    })
}

impl ContractComparison {
    fn unreadable(detail: String) -> Self {
        Self {
            outcome: Outcome::Unreadable,
            operations: Vec::new(),
            detail: Some(detail),
        }
    }
}

impl ComparedSide {
    fn show(contents: Contents, offer: &Offer) -> Self {
        let has_document = has_document(offer, &contents);
        let revision = contents.revision;
        Self {
            version: ComparedVersion {
                id: offer.version.id,
                name: offer.version.name.clone(),
            },
            is_draft: revision.is_none(),
            revision: revision.map(|it| show_body(it, offer.version.deployed)),
            has_document,
        }
    }
}

#[cfg(test)]
mod tests;
