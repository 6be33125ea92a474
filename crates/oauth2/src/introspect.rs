//! Introspection (RFC 7662): a client asks what a token of its own application is good for now.

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
use crate::presented::{self, Standing, Token};
use crate::server::AuthorizationServer;

const SECOND_US: i64 = 1_000_000;

/// A token to be asked about or revoked. A client with a secret may send it here or in
/// `Authorization`.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "describes the form, which is read strictly in `form.rs`"
)]
pub(crate) struct PresentedToken {
    /// The token.
    #[schema(min_length = 1)]
    token: String,
    /// Ignored: the form of a token says what it is.
    #[schema(nullable = false)]
    token_type_hint: Option<String>,
    /// The client.
    #[schema(nullable = false)]
    client_id: Option<String>,
    /// Its secret.
    #[schema(nullable = false)]
    client_secret: Option<String>,
    /// `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.
    #[schema(nullable = false)]
    client_assertion_type: Option<String>,
    /// A token that the client signed (RFC 7523, section 2.2).
    #[schema(nullable = false)]
    client_assertion: Option<String>,
}

/// What a token is good for (RFC 7662, section 2.2). Of one that is not active, nothing else is
/// said.
#[derive(Default, Serialize, ToSchema)]
#[schema(as = Introspection)]
pub(crate) struct IntrospectionBody {
    /// Whether it would be taken now.
    active: bool,
    /// What it is good for, with spaces between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    /// The client that has obtained it.
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<String>,
    /// `Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_type: Option<&'static str>,
    /// When it ends, Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    exp: Option<i64>,
    /// When it was issued, Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    iat: Option<i64>,
    /// Whom it is about: the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<String>,
    /// Whom it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    aud: Option<String>,
    /// Who has issued it.
    #[serde(skip_serializing_if = "Option::is_none")]
    iss: Option<String>,
    /// The token's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    jti: Option<TokenId>,
}

/// Ask what a token is good for.
///
/// Tokens of the client's own application are told of; any other text is not active.
#[utoipa::path(
    post, path = "/oauth2/introspect", tag = "oauth2",
    request_body(content = PresentedToken, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "What it is good for", body = IntrospectionBody),
        (status = 400, description = "The request is refused", body = ErrorBody),
    ),
)]
pub(crate) async fn introspect(
    State(server): State<AuthorizationServer>,
    request: Request,
) -> Result<impl IntoResponse, Refused> {
    let call = Call::read(&server, request).await?;
    let text = call.form.required("token")?;
    let body = match presented::find(&server, text, call.now_us).await? {
        None => None,
        Some(token) => {
            let standing = presented::stand(&server, &token, call.now_us).await?;
            let own = standing.filter(|it| it.application == call.application.id);
            own.map(|standing| tell(&server, token, &standing))
        }
    };
    Ok((UNCACHED, Json(body.unwrap_or_default())))
}

fn tell(server: &AuthorizationServer, token: Token, standing: &Standing) -> IntrospectionBody {
    let holder = match token.subject {
        TokenSubject::Client(id) => id.to_string(),
        TokenSubject::Application(id, _) => id.to_string(),
    };
    IntrospectionBody {
        active: true,
        scope: joined(&standing.scopes),
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
