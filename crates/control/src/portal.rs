//! Data that portals need before sign-in: URLs of the gateways, and the optional parts.

use axum::extract::State;
use serde::Serialize;

use crate::gateways::{Asked, GatewayUrls};
use crate::json::Json;
use crate::state::Control;

/// The product's name.
const NAME: &str = "Tollgate";

/// Data that a portal needs before sign-in.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Portal)]
pub(crate) struct PortalBody {
    /// The product's name.
    name: &'static str,
    /// The running release.
    #[schema(example = "0.1.0")]
    release: &'static str,
    /// URLs for calls, without a trailing slash.
    gateways: GatewayUrls,
    /// The optional parts of this installation.
    parts: PortalParts,
}

/// The parts that not every installation has.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PortalParts {
    /// The issuer of access tokens; absent if none are issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_manager: Option<TokenEndpoint>,
    /// Whether the catalogue can be read without signing in.
    open_catalogue: bool,
}

/// The issuer of access tokens.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct TokenEndpoint {
    /// Token endpoint for clients (RFC 6749, section 3.2).
    #[schema(example = "https://tollgate.example.com/oauth2/token")]
    token_url: String,
}

/// Get the data that a portal needs before sign-in.
///
/// The gateways have the URLs that callers use: `gateway.public_url`, else those of their
/// listeners. A listener on all addresses gets the host of this request.
#[utoipa::path(
    get, path = "/api/v1/portal", tag = "portal",
    responses((status = 200, description = "Data of the installation", body = PortalBody)),
)]
pub(crate) async fn show(State(control): State<Control>, asked: Asked) -> Json<PortalBody> {
    Json(PortalBody {
        name: NAME,
        release: env!("CARGO_PKG_VERSION"),
        gateways: control.gateways.urls(&asked),
        parts: PortalParts {
            key_manager: control
                .token_url()
                .map(|token_url| TokenEndpoint { token_url }),
            open_catalogue: control.open_catalogue,
        },
    })
}

#[cfg(test)]
mod tests;
