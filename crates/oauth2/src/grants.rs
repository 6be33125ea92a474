//! The token endpoint (RFC 6749, section 3.2), the common part of all grants: the request is read
//! once, its client authenticated, scopes and resource checked, so no grant can omit one of these
//! steps. `grants/<grant>.rs` has the rest of each grant.

use axum::Json;
use axum::extract::{Request, State};
use axum::response::IntoResponse;
use serde::Serialize;
use tollgate_model::lifecycle::AtGateway;
use tollgate_model::security::is_scope;
use tollgate_store::versions;
use utoipa::ToSchema;

use crate::call::Call;
use crate::error::{Code, ErrorBody, Refused, UNCACHED};
use crate::issued::GRANTS;
use crate::server::{AuthorizationServer, Names};

pub(crate) mod client_credentials;

/// A token request. A client with a secret may send it here or in `Authorization`.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "describes the form, which is read strictly in `form.rs`"
)]
pub(crate) struct TokenRequest {
    /// `client_credentials`.
    #[schema(pattern = "^client_credentials$")]
    grant_type: String,
    /// Requested scopes, separated by spaces; default: all that the client may have.
    #[schema(nullable = false)]
    scope: Option<String>,
    /// URL of the only version that the token is for; default: every subscribed version (RFC 8707).
    #[schema(nullable = false)]
    resource: Option<String>,
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

/// A token (RFC 6749, section 5.1).
#[derive(Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenBody {
    /// The token.
    access_token: String,
    /// `Bearer` (RFC 6750).
    token_type: &'static str,
    /// Lifetime, seconds.
    expires_in: u32,
    /// Granted scopes, separated by spaces; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

/// The result of the common checks.
pub(crate) struct Granted<'a> {
    pub(crate) scopes: Vec<String>,
    /// URL of the only version that the token is for.
    pub(crate) resource: Option<&'a str>,
    pub(crate) names: Names<'a>,
}

/// An issued token.
pub(crate) struct Made {
    pub(crate) text: String,
    pub(crate) lifetime_s: u32,
}

/// Get a token.
///
/// The client authenticates by HTTP Basic, by its secret in the body, or by an assertion.
#[utoipa::path(
    post, path = "/oauth2/token", tag = "oauth2",
    request_body(content = TokenRequest, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The token", body = TokenBody),
        (status = 400, description = "The request is not valid", body = ErrorBody),
    ),
)]
pub(crate) async fn token(
    State(server): State<AuthorizationServer>,
    request: Request,
) -> Result<impl IntoResponse, Refused> {
    let names = server.names()?;
    let call = Call::read(&server, request).await?;
    let grant = call.form.required("grant_type")?;
    if !GRANTS.contains(&grant) {
        return Err(Code::UnsupportedGrantType.into());
    }
    let granted = Granted {
        scopes: scopes(call.form.parameter("scope"), &call.client.grant.scopes)?,
        resource: resource(&server, call.form.resources(), names.audience).await?,
        names,
    };
    let made = client_credentials::grant(&server, &call, &granted).await?;
    server.issued.count(grant);
    let body = TokenBody {
        access_token: made.text,
        token_type: "Bearer",
        expires_in: made.lifetime_s,
        scope: joined(&granted.scopes),
    };
    Ok((UNCACHED, Json(body)))
}

/// Joins scopes into one text (RFC 6749, section 3.3); `None` if there are none.
pub(crate) fn joined(scopes: &[String]) -> Option<String> {
    (!scopes.is_empty()).then(|| scopes.join(" "))
}

/// Returns the requested scopes that are allowed, in the order of the request; all allowed ones if
/// none are requested (RFC 6749, section 3.3).
fn scopes(requested: Option<&str>, allowed: &[String]) -> Result<Vec<String>, Refused> {
    let Some(requested) = requested else {
        return Ok(allowed.to_vec());
    };
    let mut granted: Vec<String> = Vec::new();
    for name in requested.split(' ') {
        if !is_scope(name) {
            let sentence = "scope must be names separated by single spaces";
            return Err(Refused::because(Code::InvalidScope, sentence));
        }
        let is_new = granted.iter().all(|known| known != name);
        if is_new && allowed.iter().any(|allowed| allowed == name) {
            granted.push(name.to_owned());
        }
    }
    match granted.is_empty() {
        true => Err(Code::InvalidScope.into()),
        false => Ok(granted),
    }
}

/// Checks the resource that a token is requested for, if any (RFC 8707, section 2).
async fn resource<'a>(
    server: &AuthorizationServer,
    requested: &'a [String],
    audience: &str,
) -> Result<Option<&'a str>, Refused> {
    let url = match requested {
        [] => return Ok(None),
        [url] => url.as_str(),
        _ => {
            let sentence = "a token is for one resource, or for all: request one at a time";
            return Err(Refused::because(Code::InvalidTarget, sentence));
        }
    };
    let path = url.strip_prefix(audience);
    let (context, name) = path
        .and_then(|path| path.rsplit_once('/'))
        .ok_or(Code::InvalidTarget)?;
    let version = versions::by_path(&server.store, context, name).await?;
    let version = version.ok_or(Code::InvalidTarget)?;
    let is_served = version.deployed.is_some() && version.state.at_gateway() != AtGateway::Absent;
    match is_served {
        true => Ok(Some(url)),
        false => Err(Code::InvalidTarget.into()),
    }
}

#[cfg(test)]
mod tests;
