//! Every route of the key manager on one page, with the maximum length of its body.

use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};

use crate::discovery::{INTROSPECT, JWKS, METADATA, REVOKE};
use crate::form::BodyMax;
use crate::server::{AuthorizationServer, TOKEN};
use crate::{discovery, grants, introspect, revoke};

/// Maximum length of a token request, bytes: requested scopes and an assertion.
const TOKEN_BYTES_MAX: usize = 32 << 10;
/// Maximum length of a request with a token and an assertion, bytes.
const PRESENTED_BYTES_MAX: usize = 64 << 10;

/// Returns the routes, to be merged into those of the control plane.
pub fn router<S>(server: AuthorizationServer) -> Router<S> {
    let mut router = Router::new();
    for (_, path, handler, body_max) in routes() {
        router = router.route(path, handler.layer(Extension(body_max)));
    }
    router.with_state(server)
}

/// Method, path, handler, maximum length of the body. Other methods are answered with 405 and
/// `Allow`.
fn routes() -> [(
    &'static str,
    &'static str,
    MethodRouter<AuthorizationServer>,
    BodyMax,
); 5] {
    let presented = BodyMax(PRESENTED_BYTES_MAX);
    let nothing = BodyMax(0);
    [
        ("post", TOKEN, post(grants::token), BodyMax(TOKEN_BYTES_MAX)),
        ("post", REVOKE, post(revoke::revoke), presented),
        ("post", INTROSPECT, post(introspect::introspect), presented),
        ("get", JWKS, get(discovery::jwks), nothing),
        ("get", METADATA, get(discovery::metadata), nothing),
    ]
}

#[cfg(test)]
mod tests;
