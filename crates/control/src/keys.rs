//! API keys of applications: shown once when they are created, listed by hint, rotated, revoked
//! immediately, suspended and resumed by administrators.
//!
//! Neighbours: the crate `tokens` generates and digests keys; gateways receive their digests in the
//! feed; `credentials` has the parts shared with other credentials.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::credential::{Allowed, Environment};
use tollgate_model::id::{self, ApiKeyId, ApplicationId};
use tollgate_store::api_keys::{self, ApiKey, Rotated};
use tollgate_store::credentials::{self, Terms};
use tollgate_tokens::api_key;

use crate::applications;
use crate::caller::Caller;
use crate::credentials::handlers::{self, Shown};
use crate::credentials::{
    CredentialPatch, Grace, NewTerms, ROTATING, Rotation, TermsBody, Words, production,
};
use crate::error::{Problem, refuse_any};
use crate::impact::{DryRun, Impact};
use crate::json::Json;
use crate::parameters::{Find, List, Listed, Path, Query, Unfiltered};
use crate::random;
use crate::state::Control;
use crate::time::Time;

const KEY: Words = Words {
    noun: "key",
    plural: "keys",
    created: "key.created",
    updated: "key.updated",
    rotated: "key.rotated",
    revoked: "key.revoked",
    suspended: "key.suspended",
    resumed: "key.resumed",
    expired: "key.expired",
    too_many: "key.too_many",
};

/// An API key.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ApiKey)]
pub(crate) struct ApiKeyBody {
    /// The key's id.
    id: ApiKeyId,
    #[serde(flatten)]
    terms: TermsBody,
    /// Its last four characters.
    hint: String,
    /// After a rotation, when it stops being valid, unless `expires_at` is earlier.
    #[serde(skip_serializing_if = "Option::is_none")]
    grace_until: Option<Time>,
    /// The key that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    successor: Option<ApiKeyId>,
    /// The key itself, only in the response that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

/// A new API key.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewApiKey {
    /// Its name, 1 to 100 characters.
    #[serde(default = "unnamed")]
    name: String,
    /// The environment that it calls.
    #[serde(default = "production")]
    environment: Environment,
    /// Not valid before this time.
    not_before: Option<Time>,
    /// Not valid from this time on.
    expires_at: Option<Time>,
    /// Addresses and origins that may use it; all when absent.
    #[serde(default)]
    allowed: Allowed,
}

fn unnamed() -> String {
    "key".to_owned()
}

/// List an application's keys, revoked ones too.
#[utoipa::path(
    get, path = "/api/v1/applications/{application}/keys", tag = "keys",
    params(("application" = ApplicationId, Path), Find),
    responses((status = 200, description = "A page of keys", body = List<ApiKeyBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Path(application): Path<ApplicationId>,
    Listed(find, _): Listed<Unfiltered>,
) -> Result<Json<List<ApiKeyBody>>, Problem> {
    handlers::list::<id::ApiKey>(&control, &caller, application, &find).await
}

/// Get an API key.
#[utoipa::path(
    get, path = "/api/v1/keys/{key}", tag = "keys", params(("key" = ApiKeyId, Path)),
    responses((status = 200, description = "The key", body = ApiKeyBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApiKeyId>,
) -> Result<Json<ApiKeyBody>, Problem> {
    handlers::show(&control, &caller, id).await
}

/// Create an API key.
///
/// Only this response contains the key. An application has at most 20 keys that are neither revoked
/// nor expired; suspended keys count. If the owner's credentials are suspended, so is the new key,
/// until they are resumed.
#[utoipa::path(
    post, path = "/api/v1/applications/{application}/keys", tag = "keys",
    params(("application" = ApplicationId, Path)), request_body = NewApiKey,
    responses((status = 201, description = "The key", body = ApiKeyBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Path(application): Path<ApplicationId>,
    Json(wanted): Json<NewApiKey>,
) -> Result<impl IntoResponse, Problem> {
    applications::own(&control, &caller, application).await?;
    let now_us = control.now_us();
    let wanted = wanted.terms();
    refuse_any(wanted.faults(&KEY, now_us))?;
    let (key, text) = make(&control, wanted.into_terms(application, &caller, now_us))?;
    let mut change = caller.change(&control).await?;
    api_keys::create(&mut change, &key).await?;
    handlers::commit_new::<id::ApiKey>(&control, &caller, change, &key, Some(text)).await
}

/// Change an API key.
///
/// Takes effect immediately: calls that start after the response are rejected if the key is
/// suspended. A revoked key cannot be changed.
#[utoipa::path(
    patch, path = "/api/v1/keys/{key}", tag = "keys", params(("key" = ApiKeyId, Path)),
    request_body = CredentialPatch,
    responses((status = 200, description = "The changed key", body = ApiKeyBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApiKeyId>,
    Json(wanted): Json<CredentialPatch>,
) -> Result<Json<ApiKeyBody>, Problem> {
    handlers::update(&control, &caller, id, &wanted).await
}

/// Rotate an API key.
///
/// Creates a new key with the terms of the old one; only this response contains it. The old key
/// expires after the grace period, or at its own expiry if that is earlier. Both count towards the
/// limit of 20. While the new key is neither revoked nor expired, the old one cannot be rotated
/// again: 409 `credential.rotating`. With `now` the old key expires immediately, and the response
/// describes the new key without its text.
#[utoipa::path(
    post, path = "/api/v1/keys/{key}/rotation", tag = "keys", params(("key" = ApiKeyId, Path)),
    request_body = Rotation,
    responses(
        (status = 200, description = "The key of an earlier rotation", body = ApiKeyBody),
        (status = 201, description = "The new key", body = ApiKeyBody),
    ),
)]
pub(crate) async fn rotate(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApiKeyId>,
    Json(Rotation { grace }): Json<Rotation>,
) -> Result<impl IntoResponse, Problem> {
    let now_us = control.now_us();
    let mut tx = caller.change(&control).await?;
    let old = handlers::working(&control, &caller, id).await?;
    if let Some(successor) = live_successor(&control, &old, now_us).await? {
        require_now(grace, &old, &successor)?;
        let rotated = Rotated {
            until_us: now_us,
            successor: successor.id,
        };
        api_keys::end(&mut tx, id, rotated).await?;
        let log = || caller.log_change(KEY.rotated, id, &format!("to {}, at once", successor.id));
        let body = handlers::commit(&control, tx, successor.id, None, log).await?;
        return Ok((StatusCode::OK, body));
    }
    let application = old.terms.application;
    let (key, text) = make(
        &control,
        Terms {
            created_by: caller.user,
            created_us: now_us,
            last_used_us: None,
            ..old.terms
        },
    )?;
    api_keys::rotate(&mut tx, id, &key, grace.end_us(now_us)).await?;
    KEY.bound(credentials::live::<id::ApiKey>(&mut tx, application, now_us).await?)?;
    let log = || caller.log_change(KEY.rotated, id, &format!("to {}", key.id));
    let body = handlers::commit(&control, tx, key.id, Some(text), log).await?;
    Ok((StatusCode::CREATED, body))
}

/// Reads the key that replaced this one, if it is neither revoked nor expired.
async fn live_successor(
    control: &Control,
    key: &ApiKey,
    now_us: i64,
) -> Result<Option<ApiKey>, Problem> {
    let Some(Rotated { successor, .. }) = key.rotated else {
        return Ok(None);
    };
    let successor = credentials::by_id(&control.store, successor).await?;
    let is_live = successor.terms.revoked_us.is_none()
        && successor.ends_us().is_none_or(|ends_us| ends_us > now_us);
    Ok(is_live.then_some(successor))
}

/// Rejects another rotation of a key that a live one has replaced, unless it expires now.
fn require_now(grace: Grace, old: &ApiKey, successor: &ApiKey) -> Result<(), Problem> {
    if grace == Grace::Now {
        return Ok(());
    }
    let (id, successor) = (old.id, successor.id);
    let detail = format!(
        "{id} was rotated already and {successor} replaces it: use that key; to end {id} at once \
         rotate it with the grace \"now\", to get another key rotate {successor} or revoke it first"
    );
    Err(Problem::conflict(ROTATING, detail))
}

/// Revoke an API key.
///
/// Calls that start after the response are rejected.
#[utoipa::path(
    delete, path = "/api/v1/keys/{key}", tag = "keys", params(("key" = ApiKeyId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "Revoked"),
    ),
)]
pub(crate) async fn revoke(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApiKeyId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    handlers::revoke(&control, &caller, id, dry_run).await
}

impl NewApiKey {
    fn terms(self) -> NewTerms {
        NewTerms {
            name: self.name,
            environment: self.environment,
            not_before: self.not_before,
            expires_at: self.expires_at,
            allowed: self.allowed,
        }
    }
}

/// Generates a key with these terms. Returns it with its text.
pub(crate) fn make(control: &Control, terms: Terms) -> Result<(ApiKey, String), Problem> {
    let id = control.id()?;
    let made = api_key::make(terms.environment, id, random::bytes()?);
    let key = ApiKey {
        id,
        terms,
        digest: made.digest,
        hint: made.hint,
        rotated: None,
    };
    Ok((key, made.text))
}

impl Shown for id::ApiKey {
    type Body = ApiKeyBody;

    const WORDS: &Words = &KEY;

    fn body(key: ApiKey, text: Option<String>, _: i64) -> ApiKeyBody {
        ApiKeyBody {
            id: key.id,
            terms: key.terms.into(),
            hint: key.hint,
            grace_until: key.rotated.map(|it| Time(it.until_us)),
            successor: key.rotated.map(|it| it.successor),
            key: text,
        }
    }
}

#[cfg(test)]
mod tests;
