//! What a portal knows before anybody signs in: where the gateways are, and what is there.

use axum::extract::State;
use serde::Serialize;

use crate::gateways::{Asked, GatewayUrls};
use crate::json::Json;
use crate::state::Control;

/// What people call it.
const NAME: &str = "Tollgate";

/// What a portal knows before anybody signs in.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Portal)]
pub(crate) struct PortalBody {
    /// What people call it.
    name: &'static str,
    /// The release that runs.
    #[schema(example = "0.1.0")]
    release: &'static str,
    /// Where calls go, without a slash at the end.
    gateways: GatewayUrls,
    /// What is there.
    parts: PortalParts,
}

/// The parts of an installation that are not in every one.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PortalParts {
    /// What issues access tokens; absent where nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_manager: Option<TokenEndpoint>,
    /// Whether this API shows the catalogue without signing in.
    open_catalogue: bool,
}

/// What issues access tokens.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct TokenEndpoint {
    /// Where clients get them (RFC 6749, section 3.2).
    #[schema(example = "https://tollgate.example.com/oauth2/token")]
    token_url: String,
}

/// See what a portal needs before anybody signs in.
///
/// Names the gateways as callers reach them: `gateway.public_url`, else their listeners. A listener
/// on all addresses is named by the host that this request asks for.
#[utoipa::path(
    get, path = "/api/v1/portal", tag = "portal",
    responses((status = 200, description = "What is there", body = PortalBody)),
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
