//! Replacing the OpenAPI document of a version's draft.
//!
//! Operations keep their limits, weights, scopes and anonymous access by method and shape of path.
//! The response lists what the replacement changes for callers, and who calls the operations that
//! it removes (`effects.rs`).

use std::collections::{HashMap, HashSet};

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind, Method, Operation};
use tollgate_model::id::VersionId;
use tollgate_model::path::Semicolon;
use tollgate_model::policies::Policies;
use tollgate_model::succession::{Previous, Rename};
use tollgate_model::template::PathTemplate;
use tollgate_openapi::Imported;
use tollgate_store::StoreError;
use tollgate_store::documents::{self, Document};
use tollgate_store::versions::{self, Draft, Offer};

mod effects;

use effects::Effects;

use super::draft::SeenDraft;
use super::upstream_of::{self, UpstreamOf};
use crate::caller::Caller;
use crate::described::Source;
use crate::document_difference::{self, DocumentDifference, TOO_LARGE};
use crate::error::Problem;
use crate::importing::Admission;
use crate::json::Json;
use crate::ownership::own_version;
use crate::parameters::{IfMatch, Query, etag};
use crate::policies;
use crate::secrets::Shown;
use crate::state::Control;
use crate::upload::security::{self, AppliedSecurity, Choice, ProposedSecurity, SecurityOf};
use crate::upload::{Imports, NoteBody, Upload, read_upload};

/// Parameters of a document's replacement.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ReplacementQuery {
    /// Source of the version's security: `document` applies the security of the document, and its
    /// scopes to all operations. When absent, the draft's security stays, and new operations
    /// require a credential without scopes.
    #[param(inline, example = "document")]
    security: Option<SecurityOf>,
    /// Whether operations with an explicit `security: []` in the document may be called without a
    /// credential, under the plan `anonymous`; requires `security=document`.
    #[serde(default)]
    allow_anonymous: bool,
    /// Source of the draft's upstream: `proposed` takes the one that the document proposes, checked
    /// like one that is set in the draft. When absent, the draft's upstream stays.
    #[param(inline, example = "proposed")]
    upstream: Option<UpstreamOf>,
    /// Whether the proposed renames are renames: then the operations keep their settings.
    #[serde(default)]
    follow_renames: bool,
    /// Whether to return the effects and save nothing; then `If-Match` is optional.
    #[serde(default)]
    dry_run: bool,
}

/// The draft with its new document, and the effects on callers once it is deployed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ReplacedDocument {
    /// The changed draft.
    #[schema(value_type = Configuration)]
    draft: Shown,
    #[serde(flatten)]
    effects: Effects,
    /// The differences of the documents as callers read them, judged by the rules of breaking
    /// changes; absent if the draft had no document, or with the note `document.too_large`.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<DocumentDifference>,
    /// The first server of the document that can be an upstream, if it was not the draft's before.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_upstream: Option<String>,
    /// The document's security, converted for the draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_security: Option<ProposedSecurity>,
    /// Removed operations with policies of their own, which are kept in `policies.aside`.
    aside: Vec<String>,
    /// Parts of the document that have no effect.
    notes: Vec<NoteBody>,
}

/// Replace the document of a version's draft.
///
/// For the API's owner and administrators, in an API of kind `rest`. The body is the same as for
/// the import of an API: an OpenAPI document or its URL. Operations with the same method and shape
/// of path keep limits, weight, scopes and anonymous access; everything else of the draft stays.
/// Gateways serve the new operations only once a revision is deployed. `If-Match` has the ETag of
/// the draft.
#[utoipa::path(
    put, path = "/api/v1/versions/{version}/document", tag = "documents",
    request_body(description = "The document, or its URL", content(
        (Imports = "application/json"), (String = "application/yaml"),
    )),
    params(
        ("version" = VersionId, Path),
        ReplacementQuery,
        ("If-Match" = Option<String>, Header,
            description = "The ETag of the draft; required except with `dry_run`"),
    ),
    responses((
        status = 200, body = ReplacedDocument,
        description = "The changed draft with the effects; unchanged and only previewed with \
            `dry_run`",
        headers(("ETag" = String, description = "The value for the next If-Match")),
    )),
)]
pub(crate) async fn replace(
    State(control): State<Control>,
    caller: Caller,
    SeenDraft { id, if_match }: SeenDraft,
    Query(query): Query<ReplacementQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let offer = own_version(&control, &caller, id).await?;
    if offer.version.kind != Kind::Rest {
        let detail = format!(
            "an API of kind {} is described by its contract: replace that instead",
            offer.version.kind.word()
        );
        return Err(Problem::conflict("version.kind", detail));
    }
    if if_match.is_none() && !query.dry_run {
        return Err(IfMatch::missing());
    }
    let draft = versions::draft(&control.store, id).await?;
    if let Some(if_match) = if_match {
        if_match.check(draft.etag)?;
    }
    let mut admission = control.importing.admission();
    let upload = read_upload(&control, &mut admission, request).await?;
    let (seen, new) = (draft.etag, upload.document.clone());
    let replacement = Replacement::load(&control, &offer, draft).await?;
    let replacing = replacement.with(&control, &mut admission, upload, &query);
    let (configuration, body) = replacing.await?;
    let document = async { Ok(Some(new.clone())) };
    let examples = policies::examples(&mut admission, &configuration, document).await?;
    policies::judge(&configuration, Kind::Rest, &examples)?;
    upstream_of::judge_if_requested(&control, Kind::Rest, query.upstream, &configuration).await?;
    if query.dry_run {
        return Ok((etag(seen), Json(body)).into_response());
    }
    let mut tx = caller.change(&control).await?;
    own_version(&control, &caller, id).await?;
    let now_us = control.now_us();
    documents::put(&mut tx, id, &new).await?;
    let saved = versions::save_draft(&mut tx, id, seen, &configuration, now_us).await?;
    tx.commit(|| caller.log("document.replaced", id)).await?;
    Ok((etag(saved), Json(body)).into_response())
}

/// The replacement of a draft's document.
struct Replacement<'o> {
    offer: &'o Offer,
    before: Configuration,
    /// The document that is replaced, if there is one.
    old: Option<Document>,
}

impl<'o> Replacement<'o> {
    /// Loads the document of a version's draft.
    async fn load(control: &Control, offer: &'o Offer, draft: Draft) -> Result<Self, StoreError> {
        Ok(Self {
            offer,
            before: draft.configuration,
            old: documents::of_draft(&control.store, offer.version.id).await?,
        })
    }

    /// Returns the draft's configuration with the operations of the new document, and the response.
    async fn with(
        self,
        control: &Control,
        admission: &mut Admission<'_>,
        upload: Upload,
        query: &ReplacementQuery,
    ) -> Result<(Configuration, ReplacedDocument), Problem> {
        let before = &self.before;
        let mut imported = upload.imported;
        let choice = Choice {
            of: query.security,
            allow_anonymous: query.allow_anonymous,
        };
        let (proposed_security, security) = security::apply_if_requested(&mut imported, choice)?;
        let described = with_document(before, &mut imported)?;
        let proposed = imported.upstream.as_deref();
        let described = upstream_of::set_if_requested(described, query.upstream, proposed)?;
        let settled =
            |renames: &[Rename]| settle(before, described.clone(), security.as_ref(), renames);
        let mut now = settled(&[]);
        let new = &upload.document;
        let compared = self.compare(control, admission, &now, new).await;
        let mut difference = noted_if_too_large(compared, &mut imported)?;
        if query.follow_renames
            && let Some(renames) = difference.as_ref().map(renames).filter(|it| !it.is_empty())
        {
            now = settled(&renames);
            let compared = self.compare(control, admission, &now, new).await;
            difference = noted_if_too_large(compared, &mut imported)?;
        }
        let body = ReplacedDocument {
            effects: Effects::compute(control, self.offer.version.id, before, &now).await?,
            difference,
            proposed_upstream: proposed_upstream(&mut imported, before),
            proposed_security,
            aside: set_aside(&before.policies, &now.policies),
            notes: imported.notes.into_iter().map(NoteBody::from).collect(),
            draft: now.clone().into(),
        };
        Ok((now, body))
    }

    /// Compares the documents as callers read them, the new one with the configuration `now`;
    /// `None` if there was none before.
    async fn compare(
        &self,
        control: &Control,
        admission: &mut Admission<'_>,
        now: &Configuration,
        new: &Document,
    ) -> Result<Option<DocumentDifference>, Problem> {
        let offer = self.offer;
        let old = Source {
            offer,
            configuration: &self.before,
            uploaded: self.old.as_ref().map(|document| &document.bytes[..]),
        };
        let new = Source {
            offer,
            configuration: now,
            uploaded: Some(&new.bytes),
        };
        document_difference::between(control, admission, old, new).await
    }
}

/// Returns a configuration with the operations of a document in place of its own.
///
/// # Errors
/// 422 `document.no_operations` if it has none.
pub(super) fn with_document(
    before: &Configuration,
    imported: &mut Imported,
) -> Result<Configuration, Problem> {
    let operations = std::mem::take(&mut imported.operations);
    if operations.is_empty() {
        let detail = "the document has no operation that can be served, and would leave the \
                      version without any";
        return Err(Problem::at("/paths", "document.no_operations", detail));
    }
    Ok(Configuration {
        operations,
        semicolon: match imported.semicolon {
            Semicolon::Pass => Semicolon::Pass,
            Semicolon::Check => before.semicolon,
        },
        ..before.clone()
    })
}

/// Completes a configuration with the settings of the previous operations, or with the security of
/// the document if that is applied: then its operations have theirs already, and keep only limits
/// and weights.
pub(super) fn settle(
    before: &Configuration,
    mut now: Configuration,
    security: Option<&AppliedSecurity>,
    renames: &[Rename],
) -> Configuration {
    let of_document = now.operations.clone();
    let previous = Previous::new(&before.operations, before.paths);
    let renames = [renames, &previous.reread(&now.operations)].concat();
    previous.keep_settings(&mut now.operations, &renames);
    follow(&mut now, before, &renames);
    if let Some(security) = security {
        security.apply(&mut now);
        for (operation, described) in now.operations.iter_mut().zip(of_document) {
            operation.scopes = described.scopes;
            operation.anonymous = described.anonymous;
        }
    }
    now
}

/// Adapts the steps of operations to the operations of a new document.
fn follow(now: &mut Configuration, before: &Configuration, renames: &[Rename]) {
    let name = |method: Method, path: &PathTemplate| format!("{} {path}", method.word());
    let present = Previous::new(&now.operations, before.paths);
    let successor = |it: &Operation| {
        let is_renamed = |rename: &&Rename| rename.method == it.method && rename.from == it.path;
        let path = renames.iter().find(is_renamed).map(|it| &it.to);
        present.by_calls(it.method, path.unwrap_or(&it.path))
    };
    let before = before.operations.iter();
    let renamed = before.filter_map(|it| {
        let now = successor(it)?;
        Some((name(it.method, &it.path), name(now.method, &now.path)))
    });
    let renamed: HashMap<_, _> = renamed.collect();
    let names = now.operations.iter().map(|it| name(it.method, &it.path));
    let names: HashSet<_> = names.collect();
    let policies = &mut now.policies;
    policies.follow(|it| renamed.get(it).cloned(), |it| names.contains(it));
}

/// Returns the operations with policies that are set aside now.
fn set_aside(before: &Policies, now: &Policies) -> Vec<String> {
    let names = |policies: &Policies| {
        let aside = policies.aside.iter();
        aside
            .flat_map(|it| it.operations.clone())
            .collect::<Vec<_>>()
    };
    let known = names(before);
    let mut new = names(now);
    new.retain(|name| !known.contains(name));
    new
}

/// Returns a comparison; of documents that are too large to be compared none, with a note.
fn noted_if_too_large(
    compared: Result<Option<DocumentDifference>, Problem>,
    imported: &mut Imported,
) -> Result<Option<DocumentDifference>, Problem> {
    match compared {
        Err(problem) if problem.code() == TOO_LARGE => {
            imported.notes.push(tollgate_openapi::Note {
                field: String::new(),
                code: TOO_LARGE,
                detail: problem.detail().to_owned(),
                operations: 0,
            });
            Ok(None)
        }
        compared => compared,
    }
}

/// Returns the renames that a difference proposes.
fn renames(difference: &DocumentDifference) -> Vec<Rename> {
    let renames = difference.renames().filter_map(|(method, from, to)| {
        Some(Rename {
            method,
            from: PathTemplate::from_document(from).ok()?,
            to: PathTemplate::from_document(to).ok()?,
        })
    });
    renames.collect()
}

/// Returns the upstream that the document proposes, unless the draft already has it.
pub(super) fn proposed_upstream(imported: &mut Imported, before: &Configuration) -> Option<String> {
    let proposed = imported.upstream.take()?;
    let present = before.upstream.as_ref();
    let is_present = present.is_some_and(|it| it.places().any(|place| place == proposed));
    (!is_present).then_some(proposed)
}

#[cfg(test)]
mod tests;
