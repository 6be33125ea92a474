//! The draft of a version: edited until a revision freezes it. Gateways never serve it.

use std::time::Duration;

use axum::extract::{FromRequestParts, State};
use axum::http::header;
use axum::http::request::Parts;
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollgate_mediation::note::Note;
use tollgate_model::api::Configuration;
use tollgate_model::fault::Fault;
use tollgate_model::id::VersionId;
use tollgate_store::versions::{self, Offer, Version};
use tollgate_store::{apis, documents, revisions};

use super::saved_draft::{SavedDraft, SentDraft};
use super::{limited_plans, upstreams};
use crate::caller::Caller;
use crate::contracts::Prepared;
use crate::error::{Problem, refuse_any};
use crate::gateways::version_path;
use crate::json::{Json, parse};
use crate::ownership::own_version;
use crate::parameters::{IfMatch, Path, etag};
use crate::policies::{self, DocumentExamples, Judgement};
use crate::secrets::{Shown, unmask};
use crate::state::Control;

/// Maximum time that saving waits for the contract to check the draft against.
const CONTRACT_TIME: Duration = Duration::from_secs(2);

/// Get the draft of a version.
///
/// For the API's owner and administrators.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/draft", tag = "drafts",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The draft", body = SavedDraft, headers(
        ("ETag" = String, description = "The value for If-Match"),
    ))),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<impl IntoResponse, Problem> {
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let draft = versions::draft(&control.store, id).await?;
    let notes = policies::notes(&draft.configuration, version.kind);
    let body = SavedDraft::new(draft.configuration, notes);
    Ok((etag(draft.etag), Json(body)))
}

/// Replace the draft of a version.
///
/// For the API's owner and administrators. A secret that is sent as `***` keeps its value, as long
/// as it goes where it was given for: to the address of its upstream (scheme, host, port; of both
/// for the passwords of a service as REST), with the same certificate checks, in the same header.
/// Otherwise it must be sent again.
#[utoipa::path(
    put, path = "/api/v1/versions/{version}/draft", tag = "drafts",
    request_body = SavedDraft, params(("version" = VersionId, Path), IfMatch),
    responses((status = 200, description = "The changed draft", body = SavedDraft)),
)]
pub(crate) async fn replace(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    if_match: IfMatch,
    Json(SentDraft(mut configuration)): Json<SentDraft>,
) -> Result<impl IntoResponse, Problem> {
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let _prepared = prepare(&control, &version, &configuration).await?;
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let draft = versions::draft(&control.store, id).await?;
    if_match.check(draft.etag)?;
    let encoded_slash = draft.configuration.encoded_slash;
    configuration.encoded_slash = configuration.encoded_slash.or(encoded_slash);
    let misdirected = unmask(&mut configuration, draft.configuration);
    let notes = check(&control, &version, &configuration).await?;
    refuse_any(misdirected)?;
    let now_us = control.now_us();
    let new = versions::save_draft(&mut tx, id, draft.etag, &configuration, now_us).await?;
    tx.commit(|| caller.log("draft.saved", id)).await?;
    Ok((etag(new), Json(SavedDraft::new(configuration, notes))))
}

/// Change parts of the draft of a version.
///
/// For the API's owner and administrators. The body is a JSON Merge Patch (RFC 7396): absent fields
/// stay, null removes, lists are replaced. A secret that is absent or sent as `***` keeps its
/// value, as long as it goes where it was given for: to the address of its upstream (scheme, host,
/// port; of both for the passwords of a service as REST), with the same certificate checks, in the
/// same header. Otherwise it must be sent again. `If-Match` is optional and protects changes that
/// were made in the meantime.
#[utoipa::path(
    patch, path = "/api/v1/versions/{version}/draft", tag = "drafts",
    request_body(content((Object = "application/merge-patch+json"), (Object = "application/json"))),
    params(
        ("version" = VersionId, Path),
        ("If-Match" = Option<String>, Header, description = "The ETag of the draft"),
    ),
    responses((status = 200, description = "The changed draft", body = SavedDraft)),
)]
pub(crate) async fn patch(
    State(control): State<Control>,
    caller: Caller,
    SeenDraft { id, if_match }: SeenDraft,
    Json(patch): Json<Map<String, Value>>,
) -> Result<impl IntoResponse, Problem> {
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let draft = versions::draft(&control.store, id).await?;
    let (likely, _) = patched(draft.configuration, patch.clone())?;
    let _prepared = prepare(&control, &version, &likely).await?;
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    let draft = versions::draft(&control.store, id).await?;
    if let Some(if_match) = if_match {
        if_match.check(draft.etag)?;
    }
    let (patched, misdirected) = patched(draft.configuration, patch)?;
    let notes = check(&control, &version, &patched).await?;
    refuse_any(misdirected)?;
    let now_us = control.now_us();
    let new = versions::save_draft(&mut tx, id, draft.etag, &patched, now_us).await?;
    tx.commit(|| caller.log("draft.saved", id)).await?;
    Ok((etag(new), Json(SavedDraft::new(patched, notes))))
}

/// A revision to restore.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Restore {
    /// Number of the revision.
    revision: u32,
}

/// Restore a revision into the draft of a version.
///
/// For the API's owner and administrators. The draft gets the configuration of the revision, with
/// its secrets, and its document. Gateways are not affected. It is not checked until it is changed
/// or deployed: a revision of an earlier release can be restored even if it would be rejected now.
/// `If-Match` is optional and protects changes that were made in the meantime.
#[utoipa::path(
    post, path = "/api/v1/versions/{version}/draft/restore", tag = "drafts",
    request_body = Restore,
    params(
        ("version" = VersionId, Path),
        ("If-Match" = Option<String>, Header, description = "The ETag of the draft"),
    ),
    responses((status = 200, description = "The changed draft", body = SavedDraft, headers(
        ("ETag" = String, description = "The value for the next If-Match"),
    ))),
)]
pub(crate) async fn restore(
    State(control): State<Control>,
    caller: Caller,
    SeenDraft { id, if_match }: SeenDraft,
    Json(body): Json<Restore>,
) -> Result<impl IntoResponse, Problem> {
    let mut tx = caller.change(&control).await?;
    let Offer { version, .. } = own_version(&control, &caller, id).await?;
    if let Some(if_match) = if_match {
        if_match.check(version.draft_etag)?;
    }
    let (number, now_us) = (i64::from(body.revision), control.now_us());
    let restored = revisions::restore(&mut tx, id, number, version.draft_etag, now_us).await;
    let (new, configuration) = restored?;
    let change = format!("revision {}", body.revision);
    tx.commit(|| caller.log_change("draft.restored", id, &change))
        .await?;
    let notes = policies::notes(&configuration, version.kind);
    Ok((etag(new), Json(SavedDraft::new(configuration, notes))))
}

/// The contract and the examples of a draft, which a write finds as long as this exists.
struct Ready {
    _contract: Option<Prepared>,
    _examples: DocumentExamples,
}

/// Does what would hold a write for too long: resolves the upstreams' hosts, reads the examples of
/// the document, and checks a service as REST against its contract, as far as that is done soon.
async fn prepare(
    control: &Control,
    version: &Version,
    configuration: &Configuration,
) -> Result<Ready, Problem> {
    upstreams::judge(control, configuration).await?;
    let document = documents::of_draft(&control.store, version.id);
    let mut admission = control.importing.admission();
    let examples = policies::examples(&mut admission, configuration, document).await?;
    let soap = configuration.soap.as_ref();
    let contract = match soap.is_some_and(|soap| soap.rest.is_some()) {
        true => {
            let preparing = control
                .contracts
                .prepare(&control.store, version, configuration);
            let prepared = tokio::time::timeout(CONTRACT_TIME, preparing).await;
            // Deployment waits for it.
            prepared.unwrap_or(Ok(None))?
        }
        false => None,
    };
    Ok(Ready {
        _contract: contract,
        _examples: examples,
    })
}

/// Rejects a configuration with all its faults: its own, or those against its contract, if that has
/// been read already. Returns notes on it.
async fn check(
    control: &Control,
    version: &Version,
    configuration: &Configuration,
) -> Result<Vec<Note>, Problem> {
    let document = documents::of_draft(&control.store, version.id);
    let mut admission = control.importing.admission().without_wait();
    let examples = policies::examples(&mut admission, configuration, document).await?;
    let Judgement { mut faults, notes } = Judgement::new(configuration, version.kind, &examples);
    faults.extend(limited_plans::faults(&control.store, configuration).await?);
    refuse_any(faults)?;
    let api = apis::by_id(&control.store, version.api).await?;
    let path = version_path(&api.context, &version.name);
    refuse_any(control.contracts.known_misfits(&path, configuration))?;
    Ok(notes)
}

/// Returns the patched configuration, and the passwords that must be sent again. The patch is
/// merged into the configuration as callers see it, so that an absent password is masked like one
/// that was sent as a mask.
///
/// # Errors
/// 422 if the patched configuration has an unknown form.
pub(crate) fn patched(
    before: Configuration,
    patch: Map<String, Value>,
) -> Result<(Configuration, Vec<Fault>), Problem> {
    let shown = serde_json::to_value(Shown::from(before.clone()));
    let mut whole = shown.map_err(|error| Problem::internal(&error))?;
    let mut patch = Value::Object(patch);
    spell_out_scopes(&mut patch);
    merge(&mut whole, patch);
    let mut patched: Configuration = parse(whole.to_string().as_bytes())?;
    patched.encoded_slash = patched.encoded_slash.or(before.encoded_slash);
    let misdirected = unmask(&mut patched, before);
    Ok((patched, misdirected))
}

/// Expands scopes that are only texts to objects, so that patching the text does not change how a
/// scope is given.
fn spell_out_scopes(patch: &mut Value) {
    let scopes = patch.pointer_mut("/security/scopes");
    let scopes = scopes.and_then(Value::as_object_mut).into_iter().flatten();
    for (_, scope) in scopes.filter(|(_, scope)| scope.is_string()) {
        *scope = json!({ "text": scope.take() });
    }
}

/// Merges a patch (RFC 7396, section 2). Its depth is that of the JSON parser's limit, 128.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else {
        return;
    };
    for (key, value) in patch {
        if value.is_null() {
            target.remove(&key);
        } else {
            merge(target.entry(key).or_insert(Value::Null), value);
        }
    }
}

/// The version whose draft a request changes, and the entity tag that the caller saw, if sent.
pub(crate) struct SeenDraft {
    /// The version.
    pub(crate) id: VersionId,
    /// The draft's `If-Match`.
    pub(crate) if_match: Option<IfMatch>,
}

impl<S: Send + Sync> FromRequestParts<S> for SeenDraft {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(id) = Path::<VersionId>::from_request_parts(parts, state).await?;
        let if_match = match parts.headers.contains_key(header::IF_MATCH) {
            true => Some(IfMatch::from_request_parts(parts, state).await?),
            false => None,
        };
        Ok(Self { id, if_match })
    }
}
