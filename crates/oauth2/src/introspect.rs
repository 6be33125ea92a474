//! Introspection (RFC 7662): returns the present state of a token to a client of its application.

use axum::Json;
use axum::extract::{Request, State};
use axum::response::IntoResponse;
use serde::Serialize;
use tollgate_model::feed::TokenSubject;
use tollgate_model::id::TokenId;
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::{ErrorBody, Refused, UNCACHED};
use crate::grants::joined;
use crate::presented::{self, Rights, Token};
use crate::server::AuthorizationServer;

const SECOND_US: i64 = 1_000_000;

/// A token to introspect or revoke. A client with a secret may send it here or in `Authorization`.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "describes the form, which is read strictly in `form.rs`"
)]
pub(crate) struct PresentedToken {
    /// The token.
    #[schema(min_length = 1)]
    token: String,
    /// Ignored: the form of a token identifies its type.
    #[schema(nullable = false)]
    token_type_hint: Option<String>,
    /// The client's id.
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// The client's secret.
    #[schema(nullable = false)]
    client_secret: Option<String>,
    /// `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.
    #[schema(nullable = false)]
    client_assertion_type: Option<String>,
    /// A token that the client signed (RFC 7523, section 2.2).
    #[schema(nullable = false)]
    client_assertion: Option<String>,
}

/// The state of a token (RFC 7662, section 2.2). For an inactive one, only `active` is present.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = Introspection)]
pub(crate) struct IntrospectionBody {
    /// Whether the token is accepted now.
    active: bool,
    /// Its scopes, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    /// The client that obtained it.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    /// `Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_type: Option<&'static str>,
    /// Expiry, Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    exp: Option<i64>,
    /// Time of issue, Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    iat: Option<i64>,
    /// The subject: the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<String>,
    /// The audience.
    #[serde(skip_serializing_if = "Option::is_none")]
    aud: Option<String>,
    /// The issuer.
    #[serde(skip_serializing_if = "Option::is_none")]
    iss: Option<String>,
    /// The token's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    jti: Option<TokenId>,
}

/// Introspect a token.
///
/// Only tokens of the client's own application are described; any other text is not active.
#[utoipa::path(
    post, path = "/oauth2/introspect", tag = "oauth2",
    request_body(content = PresentedToken, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The state of the token", body = IntrospectionBody),
        (status = 400, description = "The request is not valid", body = ErrorBody),
    ),
)]
pub(crate) async fn introspect(
    State(server): State<AuthorizationServer>,
    request: Request,
) -> Result<impl IntoResponse, Refused> {
    let call = Call::read(&server, request).await?;
    let text = call.form.required("token")?;
    let body = match presented::find_token(&server, text, call.now_us).await? {
        None => None,
        Some(token) => {
            let rights = presented::rights(&server, &token, call.now_us).await?;
            let own = rights.filter(|it| it.application == call.application.id);
            own.map(|rights| introspection(&server, token, &rights))
        }
    };
    Ok((UNCACHED, Json(body.unwrap_or_default())))
}

fn introspection(server: &AuthorizationServer, token: Token, rights: &Rights) -> IntrospectionBody {
    let holder = match token.subject {
        TokenSubject::Client(id) => id.to_string(),
        TokenSubject::Application(id, _) => id.to_string(),
    };
    IntrospectionBody {
        active: true,
        scope: joined(&rights.scopes),
        client_id: Some(holder.clone()),
        token_type: Some("Bearer"),
        exp: Some(token.expires_us / SECOND_US),
        iat: Some(token.issued_us / SECOND_US),
        sub: Some(holder),
        aud: token.audiences.into_iter().next(),
        iss: server.issuer.clone(),
        jti: Some(token.id),
    }
}

#[cfg(test)]
mod tests;
