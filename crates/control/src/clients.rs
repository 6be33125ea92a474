//! OAuth2 clients of applications (RFC 6749, section 2): created with a secret that is shown once
//! or with their own keys, rotated, revoked immediately, suspended and resumed by administrators.
//!
//! Neighbours: `clients/wanted.rs` validates requests; `credentials` has the parts shared with
//! other credentials; the key manager authenticates clients and issues their tokens.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use tollgate_model::id::{self, ApplicationId, ClientId};
use tollgate_store::clients::{self, Authentication, Client};
use tollgate_store::credentials;
use tollgate_tokens::generated;

use crate::applications;
use crate::caller::Caller;
use crate::credentials::handlers::{self, Shown};
use crate::credentials::{Rotation, TermsBody, Words, first_secret, previous_until};
use crate::error::Problem;
use crate::impact::{self, DryRun, Impact, Touched};
use crate::json::Json;
use crate::parameters::{Find, List, Listed, Path, Query, Unfiltered};
use crate::random;
use crate::state::Control;
use crate::time::Time;

mod wanted;

use wanted::{ClientPatch, Method, NewClient, TokenBody};

const CLIENT: Words = Words {
    noun: "client",
    plural: "clients",
    created: "client.created",
    updated: "client.updated",
    rotated: "client.rotated",
    revoked: "client.revoked",
    suspended: "client.suspended",
    resumed: "client.resumed",
    expired: "client.expired",
    too_many: "client.too_many",
};

/// An OAuth2 client.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Client)]
pub(crate) struct ClientBody {
    /// The client's id, which is its `client_id`.
    id: ClientId,
    #[serde(flatten)]
    terms: TermsBody,
    /// How it authenticates.
    authentication: Method,
    /// The last four characters of its secret, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The secret, only in the response that created it.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    /// When the previous secret stops being accepted, if one still is.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_until: Option<Time>,
    /// Its public keys, if it has no secret: a JWK Set (RFC 7517).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    jwks: Option<Value>,
    /// Scopes that its tokens may have.
    scopes: Vec<String>,
    /// The tokens issued to it.
    token: TokenBody,
    /// Tokens issued before this time are not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens_from: Option<Time>,
}

/// List an application's OAuth2 clients, revoked ones too.
#[utoipa::path(
    get, path = "/api/v1/applications/{application}/clients", tag = "clients",
    params(("application" = ApplicationId, Path), Find),
    responses((status = 200, description = "A page of clients", body = List<ClientBody>)),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    caller: Caller,
    Path(application): Path<ApplicationId>,
    Listed(find, _): Listed<Unfiltered>,
) -> Result<Json<List<ClientBody>>, Problem> {
    handlers::list::<id::Client>(&control, &caller, application, &find).await
}

/// Get an OAuth2 client.
#[utoipa::path(
    get, path = "/api/v1/clients/{client}", tag = "clients", params(("client" = ClientId, Path)),
    responses((status = 200, description = "The client", body = ClientBody)),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ClientId>,
) -> Result<Json<ClientBody>, Problem> {
    handlers::show(&control, &caller, id).await
}

/// Create an OAuth2 client.
///
/// Only this response contains the secret. An application has at most 20 clients that are neither
/// revoked nor expired; suspended clients count. If the owner's credentials are suspended, so is
/// the new client, until they are resumed.
#[utoipa::path(
    post, path = "/api/v1/applications/{application}/clients", tag = "clients",
    params(("application" = ApplicationId, Path)), request_body = NewClient,
    responses((status = 201, description = "The client", body = ClientBody)),
)]
pub(crate) async fn create(
    State(control): State<Control>,
    caller: Caller,
    Path(application): Path<ApplicationId>,
    Json(wanted): Json<NewClient>,
) -> Result<impl IntoResponse, Problem> {
    applications::own(&control, &caller, application).await?;
    let now_us = control.now_us();
    let wanted = wanted.decide(now_us)?;
    let (authentication, secret) = match wanted.jwks {
        Some(jwks) => (Authentication::PrivateKeyJwt { jwks }, None),
        None => {
            let made = generated::client_secret(random::bytes()?);
            let secret = first_secret(&made);
            (Authentication::Secret(secret), Some(made.text))
        }
    };
    let client = Client {
        id: control.id()?,
        terms: wanted.terms.into_terms(application, &caller, now_us),
        authentication,
        grant: wanted.grant,
        tokens_from_us: 0,
    };
    let mut change = caller.change(&control).await?;
    clients::create(&mut change, &client).await?;
    handlers::commit_new::<id::Client>(&control, &caller, change, &client, secret).await
}

/// Change an OAuth2 client.
///
/// Takes effect immediately, also for issued tokens: they lose removed scopes, and calls that start
/// after the response are rejected if the client is suspended. Form and lifetime apply to new
/// tokens. A revoked client cannot be changed.
#[utoipa::path(
    patch, path = "/api/v1/clients/{client}", tag = "clients", params(("client" = ClientId, Path)),
    request_body = ClientPatch,
    responses((status = 200, description = "The changed client", body = ClientBody)),
)]
pub(crate) async fn update(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ClientId>,
    Json(wanted): Json<ClientPatch>,
) -> Result<Json<ClientBody>, Problem> {
    let now_us = control.now_us();
    let mut tx = caller.change(&control).await?;
    let client = credentials::by_id(&control.store, id).await?;
    let (common, own) = wanted.split();
    common
        .may(&control, &caller, &client.terms, &CLIENT)
        .await?;
    let change = own.change(&client, &common, now_us)?;
    if let Some(change) = &change {
        clients::update(&mut tx, id, change).await?;
    }
    common.suspend(&mut tx, id, now_us).await?;
    let log = || {
        if change.is_some() {
            caller.log(CLIENT.updated, id);
        }
        common.log_suspended(&caller, &CLIENT, id);
    };
    handlers::commit(&control, tx, id, None, log).await
}

/// Rotate the secret of an OAuth2 client.
///
/// Only this response contains the new secret. The previous one is accepted during the grace
/// period. Until then the client cannot be rotated again: 409 `credential.rotating`, except with
/// `now`, which invalidates all earlier secrets. Issued tokens stay valid. To replace the public
/// keys of a client without a secret, update the client.
#[utoipa::path(
    post, path = "/api/v1/clients/{client}/rotation", tag = "clients",
    params(("client" = ClientId, Path)), request_body = Rotation,
    responses((status = 200, description = "The client, with its secret", body = ClientBody)),
)]
pub(crate) async fn rotate(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ClientId>,
    Json(Rotation { grace }): Json<Rotation>,
) -> Result<Json<ClientBody>, Problem> {
    let now_us = control.now_us();
    let mut tx = caller.change(&control).await?;
    let client = handlers::working(&control, &caller, id).await?;
    let Authentication::Secret(secret) = &client.authentication else {
        let detail = "the client has no secret but keys: change them with PATCH and \"jwks\"";
        return Err(Problem::conflict("client.no_secret", detail));
    };
    CLIENT.require_settled(secret, grace, now_us)?;
    let made = generated::client_secret(random::bytes()?);
    clients::rotate(&mut tx, id, &grace.secret(&made, now_us)).await?;
    let log = || caller.log(CLIENT.rotated, id);
    handlers::commit(&control, tx, id, Some(made.text), log).await
}

/// Invalidate the tokens of an OAuth2 client.
///
/// Calls with earlier tokens that start after the response are rejected. The client stays valid.
#[utoipa::path(
    delete, path = "/api/v1/clients/{client}/tokens", tag = "clients",
    params(("client" = ClientId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "Invalidated"),
    ),
)]
pub(crate) async fn void_tokens(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ClientId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    handlers::own(&control, &caller, id).await?;
    let mut tx = caller.change(&control).await?;
    let from_us = applications::void_from_us(control.now_us());
    clients::void_tokens(&mut tx, id, from_us).await?;
    if dry_run {
        return impact::instead(tx, Touched::ClientTokens(id)).await;
    }
    tx.commit(|| caller.log("client.tokens_voided", id)).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Revoke an OAuth2 client.
///
/// Calls with its tokens that start after the response are rejected.
#[utoipa::path(
    delete, path = "/api/v1/clients/{client}", tag = "clients",
    params(("client" = ClientId, Path), DryRun),
    responses(
        (status = 200, description = "What would be affected, with `dry_run`", body = Impact),
        (status = 204, description = "Revoked"),
    ),
)]
pub(crate) async fn revoke(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<ClientId>,
    Query(DryRun { dry_run }): Query<DryRun>,
) -> Result<Response, Problem> {
    handlers::revoke(&control, &caller, id, dry_run).await
}

impl Shown for id::Client {
    type Body = ClientBody;

    const WORDS: &Words = &CLIENT;

    fn body(client: Client, client_secret: Option<String>, now_us: i64) -> ClientBody {
        let (authentication, secret, jwks) = match client.authentication {
            Authentication::Secret(secret) => (Method::ClientSecret, Some(secret), None),
            Authentication::PrivateKeyJwt { jwks } => (Method::PrivateKeyJwt, None, Some(jwks)),
        };
        ClientBody {
            id: client.id,
            terms: client.terms.into(),
            authentication,
            previous_until: secret.as_ref().and_then(|it| previous_until(it, now_us)),
            hint: secret.map(|it| it.hint),
            client_secret,
            // It was validated before it was stored.
            jwks: jwks.and_then(|text| serde_json::from_str(&text).ok()),
            token: TokenBody::of(&client.grant),
            scopes: client.grant.scopes,
            tokens_from: (client.tokens_from_us > 0).then_some(Time(client.tokens_from_us)),
        }
    }
}

#[cfg(test)]
mod tests;
