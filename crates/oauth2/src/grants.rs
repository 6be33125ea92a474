//! The token endpoint (RFC 6749, section 3.2), the frame of all grants: the request is read once,
//! its client authenticated, scopes and resource judged, so that no grant can forget one of them.
//! What a grant itself asks for is in `grants/<grant>.rs`.

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
use crate::server::{AuthorizationServer, Names};

pub(crate) mod client_credentials;

/// The grants, as the metadata names them (RFC 8414, section 2).
pub(crate) const GRANTS: [&str; 1] = [client_credentials::WORD];

/// What a token is asked for with. A client with a secret may send it here or in `Authorization`.
#[derive(ToSchema)]
#[expect(
    dead_code,
    reason = "describes the form, which is read strictly in `form.rs`"
)]
pub(crate) struct TokenRequest {
    /// `client_credentials`.
    #[schema(pattern = "^client_credentials$")]
    grant_type: String,
    /// What the token shall be good for, with spaces between them; without it, all that the client
    /// may have.
    #[schema(nullable = false)]
    scope: Option<String>,
    /// The URL of the one version that the token is for; without it, each that is subscribed to
    /// (RFC 8707).
    #[schema(nullable = false)]
    resource: Option<String>,
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

/// A token (RFC 6749, section 5.1).
#[derive(Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenBody {
    /// The token.
    access_token: String,
    /// `Bearer` (RFC 6750).
    token_type: &'static str,
    /// Seconds until it ends.
    expires_in: u32,
    /// What it is good for, with spaces between them; absent where that is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
}

/// What is granted.
pub(crate) struct Granted<'a> {
    pub(crate) scopes: Vec<String>,
    /// The URL of the only version that the token is for.
    pub(crate) resource: Option<&'a str>,
    pub(crate) names: Names<'a>,
}

/// A token that was made.
pub(crate) struct Made {
    pub(crate) text: String,
    pub(crate) lifetime_s: u32,
}

/// Get a token.
///
/// The client proves itself by HTTP Basic, by its secret in the body, or by an assertion.
#[utoipa::path(
    post, path = "/oauth2/token", tag = "oauth2",
    request_body(content = TokenRequest, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "The token", body = TokenBody),
        (status = 400, description = "The request is refused", body = ErrorBody),
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
    let body = TokenBody {
        access_token: made.text,
        token_type: "Bearer",
        expires_in: made.lifetime_s,
        scope: joined(&granted.scopes),
    };
    Ok((UNCACHED, Json(body)))
}

/// Scopes as one text (RFC 6749, section 3.3); `None` where there are none.
pub(crate) fn joined(scopes: &[String]) -> Option<String> {
    (!scopes.is_empty()).then(|| scopes.join(" "))
}

/// Those asked for and allowed, in the order asked for; all that are allowed where none are asked
/// for (RFC 6749, section 3.3).
fn scopes(asked: Option<&str>, allowed: &[String]) -> Result<Vec<String>, Refused> {
    let Some(asked) = asked else {
        return Ok(allowed.to_vec());
    };
    let mut granted: Vec<String> = Vec::new();
    for name in asked.split(' ') {
        if !is_scope(name) {
            let sentence = "a scope is names with one space between them";
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

/// The version that a token shall be for, if it is asked for one (RFC 8707, section 2).
async fn resource<'a>(
    server: &AuthorizationServer,
    asked: &'a [String],
    audience: &str,
) -> Result<Option<&'a str>, Refused> {
    let url = match asked {
        [] => return Ok(None),
        [url] => url.as_str(),
        _ => {
            let sentence = "a token is for one resource, or for all: ask for one at a time";
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
