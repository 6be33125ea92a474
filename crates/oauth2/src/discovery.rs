//! Public documents: the keys (RFC 7517) and the metadata (RFC 8414).

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::Serialize;
use serde_json::Value;
use tollgate_model::algorithm::Algorithm;
use tollgate_tokens::key::PublicKey;
use utoipa::ToSchema;

use crate::authentication::METHODS;
use crate::error::Refused;
use crate::failure::Failure;
use crate::issued::GRANTS;
use crate::made::Made;
use crate::server::{AuthorizationServer, Names, TOKEN, url};

pub(crate) const JWKS: &str = "/oauth2/jwks";
pub(crate) const REVOKE: &str = "/oauth2/revoke";
pub(crate) const INTROSPECT: &str = "/oauth2/introspect";
pub(crate) const METADATA: &str = "/.well-known/oauth-authorization-server";

/// A JWK Set (RFC 7517, section 5).
#[derive(Serialize, ToSchema)]
#[schema(as = KeySet)]
pub(crate) struct KeySetBody {
    /// Every key that signs, will sign or has signed; keys that have ended are left out.
    #[schema(value_type = Vec<Object>)]
    keys: Vec<Value>,
}

/// The metadata that clients need to request tokens (RFC 8414, section 2).
#[derive(Serialize, ToSchema)]
#[schema(as = Metadata)]
pub(crate) struct MetadataBody {
    /// `iss` of tokens.
    issuer: String,
    token_endpoint: String,
    revocation_endpoint: String,
    introspection_endpoint: String,
    jwks_uri: String,
    grant_types_supported: &'static [&'static str],
    /// Empty, but present: section 2 requires it. Users do not sign in here, so there is no
    /// authorization endpoint.
    response_types_supported: &'static [&'static str],
    token_endpoint_auth_methods_supported: &'static [&'static str],
    token_endpoint_auth_signing_alg_values_supported: &'static [&'static str],
    revocation_endpoint_auth_methods_supported: &'static [&'static str],
    revocation_endpoint_auth_signing_alg_values_supported: &'static [&'static str],
    introspection_endpoint_auth_methods_supported: &'static [&'static str],
    introspection_endpoint_auth_signing_alg_values_supported: &'static [&'static str],
}

/// Show the public keys.
///
/// A key is published before it signs, and until the last token that it signed has expired.
#[utoipa::path(
    get, path = "/oauth2/jwks", tag = "oauth2",
    responses((status = 200, description = "The keys", body = KeySetBody)),
)]
pub(crate) async fn jwks(
    State(server): State<AuthorizationServer>,
) -> Result<impl IntoResponse, Refused> {
    let mut keys = Vec::new();
    for key in server.keys.list().await?.iter() {
        let public = PublicKey::new(key.algorithm, key.public.clone()).map_err(Failure::from)?;
        keys.push(public.jwk(&key.name));
    }
    let cached = [(header::CACHE_CONTROL, "public, max-age=600")];
    Ok((cached, Json(KeySetBody { keys })))
}

/// Show where and how to request tokens.
#[utoipa::path(
    get, path = "/.well-known/oauth-authorization-server", tag = "oauth2",
    responses(
        (status = 200, description = "The metadata", body = MetadataBody),
        (status = 404, description = "Tokens are not issued: set control.public_url \
            and gateway.public_url"),
    ),
)]
pub(crate) async fn metadata(
    State(server): State<AuthorizationServer>,
) -> Result<impl IntoResponse, StatusCode> {
    let names = server.names().map_err(|_| StatusCode::NOT_FOUND)?;
    let made = match server.metadata.get() {
        Some(made) => made,
        None => {
            let made = Made::json(&metadata_of(names));
            let made = made.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)?;
            server.metadata.get_or_init(|| made)
        }
    };
    Ok(made.answer())
}

fn metadata_of(names: Names<'_>) -> MetadataBody {
    let at = |path| url(names.issuer, path);
    MetadataBody {
        issuer: names.issuer.to_owned(),
        token_endpoint: at(TOKEN),
        revocation_endpoint: at(REVOKE),
        introspection_endpoint: at(INTROSPECT),
        jwks_uri: at(JWKS),
        grant_types_supported: &GRANTS,
        response_types_supported: &[],
        token_endpoint_auth_methods_supported: &METHODS,
        token_endpoint_auth_signing_alg_values_supported: &Algorithm::ACCEPTED,
        revocation_endpoint_auth_methods_supported: &METHODS,
        revocation_endpoint_auth_signing_alg_values_supported: &Algorithm::ACCEPTED,
        introspection_endpoint_auth_methods_supported: &METHODS,
        introspection_endpoint_auth_signing_alg_values_supported: &Algorithm::ACCEPTED,
    }
}

#[cfg(test)]
mod tests;
