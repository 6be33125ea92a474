//! Revisions of a version: immutable snapshots of its draft and its document, numbered from 1.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::Configuration;
use tollgate_model::id::{RevisionId, UserId, VersionId};
use tollgate_store::documents;
use tollgate_store::revisions::{self, NewRevision, Order, Revision};
use tollgate_store::versions::{self, Offer};

use crate::caller::Caller;
use crate::error::Problem;
use crate::impact::{self, DryRun, Impact};
use crate::json::Json;
use crate::ownership::own_version;
use crate::parameters::{List, Path, Query, page_limit};
use crate::policies;
use crate::secrets::Shown;
use crate::state::Control;
use crate::text::{DESCRIPTION_MAX, text_fault};
use crate::time::Time;

/// A revision, without its configuration.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Revision)]
pub(crate) struct RevisionBody {
    /// The revision's id.
    id: RevisionId,
    /// Number within its version, counted from 1.
    number: i64,
    /// Note by the user who created it.
    note: String,
    /// The user who created it.
    created_by: UserId,
    /// That user's name; absent once the user is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by_name: Option<String>,
    /// Time of creation.
    created_at: Time,
    /// Whether it is deployed.
    is_deployed: bool,
}

/// A new revision.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct CreatedRevision {
    #[serde(flatten)]
    revision: RevisionBody,
    /// Number of the oldest revision that was not deployed, which was deleted because the version
    /// had 1,000 revisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_revision: Option<i64>,
}

/// A revision with its configuration.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RevisionDetail {
    #[serde(flatten)]
    revision: RevisionBody,
    /// The frozen configuration.
    #[schema(value_type = Configuration)]
    configuration: Shown,
}

/// A revision to create.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewRevision)]
pub(crate) struct NewRevisionBody {
    /// The reason for the revision.
    #[serde(default)]
    note: String,
}

/// The part of the list to return.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RevisionPage {
    /// Sort order; `created` by default.
    #[param(inline)]
    sort: Option<Sort>,
    /// Maximum number of revisions on the page: 1 to 500, 100 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
    /// The page starts after the revision with this number, in the same order.
    #[param(maximum = 2_147_483_647)]
    after: Option<u32>,
}

/// The order of a list of revisions.
#[derive(Debug, Clone, Copy, Deserialize, utoipa::ToSchema)]
enum Sort {
    /// Oldest first.
    #[serde(rename = "created")]
    Created,
    /// Newest first.
    #[serde(rename = "-created")]
    CreatedLast,
}

/// List the revisions of a version.
///
/// For the API's owner and administrators.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/revisions", tag = "revisions",
    params(("version" = VersionId, Path), RevisionPage),
    responses((status = 200, description = "A page of revisions", body = List<RevisionBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Query(page): Query<RevisionPage>,
) -> Result<Json<List<RevisionBody>>, Problem> {
    let limit = page_limit(page.limit)?;
    let after = page.after()?.map(i64::from);
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let order = page.order();
    let mut rows = revisions::list(&control.store, id, order, after, limit + 1).await?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more);
    let list = List {
        next: next.map(|revision| revision.number.to_string()),
        total: revisions::count(&control.store, id).await?,
        items: rows,
    };
    Ok(Json(list.map(|it| show_body(it, version.deployed))))
}

/// Freeze the draft of a version as its next revision.
///
/// For the API's owner and administrators. A version has at most 1,000 revisions: the next one
/// deletes the oldest that is not deployed.
#[utoipa::path(
    post, path = "/api/v1/versions/{version}/revisions", tag = "revisions",
    request_body = NewRevisionBody, params(("version" = VersionId, Path)),
    responses((status = 201, description = "The revision", body = CreatedRevision)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Json(body): Json<NewRevisionBody>,
) -> Result<impl IntoResponse, Problem> {
    if let Some(fault) = text_fault("/note", &body.note, DESCRIPTION_MAX) {
        return Err(fault.into());
    }
    own_version(&control, &caller, id).await?;
    let likely = versions::draft(&control.store, id).await?.configuration;
    let document = documents::of_draft(&control.store, id);
    let mut admission = control.importing.admission();
    let _prepared = policies::examples(&mut admission, &likely, document).await?;
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let draft = versions::draft(&control.store, id).await?;
    let document = documents::of_draft(&control.store, id);
    let mut admission = admission.without_wait();
    let examples = policies::examples(&mut admission, &draft.configuration, document).await?;
    policies::judge(&draft.configuration, version.kind, &examples)?;
    let new = NewRevision {
        id: control.id()?,
        version: id,
        configuration: draft.configuration,
        note: body.note,
        created_by: caller.user,
        created_us: control.now_us(),
    };
    let created = revisions::create(&mut tx, &new).await?;
    tx.commit(|| caller.log("revision.created", new.id)).await?;
    let revision = Revision {
        id: new.id,
        version: id,
        number: created.number,
        note: new.note,
        created_by: new.created_by,
        created_by_name: Some(caller.name),
        created_us: new.created_us,
    };
    let body = CreatedRevision {
        revision: show_body(revision, version.deployed),
        deleted_revision: created.deleted,
    };
    Ok((StatusCode::CREATED, Json(body)))
}

/// Get a revision with its configuration.
///
/// For the API's owner and administrators.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/revisions/{number}", tag = "revisions",
    params(("version" = VersionId, Path), ("number" = u32, Path)),
    responses((status = 200, description = "The revision", body = RevisionDetail)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path((id, number)): Path<(VersionId, u32)>,
) -> Result<Json<RevisionDetail>, Problem> {
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let (revision, configuration) = revisions::by_number(&control.store, id, number.into()).await?;
    Ok(Json(RevisionDetail {
        revision: show_body(revision, version.deployed),
        configuration: configuration.into(),
    }))
}

/// Delete a revision.
///
/// For the API's owner and administrators. 409 `revision.deployed` if it is deployed. Its number is
/// not used again. It affects no calls, so with `dry_run` all counts are zero.
#[utoipa::path(
    delete, path = "/api/v1/versions/{version}/revisions/{number}", tag = "revisions",
    params(("version" = VersionId, Path), ("number" = u32, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "Deleted"),
    ),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path((id, number)): Path<(VersionId, u32)>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let number = i64::from(number);
    if version.deployed_number == Some(number) {
        let detail = "the revision is deployed: deploy another one first";
        return Err(Problem::conflict("revision.deployed", detail));
    }
    revisions::delete(&mut tx, id, number).await?;
    if dry_run {
        return Ok(impact::nothing());
    }
    let change = format!("revision {number}");
    tx.commit_locally(|| caller.log_change("revision.deleted", id, &change))
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

impl RevisionPage {
    fn order(&self) -> Order {
        match self.sort {
            None | Some(Sort::Created) => Order::Oldest,
            Some(Sort::CreatedLast) => Order::Newest,
        }
    }

    /// Returns the number after which the page starts. It is an int32 (OpenAPI's format), since
    /// revisions are counted one by one.
    fn after(&self) -> Result<Option<u32>, Problem> {
        match self.after {
            Some(after) if i32::try_from(after).is_err() => {
                let detail = format!("after: a revision's number is at most {}", i32::MAX);
                Err(Problem::new(StatusCode::BAD_REQUEST, "page.after", detail))
            }
            after => Ok(after),
        }
    }
}

/// Returns a revision as its API's owner sees it, while `deployed` is the deployed one.
pub(crate) fn show_body(revision: Revision, deployed: Option<RevisionId>) -> RevisionBody {
    RevisionBody {
        id: revision.id,
        number: revision.number,
        note: revision.note,
        created_by: revision.created_by,
        created_by_name: revision.created_by_name,
        created_at: Time(revision.created_us),
        is_deployed: deployed == Some(revision.id),
    }
}

#[cfg(test)]
mod tests;
