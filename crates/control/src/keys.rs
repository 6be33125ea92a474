//! API keys of applications: made and shown once, listed by hint, revoked at once, suspended by an
//! administrator until one resumes them.
//!
//! How a key looks and is digested is the crate `tokens`' business; gateways learn of each through
//! the feed, by digest.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use tollgate_model::api::name_fault;
use tollgate_model::credential::Environment;
use tollgate_model::fault::Fault;
use tollgate_model::id::{ApiKeyId, ApplicationId, UserId};
use tollgate_store::api_keys::{self, ApiKey};
use tollgate_store::{LIST_MAX, Store};
use tollgate_tokens::api_key;

use crate::applications;
use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::json::Json;
use crate::parameters::{List, Page, Path, Query};
use crate::random;
use crate::state::Control;
use crate::time::Time;

/// Keys of one application that may be live at a time.
const LIVE_MAX: usize = 20;

/// An API key.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ApiKey)]
pub(crate) struct ApiKeyBody {
    /// The key's id.
    id: ApiKeyId,
    /// Whose it is.
    application: ApplicationId,
    /// What it is for.
    name: String,
    /// Which upstream it reaches.
    environment: Environment,
    /// Its last four characters.
    hint: String,
    /// The key itself: only in the answer that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// It is refused before; never when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_before: Option<Time>,
    /// It is refused from then on; never when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Time>,
    /// Who made it.
    created_by: UserId,
    /// When made.
    created_at: Time,
    /// When it was revoked; worth nothing since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Time>,
    /// When an administrator suspended it; refused until an administrator resumes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    suspended_at: Option<Time>,
    /// When it was last used, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Time>,
}

/// An API key to be.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewApiKey {
    /// What it is for; 1 to 100 characters.
    #[serde(default = "unnamed")]
    name: String,
    /// Which upstream it reaches.
    #[serde(default = "production")]
    environment: Environment,
    /// It is refused before.
    not_before: Option<Time>,
    /// It is refused from then on.
    expires_at: Option<Time>,
}

/// What is to change of an API key.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApiKeyPatch {
    /// Whether it is refused from now on, until this is `false` again.
    suspended: bool,
}

fn unnamed() -> String {
    "key".to_owned()
}

const fn production() -> Environment {
    Environment::Production
}

/// List an application's keys, revoked ones too.
#[utoipa::path(
    get, path = "/api/v1/applications/{application}/keys", tag = "keys",
    params(("application" = ApplicationId, Path), Page),
    responses((status = 200, description = "A page of keys", body = List<ApiKeyBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Path(application): Path<ApplicationId>,
    Query(page): Query<Page>,
) -> Result<Json<List<ApiKeyBody>>, Problem> {
    let limit = page.limit()?;
    applications::own(&control, &caller, application).await?;
    let rows = api_keys::list(&control.store, application, page.after()?, limit + 1).await?;
    let page = List::page(rows, limit, |key| key.id);
    Ok(Json(page.map(|key| show_body(key, None))))
}

/// Make an API key.
///
/// The answer shows it, once. At most 20 keys of an application are live at a time; suspended ones
/// count.
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
    wanted.check(now_us)?;
    let id = control.id()?;
    let made = api_key::make(wanted.environment, id, random::bytes()?);
    let key = ApiKey {
        id,
        application,
        name: wanted.name,
        environment: wanted.environment,
        digest: made.digest,
        hint: made.hint,
        not_before_us: wanted.not_before.map(|it| it.0),
        expires_us: wanted.expires_at.map(|it| it.0),
        created_by: caller.user,
        created_us: now_us,
        revoked_us: None,
        suspended_us: None,
        last_used_us: None,
    };
    // Counted inside the write, so that two at once cannot both be the last one allowed.
    let mut tx = caller.write(&control).await?;
    if live(&control.store, application, now_us).await? >= LIVE_MAX {
        let detail = format!("an application has at most {LIVE_MAX} live keys; revoke one first");
        return Err(Problem::conflict("key.too_many", detail));
    }
    api_keys::create(&mut tx, &key).await?;
    let committed = control.commit(tx).await?;
    caller.log("key.created", key.id);
    committed.in_force().await?;
    Ok((StatusCode::CREATED, Json(show_body(key, Some(made.text)))))
}

/// Suspend an API key, or resume it.
///
/// No call that starts after the answer passes with a suspended key. A revoked one cannot change.
#[utoipa::path(
    patch, path = "/api/v1/keys/{key}", tag = "keys", params(("key" = ApiKeyId, Path)),
    request_body = ApiKeyPatch,
    responses((status = 200, description = "The key now", body = ApiKeyBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApiKeyId>,
    Json(wanted): Json<ApiKeyPatch>,
) -> Result<Json<ApiKeyBody>, Problem> {
    let now_us = control.now_us();
    let mut tx = caller.write(&control).await?;
    let key = api_keys::by_id(&control.store, id).await?;
    if key.revoked_us.is_some() {
        let detail = "the key was revoked, which is for good";
        return Err(Problem::conflict("key.revoked", detail));
    }
    api_keys::suspend(&mut tx, id, wanted.suspended.then_some(now_us)).await?;
    let committed = control.commit(tx).await?;
    let event = match wanted.suspended {
        true => "key.suspended",
        false => "key.resumed",
    };
    caller.log(event, id);
    committed.in_force().await?;
    let suspended_us = wanted.suspended.then(|| key.suspended_us.unwrap_or(now_us));
    let key = ApiKey {
        suspended_us,
        ..key
    };
    Ok(Json(show_body(key, None)))
}

/// Revoke an API key.
///
/// No call that starts after the answer passes with it.
#[utoipa::path(
    delete, path = "/api/v1/keys/{key}", tag = "keys", params(("key" = ApiKeyId, Path)),
    responses((status = 204, description = "It is worth nothing any more")),
)]
pub(crate) async fn revoke(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ApiKeyId>,
) -> Result<StatusCode, Problem> {
    let key = api_keys::by_id(&control.store, id).await?;
    applications::require_own(&control, &caller, key.application, "key").await?;
    let mut tx = caller.write(&control).await?;
    api_keys::revoke(&mut tx, id, control.now_us()).await?;
    let committed = control.commit(tx).await?;
    caller.log("key.revoked", id);
    committed.in_force().await?;
    Ok(StatusCode::NO_CONTENT)
}

impl NewApiKey {
    fn check(&self, now_us: i64) -> Result<(), Problem> {
        let mut faults: Vec<Fault> = name_fault(&self.name).into_iter().collect();
        if let Some(Time(expires_us)) = self.expires_at {
            let begins_us = self.not_before.map_or(now_us, |it| it.0.max(now_us));
            if expires_us <= begins_us {
                let detail = "a key must end in the future, and after it begins";
                faults.push(Fault::new("/expires_at", "key.expired", detail));
            }
        }
        refuse_any(faults)
    }
}

/// How many of an application's keys still work, will, or may be resumed.
async fn live(store: &Store, application: ApplicationId, now_us: i64) -> Result<usize, Problem> {
    let is_live = |key: &&ApiKey| {
        key.revoked_us.is_none() && key.expires_us.is_none_or(|expires_us| expires_us > now_us)
    };
    let mut live = 0;
    let mut after = None;
    loop {
        let keys = api_keys::list(store, application, after, LIST_MAX).await?;
        live += keys.iter().filter(is_live).count();
        match keys.last() {
            Some(last) if keys.len() >= LIST_MAX as usize => after = Some(last.id),
            _ => return Ok(live),
        }
    }
}

fn show_body(key: ApiKey, text: Option<String>) -> ApiKeyBody {
    ApiKeyBody {
        id: key.id,
        application: key.application,
        name: key.name,
        environment: key.environment,
        hint: key.hint,
        key: text,
        not_before: key.not_before_us.map(Time),
        expires_at: key.expires_us.map(Time),
        created_by: key.created_by,
        created_at: Time(key.created_us),
        revoked_at: key.revoked_us.map(Time),
        suspended_at: key.suspended_us.map(Time),
        last_used_at: key.last_used_us.map(Time),
    }
}

#[cfg(test)]
mod tests;
