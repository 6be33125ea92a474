//! Keys that sign access tokens: listed, rotated and revoked. The key manager creates them; their
//! private keys are never shown.

use axum::extract::State as Shared;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::algorithm::Algorithm;
use tollgate_model::id::SigningKeyId;
use tollgate_store::signing_keys::{self, SigningKey, Times};

use crate::caller::Caller;
use crate::error::Problem;
use crate::impact::{self, DryRun, Impact, Touched};
use crate::json::Json;
use crate::parameters::{List, Path, Query};
use crate::state::Control;
use crate::time::Time;

/// A key that signs access tokens.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = SigningKey)]
pub(crate) struct SigningKeyBody {
    /// The key's id.
    id: SigningKeyId,
    /// Name of the key in token headers and in the key set (`kid`).
    name: String,
    /// The only algorithm that the key is used with.
    algorithm: Algorithm,
    /// Current state.
    state: KeyState,
    /// Time of creation and publication.
    created_at: Time,
    /// The key signs tokens from then on.
    signs_from: Time,
    /// The key no longer signs tokens from then on; absent until another key replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signs_until: Option<Time>,
    /// Tokens signed with the key are no longer valid from then on; absent while the key is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    ends_at: Option<Time>,
}

/// The state of a signing key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = SigningKeyState)]
#[serde(rename_all = "snake_case")]
enum KeyState {
    /// The key is published and will sign tokens.
    Next,
    /// The key signs tokens.
    Signing,
    /// The key signs no more tokens; existing ones are accepted until they expire.
    Retired,
}

/// List the keys that sign access tokens, oldest first.
///
/// Keys that have ended are not listed.
#[utoipa::path(
    get, path = "/api/v1/signing-keys", tag = "signing-keys",
    responses((status = 200, description = "The keys", body = List<SigningKeyBody>)),
)]
pub(crate) async fn list(
    Shared(control): Shared<Control>,
) -> Result<Json<List<SigningKeyBody>>, Problem> {
    let now_us = control.now_us();
    let keys = signing_keys::list(&control.store, now_us).await?;
    let items = keys.into_iter().map(|key| show_body(key, now_us));
    let items: Vec<_> = items.collect();
    Ok(Json(List {
        total: items.len().try_into().unwrap_or(u64::MAX),
        items,
        next: None,
    }))
}

/// Revoke a key that signs access tokens.
///
/// Calls that start after the response are rejected if their token was signed with this key. If the
/// key signs new tokens, another key replaces it. How many tokens a key has signed is not known, so
/// `dry_run` counts all OAuth2 clients with tokens of its algorithm.
#[utoipa::path(
    delete, path = "/api/v1/signing-keys/{signing_key}", tag = "signing-keys",
    params(("signing_key" = SigningKeyId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "The key is no longer valid"),
    ),
)]
pub(crate) async fn revoke(
    Shared(control): Shared<Control>,
    caller: Caller,
    Path(id): Path<SigningKeyId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    caller.confirm(&control).await?;
    if dry_run {
        let mut tx = caller.change(&control).await?;
        signing_keys::delete(&mut tx, id).await?;
        return impact::instead(tx, Touched::SigningKey(id)).await;
    }
    let Ok(issuer) = control.token_issuer() else {
        // Without an issuer no other key has to replace it.
        let mut tx = caller.change(&control).await?;
        signing_keys::delete(&mut tx, id).await?;
        tx.commit(|| caller.log("signing_key.revoked", id)).await?;
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let is_everywhere = issuer.delete_key(id).await?;
    caller.log("signing_key.revoked", id);
    match is_everywhere {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(Problem::behind()),
    }
}

/// Rotate the keys that sign access tokens.
///
/// The next key of the algorithm is published now and signs after 15 minutes, so that no token is
/// signed with an unpublished key. The key before it stays published for as long as one of its
/// tokens may be valid. No call fails because of a rotation.
#[utoipa::path(
    post, path = "/api/v1/signing-keys", tag = "signing-keys", request_body = NewSigningKey,
    responses((status = 201, description = "The next key", body = SigningKeyBody)),
)]
pub(crate) async fn create(
    Shared(control): Shared<Control>,
    caller: Caller,
    Json(body): Json<NewSigningKey>,
) -> Result<impl IntoResponse, Problem> {
    caller.confirm(&control).await?;
    let issuer = control.token_issuer()?;
    let (id, is_everywhere) = issuer.next_key(body.algorithm).await?;
    caller.log("signing_key.created", id);
    if !is_everywhere {
        return Err(Problem::behind());
    }
    let key = signing_keys::by_id(&control.store, id).await?;
    Ok((StatusCode::CREATED, Json(show_body(key, control.now_us()))))
}

/// A signing key to create.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewSigningKey {
    /// The key's algorithm.
    #[serde(default)]
    algorithm: Algorithm,
}

impl KeyState {
    fn at(times: Times, now_us: i64) -> Self {
        if now_us < times.signs_from_us {
            Self::Next
        } else if times.signs_until_us.is_none_or(|it| now_us < it) {
            Self::Signing
        } else {
            Self::Retired
        }
    }
}

fn show_body(key: SigningKey, now_us: i64) -> SigningKeyBody {
    SigningKeyBody {
        id: key.id,
        name: key.name,
        algorithm: key.algorithm,
        state: KeyState::at(key.times, now_us),
        created_at: Time(key.created_us),
        signs_from: Time(key.times.signs_from_us),
        signs_until: key.times.signs_until_us.map(Time),
        ends_at: key.times.ends_us.map(Time),
    }
}

#[cfg(test)]
mod tests;
