//! Revocation (RFC 7009): a client invalidates one of its tokens. Once it gets the response, no
//! call with the token succeeds.

use axum::Json;
use axum::extract::{Request, State};
use axum::response::IntoResponse;
use serde_json::json;
use tollgate_model::feed::{RevokedToken, TokenSubject};
use tollgate_store::{StoreError, tokens};

use crate::call::Call;
use crate::error::{Code, ErrorBody, Refused, UNCACHED};
use crate::gateways::InForce;
use crate::introspect::PresentedToken;
use crate::presented;
use crate::server::AuthorizationServer;

/// Revoke a token.
///
/// A client revokes its own tokens. A text that is not a token, or no longer one, counts as
/// revoked.
#[utoipa::path(
    post, path = "/oauth2/revoke", tag = "oauth2",
    request_body(content = PresentedToken, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The token is not valid, or no longer valid", body = Object),
        (status = 400, description = "The request is not valid", body = ErrorBody),
    ),
)]
pub(crate) async fn revoke(
    State(server): State<AuthorizationServer>,
    request: Request,
) -> Result<impl IntoResponse, Refused> {
    let call = Call::read(&server, request).await?;
    let text = call.form.required("token")?;
    let in_force = match presented::find_token(&server, text, call.now_us).await? {
        None if was_revoked(&server, text).await? => server.settle().await?,
        None => InForce::Everywhere,
        Some(token) => {
            if token.subject != TokenSubject::Client(call.client.id) {
                let sentence = "the token does not belong to this client";
                return Err(Refused::because(Code::UnauthorizedClient, sentence));
            }
            let revoked = RevokedToken {
                id: token.id,
                expires_us: token.expires_us,
            };
            let mut tx = server.store.write().await?;
            tokens::revoke(&mut tx, revoked).await?;
            let in_force = server.gateways.commit(tx).await?;
            let (client, token) = (call.client.id, token.id);
            tracing::info!(
                target: "audit", event = "token.revoked", subject = %token, %client,
                "token.revoked: {token}, by its client {client}"
            );
            in_force
        }
    };
    match in_force {
        // RFC 7009, section 2.2: the body is ignored. Some clients parse every response.
        InForce::Everywhere => Ok((UNCACHED, Json(json!({})))),
        InForce::Behind => Err(Refused::behind(
            "the token is revoked, but a gateway has not applied it yet; try again later",
        )),
    }
}

/// Returns whether a text was an opaque token that is revoked, which a gateway may not know yet.
async fn was_revoked(server: &AuthorizationServer, text: &str) -> Result<bool, StoreError> {
    match presented::id_of_opaque(text) {
        Some(id) => tokens::is_revoked(&server.store, id).await,
        None => Ok(false),
    }
}

#[cfg(test)]
mod tests;
