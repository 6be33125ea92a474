//! Personal access tokens: what one's own programs sign in with, instead of a session.
//! Each is shown once, when it is made; only its digest is kept.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};
use tollgate_model::api::name_fault;
use tollgate_model::fault::Fault;
use tollgate_model::id::AccessTokenId;
use tollgate_store::access_tokens::{self, AccessToken};
use tollgate_tokens::session::make_access_token;

use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::json::Json;
use crate::parameters::{List, Page, Path, Query};
use crate::random;
use crate::state::Control;
use crate::time::Time;

/// Personal access tokens of one user at most.
const TOKENS_MAX: u32 = 50;
/// Characters of a secret that may be shown later, to tell it from others.
const HINT_CHARACTERS: usize = 4;

/// A personal access token.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = AccessToken)]
pub(crate) struct AccessTokenBody {
    /// The token.
    id: AccessTokenId,
    /// What it is for.
    name: String,
    /// Its last four characters.
    hint: String,
    /// The token itself: only in the answer that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// When made.
    created_at: Time,
    /// When it ends; never when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Time>,
    /// When it was last used, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Time>,
}

/// A personal access token to be.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAccessToken {
    /// What it is for; 1 to 100 characters.
    name: String,
    /// When it ends; never when absent.
    expires_at: Option<Time>,
}

/// List one's personal access tokens.
#[utoipa::path(
    get, path = "/api/v1/access-tokens", tag = "access-tokens", params(Page),
    responses((status = 200, description = "A page of tokens", body = List<AccessTokenBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Query(page): Query<Page>,
) -> Result<Json<List<AccessTokenBody>>, Problem> {
    let limit = page.limit()?;
    let after = page.after()?;
    let rows = access_tokens::list(&control.store, caller.user, after, limit + 1).await?;
    let page = List::page(rows, limit, |token| token.id);
    Ok(Json(page.map(|token| show_body(token, None))))
}

/// See a personal access token of one's own.
#[utoipa::path(
    get, path = "/api/v1/access-tokens/{token}", tag = "access-tokens",
    params(("token" = AccessTokenId, Path)),
    responses((status = 200, description = "The token's description", body = AccessTokenBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<AccessTokenId>,
) -> Result<Json<AccessTokenBody>, Problem> {
    let token = own(&control, &caller, id).await?;
    Ok(Json(show_body(token, None)))
}

/// Make a personal access token.
///
/// The answer shows it, once. It may do what its user may.
#[utoipa::path(
    post, path = "/api/v1/access-tokens", tag = "access-tokens", request_body = NewAccessToken,
    responses((status = 201, description = "The token", body = AccessTokenBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Json(wanted): Json<NewAccessToken>,
) -> Result<impl IntoResponse, Problem> {
    let now_us = control.now_us();
    let mut faults: Vec<Fault> = name_fault(&wanted.name).into_iter().collect();
    if wanted.expires_at.is_some_and(|it| it.0 <= now_us) {
        let detail = "a token must end in the future";
        faults.push(Fault::new("/expires_at", "access_token.expired", detail));
    }
    refuse_any(faults)?;
    let secret = make_access_token(random::bytes()?);
    let token = AccessToken {
        id: control.id()?,
        user: caller.user,
        name: wanted.name,
        digest: secret.digest,
        hint: secret.text[secret.text.len() - HINT_CHARACTERS..].to_owned(),
        created_us: now_us,
        expires_us: wanted.expires_at.map(|it| it.0),
        last_used_us: None,
    };
    let mut tx = control.store.write().await?;
    let present = access_tokens::list(&control.store, caller.user, None, TOKENS_MAX).await?;
    if present.len() >= TOKENS_MAX as usize {
        let detail = format!("a user has at most {TOKENS_MAX} tokens; delete one first");
        return Err(Problem::conflict("access_token.too_many", detail));
    }
    access_tokens::create(&mut tx, &token).await?;
    tx.commit().await?;
    let body = show_body(token, Some(secret.text));
    Ok((StatusCode::CREATED, Json(body)))
}

/// Delete a personal access token of one's own; it works no more.
#[utoipa::path(
    delete, path = "/api/v1/access-tokens/{token}", tag = "access-tokens",
    params(("token" = AccessTokenId, Path)),
    responses((status = 204, description = "It is gone")),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<AccessTokenId>,
) -> Result<StatusCode, Problem> {
    own(&control, &caller, id).await?;
    let mut tx = control.store.write().await?;
    access_tokens::delete(&mut tx, id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The token, if it is the caller's own; an administrator has no right to others' either.
async fn own(
    control: &Control,
    caller: &Caller,
    id: AccessTokenId,
) -> Result<AccessToken, Problem> {
    let token = access_tokens::by_id(&control.store, id).await?;
    if token.user == caller.user {
        Ok(token)
    } else {
        Err(Problem::unknown("access token"))
    }
}

fn show_body(token: AccessToken, text: Option<String>) -> AccessTokenBody {
    AccessTokenBody {
        id: token.id,
        name: token.name,
        hint: token.hint,
        token: text,
        created_at: Time(token.created_us),
        expires_at: token.expires_us.map(Time),
        last_used_at: token.last_used_us.map(Time),
    }
}
