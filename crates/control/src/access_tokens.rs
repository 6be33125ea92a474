//! Personal access tokens, with which a user's programs authenticate instead of with a session.
//! A token is shown once, in the response that creates it; only its digest is stored.
//! Administrators list and delete the tokens of all users.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::name_fault;
use tollgate_model::credential::{AccessTokenTerm, access_token_end_max};
use tollgate_model::fault::Fault;
use tollgate_model::id::{AccessTokenId, UserId};
use tollgate_store::access_tokens::{self, AccessToken};
use tollgate_tokens::session::make_access_token;

use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::impact::{self, DryRun, Impact};
use crate::json::Json;
use crate::may::Act;
use crate::parameters::{Find, List, Listed, Path, Query};
use crate::random;
use crate::state::Control;
use crate::time::Time;

/// Maximum number of personal access tokens per user.
const TOKENS_MAX: u32 = 50;
/// Trailing characters of a token that are shown later, to identify it.
const HINT_CHARACTERS: usize = 4;

/// A personal access token.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = AccessToken)]
pub(crate) struct AccessTokenBody {
    /// Id of the token.
    id: AccessTokenId,
    /// The user that it belongs to.
    user: UserId,
    /// Name that describes its purpose.
    name: String,
    /// Its last four characters.
    hint: String,
    /// The token itself, only in the response that creates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    /// When it was created.
    created_at: Time,
    /// When it expires.
    expires_at: Time,
    /// When it was last used, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Time>,
}

/// A personal access token to create.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAccessToken {
    /// Name that describes its purpose; 1 to 100 characters.
    name: String,
    /// When it expires. The default is the latest allowed time: after
    /// `control.access_token_days_max`, or with the token that creates it.
    expires_at: Option<Time>,
}

/// Filters of a list of tokens.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WantedTokens {
    /// Only tokens of this user, for administrators; the caller's own when absent.
    user: Option<UserId>,
}

/// List personal access tokens.
///
/// Returns the caller's own tokens; administrators may list those of any user.
#[utoipa::path(
    get, path = "/api/v1/access-tokens", tag = "access-tokens", params(Find, WantedTokens),
    responses((status = 200, description = "A page of tokens", body = List<AccessTokenBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Listed(find, wanted): Listed<WantedTokens>,
) -> Result<Json<List<AccessTokenBody>>, Problem> {
    let user = wanted.user.unwrap_or(caller.user);
    if user != caller.user {
        caller.may(Act::ManageUsers)?;
    }
    let pattern = find.pattern()?;
    let part = find.part()?;
    let found = access_tokens::find(&control.store, user, pattern.as_deref(), &part).await?;
    let page = find.page(found, |token| (token.id, &token.name));
    Ok(Json(page.map(|token| show_body(token, None))))
}

/// Get a personal access token.
///
/// Users get their own tokens, administrators any.
#[utoipa::path(
    get, path = "/api/v1/access-tokens/{token}", tag = "access-tokens",
    params(("token" = AccessTokenId, Path)),
    responses((status = 200, description = "The token's metadata", body = AccessTokenBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<AccessTokenId>,
) -> Result<Json<AccessTokenBody>, Problem> {
    let token = own(&control, &caller, id).await?;
    Ok(Json(show_body(token, None)))
}

/// Create a personal access token.
///
/// The token is only shown in this response. It has the permissions of its user. A token that is
/// created with another token expires no later than that one.
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
    let id = control.id()?;
    let secret = make_access_token(random::bytes()?);
    let hint = secret.text.len() - HINT_CHARACTERS;
    // Counted within the write, so that concurrent requests cannot exceed the maximum.
    let mut tx = caller.change(&control).await?;
    let term = AccessTokenTerm {
        now_us,
        end_max_us: access_token_end_max(now_us, control.access_token_days_max),
        parent_end_us: tx.access_token_end_us,
    };
    let end = term.end(wanted.expires_at.map(|it| it.0));
    let mut faults: Vec<Fault> = name_fault(&wanted.name).into_iter().collect();
    faults.extend(end.clone().err());
    refuse_any(faults)?;
    let token = AccessToken {
        id,
        user: caller.user,
        name: wanted.name,
        digest: secret.digest,
        hint: secret.text[hint..].to_owned(),
        created_us: now_us,
        expires_us: end?,
        last_used_us: None,
    };
    let present = access_tokens::list(&control.store, caller.user, None, TOKENS_MAX).await?;
    if present.len() >= TOKENS_MAX as usize {
        let detail = format!("a user can have at most {TOKENS_MAX} tokens; delete one first");
        return Err(Problem::conflict("access_token.too_many", detail));
    }
    access_tokens::create(&mut tx, &token).await?;
    tx.commit_locally(|| caller.log("access_token.created", token.id))
        .await?;
    let body = show_body(token, Some(secret.text));
    Ok((StatusCode::CREATED, Json(body)))
}

/// Delete a personal access token.
///
/// Users delete their own tokens, administrators any. The token is invalid at once. Access tokens
/// call no APIs, so with `dry_run` all counts are zero.
#[utoipa::path(
    delete, path = "/api/v1/access-tokens/{token}", tag = "access-tokens",
    params(("token" = AccessTokenId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "Deleted"),
    ),
)]
pub(crate) async fn delete(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<AccessTokenId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    own(&control, &caller, id).await?;
    let mut tx = caller.change(&control).await?;
    access_tokens::delete(&mut tx, id).await?;
    if dry_run {
        return Ok(impact::nothing());
    }
    tx.commit_locally(|| caller.log("access_token.revoked", id))
        .await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Returns the token if it is the caller's own or the caller is an administrator; otherwise 404.
async fn own(
    control: &Control,
    caller: &Caller,
    id: AccessTokenId,
) -> Result<AccessToken, Problem> {
    let token = access_tokens::by_id(&control.store, id).await?;
    if caller.owns(token.user) {
        Ok(token)
    } else {
        Err(Problem::unknown("access token"))
    }
}

fn show_body(token: AccessToken, text: Option<String>) -> AccessTokenBody {
    AccessTokenBody {
        id: token.id,
        user: token.user,
        name: token.name,
        hint: token.hint,
        token: text,
        created_at: Time(token.created_us),
        expires_at: Time(token.expires_us),
        last_used_at: token.last_used_us.map(Time),
    }
}
